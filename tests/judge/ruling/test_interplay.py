"""What a conversation is worth, as a table: who ended how and who first on the left, the verdict on the right."""

from __future__ import annotations

import itertools

import pytest

from judge.common.models import Verdict
from judge.ruling.classify import Ruling
from judge.ruling.interplay import Said, Word, rule, waiting

ACCEPTED, REFUSED, FAILED = (
    Said(word=Word.ACCEPTED, score=1.0, detail="good"),
    Said(word=Word.REFUSED, detail="bad"),
    Said(word=Word.FAILED, detail="crashed"),
)
HALF = Said(word=Word.ACCEPTED, score=0.5)
CLEAN = None
AC, PC, WA, IE = Verdict.AC, Verdict.PC, Verdict.WA, Verdict.IE
OWN = [Verdict.MLE, Verdict.OLE, Verdict.TLE, Verdict.RE]

ROWS: list[tuple[str, Verdict | None, Said, bool, bool, Verdict, float | None]] = [
    # name, the program's own verdict, the interactor's word, interactor first, faulty -> verdict, score
    *((f"refused before {own}", own, REFUSED, True, False, WA, 0.0) for own in OWN),
    *((f"refused after {own}", own, REFUSED, False, False, own, 0.0) for own in OWN),
    *((f"accepted before {own}", own, ACCEPTED, True, False, own, 0.0) for own in OWN),
    *((f"accepted after {own}", own, ACCEPTED, False, False, own, 0.0) for own in OWN),
    *(
        (f"failed, program {own}, first {first}", own, FAILED, first, False, WA, 0.0)
        for own, first in itertools.product([*OWN, None], [True, False])
    ),
    *(
        (f"fails always, program {own}, first {first}", own, FAILED, first, True, IE, None)
        for own, first in itertools.product([*OWN, None], [True, False])
    ),
    ("refused first, clean exit", CLEAN, REFUSED, True, False, WA, 0.0),
    ("clean exit first, refused", CLEAN, REFUSED, False, False, WA, 0.0),
    ("accepted first, clean exit", CLEAN, ACCEPTED, True, False, AC, 1.0),
    ("clean exit first, accepted", CLEAN, ACCEPTED, False, False, AC, 1.0),
    ("a part of the points", CLEAN, HALF, False, False, PC, 0.5),
    ("a part of the points, and a failure", Verdict.RE, HALF, False, False, Verdict.RE, 0.0),
    ("none of the points", CLEAN, Said(word=Word.ACCEPTED, score=0.0), True, False, WA, 0.0),
]


@pytest.mark.parametrize(
    ("own", "said", "first", "faulty", "verdict", "score"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_rungs(
    own: Verdict | None, said: Said, first: bool, faulty: bool, verdict: Verdict, score: float | None
) -> None:
    program = None if own is None else Ruling(verdict=own, detail="of its own")
    ruling, points = rule(program, said, interactor_first=first, faulty=faulty)
    assert (ruling.verdict, points) == (verdict, score)
    assert ruling.detail in ("of its own" if verdict is own else said.detail) or said.detail in ruling.detail


@pytest.mark.parametrize(
    ("program", "interactor", "first", "says"),
    [
        (0, 0, False, "both wait"),
        (3, 0, False, "left 3 bytes of the interactor unread"),
        (0, 7, False, "the program waits: the interactor left 7 bytes"),
        (3, 7, False, "left 3 bytes of the interactor unread"),
        (3, 7, True, "the interactor had ended"),
    ],
)
def test_who_waits(program: int, interactor: int, first: bool, says: str) -> None:
    assert says in waiting(unread_program=program, unread_interactor=interactor, interactor_first=first)
