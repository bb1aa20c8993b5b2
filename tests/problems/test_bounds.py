"""More than a run can be given is refused where a package states it, not where the sandbox fails on it."""

from __future__ import annotations

from pathlib import Path

import pytest

import problems
from problems import ProblemError
from tests.packages import LEGACY, MINIMAL, Files, write_files

SCORED = "name: Sum\ntype: scoring\nvalidation: custom score\n"
ROWS: dict[str, tuple[Files, str]] = {
    "more arguments than a program can get": (
        {**MINIMAL, "data/secret/01.yaml": f"args: {['x'] * 401}\n"},
        "/data/secret/01.yaml:1: args: 401 words of 802 bytes are more than 400, or 65536; correct the value",
    ),
    "a zero byte in an argument": (
        {**MINIMAL, "data/secret/01.yaml": 'args: ["a\\0b"]\n'},
        "/data/secret/01.yaml:1: args: a zero byte is in no argument; correct the value",
    ),
    "more files than a run can have": (
        {**MINIMAL, **{f"data/secret/01.files/f{n}": "" for n in range(61)}},
        "/data/secret/01.files: has 61 files, more than 60; put what they hold into fewer",
    ),
    "a limit that no clock can count": (
        {**MINIMAL, "judge.yaml": "cases: {secret/01: {limits: {cpu_ns: 9000000000000000000}}}\n"},
        "/judge.yaml:1: cases.secret/01.limits.cpu_ns: is 9000000000000000000; write a number of at most "
        "1000000000000000",
    ),
    "more points than a legacy test may have": (
        {**LEGACY, "problem.yaml": "name: Sum\ntype: scoring\ngrading: {accept_score: 1e308}\n"},
        "/problem.yaml:3: grading.accept_score: is '1e308'; write a number of at most 1000000000",
    ),
    "a range that sums up to infinity": (
        {
            **LEGACY,
            "problem.yaml": SCORED,
            "data/secret/testdata.yaml": "range: 0 1e308\n",
            "output_validators/judge.py": "",
        },
        "/data/secret/testdata.yaml:1: range: 1e+308 points are more than 1000000000; correct the value",
    ),
    "more points than a group may have": (
        {**MINIMAL, "judge.yaml": "groups: {secret: {points: 1.0e+308}}\n"},
        "/judge.yaml:1: groups.secret.points: is 1e+308; write a number of at most 1000000000",
    ),
    "more points than a submission may earn": (
        {**MINIMAL, "submissions/submissions.yaml": "accepted: {score: 1.0e+308}\n"},
        "/submissions/submissions.yaml:1: accepted.score: 1e+308 points are more than 1000000000; correct the value",
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_more_than_a_run_can_be_given(name: str, tmp_path: Path) -> None:
    files, said = ROWS[name]
    package = write_files(tmp_path / "package", files)
    with pytest.raises(ProblemError) as caught:
        problems.load(package)
    assert str(caught.value) == f"{package}{said}"


def test_as_much_as_a_run_can_be_given(tmp_path: Path) -> None:
    arguments = ["x" * 160] * 400
    files = {f"data/secret/01.files/f{n}": "" for n in range(60)}
    package = write_files(tmp_path / "package", {**MINIMAL, **files, "data/secret/01.yaml": f"args: {arguments}\n"})
    case = next(case for case in problems.load(package).cases if case.name == "secret/01")
    assert (len(case.arguments), len(case.files)) == (400, 60)
