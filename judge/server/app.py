"""Puts the service together: the routes, who may use them, how large and how slow a request may be, how errors read."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from sqlalchemy.exc import SQLAlchemyError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from containers import ContainerError
from judge.server.access import TheService, requires
from judge.server.api import batches, uploads, v1
from judge.server.compat import code_judge, judge0, piston
from judge.server.compat.go_judge import routes as go_judge
from judge.server.compat.sandbox_fusion import routes as sandbox_fusion
from judge.server.keys import Keys
from judge.server.service import Full, Service
from judge.server.settings import Settings, installed
from judge.server.store import Store
from problems.errors import UnknownProblem

_log = logging.getLogger(__name__)

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
#: How many problems of a request are told.
_TOLD = 10
_RIVALS = {
    "sandbox-fusion": sandbox_fusion,
    "piston": piston,
    "code-judge": code_judge,
    "judge0": judge0,
    "go-judge": go_judge,
}


def application(settings: Settings, keys: Keys, store: Store) -> FastAPI:
    """The ASGI application; it opens the Judge when it is started, and closes the store when it ends."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.service = there = Service(settings, keys, store)
        try:
            yield
        finally:
            await asyncio.to_thread(there.close)

    app = FastAPI(title="judge", version=installed(), lifespan=lifespan, redoc_url=None)
    for known in settings.compat:  # before ours: /version is go-judge's, too
        app.include_router(_RIVALS[known].router, dependencies=[Depends(requires("submit"))])
    app.include_router(v1.router)
    app.include_router(batches.router)
    app.include_router(uploads.router)
    _health(app)
    for name, rival in _RIVALS.items():
        app.include_router(rival.router, prefix=f"/compat/{name}", dependencies=[Depends(requires("submit"))])
    _errors(app)
    app.add_middleware(_Bounded, most_bytes=settings.most_body, most_seconds=settings.body_seconds)
    return app


def _health(app: FastAPI) -> None:
    @app.get("/healthz", tags=["health"])
    async def alive() -> dict[str, str]:
        """The server answers."""
        return {"status": "ok"}

    @app.get("/readyz", tags=["health"])
    async def ready(there: TheService) -> Response:
        """It can judge: the sandbox opens, and the queue has room."""
        try:
            walls = await asyncio.to_thread(lambda: there.judge.isolation)
        except ContainerError as error:
            return JSONResponse({"status": "not ready", "why": str(error)}, 503)
        waiting = await asyncio.to_thread(there.store.waiting)
        full = waiting >= there.settings.most_waiting
        state = {"status": "full" if full else "ready", "isolation": str(walls), "waiting": waiting}
        return JSONResponse(state, 503 if full else 200)

    @app.get("/metrics", tags=["health"], dependencies=[Depends(requires("read"))])
    async def metrics(there: TheService) -> Response:
        """For Prometheus. It tells no names and no programs, but how much: a key needs the role `read`."""
        return Response(await asyncio.to_thread(there.metrics.text), media_type="text/plain; version=0.0.4")

    @app.get("/version", tags=["health"])
    async def own_version() -> dict[str, str]:
        return {"version": installed()}


def _errors(app: FastAPI) -> None:
    """Each error is `{"error": what, "where": [field, …]}`, and says nothing of the server's inside."""

    @app.exception_handler(RequestValidationError)
    async def wrong(request: Request, error: RequestValidationError) -> Response:
        found = [
            {"error": str(one["msg"]).removeprefix("Value error, "), "where": [str(part) for part in one["loc"]]}
            for one in error.errors()[:_TOLD]
        ]
        return JSONResponse({"error": found[0]["error"], "where": found[0]["where"], "all": found}, 422)

    @app.exception_handler(Full)
    async def full(request: Request, error: Full) -> Response:
        return JSONResponse({"error": str(error)}, 429, {"Retry-After": str(error.retry_s)})

    @app.exception_handler(SQLAlchemyError)
    async def away(request: Request, error: SQLAlchemyError) -> Response:
        _log.error("the database does not answer: %s", str(error).splitlines()[0])
        return JSONResponse({"error": "the database does not answer"}, 503, {"Retry-After": "5"})

    @app.exception_handler(UnknownProblem)
    async def unknown(request: Request, error: UnknownProblem) -> Response:
        return JSONResponse({"error": str(error), "where": ["body", "problem"]}, 422)

    @app.exception_handler(HTTPException)
    async def told(request: Request, error: HTTPException) -> Response:
        return JSONResponse({"error": str(error.detail)}, error.status_code, dict(error.headers or {}))

    @app.exception_handler(RecursionError)
    async def deep(request: Request, error: RecursionError) -> Response:
        return JSONResponse({"error": "the JSON is nested too deeply"}, 400)

    @app.middleware("http")
    async def headers(request: Request, following: Callable[[Request], Awaitable[Response]]) -> Response:
        response = await following(request)
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        return response


class _Bounded:
    """Reads each body whole before anything looks at it: 413 if it is too large, 408 if it takes too long."""

    def __init__(self, app: ASGIApp, most_bytes: int, most_seconds: float) -> None:
        self._app, self._most_bytes, self._most_seconds = app, most_bytes, most_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._most_seconds):
                body = await self._body(receive)
        except TimeoutError:
            await JSONResponse({"error": "the request took too long"}, 408)(scope, receive, send)
            return
        if body is None:  # its sender has left
            return
        if len(body) > self._most_bytes:
            too_large = {"error": f"a request may have {self._most_bytes} bytes"}
            await JSONResponse(too_large, 413, {"Connection": "close"})(scope, receive, send)
            return
        given = False

        async def again() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, again, send)

    async def _body(self, receive: Receive) -> bytes | None:
        parts: list[bytes] = []
        size = 0
        while True:
            message: dict[str, Any] = dict(await receive())
            if message["type"] == "http.disconnect":
                return None
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self._most_bytes or not message.get("more_body", False):
                return b"".join(parts)
