"""Computes the points of groups by Luogu's scoring scripts (`problems.text.script`)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from judge.common.models import TestResult, Verdict
from problems.model import Judged, ScoringScript
from problems.text import script
from problems.text.script import Part, ScriptError

_STATUS = {
    Verdict.AC: script.AC,
    Verdict.TLE: script.TLE,
    Verdict.MLE: script.MLE,
    Verdict.OLE: script.OLE,
    Verdict.RE: script.RE,
}
_NS_PER_MS, _KIB = 10**6, 1024


def of_case(case: Judged, result: TestResult) -> Part:
    """What a script learns of a test. Points are whole there; all other verdicts count as WA."""
    return Part(
        status=_STATUS.get(result.verdict, script.WA),
        points=_whole(case.weight * (result.score or 0.0)),
        time_ms=(result.cpu_ns or 0) // _NS_PER_MS,
        memory_kib=(result.memory_bytes or 0) // _KIB,
    )


def of_group(points: float, parts: Sequence[Part], *, clean: bool) -> Part:
    """What a script learns of a group that has none of its own."""
    return Part(
        status=script.AC if clean else script.UNAC,
        points=_whole(points),
        time_ms=sum(part.time_ms for part in parts),
        memory_kib=max((part.memory_kib for part in parts), default=0),
    )


def rule_group(by: ScoringScript, parts: Mapping[str, Part]) -> Part:
    """What a script makes of the parts of its group, by their names. If it fails, the group has no points: its reader
    has seen that it works where all is accepted, so what the submission did makes it fail."""
    numbered = {number: parts[name] for name, number in by.numbers.items() if name in parts}
    try:
        return script.parse(by.text).of(numbered)
    except ScriptError:
        return Part(status=script.UNAC, points=0)


def _whole(points: float) -> int:
    return math.floor(points + 1e-9)
