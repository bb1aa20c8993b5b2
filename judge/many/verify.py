"""Verifies a problem package: each labelled submission must get a verdict that its label allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import problems
from judge import languages
from judge.common.errors import LanguageError
from judge.common.models import OUTPUTS, CompileLimits, Judgement, Options, Stop, Submission, Verdict
from judge.judging.labelled import labelled
from judge.many.pool import Judge
from problems.errors import ProblemError
from problems.model import LabelledSubmission, Problem
from problems.text.constants import Constants

_SCORE_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """One labelled submission, judged."""

    submission: LabelledSubmission
    #: None: this machine cannot judge its language.
    judgement: Judgement | None
    #: Why it cannot, in one line.
    missing: str | None = None

    @property
    def name(self) -> str:
        """``wrong_answer/overflow.cpp``"""
        return label(self.submission)

    @property
    def complaint(self) -> str | None:
        """What is wrong, in one line; None: as labelled."""
        got, expected = self.judgement, self.submission
        if got is None:
            return None
        if got.verdict is Verdict.IE:
            return f"internal error: {got.error}"
        if got.verdict not in expected.expected:
            failing = next((test for test in got.tests if test.verdict is got.verdict is not Verdict.AC), None)
            where = "" if failing is None else f" on {failing.name} ({failing.detail})"
            return f"expected {' or '.join(sorted(expected.expected))}, got {got.verdict}{where}"
        if expected.score is not None and abs((got.score or 0.0) - expected.score) > _SCORE_TOLERANCE:
            return f"expected a score of {expected.score:g}, got {got.score:g}"
        return None


def label(submission: LabelledSubmission) -> str:
    if not submission.files:
        return "/".join(submission.path.parts[-2:])
    return "/".join(submission.path.parts[-3 : -1 if submission.language == OUTPUTS else None])


def request(reference: str | Path, submission: LabelledSubmission, constants: Constants = ()) -> Submission:
    """The labelled submission as a `Submission`.

    Raises:
        ProblemError: a file of it cannot be read.
        LanguageError: no language has its suffix.
    """
    one = labelled(submission, constants)
    return Submission(
        source=one.source, problem=reference, language=one.language, id=str(submission.path), files=one.files
    )


def missing(judge: Judge, submission: Submission) -> str | None:
    """Why this machine cannot judge its language: not installed, or refused by these walls; None: it can.

    Raises:
        LanguageError: the language is unknown.
    """
    if submission.language == OUTPUTS:
        return None
    language = languages.get(submission.language)
    try:
        language.find()
        if language.threads:
            language.check(judge.isolation)
    except LanguageError as error:
        return str(error)
    return None


def verify(
    judge: Judge, reference: str | Path, options: Options | None = None, limits: CompileLimits = (None, None)
) -> Iterator[Verified]:
    """Judge all labelled submissions of a package, several at once, and yield each when it is known.

    Submissions in languages that this machine cannot judge come without a judgement.

    If no label has a score, only the verdict counts, which the first failing test decides: the rest is not run.
    `limits` are those of compiles, where no `options` are given.

    `problems.validate.validate` says what else is wrong with the package.

    Raises:
        ProblemError: the package cannot be loaded, or holds no labelled submission.
    """
    problem: Problem = problems.load(reference)
    if not problem.submissions:
        raise ProblemError(
            f"problem {problem.name}: no labelled submission, so there is nothing to verify; put a right program into "
            "submissions/accepted, or judge one with `judge run`"
        )
    by_id = {str(submission.path): submission for submission in problem.submissions}
    rows = []
    for submission in problem.submissions:
        try:
            row = request(reference, submission, problem.constants)
            why = missing(judge, row)
        except LanguageError as error:  # no language has its suffix, or its name
            why = str(error)
        if why is None:
            rows.append(row)
        else:
            yield Verified(submission=submission, judgement=None, missing=why)
    scored = any(submission.score is not None for submission in problem.submissions)
    # Without stored verdicts: we want to know what the package gives now.
    usual = Options(
        stop=Stop.NEVER if scored else Stop.FIRST_FAILURE, compile_cpu_ns=limits[0], compile_memory_bytes=limits[1]
    )
    options = replace(options or usual, verdict_cache=False)
    for judgement in judge.judge_many(rows, options):
        yield Verified(submission=by_id[judgement.id or ""], judgement=judgement)
