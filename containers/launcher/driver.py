"""The `Sandbox` of every backend with a launcher: one slot, with a launcher for each set of mounts or held program.

The driver makes the pipes, sends their write ends with the request, reads and counts what the program writes, and sends
STOP past the output limit. The launcher watches everything else.
"""

from __future__ import annotations

import os
import select
import signal
import stat
import struct
import time
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from containers.errors import SandboxError, Unsupported
from containers.launcher import wire
from containers.launcher.filters.table import syscall_names
from containers.launcher.held import HeldPrograms, empty_run
from containers.launcher.oom import OomKills
from containers.launcher.plan import HeldProgram, Plan
from containers.launcher.process import Launcher
from containers.launcher.request import Descriptors, cgroup_bytes, request
from containers.launcher.still import Stillness
from containers.launcher.streams import Intake, OutputStream
from containers.launcher.view import directories
from containers.launcher.wire import EndReason, Failed, Layer, MessageKind, Result
from containers.outcome import Isolation, Outcome, Termination, Usage, counts_processes
from containers.spec import ALL, PIPES_MOST, RunSpec, Trust, check_apart, check_path

_LAUNCHERS_KEPT = 6
_SIZE = struct.Struct("=Q")
#: As many as there are below the descriptor by which the stub executes programs that it has looked at (slot.h).
_VETTED_FILES = 1023
#: The launcher ends a run at its wall limit, or at twice that if the run waited for a core; if it is still silent this
#: much later, it is broken.
_GRACE_NS = 30_000_000_000
_TERMINATIONS = {
    EndReason.CPU: Termination.CPU_LIMIT,
    EndReason.WALL: Termination.WALL_LIMIT,
    EndReason.MEMORY: Termination.MEMORY_LIMIT,
    EndReason.OOM: Termination.MEMORY_LIMIT,
    EndReason.STOP: Termination.CANCELLED,
    EndReason.FILES: Termination.OUTPUT_LIMIT,
}


#: Which launcher to use: by its mounts (path, device, inode) and by the program that it holds.
_Kind = tuple[tuple[tuple[Path, int, int], ...], HeldProgram | None]


