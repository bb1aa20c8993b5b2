"""Judges outputs that were handed in instead of a program (problems of type submit-answer).

They are the files of the submission, or of its source, a zip. That of the test secret/01 is called secret/01.out or, if
no other test's name ends so, 01.out; also .ans, .txt, or nothing, in place of .out. All may lie in one directory.
"""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import TypeVar

from judge.checkers.program import ProgramChecker
from judge.common.errors import SourceError
from judge.common.models import OUTPUTS, Options, Submission, TestResult, Verdict
from judge.judging.checking import tells
from judge.judging.labelled import read_label
from judge.ruling.classify import Ruling
from judge.ruling.scoring import decides
from judge.slots.slot import Slot
from problems.errors import ProblemError
from problems.files.archive import MAX_ENTRIES, UNSOUND
from problems.model import Problem, TestCase

#: The most bytes of a zip.
MOST_BYTES = 64 << 20
#: The most bytes that come out of a zip in all: they are unpacked in our own process.
MOST_UNPACKED_BYTES = 256 << 20
#: LZMA asks for up to 4 GiB of memory, and bzip2 for seconds, before a limit of bytes holds.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_SUFFIXES = (".out", ".ans", ".txt", "")
_SHOWN_BYTES = 4096

Entry = TypeVar("Entry")

#: The output for a test, of so many bytes at most; None: there is none.
Read = Callable[[TestCase, int], bytes | None]
#: Verdict and score of an output.
Check = Callable[[TestCase, bytes], tuple[Ruling, float | None]]


def handed_in(submission: Submission, problem: Problem) -> Read:
    """What was handed in. Reading it raises `SourceError`, too.

    Raises:
        SourceError: it is no zip, or is too large.
    """
    bases = Counter(PurePosixPath(case.name).name for case in problem.cases)
    if submission.files:
        given = dict(submission.files)
        return lambda case, most: _find_output(given, _names(case, bases), lambda content: content[:most])
    if len(submission.source) > MOST_BYTES:
        raise SourceError(f"the zip has {len(submission.source)} bytes, more than {MOST_BYTES >> 20} MiB: hand in less")
    if submission.source.count(b"PK\1\2") > MAX_ENTRIES:
        raise SourceError(f"the zip has more than {MAX_ENTRIES} files: hand in the outputs alone")
    with _sound():
        archive = zipfile.ZipFile(io.BytesIO(submission.source))
        entries = _entries(archive)

    left = MOST_UNPACKED_BYTES

    def read(entry: zipfile.ZipInfo, most: int) -> bytes:
        nonlocal left
        if entry.compress_type not in _METHODS:
            raise SourceError("the zip is not compressed by deflate: make it again with `zip`")
        with _sound(), archive.open(entry) as stream:
            content = stream.read(min(most, left + 1))
        left -= len(content)
        if left < 0:
            raise SourceError(f"the outputs have more than {MOST_UNPACKED_BYTES >> 20} MiB in all: hand in less")
        return content

    return lambda case, most: _find_output(entries, _names(case, bases), lambda entry: read(entry, most))


def is_broken(problem: Problem, slot: Slot, checker: ProgramChecker, case: TestCase) -> bool:
    """As `checking.Broken`, by the outputs that the package holds for right; without one the answer has told."""
    most = (case.limits or problem.limits).output_bytes
    for submission in problem.submissions:
        if submission.language != OUTPUTS or submission.expected != {Verdict.AC.value}:
            continue
        try:
            found = read_label(submission, problem.constants)
            given = Submission(source=found.source, problem=problem, language=OUTPUTS, files=found.files)
            output = handed_in(given, problem)(case, most)
        except (SourceError, ProblemError):
            continue
        if output is not None:
            told = {"input": case.read_input(), "answer": case.read_answer()}
            return checker.fails(slot.checker, output=output, full_score=case.full_score, **told)
    return tells(case)


@contextmanager
def _sound() -> Iterator[None]:
    try:
        yield
    except (*UNSOUND, OSError) as error:
        raise SourceError(f"what was handed in is no sound zip of outputs ({error}): make it again") from error


def _entries(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The entries by name, without the directory in which all of them lie."""
    entries = {info.filename: info for info in archive.infolist() if not info.is_dir()}
    if "" in entries:
        raise zipfile.BadZipFile("a file in it has no name")
    tops = {name.partition("/")[0] if "/" in name else None for name in entries}
    top = tops.pop() if len(tops) == 1 else None
    if top is None or top in ("sample", "secret"):
        return entries
    return {name.partition("/")[2]: info for name, info in entries.items()}


def _names(case: TestCase, bases: Mapping[str, int]) -> Iterator[str]:
    base = PurePosixPath(case.name).name
    for name in (case.name, base) if bases[base] == 1 else (case.name,):
        for suffix in _SUFFIXES:
            yield name + suffix


def _find_output(given: Mapping[str, Entry], names: Iterator[str], read: Callable[[Entry], bytes]) -> bytes | None:
    return next((read(given[name]) for name in names if name in given), None)


def results(problem: Problem, options: Options, read: Read, check: Check) -> dict[str, TestResult]:
    """The result of each test, by its name."""
    found: dict[str, TestResult] = {}
    decided = False
    for case in problem.cases:
        if decided:
            found[case.name] = TestResult(name=case.name, group=case.group, verdict=Verdict.SK, score=None)
            continue
        found[case.name] = result = _result(problem, case, read, check)
        decided = decided or decides(problem, case, result, options.stop)
    return found


def _result(problem: Problem, case: TestCase, read: Read, check: Check) -> TestResult:
    most = (case.limits or problem.limits).output_bytes
    output = read(case, most + 1)
    score: float | None = 0.0
    if output is None:
        ruling = Ruling(verdict=Verdict.WA, detail="no output was handed in for this test")
    elif len(output) > most:
        ruling = Ruling(verdict=Verdict.OLE, detail=f"the output has more than {most} bytes")
    else:
        ruling, score = check(case, output)
    return TestResult(
        name=case.name,
        group=case.group,
        verdict=ruling.verdict,
        score=None if score is None else min(1.0, score),
        points=ruling.points,
        raw_score=ruling.raw_score,
        detail=ruling.detail,
        stdout=(output or b"")[:_SHOWN_BYTES].decode("utf-8", "replace"),
    )
