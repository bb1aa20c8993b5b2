"""Checkers that come with testlib, and compare as one of ours does: sites know them by name.

Integers compare as text, as testlib reads no other form of one.
"""

from __future__ import annotations

from collections.abc import Iterable

from problems.importing.source import Source
from problems.model import Comparison, Mode, TestCase

COMPARISONS = {
    **dict.fromkeys(("ncmp", "wcmp", "icmp", "hcmp"), Comparison(mode=Mode.TOKENS)),
    "fcmp": Comparison(mode=Mode.FULL_LINES),
    "lcmp": Comparison(mode=Mode.TOKENS_BY_EVERY_LINE),
    "uncmp": Comparison(mode=Mode.UNORDERED_TOKENS),
    **dict.fromkeys(("acmp", "rcmp"), Comparison(mode=Mode.FLOAT, absolute_tolerance=1.5e-6)),
    "rncmp": Comparison(mode=Mode.FLOAT, absolute_tolerance=1.5e-5),
    "dcmp": Comparison(mode=Mode.FLOAT, absolute_tolerance=1e-6, relative_tolerance=1e-6),
    **dict.fromkeys(("yesno", "nyesno"), Comparison(mode=Mode.YESNO)),
    **{
        f"rcmp{digits}": Comparison(mode=Mode.FLOAT, absolute_tolerance=10**-digits, relative_tolerance=10**-digits)
        for digits in (4, 6, 9)
    },
}
#: These read the first word of the answer, and ask for one in the output.
OF_ONE_WORD = frozenset({"icmp", "hcmp", "acmp", "rcmp", "dcmp", "yesno"})


def check_answers(source: Source, checker: str, tests: Iterable[TestCase]) -> None:
    """Raises ProblemError: the checker would not look at the whole of an answer, where our comparison would."""
    answers = (case.answer for case in tests if checker in OF_ONE_WORD and case.answer is not None)
    for path in answers:
        if (count := len(path.read_bytes().split(None, 2)[:2])) != 1:
            what = f"has {'no word' if count == 0 else 'several words'}, where {checker} reads one"
            raise source.tree.error(path, what, "leave that one in it, or write a checker")
