"""The seccomp programs that the driver makes, carried out by an interpreter: no kernel is asked, so each machine's are
tried on any."""

from __future__ import annotations

import errno
import itertools
import shutil
import struct
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest

from containers.errors import Unavailable
from containers.launcher import wire
from containers.launcher.filters import apart, helper, relay, run, table
from containers.launcher.filters.bpf import ALLOW, NOTIFY, RET_TRACE, Block, Instruction, answer, assemble, fail
from containers.launcher.filters.run import Count, Kind, list_listened, run_program
from containers.launcher.filters.table import MACHINES, RUN_ROWS, Action, read_rows
from containers.launcher.filters.uses import uses
from containers.launcher.landlock import NONE, make_ruleset
from containers.launcher.walls import find_kind, walls_message
from containers.launcher.wire import Layer, SetupFd, Standing

OWN = 4711
SECRET = 0x1234_5678_9ABC_DEF0
ALL_ONES = 2**64 - 1
#: The kernel's, linux/filter.h and linux/bpf_common.h.
MOST_INSTRUCTIONS = 4096
#: Runs as each tier has them, and each kind of run there.
FULL = Kind(notify=True, truncates=True)
USERNS = replace(FULL, shared=True)
RESTRICTED = replace(USERNS, files=True, threads=True, signals=True)
VETTED = replace(RESTRICTED, vetted=True, secret=SECRET)
OPEN = replace(RESTRICTED, open=True, truncates=False)
DEAF = Kind(truncates=True)  # no listener: nsjail or Docker on an old kernel
TIERS = {"full": FULL, "userns": USERNS, "restricted": RESTRICTED, "vetted": VETTED, "open": OPEN, "deaf": DEAF}
RUNS = {
    "threads": {},
    "processes": {"processes": True},
    "modes": {"processes": True, "modes": True},
    "tool": {"processes": True, "modes": True, "tool": True},
}
KINDS = [
    pytest.param(on, replace(kind, **more), id=f"{on}-{tier}-{name}")
    for on in MACHINES
    for tier, kind in TIERS.items()
    for name, more in RUNS.items()
]


def carry_out(program: Block, call: int, arguments: Sequence[int] = (), *, on: str) -> int:
    """What the kernel answers: the instructions of seccomp(2), one after the other."""
    given = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<IIQ6Q", call, MACHINES[on][1], 0, *given)
    word = at = 0
    while True:
        code, yes, no, value, own = program[at]
        value = OWN if own else value
        at += 1
        match code:
            case 0x20:  # BPF_LD | BPF_W | BPF_ABS
                assert value % 4 == 0
                (word,) = struct.unpack_from("<I", data, value)
            case 0x54:  # BPF_ALU | BPF_AND | BPF_K
                word &= value
            case 0xA4:  # BPF_XOR
                word ^= value
            case 0x74:  # BPF_RSH
                word >>= value
            case 0x05:  # BPF_JMP | BPF_JA
                at += value
            case 0x15:  # BPF_JEQ
                at += yes if word == value else no
            case 0x35:  # BPF_JGE
                at += yes if word >= value else no
            case 0x45:  # BPF_JSET
                at += yes if word & value else no
            case 0x06:  # BPF_RET
                return value
            case _:
                raise AssertionError(f"unknown instruction {code:#x}")


def name_answer(number: int) -> str:
    """An answer in words."""
    if number & 0xFFFF0000 == 0x00050000:
        return errno.errorcode.get(number & 0xFFFF, "unknown") if number & 0xFFFF else "done"  # ENOTSUP: EOPNOTSUPP
    return {0x7FFF0000: "allow", 0x7FC00000: "notify", 0x7FF00000: "refused", 0x80000000: "killed"}[number]


def allow_or_notify(listener: bool) -> str:
    return "notify" if listener else "allow"


# What the table means, said a second time and without instructions: of a kind of run, and of six arguments.
Rule = Callable[[Kind, Sequence[int]], str]


def _open(flags: int) -> Rule:
    def rule(kind: Kind, arguments: Sequence[int]) -> str:
        how = arguments[flags] & 0xFFFFFFFF
        if how & 3 == 3 or (how & 3 == 0 and how & 0o1000):
            return "EACCES"
        return allow_or_notify(kind.vetted or (kind.files and how & (0o100 | 0o20000000) != 0))

    return rule


