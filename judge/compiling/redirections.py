"""Counts the places in a C or C++ program that redirect a standard stream by freopen, with a small lexer.

    text ── splices removed ──► tokens ── directives ──► calls

A call of `freopen` or `freopen64` counts, however qualified or parenthesised, if its last argument names stdin, stdout
or stderr. Macros are followed, not expanded:

- `#define IN(x) freopen(x ".in", "r", stdin)` counts once, where it is defined, however often it is used;
- `#define OPEN(f, s) freopen(f, "r", s)` and `#define FR freopen` count where they are called with a standard stream;
- `#define SRC stdin` makes SRC a standard stream.

Code that the preprocessor certainly skips (`#if 0`, `#ifndef ONLINE_JUDGE`, `#ifdef LOCAL`) does not count. Code under
any other condition counts. The lexer does not see calls through a function pointer, by token pasting or by trigraphs.
The linker neutralises those, too: the count is only information.

Time and memory are linear in the text: no pattern backtracks (all repeats are possessive), and a literal or comment
without an end stops at the end of the line or the text.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

_SPLICE = re.compile(rb"\\[ \t\f\v]*+\n")  # gcc and clang allow blanks before the newline
_DELIMITER = re.compile(rb"([^ ()\\\t\v\f\n]{0,16})\(")
_REST = re.compile(rb"[^\n/]*+")  # of a directive, to a comment
_DEFINED = re.compile(rb"(!?)[ \t]*+defined[ \t]*+\(?[ \t]*+(\w++)[ \t]*+\)?[ \t]*+")

#: White space and comments. A block comment without an end goes on to the end of the text.
_SPACE = rb"(?P<space>[ \t\f\v]++|//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?+)"
_RAW = rb'(?P<raw>(?:u8|[uUL])?R")'
_NAME = rb"(?P<name>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*+)"
#: A literal without an end stops at the end of its line.
_LITERAL = rb""""(?:[^"\\\n]++|\\[^\n])*+"?|'(?:[^'\\\n]++|\\[^\n])*+'?"""
_NUMBER = rb"\.?[0-9](?:[eEpP][+-]|[\w.\x80-\xff])*+"
_NUMBER_CXX = rb"\.?[0-9](?:[eEpP][+-]|'\w|[\w.\x80-\xff])*+"
_MARK = rb"(?P<mark>[\n#(),]|%:)"
_OTHER = rb"""[^\w$\x80-\xff \t\f\v\n#(),%"'/.]++|."""


def _pattern(*parts: bytes) -> re.Pattern[bytes]:
    return re.compile(b"|".join(parts))


_C = _pattern(_SPACE, _NAME, _MARK, _LITERAL, _NUMBER, _OTHER)
_GNU_C = _pattern(_SPACE, _RAW, _NAME, _MARK, _LITERAL, _NUMBER, _OTHER)
_CXX = _pattern(_SPACE, _RAW, _NAME, _MARK, _LITERAL, _NUMBER_CXX, _OTHER)

_FREOPEN = frozenset({b"freopen", b"freopen64"})
_STREAMS = frozenset({b"stdin", b"stdout", b"stderr"})
_GNU_DEFINES = frozenset({b"linux", b"unix"})

# Flags of an open parenthesis: one byte each, because the text may hold millions.
_CALL = 1  # it opens a call of freopen
_NAMES_STREAM = 2  # its current argument names a standard stream


def count_redirections(text: bytes, *, cxx: bool, gnu: bool = True, defined: frozenset[bytes] = frozenset()) -> int:
    """How many places of `text` (LF line ends) redirect a standard stream, as above.

    `gnu`: a GNU dialect, in which C has raw strings, too, and some predefined macros do not begin with `_`.
    `defined`: macros that the compiler's command line defines.
    """
    spliced = _Spliced(text)
    if b"freopen" not in spliced.text:
        return 0
    counter = _Counter(spliced.text, defined | _GNU_DEFINES if gnu else defined)
    for kind, token, end in _tokens(spliced, _CXX if cxx else _GNU_C if gnu else _C):
        counter.feed(kind, token, end)
    return counter.count


class _Spliced:
    """The text without its line splices. Raw strings are read from the original, because splices stay in them."""

    def __init__(self, original: bytes) -> None:
        self.text = _SPLICE.sub(b"", original)
        self._original = original
        self._starts = array("q", [0])  # of the pieces between splices: in the spliced text
        self._origins = array("q", [0])  # and in the original
        for splice in _SPLICE.finditer(original):
            self._starts.append(self._starts[-1] + splice.start() - self._origins[-1])
            self._origins.append(splice.end())

    def end_of_raw(self, quote: int) -> int | None:
        """Position after the raw string whose opening quote ends at `quote`; -1: it has no end; None: no raw string."""
        piece = bisect_left(self._starts, quote) - 1
        match = _DELIMITER.match(self._original, self._origins[piece] + quote - self._starts[piece])
        if match is None:
            return None
        closing = b")" + match[1] + b'"'
        found = self._original.find(closing, match.end())
        if found < 0:
            return -1
        end = found + len(closing)
        piece = bisect_right(self._origins, end - 1) - 1
        return self._starts[piece] + end - self._origins[piece]


