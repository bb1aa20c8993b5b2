"""go-judge's REST endpoints, at which a wrong request is 400 with a text, and its sockets."""

from __future__ import annotations

import mimetypes
import platform
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, HTTPException, Request, UploadFile
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute

from judge.server.compat.go_judge import running
from judge.server.compat.go_judge.prepare import Refused
from judge.server.compat.go_judge.requests import RunRequest
from judge.server.compat.go_judge.sockets import router as sockets
from judge.server.guarding.access import TheCaller, TheService
from judge.server.guarding.limits import Busy, Full
from judge.server.queueing.flights import share_equal
from judge.server.settings import read_version
from judge.server.storing.cached import NoRoom

#: The version whose protocol this is.
VERSION = "v1.8.6"
#: As Go calls them.
_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
_ABILITIES = {
    "copyOutOptional": True,
    "copyOutTruncate": True,
    "pipeProxy": True,
    "symlink": False,
    "addressSpaceLimit": False,
    "stream": True,
    "procPeak": False,
    "pipeProxyZeroCopy": False,
    "fixSymlinkEscape": True,
}


class _Route(APIRoute):
    """Answers what is wrong with a request as go-judge does: a JSON string."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        following = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                return await following(request)
            except RequestValidationError as error:
                first = error.errors()[0]
                where = ".".join(str(part) for part in first["loc"][1:])
                return JSONResponse(f"{where}: {first['msg']}" if where else first["msg"], 400)
            except Refused as error:
                return JSONResponse(str(error), 400)
            except HTTPException as error:  # a body that cannot be read at all
                return JSONResponse(str(error.detail), error.status_code, error.headers)
            except (Full, Busy) as error:
                return JSONResponse("worker queue is full", 429, {"Retry-After": str(error.retry_s)})

        return share_equal(handle) if self.path == "/run" else handle


router = APIRouter(route_class=_Route, tags=["go-judge"])
router.include_router(sockets)


@router.post("/run")
async def run(body: RunRequest, caller: TheCaller, service: TheService) -> list[dict[str, Any]]:
    return await running.run(body, caller, service)


@router.get("/file")
async def list_files(caller: TheCaller, service: TheService) -> dict[str, str]:
    return service.files.names(caller.name)


@router.post("/file")
async def keep_file(file: UploadFile, caller: TheCaller, service: TheService) -> str:
    try:
        return service.files.add(caller.name, file.filename or "", await file.read())
    except NoRoom as error:
        raise Refused(str(error)) from error


@router.get("/file/{id_}")
async def show_file(id_: str, caller: TheCaller, service: TheService) -> Response:
    try:
        file = service.files.get(caller.name, id_)
    except KeyError:
        return Response(status_code=404)
    name = "".join(c if c.isascii() and c.isprintable() and c not in '"\\' else "_" for c in file.name)
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return Response(file.content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


@router.delete("/file/{id_}")
async def delete_file(id_: str, caller: TheCaller, service: TheService) -> Response:
    try:
        service.files.delete(caller.name, id_)
    except KeyError:
        return Response(status_code=404)
    return Response()


@router.get("/version")
async def version() -> dict[str, Any]:
    about = {
        "buildVersion": VERSION,
        "goVersion": "",
        "platform": _MACHINES.get(platform.machine(), platform.machine()),
        "os": "linux",
    }
    return {"version": read_version(), **about, **_ABILITIES}


@router.get("/config")
async def config() -> dict[str, Any]:
    return {**_ABILITIES, "fileStorePath": "", "runnerConfig": {"cgroupType": 0}}
