"""The normal form of a program: two programs with one form differ in comments, white space and chosen names only.

C and C++ (exactly; no macro is expanded):
  Comments and `#include` lines are left out. All white space is one space; a directive ends with its line.
Python:
  Comments, blank lines, and lines that are only a string (docstrings) are left out. Indentation counts as blocks,
  however wide it is. Within brackets and after a backslash line ends are white space.
Both:
  A name becomes the number of its first occurrence, unless it means something outside of the program: a keyword; a
  name of the usual library (`_CPP_NAMES`, and Python's builtins); a name that stands somewhere after `.`, `->` or
  `::`; a name that is called, but never defined or used otherwise. In Python also: a name that a line with `import`
  holds, that is given by keyword (`end=`), or that stands in an f-string.
Other languages:
  White space is one space, and nothing else changes.

This reads tokens, not the language, so it errs towards saying that programs differ. It never runs or compiles anything,
and takes time in proportion to the length.
"""

from __future__ import annotations

import builtins
import hashlib
import keyword
import re
from collections.abc import Iterable, Iterator
from functools import partial

from judge import LanguageError, languages
from judge.languages.extraction import Completion, answer, extract

_CPP_TOKEN = re.compile(
    r"(?://(?:[^\n\\]|\\[\s\S]|\\\Z)*|/\*[\s\S]*?(?:\*/|\Z))"  # comments
    r'|(?:u8|[uUL])?R"(?P<end>[^()\\\s"]{0,16})\([\s\S]*?(?:\)(?P=end)"|\Z)'
    r'|(?:u8|[uUL])?"(?:[^"\\\n]|\\[\s\S])*"?'
    r"|(?:u8|[uUL])?'(?:[^'\\\n]|\\[\s\S])*'?"
    r"|\.?\d(?:[eEpP][+-]|'\w|[\w.])*"
    r"|[^\W\d]\w*"
    r"|\n[^\S\n]*\#|\\\r?\n|\n"
    r"|<<=?|<=>|<=|>=|->|::|\+\+|--|&&|\|\||[-+*/%&|^!=]=|[^\s]"
)
_PYTHON_TOKEN = re.compile(
    r"\#[^\n]*"
    r"|[rRbBuUfF]{0,2}(?:'''(?:[^\\]|\\[\s\S])*?(?:'''|\Z)|\"\"\"(?:[^\\]|\\[\s\S])*?(?:\"\"\"|\Z))"
    r"|[rRbBuUfF]{0,2}(?:'(?:[^'\\\n]|\\[\s\S])*'?|\"(?:[^\"\\\n]|\\[\s\S])*\"?)"
    r"|\.?\d(?:[eE][+-]|[\w.])*"
    r"|[^\W\d]\w*"
    r"|\\\r?\n|\n[^\S\n]*"
    r"|\*\*=?|//=?|<<=?|>>=?|->|:=|[-+*/%&|^!=<>@]=|[^\s]"
)
_NAME = re.compile(r"[^\W\d]\w*")
_F_STRING = re.compile(r"[rRfF]{1,2}['\"]")
_STRING = re.compile(r"[rRbBuU]{0,2}['\"]")
_INCLUDE = re.compile(r"(?m)^[^\S\n]*#[^\S\n]*include\b[^\n]*")

_CPP_NAMES = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class
    co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default
    define defined delete do double dynamic_cast elif else endif enum error explicit export extern false final float for
    friend goto if ifdef ifndef include inline int line long mutable namespace new noexcept not not_eq nullptr operator
    or or_eq override pragma private protected public register reinterpret_cast requires restrict return short signed
    sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid
    typename typeof undef union unsigned using virtual void volatile wchar_t while xor xor_eq NULL EOF
    std main string vector array deque list forward_list stack queue priority_queue set map multiset multimap
    unordered_set unordered_map unordered_multiset unordered_multimap bitset pair tuple optional variant any function
    string_view span valarray complex initializer_list basic_string less greater less_equal greater_equal equal_to
    hash allocator char_traits numeric_limits unique_ptr shared_ptr weak_ptr thread mutex ios ios_base iostream istream
    ostream ifstream ofstream fstream stringstream istringstream ostringstream istream_iterator ostream_iterator
    back_inserter cin cout cerr clog endl ends flush ws fixed scientific hex dec oct boolalpha setprecision setw setfill
    stdin stdout stderr FILE size_t ssize_t ptrdiff_t time_t clock_t int8_t int16_t int32_t int64_t uint8_t uint16_t
    uint32_t uint64_t intmax_t uintmax_t intptr_t uintptr_t __int128 __int128_t __uint128_t __float128
    INT_MAX INT_MIN UINT_MAX LONG_MAX LONG_MIN LLONG_MAX LLONG_MIN ULLONG_MAX SHRT_MAX SHRT_MIN CHAR_BIT CHAR_MAX
    INT32_MAX INT32_MIN INT64_MAX INT64_MIN UINT32_MAX UINT64_MAX SIZE_MAX DBL_MAX DBL_MIN DBL_EPSILON FLT_MAX RAND_MAX
    M_PI M_E INFINITY NAN HUGE_VAL CLOCKS_PER_SEC mt19937 mt19937_64 random_device uniform_int_distribution
    uniform_real_distribution chrono ios_base numbers ranges views placeholders nullopt in_place plus minus multiplies
    greater_equal bit_xor bit_and bit_or GCC optimize target once ONLINE_JUDGE __cplusplus __gnu_pbds __gnu_cxx tree
    null_type rb_tree_tag tree_order_statistics_node_update rope assert errno
