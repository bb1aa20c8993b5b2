"""Turns the facts of a run into a verdict. No other place does this. The first rule that fits counts:

our failure -> IE
output over the limit -> OLE
stopped for memory, used more than allowed, or died for want of it -> MLE
stopped for time, or measured CPU time over the limit -> TLE
signal, or exit code not 0 -> RE
else None: a clean exit, ask the checker
"""

from __future__ import annotations

import errno
import signal
from collections.abc import Sequence
from dataclasses import dataclass

from containers import Outcome, Termination
from judge.common.models import Verdict

#: A program that failed by itself with this much of its memory limit in use died for want of memory.
NEARLY_ALL = 0.95
#: Other runs make a run use more CPU time, but never this many times its limit. Above that a TLE is certain.
SLACK = 1.5
#: Some kernels count the backstop of the CPU limit (RLIMIT_CPU) by ticks, and reach it early. From this part of the
#: limit on, by our own clock, SIGKILL is that backstop's.
EARLIEST_KILL = 0.8
#: A run of several processes lacked time if those of its threads that we see waited for this part of its wall limit;
#: each run, if whoever takes what it writes did.
_PART_OF_WAITING = 8
#: What stood still for more than this part of its wall limit was asleep, not without a core.
ASLEEP = 0.5
#: From this time without a core on, the detail of a TLE mentions it.
_TOLD_NS = 1_000_000

#: Errors of exec that are the fault of the machine or of our call. All others are the fault of a compiled program: it
#: chooses its ELF headers and the path of its loader, and so can cause nearly any error of opening and reading a file.
_MACHINE = (errno.EAGAIN, errno.EBADF, errno.EMFILE, errno.ENFILE, errno.ENOSYS)

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """What the test case allows, in ns and bytes. A run may have been given more: `SLACK` times its CPU limit."""

    cpu_ns: int
    wall_ns: int
    memory_bytes: int
    output_bytes: int
    #: Pages of the runtime's own files in the memory figure. They do not count against the limit.
    runtime_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    verdict: Verdict
    detail: str
    #: As `TestResult.points`.
    points: float | None = None
    #: As `TestResult.raw_score`.
    raw_score: float | None = None


def classify(
    outcome: Outcome, allowed: Allowed, *, out_of_memory: Sequence[str] = (), compiled: bool = True
) -> Ruling | None:
    """Rule on one run; None: a clean exit within the limits.

    `out_of_memory` are texts that the language's runtime writes to stderr when an allocation was refused. `compiled`
    says that the executable is the submission's own, not an interpreter.
    """
    return (
        _ours(outcome, compiled)
        or _output(outcome, allowed)
        or _memory(outcome, allowed, out_of_memory)
        or _time(outcome, allowed)
        or _runtime(outcome)
    )


def _ours(outcome: Outcome, compiled: bool) -> Ruling | None:
    if outcome.termination is Termination.CANCELLED:
        return Ruling(verdict=Verdict.IE, detail="the run was cancelled")
    code = outcome.exec_errno
    if code is not None and (code in _MACHINE if compiled else code != errno.ENOMEM):
        return Ruling(verdict=Verdict.IE, detail=_not_started(code))
    return None


def _output(outcome: Outcome, allowed: Allowed) -> Ruling | None:
    written = max(outcome.stdout_bytes, outcome.stderr_bytes)
    if outcome.termination is Termination.OUTPUT_LIMIT or written > allowed.output_bytes:
        return Ruling(verdict=Verdict.OLE, detail=f"wrote more than {_size(allowed.output_bytes)}")
    if outcome.termination is Termination.SIGNALED and outcome.signal == signal.SIGXFSZ:
        return Ruling(verdict=Verdict.OLE, detail="wrote a file larger than the limit (SIGXFSZ)")
    return None


def _memory(outcome: Outcome, allowed: Allowed, marks: Sequence[str]) -> Ruling | None:
    limit, usage = _size(allowed.memory_bytes), outcome.usage
    if outcome.termination is Termination.MEMORY_LIMIT:
        peak = max(usage.memory_bytes, usage.cgroup_peak_bytes or 0)  # the first is that of the largest process
        return Ruling(verdict=Verdict.MLE, detail=f"used more than {limit} (peak {_size(peak)})")
    # By the figure, however the run ended: a launcher that watches memory may look too late to stop it.
    free_of_charge = usage.input_bytes + allowed.runtime_bytes
    if usage.memory_bytes > allowed.memory_bytes + free_of_charge:
        but = f", of which {_size(free_of_charge)} may be files that do not count" if free_of_charge else ""
        return Ruling(verdict=Verdict.MLE, detail=f"used more than {limit} (peak {_size(usage.memory_bytes)}{but})")
    if not _has_died(outcome):
        return None
    peak = usage.anonymous_peak_bytes
    if peak >= NEARLY_ALL * allowed.memory_bytes:
        return Ruling(verdict=Verdict.MLE, detail=f"died with {_size(peak)} of {limit} in use")
    refused = next((mark for mark in marks if mark.encode() in outcome.stderr), None)
    if outcome.exec_errno == errno.ENOMEM or refused is not None:
        return Ruling(verdict=Verdict.MLE, detail=f"was refused memory under {limit} ({refused or 'ENOMEM at start'})")
    return None


