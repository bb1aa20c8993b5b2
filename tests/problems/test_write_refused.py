"""What cannot be written: the place is taken, or the format cannot say it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from problems import Convention, Group, LabelledSubmission, ProblemError, Program, load
from problems.writing.write import write
from tests.problems.test_write import case, plain, put


@pytest.fixture
def files(tmp_path: Path) -> Path:
    root = tmp_path / "loose"
    root.mkdir()
    return root


def test_place_that_is_taken(tmp_path: Path, files: Path) -> None:
    put(tmp_path, "sum/x")
    with pytest.raises(ProblemError) as caught:
        write(plain(files), tmp_path / "sum")
    assert str(caught.value) == f"{tmp_path}/sum: exists already; choose another place or remove it"


def test_place_that_cannot_be(tmp_path: Path, files: Path) -> None:
    put(tmp_path, "file")
    with pytest.raises(ProblemError, match=r"file.*: cannot be written: Not a directory; check permissions and free"):
        write(plain(files), tmp_path / "file/sum")


@pytest.mark.parametrize("name", ["secret/测试", "secret/../01", "secret/a b", "secret/.x"])
def test_names_that_no_package_can_have(tmp_path: Path, files: Path, name: str) -> None:
    odd = dataclasses.replace(case(files, "secret/01"), name=name)
    with pytest.raises(ProblemError, match="cannot be in a package; use letters, digits"):
        write(plain(files, cases=(odd,), groups=(Group(name="secret"),)), tmp_path / "sum")


def test_two_submissions_of_one_name(tmp_path: Path, files: Path) -> None:
    """As `Main.java` is. The second keeps its directory."""
    one, two, three = (
        LabelledSubmission(path=put(files, f"{folder}/Main.java"), expected=frozenset({"AC"}))
        for folder in ("a", "b", "c/b")
    )
    write(plain(files, submissions=(one, two)), tmp_path / "two")
    assert [found.path for found in load(tmp_path / "two").submissions] == [
        tmp_path / "two/submissions/accepted" / name for name in ("Main.java", "b/Main.java")
    ]
    with pytest.raises(ProblemError) as caught:
        write(plain(files, submissions=(one, two, three)), tmp_path / "three")
    assert str(caught.value) == "problem sum: two submissions are called accepted/b; rename one of them"


def test_what_the_format_cannot_say_is_refused(tmp_path: Path, files: Path) -> None:
    checker = Program(convention=Convention.ICPC, sources=(put(files, "v.py"),))
    cases = (case(files, "secret/01", checker=checker),)
    with pytest.raises(ProblemError, match="problem sum: a case has a checker program of its own; use one for all"):
        write(plain(files, cases=cases), tmp_path / "one")
    groups = (Group(name="secret", points=100),)
    with pytest.raises(ProblemError, match="problem sum: group 'secret' has points and cases in directories below"):
        write(plain(files, cases=(case(files, "secret/a/1"),), groups=groups), tmp_path / "two")
    groups = (Group(name="secret"), Group(name="secret/a/b", within="secret"))
    with pytest.raises(ProblemError, match="problem sum: group 'secret/a/b' lies deeper than secret/GROUP"):
        write(plain(files, groups=groups), tmp_path / "three")
