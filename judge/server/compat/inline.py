"""Problems that last for one request. Tests that rivals' clients send become files in a directory of their own, so that
their programs are judged as all others. Answers are never in the sandbox, time-outs are confirmed, one compile serves
all tests, and no failure of ours is a zero."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from judge.common.errors import JudgeError
from judge.common.models import Judgement, Options, Submission, Verdict
from judge.judging.checking import BY_HAND
from judge.server.service import Service
from problems.errors import ProblemError
from problems.model import Problem, TestCase
from problems.writing.draft import Draft, write_test

_MOST_NAME = 200


class Unusable(Exception):
    """The request cannot be judged, in words for its sender."""


class Failed(Exception):
    """We failed, not the program."""


@asynccontextmanager
async def directory() -> AsyncIterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="judge-tests-"))
    try:
        yield made
    finally:  # of thousands of tests: others must not wait
        await asyncio.to_thread(shutil.rmtree, made, ignore_errors=True)


def case(where: Path, number: int, given: bytes, wanted: bytes, files: Mapping[str, bytes] | None = None) -> TestCase:
    """One test. `files` lie in the program's directory.

    Raises:
        Unusable: a file's name cannot be one.
    """
    extra = tuple(write_file(where / f"{number}.files", name, content) for name, content in (files or {}).items())
    return replace(write_test(where, str(number), given, wanted), files=extra)


def write_file(where: Path, name: str, content: bytes) -> Path:
    """A file of a plain name. Raises as `case`."""
    encoded = name.encode("utf-8", "replace")
    if not name or "/" in name or "\0" in name or name in (".", "..") or len(encoded) > _MOST_NAME:
        raise Unusable(f"{name[:40]!r} is no plain file name")
    where.mkdir(exist_ok=True)
    path = where / encoded.decode()
    if path.exists():
        raise Unusable(f"two files are called {name[:100]}")
    path.write_bytes(content)
    return path


def make_problem(name: str, where: Path, tests: Iterable[TestCase]) -> Problem:
    """A problem of these tests, whose files lie in `where`."""
    return Draft(name=name, work=where, tests=list(tests)).build()


async def judge_inline(
    submission: Submission, options: Options, service: Service, *, checked: bool = False, reads: bool = True
) -> Judgement:
    """`checked`: the caller brings a checker. `reads`: the caller may read the tests, which our errors may quote.

    Raises:
        Unusable: it cannot be judged at all, or the caller's checker fails on the right answer, too.
        Failed: we failed.
        Refused: too much waits.
    """
    try:
        longest_ns = await asyncio.to_thread(
            service.facts.check_length, submission.problem, submission.language, options
        )
        judgement = await service.run(
            lambda judge: judge.submit(submission, options), longest_ns=longest_ns, here=False
        )
    except (JudgeError, ProblemError) as error:
        told = reads or not isinstance(error, ProblemError)
        raise Unusable(str(error) if told else "this problem cannot be judged on") from error
    if judgement.verdict is Verdict.IE and checked and judgement.tests:
        said = (judgement.tests[0].detail or judgement.error or "").partition(BY_HAND)[0]
        raise Unusable(f"the checker fails: {said}")
    if judgement.verdict is Verdict.IE:
        raise Failed((reads and judgement.error) or "internal error")
    return judgement
