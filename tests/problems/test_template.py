"""The skeleton of a new package is complete and right as it stands."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

import problems
from problems import ProblemError
from problems.validate import validate
from problems.writing import template


@pytest.fixture
def problem(tmp_path: Path) -> problems.Problem:
    return problems.load(template.create(tmp_path / "fresh"))


def output(program: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    return subprocess.run(
        [sys.executable, program, *arguments], input=stdin, capture_output=True, check=True, timeout=60
    ).stdout


def test_nothing_to_find(problem: problems.Problem) -> None:
    assert validate(problem) == []
    assert set(problem.title) == set(problem.statements) == {"zh", "en"}
    assert problem.checker == problems.Comparison()
    assert {verdict for one in problem.submissions for verdict in one.expected} == {"AC", "WA", "RE", "MLE", "OLE"}
    assert {one.path.suffix for one in problem.submissions if one.expected == {"AC"}} == {".cpp", ".py"}


def test_answers_are_right(problem: problems.Problem) -> None:
    solution = problem.directory / "submissions/accepted/std.py"
    assert len(problem.cases) == 3
    for case in problem.cases:
        assert output(solution, stdin=case.read_input()) == case.read_answer()


def test_sums_are_those_of_the_generator_and_the_solution(problem: problems.Problem) -> None:
    (case,) = problem.generated
    data = output(case.generator, *case.arguments)
    assert hashlib.sha256(data).hexdigest() == case.input_sha256
    answer = output(problem.directory / "submissions/accepted/std.py", stdin=data)
    assert hashlib.sha256(answer).hexdigest() == case.answer_sha256


def test_input_validator(problem: problems.Problem) -> None:
    validator = problem.directory / "input_validators/validate.py"

    def verdict(data: bytes) -> int:
        return subprocess.run(
            [sys.executable, validator], input=data, capture_output=True, check=False, timeout=60
        ).returncode

    (case,) = problem.generated
    for data in [*(case.read_input() for case in problem.cases), output(case.generator, *case.arguments)]:
        assert verdict(data) == 42
    for data in (b"", b"2\n1\n", b"1\n1 2\n", b"1\n 1\n", b"1\n1", b"1\n1000000001\n", b"01\n1\n", b"0\n\n"):
        assert verdict(data) != 42


def test_every_package_has_an_identity_of_its_own(tmp_path: Path) -> None:
    first, second = (problems.load(template.create(tmp_path / name)) for name in "ab")
    assert first.uuid != second.uuid


def test_empty_directory_will_do(tmp_path: Path) -> None:
    (tmp_path / "fresh").mkdir()
    assert problems.load(template.create(tmp_path / "fresh")).name == "fresh"


def test_taken(tmp_path: Path) -> None:
    template.create(tmp_path / "fresh")
    with pytest.raises(ProblemError) as caught:
        template.create(tmp_path / "fresh")
    assert str(caught.value) == f"{tmp_path}/fresh: exists already; choose another place or remove it"


def test_name(tmp_path: Path) -> None:
    with pytest.raises(ProblemError) as caught:
        template.create(tmp_path / "my problem")
    expected = f"{tmp_path}/my problem: 'my problem' is no name for a problem; use letters and digits"
    assert str(caught.value) == expected
    assert list(tmp_path.iterdir()) == []


def test_place_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(
        ProblemError, match="file/fresh: cannot be written: Not a directory; check permissions and free space"
    ):
        template.create(tmp_path / "file" / "fresh")


@pytest.mark.parametrize("existed", [True, False])
def test_nothing_stays_of_a_package_that_could_not_be_written_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, existed: bool
) -> None:
    whole = template.files()
    broken = {**whole, f"data/{'x' * 300}.in": "1\n"}  # the kernel refuses the last file, as it does on a full disk
    monkeypatch.setattr(template, "files", lambda: broken)
    place = tmp_path / "fresh"
    if existed:
        place.mkdir()
    with pytest.raises(ProblemError, match="cannot be written: File name too long"):
        template.create(place)
    assert list(tmp_path.rglob("*")) == ([place] if existed else [])
