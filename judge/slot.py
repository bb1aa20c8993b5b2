"""One slot: the sandboxes of one worker thread, opened when they are first needed.

program     compiles and runs submissions
checker     runs what the problem brings (checkers, generators, solutions): never where a submission runs
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

from containers import ContainerError, Isolation, Outcome, RunSpec, Sandbox, Termination
from judge.errors import Cancelled
from judge.gate import Gate

Opener = Callable[[], Sandbox]


class Slot:
    """Not thread-safe, except for `stop`."""

    def __init__(self, opener: Opener, gate: Gate) -> None:
        self.gate = gate
        self.program = SlotSandbox(opener, gate)
        self.checker = SlotSandbox(opener, gate)

    def renew(self) -> None:
        """Start afresh after a failure of the sandbox."""
        for sandbox in (self.program, self.checker):
            sandbox.renew()

    def stop(self) -> None:
        self.program.stop()
        self.checker.stop()

    def close(self) -> None:
        self.program.close()
        self.checker.close()


class SlotSandbox:
    """The `Sandbox` protocol, opened lazily, each run counted at the gate. A cancelled run raises `Cancelled`."""

    def __init__(self, opener: Opener, gate: Gate) -> None:
        self._opener = opener
        self._gate = gate
        self._lock = threading.Lock()
        self._sandbox: Sandbox | None = None

    @property
    def isolation(self) -> Isolation:
        return self._opened().isolation

    def run(self, spec: RunSpec) -> Outcome:
        with self._gate.shared():
            return self.run_inside(spec)

    def run_inside(self, spec: RunSpec) -> Outcome:
        """Run for a caller who has passed the gate."""
        outcome = self._opened().run(spec)
        if outcome.termination is Termination.CANCELLED:
            raise Cancelled
        return outcome

    def _opened(self) -> Sandbox:
        if self._sandbox is None:
            opened = self._opener()
            with self._lock:
                self._sandbox = opened
        return self._sandbox

    def stop(self) -> None:
        with self._lock:
            if self._sandbox is not None:
                self._sandbox.stop()

    def renew(self) -> None:
        with contextlib.suppress(ContainerError):  # what failed may fail to close: it is given up either way
            self.close()

    def close(self) -> None:
        with self._lock:
            sandbox, self._sandbox = self._sandbox, None
        if sandbox is not None:
            sandbox.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()
