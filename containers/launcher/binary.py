"""Finds the compiled programs."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from containers.errors import Unavailable

_BINARIES = Path(__file__).with_name("bin")


@cache
def _find(name: str, what: str) -> str:
    path = _BINARIES / name
    if not path.is_file():
        raise Unavailable(
            f"the {what} is not built: install a C compiler (apt-get install gcc libc6-dev) and reinstall judge"
        )
    return str(path)


def binary() -> str:
    """Path of the launcher. Raises Unavailable if it was never compiled."""
    return _find("judge-launcher", "sandbox launcher")


def gvisor_binary() -> str:
    """Path of the launcher for gVisor's kernel. Raises Unavailable if it was never compiled."""
    return _find("judge-launcher-gvisor", "sandbox launcher")


def relay_binary() -> str:
    """Path of the relay. Raises Unavailable if it was never compiled."""
    return _find("judge-relay", "relay of conversations")