class LauncherSandbox:
    """One slot. The plan's starter says where its launchers live."""

    def __init__(
        self,
        plan: Plan,
        isolation: Isolation,
        hide: Sequence[Path],
        first: Launcher | None = None,
        held: int = _LAUNCHERS_KEPT,
    ) -> None:
        """`held`: how many programs may be held at a time."""
        self._plan, self._isolation, self._hide = plan, isolation, tuple(hide)
        self._most_held = held
        self._launchers: OrderedDict[_Kind, Launcher] = OrderedDict()
        self._programs = HeldPrograms()
        self._running: tuple[Launcher, int] | None = None
        #: The run that `stop` was last called for.
        self._stopped: tuple[Launcher, int] | None = None
        self._oom_kills = OomKills(ours=not plan.together)
        if first is not None:
            self._launchers[(), None] = first

    @property
    def isolation(self) -> Isolation:
        return self._isolation

    @property
    def holds(self) -> bool:
        # In a chroot that is no mount point pivot_root fails, and a held program sees other paths than the view's.
        chrooted = "mount" in self._isolation.layers and "pivot" not in self._isolation.layers
        return self._plan.starter.holds and not self._plan.vetted and not chrooted

    def run(self, spec: RunSpec) -> Outcome:
        _check(spec, self._plan)
        if spec.trust is Trust.HOSTILE and spec.limits.processes and not counts_processes(self._isolation):
            raise Unsupported("processes", "nothing counts the CPU time of several processes here (no layer cpu)")
        if self._plan.vetted and spec.limits.open_files > _VETTED_FILES:
            raise Unsupported("open_files", f"without Landlock and namespaces a run has at most {_VETTED_FILES}")
        if spec.pipes:
            self._check_pipes(spec)
        holder = self._holder(spec)
        if holder is not None and (stopped := self._compare(holder, spec)) is not None:
            return stopped
        return self._run(holder or self._launcher(spec.mounts), spec)

    def _check_pipes(self, spec: RunSpec) -> None:
        if len(spec.pipes) > PIPES_MOST:
            raise Unsupported("pipes", f"at most {PIPES_MOST}")
        layers = self._isolation.layers
        if self._plan.vetted or ("mount" in layers and "proc" not in layers):
            raise Unsupported("pipes", "a run opens them by /proc/self/fd, which this tier does not let it see")
        if self._plan.program_by_path:
            raise Unsupported("pipes", "gVisor takes no descriptors but the standard streams")

    def _run(self, launcher: Launcher, spec: RunSpec) -> Outcome:
        fds = Descriptors()
        counted = Layer.CGROUP in launcher.layers  # the slot's cgroup counts kills, and the launcher reads it
        if not counted:
            self._oom_kills.begin()
        try:
            outcome = self._exchange(launcher, launcher.next_sequence(), spec, fds)
        finally:
            fds.close()
        if not counted and _may_be_killed(outcome, spec) and self._oom_kills.has_moved():
            raise SandboxError("the kernel killed the run for want of memory that was not the run's")
        return outcome

    def _holder(self, spec: RunSpec) -> Launcher | None:
        """A launcher that holds the program of this run; None: the run executes its program."""
        program = self._programs.find_wanted(spec) if self._most_held and self.holds and not spec.pipes else None
        if program is None:
            return None
        try:
            return self._launcher(spec.mounts, program)
        except (SandboxError, OSError) as error:
            self._programs.give_up(program, error)
            return None

    def _compare(self, holder: Launcher, spec: RunSpec) -> Outcome | None:
        """Measure how much holding adds to the memory figure; the outcome, if `stop` ended a measurement. Not for runs
        with mounts: those are compilers, whose figure nobody uses."""
        if holder.held is None or spec.mounts or holder.surplus.made:
            return None
        empty = empty_run(spec)
        return holder.surplus.make(
            holder.held, self._plan, lambda held: self._run(holder if held else self._launcher(()), empty)
        )

    def _launcher(self, mounts: tuple[Path, ...], held: HeldProgram | None = None) -> Launcher:
        # With device and inode: a launcher goes on showing what it mounted, even if the path now leads elsewhere.
        try:
            mounted = tuple((path, status.st_dev, status.st_ino) for path in mounts for status in (path.stat(),))
        except OSError as error:
            raise SandboxError(f"cannot show {error.filename} to a program: {error.strerror}") from error
        launcher = self._launchers.pop((mounted, held), None)
        if launcher is None:
            while len(self._launchers) >= _LAUNCHERS_KEPT:
                self._evict(next(iter(self._launchers)))
            holding = [kind for kind in self._launchers if kind[1] is not None]
            if held is not None and len(holding) >= self._most_held:
                self._evict(holding[0])
            launcher = Launcher(self._plan, mounts=mounts, hide=self._hide, held=held)
        self._launchers[mounted, held] = launcher
        return launcher

    def _evict(self, kind: _Kind) -> None:
        launcher = self._launchers.pop(kind)
        if kind[1] is not None:
            self._programs.forget(kind[1])
        launcher.close()

    def _exchange(self, launcher: Launcher, sequence: int, spec: RunSpec, fds: Descriptors) -> Outcome:
        left = launcher.take_back(cgroup_bytes(spec, launcher.held_bytes))
        self._running = running = (launcher, sequence)
        try:
            streams, collected = self._ask(launcher, sequence, spec, fds)
            if self._stopped is running:  # what `stop` sent may have come before the request, and is forgotten there
                self.stop()
            still = Stillness(launcher.process, spec.on_still) if launcher.process and spec.on_still else None
            message, kept_waiting_ns = _follow(launcher, sequence, spec, streams, collected, still)
        finally:
            self._running = None
        if collected:
            collected.drain()
        if isinstance(message, Failed):
            raise SandboxError(f"{self._isolation.backend} sandbox: {message}")
        launcher.note_peak(message.peak_bytes)
        outcome = self._outcome(launcher, spec, streams, message, collected)
        still_ns = still.total_ns if still else 0
        if still_ns or kept_waiting_ns:
            usage = replace(outcome.usage, still_ns=still_ns, kept_waiting_ns=kept_waiting_ns)
            outcome = replace(outcome, usage=usage)
        return replace(outcome, disturbed=True) if left else outcome

    def _ask(
        self, launcher: Launcher, sequence: int, spec: RunSpec, fds: Descriptors
    ) -> tuple[list[OutputStream], OutputStream | None]:
        """Send the request; what the program writes, and its collected files."""
        try:
            streams, program, collected = fds.streams(spec), fds.program(spec, self._plan), fds.add_collected(spec)
            fds.pipes(spec)
            launcher.send(
                request(
                    sequence,
                    spec,
                    fds.sent,
                    self._plan,
                    launcher.work,
                    program,
                    launcher.held_bytes,
                    launcher.most_tasks(spec.limits),
                ),
                list(fds.sent.values()),
            )
        finally:
            fds.sent_all()
        if spec.handed_over is not None:
            spec.handed_over()
        return streams, collected

    def _outcome(
        self,
        launcher: Launcher,
        spec: RunSpec,
        streams: list[OutputStream],
        result: Result,
        collected: OutputStream | None,
    ) -> Outcome:
        reason, status, signalled = result.reason, result.status, os.WIFSIGNALED(result.status)
        termination = _TERMINATIONS.get(reason, Termination.SIGNALED if signalled else Termination.EXITED)
        if reason in (EndReason.NONE, EndReason.STOP) and any(
            stream.count > spec.limits.output_bytes for stream in streams
        ):
            termination = Termination.OUTPUT_LIMIT
        out, err = streams if len(streams) == 2 else (None, streams[0])
        unread = _unread_bytes(spec.stdin) if spec.handed_over is None else 0
        resident = result.maxrss_bytes - launcher.surplus.more_bytes
        return Outcome(
            termination=termination,
            exit_code=None if signalled else os.WEXITSTATUS(status),
            signal=os.WTERMSIG(status) if signalled else None,
            usage=Usage(
                cpu_ns=result.cpu_ns,
                wall_ns=result.wall_ns,
                # gVisor's clock is its own: there the report's arrival says it.
                ended_ns=time.monotonic_ns() if self._plan.program_by_path else result.ended_ns,
                waited_ns=result.waited_ns,
                memory_bytes=resident + result.kept_bytes,
                memory_source="maxrss+files" if result.kept_bytes else "maxrss",
                input_bytes=unread,
                cgroup_peak_bytes=result.peak_bytes or None,
                anonymous_peak_bytes=max(result.anonymous_bytes, resident - result.file_bytes - unread),
                cpu_exact=spec.limits.processes == 0 or Layer.CPU in launcher.layers,
                waited_exact=spec.limits.processes == 0,
            ),
            isolation=self._isolation,
            stdout=b"".join(out.chunks) if out else b"",
            stderr=b"".join(err.chunks),
            stdout_bytes=out.count if out else 0,
            stderr_bytes=err.count,
            files=_collect_files(spec, collected, result.collected) if collected else {},
            suspicious=tuple(syscall_names().get(number, f"syscall {number}") for number in result.suspicious),
            exec_errno=result.exec_errno or None,
        )

    def stop(self) -> None:
        self._stopped = running = self._running
        if running is not None:
            with suppress(SandboxError):
                running[0].send(wire.message(wire.HEADER, MessageKind.STOP, running[1]), [])

    def close(self) -> None:
        while self._launchers:
            self._launchers.popitem()[1].close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()


