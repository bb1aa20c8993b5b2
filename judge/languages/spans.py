"""Follows a program line by line: whether it stands within a string or a comment that goes on in the next line.

    /* …  {- …  (* …  #| …  #[ …  { …         comments, which nest in some languages
    \"\"\" …  ` …  " …                         strings that may go over lines
    R"x( … )x"  r#" … "#  [==[ … ]==]         raw strings: what opens one names what ends it
    <<~EOT, then lines to EOT                 documents, which begin in the next line
    =begin … =end,  =pod … =cut,  %{ … %}     lines that stand alone

Within these a line of back-ticks is text, but for strings in back-ticks. A language without any of them is not
followed. Time is linear.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import assert_never


class _Kind(StrEnum):
    """How a string or a comment ends. Also the name of the group that opens it."""

    #: At its end, whatever stands before that.
    PLAIN = "plain"
    #: At its end, but each beginning within it needs an end of its own.
    NESTED = "nested"
    #: At its end, but for one behind a backslash.
    ESCAPED = "escaped"
    #: At its end, but for two of them.
    DOUBLED = "doubled"
    #: At a line that holds its end alone; it begins with the next line.
    LINES = "lines"


@dataclass(frozen=True, slots=True, kw_only=True)
class Within:
    """A string or a comment that goes on."""

    kind: _Kind
    end: str
    depth: int = 1

    def hides(self, fence: str) -> bool:
        """Whether such a fence in it is text. A string in back-ticks holds none of them."""
        return self.end != "`" or not fence.startswith("`")


_DOUBLE, _SINGLE = r'"(?:\\.|[^"\\\n])*+"?', r"'(?:\\.|[^'\\\n])*+'?"
#: A character of C, which an apostrophe between digits does not begin.
_CHARACTER = r"'(?:\\.|[^'\\\n]){0,80}+'"
_ONE_CHARACTER = r"'(?:\\[^\n]{1,10}?|[^'\\\n])'"
_SLASHES, _HASH, _DASHES, _PERCENT, _SEMICOLON = (rf"{mark}[^\n]*+" for mark in ("//", r"\#", "--", "%", ";"))
#: In shells and Perl a # within a word begins no comment.
_APART = r"(?:^|(?<=\s))\#[^\n]*+"
_COMMENT, _NESTED_COMMENT = r"(?P<plain>/\*)", r"(?P<nested>/\*)"
_TRIPLE, _ESCAPED_TRIPLE = r'(?P<plain>""")', r"(?P<escaped>'''|\"\"\")"
#: Begins where a value may.
_EXPRESSION = r"[(,=:\[!&|?{};]\s{0,9}/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n]){0,80}+\]|[^/\\\[\n]){1,200}+/"
_WORD = r"[A-Za-z_]\w{0,60}"
_QUOTED_WORD = rf"(?P<quote>[\"'`]?)(?P<word>{_WORD})(?P=quote)"