def _clone(kind: Kind, arguments: Sequence[int]) -> str:
    flags = arguments[0] & 0xFFFFFFFF
    if any(flags & bit for bit in (0x80, 1 << 17, 1 << 25, 1 << 26, 1 << 27, 1 << 28, 1 << 29, 1 << 30)):
        return "notify" if kind.notify else "EPERM"
    shares = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000
    may = 0xFF | 0x40000 | 0x80000 | 0x100000 | 0x200000 | 0x400000 | 0x1000000
    if not kind.processes and (flags & shares != shares or flags & ~(shares | may)):
        return "EPERM"
    return allow_or_notify(kind.threads)


def _execveat(kind: Kind, arguments: Sequence[int]) -> str:
    return allow_or_notify(kind.vetted and arguments[5] != kind.secret)


def _prlimit(kind: Kind, arguments: Sequence[int]) -> str:
    if arguments[0] & 0xFFFFFFFF:
        return "EPERM"
    return "done" if arguments[2] and arguments[1] & 0xFFFFFFFF == 4 else "allow"


def _clock(kind: Kind, arguments: Sequence[int]) -> str:
    clock = struct.unpack("<i", struct.pack("<I", arguments[0] & 0xFFFFFFFF))[0]
    if kind.processes or clock >= 0 or clock & 4 or ~(clock >> 3) in (0, OWN):
        return "allow"
    return "EINVAL"


def _signal(kind: Kind, arguments: Sequence[int]) -> str:
    to = arguments[0] & 0xFFFFFFFF
    if not kind.processes:
        return "allow" if to == OWN else "EPERM"
    return "notify" if kind.signals else "EPERM" if to == 1 else "allow"


def _map(kind: Kind, arguments: Sequence[int]) -> str:
    if arguments[3] & 0x40000:
        return "ENOMEM"
    return allow_or_notify(kind.shared and not kind.tool and arguments[3] & 1 != 0)


def _socketpair(kind: Kind, arguments: Sequence[int]) -> str:
    family, how = arguments[0] & 0xFFFFFFFF, arguments[1] & 0xFFFFFFFF
    return "allow" if family == 1 and how & ~(0o2000000 | 0o4000) == 1 else "EPERM"


def _rename(kind: Kind, arguments: Sequence[int]) -> str:
    return "EPERM" if arguments[4] & 0xFFFFFFFC else allow_or_notify(kind.vetted)


def _metadata(kind: Kind, allowed: bool) -> str:
    return "allow" if allowed and not kind.open else "done" if kind.processes else "EPERM"


def _known(argument: int, values: Callable[[Kind], Sequence[int]], otherwise: str) -> Rule:
    return lambda kind, arguments: "allow" if arguments[argument] & 0xFFFFFFFF in values(kind) else otherwise


