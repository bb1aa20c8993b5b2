"""Which time-outs are tried once more, alone: those that load may explain, and none that a program can choose."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from judge import Judge, Judgement, Options, Submission, languages
from judge.common.errors import LanguageError
from judge.slots.capacity import Slots
from tests.conftest import MakePackage

QUICK = "limits:\n  time_limit: 0.3\n  memory: 64\n  output: 1\n"
ONE = {"secret/1": ("1 2\n", "3\n")}
#: CPU time of the process so far, in units of the limit: beyond it, and not far.
BUSY = "while (clock() < 0.37 * CLOCKS_PER_SEC);"

Judged = Callable[..., Judgement]


def program(body: str) -> bytes:
    """A C program that reads a and b first."""
    return (
        "#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n#include <unistd.h>\n"
        f'int main(void) {{ int a, b; if (scanf("%d %d", &a, &b) != 2) return 1; {body} }}\n'
    ).encode()


def verdicts(judgement: Judgement) -> str:
    return " ".join(test.verdict for test in judgement.tests)


def confirmed(judgement: Judgement) -> list[str | None]:
    return [test.confirmed for test in judgement.tests]


@pytest.fixture
def judge(judges: Callable[..., Judge], monkeypatch: pytest.MonkeyPatch) -> Judge:
    monkeypatch.setattr(Slots, "cores", 4)  # programs that sleep run beside each other on whatever this machine has
    return judges(slots=2)


@pytest.fixture
def alone(judge: Judge) -> Judged:
    def judged(problem: Path, body: str, **options: object) -> Judgement:
        submission = Submission(source=program(body), problem=problem, language="c17")
        return judge.judge(submission, Options(**options))  # type: ignore[arg-type]

    return judged


@pytest.fixture
def beside(judge: Judge, alone: Judged, package: MakePackage) -> Iterator[Judged]:
    """Judged while the other slot runs one sleeper after the other, with a moment for who waits to be alone."""
    tests = {f"secret/{number:03}": ("1 2\n", "3\n") for number in range(200)}
    sleepers = package(tests, metadata=QUICK, name="sleepers")
    company = judge.submit(Submission(source=program("usleep(200000);"), problem=sleepers, language="c17"))
    while not judge._executor.here.gate._running:
        time.sleep(0.01)
    yield alone
    assert not company.done()


def test_a_wait_is_no_load(alone: Judged, beside: Judged, package: MakePackage) -> None:
    """Asleep beyond the wall limit (1.6 s), alone and in company."""
    judgement = alone(package(ONE, metadata=QUICK), 'usleep(1800000); printf("%d\\n", a + b);')
    assert (verdicts(judgement), confirmed(judgement)) == ("TLE", [None])


def test_one_slot_stops_a_program_at_its_limit(judges: Callable[..., Judge], package: MakePackage) -> None:
    """Nothing of ours can run beside it, so that nothing is in doubt. Of two slots the other one may have caused it."""
    problem, loop = package(ONE, metadata=QUICK), program("for (;;) ;")
    one, two = [
        judges(slots=slots).judge(
            Submission(source=loop, problem=problem, language="c17"), Options(verdict_cache=False)
        )
        for slots in (1, 2)
    ]
    assert (verdicts(one), verdicts(two)) == ("TLE", "TLE")
    assert 1 <= one.tests[0].cpu_ns / 300e6 < 1.25 < two.tests[0].cpu_ns / 300e6


def test_who_ends_alone_beyond_the_limit_is_believed(alone: Judged, package: MakePackage) -> None:
    judgement = alone(package(ONE, metadata=QUICK), BUSY + 'printf("%d\\n", a + b);')
    assert (verdicts(judgement), confirmed(judgement)) == ("TLE", [None])


def test_who_ends_in_company_beyond_the_limit_is_tried_alone(beside: Judged, package: MakePackage) -> None:
    problem = package(ONE, metadata=QUICK)
    judgement = beside(problem, BUSY + 'printf("%d\\n", a + b);')
    assert (verdicts(judgement), confirmed(judgement)) == ("TLE", ["TLE"])
    assert confirmed(beside(problem, BUSY + 'printf("%d\\n", b + a);', confirm_tle=False)) == [None]


#: Heads and tails by the machine's noise: the low bits of the stack's address, and of the time.
COIN = """
    struct timespec now; clock_gettime(CLOCK_MONOTONIC, &now);
    unsigned long coin = ((unsigned long)&now >> 4) ^ (unsigned long)now.tv_nsec; coin ^= coin >> 7; coin ^= coin >> 13;
