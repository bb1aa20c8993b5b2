"""Dependencies of the routes: the service, and who calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, HTTPException, Request

from judge.server.audit import call
from judge.server.keys import Caller, Role, given
from judge.server.limits import check_cpu
from judge.server.service import Service

_CHALLENGE = {"WWW-Authenticate": "Bearer"}


def service(request: Request) -> Service:
    found: Service = request.app.state.service
    return found


TheService = Annotated[Service, Depends(service)]


def caller(request: Request, there: TheService) -> Caller:
    found = there.keys.caller(given(request.headers))
    if found is None:
        raise HTTPException(401, "send `Authorization: Bearer KEY` with a key that the server knows", _CHALLENGE)
    call().key = found.name
    there.rates.count(found)
    return found


TheCaller = Annotated[Caller, Depends(caller)]


def requires(role: Role) -> Callable[[Request, Caller, Service], Caller]:
    """A dependency: the caller, if the key has the role, and (to have programs run) CPU time left."""

    def check(request: Request, who: TheCaller, there: TheService) -> Caller:
        if not who.may(role):
            raise HTTPException(403, f"this key has no role {role!r}")
        if role == "submit" and request.method == "POST":
            check_cpu(there.store, who)
        return who

    return check
