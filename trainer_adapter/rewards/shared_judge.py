"""Judges for the reward functions of this process: one Judge for equal settings, which shares the known verdicts.

    reward function ──► Step: rows ──► SharedJudge.grade(program) ──► Batch ──► Judge ──► Graded
                                                        known already, or being judged: shared

Verdicts are kept across steps. Failures of ours are not: the next step tries again. Several processes on one machine
(LOCAL_WORLD_SIZE, as accelerate and torchrun set it) share its cores.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from judge import Cjk, ContainerError, JudgeError, Options, Submission
from problems.errors import ProblemError
from problems.model import Problem
from trainer_adapter.data.inline_problems import InlineProblems
from trainer_adapter.rewards.grading import Graded, graded

if TYPE_CHECKING:
    from judge import Batch, Judge, Judgement

_log = logging.getLogger(__name__)

_FAILURES = (JudgeError, ProblemError, ContainerError, OSError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to judge. Functions of one trainer should have equal settings: they share one Judge and its verdicts."""

    #: The language of programs whose row and fence name none.
    language: str = "cpp17"
    #: The problem store, a directory of packages. Its packages come first when a `problem_id` is looked up.
    problems: Path | None = None
    #: How many submissions this process judges at once; None: its share of what the machine can carry.
    slots: int | None = None
    backend: str = "native"
    require: str | None = None
    #: Memory budget of this process's Judge, in bytes; None: its share of what is available.
    memory_bytes: int | None = None
    cache_directory: Path | None = None
    #: With `Stop.FIRST_FAILURE` tests after the first failure are not run; enough for the reward `accepted`.
    options: Options = field(default_factory=lambda: Options(cjk=Cjk.DROP))


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutProgram:
    source: bytes
    language: str
    #: Name or path of the problem; or a name for `tests`, which no other tests have.
    task: str
    #: Packed as in `trainer_adapter.data.tests_column`; None: the judge knows the problem.
    tests: str | None = None


class SharedJudge:
    """A Judge that is opened when it is first needed, with the verdicts that it gave. Thread-safe."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._opening = threading.Lock()
        self._judge: Judge | None = None
        self._batch: Batch | None = None
        self._inline = InlineProblems(settings.cache_directory)

    def grade(self, program: RolloutProgram) -> tuple[Future[Graded], bool]:
        """A future of the program's verdict, which raises nothing; and whether it is known already."""
        verdict = Future[Graded]()
        verdict.set_running_or_notify_cancel()  # others wait for it, too: nobody may cancel it
        taken = ""
        try:
            batch = self.batch()
            problem: str | Path | Problem
            if program.tests is None:
                problem = self._reference(program.task)
            else:
                problem = self._inline.take(program.task, program.tests)
                taken = program.task
            judged = batch.submit(Submission(source=program.source, problem=problem, language=program.language))
        except (*_FAILURES, RuntimeError) as error:  # a pool that is being shut down raises the last
            self._inline.give_back(taken)
            verdict.set_result(Graded(failure=str(error)))
            return verdict, False

        def finish(judged: Future[Judgement]) -> None:
            self._inline.give_back(taken)
            verdict.set_result(_outcome(judged))

        known = judged.done()
        judged.add_done_callback(finish)
        return verdict, known

    def _reference(self, problem: str) -> str | Path:
        """The path of the package of that name in the store; if there is none, the name, for the judge."""
        store = self.settings.problems
        if store is not None:
            for name in (problem, f"{problem}.zip"):
                path = store / name
                if path.resolve().is_relative_to(store.resolve()) and path.exists():
                    return path
        return problem

    def batch(self) -> Batch:
        """The batch in which this process judges each program once."""
        with self._opening:
            if self._judge is None or self._batch is None:
                from judge import Judge  # noqa: PLC0415 - importing reward functions must be fast

                settings = self.settings
                slots, memory_bytes = _share(settings)
                self._judge = Judge(
                    slots=slots,
                    backend=settings.backend,
                    require=settings.require,
                    cache_directory=settings.cache_directory,
                    memory_bytes=memory_bytes,
                )
                self._batch = self._judge.batch(settings.options)
            return self._batch

    def close(self) -> None:
        with self._opening:
            judge, self._judge, self._batch = self._judge, None, None
        if judge is not None:
            judge.close()
        self._inline.close()


def _outcome(judged: Future[Judgement]) -> Graded:
    try:
        return graded(judged.result())
    except CancelledError:
        return Graded(failure="the judge was closed")
    except _FAILURES as error:
        return Graded(failure=str(error))
    except Exception as error:  # a bug of ours must neither end a training run nor block it
        _log.exception("unexpected failure of the judge")
        return Graded(failure=f"unexpected failure: {error!r}")


def _share(settings: Settings) -> tuple[int, int | None]:
    """Slots and memory of this process, where each of the machine's LOCAL_WORLD_SIZE processes has a Judge."""
    from judge.slots.budget import budget  # noqa: PLC0415
    from judge.slots.capacity import available  # noqa: PLC0415

    processes = int(os.environ.get("LOCAL_WORLD_SIZE") or 1)
    grants = available(settings.memory_bytes)
    slots = settings.slots or max(1, grants.count // processes)
    if settings.memory_bytes is None and processes > 1:
        return slots, budget(None, slots, replace(grants, memory_bytes=grants.memory_bytes // processes)).bytes
    return slots, settings.memory_bytes


_shared: dict[Settings, SharedJudge] = {}
_lock = threading.Lock()
# Threads and sockets of a Judge do not survive a fork.
os.register_at_fork(after_in_child=_shared.clear)


def shared_judge(settings: Settings) -> SharedJudge:
    """The SharedJudge of this process with these settings."""
    with _lock:
        if settings not in _shared:
            _shared[settings] = SharedJudge(settings)
        return _shared[settings]


@atexit.register
def close() -> None:
    """Close all Judges of this process and forget their verdicts. A later call opens new ones."""
    with _lock:
        judges = list(_shared.values())
        _shared.clear()
    for each in judges:
        each.close()
