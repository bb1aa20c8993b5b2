"""Asks whether a checker or interactor fails on a submission that its package holds for right: then it is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from itertools import islice

from containers import Unsupported
from judge import languages
from judge.checkers.failures import Failures
from judge.common.errors import ConfigError, LanguageError, SourceError
from judge.common.models import Verdict
from judge.compiling.compiler import Compiled
from judge.judging.attachments import attach_files
from judge.judging.job import Job
from judge.judging.labelled import Labelled, read_label
from judge.languages import Language
from judge.slots.slot import Slot
from problems.errors import ProblemError
from problems.model import Problem, TestCase

#: Where submissions cannot be compiled here, `_TRIED` of them are tried.
_TRIED = 4
#: Cleans and compiles (source, other files, …). Raises SourceError. Returns how many redirections it found, too.
Compile = Callable[[bytes, tuple[tuple[str, bytes], ...], Language, Problem, Slot], tuple[int, Compiled]]


def fails_anyway(
    job: Job,
    case: TestCase,
    failures: Failures,
    compile_: Compile,
    fails: Callable[[Job], bool],
    *,
    untold: bool = False,
) -> bool:
    """Whether it `fails` on the first accepted submission of the package, too. Tried once for each test. `untold`: what
    holds where no such submission can be tried here.

    Raises:
        SandboxError: the sandbox failed.
    """
    known = failures.find_known(case)
    if known is None:
        job.slot.share.release()  # a compile must not wait while we hold memory
        tried = (_fails_with(job, *one, compile_, fails) for one in islice(find_accepted(job.problem), _TRIED))
        known = next((told for told in tried if told is not None), untold)
        failures.remember(case, known)
    return known


def find_accepted(problem: Problem) -> Iterator[tuple[Labelled, Language]]:
    """The accepted submissions of the package, in their order, that are in a language of the problem and of this
    machine. What is wrong with another one is no fault of who submits."""
    for submission in problem.submissions:
        if submission.expected != {Verdict.AC.value}:
            continue
        try:
            found = read_label(submission, problem.constants)
            language = languages.get(found.language)
            language.find()
            attach_files(problem, language)
        except (LanguageError, ProblemError):
            continue
        yield found, language


def _fails_with(
    job: Job, one: Labelled, language: Language, compile_: Compile, fails: Callable[[Job], bool]
) -> bool | None:
    """None: it cannot be run here."""
    language = language.compiled_under(*job.options.compile_limits)
    try:
        _, compiled = compile_(one.source, one.files, language, job.problem, job.slot)
        with compiled.program or nullcontext() as program:
            return None if program is None else fails(replace(job, program=program, language=language))
    except (SourceError, LanguageError, ConfigError, Unsupported):
        return None
