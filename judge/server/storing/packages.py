"""Problem packages that clients send: kept in the database, and unpacked where they are needed.

They are named by the digest of what they hold, so whoever knows a package may have programs judged on it. The database,
and the disk of each server, hold so many bytes of them. Those that were used longest ago go first, but none that a row
waits for.
"""

from __future__ import annotations

import errno
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path

import sqlalchemy as sql

from judge.server.requests import MOST_CPU_NS, PACKAGE, JudgementRequest
from judge.server.storing.store import Store
from judge.server.storing.tables import OWED, PACKAGES, WORK
from judge.store.unpacked import Unpacked
from problems.errors import ProblemError, UnknownProblem
from problems.files import archive, parcel
from problems.model import SECOND_NS, Limits, Problem, usual_wall_ns
from problems.reading import package

#: Of PostgreSQL: rows that name packages are added beside each other, but not while packages are taken out.
_LOCK = 0x6A7564676570
#: Seconds between two notes that a package was used.
_NOTED_S = 60
#: Errors that no package causes.
_OURS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EACCES)


class Packages:
    """Those of the database, and those of them that this server has unpacked. Thread-safe."""

    def __init__(self, store: Store, most_bytes: int) -> None:
        self._store = store
        self._most_bytes = most_bytes
        self._directory = _directory()
        self.unpacked = Unpacked(most_bytes)

    def path(self, digest: str) -> Path:
        """It stays while its problem is in use.

        Raises:
            ProblemError: there is no such package.
        """

        def make() -> Path:
            kept = self._store.package(digest)
            if kept is None:
                raise UnknownProblem(PACKAGE + digest)
            return self._unpack(*kept, digest)

        return self.unpacked.get(PACKAGE + digest, make)

    def problem(self, request: JudgementRequest) -> str | Path:
        """What it is judged on. Raises as `path`."""
        return request.problem if request.package is None else self.path(request.package)

    def find_unpacked(self, digest: str) -> Path | None:
        """Where this server has unpacked it; None: it has not."""
        return self.unpacked.find(PACKAGE + digest)

    @contextmanager
    def using(self, problem: str | None) -> Iterator[None]:
        """Somebody judges on a problem, or reads it."""
        self.begin_use(problem)
        try:
            yield
        finally:
            self.end_use(problem)

    def begin_use(self, problem: str | None) -> None:
        """Its package, if it is one that was sent, stays here until `end_use`."""
        if problem is not None and problem.startswith(PACKAGE):
            self.unpacked.begin(problem)

    def end_use(self, problem: str | None) -> None:
        if problem is not None and problem.startswith(PACKAGE):
            self.unpacked.end(problem)

    def take(self, digest: str, name: str, owner: str, content: bytes) -> None:
        """Check a package, and keep it.

        Raises:
            ProblemError: it is none, has another digest, is larger than all packages may be, or gives a program more
                time than a request may ask for.
        """
        if len(content) > self._most_bytes:
            raise ProblemError(f"{name}: {len(content)} bytes; all packages together may have {self._most_bytes}")
        path = self._unpack(name, content, digest)
        try:
            _check_times(package.read(path, shown=name), name)
            self._store.keep_package(digest, name, owner, content)
        finally:
            shutil.rmtree(path.parent)
        with self._store.writing() as db:
            _evict(db, self._most_bytes, digest)

    def close(self) -> None:
        archive.give_up(self._directory)

    def _unpack(self, name: str, content: bytes, digest: str) -> Path:
        """The package's directory, in a directory of its own. Nothing is left where it raises ProblemError."""
        directory = Path(tempfile.mkdtemp(dir=self._directory))
        try:
            if (found := parcel.digest_packed(content, name)) != digest:
                raise ProblemError(f"the digest of this package is {found}, not {digest}")
            return parcel.expand_zip(parcel.unpack(content, name, directory))
        except BaseException as error:
            shutil.rmtree(directory)
            if isinstance(error, ProblemError):  # its text is for who sent the package
                raise ProblemError(str(error).replace(f"{directory}/", "")) from error
            ours = isinstance(error, OSError) and error.errno in _OURS
            if isinstance(error, (*archive.UNSOUND, OSError)) and not ours:
                said = error.strerror if isinstance(error, OSError) and error.strerror else error
                raise ProblemError(f"{name}: no zip file that can be read: {said}") from error
            raise


