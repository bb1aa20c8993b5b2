"""What the readers of formats share: a draft that knows the source of its problem, and where its problems lie in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from problems.errors import ProblemError
from problems.files.languages import by_suffix
from problems.importing.source import Format, Source, clean, handed_in
from problems.model import Group, Limits, Problem, Program, TestCase
from problems.text.statement import samples
from problems.writing import draft

#: A quantity: a number and its unit.
_QUANTITY = re.compile(r"\s*+(\d{1,9}(?:\.\d{1,9})?)\s*+([A-Za-z]*+)\s*+")
#: A quantity as a file states it, and the units that it may have there.
Stated = tuple[str | None, Mapping[str, int]]


@dataclass(kw_only=True)
class Draft(draft.Draft):
    source: Source
    directory: Path
    #: The file that says how it is judged. What is wrong is said of it.
    path: Path

    @staticmethod
    def begin(source: Source, name: str, path: Path, directory: Path | None = None, *, title: str = "") -> Draft:
        """`directory`: where its files lie; None: anywhere in the source. `title`: "": its name."""
        return Draft(
            name=name,
            title=title or name,
            source=source,
            work=source.work / name,
            directory=directory or source.tree.root,
            path=path,
        )

    def error(self, what: str, remedy: str, *location: int | str, line: int | None = None) -> ProblemError:
        """What is wrong, in the file that says how it is judged: on a line, or at these keys and indices of YAML."""
        line = self.source.line_at(self.path, *location) if location else line
        return self.source.tree.error(self.path, what, remedy, line)

    def lose(self, what: str, remedy: str, *location: int | str) -> None:
        """Something in that file does not fit. Raises as `Source.lose`."""
        line = None if self.source.lenient or not location else self.source.line_at(self.path, *location)
        self.source.lose(self.path, what, remedy, line)

    def note(self, what: str, *location: int | str) -> None:
        """Something in that file is not imported, and judging does not need it."""
        self.source.note(self.path, what, self.source.line_at(self.path, *location) if location else None)

    def assume(self, what: str) -> None:
        """That file leaves something open, and we take what is usual."""
        self.source.assume(self.path, what)

    def find(self, name: str, within: Path | None = None) -> Path:
        """The file that it names, below `within` or its own directory. Raises as `Source.find_named`."""
        return self.source.find_named(within or self.directory, name, self.path)

    def list_files(self, *below: str) -> list[Path]:
        """Everything in its directory, or in one below it."""
        return self.source.entries(self.directory.joinpath(*below))

    def add_labelled(
        self, path: Path, verdict: object, expected: Mapping[str, frozenset[str]], stated: Path | None = None
    ) -> None:
        """A solution of which the file `stated` says what it is worth, in words of the format: `expected` has what they
        mean. What is not known is not imported, and noted."""
        if verdict not in expected:
            self.source.note(stated or self.path, f"{path.name}: verdict {str(verdict)[:40]!r} is not imported")
        else:
            self.add_known(path, expected[str(verdict)])

    def add_known(self, path: Path, expected: frozenset[str]) -> None:
        """A solution with the verdicts that it may get; if it is of no language that we know, a note."""
        if by_suffix(path.suffix) is None:
            self.source.note(path, "is of no language that is known by its suffix: not imported")
        else:
            self.add_solution(path, expected)

    def add_shown_samples(self) -> None:
        """The samples of its first statement."""
        text = self.source.text(next(iter(self.statements.values()))) if self.statements else ""
        for one in samples(text):
            self.add_sample(one.input, one.output)

    def hand_in(self, tests: Iterable[TestCase], names: Iterable[str]) -> list[TestCase]:
        """Submissions are outputs: the tests under names for which files of these names, in their order, are handed in.

        Raises:
            ProblemError: two of them are for one test.
        """
        made = handed_in(self.source, self.path, names)
        return [replace(case, name=f"{case.group}/{name}") for case, name in zip(tests, made, strict=True)]

    def lose_reader(self, program: Program) -> None:
        """Raises as `Source.lose`: the program reads the source of the submission, which it does not get here."""
        if b'"code"' in program.sources[0].read_bytes():
            what = "reads the source of the submission, which it does not get here"
            self.source.lose(program.sources[0], what, "drop that")

    def count_tests(self, points: float | None = None) -> None:
        """All tests are one group, which has these points; None: the sum of their weights."""
        whole = sum(case.weight for case in self.tests) if points is None else points
        self.groups.append(Group(name="secret", points=whole))

    def read_number(self, what: str, text: str, units: Mapping[str, int]) -> int:
        """A quantity such as 1s, 500ms, 256m.

        Raises:
            ProblemError: it is none.
        """
        match = _QUANTITY.fullmatch(text)
        if match is None or match[2].lower() not in units:
            remedy = f"write a number with one of {', '.join(filter(None, units))}"
            raise self.error(f"{what} {text[:40]!r} is none", remedy, line=self.source.line(self.path, what, text))
        return round(float(match[1]) * units[match[2].lower()])

    def read_limits(self, usual: Limits, time: Stated, memory: Stated) -> Limits:
        """Limits that it states, each with the units that it may have; None: the usual one holds."""
        seconds, size = time[0], memory[0]
        return replace(
            usual,
            cpu_ns=usual.cpu_ns if seconds is None else self.read_number("time", seconds, time[1]),
            memory_bytes=usual.memory_bytes if size is None else self.read_number("memory", size, memory[1]),
        )

    def take_usual_limits(self) -> Limits:
        """The limits that most tests state; the others keep their own."""
        usual = Counter(case.limits or Limits() for case in (*self.samples, *self.tests)).most_common(1)[0][0]
        for tests in (self.samples, self.tests):
            tests[:] = [replace(case, limits=None if case.limits == usual else case.limits) for case in tests]
        return usual


def of_folders(
    *,
    name: str,
    holds: str,
    is_problem: Callable[[Path], bool],
    read: Callable[[Draft], Problem],
    head: str = "",
    other: str | None = None,
    packaged: bool = False,
) -> Format:
    """A format of which a folder is a problem, or each folder in one. `head`: the file that says how it is judged.
    `other`: a file of another format, beside which there is none of this. `packaged`: as of `Format`."""

    def list_folders(source: Source) -> list[Path]:
        root = source.tree.root
        if other is not None and (root / other).is_file():
            return []
        return [root] if is_problem(root) else [child for child in source.entries(root) if is_problem(child)]

    def list_problems(source: Source) -> Iterator[tuple[str, Callable[[], Problem]]]:
        for directory in list_folders(source):
            called = source.name if directory == source.tree.root else directory.name
            draft = Draft.begin(source, clean(called), directory / head, directory, title=called)
            yield draft.name, partial(read, draft)

    return Format(
        name=name,
        holds=holds,
        recognises=lambda source: bool(list_folders(source)),
        problems=list_problems,
        packaged=packaged,
    )


def of_source(
    *, name: str, holds: str, find_head: Callable[[Source], Path | None], read: Callable[[Draft], Problem], head: str
) -> Format:
    """A format of which a source is one problem. `find_head`: the file that says how it is judged, which is called
    `head`."""

    def list_problems(source: Source) -> Iterator[tuple[str, Callable[[], Problem]]]:
        draft = Draft.begin(source, clean(source.name), find_head(source) or source.tree.root / head)
        yield draft.name, partial(read, draft)

    return Format(
        name=name, holds=holds, recognises=lambda source: find_head(source) is not None, problems=list_problems
    )