LOCKS = (5, 6, 7)
DESCRIPTORS = (0, 1, 2, 3, 4, 1030, 1032)
RULES: dict[Action, Rule] = {
    Action.NONE: lambda kind, _: "ENOSYS",
    Action.ALLOW: lambda kind, _: "allow",
    Action.REFUSE: lambda kind, _: "EPERM",
    Action.REPORT: lambda kind, _: "notify" if kind.notify else "EPERM",
    Action.PROCESS: lambda kind, _: allow_or_notify(kind.threads) if kind.processes else "EPERM",
    Action.BUILD: lambda kind, _: _metadata(kind, kind.tool),
    Action.MODE: lambda kind, _: _metadata(kind, kind.tool or kind.modes),
    Action.CREATE: lambda kind, _: allow_or_notify(kind.files),
    Action.CHANGE: lambda kind, _: allow_or_notify(kind.vetted),
    Action.LOOK: lambda kind, _: allow_or_notify(kind.vetted),
    Action.ALLOCATE: lambda kind, _: "ENOTSUP" if kind.files else "allow",
    Action.TRUNCATE: lambda kind, _: allow_or_notify(kind.vetted) if kind.truncates else "EACCES",
    Action.SELF: _signal,
    Action.LACKING: lambda kind, _: "ENOTSUP",
    Action.UNFIT: lambda kind, _: "EINVAL",
    Action.CLONE: _clone,
    Action.CLOSE_RANGE: _known(2, lambda _: (0, 4), "EPERM"),
    Action.EXECVEAT: _execveat,
    Action.RENAME: _rename,
    Action.OWN: _known(0, lambda _: (0,), "EPERM"),
    Action.OPEN: _open(1),
    Action.OPENAT: _open(2),
    Action.PRCTL: _known(0, lambda _: (2, 3, 15, 16, 23, 30, 38, 39, 0x53564D41), "EPERM"),
    Action.IOCTL: _known(1, lambda _: (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451), "ENOTTY"),
    Action.FCNTL: _known(1, lambda kind: DESCRIPTORS + (LOCKS if kind.tool else ()), "EPERM"),
    Action.MAP: _map,
    Action.SETRLIMIT: lambda kind, arguments: "done" if arguments[0] & 0xFFFFFFFF == 4 else "allow",
    Action.PRLIMIT: _prlimit,
    Action.CLOCK: _clock,
    Action.PERSONALITY: _known(0, lambda _: (0, 0xFFFFFFFF), "EPERM"),
    Action.SOCKETPAIR: _socketpair,
    Action.MOUNT: lambda kind, _: "notify" if kind.notify else "EPERM",
    Action.SCHEDULER: lambda kind, arguments: "EPERM" if arguments[1] & 0xFFFFFFFF else "done",
}
#: Arguments that tell blocks apart. Each is tried in each place, with the other arguments 0 and all ones.
VALUES = sorted(
    {value + step for value in (0, 1, 4, 8, 16, 32, 40, 64, OWN, SECRET, 1 << 31, 1 << 32) for step in (-1, 0, 1)}
    | {1 << bit for bit in range(33)}
    | {0x10F00, 0x3D0F00, 0x3D0F11, 0x10F00 | 1 << 28, 1030, 1032, 0o1101, 0o20200000, 0o2000001, 0x53564D41, 0x541B}
    | {~(OWN << 3) & 0xFFFFFFFF, ~(OWN + 1 << 3) & 0xFFFFFFFF, 0xFFFFFFFA, 0xFFFFFFFE, ALL_ONES}
)


def argument_lists() -> Iterator[list[int]]:
    for value, place, other in itertools.product(VALUES, range(6), (0, ALL_ONES)):
        if value >= 0:
            yield [value if i == place else other for i in range(6)]
    yield [0, 4, 1, 0, 0, 0]  # prlimit: of core dumps
    yield [0, 4, 1 << 32, 0, 0, 0]
    yield [1, 1 | 0o2004000, 0, 0, 0, 0]  # socketpair
    yield [1, 2, 0, 0, 0, 0]


def rows(on: str) -> dict[int, Action]:
    return dict(read_rows(RUN_ROWS, on).values())


@pytest.mark.parametrize(("on", "kind"), KINDS)
def test_every_call_gets_what_the_table_says(on: str, kind: Kind) -> None:
    """All numbers that a table could have, and those of x32 and beyond, with arguments of 0 and of ones."""
    program, known = run_program(kind, on), rows(on)
    numbers = [*range(1024), 1 << 30, 1 << 30 | 1, (1 << 30) + 59, (1 << 31) - 1, (1 << 32) - 1]
    for number, value in itertools.product(numbers, (0, ALL_ONES)):
        arguments = [value] * 6
        wanted = RULES[known.get(number, Action.NONE)](kind, arguments)
        assert name_answer(carry_out(program, number, arguments, on=on)) == wanted, number


@pytest.mark.parametrize(("on", "kind"), KINDS)
def test_arguments_decide_as_the_table_says(on: str, kind: Kind) -> None:
    """One call of each action."""
    program, calls = run_program(kind, on), {action: number for number, action in rows(on).items()}
    for action, number in calls.items():
        for arguments in argument_lists():
            wanted = RULES[action](kind, arguments)
            assert name_answer(carry_out(program, number, arguments, on=on)) == wanted, (action, arguments)


@pytest.mark.parametrize("on", MACHINES)
def test_another_instruction_set_knows_no_call(on: str) -> None:
    (other,) = set(MACHINES) - {on}
    for program in (run_program(FULL, on), helper.helper_program(True, on)):
        assert {name_answer(carry_out(program, number, on=other)) for number in range(512)} == {"ENOSYS"}


