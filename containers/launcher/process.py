"""Starts one launcher process, sets it up, talks to it and ends it. src/wire.h defines the protocol."""

from __future__ import annotations

import os
import socket
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TypeVar

from containers.errors import SandboxError, Unsupported
from containers.launcher import wire
from containers.launcher.held import HeldSurplus
from containers.launcher.landlock import make_ruleset
from containers.launcher.leftovers import Leftovers
from containers.launcher.plan import HeldProgram, Plan, StartRequest
from containers.launcher.uids import UidLease
from containers.launcher.view import pack
from containers.launcher.walls import walls_message
from containers.launcher.wire import Failed, Layer, MessageKind, Ready, Result, SetupFd, Standing
from containers.spec import RunLimits

_SETUP_TIMEOUT_S = 60.0
#: Memory of a held program between its runs.
_HELD_BYTES = 32 << 20
#: The launcher and its stub.
_HELPERS = 2

_Answer = TypeVar("_Answer", Standing, Ready)


class SetupRefused(SandboxError):
    """The kernel refused one step of a slot's set-up."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(str(failed))
        self.failed = failed


class LauncherGone(SandboxError):
    """The launcher ended, or never began. The message is what the tool that raised its walls said, if anything."""


class Launcher:
    """A launcher that is ready for runs. With a `held` program each run is a fork of that.

    Raises SetupRefused with the step that the kernel refused, and LauncherGone."""

    def __init__(
        self,
        plan: Plan,
        *,
        mounts: tuple[Path, ...],
        hide: tuple[Path, ...],
        held: HeldProgram | None = None,
    ) -> None:
        self.layers = Layer(0)
        self.landlock_abi = 0
        self._control = SetupFd(0)
        self._sequence = 0
        with ExitStack() as undo:
            lease = UidLease() if plan.own_uid else None
            if lease:
                undo.callback(lease.close)
            uid, gid = (lease.uid, lease.uid) if lease else plan.user or (os.geteuid(), os.getegid())
            self._request = StartRequest(uid=uid, gid=gid, mounts=mounts, hide=hide, held=held)
            self._started = plan.starter.start(plan, self._request)
            undo.callback(self._started.close)
            self.socket = self._started.socket
            #: The working directory of runs, as they see it.
            self.work = self._started.work
            #: Its number on this machine, if that is known.
            self.process = self._started.process
            self.held = held
            self.surplus = HeldSurplus()
            control = self._started.control
            self._leftovers = Leftovers(control.version, control.memory) if control else None
            #: Memory that the launcher may need itself, beside the program.
            self.held_bytes = _HELD_BYTES if held else 0
            try:
                self._set_up(plan)
            except LauncherGone as error:
                if said := self._started.said():
                    raise LauncherGone(said) from error
                raise
            self._undo = undo.pop_all()

    def _set_up(self, plan: Plan) -> None:
        request, started = self._request, self._started
        layers = started.layers | Layer.SECCOMP | Layer.RLIMIT
        layers |= Layer.VETTED if plan.vetted else Layer.LANDLOCK
        fds: list[int] = []
        if started.control:
            layers |= Layer.CGROUP
            self._control, fds = started.control.open()
        try:
            asked = wire.message(
                wire.SETUP,
                MessageKind.SETUP,
                0,
                layers=layers,
                fds=self._control,
                uid=request.uid,
                gid=request.gid,
                views=len(started.view),
            )
            self.send(asked + pack(started.view), fds)
        finally:
            for fd in fds:
                os.close(fd)
        self.socket.settimeout(_SETUP_TIMEOUT_S)
        standing = self._read_answer(Standing)
        self.landlock_abi = min(standing.landlock_abi, plan.landlock)
        ruleset = make_ruleset(self.landlock_abi, started.view, mounts=Layer.MOUNT in standing.layers)
        self.send(walls_message(standing, self._control, ruleset), [])
        self.layers = self._read_answer(Ready).layers
        self.socket.settimeout(None)

    def _read_answer(self, kind: type[_Answer]) -> _Answer:
        """The answer to a step of the set-up."""
        answer = self.receive()
        if isinstance(answer, Failed):
            raise SetupRefused(answer)
        if not isinstance(answer, kind):
            raise SandboxError(f"the launcher sent {type(answer).__name__} during its set-up, not {kind.__name__}")
        return answer

    def most_tasks(self, limits: RunLimits) -> int:
        """RLIMIT_NPROC of a run; 0: none. The kernel counts a user's tasks on the whole machine, so that another
        container's judge could use up ours. So this is used only where neither a cgroup nor the listener counts, and
        where the user is not the judge's own. In a user namespace the launcher and the stub are of the same user."""
        ours = Layer.MOUNT in self.layers and self.layers & (Layer.USER | Layer.UID)
        if SetupFd.CGROUP_PIDS in self._control or not ours:
            return 0
        return limits.threads + limits.processes + (_HELPERS if Layer.USER in self.layers else 0)

    def take_back(self, limit_bytes: int) -> int:
        """Empty the slot's cgroup, if earlier runs left much in it, before a run with this limit there. Returns what is
        left in bytes, if that is much; else 0."""
        return self._leftovers.take_back(limit_bytes) if self._leftovers else 0

    def note_peak(self, peak_bytes: int) -> None:
        """Call it with what each run reports."""
        if self._leftovers:
            self._leftovers.note_peak(peak_bytes)

    def next_sequence(self) -> int:
        self._sequence = (self._sequence + 1) & 0xFFFFFFFF
        return self._sequence

    def send(self, message: bytes, fds: list[int]) -> None:
        if len(message) > wire.MESSAGE_MAX:
            what = f"arguments, variables and names of files take {len(message)} bytes, more than {wire.MESSAGE_MAX}"
            raise Unsupported("argv", what)
        try:
            if fds:
                socket.send_fds(self.socket, [message], fds)
            else:
                self.socket.send(message)
        except OSError as error:
            raise LauncherGone(f"the launcher is gone: {self._read_report() or error.strerror}") from error

    def _read_report(self) -> Failed | None:
        """Why the launcher ended, if it reported that before we asked or before it read our request."""
        with suppress(OSError):
            while message := self.socket.recv(wire.MESSAGE_MAX, socket.MSG_DONTWAIT):
                if isinstance(last := wire.decode(message), Failed):
                    return last
        return None

    def receive(self) -> Standing | Ready | Result | Failed:
        """The next message. Raises LauncherGone, or SandboxError if the message breaks the protocol."""
        try:
            message = self.socket.recv(wire.MESSAGE_MAX)
        except OSError as error:
            raise LauncherGone(f"the launcher does not answer: {self._read_report() or error}") from error
        if not message:
            raise LauncherGone("the launcher is gone")
        return wire.decode(message)

    def close(self) -> None:
        self._undo.close()
