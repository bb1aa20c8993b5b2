"""Starts launchers in containers: the container's walls stand around the launcher, the launcher's around each run.

    this process ═ <private directory>/s ═ launcher (the container's only process, an ordinary user)

The container has no network and no capabilities. Its read-only root shows the standard view (view.py) at its own paths.
It has no_new_privs, the daemon's seccomp profile, limits of tasks and memory, and one small tmpfs, where runs have
their directories. The launcher ends when its socket closes, even if this process was killed, and then the daemon
removes the container.

gVisor has no Landlock, but lets everybody make a user namespace. There the launcher builds the view and the namespaces
of each run itself, as on the native backend, out of gVisor's own namespaces and mounts.
"""

from __future__ import annotations

import socket
import struct
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, assert_never

import psutil

from containers.docker.daemon import Daemon
from containers.errors import SandboxError
from containers.launcher.binary import binary, gvisor_binary
from containers.launcher.cgroup import Nested
from containers.launcher.plan import Plan, Started, StartRequest
from containers.launcher.slot_directory import SlotDirectory
from containers.launcher.view import BOX, INNER_ID, WORK, Entry, entries, inside
from containers.launcher.wire import Layer, ViewKind
from containers.spec import MIB

_CONNECT_S = 30.0
_LAUNCHER, _PRIVATE, _SOCKET = "/judge/launcher", "/judge/private", "s"
_TASKS = 4096
#: The most that the directories of one run can hold.
BOX_BYTES, BOX_INODES = 1024 * MIB, 1 << 16


@dataclass(kw_only=True)
class ContainerStarter:
    """Starts launchers in containers of one runtime."""

    holds = False

    daemon: Daemon
    #: None: the daemon's default.
    runtime: str | None
    #: Whether the runtime's kernel is gVisor's.
    gvisor: bool
    #: Whether we set the container's cgroup for each run: only as root, and not under gVisor, whose kernel is in it.
    cgroup: bool
    #: Memory limit of a whole container: above that of its largest run.
    ceiling_bytes: int

    def start(self, plan: Plan, request: StartRequest) -> Started:
        user = INNER_ID if plan.namespaces else request.uid
        table = entries(user, user, request.mounts, request.hide)
        with ExitStack() as undo:
            own = SlotDirectory(public=True)
            undo.callback(own.close)
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
                path = own.box / _SOCKET
                listener.bind(str(path))
                path.chmod(0o666)  # the container's user may be anybody; _accept checks who connected
                listener.listen(1)
                container = self.daemon.start(
                    self.daemon.image(table),
                    [_LAUNCHER, "--connect", f"{_PRIVATE}/{_SOCKET}"],
                    f"{request.uid}:{request.gid}",
                    self.runtime,
                    self._walls(plan, request, self._mounts(plan, table, own.box)),
                )
                undo.callback(self.daemon.remove, container)
                ours, process = self._accept(listener, container)
                path.unlink()
            undo.callback(ours.close)
            return Started(
                socket=ours,
                layers=Layer.MOUNT | Layer.USER if plan.namespaces else Layer(0),
                view=tuple(table if plan.namespaces else inside(table)),
                work=WORK,
                control=Nested.of(process) if self.cgroup else None,
                undo=undo.pop_all(),
            )

    def _accept(self, listener: socket.socket, container: str) -> tuple[socket.socket, int]:
        """The launcher's connection, and its pid. Checks who connects: others on this machine can reach the socket."""
        listener.settimeout(_CONNECT_S)
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            ended = self.daemon.process(container) is None
            why = ": its container has ended" if ended else ""
            raise SandboxError(f"the launcher in a container did not connect{why}") from None
        peer = struct.unpack("=iII", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
        process = self.daemon.process(container)
        if process is None or not _same(peer, process):
            connection.close()
            raise SandboxError(f"process {peer}, which is not the container's ({process}), connected to its socket")
        connection.settimeout(None)
        return connection, process

    def _walls(self, plan: Plan, request: StartRequest, mounts: list[dict[str, Any]]) -> dict[str, Any]:
        # Version 1 refuses a memory limit above the limit of memory and swap, so that one must not stand.
        free = self.cgroup and self.daemon.cgroup_version == 1
        # Podman can set neither the owner nor the number of files: there only the launcher counts files.
        own = "U" if self.daemon.podman else f"uid={request.uid},gid={request.gid},nr_inodes={BOX_INODES}"
        return {
            "network_mode": "none",
            "ipc_mode": "none",
            # On a read-only root podman mounts file systems of its own. All in the image belongs to root anyway.
            "read_only": not self.daemon.podman,
            "cap_drop": ["ALL"],
            "security_opt": ["no-new-privileges"],
            "pids_limit": _TASKS,
            "mem_limit": self.ceiling_bytes,
            "memswap_limit": -1 if free else self.ceiling_bytes,
            "mem_swappiness": 0 if free else None,
            "log_config": {"Type": "none"},
            "tmpfs": {} if plan.namespaces else {BOX: f"rw,nosuid,nodev,exec,mode=0755,size={BOX_BYTES},{own}"},
            "mounts": mounts,
        }

    def _mounts(self, plan: Plan, table: list[Entry], private: Path) -> list[dict[str, Any]]:
        """The view as mounts; with namespaces, the host paths from which the launcher builds the view."""
        found = [_bind(gvisor_binary() if self.gvisor else binary(), _LAUNCHER), _bind(str(private), _PRIVATE)]
        empty = private / "empty"
        empty.mkdir(mode=0o755)
        for number, (kind, source, target) in enumerate(table):
            match kind:
                case ViewKind.BIND if plan.namespaces:
                    if not any(Path(source).is_relative_to(mount["Target"]) for mount in found):
                        found.append(_bind(source, source))
                case ViewKind.BIND:
                    found.append(_bind(source, target))
                case ViewKind.TEXT if not plan.namespaces:
                    (private / str(number)).write_text(source)
                    found.append(_bind(str(private / str(number)), target))
                case ViewKind.MASK if not plan.namespaces:
                    found.append(_bind(str(empty), target))  # podman would copy what we hide into a tmpfs
                case ViewKind.TEXT | ViewKind.MASK | ViewKind.DEVICE | ViewKind.SYMLINK:
                    pass  # the launcher makes them, or the image has them
                case ViewKind.HOME | ViewKind.LIST:
                    raise ValueError(f"{kind.name} is the launcher's own, not a mount of the container")
                case _:
                    assert_never(kind)
        return found


def _bind(source: str, target: str) -> dict[str, Any]:
    return {"Type": "bind", "Source": source, "Target": target, "ReadOnly": True}


def _same(peer: int, process: int) -> bool:
    """Whether the connection comes from the container. Under gVisor another process connects: a sibling of the
    container's first process. Only the container's shim has children there, and it starts nobody else."""
    return peer == process or (_parent(peer) is not None and _parent(peer) == _parent(process))


def _parent(process: int) -> int | None:
    try:
        return psutil.Process(process).ppid()
    except psutil.Error:
        return None
