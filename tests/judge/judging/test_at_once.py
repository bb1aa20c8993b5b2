"""Tests of one submission on several slots at once: the results are those of tests that run one after another."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pytest

from judge import Judge, Judgement, Options, Stop, Submission
from judge.common.errors import Cancelled
from judge.common.models import TestResult, Verdict
from judge.judging.at_once import DoneTest, run_ahead
from judge.judging.job import Job
from judge.slots.slot import Slot
from problems.model import SECOND_NS, TestCase
from tests.packages import write_package

Judges = Callable[..., Judge]

VALIDATOR = """\
import sys
word = sys.stdin.read().strip()
open(sys.argv[3] + "score.txt", "w").write(word)
sys.exit(43 if word == "no" else 42)
"""
SEEDS = 12


@pytest.fixture
def place(tmp_path: Path) -> Path:
    cases = {"sample/1": ("0", ""), **{f"secret/{seed:02}": (str(seed), "") for seed in range(1, SEEDS + 1)}}
    files = {"output_validator/v.py": VALIDATOR, "judge.yaml": "objective: {best: 10, baseline: 0}\n"}
    return write_package(tmp_path / "seeds", cases, metadata="type: scoring\n", files=files)


def judged(judge: Judge, place: Path, source: str, **options: Any) -> Judgement:
    row = Submission(source=source.encode(), problem=place, language="python3")
    return judge.judge(row, Options(**options))


@pytest.mark.parametrize(
    ("source", "options", "run"),
    [
        ("print(int(input()))", {}, SEEDS),
        ("n = int(input())\nprint('no' if n == 5 else n)", {"stop": Stop.FIRST_FAILURE}, 5),
        ("n = int(input())\nprint(10 if n < 4 else 0)", {"at_least": 0.9}, 5),
    ],
)
def test_results_and_where_testing_stops_are_those_of_tests_in_turn(
    place: Path, judges: Judges, source: str, options: dict[str, Any], run: int
) -> None:
    judge = judges(slots=2)
    said = [judged(judge, place, source, at_once=at_once, **options) for at_once in (False, True)]
    tests = [[(test.name, test.verdict, test.score, test.raw_score) for test in one.tests] for one in said]
    assert tests[0] == tests[1]
    assert sum(test.verdict is not Verdict.SK for test in said[1].tests) == run + 1
    assert len({(one.verdict, one.score, one.raw_score, one.complete) for one in said}) == 1


class Watch:
    def __init__(self) -> None:
        self.compiled = threading.Event()

    def on_compiled(self, *_: object) -> None:
        self.compiled.set()

    def on_tested(self, *_: object, **__: object) -> None:
        pass


def test_stopping_it_stops_what_runs_on_other_slots(place: Path, judges: Judges) -> None:
    judge, watch = judges(slots=2), Watch()
    row = Submission(source=b"import time\ntime.sleep(100)", problem=place, language="python3")
    began = time.monotonic()
    future = judge.submit(row, Options(at_once=True, cpu_ns=100 * SECOND_NS), watch)
    assert watch.compiled.wait(60)
    while not judge.stop(future):
        time.sleep(0.02)
    with pytest.raises(Cancelled):
        future.result()
    assert judged(judge, place, "print(input())").complete, "its slots are free"
    assert time.monotonic() - began < 100


class Threads:
    """Slots that are threads."""

    slots = 2

    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor(self.slots - 1)
        self.stopped = threading.Event()

    def begin(self, work: Callable[[Slot], Any]) -> Future[Any]:
        return self.pool.submit(work, cast("Slot", FakeSlot()))

    def stop(self, future: Future[Any]) -> bool:
        self.stopped.set()
        return future.cancel() or future.done()


class FakeSlot:
    share = property(lambda self: self)

    def release(self) -> None:
        pass


@dataclass(frozen=True)
class FakeJob:
    slot: FakeSlot
    idle: bool = False


JOB = cast("Job", FakeJob(FakeSlot()))


@pytest.fixture
def threads() -> Iterator[Threads]:
    others = Threads()
    yield others
    others.pool.shutdown()


def case(name: str) -> TestCase:
    return TestCase(name=name, group="secret", input=Path(name), answer=None)


def passed(one: TestCase) -> DoneTest:
    result = TestResult(name=one.name, group="secret", verdict=Verdict.AC, score=1.0)
    return DoneTest(result=result, doubt=None, timed_out=False, stood_still=False)


def test_two_tests_run_at_the_same_time(threads: Threads) -> None:
    both = threading.Barrier(2, timeout=20)

    def test(_: Job, one: TestCase) -> DoneTest:
        both.wait()
        return passed(one)

    cases = [case(str(number)) for number in range(6)]
    with run_ahead(test, cases, threads) as take:
        assert [take(JOB, one).result.name for one in cases] == [one.name for one in cases]


def test_what_runs_ahead_of_the_end_is_stopped(threads: Threads) -> None:
    begun = threading.Event()

    def test(_: Job, one: TestCase) -> DoneTest:
        if one.name == "0":
            return passed(one)
        begun.set()
        if threads.stopped.wait(20):
            raise Cancelled
        return passed(one)

    cases = [case("0"), case("1")]
    with run_ahead(test, cases, threads) as take:
        take(JOB, cases[0])
        assert begun.wait(20)
    assert threads.stopped.is_set()


def test_what_was_begun_with_time_to_stand_idle_is_run_anew(threads: Threads) -> None:
    """Its wall limit was another one than that of a test in turn."""

    def test(job: Job, one: TestCase) -> DoneTest:
        return replace(passed(one), stood_still=job.idle)

    cases = [case(str(number)) for number in range(4)]
    idle = cast("Job", replace(JOB, idle=True))
    with run_ahead(test, cases, threads) as take:
        stood = [take(JOB, cases[0]).stood_still]
        threads.pool.submit(int).result(20)  # the others have run
        stood += [take(job, one).stood_still for job, one in zip((JOB, idle, idle), cases[1:], strict=True)]
    assert stood == [False, False, True, True]
