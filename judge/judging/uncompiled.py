"""Judgements of what never reached a compiler, and who answers for that: the program, or whoever had it judged."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from judge import languages
from judge.common.errors import LanguageError, LanguageRefused
from judge.common.models import CompileResult, Judgement, Submission, Verdict

_log = logging.getLogger(__name__)


def make_compile_error(problem: str, language: str, why: str, id_: str | None = None) -> Judgement:
    """CE, with what a compiler would say."""
    return Judgement(
        id=id_,
        problem=problem,
        language=language,
        verdict=Verdict.CE,
        accepted=False,
        score=0.0,
        compile=CompileResult(verdict="error", output=why),
    )


class Uncompiled(Exception):
    """A program has its judgement already."""

    def __init__(self, judgement: Judgement) -> None:
        super().__init__(judgement.verdict)
        self.judgement = judgement


@contextmanager
def answering(submission: Submission) -> Iterator[None]:
    """Around what asks for the language of the submission, and for no other one: those of checkers and generators are
    never its fault.

    Raises:
        Uncompiled: the program chose a language that it cannot have.
    """
    try:
        yield
    except LanguageError as error:
        if (judgement := _judge_choice(submission, error)) is None:
            raise
        raise Uncompiled(judgement) from error


def _judge_choice(submission: Submission, error: LanguageError) -> Judgement | None:
    """The judgement of a program that chose a language in which it cannot be judged: CE, or it could choose not to be
    scored. None: no program is to blame. The caller stated the language, or the machine lacks what the caller's own
    default needs."""
    if (default := submission.default_language) is None:
        return None
    language = languages.get(submission.language)
    if not isinstance(error, LanguageRefused):
        if language.toolchain == languages.get(default).toolchain:
            return None
        _log.warning("a completion chose %s, so it is CE: %s", language.name, error)
    named = "the fence names" if language.name != languages.get(default).name else "the program is taken for"
    return make_compile_error(
        submission.problem_name, language.name, f"{named} {language.name}: {error}", submission.id
    )
