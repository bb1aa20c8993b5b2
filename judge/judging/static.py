"""Asks a problem's static validator about the files of a submission (2025-09, "Static validator").

    prog language entry_point ./ [arguments]     exit 42 accepted, 43 wrong; score.txt, score_multiplier.txt, …

It finds the submitted files, and the problem's own for that language, in its working directory, in a sandbox for
checkers. A submission must not get IE by a text that breaks the validator: where the validator fails, too, on the
package's first accepted submission, the problem is broken; else the submission is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import PurePath

import problems.model
from containers import File
from judge.checkers.conventions import FEEDBACK
from judge.checkers.program import ProgramChecker
from judge.common.errors import CheckerError
from judge.common.models import Options, Stop, Submission, TestResult, Verdict
from judge.judging.accepted import find_accepted
from judge.judging.attachments import attach_files
from judge.judging.checking import verdict_of
from judge.judging.job import Job
from judge.judging.watch import Watch
from judge.languages import Language
from judge.ruling.scoring import decides
from judge.slots.slot import Slot
from problems.model import Problem, StaticCase

#: Makes a checker ready.
Ready = Callable[[problems.model.Program, Options, Slot], ProgramChecker]


def results(job: Job, submission: Submission, ready: Ready, watch: Watch | None) -> dict[str, TestResult]:
    """The results of the problem's static cases.

    Raises:
        ProblemError: the validator cannot be read.
        SandboxError: the sandbox failed.
    """
    found: dict[str, TestResult] = {}
    if (spec := job.problem.static_validator) is None:
        return found
    for case in job.problem.static_cases:
        try:
            validator = ready(spec, job.options, job.slot)
            found[case.name] = _result(job, case, validator, submission)
        except CheckerError as error:
            found[case.name] = TestResult(
                name=case.name, group=case.group, verdict=Verdict.IE, score=None, detail=str(error)
            )
        if watch is not None:
            watch.on_tested(found[case.name], sample=case.sample)
    return found


def is_decided(problem: Problem, looked: Mapping[str, TestResult], stop: Stop) -> bool:
    """Whether the static cases decide, so that no test has to run."""
    cases = (case for case in problem.static_cases if case.name in looked)
    return any(decides(problem, case, looked[case.name], stop) for case in cases)


def _result(job: Job, case: StaticCase, validator: ProgramChecker, submission: Submission) -> TestResult:
    """Raises CheckerError if the validator fails on what the package holds for right, too."""
    try:
        verdict, score, detail = _ask_validator(job, job.language, case, validator, submission.source, submission.files)
    except CheckerError as error:
        for right, language in islice(find_accepted(job.problem), 1):
            _ask_validator(job, language, case, validator, right.source, right.files)
        verdict, score, detail = Verdict.WA, 0.0, f"on this submission the {error}"
    return TestResult(name=case.name, group=case.group, verdict=verdict, score=score, detail=detail)


def _ask_validator(
    job: Job,
    language: Language,
    case: StaticCase,
    validator: ProgramChecker,
    text: bytes,
    others: tuple[tuple[str, bytes], ...],
) -> tuple[Verdict, float, str]:
    problem = job.problem
    language, extra = attach_files(problem, language)
    own = dict(others) | {language.source: text}
    # What it holds would be the validator's word.
    if taken := next((name for name in own if name.partition("/")[0] in FEEDBACK), None):
        return Verdict.WA, 0.0, f"no file may be called {taken} where a static validator looks at the files"
    files = own | {file.name: file.content for file in extra}
    entry = PurePath(language.source).stem if language.facts.text.begins_with_class else language.source
    code = language.facts.names.icpc or language.name
    checked = validator.look_at(
        job.slot.checker,
        files=tuple(File(name=name, content=content, work=True) for name, content in files.items()),
        arguments=(code, entry, "./", *case.arguments),
        full_score=case.full_score,
    )
    return verdict_of(checked), checked.score, checked.detail