@pytest.mark.parametrize("on", MACHINES)
@pytest.mark.parametrize("mounts", [True, False])
def test_helpers_may_call_what_runs_may_and_their_own(on: str, mounts: bool) -> None:
    program = helper.helper_program(mounts, on)
    of_runs, own = (read_rows(text, on) for text in (RUN_ROWS, table.HELPER_ROWS))
    refusing = (Action.REFUSE, Action.REPORT, Action.LACKING, Action.UNFIT)
    known = {number for number, action in of_runs.values() if action not in refusing}
    known |= {number for number, action in own.values() if action is Action.ALLOW}
    for number in range(1024):
        if number not in (of_runs["clone"][0], own["mount"][0]):
            wanted = "allow" if number in known else "refused"
            assert name_answer(carry_out(program, number, [ALL_ONES] * 6, on=on)) == wanted, number
    stub = 0x20000000 | 0x20000 | 0x8000000
    for flags, allowed in ((0x10F00, True), (stub | 0x100 | 17, mounts), (0x10000000, False), (0x40000000, False)):
        wanted = "allow" if allowed else "refused"
        assert name_answer(carry_out(program, of_runs["clone"][0], [flags], on=on)) == wanted, hex(flags)
    for flags, allowed in ((6, mounts), (6 | 32 | 1 | 8, mounts), (6 | 4096, False), (2, False), (4, False)):
        wanted = "allow" if allowed else "refused"
        assert name_answer(carry_out(program, own["mount"][0], [0, 0, 0, flags], on=on)) == wanted, flags


@pytest.mark.parametrize("on", MACHINES)
@pytest.mark.parametrize("threaded", [False, True])
def test_siblings_have_no_futex_and_no_pipe_between_them(on: str, threaded: bool) -> None:
    program, number = apart.apart_program(threaded, on), table.numbers(on)

    def answered(call: str, *arguments: int) -> str:
        return name_answer(carry_out(program, number[call], arguments, on=on))

    for command, wanted in {0: "EAGAIN", 9: "EAGAIN", 1: "done", 10: "done", 3: "ENOSYS", 6: "ENOSYS"}.items():
        shared = "allow" if threaded and wanted == "EAGAIN" else wanted
        assert answered("futex", 0, command | 128) == "allow"
        assert answered("futex", 0, command) == answered("futex", 0, command | 256) == shared
    pipes = {"pipe2", "socketpair", *({"pipe"} & set(number))}
    assert {answered(call) for call in pipes} == {"allow" if threaded else "EMFILE"}
    assert {answered(call) for call in set(number) - pipes - {"futex"}} == {"allow"}


@pytest.mark.parametrize("on", MACHINES)
def test_the_relay_may_use_descriptors_and_nothing_else(on: str) -> None:
    program, known = relay.relay_program(on), read_rows(table.RELAY_ROWS, on)
    allowed = {number for number, _ in known.values()}
    for number in range(1024):
        wanted = "allow" if number in allowed else "killed"
        assert name_answer(carry_out(program, number, [ALL_ONES] * 6, on=on)) == wanted, number
    opening = {"openat", "execve", "socket", "mmap", "kill", "clone", "prctl", "ptrace", "setresuid", "pipe2"}
    assert not opening & set(known)


@pytest.mark.parametrize(("on", "kind"), KINDS)
def test_the_kernel_would_take_each_program(on: str, kind: Kind) -> None:
    """As its check does: jumps lead forward and stay inside, the end is an answer; and nothing is out of reach."""
    programs = (
        run_program(kind, on),
        helper.helper_program(kind.files, on),
        apart.apart_program(kind.tool, on),
        relay.relay_program(on),
    )
    for program in programs:
        assert 0 < len(program) <= MOST_INSTRUCTIONS
        assert sum(instruction.own for instruction in program) <= wire.OWN_MAX
        reached = {0}
        for at, (code, yes, no, value, _) in enumerate(program):
            assert at in reached, at
            assert 0 <= yes <= 255
            assert 0 <= no <= 255
            assert 0 <= value < 1 << 32
            if code == 0x06:
                continue
            reached |= {at + 1 + value} if code == 0x05 else {at + 1 + yes, at + 1 + no}
        assert max(reached) < len(program)


