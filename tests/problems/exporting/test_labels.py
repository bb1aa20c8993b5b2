"""Labels and languages of submissions, there and back through each format that has a place for them."""

from __future__ import annotations

from pathlib import Path

import pytest

import problems
from problems.exporting import export
from problems.importing import import_problems
from problems.model import LabelledSubmission, Problem
from problems.reading.submissions import must_time_out
from tests.packages import LEGACY, write_files

MAIN = "int main() {}\n"
LABELS = {
    "accepted/a.cc": MAIN,
    "accepted/b.cxx": MAIN,
    "accepted/c.cpp": MAIN,
    "accepted/d.py3": "print(1)\n",
    "time_limit_exceeded/slow.cc": MAIN,
    "time_limit_exceeded/parts/main.cpp": MAIN,
    "time_limit_exceeded/parts/part.h": "\n",
    "run_time_error/crash.cxx": MAIN,
    "wrong_answer/wrong.cc": MAIN,
    "slow_accepted/perhaps.cc": MAIN,
}


def labelled(problem: Problem) -> dict[str, LabelledSubmission]:
    return {submission.path.name: submission for submission in problem.submissions}


def there_and_back(kind: str, tmp_path: Path) -> tuple[Problem, Problem]:
    files = {**LEGACY, "problem_statement/problem.en.tex": "\\problemname{Sum}\n", ".timelimit": "2\n"}
    package = write_files(tmp_path / "sum", files | {f"submissions/{name}": text for name, text in LABELS.items()})
    problem = problems.load(package)
    export(problem, kind, tmp_path / kind / "sum")
    (found,) = import_problems(tmp_path / kind / "sum", tmp_path / "back")
    assert found.error is None
    assert found.package is not None
    return problem, problems.load(found.package)


@pytest.mark.parametrize("kind", ["icpc", "kattis"])
def test_labels_say_the_same_there_and_back(kind: str, tmp_path: Path) -> None:
    before, after = (labelled(problem) for problem in there_and_back(kind, tmp_path))
    assert {name: one.expected for name, one in after.items()} == {name: one.expected for name, one in before.items()}
    slow = [one for name, one in after.items() if name in ("slow.cc", "main.cpp")]
    assert [must_time_out(one) for one in slow] == [True, True], "they bound the time limit from above"
    assert {one.path.parts[-2] if not one.files else one.path.parts[-3] for one in slow} == {"time_limit_exceeded"}


def test_polygon_reads_every_source_that_is_written_for_it(tmp_path: Path) -> None:
    before, after = (labelled(problem) for problem in there_and_back("polygon", tmp_path))
    assert after.keys() == before.keys() - {"main.cpp"}, "of several files it knows no program"
    assert {name for name, one in after.items() if must_time_out(one)} == {"slow.cc"}, "it bounds the time limit"
