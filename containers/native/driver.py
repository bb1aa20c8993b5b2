"""The `Sandbox` of every backend that has a launcher: one slot, which keeps one for each set of mounts that runs ask
for.

The driver makes the pipes, hands their write ends over with the request, drains them while the program writes, counts,
and sends STOP past the output limit. Everything else is watched by the launcher.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import time
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from containers.errors import SandboxError, Unsupported
from containers.native import wire
from containers.native.host import Interpreter, Plan
from containers.native.interpreters import Interpreters, stack_bytes
from containers.native.launcher import Launcher, syscall_names
from containers.native.view import directories
from containers.native.wire import Failed, FileFlag, Kind, Layer, Reason, Result, RunFd
from containers.outcome import Isolation, Outcome, Termination, Usage
from containers.spec import MIB, Limits, RunSpec

_LAUNCHERS_KEPT = 6
_CHUNK = 1 << 18
#: The launcher ends a run at its wall limit; if it is still silent this much later, it is broken.
_GRACE_NS = 30_000_000_000
#: What most runs write fits a pipe, and to be woken by the report alone is less work than by all that they write. So
#: streams are looked at now and then, at first so often, later when half of the time so far has passed again, and
#: waited for only once one held much: a run that fills its pipe between two looks waits for the second.
_LOOK_MS, _LOOK_MOST_MS = 4, 32
_MUCH = 1 << 14
_TERMINATIONS = {
    Reason.CPU: Termination.CPU_LIMIT,
    Reason.WALL: Termination.WALL_LIMIT,
    Reason.MEMORY: Termination.MEMORY_LIMIT,
    Reason.OOM: Termination.MEMORY_LIMIT,
    Reason.STOP: Termination.CANCELLED,
    Reason.FILES: Termination.OUTPUT_LIMIT,
}


#: A launcher's mounts, each with the directory that it is (device and inode), and what it holds.
_Kind = tuple[tuple[tuple[Path, int, int], ...], Interpreter | None]


class _Stream:
    """One output of the program: kept up to a cap, counted beyond it."""

    __slots__ = ("cap", "chunks", "count", "ended", "fd", "kept")

    def __init__(self, fd: int, cap: int) -> None:
        self.fd, self.cap = fd, cap
        self.chunks: list[bytes] = []
        self.kept = self.count = 0
        self.ended = False

    def read(self) -> int:
        """Take what is there; how much that was."""
        try:
            chunk = os.read(self.fd, _CHUNK)
        except BlockingIOError:
            return 0
        if not chunk:
            self.ended = True
            return 0
        size = len(chunk)
        if size == _PIPE_BYTES:
            with suppress(OSError):  # a program that floods: let each turn take more
                fcntl.fcntl(self.fd, fcntl.F_SETPIPE_SZ, 1 << 20)
        self.count += size
        if self.kept < self.cap:
            chunk = chunk[: self.cap - self.kept]
            self.kept += len(chunk)
            self.chunks.append(chunk)
        return size

    def drain(self) -> None:
        """Take the rest: every writer is gone."""
        while not self.ended and self.read():  # to the end: a pipe in packet mode gives one write at a time
            pass


_PIPE_BYTES = 1 << 16


def _pipe() -> tuple[int, int]:
    """A pipe that the program can open again through /dev/stdout for writing, and nobody for reading."""
    reader, writer = os.pipe2(os.O_CLOEXEC)
    os.set_blocking(reader, False)
    os.fchmod(writer, 0o222)
    return reader, writer


def _memfd(name: str, content: bytes) -> int:
    fd = os.memfd_create(name, os.MFD_CLOEXEC)
    with memoryview(content) as view:
        written = 0
        while written < len(view):
            written += os.write(fd, view[written:])
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _content(fd: int) -> bytes:
    return os.pread(fd, os.fstat(fd).st_size, 0)


class NativeSandbox:
    """One slot, whose launchers live where the plan says."""

    def __init__(self, plan: Plan, isolation: Isolation, hide: Sequence[Path], first: Launcher | None = None) -> None:
        self._plan, self._isolation, self._hide = plan, isolation, tuple(hide)
        self._launchers: OrderedDict[_Kind, Launcher] = OrderedDict()
        self._interpreters = Interpreters()
        self._running: tuple[Launcher, int] | None = None
        if first is not None:
            self._launchers[(), None] = first

    @property
    def isolation(self) -> Isolation:
        return self._isolation

    def run(self, spec: RunSpec) -> Outcome:
        _check(spec, self._plan)
        if self._plan.vetted and spec.executable is not None and spec.limits.processes:
            raise Unsupported("processes", "without Landlock and namespaces only compilers may start some")
        launcher = self._warm(spec) or self._launcher(spec.mounts)
        kept: list[int] = []  # what is read from
        try:
            return self._exchange(launcher, launcher.next_sequence(), spec, kept)
        finally:
            for fd in kept:
                os.close(fd)

    def _warm(self, spec: RunSpec) -> Launcher | None:
        """A launcher that holds the interpreter which the run asks for; None: it is to be executed."""
        interpreter = self._interpreters.wanted(spec, self._plan)
        if interpreter is None:
            return None
        try:
            return self._launcher(spec.mounts, interpreter)
        except (SandboxError, OSError) as error:
            self._interpreters.give_up(interpreter, error)
            return None

    def _launcher(self, mounts: tuple[Path, ...], interpreter: Interpreter | None = None) -> Launcher:
        # A launcher goes on to show what it mounted, though another directory may have that path by now.
        try:
            mounted = tuple((path, status.st_dev, status.st_ino) for path in mounts for status in (path.stat(),))
        except OSError as error:
            raise SandboxError(f"cannot show {error.filename} to a program: {error.strerror}") from error
        launcher = self._launchers.pop((mounted, interpreter), None)
        if launcher is None:
            while len(self._launchers) >= _LAUNCHERS_KEPT:
                (_, evicted), oldest = self._launchers.popitem(last=False)
                if evicted is not None:
                    self._interpreters.ended(evicted)
                oldest.close()
            launcher = Launcher(self._plan, mounts=mounts, hide=self._hide, interpreter=interpreter)
        self._launchers[mounted, interpreter] = launcher
        return launcher

    def _exchange(self, launcher: Launcher, sequence: int, spec: RunSpec, kept: list[int]) -> Outcome:
        fds: dict[RunFd, int] = {}
        own: list[int] = []  # ours to close once they are sent
        collected = -1
        try:
            if spec.stdin is None:
                own.append(os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC))
            fds[RunFd.STDIN] = own[-1] if spec.stdin is None else spec.stdin
            streams = []
            for bit, cap in ((RunFd.STDOUT, spec.limits.output_bytes), (RunFd.STDERR, spec.limits.stderr_bytes)):
                if bit is RunFd.STDOUT and spec.stdout is not None:
                    fds[bit] = spec.stdout
                    continue
                reader, writer = _pipe()
                kept.append(reader)
                own.append(writer)
                fds[bit] = writer
                streams.append(_Stream(reader, cap))
            program = None
            if spec.executable is not None and self._plan.program_by_path:
                program = _content(spec.executable)
            elif spec.executable is not None:
                fds[RunFd.EXECUTABLE] = spec.executable
                if not self._plan.namespaces and os.fstat(spec.executable).st_nlink:
                    # Landlock asks by which path a file is executed; a memory file has none, and needs no rule.
                    own.append(_memfd("executable", _content(spec.executable)))
                    fds[RunFd.EXECUTABLE] = own[-1]
            if spec.files or program:
                own.append(_memfd("files", b"".join((*(file.content for file in spec.files), program or b""))))
                fds[RunFd.BUNDLE] = own[-1]
            if spec.collect:
                collected = os.memfd_create("collected", os.MFD_CLOEXEC)
                kept.append(collected)
                fds[RunFd.COLLECT] = collected
            launcher.send(
                request(sequence, spec, fds, self._plan, launcher.work, program, launcher.held_bytes),
                list(fds.values()),
            )
        finally:
            for fd in own:
                os.close(fd)
        self._running = (launcher, sequence)
        try:
            message = self._follow(launcher, sequence, spec, streams)
        finally:
            self._running = None
        for stream in streams:
            stream.drain()
        if isinstance(message, Failed):
            raise SandboxError(f"{self._isolation.backend} sandbox: {message}")
        return self._outcome(spec, streams, message, collected)

    def _follow(self, launcher: Launcher, sequence: int, spec: RunSpec, streams: list[_Stream]) -> Failed | Result:
        """Take what the program writes until the launcher reports on this run."""
        began_ns = time.monotonic_ns()
        deadline_ns = began_ns + spec.limits.wall_ns + _GRACE_NS
        answers = launcher.socket.fileno()
        poller = select.poll()
        poller.register(answers, select.POLLIN)
        pause_ms = _LOOK_MS
        flooding = stopped = False
        while True:
            events = [fd for fd, _ in poller.poll(pause_ms)]
            if answers in events and (message := _report(launcher, sequence)) is not None:
                return message
            now_ns = time.monotonic_ns()
            if not events and now_ns >= deadline_ns:
                raise SandboxError("the launcher did not end the run at its wall limit")
            most = 0
            for stream in streams:
                if stream.ended or (flooding and stream.fd not in events):
                    continue
                most = max(most, stream.read())
                if flooding and stream.ended:
                    poller.unregister(stream.fd)
                if stream.count > spec.limits.output_bytes and not stopped:
                    stopped = True
                    launcher.send(wire.header(Kind.STOP, sequence), [])
            if most >= _MUCH and not flooding:
                flooding = True
                for stream in streams:
                    if not stream.ended:
                        poller.register(stream.fd, select.POLLIN)
            if flooding:
                pause_ms = max(0, deadline_ns - now_ns) // 1_000_000 + 1
            else:
                pause_ms = min(max(_LOOK_MS, (now_ns - began_ns) // 2_000_000), _LOOK_MOST_MS)

    def _outcome(self, spec: RunSpec, streams: list[_Stream], result: Result, collected: int) -> Outcome:
        reason, status = result.reason, result.status
        signalled = os.WIFSIGNALED(status)
        termination = _TERMINATIONS.get(reason, Termination.SIGNALED if signalled else Termination.EXITED)
        if reason in (Reason.NONE, Reason.STOP) and any(stream.count > spec.limits.output_bytes for stream in streams):
            termination = Termination.OUTPUT_LIMIT
        out, err = streams if len(streams) == 2 else (None, streams[0])
        return Outcome(
            termination=termination,
            exit_code=None if signalled else os.WEXITSTATUS(status),
            signal=os.WTERMSIG(status) if signalled else None,
            usage=Usage(
                cpu_ns=result.cpu_ns,
                wall_ns=result.wall_ns,
                memory_bytes=result.maxrss_bytes,
                cgroup_peak_bytes=result.peak_bytes or None,
                anonymous_peak_bytes=max(
                    result.anonymous_bytes, result.maxrss_bytes - result.file_bytes - _regular_bytes(spec.stdin)
                ),
                cpu_exact=spec.limits.processes == 0,
            ),
            isolation=self._isolation,
            stdout=b"".join(out.chunks) if out else b"",
            stderr=b"".join(err.chunks),
            stdout_bytes=out.count if out else 0,
            stderr_bytes=err.count,
            files=_collected(spec, collected, result.collected) if spec.collect else {},
            suspicious=tuple(syscall_names().get(number, f"syscall {number}") for number in result.suspicious),
            exec_errno=result.exec_errno or None,
        )

    def stop(self) -> None:
        running = self._running
        if running is not None:
            with suppress(SandboxError):
                running[0].send(wire.header(Kind.STOP, running[1]), [])

    def close(self) -> None:
        while self._launchers:
            self._launchers.popitem()[1].close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()


def _report(launcher: Launcher, sequence: int) -> Failed | Result | None:
    """The launcher's next message, if it is about this run."""
    message = launcher.receive()
    if isinstance(message, Failed) or (isinstance(message, Result) and message.sequence == sequence):
        return message
    return None


