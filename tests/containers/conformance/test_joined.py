"""Two runs joined by the relay, each in a slot of its own: all is carried and counted, and ends come in their order."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from containers import Carried, Outcome, Relay, RunSpec, Sandbox, SandboxError, Side, Termination
from containers.launcher.relay import KEPT_BYTES, Ends
from tests.containers.conformance.conftest import LIMITS, MIB, SECOND

MOST = (64 * MIB, 64 * MIB)
Joined = tuple[Outcome, Outcome, Carried]


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
            relay.ended(side)

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