"""
_CPP = frozenset(_CPP_NAMES.split())
_PYTHON = frozenset((*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "self", "cls", "__name__"))
#: What stands before the name that it defines.
_DEFINES = frozenset(("def", "class", "define"))
_MEMBER = frozenset((".", "->", "::"))


def tokens(
    completion: str, language: str | None, prompt: Completion | None = None, template_end: str = ""
) -> list[str]:
    """The family of the language and the normal form of a completion's program. If the completion holds none, the
    words of its answer."""
    find = partial(extract, completion, prompt=prompt, template_end=template_end, may_choose=languages.names())
    try:
        found = find(language)
    except LanguageError:  # one that the judge no longer knows
        found = find()
    if found.code is None:
        return ["", *(answer(completion, prompt, template_end) or completion).split()]
    spoken = None if found.language is None else languages.find(found.language)
    family = "" if spoken is None else spoken.family
    return [family, *normal_form(found.code, family)]


def digest(tokens: Iterable[str]) -> bytes:
    return hashlib.blake2b("\0".join(tokens).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def normal_form(code: str, family: str) -> list[str]:
    """The tokens of the normal form. `family` is that of the language: "c", "c++", "python", or another."""
    code = code.replace("\r\n", "\n")
    if family in {"c", "c++"}:
        found = list(_cpp(_INCLUDE.sub("", code)))
        return _rename(found, _CPP | set(_members(found)))
    if family == "python":
        found = list(_python(code))
        return _rename(found, _PYTHON | set(_members(found)) | set(_python_kept(found)))
    return code.split()


def _cpp(code: str) -> Iterator[str]:
    directive = False
    for match in _CPP_TOKEN.finditer("\n" + code):
        word = match[0]
        if word[0] == "\n":
            if directive:
                yield "\n"
            directive = word[-1] == "#"
            if directive:
                yield "#"
        elif not word.startswith(("//", "/*")) and word[0] != "\\":
            yield word


def _python(code: str) -> Iterator[str]:
    """Tokens, with a newline after each logical line, and "{" and "}" around blocks."""
    widths, line, depth = [0], list[str](), 0
    for match in _PYTHON_TOKEN.finditer("\n" + code + "\n"):
        word = match[0]
        if word[0] in "#\\":
            continue
        if word[0] != "\n":
            depth += (word in "([{") - (word in ")]}")
            line.append(word)
        elif depth <= 0:
            yield from _end_line(line)
            line, depth = [], 0
            width = len(word.expandtabs()) - 1
            following = code[match.end() - 1 : match.end()]
            if following not in {"", "\n", "#"}:
                if width > widths[-1]:
                    widths.append(width)
                    yield "{\n"
                while width < widths[-1]:
                    widths.pop()
                    yield "}\n"
    yield from _end_line(line)


def _end_line(line: list[str]) -> Iterator[str]:
    if line and not (len(line) == 1 and _STRING.match(line[0])):
        yield from line
        yield "\n"


def _members(tokens: list[str]) -> Iterator[str]:
    """Names that stand after a dot or the like; and names that are called, but never defined or used otherwise. In C++
    the name before `(…) {` is defined."""
    called, ours, before = set[str](), set[str](), ""
    open_calls = list[str]()
    for word, after in zip(tokens, [*tokens[1:], ""], strict=False):
        if word == "(":
            open_calls.append(before)
        elif word == ")":
            name = open_calls.pop() if open_calls else ""
            if after == "{":
                ours.add(name)
        elif before in _MEMBER:
            yield word
        elif word.isidentifier():
            (called if after == "(" and before not in _DEFINES else ours).add(word)
        before = word
    yield from called - ours


def _python_kept(tokens: list[str]) -> Iterator[str]:
    importing, before, depth = False, "\n", 0
    for word, after in zip(tokens, [*tokens[1:], ""], strict=False):
        if word in {"import", "from"} and before[-1:] == "\n":
            importing = True
        elif word == "\n":
            importing, depth = False, 0
        depth += (word in {"(", "[", "{"}) - (word in {")", "]", "}"})
        if importing or (depth > 0 and after == "=" and before in {"(", ","}):
            yield word
        elif "f" in word[:2].lower() and _F_STRING.match(word):
            yield from _NAME.findall(word)
        before = word


def _rename(tokens: Iterable[str], kept: set[str] | frozenset[str]) -> list[str]:
    numbers: dict[str, str] = {}
    found = []
    for word in tokens:
        if word in kept or not word.isidentifier():
            found.append(word)
        else:
            found.append(numbers.setdefault(word, f"${len(numbers)}"))
    return found