def _check(spec: RunSpec, plan: Plan) -> None:
    for name, most in (("directory_bytes", plan.directory_bytes), ("directory_inodes", plan.directory_inodes)):
        if most is not None and getattr(spec.limits, name) > most:
            raise Unsupported(name, f"the directory of this backend holds at most {most}")
    if len(spec.collect) > wire.COLLECT_MAX:
        raise Unsupported("collect", f"at most {wire.COLLECT_MAX} files")
    if spec.executable is None and not spec.argv[0].startswith("/"):
        raise Unsupported("argv", f"the program must be an absolute path, not {spec.argv[0]!r}")
    for text in (*spec.argv, *spec.env, *spec.env.values()):
        if "\0" in text:
            raise Unsupported("argv", "a NUL byte in an argument or variable")


def request(
    sequence: int,
    spec: RunSpec,
    fds: dict[RunFd, int],
    plan: Plan,
    work: str,
    program: bytes | None = None,
    held_bytes: int = 0,
) -> bytes:
    """`program`: the executable, where it is not a descriptor. `held_bytes`: what the launcher may hold itself."""
    limits = spec.limits
    env = [f"{name}={value}" for name, value in {**spec.env, **directories(work)}.items()]
    head = wire.RUN.pack(
        wire.MAGIC,
        wire.VERSION,
        Kind.RUN,
        sequence,
        limits.cpu_ns or 0,
        limits.wall_ns,
        limits.memory_bytes,
        limits.memory_bytes + _overhead(limits) + held_bytes,
        stack_bytes(limits),
        # Without a cgroup nothing but this bounds several processes together: each by itself. What it may write to, not
        # its address space: compilers that run on a virtual machine reserve far more than they use.
        0 if plan.cgroup or plan.together or not limits.processes else limits.memory_bytes + 1024 * MIB,
        0,
        limits.directory_bytes,
        limits.directory_bytes,
        limits.directory_inodes,
        limits.threads,
        limits.processes,
        limits.open_files,
        0 if limits.processes else 1,
        sum(fds),
        len(spec.argv),
        len(env),
        len(spec.files) + (program is not None),
        len(spec.collect),
    )
    files = b"".join(
        wire.FILE.pack(
            len(file.content),
            (FileFlag.WORK if file.work else 0) | (FileFlag.EXECUTABLE if file.executable else 0),
        )
        + wire.strings((file.name,))
        for file in spec.files
    )
    if program is not None:
        files += wire.FILE.pack(len(program), FileFlag.PROGRAM | FileFlag.EXECUTABLE) + wire.strings(("program",))
    return head + wire.strings((*spec.argv, *env)) + files + wire.strings(spec.collect)


