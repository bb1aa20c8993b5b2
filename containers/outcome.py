"""What happened: the facts of one run. Whether they are a verdict is not decided here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType


class Termination(StrEnum):
    """Why the run ended. The limits are the sandbox's own reason for stopping it, never guessed from a signal."""

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
    #: Of a run that came to its wall limit: how long it had waited for a core, the wall limit at most. If that was more
    #: than a moment, the wall limit moved by it. 0: the kernel does not tell, or the run ended before.
    waited_ns: int = 0
    #: Largest resident set of any process of the run (ru_maxrss), and the files that it left in its directory
    #: ("maxrss+files"), whether that is a tmpfs or not. Of a held interpreter (`RunSpec.warm`) less what an empty
    #: program shows more there than where it is executed: which of the two a run was is no fact about its program.
    memory_bytes: int
    memory_source: str = "maxrss"
    #: So much of `memory_bytes` may be the pages of an input that was mapped, not read: ours, whoever maps them.
    input_bytes: int = 0
    #: Peak of the run's cgroup: holds page cache and kernel memory too. None: no cgroup, or not resettable.
    cgroup_peak_bytes: int | None = None
    #: Anonymous + shared memory (without page cache) reached about this much: what was seen, or what remains of
    #: `memory_bytes` without the file pages that were seen.
    anonymous_peak_bytes: int = 0
    #: False: cpu_ns is a lower bound (several processes).
    cpu_exact: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Isolation:
    """Which walls stood.

    `tier` says what stands around a run, whoever raised it, so that a required tier means the same on every backend:

        full             pid, mount, IPC and network namespaces; a cgroup bounds its memory
        userns           the same namespaces; its memory is watched, no cgroup bounds it
        restricted-root  no namespaces: a user of its own, Landlock, seccomp
        restricted-user  no namespaces: Landlock and seccomp
        none             nothing

    `layers` names the walls that the launcher raised itself by their bare names ("seccomp", "landlock7") and those that
    the backend's own tool raised around it by that tool's ("nsjail:mount", "docker:net"). `missing` are layers that the
    tier may lack, by the same names.
    """

    backend: str
    tier: str
    layers: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.backend}/{self.tier}" + (f":{'+'.join(self.layers)}" if self.layers else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    termination: Termination
    #: Set if the program itself exited; None if a signal ended it.
    exit_code: int | None
    #: Signal number that ended it (SIGKILL where a limit did).
    signal: int | None
    usage: Usage
    isolation: Isolation
    stdout: bytes = b""
    stderr: bytes = b""
    #: Bytes that the program wrote, also those not kept.
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    #: Contents of those `RunSpec.collect` files that exist as regular files, while they fit `directory_bytes` together.
    files: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))
    #: Names of refused system calls that no solution has an honest use for.
    suspicious: tuple[str, ...] = ()
    #: The program could not be started (errno of exec); exit_code is then 127.
    exec_errno: int | None = None
    #: Earlier runs left much of the memory limit taken by what the kernel keeps, and it could not be taken back before
    #: this run: it was then, for this run's CPU time.
    disturbed: bool = False
