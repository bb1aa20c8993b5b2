"""An honest run beside an attack: nothing that the attack does may change what comes of it."""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack

from containers import Outcome, RunLimits, RunSpec, Sandbox, Termination
from judge.selftest.canaries import Canaries
from tests.processes import called

_MIB = 1 << 20
_LIMITS = RunLimits(cpu_ns=1_000_000_000, wall_ns=60_000_000_000, memory_bytes=32 * _MIB)
_QUESTIONS = (3, 12345, 99)
_ANSWERS = b"9\n152399025\n9801\nunchanged\n"


class Neighbour:
    """A context manager: the program runs meanwhile, in a slot of its own."""

    def __init__(self, slot: Sandbox, program: int, canaries: Canaries) -> None:
        self._slot, self._program = slot, program
        self._secret = canaries.secret("neighbour").encode()
        self._outcome: Outcome | BaseException | None = None
        #: Its number outside; ours where it has none (gVisor's processes are not the machine's).
        self.pid = 0

    def __enter__(self) -> Neighbour:
        with ExitStack() as undo:
            reader, self._to = os.pipe2(os.O_CLOEXEC)
            undo.callback(os.close, reader)
            self._from, writer = os.pipe2(os.O_CLOEXEC)
            undo.callback(os.close, writer)
            name = f"neighbour-{os.getpid()}-{id(self):x}"
            spec = RunSpec(argv=(name,), executable=self._program, stdin=reader, stdout=writer, limits=_LIMITS)
            self._thread = threading.Thread(target=self._run, args=(spec, undo.pop_all()))
            self._thread.start()
        os.write(self._to, self._secret + b"\n")
        assert os.read(self._from, 64) == b"ready\n", self._outcome
        self.pid = called(name) or os.getpid()
        return self

    def _run(self, spec: RunSpec, undo: ExitStack) -> None:
        with undo:
            try:
                self._outcome = self._slot.run(spec)
            except BaseException as error:  # reported by complaints()
                self._outcome = error

    def __exit__(self, *_: object) -> None:
        """Ask it, and let it end."""
        os.write(self._to, b"".join(b"%d\n" % number for number in _QUESTIONS))
        os.close(self._to)
        with os.fdopen(self._from, "rb") as answers:
            self._answers = answers.read()
        self._thread.join()

    def complaints(self) -> list[str]:
        outcome = self._outcome
        if not isinstance(outcome, Outcome):
            return [f"the neighbour's run failed: {outcome}"]
        ended = (outcome.termination, outcome.exit_code, outcome.suspicious, outcome.stderr)
        if ended != (Termination.EXITED, 0, (), b"") or self._answers != _ANSWERS:
            return [f"the neighbour was disturbed: {ended} {self._answers!r}"]
        return []


def honest_run(slot: Sandbox, program: int, canaries: Canaries) -> list[str]:
    """The same program once more, in the slot that the attack had."""
    neighbour = Neighbour(slot, program, canaries)
    with neighbour:
        pass
    return [f"afterwards, in the same slot: {complaint}" for complaint in neighbour.complaints()]
