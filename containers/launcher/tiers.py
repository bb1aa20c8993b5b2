"""Names the tiers, checks a required tier, and remembers which walls this machine grants."""

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
#: Errors of a machine that has run out of something for now. They do not tell what it grants.
TRANSIENT = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EINTR, errno.EBUSY)
_WAYS = tuple(map(Path, ("/", "/usr", "/usr/bin", "/tmp")))  # noqa: S108

_Way = TypeVar("_Way")


class Settled(Generic[_Way]):
    """Remembers which of several ways this machine grants. The first that works is kept until this process ends: a
    later failure is an error, not a reason for weaker walls."""

    def __init__(self) -> None:
        self._found: tuple[_Way, ...] = ()

    def __bool__(self) -> bool:
        return bool(self._found)

    def among(self, ways: Iterable[_Way]) -> Iterable[_Way]:
        """The ways to try: the settled one, or all."""
        return self._found or ways

    def settle(self, way: _Way) -> None:
        self._found = (way,)


def check_tier(isolation: Isolation, require: str | None, why: str = "") -> None:
    """Raises Unavailable if the tier is weaker than `require`; `why` adds what is refused, and the remedy."""
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
    """A directory that is closed to leased users, with the remedy; None: none. Where nothing can be mounted, a leased
    user must reach programs and its own directory by the host's paths."""
    closed = (path for path in _WAYS if not path.stat().st_mode & stat.S_IXOTH)
    return next((f"{path} is closed to other users: chmod o+x {path}" for path in closed), None)
