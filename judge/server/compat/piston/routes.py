"""Piston's endpoints."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from judge import languages
from judge.common.errors import JudgeError
from judge.common.models import Verdict
from judge.server.compat import inline
from judge.server.compat.piston import graders
from judge.server.compat.piston.answers import ran, show_compile
from judge.server.compat.piston.connect import router as sockets
from judge.server.compat.piston.requests import (
    EXECUTE,
    PACKAGE,
    Wrong,
    body,
    program,
    read_graded,
    read_language,
    version,
)
from judge.server.guarding.access import TheService
from judge.server.guarding.limits import Refused
from judge.server.queueing.flights import SharedRoute
from judge.server.requests import json_body
from judge.server.service import Service

router = APIRouter(prefix="/api/v2", tags=["Piston"], route_class=SharedRoute)
router.include_router(sockets)


@router.post("/execute", openapi_extra=json_body(EXECUTE))
async def execute(request: Request, service: TheService) -> Response:
    if not request.headers.get("content-type", "").startswith("application/json"):
        return JSONResponse({"message": "requests must be of type application/json"}, 415)
    try:
        asked = body(await request.body())
        if (wanted := read_graded(asked)) is not None:
            stages = await graders.run(wanted, service)
            return JSONResponse({**stages, "language": wanted.language, "version": graders.VERSION})
        return await _execute(asked, service)
    except (Wrong, JudgeError, inline.Unusable) as error:
        return JSONResponse({"message": str(error)}, 400)
    except inline.Failed:
        return Response(status_code=500)
    except Refused as error:
        after = {} if error.retry_s is None else {"Retry-After": str(error.retry_s)}
        return JSONResponse({"message": str(error)}, error.status, after)


async def _execute(asked: dict[str, Any], service: Service) -> Response:
    execution = await service.execute(program(asked))
    if execution.verdict is Verdict.IE:
        return Response(status_code=500)
    language = languages.get(execution.language)
    answer: dict[str, Any] = {"language": language.name, "version": version(language.name)}
    made = execution.compile
    if made is not None and (language.compile.output or made.verdict != "ok"):
        answer["compile"] = show_compile(made)
    answer["run"] = answer["compile"] if execution.verdict is Verdict.CE else ran(execution)
    return JSONResponse(answer)


@router.get("/runtimes")
async def runtimes() -> list[dict[str, Any]]:
    return await asyncio.to_thread(_runtimes)


@router.get("/packages")
async def packages() -> list[dict[str, Any]]:
    found = await asyncio.to_thread(_runtimes)
    return [{"language": one["language"], "language_version": one["version"], "installed": True} for one in found]


@router.post("/packages", openapi_extra=json_body(PACKAGE))
async def install(request: Request) -> Response:
    """What is on this machine is installed already."""
    try:
        language, wanted = read_language(body(await request.body()))
    except Wrong as error:
        return JSONResponse({"message": str(error)}, 400)
    service = await asyncio.to_thread(_find_version, language)
    if service is None:
        return JSONResponse({"message": f"Requested package {language}-{wanted} does not exist"}, 404)
    return JSONResponse({"language": language, "version": service})


@router.delete("/packages", openapi_extra=json_body(PACKAGE))
async def uninstall(request: Request) -> Response:
    """Nobody removes what others use."""
    try:
        language, wanted = read_language(body(await request.body()))
    except Wrong as error:
        return JSONResponse({"message": str(error)}, 400)
    if await asyncio.to_thread(_find_version, language) is None:
        return JSONResponse({"message": f"Requested package {language}-{wanted} does not exist"}, 404)
    return JSONResponse({"message": "packages are those of the machine: its administrator removes them"}, 403)


def _find_version(name: str) -> str | None:
    if name == graders.IOI or name in graders.CODEFORCES:
        return graders.VERSION
    language = languages.find(name)
    return None if language is None else version(language.name)


def _runtimes() -> list[dict[str, Any]]:
    found = []
    for name in languages.names():
        if service := version(name):
            found.append({"language": name, "version": service, "aliases": list(languages.get(name).aliases)})
    for name in (graders.IOI, *graders.CODEFORCES):
        found.append({"language": name, "version": graders.VERSION, "aliases": []})
    return found
