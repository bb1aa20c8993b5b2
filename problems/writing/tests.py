"""Adds tests to a package directory: each of them whole, or none.

data/secret/12-early-exit.in     numbered after the tests that are there
data/secret/12-early-exit.ans
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from problems.errors import ProblemError
from problems.lookup import find
from problems.model import Problem

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


def add_tests(reference: str | Path, problem: Problem, tests: Sequence[NewTest], group: str | None = None) -> list[str]:
    """Write the tests into the package of `problem`, which `reference` names. Returns their names: "secret/12-stress".

    A test whose input is there already is left out. `group`: where they go; None: the last group with tests.

    Raises:
        ProblemError: the package is no directory, has no such group, or cannot be written; then nothing is changed.
    """
    check_directory(reference)
    place = _group(problem, group)
    known = {case.read_input() for case in problem.cases}
    new = list({test.input: test for test in tests if test.input not in known}.values())
    names = [name for name, _ in zip(_names(problem, place, new), new, strict=True)]
    paths = [problem.directory / "data" / f"{name}{suffix}" for name in names for suffix in (".in", ".ans")]
    if taken := [path for path in paths if path.exists()]:
        raise ProblemError(f"{taken[0]}: exists already, though no test is called so; rename or remove it")
    try:
        for name, test in zip(names, new, strict=True):
            target = problem.directory / "data" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            # The input last: an answer alone is no test yet.
            for suffix, data in ((".ans", test.answer), (".in", test.input)):
                _write(target.with_name(target.name + suffix), data)
    except BaseException as error:
        for path in paths:
            with suppress(OSError):
                path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise ProblemError(
                f"{problem.directory}: no test can be written: {error.strerror}; copy the package to a place of yours"
            ) from error
        raise
    return names


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
    groups = list(dict.fromkeys(name.rpartition("/")[0] for name in _taken(problem) if name.startswith("secret/")))
    if wanted is not None and wanted not in groups:
        raise ProblemError(f"problem {problem.name} has no group {wanted!r} with tests; it has: {', '.join(groups)}")
    return wanted or (groups or ["secret"])[-1]


def _names(problem: Problem, place: str, tests: Sequence[NewTest]) -> Iterator[str]:
    taken = [name.rpartition("/")[2] for name in _taken(problem) if name.rpartition("/")[0] == place]
    numbers = [match[1] for name in taken if (match := _NUMBERED.fullmatch(name))]
    width = max(map(len, numbers), default=2)
    for number, test in enumerate(tests, max(map(int, numbers), default=0) + 1):
        stem = _UNNAMEABLE.sub("-", test.stem)[:_MOST_STEM].strip("-") or "new"
        yield f"{place}/{number:0{width}}-{stem}"


def _taken(problem: Problem) -> list[str]:
    return [case.name for case in problem.cases] + [case.name for case in problem.generated]
