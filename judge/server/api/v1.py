"""The judge's own API: /v1."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, HTTPException, Query
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import Field

import problems
from judge import languages
from judge.server.api import about
from judge.server.guarding.access import TheCaller, TheService, TheSubmitter
from judge.server.guarding.keys import Caller
from judge.server.requests import (
    MOST_CPU_NS,
    MOST_MEMORY_BYTES,
    MOST_OUTPUT_BYTES,
    PACKAGE,
    ExecutionRequest,
    JudgementRequest,
    unknown_problem,
)
from judge.server.service import Gone, Service
from judge.server.storing.new import Request
from judge.server.storing.once import Once
from judge.server.storing.store import Row
from problems.errors import ProblemError, UnknownProblem
from problems.lookup import find_named
from problems.model import Limits

router = APIRouter(prefix="/v1", tags=["v1"])

_Wait = Annotated[float, Query(ge=0, le=60, description="Seconds to wait for the result.")]
_Once = Annotated[
    str | None, Header(alias="Idempotency-Key", max_length=200, description="A repeated request is accepted once.")
]
#: Rows of one request. Those beyond are not looked at.
_MOST_ROWS = 10_000
_Many = Annotated[list[JudgementRequest], Field(max_length=_MOST_ROWS)]
#: Seconds between two signs of life of a stream of events.
_BEAT_S = 15.0
#: Seconds between two looks at a judgement that is being made.
TESTS_S = 0.2
NO_SUCH = "no such id"


@router.post("/judgements")
async def judge_one(
    body: JudgementRequest, caller: TheSubmitter, service: TheService, wait: _Wait = 0, key: _Once = None
) -> Response:
    """Judge one submission. 200 with the judgement if it is known within `wait` seconds, else 202 with its id."""
    return await _accept(body, caller, service, wait, key)


@router.post("/judgements/many", status_code=202)
async def judge_many(body: _Many, caller: TheSubmitter, service: TheService, key: _Once = None) -> dict[str, list[str]]:
    """Judge many: their ids, in the same order. All are accepted, or (429) none."""
    asked = (request.model_dump_json() for request in body)
    return {"ids": await service.take(body, caller, await asyncio.to_thread(Once.of, key, "many", asked))}


@router.post("/executions")
async def execute(
    body: ExecutionRequest, caller: TheSubmitter, service: TheService, wait: _Wait = 0, key: _Once = None
) -> Response:
    """Run a program that belongs to no problem, and tell what it did."""
    return await _accept(body, caller, service, wait, key)


@router.get("/judgements/{id_}")
@router.get("/executions/{id_}")
async def show(id_: str, caller: TheCaller, service: TheService, wait: _Wait = 0) -> Response:
    """200 with the result, or 202 while there is none."""
    return _answer(await own(id_, caller, service, wait), caller)


@router.delete("/judgements/{id_}")
@router.delete("/executions/{id_}")
async def cancel(id_: str, caller: TheSubmitter, service: TheService) -> dict[str, bool]:
    """Take it out of the queue, unless it has begun. What was cancelled has the verdict IE."""
    row = await own(id_, caller, service, 0)
    return {"cancelled": await asyncio.to_thread(service.rows.cancel, row)}


@router.get("/judgements/{id_}/events")
@router.get("/executions/{id_}/events")
async def events(
    id_: str,
    caller: TheCaller,
    service: TheService,
    tests: Annotated[bool, Query(description="Tell of each test as soon as it was run.")] = False,
) -> StreamingResponse:
    """Server-sent events: `accepted`, then `result` with the JSON of the result; or `cancelled`, if it was cancelled
    with its batch. Between them comes `test` with the JSON of each test, if asked for, and if this server judges."""
    asked = await own(id_, caller, service, 0)

    async def stream() -> AsyncIterator[str]:
        yield f"event: accepted\ndata: {json.dumps({'id': id_})}\n\n"
        told, beat = 0, time.monotonic()
        try:
            async for row in service.looks(asked, TESTS_S if tests else _BEAT_S):
                live = service.rows.live(id_)
                news = live.tests(hide=not caller.may("read"))[told:] if tests and live is not None else ()
                for test in news:
                    yield f"event: test\ndata: {test.to_json()}\n\n"
                told += len(news)
                if row.result is None and time.monotonic() - beat >= _BEAT_S:
                    beat = time.monotonic()
                    yield ": still waiting\n\n"
                if row.result is not None:  # it never comes if this server ends
                    yield f"event: result\ndata: {show_result(row, caller)}\n\n"
        except Gone:
            yield f"event: cancelled\ndata: {json.dumps({'id': id_})}\n\n"

    return StreamingResponse(stream(), media_type="text/event-stream")


@router.get("/problems")
async def list_problems(caller: TheCaller) -> dict[str, list[str]]:
    return {"problems": list(await asyncio.to_thread(problems.names))}


@router.get("/problems/{name}")
async def show_problem(name: str, caller: TheCaller, service: TheService) -> Response:
    """Limits, samples and statements of a problem, by name or `package:DIGEST`, and the digest of its package. Hidden
    tests are counted, never shown. A sample or a statement of which more is not sent has `cut`."""
    path = None
    try:
        with service.packages.using(name):
            if name.startswith(PACKAGE):
                package = name.removeprefix(PACKAGE)
                path = await asyncio.to_thread(service.packages.path, package)
            else:
                path = await asyncio.to_thread(find_named, name)
                package = await about.digest(path)
            content = await service.slow.run(lambda: about.describe_package(path, package))
    except UnknownProblem as error:
        raise HTTPException(404, unknown_problem(error)) from error
    except ProblemError as error:  # its text names files; where they lie is the server's
        raise HTTPException(409, str(error).replace(f"{path}/", "")) from error
    return Response(content, media_type="application/json")


@router.get("/languages")
async def list_languages(caller: TheCaller) -> dict[str, list[dict[str, Any]]]:
    found = await asyncio.to_thread(lambda: [(languages.get(n), languages.get(n).status()) for n in languages.names()])
    return {
        "languages": [
            {
                "name": language.name,
                "title": language.title,
                "aliases": list(language.aliases),
                "version": status.version,
                "problem": status.problem,
            }
            for language, status in found
        ]
    }


@router.get("/limits")
async def limits(caller: TheCaller, service: TheService) -> dict[str, Any]:
    """What a request may ask for, and how much is done at once."""
    walls = await asyncio.to_thread(lambda: service.judge.isolation)
    return {
        "isolation": {
            "backend": walls.backend,
            "tier": walls.tier,
            "layers": list(walls.layers),
            "missing": list(walls.missing),
        },
        "slots": service.judge.slots,
        "most_waiting": service.settings.most_waiting,
        "waiting": await asyncio.to_thread(lambda: service.waiting),
        "most_body_bytes": service.settings.most_body,
        "most_source_bytes": Limits().code_bytes,
        "most_cpu_ns": MOST_CPU_NS,
        "most_judgement_seconds": service.settings.judgement_seconds,
        "most_memory_bytes": MOST_MEMORY_BYTES,
        "most_output_bytes": MOST_OUTPUT_BYTES,
    }


async def _accept(body: Request, caller: Caller, service: Service, wait: float, key: str | None) -> Response:
    once = None if key is None else Once.of(key, body.__class__.__name__, [body.model_dump_json()])
    return _answer(await service.answer(body, caller, wait, once), caller)


async def own(id_: str, caller: Caller, service: Service, wait: float) -> Row:
    """What this caller has sent.

    Raises:
        HTTPException: there is no such thing, or another's.
    """
    row = await asyncio.to_thread(service.store.get, id_)
    if row is None or (row.owner != caller.name and not caller.may("admin")):
        raise HTTPException(404, NO_SUCH)
    if row.result is None and wait:
        return await service.wait(id_, wait)
    return row


def _answer(row: Row, caller: Caller) -> Response:
    where = {"Location": f"/v1/{row.kind}s/{row.id}"}
    if row.result is None:
        return JSONResponse({"id": row.id, "state": "accepted"}, 202, where)
    text = f'{{"id": {json.dumps(row.id)}, "state": "done", "{row.kind}": {show_result(row, caller)}}}'
    return Response(text, media_type="application/json", headers=where)


def show_result(row: Row, caller: Caller) -> str:
    """The JSON of a result, as far as this caller may see it."""
    return (row.result if caller.may("read") else row.public) or ""
