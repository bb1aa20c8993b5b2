"""/v1/packages: problem packages that clients send."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi import Path as InPath
from fastapi.responses import JSONResponse, Response

from judge.server.guarding.access import TheCaller, TheService, TheSubmitter
from judge.server.requests import DIGEST, PACKAGE
from problems.errors import ProblemError
from problems.files.tree import VALID_NAME

router = APIRouter(prefix="/v1/packages", tags=["packages"])

_Digest = Annotated[str, InPath(pattern=f"^{DIGEST}$")]
_BODY = {"requestBody": {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}}


@router.get("/{digest}", responses={404: {"description": "It was not sent."}})
async def has(digest: _Digest, caller: TheCaller, service: TheService) -> Response:
    """200 if the server has the package."""
    known = await asyncio.to_thread(service.store.has_package, digest)
    return JSONResponse({"package": digest}) if known else JSONResponse({"error": "no such package"}, 404)


@router.put("/{digest}", openapi_extra=_BODY)
async def send(
    digest: _Digest,
    request: Request,
    caller: TheSubmitter,
    service: TheService,
    name: Annotated[str, Query(pattern=f"^(?:{VALID_NAME.pattern})$", max_length=200)],
) -> dict[str, str]:
    """Send a package as a zip file. Programs are then judged on the problem `package:DIGEST`."""
    try:
        content = await request.body()
        await service.slow.run(lambda: service.packages.take(digest, name, caller.name, content))
    except ProblemError as error:
        raise HTTPException(422, str(error)) from error
    return {"problem": PACKAGE + digest}
