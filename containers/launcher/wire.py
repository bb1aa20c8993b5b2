"""The driver's side of src/wire.h: the same structures, and words for the numbers that come back."""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, IntFlag

from containers.errors import SandboxError

MAGIC = 0x4A554447
VERSION = 1
MESSAGE_MAX = 128 * 1024

HEADER = struct.Struct("=4I")
SETUP = struct.Struct("=4I7I")
READY = struct.Struct("=4I2I")
RUN = struct.Struct("=4I9Q10I")
FILE = struct.Struct("=QI")
RESULT = struct.Struct("=4IIi9QiI16i16q")
FAILED = struct.Struct("=4IIii")

SUSPICIOUS_MAX = 16
COLLECT_MAX = 16
#: Values of a RESULT before those of the two lists.
_FIGURES = 13


class Kind(IntEnum):
    SETUP = 1
    RUN = 2
    STOP = 3
    READY = 4
    RESULT = 5
    FAILED = 6


class Layer(IntFlag):
    """Walls of a slot, by the names under which they are reported."""

    USER = 1 << 0
    PID = 1 << 1
    MOUNT = 1 << 2
    NET = 1 << 3
    IPC = 1 << 4
    UTS = 1 << 5
    CGROUPNS = 1 << 6
    PIVOT = 1 << 7
    PROC = 1 << 8
    UID = 1 << 9
    CGROUP = 1 << 10
    SECCOMP = 1 << 11
    NOTIFY = 1 << 12
    LANDLOCK = 1 << 13
    RLIMIT = 1 << 14
    QUOTA = 1 << 15
    VETTED = 1 << 16


class ViewKind(IntEnum):
    BIND = 1
    DEVICE = 2
    SYMLINK = 3
    TEXT = 4
    MASK = 5
    HOME = 6
    LIST = 7


class SetupFd(IntFlag):
    CGROUP_LIMIT = 1
    CGROUP_EVENTS = 2
    CGROUP_PEAK = 4
    CGROUP_PIDS = 8
    CGROUP_EMPTY = 16
    CGROUP_KERNEL = 32


class RunFd(IntFlag):
    STDIN = 1
    STDOUT = 2
    STDERR = 4
    EXECUTABLE = 8
    BUNDLE = 16
    COLLECT = 32


class FileFlag(IntFlag):
    WORK = 1
    EXECUTABLE = 2
    PROGRAM = 4


class Reason(IntEnum):
    NONE = 0
    CPU = 1
    WALL = 2
    MEMORY = 3
    OOM = 4
    STOP = 5
    FILES = 6


_NAMESPACES = {0: "mount", 1: "network", 2: "IPC", 3: "host name", 4: "cgroup"}

#: enum stage of wire.h, in words.
_STAGES = {
    1: "talk to the launcher",
    2: "open /proc",
    3: "make a user namespace",
    4: "make a namespace",
    5: "make mounts private",
    6: "make the new root",
    7: "mount the view",
    8: "make the root read-only",
    9: "change the root",
    10: "mount /proc",
    11: "set up Landlock",
    12: "build the seccomp filter",
    13: "drop capabilities",
    14: "clone",
    15: "keep the run's first process",
    16: "mount the working directory",
    17: "write the run's files",
    18: "use the cgroup",
    19: "pass the streams",
    20: "start the CPU timer",
    21: "set a resource limit",
    22: "drop privileges",
    23: "install the seccomp filter",
    24: "reap the run",
    25: "collect the run's files",
    26: "hold the interpreter",
}
#: Stage and index of a failure whose error is a signal.
_STUB_KILLED = (15, 1)
STAGE_USERNS, STAGE_UNSHARE, STAGE_PRIVATE, STAGE_LANDLOCK, STAGE_SECCOMP = 3, 4, 5, 11, 12


@dataclass(frozen=True, slots=True)
class Failed:
    """A failed step of the launcher."""

    stage: int
    index: int
    error: int

    def __str__(self) -> str:
        if (self.stage, self.index) == _STUB_KILLED:
            return f"the run's first process was killed by signal {self.error}"
        what = _STAGES.get(self.stage, f"stage {self.stage}")
        if self.stage == STAGE_UNSHARE and self.index in _NAMESPACES:
            what = f"make a {_NAMESPACES[self.index]} namespace"
        name = errno.errorcode.get(self.error, str(self.error))
        return f"cannot {what} (step {self.index}): {os.strerror(self.error)} [{name}]"


@dataclass(frozen=True, slots=True)
class Ready:
    """A slot is set up."""

    layers: Layer
    landlock_abi: int


@dataclass(frozen=True, slots=True)
class Result:
    """The facts of one run; the numbers as `struct result` of wire.h has them."""

    sequence: int
    reason: Reason
    #: Numbers of system calls.
    suspicious: tuple[int, ...]
    #: Bytes of each collected file; -1: there is none.
    collected: tuple[int, ...]
    #: As wait(2) gives it.
    status: int
    cpu_ns: int
    wall_ns: int
    waited_ns: int
    maxrss_bytes: int
    peak_bytes: int
    anonymous_bytes: int
    file_bytes: int
    left_bytes: int
    kept_bytes: int
    exec_errno: int


def decode(message: bytes) -> Ready | Result | Failed:
    """What the launcher says.

    Raises:
        SandboxError: it is no message of ours: cut off, of another version, or with values that mean nothing.
    """
    try:
        magic, version, kind, sequence = HEADER.unpack_from(message)
        if (magic, version) != (MAGIC, VERSION):
            raise ValueError(f"magic {magic:#x}, version {version}")
        match Kind(kind):
            case Kind.READY:
                layers, landlock_abi = READY.unpack(message)[4:]
                return Ready(Layer(layers), landlock_abi)
            case Kind.FAILED:
                return Failed(*FAILED.unpack(message)[4:])
            case Kind.RESULT:
                return _result(sequence, RESULT.unpack(message)[4:])
            case other:
                raise ValueError(f"a message of the driver's own kind, {other.name}")
    except (struct.error, ValueError) as error:
        raise SandboxError(f"the launcher sent {len(message)} bytes that are no message of ours: {error}") from error


def _result(sequence: int, values: tuple[int, ...]) -> Result:
    reason, *figures, suspicious = values[:_FIGURES]
    numbers, collected = values[_FIGURES : _FIGURES + SUSPICIOUS_MAX], values[_FIGURES + SUSPICIOUS_MAX :]
    if suspicious > SUSPICIOUS_MAX or min(collected) < -1:
        raise ValueError(f"{suspicious} suspicious calls, collected files of {min(collected)} bytes")
    return Result(sequence, Reason(reason), numbers[:suspicious], collected, *figures)


def header(kind: Kind, sequence: int) -> bytes:
    return HEADER.pack(MAGIC, VERSION, kind, sequence)


def strings(values: Sequence[str]) -> bytes:
    return os.fsencode("\0".join((*values, ""))) if values else b""
