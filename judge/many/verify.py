"""Verifies a problem package: each labelled submission must get a verdict that its label allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import problems
from judge import languages
from judge.common.errors import LanguageError
from judge.common.models import OUTPUTS, CompileLimits, Judgement, Options, Stop, Submission, TestResult, Verdict
from judge.judging.labelled import read_label
from judge.many.pool import Judge
from judge.ruling.scoring import is_refused, points_of
from problems.errors import ProblemError
from problems.model import MOST_NS, LabelledSubmission, Problem, Requirement
from problems.text.constants import Constants
from problems.writing.dump import scores

_SCORE_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """One labelled submission, judged."""

    submission: LabelledSubmission
    #: None: this machine cannot judge its language.
    judgement: Judgement | None
    #: Why it cannot, in one line.
    missing: str | None = None
    #: Whether the problem gives points: then a part of them is no failure.
    scoring: bool = False
    #: The CPU time limit of each counted test, by name, without the language's multiplier.
    cpu_ns: Mapping[str, int] = field(default_factory=dict)
    #: Which of its requirements does not hold, in one line.
    unmet: str | None = None

    @property
    def name(self) -> str:
        """``wrong_answer/overflow.cpp``"""
        return label(self.submission)

    @property
    def complaint(self) -> str | None:
        """What is wrong, in one line; None: as labelled."""
        got, submission = self.judgement, self.submission
        if got is None:
            return None
        if got.verdict is Verdict.IE:
            return f"internal error: {got.error}"
        if not self._fits(self._verdict()) and not self.is_slow:
            return f"expected {' or '.join(sorted(submission.expected))}, got {got.verdict}{self._why(got)}"
        if submission.score is not None and abs((got.score or 0.0) - submission.score) > _SCORE_TOLERANCE:
            return f"expected a score of {submission.score:g}, got {got.score:g}"
        if self._is_partial and not 0 < (got.score or 0.0) < 1:
            return f"expected a part of the points, got {'all' if got.score else 'none'}"
        return self.unmet

    @property
    def is_slow(self) -> bool:
        """Whether it fits to its label by the format's limit, which knows no multipliers of languages: so a program
        that must time out may end within a multiplied limit."""
        return "TLE" in self.submission.expected and self._verdict(timed=True) is Verdict.TLE

    def _fits(self, verdict: Verdict) -> bool:
        expected = self.submission.expected
        if self.scoring and verdict is Verdict.PC and expected == {Verdict.AC.value}:
            return True
        if verdict is Verdict.OLE and Verdict.TLE.value in expected:  # sites let it write until its time is over
            return True
        return verdict in expected or (self._is_partial and verdict is Verdict.AC)

    @property
    def _is_partial(self) -> bool:
        """Whether its label asks for a part of the points, whatever the verdict."""
        return self.scoring and self.name.startswith("partially_accepted/")

    def _verdict(self, *, timed: bool = False) -> Verdict:
        """The verdict of which the label speaks: that of the first counted test that is refused, for a part of the
        points is none. `timed`: by the limits in `cpu_ns`."""
        got = self.judgement
        if got is None or (not self.scoring and not timed):
            return Verdict.IE if got is None else got.verdict
        counted = [test for test in got.tests if test.name in self.cpu_ns]
        if not counted:
            return got.verdict
        for test in counted:
            if timed and (test.cpu_ns or 0) > self.cpu_ns[test.name]:
                return Verdict.TLE
            if is_refused(test):
                return test.verdict
        return Verdict.AC if all(test.verdict is Verdict.AC for test in counted) else Verdict.PC

    def _why(self, got: Judgement) -> str:
        if got.verdict is Verdict.CE:
            words = (got.compile.output if got.compile else "").strip()
            return f": {words.splitlines()[0]}" if words else ""
        failing = next((test for test in got.tests if test.verdict is got.verdict is not Verdict.AC), None)
        return "" if failing is None else f" on {failing.name} ({failing.detail})"


def compare_with_label(problem: Problem, submission: LabelledSubmission, judgement: Judgement) -> Verified:
    return Verified(
        submission=submission,
        judgement=judgement,
        scoring=scores(problem),
        cpu_ns=_limits_of_tests(problem, judgement),
        unmet=next(_unmet(problem, submission, judgement), None),
    )


def options_for(problem: Problem, submission: LabelledSubmission, limits: CompileLimits = (None, None)) -> Options:
    """How to judge it for its label: without stored verdicts, for we want to know what the package gives now. Where no
    points are given, the first refused test says enough for a label, but not for requirements, which speak of every
    test. A time-out that the label asks for is not confirmed."""
    every = scores(problem) or bool(submission.requirements)
    return Options(
        stop=Stop.NEVER if every else Stop.FIRST_FAILURE,
        confirm_tle=Verdict.TLE.value not in submission.expected,
        verdict_cache=False,
        compile_cpu_ns=limits[0],
        compile_memory_bytes=limits[1],
    )


def _unmet(problem: Problem, submission: LabelledSubmission, judgement: Judgement) -> Iterator[str]:
    """What submissions.yaml asks and is not so."""
    if not submission.requirements or judgement.verdict is Verdict.IE:
        return
    from problems.reading.submission_rules import CODES, matches  # noqa: PLC0415 - most packages have no requirements

    for one in submission.requirements:
        where = f" on {one.tests}" if one.tests else ""
        named = [test for test in judgement.tests if not one.tests or matches(one.tests, test.name)]
        tests = [test for test in named if test.verdict is not Verdict.SK]
        if not named:
            yield f"submissions.yaml asks something{where}, but no test of that name was run"
            continue
        permitted, required = (
            None if codes is None else frozenset[str]().union(*(CODES[code] for code in codes))
            for codes in (one.permitted, one.required)
        )
        for test in tests:
            if permitted is not None and _code(test) not in permitted:
                yield f"{' or '.join(one.permitted or ())} permitted{where}, got {test.verdict} on {test.name}"
        if len(tests) < len(named):  # whether one of the others would do cannot be said
            continue
        if required is not None and not any(_code(test) in required for test in tests):
            yield f"{' or '.join(one.required or ())} required{where}, no test gets it"
        if one.points is not None:
            got, (least, most) = _points(problem, one, judgement), one.points
            if got is None:
                yield f"submissions.yaml states a score of {one.tests}, which is no group"
            elif not least <= got <= most:
                yield f"expected {least:g} to {most:g} points{where}, got {got:g}"
        if one.message and not any(one.message in test.detail for test in tests):
            yield f"no validator says {one.message!r}{where}"


def _code(test: TestResult) -> str:
    """By the format a test is accepted whatever its score."""
    return Verdict.AC.value if test.verdict is Verdict.PC else test.verdict.value


def _points(problem: Problem, one: Requirement, judgement: Judgement) -> float | None:
    """Rounded: points are sums of floats. None: its tests are no group, so they have no score."""
    if one.tests in ("", "secret"):
        return round((judgement.score or 0.0) * problem.points, 6)
    group = next((group for group in problem.groups if group.name == one.tests), None)
    if group is None:
        return None
    results = {test.name: test for test in judgement.tests}
    cases = [case for case in problem.judged if case.name in results]
    return round(points_of(problem, cases, results, group), 6)


def _limits_of_tests(problem: Problem, judgement: Judgement) -> dict[str, int]:
    """The CPU time limit of each counted test of a judgement, by name, as the package states it. Where it states none,
    only who judged knows what was measured: then the most that there is."""
    stated = MOST_NS if problem.stated_cpu_ns is None else problem.stated_cpu_ns
    own = {case.name: case.limits.cpu_ns for case in problem.cases if case.limits is not None}
    counted = {group.name for group in problem.groups if group.counted}
    return {
        test.name: own.get(test.name, stated)
        for test in judgement.tests
        if (test.group in counted if problem.groups else not test.name.startswith("sample/"))
    }


def label(submission: LabelledSubmission) -> str:
    """Its path below submissions/."""
    parts = submission.path.parts
    below = parts[-parts[::-1].index("submissions") :] if "submissions" in parts else parts[-2:]
    return "/".join(below[:2] if submission.files and submission.language == OUTPUTS else below)


def request(reference: str | Path, submission: LabelledSubmission, constants: Constants = ()) -> Submission:
    """The labelled submission as a `Submission`.

    Raises:
        ProblemError: a file of it cannot be read.
        LanguageError: no language has its suffix.
    """
    one = read_label(submission, constants)
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
        language.check(judge.isolation)
    except LanguageError as error:
        return str(error)
    return None


def verify(
    judge: Judge, reference: str | Path, options: Options | None = None, limits: CompileLimits = (None, None)
) -> Iterator[Verified]:
    """Judge all labelled submissions of a package, several at once, and yield each when it is known.

    Submissions in languages that this machine cannot judge come without a judgement.

    In a problem without points the first test that is refused decides: the rest is not run.
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
    alike: dict[Options, list[Submission]] = {}
    for row in rows:
        how = replace(options, verdict_cache=False) if options else options_for(problem, by_id[row.id or ""], limits)
        alike.setdefault(how, []).append(row)
    for how, some in alike.items():
        for judgement in judge.judge_many(some, how):
            yield compare_with_label(problem, by_id[judgement.id or ""], judgement)
