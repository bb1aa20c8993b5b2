"""Tells tests and statements that were cut off from whole ones."""

from __future__ import annotations

import re

_MARK = re.compile(r"(?:\.\.\.|…)\s*\Z")
#: The same in words.
_WORD = re.compile(
    r"[\[(<（【]\s?(?:(?:output|input|text)\s)?(?:truncated|omitted|cut\soff|已?截断|省略)\s?[\])>）】]\s*\Z",
    re.IGNORECASE,
)
#: A line of a map in which dots are cells. A space, a comma or a long number is none of a map.
_MAP = re.compile(r"[^\s,;:]*\.[^\s,;:]*")
#: Ends of a sentence that goes on.
_OPEN = re.compile(r"(?:[,(\[{:;=<≤≥&+*/，、：；（【《-]|\b(?:and|or|the|an|of|between|such\s+that))\s*\Z")


def is_cut(test: str) -> bool:
    """Whether a text of a test ends in the mark that sites put where they cut it. A map of dots is whole: its last line
    is as long as the one before it, or it is a short line of nothing else."""
    if _WORD.search(test):
        return True
    if _MARK.search(test) is None:
        return False
    lines = test.rstrip().rsplit("\n", 2)
    last = lines[-1].strip()
    if not _MAP.fullmatch(last) or last.endswith("…"):
        return True
    if len(lines) > 1 and _MAP.fullmatch(lines[-2].strip()) and len(lines[-2].strip()) == len(last):
        return False
    return last.strip(".") != "" and last.rstrip(".")[-1].isalnum()


def ends_in_a_sentence(statement: str) -> bool:
    """Whether a statement's last words may be its last: no comma, no open bracket, no operator, no word
    that joins what follows."""
    return _OPEN.search(statement.rstrip().rstrip("`*_$")) is None
