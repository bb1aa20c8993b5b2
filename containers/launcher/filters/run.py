"""What is done with a call of a run: one block of instructions for each action of the table."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import NamedTuple

from containers.launcher.filters.bpf import (
    ALLOW,
    IF_OWN,
    NOTIFY,
    SHIFT_RIGHT,
    XOR,
    Block,
    Instruction,
    assemble,
    fail,
    if_any,
    if_equal,
    keep,
    load_argument,
    one_of,
)
from containers.launcher.filters.table import MACHINES, RUN_ROWS, Action, actions

# Of the kernel's headers; the same on both machines.
O_ACCMODE, O_RDONLY, O_CREAT, O_TRUNC, O_TMPFILE_ALONE = 0o3, 0, 0o100, 0o1000, 0o20000000
#: Flags of an open that make a file; O_TMPFILE without the O_DIRECTORY that it holds.
CREATING = O_CREAT | O_TMPFILE_ALONE
CLONE_VM, CLONE_FS, CLONE_FILES, CLONE_SIGHAND, CLONE_THREAD = 0x100, 0x200, 0x400, 0x800, 0x10000
#: Mount, cgroup, UTS, IPC, user, pid, network; time.
CLONE_NAMESPACES = 0x20000 | 0x2000000 | 0x4000000 | 0x8000000 | 0x10000000 | 0x20000000 | 0x40000000 | 0x80
#: What a thread shares with the others, as those of every C library and of Go do. With descriptors of its own it would
#: have some that no limit and no look sees.
THREAD_SHARES = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD
#: What else they ask for: SYSVSEM, SETTLS, PARENT_SETTID, CHILD_CLEARTID, DETACHED, CHILD_SETTID; and the signal at its
#: end (CSIGNAL), which the kernel does not send for a thread.
THREAD_MAY = 0xFF | 0x40000 | 0x80000 | 0x100000 | 0x200000 | 0x400000 | 0x1000000
MAP_SHARED, MAP_HUGETLB = 0x1, 0x40000
RENAME_NOREPLACE, RENAME_EXCHANGE = 1, 2
AF_UNIX, SOCK_STREAM, SOCK_CLOEXEC, SOCK_NONBLOCK = 1, 1, 0o2000000, 0o4000
SCHED_OTHER, RLIMIT_CORE = 0, 4

#: PR_SET_NAME, GET_NAME, GET_DUMPABLE, CAPBSET_READ, GET_NO_NEW_PRIVS, SET_NO_NEW_PRIVS, GET_TIMERSLACK, GET_PDEATHSIG,
#: and SET_VMA (names of mappings).
PRCTL_ALLOWED = (15, 16, 3, 23, 39, 38, 30, 2, 0x53564D41)
#: TCGETS, FIONREAD, FIOCLEX, FIONCLEX, FIONBIO, TIOCGWINSZ.
IOCTL_ALLOWED = (0x5401, 0x541B, 0x5451, 0x5450, 0x5421, 0x5413)
#: F_DUPFD, DUPFD_CLOEXEC, GETFD, SETFD, GETFL, SETFL, GETPIPE_SZ. No locks or leases (inputs are shared between runs: a
#: covert channel), no F_SETOWN, no F_SETPIPE_SZ (kernel memory).
FCNTL_ALLOWED = (0, 1030, 1, 2, 3, 4, 1032)
#: Linkers and build tools lock their output: F_GETLK, SETLK, SETLKW.
FCNTL_TOOL = (*FCNTL_ALLOWED, 5, 6, 7)
#: None, or CLOSE_RANGE_CLOEXEC; not CLOSE_RANGE_UNSHARE, which gives the caller a table of its own.
CLOSE_RANGE_ALLOWED = (0, 4)
PERSONALITY_QUERY = (0, 0xFFFFFFFF)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What a filter is to do where tiers and kinds of runs differ."""

    #: fork and its family are allowed.
    processes: bool = False
    #: Modes, times and locks are allowed: linkers and build tools need them.
    tool: bool = False
    #: Modes are allowed: what the run compiles it executes.
    modes: bool = False
    #: There is a listener.
    notify: bool = False
    #: The listener counts the creation of files: no tmpfs does.
    files: bool = False
    #: The listener counts tasks: neither a cgroup nor the kernel's count of a user's does.
    threads: bool = False
    #: truncate is walled like writing: Landlock knows it since its third version.
    truncates: bool = False
    #: The listener counts shared memory: no cgroup does.
    shared: bool = False
    #: The listener looks at every path that is opened or changed.
    vetted: bool = False
    #: Files of the judge's own user lie open to it: no user of its own, no root of its own.
    open: bool = False
    #: The listener looks at whom a compiler signals: no pid namespace hides the others.
    signals: bool = False
    #: Who shows it executes without a look.
    secret: int = 0


def _count_calls(by_listener: bool) -> Block:
    return (NOTIFY if by_listener else ALLOW,)


def _report(kind: Kind) -> Block:
    return (NOTIFY if kind.notify else fail(errno.EPERM),)


