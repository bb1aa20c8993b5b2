"""Guards browsers: by headers on what we answer, and by refusing what comes by another host's name or from a foreign
page, where no key is asked for.

A page of a foreign site can have its own name point at 127.0.0.1 (DNS rebinding). A browser on this machine then takes
our server for that site, and lets the page read what it answers. And any page may send a request that it cannot read,
or open a websocket, which it can: a browser names the page's site in `Origin`. Pages of this machine are let in,
whatever serves them: on each port and by each scheme. Pages without a site (`null`: a file, a sandboxed frame) are not.
"""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_REFUSAL = "this server answers to names and pages of its own machine only; else start it with --keys or --open"
#: Where the answer has none of its own.
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Nothing to other sites. Not "no-referrer": with that, browsers say of our own forms that they come from nowhere.
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guarded:
    """An ASGI middleware. (One of Starlette's `http` kind keeps from routes that their client has left.)"""

    def __init__(self, app: ASGIApp, own_only: bool) -> None:
        """`own_only`: no key is asked for, so only names and pages of this machine are let in."""
        self._app, self._own_only = app, own_only

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if scope["type"] == "lifespan" or not self._own_only or _is_own(Headers(scope=scope)):
            await self._app(scope, receive, send_guarded if scope["type"] == "http" else send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": _REFUSAL})
        else:
            await JSONResponse({"error": _REFUSAL}, 403)(scope, receive, send)


def _is_own(headers: Headers) -> bool:
    origin = headers.get("origin")
    return is_own(headers.get("host")) and (origin is None or is_own(origin.partition("://")[2]))


def is_own(host: str | None) -> bool:
    """`host`: the header, with or without a port. No browser leaves it out."""
    if host is None:
        return True
    try:
        name = (urlsplit(f"//{host}").hostname or "").removesuffix(".")
        return name == "localhost" or name.endswith(".localhost") or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
