"""What a statement shows of the samples: by default their input and answer, else what files beside them say.

    NAME.interaction                    the conversation, instead of input and answer
    NAME.in.statement                   instead of NAME.in
    NAME.ans.statement, or NAME.out     instead of NAME.ans

By the specification of 2025-09. Of an interactive problem of the legacy format input and answer are not shown at all:
"<" begins a line of the interactor there, ">" one of the program, and "---" stands between passes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from problems.errors import ProblemError
from problems.files.tree import Tree
from problems.model import Problem, TestCase

INTERACTION = ".interaction"
#: What is shown instead of NAME.in and of NAME.ans, the first that there is.
INPUTS, ANSWERS = (".in.statement", ".in"), (".ans.statement", ".out", ".ans")
#: Files beside a sample's that say what is shown of it, or given for download.
BESIDE = (INTERACTION, *INPUTS[:-1], *ANSWERS[:-1], ".in.download", ".ans.download")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Either a conversation, or an input with its answer (None: a file that there is not, or that is not shown)."""

    name: str  # e.g. "sample/1"
    interaction: Path | None = None
    input: Path | None = None
    answer: Path | None = None

    @property
    def parts(self) -> tuple[tuple[str, Path], ...]:
        """Of what it consists, in its order, each under "interaction", "input" or "answer"."""
        every = (("interaction", self.interaction), ("input", self.input), ("answer", self.answer))
        return tuple((what, path) for what, path in every if path is not None)

    def texts(self) -> dict[str, str]:
        """Whole. What there is not, or is not shown, of an input with its answer is empty.

        Raises:
            ProblemError: a file cannot be read.
        """
        empty = {} if self.interaction is not None else {"input": "", "answer": ""}
        return empty | {what: read(path) for what, path in self.parts}


def converses(problem: Problem) -> bool:
    """Whether input and answer alone do not say how a program talks on it."""
    return problem.interactor is not None or problem.manager is not None or problem.passes > 1


def samples(problem: Problem) -> tuple[Sample, ...]:
    """What is shown, in the order of the tests; conversations without a test come last.

    Raises:
        ProblemError: a link leaves the package.
    """
    conversing = converses(problem)
    hidden = problem.interactor is not None and problem.format == "legacy"
    shown: list[Sample] = []
    for case in problem.cases:
        if not case.sample:
            continue
        others = beside(problem, case)
        if conversing and INTERACTION in others:
            shown.append(Sample(name=case.name, interaction=others[INTERACTION]))
            continue
        own = {} if hidden else {".in": case.input, **({} if case.answer is None else {".ans": case.answer})}
        there = {**others, **own}
        given, answer = (next((there[s] for s in some if s in there), None) for some in (INPUTS, ANSWERS))
        if given is not None or answer is not None:
            shown.append(Sample(name=case.name, input=given, answer=answer))
    if conversing:
        known = {sample.name for sample in shown}
        alone = ((f"sample/{path.stem}", path) for path in conversations(problem))
        shown += [Sample(name=name, interaction=path) for name, path in alone if name not in known]
    return tuple(shown)


def conversations(problem: Problem) -> list[Path]:
    """The sample conversations of an interactive or multi-pass problem: they are shown, not run."""
    if not converses(problem):
        return []
    files = Tree(problem.directory, problem.name).entries(problem.directory / "data" / "sample")[0]
    return [path for path in files if path.suffix == INTERACTION]


def head(path: Path, most: int) -> tuple[str, bool]:
    """The text of the first bytes of a part, and whether there are more.

    Raises:
        ProblemError: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            found = file.read(most + 1)
    except OSError as error:
        raise _unreadable(path, error) from error
    return found[:most].decode("utf-8", "replace"), len(found) > most


def read(path: Path) -> str:
    """The text of a part.

    Raises:
        ProblemError: it cannot be read.
    """
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> ProblemError:
    return ProblemError(f"{path}: cannot be read: {error.strerror}; check its permissions")


def beside(problem: Problem, case: TestCase) -> dict[str, Path]:
    """The files of `BESIDE` that a sample of a package has, by suffix."""
    place, given = problem.directory / "data" / "sample", case.input
    if not case.sample or given.suffix != ".in" or not given.is_relative_to(place):
        return {}
    stem = given.name.removesuffix(".in")
    tree, parts = Tree(problem.directory, problem.name), given.parent.relative_to(problem.directory).parts
    # Each is looked for: to list the directory for each sample would take minutes where there are thousands.
    found = {suffix: tree.file(*parts, stem + suffix) for suffix in BESIDE}
    return {suffix: path for suffix, path in found.items() if path is not None and path != case.answer}
