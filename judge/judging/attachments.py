"""Reads the files that a problem adds to a submission: those of its grader, and those of a test case."""

from __future__ import annotations

from pathlib import Path

from containers import File
from judge.languages import Language
from problems.constants import substituted
from problems.errors import ProblemError
from problems.model import Grader, Problem


def grader_files(problem: Problem, grader: Grader, language: Language) -> tuple[File, ...]:
    """The files to compile together with a submission in this language. Raises ProblemError if there are none."""
    paths = next((grader.files[name] for name in (language.name, kind(language)) if name in grader.files), None)
    if paths is None:
        known = ", ".join(sorted(grader.files))
        raise ProblemError(f"problem {problem.name}: its grader has no files for {language.name}, only for {known}")
    what = f"problem {problem.name}: grader"
    return tuple(File(name=path.name, content=substituted(read(path, what), problem.constants, what)) for path in paths)


def kind(language: Language) -> str:
    """The language's name in a Grader."""
    return "cpp" if language.family == "c++" else language.family


def read(path: Path, what: str) -> bytes:
    """
    Raises:
        ProblemError: the file cannot be read; the message names it by `what`.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise ProblemError(f"{what} {path}: {error.strerror}") from error