#: By family of languages: what hides the beginning of a string or a comment, and these beginnings, in groups that are
#: called as their kind. A string that has no group ends with its line.
_SOURCES: Mapping[str, tuple[str, ...]] = {
    "python": (_HASH, _ESCAPED_TRIPLE, _SINGLE, _DOUBLE),
    "c": (_SLASHES, _COMMENT, _DOUBLE, _CHARACTER),
    "c++": (_SLASHES, _COMMENT, r'(?<!\w)(?:u8|[uUL])?R(?P<plain_>"[^()\\\s"]{0,16}\()', _DOUBLE, _CHARACTER),
    "d": (_SLASHES, _COMMENT, r"(?P<nested>/\+)", r'(?P<plain_>`|(?<=\Wr)")', _DOUBLE, _CHARACTER),
    "go": (_SLASHES, _COMMENT, "(?P<plain_>`)", _DOUBLE, _CHARACTER),
    "rust": (_SLASHES, _NESTED_COMMENT, r'(?<!\w)b?r(?P<plain>\#{0,255}+")', r'(?P<escaped>")', _ONE_CHARACTER),
    **dict.fromkeys(
        ("javascript", "typescript"), (_SLASHES, _COMMENT, "(?P<escaped>`)", _DOUBLE, _SINGLE, _EXPRESSION)
    ),
    "php": (_SLASHES, r"\#(?!\[)[^\n]*+", _COMMENT, _DOUBLE, _SINGLE, rf"(?P<lines><<<[ \t]{{0,9}}{_QUOTED_WORD})"),
    "java": (_SLASHES, _COMMENT, r'(?P<escaped>""")', _DOUBLE, _CHARACTER),
    **dict.fromkeys(("kotlin", "scala"), (_SLASHES, _NESTED_COMMENT, r'(?P<plain>""")', _DOUBLE, _CHARACTER)),
    "csharp": (*(_SLASHES, _COMMENT, r'(?P<plain_>"{3,99}+)', r'(?:@\$?|\$@)(?P<doubled>")', _DOUBLE, _CHARACTER),),
    "ruby": (
        *(_HASH, r"^(?P<lines>=begin\b)", _DOUBLE, _SINGLE),
        rf"(?P<lines_><<(?:[~-](?=[\"'`]?\w)|(?=[\"'`]|[A-Z])){_QUOTED_WORD})",
    ),
    "perl": (_APART, r"^(?P<lines>=[a-z]\w{0,60})", _DOUBLE, _SINGLE, rf"(?P<lines_><<~?{_QUOTED_WORD})"),
    "shell": (_APART, _DOUBLE, _SINGLE, "<<<", rf"(?P<lines><<-?[ \t]{{0,9}}\\?{_QUOTED_WORD})"),
    "lua": (r"(?P<plain>\[={0,99}+\[)", _DASHES.replace("--", r"--(?!\[=*\[)"), _DOUBLE, _SINGLE),
    "haskell": (_DASHES, r"(?P<nested>\{-)", _DOUBLE, _ONE_CHARACTER),
    "ocaml": (r"(?P<nested>\(\*(?!\)))", r"(?P<plain>\{[a-z_]{0,60}+\|)", r'(?P<escaped>")', _ONE_CHARACTER),
    "pascal": (_SLASHES, r"(?P<plain>\{|\(\*)", r"'[^'\n]*+'?"),
    "nim": (r"\#?(?P<nested>\#\[)", _HASH, _TRIPLE, _DOUBLE, _ONE_CHARACTER),
    "elixir": (_HASH, _ESCAPED_TRIPLE, r"\?\\?[^\n]", _DOUBLE, _SINGLE),
    "erlang": (_PERCENT, r"\$\\?[^\n]", _TRIPLE, r'(?P<escaped>")', _SINGLE),
    **dict.fromkeys(("lisp", "scheme", "racket"), (_SEMICOLON, r"\#\\[^\n]", r"(?P<nested>\#\|)", r'(?P<escaped>")')),
    "clojure": (_SEMICOLON, r"\\[^\n]", r'(?P<escaped>")'),
    "r": (_HASH, r"(?<!\w)[rR](?P<plain>[\"']-{0,99}+[(\[{])", r"(?P<escaped>[\"'])"),
    "octave": (r"^[ \t]{0,99}(?P<lines>[%#]\{)[ \t]{0,99}$", r"[%#][^\n]*+", _DOUBLE),
    "prolog": (_PERCENT, _COMMENT, r"0'[^\n]", _DOUBLE, _SINGLE),
    "sql": (_DASHES, _COMMENT, r"'[^'\n]*+'?", _DOUBLE),
}
_CODE: Mapping[str, re.Pattern[str]] = {
    family: re.compile("|".join(sources), re.DOTALL) for family, sources in _SOURCES.items()
}
_ESCAPED_ENDS: Mapping[str, re.Pattern[str]] = {
    end: re.compile(rf"\\.|(?P<ends>{end})", re.DOTALL) for end in ('"""', "'''", '"', "'", "`")
}
_NESTED_ENDS: Mapping[str, re.Pattern[str]] = {
    end: re.compile(rf"(?P<opens>{re.escape(opening)})|(?P<ends>{re.escape(end)})")
    for opening, end in (("/*", "*/"), ("/+", "+/"), ("{-", "-}"), ("(*", "*)"), ("#[", "]#"), ("#|", "|#"))
}
_DOUBLED_END = re.compile(r'""|(?P<ends>")')
_CLOSING = str.maketrans("([{", ")]}")
#: What ends lines that another text begins.
_LAST_LINES: Mapping[str, str] = {"=begin": "=end", "%{": "%}", "#{": "#}"}


def has_spans(family: str) -> bool:
    """Whether we know what goes over lines in languages of this family."""
    return family in _CODE


def follow(family: str, line: str, within: Within | None = None) -> Within | None:
    """What a program is within at the end of a line; None: nothing. `within`: at its beginning."""
    place = 0
    while True:
        if within is not None:
            end = _find_end(within, line, place)
            if isinstance(end, Within):
                return end
            within, place = None, end
        below: Within | None = None
        for match in _CODE[family].finditer(line, place):
            if match.lastgroup is not None:
                found = _read_opening(match)
                if found.kind is not _Kind.LINES:
                    within, place = found, match.end()
                    break
                below = below or found
        if within is None:
            return below


def _read_opening(match: re.Match[str]) -> Within:
    group = match.lastgroup or ""
    kind, opening = _Kind(group.rstrip("_")), match[group]
    if kind is _Kind.LINES:
        word = match.groupdict().get("word")
        return Within(kind=kind, end=word or _LAST_LINES.get(opening, "=cut"))
    # R"x( ends with )x", [==[ with ]==], /* with */
    first, middle, last = opening[:1], opening[1:-1], opening[1:][-1:]
    return Within(kind=kind, end=last.translate(_CLOSING) + middle + first.translate(_CLOSING))


def _find_end(within: Within, line: str, place: int) -> int | Within:
    """The place behind the end of a string or a comment, or what goes on behind the line."""
    match within.kind:
        case _Kind.LINES:
            text = line.strip()
            ends = text.startswith(within.end) and not text[len(within.end) :].strip(";,) \t")
            return len(line) if ends else within
        case _Kind.PLAIN:
            at = line.find(within.end, place)
            return within if at < 0 else at + len(within.end)
        case _Kind.ESCAPED:
            marks = _ESCAPED_ENDS[within.end].finditer(line, place)
        case _Kind.DOUBLED:
            marks = _DOUBLED_END.finditer(line, place)
        case _Kind.NESTED:
            return _find_outer_end(within, line, place)
        case _:
            assert_never(within.kind)
    return next((mark.end() for mark in marks if mark["ends"]), within)


def _find_outer_end(within: Within, line: str, place: int) -> int | Within:
    depth = within.depth
    for mark in _NESTED_ENDS[within.end].finditer(line, place):
        depth += -1 if mark["ends"] else 1
        if not depth:
            return mark.end()
    return replace(within, depth=depth)
