"""The private directory of a slot that has no mount namespace.

    /tmp/judge-slot-<random>/     0711: a leased user can pass through, but neither list nor change; locked while in use
        run/                      the only place that Landlock lets the program write; holds work/ and in/ during a run

What a killed judge left is removed by the next one: nobody holds its lock.
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from containers.native.binary import binary

#: Not TMPDIR, which may be closed to a leased user.
_PLACE = Path("/tmp")  # noqa: S108 - the directory in it is made private
_PREFIX = "judge-slot-"
_REMOVE_TRIES, _REMOVE_PAUSE_S = 50, 0.02
#: A directory may be without its lock so long after it was made.
_LOCK_S = 60.0


def _remove(home: Path) -> None:
    """Remove it with whatever a program left in it, by the launcher, which minds neither modes nor names nor depth."""
    for _ in range(_REMOVE_TRIES):
        if subprocess.run((binary(), "--remove", str(home)), check=False).returncode == 0:
            return
        time.sleep(_REMOVE_PAUSE_S)  # a process that was killed is only just ending


def _evict(home: Path) -> None:
    """Kill the processes that stand in it: a run of several processes whose launcher was killed leaves them."""
    for _ in range(_REMOVE_TRIES):
        if not any([_kill_inside(entry, home) for entry in Path("/proc").glob("[0-9]*")]):
            return
        time.sleep(_REMOVE_PAUSE_S)


def _kill_inside(process: Path, home: Path) -> bool:
    """By a descriptor that is held while we look: the number alone could be another process's by then."""
    with suppress(OSError):  # gone; not ours to look at; a kernel without pidfd (before Linux 5.3)
        fd = os.pidfd_open(int(process.name))
        try:
            if (process / "cwd").readlink().is_relative_to(home):
                signal.pidfd_send_signal(fd, signal.SIGKILL)
                return True
        finally:
            os.close(fd)
    return False


def _lock(home: Path) -> int:
    fd = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        raise
    return fd


@cache
def _sweep() -> None:
    for home in _PLACE.glob(f"{_PREFIX}*"):
        with suppress(OSError):  # in use, or gone, or not ours
            found = home.lstat()
            if found.st_uid == os.geteuid() and time.time() - found.st_mtime > _LOCK_S:
                fd = _lock(home)
                _evict(home)
                _remove(home)
                os.close(fd)


class Home:
    """One slot's private directory, until `close`."""

    def __init__(self) -> None:
        _sweep()
        self._path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_PLACE))
        self._fd = _lock(self._path)
        self._path.chmod(0o711)
        #: Where a run's directories are made.
        self.box = self._path / "run"
        self.box.mkdir(mode=0o755)
        self.box.chmod(0o755)

    def close(self, *, evict: bool = False) -> None:
        """Remove it; `evict`: processes may still stand in it."""
        if evict:
            _evict(self._path)
        _remove(self._path)
        os.close(self._fd)