def _clone(kind: Kind) -> Block:
    """Threads, never namespaces; new processes only where the run may have them."""
    threads_only = (keep(~THREAD_MAY), if_equal(THREAD_SHARES, 1, 0), fail(errno.EPERM))
    return (
        load_argument(0),
        if_any(CLONE_NAMESPACES, 0, 1),
        *_report(kind),
        *(() if kind.processes else threads_only),
        *_count_calls(kind.threads),
    )


def _execveat(kind: Kind) -> Block:
    """Where every path is looked at, nobody could look at the program's own: we wait for its execve. That one shows a
    number that no program can know, in an argument that the kernel does not read."""
    own = (
        load_argument(5),
        if_equal(kind.secret & 0xFFFFFFFF, 0, 3),
        load_argument(5, high=True),
        if_equal(kind.secret >> 32, 0, 1),
        ALLOW,
    )
    return (*(own if kind.vetted else ()), *_count_calls(kind.vetted))


def _rename(kind: Kind) -> Block:
    """RENAME_WHITEOUT leaves a device node where the file was: one more file."""
    unknown = ~(RENAME_NOREPLACE | RENAME_EXCHANGE) & 0xFFFFFFFF
    return (load_argument(4), if_any(unknown, 0, 1), fail(errno.EPERM), *_count_calls(kind.vetted))


def _open(kind: Kind, flags: int) -> Block:
    checked = (
        # Truncates what may only be read: no honest use, and not every Landlock sees it.
        load_argument(flags),
        keep(O_ACCMODE | O_TRUNC),
        if_equal(O_RDONLY | O_TRUNC, 0, 1),
        fail(errno.EACCES),
        # Neither to read nor to write (for ioctl): Landlock asks for no right then, and the older ones let it truncate.
        keep(O_ACCMODE),
        if_equal(O_ACCMODE, 0, 1),
        fail(errno.EACCES),
    )
    if kind.vetted:
        return (*checked, NOTIFY)
    if kind.files:
        return (*checked, load_argument(flags), if_any(CREATING, 0, 1), NOTIFY, ALLOW)
    return (*checked, ALLOW)


def _map(kind: Kind) -> Block:
    """No huge pages of the machine's pool, as if it had none: they are in no count of a process's or a cgroup's memory.
    Shared memory stays when it is unmapped, as long as a page of its object is mapped, and is then seen nowhere."""
    shared = (if_any(MAP_SHARED, 0, 1), NOTIFY) if kind.shared and not kind.tool else ()
    return (load_argument(3), if_any(MAP_HUGETLB, 0, 1), fail(errno.ENOMEM), *shared, ALLOW)


#: Two ends of one stream, as Java makes at the first file that it opens: no more than a pipe, as no call is allowed
#: that could name another socket, pass descriptors (sendmsg) or enlarge its buffers (setsockopt). Only Unix streams.
_SOCKETPAIR: Block = (
    load_argument(0),
    if_equal(AF_UNIX, 0, 4),
    load_argument(1),
    keep(~(SOCK_CLOEXEC | SOCK_NONBLOCK)),
    if_equal(SOCK_STREAM, 0, 1),
    ALLOW,
    fail(errno.EPERM),
)
#: Free Pascal gives each new thread the policy that it has anyway: told yes, and nothing is done.
_SCHEDULER: Block = (load_argument(1), if_equal(SCHED_OTHER, 0, 1), fail(0), fail(errno.EPERM))


def _core_kept(resource: int) -> Block:
    """Limits of oneself, but for that of core dumps: where core_pattern names a handler, the kernel starts it outside
    at every limit but the one that is set here. Answered as if done: sanitizers give up where it fails."""
    return (load_argument(resource), if_equal(RLIMIT_CORE, 0, 1), fail(0), ALLOW)


_PRLIMIT: Block = (
    load_argument(0),
    if_equal(0, 1, 0),
    fail(errno.EPERM),
    # Reads only: no new limit is given.
    load_argument(2),
    if_equal(0, 0, 3),
    load_argument(2, high=True),
    if_equal(0, 0, 1),
    ALLOW,
    *_core_kept(1),
)
#: The CPU clock of a process is ~pid << 3 and its kind in the low bits: anybody's may be read, and slept on. Those of
#: threads (bit 2) the kernel gives to their own process alone.
_CLOCK: Block = (
    load_argument(0),
    if_any(0x80000000, 1, 0),
    ALLOW,
    if_any(4, 0, 1),
    ALLOW,
    Instruction(XOR, 0, 0, 0xFFFFFFFF),
    Instruction(SHIFT_RIGHT, 0, 0, 3),
    if_equal(0, 0, 1),
    ALLOW,
    IF_OWN,
    ALLOW,
    fail(errno.EINVAL),  # as if there were no such process
)


def _signal(kind: Kind) -> Block:
    if not kind.processes:
        return (load_argument(0), IF_OWN, ALLOW, fail(errno.EPERM))
    if kind.signals:
        return (NOTIFY,)
    # Compilers signal one another. Not the stub: it is the first process of a pid namespace, which Linux shields, and
    # gVisor does not.
    return (load_argument(0), if_equal(1, 0, 1), fail(errno.EPERM), ALLOW)