def test_a_block_is_what_every_number_of_its_range_gets() -> None:
    """The assembler, where blocks are long and many: jumps must go further than a conditional one reaches."""
    filler = tuple(Instruction(0x54, 0, 0, 0xFFFFFFFF) for _ in range(90))
    blocks = {number: (*filler, fail(number)) for number in range(1, 40, 3)}
    program = assemble(blocks, (ALLOW,), MACHINES["x86_64"][1])
    assert any(instruction.code == 0x05 for instruction in program)
    for number in range(70):
        wanted = errno.errorcode[number] if number in blocks else "allow"
        assert name_answer(carry_out(program, number, on="x86_64")) == wanted


@pytest.mark.parametrize("on", MACHINES)
def test_what_reaches_the_listener_is_counted(on: str) -> None:
    """Whatever a filter leaves to the listener for another reason than to be refused has a row there."""
    known, found = rows(on), {row.call: row for row in list_listened(on)}
    for call, action in known.items():
        reaches = any(
            name_answer(carry_out(run_program(kind, on), call, [1 if action is Action.MAP else 0] * 6, on=on))
            == "notify"
            for kind in (VETTED, replace(VETTED, processes=True))
        )
        assert (call in found) >= (reaches and action is not Action.REPORT), (call, action)
    assert not [call for call in found if known[call] is Action.REPORT]
    name = {name: number for name, (number, _) in read_rows(RUN_ROWS, on).items()}
    opens, clones = found[name["openat"]], found[name["clone"]]
    assert (opens.argument, opens.bits, opens.with_bits, opens.without) == (2, 0o20000100, Count.FILE, Count.NAME)
    assert (clones.argument, clones.with_bits, clones.without) == (0, Count.NONE, Count.TASK)
    assert len(found) <= 64


@pytest.mark.parametrize("on", MACHINES)
def test_each_call_that_names_a_file_is_looked_at(on: str) -> None:
    """Where paths are vetted, a call that counts as a name has a row that says where its names are; execveat has none:
    it may name what is open, and is refused."""
    name = {number: name for name, number in table.numbers(on).items()}
    counted_names = {row.call for row in list_listened(on) if Count.NAME in (row.with_bits, row.without)}
    made = {number for number, action in rows(on).items() if action is Action.CREATE}
    assert {use.call for use in uses(on)} == (counted_names | made) - {table.numbers(on)["execveat"]}
    two = {name[use.call] for use in uses(on) if sum(other.call == use.call for other in uses(on)) == 2}
    assert two == {"renameat", "renameat2", "linkat", "rename", "link"} & set(name.values())
    assert len(uses(on)) <= 64


STANDING = Standing(Layer.MOUNT | Layer.UID | Layer.CGROUP | Layer.NOTIFY, 7, True)


@pytest.mark.parametrize(
    ("standing", "cgroup", "wanted"),
    [
        (STANDING, SetupFd.CGROUP_PIDS, FULL),
        (replace(STANDING, layers=Layer.MOUNT | Layer.USER | Layer.NOTIFY), SetupFd(0), USERNS),
        (Standing(Layer.UID | Layer.NOTIFY | Layer.LANDLOCK, 7, False), SetupFd(0), RESTRICTED),
        (Standing(Layer.UID | Layer.NOTIFY | Layer.VETTED, 0, False), SetupFd(0), VETTED),
        (Standing(Layer.NOTIFY | Layer.LANDLOCK, 2, False), SetupFd(0), OPEN),
        (Standing(Layer.MOUNT | Layer.UID | Layer.CGROUP, 1, True), SetupFd.CGROUP_PIDS, DEAF),
    ],
    ids=TIERS,
)
def test_what_stands_says_which_filters_there_are(standing: Standing, cgroup: SetupFd, wanted: Kind) -> None:
    ruleset = make_ruleset(standing.landlock_abi, [], mounts=Layer.MOUNT in standing.layers)
    assert find_kind(standing, cgroup, ruleset, SECRET) == wanted


def test_each_slot_has_a_secret_of_its_own() -> None:
    vetted = Standing(Layer.UID | Layer.NOTIFY | Layer.VETTED, 0, False)
    heads = [wire.WALLS.unpack(walls_message(vetted, SetupFd(0), NONE)[: wire.WALLS.size]) for _ in range(2)]
    assert heads[0]["secret"] != heads[1]["secret"]
    assert all(len(walls_message(kind, SetupFd(0), NONE)) < wire.MESSAGE_MAX for kind in (vetted, STANDING))


