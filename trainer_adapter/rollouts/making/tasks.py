"""The problems that rollouts are made for: of a data set, all of them or those that are held out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import problems
from trainer_adapter.data.config import DataConfig
from trainer_adapter.data.loading import load
from trainer_adapter.data.tests_column import DataError
from trainer_adapter.rollouts.making.requests import Task

if TYPE_CHECKING:
    from datasets import Dataset


@dataclass(frozen=True, slots=True)
class Tasks:
    """Tasks that are mapped from disk: tests of any number need no memory."""

    #: Parts of one data set.
    parts: Sequence[Dataset]
    #: The problems come from the library, which knows their topics.
    library: bool
    most: int | None = None

    def __iter__(self) -> Iterator[Task]:
        left = len(self)
        for part in self.parts:
            for row in part.select(range(min(left, len(part)))):
                yield self._task(row)
            left -= min(left, len(part))

    def __len__(self) -> int:
        every = sum(map(len, self.parts))
        return every if self.most is None else min(every, self.most)

    def _task(self, row: dict[str, Any]) -> Task:
        if "problem_id" not in row:
            raise DataError("these rows have answers and no tests: the judge has nothing to run")
        return Task(
            problem=row["problem_id"],
            prompt=[dict(message) for message in row["prompt"]],
            tests=row.get("tests"),
            difficulty=row.get("difficulty") or "",
            tags=tuple(problems.load(row["problem_id"]).keywords) if self.library else (),
        )

    def digest(self) -> str:
        """A hash of all that decides what is asked and how it is judged."""
        found = hashlib.sha256()
        for task in self:
            part = json.dumps([task.problem, task.prompt, task.tests]).encode()
            found.update(len(part).to_bytes(8) + part)
        return found.hexdigest()[:16]


def tasks(config: DataConfig, directory: Path, tokenizer: Any, *, held_out: bool, most: int | None = None) -> Tasks:
    """The tasks of a data set, or those that it holds out; at most so many. `directory` is where it is made.

    Raises:
        DataError, ProblemError: there are none; or it cannot be read.
    """
    loaded = load(config, directory, tokenizer)
    parts = [part for part in (None if held_out else loaded.train, loaded.held_out) if part is not None]
    if not parts:
        raise DataError("nothing is held out: set data.held_out to a share, for example 0.1")
    return Tasks(parts, config.source == "library", most)
