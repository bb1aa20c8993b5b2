"""Starts the launcher as a child of this process, with no walls but its own."""

from __future__ import annotations

import socket
import subprocess
from contextlib import ExitStack, suppress
from pathlib import Path

from containers.errors import SandboxError
from containers.launcher.binary import binary
from containers.launcher.cgroup import Cgroup
from containers.launcher.plan import Plan, Started, StartRequest
from containers.launcher.slot_directory import SlotDirectory
from containers.launcher.view import INNER_ID, WORK, directories, entries, readable
from containers.launcher.wire import Layer

_END_S = 2
#: If the launcher's library is not loaded into a held program, the program reads ../in/ itself: here it finds nothing.
_NOWHERE = "/proc/self"


class Child:
    """The starter of the native backend."""

    holds = True

    def start(self, plan: Plan, request: StartRequest) -> Started:
        with ExitStack() as undo:
            own = None if plan.namespaces else SlotDirectory(group=request.gid if plan.own_uid else None)
            work = str(own.box / "work") if own else WORK
            ours, process = _start(undo, own, work, request)
            cgroup = Cgroup(plan.cgroup) if plan.cgroup else None
            if cgroup:
                undo.callback(cgroup.remove)
            undo.callback(end, ours, process)  # before its directory and its cgroup are removed
            if cgroup:
                _enter(cgroup, process.pid)
            inner = INNER_ID if plan.user_namespace else request.uid
            layers = Layer.MOUNT | Layer.PIVOT if plan.namespaces else Layer(0)
            layers |= Layer.USER if plan.user_namespace else Layer(0)
            layers |= Layer.UID if plan.own_uid and not plan.user_namespace else Layer(0)
            return Started(
                socket=ours,
                layers=layers,
                view=tuple(
                    readable(own.box, request.mounts, request.hide)
                    if own
                    else entries(inner, inner, request.mounts, request.hide)
                ),
                work=work,
                control=cgroup,
                process=process.pid,
                undo=undo.pop_all(),
            )


def _start(
    undo: ExitStack, own: SlotDirectory | None, work: str, request: StartRequest
) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Start the process. `undo` ends it, and then removes its directory."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    undo.callback(ours.close)
    command: tuple[str, ...] = (binary(), str(theirs.fileno()))
    env: dict[str, str] = {}
    if (held := request.held) is not None:
        command = (binary(), "--interpreter", str(theirs.fileno()), str(held.stack_bytes), *held.argv)
        env = {**dict(held.env), **directories(work)}
    try:
        with theirs:
            process = subprocess.Popen(
                command,
                pass_fds=(theirs.fileno(),),
                env=env,
                cwd=_NOWHERE,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # a Ctrl-C at our terminal is ours to handle
            )
    except OSError:
        if own:
            own.close()
        raise
    if own:
        undo.callback(_leave, own, process, request.uid)
    undo.callback(end, ours, process)
    return ours, process


def _enter(cgroup: Cgroup, pid: int) -> None:
    """Put the launcher into its cgroup. Where we may, tell the kernel to kill the program, not the launcher, when the
    cgroup's memory runs out."""
    try:
        cgroup.attach(pid)
        with suppress(PermissionError):
            Path(f"/proc/{pid}/oom_score_adj").write_text("-1000")
    except ProcessLookupError as error:  # no refusal of the kernel: so no SetupRefused
        raise SandboxError("the launcher is gone: it ended before it was set up") from error


def _leave(own: SlotDirectory, process: subprocess.Popen[bytes], uid: int) -> None:
    """Remove the directory. A launcher that was killed has not ended its run's processes, so we end them."""
    own.close(evict=uid if process.returncode != 0 else None)


def end(ours: socket.socket, process: subprocess.Popen[bytes]) -> None:
    """Close the socket, at which launcher, stub and program end. Kill the launcher if it does not. Idempotent."""
    ours.close()
    try:
        process.wait(timeout=_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
