"""Which walls a slot is to have (`Plan`), and how its launcher is started (`Starter`): as a child of this process, or
inside walls that another tool raises (nsjail, a container).

    Launcher ── StartRequest ──► Starter.start ── Started ──► SETUP, RUN, STOP over Started.socket

The protocol is the same everywhere: one SOCK_SEQPACKET socket, over which descriptors travel too. A starter gives it
to the launcher as a descriptor (``judge-launcher NUMBER``), or as a path (``judge-launcher --connect PATH``) where none
can be inherited; it listens there for one connection, and takes the path away before anything runs.

Inside other walls the launcher makes no namespaces (`Plan.namespaces` is False): it raises Landlock, seccomp, limits
and the quota around each run, as in the restricted tiers. What it must find there:

    its user        `StartRequest.uid` outside, without capabilities; the programs run as the same one
    /proc           of the pid namespace that it is in, the files of its own processes writable
    BOX             an empty directory of that user, best a tmpfs with a size; nothing else that it may write
    the view        of view.py, read-only
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from containers.launcher.cgroup import Parents
from containers.launcher.view import Entry
from containers.launcher.wire import Layer, SetupFd

NEWEST_LANDLOCK = 0xFFFF


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldProgram:
    """An interpreter or a compiler that is started once, and held where it is about to read what it is to run or to
    compile."""

    argv: tuple[str, ...]
    #: As runs have it, but for HOME and TMPDIR.
    env: tuple[tuple[str, str], ...]
    stack_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StartRequest:
    """What is asked of a starter."""

    #: Whom the launcher runs as, by the numbers of this machine.
    uid: int
    gid: int
    #: Host paths that runs may read at their own paths, beside the standard view.
    mounts: tuple[Path, ...]
    #: Host directories that they may not see although they lie inside it.
    hide: tuple[Path, ...]
    #: What the launcher is to become; asked of those alone whose `holds` is true.
    held: HeldProgram | None = None


class Control(Protocol):
    """The cgroup in which a launcher lives with all that it starts."""

    def open(self) -> tuple[SetupFd, list[int]]:
        """Descriptors of the control files for the launcher, in the order of their bits. The caller closes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A launcher that was started and waits for SETUP."""

    socket: socket.socket
    #: The namespaces and the user that it is to give itself; inside other walls none.
    layers: Layer
    #: With Layer.MOUNT the view to build; else the rules of what lies there already (`view.readable`, `view.inside`).
    view: tuple[Entry, ...]
    #: The working directory of runs, as they see it.
    work: str
    control: Control | None = None
    #: What the host's tool said, for when the launcher is gone.
    said: Callable[[], str] = str
    #: Ends the launcher with everything in its walls, and gives back what it was given.
    undo: ExitStack

    def close(self) -> None:
        self.undo.close()


class Starter(Protocol):
    #: A launcher can become a program, which is then held.
    holds: bool

    def start(self, plan: Plan, request: StartRequest) -> Started:
        """Start a launcher.

        Raises:
            SandboxError, OSError: it did not start; nothing of it is left.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Which walls a slot is to have."""

    starter: Starter
    #: False: the launcher makes none, Landlock is the view and a directory the place of a run.
    namespaces: bool = True
    user_namespace: bool
    #: As root: a leased user id, of the program, or of the whole launcher: in a user namespace, or in other walls.
    own_uid: bool
    #: None: no cgroup bounds a run.
    cgroup: Parents | None
    #: The newest Landlock ABI to use; 0: none.
    landlock: int = NEWEST_LANDLOCK
    #: What the directory that the starter gives holds at most, whatever a run asks for; None: as much as it asks for.
    directory_bytes: int | None = None
    directory_inodes: int | None = None
    #: The walls around the launcher bound the memory of all processes of a run together.
    together: bool = False
    #: A program is executed by a path: under gVisor a descriptor from outside has none, and static programs of glibc
    #: end where /proc/self/exe is not one.
    program_by_path: bool = False

    @property
    def vetted(self) -> bool:
        """The launcher looks at every path: nothing else says what can be opened."""
        return not self.namespaces and not self.landlock
