"""Which runs go on in a program that is held, instead of executing it (src/interpreter.c): in an interpreter, or in a
compiler that has read its precompiled header.

    RunSpec.warm ─► HeldPrograms.wanted ─► HeldProgram ─► a launcher that becomes it ─► forked for each run

What it learnt when it started must be what it would learn in the run: its arguments, environment and stack limit are
those of the run, and the kinds of its streams: input that can be sought, output into a pipe.
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

#: Programs whose runs are counted; the one not asked for longest is forgotten.
_SEEN_KEPT = 16
_EMPTY_WALL_NS, _EMPTY_BYTES = 10_000_000_000, 64 * MIB
#: So often an empty program may fail, before it is taken for what the held program cannot run.
_TRIES = 3


def stack_bytes(limits: RunLimits) -> int:
    """All of memory may be stack; but each thread's stack is as large, too large where compilers have threads."""
    return min(limits.memory_bytes, 64 * MIB) if limits.processes else limits.memory_bytes


def emptied(spec: RunSpec) -> RunSpec:
    """The same run of a program that holds nothing, with time and memory enough."""
    memory_bytes = max(spec.limits.memory_bytes, _EMPTY_BYTES)
    limits = replace(spec.limits, cpu_ns=None, wall_ns=_EMPTY_WALL_NS, memory_bytes=memory_bytes)
    files = tuple(replace(file, content=b"") for file in spec.files)
    return replace(spec, files=files, stdin=None, collect=(), limits=limits)


#: What an empty program shows of memory where its interpreter is executed, for all slots of this process.
_EXECUTED: dict[tuple[object, ...], int] = {}


class HeldSurplus:
    """How much more memory an empty program shows in an interpreter that is held than in one that is executed: most of
    it pages of files that were needed to hold it. It is taken off the figure of each run there."""

    def __init__(self) -> None:
        self.more_bytes = 0
        self._tries = _TRIES

    @property
    def made(self) -> bool:
        return not self._tries

    def make(self, program: HeldProgram, plan: Plan, run: Callable[[bool], Outcome]) -> Outcome | None:
        """`run(held)` runs an `emptied` program. Returns the outcome if that was cancelled: then, and where an empty
        program failed, it is made again with the next run."""
        self._tries -= 1
        kind = program.argv, program.env, plan.namespaces
        *executed, held = [run(way) for way in ((True,) if kind in _EXECUTED else (False, False, True))]
        if all(outcome.exit_code == 0 for outcome in (*executed, held)):
            if executed:
                _EXECUTED[kind] = sum(outcome.usage.memory_bytes for outcome in executed) // len(executed)
            self.more_bytes, self._tries = held.usage.memory_bytes - _EXECUTED[kind], 0
        return next((one for one in (*executed, held) if one.termination is Termination.CANCELLED), None)


class HeldPrograms:
    """What one slot has been asked for."""

    def __init__(self) -> None:
        #: How often each was asked for, and executed.
        self._seen: OrderedDict[HeldProgram, int] = OrderedDict()
        self._refused: set[tuple[str, ...]] = set()

    def wanted(self, spec: RunSpec) -> HeldProgram | None:
        """The program to hold for this run; None: it is to be executed."""
        if not spec.warm or spec.argv in self._refused or not _fits(spec):
            return None
        program = HeldProgram(argv=spec.argv, env=tuple(spec.env.items()), stack_bytes=stack_bytes(spec.limits))
        seen = self._seen.pop(program, 0)
        self._seen[program] = seen + 1
        if len(self._seen) > _SEEN_KEPT:
            self._seen.popitem(last=False)
        return program if seen >= spec.warm else None

    def ended(self, program: HeldProgram) -> None:
        """It is not held any more: it has to be worth it anew."""
        self._seen.pop(program, None)

    def give_up(self, program: HeldProgram, error: Exception) -> None:
        """It cannot be held: not tried again."""
        _log.info("%s is executed for each run: %s", program.argv[0], error)
        self._refused.add(program.argv)


def _fits(spec: RunSpec) -> bool:
    if spec.executable is not None or spec.limits.processes:
        return False
    return spec.stdout is None and (spec.stdin is None or _from_start(spec.stdin))


def _from_start(fd: int) -> bool:
    return stat.S_ISREG(os.fstat(fd).st_mode) and os.lseek(fd, 0, os.SEEK_CUR) == 0
