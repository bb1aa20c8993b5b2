"""/v1/batches: rows of `judge batch`, sent as JSON lines in one request or in many, and their results as they end.

Both directions go on where they broke off: rows are sent, and results asked for, `after` a number.
"""

from __future__ import annotations

import asyncio
import base64
import io
import json
from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, HTTPException, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import ValidationError

from judge.common.config import CHOSEN_LANGUAGES
from judge.common.models import Judgement, Stop, Submission
from judge.judging.sources import MOST_FILES
from judge.many import rows
from judge.server.guarding.access import TheCaller, TheService, TheSubmitter
from judge.server.guarding.keys import Caller
from judge.server.requests import JudgementRequest, OptionsRequest, check_values
from judge.server.service import Service
from judge.server.storing.once import Once
from judge.server.storing.store import Batch
from problems.model import MIB

router = APIRouter(prefix="/v1/batches", tags=["batches"])

_Once = Annotated[
    str | None, Header(alias="Idempotency-Key", max_length=200, description="A batch with a key is made once.")
]
_After = Annotated[int, Query(ge=0, le=2**31 - 1)]
#: Rows of one look into the database: they are in memory, several times, while a client does not read them. And seconds
#: between two looks.
_PAGE, _LOOK_S = 50, 0.2
#: Rows of one request: each takes some kilobytes of memory until it is stored.
_MOST_SENT = 100_000
#: Wrong lines that are told.
_TOLD = 10
JSON_LINES = "application/x-ndjson"
_BODY = {"requestBody": {"content": {JSON_LINES: {"schema": {"type": "string"}}}}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How to judge the rows; `language`: of rows that name none."""

    language: str = "cpp17"
    stop: Stop = Stop.NEVER
    verdict_cache: bool = True


_How = Annotated[Asked, Depends()]


@router.post("", status_code=201, openapi_extra=_BODY)
async def make(
    request: Request,
    caller: TheSubmitter,
    service: TheService,
    how: _How,
    key: _Once = None,
) -> Response:
    """Make a batch of the rows of the body, which may be empty: {id, problem, source | completion, language} a line.

    With an idempotency key that is known, the batch that it made is shown.
    """
    found = await _read(request, service, how, 0)
    asked = (how.language, how.stop, str(how.verdict_cache), await request.body())
    once = await asyncio.to_thread(Once.of, key, "batch", asked)
    id_ = await asyncio.to_thread(service.store.make_batch, caller.name, once)
    if found:
        await service.slow.run(lambda: service.append(id_, caller.name, 0, found))
    batch = await own(id_, caller, service)
    return JSONResponse(await _state(batch, service), 201, {"Location": f"/v1/batches/{id_}"})


@router.post("/{id_}/rows", openapi_extra=_BODY)
async def append(
    id_: str,
    request: Request,
    caller: TheSubmitter,
    service: TheService,
    after: _After,
    how: _How,
) -> Response:
    """Add rows to a batch that has `after` rows. 409, with the number that it has, if it has not: go on from there."""
    batch = await own(id_, caller, service)
    found = await _read(request, service, how, after)
    count = await service.slow.run(lambda: service.append(id_, batch.owner, after, found))
    if count is None:
        now = (await own(id_, caller, service)).rows
        return JSONResponse({"error": f"the batch has {now} rows, not {after}: go on after {now}", "rows": now}, 409)
    return JSONResponse({"rows": count})


@router.get("/{id_}")
async def show(id_: str, caller: TheCaller, service: TheService) -> dict[str, Any]:
    """How many rows it has, how many have ended and with what verdicts."""
    return await _state(await own(id_, caller, service), service)


@router.get("/{id_}/results")
async def results(
    id_: str,
    caller: TheCaller,
    service: TheService,
    after: _After = 0,
    follow: Annotated[bool, Query(description="Until all rows have ended.")] = False,
) -> StreamingResponse:
    """JSON lines {number, row, id, judgement} of what has ended after the `after`-th, in the order in which it did."""
    await own(id_, caller, service)
    return StreamingResponse(lines(id_, caller, service, after, follow), media_type=JSON_LINES)


@router.delete("/{id_}")
async def cancel(id_: str, caller: TheSubmitter, service: TheService) -> dict[str, int]:
    """Take out the rows that nobody has begun to judge: how many. They have no result."""
    await own(id_, caller, service)
    return {"cancelled": await asyncio.to_thread(service.cancel_batch, id_)}


async def lines(id_: str, caller: Caller, service: Service, after: int, follow: bool) -> AsyncIterator[str]:
    """As `results` answers."""
    while True:
        batch = await asyncio.to_thread(service.store.batch, id_)
        if batch is None:
            return
        while found := await asyncio.to_thread(
            service.store.list_ended, id_, after, _PAGE, public=not caller.may("read")
        ):
            after += len(found)
            text = "".join(
                f'{{"number": {number}, "row": {place}, "id": {json.dumps(row)}, "judgement": {shown}}}\n'
                for number, place, row, shown in found
            )
            found.clear()
            yield text
        if not follow or service.drained or after >= batch.rows - batch.cancelled:
            return
        await asyncio.sleep(_LOOK_S)


async def _state(batch: Batch, service: Service) -> dict[str, Any]:
    verdicts = await asyncio.to_thread(service.store.verdicts, batch.id)
    left = batch.rows - batch.ended - batch.cancelled
    numbers = {"rows": batch.rows, "ended": batch.ended, "cancelled": batch.cancelled, "waiting": left}
    return {"id": batch.id, **numbers, "verdicts": verdicts}


async def own(id_: str, caller: Caller, service: Service) -> Batch:
    """A batch of this caller.

    Raises:
        HTTPException: there is no such batch, or it is another's.
    """
    batch = await asyncio.to_thread(service.store.batch, id_)
    if batch is None or (batch.owner != caller.name and not caller.may("admin")):
        raise HTTPException(404, "no such batch")
    return batch


async def _read(request: Request, service: Service, how: Asked, after: int) -> list[JudgementRequest | Judgement]:
    body = await request.body()
    options = OptionsRequest(stop=how.stop, verdict_cache=how.verdict_cache)
    most = service.settings.most_rows
    room = min(_MOST_SENT, most - after)
    may_choose = service.settings.languages
    found = await service.slow.run(lambda: parse_rows(body, how.language, options, room, may_choose))
    if found is None and after + _MOST_SENT >= most:
        raise HTTPException(413, f"a batch may have {most} rows")
    if found is None:
        raise HTTPException(413, f"a request may have {_MOST_SENT} rows; send the rest to /v1/batches/ID/rows")
    await service.slow.run(lambda: service.check(found))
    return found


def parse_rows(
    body: bytes,
    language: str,
    options: OptionsRequest,
    most: int,
    may_choose: Collection[str] = CHOSEN_LANGUAGES,
) -> list[JudgementRequest | Judgement] | None:
    """All rows of a body; None: there are more than `most`; HTTPException 422 with the first lines that are wrong."""
    found: list[JudgementRequest | Judgement] = []
    wrong: list[dict[str, Any]] = []
    known: dict[tuple[str, str], JudgementRequest] = {}
    _check_lines(body)
    for line in rows.read(io.BytesIO(body), language, may_choose):
        if len(found) >= most:
            return None
        try:
            if line.error is not None:
                raise ValueError(line.error)
            asked = line.submission or line.judgement
            if asked is None:
                continue
            if isinstance(asked, Submission) and len(asked.files) > MOST_FILES:
                raise ValueError(f"{len(asked.files)} files beside the source, more than {MOST_FILES}: submit fewer")
            key = (str(asked.problem), asked.language)
            if key not in known:
                known[key] = JudgementRequest(source="", problem=key[0], language=key[1], options=options)
            if isinstance(asked, Judgement):
                found.append(replace(asked, id=line.id))
            else:
                its = {
                    "source": asked.source.decode(),
                    "files": {name: base64.b64encode(content).decode() for name, content in asked.files},
                    "default_language": asked.default_language,
                    "id": asked.id,
                }
                found.append(known[key].model_copy(update=its))
        except ValidationError as error:
            wrong.append({"line": line.line, "error": error.errors()[0]["msg"].removeprefix("Value error, ")})
        except ValueError as error:
            wrong.append({"line": line.line, "error": str(error)})
        if len(wrong) == _TOLD:
            break
    if wrong:
        raise HTTPException(422, f"line {wrong[0]['line']}: {wrong[0]['error']}")
    return found


def _check_lines(body: bytes) -> None:
    """By the lines that are read: CR alone ends none."""
    for number, line in enumerate(io.BytesIO(body) if len(body) >= MIB else (), 1):
        try:
            check_values(line)
        except ValueError as error:
            raise HTTPException(422, f"line {number}: {error}") from error
