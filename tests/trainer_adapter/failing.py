"""Judges whose sandboxes fail on demand: the launcher is killed, or stopped, just before it is to compile a doomed
program."""

from __future__ import annotations

import os
import signal
import time
import uuid
from typing import Any

import pytest

from containers import Outcome, RunSpec, Sandbox
from judge.many import local
from tests.containers.conformance.test_lifecycle import ended
from tests.processes import children, descendants

_MARK = "doomed"


def doomed(code: str) -> str:
    """The same program, never compiled before: a comment alone would not make it another."""
    return f"{code}int {_MARK}_{uuid.uuid4().hex};\n"


class Doom:
    """What Judges of one slot open from now on loses its launcher over doomed programs, until that is lifted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, number: signal.Signals = signal.SIGKILL) -> None:
        self.lifted = False
        self.number = number
        self._others = children(os.getpid())
        open_sandbox = local.open_sandbox
        monkeypatch.setattr(local, "open_sandbox", lambda *how, **named: _Sandbox(open_sandbox(*how, **named), self))

    def strike(self) -> None:
        """To every launcher that was started since. One that is stopped is stopped with its stub, which starts runs."""
        for pid in children(os.getpid()) - self._others:
            for each in (*(descendants(pid) if self.number is signal.SIGSTOP else ()), pid):
                os.kill(each, self.number)
            while self.number is signal.SIGKILL and not ended(pid):
                time.sleep(0.001)


class _Sandbox:
    def __init__(self, opened: Sandbox, doom: Doom) -> None:
        self._opened, self._doom = opened, doom

    def run(self, spec: RunSpec) -> Outcome:
        if not self._doom.lifted and any(_MARK.encode() in file.content for file in spec.files):
            # Launchers are started when they are first needed: now, that there is one to be killed.
            self._opened.run(RunSpec(argv=("/usr/bin/true",), limits=spec.limits, mounts=spec.mounts))
            self._doom.strike()
        return self._opened.run(spec)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._opened, name)
