"""The packages that submissions name, as they are sent to other machines: by the digest of what they hold."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from judge.common.models import Submission
from judge.store.recent import Recent
from problems.errors import ProblemError
from problems.files import parcel
from problems.files.tree import VALID_NAME
from problems.lookup import find
from problems.model import Problem
from problems.writing.write import write

_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    path: Path
    digest: str


class Packages:
    """Each is read once. Use it in one event loop only."""

    def __init__(self) -> None:
        self._found = Recent[asyncio.Task[Package]]()
        #: Packages that we wrote for Problem objects, each in a directory.
        self._written: list[tempfile.TemporaryDirectory[str]] = []

    async def find(self, submission: Submission) -> Package:
        """
        Raises:
            ProblemError: there is no such package, or it cannot be read.
        """
        return await once(self._found, submission.problem_key, lambda: self._find(submission.problem))

    def _find(self, problem: str | Path | Problem) -> Package:
        path = self._write(problem) if isinstance(problem, Problem) else find(problem)
        return Package(path=path, digest=parcel.digest(path))

    def _write(self, problem: Problem) -> Path:
        if not VALID_NAME.fullmatch(problem.name):
            raise ProblemError(f"problem {problem.name!r}: no name for a package; take letters, digits, '.', '_', '-'")
        directory = tempfile.TemporaryDirectory(prefix="judge-package-")
        self._written.append(directory)
        return write(problem, Path(directory.name) / problem.name)

    def close(self) -> None:
        for directory in self._written:
            directory.cleanup()


async def once(made: Recent[asyncio.Task[_Made]], key: Hashable, make: Callable[[], _Made]) -> _Made:
    """The value of a key, made once in a thread for all who wait. A failure is not kept."""
    task = made.get(key)
    if task is None:
        task = asyncio.create_task(asyncio.to_thread(make))
        made.put(key, task)
    try:
        return await asyncio.shield(task)
    except Exception:
        made.drop(key)
        raise
