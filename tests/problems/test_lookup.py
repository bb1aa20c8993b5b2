"""From a name, a directory or a zip to a problem."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import problems
from problems import ProblemError, UnknownProblem
from tests.packages import MINIMAL, write_files
from tests.problems.test_archive import pack


def test_library() -> None:
    assert problems.library_directory().name == "library"
    assert problems.load("P1001").directory == problems.library_directory() / "P1001"
    assert "P1001" in problems.names()


def test_names_are_in_natural_order(tmp_path: Path) -> None:
    for name in ("P10", "P2", "A1", "P2b"):
        write_files(tmp_path / name, MINIMAL)
    pack(tmp_path / "P3.zip", MINIMAL)
    (tmp_path / "no-package").mkdir()
    (tmp_path / "notes.txt").write_text("x")
    found = problems.names(search=[tmp_path])
    assert [name for name in found if name in {"P10", "P2", "A1", "P2b", "P3", "no-package", "notes"}] == [
        "A1",
        "P2",
        "P2b",
        "P3",
        "P10",
    ]
    assert "P1001" in found


def test_order_of_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = (write_files(tmp_path / place / "P1001", MINIMAL) for place in "abc")
    absent = str(tmp_path / "absent")
    monkeypatch.setenv("JUDGE_PROBLEMS", os.pathsep.join((absent, str(second.parent), str(third.parent))))
    assert problems.load("P1001", search=[first.parent]).directory == first
    assert problems.load("P1001").directory == second
    monkeypatch.delenv("JUDGE_PROBLEMS")
    assert problems.load("P1001").directory == problems.library_directory() / "P1001"


def test_zip_in_a_search_directory(tmp_path: Path) -> None:
    pack(tmp_path / "mine.zip", MINIMAL)
    assert problems.load("mine", search=[tmp_path]).name == "mine"


def test_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_files(tmp_path / "sum", MINIMAL)
    pack(tmp_path / "zipped.zip", MINIMAL)
    monkeypatch.chdir(tmp_path)
    assert problems.load("sum").directory == root  # no separator, but it is there
    assert problems.load("./sum").directory == root
    assert problems.load(Path("sum")).directory == root
    assert problems.load("zipped.zip").name == "zipped"
    monkeypatch.chdir(root)
    assert problems.load(".").name == "sum"


def test_a_directory_that_is_no_package_does_not_hide_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "P1001").mkdir()
    monkeypatch.chdir(tmp_path)
    assert problems.load("P1001").directory.parent == problems.library_directory()


@pytest.mark.parametrize(("name", "near"), [("P1O01", "P1001"), ("p1001", "P1001"), ("P10001", "P1001")])
def test_unknown_name_offers_the_nearest(name: str, near: str) -> None:
    with pytest.raises(UnknownProblem) as caught:
        problems.load(name)
    assert near in caught.value.nearest
    assert str(caught.value).startswith(f"unknown problem '{name}'; did you mean ")
    assert near in str(caught.value)


@pytest.mark.parametrize("name", ["", "completely-different", "\0", "..."])
def test_unknown_name_like_no_other(name: str) -> None:
    with pytest.raises(UnknownProblem) as caught:
        problems.load(name)
    assert str(caught.value) == f"unknown problem {name!r}; `judge problems list` shows all"


def test_a_directory_that_is_no_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my-problem").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnknownProblem, match=r"the directory my-problem is no package, for it has no problem\.yaml$"):
        problems.load("my-problem")


def test_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ProblemError) as caught:
        problems.load(tmp_path / "absent")
    expected = f"{tmp_path}/absent: no such package; give a directory, a zip file or a name (`judge problems list`)"
    assert str(caught.value) == expected


def test_path_of_a_plain_file(tmp_path: Path) -> None:
    path = tmp_path / "solution.cpp"
    path.write_text("int main() {}\n")
    with pytest.raises(ProblemError, match="is neither a package directory nor a zip file; give one of them"):
        problems.load(path)
