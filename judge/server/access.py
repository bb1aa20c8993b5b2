"""Dependencies of the routes: the service, and who calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, HTTPException, WebSocketException, status
from fastapi.requests import HTTPConnection

from judge.server.keys import Caller, Role
from judge.server.service import Service

_CHALLENGE = {"WWW-Authenticate": "Bearer"}


def service(connection: HTTPConnection) -> Service:
    found: Service = connection.app.state.service
    return found


TheService = Annotated[Service, Depends(service)]


def caller(connection: HTTPConnection, there: TheService) -> Caller:
    token = connection.headers.get("x-auth-token")  # as Judge0's clients send it
    found = there.keys.caller(connection.headers.get("authorization") or (token and f"Bearer {token}"))
    if found is None:
        raise _refused(connection, 401, "send `Authorization: Bearer KEY` with a key that the server knows", _CHALLENGE)
    return found


def _refused(connection: HTTPConnection, code: int, why: str, headers: dict[str, str] | None = None) -> Exception:
    if connection.scope["type"] == "websocket":
        return WebSocketException(status.WS_1008_POLICY_VIOLATION, why)
    return HTTPException(code, why, headers)


TheCaller = Annotated[Caller, Depends(caller)]


def requires(role: Role) -> Callable[[HTTPConnection, Caller], Caller]:
    """A dependency: the caller, if his key has the role."""

    def check(connection: HTTPConnection, who: TheCaller) -> Caller:
        if not who.may(role):
            raise _refused(connection, 403, f"this key has no role {role!r}")
        return who

    return check