def _follow(
    launcher: Launcher,
    sequence: int,
    spec: RunSpec,
    streams: list[OutputStream],
    collected: OutputStream | None,
    still: Stillness | None,
) -> tuple[Failed | Result, int]:
    """Read what the program writes, and its collected files, until the launcher has reported on this run. Returns that,
    and `Usage.kept_waiting_ns`."""
    deadline_ns = time.monotonic_ns() + 2 * spec.limits.wall_ns + _GRACE_NS
    answers = launcher.socket.fileno()
    poller = select.poll()
    poller.register(answers, select.POLLIN)
    if collected:
        poller.register(collected.fd, select.POLLIN)
    intake = Intake(streams, poller)
    stopped = False
    while True:
        events = [fd for fd, _ in poller.poll(intake.pause_ms(still.due_ns if still else deadline_ns))]
        if answers in events and (message := _report(launcher, sequence)) is not None:
            intake.drain()
            return message, intake.kept_waiting_ns
        if not events and time.monotonic_ns() >= deadline_ns:
            raise SandboxError("the launcher did not end the run at its wall limit")
        if collected and collected.fd in events:
            collected.read()
            if collected.ended:
                poller.unregister(collected.fd)
        intake.take(events)
        if still:
            still.look()
        if not stopped and max(stream.count for stream in streams) > spec.limits.output_bytes:
            stopped = True
            launcher.send(wire.message(wire.HEADER, MessageKind.STOP, sequence), [])


