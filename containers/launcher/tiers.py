"""The tiers by name, and what was found once about the walls that this machine grants."""

from __future__ import annotations

import errno
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Generic, TypeVar

from containers.errors import Unavailable
from containers.outcome import Isolation

#: Strongest first.
TIERS = ("full", "userns", "restricted-root", "restricted-user")
DELEGATE = "systemd-run --user --scope -p Delegate=yes judge …"
#: The machine has run out of something for now: nothing is learnt about what it grants.
TRANSIENT = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EINTR, errno.EBUSY)
_WAYS = tuple(map(Path, ("/", "/usr", "/usr/bin", "/tmp")))  # noqa: S108

_Way = TypeVar("_Way")


class Settled(Generic[_Way]):
    """Which of several ways this machine grants. The first that works stands for as long as this process: what fails
    later is a failure, not a reason for weaker walls."""

    def __init__(self) -> None:
        self._found: tuple[_Way, ...] = ()

    def __bool__(self) -> bool:
        return bool(self._found)

    def among(self, ways: Iterable[_Way]) -> Iterable[_Way]:
        """Those that are to be tried."""
        return self._found or ways

    def settle(self, way: _Way) -> None:
        self._found = (way,)


def check_tier(isolation: Isolation, require: str | None, why: str = "") -> None:
    """Raises Unavailable if less than `require` stands; `why` says what is refused and the remedy."""
    if require is None:
        return
    if require not in TIERS:
        raise Unavailable(f"unknown tier {require!r}: choose one of {', '.join(TIERS)}")
    if isolation.tier not in TIERS or TIERS.index(isolation.tier) > TIERS.index(require):
        raise Unavailable(
            f"tier {require} is required, but backend {isolation.backend} gives {isolation.tier} on this machine"
            + (f" ({why})" if why else "")
        )


def closed_way() -> str | None:
    """Where nothing can be mounted, a leased user must be able to walk to programs and to its directory: what is closed
    to it, with the remedy; None: nothing."""
    closed = (path for path in _WAYS if not path.stat().st_mode & stat.S_IXOTH)
    return next((f"{path} is closed to other users: chmod o+x {path}" for path in closed), None)
