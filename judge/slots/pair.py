"""Runs a submission and an interactor at once, in the two sandboxes of one slot, each reading what the other writes.

A pair passes the gate once, as one run: most of the time one waits for the other. Both sandboxes are the slot's own, so
no pair ever waits for a sandbox that another pair holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

from containers import Carried, Outcome, Relay, RunSpec, Sandbox, Side, Termination
from containers.launcher.relay import Ends
from judge.common.errors import Cancelled

_STOP_S = 0.02


class Opened(Protocol):
    def open(self) -> Sandbox: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One conversation, and how both runs ended. What each wrote to the other is in `carried` alone."""

    program: Outcome
    interactor: Outcome
    carried: Carried

    @property
    def interactor_first(self) -> bool:
        """Whether the interactor ended before the program, by the launchers' clock; also at the same moment."""
        return self.interactor.usage.ended_ns <= self.program.usage.ended_ns


class Pair:
    """Runs pairs. Not thread-safe; the sandboxes' `stop` ends a pair, too."""

    def __init__(self, program: Opened, interactor: Opened) -> None:
        self._sandboxes = program, interactor
        self._relay: Relay | None = None
        self._thread: ThreadPoolExecutor | None = None

    def run(
        self,
        program: RunSpec,
        interactor: RunSpec,
        refused: Callable[[Outcome], bool],
        *,
        one_way: bool = False,
        marks: Sequence[int] = (),
    ) -> Talk:
        """Run both to their ends, with stdin and stdout joined. Once the interactor has `refused`, the program is
        stopped: `Termination.CANCELLED` is then its end. `one_way`: the program reads its own stdin, and
        `Talk.interactor` has what the interactor writes. `marks`: as for `Relay.join`.

        Raises:
            SandboxError: one of the sandboxes failed, or the relay; close this object and both sandboxes.
            Unsupported: a sandbox cannot honour one of the two.
            Cancelled: a run was stopped from outside.
        """
        try:
            return self._run(program, interactor, refused, one_way=one_way, marks=marks)
        except BaseException:
            self.close()  # the relay has something to say that nobody has read: the next pair would take it for its own
            raise

    def _run(
        self,
        program: RunSpec,
        interactor: RunSpec,
        refused: Callable[[Outcome], bool],
        *,
        one_way: bool,
        marks: Sequence[int],
    ) -> Talk:
        own, other = (one.open() for one in self._sandboxes)
        if self._relay is None:
            self._relay = Relay()
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="interactor")
        relay = self._relay
        ends, their_ends = relay.join((program.limits.output_bytes, interactor.limits.output_bytes), marks)
        first = replace(program, stdout=ends.stdout, stdin=program.stdin if one_way else ends.stdin)
        second = replace(interactor, stdin=their_ends.stdin, stdout=None if one_way else their_ends.stdout)
        beside = self._thread.submit(_interact, relay, other, own, second, their_ends, refused)
        try:
            outcome = _side(relay, own, first, ends, Side.PROGRAM)
        except BaseException:
            _end(other, beside)
            raise
        end = beside.result()
        if Termination.CANCELLED in (end.termination, outcome.termination) and not refused(end):
            raise Cancelled
        return Talk(program=outcome, interactor=end, carried=relay.result())

    def close(self) -> None:
        """End the relay. Idempotent; the next pair starts a new one."""
        relay, self._relay = self._relay, None
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.shutdown()
        if relay is not None:
            relay.close()


def _side(relay: Relay, sandbox: Sandbox, spec: RunSpec, ends: Ends, side: Side) -> Outcome:
    try:
        return sandbox.run(replace(spec, handed_over=ends.close))
    finally:
        ends.close()
        relay.end_side(side)


def _interact(
    relay: Relay, sandbox: Sandbox, program: Sandbox, spec: RunSpec, ends: Ends, refused: Callable[[Outcome], bool]
) -> Outcome:
    """The interactor's run, in a thread of its own."""
    try:
        outcome = _side(relay, sandbox, spec, ends, Side.INTERACTOR)
    except BaseException:
        program.stop()
        raise
    if refused(outcome):
        program.stop()
    return outcome


def _end(sandbox: Sandbox, running: Future[Outcome]) -> None:
    """Stop a run and wait for its end, whatever that is. A stop that comes just before the run begins is lost."""
    while not running.done():
        sandbox.stop()
        with suppress(NotYet):
            running.exception(_STOP_S)
