"""Who looks at a page: a session in a cookie, where keys are asked for; the language; the token of forms.

The cookie holds a random token. The database holds its hash, and that of the key: a session ends with its key.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import time
from typing import Annotated, Any
from urllib.parse import quote

import sqlalchemy as sql
from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import FormData

from judge.server.guarding.access import TheService, count_call
from judge.server.guarding.keys import ANYBODY, Caller, Role, digest
from judge.server.page import look
from judge.server.page.visits import LANGUAGE, NOBODY, SESSION, SESSION_S, Visit, set_cookie
from judge.server.page.words import find_language, match_language
from judge.server.service import Service
from judge.server.storing.tables import SESSIONS

router = APIRouter(route_class=look.PageRoute)

_YEAR_S = 365 * 24 * 3600
#: Of a form that is no upload: fields, and files.
_MOST_FIELDS = 30


async def anybody(request: Request, service: TheService) -> Visit:
    """The visitor, whether he has signed in or not."""
    token = request.cookies.get(SESSION, "")
    caller = await asyncio.to_thread(_caller, service, token) if service.keys.asked else ANYBODY
    language = find_language(request.cookies.get(LANGUAGE)) or match_language(
        request.headers.get("accept-language", "")
    )
    return Visit(
        caller=caller or NOBODY,
        language=language,
        token=token or secrets.token_urlsafe(32),
        new=not token,
        keys=service.keys.asked,
        path=request.url.path,
    )


async def visitor(request: Request, visit: Annotated[Visit, Depends(anybody)], service: TheService) -> Visit:
    """The visitor, who has signed in where keys are asked for."""
    request.state.visit = visit
    if visit.caller is NOBODY:
        raise look.Elsewhere(f"/login?next={quote(_local(request))}")
    count_call(request, visit.caller, service)
    return visit


AVisit = Annotated[Visit, Depends(anybody)]
TheVisit = Annotated[Visit, Depends(visitor)]


def require(visit: Visit, role: Role) -> None:
    if not visit.caller.may(role):
        raise look.Refused(403, visit.say("may_not", role=role))


async def form(request: Request, visit: Visit, service: Service) -> FormData:
    """The fields of a form that was sent from a page of ours.

    Raises:
        look.Refused: it was not.
    """
    size = service.settings.most_body
    fields = await request.form(max_files=1, max_fields=_MOST_FIELDS, max_part_size=size)
    if not hmac.compare_digest(text(fields, "csrf").encode("utf-8", "replace"), visit.csrf.encode()):
        raise look.Refused(403, visit.say("stale"))
    return fields


def text(fields: FormData, name: str) -> str:
    """A field; "" if it is not there. Browsers send lines with CR LF."""
    value = fields.get(name)
    return value.replace("\r\n", "\n") if isinstance(value, str) else ""


@router.get("/login")
async def login(request: Request, visit: AVisit, next: str = "/") -> Response:
    if visit.caller is not NOBODY:
        return RedirectResponse(_safe(next), 303)
    return look.page(request, visit, "login.html", next=_safe(next), wrong=False)


@router.post("/login")
async def sign_in(request: Request, visit: AVisit, service: TheService) -> Response:
    request.state.visit = visit
    fields = await form(request, visit, service)
    following, key = _safe(text(fields, "next")), text(fields, "key")
    caller = service.keys.caller(f"Bearer {key}")
    if caller is None:
        return look.page(request, visit, "login.html", 401, next=following, wrong=True)
    count_call(request, caller, service)
    token = secrets.token_urlsafe(32)  # not the one that he came with: another may have given it to him
    await asyncio.to_thread(_begin, service, token, digest(key))
    response = RedirectResponse(following, 303)
    set_cookie(request, response, SESSION, token, SESSION_S)
    return response


@router.post("/logout")
async def sign_out(request: Request, visit: AVisit, service: TheService) -> Response:
    request.state.visit = visit
    await form(request, visit, service)
    await asyncio.to_thread(_end, service, visit.token)
    response = RedirectResponse("/login" if visit.keys else "/", 303)
    response.delete_cookie(SESSION, path="/")
    return response


@router.get("/language/{name}")
async def choose_language(request: Request, name: str, next: str = "/") -> Response:
    response = RedirectResponse(_safe(next), 303)
    if language := find_language(name):
        set_cookie(request, response, LANGUAGE, language, _YEAR_S)
    return response


def _local(request: Request) -> str:
    return request.url.path + (f"?{request.url.query}" if request.url.query else "")


def _safe(path: str) -> str:
    """A page of ours: what another site put there leads to the first one."""
    plain = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if plain and path.isascii() else "/"


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def _caller(service: Service, token: str) -> Caller | None:
    if not token:
        return None
    mine = SESSIONS.c.token == _hash(token), SESSIONS.c.until_s > time.time()
    with service.store.reading() as db:
        key = db.scalar(sql.select(SESSIONS.c.key).where(*mine))
    return None if key is None else service.keys.find_caller(str(key))


def _begin(service: Service, token: str, key: str) -> None:
    values: dict[str, Any] = {"token": _hash(token), "key": key, "until_s": time.time() + SESSION_S}
    with service.store.writing() as db:
        db.execute(sql.delete(SESSIONS).where(SESSIONS.c.until_s < time.time()))
        db.execute(sql.insert(SESSIONS).values(values))


def _end(service: Service, token: str) -> None:
    with service.store.writing() as db:
        db.execute(sql.delete(SESSIONS).where(SESSIONS.c.token == _hash(token)))
