"""Follows a program line by line: whether it stands within a string or a comment that goes on in the next line.

Known are the triple quotes of Python, Java, Kotlin, Scala and C#, and /* */ of the languages like C. Within these a
line of back-ticks is text. Time is linear.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

#: What hides a mark, and the marks. A string, or a character of C, ends with its line.
_PYTHON = re.compile(
    r"""\#[^\n]*+|(?P<opens>'''|\"\"\")|'(?:\\.|[^'\\\n])*+'?|"(?:\\.|[^"\\\n])*+"?""", re.DOTALL | re.VERBOSE
)
_LIKE_C = re.compile(
    r"""//[^\n]*+|(?P<opens>/\*)|"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n]){0,80}+'|`[^`\n]*+`""", re.DOTALL
)
#: With regular expressions, which stand where a value may begin.
_SCRIPTS = re.compile(
    r"""//[^\n]*+|(?P<opens>/\*)|"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])*+'?|`[^`\n]*+`?"""
    r"""|[(,=:\[!&|?{};]\s{0,9}/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n]){0,80}+\]|[^/\\\[\n]){1,200}+/""",
    re.DOTALL,
)
_WITH_TEXTS = re.compile(
    r"""//[^\n]*+|(?P<opens>/\*|\"\"\")|"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n]){0,80}+'""", re.DOTALL
)
#: By family of languages.
_CODE: Mapping[str, re.Pattern[str]] = {
    "python": _PYTHON,
    **dict.fromkeys(("c", "c++", "d", "go", "rust"), _LIKE_C),
    **dict.fromkeys(("javascript", "typescript", "php"), _SCRIPTS),
    **dict.fromkeys(("java", "kotlin", "scala", "csharp"), _WITH_TEXTS),
}
#: What ends that which a mark opens. A character behind a backslash ends no string.
_ENDS: Mapping[str, re.Pattern[str]] = {
    "/*": re.compile(r"(?P<ends>\*/)"),
    "'''": re.compile(r"\\.|(?P<ends>''')", re.DOTALL),
    '"""': re.compile(r'\\.|(?P<ends>""")', re.DOTALL),
}


def has_spans(family: str) -> bool:
    """Whether we know what goes over lines in languages of this family."""
    return family in _CODE


def follow(family: str, line: str, within: str = "") -> str:
    """The mark of what a program is within at the end of a line; empty: of nothing. `within`: at its beginning."""
    place = 0
    while True:
        key = "ends" if within else "opens"
        marks = (_ENDS[within] if within else _CODE[family]).finditer(line, place)
        found = next((match for match in marks if match[key]), None)
        if found is None:
            return within
        within, place = "" if within else found[0], found.end()
