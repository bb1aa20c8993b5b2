"""code-judge's `/judge` and `/run`, one and many. (Shapes: its app/model.py.)"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from judge.checkers.compare import compare
from judge.common.errors import JudgeError
from judge.common.execution import Execution, Program
from judge.common.models import Verdict
from judge.common.whole import encode_text
from judge.server.guarding.access import TheService
from judge.server.queueing.flights import SharedRoute
from judge.server.requests import Text
from judge.server.service import Service
from problems.files.languages import by_name
from problems.model import MIB, SECOND_NS, Comparison

router = APIRouter(tags=["code-judge"], route_class=SharedRoute)

_CPU_NS, _MEMORY_BYTES = 10 * SECOND_NS, 1024 * MIB
_REASONS: Mapping[Verdict | None, str] = {Verdict.IE: "internal_error", Verdict.TLE: "worker_timeout"}
#: What its programs write when they are stopped for their time.
_LATE = b"Suicide from timeout.\n"


class CodeJudgeSubmission(BaseModel):
    sub_id: Text | None = None
    type: str
    solution: str
    input: str | None = None
    expected_output: str | None = None
    options: dict[str, Any] | None = None


class CodeJudgeBatch(BaseModel):
    sub_id: Text | None = None
    type: Literal["batch"] = "batch"
    submissions: Annotated[list[CodeJudgeSubmission], Field(min_length=1, max_length=10_000)]


@router.get("/ping")
async def ping() -> str:
    return "pong"


@router.get("/status")
async def status(service: TheService) -> dict[str, int]:
    return {"queue": await asyncio.to_thread(lambda: service.waiting), "num_workers": service.judge.slots}


@router.post("/judge")
async def judge_one(body: CodeJudgeSubmission, service: TheService) -> dict[str, Any]:
    return await _run(body, service, told=False)


@router.post("/run")
async def run_one(body: CodeJudgeSubmission, service: TheService) -> dict[str, Any]:
    return await _run(body, service, told=True)


@router.post("/judge/batch")
@router.post("/judge/long-batch")
async def judge_batch(body: CodeJudgeBatch, service: TheService) -> dict[str, Any]:
    return await _all(body, service, told=False)


@router.post("/run/batch")
@router.post("/run/long-batch")
async def run_batch(body: CodeJudgeBatch, service: TheService) -> dict[str, Any]:
    return await _all(body, service, told=True)


async def _all(body: CodeJudgeBatch, service: Service, *, told: bool) -> dict[str, Any]:
    """As many of them at once as keep the slots busy: it may be longer than the queue.

    Raises:
        Refused: none was begun.
    """
    await service.admit()
    done: dict[int, dict[str, Any]] = {}
    left = iter(enumerate(body.submissions))

    async def take() -> None:
        for number, one in left:
            done[number] = await _run(one, service, told=told, taken=True)

    try:
        async with asyncio.TaskGroup() as taking:
            for _ in range(min(len(body.submissions), 2 * service.here.slots)):
                taking.create_task(take())
    except ExceptionGroup as group:
        raise group.exceptions[0] from group
    return {"sub_id": body.sub_id, "results": [done[number] for number in sorted(done)]}


async def _run(asked: CodeJudgeSubmission, service: Service, *, told: bool, taken: bool = False) -> dict[str, Any]:
    """`taken`: as of `Service.run`."""
    try:
        execution = await service.execute(_program(asked), taken=taken)
    except (JudgeError, ValueError):
        return _result(asked, None, "invalid_input", told=told)
    return _result(asked, execution, _REASONS.get(execution.verdict, ""), told=told)


def _program(asked: CodeJudgeSubmission) -> Program:
    if (language := by_name("code_judge").get(asked.type)) is None:
        raise ValueError(f"no programs of type {asked.type}")
    return Program(
        source=encode_text(asked.solution),
        language=language.name,
        stdin=encode_text(asked.input or ""),
        cpu_ns=_CPU_NS,
        wall_ns=_CPU_NS,
        memory_bytes=_MEMORY_BYTES,
    )


def _result(asked: CodeJudgeSubmission, execution: Execution | None, reason: str, *, told: bool) -> dict[str, Any]:
    ran = execution is not None and execution.verdict is None
    right = ran
    if execution is not None and ran and asked.expected_output is not None:
        right = compare(execution.stdout, encode_text(asked.expected_output), Comparison()).score > 0
    cost = 0.0 if execution is None else (execution.wall_ns or 0) / SECOND_NS
    found: dict[str, Any] = {
        "sub_id": asked.sub_id,
        "success": right,
        "run_success": ran,
        "cost": cost,
        "reason": reason,
    }
    if told:
        out, err = (b"", b"") if execution is None else (execution.stdout, execution.stderr)
        if execution is not None and execution.verdict is Verdict.TLE:
            out += _LATE
        found |= {"stdout": out.decode("utf-8", "replace"), "stderr": err.decode("utf-8", "replace")}
    return found
