"""Turns the ends of several processes and of their manager into a verdict. The first rule that fits counts:

a process had failed before the manager refused or failed -> the verdict of the process that failed first
the manager failed -> IE if it fails on the problem's own accepted submission, too, else WA
the manager refused before all processes had ended -> WA
the processes together used more CPU time than one program may -> TLE
else the manager's word: AC, PC or WA

Processes talk to the manager alone, and nobody learns of an end before it is timed. So what ends later may be a
consequence of what ended before, never its cause.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from judge.common.models import Verdict
from judge.ruling.classify import Ruling
from judge.ruling.interplay import Said, Word, rule


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How one process ended."""

    #: What it did by itself; None: a clean exit, or it was stopped because the verdict stood.
    own: Ruling | None
    ended_ns: int


def rule_all(
    processes: Sequence[End], said: Said | None, *, manager_ns: int, together: Ruling | None, faulty: bool
) -> tuple[Ruling, float | None, int | None]:
    """Verdict and score of one test, and the process that decided them, if it was one.

    `said`: the manager's word; None: it was stopped. `manager_ns`: when it ended. `together`: what all processes did by
    their sum. `faulty`: as for `judge.ruling.interplay.rule`.
    """
    failed = [(end.ended_ns, i, end.own) for i, end in enumerate(processes) if end.own is not None]
    spoke = said is not None and said.word is not Word.ACCEPTED
    if failed:
        ended_ns, who, own = min(failed, key=itemgetter(0, 1))
        if not (spoke and manager_ns <= ended_ns):
            return replace(own, detail=f"process {who}: {own.detail}"), 0.0, who
    if said is None:
        raise ValueError("the manager was stopped, and no process has failed")
    first = manager_ns <= max(end.ended_ns for end in processes)
    ruling, score = rule(together, said, interactor_first=first, faulty=faulty)
    return ruling, score, None


def over_together(cpu_ns: int, allowed_ns: int, count: int) -> Ruling | None:
    """The time limit holds for the sum, as in CMS; what runs can stop at is the limit of each."""
    if cpu_ns <= allowed_ns:
        return None
    used = f"{count} processes used {cpu_ns / 1e9:.3f} s of CPU time together"
    return Ruling(verdict=Verdict.TLE, detail=f"{used}, over the limit of {allowed_ns / 1e9:.3f} s")
