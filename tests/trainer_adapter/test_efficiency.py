"""An accepted program is compared with its package's accepted submissions, in turn on the same slot."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import problems
from judge import Judge, Options, Submission
from judge.common.errors import ConfigError
from judge.common.models import AS_FAST, WITHIN_TWICE
from judge.judging.efficiency import MOST_RUNS
from judge.server.problem_facts import Lengths
from problems.model import SECOND_NS
from tests.conftest import MakePackage
from trainer_adapter import reward_funcs
from trainer_adapter.reward_funcs import CodeReward, Kind, Settings

Judges = Callable[..., Judge]
HOW = Options(efficiency=True)

#: Takes about 25 ms of CPU time a million rounds.
SPIN = """#include <stdio.h>
int main(void) {
    unsigned x = 1, n = 0;
    scanf("%u", &n);
    for (long i = 0; i < ROUNDS * 1000000L; i++) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; }
    printf("%u\\n", x ? n : 0);
}
"""
CASES = {"secret/1": ("4", "4"), "secret/2": ("7", "7")}


def spin(millions: int) -> str:
    return SPIN.replace("ROUNDS", str(millions))


@pytest.fixture
def problem(package: MakePackage) -> Path:
    files = {"submissions/accepted/right.c": spin(20), "submissions/accepted/slow.c": spin(60)}
    return package(CASES, files=files)


@pytest.fixture
def hog() -> Iterator[None]:
    """Takes the time of every core."""
    spins = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    yield
    for each in spins:
        each.kill()
        each.wait()


def compare(judge: Judge, problem: Path, source: str, options: Options = HOW, language: str = "c17") -> float | None:
    judgement = judge.judge(Submission(source=source.encode(), problem=problem, language=language), options)
    return judgement.efficiency


def test_classes(judges: Judges, problem: Path) -> None:
    """Against the fastest of the package's, whatever the machine's speed."""
    judge = judges()
    fast, half, slow = (compare(judge, problem, spin(millions)) for millions in (20, 33, 80))
    assert fast is not None
    assert half is not None
    assert slow is not None
    assert fast <= AS_FAST < half <= WITHIN_TWICE < slow


@pytest.mark.usefixtures("hog")
def test_a_neighbour_changes_no_class(judges: Judges, problem: Path) -> None:
    test_classes(judges, problem)


def test_only_what_is_accepted_and_asked_for_is_compared(judges: Judges, problem: Path, package: MakePackage) -> None:
    judge = judges()
    assert compare(judge, problem, spin(1), Options()) is None
    assert compare(judge, problem, "int main(void) { return 0; }") is None
    assert compare(judge, package(CASES, name="bare"), spin(1)) is None, "there is nothing to compare with"


def test_a_language_is_compared_with_its_own(judges: Judges, package: MakePackage) -> None:
    files = {"submissions/accepted/right.c": spin(1), "submissions/accepted/right.py": "print(input())\n"}
    both = package(CASES, files=files)
    found = compare(judges(), both, "print(int(input()))\n", language="python3")
    assert found is not None
    assert found <= AS_FAST


def test_a_run_without_its_work_does_not_count(judges: Judges, problem: Path) -> None:
    """A program that knows that it was judged already could leave it out. This one does so in two of three runs."""
    lucky = spin(80).replace("unsigned x", "if (clock_ns() % 3) return 0; unsigned x")
    clock = "#include <time.h>\nstatic long clock_ns(void) { struct timespec t; "
    clock += "clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_nsec / 1000; }\n"
    judge = judges()
    for attempt in range(60):  # until both tests happen to be passed
        found = compare(judge, problem, f"{clock}{lucky}int attempt_{attempt};\n")
        if found is not None:
            assert found > WITHIN_TWICE
            return
    raise AssertionError("it was never accepted")


def test_a_server_counts_what_comparing_may_take(problem: Path) -> None:
    lengths = Lengths.of(problems.load(problem))
    plain, compared = (lengths.longest_ns("c17", Options(efficiency=asked)) for asked in (False, True))
    assert compared - plain >= MOST_RUNS * SECOND_NS


def test_what_is_paid(judges: Judges, problem: Path, shared_cache: Path, backend: str) -> None:
    options = Options(efficiency=True)
    settings = Settings(language="c17", slots=1, backend=backend, cache_directory=shared_cache, options=options)
    sources = [spin(20), spin(33), spin(80), "int main(void) { return 0; }"]
    completions = [f"```c\n{source}```" for source in sources]
    paid = CodeReward(Kind.EFFICIENT, settings)(completions, problem_id=[str(problem)] * 4)
    assert paid == [1.0, 0.5, 0.25, 0.0]
    reward_funcs.close()


def test_a_reward_for_what_nobody_measures_is_refused() -> None:
    with pytest.raises(ConfigError, match="nothing is compared"):
        CodeReward(Kind.EFFICIENT)
