"""Makes a slot's cgroup, version 1 or 2: it bounds the memory (page cache is reclaimed) and the tasks of a run.

A slot's directory is ``judge-<pid>-<random>``, below the cgroup of this process. The next judge removes what a killed
judge left. It cannot remove a live slot's cgroup: the launcher is in it, and the kernel removes no cgroup that holds a
process. Another tool may make a cgroup inside the slot's, in which the launcher lives (`Nested`).

On version 2 a cgroup that holds processes cannot give controllers to its children. Where ours is delegated to us
(``systemd-run --user --scope -p Delegate=yes``, or a container's root), we first move its processes to ``judge-host``.
"""

from __future__ import annotations

import errno
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

from containers.launcher.tiers import TRANSIENT
from containers.launcher.wire import SetupFd

#: For this long after it was made a cgroup may still be empty: its launcher enters it later.
_ENTER_S = 60.0
_REMOVE_TRIES, _REMOVE_PAUSE_S = 100, 0.01
#: Where we move the processes of a v2 cgroup so that it can have children, and how often we try.
_HOST, _MOVE_TRIES = "judge-host", 5


@dataclass(frozen=True, slots=True)
class Parents:
    """The directories in which we make the cgroups of slots; v1 has one for each controller."""

    version: int
    memory: Path
    pids: Path | None
    #: Where the CPU time of all that ever ran in a slot is counted.
    cpu: Path | None


def _mounts() -> list[tuple[str, str, str, set[str]]]:
    """(root within the hierarchy, mount point, type, options) of every cgroup mount."""
    found = []
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        if kind and kind[0] in ("cgroup", "cgroup2"):
            found.append((fields[3], fields[4], kind[0], set(kind[2].split(",")) if len(kind) > 2 else set()))
    return found


