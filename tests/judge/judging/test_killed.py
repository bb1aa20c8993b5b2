"""A SIGKILL that no limit explains: the program's own, or from outside."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from judge import Judge, Options, Submission, Verdict
from tests.conftest import MakePackage
from tests.processes import descendants
from tests.robustness.machine import kind

Judges = Callable[..., Judge]
#: Runs long enough to be found and killed.
SLOW = (
    b'#include <unistd.h>\n#include <stdio.h>\nint main(void) { int a; scanf("%d", &a); sleep(2); printf("%d\\n", a); }'
)
SUICIDE = b"#include <signal.h>\n#include <unistd.h>\nint main(void) { kill(getpid(), SIGKILL); for (;;) pause(); }"


@pytest.fixture
def problem(package: MakePackage) -> Path:
    return package({"secret/1": ("7\n", "7\n")})


def submission(problem: Path, source: bytes) -> Submission:
    return Submission(source=source, problem=problem, language="c17")


def kill_program_once(killed: list[int], others: set[int]) -> None:
    """`others` were there before: another test may have left a program that nobody has waited for."""
    while not killed:
        time.sleep(0.01)
        with suppress(OSError):  # it ended meanwhile
            for program in set(descendants(os.getpid())) - others:
                held = os.pidfd_open(program)  # its number may soon be another process's
                try:
                    if kind(program) != "program":
                        continue
                    time.sleep(0.1)  # it is past its exec
                    signal.pidfd_send_signal(held, signal.SIGKILL)
                    killed.append(program)
                    return
                finally:
                    os.close(held)


def test_a_program_that_was_killed_by_hand_is_not_run_again(judges: Judges, problem: Path) -> None:
    """It cannot be told from one that kills itself; but what it was given is not kept."""
    judge, killed = judges(), list[int]()
    options = Options(cpu_ns=20_000_000_000, verdict_cache=True)
    judge.judge(submission(problem, SLOW), replace(options, verdict_cache=False))  # only the program runs from now on
    killer = threading.Thread(target=kill_program_once, args=(killed, set(descendants(os.getpid()))))
    killer.start()
    judgement = judge.judge(submission(problem, SLOW), options)
    killer.join()
    assert killed
    assert (judgement.verdict, judgement.tests[0].signal) == (Verdict.RE, "SIGKILL")
    again = judge.judge(submission(problem, SLOW), options)
    assert (again.verdict, again.cached) == (Verdict.AC, False)


def test_a_program_that_kills_itself_has_a_runtime_error(judges: Judges, problem: Path) -> None:
    judgement = judges().judge(submission(problem, SUICIDE))
    assert (judgement.verdict, judgement.tests[0].signal) == (Verdict.RE, "SIGKILL")
