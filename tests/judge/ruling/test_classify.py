"""The ladder as a table: facts of a run on the left, what they are worth on the right."""

from __future__ import annotations

import errno
import signal
from dataclasses import dataclass

import pytest

from containers import Isolation, Outcome, Termination, Usage
from judge.common.models import Verdict
from judge.ruling.classify import Allowed, classify, doubtful, signal_name

SECOND = 1_000_000_000
MIB = 1024 * 1024
ALLOWED = Allowed(cpu_ns=SECOND, wall_ns=3 * SECOND, memory_bytes=256 * MIB, output_bytes=MIB)
MARKS = ("std::bad_alloc", "MemoryError")

EXITED, SIGNALED = Termination.EXITED, Termination.SIGNALED
CPU, WALL, MEMORY, OUTPUT = (
    Termination.CPU_LIMIT,
    Termination.WALL_LIMIT,
    Termination.MEMORY_LIMIT,
    Termination.OUTPUT_LIMIT,
)


def outcome(
    termination: Termination = EXITED,
    *,
    exit_code: int | None = None,
    signal: int | None = None,
    cpu_ns: int = 1000,
    wall_ns: int = 2000,
    waited_ns: int = 0,
    waited_exact: bool = True,
    still_ns: int = 0,
    kept_waiting_ns: int = 0,
    peak: int = 0,
    rss: int = 3 * MIB,
    mapped: int = 0,
    cgroup_peak: int | None = None,
    stdout_bytes: int = 0,
    stderr_bytes: int = 0,
    stderr: bytes = b"",
    exec_errno: int | None = None,
) -> Outcome:
    if exit_code is None and signal is None:
        exit_code, signal = (0, None) if termination is EXITED else (None, 9)
    return Outcome(
        termination=termination,
        exit_code=exit_code,
        signal=signal,
        usage=Usage(
            cpu_ns=cpu_ns,
            wall_ns=wall_ns,
            waited_ns=waited_ns,
            waited_exact=waited_exact,
            still_ns=still_ns,
            kept_waiting_ns=kept_waiting_ns,
            memory_bytes=rss,
            input_bytes=mapped,
            anonymous_peak_bytes=peak,
            cgroup_peak_bytes=cgroup_peak,
        ),
        isolation=Isolation(backend="test", tier="none"),
        stdout_bytes=stdout_bytes,
        stderr_bytes=stderr_bytes,
        stderr=stderr,
        exec_errno=exec_errno,
    )


@dataclass(frozen=True)
class Row:
    name: str
    outcome: Outcome
    verdict: Verdict | None
    says: str = ""


