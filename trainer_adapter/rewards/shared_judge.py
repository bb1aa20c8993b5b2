"""Judges for the reward functions of this process: one Judge for equal settings, which shares the known verdicts.

    reward function ──► Step: rows ──► SharedJudge.grade(program) ──► Batch ──► Judge ──► Graded
                                                        known already, or being judged: shared

A verdict is kept across steps, a failure of ours is not: the next step tries again. Several processes on one machine
(LOCAL_WORLD_SIZE, as accelerate and torchrun set it) share its slots. A Judge of which nothing comes any more is
given up after a deadline, so that no trainer waits for ever.
"""

from __future__ import annotations

import atexit
import errno
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from judge import Cjk, ConfigError, ContainerError, JudgeError, Options, Stop, Submission
from judge.common.config import CHOSEN_LANGUAGES
from judge.common.ending import wait_for
from judge.common.promise import Promise
from judge.languages import get as get_language
from judge.languages.extraction import Completion, Extracted, extract
from problems.errors import ProblemError
from problems.model import Problem
from trainer_adapter.data.inline_problems import InlineProblems
from trainer_adapter.rewards.grading import Graded, grade

if TYPE_CHECKING:
    from judge import Batch, Judge, Judgement

_log = logging.getLogger(__name__)

#: There is no such file.
_ABSENT = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG})
_FAILURES = (JudgeError, ProblemError, ContainerError, OSError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to judge. Functions of one trainer should have equal settings: they share one Judge and its verdicts."""

    #: The language of programs whose row and fence name none.
    language: str = "cpp17"
    #: The languages that a fence may choose, with their families, where a row names none.
    languages: tuple[str, ...] = CHOSEN_LANGUAGES
    #: What the chat template writes behind a prompt of messages, where it opens the thinking: a completion that ends
    #: before its thinking does holds no program. `reward_funcs.template_end` reads it off a tokenizer.
    template_end: str = ""
    #: The problem store, a directory of packages. Its packages come first when a `problem_id` is looked up.
    problems: Path | None = None
    #: How many at once on this machine, shared by its processes; None: what it can carry.
    slots: int | None = None
    backend: str = "native"
    require: str | None = None
    #: Memory budget of this process's Judge, in bytes; None: its share of what is available.
    memory_bytes: int | None = None
    cache_directory: Path | None = None
    #: `ray`: on the nodes of a Ray cluster, as `judge batch --executor ray`; slots and memory are then of each node.
    #: `server`: on a `judge serve`, which has its own.
    executor: Literal["local", "ray", "server"] = "local"
    #: HOST:PORT of the cluster (None: the one that RAY_ADDRESS names, or a new one on this machine); URL of the server.
    address: str | None = None
    #: Where no judgement at all ends for so many seconds, those that wait are given up: they are failures of ours.
    deadline_s: float = 1800.0
    options: Options = field(default_factory=lambda: Options(cjk=Cjk.DROP))
    #: True: programs are run on all tests from the first step on. False: from when a reward function needs that; until
    #: then testing stops at the first test that is refused, unless `options` state another stop.
    all_tests: bool = False

    def __post_init__(self) -> None:
        """Raises LanguageError: there is no such language."""
        object.__setattr__(self, "languages", tuple(self.languages))
        for name in (self.language, *self.languages):
            get_language(name)

    def extract(self, completion: Completion, language: str | None, prompt: Completion | None) -> Extracted:
        """The program of a completion. `language`: that of its row. Raises LanguageError, TypeError."""
        return extract(completion, language, prompt=prompt, template_end=self.template_end, may_choose=self.languages)


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutProgram:
    source: bytes
    language: str
    #: Name or path of the problem; or a name for `tests`, which no other tests have.
    task: str
    #: Packed as in `trainer_adapter.data.tests_column`; None: the judge knows the problem.
    tests: str | None = None
    #: Instead of the problem that `task` names.
    problem: Problem | None = None
    #: As of a Submission.
    default_language: str | None = None


class SharedJudge:
    """A Judge that is opened when it is first needed, with the verdicts that it gave. Thread-safe."""

    def __init__(self, settings: Settings) -> None:
        """Raises ConfigError where LOCAL_WORLD_SIZE is no number of processes."""
        local_processes()
        self.settings = settings
        self._opening = threading.Lock()
        #: Whether reward functions need the results of all tests, as far as that is known.
        self.all_tests = settings.all_tests
        self._judge: Judge | None = None
        self._batches: dict[Options, Batch] = {}
        self._inline = InlineProblems(settings.cache_directory)
        self._waiting: set[Future[Graded]] = set()
        #: When a judgement last ended, or the first of those that wait was asked for.
        self._moved_s = time.monotonic()

    def grade(
        self,
        program: RolloutProgram,
        reduce: Callable[[Judgement], Graded] | None = None,
        *,
        all_tests: bool = True,
    ) -> tuple[Future[Graded], bool]:
        """A future of the program's verdict, which raises nothing; and whether it is known already. `reduce` instead of
        `grade` makes it of the judgement. `all_tests`: False where the first test that is refused decides."""
        verdict = Promise[Graded]()
        verdict.set_running_or_notify_cancel()  # others wait for it, too: nobody may cancel it
        taken = ""
        try:
            batch = self.batch(all_tests=all_tests)
            problem: str | Path | Problem
            if program.tests is None:
                problem = program.problem or find_in_store(self.settings.problems, program.task)
            else:
                problem = self._inline.take(program.task, program.tests)
                taken = program.task
            self._expect(verdict)
            submission = Submission(
                source=program.source,
                problem=problem,
                language=program.language,
                default_language=program.default_language,
            )
            judged = batch.submit(submission)
        except (*_FAILURES, RuntimeError) as error:  # a pool that is being shut down raises the last
            self._inline.give_back(taken)
            self._settle(verdict, Graded(failure=str(error)))
            return verdict, False

        def finish(judged: Future[Judgement]) -> None:
            self._inline.give_back(taken)
            self._settle(verdict, _outcome(judged, reduce))

        known = judged.done()
        judged.add_done_callback(finish)
        return verdict, known

    def _expect(self, verdict: Future[Graded]) -> None:
        with self._opening:
            if not self._waiting:
                self._moved_s = time.monotonic()
            self._waiting.add(verdict)

    def _settle(self, verdict: Future[Graded], graded: Graded) -> None:
        with self._opening:
            self._moved_s = time.monotonic()
            self._waiting.discard(verdict)
        with suppress(InvalidStateError):  # it was given up
            verdict.set_result(graded)

    def wait(self, verdicts: Iterable[Future[Graded]]) -> None:
        """Until all have one. Who is interrupted here has the judge closed: Python ends its threads only when all that
        waits has been judged."""
        try:
            for verdict in verdicts:
                while not wait_for(verdict, self.left_s()):
                    self.give_up()
        except KeyboardInterrupt:
            self.close()
            raise

    def left_s(self) -> float:
        """How long a judgement may still take to end. Who finds nothing left gives up."""
        with self._opening:
            return max(0.0, self._moved_s + self.settings.deadline_s - time.monotonic())

    def give_up(self) -> None:
        """Settle all that wait as failures, and leave the Judge, which hangs: the next step opens another."""
        with self._opening:
            if time.monotonic() < self._moved_s + self.settings.deadline_s:
                return  # another thread has, or something moved
            judge, self._judge = self._judge, None
            self._batches.clear()
            left, self._waiting = self._waiting, set()
            self._moved_s = time.monotonic()
        cause = (
            f"no judgement ended for {self.settings.deadline_s:g} s: a sandbox hangs, its launcher may be stopped; "
            "where judging takes so long, raise the deadline"
        )
        for verdict in left:
            self._settle(verdict, Graded(failure=cause))
        if judge is not None:  # what hangs is waited for in there
            threading.Thread(target=judge.close, name="judge-close", daemon=True).start()

    def batch(self, *, all_tests: bool = True) -> Batch:
        """The batch in which this process judges each program once. `all_tests`: as for `grade`."""
        options = self.settings.options
        if not all_tests and options.stop is Stop.NEVER:
            options = replace(options, stop=Stop.FIRST_FAILURE)
        with self._opening:
            if options not in self._batches:
                self._batches[options] = self._open().batch(options)
            return self._batches[options]

    def judge(self) -> Judge:
        """The Judge itself, for what is no reward."""
        with self._opening:
            return self._open()

    def _open(self) -> Judge:
        if self._judge is None:
            from judge import Judge  # noqa: PLC0415 - importing reward functions must be fast

            settings = self.settings
            slots, memory_bytes = _share(settings)
            self._judge = Judge(
                slots=slots,
                backend=settings.backend,
                require=settings.require,
                cache_directory=settings.cache_directory,
                executor=settings.executor,
                address=settings.address,
                memory_bytes=memory_bytes,
            )
        return self._judge

    def require_sandbox(self) -> None:
        """
        Raises:
            Unavailable: this machine does not grant it, so that nothing could be judged.
        """
        self.batch()
        if self._judge is not None:
            self._judge.isolation  # noqa: B018 - asking is the check

    def close(self) -> None:
        with self._opening:
            judge, self._judge = self._judge, None
            self._batches.clear()
        if judge is not None:
            judge.close()
        self._inline.close()


def find_in_store(store: Path | None, problem: str) -> str | Path:
    """The path of the package of that name in the store; if nothing of that name lies there, the name, for the judge.

    Raises:
        ProblemError: what lies there cannot be looked at, or is a link that leads out of the store. It is not passed
            over: elsewhere another package may have the name.
    """
    if store is None:
        return problem
    for path in (store / problem, store / f"{problem}.zip"):
        try:
            path.lstat()
            if path.resolve().is_relative_to(store.resolve()):
                return path
        except ValueError:  # a NUL
            continue
        except (OSError, RuntimeError) as error:  # the latter: links in a circle
            if getattr(error, "errno", None) in _ABSENT:
                continue
            raise ProblemError(f"problem {problem}: {path} cannot be looked at: {error}") from error
        if path.is_symlink():
            raise ProblemError(f"problem {problem}: {path} leads out of the store: put the package itself there")
    return problem


def _outcome(judged: Future[Judgement], reduce: Callable[[Judgement], Graded] | None) -> Graded:
    try:
        return (reduce or grade)(judged.result())
    except CancelledError:
        return Graded(failure="the judge was closed")
    except _FAILURES as error:
        return Graded(failure=str(error))
    except Exception as error:  # a bug of ours must neither end a training run nor block it
        _log.exception("unexpected failure of the judge")
        return Graded(failure=f"unexpected failure: {error!r}")


def local_processes() -> int:
    """How many processes of one run this machine has.

    Raises:
        ConfigError: LOCAL_WORLD_SIZE is no such number.
    """
    text = os.environ.get("LOCAL_WORLD_SIZE") or "1"
    if not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise ConfigError(
            f"LOCAL_WORLD_SIZE is {text!r}, and not the number of processes on this machine: accelerate and torchrun "
            "set it; start without them, and leave it unset"
        )
    return int(text)


def _share(settings: Settings) -> tuple[int | None, int | None]:
    """Slots and memory of this process, where each of the machine's LOCAL_WORLD_SIZE processes has a Judge. Of a
    cluster each node knows its own."""
    if settings.executor != "local":
        return settings.slots, settings.memory_bytes
    from judge.slots.budget import budget  # noqa: PLC0415
    from judge.slots.capacity import available  # noqa: PLC0415

    processes = local_processes()
    grants = available(settings.memory_bytes)
    slots = max(1, (settings.slots or grants.count) // processes)
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
