"""Problem packages that clients send: kept in the database, and unpacked where they are needed.

They are named by the digest of what they hold, so whoever knows a package may have programs judged on it.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import zipfile
from pathlib import Path

import problems
from judge.server.requests import PACKAGE
from judge.server.store import Store
from problems.errors import ProblemError, UnknownProblem
from problems.files import parcel


class Packages:
    """Those that this server has unpacked. Thread-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._directory = Path(tempfile.mkdtemp(prefix="judge-packages-"))
        self._paths: dict[str, Path] = {}

    def path(self, digest: str) -> Path:
        """
        Raises:
            ProblemError: there is no such package.
        """
        with self._lock:
            if digest not in self._paths:
                found = self._store.package(digest)
                if found is None:
                    raise UnknownProblem(PACKAGE + digest)
                self._paths[digest] = self._unpack(*found)
            return self._paths[digest]

    def take(self, digest: str, name: str, owner: str, content: bytes) -> None:
        """Check a package, and keep it.

        Raises:
            ProblemError: it is none, or has another digest.
        """
        path = self._unpack(name, content)
        try:
            problems.load(path)
            if (found := parcel.digest(path)) != digest:
                raise ProblemError(f"the digest of this package is {found}, not {digest}")
            self._store.keep_package(digest, name, owner, content)
        finally:
            shutil.rmtree(path.parent)

    def close(self) -> None:
        shutil.rmtree(self._directory, ignore_errors=True)

    def _unpack(self, name: str, content: bytes) -> Path:
        directory = Path(tempfile.mkdtemp(dir=self._directory))
        try:
            return parcel.unpack(content, name, directory)
        except BaseException as error:
            shutil.rmtree(directory)
            if isinstance(error, (ValueError, zipfile.BadZipFile, EOFError, NotImplementedError)):
                raise ProblemError(f"{name}: no zip file that can be read: {error}") from error
            raise