AC, IE, OLE, MLE, TLE, RE = None, Verdict.IE, Verdict.OLE, Verdict.MLE, Verdict.TLE, Verdict.RE
LADDER = [
    Row("a clean exit asks the checker", outcome(), AC),
    Row("a clean exit exactly at the CPU limit", outcome(cpu_ns=SECOND), AC),
    Row("a clean exit exactly at the memory limit", outcome(peak=256 * MIB), AC),
    Row("a clean exit with output exactly at the limit", outcome(stdout_bytes=MIB, stderr_bytes=MIB), AC),
    Row("wall time beyond the CPU limit alone is nothing", outcome(wall_ns=2 * SECOND), AC),
    Row("page cache does not count as memory", outcome(cgroup_peak=300 * MIB), AC),
    Row("a clean exit with a figure exactly at the memory limit", outcome(rss=256 * MIB), AC),
    Row("an input that was mapped does not count", outcome(rss=300 * MIB, mapped=44 * MIB), AC),
    Row("a mark on stderr of a program that lived", outcome(stderr=b"caught std::bad_alloc"), AC),
    Row("nearly all memory used by a program that lived", outcome(peak=250 * MIB), AC),
    # 1. ours
    Row("cancelled", outcome(Termination.CANCELLED), IE, "cancelled"),
    Row("no more processes", outcome(exit_code=127, exec_errno=errno.EAGAIN), IE, "EAGAIN"),
    # 2. output
    Row("stopped for output", outcome(OUTPUT), OLE, "1 MiB"),
    Row("output over the limit by an exit", outcome(stdout_bytes=MIB + 1), OLE),
    Row("stderr over the limit", outcome(stderr_bytes=MIB + 1), OLE),
    Row("SIGXFSZ is the output limit of a file", outcome(SIGNALED, signal=signal.SIGXFSZ), OLE, "SIGXFSZ"),
    Row("output beats memory", outcome(MEMORY, stdout_bytes=MIB + 1), OLE),
    Row("output beats time", outcome(CPU, stdout_bytes=MIB + 1, cpu_ns=2 * SECOND), OLE),
    Row("output beats a crash", outcome(SIGNALED, signal=signal.SIGSEGV, stdout_bytes=MIB + 1), OLE),
    # 3. memory
    Row("stopped for memory", outcome(MEMORY), MLE, "256 MiB"),
    Row("an OOM kill beats time", outcome(MEMORY, cpu_ns=2 * SECOND), MLE),
    Row("a clean exit with a figure above the limit", outcome(rss=260 * MIB), MLE, "more than 256 MiB (peak 260 MiB)"),
    Row("a figure above the limit less the input", outcome(rss=300 * MIB, mapped=43 * MIB), MLE, "43 MiB may be files"),
    Row("output beats a figure above the limit", outcome(stdout_bytes=MIB + 1, rss=300 * MIB), OLE),
    Row("a figure above the limit beats time", outcome(CPU, cpu_ns=2 * SECOND, rss=300 * MIB), MLE),
    Row("a figure above the limit beats a signal", outcome(SIGNALED, signal=signal.SIGSEGV, rss=300 * MIB), MLE),
    Row("a figure above the limit beats an exit code", outcome(exit_code=3, rss=300 * MIB), MLE),
    Row("SIGSEGV with 95 % in use", outcome(SIGNALED, signal=signal.SIGSEGV, peak=int(0.95 * 256 * MIB) + 1), MLE),
    Row("SIGSEGV with 94 % in use", outcome(SIGNALED, signal=signal.SIGSEGV, peak=int(0.94 * 256 * MIB)), RE),
    Row("exit code 1 with 99 % in use", outcome(exit_code=1, peak=int(0.99 * 256 * MIB)), MLE, "died with"),
    Row(
        "bad_alloc",
        outcome(SIGNALED, signal=signal.SIGABRT, stderr=b"terminate called after throwing 'std::bad_alloc'"),
        MLE,
        "std::bad_alloc",
    ),
    Row("MemoryError", outcome(exit_code=1, stderr=b"Traceback\nMemoryError\n"), MLE),
    Row("static data do not fit", outcome(exit_code=127, exec_errno=errno.ENOMEM), MLE, "ENOMEM"),
    Row(
        "memory beats time where it ended itself",
        outcome(exit_code=1, stderr=b"MemoryError", cpu_ns=2 * SECOND),
        MLE,
    ),
    Row("stopped for time with 95 % of memory in use", outcome(CPU, cpu_ns=2 * SECOND, peak=255 * MIB), TLE),
    Row("stopped for time with a mark on stderr", outcome(WALL, stderr=b"MemoryError"), TLE),
    # 4. time
    Row("stopped for CPU time", outcome(CPU, cpu_ns=SECOND + 1), TLE, "CPU time"),
    Row("stopped for CPU time, measured just below", outcome(CPU, cpu_ns=SECOND - 1), TLE, "CPU time"),
    Row("stopped for wall time", outcome(WALL, wall_ns=3 * SECOND), TLE, "wall time"),
    Row("stopped for wall time, over the CPU limit too", outcome(WALL, cpu_ns=2 * SECOND), TLE, "CPU time"),
    Row("killed by the kernel near its CPU limit", outcome(SIGNALED, signal=9, cpu_ns=9 * SECOND // 10), TLE, "CPU"),
    Row("killed by itself far from its CPU limit", outcome(SIGNALED, signal=9, cpu_ns=SECOND // 2), RE, "SIGKILL"),
    Row("another signal near the CPU limit", outcome(SIGNALED, signal=11, cpu_ns=9 * SECOND // 10), RE, "SIGSEGV"),
    Row("over the CPU limit by an exit", outcome(cpu_ns=SECOND + 1), TLE, "CPU time 1.000 s"),
    Row("over the CPU limit, then a crash", outcome(SIGNALED, signal=signal.SIGSEGV, cpu_ns=2 * SECOND), TLE),
    Row("over the CPU limit, then exit code 1", outcome(exit_code=1, cpu_ns=2 * SECOND), TLE),
    # 5. runtime
    Row("a signal", outcome(SIGNALED, signal=signal.SIGFPE), RE, "SIGFPE"),
    Row("an exit code", outcome(exit_code=3), RE, "exit code 3"),
    Row("SIGKILL alone says nothing", outcome(SIGNALED, signal=signal.SIGKILL), RE, "SIGKILL"),
    Row("SIGXCPU alone says nothing", outcome(SIGNALED, signal=signal.SIGXCPU), RE, "SIGXCPU"),
    Row("an executable that is none", outcome(exit_code=127, exec_errno=errno.ENOEXEC), RE, "ENOEXEC"),
    Row("a loader that is not there", outcome(exit_code=127, exec_errno=errno.ENOENT), RE, "ENOENT"),
    Row("exit code 127 of the program itself", outcome(exit_code=127), RE, "exit code 127"),
    Row("exit code 137 is no signal", outcome(exit_code=137), RE, "exit code 137"),
]


@pytest.mark.parametrize("row", LADDER, ids=lambda row: row.name)
def test_ladder(row: Row) -> None:
    ruling = classify(row.outcome, ALLOWED, out_of_memory=MARKS)
    assert (ruling.verdict if ruling else None) == row.verdict
    if ruling:
        assert row.says in ruling.detail
        assert "\n" not in ruling.detail


def test_an_interpreter_that_is_not_there_is_our_failure() -> None:
    ruling = classify(outcome(exit_code=127, exec_errno=errno.ENOENT), ALLOWED, compiled=False)
    assert ruling is not None
    assert ruling.verdict is Verdict.IE


def test_a_mark_of_another_language_says_nothing() -> None:
    ruling = classify(outcome(exit_code=1, stderr=b"MemoryError"), ALLOWED, out_of_memory=("std::bad_alloc",))
    assert ruling is not None
    assert ruling.verdict is Verdict.RE


@pytest.mark.parametrize(
    ("facts", "crowded", "expected"),
    [
        (outcome(), True, False),
        (outcome(exit_code=1), True, False),
        (outcome(CPU, cpu_ns=SECOND), False, False),
        (outcome(CPU, cpu_ns=SECOND), True, False),
        (outcome(cpu_ns=SECOND + 1), False, False),
        (outcome(cpu_ns=SECOND + 1), True, True),
        (outcome(CPU, cpu_ns=3 * SECOND // 2), True, False),
        (outcome(cpu_ns=2 * SECOND), True, False),
        (outcome(WALL, waited_ns=1), True, False),
        (outcome(WALL, waited_ns=ALLOWED.wall_ns - 1), True, False),
        (outcome(WALL, waited_ns=ALLOWED.wall_ns), False, True),
        (outcome(WALL), False, False),
        (outcome(WALL), True, False),
        (outcome(WALL, waited_ns=ALLOWED.wall_ns // 8 - 1, waited_exact=False), True, False),
        (outcome(WALL, waited_ns=ALLOWED.wall_ns // 8, waited_exact=False), False, True),
        (outcome(WALL, waited_ns=ALLOWED.wall_ns, still_ns=ALLOWED.wall_ns // 2), True, True),
        (outcome(WALL, waited_ns=ALLOWED.wall_ns, still_ns=ALLOWED.wall_ns // 2 + 1), True, False),
        (outcome(WALL, still_ns=ALLOWED.wall_ns, kept_waiting_ns=ALLOWED.wall_ns // 8 - 1), True, False),
        (outcome(WALL, still_ns=ALLOWED.wall_ns, kept_waiting_ns=ALLOWED.wall_ns // 8), False, True),
        (outcome(SIGNALED, signal=9, cpu_ns=9 * SECOND // 10), True, False),
    ],
    ids=[
        "AC",
        "RE",
        "stopped alone",
        "stopped in a crowd",
        "ended alone",
        "ended in a crowd",
        "stopped at 1.5",
        "far over",
        "slept",
        "waited for a core less than it was given",
        "waited for a core longer",
        "no evidence: alone",
        "no evidence: in a crowd",
        "several processes that slept",
        "several processes that waited",
        "waited, and stood still for half of its limit",
        "waited, and stood still for more",
        "was kept waiting for a moment",
        "was kept waiting with what it wrote",
        "killed itself near the limit",
    ],
)
def test_what_is_run_again(facts: Outcome, crowded: bool, expected: bool) -> None:
    assert doubtful(facts, classify(facts, ALLOWED), ALLOWED, crowded=crowded) is expected


def test_signal_names() -> None:
    assert signal_name(11) == "SIGSEGV"
    assert signal_name(signal.SIGRTMIN + 1) == "SIGRTMIN+1"
