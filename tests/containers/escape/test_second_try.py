"""A program gets one try, however it ends: what ended by its own hand is not run again."""

from __future__ import annotations

from pathlib import Path

import pytest

from containers import Outcome, RunSpec
from containers.launcher.driver import LauncherSandbox
from judge import Judge, Submission, Verdict
from tests.conftest import MakePackage

_HEAD = "#include <signal.h>\n#include <sys/resource.h>\n#include <sys/syscall.h>\n#include <unistd.h>\n"
#: Each ends by a SIGKILL that no limit of the judge explains.
_ENDS = {
    "kill": "kill(getpid(), SIGKILL);",
    "raise": "raise(SIGKILL);",
    "tgkill": "syscall(SYS_tgkill, getpid(), getpid(), SIGKILL);",
    "limit of CPU time": "setrlimit(RLIMIT_CPU, &(struct rlimit){1, 1}); for (volatile long i = 0;; i++) ;",
}


@pytest.mark.parametrize("end", _ENDS.values(), ids=_ENDS)
def test_a_program_that_ends_itself_is_not_run_again(
    judge: Judge, package: MakePackage, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    starts: list[Outcome] = []
    run = LauncherSandbox.run

    def counted(self: LauncherSandbox, spec: RunSpec) -> Outcome:
        outcome = run(self, spec)
        if spec.executable is not None:
            starts.append(outcome)
        return outcome

    problem: Path = package({"secret/1": ("1\n", "1\n")}, metadata="limits:\n  time_limit: 5\n")
    source = f"{_HEAD}int main(void) {{ {end} for (;;) pause(); }}".encode()
    submission = Submission(source=source, problem=problem, language="c17")
    judge.judge(submission)  # the compiler is known and tried
    monkeypatch.setattr(LauncherSandbox, "run", counted)
    judgement = judge.judge(submission)
    assert (judgement.verdict, judgement.score, judgement.tests[0].signal) == (Verdict.RE, 0.0, "SIGKILL")
    assert len(starts) == 1
