"""Adds tests to a package directory: all of them, or none.

data/secret/12-early-exit.in     numbered after the tests that are there
data/secret/12-early-exit.ans
generators/generators.yaml       a test with a recipe stands here, and has no files in data/
generators/sha256sums            the sums of each new input and answer
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from problems.errors import ProblemError
from problems.files.tree import Tree
from problems.lookup import find, load
from problems.model import Problem
from problems.reading.generated import read_sums
from problems.writing.recipes import with_recipe

_NUMBERED = re.compile(r"([0-9]{1,6})(?:[^0-9].*)?", re.DOTALL)
_UNNAMEABLE = re.compile(r"[^A-Za-z0-9_]+")
_MOST_STEM = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTest:
    """A test to add."""

    #: What its name says after its number, e.g. "early-exit".
    stem: str
    input: bytes
    answer: bytes
    #: The generator and its arguments that make the input ("gen.py n=5 seed=7"); then the answer is the solution's.
    recipe: str | None = None
    #: The directory below data/ where it goes; None: where `add_tests` says.
    group: str | None = None


def add_tests(reference: str | Path, problem: Problem, tests: Sequence[NewTest], group: str | None = None) -> list[str]:
    """Write the tests into the package of `problem`, which `reference` names. Returns their names: "secret/12-stress".

    A test whose input is there already is left out. `group`: where they go; None: the last group with tests.

    Raises:
        ProblemError: the package is no directory, has no such group, or cannot be written; then nothing is changed.
    """
    check_directory(reference)
    usual = _group(problem, group)
    known = {case.read_input() for case in problem.cases}
    new = list({test.input: test for test in tests if test.input not in known}.values())
    if not new:
        return []
    placed: dict[str, list[NewTest]] = {}
    for test in new:
        placed.setdefault(usual if test.group is None else _group(problem, test.group), []).append(test)
    names = {
        id(test): name
        for place, some in placed.items()
        for name, test in zip(_names(problem, place, some), some, strict=True)
    }
    named = {names[id(test)]: test for test in new}
    for name in named:
        for suffix in (".in", ".ans"):
            if (path := problem.directory / "data" / f"{name}{suffix}").exists():
                raise ProblemError(f"{path}: exists already, though no test is called so; rename or remove it")
    contents = _contents(Tree(problem.directory, str(problem.directory)), named)
    before = {path: path.read_bytes() if path.is_file() else None for path in contents}
    try:
        for path, data in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, data)
        _check(problem, named)
    except BaseException as error:
        _restore(before)
        if isinstance(error, OSError):
            raise ProblemError(
                f"{problem.directory}: no test can be written: {error.strerror}; copy the package to a place of yours"
            ) from error
        raise
    return list(named)


def _contents(tree: Tree, tests: Mapping[str, NewTest]) -> dict[Path, bytes]:
    """The files that change, in the order of writing. A test without its sums is whole, so the sums come last."""
    found: dict[Path, bytes] = {}
    recipes = tree.file("generators", "generators.yaml")
    text = None if recipes is None else tree.read_text(recipes)
    for name, test in tests.items():
        changed = None if text is None or test.recipe is None else with_recipe(text, name, test.recipe)
        if changed is not None:
            text = changed
            continue
        # The input last: an answer alone is no test yet.
        for suffix, data in ((".ans", test.answer), (".in", test.input)):
            found[tree.root / "data" / f"{name}{suffix}"] = data
    if recipes is not None and text is not None and text != tree.read_text(recipes):
        found[recipes] = text.encode()
    made = {f"{name}{end}": data for name, test in tests.items() for end, data in _files(test.input, test.answer)}
    return found | _with_sums(tree, made)


def _files(given: bytes, answer: bytes) -> tuple[tuple[str, bytes], ...]:
    return (".in", given), (".ans", answer)


def _with_sums(tree: Tree, files: Mapping[str, bytes]) -> dict[Path, bytes]:
    """generators/sha256sums with those of more files: {"secret/05-max.in": content}."""
    sums = tree.file("generators", "sha256sums") or tree.root / "generators" / "sha256sums"
    lines = tree.read_text(sums).splitlines() if sums.is_file() else []
    lines += [f"{hashlib.sha256(data).hexdigest()}  {name}" for name, data in files.items()]
    return {sums: "".join(f"{line}\n" for line in lines).encode()}


def pin(reference: str | Path, problem: Problem, built: Problem) -> list[str]:
    """Write the sums that generators/sha256sums lacks. `built` is `problem` with its generated tests as files. Returns
    the names of the files that were pinned: "secret/05-max.in".

    Raises:
        ProblemError: the package is no directory, or cannot be written.
    """
    check_directory(reference)
    tree = Tree(problem.directory, str(problem.directory))
    known, generated = read_sums(tree), {case.name for case in problem.generated}
    made = {
        f"{case.name}{end}": data
        for case in built.cases
        if case.name in generated
        for end, data in _files(case.read_input(), case.read_answer())
        if f"{case.name}{end}" not in known
    }
    if made:
        ((path, data),) = _with_sums(tree, made).items()
        try:
            _write(path, data)
        except OSError as error:
            raise ProblemError(f"{path}: {error.strerror}") from error
    return sorted(made)


def _check(problem: Problem, tests: Mapping[str, NewTest]) -> None:
    """
    Raises:
        ProblemError: the package does not have the tests now.
    """
    if missing := tests.keys() - set(_list_taken(load(problem.directory))):
        raise ProblemError(f"{problem.directory}: does not take the test {min(missing)}; add it by hand")


def _restore(before: Mapping[Path, bytes | None]) -> None:
    for path, data in before.items():
        with suppress(OSError):
            if data is not None:
                _write(path, data)
            elif path.parent.is_dir():
                path.unlink(missing_ok=True)
                path.parent.rmdir()  # fails unless it is empty, as one that was made for the file is


def check_directory(reference: str | Path) -> None:
    """
    Raises:
        ProblemError: the package is no directory, so that no test can be added.
    """
    if not find(reference).is_dir():
        raise ProblemError(f"{reference} is a zip, to which no test is added; unpack it and name the directory")


def _write(path: Path, data: bytes) -> None:
    """Under another name first, which is no test's: what is broken off is never half a test."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(data)
        part.rename(path)
    finally:
        part.unlink(missing_ok=True)


def _group(problem: Problem, wanted: str | None) -> str:
    """The directory below data/ that gets the tests."""
    groups = list(dict.fromkeys(name.rpartition("/")[0] for name in _list_taken(problem) if name.startswith("secret/")))
    if wanted is not None and wanted not in groups:
        raise ProblemError(f"problem {problem.name} has no group {wanted!r} with tests; it has: {', '.join(groups)}")
    return wanted or (groups or ["secret"])[-1]


def _names(problem: Problem, place: str, tests: Sequence[NewTest]) -> Iterator[str]:
    taken = [name.rpartition("/")[2] for name in _list_taken(problem) if name.rpartition("/")[0] == place]
    numbers = [match[1] for name in taken if (match := _NUMBERED.fullmatch(name))]
    width = max(map(len, numbers), default=2)
    for number, test in enumerate(tests, max(map(int, numbers), default=0) + 1):
        stem = _UNNAMEABLE.sub("-", test.stem)[:_MOST_STEM].strip("-") or "new"
        yield f"{place}/{number:0{width}}-{stem}"


def _list_taken(problem: Problem) -> list[str]:
    return [case.name for case in problem.cases] + [case.name for case in problem.generated]
