"""Checkers and interactors of the conventions of other judges."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from judge import Judge, ProblemError, Submission, Verdict
from judge.checkers.conventions import CHECKERS, INTERACTORS
from problems.model import Convention

if TYPE_CHECKING:
    from tests.conftest import MakePackage

Judges = Callable[..., Judge]

CASES = {"secret/1": ("10\n", "11\n")}
#: Each reads the input, the answer and the output as its convention gives them, to `said(share, message)`.
READ = """
import os, sys
def numbers(name):
    return [int(word) for word in (sys.stdin if name is None else open(name)).read().split()]
def judge(given, answer, output):
    (total,), got = numbers(given), numbers(output)
    if answer is not None and numbers(answer) != [11]:
        raise SystemExit("the answer is another one")
    if got == [666]:
        os.abort()
    return 1.0 if got == [total] else 0.5 if got == [total + 1] else 0.0
"""
CHECKER = {
    Convention.HUSTOJ: "share = judge(sys.argv[1], sys.argv[2], sys.argv[3])\nsys.exit(0 if share == 1 else 5)",
    Convention.QDUOJ: "share = judge(sys.argv[1], None, sys.argv[2])\nsys.exit(0 if share == 1 else 1)",
    Convention.LEMON: """
share = judge(*(sys.argv[index] for index in (1, 3, 2)))
open(sys.argv[5], "w").write(str(share * float(sys.argv[4])))
open(sys.argv[6], "w").write("said so")
""",
    Convention.LEMON_TESTLIB: """
share = judge(*(sys.argv[index] for index in (1, 3, 2)))
print(f"partially correct ({100 * share:.0f}) said so", file=sys.stderr)
""",
    Convention.SYZOJ: "print(100 * judge('input', 'answer', 'user_out'))\nprint('said so', file=sys.stderr)",
    Convention.DMOJ: "sys.exit(int(judge(*(sys.argv[index] for index in (1, 3, 2))) != 1))",
    Convention.DMOJ_COCI: """
share = judge(*(sys.argv[index] for index in (1, 3, 2)))
if share == 0.5:
    print("a word before\\npartial 1/2", file=sys.stderr)
    sys.exit(7)
print("said so")
sys.exit(int(not share))
""",
    Convention.DMOJ_TESTLIB: """
share = judge(*(sys.argv[index] for index in (1, 3, 2)))
print("said so\\npoints 10" if share == 0.5 else "said so", file=sys.stderr)
sys.exit(7 if share == 0.5 else int(not share))
""",
    Convention.UOJ: """
share = judge(*(sys.argv[index] for index in (1, 3, 2)))
print({1: "ok", 0.5: "points 0.5", 0: "wrong answer"}[share], "said so", file=sys.stderr)
sys.exit(int(share != 1))
""",
    Convention.HYDRO: """
share = judge(*(sys.argv[index] for index in (1, 3, 2)))
print({1: "ok", 0.5: "points 50", 0: "wrong answer"}[share], "said so", file=sys.stderr)
sys.exit(int(share != 1))
""",
    Convention.HYDRO_SYZOJ: "print(100 * judge('input', 'answer', 'user_out'))\nprint('said so', file=sys.stderr)",
    Convention.HYDRO_LEMON: """
share = judge(*(sys.argv[index] for index in (1, 3, 2)))
open(sys.argv[5], "w").write(str(share * float(sys.argv[4])))
open(sys.argv[6], "w").write("said so")
""",
    Convention.HYDRO_KATTIS: """
share = judge(sys.argv[1], sys.argv[2], None)
open(sys.argv[3] + "score.txt", "w").write(str(20 * share))
open(sys.argv[3] + "judgemessage.txt", "w").write("said so")
sys.exit(42 if share == 1 else 43)
""",
    Convention.FRONTIER_CS: """
share = judge(*(sys.argv[index] for index in (1, 3, 2)))
print(f"points said so. Ratio: {share:.4f}, RatioUnbounded: 7", file=sys.stderr)
sys.exit(7)
""",
    Convention.CMS: "print(judge(*sys.argv[1:4]))\nprint('said so', file=sys.stderr)",
    Convention.OMEGAUP: "print(3 * judge('data.in', 'data.out', None) - 1)",
    Convention.SINOL: """
