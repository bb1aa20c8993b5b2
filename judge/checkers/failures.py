"""Remembers on which tests a program of the problem fails beside the problem's own accepted submission, too."""

from __future__ import annotations

import hashlib
import threading

from judge.store.recent import Recent
from problems.model import TestCase

#: We remember it for `_REMEMBERED` tests.
_REMEMBERED = 4096


class Failures:
    """Of one checker or interactor. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._fails = Recent[bool](_REMEMBERED)

    def find_known(self, case: TestCase) -> bool | None:
        """Whether it fails on this test anyway; None: not known."""
        with self._lock:
            return self._fails.get(_key(case))

    def remember(self, case: TestCase, fails: bool) -> None:
        with self._lock:
            self._fails.put(_key(case), fails)


def _key(case: TestCase) -> bytes:
    given = case.read_input()
    return hashlib.sha256(b"%d %b %b" % (len(given), given, case.read_answer())).digest()
