"""gen/GEN of a CMS task: a line a test, in subtasks.

# ST: 30            begins a subtask of 30 points
5 7 42              arguments of gen/generatore (or generator), which prints the input
# COPY: hand.txt    the input lies there, in the directory of the task

Tests whose files are not there become generated tests of the package, which the official solution answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from problems.files.languages import by_suffix
from problems.importing.draft import Draft
from problems.importing.source import Source
from problems.model import GeneratedCase
from problems.reading.generated import has_placeholder
from problems.reading.testdata import MOST_GENERATED

_GENERATORS = ("generatore", "generator")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A test, as a line of gen/GEN states it."""

    number: int
    #: What the generator gets.
    arguments: tuple[str, ...] = ()
    #: The input, in place of a generator.
    copied: str | None = None


def read_gen(source: Source, gen: Path) -> Iterator[tuple[float | None, tuple[Line, ...]]]:
    """Points and tests of each subtask; without points if there are no subtasks."""
    points: float | None = None
    tests: list[Line] = []
    for number, text in enumerate(source.text(source.inside(gen)).splitlines(), 1):
        made, sign, comment = (part.strip() for part in text.partition("#"))
        if made and comment.startswith(("ST:", "COPY:")):
            what = "a test and the begin of a subtask, or of another test, are on one line"
            raise source.tree.error(gen, what, "write each on a line of its own", number)
        if sign and comment.startswith("ST:"):
            said = comment.removeprefix("ST:").strip()
            if not (said.isascii() and said.isdecimal() and len(said) < 10):
                raise source.tree.error(gen, f"subtask of {said[:40]!r} points", "write a whole number", number)
            if points is None and tests:
                raise source.tree.error(gen, "tests stand before the first subtask", "move them into one", number)
            if points is not None:
                yield points, tuple(tests)
            points, tests = float(said), []
        elif comment and _begins_nearly(comment):
            raise source.tree.error(gen, f"{comment[:40]!r} begins no subtask", "write # ST: and its points", number)
        elif made:
            tests.append(Line(number=number, arguments=tuple(made.split())))
        elif sign and comment.startswith("COPY:"):
            tests.append(Line(number=number, copied=comment.removeprefix("COPY:").strip()))
    if points is not None or tests:
        yield points, tuple(tests)


def _begins_nearly(comment: str) -> bool:
    """Whether a comment is nearly one that begins a subtask: "st: 40", "ST 40", "Subtask: 40"."""
    words = comment.replace(":", " ").split()
    return len(words) == 2 and words[0].lower() in ("st", "subtask") and words[1].isdecimal()


@dataclass(kw_only=True)
class Missing:
    """Makes generated tests of those whose files are not there."""

    draft: Draft
    lines: tuple[Line, ...]
    #: The official solution.
    solution: Path | None
    #: Why it cannot print answers by itself; None: it can.
    unanswered: str | None
    made: list[GeneratedCase] = field(default_factory=list)

    def make(self, test: int, input_: Path | None, *, name: str, group: str) -> None:
        """One more, of which there is the input, or not even that.

        Raises:
            ProblemError: it cannot be generated.
        """
        gen = self.draft.directory / "gen" / "GEN"
        line = self.lines[test]
        why = self.unanswered or (None if self.solution else "there is no sol/solution to print its answer")
        if len(self.made) == MOST_GENERATED:
            why = f"it is one of more than {MOST_GENERATED}"
        if any(map(has_placeholder, line.arguments)):
            why = "packages read {seed} and {name} as something else"
        if why is not None:
            what = f"test {test} is not in the task, and {why}"
            raise self.draft.source.tree.error(gen, what, "make the tests (cmsMake, task-maker)", line.number)
        if input_ is None and line.copied is not None:
            input_ = self.draft.source.find_named(self.draft.directory, line.copied, gen, line.number)
        generator = self._generator if input_ is None else None
        arguments = line.arguments if input_ is None else ()
        self.made.append(GeneratedCase(name=name, group=group, generator=generator, arguments=arguments, input=input_))

    @cached_property
    def _generator(self) -> Path:
        place = self.draft.directory / "gen"
        for file in self.draft.list_files("gen"):
            if file.stem in _GENERATORS and by_suffix(file.suffix):
                return self.draft.source.generator(file, self.draft.name)
        what = "has no source of a generator, and tests are not in the task"
        raise self.draft.source.tree.error(place, what, "make the tests (cmsMake, task-maker)")
