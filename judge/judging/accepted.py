"""Asks whether a checker or interactor fails on a submission that its package holds for right: then it is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace

from judge import languages
from judge.checkers.failures import Failures
from judge.common.errors import LanguageError, SourceError
from judge.common.models import Verdict
from judge.compiling.compiler import Compiled
from judge.judging.job import Job
from judge.judging.labelled import Labelled, labelled
from judge.languages import Language
from judge.slots.slot import Slot
from problems.model import Problem, TestCase

#: Cleans and compiles (source, other files, …). Raises SourceError. Returns how many redirections it found, too.
Compile = Callable[[bytes, tuple[tuple[str, bytes], ...], Language, Problem, Slot], tuple[int, Compiled]]


def fails_anyway(job: Job, case: TestCase, failures: Failures, compile_: Compile, fails: Callable[[Job], bool]) -> bool:
    """Whether it `fails` on the first accepted submission of the package, too. Tried once for each test.

    Raises:
        SandboxError: the sandbox failed.
    """
    known = failures.known(case)
    if known is None:
        job.slot.share.release()  # a compile must not wait while we hold memory
        known = any(_fails_with(job, *one, compile_, fails) for one in first_accepted(job.problem))
        failures.remember(case, known)
    return known


def first_accepted(problem: Problem) -> Iterator[tuple[Labelled, Language]]:
    """The first accepted submission of the package that is in a language of this machine, if there is one."""
    for submission in problem.submissions:
        if submission.expected != {Verdict.AC.value}:
            continue
        try:
            found = labelled(submission, problem.constants)
            language = languages.get(found.language)
            language.find()
        except LanguageError:
            continue
        yield found, language
        return


def _fails_with(job: Job, one: Labelled, language: Language, compile_: Compile, fails: Callable[[Job], bool]) -> bool:
    language = language.compiled_under(*job.options.compile_limits)
    try:
        _, compiled = compile_(one.source, one.files, language, job.problem, job.slot)
    except SourceError:
        return False
    with compiled.program or nullcontext() as program:
        return program is not None and fails(replace(job, program=program, language=language))
