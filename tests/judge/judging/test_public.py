"""What a submitter may see of hidden tests: nothing that a program can write its input into, beyond what is needed."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from judge import Judgement, Verdict
from judge.common.models import TestResult
from judge.judging.public import public

QUIET = TestResult(name="secret/1", group="secret", verdict=Verdict.TLE, score=0.0, cpu_ns=3_000_000, wall_ns=1,
                   memory_bytes=3 << 20, memory_source="maxrss", cgroup_peak_bytes=1)  # fmt: skip
#: The same run of a program that says its input by all that it can choose.
SAYING = replace(
    QUIET,
    cpu_ns=3_031_337,
    wall_ns=31337,
    memory_bytes=(2 << 20) + 31337,
    cgroup_peak_bytes=31337,
    exit_code=31,
    signal="SIGUSR1",
    detail="both wait; the program wrote 31337 bytes",
    stdout="31337",
    stderr="31337",
    conversation="> 31337",
    suspicious=("ptrace", "bpf"),
    confirmed="TLE",
    cjk="31337",
    points=31337.0,
    raw_score=31337.0,
)


def judgement(test: TestResult) -> Judgement:
    figures = {"cpu_ns": test.cpu_ns or 0, "wall_ns": test.wall_ns or 0, "memory_bytes": test.memory_bytes}
    return Judgement(
        problem="p", language="c17", verdict=test.verdict, accepted=False, score=0.0, tests=(test,), **figures
    )


def test_a_program_cannot_say_its_input_by_what_it_chooses() -> None:
    told = {field.name for field in fields(TestResult)} - {"name", "group", "verdict", "score", "memory_source"}
    assert all(getattr(QUIET, name) != getattr(SAYING, name) for name in told), "a new field: may it be told?"
    assert public(judgement(QUIET), ()) == public(judgement(SAYING), ())
    assert public(judgement(SAYING), ["secret/1"]).tests == (SAYING,)


def test_a_program_says_little_by_its_speed() -> None:
    told = {public(replace(judgement(QUIET), efficiency=value), ()).efficiency for value in (1.31337, 1.3, 1.2501)}
    assert told == {1.3}


@pytest.mark.parametrize("verdict", Verdict)
def test_no_detail_of_a_hidden_test_has_a_figure(verdict: Verdict) -> None:
    (test,) = public(judgement(replace(SAYING, verdict=verdict)), ()).tests
    assert not any(letter.isdigit() for letter in test.detail)
    assert test.verdict is verdict
