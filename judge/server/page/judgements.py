"""Judgements: the list with its filters, one of them, and the events by which it comes in."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any
from urllib.parse import urlencode

import sqlalchemy as sql
from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response, StreamingResponse

from judge.common.models import Verdict
from judge.server.api.v1 import TESTS_S, own, show_result
from judge.server.guarding.access import TheService
from judge.server.observing.metrics import ENDED_WELL
from judge.server.page import look, queries
from judge.server.page.details import details
from judge.server.page.session import TheVisit, form, require
from judge.server.page.titles import short_name
from judge.server.page.visits import Visit
from judge.server.service import Gone, Service
from judge.server.storing.shown import public_text
from judge.server.storing.store import Row

router = APIRouter(route_class=look.PageRoute)

SINCE = {"hour": 3600, "day": 24 * 3600, "week": 7 * 24 * 3600}
#: Seconds between two signs of life of a stream of events.
_BEAT_S = 15.0

_Text = Annotated[str, Query(max_length=200)]
_Number = Annotated[int | None, Query(ge=0, le=2**62)]


@router.get("/judgements")
async def list_judgements(
    request: Request,
    visit: TheVisit,
    service: TheService,
    verdict: _Text = "",
    problem: _Text = "",
    language: _Text = "",
    since: _Text = "",
    rows: _Text = "",
    before: _Number = None,
    after: _Number = None,
) -> Response:
    given = {"verdict": verdict, "problem": problem, "language": language, "since": since, "rows": rows}
    asked = {name: value.replace("\0", "").strip() for name, value in given.items()}  # no column holds a zero byte
    wanted = queries.Wanted(
        verdict=asked["verdict"] or None,
        problem=asked["problem"] or None,
        language=asked["language"] or None,
        seconds=SINCE.get(since),
        folded=not any(asked[name] for name in ("verdict", "problem", "language", "rows")),
        before=before,
        after=after,
    )
    found = await asyncio.to_thread(queries.rows, service.store, visit.caller, wanted)
    return look.page(
        request,
        visit,
        "judgements.html",
        asked=asked,
        rows=shown_rows(found.rows, folded=wanted.folded),
        pager=pager(found, {name: value for name, value in asked.items() if value}),
        verdicts=list(Verdict),
        sinces=list(SINCE),
    )


def pager(found: queries.Listed, asked: dict[str, str]) -> dict[str, str | None]:
    """The addresses of the pages beside this one."""

    def at(name: str, row: int) -> str:
        return "?" + urlencode(asked | {name: str(found.rows[row]["number"])})

    rows = bool(found.rows)
    return {
        "newest": "?" + urlencode(asked) if found.newer else None,
        "newer": at("after", 0) if found.newer and rows else None,
        "older": at("before", -1) if found.older and rows else None,
    }


def shown_rows(rows: Sequence[sql.RowMapping], *, folded: bool = False) -> list[dict[str, Any]]:
    """What a list shows of each row. `folded`: a row of a batch stands for all of it."""
    found = []
    for row in rows:
        whole = row["result"]
        result = json.loads(public_text(row["kind"], whole, row["samples"])) if whole else {}
        shown = {name: row[name] for name in row if name not in ("result", "samples")}
        cpu = result.get("cpu_ns")
        shown |= {"score": result.get("score"), "cpu_ns": cpu, "memory_bytes": result.get("memory_bytes")}
        shown["name"] = result.get("id")
        shown["fold"] = folded and row["batch"] is not None
        shown["problem_name"] = short_name(row["problem"] or "", row["sent_as"])
        if row["done"] and row["verdict"] is None:
            shown["verdict"] = ENDED_WELL
        found.append(shown)
    return found


@router.get("/judgements/{id_}")
async def one(
    request: Request, visit: TheVisit, service: TheService, id_: str, tests: _Text = "", test: _Text = ""
) -> Response:
    """`tests`: the verdict of those that are shown; `test`: one that is looked for."""
    row = await own(id_, visit.caller, service, 0)
    values = await asyncio.to_thread(details, request.app, service, visit, row, tests, test.strip())
    if values["result"] is None:
        values["state"] = line(visit, service, row)
    return look.page(request, visit, "judgement.html", **values)


@router.get("/judgements/{id_}/json")
async def as_json(visit: TheVisit, service: TheService, id_: str) -> Response:
    row = await own(id_, visit.caller, service, 0)
    return Response(show_result(row, visit.caller) or "null", media_type="application/json")


@router.post("/judgements/{id_}/cancel")
async def cancel(request: Request, visit: TheVisit, service: TheService, id_: str) -> Response:
    require(visit, "submit")
    await form(request, visit, service)
    row = await own(id_, visit.caller, service, 0)
    await asyncio.to_thread(service.rows.cancel, row)
    return RedirectResponse(f"/judgements/{id_}", 303)


@router.get("/judgements/{id_}/events")
async def events(visit: TheVisit, service: TheService, id_: str) -> StreamingResponse:
    """`state` with a line of text, `test` with a row of the table, `done`. After an interruption all is told again."""
    row = await own(id_, visit.caller, service, 0)

    async def stream() -> AsyncIterator[str]:
        try:
            async for event in _events(row, visit, service):
                yield event
        except Gone:  # with its batch; the page will say so
            yield _event("done", "")

    return StreamingResponse(stream(), media_type="text/event-stream")


async def _events(asked: Row, visit: Visit, service: Service) -> AsyncIterator[str]:
    told, counted, state, beat = 0, -1, "", time.monotonic()
    async for row in service.looks(asked, TESTS_S):
        if row.result is not None:
            yield _event("done", "")
            return
        live = service.rows.live(row.id)
        tests = live.tests(hide=not visit.caller.may("read")) if live else ()
        if len(tests) < told:  # begun anew
            told = 0
            yield _event("anew", "")
        for test in tests[told:]:
            yield _event("test", look.piece(visit, "test_row", test.as_dict(), None))
        told = len(tests)
        if live is not None and live.count and len(tests) != counted:
            counted = len(tests)
            yield _event("progress", f"{counted} {live.count}")
        if (now := line(visit, service, row)) != state:
            state = now
            yield _event("state", state)
        if time.monotonic() - beat >= _BEAT_S:
            beat = time.monotonic()
            yield ": still waiting\n\n"


def line(visit: Visit, service: Service, row: Row) -> str:
    """How far a judgement is."""
    live = service.rows.live(row.id)
    if live is None or not service.rows.has_begun(row.id):
        return visit.say("state_waiting")
    if row.kind == "execution":
        return visit.say("state_running")
    if live.compile is None:
        return visit.say("state_begun")
    return visit.say("state_testing", done=len(live.tests(hide=True)), count=live.count)


def _event(name: str, text: str) -> str:
    return f"event: {name}\n" + "".join(f"data: {part}\n" for part in text.split("\n")) + "\n"
