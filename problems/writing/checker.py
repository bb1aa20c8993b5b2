"""Puts a checker into a package that has none, and leaves everything else as it stands."""

from __future__ import annotations

import shutil
from pathlib import Path

from problems.errors import ProblemError
from problems.files.yamlfile import yaml_text
from problems.lookup import load
from problems.model import Checker, Comparison, Problem
from problems.writing import dump

_EXTENSION, _PROGRAM = "judge.yaml", "output_validator"


def check_place(problem: Problem) -> None:
    """
    Raises:
        ProblemError: no checker can be added to the package.
    """
    if not problem.directory.is_dir() or problem.format == "legacy":
        why = "is a zip" if not problem.directory.is_dir() else "is of version legacy"
        raise ProblemError(f"problem {problem.name} {why}, to which no checker is added; write a copy with -o")
    extension = problem.directory / _EXTENSION
    if (problem.directory / _PROGRAM).exists() or (extension.is_file() and "comparison:" in extension.read_text()):
        raise ProblemError(f"problem {problem.name} states how outputs are compared; write a copy with -o")


def set_checker(problem: Problem, checker: Checker) -> Path:
    """Write the checker into the package. Returns the file: judge.yaml, or a program in output_validator/.

    Raises:
        ProblemError: it cannot be written there; then nothing is changed.
    """
    check_place(problem)
    extension = problem.directory / _EXTENSION
    before = extension.read_bytes() if extension.is_file() else None
    try:
        if isinstance(checker, Comparison):
            text = "" if before is None else before.decode("utf-8").rstrip("\n") + "\n"
            extension.write_text(text + yaml_text({"comparison": dump.comparison(checker)}))
            written = extension
        else:
            (problem.directory / _PROGRAM).mkdir()
            written = problem.directory / _PROGRAM / checker.sources[0].name
            shutil.copyfile(checker.sources[0], written)
        found = load(problem.directory).checker
        if isinstance(checker, Comparison) and found != checker:
            raise ProblemError(f"{extension}: does not take the comparison; write it by hand")
    except (OSError, ProblemError) as error:
        shutil.rmtree(problem.directory / _PROGRAM, ignore_errors=True)
        if before is not None:
            extension.write_bytes(before)
        elif isinstance(checker, Comparison):
            extension.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise ProblemError(
                f"{problem.directory}: cannot be written: {error.strerror}; check permissions"
            ) from error
        raise
    return written
