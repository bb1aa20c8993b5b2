"""What the writers of formats share: the files to be written, and what the format does not hold."""

from __future__ import annotations

import math
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from problems.errors import ProblemError
from problems.files.yamlfile import yaml_text
from problems.model import SECOND_NS, Comparison, Limits, Problem, TestCase
from problems.text.constants import substitute

_MS = SECOND_NS // 1000
_STAMP = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The files of one problem in another format: names with "/", and their content or the file to copy."""

    problem: Problem
    #: Its name in the format, for messages.
    format: str
    lenient: bool
    #: Whether it will be one file.
    packed: bool
    files: dict[str, bytes | Path] = field(default_factory=dict)
    #: What is left out though judging depends on it.
    losses: list[str] = field(default_factory=list)
    #: What else to know: what the format has no place for, and what stands in its place.
    notes: list[str] = field(default_factory=list)

    def lose(self, what: str, remedy: str) -> None:
        """Judging depends on something that the format cannot hold.

        Raises:
            ProblemError: it is not to be lost.
        """
        if not self.lenient:
            raise self.refusal(what, f"{remedy}, or leave it out with --lenient")
        self.losses.append(what)

    def refusal(self, what: str, remedy: str) -> ProblemError:
        return ProblemError(f"problem {self.problem.name}: {self.format} cannot hold {what}; {remedy}")

    def note(self, what: str) -> None:
        if what not in self.notes:
            self.notes.append(what)

    def put(self, name: str, content: bytes | str | Path) -> None:
        if name in self.files:
            raise ProblemError(f"problem {self.problem.name}: two files would be called {name}; rename one of them")
        self.files[name] = content.encode() if isinstance(content, str) else content

    def put_yaml(self, name: str, data: Mapping[str, Any]) -> None:
        self.put(name, yaml_text(data))

    def text(self, path: Path) -> bytes:
        """The content of a statement or a program, with its constants.

        Raises:
            ProblemError: it cannot be read.
        """
        try:
            return substitute(path.read_bytes(), self.problem.constants, str(path))
        except OSError as error:
            raise ProblemError(f"{path}: cannot be read: {error.strerror}; check the package") from error

    def whole(self, value: float, unit: int, what: str) -> int:
        """A quantity in units of the format, rounded up."""
        if value % unit:
            self.note(f"{what} is rounded up to what the format can say")
        return math.ceil(value / unit)

    def milliseconds(self, limits: Limits, what: str = "the time limit") -> int:
        return self.whole(limits.cpu_ns, _MS, what)

    def write(self, place: Path) -> None:
        """Write all files into `place`: a zip file or a new directory, which is whole or not there.

        Raises:
            ProblemError: it exists, or cannot be written.
        """
        if place.exists():
            raise ProblemError(f"{place}: exists already; choose another place with -o or remove it")
        partial = place.with_name(f".{place.name}.partial")
        new = not place.parent.exists()
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            _remove(partial)  # of an export that was killed
            (self._pack if self.packed else self._lay)(partial)
            partial.rename(place)
        except OSError as error:
            name = error.filename or place
            raise ProblemError(f"{name}: {error.strerror}; check the package, permissions and free space") from error
        finally:
            _remove(partial)
            if new and not place.exists():
                with suppress(OSError):  # what was not made, or is not empty
                    place.parent.rmdir()

    def _lay(self, place: Path) -> None:
        for name, content in sorted(self.files.items()):
            file = place / name
            file.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Path):
                shutil.copyfile(content, file)
            else:
                file.write_bytes(content)

    def _pack(self, place: Path) -> None:
        """A zip that depends on nothing but its content: fixed times, modes and order."""
        with zipfile.ZipFile(place, "x", zipfile.ZIP_DEFLATED) as archive:
            for name, content in sorted(self.files.items()):
                info = zipfile.ZipInfo(name, _STAMP)
                info.compress_type = zipfile.ZIP_DEFLATED
                info.external_attr = 0o644 << 16
                if not isinstance(content, Path):
                    archive.writestr(info, content)
                    continue
                info.file_size = content.stat().st_size  # tells whether it needs the form for large files
                with content.open("rb") as source, archive.open(info, "w") as entry:
                    shutil.copyfileobj(source, entry, 1 << 20)


def _remove(place: Path) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place, ignore_errors=True)
    else:
        with suppress(OSError):
            place.unlink()


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    name: str
    #: Its name for people.
    title: str
    #: Puts the problem's files into the target.
    write: Callable[[Target], None]


def only_batch(target: Target, *, interactive: bool = False, scripts: bool = False) -> None:
    """Raise ProblemError if the problem is of a kind that the format does not know: no part of it can be left out."""
    problem = target.problem
    remedy = "export it to icpc"
    if problem.passes > 1:
        raise target.refusal("multi-pass problems", remedy)
    if problem.kind == "submit-answer":
        raise target.refusal("problems whose submissions are outputs", remedy)
    if problem.interactor is not None and not interactive:
        raise target.refusal("interactive problems", remedy)
    if problem.interactor is not None and problem.checker != Comparison():
        raise target.refusal("an interactor with a checker", remedy)
    if problem.manager is not None:
        raise target.refusal("problems whose submissions run in several processes", remedy)
    if problem.function is not None:
        raise target.refusal("functions that a judge calls", remedy)
    if problem.static_cases:
        raise target.refusal("tests that look at the source of a submission", remedy)
    if problem.grader is not None:
        raise target.refusal("files that are compiled with submissions", remedy)
    if any(group.grader is not None for group in problem.groups):
        raise target.refusal("programs that compute the points of groups", remedy)
    if not scripts and any(group.script is not None for group in problem.groups):
        raise target.refusal("scripts that compute the points of groups", "export it to icpc or luogu")


def plain_cases(target: Target, *, limits: bool = False) -> None:
    """What only the ICPC formats know about single tests, is lost."""
    for case in target.problem.cases:
        if case.arguments:
            target.lose(f"arguments of the program ({case.name})", "put them into the input")
        if case.files:
            target.lose(f"files beside the program ({case.name})", "put them into the input")
        if case.checker is not None:
            target.lose(f"a comparison of one test's own ({case.name})", "give all tests the same")
        if case.interactor_arguments is not None:
            target.lose(f"arguments of the interactor of one test's own ({case.name})", "give all tests the same")
        if case.limits is not None and not limits:
            target.lose(f"limits of one test's own ({case.name})", "give all tests the same")


def find_counted(problem: Problem) -> Iterator[TestCase]:
    """The cases that count, in judging order."""
    named = {group.name: group for group in problem.groups}
    return (case for case in problem.cases if named[case.group].counted)


def tell_limits(target: Target) -> None:
    """Notes on limits that the format does not state. Each judge has its own for them.

    Raises:
        ProblemError: the format asks for a time limit, and the package states none.
    """
    limits, usual = target.problem.limits, Limits()
    if target.problem.stated_cpu_ns is None:
        what = f"a time limit that accepted submissions decide (it would be {limits.cpu_ns / SECOND_NS:g} s)"
        target.lose(what, f"state one: judge problems calibrate {target.problem.name} --write")
    for name in ("output_bytes", "code_bytes", "wall_ns"):
        if (value := getattr(limits, name)) != getattr(usual, name):
            target.note(f"not in it: limits.{name} ({value}), for which the format has no place")


def tell_no_place(target: Target, *names: str) -> None:
    """Notes on parts of the problem that the format has no place for: judging does not depend on them."""
    for name in names:
        if (held := getattr(target.problem, name)) and held != "":
            many = f" ({len(held)})" if isinstance(held, tuple) else ""
            target.note(f"not in it: {name.replace('_', ' ')}{many}, for which the format has no place")
