"""Opens what is audited: a file of judged rollouts, with its programs or beside the file that has them, or the
directory of a run; and their problems.

A run's directory has what `judge-train grpo` writes:

    evaluation/step-N.jsonl                          rollouts for held-out problems
    checkpoints/completions/completions_N.parquet    those of the training, with `grpo.log_completions`
    record/config.yaml                               names the data
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import ValidationError

import problems
from judge.common.errors import ConfigError
from problems.model import Problem
from trainer_adapter.data.inline_problems import InlineProblems
from trainer_adapter.rewards.shared_judge import find_in_store
from trainer_adapter.rollouts.row import Rollout, read
from trainer_adapter.rollouts.selection.files import objects, open_again, show_name
from trainer_adapter.rollouts.selection.source import Entry, Source, rollouts

_PROGRAM = ("completion", "source", "prompt", "template_end", "language")


@dataclass(slots=True, kw_only=True)
class Problems:
    """The problems of rollouts, by name."""

    #: A directory of packages, which are looked at first.
    store: Path | None = None
    #: Of data sets: packed tests, by the name of their problem.
    tests: Mapping[str, str] = field(default_factory=dict)
    _inline: InlineProblems = field(default_factory=InlineProblems)

    def load(self, name: str) -> Problem:
        """
        Raises:
            ProblemError, JudgeError: there is no such problem, or it cannot be read.
        """
        if name in self.tests:
            text = self.tests[name]
            return self._inline.take(hashlib.sha256(text.encode()).hexdigest(), text)
        return problems.load(find_in_store(self.store, name))

    def close(self) -> None:
        self._inline.close()


class WithPrograms:
    """A file of results, whose programs lie in the file that was judged."""

    def __init__(self, source: Source, stream: BinaryIO, name: str) -> None:
        self._source, self._stream, self._name = source, stream, name
        self._places: dict[str, int] = {}

    def by_problem(self) -> dict[str, list[Entry]]:
        """
        Raises:
            ConfigError: a line of either file is no row, or two have one id.
        """
        for number, place, row in self._rows():
            if (id_ := _read_id(row)) and self._places.setdefault(id_, place) != place:
                raise ConfigError(f"{self._name}:{number}: id {id_!r} is on an earlier line already; make ids unique")
        return self._source.by_problem()

    def _rows(self) -> Iterator[tuple[int, int, dict[str, Any]]]:
        """The number of each line that is not blank, where it begins, and its row."""
        self._stream.seek(0)
        place = end = 0

        def lines() -> Iterator[bytes]:
            nonlocal place, end
            for line in self._stream:
                place, end = end, end + len(line)
                yield line

        for number, _, row in objects(lines(), self._name):
            yield number, place, row

    def rollout(self, entry: Entry) -> Rollout:
        """
        Raises:
            ConfigError: there is no program with its id, or it is of another problem.
        """
        found = self._source.rollout(entry)
        if entry.id not in self._places:
            raise ConfigError(f"{self._name} has no row with the id {entry.id!r}: give the file that was judged")
        self._stream.seek(self._places[entry.id])
        ((_, _, row),) = objects([self._stream.readline()], self._name)
        if row.get("problem") != found.problem:
            raise ConfigError(f"{self._name}: {entry.id!r} is of another problem there: give the file that was judged")
        try:
            return Rollout.model_validate(found.model_dump() | {name: row[name] for name in _PROGRAM if name in row})
        except ValidationError as error:
            raise ConfigError(f"{self._name}: {entry.id!r} is no row of judge batch: {error}") from error


def _read_id(row: Mapping[str, Any]) -> str:
    """As `judge batch` has it; "": none, by which nothing is found."""
    found = row.get("id")
    return str(found) if type(found) in (int, str) else ""


@contextmanager
def open_rows(path: Path, programs: Path | None = None) -> Iterator[Source | WithPrograms]:
    """
    Raises:
        ConfigError: there is nothing to audit in it.
        OSError: it cannot be read.
    """
    if path.is_dir():
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", errors="backslashreplace") as copy:
            copy.writelines(rollout.line() for rollout in _of_run(path))
            copy.flush()
            with Path(copy.name).open("rb") as stream:
                yield Source(stream, str(path))
        return
    with rollouts(path) as source:
        if programs is None:
            yield source
        else:
            with open_again(programs) as stream:
                yield WithPrograms(source, stream, show_name(programs))


def _of_run(directory: Path) -> Iterator[Rollout]:
    from trainer_adapter.rollouts.completions import (  # noqa: PLC0415 - pyarrow is slow to import
        find_files,
        read_completions,
    )

    evaluated = sorted((directory / "evaluation").glob("step-*.jsonl"))
    trained = find_files(directory)
    if not evaluated and not trained:
        raise ConfigError(
            f"{directory}: no rollouts in evaluation/ or checkpoints/completions/: a run keeps them with "
            "evaluation.every or grpo.log_completions"
        )
    for path in evaluated:
        step = path.stem.removeprefix("step-")
        if not (step.isascii() and step.isdigit()):
            raise ConfigError(f"{path}: no step stands in its name: move it elsewhere, or call it step-000100.jsonl")
        for rollout in read(path):
            yield rollout.model_copy(update={"step": int(step), "id": f"{path.stem}/{rollout.id}"})
    for path in trained:
        yield from read_completions(path)


def packed_tests(tasks: Iterable[Any]) -> dict[str, str]:
    """The tests of `rollouts.making.tasks.Tasks`, by the name of their problem."""
    return {task.problem: task.tests for task in tasks if task.tests is not None}
