"""Lines of a completion that open or close a fenced block, and the program between them.

As CommonMark has it, and wider, as models write:

opening   ```cpp    `  ```python`    `1. ```cpp`    `> ```cpp`    `<answer>```cpp`    `Here it is: ```cpp`    `Here: ```
closing   ```       ``` That is O(n).    ```</answer>    ```<|im_end|>
          where nothing else closes it: `return 0; }````    far to the right    ``` text
whole     ```python print(1)``` where there is no other block

An opening line's tag stands in its info string. Within a block a fence with an info string opens the next block (a
closing fence was forgotten) only if that names a language, or one of the usual kinds of text. Any other words follow a
closing fence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple

from judge import languages
from judge.common.marks import SPECIAL
from judge.languages.spans import Within, follow

#: White space, marks of quotes and lists, tags of HTML and special tokens may stand before a fence.
_FENCE = re.compile(
    r"(?P<lead>(?:[ \t\xa0\u3000\ufeff\u200b\u2060>]|[-*+](?=[ \t])|[0-9]{1,9}[.)](?=[ \t])|</?[a-zA-Z]{1,20}>"
    rf"|{SPECIAL.pattern})*+)"
    r"(?P<fence>`{3,}+|~{3,}+)(?P<info>[^\r\n]*)\r?\n?"
)
#: A fence at the end of a line of prose: the last, with a tag, or behind a colon, and nothing after it.
_LATE = re.compile(
    r"(?<!`)(?P<fence>`{3,}+)[ \t]*+(?P<info>[^`\s]++)\s*+\Z|[:：][*_]{0,4}[ \t]{0,8}(?P<bare>`{3,}+)\s*+\Z"
)
#: The tail of a line that `_LATE` is looked for in: a tag is short.
_LATE_CHARACTERS = 100
#: The last fence of a line, with text on both sides.
_WITHIN = re.compile(r"(?<!`)(?P<fence>`{3,}+)(?P<rest>[^`]*)\Z")
#: A block in one line.
_INLINE = re.compile(r"\s*+`{3,}+(?P<tag>[^`\s]++)[ \t]++(?P<code>[^`]++)`{3,}+\s*+")
#: What begins a comment, with nothing behind it. A fence there is of the comment.
_COMMENT_MARK = re.compile(r"\s*+(?://[/!]?|\#{1,3}!?|\#'|--[|!]?|;{1,4}|%{1,3}|\*|\|)\s*+")
_INVISIBLE = re.compile(r"[\ufeff\u200b\u2060]")
#: What stands before a fence without being there in the lines of its block.
_NO_COLUMNS = re.compile(rf"[\ufeff\u200b\u2060]|</?[a-zA-Z]{{1,20}}>|{SPECIAL.pattern}|> ?")
_MARKUP = re.compile(rf"(?:\s|</?[a-zA-Z]{{1,20}}>|{SPECIAL.pattern}|[*_])*+")

#: ``cpp``, ``{.cpp .numberLines}``, ``cpp:main.cpp``, ``cpp{1,3}``, ``language-cpp``, ``src/main.cpp``, ``**cpp**``
_TAG = re.compile(r"[{\[(<\"'*]{0,4}\.?(?:lang(?:uage)?[-=:])?(?:[a-z0-9_.-]{1,40}/){0,8}(?P<name>[a-z0-9+#_.-]+)")
#: Words before the name of a language, as in ``GNU C++17``.
_MAKERS = frozenset(("gnu", "gcc", "clang", "msvc", "microsoft", "visual", "modern", "standard"))
#: What tags call C++ that is no name of a language of ours: a file's suffix, or a standard that there is none for.
_CPP_TAG = re.compile(r"cplusplus|cc|hpp|hxx|hh|h\+\+|(?:gnu)?(?:c\+\+|cpp|cplusplus|cxx)[-_]?[0-9][0-9a-z]")
_CPP = "cpp17"
#: ``python3.11``, ``ipython``, ``java-21``, ``go1.22``: a name of ours with a version.
_VERSIONED = re.compile(r"i?(?P<name>[a-z+#]+)[-_]?v?(?P<version>[0-9]{1,4}(?:\.[0-9]{1,3}){0,2})?")
#: The first numbers of versions that are another language.
_OTHER_VERSIONS = frozenset({("python", "2"), ("py", "2"), ("cpython", "2"), ("pypy", "2"), ("perl", "6"), ("f", "7")})
#: Tags that say only that it is a program.
_ANY = frozenset(("code", "source", "program", "solution", "jupyter", "代码", "程序", "源代码"))
#: Tags of what is no program; they open a block within a block, too.
_TEXT_NAMES = """
    text txt plaintext plain output input stdin stdout stderr console terminal shell-session shellsession sample example
    json jsonl yaml yml toml ini csv tsv xml html css diff patch markdown md latex tex math mermaid pseudocode pseudo
    makefile cmake dockerfile log none algorithm powershell ps1 cmd bat zsh swift objective-c objc cuda vb vbnet
