"""Static validation test cases that do not fit to their directories are refused, with what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

import problems
from problems.errors import ProblemError
from tests.packages import MINIMAL, PROBLEM, scored, write_files

#: A package's static validator.
STATIC = {"static_validator/look.py": "import sys; sys.exit(42)\n"}
REFUSED = {
    "static validation without a program": (
        scored(g1="max_score: 100\nstatic_validation_score: pass-fail\n"),
        "/data/secret/g1/test_group.yaml: static_validation_score, but there is no static_validator/; add the program",
    ),
    "arguments of no static validation": (
        scored(g1="max_score: 100\nstatic_validator_args: [a]\n"),
        "/data/secret/g1/test_group.yaml: static_validator_args without static_validation_score; "
        "state how much it is worth",
    ),
    "points of static validation where all must pass": (
        scored(g1="max_score: 100\nstatic_validation_score: 5\n") | STATIC,
        "/data/secret/g1/test_group.yaml: static_validation_score is a number, but nothing here is added up; "
        "write pass-fail",
    ),
    "static validation to pass where points are added": (
        scored(g1="max_score: 100\nscore_aggregation: sum\nstatic_validation_score: pass-fail\n") | STATIC,
        "/data/secret/g1/test_group.yaml: static_validation_score is pass-fail, but score_aggregation is sum; "
        "write the points of the static validation",
    ),
    "static validation that leaves nothing": (
        scored(g1="max_score: 5\nscore_aggregation: sum\nstatic_validation_score: 5\n") | STATIC,
        "/data/secret/g1/test_group.yaml: static_validation_score leaves none of its 5 points to its tests; "
        "lower it, or raise max_score",
    ),
    "a test of the same name": (
        scored(g1="max_score: 100\nstatic_validation_score: pass-fail\n")
        | STATIC
        | {f"data/secret/g1/static_validation.{end}": "1\n" for end in ("in", "ans")},
        "/data: a test is called static_validation, as a static validation test case is; rename it",
    ),
    "static validation of outputs": (
        {
            **MINIMAL,
            **STATIC,
            "problem.yaml": PROBLEM + "type: submit-answer\n",
            "data/secret/test_group.yaml": "static_validation_score: pass-fail\n",
        },
        "/data/secret/test_group.yaml: static_validation_score: there are no programs to look at; remove it",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(tmp_path: Path, what: str) -> None:
    files, message = REFUSED[what]
    root = write_files(tmp_path / "sum", files)
    with pytest.raises(ProblemError) as caught:
        problems.load(root)
    assert str(caught.value) == f"{root}{message}"
