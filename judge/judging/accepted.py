"""Asks whether a checker or interactor fails on a submission that its package holds for right: then it is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace

from judge import languages
from judge.checkers.failures import Failures
from judge.common.errors import LanguageError, SourceError
from judge.common.models import Verdict
from judge.compiling import source
from judge.compiling.compiler import Compiled
from judge.judging.attachments import read
from judge.judging.job import Job
from judge.languages import Language
from judge.slots.slot import Slot
from problems.constants import substituted
from problems.model import Problem, TestCase

Compile = Callable[[bytes, Language, Problem, Slot], Compiled]


def fails_anyway(job: Job, case: TestCase, failures: Failures, compile_: Compile, fails: Callable[[Job], bool]) -> bool:
    """Whether it `fails` on the first accepted submission of the package, too. Tried once for each test.

    Raises:
        SandboxError: the sandbox failed.
    """
    known = failures.known(case)
    if known is None:
        job.slot.share.release()  # a compile must not wait while we hold memory
        known = any(_fails_with(job, *one, compile_, fails) for one in _first_accepted(job.problem))
        failures.remember(case, known)
    return known


def _first_accepted(problem: Problem) -> Iterator[tuple[bytes, Language]]:
    """The first accepted submission of the package that is in a language of this machine, if there is one."""
    for submission in problem.submissions:
        if submission.expected != {Verdict.AC.value}:
            continue
        try:
            language = languages.get(submission.language or languages.for_path(submission.path).name)
            language.find()
        except LanguageError:
            continue
        what = f"submission {submission.path.name}"
        yield substituted(read(submission.path, what), problem.constants, what), language
        return


def _fails_with(job: Job, text: bytes, language: Language, compile_: Compile, fails: Callable[[Job], bool]) -> bool:
    language = language.compiled_under(*job.options.compile_limits)
    try:
        cleaned = source.clean(
            text, family=language.family, limit_bytes=job.problem.limits.code_bytes, gnu=language.gnu
        )
    except SourceError:
        return False
    compiled = compile_(cleaned.text, language, job.problem, job.slot)
    with compiled.program or nullcontext() as program:
        return program is not None and fails(replace(job, program=program, language=language))