def _overhead(limits: Limits) -> int:
    """What the slot's cgroup holds beside the program: the launcher, page tables, a kernel stack for each thread."""
    return 4 * MIB + limits.memory_bytes // 256 + 16 * 1024 * (limits.threads + limits.processes)


def _regular_bytes(fd: int | None) -> int:
    """Size of an input that the program may have mapped: its pages would count as the program's shared memory."""
    return 0 if fd is None else os.fstat(fd).st_size


def _collected(spec: RunSpec, fd: int, sizes: Sequence[int]) -> dict[str, bytes]:
    files, offset = {}, 0
    if sum(size for size in sizes if size > 0) != os.fstat(fd).st_size:
        raise SandboxError("the launcher did not hand over the files that it says it collected")
    for name, size in zip(spec.collect, sizes, strict=False):
        if size >= 0:
            files[name] = os.pread(fd, size, offset) if size else b""
            offset += size
    return files


def layer_names(layers: Layer, landlock_abi: int) -> tuple[str, ...]:
    """Names of the layers that stand, as reports carry them: ("user", "pid", …, "landlock7")."""
    names = []
    for layer in Layer:
        if layer in layers and layer.name is not None:
            names.append(f"landlock{landlock_abi}" if layer is Layer.LANDLOCK else layer.name.lower())
    return tuple(names)


def signal_name(number: int) -> str:
    """SIGSEGV for 11; SIG<n> for the real-time ones."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"
