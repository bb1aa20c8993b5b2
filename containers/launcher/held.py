"""Decides which runs use a held program (src/interpreter.c) instead of executing one: a held interpreter, or a held
compiler that has read its precompiled header.

    RunSpec.warm ─► HeldPrograms.wanted ─► HeldProgram ─► a launcher that becomes it ─► forked for each run

What a held program learns when it starts must be true in each run. So it starts with the arguments, environment and
stack limit of the run, and with streams of the same kinds: input that can be sought, output into a pipe.
"""

from __future__ import annotations

import logging
import os
import stat
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace

from containers.launcher.plan import HeldProgram, Plan
from containers.outcome import Outcome, Termination
from containers.spec import MIB, RunLimits, RunSpec

_log = logging.getLogger(__name__)

#: We count the runs of `_SEEN_KEPT` programs; the one that was not used for longest is forgotten.
_SEEN_KEPT = 16
_EMPTY_WALL_NS, _EMPTY_BYTES = 10_000_000_000, 64 * MIB
#: So often we try to measure with an empty program. If all tries fail, we subtract nothing.
_TRIES = 3


def stack_bytes(limits: RunLimits) -> int:
    """The stack limit of a run: its memory limit. Less where a compiler may have threads, which get stacks as large."""
    return min(limits.memory_bytes, 64 * MIB) if limits.processes else limits.memory_bytes


def empty_run(spec: RunSpec) -> RunSpec:
    """The same run with an empty program, and with enough time and memory."""
    memory_bytes = max(spec.limits.memory_bytes, _EMPTY_BYTES)
    limits = replace(spec.limits, cpu_ns=None, wall_ns=_EMPTY_WALL_NS, memory_bytes=memory_bytes)
    files = tuple(replace(file, content=b"") for file in spec.files)
    return replace(spec, files=files, stdin=None, collect=(), limits=limits)


#: Memory figure of an empty program in an executed interpreter, in bytes, for all slots of this process.
_EXECUTED: dict[tuple[object, ...], int] = {}


class HeldSurplus:
    """How much more memory an empty program shows in a held interpreter than in an executed one. Most of it is pages of
    files that holding needs. The driver subtracts it from the figure of each run."""

    def __init__(self) -> None:
        self.more_bytes = 0
        self._tries = _TRIES

    @property
    def made(self) -> bool:
        return not self._tries

    def make(self, program: HeldProgram, plan: Plan, run: Callable[[bool], Outcome]) -> Outcome | None:
        """Measure by `run(held)`, which runs an empty program. Returns the outcome if a run was cancelled. After
        that, and after a failure, the next run of a program measures again."""
        self._tries -= 1
        kind = program.argv, program.env, plan.namespaces
        *executed, held = [run(way) for way in ((True,) if kind in _EXECUTED else (False, False, True))]
        if all(outcome.exit_code == 0 for outcome in (*executed, held)):
            if executed:
                _EXECUTED[kind] = sum(outcome.usage.memory_bytes for outcome in executed) // len(executed)
            self.more_bytes, self._tries = held.usage.memory_bytes - _EXECUTED[kind], 0
        return next((one for one in (*executed, held) if one.termination is Termination.CANCELLED), None)


class HeldPrograms:
    """Counts what one slot runs, and says which programs pay to be held."""

    def __init__(self) -> None:
        #: How often runs asked for each program since it was last held.
        self._seen: OrderedDict[HeldProgram, int] = OrderedDict()
        self._refused: set[tuple[str, ...]] = set()

    def find_wanted(self, spec: RunSpec) -> HeldProgram | None:
        """The program to hold for this run; None: execute it."""
        if not spec.warm or spec.argv in self._refused or not _fits(spec):
            return None
        program = HeldProgram(
            argv=spec.argv,
            env=tuple(spec.env.items()),
            stack_bytes=stack_bytes(spec.limits),
            executable=_identity(spec.argv[0]),
        )
        seen = self._seen.pop(program, 0)
        self._seen[program] = seen + 1
        if len(self._seen) > _SEEN_KEPT:
            self._seen.popitem(last=False)
        return program if seen >= spec.warm else None

    def forget(self, program: HeldProgram) -> None:
        """Call when it is no longer held: its runs are counted from 0 again."""
        self._seen.pop(program, None)

    def give_up(self, program: HeldProgram, error: Exception) -> None:
        """Call when it could not be held: we do not try again."""
        _log.info("%s is executed for each run: %s", program.argv[0], error)
        self._refused.add(program.argv)


def _identity(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)  # noqa: PTH116 - at every run: a Path takes three times as long
    except OSError:  # the run will say so
        return 0, 0
    return status.st_ino, status.st_ctime_ns


def _fits(spec: RunSpec) -> bool:
    if spec.executable is not None or spec.limits.processes:
        return False
    return spec.stdout is None and (spec.stdin is None or _from_start(spec.stdin))


def _from_start(fd: int) -> bool:
    return stat.S_ISREG(os.fstat(fd).st_mode) and os.lseek(fd, 0, os.SEEK_CUR) == 0
