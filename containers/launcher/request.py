"""Builds the RUN message, which asks the launcher for one run, and the descriptors that go with it."""

from __future__ import annotations

import os
from functools import lru_cache

from containers.launcher import wire
from containers.launcher.held import stack_bytes
from containers.launcher.plan import Plan
from containers.launcher.rlimits import core_soft, make_limits
from containers.launcher.streams import OutputStream, memory_file, pipe
from containers.launcher.view import directories
from containers.launcher.wire import FileFlag, MessageKind, RunFd, RunFlag
from containers.spec import MIB, RunLimits, RunSpec, Trust

#: Added to the memory limit where each of several processes is bounded by itself: Java's virtual machine reserves more
#: writable memory for its code and its threads than it uses.
APART_BYTES = 256 * MIB


class Descriptors:
    """The descriptors of one run. Call `streams`, `program`, `add_collected`, `pipes` in this order, which is that of
    the bits."""

    def __init__(self) -> None:
        #: What goes to the launcher, in that order.
        self.sent: dict[RunFd, int] = {}
        self._ours: list[int] = []  # those in `sent` that we close once they are sent
        self._read: list[int] = []

    def streams(self, spec: RunSpec) -> list[OutputStream]:
        """Add the standard streams. Returns the outputs that come to us: standard error last."""
        if spec.stdin is None:
            self._ours.append(os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC))
        self.sent[RunFd.STDIN] = self._ours[-1] if spec.stdin is None else spec.stdin
        found = []
        if spec.stdout is None:
            found.append(self._add_pipe(RunFd.STDOUT, spec.limits.output_bytes))
        else:
            self.sent[RunFd.STDOUT] = spec.stdout
        return [*found, self._add_pipe(RunFd.STDERR, spec.limits.stderr_bytes)]

    def program(self, spec: RunSpec, plan: Plan) -> bytes | None:
        """Add the executable and the files. Returns the executable's bytes if they go among the files instead."""
        program = None
        if spec.executable is not None and plan.program_by_path:
            program = _content(spec.executable)
        elif spec.executable is not None and not plan.namespaces and os.fstat(spec.executable).st_nlink:
            # Landlock would ask for a rule for the executable's path. A memory file has no path and needs no rule.
            self._memory(RunFd.EXECUTABLE, "executable", _content(spec.executable))
        elif spec.executable is not None:
            self.sent[RunFd.EXECUTABLE] = spec.executable
        if spec.files or program:
            self._memory(RunFd.BUNDLE, "files", b"".join((*(file.content for file in spec.files), program or b"")))
        return program

    def add_collected(self, spec: RunSpec) -> OutputStream | None:
        """Add the pipe through which the collected files will come; None: the run collects none."""
        return self._add_pipe(RunFd.COLLECT, spec.limits.directory_bytes) if spec.collect else None

    def pipes(self, spec: RunSpec) -> None:
        self.sent |= {RunFd(RunFd.PIPE << i): fd for i, fd in enumerate(spec.pipes)}

    def sent_all(self) -> None:
        for fd in self._ours:
            os.close(fd)
        self._ours.clear()

    def close(self) -> None:
        for fd in self._read:
            os.close(fd)

    def _add_pipe(self, bit: RunFd, most_bytes: int) -> OutputStream:
        reader, writer = pipe()
        self._read.append(reader)
        self._ours.append(writer)
        self.sent[bit] = writer
        return OutputStream(reader, most_bytes)

    def _memory(self, bit: RunFd, name: str, content: bytes) -> None:
        self._ours.append(memory_file(name, content))
        self.sent[bit] = self._ours[-1]


def _content(fd: int) -> bytes:
    return os.pread(fd, os.fstat(fd).st_size, 0)


def request(
    sequence: int,
    spec: RunSpec,
    fds: dict[RunFd, int],
    plan: Plan,
    work: str,
    program: bytes | None = None,
    held_bytes: int = 0,
    tasks: int = 0,
) -> bytes:
    """The RUN message. `program`: the executable, if it goes among the files. `held_bytes`: `Launcher.held_bytes`.
    `tasks`: `Launcher.most_tasks`."""
    limits = spec.limits
    env = [f"{name}={value}" for name, value in {**spec.env, **directories(work)}.items()]
    rlimits = _rlimits(limits, plan, tasks)
    head = wire.message(
        wire.RUN,
        MessageKind.RUN,
        sequence,
        cpu_ns=limits.cpu_ns or 0,
        wall_ns=limits.wall_ns,
        memory_bytes=limits.memory_bytes,
        cgroup_bytes=cgroup_bytes(spec, held_bytes),
        directory_bytes=limits.directory_bytes,
        directory_inodes=limits.directory_inodes,
        threads=limits.threads,
        processes=limits.processes,
        limits=len(rlimits) // wire.LIMIT.size,
        flags=_flags(spec),
        fds=sum(fds),
        args=len(spec.argv),
        envs=len(env),
        files=len(spec.files) + (program is not None),
        collects=len(spec.collect),
    )
    texts = wire.strings((*spec.argv, *env))
    return head + rlimits + texts + _entries(spec, program) + wire.strings(spec.collect)


def _flags(spec: RunSpec) -> int:
    tool = spec.trust is Trust.TOOL
    return (
        (0 if tool and spec.limits.processes else RunFlag.WATCH)  # those are bounded one by one (RLIMIT_DATA)
        | (RunFlag.TOOL if tool else 0)
        | (RunFlag.MODES if spec.modes else 0)
        | (RunFlag.APART if spec.apart else 0)
        | (RunFlag.THREADED if spec.threaded else 0)
    )


def _rlimits(limits: RunLimits, plan: Plan, tasks: int) -> bytes:
    # Without a cgroup nothing bounds several processes together, so we bound each by itself: its writable memory, not
    # its address space, of which compilers that run on a virtual machine reserve far more than they use.
    alone = bool(limits.processes) and not plan.cgroup and not plan.together
    stack = min(stack_bytes(limits), plan.stack_bytes or limits.memory_bytes)
    return _pack_limits(limits, stack, limits.memory_bytes + APART_BYTES if alone else 0, tasks, core_soft())


@lru_cache(maxsize=256)
def _pack_limits(limits: RunLimits, stack: int, data: int, tasks: int, core: int) -> bytes:
    found = make_limits(limits, stack_bytes=stack, data_bytes=data, tasks=tasks, core=core)
    return b"".join(wire.LIMIT.pack(**limit._asdict()) for limit in found)


def _entries(spec: RunSpec, program: bytes | None) -> bytes:
    entries = b"".join(
        wire.FILE.pack(
            bytes=len(file.content),
            flags=(FileFlag.WORK if file.work else 0) | (FileFlag.EXECUTABLE if file.executable else 0),
        )
        + wire.strings((file.name,))
        for file in spec.files
    )
    if program is not None:
        entries += wire.FILE.pack(bytes=len(program), flags=FileFlag.PROGRAM | FileFlag.EXECUTABLE)
        entries += wire.strings(("program",))
    return entries


def cgroup_bytes(spec: RunSpec, held_bytes: int) -> int:
    """The limit of the slot's cgroup for a run."""
    given = sum(len(file.content) for file in spec.files)
    return spec.limits.memory_bytes + overhead_bytes(spec.limits) + given + held_bytes


def overhead_bytes(limits: RunLimits) -> int:
    """Bytes in the slot's cgroup beside the program: the launcher, page tables, a kernel stack for each thread."""
    return 4 * MIB + limits.memory_bytes // 256 + 16 * 1024 * (limits.threads + limits.processes)
