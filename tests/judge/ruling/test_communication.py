"""What several processes and their manager are worth, as a table: who ended how and when, and the verdict."""

from __future__ import annotations

import itertools

import pytest

from judge.common.models import Verdict
from judge.ruling.classify import Ruling
from judge.ruling.communication import End, over_together, rule_all
from judge.ruling.interplay import Said, Word

ACCEPTED, REFUSED, FAILED = (
    Said(word=Word.ACCEPTED, score=1.0, detail="good"),
    Said(word=Word.REFUSED, detail="bad"),
    Said(word=Word.FAILED, detail="crashed"),
)
HALF, NOTHING = Said(word=Word.ACCEPTED, score=0.5), Said(word=Word.ACCEPTED, score=0.0)
STOPPED = None
AC, PC, WA, IE, TLE = Verdict.AC, Verdict.PC, Verdict.WA, Verdict.IE, Verdict.TLE
OWN = [Verdict.MLE, Verdict.OLE, Verdict.TLE, Verdict.RE]
TOGETHER = Ruling(verdict=TLE, detail="together")

#: Of each process: its own verdict (None: a clean exit, or stopped), and when it ended.
Ends = list[tuple[Verdict | None, int]]
CLEAN: Ends = [(None, 10), (None, 20)]

ROWS: list[tuple[str, Ends, Said | None, int, Ruling | None, bool, Verdict, float | None, int | None]] = [
    # name, processes, the manager's word and when it ended, what they did together, faulty -> verdict, score, who
    *((f"{own}, the rest stopped", [(None, 9), (own, 5)], STOPPED, 9, None, False, own, 0.0, 1) for own in OWN),
    *((f"{own} after a clean exit", [(None, 3), (own, 5)], STOPPED, 9, None, False, own, 0.0, 1) for own in OWN),
    *((f"{own} before refused", [(own, 5), (None, 9)], REFUSED, 6, None, False, own, 0.0, 0) for own in OWN),
    *((f"refused before {own}", [(own, 5), (None, 9)], REFUSED, 4, None, False, WA, 0.0, None) for own in OWN),
    *((f"refused and {own} at once", [(own, 5), (None, 9)], REFUSED, 5, None, False, WA, 0.0, None) for own in OWN),
    *((f"{own} before accepted", [(own, 5), (None, 9)], ACCEPTED, 9, None, False, own, 0.0, 0) for own in OWN),
    *((f"accepted before {own}", [(own, 5), (None, 9)], ACCEPTED, 1, None, False, own, 0.0, 0) for own in OWN),
    *((f"{own} before failed", [(own, 5), (None, 9)], FAILED, 6, None, True, own, 0.0, 0) for own in OWN),
    *((f"failed before {own}", [(own, 5), (None, 9)], FAILED, 5, None, False, WA, 0.0, None) for own in OWN),
    *((f"fails always, {own}", [(own, 5), (None, 9)], FAILED, 5, None, True, IE, None, None) for own in OWN),
    *(
        (f"{first} before {second}", [(second, 6), (first, 5)], STOPPED, 9, None, False, first, 0.0, 1)
        for first, second in itertools.permutations(OWN, 2)
    ),
    *(
        (f"{first} and {second} at once", [(first, 5), (second, 5)], STOPPED, 9, None, False, first, 0.0, 0)
        for first, second in itertools.permutations(OWN, 2)
    ),
    ("all clean, accepted last", CLEAN, ACCEPTED, 30, None, False, AC, 1.0, None),
    ("all clean, accepted first", CLEAN, ACCEPTED, 1, None, False, AC, 1.0, None),
    ("a part of the points", CLEAN, HALF, 30, None, False, PC, 0.5, None),
    ("none of the points", CLEAN, NOTHING, 30, None, False, WA, 0.0, None),
    ("all clean, refused last", CLEAN, REFUSED, 30, None, False, WA, 0.0, None),
    ("refused while one lives", CLEAN, REFUSED, 15, None, False, WA, 0.0, None),
    ("failed", CLEAN, FAILED, 30, None, False, WA, 0.0, None),
    ("fails always", CLEAN, FAILED, 30, None, True, IE, None, None),
    ("over together, accepted", CLEAN, ACCEPTED, 30, TOGETHER, False, TLE, 0.0, None),
    ("over together, refused when all had ended", CLEAN, REFUSED, 30, TOGETHER, False, TLE, 0.0, None),
    ("over together, refused while one lives", CLEAN, REFUSED, 15, TOGETHER, False, WA, 0.0, None),
    ("over together, failed", CLEAN, FAILED, 30, TOGETHER, False, WA, 0.0, None),
    ("over together, and one failed", [(Verdict.RE, 5), (None, 9)], STOPPED, 9, TOGETHER, False, Verdict.RE, 0.0, 0),
]


@pytest.mark.parametrize(
    ("ends", "said", "manager_ns", "together", "faulty", "verdict", "score", "who"),
    [row[1:] for row in ROWS],
    ids=[row[0] for row in ROWS],
)
def test_rungs(
    ends: Ends,
    said: Said | None,
    manager_ns: int,
    together: Ruling | None,
    faulty: bool,
    verdict: Verdict,
    score: float | None,
    who: int | None,
) -> None:
    processes = [
        End(own=None if own is None else Ruling(verdict=own, detail="of its own"), ended_ns=ended_ns)
        for own, ended_ns in ends
    ]
    found = rule_all(processes, said, manager_ns=manager_ns, together=together, faulty=faulty)
    assert (found[0].verdict, *found[1:]) == (verdict, score, who)
    if who is not None:
        assert found[0].detail == f"process {who}: of its own"


def test_a_manager_is_stopped_only_for_a_failure() -> None:
    with pytest.raises(ValueError, match="no process has failed"):
        rule_all([End(own=None, ended_ns=1)], None, manager_ns=2, together=None, faulty=False)


def test_time_is_summed() -> None:
    assert over_together(10**9, 10**9, 2) is None
    ruling = over_together(10**9 + 1, 10**9, 3)
    assert ruling is not None
    assert ruling.verdict is TLE
    assert "3 processes used 1.000 s" in ruling.detail