def _report(launcher: Launcher, sequence: int) -> Failed | Result | None:
    """The launcher's next message, if it is about this run."""
    message = launcher.receive()
    if isinstance(message, Failed) or (isinstance(message, Result) and message.sequence == sequence):
        return message
    return None


def _may_be_killed(outcome: Outcome, spec: RunSpec) -> bool:
    """Whether the kernel may have killed the program or one of its processes. A compiler whose part was killed tells
    it only by its exit code."""
    if outcome.termination is Termination.SIGNALED:
        return outcome.signal == signal.SIGKILL
    return outcome.termination is Termination.EXITED and spec.limits.processes > 0 and outcome.exit_code != 0


def _check(spec: RunSpec, plan: Plan) -> None:
    for name, most in (("directory_bytes", plan.directory_bytes), ("directory_inodes", plan.directory_inodes)):
        if most is not None and getattr(spec.limits, name) > most:
            raise Unsupported(name, f"the directory of this backend holds at most {most}")
    _check_counts(spec)
    if spec.executable is None and not spec.argv[0].startswith("/"):
        raise Unsupported("argv", f"the program must be an absolute path, not {spec.argv[0]!r}")
    for text in (*spec.argv, *spec.env, *spec.env.values()):
        if "\0" in text:
            raise Unsupported("argv", "a NUL byte in an argument or variable")


def _check_counts(spec: RunSpec) -> None:
    """What the launcher would take for a broken message."""
    for name, count, most in (
        ("argv", len(spec.argv), wire.ARGS_MAX),
        ("env", len(spec.env), wire.ENV_MAX - len(directories(""))),
        ("files", len(spec.files), wire.FILES_MAX - 1),  # the program is one, too, where it must have a path
        ("collect", len(spec.collect), wire.COLLECT_MAX),
    ):
        if count > most:
            raise Unsupported(name, f"{count} of them are more than {most}")
    try:
        for place in (True, False):
            check_apart([file.name for file in spec.files if file.work is place])
        for path in spec.collect if spec.collect != ALL else ():
            check_path(path)
    except ValueError as error:
        raise Unsupported("files", str(error)) from error


def _unread_bytes(fd: int | None) -> int:
    """Size of an input that nobody has read: the offset, which we share with the program, is still 0. The program may
    have mapped it, and then its pages count as shared memory of the program."""
    if fd is None or not stat.S_ISREG((status := os.fstat(fd)).st_mode):
        return 0
    return status.st_size if os.lseek(fd, 0, os.SEEK_CUR) == 0 else 0


def _collect_files(spec: RunSpec, stream: OutputStream, sizes: Sequence[int]) -> dict[str, bytes]:
    """The collected files by name. Raises SandboxError if their sizes do not add up to what came through the pipe."""
    files, offset = {}, 0
    content = b"".join(stream.chunks)
    if sum(size for size in sizes if size > 0) != stream.count or stream.count != len(content):
        raise SandboxError("the launcher did not hand over the files that it says it collected")
    if spec.collect == ALL:
        return _split_files(content)
    for name, size in zip(spec.collect, sizes, strict=False):
        if size >= 0:
            files[name] = content[offset : offset + size]
            offset += size
    return files


def _split_files(content: bytes) -> dict[str, bytes]:
    """The files of a run that collects `ALL`: of each its name, NUL, 64 bits of size, its content."""
    files, offset = {}, 0
    while offset < len(content):
        end = content.find(b"\0", offset)
        begin = end + 1 + _SIZE.size
        if end < 0 or begin > len(content):
            raise SandboxError("the launcher handed over a collected file without its name and size")
        (size,) = _SIZE.unpack_from(content, end + 1)
        if size > len(content) - begin:
            raise SandboxError("the launcher handed over less of a collected file than it says")
        files[os.fsdecode(content[offset:end])] = content[begin : begin + size]
        offset = begin + size
    return files


def layer_names(layers: Layer, landlock_abi: int) -> tuple[str, ...]:
    """Names of the layers that stand, as in `Isolation.layers`: ("user", "pid", …, "landlock7")."""
    names = []
    for layer in Layer:
        if layer in layers and layer.name is not None:
            names.append(f"landlock{landlock_abi}" if layer is Layer.LANDLOCK else layer.name.lower())
    return tuple(names)
