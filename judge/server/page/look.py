"""How pages are made: templates, the headers that guard them, and how errors look."""

from __future__ import annotations

import functools
import hashlib
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import jinja2
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.routing import APIRoute
from markupsafe import Markup
from sqlalchemy.exc import DataError, SQLAlchemyError
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from judge.common.text import harmless, one_line
from judge.common.units import size_text, time_text
from judge.server.guarding import limits
from judge.server.page.visits import Visit
from judge.server.page.wordings import say_detail
from judge.server.page.words import LANGUAGES, match_language, other, say

_HERE = Path(__file__).parent
_STATIC = _HERE / "static"
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Vary": "Cookie, Accept-Language",
}
#: PostgreSQL refuses a NUL in text, and numbers beyond 64 bits.
NOT_HELD = "no database can hold such a text or number"


class Elsewhere(Exception):
    """The visitor is to go to another page of ours first."""

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self.where = where


class Refused(Exception):
    """A page with a message, in the visitor's language, instead of the one that he asked for."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Static(StaticFiles):
    """Files that browsers may keep: their addresses change with their content."""

    def __init__(self) -> None:
        super().__init__(directory=_STATIC)

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


class PageRoute(APIRoute):
    """A route whose errors are pages."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await handle(request)
            except Elsewhere as error:
                return RedirectResponse(error.where, 303)
            except Refused as error:
                return failure(request, error.status, str(error))
            except limits.Refused as error:
                return failure(request, error.status, str(error), error.retry_s)
            except RequestValidationError as error:
                return failure(request, 422, _say(request, "wrong_field", why=error.errors()[0]["msg"]))
            except StarletteHTTPException as error:
                missing = error.status_code == 404
                message = _say(request, "not_found") if missing else str(error.detail)
                return failure(request, error.status_code, message)
            except DataError:
                return failure(request, 422, _say(request, "wrong_field", why=NOT_HELD))
            except SQLAlchemyError:
                return failure(request, 503, _say(request, "database_away"), 5)

        return answer


def _say(request: Request, key: str, **values: object) -> str:
    visit: Visit | None = getattr(request.state, "visit", None)
    language = visit.language if visit else match_language(request.headers.get("accept-language", ""))
    return say(language, key, **values)


def page(request: Request, visit: Visit | None, template: str, status: int = 200, /, **values: object) -> Response:
    """A page from a template. `visit` None: nothing is known of who looks."""
    language = visit.language if visit else match_language(request.headers.get("accept-language", ""))
    text = (
        templates()
        .get_template(template)
        .render(
            visit=visit,
            language=language,
            other=other(language),
            t=functools.partial(say, language),
            told=functools.partial(say_detail, language=language),
            here=request.url.path + (f"?{request.url.query}" if request.url.query else ""),
            path=request.url.path,
            **values,
        )
    )
    response = HTMLResponse(text.encode("utf-8", "replace"), status, HEADERS)
    if visit is not None:
        visit.keep(request, response)
    return response


def piece(visit: Visit, macro: str, *arguments: object) -> str:
    """A part of a page: a macro of macros.html."""
    module = (
        templates()
        .get_template("macros.html")
        .make_module({"t": visit.say, "told": functools.partial(say_detail, language=visit.language), "visit": visit})
    )
    return str(getattr(module, macro)(*arguments))


def failure(request: Request, status: int, message: str, retry_s: int | None = None) -> Response:
    response = page(request, getattr(request.state, "visit", None), "error.html", status, message=message)
    if retry_s is not None:
        response.headers["Retry-After"] = str(retry_s)
    return response


@functools.cache
def templates() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "duration": time_text,
        "size": size_text,
        "harmless": harmless,
        "one_line": one_line,
        "moment": _moment,
        "percent": lambda share: f"{100 * share:.0f} %",
        "number": lambda value: f"{value:.4g}",
    }
    made.globals |= {"asset": asset, "languages_of_page": LANGUAGES}
    return made


@functools.cache
def asset(name: str) -> str:
    """The address of a file in static/."""
    content = (_STATIC / name).read_bytes()
    return f"/static/{name}?v={hashlib.sha256(content).hexdigest()[:12]}"


def _moment(seconds: float | None) -> Markup:
    """A time of day, in UTC; page.js shows it in the visitor's time zone."""
    if seconds is None:
        return Markup("–")
    then = time.gmtime(seconds)
    return Markup('<time datetime="{}">{} UTC</time>').format(
        time.strftime("%Y-%m-%dT%H:%M:%SZ", then), time.strftime("%Y-%m-%d %H:%M:%S", then)
    )