"""


@pytest.mark.parametrize("tails", ["usleep(100000000);", BUSY, "for (;;);"], ids=["sleeps", "lasts", "spins"])
def test_a_coin_is_thrown_once(beside: Judged, package: MakePackage, tails: str) -> None:
    """Each test that had a second try says so, and none of these has passed."""
    problem = package({f"secret/{number}": ("1 2\n", "3\n") for number in range(6)}, metadata=QUICK)
    judgement = beside(problem, COIN + f'if (coin & 1) {{ {tails} return 0; }} printf("%d\\n", a + b);')
    assert set(verdicts(judgement).split()) <= {"AC", "TLE"}
    assert [test for test in judgement.tests if test.confirmed and test.verdict != "TLE"] == []


def test_a_time_out_that_changes_the_score_is_confirmed(beside: Judged, package: MakePackage) -> None:
    """Although another test has decided the verdict."""
    cases = {"secret/1": ("2 2\n", "4\n"), "secret/2": ("-1 5\n", "4\n"), "secret/0": ("0 0\n", "0\n")}
    judgement = beside(package(cases, metadata=QUICK), f'if (a == -1) {BUSY} puts("4");')
    assert verdicts(judgement) == "WA AC TLE"
    assert confirmed(judgement) == [None, None, "TLE"]


def test_a_time_out_that_changes_nothing_is_believed(beside: Judged, package: MakePackage) -> None:
    """Samples do not count where there are scores."""
    cases = {"sample/1": ("1 2\n", "3\n"), "secret/1": ("2 2\n", "4\n")}
    problem = package(cases, metadata=f"{QUICK}type: scoring\n")
    judgement = beside(problem, f'if (a == 1) {BUSY} printf("%d\\n", a + b);')
    assert verdicts(judgement) == "TLE AC"
    assert (confirmed(judgement), judgement.score) == ([None, None], 1.0)


def test_after_one_confirmed_time_out_the_others_are_believed(beside: Judged, package: MakePackage) -> None:
    cases = {f"secret/{number}": ("1 2\n", "3\n") for number in range(4)}
    judgement = beside(package(cases, metadata=QUICK), BUSY)
    assert verdicts(judgement) == "TLE TLE TLE TLE"
    assert confirmed(judgement) == ["TLE", None, None, None]


def test_after_two_time_outs_runs_end_at_their_limits(beside: Judged, package: MakePackage) -> None:
    """A loop costs half a limit more only where its time-out may still be repeated."""
    cases = {f"secret/{number}": ("1 2\n", "3\n") for number in range(4)}
    limit_ns = 300_000_000
    for options, sure in (({}, 2), ({"confirm_tle": False}, 0)):
        tests = beside(package(cases, metadata=QUICK, name=f"loop{sure}"), "for (;;);", **options).tests
        used = [test.cpu_ns for test in tests]
        assert all(cpu_ns is not None and cpu_ns >= 1.5 * limit_ns for cpu_ns in used[:sure]), used
        assert all(cpu_ns is not None and limit_ns <= cpu_ns < 1.4 * limit_ns for cpu_ns in used[sure:]), used


#: Uses half a second of CPU time, in a process of its own.
HONEST = "perl -e 'while (1) { my @used = times; last if $used[0] + $used[1] > 0.5 }'; echo 3\n"
HOG = "for i in 1 2 3 4 5 6 7 8; do while :; do :; done & done; wait\n"


def test_a_script_beside_one_of_many_processes_has_its_time(judges: Callable[..., Judge], package: MakePackage) -> None:
    """A quarter of its limit of CPU time is no time-out, whoever takes the cores meanwhile."""
    judge = judges(slots=2)
    try:
        languages.get("bash").check(judge.isolation)
    except LanguageError as error:
        pytest.skip(str(error))
    limits = "limits:\n  time_limit: 1\n  memory: 64\n"
    hogs = package({f"secret/{number:02}": ("1 2\n", "3\n") for number in range(40)}, metadata=limits, name="hogs")
    company = judge.submit(Submission(source=HOG.encode(), problem=hogs, language="bash"))
    while not judge._executor.here.gate._running:
        time.sleep(0.01)
    problem = package({f"secret/{number}": ("1 2\n", "3\n") for number in range(3)}, metadata=limits, name="honest")
    judgement = judge.judge(Submission(source=HONEST.encode(), problem=problem, language="bash"))
    assert not company.done()
    assert verdicts(judgement) == "AC AC AC"
