"""Tests that are added to a package."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path

import pytest

import problems
import problems.writing.write
from problems import ProblemError
from problems.validate import validate
from problems.writing import tests
from problems.writing.recipes import with_recipe
from problems.writing.tests import NewTest, add_tests
from tests.packages import MINIMAL, scored, write_files

NEW = NewTest(stem="wrong answer!", input=b"1 1\n", answer=b"2\n")
OTHER = NewTest(stem="../../etc", input=b"0 1\n", answer=b"1\n")
MADE = NewTest(stem="made", input=b"2 2\n", answer=b"4\n", recipe="gen.py a=2 b=2")
GENERATED = {
    **MINIMAL,
    "generators/gen.py": "import sys\nprint(*(one.split('=')[1] for one in sys.argv[1:]))\n",
    "generators/generators.yaml": "# Mine.\nsolution: /submissions/accepted/sum.py\n"
    'data:\n  secret:\n    data:\n      - "03-max": gen.py a=9 b=9  # the largest\n',
    "generators/sha256sums": "",
    "submissions/accepted/sum.py": "print(sum(map(int, input().split())))\n",
}


def package(root: Path) -> Path:
    return write_files(root, MINIMAL)


def contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


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


def test_their_sums_are_written_and_checked(tmp_path: Path) -> None:
    root = package(tmp_path / "sum")
    (name,) = add_tests(root, problems.load(root), [NEW])
    sums = (root / "generators/sha256sums").read_text()
    assert sums == "".join(
        f"{hashlib.sha256(data).hexdigest()}  {name}{suffix}\n"
        for suffix, data in ((".in", NEW.input), (".ans", NEW.answer))
    )
    assert not errors(root)
    (root / f"data/{name}.ans").write_bytes(b"3\n")
    assert errors(root) == [f"the sum of {name}.ans is not that of the file in data/"]


def test_a_recipe_stands_among_those_of_the_package(tmp_path: Path) -> None:
    root = write_files(tmp_path / "sum", GENERATED)
    assert add_tests(root, problems.load(root), [MADE, OTHER]) == ["secret/04-made", "secret/05-etc"]
    text = (root / "generators/generators.yaml").read_text()
    assert text == GENERATED["generators/generators.yaml"] + '      - "04-made": gen.py a=2 b=2\n'
    problem = problems.load(root)
    made = next(case for case in problem.generated if case.name == "secret/04-made")
    assert made.arguments == ("a=2", "b=2") and made.input_sha256 == hashlib.sha256(MADE.input).hexdigest()
    assert "secret/05-etc" in {case.name for case in problem.cases}
    assert errors(root) == ["does not pin secret/03-max.ans", "does not pin secret/03-max.in"]  # as before


def test_a_recipe_without_a_neighbour_becomes_data(tmp_path: Path) -> None:
    root = package(tmp_path / "sum")
    assert add_tests(root, problems.load(root), [MADE]) == ["secret/03-made"]
    assert (root / "data/secret/03-made.in").read_bytes() == MADE.input


def errors(root: Path) -> list[str]:
    return [one.message for one in validate(problems.load(root)) if "sum" in one.message or "pin" in one.message]


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("data: {secret: {data: [{1: gen.py}]}}\n", None),
        (
            "data:\n  secret:\n    data:\n    - 1: gen.py",
            'data:\n  secret:\n    data:\n    - 1: gen.py\n    - "2": G\n',
        ),
        (
            "data:\r\n  secret:\r\n    data:\r\n      1: gen.py # !\r\nseed: 1\r\n",
            'data:\r\n  secret:\r\n    data:\r\n      1: gen.py # !\r\n      "2": G\r\nseed: 1\r\n',
        ),
        ("data:\n  secret:\n    data:\n      1:\n        gen.py\n", None),
        ("data:\n  secret:\n    data:\n      1: >\n        gen.py\n", None),
        ("data:\n  sample:\n    data:\n      1: gen.py\n", None),
        (
            "# 题 🎲\ndata:\n  secret:\n    data:\n    - 1: gen.py # é",
            '# 题 🎲\ndata:\n  secret:\n    data:\n    - 1: gen.py # é\n    - "2": G\n',
        ),
        ("", None),
        ("- a\n", None),
    ],
)
def test_where_a_recipe_goes(text: str, changed: str | None) -> None:
    assert with_recipe(text, "secret/2", "G") == changed


def test_a_recipe_of_a_group_and_one_that_must_be_quoted() -> None:
    head = 'data:\n  secret:\n    data:\n      - "3/1": gen.py\n'
    assert with_recipe(head, "secret/3/2", "gen.py a: #b") == head + '      - "3/2": "gen.py a: #b"\n'
    nested = 'data:\n  secret:\n    data:\n      "3":\n        data:\n        - "1": gen.py\n'
    assert with_recipe(nested, "secret/3/2", "gen.py") == nested + '        - "2": gen.py\n'
    assert with_recipe(nested, "secret/2", "gen.py") is None


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, os.strerror(28))])
def test_what_is_broken_off_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    root = write_files(tmp_path / "sum", GENERATED)
    before = contents(root)
    write, count = tests._write, 0

    def stop(path: Path, data: bytes) -> None:
        nonlocal count
        count += 1
        if count == 4:
            raise error
        write(path, data)

    monkeypatch.setattr(tests, "_write", stop)
    with pytest.raises((KeyboardInterrupt, ProblemError)):
        add_tests(root, problems.load(root), [MADE, OTHER])  # two files, generators.yaml, and the sums
    assert count > 4 and contents(root) == before


def test_what_the_package_does_not_take_leaves_nothing(tmp_path: Path) -> None:
    root = write_files(tmp_path / "sum", GENERATED)
    before = contents(root)
    with pytest.raises(ProblemError, match=r"there is no generators/other\.py"):
        add_tests(root, problems.load(root), [replace(MADE, recipe="other.py")])
    assert contents(root) == before
    bare = package(tmp_path / "bare")
    (bare / "generators").write_text("a file")
    with pytest.raises(ProblemError, match="no test can be written"):
        add_tests(bare, problems.load(bare), [NEW])
    assert not list(bare.rglob("*wrong-answer*"))


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    root = package(tmp_path / "sum")
    problem = problems.load(root)
    (root / "data/secret/03-wrong-answer.ans").write_bytes(b"mine")
    with pytest.raises(ProblemError, match="exists already"):
        add_tests(root, problem, [NEW])
    assert (root / "data/secret/03-wrong-answer.ans").read_bytes() == b"mine"
