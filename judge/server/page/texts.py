"""Whole texts as they are, where a page shows their beginning: a source, an input, an answer, what a program wrote."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, BinaryIO, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse

from judge.common.whole import encode_text
from judge.server.api.v1 import own, show_result
from judge.server.guarding.access import TheService
from judge.server.page import look
from judge.server.page.details import find_case, find_problem, find_request
from judge.server.page.session import TheVisit
from judge.server.page.visits import Visit
from judge.server.requests import ExecutionRequest
from judge.server.storing.store import Row
from problems.errors import ProblemError
from problems.reading.samples import samples

router = APIRouter(route_class=look.PageRoute)

_CHUNK_BYTES = 1 << 16
_What = Literal["source", "stdin", "stdout", "stderr", "compiler"]
_Of = Literal["input", "answer"]
_Download = Annotated[bool, Query()]


@router.get("/judgements/{id_}/text/{what}")
async def show(visit: TheVisit, service: TheService, id_: str, what: _What, download: _Download = False) -> Response:
    row = await own(id_, visit.caller, service, 0)
    content = await asyncio.to_thread(_read_text, visit, row, what)
    return _answer(visit, content, f"{what}.txt", download)


@router.get("/judgements/{id_}/tests/{of}")
async def show_test(
    request: Request,
    visit: TheVisit,
    service: TheService,
    id_: str,
    of: _Of,
    test: Annotated[str, Query(max_length=1000)],
    download: _Download = False,
) -> Response:
    """The input or the answer of a test, of which whoever asks may see it."""
    row = await own(id_, visit.caller, service, 0)
    with service.packages.using(row.problem):
        problem = await asyncio.to_thread(find_problem, request.app, find_request(row))
        case = find_case(problem, test)
        if case is None or not (visit.caller.may("read") or case.sample):
            raise look.Refused(404, visit.say("not_found"))
        return _answer(visit, _open(case.input if of == "input" else case.answer), f"{of}.txt", download)


@router.get("/problems/{name}/samples/{number}/{what}")
async def show_sample(
    request: Request,
    visit: TheVisit,
    service: TheService,
    name: str,
    number: int,
    what: str,
    download: _Download = False,
) -> Response:
    with service.packages.using(name):
        try:
            problem = await asyncio.to_thread(request.app.state.catalogue.problem, name)
            parts = dict(samples(problem)[number - 1].parts) if number > 0 else {}
        except (ProblemError, IndexError) as error:
            raise look.Refused(404, visit.say("not_found")) from error
        return _answer(visit, _open(parts.get(what)), f"sample-{number}-{what}.txt", download)


def _read_text(visit: Visit, row: Row, what: _What) -> bytes | None:
    """None: there is none."""
    request = find_request(row)
    if request is not None and what == "source":
        return request_bytes(request.source, request.source_base64)
    if isinstance(request, ExecutionRequest) and what == "stdin":
        return request_bytes(request.stdin, request.stdin_base64)
    result = json.loads(show_result(row, visit.caller) or "{}")
    text = (result.get("compile") or {}).get("output") if what == "compiler" else result.get(what)
    return None if text is None else encode_text(str(text))


def request_bytes(text: str, base64_text: str | None) -> bytes:
    """A field of a request that may be given in either form."""
    return encode_text(text) if base64_text is None else base64.b64decode(base64_text)


def _open(path: Path | None) -> BinaryIO | None:
    """None: there is none that can be read."""
    try:
        return None if path is None else path.open("rb")
    except OSError:
        return None


def _answer(visit: Visit, content: bytes | BinaryIO | None, name: str, download: bool) -> Response:
    """As plain text, which no browser takes for anything else."""
    if content is None:
        raise look.Refused(404, visit.say("not_found"))
    where = {"Content-Disposition": f'{"attachment" if download else "inline"}; filename="{name}"'}
    kind = "text/plain; charset=utf-8"
    if isinstance(content, bytes):
        return Response(content, media_type=kind, headers=look.HEADERS | where)
    return StreamingResponse(_chunks(content), media_type=kind, headers=look.HEADERS | where)


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    with stream:
        while chunk := stream.read(_CHUNK_BYTES):
            yield chunk
