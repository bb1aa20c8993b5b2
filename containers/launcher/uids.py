"""Leases to each slot a user id that nobody else uses, by lock files that all judges of this machine share."""

from __future__ import annotations

import fcntl
import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from containers.errors import SandboxError

#: Above the ids that distributions give to people and packages, below the 65 536 that a container usually maps.
_FIRST, _COUNT = 52_000, 4_096
#: The directory of the lock files, one for each id. It lies in the first of `_PLACES` where we can make it.
LEASES = "judge-uids"
_PLACES = (Path("/run"), Path("/var/lock"), Path("/tmp"))  # noqa: S108 - the directory is checked to be ours


def _directory() -> Path:
    for place in _PLACES:
        path = place / LEASES
        try:
            path.mkdir(mode=0o700, exist_ok=True)
            found = path.lstat()
        except OSError:
            continue
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077:
            return path
    raise SandboxError(f"cannot make a private lock directory in any of {', '.join(map(str, _PLACES))}")


def _is_taken(uid: int) -> bool:
    """Whether the id has a name or running processes: of another service, or left by a killed judge."""
    with suppress(KeyError):
        pwd.getpwuid(uid)
        return True
    return any(True for _ in processes_of(uid))


def processes_of(uid: int) -> Iterator[int]:
    """Pids of the running processes of a user id. Not by psutil, which takes fifteen times as long: this runs at the
    start of every launcher."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ends meanwhile
            if process.stat().st_uid == uid:
                yield int(process.name)


def _lock(directory: Path, uid: int) -> int:
    fd = os.open(directory / str(uid), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        raise
    return fd


@contextmanager
def nobody_leases(uid: int) -> Iterator[None]:
    """Hold the lock of an id, so that no slot leases it meanwhile.

    Raises BlockingIOError if a slot leases it."""
    fd = _lock(_directory(), uid)
    try:
        yield
    finally:
        os.close(fd)


class UidLease:
    """Holds one user id (and the group of the same number) until `close`."""

    def __init__(self) -> None:
        """
        Raises:
            SandboxError: all ids are taken.
        """
        directory = _directory()
        # Containers share the kernel's user ids but not this directory, so each begins at another id.
        start = directory.stat().st_ino * 64
        for uid in (_FIRST + (start + step) % _COUNT for step in range(_COUNT)):
            try:
                fd = _lock(directory, uid)
            except BlockingIOError:
                continue
            if _is_taken(uid):
                os.close(fd)
                continue
            self.uid, self._fd = uid, fd
            return
        raise SandboxError(f"all {_COUNT} user ids for slots are in use; is a judge leaking slots?")

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
