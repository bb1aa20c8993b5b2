"""Makes the private directory of a slot that has no mount namespace.

    /tmp/judge-slot-<random>/     0700, or 0710 with the group of a leased user, who can pass through, but neither list
                                  nor change; locked while in use
        run/                      the only place that Landlock lets the program write; holds work/ and in/ during a run,
                                  which the launcher closes to other users, too

The next judge removes what a killed judge left: nobody holds the lock of that.
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

from containers.launcher.binary import binary
from containers.launcher.uids import nobody_leases, processes_of

#: Not TMPDIR, which may be closed to a leased user.
_PLACE = Path("/tmp")  # noqa: S108 - the directory in it is made private
_PREFIX = "judge-slot-"
_REMOVE_TRIES, _REMOVE_PAUSE_S = 50, 0.02
#: For this long after it was made a directory may not be locked yet.
_LOCK_S = 60.0


def _remove(home: Path) -> None:
    """Remove it with whatever a program left in it. The launcher does it: modes, names and depth do not stop it."""
    for _ in range(_REMOVE_TRIES):
        if subprocess.run((binary(), "--remove", str(home)), check=False).returncode == 0:
            return
        time.sleep(_REMOVE_PAUSE_S)  # a killed process may take a moment to end


def _evict(home: Path, uid: int) -> None:
    """Kill the processes that a run left when its launcher was killed: all of its leased user id, or those of our own
    user id whose working directory is inside `home`."""
    for _ in range(_REMOVE_TRIES):
        if not any([_kill_inside(process, home, uid) for process in processes_of(uid)]):
            return
        time.sleep(_REMOVE_PAUSE_S)


def _kill_inside(process: int, home: Path, uid: int) -> bool:
    """Whether it was one to kill. We look and kill by one pidfd: the pid alone could name another process by then."""
    path = Path("/proc", str(process))
    with suppress(OSError):  # gone; not ours to look at; a kernel without pidfd (before Linux 5.3)
        fd = os.pidfd_open(process)
        try:
            inside = (
                (path / "cwd").readlink().is_relative_to(home) if uid == os.geteuid() else path.stat().st_uid == uid
            )
            if inside:
                signal.pidfd_send_signal(fd, signal.SIGKILL)
            return inside
        finally:
            os.close(fd)
    return False


def _evict_left(home: Path) -> None:
    """Kill what a killed judge left. The owner of the run's working directory tells which user id that is."""
    with suppress(FileNotFoundError):
        uid = (home / "run/work").lstat().st_uid  # not stat: a program could link to another user's directory
        if uid == os.geteuid():
            _evict(home, uid)
            return
        with suppress(BlockingIOError), nobody_leases(uid):  # if leased, they are another slot's processes by now
            _evict(home, uid)


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
                _evict_left(home)
                _remove(home)
                os.close(fd)


class SlotDirectory:
    """One slot's private directory, until `close`."""

    def __init__(self, *, group: int | None = None, public: bool = False) -> None:
        """`group`: the leased user's. `public`: everybody may pass through; then runs must keep nothing in it."""
        _sweep()
        self._path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_PLACE))
        self._fd = _lock(self._path)
        #: Where a run's directories are made.
        self.box = self._path / "run"
        try:
            self.box.mkdir()
            self.box.chmod(0o755 if public else 0o700)
            if group is not None:
                os.chown(self._path, -1, group)
            self._path.chmod(0o711 if public else 0o700 if group is None else 0o710)
        except OSError:  # root without the capability to give it to a group
            self.close()
            raise

    def close(self, *, evict: int | None = None) -> None:
        """Remove it; `evict`: first kill what a run of this user id left."""
        if evict is not None:
            _evict(self._path, evict)
        _remove(self._path)
        os.close(self._fd)
