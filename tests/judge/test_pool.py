"""Many submissions at once: streaming, sharing, closing, failing."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from containers import Outcome, RunSpec, Sandbox, SandboxError, Unavailable, open_sandbox
from judge import Cancelled, ConfigError, Judge, JudgeError, Judgement, Options, Submission, Verdict, pool
from judge.engine import Engine
from judge.gate import Gate

if TYPE_CHECKING:
    from conftest import MakePackage

Judges = Callable[..., Judge]

ADD = b'#include <stdio.h>\nint main(void) { int a, b; scanf("%d %d", &a, &b); printf("%d\\n", a + b); return 0; }\n'
WRONG = ADD.replace(b"a + b", b"a - b")
SLEEP = b"#include <unistd.h>\nint main(void) { sleep(60); }\n"


@pytest.fixture
def problem(package: MakePackage) -> Path:
    return package({"secret/1": ("1 2\n", "3\n")})


def row(problem: Path, id_: object = None, source: bytes = ADD) -> Submission:
    return Submission(source=source, problem=problem, language="c17", id=None if id_ is None else str(id_))


@pytest.fixture
def judgements(monkeypatch: pytest.MonkeyPatch) -> list[Submission]:
    """The submissions that reach the engine."""
    seen: list[Submission] = []
    judge = Engine.judge

    def counted(self: Engine, submission: Submission, options: Options, slot: pool.Slot) -> Judgement:
        seen.append(submission)
        return judge(self, submission, options, slot)

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


def test_rows_that_differ_in_the_least_are_not_shared(
    judges: Judges, package: MakePackage, problem: Path, judgements: list[Submission]
) -> None:
    other = package({"secret/1": ("1 2\n", "4\n")}, name="other")
    rows = [row(problem), row(other), row(problem, source=ADD + b"\n"), row(problem, source=WRONG)]
    assert len(list(judges().judge_many(rows))) == len(judgements) == 4


def test_a_row_that_cannot_be_judged_is_an_error_of_its_own(judges: Judges, problem: Path) -> None:
    rows = [row(problem, "good"), row(Path("/nowhere"), "no problem"), row(problem, "empty", b"")]
    found = {judgement.id: judgement for judgement in judges().judge_many(rows)}
    assert found["good"].accepted
    for name, says in (("no problem", "nowhere"), ("empty", "empty")):
        assert (found[name].verdict, found[name].score) == (Verdict.IE, None)
        assert says in (found[name].error or "")


def test_an_unexpected_failure_of_one_row_leaves_the_others(
    judges: Judges, problem: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = Engine.judge

    def broken(self: Engine, submission: Submission, options: Options, slot: pool.Slot) -> Judgement:
        if submission.source == WRONG:
            raise ZeroDivisionError("oh")
        return judge(self, submission, options, slot)

    monkeypatch.setattr(Engine, "judge", broken)
    found = {j.id: j for j in judges().judge_many([row(problem, "a", WRONG), row(problem, "b")])}
    assert found["b"].accepted
    assert (found["a"].verdict, found["a"].error) == (Verdict.IE, "unexpected failure: ZeroDivisionError('oh')")


def test_an_endless_batch_is_read_only_a_little_ahead(judges: Judges, problem: Path) -> None:
    taken = itertools.count()
    rows = (row(problem, next(taken)) for _ in itertools.repeat(None))
    stream = judges(slots=2).judge_many(rows)
    assert len([next(stream) for _ in range(40)]) == 40
    assert next(taken) <= 40 + pool._AHEAD * 2
    stream.close()  # type: ignore[attr-defined]


def test_future_and_coroutine(judges: Judges, problem: Path) -> None:
    judge = judges(slots=2)
    assert judge.submit(row(problem)).result().accepted

    async def both() -> list[Judgement]:
        return await asyncio.gather(judge.ajudge(row(problem, 1)), judge.ajudge(row(problem, 2, WRONG)))

    assert [judgement.verdict for judgement in asyncio.run(both())] == ["AC", "WA"]


def test_slots_run_beside_each_other(judges: Judges, problem: Path) -> None:
    judge = judges(slots=3)
    futures = [judge.submit(row(problem, source=SLEEP), Options(cpu_ns=50_000_000_000)) for _ in range(5)]
    while len(judge._gate._running) < 3:
        time.sleep(0.01)
    assert not any(future.done() for future in futures)


def test_close_stops_what_runs(judges: Judges, problem: Path) -> None:
    judge = judges(slots=2)
    futures = [judge.submit(row(problem, source=SLEEP), Options(cpu_ns=50_000_000_000)) for _ in range(5)]
    while len(judge._gate._running) < 2:
        time.sleep(0.01)
    judge.close()
    assert not judge._gate._running
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("judge")]
    for future in futures:
        assert future.cancelled() or isinstance(future.exception(), Cancelled)
    with pytest.raises(Cancelled):
        judge.judge(row(problem))
    judge.close()


def test_leaving_the_context_by_an_exception_closes(problem: Path, backend: str, shared_cache: Path) -> None:
    with pytest.raises(KeyboardInterrupt), Judge(slots=1, backend=backend, cache_directory=shared_cache) as judge:
        judge.submit(row(problem, source=SLEEP), Options(cpu_ns=50_000_000_000))
        raise KeyboardInterrupt
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("judge")]


def test_nothing_is_opened_before_there_is_work(monkeypatch: pytest.MonkeyPatch, shared_cache: Path) -> None:
    monkeypatch.setattr(pool, "open_sandbox", lambda *_a, **_k: pytest.fail("opened"))
    with Judge(slots=8, backend="native", cache_directory=shared_cache):
        assert not [thread for thread in threading.enumerate() if thread.name.startswith("judge")]


def test_descriptors_are_given_back(problem: Path, backend: str, shared_cache: Path) -> None:
    def some() -> int:
        with Judge(slots=2, backend=backend, cache_directory=shared_cache) as judge:
            for i in range(6):
                judge.judge(row(problem, i, ADD + b"\n" * (i % 3)))
        return len(list(Path("/proc/self/fd").iterdir()))

    assert some() == some()


@pytest.mark.parametrize("slots", [0, -1])
def test_slots_must_be_positive(slots: int) -> None:
    with pytest.raises(ConfigError, match=f"positive, not {slots}"):
        Judge(slots=slots)


@pytest.mark.parametrize("wrong", [{"cpu_ns": 0}, {"memory_bytes": -1}])
def test_limits_must_be_positive(wrong: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match="must be positive"):
        Options(**wrong)  # type: ignore[arg-type]


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

    monkeypatch.setattr(pool, "open_sandbox", opened)
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


class TestGate:
    def test_company(self) -> None:
        gate = Gate()
        with gate.shared() as first:
            assert (first.alone, first.crowded) == (True, False)
            with gate.shared() as second:
                assert (second.alone, second.crowded) == (False, True)
            assert (first.alone, first.crowded) == (True, True)
        with gate.shared() as third:
            assert (third.alone, third.crowded) == (True, False)

    def test_exclusive_waits_for_all_and_lets_nobody_in(self) -> None:
        gate, log, inside = Gate(), list[str](), threading.Event()

        def run(name: str, *, alone: bool) -> None:
            with gate.exclusive() if alone else gate.shared() as company:
                log.append(f"{name} in")
                inside.set()
                time.sleep(0.05)
                assert company.crowded is False or not alone
                log.append(f"{name} out")

        def start(name: str, *, alone: bool) -> threading.Thread:
            thread = threading.Thread(target=run, args=(name,), kwargs={"alone": alone})
            thread.start()
            return thread

        threads = [start("first", alone=False)]
        inside.wait()
        threads.append(start("alone", alone=True))
        while not gate._exclusive:
            time.sleep(0.001)
        threads.append(start("later", alone=False))
        for thread in threads:
            thread.join()
        assert log == ["first in", "first out", "alone in", "alone out", "later in", "later out"]

    def test_many_of_both_kinds_end(self) -> None:
        gate, together, lock = Gate(), 0, threading.Lock()

        def work(seed: int) -> None:
            nonlocal together
            for i in range(50):
                alone = (seed + i) % 5 == 0
                with gate.exclusive() if alone else gate.shared():
                    with lock:
                        together += 1
                        assert not alone or together == 1
                    with lock:
                        together -= 1

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
            assert not thread.is_alive()

    def test_closing_wakes_who_waits(self) -> None:
        gate, errors = Gate(), list[JudgeError]()

        def wait(*, alone: bool) -> None:
            try:
                with gate.exclusive() if alone else gate.shared():
                    pass
            except JudgeError as error:
                errors.append(error)

        with gate.shared():
            alone = threading.Thread(target=wait, kwargs={"alone": True})
            alone.start()
            while not gate._exclusive:
                time.sleep(0.001)
            later = threading.Thread(target=wait, kwargs={"alone": False})
            later.start()
            gate.close()
            alone.join()
            later.join()
        assert [type(error) for error in errors] == [Cancelled, Cancelled]
