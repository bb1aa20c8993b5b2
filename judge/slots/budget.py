"""Computes the memory budget of a judge: how much memory all that it runs and keeps may take together.

    budget
    ├── this process       its own code, verdicts and problems that it remembers           BASE_BYTES
    │                      test inputs, as sealed memory files                             `inputs_bytes`
    ├── each worker        a process that drives some of the slots (`judge.many.machine`)   WORKER_BYTES
    ├── each slot          the executable of its submission; launchers that wait           SLOT_BYTES
    │  and each spare      interpreters and compilers that are held                        `held` × HELD_BYTES
    └── programs           what runs: compiles, tests, checkers, generators, our own       `programs_bytes`
                           header builds; each takes what `cost` says before it starts (`judge.slots.gate`)

Spares are slots that are used while programs of others stand still (`judge.slots.gate`): where there is room for them.

A run counts with the most that it may take, not with what it does take: its memory limit, what the kernel adds, and
what this process will hold of its output.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from containers import Isolation, RunLimits
from judge.common.errors import ConfigError
from judge.slots.capacity import Slots
from problems.model import MIB

#: Python and our modules, the caches of verdicts (32 MiB twice), and one large program that is read or written.
BASE_BYTES = 192 * MIB
#: A worker: Python and our modules (some 25 MiB beside what all share), the problems and verdicts that it remembers.
WORKER_BYTES = 96 * MIB
#: The largest executable, and up to twelve launchers with their stubs: 0.3 MiB each, with the kernel's memory for them.
SLOT_BYTES = (64 + 16) * MIB
#: A held interpreter, or a held compiler that has read its precompiled header.
HELD_BYTES = 40 * MIB
#: What a compile takes by default: its limit, and what `cost` adds where there is a cgroup.
COMPILE_BYTES = (1024 + 40) * MIB
#: The least for programs, even if less is available: enough for our own builds on every tier.
_LEAST_BYTES = 1750 * MIB

#: Reserve for other processes of this machine, a trainer above all: 1/8 of what is available, but at least 512 MiB.
_RESERVE_PART, _RESERVE_LEAST = 8, 512 * MIB
_INPUTS_PART, _INPUTS_MOST = 16, 256 * MIB
_HELD_MOST = 6
#: So many spares for each slot that has a core at most, with this part of what is left beside what programs need.
_SPARES_EACH, _SPARES_PART = 2, 2
#: So much more than its limit may a program take before the launcher, which looks every millisecond, stops it.
_WATCHED_BYTES = 16 * MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    bytes: int
    #: In words, what decided `bytes`: what was asked for, what is available, or the least that there must be.
    bound_by: str
    #: Memory that this machine or container can still use.
    available_bytes: int
    slots: int
    #: Worker processes beside this one.
    workers: int = 0
    inputs_bytes: int
    #: How many programs each slot may hold.
    held: int
    #: Slots for the time that programs in others stand still.
    spares: int = 0

    @property
    def programs_bytes(self) -> int:
        """The memory that all runs share."""
        beside = (
            BASE_BYTES
            + self.workers * WORKER_BYTES
            + self.inputs_bytes
            + (self.slots + self.spares) * (SLOT_BYTES + self.held * HELD_BYTES)
        )
        return self.bytes - beside

    @property
    def compiles(self) -> int:
        """How many compiles fit at once, at the default limit."""
        return max(0, self.programs_bytes // COMPILE_BYTES)

    def __str__(self) -> str:
        here = f"{self.bytes // MIB} MiB of {self.available_bytes // MIB} MiB available, bound by {self.bound_by}"
        return f"{here}; {self.programs_bytes // MIB} MiB for programs, {self.compiles} compiles at once"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one process has of the machine."""

    slots: int
    #: How many programs run there at a time.
    cores: int
    #: The budget for the programs of all processes together.
    programs_bytes: int
    inputs_bytes: int
    held: int
    spares: int = 0


def split(whole: Budget, cores: int) -> list[Part]:
    """The parts of the workers: slots and cores as equal as can be."""
    return [
        Part(
            slots=_share(whole.slots, whole.workers, number),
            cores=max(1, _share(cores, whole.workers, number)),
            programs_bytes=whole.programs_bytes,
            inputs_bytes=whole.inputs_bytes // (whole.workers + 1),
            held=whole.held,
            spares=_share(whole.spares, whole.workers, number),
        )
        for number in range(whole.workers)
    ]


def _share(count: int, among: int, number: int) -> int:
    return count // among + (number < count % among)


def budget(asked_bytes: int | None, slots: int, grants: Slots, workers: int = 0) -> Budget:
    """The budget of a judge with so many slots: `asked_bytes`, or (None) what this machine can give.

    Raises:
        ConfigError: so many slots leave nothing for programs.
    """
    available = grants.memory_bytes
    least = BASE_BYTES + workers * WORKER_BYTES + _INPUTS_MOST + slots * SLOT_BYTES + _LEAST_BYTES
    if asked_bytes is not None:
        total, bound_by = asked_bytes, "what was asked for"
    elif (total := available - max(available // _RESERVE_PART, _RESERVE_LEAST)) < least:
        total, bound_by = least, "the least that there must be"
    else:
        bound_by = "available memory, less a reserve"
    inputs = min(total // _INPUTS_PART, _INPUTS_MOST)
    plain = Budget(
        bytes=total,
        bound_by=bound_by,
        available_bytes=available,
        slots=slots,
        workers=workers,
        inputs_bytes=inputs,
        held=0,
    )
    if plain.programs_bytes <= 0:
        beside = f"{slots} slot{'s' * (slots != 1)}"
        raise ConfigError(
            f"a memory budget of {total // MIB} MiB leaves nothing for programs beside {beside}; "
            f"give it {least // MIB} MiB (--memory-budget), or take fewer slots (-j)"
        )
    spare = plain.programs_bytes - max(min(slots, grants.cores) * COMPILE_BYTES, _LEAST_BYTES)
    most = _SPARES_EACH * min(slots, grants.cores)
    if min(slots, grants.cores) == 1:  # what runs there is alone, and stays so
        most = 0
    spares = max(0, min(most, spare // _SPARES_PART // (SLOT_BYTES + _HELD_MOST * HELD_BYTES)))
    left = spare - spares * SLOT_BYTES
    return replace(plain, spares=spares, held=max(0, min(_HELD_MOST, left // ((slots + spares) * HELD_BYTES))))


def cost(
    limits: RunLimits, isolation: Isolation, *, files_bytes: int = 0, collects: bool = False, after_bytes: int = 0
) -> int:
    """The most memory, in bytes, that one run can take in its sandbox and in this process.

    `files_bytes`: size of the files that it gets. `collects`: whether files are brought back. `after_bytes`: what
    checking its output takes, when the run is over and its own memory is free again.
    """
    from containers.launcher.request import APART_BYTES, overhead_bytes  # noqa: PLC0415 - imported by now

    run = limits.memory_bytes
    if "cgroup" not in isolation.layers:
        run += APART_BYTES if limits.processes else _WATCHED_BYTES
    if "mount" not in isolation.layers:  # with mounts its directory is a tmpfs, which counts as its memory
        run += limits.directory_bytes
    after = limits.output_bytes + after_bytes + (3 * limits.directory_bytes if collects else 0)
    beside = overhead_bytes(limits) + limits.output_bytes + limits.stderr_bytes + 2 * files_bytes
    return beside + max(run, after)
