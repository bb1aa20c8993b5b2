"""Finds the compiled launcher."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from containers.errors import Unavailable

_BINARY = Path(__file__).with_name("bin") / "judge-launcher"


@cache
def binary() -> str:
    """Path of the launcher. Raises Unavailable if it was never compiled."""
    if not _BINARY.is_file():
        raise Unavailable(
            "the sandbox launcher is not built: "
            "install a C compiler (apt-get install gcc libc6-dev) and reinstall judge"
        )
    return str(_BINARY)
