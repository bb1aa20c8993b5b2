"""Says which walls a slot is to have (`Plan`), and how its launcher is started (`Starter`): as a child of this process,
or inside walls that another tool raises (nsjail, a container).

    Launcher ── StartRequest ──► Starter.start ── Started ──► SETUP, RUN, STOP over Started.socket

The protocol is the same everywhere: one SOCK_SEQPACKET socket, over which descriptors travel, too. The launcher
inherits the socket (``judge-launcher NUMBER``). Where it can inherit none, it connects to a path (``judge-launcher
--connect PATH``); the starter accepts one connection there, and removes the path before anything runs.

Inside other walls the launcher makes no namespaces (`Plan.namespaces` is False): it raises Landlock, seccomp, limits
and the quota around each run, as in the restricted tiers. What it must find there:

    its user        `StartRequest.uid` outside, without capabilities; programs run as the same user
    /proc           of its own pid namespace; the files of its own processes are writable
    BOX             an empty directory of that user, best a tmpfs with a size; the user can write nothing else
    the view        that view.py describes, read-only
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
    """An interpreter or a compiler that is started once, and stops where it is about to read the submission's file. It
    is forked there for each run."""

    argv: tuple[str, ...]
    #: The environment of its runs, without HOME and TMPDIR.
    env: tuple[tuple[str, str], ...]
    stack_bytes: int
    #: Inode and time of change of its executable: where another is installed, the old one is not held any longer.
    executable: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class StartRequest:
    """What a starter is asked to do."""

    #: User and group that the launcher runs as, by their numbers on this machine.
    uid: int
    gid: int
    #: Host paths that runs may read at their own paths, beside the standard view.
    mounts: tuple[Path, ...]
    #: Host directories inside the standard view that runs may not see.
    hide: tuple[Path, ...]
    #: The program that the launcher is to become. Set only for starters that hold programs.
    held: HeldProgram | None = None


class Control(Protocol):
    """The cgroup in which a launcher lives with all that it starts."""

    @property
    def version(self) -> int: ...

    @property
    def memory(self) -> Path:
        """The directory of its memory controller."""

    def open(self) -> tuple[SetupFd, list[int]]:
        """Descriptors of the control files for the launcher, in the order of their bits. The caller closes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A launcher that was started and waits for SETUP."""

    socket: socket.socket
    #: The namespaces and the user that the launcher is to give itself; none inside other walls.
    layers: Layer
    #: With Layer.MOUNT: the view to build. Else: Landlock rules for what is there (`view.readable`, `view.inside`).
    view: tuple[Entry, ...]
    #: The working directory of runs, as they see it.
    work: str
    control: Control | None = None
    #: The launcher's number on this machine; None: it is not known.
    process: int | None = None
    #: Returns what the tool that raised the walls complained of. Called when the launcher is gone.
    said: Callable[[], str] = str
    #: Ends the launcher with everything in its walls, and frees what it was given.
    undo: ExitStack

    def close(self) -> None:
        self.undo.close()


class Starter(Protocol):
    #: Whether its launchers can hold a program.
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
    #: False: the launcher makes no namespaces. Landlock rules are the view, and runs have directories of this machine.
    namespaces: bool = True
    user_namespace: bool
    #: As root: lease a user id, for the program alone, or (in a user namespace or other walls) for the launcher, too.
    own_uid: bool
    #: User and group of launchers that lease none; None: this process's.
    user: tuple[int, int] | None = None
    #: None: no cgroup bounds a run.
    cgroup: Parents | None
    #: The newest Landlock ABI to use; 0: none.
    landlock: int = NEWEST_LANDLOCK
    #: The most that the starter's directory for runs can hold, in bytes and files; None: as much as a run asks for.
    directory_bytes: int | None = None
    directory_inodes: int | None = None
    #: True: the walls around the launcher bound the memory of all processes of a run together.
    together: bool = False
    #: True: programs are executed by a path. gVisor shows no path for a descriptor from outside, and static programs of
    #: glibc end where /proc/self/exe leads nowhere.
    program_by_path: bool = False
    #: How far the first thread's stack can grow; None: as far as the memory limit. RLIMIT_STACK must not promise more:
    #: Ruby touches the end of its stack when it starts.
    stack_bytes: int | None = None

    @property
    def vetted(self) -> bool:
        """Whether the launcher checks every path that a run opens, because no other wall does."""
        return not self.namespaces and not self.landlock