share = judge(*(sys.argv[index] for index in (1, 3, 2)))
print("OK" if share else "WRONG")
print("said so")
print(int(100 * share))
""",
    Convention.SCALEBOX: "sys.exit(int(judge('stdin.txt', 'stdout.txt', 'answer.txt') != 1))",
}
#: Those that give parts of the points.
PARTS = set(CHECKER) - {Convention.HUSTOJ, Convention.QDUOJ, Convention.DMOJ, Convention.SCALEBOX}


def test_each_convention_is_tried() -> None:
    # tests/judge/judging/test_points.py tries the second, test_grading.py beside it the third.
    icpc = {Convention.ICPC, Convention.ICPC_UNBOUNDED, Convention.ICPC_LEGACY}
    assert CHECKER.keys() | icpc | {Convention.TESTLIB} == CHECKERS.keys() == set(Convention)
    assert TALKS.keys() | icpc | {Convention.TESTLIB} == INTERACTORS.keys()


@pytest.mark.parametrize("convention", CHECKER)
def test_a_checker_of_each_convention(judges: Judges, package: MakePackage, convention: Convention) -> None:
    files = {
        "output_validator/check.py": READ + CHECKER[convention],
        "judge.yaml": f"checker: {{convention: {convention}}}\ncases: {{secret/1: {{full_score: 20}}}}\n",
        "data/secret/test_group.yaml": "max_score: 100\n",
    }
    problem = package(CASES, metadata="type: scoring\n", files=files)
    judge = judges()

    def verdict(output: int) -> tuple[Verdict, float | None, str]:
        one = judge.judge(Submission(source=b"print(%d)" % output, problem=problem, language="python3"))
        assert one.error is None
        return one.verdict, one.score, one.tests[0].detail

    assert verdict(10)[:2] == (Verdict.AC, 1.0)
    assert verdict(3)[:2] == (Verdict.WA, 0.0)
    if convention in PARTS:
        assert verdict(11)[:2] == (Verdict.PC, 0.5)
    assert verdict(666)[:2] == (Verdict.WA, 0.0), "it fails on this output, not on the jury's"
    if convention in PARTS - {Convention.OMEGAUP}:
        assert "said so" in verdict(10)[2]


@pytest.mark.parametrize("said", ["nan", "inf", "-1", "101", "", "1e999", "0x10", "1_0", "words"])
def test_a_score_that_is_none(judges: Judges, package: MakePackage, said: str) -> None:
    """A checker that gives no number is broken: it does so for the package's own submission, too."""
    files = {
        "output_validator/check.py": f"print({said!r}, end='')\n",
        "judge.yaml": "checker: {convention: syzoj}\n",
        "submissions/accepted/a.py": "print(10)\n",
    }
    problem = package(CASES, files=files)
    one = judges().judge(Submission(source=b"print(10)", problem=problem, language="python3"))
    assert one.verdict is Verdict.IE
    assert "wrote the score" in str(one.error)


def test_large_files_beside_a_checker(judges: Judges, package: MakePackage) -> None:
    """A program cannot choose IE by an output that is as large as it may be."""
    files = {
        "output_validator/check.py": "import os\nprint(100 * (os.path.getsize('user_out') < 100))\n",
        "judge.yaml": "checker: {convention: syzoj}\n",
    }
    problem = package(CASES, metadata="limits: {output: 64, time_limit: 10}\n", files=files)
    source = b"import sys\nsys.stdout.write('x' * (64 << 20))\n"
    one = judges().judge(Submission(source=source, problem=problem, language="python3"))
    assert one.verdict is Verdict.WA, one.error


TALKS = {
    Convention.DMOJ: "\nsys.exit(0 if talk(sys.argv[1]) else 1)",
    Convention.DMOJ_COCI: "\nsys.exit(0 if talk(sys.argv[1]) else 1)",
    **dict.fromkeys(
        (Convention.DMOJ_TESTLIB, Convention.UOJ, Convention.HYDRO, Convention.FRONTIER_CS),
        "\nright = talk(sys.argv[1])\nopen(sys.argv[2], 'w')\nprint('ok ' if right else 'no', file=sys.stderr)\n"
        "sys.exit(not right)",
    ),
    Convention.SYZOJ: "\nopen('score.txt', 'w').write(str(100 * talk('input')))",
}
TALK = """
import sys
def talk(given):
    total = int(open(given).read())
    print(total, flush=True)
    return int(sys.stdin.readline()) == 2 * total
"""


@pytest.mark.parametrize("convention", TALKS)
def test_an_interactor_of_each_convention(judges: Judges, package: MakePackage, convention: Convention) -> None:
    files = {
        "output_validator/talk.py": TALK + TALKS[convention],
        "judge.yaml": f"interactor: {{convention: {convention}}}\n",
    }
    problem = package(CASES, metadata="type: interactive\n", files=files)
    for times, verdict in ((2, Verdict.AC), (3, Verdict.WA)):
        source = b"print(%d * int(input()), flush=True)" % times
        one = judges().judge(Submission(source=source, problem=problem, language="python3"))
        assert one.verdict is verdict, one.error


def test_a_convention_without_interactors(judges: Judges, package: MakePackage) -> None:
    files = {"output_validator/talk.py": TALK, "judge.yaml": "interactor: {convention: hustoj}\n"}
    problem = package(CASES, metadata="type: interactive\n", files=files)
    with pytest.raises(ProblemError, match="calling convention 'hustoj' has no interactors; use icpc or "):
        judges().judge(Submission(source=b"print(1)", problem=problem, language="python3"))
