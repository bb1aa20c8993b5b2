"""Says what to run and under which limits (`RunSpec`, `RunLimits`): the request side of the `Sandbox` protocol.

A run sees two directories. Use relative paths: they are the same on every backend and tier, and absolute paths differ
where nothing can be mounted.

    .          the working directory: empty, writable, size-limited, gone after the run; also HOME, TMPDIR, /tmp
    ../in/     `RunSpec.files`, read-only
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

KIB = 1024
MIB = 1024 * KIB

#: Where `RunSpec.files` lie, relative to the working directory.
FILES = "../in"
#: The number of the first of `RunSpec.pipes` in the run, and how many there may be.
PIPES, PIPES_MOST = 100, 24
#: The most parts of the path of a file (directories and its name), and bytes of it.
PATH_PARTS, PATH_BYTES = 8, 255
#: `RunSpec.collect` of a run all of whose files are brought back. No file has such a path.
ALL = (".",)


def pipe_path(index: int) -> str:
    """The path by which a run opens one of its `RunSpec.pipes` anew, where it has a /proc."""
    return f"/proc/self/fd/{PIPES + index}"


def check_path(path: str) -> None:
    """Raise ValueError unless it is a relative path that cannot lead out: names joined by "/", none of them empty, "."
    or "..", at most `PATH_PARTS` of them and `PATH_BYTES` in all."""
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts) or "\0" in path:
        raise ValueError(f"not a relative path without empty parts, '.' and '..': {path[:100]!r}")
    if len(parts) > PATH_PARTS or len(os.fsencode(path)) > PATH_BYTES:
        raise ValueError(f"a path of more than {PATH_PARTS} parts or {PATH_BYTES} bytes: {path[:100]!r}")


def check_paths(paths: Collection[str]) -> None:
    """Raise ValueError unless each is such a path, of text, and they are apart (`check_apart`)."""
    for path in paths:
        if path != path.encode(errors="replace").decode():
            raise ValueError(f"a name that is no text: {path[:100]!r}")
        check_path(path)
    check_apart(paths)


def check_apart(paths: Collection[str]) -> None:
    """Raise ValueError if one of these paths of files is there twice, or is the directory of another."""
    found = set(paths)
    if len(found) < len(paths):
        raise ValueError(f"{max(paths, key=list(paths).count)[:100]!r} is the path of two files")
    for path in paths:
        parts = path.split("/")
        for end in range(1, len(parts)):
            if (above := "/".join(parts[:end])) in found:
                raise ValueError(f"{above[:100]!r} is a file, and the directory of {path[:100]!r}")


class Trust(StrEnum):
    """Who wrote what a run executes. Its filters, counters, watchers and clean-up depend on it, and whether a time-out
    is in doubt."""

    #: A program of this machine whose arguments are ours, and which executes nothing that it is given: a compiler.
    TOOL = "tool"
    #: Whatever executes what somebody else wrote: runs, compile steps that evaluate the program, checkers.
    HOSTILE = "hostile"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """Limits of one run. Times in nanoseconds, sizes in bytes."""

    #: Time during which the run waits for a core does not count, where the kernel tells it; the run ends at twice this.
    wall_ns: int
    memory_bytes: int
    #: CPU time (user + system) after which the run is stopped; None: only the wall limit holds.
    cpu_ns: int | None = None
    #: Standard output beyond this stops the run.
    output_bytes: int = 64 * MIB
    #: Standard error is kept up to this size and read beyond it; it stops the run only past `output_bytes`.
    stderr_bytes: int = 64 * KIB
    threads: int = 64
    #: 0: the run may have `threads` threads, but no new processes. Else it may have `threads` + `processes` tasks at
    #: once. Only a tool may have processes where the CPU time of several is not counted (no layer "cpu").
    processes: int = 0
    open_files: int = 64
    #: Size and number of files of the working directory.
    directory_bytes: int = 64 * MIB
    directory_inodes: int = 4096

    def __post_init__(self) -> None:
        for name in ("wall_ns", "memory_bytes", "output_bytes", "threads", "open_files", "directory_bytes"):
            if getattr(self, name) <= 0:
                raise ValueError(f"limit {name} must be positive, not {getattr(self, name)}")
        if self.cpu_ns is not None and self.cpu_ns <= 0:
            raise ValueError(f"limit cpu_ns must be positive, not {self.cpu_ns}")


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """One file that the run finds as ``../in/<name>``, read-only. `name` is a path (`check_path`), whose directories
    are made: read-only as it is, or writable in the working directory."""

    name: str
    content: bytes
    executable: bool = False
    #: True: it lies in the working directory instead, and the run may change it (problems with file input).
    work: bool = False

    def __post_init__(self) -> None:
        check_path(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpec:
    """One program run."""

    #: Arguments. argv[0] is the absolute path of the program inside the sandbox, unless `executable` is given.
    argv: tuple[str, ...]
    limits: RunLimits
    trust: Trust = Trust.HOSTILE
    #: No file that the run is given is shared with another run. So it may set modes, and execute what it has compiled;
    #: not where the sandbox runs it as the judge's own user on that user's own files (tier restricted-user).
    modes: bool = False
    #: Descriptor of the program to execute (a sealed memory file, say). Borrowed: the caller closes it.
    executable: int | None = None
    #: Descriptor of standard input (a file at offset 0, or one end of a pipe); None: empty. Borrowed.
    stdin: int | None = None
    #: Descriptor that receives standard output, for interactors; None: `Outcome.stdout` has it. Borrowed.
    stdout: int | None = None
    #: More descriptors of pipes: the run has them as `PIPES`, `PIPES` + 1, …, and by the paths that `pipe_path` gives.
    #: Borrowed.
    pipes: tuple[int, ...] = ()
    #: Called once the run has its own copies of `stdin`, `stdout` and `pipes`: then the caller may close his. Not
    #: called if the run fails before.
    handed_over: Callable[[], None] | None = None
    #: Called with True once the run stands still (it computes nothing, and waits for no core), and with False once it
    #: goes on. Backends that cannot tell ignore it.
    on_still: Callable[[bool], None] | None = None
    #: The whole environment, except HOME and TMPDIR, which every backend sets to the working directory.
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    files: tuple[File, ...] = ()
    #: Host files and directories that the run may read, at their own paths, beside the standard view.
    mounts: tuple[Path, ...] = ()
    #: Paths of files to bring back from the working directory after the run, never through a link; `ALL`: every
    #: regular file of the directory itself (not those of directories in it).
    collect: tuple[str, ...] = ()
    #: Other runs of the same program, at once or later, must hear nothing from this one but what they are told
    #: (processes of a communication problem, passes): futexes and pipes that the machine shares are closed, as
    #: filters/apart.py says. Costs CPU time where threads are joined. Backend `unsafe`, without walls, ignores it.
    apart: bool = False
    #: Of a runtime that has threads and pipes from its start: with `apart` it keeps those.
    threaded: bool = False
    #: Hold the program (an interpreter or a compiler) once so many runs have executed it; 0: never. A held program is
    #: started once, stops where it is about to read `files`, and is forked there for each run. The facts are those of
    #: an executed program, less the cost of starting it. Backends that cannot hold programs ignore this. `argv` must
    #: be trusted: the program starts inside the slot's walls, before the walls of a run stand.
    warm: int = 0
