"""What the sites' own comparisons say, which `scripts/compare_with_sites.py` found to differ from ours once."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge.checkers.compare import compare
from problems.importing import fps, testlib
from problems.importing.contests import dmoj, lemon, omegaup, sinol
from problems.model import Comparison
from tests.problems.importing.examples import UOJ, imported, only

RULES = {
    **{f"testlib {name}": rule for name, rule in testlib.COMPARISONS.items()},
    **{f"dmoj {name}": dmoj.comparison(name, {}) for name in ("standard", "rstripped", "floats", "floatsrel")},
    "lemon lines": lemon.comparison(lemon.Compared.LINES, 3),
    "lemon ignoring spaces": lemon.comparison(lemon.Compared.IGNORING_SPACES, 3),
    "lemon real numbers": lemon.comparison(lemon.Compared.REAL_NUMBERS, 3),
    "omegaup token-numeric": omegaup.comparison("token-numeric", None),
    "sinol": sinol.COMPARISON,
    "fps": fps.COMPARISON,
}


@pytest.mark.parametrize(
    ("site", "output", "answer", "right"),
    [
        ("testlib lcmp", b"a\n\n1\n", b"a\n1\n", False),
        ("testlib lcmp", b"a  b \n1\n\n\n", b"a b\n1", True),
        ("testlib fcmp", b"a \n1\n", b"a\n1\n", False),
        ("testlib fcmp", b"a\r\n1\n\n \n", b"a\n1\n", True),
        ("testlib nyesno", b"Yes no", b"YES\nNO", True),
        ("dmoj standard", b"1\r2", b"1\n2", True),
        ("dmoj rstripped", b"1\n2", b"1\n2\n", False),
        ("dmoj rstripped", b"1 \n2\t\n", b"1\n2\n", True),
        ("dmoj rstripped", b"1\r\n2\n", b"1\n2\n", False),
        ("dmoj floats", b"1.0000001 2\n", b"1\n2\n", False),
        ("dmoj floats", b"1.0000001\n\n2 x\n", b"1\n2 x\n", True),
        ("dmoj floatsrel", b"1 2\n", b"1\n2\n", False),
        ("lemon lines", b"1 \n", b"1\n", False),
        ("lemon lines", b"1\r\n\n\n", b"1\n", True),
        ("lemon ignoring spaces", b"1\n\n2\n", b"1\n2\n", False),
        ("lemon real numbers", b"100000.5", b"100000", True),  # relative to the answer, too
        ("omegaup token-numeric", b"x = 5.0", b"5", True),
        ("omegaup token-numeric", b"5e1", b"50", False),
        ("sinol", b"1\n\n2\n", b"1\n2\n", False),
        ("sinol", b"1  2 \n\n", b"1 2", True),
        ("fps", b"1 2\n", b"1\n2\n", True),
        ("fps", b"1  2\n", b"1 2\n", False),
    ],
)
def test_a_comparison_of_the_site(site: str, output: bytes, answer: bytes, right: bool) -> None:
    rule = RULES[site]
    assert rule is not None
    assert (compare(output, answer, rule).score == 1) is right


@pytest.mark.parametrize(
    ("checker", "answer", "message"),
    [
        ("rcmp", "3 4\n", "sum1.out: has several words, where rcmp reads one"),
        ("icmp", "\n", "sum1.out: has no word, where icmp reads one"),
        ("ncmp", "3 4\n", None),
        ("rcmp6", "3 4\n", None),
    ],
)
def test_a_checker_that_reads_one_word_gets_one(tmp_path: Path, checker: str, answer: str, message: str | None) -> None:
    conf = UOJ["problem.conf"].replace("checker ncmp", f"checker {checker}")
    files = {**UOJ, "problem.conf": conf, "sum1.out": answer}
    if message is None:
        assert isinstance(only(tmp_path, files).checker, Comparison)
    else:
        (one,) = imported(tmp_path, files)
        assert message in str(one.error)
