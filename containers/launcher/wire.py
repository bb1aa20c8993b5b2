"""The driver's side of the protocol in src/wire.h: the same structures, and words for the numbers that come back."""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from itertools import islice
from typing import Any

from containers.errors import SandboxError

MAGIC = 0x4A554447
VERSION = 1
MESSAGE_MAX = 128 * 1024

ARGS_MAX, ENV_MAX, FILES_MAX, COLLECT_MAX = 512, 64, 192, 16
SUSPICIOUS_MAX = 16
OWN_MAX = 8

_FORMATS = {"uint32_t": "I", "int32_t": "i", "uint64_t": "Q", "int64_t": "q"}


class Layout:
    """A structure of wire.h. `declared` lists its fields as C does; ``name[N]`` is a tuple here."""

    def __init__(self, declared: str) -> None:
        #: Type, name and length of each field; length 0: not an array.
        self.fields = tuple(
            (kind, name.partition("[")[0], int(name.partition("[")[2].rstrip("]") or 0))
            for kind, *names in (part.replace(",", " ").split() for part in declared.split(";") if part.strip())
            for name in names
        )
        self._names = [name for _, name, _ in self.fields]
        self._packed = struct.Struct("=" + "".join(f"{length or 1}{_FORMATS[kind]}" for kind, _, length in self.fields))
        self.size = self._packed.size

    def pack(self, **values: int | Sequence[int]) -> bytes:
        flat: list[int] = []
        for name in self._names:
            value = values.pop(name)
            flat += (value,) if isinstance(value, int) else value
        if values:
            raise TypeError(f"the structure has no field {', '.join(values)}")
        return self._packed.pack(*flat)

    def unpack(self, message: bytes) -> dict[str, Any]:
        """
        Raises:
            struct.error: the message has another size.
        """
        values = iter(self._packed.unpack(message))
        return {name: tuple(islice(values, length)) if length else next(values) for _, name, length in self.fields}


_HEADER = "uint32_t magic, version, kind, sequence;"
HEADER = Layout(_HEADER)
SETUP = Layout(_HEADER + "uint32_t layers, fds, uid, gid, views")
STANDING = Layout(_HEADER + "uint32_t layers, landlock_abi, tmpfs")
WALLS = Layout(_HEADER + "uint64_t secret, landlock[3]; uint32_t landlock_bytes, rules, uses, listened")
RULE = Layout("uint64_t access, of_file")
USE = Layout("uint32_t call; int32_t directory, name, how")
LISTENED = Layout("uint32_t call, argument, bits, with_bits, without")
PROGRAM = Layout(f"uint32_t length, owns, own[{OWN_MAX}]")
READY = Layout(_HEADER + "uint32_t layers")
RUN = Layout(
    _HEADER + "uint64_t cpu_ns, wall_ns, memory_bytes, cgroup_bytes,"
    "directory_bytes; uint32_t directory_inodes, threads, processes, limits, flags, fds, args, envs,"
    "files, collects"
)
LIMIT = Layout("uint32_t resource, optional; uint64_t soft, hard")
FILE = Layout("uint64_t bytes; uint32_t flags")
RESULT = Layout(
    _HEADER + "uint32_t reason; int32_t status; uint64_t cpu_ns, wall_ns, ended_ns, waited_ns, maxrss_bytes,"
    "peak_bytes, anonymous_bytes, file_bytes, kept_bytes; int32_t exec_errno; uint32_t suspicious_count;"
    f"int32_t suspicious[{SUSPICIOUS_MAX}]; int64_t collected[{COLLECT_MAX}]"
)
FAILED = Layout(_HEADER + "uint32_t stage; int32_t index, error")


class MessageKind(IntEnum):
    SETUP = 1
    RUN = 2
    STOP = 3
    READY = 4
    RESULT = 5
    FAILED = 6
    STANDING = 7
    WALLS = 8


class Layer(IntFlag):
    """Walls of a slot. Reports name them as here, in lower case."""

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
    CPU = 1 << 17


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
    CGROUP_CPU = 16


