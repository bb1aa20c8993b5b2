"""One launcher process: started, set up, talked to, ended. The protocol is src/wire.h."""

from __future__ import annotations

import os
import socket
import subprocess
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from containers.errors import SandboxError
from containers.native import wire
from containers.native.binary import binary
from containers.native.cgroup import Cgroup, Parents
from containers.native.home import Home
from containers.native.uids import UidLease
from containers.native.view import WORK, entries, pack, readable
from containers.native.wire import Failed, Kind, Layer, SetupFd

_SETUP_TIMEOUT_S = 60.0
_INNER_ID = 1000


class SetupRefused(SandboxError):
    """The kernel refused one step of a slot's set-up."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(str(failed))
        self.failed = failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Which walls a slot is to have."""

    #: False: no namespaces at all, Landlock is the view and a private directory the place of a run.
    namespaces: bool = True
    user_namespace: bool
    #: As root: a leased user id, of the program, or of the whole launcher where it enters a user namespace.
    own_uid: bool
    cgroup: Parents | None


@cache
def _core_soft() -> int:
    """With a piped core_pattern the kernel starts the handler even at limit 0; 1 is the value that it refuses."""
    try:
        return 1 if Path("/proc/sys/kernel/core_pattern").read_text().startswith("|") else 0
    except OSError:
        return 0


@cache
def syscall_names() -> dict[int, str]:
    """Names of the calls in the launcher's own table, by number."""
    listed = subprocess.run((binary(), "--syscalls"), capture_output=True, text=True, check=True).stdout
    return {int(number): name for number, name, _ in map(str.split, listed.splitlines())}


class Launcher:
    """A launcher that is ready for runs. Raises SetupRefused with the step that the kernel refused."""

    def __init__(self, plan: Plan, *, mounts: tuple[Path, ...], hide: tuple[Path, ...]) -> None:
        self.layers = Layer(0)
        self.landlock_abi = 0
        #: The working directory of runs, as they see it.
        self.work = WORK
        self._sequence = 0
        with ExitStack() as undo:
            self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            undo.callback(self.socket.close)
            self._lease = UidLease() if plan.own_uid else None
            if self._lease:
                undo.callback(self._lease.close)
            with theirs:
                self._process = subprocess.Popen(
                    (binary(), str(theirs.fileno())),
                    pass_fds=(theirs.fileno(),),
                    env={},
                    cwd="/",
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            undo.callback(self._end_process)
            self._home = None if plan.namespaces else Home()
            if self._home:
                undo.callback(self._home.close)
                undo.callback(self._end_process)
                self.work = str(self._home.box / "work")
            self._cgroup = Cgroup(plan.cgroup) if plan.cgroup else None
            if self._cgroup:
                undo.callback(self._cgroup.remove)
                # Ended before its cgroup is removed.
                undo.callback(self._end_process)
                self._cgroup.attach(self._process.pid)
                self._protect()
            self._set_up(plan, mounts, hide)
            self._undo = undo.pop_all()

    def _protect(self) -> None:
        """When the slot's memory runs out, the program goes, not the launcher (where we may say so)."""
        with suppress(PermissionError):
            Path(f"/proc/{self._process.pid}/oom_score_adj").write_text("-1000")

    def _set_up(self, plan: Plan, mounts: tuple[Path, ...], hide: tuple[Path, ...]) -> None:
        uid, gid = (self._lease.uid, self._lease.uid) if self._lease else (os.geteuid(), os.getegid())
        inner = _INNER_ID if plan.user_namespace else uid
        layers = Layer.SECCOMP | Layer.LANDLOCK | Layer.RLIMIT
        if self._home is None:
            table = entries(inner, inner, mounts, hide)
            layers |= Layer.MOUNT
        else:
            table = readable(self._home.box, mounts, hide)
        layers |= Layer.USER if plan.user_namespace else Layer(0)
        layers |= Layer.UID if plan.own_uid and not plan.user_namespace else Layer(0)
        bits, fds = SetupFd(0), list[int]()
        if self._cgroup:
            layers |= Layer.CGROUP
            bits, fds = self._cgroup.open()
        try:
            message = wire.SETUP.pack(
                wire.MAGIC, wire.VERSION, Kind.SETUP, 0, layers, bits, uid, gid, len(table), _core_soft()
            ) + pack(table)
            self.send(message, fds)
        finally:
            for fd in fds:
                os.close(fd)
        self.socket.settimeout(_SETUP_TIMEOUT_S)
        answer = self.receive()
        self.socket.settimeout(None)
        if isinstance(answer, Failed):
            raise SetupRefused(answer)
        _, _, _, _, standing, self.landlock_abi = wire.READY.unpack(answer)
        self.layers = Layer(standing)

    def next_sequence(self) -> int:
        self._sequence = (self._sequence + 1) & 0xFFFFFFFF
        return self._sequence

    def send(self, message: bytes, fds: list[int]) -> None:
        if len(message) > wire.MESSAGE_MAX:
            raise SandboxError(f"the run's arguments and file names take {len(message)} bytes, over {wire.MESSAGE_MAX}")
        try:
            if fds:
                socket.send_fds(self.socket, [message], fds)
            else:
                self.socket.send(message)
        except OSError as error:
            raise SandboxError(f"the launcher is gone: {error.strerror}") from error

    def receive(self) -> Failed | bytes:
        """The next message. Raises SandboxError when the launcher is gone."""
        try:
            message = self.socket.recv(wire.MESSAGE_MAX)
        except OSError as error:
            raise SandboxError(f"the launcher does not answer: {error}") from error
        if len(message) < wire.HEADER.size:
            raise SandboxError("the launcher is gone")
        if wire.HEADER.unpack_from(message)[2] == Kind.FAILED:
            return Failed(*wire.FAILED.unpack(message)[4:])
        return message

    def _end_process(self) -> None:
        """End of file on the socket ends launcher, stub and program; what does not listen is killed."""
        self.socket.close()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def close(self) -> None:
        self._undo.close()
