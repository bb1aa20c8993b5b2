"""Many submissions at once: streaming, sharing, closing, failing."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import psutil
import pytest

from containers import Outcome, RunSpec, Sandbox, SandboxError, Unavailable, open_sandbox
from judge import Cancelled, ConfigError, Judge, Judgement, Options, Program, Submission, Verdict
from judge.judging.engine import Engine
from judge.many import local, pool
from judge.slots.capacity import Slots
from judge.slots.slot import Slot
from tests.distinct import declaration
from tests.processes import descendants

if TYPE_CHECKING:
    from tests.conftest import MakePackage

Judges = Callable[..., Judge]

ADD = b'#include <stdio.h>\nint main(void) { int a, b; scanf("%d %d", &a, &b); printf("%d\\n", a + b); return 0; }\n'
WRONG = ADD.replace(b"a + b", b"a - b")
#: Includes itself twice, 60 deep: endless work, and no memory.
BOMB = b'#if __INCLUDE_LEVEL__ < 60\n#include "solution.c"\n#include "solution.c"\n#endif\n'
SLEEP = b"#include <unistd.h>\nint main(void) { sleep(60); }\n"


@pytest.fixture
def problem(package: MakePackage) -> Path:
    return package({"secret/1": ("1 2\n", "3\n")})


@pytest.fixture
def cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that sleep run beside each other on whatever this machine has."""
    monkeypatch.setattr(Slots, "cores", 4)


def row(problem: Path, id_: object = None, source: bytes = ADD) -> Submission:
    return Submission(source=source, problem=problem, language="c17", id=None if id_ is None else str(id_))


def unique() -> bytes:
    """A right program that no cache holds."""
    return ADD + declaration().encode()


@pytest.fixture
def judgements(monkeypatch: pytest.MonkeyPatch) -> list[Submission]:
    """The submissions that reach the engine."""
    seen: list[Submission] = []
    judge = Engine.judge

    def counted(self: Engine, submission: Submission, options: Options, slot: Slot, watch: object) -> Judgement:
        seen.append(submission)
        return judge(self, submission, options, slot, watch)

    monkeypatch.setattr(Engine, "judge", counted)
    return seen


def test_every_row_gets_its_own_judgement(judges: Judges, problem: Path) -> None:
    rows = [row(problem, i, WRONG if i % 3 else ADD) for i in range(20)]
    found = {judgement.id: judgement.verdict for judgement in judges(slots=4).judge_many(rows)}
    assert found == {str(i): Verdict.WA if i % 3 else Verdict.AC for i in range(20)}


def test_identical_rows_are_judged_once(judges: Judges, problem: Path, judgements: list[Submission]) -> None:
    rows = [row(problem, i) for i in range(30)]
    assert {j.id for j in judges(slots=2).judge_many(rows)} == {str(i) for i in range(30)}
    assert len(judgements) == 1


def test_what_takes_long_is_not_left_for_the_end(judges: Judges, problem: Path) -> None:
    """Nothing would run beside it there."""
    judge = judges(slots=1)
    rows = [row(problem, number, unique()) for number in range(20)]
    rows += [replace(row(problem, "long", b"sleep 0.3; echo 3"), language="bash")]
    [*_] = judge.judge_many([replace(rows[-1], source=b"sleep 0.2; echo 3"), row(problem, source=unique())])
    assert [judgement.id for judgement in judge.judge_many(rows)].index("long") < 10


def test_rows_that_differ_in_the_least_are_not_shared(
    judges: Judges, package: MakePackage, problem: Path, judgements: list[Submission]
) -> None:
    other = package({"secret/1": ("1 2\n", "4\n")}, name="other")
    rows = [row(problem), row(other), row(problem, source=ADD + b"\n"), row(problem, source=WRONG)]
    assert len(list(judges().judge_many(rows))) == len(judgements) == 4


def test_a_row_that_cannot_be_judged_is_an_error_of_its_own(judges: Judges, problem: Path) -> None:
    rows = [row(problem, "good"), row(Path("/nowhere"), "no problem"), replace(row(problem, "cobol"), language="cobol")]
    found = {judgement.id: judgement for judgement in judges().judge_many(rows)}
    assert found["good"].accepted
    for name, says in (("no problem", "nowhere"), ("cobol", "cobol")):
        assert (found[name].verdict, found[name].score) == (Verdict.IE, None)
        assert says in (found[name].error or "")


