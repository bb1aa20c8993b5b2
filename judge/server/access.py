"""Dependencies of the routes: the service, and who calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, HTTPException, Request

from judge.server.keys import Caller, Role
from judge.server.service import Service

_CHALLENGE = {"WWW-Authenticate": "Bearer"}


def service(request: Request) -> Service:
    found: Service = request.app.state.service
    return found


TheService = Annotated[Service, Depends(service)]


def caller(request: Request, there: TheService) -> Caller:
    token = request.headers.get("x-auth-token")  # as Judge0's clients send it
    found = there.keys.caller(request.headers.get("authorization") or (token and f"Bearer {token}"))
    if found is None:
        raise HTTPException(401, "send `Authorization: Bearer KEY` with a key that the server knows", _CHALLENGE)
    return found


TheCaller = Annotated[Caller, Depends(caller)]


def requires(role: Role) -> Callable[[Caller], Caller]:
    """A dependency: the caller, if his key has the role."""

    def check(who: TheCaller) -> Caller:
        if not who.may(role):
            raise HTTPException(403, f"this key has no role {role!r}")
        return who

    return check
