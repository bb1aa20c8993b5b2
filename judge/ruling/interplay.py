"""Turns the facts of a conversation into a verdict: who ended how, and who first. The first rule that fits counts:

the interactor refused before the program ended -> WA
the interactor failed -> IE if it fails on the problem's own accepted submission, too, else WA
the program was stopped for a limit, or failed -> its own verdict (judge.ruling.classify)
else the interactor's word: AC, PC or WA
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from judge.common.models import Verdict
from judge.ruling.classify import Ruling


class Word(StrEnum):
    ACCEPTED = "accepted"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What an interactor, or the checker of a multi-pass problem, said of a program."""

    word: Word
    #: In [0, 1]; 0 unless accepted.
    score: float = 0.0
    #: As `Checked.points`.
    points: float | None = None
    #: As `Checked.raw_score`.
    raw_score: float | None = None
    detail: str = ""
    #: The input of another pass, which it asks for; only if accepted.
    next_input: bytes | None = None
    #: The other files that it left in its directory, for the next pass.
    files: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))


def rule(program: Ruling | None, said: Said, *, interactor_first: bool, faulty: bool) -> tuple[Ruling, float | None]:
    """Verdict and score of one test.

    `program`: what `classify` says of it; None: a clean exit. `interactor_first`: it ended no later than the program.
    `faulty`: it fails on the problem's own accepted submission, too; asked for only if it failed.
    """
    if said.word is Word.REFUSED and interactor_first:
        return Ruling(verdict=Verdict.WA, detail=said.detail), 0.0
    if said.word is Word.FAILED:
        verdict = Verdict.IE if faulty else Verdict.WA
        where = "on the problem's own accepted submission, too" if faulty else "with this program"
        return Ruling(verdict=verdict, detail=f"{where}: {said.detail}"), None if faulty else 0.0
    if program is not None:
        return program, 0.0
    worthless = said.score <= 0 and said.points is None and said.raw_score is None
    if said.word is Word.REFUSED or worthless:
        return Ruling(verdict=Verdict.WA, detail=said.detail), 0.0
    verdict = Verdict.AC if said.score >= 1 else Verdict.PC
    return Ruling(verdict=verdict, detail=said.detail, points=said.points, raw_score=said.raw_score), said.score


def waiting(*, unread_program: int, unread_interactor: int, interactor_first: bool, other: str = "interactor") -> str:
    """Who waited for whom when the program was stopped at its wall limit. `unread_…`: how many bytes that were for it a
    side had not read. `other`: what to call the interactor."""
    if interactor_first:
        return f"the {other} had ended"
    if unread_program:
        return f"the program left {unread_program} bytes of the {other} unread"
    if unread_interactor:
        return f"the program waits: the {other} left {unread_interactor} bytes of it unread"
    return "both wait, each has read all that the other one wrote: is a flush missing?"
