"""Packages of the ICPC formats are imported whole: nothing of them is lost, and no other reader takes their tests."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import problems
from problems import ProblemError, Program
from problems.files import archive
from problems.importing import import_problems
from problems.model import SECOND_NS
from tests.packages import DRAFT, LEGACY, MINIMAL, write_files
from tests.problems.importing.examples import ADD, PACKAGES

#: What a reader of tests alone would lose.
MORE = {
    ".timelimit": "3",
    "attachments/a tool.py": "print(1)\n",
    "data/secret/01.hint": "add\n",
    "generators/gen.py": "print(1)\n",
    "input_validators/v.py": "import sys\nsys.exit(42)\n",
    "output_validators/check/check.py": "import sys\nsys.exit(42)\n",
    "problem_statement/problem.en.tex": "Add.\n",
    "problem_statement/picture.png": "x",
    "submissions/accepted/add.py": ADD.decode(),
    "submissions/wrong_answer/zero.py": "print(0)\n",
}


def _contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "files", [MINIMAL, DRAFT, {**LEGACY, "problem.yaml": "name: Sum\nvalidation: custom\n", **MORE}]
)
def test_a_package_is_taken_whole(tmp_path: Path, files: dict[str, str]) -> None:
    source = write_files(tmp_path / "sum", files)
    (one,) = import_problems(source, tmp_path / "made")
    assert (one.name, one.format, one.error, one.losses) == ("sum", "icpc", None, ())
    assert one.package is not None
    assert _contents(one.package) == _contents(source)
    assert len(list(source.rglob("*.in"))) == 3, "the source stays as it is"


@pytest.mark.parametrize("name", ["__MACOSX", "__MACOSX/1", "__MACOSX2", "__pycache__2", "__MACOSX.in/1"])
def test_tests_of_odd_names_stay(tmp_path: Path, name: str) -> None:
    """The judge runs them, so without them the package would be another."""
    source = write_files(tmp_path / "sum", {**MINIMAL, **{f"data/secret/{name}.{end}": "7\n" for end in ("in", "ans")}})
    (one,) = import_problems(source, tmp_path / "made")
    assert one.package is not None, one.error
    assert [case.name for case in problems.load(one.package).cases] == [
        case.name for case in problems.load(source).cases
    ]
    assert f"secret/{name}" in {case.name for case in problems.load(source).cases}


def test_a_packages_checker_and_limit_judge_after_the_import(tmp_path: Path) -> None:
    files = {**LEGACY, "problem.yaml": "name: Sum\nvalidation: custom\n", **MORE}
    with zipfile.ZipFile(tmp_path / "sum.zip", "w") as packed:
        for name, text in files.items():
            packed.writestr(f"inner/{name}", text)
    (one,) = import_problems(tmp_path / "sum.zip", tmp_path / "made")
    assert one.package is not None, one.error
    problem = problems.load(one.package)
    assert isinstance(problem.checker, Program)
    assert problem.limits.cpu_ns == 3 * SECOND_NS
    assert len(problem.submissions) == 2


def test_a_collection_of_packages(tmp_path: Path) -> None:
    for name, files in PACKAGES.items():
        write_files(tmp_path / "set" / name, files)
    write_files(tmp_path / "set" / "bad", {**MINIMAL, "data/secret/01.ans": None})
    bad, new, old = import_problems(tmp_path / "set", tmp_path / "made")
    assert bad.error is not None
    assert "set/bad/data/secret/01.in" in bad.error, "messages name the source"
    assert [one.error for one in (new, old)] == [None, None]
    assert {one.name for one in (new, old)} == set(PACKAGES)


def test_links_inside_a_collection_are_followed_and_others_refused(tmp_path: Path) -> None:
    source = write_files(tmp_path / "set", {"shared/check.py": "import sys\nsys.exit(42)\n", "secret.txt": "x"})
    for name in ("one", "two"):
        write_files(source / name, {**LEGACY, "problem.yaml": "name: Sum\nvalidation: custom\n"})
    (source / "one" / "output_validators").symlink_to(source / "shared")
    (tmp_path / "outside").mkdir()
    (source / "two" / "output_validators").symlink_to(tmp_path / "outside")
    one, two = import_problems(source, tmp_path / "made")
    assert one.package is not None, one.error
    assert (one.package / "output_validators" / "check.py").is_file()
    assert two.error is not None
    assert "is a symbolic link that leaves the package" in two.error


def test_links_that_lead_round_in_circles_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_files(tmp_path / "sum", MINIMAL)
    (source / "data" / "again").symlink_to(source)
    (one,) = import_problems(source, tmp_path / "made")
    assert one.error is not None
    assert "is nested too deeply" in one.error
    (source / "data" / "again").unlink()
    monkeypatch.setattr(archive, "MAX_ENTRIES", 5)
    (one,) = import_problems(source, tmp_path / "made")
    assert one.error is not None
    assert "more than 5 files" in one.error


def test_what_lies_behind_links_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A little source of links to one file would fill the disk. Files that lie there themselves are no more than it."""
    monkeypatch.setattr(archive, "MAX_TOTAL_BYTES", 1 << 20)
    source = write_files(
        tmp_path / "sum", {**MINIMAL, "attachments/large": bytes(400_000), "attachments/other": bytes(800_000)}
    )
    for name in "ab":
        (source / "attachments" / name).symlink_to("large")
    (one,) = import_problems(source, tmp_path / "made")
    assert one.error is None
    (source / "attachments" / "c").symlink_to("large")
    (one,) = import_problems(source, tmp_path / "again")
    assert "GiB behind links; remove links, or put the files there" in (one.error or "")
    assert not list((tmp_path / "again").glob("*"))


def test_tests_beside_a_problem_yaml_are_no_bare_ones(tmp_path: Path) -> None:
    source = write_files(tmp_path / "sum", MINIMAL)
    with pytest.raises(ProblemError, match="holds no problem of format bare"):
        list(import_problems(source, tmp_path / "made", format="bare"))
