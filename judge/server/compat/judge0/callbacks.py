"""Sends a finished submission to its client's server, if the settings allow that host.

The address is looked up once, must be a public one, and is the one that is connected to: a name that leads elsewhere
at the second look reaches nothing. A redirect is not followed.
"""

from __future__ import annotations

import http.client
import ipaddress
import logging
import socket
import ssl
import time
from collections.abc import Callable, Collection
from urllib.parse import SplitResult, urlsplit

_log = logging.getLogger(__name__)

TRIES, TIMEOUT_S = 3, 5.0
_PORTS = {"http": 80, "https": 443}
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Refused(Exception):
    """Nothing may be sent there."""


def is_allowed(url: str, hosts: Collection[str]) -> bool:
    """Whether a client may ask for a callback to this URL."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    plain = parts.scheme in _PORTS and parts.username is None and parts.password is None and url.isprintable()
    return plain and parts.hostname is not None and parts.hostname.casefold() in {host.casefold() for host in hosts}


def send(url: str, body: bytes, public: Callable[[_Address], bool] = lambda address: address.is_global) -> bool:
    """PUT it, up to three times: whether the other server took it."""
    for again in range(TRIES):
        try:
            if 200 <= put(url, body, public) < 300:
                return True
        except Refused as error:
            _log.warning("no callback: %s", error)
            return False
        except (OSError, http.client.HTTPException) as error:
            _log.info("a callback failed: %s", error)
        if again + 1 < TRIES:
            time.sleep(1 + again)
    return False


def put(url: str, body: bytes, public: Callable[[_Address], bool]) -> int:
    """One try: the status of the answer.

    Raises:
        Refused: the host has an address that is not public.
        OSError, HTTPException: nobody answers.
    """
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(one[4][0]) for one in found]
    if not addresses or not all(public(ipaddress.ip_address(one)) for one in addresses):
        raise Refused(f"{host} is not on the public network")
    connection = _Pinned(parts, addresses[0], port)
    try:
        path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
        connection.request("PUT", path, body, {"Content-Type": "application/json", "Host": parts.netloc})
        return connection.getresponse().status
    finally:
        connection.close()


class _Pinned(http.client.HTTPConnection):
    """A connection to an address, for a name."""

    def __init__(self, parts: SplitResult, address: str, port: int) -> None:
        super().__init__(address, port, timeout=TIMEOUT_S)
        self._parts = parts

    def connect(self) -> None:
        super().connect()
        if self._parts.scheme == "https":
            context = ssl.create_default_context()
            self.sock = context.wrap_socket(self.sock, server_hostname=self._parts.hostname)
