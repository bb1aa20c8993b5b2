"""Dependencies of the routes: the service, and who calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated

from fastapi import Depends, HTTPException, Request, WebSocketException, status
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.requests import HTTPConnection

from judge.common.fields import unknown_name
from judge.server.guarding.held import Held
from judge.server.guarding.keys import Caller, Role
from judge.server.guarding.limits import Refused
from judge.server.observing.audit import call
from judge.server.service import Service

#: Judge0's calls that only tell whether a key is known.
_KEY_CHECKS = ("/authenticate", "/authorize")
_CHALLENGE = {"WWW-Authenticate": "Bearer"}


def service(connection: HTTPConnection) -> Service:
    found: Service = connection.app.state.service
    return found


TheService = Annotated[Service, Depends(service)]


def find_held(connection: HTTPConnection) -> Held:
    found: Held = connection.app.state.held
    return found


TheHeld = Annotated[Held, Depends(find_held)]


def caller(connection: HTTPConnection, service: TheService) -> Caller:
    found = call().caller or service.keys.caller(_asked_about(connection))
    if found is None:
        raise _make_refusal(
            connection, 401, "send `Authorization: Bearer KEY` with a key that the server knows", _CHALLENGE
        )
    try:
        count_call(connection, found, service)
    except Refused as error:  # the application tells it to HTTP
        if connection.scope["type"] == "websocket":
            raise WebSocketException(status.WS_1013_TRY_AGAIN_LATER, str(error)) from error
        raise
    return found


def count_call(connection: HTTPConnection, caller: Caller, service: Service) -> None:
    """Who calls is known: with whom he takes turns, and that he has called.

    Raises:
        Refused: he does so too often.
    """
    call().key = caller.name
    call().party = caller.name or (connection.client.host if connection.client else "")
    service.rates.count(caller)


def _asked_about(connection: HTTPConnection) -> str | None:
    """The key that a client of Judge0 (`judge0api`) asks about in its address. Elsewhere none is read from there:
    proxies log addresses."""
    key = connection.query_params.get("X-Auth-Token")
    return f"Bearer {key}" if key and connection.url.path.endswith(_KEY_CHECKS) else None


def _make_refusal(connection: HTTPConnection, code: int, why: str, headers: dict[str, str] | None = None) -> Exception:
    if connection.scope["type"] == "websocket":
        return WebSocketException(status.WS_1008_POLICY_VIOLATION, why)
    return HTTPException(code, why, headers)


TheCaller = Annotated[Caller, Depends(caller)]


def named_query(request: Request, caller: TheCaller) -> None:
    """A dependency: every parameter of the query is one that the route names.

    Raises:
        RequestValidationError: others are not.
    """
    known = sorted(set(_query_of(request.scope["route"].dependant)))
    unknown = [name for name in request.query_params if name not in known]
    if unknown:
        raise RequestValidationError(
            [
                {"type": "extra_forbidden", "loc": ("query", name), "msg": f"unknown field {unknown_name(name, known)}"}
                for name in unknown
            ]
        )


def _query_of(dependant: Dependant) -> Iterator[str]:
    """The parameters of the query that a route, or what it depends on, names."""
    for each in dependant.query_params:
        yield each.alias
    for each_dependant in dependant.dependencies:
        yield from _query_of(each_dependant)


def requires(role: Role) -> Callable[[HTTPConnection, Caller], Caller]:
    """A dependency: the caller, if the key has the role."""

    def check(connection: HTTPConnection, caller: TheCaller) -> Caller:
        if not caller.may(role):
            raise _make_refusal(connection, 403, f"this key has no role {role!r}")
        return caller

    return check


#: Who calls, and may have programs run.
TheSubmitter = Annotated[Caller, Depends(requires("submit"))]
