"""open-instruct's `/test_program` and `/test_program_stdio`. (Shapes: its code_utils/api.py and code_utils.py.)

There each assertion runs in the program's own process. Here it is read as a call, which the program makes, and a value,
which it never learns.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel, Field, JsonValue

from judge.checkers.assertions import NotHeld
from judge.checkers.assertions.reading import Assertions, read_assertions
from judge.common.models import Judgement, Options, Stop, Submission, Verdict
from judge.common.whole import encode_text
from judge.server.compat import inline
from judge.server.guarding.access import TheService
from judge.server.guarding.limits import Refused, Stopping
from judge.server.queueing.flights import SharedRoute
from judge.server.requests import MOST_CPU_NS, Text, json_value
from judge.server.service import Service
from problems.model import MIB, SECOND_NS, Comparison, Limits, Mode, Problem
from problems.text.statement import Sample

router = APIRouter(tags=["open-instruct"], route_class=SharedRoute)

_MEMORY_BYTES = 1024 * MIB
_MOST_TESTS = 1000
#: Its client makes 0 of a judgement that is lost, and never asks again.
_TRIES = 3
_RETRY_S = 1
#: What it says of a test that did not end well.
_NO_TIME = -1.0


class TestRequest(BaseModel):
    __test__ = False  # not a pytest class

    program: Text
    tests: JsonValue
    max_execution_time: Annotated[float, Field(gt=0, le=MOST_CPU_NS / SECOND_NS)] = 1.0


@router.get("/health")
async def health() -> dict[str, str]:
    return {"status": "healthy"}


@router.post("/test_program")
async def test_program(body: TestRequest, service: TheService) -> dict[str, list[Any]]:
    held = await asyncio.to_thread(_read_all, body.tests)
    results: list[int] = [1] * len(held)
    runtimes: list[float] = [0.0] * len(held)
    for group in _group_alike(held):
        cases = [(place, case) for place in group for case in held[place].tests]
        judged = await _judge(body, [case for _, case in cases], held[group[0]], service)
        for (place, _), (passed, seconds) in zip(cases, judged, strict=True):
            results[place] &= passed
            runtimes[place] += seconds
    return _answer(list(zip(results, runtimes, strict=True)))


@router.post("/test_program_stdio")
async def test_program_stdio(body: TestRequest, service: TheService) -> dict[str, list[Any]]:
    given = []
    for one in await asyncio.to_thread(_tests, body.tests):
        match one:
            case {"input": str() as text, "output": str() as wanted}:
                given.append(Sample(text, wanted))
            case _:
                raise _wrong("each test is {input, output}, texts")
    return _answer(await _judge(body, given, None, service))


def _answer(judged: Sequence[tuple[int, float]]) -> dict[str, list[Any]]:
    """A test that failed took no time, as there."""
    results = [passed for passed, _ in judged]
    return {"results": results, "runtimes": [seconds if passed else _NO_TIME for passed, seconds in judged]}


def _wrong(why: str) -> HTTPException:
    return HTTPException(422, why)


def _tests(given: Any) -> list[Any]:
    if isinstance(given, str):
        try:
            given = json_value(given) if given else []
        except ValueError:
            raise _wrong("tests are no JSON; packed ones are not read here: send the list") from None
    if not isinstance(given, list | None):
        raise _wrong("tests are a list, or JSON of one")
    if given is not None and len(given) > _MOST_TESTS:
        raise _wrong(f"{len(given)} tests, more than {_MOST_TESTS}")
    return given or []


def _read_all(given: Any) -> list[Assertions]:
    """Each test by itself, as each is run there."""
    return [_read(place, one) for place, one in enumerate(_tests(given))]


def _read(place: int, test: Any) -> Assertions:
    try:
        held = read_assertions([test])
    except NotHeld:
        held = None
    if held is None or held.left_out:
        raise _wrong(f"test {place} is of no form that can be held: `assert f(1) == 2` and the like are")
    return held


def _group_alike(held: Sequence[Assertions]) -> list[list[int]]:
    """Places of tests that are judged as one problem."""
    groups: dict[Any, list[int]] = {}
    for place, one in enumerate(held):
        groups.setdefault((one.function, one.absolute_tolerance, one.relative_tolerance), []).append(place)
    return list(groups.values())


async def _judge(
    body: TestRequest, given: Sequence[Sample], held: Assertions | None, service: Service
) -> list[tuple[int, float]]:
    """Whether the program passes each test, and the CPU time of its run in seconds. `held`: what is called.

    Raises:
        HTTPException: it cannot be judged, or we failed, `_TRIES` times.
    """
    if not given:
        return []
    async with inline.directory() as where:
        problem = await asyncio.to_thread(_make_problem, where, body.max_execution_time, given, held)
        submission = Submission(source=encode_text(body.program), problem=problem, language="python3")
        judgement = await _judge_surely(submission, service)
    return [(int(test.verdict is Verdict.AC), (test.cpu_ns or 0) / SECOND_NS) for test in judgement.tests] or [
        (0, 0.0)
    ] * len(given)  # it does not compile


async def _judge_surely(submission: Submission, service: Service) -> Judgement:
    """Its client makes 0 of a refusal, too: where there is no room, this waits until the client leaves."""
    options = Options(stop=Stop.NEVER, language_multiplier=False)
    left = _TRIES
    while True:
        try:
            return await inline.judge_inline(submission, options, service)
        except inline.Unusable as error:
            raise _wrong(str(error)) from error
        except inline.Failed as error:
            left -= 1
            if not left:
                raise HTTPException(503, str(error), {"Retry-After": str(_RETRY_S)}) from error
        except Refused as error:
            if error.retry_s is None or isinstance(error, Stopping):
                raise
        await asyncio.sleep(_RETRY_S)


def _make_problem(where: Path, seconds: float, given: Sequence[Sample], held: Assertions | None) -> Problem:
    checker = Comparison()
    if held is not None:
        checker = Comparison(
            mode=Mode.JSON,
            absolute_tolerance=held.absolute_tolerance,
            relative_tolerance=held.relative_tolerance,
        )
    time_ns = int((seconds if held is not None else math.ceil(seconds)) * SECOND_NS)
    tests = (
        inline.case(where, number, encode_text(one.input), encode_text(one.output)) for number, one in enumerate(given)
    )
    return replace(
        inline.make_problem("test_program", where, tests),
        checker=checker,
        function=None if held is None else held.function,
        limits=Limits(cpu_ns=time_ns, wall_ns=time_ns, memory_bytes=_MEMORY_BYTES),
    )
