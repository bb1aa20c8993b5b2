"""Contests of Lemon as other tools write them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from judge import Judge, Verdict
from problems import Comparison, Convention, Mode, ProblemError, Program
from problems.model import FileIO
from tests.problems.importing.contest_examples import LEMON, lemon
from tests.problems.importing.examples import imported, only
from tests.problems.importing.test_contests import verdict

_DATA = {name: text for name, text in LEMON.items() if name.startswith(("data/plus/1.", "data/plus/2."))}


def _contest(**task: object) -> dict[str, str | bytes]:
    cases = [
        {
            "fullScore": 50,
            "timeLimit": 1000,
            "memoryLimit": 64,
            "inputFiles": [f"plus/{number}.in"],
            "outputFiles": [f"plus\\{number}.out"],
        }
        for number in (1, 2)
    ]
    tasks = [{"taskType": 0, "comparisonMode": 1, "inputFileName": "plus.in", "testCases": cases, **task}]
    return {"day1.cdf": json.dumps({"contestTitle": "day 1", "contestants": [], "tasks": tasks}), **_DATA}


def test_what_is_not_stated_is_as_in_lemonlime(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    """Files for input and output; the name of the source is that of the input."""
    problem = only(tmp_path, _contest(problemTitle="求和", outputFileName="plus.out"))
    assert (problem.name, problem.title["zh"]) == ("plus", "求和")
    assert problem.file_io == FileIO(input="plus.in", output="plus.out")
    assert problem.checker == Comparison(mode=Mode.TOKENS_BY_EVERY_LINE)
    program = "print(sum(map(int, open('plus.in').read().split())), file=open('plus.out', 'w'))\n"
    assert verdict(judges, problem, program) == (Verdict.AC, 1.0)


def test_a_special_judge_in_a_directory_of_its_name(tmp_path: Path) -> None:
    """Written as compiled to plus/chk.exe; the source lies in plus/chk/."""
    files = _contest(comparisonMode=4, specialJudge="plus/chk.exe", interactor=None, grader=None)
    problem = only(tmp_path, {**files, "data/plus/chk/chk.cpp": "int main() {}\n"})
    assert isinstance(problem.checker, Program)
    assert problem.checker.convention is Convention.LEMON
    (one,) = imported(tmp_path / "without", files)
    assert "the source of 'plus/chk.exe' is not there; put chk.cpp beside it" in (one.error or "")


def test_programs_of_contestants_are_no_part_of_the_problems(tmp_path: Path) -> None:
    """LemonLime's own tests/data/TestContest1."""
    (one,) = imported(tmp_path, {**_contest(), "source/user1/plus.py": "print(1)\n", "source/user2/plus/plus.cpp": ""})
    assert one.error is None


def test_points_that_lemonlime_reads_as_none(tmp_path: Path) -> None:
    files = {name: str(text).replace('"fullScore": 50', '"fullScore": 33.3') for name, text in _contest().items()}
    with pytest.raises(ProblemError, match=r"day1.cdf:1: tasks.0.testCases.0.fullScore: is 33.3; write a whole number"):
        imported(tmp_path, files)


_PER_CENT = """
#include <cstdio>
#include <cstdlib>
int main(int, char **argv) {
    int said = 0;
    if (std::fscanf(std::fopen(argv[2], "r"), "%d", &said) != 1) said = 0;
    std::fprintf(std::fopen(argv[5], "w"), "%d", std::atoi(argv[4]) * said / 100);
}
"""


@pytest.mark.parametrize(("per_cent", "points"), [((50, 100, 100), 80), ((0, 100, 100), 0), ((100, 100, 50), 70)])
def test_a_test_case_with_a_part_of_its_points_is_no_failure_to_those_that_depend_on_it(
    tmp_path: Path, judges: Callable[..., Judge], per_cent: tuple[int, ...], points: int
) -> None:
    """`TaskJudger::judge` and `Contestant::getTaskScore`."""
    files = lemon(comparisonMode=4, specialJudge="plus/chk.cpp")
    problem = only(tmp_path, {**files, "data/plus/chk.cpp": _PER_CENT})
    program = f"print(dict(zip((3, 4, 10), {per_cent}))[sum(map(int, input().split()))])"
    assert verdict(judges, problem, program)[1] == pytest.approx(points / 100)
