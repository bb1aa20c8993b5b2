"""Reads the labelled submissions of a package as they are submitted."""

from __future__ import annotations

from dataclasses import dataclass

from judge import languages
from judge.common.models import OUTPUTS
from judge.judging.attachments import read
from problems.model import LabelledSubmission
from problems.text.constants import Constants, substitute


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    source: bytes
    files: tuple[tuple[str, bytes], ...]
    language: str


def read_label(submission: LabelledSubmission, constants: Constants) -> Labelled:
    """
    Raises:
        ProblemError: a file of it cannot be read.
        LanguageError: no language has its suffix.
    """
    if submission.language == OUTPUTS:
        paths = (submission.path, *submission.files)
        if submission.path.suffix == ".zip":
            return Labelled(source=read(submission.path, "submission"), files=(), language=OUTPUTS)
        return Labelled(
            source=b"",
            files=tuple((submission.inside(path), read(path, "submission")) for path in paths),
            language=OUTPUTS,
        )
    first, *others = (
        substitute(read(path, "submission"), constants, f"submission {path}")
        for path in (submission.path, *submission.files)
    )
    return Labelled(
        source=first,
        files=tuple((submission.inside(path), content) for path, content in zip(submission.files, others, strict=True)),
        language=submission.language or languages.for_path(submission.path).name,
    )
