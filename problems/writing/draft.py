"""A problem in the making. Whoever reads it, from another format, a row of a data set or a request, says one thing
after the other; `build` makes the `Problem` of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from problems.model import Checker, Group, LabelledSubmission, Limits, Problem, TestCase

#: The group of tests that count, where there are no others; and that of the tests that a statement shows.
SECRET, SAMPLE = "secret", "sample"


def write_file(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def write_test(
    directory: Path, stem: str, given: str | bytes, answer: str | bytes, *, group: str = SECRET, name: str = ""
) -> TestCase:
    """A test whose files are written into a directory: STEM.in and STEM.ans. `name`: below the group; "": the stem."""
    return TestCase(
        name=f"{group}/{name or stem}",
        group=group,
        input=write_file(directory / f"{stem}.in", given),
        answer=write_file(directory / f"{stem}.ans", answer),
        sample=group == SAMPLE,
    )


@dataclass(kw_only=True)
class Draft:
    name: str
    #: For files that we make.
    work: Path
    #: Where its own files lie; None: there are none but those that we make.
    directory: Path | None = None
    #: What people call it.
    title: str = ""
    tests: list[TestCase] = field(default_factory=list)
    samples: list[TestCase] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    statements: dict[str, Path] = field(default_factory=dict)
    solutions: list[LabelledSubmission] = field(default_factory=list)

    def make(self, name: str, content: str | bytes) -> Path:
        """A file of our own."""
        return write_file(self.work / name, content)

    def add_test(
        self,
        given: Path,
        answer: Path | None,
        name: str,
        group: str = SECRET,
        *,
        weight: float = 1.0,
        full_score: float = 1.0,
        limits: Limits | None = None,
        checker: Checker | None = None,
    ) -> None:
        """A test of these files. `name`: below the group."""
        made = TestCase(
            name=f"{group}/{name}",
            group=group,
            input=given,
            answer=answer,
            weight=weight,
            full_score=full_score,
            limits=limits,
            checker=checker,
            sample=group == SAMPLE,
        )
        (self.samples if made.sample else self.tests).append(made)

    def add_sample(self, given: str, answer: str, weight: float = 1.0) -> None:
        """A test that the statement shows."""
        stem = str(len(self.samples) + 1)
        made = write_test(self.work / SAMPLE, stem, f"{given.rstrip()}\n", f"{answer.rstrip()}\n", group=SAMPLE)
        self.samples.append(replace(made, weight=weight))

    def add_statement(self, language: str, text: str | Path) -> Path:
        """The statement in a language: its text, or its file."""
        made = text if isinstance(text, Path) else self.make(f"problem.{language}.md", text)
        self.statements[language] = made
        return made

    def add_sections(self, language: str, sections: Iterable[tuple[str, str]]) -> None:
        """A statement in parts, each with its heading or without; those without text are left out."""
        parts = [(f"## {title}\n\n" if title else "") + text.strip() + "\n" for title, text in sections if text.strip()]
        if parts:
            self.add_statement(language, "\n".join(parts))

    def add_solution(
        self, path: Path, expected: frozenset[str] = frozenset({"AC"}), language: str | None = None
    ) -> None:
        self.solutions.append(LabelledSubmission(path=path, expected=expected, language=language))

    def build(self, language: str | None = None) -> Problem:
        """The problem, with limits and comparison that are usual: what is said of them is put in by `replace`.
        `language`: of a statement that has its title alone, where there is none; None: it has neither."""
        if language is not None and not self.statements:
            self.add_statement(language, f"# {self.title}\n")
        groups = self.groups or [Group(name=SECRET)]
        if self.samples and all(group.name != SAMPLE for group in groups):
            groups = [Group(name=SAMPLE, counted=False), *groups]
        return Problem(
            name=self.name,
            directory=self.directory or self.work,
            title=dict.fromkeys(self.statements, self.title),
            groups=tuple(groups),
            cases=(*self.samples, *self.tests),
            statements=dict(self.statements),
            submissions=tuple(self.solutions),
        )
