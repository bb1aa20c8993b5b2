"""Tests that are added to a package."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import problems
import problems.writing.write
from problems import ProblemError
from problems.writing import tests
from problems.writing.tests import NewTest, add_tests
from tests.packages import MINIMAL, scored, write_files

NEW = NewTest(stem="wrong answer!", input=b"1 1\n", answer=b"2\n")
OTHER = NewTest(stem="../../etc", input=b"0 1\n", answer=b"1\n")


def package(root: Path) -> Path:
    return write_files(root, MINIMAL)


def listed(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def test_they_are_numbered_after_those_that_are_there(tmp_path: Path) -> None:
    root = package(tmp_path / "sum")
    assert add_tests(root, problems.load(root), [NEW, OTHER]) == ["secret/03-wrong-answer", "secret/04-etc"]
    read = {case.name: (case.read_input(), case.read_answer()) for case in problems.load(root).cases}
    assert read["secret/03-wrong-answer"] == (b"1 1\n", b"2\n") and read["secret/04-etc"] == (b"0 1\n", b"1\n")
    assert add_tests(root, problems.load(root), [NEW]) == []  # it is there already


def test_the_last_group_or_the_one_that_is_named(tmp_path: Path) -> None:
    root = write_files(tmp_path / "sum", scored(a="", b=""))
    problem = problems.load(root)
    places = [
        name for name in dict.fromkeys(case.name.rpartition("/")[0] for case in problem.cases) if name != "sample"
    ]
    (last,) = add_tests(root, problem, [NEW])
    assert last.startswith(f"{places[-1]}/")
    (first,) = add_tests(root, problem, [OTHER], places[0])
    assert first.startswith(f"{places[0]}/")
    with pytest.raises(ProblemError, match="has no group 'secret/none'"):
        add_tests(root, problem, [OTHER], "secret/none")


def test_a_zip_gets_none(tmp_path: Path) -> None:
    root = package(tmp_path / "sum")
    target = problems.writing.write.write(problems.load(root), tmp_path / "sum.zip")
    with pytest.raises(ProblemError, match="is a zip"):
        add_tests(target, problems.load(target), [NEW])
    with pytest.raises(ProblemError, match="is a zip"):
        tests.check_directory(target)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, os.strerror(28))])
def test_what_is_broken_off_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    root = package(tmp_path / "sum")
    before = listed(root)
    write, count = tests._write, 0

    def stop(path: Path, data: bytes) -> None:
        nonlocal count
        count += 1
        if count == 4:
            raise error
        write(path, data)

    monkeypatch.setattr(tests, "_write", stop)
    with pytest.raises((KeyboardInterrupt, ProblemError)):
        add_tests(root, problems.load(root), [NEW, OTHER])
    assert count == 4 and listed(root) == before


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    root = package(tmp_path / "sum")
    problem = problems.load(root)
    (root / "data/secret/03-wrong-answer.ans").write_bytes(b"mine")
    with pytest.raises(ProblemError, match="exists already"):
        add_tests(root, problem, [NEW])
    assert (root / "data/secret/03-wrong-answer.ans").read_bytes() == b"mine"