def _change_metadata(kind: Kind, allowed: bool) -> Block:
    """Landlock walls no mode and no time. A script or a compiler that may change none hears of success."""
    if allowed and not kind.open:
        return (ALLOW,)
    return (fail(0 if kind.processes else errno.EPERM),)


def blocks(kind: Kind) -> dict[Action, Block]:
    """What is done with a call, by the action that the table gives it."""
    return {
        Action.NONE: (fail(errno.ENOSYS),),
        Action.ALLOW: (ALLOW,),
        Action.REFUSE: (fail(errno.EPERM),),
        Action.REPORT: _report(kind),
        Action.PROCESS: _count_calls(kind.threads) if kind.processes else (fail(errno.EPERM),),
        Action.BUILD: _change_metadata(kind, kind.tool),
        Action.MODE: _change_metadata(kind, kind.tool or kind.modes),
        Action.CREATE: _count_calls(kind.files),
        Action.CHANGE: _count_calls(kind.vetted),
        Action.LOOK: _count_calls(kind.vetted),
        Action.ALLOCATE: (fail(errno.EOPNOTSUPP) if kind.files else ALLOW,),
        Action.TRUNCATE: _count_calls(kind.vetted) if kind.truncates else (fail(errno.EACCES),),
        Action.SELF: _signal(kind),
        Action.LACKING: (fail(errno.EOPNOTSUPP),),
        Action.UNFIT: (fail(errno.EINVAL),),
        Action.CLONE: _clone(kind),
        Action.CLOSE_RANGE: one_of(2, CLOSE_RANGE_ALLOWED, errno.EPERM),
        Action.EXECVEAT: _execveat(kind),
        Action.RENAME: _rename(kind),
        Action.OWN: one_of(0, (0,), errno.EPERM),
        Action.OPEN: _open(kind, 1),
        Action.OPENAT: _open(kind, 2),
        Action.PRCTL: one_of(0, PRCTL_ALLOWED, errno.EPERM),
        Action.IOCTL: one_of(1, IOCTL_ALLOWED, errno.ENOTTY),
        Action.FCNTL: one_of(1, FCNTL_TOOL if kind.tool else FCNTL_ALLOWED, errno.EPERM),
        Action.MAP: _map(kind),
        Action.SETRLIMIT: _core_kept(0),
        Action.PRLIMIT: _PRLIMIT,
        Action.CLOCK: (ALLOW,) if kind.processes else _CLOCK,  # children have numbers of their own
        Action.PERSONALITY: one_of(0, PERSONALITY_QUERY, errno.EPERM),
        Action.SOCKETPAIR: _SOCKETPAIR,
        Action.MOUNT: _report(kind),
        Action.SCHEDULER: _SCHEDULER,
    }


def run_program(kind: Kind, on: str) -> Block:
    """The filter of a run on machine `on`."""
    found = blocks(kind)
    table = {number: found[action] for number, action in actions(RUN_ROWS, on).items()}
    return assemble(table, found[Action.NONE], MACHINES[on][1])


class Count(IntEnum):
    """What the listener counts a call as. `enum count` of src/wire.h."""

    #: Nothing: it is refused, and remembered.
    NONE = 0
    #: The name of a file that is not made.
    NAME = 1
    FILE = 2
    TASK = 3
    SHARED = 4
    SIGNAL = 5


#: Of an action: the argument and the bits of it that decide, what a call counts as with any of them, and what without.
_COUNTED = {
    Action.CREATE: (0, 0, Count.FILE, Count.FILE),
    Action.OPEN: (1, CREATING, Count.FILE, Count.NAME),
    Action.OPENAT: (2, CREATING, Count.FILE, Count.NAME),
    Action.CHANGE: (0, 0, Count.NAME, Count.NAME),
    Action.RENAME: (0, 0, Count.NAME, Count.NAME),
    Action.LOOK: (0, 0, Count.NAME, Count.NAME),
    Action.EXECVEAT: (0, 0, Count.NAME, Count.NAME),
    Action.TRUNCATE: (0, 0, Count.NAME, Count.NAME),
    Action.SELF: (0, 0, Count.SIGNAL, Count.SIGNAL),
    Action.PROCESS: (0, 0, Count.TASK, Count.TASK),
    Action.MAP: (0, 0, Count.SHARED, Count.SHARED),
    Action.CLONE: (0, CLONE_NAMESPACES, Count.NONE, Count.TASK),
}


class Listened(NamedTuple):
    """One row of the listener's table. `struct listened` of src/wire.h."""

    call: int
    argument: int
    bits: int
    with_bits: Count
    without: Count


@cache
def list_listened(on: str) -> tuple[Listened, ...]:
    """How the listener counts the calls that reach it. What is not here counts as `Count.NONE`."""
    rows = actions(RUN_ROWS, on).items()
    return tuple(Listened(number, *_COUNTED[action]) for number, action in rows if action in _COUNTED)