"""
_TEXTS = frozenset(_TEXT_NAMES.split())
#: A line that calls the block below data: "Output:", "**Sample Input 1**", "The program prints:", "样例输出".
_DATA = re.compile(
    r"[\s*_#>:-]*+(?:(?:the|this|that|its?|here|is|are|for|with|and|above|program|code"
    r"|following|given|will|would|should)\s+)*+"
    r"(?:(?:sample|example|expected|test|correct|standard)\s+)?"
    r"(?:inputs?|outputs?|samples?|examples?|stdin|stdout|prints?|runs?|sessions?|usage)\s?#?[0-9]{0,3}"
    r"(?:\s+(?:is|are|will be|would be|should be|looks like))?[\s*_:]*"
    r"|[\s*_#>:-]*(?:样例|示例|测试)?\s?(?:输入|输出|样例|示例)(?:样例|示例)?\s?[0-9一二三四五]{0,3}[\s*_:：]*",
    re.IGNORECASE,
)
_DATA_CHARACTERS = 60
_MARK_CHARACTERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    code: str
    tag: str | None
    #: False: the text ended, or another block began, before its closing fence.
    closed: bool
    #: It is input or output: the line above says so, or it has no letter.
    data: bool = False
    #: It stands in one line, as code does that is only spoken of.
    inline: bool = False


class Span(NamedTuple):
    start: int
    end: int


class Kind(StrEnum):
    OPENS = "opens"
    CLOSES = "closes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """The fence that a line begins with, or ends with and names a language."""

    fence: str
    #: Where it stands in its line.
    start: int
    #: Columns before it.
    width: int = 0
    quoted: bool = False
    info: str
    #: What it does within a block of the same kind of fence.
    kind: Kind
    #: Only white space stands before it.
    alone: bool = False
    #: It ends a line of prose.
    late: bool = False
    #: White space stands between it and its info string.
    spaced: bool = False

    @property
    def end(self) -> int:
        return self.start + len(self.fence)

    @property
    def tag(self) -> str | None:
        words = _words(self.info)
        return None if not words or words[0] in _ANY else words[0]

    def move_by(self, places: int) -> Fence:
        """The same in a line that has so much more before it."""
        return replace(self, start=self.start + places)


@dataclass(slots=True, kw_only=True)
class OpenBlock:
    """A block whose closing fence was not met yet."""

    fence: Fence
    #: The number of the line that opens it.
    line: int
    #: The prompt opened it: where the completion ends, it is whole.
    by_prompt: bool = False
    data: bool = False
    #: Columns before the closing fence.
    closed_at: int = 0
    body: list[str] = field(default_factory=list)
    #: Of its language, if we know what goes over lines there (`judge.languages.spans`).
    family: str | None = None
    #: Fences above this line are text: they lie in a string or a comment of the program.
    text_until: int = 0
    #: What the program is within at the end of `_followed` lines.
    _within: Within | None = None
    _followed: int = 0

    def within(self) -> Within | None:
        """The string or comment that the program is within; None: none, or we do not know."""
        if self.family is not None:
            for line in self.body[self._followed :]:
                self._within = follow(self.family, line, self._within)
            self._followed = len(self.body)
        return self._within

    def is_closed_by(self, fence: Fence) -> bool:
        """It is indented no more than CommonMark lets it be."""
        return (
            fence.kind is Kind.CLOSES and fence.alone and self._fits(fence) and fence.fence.startswith(self.fence.fence)
        )

    def may_be_closed_by(self, fence: Fence) -> bool:
        """If nothing else closes it: a fence far to the right, or one with a word behind it that may begin a block."""
        same = fence.alone and fence.fence.startswith(self.fence.fence)
        return same and (not self._fits(fence) if fence.kind is Kind.CLOSES else fence.spaced)

    def is_broken_by(self, fence: Fence) -> bool:
        """Whether it opens the next block. A program that prints fences has them far to the right."""
        same = fence.fence[0] == self.fence.fence[0]
        return same and fence.kind is Kind.OPENS and not fence.late and self._fits(fence)

    def _fits(self, fence: Fence) -> bool:
        return fence.width <= self.fence.width + 3

    def block(self, *, closed: bool) -> Block:
        code = _program(self.body, self.fence, self.closed_at)
        numbers = bool(code.strip()) and not any(map(str.isalpha, code))
        return Block(code=code, tag=self.fence.tag, closed=closed, data=self.data or numbers)


def read_fence(line: str) -> Fence | None:
    """None: it has none."""
    if "```" not in line and "~~~" not in line:
        return None
    match = _FENCE.fullmatch(line)
    if match is None or ("`" in match["info"] and match["fence"][0] == "`" and not match["info"][:1].isspace()):
        return _late(line)  # back-ticks in an info string: inline code
    lead, info = match["lead"], match["info"].strip()
    return Fence(
        fence=match["fence"],
        start=match.start("fence"),
        width=_columns(lead),
        quoted=">" in lead,
        info=info,
        kind=Kind.OPENS if _names_a_block(match["info"]) else Kind.CLOSES,
        alone=not _INVISIBLE.sub("", lead).strip(" \t\xa0\u3000>"),
        spaced=match["info"][:1].isspace(),
    )


def read_inline(line: str) -> Block | None:
    """A whole block in one line, whose tag names a language; None: it is none."""
    match = _INLINE.fullmatch(line) if "```" in line else None
    if match is None or language_of(match["tag"].lower()) is None:
        return None
    return Block(code=match["code"].strip(), tag=match["tag"].lower(), closed=True, inline=True)


def _late(line: str) -> Fence | None:
    match = _LATE.search(line, max(0, len(line) - _LATE_CHARACTERS))
    if match is None:
        return None
    if match["bare"]:
        return Fence(fence=match["bare"], start=match.start("bare"), info="", kind=Kind.CLOSES, late=True)
    if language_of(match["info"].lower()) is None:
        return None
    return Fence(fence=match["fence"], start=match.start(), info=match["info"], kind=Kind.OPENS, late=True)


def _words(info: str) -> list[str]:
    """The words of an info string from the name of the language on."""
    words = SPECIAL.sub(" ", info.lower()).split()
    while len(words) > 1 and words[0] in _MAKERS:
        del words[0]
    return words


def _names_a_block(info: str) -> bool:
    """Whether words behind a fence are the info string of a new block, and not what follows a closing fence."""
    words = _words(info)
    if not words:
        return False
    first = words[0]
    if len(words) == 1:
        return first in _TEXTS or first in _ANY or language_of(first) is not None
    attached = not info[:1].isspace() or first[0] in "{."
    return attached and (language_of(first) is not None or first in _TEXTS)


def says_data(line: str) -> bool:
    """Whether a line of prose names the block below it as input or output."""
    return len(line) <= _DATA_CHARACTERS and _DATA.fullmatch(line) is not None


def split_at_fence(line: str, fence: str) -> Span | None:
    """Where the last fence of a line stands that closes such a block behind the end of its program."""
    match = _WITHIN.search(line) if "```" in line else None
    if match is None or not match["fence"].startswith(fence) or not (before := line[: match.start()]).strip():
        return None
    if len(before) <= _MARK_CHARACTERS and _COMMENT_MARK.fullmatch(before):
        return None
    return Span(match.start(), match.end("fence"))


def is_markup(text: str) -> bool:
    """Whether it is white space, tags and special tokens alone."""
    return _MARKUP.fullmatch(text) is not None


def without_markup(text: str) -> str:
    """Without the white space, tags and special tokens at its beginning."""
    return _MARKUP.sub("", text, count=1)


def language_of(tag: str | None) -> languages.Language | None:
    match = _TAG.match(tag or "")
    if match is None:
        return None
    name = match["name"]
    found = languages.find(name) or (languages.find_by_suffix(f".{name}") if len(name) > 1 else None)
    if found is not None:
        return found
    if _CPP_TAG.fullmatch(name):
        return languages.get(_CPP)
    versioned = _VERSIONED.fullmatch(name)
    if versioned is None:  # the name of a file
        return language_of(name.rpartition(".")[2]) if name.count(".") == 1 else None
    if (versioned["name"], (versioned["version"] or "")[:1]) in _OTHER_VERSIONS:
        return None
    return languages.find(versioned["name"])


def _columns(lead: str) -> int:
    width = 0
    for character in _NO_COLUMNS.sub("", lead):
        width += 4 - width % 4 if character == "\t" else 1
    return width


def _program(body: list[str], fence: Fence, closed_at: int) -> str:
    """The lines of a block without the marks of its quote and the indentation of its list: what the opening fence has,
    as far as the first line has it, or what the closing fence has, as far as all lines have it."""
    if fence.quoted and _first(body).lstrip().startswith(">"):
        body = [_unquote(line) for line in body]
    text = "".join(body)
    first = _first(body)
    width = min(fence.width, _indentation(first))
    if closed_at > width:
        width = max(width, min([closed_at, *(_indentation(line) for line in body if line.strip())]))
    if width:
        text = "".join(_outdent(line, width) for line in body)
    return text if "\n" in text else text.replace("\r", "\n")


def _indentation(line: str) -> int:
    return _columns(line[: len(line) - len(line.lstrip(" \t"))])


def _first(body: list[str]) -> str:
    return next((line for line in body if line.strip()), "")


def _unquote(line: str) -> str:
    rest = line.lstrip(" \t")
    if not rest.startswith(">"):
        return line
    return rest[2:] if rest[1:2] == " " else rest[1:]


def _outdent(line: str, width: int) -> str:
    columns = place = 0
    while columns < width and line[place : place + 1] in {" ", "\t"}:
        columns += 4 - columns % 4 if line[place] == "\t" else 1
        place += 1
    return line[place:]
