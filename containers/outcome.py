"""The facts of one run (`Outcome`). They are no verdict: `judge.ruling` decides that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType


class Termination(StrEnum):
    """Why the run ended. A limit is named only if the sandbox stopped the run for it, never guessed from a signal."""

    EXITED = "exited"
    SIGNALED = "signaled"
    CPU_LIMIT = "cpu-limit"
    WALL_LIMIT = "wall-limit"
    MEMORY_LIMIT = "memory-limit"
    OUTPUT_LIMIT = "output-limit"
    #: `Sandbox.stop` was called from another thread.
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    cpu_ns: int
    wall_ns: int
    #: When the end of the program was seen, on this machine's CLOCK_MONOTONIC. 0: the backend does not tell.
    ended_ns: int = 0
    #: For a run of more than a second: how long it had waited for a core, at most the wall limit. If that was more than
    #: a moment at the wall limit, that was extended by it. 0: the kernel does not tell, or the run took less.
    waited_ns: int = 0
    #: False: waited_ns is a lower bound (the run may have had processes that ended before it was read).
    waited_exact: bool = True
    #: For how long it was seen to stand still, where somebody asked (`RunSpec.on_still`): a lower bound.
    still_ns: int = 0
    #: For how long those of ours that take and bring what it says waited for a core, with much of it in their hands.
    kept_waiting_ns: int = 0
    #: Largest resident set of any process of the run (ru_maxrss), plus the files that it left in its directory
    #: ("maxrss+files"), on a tmpfs or not. For a held program (`RunSpec.warm`) we subtract what holding adds to the
    #: figure of an empty program, so that the figure does not depend on whether the run was held or executed.
    memory_bytes: int
    memory_source: str = "maxrss"
    #: Up to this much of `memory_bytes` may be pages of the input, mapped instead of read. They are not the program's.
    input_bytes: int = 0
    #: Peak of the run's cgroup, with page cache and kernel memory. None: no cgroup, or its peak cannot be reset.
    cgroup_peak_bytes: int | None = None
    #: Estimated peak of anonymous and shared memory (without page cache): the largest that was seen, or `memory_bytes`
    #: less the file pages that were seen.
    anonymous_peak_bytes: int = 0
    #: False: cpu_ns is a lower bound (the run may have several processes, and nothing counts them together).
    cpu_exact: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Isolation:
    """Which walls stood around a run.

    `tier` does not depend on who raised the walls, so a required tier means the same on every backend:

        full             pid, mount, IPC and network namespaces; a cgroup bounds its memory
        userns           the same namespaces; no cgroup: the launcher watches its memory
        restricted-root  no namespaces: a user of its own, Landlock, seccomp
        restricted-user  no namespaces: Landlock and seccomp
        none             nothing

    `layers` names the walls. Those that the launcher raised have bare names ("seccomp", "landlock7"); those that the
    backend's tool raised begin with that tool's name ("nsjail:mount", "docker:net"). `missing` names, in the same way,
    the layers that the tier may lack and does lack here.
    """

    backend: str
    tier: str
    layers: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.backend}/{self.tier}" + (f":{'+'.join(self.layers)}" if self.layers else "")


def counts_processes(isolation: Isolation) -> bool:
    """Whether the CPU time of several processes of a run is counted, also of those that nobody waits for. Without walls
    (tier "none") nothing is bounded, and nothing is refused."""
    return isolation.tier == "none" or "cpu" in isolation.layers


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    termination: Termination
    #: Set if the program exited by itself; None if a signal ended it.
    exit_code: int | None
    #: Number of the signal that ended it (SIGKILL where the sandbox stopped it).
    signal: int | None
    usage: Usage
    isolation: Isolation
    stdout: bytes = b""
    stderr: bytes = b""
    #: How many bytes the program wrote, with those that were not kept.
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    #: Contents of the `RunSpec.collect` files that exist as regular files, as long as their sum fits `directory_bytes`.
    files: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))
    #: Names of refused system calls for which no honest solution has a use.
    suspicious: tuple[str, ...] = ()
    #: Set if the program could not be started (errno of exec); exit_code is then 127.
    exec_errno: int | None = None
    #: True: memory that the kernel kept from earlier runs filled much of the memory limit when this run began. The
    #: kernel had to take it back during the run, and that cost the run CPU time.
    disturbed: bool = False