def test_a_machine_without_a_column_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(Unavailable, match="x86_64 and aarch64, not for riscv64"):
        table.machine.__wrapped__()


def test_each_action_has_a_block_and_a_meaning() -> None:
    assert set(run.blocks(FULL)) == set(RULES) == set(Action)
    assert answer(RET_TRACE) not in {
        instruction for kind in TIERS.values() for instruction in run_program(kind, "x86_64")
    }
    assert NOTIFY not in run_program(DEAF, "x86_64")


HEADERS = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>
"""
CONSTANTS = {
    "O_CREAT | (O_TMPFILE & ~O_DIRECTORY)": run.CREATING,
    "O_ACCMODE | O_TRUNC": run.O_ACCMODE | run.O_TRUNC,
    "CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD": run.THREAD_SHARES,
    "CSIGNAL | CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID | "
    "CLONE_DETACHED": run.THREAD_MAY,
    "CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | "
    "0x80": run.CLONE_NAMESPACES,
    "CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC": helper._CLONE_NEWPID | helper._CLONE_NEWNS | helper._CLONE_NEWIPC,
    "MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_REMOUNT": 47,
    "MAP_SHARED": run.MAP_SHARED,
    "MAP_HUGETLB": run.MAP_HUGETLB,
    "RENAME_NOREPLACE | RENAME_EXCHANGE": run.RENAME_NOREPLACE | run.RENAME_EXCHANGE,
    "AF_UNIX": run.AF_UNIX,
    "SOCK_STREAM": run.SOCK_STREAM,
    "SOCK_CLOEXEC | SOCK_NONBLOCK": run.SOCK_CLOEXEC | run.SOCK_NONBLOCK,
    "SCHED_OTHER": run.SCHED_OTHER,
    "RLIMIT_CORE": run.RLIMIT_CORE,
    "CLOSE_RANGE_CLOEXEC": run.CLOSE_RANGE_ALLOWED[1],
    "FUTEX_PRIVATE_FLAG": apart._PRIVATE,
    "FUTEX_CMD_MASK": apart._COMMAND,
    "FUTEX_WAIT": apart._WAIT,
    "FUTEX_WAKE": apart._WAKE,
    "FUTEX_WAIT_BITSET": apart._WAIT_BITSET,
    "FUTEX_WAKE_BITSET": apart._WAKE_BITSET,
}
LISTS = {
    run.PRCTL_ALLOWED: "PR_SET_NAME PR_GET_NAME PR_GET_DUMPABLE PR_CAPBSET_READ PR_GET_NO_NEW_PRIVS "
    "PR_SET_NO_NEW_PRIVS PR_GET_TIMERSLACK PR_GET_PDEATHSIG 0x53564d41",
    run.IOCTL_ALLOWED: "TCGETS FIONREAD FIOCLEX FIONCLEX FIONBIO TIOCGWINSZ",
    run.FCNTL_TOOL: "F_DUPFD F_DUPFD_CLOEXEC F_GETFD F_SETFD F_GETFL F_SETFL 1032 F_GETLK F_SETLK F_SETLKW",
}


@pytest.mark.parametrize(("on", "compiler"), [("x86_64", "gcc"), ("aarch64", "aarch64-linux-gnu-gcc")])
def test_numbers_are_those_of_the_headers(on: str, compiler: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} here: apt-get install gcc-{compiler.removesuffix('-gcc')}")
    stated = CONSTANTS | {f"AUDIT_ARCH_{on.upper()}": MACHINES[on][1]}
    for values, names in LISTS.items():
        stated |= dict(zip(names.split(), values, strict=True))
    stated |= {f"SYS_{name}": number for name, number in table.numbers(on).items()}
    checks = [
        f'_Static_assert((long)({name}) == {value}L, "{name.replace(chr(34), "")}");' for name, value in stated.items()
    ]
    both = {name for each in MACHINES for name in table.numbers(each)}
    checks += [f"#ifdef SYS_{name}\n#error {name}\n#endif" for name in sorted(both - set(table.numbers(on)) - MISSING)]
    subprocess.run(
        (compiler, "-x", "c", "-fsyntax-only", "-"), input="\n".join((HEADERS, *checks, "")), text=True, check=True
    )


#: Calls that both machines have, and that the table has for one: on the other they are ENOSYS.
MISSING = {"kexec_file_load", "sync_file_range"}