def _own(controller: str, process: int | str = "self") -> str | None:
    """The cgroup path of a process in the hierarchy of a v1 controller, or of v2 ("")."""
    for line in Path(f"/proc/{process}/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if (controller in controllers.split(",")) if controller else controllers == "":
            return path
    return None


def _directory(controller: str, process: int | str = "self") -> Path | None:
    """The directory of that path; the mount point if the path is not below it, as inside a container."""
    own = _own(controller, process)
    if own is None or own.startswith("/.."):
        return None
    for root, point, kind, options in _mounts():
        if root.startswith("/.."):  # mounted from outside our cgroup namespace: we cannot tell our own path in it
            continue
        if (kind == "cgroup2") if not controller else (kind == "cgroup" and controller in options):
            relative = os.path.relpath(own, root)
            path = Path(point) if relative.startswith("..") else Path(point, relative)
            return path if path.is_dir() else Path(point)
    return None


def own_memory() -> Path | None:
    """The memory cgroup that this process lives in; None: unknown."""
    with suppress(OSError):
        return _directory("memory") or _directory("")
    return None


def _explain_closed(directory: Path) -> str | None:
    """Why we cannot make cgroups there or move processes into them; None: we can."""
    if os.statvfs(directory).f_flag & os.ST_RDONLY:
        return f"{directory} is mounted read-only"
    files = (".", "cgroup.procs", "cgroup.subtree_control")
    if not all(os.access(directory / name, os.W_OK) for name in files if (directory / name).exists()):
        return f"no permission to make cgroups in {directory}"
    return None


def _give_controllers(directory: Path) -> str | None:
    """Enable the memory controller, and pids if granted, for children of a v2 cgroup. None, or why it failed."""
    granted = set((directory / "cgroup.controllers").read_text().split())
    if "memory" not in granted:
        return f"no memory controller in {directory}"
    control = directory / "cgroup.subtree_control"
    wanted = granted & {"memory", "pids"}
    for _ in range(_MOVE_TRIES):
        if wanted <= set(control.read_text().split()):
            return None
        try:
            control.write_text(" ".join(f"+{name}" for name in sorted(wanted)))
        except OSError as error:
            if error.errno != errno.EBUSY:
                return f"{control}: {error.strerror}"
            _move_processes(directory, directory / _HOST)  # then try again: a process may have forked meanwhile
    return f"{directory} holds processes that cannot be moved"


def _move_processes(source: Path, target: Path) -> None:
    with suppress(FileExistsError):
        target.mkdir()
    for pid in (source / "cgroup.procs").read_text().split():
        with suppress(OSError):  # it ended, or is a kernel thread
            (target / "cgroup.procs").write_text(pid)


@cache
def find_parents() -> Parents | str:
    """Where we can make the cgroups of slots, or one line that says why nowhere."""
    memory = _directory("memory")
    if memory is not None:
        if (closed := _explain_closed(memory)) is not None:
            return closed
        pids, cpu = (
            directory if directory is not None and _explain_closed(directory) is None else None
            for directory in (_directory("pids"), _directory("cpuacct"))
        )
        return Parents(1, memory, pids, cpu)
    own = _directory("")
    if own is None:
        return "no cgroup file system with a memory controller is mounted"
    if own.name == _HOST:
        own = own.parent
    refused = _explain_closed(own) or _give_controllers(own)
    if refused is not None:
        return refused
    pids = own if "pids" in (own / "cgroup.subtree_control").read_text().split() else None
    return Parents(2, own, pids, own)


@cache
def sweep(parents: Parents) -> None:
    """Remove the cgroups of judges that were killed. Once per process."""
    for parent in {parents.memory, parents.pids, parents.cpu}:
        for path in () if parent is None else parent.glob("judge-*-*"):
            with suppress(OSError):  # it holds a process, or is gone
                if time.time() - path.stat().st_mtime > _ENTER_S:
                    _remove(path)


def _remove(directory: Path) -> None:
    for inside in directory.iterdir():
        if inside.is_dir():
            inside.rmdir()
    directory.rmdir()


class Cgroup:
    """One slot's cgroup. Raises OSError where the kernel refuses."""

    def __init__(self, parents: Parents) -> None:
        sweep(parents)
        name = f"judge-{os.getpid()}-{os.urandom(8).hex()}"
        self.version = parents.version
        self.memory = parents.memory / name
        self.pids = None if parents.pids is None else parents.pids / name
        self.cpu = None if parents.cpu is None else parents.cpu / name
        self._directories = list(dict.fromkeys(path for path in (self.memory, self.pids, self.cpu) if path is not None))
        try:
            for directory in self._directories:
                directory.mkdir()
            self._no_swap()
        except OSError:
            self.remove()
            raise

    def _no_swap(self) -> None:
        """A limit that counts swap: none may be used."""
        name, value = ("memory.swap.max", "0") if self.version == 2 else ("memory.swappiness", "0")
        with suppress(OSError):  # no swap on this machine
            (self.memory / name).write_text(value)

    def attach(self, pid: int) -> None:
        for directory in self._directories:
            (directory / "cgroup.procs").write_text(str(pid))

    def open(self) -> tuple[SetupFd, list[int]]:
        """Descriptors of the control files for the launcher, in the order of their bits. The caller closes them."""
        return _open(self.version, self.memory, self.pids, self.cpu)

    def remove(self) -> None:
        """Remove the directories, and end what is still in them. Idempotent."""
        with suppress(OSError):  # only version 2 from Linux 5.14 on; else the launcher has killed what it could
            (self.memory / "cgroup.kill").write_text("1")
        for directory in self._directories:
            for _ in range(_REMOVE_TRIES):  # a process that was killed may take a moment to leave
                try:
                    _remove(directory)
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(_REMOVE_PAUSE_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


@dataclass(frozen=True, slots=True, kw_only=True)
class Nested:
    """A cgroup that another tool made for the launcher."""

    version: int
    memory: Path
    pids: Path | None
    cpu: Path | None

    def open(self) -> tuple[SetupFd, list[int]]:
        return _open(self.version, self.memory, self.pids, self.cpu)

    @classmethod
    def of(cls, process: int) -> Self | None:
        """The cgroup of another process and its children; None: we cannot tell it, or may not change it."""
        with suppress(OSError):
            version = 1 if _directory("memory") else 2
            names = ("memory", "pids") if version == 1 else ("", "")
            memory, pids = (_directory(name, process) for name in names)
            if memory is None or memory == _directory(names[0]) or not os.access(memory, os.W_OK):
                return None
            if str(process) not in (memory / "cgroup.procs").read_text().split():
                return None
            pids = pids if pids and os.access(pids, os.W_OK) else None
            cpu = memory if version == 2 else _directory("cpuacct", process)
            own = _directory("cpuacct") if version == 1 else None
            return cls(version=version, memory=memory, pids=pids, cpu=cpu if cpu != own else None)
        return None


def _open(version: int, memory: Path, pids: Path | None, cpu: Path | None) -> tuple[SetupFd, list[int]]:
    v2 = version == 2
    wanted = [
        (SetupFd.CGROUP_LIMIT, memory / ("memory.max" if v2 else "memory.limit_in_bytes"), os.O_RDWR),
        (SetupFd.CGROUP_EVENTS, memory / ("memory.events" if v2 else "memory.oom_control"), os.O_RDONLY),
        (SetupFd.CGROUP_PEAK, memory / ("memory.peak" if v2 else "memory.max_usage_in_bytes"), os.O_RDWR),
    ]
    if pids is not None:
        wanted.append((SetupFd.CGROUP_PIDS, pids / "pids.max", os.O_RDWR))
    if cpu is not None:
        wanted.append((SetupFd.CGROUP_CPU, cpu / ("cpu.stat" if v2 else "cpuacct.usage"), os.O_RDONLY))
    bits, fds = SetupFd(0), []
    for bit, path, mode in wanted:
        try:
            fds.append(os.open(path, mode | os.O_CLOEXEC))
            bits |= bit
        except OSError as error:
            if bit in (SetupFd.CGROUP_LIMIT, SetupFd.CGROUP_EVENTS) or error.errno in TRANSIENT:
                for fd in fds:
                    os.close(fd)
                raise  # others may be missing: memory.peak came with 5.19, a writable one in 6.12
    return bits, fds
