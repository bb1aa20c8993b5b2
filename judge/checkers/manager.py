"""The manager of a communication problem: compiled once, run beside several processes of each submission. How it is
called and what it says by its end is in `conventions`. Its last arguments are two paths for each process: of what the
process writes, and of what it reads. With `fifos: swapped` both sides get the two in the other order.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import problems.model
from containers import Outcome, RunLimits, RunSpec, Side
from containers.spec import pipe_path
from judge.checkers.conventions import MANAGERS
from judge.checkers.failures import Failures
from judge.checkers.program import compile_files, read_word, run_limits
from judge.common.models import CompileLimits
from judge.compiling.compiler import Compiler, Executable
from judge.ruling.interplay import Said, Word
from judge.slots.crew import Spoken
from judge.slots.slot import SlotSandbox
from judge.store.inputs import stream
from problems.model import TestCase


class Manager:
    """One manager, ready to run on any slot. It closes itself when nobody uses the object any more."""

    def __init__(self, spec: problems.model.Manager, program: Executable) -> None:
        self._spec = spec
        self._call = MANAGERS[spec.program.convention]
        self._program = program
        self.close = weakref.finalize(self, program.close)
        self._name = f"manager {spec.program.sources[0].name}"
        #: On which tests it fails with the problem's own accepted submission, too.
        self.failures = Failures()

    @property
    def processes(self) -> int:
        return self._spec.processes

    @property
    def limits(self) -> RunLimits:
        """Its limits, as its package states them."""
        return run_limits(self._spec.program)

    def arguments(self, index: int) -> tuple[str, ...]:
        """What a process of the submission gets."""
        fifos = self._order("/dev/stdin", "/dev/stdout") if self._spec.fifos else ()
        return (*fifos, str(index))

    def _order(self, first: str, second: str) -> tuple[str, str]:
        return (second, first) if self._spec.fifos == "swapped" else (first, second)

    @contextmanager
    def run(self, case: TestCase, *, factor: float, beside: RunLimits) -> Iterator[RunSpec]:
        """Its run for one test, but for the pipes. `factor`: of its CPU time. `beside`: the limits of a process, for
        which it may wait: that is not its own time."""
        own, program = self.limits, self._spec.program
        limits = replace(own, cpu_ns=int((own.cpu_ns or 0) * factor), wall_ns=own.wall_ns + 2 * beside.wall_ns)
        given = case.read_input()
        arguments, files = self._call.call_arguments({"input": given, "answer": case.read_answer()}, case.full_score)
        with stream(given if self._call.stdin else b"") as stdin:
            yield self._program.spec(
                arguments=(*arguments, *program.arguments, *self._pipes()),
                files=files,
                collect=self._call.leaves,
                stdin=stdin,
                limits=limits,
            )

    def _pipes(self) -> Iterator[str]:
        for process in range(self.processes):
            yield from self._order(pipe_path(2 * process), pipe_path(2 * process + 1))

    def read_word(self, spoken: Spoken, full_score: float | None = 1.0) -> Said:
        """Its word on the submission. `full_score`: as for `ProgramChecker.check`."""
        limits, outcome = self.limits, spoken.manager
        if any(carried.written[Side.INTERACTOR] > limits.output_bytes for carried in spoken.carried):
            return Said(word=Word.FAILED, detail=f"{self._name} wrote more than {limits.output_bytes} bytes")
        if outcome.usage.cpu_ns > (limits.cpu_ns or 0):
            return Said(word=Word.FAILED, detail=f"{self._name} used more CPU time than it may")
        return self.word(outcome, full_score)

    def word(self, outcome: Outcome, full_score: float | None = 1.0) -> Said:
        """What the end of its run says."""
        return read_word(outcome, self._call, self._name, full_score)


def build_manager(
    spec: problems.model.Manager, compiler: Compiler, sandbox: SlotSandbox, limits: CompileLimits = (None, None)
) -> Manager:
    """Compile a manager.

    Raises:
        CheckerError: it does not compile.
        ProblemError: a source cannot be read.
    """
    return Manager(spec, compile_files(spec.program, compiler, sandbox, what="manager", limits=limits))
