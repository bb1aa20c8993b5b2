"""A conversation that took too long because one side had no core."""

from __future__ import annotations

import pytest

from containers import Carried, Isolation, Outcome, Speech, Termination, Usage
from judge.judging.interactive import waited_for
from judge.ruling.classify import Allowed
from judge.slots.pair import Talk


@pytest.mark.parametrize("relay_waits", [False, True])
@pytest.mark.parametrize(
    ("end", "waited_s", "cpu_s", "expected"),
    [
        (Termination.WALL_LIMIT, 0.0, 0.0, False),
        (Termination.WALL_LIMIT, 0.2, 0.0, False),
        (Termination.WALL_LIMIT, 0.4, 0.0, True),
        (Termination.WALL_LIMIT, 0.8, 0.7, False),  # its own threads may have been on that core
        (Termination.WALL_LIMIT, 1.1, 0.7, True),
        (Termination.EXITED, 2.0, 0.0, False),
        (Termination.CPU_LIMIT, 2.0, 0.0, False),
    ],
)
def test_a_time_out_is_in_doubt_if_the_interactor_or_the_relay_had_no_core(
    end: Termination, waited_s: float, cpu_s: float, expected: bool, relay_waits: bool
) -> None:
    """A program that waits for its interactor waits for a core as well, and its own waiting does not show it."""

    def outcome(termination: Termination, waited_ns: int) -> Outcome:
        usage = Usage(cpu_ns=0, wall_ns=3 * 10**9, memory_bytes=0, waited_ns=waited_ns)
        walls = Isolation(backend="native", tier="full")
        return Outcome(termination=termination, exit_code=None, signal=None, usage=usage, isolation=walls)

    silence = Speech(count=0, sum=b"", cut=False, total=0, marked=None)
    waited_ns = int(waited_s * 10**9)
    carried = Carried(
        written=(0, 0),
        unread=(0, 0),
        begin=(),
        end=(),
        left_out=0,
        speech=(silence, silence),
        waited_ns=waited_ns if relay_waits else 0,
    )
    beside = outcome(Termination.EXITED, 0 if relay_waits else waited_ns)
    talk = Talk(program=outcome(end, 0), interactor=beside, carried=carried)
    allowed = Allowed(cpu_ns=10**9, wall_ns=3 * 10**9, memory_bytes=1, output_bytes=1)
    assert waited_for(talk, allowed, int(cpu_s * 10**9)) is expected