def _directory() -> Path:
    """It is removed when its process is gone, unless all may write where it lies: as in a pod's volume, where nobody
    else lives and what is left goes with the pod."""
    try:
        return archive.private_directory()
    except ProblemError:
        return Path(tempfile.mkdtemp(prefix="judge-packages-"))


def _check_times(problem: Problem, name: str) -> None:
    """Who may send packages must not hold a slot for days, by a program that sleeps.

    Raises:
        ProblemError: a limit, of the submission or of a program of the package, is above the server's own.
    """
    for limits in _limits(problem):
        cpu_ns, wall_ns = limits.cpu_ns, limits.wall_ns or usual_wall_ns(limits.cpu_ns)
        if cpu_ns > MOST_CPU_NS or wall_ns > usual_wall_ns(MOST_CPU_NS):
            raise ProblemError(
                f"{name}: a limit of {cpu_ns / SECOND_NS:g} s of CPU time and {wall_ns / SECOND_NS:g} s in all; this "
                f"server takes {MOST_CPU_NS / SECOND_NS:g} s and {usual_wall_ns(MOST_CPU_NS) / SECOND_NS:g} s at most"
            )


def _limits(what: object) -> Iterator[Limits]:
    """All limits that a problem holds, wherever it holds them."""
    if isinstance(what, Limits):
        yield what
    elif is_dataclass(what):
        for field in fields(what):
            yield from _limits(getattr(what, field.name))
    elif isinstance(what, (tuple, frozenset, Mapping)):
        for each in what.values() if isinstance(what, Mapping) else what:
            yield from _limits(each)


def check_held(db: sql.Connection, digests: Set[str]) -> None:
    """Refuses the rows on these packages, which the transaction has written, if one is not there (any more).

    Raises:
        UnknownProblem: it is not.
    """
    if db.dialect.name == "postgresql":
        db.execute(sql.select(sql.func.pg_advisory_xact_lock_shared(_LOCK)))
    service = set(db.scalars(sql.select(PACKAGES.c.digest).where(PACKAGES.c.digest.in_(digests))))
    if missing := digests - service:
        raise UnknownProblem(PACKAGE + min(missing))
    now = time.time()
    long_ago = sql.func.coalesce(PACKAGES.c.used_s, 0) < now - _NOTED_S
    db.execute(sql.update(PACKAGES).where(PACKAGES.c.digest.in_(digests), long_ago).values(used_s=now))


def _evict(db: sql.Connection, most_bytes: int, new: str) -> None:
    """Take out those used longest ago until what is left has `most_bytes`, or is needed. Whoever adds a row meanwhile
    finds its package gone, and is told so."""
    if db.dialect.name == "postgresql":
        db.execute(sql.select(sql.func.pg_advisory_xact_lock(_LOCK)))
    size = sql.func.length(PACKAGES.c.content)
    held_bytes = int(db.scalar(sql.select(sql.func.sum(size))) or 0)
    if held_bytes <= most_bytes:
        return
    owed = sql.select(WORK.c.number).where(OWED, WORK.c.problem == PACKAGE + PACKAGES.c.digest).exists()
    last = sql.func.coalesce(PACKAGES.c.used_s, PACKAGES.c.made_s)
    free = sql.select(PACKAGES.c.digest, size).where(~owed, PACKAGES.c.digest != new).order_by(last)
    for digest, bytes_ in db.execute(free).all():
        if held_bytes <= most_bytes:
            return
        db.execute(sql.delete(PACKAGES).where(PACKAGES.c.digest == digest))
        held_bytes -= bytes_
