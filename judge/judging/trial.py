"""One trial of a program, and the one rule for another one. Every kind of run goes this way.

    past the gate -> run -> classify (IE: an exception) -> may the load have caused the time-out?
        -> once more, alone -> which of the two counts?
    the sandbox failed -> all of it once more, on a fresh slot

Beside other runs a program is stopped at `SLACK` times its CPU limit: other runs may begin at any time, and `doubtful`
needs the CPU time up to there.

Load changes no output. So a second trial counts only if the program did in it what it did in the first one: a program
must not gain from a second try. Of two time-outs the one with less CPU time is shown. If the second trial had no core
either, nothing is known of the program: that is an error of the machine's, not a time-out.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from containers import Outcome, SandboxError, Termination
from judge.common.models import Verdict
from judge.ruling.classify import Allowed, Ruling, classify, doubtful, seconds
from judge.slots.gate import Company
from judge.slots.slot import Slot

_log = logging.getLogger(__name__)

T = TypeVar("T")


class Starved(SandboxError):
    """A run that was alone had no core, because of what others than the judge run: a third one would fare no better."""

    def __init__(self, outcome: Outcome) -> None:
        waited, took = seconds(outcome.usage.waited_ns), seconds(outcome.usage.wall_ns)
        super().__init__(
            f"a run had no core for {waited} of {took}, though it was alone: other programs keep this machine busy; "
            "end some, or judge when they have ended"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One run, and what it comes to."""

    outcome: Outcome
    #: None: a clean exit within the limits.
    ruling: Ruling | None
    #: The load may have caused its time-out.
    doubtful: bool

    @property
    def timed_out(self) -> bool:
        return self.ruling is not None and self.ruling.verdict is Verdict.TLE

    @property
    def starved(self) -> bool:
        """Whether the load caused its time-out, where it ran alone. Several processes can take the core from each
        other, so their waiting is a reason to try again, and no more."""
        return self.doubtful and self.outcome.usage.waited_exact


TrialT = TypeVar("TrialT", bound=Trial)


def classify_run(
    outcome: Outcome, allowed: Allowed, *, out_of_memory: Sequence[str] = (), compiled: bool = True, what: str = "a run"
) -> Ruling | None:
    """As `classify`, whose arguments these are. `what`: for the message of the error.

    Raises:
        SandboxError: our failure.
    """
    ruling = classify(outcome, allowed, out_of_memory=out_of_memory, compiled=compiled)
    if ruling is not None and ruling.verdict is Verdict.IE:
        raise SandboxError(f"{what}: {ruling.detail}")
    return ruling


def is_doubtful(
    outcome: Outcome, ruling: Ruling | None, allowed: Allowed, company: Company, *partners: Outcome
) -> bool:
    """Whether the load may have caused the time-out of a run that was in this company. `partners` ran in the same
    trial."""
    return doubtful(outcome, ruling, allowed, crowded=is_crowded(company, outcome, *partners))


def is_crowded(company: Company, *outcomes: Outcome) -> bool:
    """Whether something else ran beside runs that may be repeated alone."""
    return not company.is_repeat and (company.crowded or any(outcome.disturbed for outcome in outcomes))


def settle(first: TrialT, repeat: Callable[[], TrialT], does_same: Callable[[TrialT], bool]) -> TrialT:
    """The trial that counts. `repeat` runs the program again, alone. `does_same` says whether it did in that trial what
    it did in the first one. Raises as `settle_repeat`."""
    return settle_repeat(first, repeat(), does_same) if first.doubtful else first


def settle_repeat(first: TrialT, second: TrialT, does_same: Callable[[TrialT], bool]) -> TrialT:
    """As `settle`, of a first trial that was in doubt and a second one that was alone.

    Raises:
        Starved: the load may have caused the second time-out, too.
    """
    if second.timed_out and second.starved:
        raise Starved(second.outcome)
    if second.timed_out:
        return min(first, second, key=lambda trial: trial.outcome.usage.cpu_ns)
    return second if does_same(second) else first


def writes_same(first: Outcome, second: Outcome) -> bool:
    """Whether a program wrote to stdout in its second trial what it wrote in the first one."""
    return is_same_output(first, first.stdout, second.stdout)


def is_same_output(first: Outcome, output: bytes, again: bytes) -> bool:
    """Whether `again`, of a second trial, is the `output` of the first one. A program that was stopped at its wall
    limit may not have written all of it."""
    return again.startswith(output) if first.termination is Termination.WALL_LIMIT else again == output


def on_fresh_slot(slot: Slot, run: Callable[[], T], *, again: bool = True) -> T:
    """Run. If the sandbox fails, the slot is made a fresh one, and `run` is called once more where `again` says so. The
    slot's share of the memory is given back.

    Raises:
        SandboxError: the sandbox failed, and on the fresh slot again.
    """
    try:
        return run()
    except Starved:
        raise
    except SandboxError as error:
        slot.renew()
        if not again:
            raise
        _log.warning("the sandbox failed, trying once more on a fresh slot: %s", error)
    finally:
        slot.share.release()
    try:
        return on_fresh_slot(slot, run, again=False)
    except SandboxError as error:
        raise SandboxError(f"the sandbox failed twice: {error}") from error
