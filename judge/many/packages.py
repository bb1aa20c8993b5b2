"""The packages that submissions name, as they are sent to other machines: by the digest of what they hold."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from judge.common.models import Submission
from judge.store.recent import Recent
from problems.errors import ProblemError
from problems.files import parcel
from problems.files.archive import give_up, private_directory
from problems.files.tree import VALID_NAME
from problems.lookup import find
from problems.model import Problem
from problems.writing.write import write

_Made = TypeVar("_Made")


#: `_REMEMBERED` problems are remembered. Of those that we write, each test counts as one.
_REMEMBERED = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True, weakref_slot=True)
class Package:
    path: Path
    digest: str


class Packages:
    """Each is read once. Use it in one event loop only."""

    def __init__(self) -> None:
        self._found = Recent[asyncio.Task[Package]](_REMEMBERED)
        self._lock = threading.Lock()
        #: Below it, a directory for each package that we wrote.
        self._directory: Path | None = None

    async def find(self, submission: Submission) -> Package:
        """A package that we had to write stays on the disk for as long as somebody has it.

        Raises:
            ProblemError: there is no such package, or it cannot be read.
        """
        problem = submission.problem
        size = 1 + len(problem.cases) if isinstance(problem, Problem) else 1
        return await once(self._found, submission.problem_key, lambda: self._find(problem), size)

    def _find(self, problem: str | Path | Problem) -> Package:
        if not isinstance(problem, Problem):
            path = find(problem)
            return Package(path=path, digest=parcel.digest(path))
        if not VALID_NAME.fullmatch(problem.name):
            raise ProblemError(f"problem {problem.name!r}: no name for a package; take letters, digits, '.', '_', '-'")
        with self._lock:
            self._directory = self._directory or private_directory()
        directory = Path(tempfile.mkdtemp(dir=self._directory))
        try:
            path = write(problem, directory / problem.name)
            package = Package(path=path, digest=parcel.digest(path))
        except BaseException:
            shutil.rmtree(directory, ignore_errors=True)
            raise
        weakref.finalize(package, shutil.rmtree, directory, ignore_errors=True)
        return package

    def close(self) -> None:
        self._found.clear()
        if self._directory is not None:
            give_up(self._directory)


async def once(made: Recent[asyncio.Task[_Made]], key: Hashable, make: Callable[[], _Made], size: int = 1) -> _Made:
    """The value of a key, made once in a thread for all who wait. A failure is not kept."""
    task = made.get(key)
    if task is None:
        task = asyncio.create_task(asyncio.to_thread(make))
        made.put(key, task, size)
    try:
        return await asyncio.shield(task)
    except Exception:
        made.drop(key)
        raise
