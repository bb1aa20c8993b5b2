"""A user id of its own for each slot, used by nobody else: leased by a lock that all judges of this machine share."""

from __future__ import annotations

import fcntl
import os
import pwd
import stat
from pathlib import Path

from containers.errors import SandboxError

#: Above what distributions give to people and packages, below the 65 536 ids that a container usually maps.
_FIRST, _COUNT = 52_000, 4_096
#: The directory of the locks, a file for each id, in one of these.
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


def _taken(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True


class UidLease:
    """Holds one user id (and the group of the same number) until `close`."""

    def __init__(self) -> None:
        directory = _directory()
        # Containers share the kernel's ids but not this directory: each begins at a place of its own.
        start = directory.stat().st_ino * 64
        for uid in (_FIRST + (start + step) % _COUNT for step in range(_COUNT)):
            fd = os.open(directory / str(uid), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(fd)
                continue
            if _taken(uid):
                os.close(fd)
                continue
            self.uid, self._fd = uid, fd
            return
        raise SandboxError(f"all {_COUNT} user ids for slots are in use; is a judge leaking slots?")

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
