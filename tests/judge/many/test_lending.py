"""A run that stands still lends its core and its thread: others are judged meanwhile, as if it were not there."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import pytest

from judge import Judge, Judgement, Options, Submission, Verdict, languages
from judge.common.errors import LanguageError
from judge.common.models import Stop
from judge.many.queue import Workers
from judge.slots.capacity import Slots
from tests.conftest import MakePackage
from tests.distinct import declaration
from tests.processes import descendants

Judges = Callable[..., Judge]

LIMITS = "limits:\n  time_limit: 0.4\n  memory: 64\n"
CASES = {f"secret/{number}": (f"{number} 2\n", f"{number + 2}\n") for number in range(2)}
SLEEP = "#include <unistd.h>\nint main(void) { for (;;) sleep(1000); }\n"
#: Sleeps until its core is lent, and then takes one for as long as it may.
WAKE = "#include <unistd.h>\nint main(void) { usleep(400000); for (;;) ; }\n"
#: Four fifths of its limit.
HONEST = """#include <stdio.h>
#include <time.h>
int main(void) {
    int a, b;
    scanf("%d %d", &a, &b);
    while (clock() < 0.32 * CLOCKS_PER_SEC) ;
    printf("%d\\n", a + b);
}
"""
#: Its wall limit is ten minutes.
PATIENT = Options(cpu_ns=300 * 10**9)


@pytest.fixture(autouse=True)
def cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one core nothing is lent: who has it is alone."""
    monkeypatch.setattr(Slots, "cores", 2)


@pytest.fixture
def problem(package: MakePackage) -> Path:
    return package(CASES, metadata=LIMITS)


def row(problem: Path, source: str) -> Submission:
    return Submission(source=(source + declaration()).encode(), problem=problem, language="c17")


def stop(judge: Judge, futures: list[Future[Judgement]]) -> None:
    while not all([judge.stop(future) for future in futures]):
        time.sleep(0.01)


def facts(judgement: Judgement) -> tuple[object, ...]:
    return judgement.verdict, judgement.score, tuple((test.name, test.verdict, test.score) for test in judgement.tests)


def test_a_sleeper_delays_nobody(judges: Judges, problem: Path) -> None:
    judge = judges(slots=2)
    sleepers = [judge.submit(row(problem, SLEEP), PATIENT) for _ in range(2)]
    assert judge.judge(row(problem, HONEST)).accepted
    assert not any(sleeper.done() for sleeper in sleepers)
    stop(judge, sleepers)


def test_a_compile_that_sleeps_delays_nobody(judges: Judges, problem: Path) -> None:
    judge = judges(slots=2)
    try:
        languages.get("perl").check(judge.isolation)
    except LanguageError as error:
        pytest.skip(str(error))
    sources = [f"BEGIN {{ sleep 1000 }} # {time.monotonic_ns()}".encode() for _ in range(2)]
    patient = Options(compile_cpu_ns=300 * 10**9)
    sleepers = [judge.submit(Submission(source=one, problem=problem, language="perl"), patient) for one in sources]
    assert judge.judge(row(problem, HONEST)).accepted
    assert not any(sleeper.done() for sleeper in sleepers)
    stop(judge, sleepers)


def test_who_wakes_disturbs_no_verdict(judges: Judges, problem: Path) -> None:
    """As many as there are spares wake beside honest programs that need most of their limit, again and again."""
    judge = judges(slots=2)
    spares = judge._executor.budget.spares  # type: ignore[attr-defined]
    assert spares > 0
    alone = facts(judge.judge(row(problem, HONEST)))
    most = 0

    def note() -> None:
        nonlocal most
        most = max(most, gate.lent_cores)
        tell()

    gate = judge._executor.here.gate  # type: ignore[attr-defined]
    tell, gate.on_cores_lent = gate.on_cores_lent, note
    once = Options(stop=Stop.FIRST_FAILURE)
    wakers = [judge.submit(row(problem, WAKE), once) for _ in range(spares + 2)]
    honest = [judge.submit(row(problem, HONEST)) for _ in range(4)]
    assert [facts(future.result()) for future in honest] == [alone] * len(honest)
    assert {future.result().verdict for future in wakers} == {Verdict.TLE}
    assert 0 < most <= spares, "else nothing was tried"


def test_spares_end_with_the_judge(judges: Judges, problem: Path) -> None:
    before, threads = descendants(os.getpid()), set(threading.enumerate())
    judge = judges(slots=2)
    sleepers = [judge.submit(row(problem, SLEEP), PATIENT) for _ in range(4)]
    while len(judge._executor.here.gate._running) < 4:  # type: ignore[attr-defined]
        time.sleep(0.01)
    judge.close()
    assert all(future.done() for future in sleepers)
    assert descendants(os.getpid()) <= before
    assert not [one for one in set(threading.enumerate()) - threads if one.name.startswith("judge_")]


def test_threads_work_for_those_that_only_wait() -> None:
    """And no more than that, whatever waits to be done."""
    workers, inside, end = Workers(1, "lent"), threading.Semaphore(0), threading.Semaphore(0)

    def work() -> None:
        inside.release()
        end.acquire()

    for _ in range(4):
        workers.do(work, Future())
    assert inside.acquire(timeout=20)
    assert not inside.acquire(timeout=0.2)
    workers.lend(lambda: 2)
    workers.lend(lambda: 1)
    assert inside.acquire(timeout=20)
    assert not inside.acquire(timeout=0.2)
    workers.lend(lambda: 0)
    end.release()
    assert not inside.acquire(timeout=0.2)  # two were at work, and one may be
    end.release()
    assert inside.acquire(timeout=20)
    assert not inside.acquire(timeout=0.2)
    end.release(2)
    workers.close()
    assert inside.acquire(timeout=20)
