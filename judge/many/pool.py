"""The `Judge`, which hands submissions to an executor (`judge.many.executor`), one by one or as a batch."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

from containers import Isolation, Unavailable, Unsupported
from judge.common.ending import do_aside, result_of
from judge.common.errors import Cancelled, ConfigError, JudgeError
from judge.common.models import Judgement, Options, Submission, Verdict, make_internal_error
from judge.common.promise import Promise, aside
from judge.common.stated import check_limits, check_type
from judge.many.ahead import AHEAD, AHEAD_OF_SERVER, read_ahead
from judge.many.together import Judgements, progress
from judge.store.recent import Recent
from problems.errors import ProblemError
from problems.model import MIB, Problem

if TYPE_CHECKING:
    from judge.common.command import Command
    from judge.common.execution import Execution, Program
    from judge.judging.commands import Pipes, Ran
    from judge.judging.engine import Engine
    from judge.judging.streaming import Streams
    from judge.judging.watch import Watch
    from judge.many.executor import Executor
    from judge.many.local import LocalExecutor
    from judge.many.machine import MachineExecutor
    from judge.ruling.interplay import Said
    from judge.slots.slot import Slot
    from problems.validate import Finding

T = TypeVar("T")
_log = logging.getLogger(__name__)

#: Size of the Judgements that a batch keeps for identical submissions.
_REMEMBERED_BYTES = 32 * MIB

#: Source, problem, language.
_Key = tuple[bytes, Hashable, str, str | None]


class Judge:
    """Judges submissions: on the cores of this machine, on a Ray cluster, or on a server. Thread-safe; a context
    manager.

    `slots`: how many submissions each machine judges at once (default: what it can carry). `backend` chooses the
    sandbox; one weaker than the tier `require` is refused. On this machine nothing is started before there is work.
    `address`: the Ray cluster's (default: RAY_ADDRESS, or the one that runs here), or the http://HOST:PORT of a server,
    which has slots, sandbox and memory of its own. `key`: the API key for the server (default: what JUDGE_SERVER_KEY
    holds). `memory_bytes`: what programs, compilers and the judge itself may take together on each machine (default:
    what is available, less a reserve).
    """

    def __init__(
        self,
        *,
        slots: int | None = None,
        backend: str = "native",
        require: str | None = None,
        cache_directory: Path | None = None,
        executor: Literal["local", "ray", "server"] = "local",
        address: str | None = None,
        key: str | None = None,
        memory_bytes: int | None = None,
    ) -> None:
        """
        Raises:
            TypeError: something is of another type than its annotation says.
            ConfigError: `slots` or `memory_bytes` is not positive, `memory_bytes` is too little for so many slots, the
                cache directory cannot be used, or Ray is not installed.
            Unavailable: the cluster cannot be reached, or no node of it grants the sandbox.
        """
        check_limits({"slots": slots, "memory_bytes": memory_bytes})
        _check_texts(backend=backend, require=require or "", address=address or "", key=key or "")
        check_type("cache_directory", cache_directory or Path(), Path, "a pathlib.Path")
        if key is not None and executor != "server":
            raise ConfigError("an API key is for a server: ask for the executor server, too")
        self._executor: Executor
        self._machine: MachineExecutor | None = None  # the executor, where this machine judges
        match executor:
            case "local":
                if address is not None:
                    raise ConfigError(f"address {address} is another machine's: ask for its executor, too")
                self._machine = aside(lambda: _open_here(slots, backend, require, cache_directory, memory_bytes))
                self._executor = self._machine
            case "ray":
                from judge.many.cluster.executor import RayExecutor  # noqa: PLC0415 - an extra

                self._executor = RayExecutor(slots, backend, require, cache_directory, address, memory_bytes)
            case "server":
                from judge.many.remote.executor import RemoteExecutor  # noqa: PLC0415 - an extra

                if address is None:
                    raise ConfigError("the executor server needs an address: http://HOST:PORT of a `judge serve`")
                self._executor = RemoteExecutor(address, key)
            case _:
                raise ConfigError(f"there is no executor {executor!r}; choose local, ray or server")

    @property
    def slots(self) -> int:
        """How many submissions are judged at once."""
        return self._executor.slots if self._machine is not None else do_aside(lambda: self._executor.slots)

    @property
    def rows_ahead(self) -> int:
        """How many submissions of a batch wait or are judged at a time: the longest of them go first."""
        return self.slots * (AHEAD if self._machine is not None else AHEAD_OF_SERVER)

    @property
    def isolation(self) -> Isolation:
        """The walls that every run gets.

        Raises:
            Unavailable: the machine does not grant what was asked for.
        """
        return do_aside(lambda: self._executor.isolation)

    def judge(self, submission: Submission, options: Options | None = None) -> Judgement:
        """Judge one submission and wait for it.

        Raises:
            JudgeError, ProblemError: it cannot be judged at all (bad source, language, problem; closed Judge).
            Unavailable: the machine does not grant the sandbox.
        """
        return result_of(self.submit(submission, options))

    def submit(
        self, submission: Submission, options: Options | None = None, watch: Watch | None = None
    ) -> Future[Judgement]:
        """Judge one submission in the background; the future raises what `judge` does. `watch` hears of each test,
        unless a server judges."""
        return aside(lambda: self._executor.submit(submission, options or Options(), watch))

    def find_known(self, submission: Submission, options: Options) -> Judgement | None:
        """The stored judgement of an equal submission, if `options` take one; None: none is known to this process, or
        another machine judges. Nothing is begun."""
        machine = self._machine
        return None if machine is None else aside(lambda: machine.here.find_known(submission, options))

    async def ajudge(self, submission: Submission, options: Options | None = None) -> Judgement:
        """Judge one submission from a coroutine."""
        import asyncio  # noqa: PLC0415 - slow to import, and most callers are synchronous

        return await asyncio.wrap_future(self.submit(submission, options))

    def execute(self, program: Program) -> Execution:
        """Compile and run a program that belongs to no problem, in the sandbox, and wait for what it did.

        Raises:
            ConfigError: this Judge has its slots on a cluster, or the program may need more memory than there is.
            LanguageError: its language is unknown, not installed, or cannot run in this sandbox.
            Unavailable: the machine does not grant the sandbox.
        """
        return result_of(self.submit_program(program))

    async def aexecute(self, program: Program) -> Execution:
        """Execute a program from a coroutine."""
        import asyncio  # noqa: PLC0415 - slow to import, and most callers are synchronous

        return await asyncio.wrap_future(self.submit_program(program))

    def submit_program(self, program: Program) -> Future[Execution]:
        """Execute a program in the background; the future raises what `execute` does."""
        return aside(lambda: self._executor.execute(program))

    def submit_commands(self, commands: Sequence[Command], pipes: Pipes | None = None) -> Future[list[Ran]]:
        """Run command lines in the sandbox, here and in the background: one after the other, or two that `pipes` join.
        The future gives what became of each, or raises SandboxError, Unavailable or Cancelled, or ConfigError: there is
        not so much memory.

        Raises:
            ConfigError: this Judge has its slots on a cluster.
        """
        from judge.judging.commands import run_all  # noqa: PLC0415 - judging needs none of it

        here = self._here("commands run")
        return aside(lambda: here.begin(lambda slot: run_all(commands, pipes, slot)))

    def stream(self, what: Program | Command, streams: Streams) -> Future[Execution | Ran]:
        """Run a program or a command line for somebody who talks to it while it runs, here and in the background. Its
        future and what it raises are as of `submit_program` or `submit_commands`.
        """
        from judge.common.command import Command  # noqa: PLC0415 - judging needs none of it
        from judge.judging.commands import run_streamed  # noqa: PLC0415
        from judge.judging.execute import execute  # noqa: PLC0415

        here = self._here("programs are talked to")

        def run(slot: Slot) -> Execution | Ran:
            if isinstance(what, Command):
                return run_streamed(what, slot, streams)
            return execute(what, here.engine.compiler, slot, streams)

        return aside(lambda: here.begin(run))

    def stop(self, future: Future[Any]) -> bool:
        """Give up what this Judge gave a future for: it is cancelled if it waits, and stopped if it runs here (the
        future raises Cancelled then). False: it runs still; ask again until it does not, for a stop that comes just
        before a run begins is lost. What a server runs already ends by itself."""
        return self._executor.stop(future)

    def _on_slot(self, what: str, work: Callable[[Engine, Slot], T], *, again: bool = True) -> T:
        """Do this here, on a slot that nobody else uses, and wait for it. `again`: as of `on_fresh_slot`."""
        from judge.judging.trial import on_fresh_slot  # noqa: PLC0415 - a client judges nothing

        here = self._here(what)

        def do() -> T:
            with here.lend_slot() as slot:
                return on_fresh_slot(slot, lambda: work(here.engine, slot), again=again)

        return do_aside(do)

    def _here(self, what: str) -> LocalExecutor:
        if self._machine is None:
            raise ConfigError(f"{what} on this machine; leave out the executor")
        return self._machine.here

    def validate(self, problem: str | Path | Problem, options: Options | None = None) -> list[Finding]:
        """Run a package's validators on its data, here: what they find wrong in it, and what it shows wrong in them.

        Raises:
            ConfigError: this Judge has its slots on a cluster.
            ProblemError: the problem cannot be judged at all.
            Unavailable: the machine does not grant the sandbox.
        """
        asked = options or Options()
        return self._on_slot("validators run", lambda engine, slot: engine.validate(problem, asked, slot))

    def generate(self, commands: Sequence[tuple[Path, tuple[str, ...]]], most_bytes: int) -> list[bytes | None]:
        """What generators of a package (its files or directories) print with these arguments, here; None: it fails, or
        prints more than `most_bytes`.

        Raises:
            ConfigError: this Judge has its slots on a cluster.
            LanguageError: this machine lacks the language of a generator.
            ProblemError: a generator cannot be read, or does not compile.
            Unavailable: the machine does not grant the sandbox.
        """
        from judge.judging.generated import small_inputs  # noqa: PLC0415 - judging needs none of it

        return self._on_slot(
            "generators run", lambda engine, slot: small_inputs(commands, engine.compiler, slot.checker, most_bytes)
        )

    @contextmanager
    def build_tests(self, problem: str | Path | Problem, options: Options | None = None) -> Iterator[Problem]:
        """A context in which the problem's generated tests are files like its others: `generated` is empty, here.

        Raises:
            ConfigError: this Judge has its slots on a cluster, or the cache cannot be written.
            ProblemError: the problem cannot be judged at all, or its tests cannot be built.
            Unavailable: the machine does not grant the sandbox.
        """
        with ExitStack() as stack:

            def build(engine: Engine, slot: Slot) -> Problem:
                held = engine.hold_tests(problem, options or Options(), slot)
                stack.push(lambda *error: aside(lambda: held.__exit__(*error)))
                return held.__enter__()[0]

            yield self._on_slot("tests are built", build)

    def play(self, problem: str | Path | Problem, stdin: int, stdout: int, test: str | None = None) -> Said:
        """Run the interactor of an interactive problem for whoever holds the other ends of two pipes, here, and wait
        for what it says: it reads `stdin` and writes `stdout`. `test`: by name; None: the first.

        Raises:
            ConfigError: this Judge has its slots on a cluster.
            ProblemError: the problem is not interactive, has no such test, or cannot be used.
            Unavailable: the machine does not grant the sandbox.
        """
        return self._on_slot(
            "interactors are played",
            lambda engine, slot: engine.play(problem, test, stdin, stdout, slot),
            again=False,  # a part of the conversation is read
        )

    def batch(self, options: Options | None = None) -> Batch:
        """A batch in which identical submissions are judged once."""
        return Batch(self, options or Options())

    def judge_many(self, submissions: Iterable[Submission], options: Options | None = None) -> Iterator[Judgement]:
        """Judge many submissions (the iterable may be endless). Yields each Judgement when it is known, in any order.

        `submissions` is read a few rows ahead. A row that cannot be judged gives IE with the cause in `error`.

        Raises:
            Unavailable: the machine does not grant the sandbox.
            Cancelled: the Judge was closed.
        """
        with closing(read_ahead(submissions, self.batch(options).submit, self.rows_ahead)) as results:
            for submission, future in results:
                yield _row(submission, future)

    def judge_all(self, submissions: Iterable[Submission], options: Options | None = None) -> Judgements:
        """Judge submissions and wait for all: their Judgements, in the same order. Shows a bar meanwhile, in a notebook
        or on a terminal. A row that cannot be judged gives IE, as in `judge_many`.

        Raises:
            Unavailable, Cancelled: as `judge_many`.
        """
        rows, found = list(submissions), dict[int, Judgement]()
        batch = self.batch(options)
        ahead = read_ahead(enumerate(rows), lambda row: batch.submit(row[1]), self.rows_ahead)
        with progress(len(rows)) as count, closing(ahead):
            for (place, submission), future in ahead:
                found[place] = _row(submission, future)
                count()
        return Judgements(found[place] for place in range(len(rows)))

    def close(self) -> None:
        """Stop what runs, and free everything. Submissions not yet judged raise `Cancelled`. Idempotent."""
        aside(self._executor.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()


@dataclass(slots=True, kw_only=True)
class _Flight:
    """A program that is being judged, and how many rows wait for it."""

    #: Of the judgement, once the Judge was asked for it.
    landing: Promise[Judgement] = field(default_factory=Promise)
    #: What the Judge promised; None: it was not asked yet.
    judging: Future[Judgement] | None = None
    waiting: int = 0


class Batch:
    """A batch: identical submissions are judged once and share the Judgement. Thread-safe."""

    def __init__(self, judge: Judge, options: Options) -> None:
        self._judge = judge
        self._options = options
        self._lock = threading.Lock()
        self._flights: dict[_Key, _Flight] = {}
        self._known = Recent[Judgement](_REMEMBERED_BYTES)

    def submit(self, submission: Submission) -> Future[Judgement]:
        """As `Judge.submit`, but a program that was judged before, or is being judged, is not judged again."""
        return aside(lambda: self._submit(submission))

    def _submit(self, submission: Submission) -> Future[Judgement]:
        key = (submission.digest(), submission.problem_key, submission.language, submission.default_language)
        own = Promise[Judgement]()
        with self._lock:
            known = self._known.get(key)
            if known is None:
                joined = self._flights.get(key)
                flight = self._flights[key] = joined or _Flight()
                flight.waiting += 1
        if known is not None:
            own.set_result(_with_id(known, submission.id))
            return own
        own.add_done_callback(lambda _: self._given_up(key, flight) if own.cancelled() else None)
        flight.landing.add_done_callback(lambda future: _hand_on(future, own, submission.id))
        if joined is None:
            self._begin(key, flight, submission)
        return own

    def _begin(self, key: _Key, flight: _Flight, submission: Submission) -> None:
        """
        Raises:
            What `Judge.submit` raises; others who wait for this flight get it from their futures.
        """
        try:
            judging = self._judge.submit(submission, self._options)
        except BaseException as error:
            self._end(key, flight)
            flight.landing.set_exception(error)
            raise
        with self._lock:
            flight.judging = judging
            given_up = not flight.waiting
        judging.add_done_callback(lambda future: self._on_landed(key, flight, future))
        if given_up:
            judging.cancel()

    def _given_up(self, key: _Key, flight: _Flight) -> None:
        """One row gave up waiting. If no row waits any more, cancel the judging unless it has begun."""
        with self._lock:
            flight.waiting -= 1
            if flight.waiting:
                return
            judging = flight.judging
        self._end(key, flight)
        if judging is not None:
            judging.cancel()

    def _on_landed(self, key: _Key, flight: _Flight, judging: Future[Judgement]) -> None:
        """A program was judged: keep its Judgement, but not an IE, which may not happen again."""
        if judging.cancelled():
            self._end(key, flight)
            flight.landing.set_exception(Cancelled())
        elif error := judging.exception():
            self._end(key, flight)
            flight.landing.set_exception(error)
        else:
            judgement = judging.result()
            self._end(key, flight, judgement if judgement.verdict is not Verdict.IE else None)
            flight.landing.set_result(judgement)

    def _end(self, key: _Key, flight: _Flight, judgement: Judgement | None = None) -> None:
        """Let no more rows join this flight."""
        with self._lock:
            if self._flights.get(key) is flight:
                del self._flights[key]
            if judgement is not None:
                self._known.put(key, judgement, judgement.footprint_bytes)


def _open_here(*asked: Any) -> MachineExecutor:
    from judge.many.machine import MachineExecutor  # noqa: PLC0415 - many who import this open none

    return MachineExecutor(*asked)


def _check_texts(**texts: str) -> None:
    """
    Raises:
        TypeError: one is no text.
    """
    for name, value in texts.items():
        check_type(name, value, str, "text")


def _hand_on(landing: Future[Judgement], own: Future[Judgement], id_: str | None) -> None:
    if not own.set_running_or_notify_cancel():
        return
    if error := landing.exception():
        own.set_exception(error)
    else:
        own.set_result(_with_id(landing.result(), id_))


def _with_id(judgement: Judgement, id_: str | None) -> Judgement:
    return judgement if judgement.id == id_ else replace(judgement, id=id_)


def _row(submission: Submission, future: Future[Judgement]) -> Judgement:
    """The result of one row of a batch. If the row failed, it is IE, and the others go on."""
    try:
        return future.result()
    except Cancelled:
        raise
    except (JudgeError, ProblemError, Unsupported) as error:
        return make_internal_error(submission, str(error))
    except Unavailable:
        raise
    except Exception as error:
        _log.exception("submission %s: unexpected failure", submission.id)
        return make_internal_error(submission, f"unexpected failure: {error!r}")