class RunFd(IntFlag):
    STDIN = 1
    STDOUT = 2
    STDERR = 4
    EXECUTABLE = 8
    BUNDLE = 16
    COLLECT = 32
    #: The first of `RunSpec.pipes`; the others are the bits above it.
    PIPE = 64


class RunFlag(IntFlag):
    WATCH = 1
    APART = 2
    THREADED = 4
    TOOL = 8
    MODES = 16


class FileFlag(IntFlag):
    WORK = 1
    EXECUTABLE = 2
    PROGRAM = 4


class EndReason(IntEnum):
    NONE = 0
    CPU = 1
    WALL = 2
    MEMORY = 3
    OOM = 4
    STOP = 5
    FILES = 6


_NAMESPACES = {0: "mount", 1: "network", 2: "IPC", 3: "host name", 4: "cgroup"}

#: Words for `enum stage` of wire.h, after "cannot".
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
    12: "have refused calls reported",
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
    26: "hold the program",
}
#: Stage and index of the one failure whose `error` is a signal, not an errno.
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
class Standing:
    """What stands of a slot. Its other walls are made for it."""

    layers: Layer
    #: Which version of Landlock this kernel knows; 0: none, or it was not asked for.
    landlock_abi: int
    #: Whether the directory of runs is a tmpfs of its own.
    tmpfs: bool


@dataclass(frozen=True, slots=True)
class Ready:
    """A slot is set up."""

    layers: Layer


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The facts of one run; `struct result` of wire.h explains the numbers."""

    sequence: int
    reason: EndReason
    #: Numbers of system calls.
    suspicious: tuple[int, ...]
    #: Size of each collected file in bytes; -1: no such file.
    collected: tuple[int, ...]
    #: The wait status of wait(2).
    status: int
    cpu_ns: int
    wall_ns: int
    ended_ns: int
    waited_ns: int
    maxrss_bytes: int
    peak_bytes: int
    anonymous_bytes: int
    file_bytes: int
    kept_bytes: int
    exec_errno: int


def decode(message: bytes) -> Standing | Ready | Result | Failed:
    """Decode a message of the launcher.

    Raises:
        SandboxError: it breaks the protocol: cut off, of another version, or with values out of range.
    """
    try:
        head = HEADER.unpack(message[: HEADER.size])
        if (head["magic"], head["version"]) != (MAGIC, VERSION):
            raise ValueError(f"magic {head['magic']:#x}, version {head['version']}")
        match MessageKind(head["kind"]):
            case MessageKind.STANDING:
                said = STANDING.unpack(message)
                return Standing(Layer(said["layers"]), said["landlock_abi"], said["tmpfs"] != 0)
            case MessageKind.READY:
                said = READY.unpack(message)
                return Ready(Layer(said["layers"]))
            case MessageKind.FAILED:
                said = FAILED.unpack(message)
                return Failed(said["stage"], said["index"], said["error"])
            case MessageKind.RESULT:
                return _result(RESULT.unpack(message))
            case other:
                raise ValueError(f"a message of the driver's own kind, {other.name}")
    except (struct.error, ValueError) as error:
        raise SandboxError(f"the launcher sent {len(message)} bytes that are no message of ours: {error}") from error


def _result(said: dict[str, Any]) -> Result:
    count, collected = said.pop("suspicious_count"), said["collected"]
    if count > SUSPICIOUS_MAX or min(collected) < -1:
        raise ValueError(f"{count} suspicious calls, collected files of {min(collected)} bytes")
    for name in ("magic", "version", "kind"):
        del said[name]
    return Result(**said | {"reason": EndReason(said["reason"]), "suspicious": said["suspicious"][:count]})


def message(layout: Layout, kind: MessageKind, sequence: int, **fields: int | Sequence[int]) -> bytes:
    """The fixed part of a message."""
    return layout.pack(magic=MAGIC, version=VERSION, kind=kind, sequence=sequence, **fields)


def strings(values: Sequence[str]) -> bytes:
    return os.fsencode("\0".join((*values, ""))) if values else b""