def test_an_unexpected_failure_of_one_row_leaves_the_others(
    judges: Judges, problem: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = Engine.judge

    def broken(self: Engine, submission: Submission, options: Options, slot: Slot, watch: object) -> Judgement:
        if submission.source == WRONG:
            raise ZeroDivisionError("oh")
        return judge(self, submission, options, slot, watch)

    monkeypatch.setattr(Engine, "judge", broken)
    found = {j.id: j for j in judges().judge_many([row(problem, "a", WRONG), row(problem, "b")])}
    assert found["b"].accepted
    assert (found["a"].verdict, found["a"].error) == (Verdict.IE, "unexpected failure: ZeroDivisionError('oh')")


def test_an_endless_batch_is_read_only_a_little_ahead(judges: Judges, problem: Path) -> None:
    taken = itertools.count()
    rows = (row(problem, next(taken)) for _ in itertools.repeat(None))
    judge = judges(slots=2)
    stream = judge.judge_many(rows)
    assert len([next(stream) for _ in range(40)]) == 40
    assert next(taken) <= 40 + judge.rows_ahead
    stream.close()  # type: ignore[attr-defined]


def test_what_is_known_is_handed_out_before_more_is_read(
    judges: Judges, problem: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = threading.Event()
    monkeypatch.setattr(pool, "_with_id", lambda judgement, _: known.set() or judgement)
    seen: list[str] = []

    def rows() -> Iterator[Submission]:
        yield row(problem)
        assert known.wait(60)
        time.sleep(0.1)  # from there it is on its way to the queue
        yield row(problem, source=unique())
        seen.append("more is read")
        yield row(problem, source=unique())

    for _ in judges(slots=2).judge_many(rows()):
        seen.append("result")
    assert seen == ["result", "more is read", "result", "result"]


def test_future_and_coroutine(judges: Judges, problem: Path) -> None:
    judge = judges(slots=2)
    assert judge.submit(row(problem)).result().accepted

    async def both() -> Sequence[Judgement]:
        return await asyncio.gather(judge.ajudge(row(problem, 1)), judge.ajudge(row(problem, 2, WRONG)))

    assert [judgement.verdict for judgement in asyncio.run(both())] == ["AC", "WA"]


@pytest.mark.usefixtures("cores")
def test_slots_run_beside_each_other(judges: Judges, problem: Path) -> None:
    judge = judges(slots=3)
    futures = [judge.submit(row(problem, source=SLEEP), Options(cpu_ns=50_000_000_000)) for _ in range(5)]
    while len(judge._executor.here.gate._running) < 3:
        time.sleep(0.01)
    assert not any(future.done() for future in futures)


def threads() -> set[threading.Thread]:
    """Of judges; one that other tests share may have some, too."""
    return {thread for thread in threading.enumerate() if thread.name.startswith("judge")}


@pytest.mark.usefixtures("cores")
def test_close_stops_what_runs(judges: Judges, problem: Path) -> None:
    others = threads()
    judge = judges(slots=2)
    futures = [judge.submit(row(problem, source=SLEEP), Options(cpu_ns=50_000_000_000)) for _ in range(5)]
    while len(judge._executor.here.gate._running) < 2:
        time.sleep(0.01)
    judge.close()
    assert not judge._executor.here.gate._running
    assert threads() == others
    for future in futures:
        assert future.cancelled() or isinstance(future.exception(), Cancelled)
    with pytest.raises(Cancelled):
        judge.judge(row(problem))
    judge.close()


@pytest.mark.usefixtures("cores")
def test_what_is_given_up_ends_and_its_slot_serves_others(judges: Judges, problem: Path) -> None:
    judge = judges(slots=1)
    ample = Options(cpu_ns=50_000_000_000)
    for begin in (
        lambda: judge.submit(row(problem, source=SLEEP), ample),
        lambda: judge.submit_program(Program(source=SLEEP, language="c17", cpu_ns=50_000_000_000)),
        lambda: judge.submit_program(Program(source=BOMB, language="c17", compile_cpu_ns=50_000_000_000)),
    ):
        running = begin()
        waiting = judge.submit(row(problem, source=SLEEP), ample)
        other = judge.submit(row(problem, source=unique()))
        while not judge._executor.here.gate._running:
            time.sleep(0.01)
        assert judge.stop(waiting) and waiting.cancelled()
        while not judge.stop(running):
            time.sleep(0.01)
        assert isinstance(running.exception(), Cancelled)
        assert judge.stop(running)
        assert other.result().accepted, "a late stop meets nobody else"


def test_leaving_the_context_by_an_exception_closes(problem: Path, backend: str, shared_cache: Path) -> None:
    others = threads()
    with pytest.raises(KeyboardInterrupt), Judge(slots=1, backend=backend, cache_directory=shared_cache) as judge:
        judge.submit(row(problem, source=SLEEP), Options(cpu_ns=50_000_000_000))
        raise KeyboardInterrupt
    assert threads() == others


def test_interrupted_leaves_no_process(problem: Path, backend: str, shared_cache: Path) -> None:
    code = f"""
from judge import Judge, Options, Submission
source = {SLEEP!r}
with Judge(slots=2, backend={backend!r}, cache_directory=__import__("pathlib").Path({str(shared_cache)!r})) as judge:
    rows = [Submission(source=source + b"/*%d*/" % i, problem={str(problem)!r}, language="c17") for i in range(2)]
    futures = [judge.submit(row, Options(cpu_ns=50_000_000_000)) for row in rows]
    while len(judge._executor.here.gate._running) < min(2, judge._executor.here.gate._cores): pass
    print("running", flush=True)
    futures[0].result()
"""
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as python:
        assert python.stdout is not None
        assert python.stdout.readline() == "running\n"
        while not (below := descendants(python.pid)):
            time.sleep(0.01)
        time.sleep(0.2)  # Python may lose one that comes just as it begins to wait
        python.send_signal(signal.SIGINT)
        _, errors = python.communicate()
    assert errors.rstrip().endswith("KeyboardInterrupt")
    while any(map(psutil.pid_exists, below)):  # killed, and not reaped yet
        time.sleep(0.01)


def test_nothing_is_opened_before_there_is_work(monkeypatch: pytest.MonkeyPatch, shared_cache: Path) -> None:
    monkeypatch.setattr(local, "open_sandbox", lambda *_a, **_k: pytest.fail("opened"))
    others = threads()
    with Judge(slots=8, backend="native", cache_directory=shared_cache):
        assert threads() == others


def test_descriptors_are_given_back(problem: Path, backend: str, shared_cache: Path) -> None:
    def some() -> int:
        with Judge(slots=2, backend=backend, cache_directory=shared_cache) as judge:
            for i in range(6):
                judge.judge(row(problem, i, ADD + b"\n" * (i % 3)))
        return psutil.Process().num_fds()

    assert some() == some()


@pytest.mark.parametrize("slots", [0, -1])
def test_slots_must_be_positive(slots: int) -> None:
    with pytest.raises(ConfigError, match=f"positive, not {slots}"):
        Judge(slots=slots)


@pytest.mark.parametrize("wrong", [{"cpu_ns": 0}, {"memory_bytes": -1}])
def test_limits_must_be_positive(wrong: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match="must be positive"):
        Options(**wrong)  # type: ignore[arg-type]


#: A little more CPU time than the limit of `measured`, and then the answer.
BUSY = ADD.replace(b"int a, b;", b"int a, b; while (clock() < 0.24 * CLOCKS_PER_SEC);").replace(
    b"#", b"#include <time.h>\n#", 1
)


class Recorded:
    """A real sandbox that remembers what it was asked to run."""

    specs: ClassVar[list[RunSpec]] = []
    disturbed = False

    def __init__(self, inner: Sandbox) -> None:
        self._inner = inner
        self.isolation, self.stop, self.close = inner.isolation, inner.stop, inner.close

    def run(self, spec: RunSpec) -> Outcome:
        Recorded.specs.append(spec)
        return replace(self._inner.run(spec), disturbed=Recorded.disturbed)

    @staticmethod
    def limits(argument: str) -> list[tuple[float, float]]:
        """CPU and wall limits in seconds of the runs with this argument."""
        runs = [spec.limits for spec in Recorded.specs if argument in spec.argv]
        return [((limits.cpu_ns or 0) / 1e9, limits.wall_ns / 1e9) for limits in runs]


@pytest.mark.usefixtures("cores")
class TestCompany:
    """What a run is given depends on whether others run beside it; what is believed does not."""

    @pytest.fixture
    def judge(self, judges: Judges, monkeypatch: pytest.MonkeyPatch) -> Judge:
        def opened(*args: object, **how: object) -> Recorded:
            return Recorded(open_sandbox(*args, **how))  # type: ignore[arg-type]

        monkeypatch.setattr(local, "open_sandbox", opened)
        monkeypatch.setattr(Recorded, "specs", [])
        monkeypatch.setattr(Recorded, "disturbed", False)
        return judges(slots=2)

    @pytest.fixture
    def measured(self, package: MakePackage) -> Path:
        """Limits: 0.2 s of CPU time, 1.4 s of wall time."""
        return package(
            {"secret/1": ("1 2\n", "3\n")},
            metadata="limits:\n  time_limit: 0.2\n",
            files={"data/secret/1.yaml": "args: [measured]\n"},
            name="measured",
        )

    def beside(self, judge: Judge, problem: Path, sleep_s: int) -> Future[Judgement]:
        """Something that runs on the other slot."""
        source = SLEEP.replace(b"60", str(sleep_s).encode())
        future = judge.submit(row(problem, source=source), Options(cpu_ns=50_000_000_000))
        while not any(spec.limits.cpu_ns == 75_000_000_000 for spec in Recorded.specs):
            time.sleep(0.01)
        return future

    def test_company_may_come_so_there_is_slack(self, judge: Judge, measured: Path) -> None:
        assert judge.judge(row(measured)).accepted
        assert Recorded.limits("measured") == [(0.3, 1.4)]

    def test_beside_others_there_is_slack(self, judge: Judge, measured: Path, problem: Path) -> None:
        self.beside(judge, problem, 60)
        assert judge.judge(row(measured)).accepted
        assert Recorded.limits("measured") == [(0.3, 1.4)]

    def test_a_doubtful_time_out_is_run_again_when_all_others_are_done(
        self, judge: Judge, measured: Path, problem: Path
    ) -> None:
        other = self.beside(judge, problem, 3)
        judgement = judge.judge(row(measured, source=BUSY))
        assert Recorded.limits("measured") == [(0.3, 1.4), (0.2, 1.4)]
        assert (judgement.verdict, judgement.tests[0].confirmed) == ("TLE", "TLE")
        assert other.done() or not judge._executor.here.gate._running

    def test_a_time_out_where_earlier_runs_left_much_is_run_again(self, judge: Judge, measured: Path) -> None:
        assert judge.judge(row(measured, source=BUSY)).tests[0].confirmed is None
        Recorded.disturbed = True
        assert judge.judge(row(measured, source=BUSY + b"\n")).tests[0].confirmed == "TLE"
        assert Recorded.limits("measured") == [(0.3, 1.4), (0.3, 1.4), (0.2, 1.4)]

    def test_a_compile_has_slack_beside_others_too(self, judge: Judge, problem: Path) -> None:
        self.beside(judge, problem, 60)
        options = Options(compile_cpu_ns=7 * 10**9)
        assert judge.judge(row(problem, source=unique()), options).accepted
        compiles = [spec.limits for spec in Recorded.specs if spec.limits.cpu_ns == 10_500_000_000]
        assert {limits.wall_ns for limits in compiles} == {70 * 10**9}

    def test_a_compile_that_is_stopped_at_once_beside_others_is_not_run_again(
        self, judge: Judge, problem: Path
    ) -> None:
        self.beside(judge, problem, 60)
        options = Options(compile_cpu_ns=10**9)
        judgement = judge.judge(row(problem, source=BOMB + declaration().encode()), options)
        assert judgement.compile is not None
        assert (judgement.verdict, judgement.compile.verdict) == ("CE", "time")
        assert [spec.limits.cpu_ns for spec in Recorded.specs if spec.limits.cpu_ns in (10**9, 1_500_000_000)] == [
            1_500_000_000
        ]

    def test_a_compile_whose_time_is_in_doubt_is_run_again_alone(
        self, judge: Judge, problem: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It ended above its limit, beside others: the machine's fault, perhaps."""
        other = self.beside(judge, problem, 3)
        run = Recorded.run

        def slow(self: Recorded, spec: RunSpec) -> Outcome:
            outcome = run(self, spec)
            if spec.limits.cpu_ns == 10_500_000_000:
                return replace(outcome, usage=replace(outcome.usage, cpu_ns=8 * 10**9))
            return outcome

        monkeypatch.setattr(Recorded, "run", slow)
        judgement = judge.judge(row(problem, source=unique()), Options(compile_cpu_ns=7 * 10**9))
        again = [spec.limits for spec in Recorded.specs if spec.limits.cpu_ns == 7 * 10**9]
        assert judgement.accepted and {limits.wall_ns for limits in again} == {70 * 10**9}
        assert other.done() or not judge._executor.here.gate._running


class Flaky:
    """A real sandbox whose first runs fail, as when its launcher dies."""

    failures = 0
    opened = 0

    def __init__(self, inner: Sandbox) -> None:
        self._inner = inner
        Flaky.opened += 1
        self.isolation, self.stop, self.close = inner.isolation, inner.stop, inner.close

    def run(self, spec: RunSpec) -> Outcome:
        if Flaky.failures > 0:
            Flaky.failures -= 1
            raise SandboxError("the launcher is gone")
        return self._inner.run(spec)


@pytest.fixture
def flaky(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Flaky]]:
    def opened(*args: object, **how: object) -> Flaky:
        return Flaky(open_sandbox(*args, **how))  # type: ignore[arg-type]

    monkeypatch.setattr(local, "open_sandbox", opened)
    Flaky.failures = Flaky.opened = 0
    yield Flaky


def test_a_failure_of_the_sandbox_is_tried_again_on_a_fresh_slot(
    judges: Judges, problem: Path, flaky: type[Flaky]
) -> None:
    judge = judges()
    assert judge.judge(row(problem)).accepted
    flaky.failures = 1
    assert judge.judge(row(problem)).accepted
    assert flaky.opened == 2


def test_a_second_failure_is_an_internal_error(judges: Judges, problem: Path, flaky: type[Flaky]) -> None:
    judge = judges()
    assert judge.judge(row(problem)).accepted
    flaky.failures = 2
    judgement = judge.judge(row(problem, "x"))
    assert (judgement.verdict, judgement.score, judgement.accepted) == (Verdict.IE, None, False)
    assert (judgement.id, judgement.error) == ("x", "the sandbox failed twice: the launcher is gone")
    assert judge.judge(row(problem)).accepted, "the slot is alive again"


def test_an_internal_error_is_not_shared_with_later_rows(judges: Judges, problem: Path, flaky: type[Flaky]) -> None:
    judge = judges()
    judge.judge(row(problem))
    flaky.failures = 2
    batch = judge.batch()
    assert batch.submit(row(problem)).result().verdict is Verdict.IE
    assert batch.submit(row(problem)).result().verdict is Verdict.AC


def test_a_machine_that_grants_nothing_is_no_row_error(problem: Path, shared_cache: Path) -> None:
    with Judge(slots=1, backend="nothing", cache_directory=shared_cache) as judge:
        with pytest.raises(Unavailable, match="nothing"):
            list(judge.judge_many([row(problem)]))
        with pytest.raises(Unavailable, match="nothing"):
            _ = judge.isolation


def test_rows_that_nobody_waits_for_are_not_begun(judges: Judges, problem: Path, judgements: list[Submission]) -> None:
    batch = judges(slots=1).batch(Options(cpu_ns=50_000_000_000))
    running = batch.submit(row(problem, source=SLEEP.replace(b"60", b"1")))
    rows = [[batch.submit(row(problem, source=ADD + b"//%d" % i)) for _ in range(2)] for i in range(3)]
    assert rows[0][0].cancel()  # its twin is waited for
    assert all(future.cancel() for future in rows[1])
    again = batch.submit(row(problem, source=ADD + b"//1"))
    for future in (running, rows[0][1], *rows[2], again):
        future.result()
    assert [submission.source[-3:] for submission in judgements[1:]] == [b"//0", b"//2", b"//1"]


def test_what_judges_nothing_survives_the_end_of_its_launcher(judges: Judges, package: MakePackage) -> None:
    """Whoever lets a slot stand idle does not hear of it: the kernel may have killed it for want of memory."""
    files = {"input_validators/numbers.py": "import sys\nsys.exit(42 if sys.stdin.read() == '1 2\\n' else 43)\n"}
    checked = package({"secret/1": ("1 2\n", "3\n"), "secret/2": ("1 x\n", "3\n")}, files=files)
    before = set(descendants(os.getpid()))
    judge = judges()
    found = judge.validate(checked)
    assert [finding.file for finding in found] == ["data/secret/2.in"]
    mine = [psutil.Process(pid) for pid in set(descendants(os.getpid())) - before]
    launchers = [process for process in mine if "judge-launcher" in process.name()]
    assert launchers
    for launcher in launchers:
        launcher.kill()
    psutil.wait_procs(launchers, timeout=60)
    assert judge.validate(checked) == found