def _time(outcome: Outcome, allowed: Allowed) -> Ruling | None:
    if outcome.termination is Termination.CPU_LIMIT or outcome.usage.cpu_ns > _most_cpu_ns(outcome, allowed):
        used = max(outcome.usage.cpu_ns, allowed.cpu_ns)
        return Ruling(
            verdict=Verdict.TLE, detail=f"CPU time {seconds(used)} over the limit of {seconds(allowed.cpu_ns)}"
        )
    if outcome.termination is Termination.WALL_LIMIT:
        return Ruling(
            verdict=Verdict.TLE,
            detail=f"wall time over the limit of {seconds(allowed.wall_ns)} (CPU time {seconds(outcome.usage.cpu_ns)}"
            + (
                f", and {seconds(outcome.usage.waited_ns)} without a core)"
                if outcome.usage.waited_ns >= _TOLD_NS
                else ")"
            ),
        )
    return None


def _most_cpu_ns(outcome: Outcome, allowed: Allowed) -> int:
    """The CPU time from which the run timed out."""
    killed = outcome.termination is Termination.SIGNALED and outcome.signal == signal.SIGKILL
    return int(EARLIEST_KILL * allowed.cpu_ns) if killed else allowed.cpu_ns


def _runtime(outcome: Outcome) -> Ruling | None:
    if outcome.exec_errno is not None:
        return Ruling(verdict=Verdict.RE, detail=_not_started(outcome.exec_errno))
    if outcome.signal is not None:
        return Ruling(verdict=Verdict.RE, detail=signal_name(outcome.signal))
    if outcome.exit_code != 0:
        return Ruling(verdict=Verdict.RE, detail=f"exit code {outcome.exit_code}")
    return None


def _not_started(code: int) -> str:
    return f"the program could not be started ({errno.errorcode.get(code, code)})"


def _has_died(outcome: Outcome) -> bool:
    """Whether it ended by itself, by a signal or with an exit code other than 0."""
    ended = outcome.termination in (Termination.EXITED, Termination.SIGNALED)
    return ended and (outcome.signal is not None or outcome.exit_code != 0)


def doubtful(outcome: Outcome, ruling: Ruling | None, allowed: Allowed, *, crowded: bool) -> bool:
    """Whether a TLE may be the fault of the load, judged by facts that the program cannot cause.

    Either it ended by itself between 1 and `SLACK` times its CPU limit while others ran (`crowded`). Or it reached its
    wall limit, and the kernel says that it had no core (`has_starved`).
    """
    usage = outcome.usage
    if ruling is None or ruling.verdict is not Verdict.TLE or usage.cpu_ns >= SLACK * allowed.cpu_ns:
        return False
    if outcome.termination is Termination.WALL_LIMIT:
        return has_starved(outcome, allowed.wall_ns)
    return crowded and outcome.termination is not Termination.CPU_LIMIT and usage.cpu_ns > allowed.cpu_ns


def cpu_limit_ns(cpu_ns: int, *, alone: bool) -> int:
    """When to stop a run whose CPU limit is `cpu_ns`. Above it unless the run is `alone`, because other runs may begin
    at any time: `doubtful` needs the CPU time up to `SLACK`."""
    return cpu_ns if alone else int(SLACK * cpu_ns)


def has_starved(outcome: Outcome, wall_ns: int) -> bool:
    """Whether a run reached its wall limit because it had no core, as the kernel counts that.

    The time that it waited was added to its wall limit, up to that limit once more. So only one that waited longer may
    have lacked time. Of several processes we know only how long some of them waited: a part is evidence there. What
    stood still for most of its time would be too slow anywhere, unless that was because nobody took what it wrote."""
    usage = outcome.usage
    if outcome.termination is not Termination.WALL_LIMIT:
        return False
    if usage.kept_waiting_ns >= wall_ns // _PART_OF_WAITING:
        return True
    needed_ns = wall_ns if usage.waited_exact else wall_ns // _PART_OF_WAITING
    return usage.still_ns <= ASLEEP * wall_ns and usage.waited_ns >= needed_ns


def stood_still(outcome: Outcome) -> bool:
    """Whether a run reached its wall limit, and for most of that time neither computed nor waited for a core, nor for
    somebody to take what it wrote."""
    usage = outcome.usage
    busy_ns = usage.cpu_ns + usage.waited_ns + usage.kept_waiting_ns
    return outcome.termination is Termination.WALL_LIMIT and busy_ns < usage.wall_ns // 2


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIGRTMIN+{number - signal.SIGRTMIN}" if number >= signal.SIGRTMIN else f"signal {number}"


def seconds(ns: int) -> str:
    return f"{ns / 1e9:.3f} s"


def _size(count: int) -> str:
    if count < 1024:
        return f"{count} bytes"
    return f"{count / _MIB:.4g} MiB" if count >= _MIB else f"{count / 1024:.4g} KiB"
