"""Two runs joined by the relay, each in a slot of its own: all is carried and counted, and ends come in their order."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from containers import Carried, Outcome, Relay, RunSpec, Sandbox, SandboxError, Side, Termination
from containers.launcher.binary import relay_binary
from containers.launcher.filters.bpf import ALLOW, RET_KILL, answer, assemble
from containers.launcher.filters.table import MACHINES, machine, numbers
from containers.launcher.relay import KEPT_BYTES, Ends
from tests.containers.conformance.conftest import LIMITS, MIB, SECOND
from tests.processes import children

MOST = (64 * MIB, 64 * MIB)
Joined = tuple[Outcome, Outcome, Carried]
NOBODY = 65534


@pytest.fixture
def relay() -> Iterator[Relay]:
    relay = Relay()
    yield relay
    relay.close()


@pytest.fixture
def join(open_slot: Callable[..., Sandbox], probe_fd: int, relay: Relay) -> Callable[..., Joined]:
    """Runs two probes against each other: join(("name", argument), ("name", argument)) -> their outcomes."""
    slots = open_slot(), open_slot()

    def run(
        *probes: tuple[str, object],
        most: tuple[int, int] = MOST,
        wall_ns: int = 10 * SECOND,
        marks: tuple[int, ...] = (),
    ) -> Joined:
        outcomes: list[Outcome | None] = [None, None]

        def one(side: Side, ends: Ends) -> None:
            name, argument = probes[side]
            spec = RunSpec(
                argv=("probe", name, str(argument)),
                executable=probe_fd,
                stdin=ends.stdin,
                stdout=ends.stdout,
                handed_over=ends.close,
                limits=replace(LIMITS, wall_ns=wall_ns),
            )
            outcomes[side] = slots[side].run(spec)
            relay.end_side(side)

        threads = [
            threading.Thread(target=one, args=(side, ends))
            for side, ends in zip(Side, relay.join(most, marks), strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        first, second = outcomes
        assert first is not None
        assert second is not None
        return first, second, relay.result()

    return run


def test_each_reads_what_the_other_writes(join: Callable[..., Joined]) -> None:
    first, second, carried = join(("print_bytes", 50_000), ("echo", ""))
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert carried.written == (50_000, 50_000)
    assert first.stdout == second.stdout == b""
    assert sum(len(said) for _, said in carried.begin) == KEPT_BYTES
    assert carried.left_out == 100_000 - 2 * KEPT_BYTES


def test_sums_tell_whether_two_conversations_begin_alike(join: Callable[..., Joined], relay: Relay) -> None:
    """Of any length, in whatever parts they came."""
    for count in (0, 1, 8, 70_001):
        first = join(("print_bytes", count), ("echo", ""))[2].speech
        again = join(("print_bytes", 100_000), ("echo", ""), marks=(count, count))[2].speech
        assert [side.total for side in (*first, *again)] == [count, count, 100_000, 100_000]
        assert first[0].count == count
        assert first[0].sum == again[0].marked == again[1].marked
        assert first[0].sum != again[0].sum
    relay.ended_beside()  # too late: nothing is carried
    shorter = join(("print_bytes", 5), ("echo", ""), marks=(6, 5))[2].speech
    assert [side.marked is None for side in shorter] == [True, False]


def test_what_nobody_reads_any_more_is_no_broken_pipe(join: Callable[..., Joined]) -> None:
    first, second, carried = join(("print_bytes", 20 * MIB), ("leave", 0))
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert carried.written == (20 * MIB, 0)


def test_one_conversation_after_another(join: Callable[..., Joined]) -> None:
    for count in (1, 50_000, 3):
        _, _, carried = join(("print_bytes", count), ("echo", ""))
        assert carried.written == (count, count)


def test_an_end_is_known_to_the_other_after_it_was_timed(join: Callable[..., Joined]) -> None:
    for _ in range(20):
        first, second, _ = join(("leave", 0), ("echo", ""))
        assert 0 < first.usage.ended_ns < second.usage.ended_ns
        first, second, _ = join(("echo", ""), ("leave", 0))
        assert first.usage.ended_ns > second.usage.ended_ns > 0


def test_who_writes_too_much_is_cut_off(join: Callable[..., Joined]) -> None:
    first, second, carried = join(("print_bytes", 20 * MIB), ("leave", 0), most=(MIB, MIB))
    assert carried.written[Side.PROGRAM] > MIB
    assert carried.written[Side.PROGRAM] <= MIB + (64 << 10)
    assert first.termination is not Termination.EXITED or first.exit_code != 0
    assert second.exit_code == 0


def test_both_wait(join: Callable[..., Joined]) -> None:
    first, second, carried = join(("echo", ""), ("echo", ""), wall_ns=SECOND)
    assert Termination.WALL_LIMIT in (first.termination, second.termination)
    assert (carried.written, carried.unread, carried.begin) == ((0, 0), (0, 0), ())


def test_a_relay_that_is_gone_is_a_failure_of_ours(relay: Relay) -> None:
    ends = relay.join(MOST)
    relay._socket.send(b"no message")
    for one in ends:
        one.close()
    with pytest.raises(SandboxError, match="the relay is gone"):
        relay.result()


def test_a_relay_leaves_nothing_open() -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        relay = Relay()
        for one in relay.join(MOST):
            one.close()
            one.close()
        relay.close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def relay_process(has: set[int]) -> dict[str, str]:
    """/proc/<pid>/status of the relay that was started since, once it has a filter more than we, or after 20 s."""
    (found,) = (pid for pid in children(os.getpid()) if pid not in has)
    ours, deadline = filters(status_of(os.getpid())), time.monotonic() + 20
    while filters(status := status_of(found)) == ours and time.monotonic() < deadline:
        time.sleep(0.01)
    return status


def status_of(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def filters(status: dict[str, str]) -> int:
    return int(status["Seccomp_filters"])


def test_the_relay_has_no_powers() -> None:
    """It is nobody, and a filter of its own leaves it the calls on descriptors that it is handed."""
    before = set(children(os.getpid()))
    relay = Relay()
    try:
        status = relay_process(before)
    finally:
        relay.close()
    root = os.geteuid() == 0
    assert status["Name"] == "judge-relay"
    assert set(status["Uid"].split()) == {str(NOBODY if root else os.geteuid())}
    assert set(status["Gid"].split()) == {str(NOBODY if root else os.getegid())}
    assert not root or status["Groups"].strip() == ""
    assert not root or int(status["CapPrm"], 16) == int(status["CapEff"], 16) == 0
    assert filters(status) == filters(status_of(os.getpid())) + 1
    assert (status["Seccomp"], status["NoNewPrivs"]) == ("2", "1")


@pytest.mark.parametrize("program", [b"", b"x", b"\0" * 16], ids=["none", "cut", "no program"])
def test_a_relay_without_its_filter_carries_nothing(program: bytes) -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        number = theirs.fileno()
        process = subprocess.Popen((relay_binary(), str(number)), pass_fds=(number,))
        ours.send(program) if program else ours.shutdown(socket.SHUT_WR)
        assert process.wait(20) == 1


def test_a_relay_that_calls_anything_else_is_killed() -> None:
    """One whose filter lets it read its first conversation and no more; the control is each other test here."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    calls = {number: (ALLOW,) for name, number in numbers(machine()).items() if name == "recvmsg"}
    program = assemble(calls, (answer(RET_KILL),), MACHINES[machine()][1])
    with ours, theirs:
        number = theirs.fileno()
        process = subprocess.Popen((relay_binary(), str(number)), pass_fds=(number,))
        ours.send(b"".join(instruction.pack() for instruction in program))
        ours.send(b"no conversation")
        assert process.wait(20) == -signal.SIGSYS
