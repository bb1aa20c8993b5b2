"""Batches: the list, and one with its verdicts over time."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response, StreamingResponse

from judge.common.models import Verdict
from judge.server.api.batches import JSON_LINES, lines, own
from judge.server.guarding.access import TheService
from judge.server.observing.metrics import ENDED_WELL
from judge.server.page import look, queries
from judge.server.page.charts import bars
from judge.server.page.judgements import pager, shown_rows
from judge.server.page.session import TheVisit, form, require

router = APIRouter(route_class=look.PageRoute)

_Number = Annotated[int | None, Query(ge=0, le=2**62)]


@router.get("/batches")
async def list_batches(request: Request, visit: TheVisit, service: TheService, before: float | None = None) -> Response:
    found = await asyncio.to_thread(queries.batches, service.store, visit.caller, before)
    older = f"?before={found.rows[-1]['made_s']!r}" if found.older else None
    pages = {"newest": "/batches" if found.newer else None, "newer": None, "older": older}
    return look.page(request, visit, "batches.html", batches=found.rows, pager=pages)


@router.get("/batches/{id_}")
async def one(
    request: Request,
    visit: TheVisit,
    service: TheService,
    id_: str,
    verdict: Annotated[str, Query(max_length=200)] = "",
    before: _Number = None,
    after: _Number = None,
) -> Response:
    batch = await own(id_, visit.caller, service)
    wanted = queries.Wanted(batch=id_, verdict=verdict or None, before=before, after=after)
    found = await asyncio.to_thread(queries.rows, service.store, visit.caller, wanted)
    chart = await asyncio.to_thread(queries.over_time, service.store, id_)
    counts = await asyncio.to_thread(service.store.verdicts, id_)
    asked: dict[str, str] = {"verdict": verdict} if verdict else {}
    values: dict[str, Any] = {
        "batch": batch,
        "made_s": await asyncio.to_thread(queries.made_s, service.store, id_),
        "counts": {ENDED_WELL if name == "None" else name: count for name, count in counts.items()},
        "left": batch.rows - batch.ended - batch.cancelled,
        "chart": bars(chart.bars) if chart else None,
        "over_time": chart,
        "rows": shown_rows(found.rows),
        "pager": pager(found, asked),
        "asked": {"verdict": verdict},
        "verdicts": list(Verdict),
    }
    return look.page(request, visit, "batch.html", **values)


@router.get("/batches/{id_}/results.jsonl")
async def results(visit: TheVisit, service: TheService, id_: str) -> StreamingResponse:
    await own(id_, visit.caller, service)
    name = {"Content-Disposition": 'attachment; filename="results.jsonl"'}
    return StreamingResponse(lines(id_, visit.caller, service, 0, False), media_type=JSON_LINES, headers=name)


@router.post("/batches/{id_}/cancel")
async def cancel(request: Request, visit: TheVisit, service: TheService, id_: str) -> Response:
    require(visit, "submit")
    await form(request, visit, service)
    await own(id_, visit.caller, service)
    await asyncio.to_thread(service.cancel_batch, id_)
    return RedirectResponse(f"/batches/{id_}", 303)
