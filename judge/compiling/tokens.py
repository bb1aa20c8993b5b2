"""What of a C or C++ source the compiled program depends on: its tokens, and where its lines end.

Programs that differ in comments, blank lines, indentation or the width of blanks have one normal form, and compile to
the same program, unless something in them can tell the number of a line. Where a lexer's rules leave a doubt (line
splices, trigraphs, raw strings, digit separators, quotes that stand alone), there is no normal form.
"""

from __future__ import annotations

import re

#: Before anything else is looked at: lines that go on, trigraphs, and line ends that are none to us.
_SPLICED = re.compile(rb"\\[ \t]*(?:\n|\Z)|\?\?|\r")
_COMMENT = rb"//[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/"
#: A literal, what lies between tokens, or what begins either and is none.
_PIECE = re.compile(
    rb"""(?<!R)"(?:[^"\\\n]|\\[^\n])*"|(?<![\w.$\x80-\xff])(?<![eEpP][+-])'(?:[^'\\\n]|\\[^\n])+'"""
    rb"""|(?P<gap>(?:[ \t\n]+|%b)+)|(?P<doubt>["'\\]|/\*)""" % _COMMENT
)
_IN_GAP = re.compile(_COMMENT)
#: In a normal form: what can tell the number of a line, also where it is pasted together, and names of headers that are
#: lexed by rules of their own.
_TELLS = re.compile(
    rb"LINE|\bassert|source_location|stacktrace|__DATE__|__TIME|# ?(?:line|\d)|##|%:"
    rb"|(?:include|import|embed)(?:_next)?(?:__)?[ (\n]*<(?![^<>\n \"'\\]*>)"
)


def normal_form(source: bytes) -> bytes | None:
    """The same for all sources with the same tokens on lines that end alike; None: `source` has none.

    A comment is a blank to a compiler; a line ends only where its newline is in no comment.
    """
    if _SPLICED.search(source):
        return None
    parts, at = [], 0
    for piece in _PIECE.finditer(source):
        if piece["doubt"]:
            return None
        if (gap := piece["gap"]) is not None:
            parts += [source[at : piece.start()], b"\n" if b"\n" in _IN_GAP.sub(b"", gap) else b" "]
            at = piece.end()
    form = b"".join((*parts, source[at:])).strip(b" \n")
    return None if _TELLS.search(form) else form
