"""Puts the service together: the routes, who may use them, how errors read."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from sqlalchemy.exc import DataError, SQLAlchemyError
from starlette.exceptions import HTTPException

from containers import ContainerError
from judge.server import page
from judge.server.api import batches, uploads, v1
from judge.server.compat import code_judge, open_instruct
from judge.server.compat.go_judge import routes as go_judge
from judge.server.compat.judge0 import routes as judge0
from judge.server.compat.piston import routes as piston
from judge.server.compat.sandbox_fusion import routes as sandbox_fusion
from judge.server.guarding.access import TheService, named_query, requires
from judge.server.guarding.door import Door
from judge.server.guarding.held import Held
from judge.server.guarding.keys import Keys
from judge.server.guarding.limits import Refused
from judge.server.observing.audit import open_audit
from judge.server.observing.traces import Traces
from judge.server.page.catalogue import Catalogue, strengths_of
from judge.server.page.look import NOT_HELD
from judge.server.queueing.flights import Flights
from judge.server.rendering.process import Renderer
from judge.server.requests import unknown_problem
from judge.server.service import Gone, Service
from judge.server.settings import Settings, environment, read_version
from judge.server.storing.once import OtherRequest
from judge.server.storing.store import Store
from problems.errors import UnknownProblem

_log = logging.getLogger(__name__)

_NO_JSON = "the body is read as JSON only with the header content-type: application/json"
#: How many problems of a request are told.
_TOLD = 10
_RIVALS = {
    "sandbox-fusion": sandbox_fusion,
    "piston": piston,
    "code-judge": code_judge,
    "judge0": judge0,
    "go-judge": go_judge,
    "open-instruct": open_instruct,
}


def application(settings: Settings, keys: Keys, store: Store) -> FastAPI:
    """The ASGI application; it opens the Judge when it is started, and closes the store when it ends.

    Raises:
        ConfigError: the audit log cannot be written, the file of strengths cannot be used, or OTEL_* ask for what there
            is not.
    """
    strengths = {} if settings.strength is None else strengths_of(settings.strength)
    traces = Traces.from_environment(environment(), read_version())

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.service = service = Service(settings, keys, store, traces)
        app.state.flights = Flights()
        app.state.catalogue = Catalogue(service.packages, strengths)
        app.state.renderer = renderer = Renderer()
        try:
            yield
        finally:
            await asyncio.to_thread(service.close)
            renderer.close()

    app = FastAPI(title="judge", version=read_version(), lifespan=lifespan, docs_url=None, redoc_url=None)
    for known in settings.compat:  # before ours: /version is go-judge's, too
        app.include_router(_RIVALS[known].router, dependencies=[Depends(requires("submit"))])
    for ours in (v1, batches, uploads):
        app.include_router(ours.router, dependencies=[Depends(named_query)])
    _health(app)
    for name, rival in _RIVALS.items():
        app.include_router(rival.router, prefix=f"/compat/{name}", dependencies=[Depends(requires("submit"))])
    page.add(app)
    _errors(app)
    _database_errors(app)
    app.state.held = held = Held(keys, settings)
    app.add_middleware(Door, keys=keys, settings=settings, held=held, log=open_audit(settings), traces=traces)
    return app


def _health(app: FastAPI) -> None:
    @app.get("/healthz", tags=["health"])
    async def alive() -> dict[str, str]:
        """The server answers."""
        return {"status": "ok"}

    @app.get("/readyz", tags=["health"])
    async def ready(service: TheService) -> Response:
        """It can judge: the sandbox opens, and the queue has room."""
        try:
            walls = await asyncio.to_thread(lambda: service.judge.isolation)
        except ContainerError as error:
            return JSONResponse({"status": "not ready", "why": str(error)}, 503)
        if service.draining:
            return JSONResponse({"status": "stopping"}, 503)
        waiting, full = await asyncio.to_thread(lambda: (service.waiting, service.full))
        state = {"status": "full" if full else "ready", "isolation": str(walls), "waiting": waiting}
        return JSONResponse(state, 503 if full else 200)

    @app.get("/metrics", tags=["health"], dependencies=[Depends(requires("read"))])
    async def metrics(service: TheService) -> Response:
        """For Prometheus. It tells no names and no programs, but how much: a key needs the role `read`."""
        return Response(await asyncio.to_thread(service.metrics.text), media_type="text/plain; version=0.0.4")

    @app.get("/version", tags=["health"])
    async def own_version() -> dict[str, str]:
        return {"version": read_version()}


def _database_errors(app: FastAPI) -> None:
    @app.exception_handler(DataError)
    async def not_held(request: Request, error: DataError) -> Response:
        return JSONResponse({"error": NOT_HELD}, 422)

    @app.exception_handler(SQLAlchemyError)
    async def away(request: Request, error: SQLAlchemyError) -> Response:
        _log.error("the database does not answer: %s", str(error).splitlines()[0])
        return JSONResponse({"error": "the database does not answer"}, 503, {"Retry-After": "5"})


async def _wrong(request: Request, error: RequestValidationError) -> Response:
    found = [
        {"error": str(one["msg"]).removeprefix("Value error, "), "where": [str(part) for part in one["loc"]]}
        for one in error.errors()[:_TOLD]
    ]
    status = 422
    if request.url.path.startswith("/v1/"):  # rivals' clients know 422 only
        if error.errors()[0]["type"] == "json_invalid":
            status = 400
        elif isinstance(error.body, bytes) and found[0]["where"] == ["body"]:
            found, status = [{"error": _NO_JSON, "where": ["header", "content-type"]}], 415
    return JSONResponse({"error": found[0]["error"], "where": found[0]["where"], "all": found}, status)


def _errors(app: FastAPI) -> None:
    """Each error is `{"error": what, "where": [field, …]}`, and says nothing of the server's inside."""

    app.exception_handler(RequestValidationError)(_wrong)

    @app.exception_handler(Refused)
    async def answer_refusal(request: Request, error: Refused) -> Response:
        after = {} if error.retry_s is None else {"Retry-After": str(error.retry_s)}
        return JSONResponse({"error": str(error)}, error.status, after)

    @app.exception_handler(OtherRequest)
    async def other(request: Request, error: OtherRequest) -> Response:
        return JSONResponse({"error": str(error), "where": ["header", "idempotency-key"]}, 422)

    @app.exception_handler(Gone)
    async def answer_gone(request: Request, error: Gone) -> Response:
        return JSONResponse({"error": v1.NO_SUCH}, 404)

    @app.exception_handler(ContainerError)
    async def no_sandbox(request: Request, error: ContainerError) -> Response:
        return JSONResponse({"error": str(error)}, 503, {"Retry-After": "5"})

    @app.exception_handler(UnknownProblem)
    async def unknown(request: Request, error: UnknownProblem) -> Response:
        return JSONResponse({"error": unknown_problem(error), "where": ["body", "problem"]}, 422)

    @app.exception_handler(HTTPException)
    async def answer_error(request: Request, error: HTTPException) -> Response:
        unknown = error.detail == HTTPStatus(error.status_code).phrase  # no route took it
        why = f"no such call: {request.method} {request.url.path[:200]}; /docs lists them" if unknown else error.detail
        return JSONResponse({"error": why}, error.status_code, dict(error.headers or {}))

    @app.exception_handler(UnicodeEncodeError)
    async def half(request: Request, error: UnicodeEncodeError) -> Response:
        """A message would have said again what the client sent."""
        return JSONResponse({"error": "a text of the request holds half a character (a lone surrogate)"}, 422)

    @app.exception_handler(RecursionError)
    async def deep(request: Request, error: RecursionError) -> Response:
        return JSONResponse({"error": "the JSON is nested too deeply"}, 400)
