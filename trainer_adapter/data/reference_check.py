"""Runs the reference programs that rows bring on the tests of their problems. A problem whose tests refuse all of them
would refuse right programs of a model, too.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from judge import ProblemError, languages
from judge.common.models import Judgement, Options, Stop, Submission, Verdict
from problems.model import Limits
from trainer_adapter.data.candidate import Candidate
from trainer_adapter.data.config import DataConfig
from trainer_adapter.data.hazards import Does, Hazard
from trainer_adapter.data.inline_problems import InlineProblems
from trainer_adapter.data.report import Report

if TYPE_CHECKING:
    from judge import Judge

#: Problems whose programs wait or run at once, for each slot.
_AHEAD = 4
#: A reference that takes more than this part of the time limit is nearly too slow.
_NEARLY = 0.5


@dataclass(frozen=True, slots=True)
class _Running:
    candidate: Candidate
    name: str
    judgements: list[Future[Judgement]]


def check_references(candidates: Iterator[Candidate], config: DataConfig, report: Report) -> Iterator[Candidate]:
    """The candidates in their order, with the hazards that a run of their references shows."""
    from judge import Judge  # noqa: PLC0415 - who runs no references needs no judge

    report.references_run = 0
    inline = InlineProblems()
    running: deque[_Running] = deque()
    with Judge() as judge:
        try:
            for candidate in candidates:
                running.append(_start(judge, inline, candidate, config, report))
                if len(running) > _AHEAD * judge.slots:
                    yield _end_check(running.popleft(), inline)
            while running:
                yield _end_check(running.popleft(), inline)
        finally:
            inline.close()


def _start(judge: Judge, inline: InlineProblems, candidate: Candidate, config: DataConfig, report: Report) -> _Running:
    dropped = any(config.does(hazard) is Does.DROP for hazard in candidate.hazards)
    limit = config.most_references
    if candidate.inline is None or not candidate.solutions or dropped or report.references_run == limit:
        return _Running(candidate, "", [])
    report.references_run = (report.references_run or 0) + 1
    tests = candidate.inline.pack()
    name = hashlib.sha256(tests.encode()).hexdigest()
    problem = inline.take(name, tests)
    options = Options(stop=Stop.FIRST_FAILURE)
    submissions = (
        Submission(source=source.encode("utf-8", "replace"), problem=problem, language=language)
        for language, source in candidate.solutions
    )
    return _Running(candidate, name, [judge.submit(one, options) for one in submissions])


def _end_check(running: _Running, inline: InlineProblems) -> Candidate:
    if not running.judgements:
        return running.candidate
    found: list[Judgement] = []
    for future in running.judgements:
        with suppress(ProblemError):  # of this problem alone: as a judgement IE
            found.append(future.result())
    inline.give_back(running.name)
    hazard = _hazard([one for one in found if one.verdict is not Verdict.IE], running.candidate)
    if hazard is None:
        return running.candidate
    return replace(running.candidate, hazards=[*running.candidate.hazards, hazard])


def _hazard(found: list[Judgement], candidate: Candidate) -> Hazard | None:
    """None: some reference is right, and fast enough."""
    if not found:
        return Hazard.NOT_JUDGED
    right = [one for one in found if one.accepted]
    limit_ns = (candidate.inline.cpu_ns if candidate.inline else None) or Limits().cpu_ns
    if right:
        return Hazard.SLOW_REFERENCE if all(_is_slow(one, limit_ns) for one in right) else None
    if any(one.verdict is Verdict.TLE for one in found):
        return Hazard.SLOW_REFERENCE
    return Hazard.REFUSED_REFERENCE


def _is_slow(judgement: Judgement, limit_ns: int) -> bool:
    most = max((test.cpu_ns or 0 for test in judgement.tests), default=0)
    return most > _NEARLY * limit_ns * languages.get(judgement.language).time_multiplier
