"""The first page: a program is submitted, and goes on to the page of its judgement."""

from __future__ import annotations

import asyncio
import base64
import functools
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile

import problems
from judge import languages
from judge.common.errors import LanguageError
from judge.common.models import Stop
from judge.server.api.v1 import own
from judge.server.guarding.access import TheService
from judge.server.guarding.limits import Full, Refused
from judge.server.page import look, queries
from judge.server.page.details import find_request, lexer
from judge.server.page.judgements import shown_rows
from judge.server.page.session import TheVisit, form, require, text
from judge.server.page.visits import Visit
from judge.server.requests import ExecutionRequest, JudgementRequest, OptionsRequest
from judge.server.service import Service
from problems.errors import ProblemError

router = APIRouter(route_class=look.PageRoute)

_USUAL = "cpp17"
_RECENT = 8
#: Names that a browser offers while one writes; more would make the page slow.
_MOST_NAMES = 2000


@router.get("/")
async def show(request: Request, visit: TheVisit, service: TheService, problem: str = "", again: str = "") -> Response:
    """`again`: the id of a judgement whose program is to be changed."""
    values: dict[str, str] = {"problem": problem}
    if again:
        row = await own(again, visit.caller, service, 0)
        if (sent := find_request(row)) is not None:
            values = _repeat_form(sent)
    return await _page(request, visit, service, values)


@router.post("/")
async def send(request: Request, visit: TheVisit, service: TheService) -> Response:
    require(visit, "submit")
    fields = await form(request, visit, service)
    values = {name: text(fields, name) for name in ("problem", "language", "source", "stdin", "stop")}
    values["problem"] = values["problem"].strip()
    try:
        asked = _request(values, await _file(fields), visit)
        (id_,) = await service.take([asked], visit.caller)
    except ValidationError as error:
        first = error.errors()[0]
        why = str(first["msg"]).removeprefix("Value error, ")
        field = str(first["loc"][0])
        return await _page(request, visit, service, values, 422, field, visit.say("wrong_field", why=why))
    except ProblemError as error:
        return await _page(request, visit, service, values, 422, "problem", visit.say("wrong_field", why=error))
    except _Missing:
        return await _page(request, visit, service, values, 422, "source", visit.say("no_source"))
    except Full as error:
        return await _page(request, visit, service, values, 429, "form", visit.say("full", seconds=error.retry_s))
    except Refused as error:
        return await _page(request, visit, service, values, error.status, "form", str(error))
    return RedirectResponse(f"/judgements/{id_}", 303)


class _Missing(Exception):
    """There is no program."""


async def _page(
    request: Request,
    visit: Visit,
    service: Service,
    values: dict[str, str],
    status: int = 200,
    field: str = "",
    message: str = "",
) -> Response:
    usual = {"problem": "", "language": _USUAL, "source": "", "stdin": "", "stop": ""}
    names = await asyncio.to_thread(problems.names)
    recent = await asyncio.to_thread(queries.rows, service.store, visit.caller, queries.Wanted(folded=True), _RECENT)
    return look.page(
        request,
        visit,
        "submit.html",
        status,
        values=usual | values,
        field=field,
        message=message,
        names=names[:_MOST_NAMES],
        languages=await asyncio.to_thread(list_installed),
        rows=shown_rows(recent.rows, folded=True),
    )


async def _file(fields: FormData) -> bytes | None:
    given = fields.get("file")
    if not isinstance(given, UploadFile) or not given.filename:
        return None
    return await given.read()


def _request(values: dict[str, str], file: bytes | None, visit: Visit) -> JudgementRequest | ExecutionRequest:
    """
    Raises:
        ValidationError: a field is wrong.
        _Missing: there is no program.
    """
    program: dict[str, Any] = {"source": values["source"], "language": values["language"] or _USUAL}
    if file is not None:
        program |= {"source": "", "source_base64": base64.b64encode(file).decode()}
    elif not values["source"].strip():
        raise _Missing
    if not values["problem"]:
        return ExecutionRequest(**program, stdin=values["stdin"])
    stop = Stop.FIRST_FAILURE if values["stop"] else Stop.NEVER
    return JudgementRequest(**program, problem=values["problem"], options=OptionsRequest(stop=stop))


def _repeat_form(asked: JudgementRequest | ExecutionRequest) -> dict[str, str]:
    """The fields of the form with which a request would be sent again."""
    if isinstance(asked, ExecutionRequest):
        return {"source": asked.source, "language": asked.language, "stdin": asked.stdin}
    stop = "" if asked.options.stop is Stop.NEVER else "on"
    return {"source": asked.source, "language": asked.language, "problem": asked.problem, "stop": stop}


@functools.cache
def list_installed() -> list[tuple[str, str, bool, str]]:
    """Each language: its name, its title, whether it is there, how its text is coloured."""
    found = []
    for name in languages.names():
        language = languages.get(name)
        try:
            language.find()
            service = True
        except LanguageError:
            service = False
        found.append((name, language.title, service, lexer(name)))
    return sorted(found, key=lambda one: (not one[2], one[1].casefold()))