def _tokens(spliced: _Spliced, pattern: re.Pattern[bytes]) -> Iterator[tuple[str | None, bytes, int]]:
    """(kind, token, end) of all but white space and comments; kind is "name", "mark", or None for anything else."""
    text, position = spliced.text, 0
    while position < len(text):
        for match in pattern.finditer(text, position):
            kind = match.lastgroup
            if kind == "raw":
                quote = match.end()
                after = spliced.end_of_raw(quote)
                if after == -1:
                    return
                position = after or quote - 1  # no raw string: the quote opens an ordinary one
                yield None, b"", position
                break
            if kind != "space":
                yield kind, match[0], match.end()
        else:
            return


class _Counter:
    """Counts redirections, following directives and parentheses."""

    def __init__(self, text: bytes, defined: frozenset[bytes]) -> None:
        self.count = 0
        self._text = text
        self._defined = set(defined)
        self._functions = set(_FREOPEN)  # names that behave like freopen
        self._streams = set(_STREAMS)
        self._telling = self._functions | self._streams
        self._frames = bytearray()  # open parentheses
        self._callee = False  # the last token names freopen
        self._branches: list[tuple[bool, bool]] = []  # for each open #if: (may be compiled, a branch is surely taken)
        self._line_start = True
        self._directive: _Directive | None = None

    def feed(self, kind: str | None, token: bytes, end: int) -> None:
        if self._directive is None and (kind is None or (kind == "name" and token not in self._telling)):
            self._line_start = self._callee = False  # most tokens end here
        elif token == b"\n":
            self._line_start = True
            if self._directive is not None:
                self._leave(self._directive)
        elif self._line_start and token in {b"#", b"%:"}:
            self._line_start = False
            self._directive = _Directive(frames=self._frames, count=self.count)
            self._frames = bytearray()
            self._callee = False
        elif (directive := self._directive) is not None and directive.word is None:
            directive.word = token
            self._branch(token, end)
        else:
            self._line_start = False
            if self._counts():
                self._code(kind, token)

    def _counts(self) -> bool:
        if self._branches and not self._branches[-1][0]:
            return False
        return self._directive is None or self._directive.word in {b"define", b"undef"}

    def _code(self, kind: str | None, token: bytes) -> None:
        if kind == "name":
            self._name(token)
        elif token == b"(":
            self._frames.append(_CALL if self._callee else 0)
            self._callee = False
        elif token == b")":
            self._close()
        else:
            if token == b"," and self._frames:
                self._frames[-1] &= ~_NAMES_STREAM
            self._callee = False

    def _name(self, token: bytes) -> None:
        directive = self._directive
        if directive is not None and directive.macro is None:
            directive.macro = token
            return
        self._callee = token in self._functions
        is_stream = token in self._streams
        if is_stream and self._frames:
            self._frames[-1] |= _NAMES_STREAM
        if directive is not None:
            directive.forwards |= self._callee
            directive.is_stream |= is_stream

    def _close(self) -> None:
        if not self._frames:
            return
        frame = self._frames.pop()
        if frame & _CALL:
            self.count += frame == _CALL | _NAMES_STREAM
            self._callee = False
        elif frame & _NAMES_STREAM and self._frames:
            self._frames[-1] |= _NAMES_STREAM  # `(stdin)`

    def _branch(self, word: bytes, end: int) -> None:
        """Note the directive `word` in `_branches`, if it is conditional."""
        branches = self._branches
        if word in {b"if", b"ifdef", b"ifndef"}:
            value = self._condition(word, end)
            live = not branches or branches[-1][0]
            branches.append((live and value is not False, not live or value is True))
        elif word in {b"elif", b"else"} and branches:
            value = word == b"else" or self._condition(word, end)
            taken = branches[-1][1]
            branches[-1] = (not taken and value is not False, taken or value is True)
        elif word == b"endif" and branches:
            branches.pop()

    def _condition(self, word: bytes, end: int) -> bool | None:
        """Whether the condition holds; None: unknown."""
        match = _REST.match(self._text, end)
        name = match[0].strip() if match else b""
        negated = word == b"ifndef"
        if word in {b"if", b"elif"}:
            if name in {b"0", b"1"}:
                return name == b"1"
            match = _DEFINED.fullmatch(name)
            if match is None:
                return None
            negated, name = bool(match[1]), match[2]
        if name in self._defined:
            return not negated
        return None if name.startswith(b"_") else negated  # `_…`: the compiler's own

    def _leave(self, directive: _Directive) -> None:
        """End a directive. A macro that forwards to freopen acts as freopen, one that names a stream as a stream."""
        if (macro := directive.macro) is not None:
            forwards = directive.forwards and self.count == directive.count
            _put(self._defined, macro, directive.word == b"define")
            _put(self._functions, macro, forwards)
            _put(self._streams, macro, directive.is_stream)
            _put(self._telling, macro, forwards or directive.is_stream)
        self._frames = directive.frames
        self._directive = None
        self._callee = False


def _put(names: set[bytes], name: bytes, member: bool) -> None:
    if member:
        names.add(name)
    else:
        names.discard(name)


class _Directive:
    """What is known about the directive that is being read."""

    __slots__ = ("count", "forwards", "frames", "is_stream", "macro", "word")

    def __init__(self, *, frames: bytearray, count: int) -> None:
        self.frames = frames  # of the code around it
        self.count = count  # before it
        self.word: bytes | None = None  # `define`
        self.macro: bytes | None = None  # what is defined
        self.forwards = False
        self.is_stream = False
