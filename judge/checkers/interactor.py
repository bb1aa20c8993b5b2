"""The interactor of a problem: compiled once, run beside each submission, each reading what the other one writes.
How each is called and what it says by its end is in `conventions`.

The input comes as a file, for stdin is what the submission says.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from dataclasses import replace

import problems.model
from containers import File, Outcome, RunLimits, RunSpec, Side
from containers.spec import ALL
from judge.checkers.conventions import INTERACTORS
from judge.checkers.failures import Failures
from judge.checkers.program import compile_files, read_word, run_limits
from judge.common.models import CompileLimits
from judge.compiling.compiler import Compiler, Executable
from judge.ruling.interplay import Said, Word
from judge.slots.pair import Talk
from judge.slots.slot import SlotSandbox
from problems.errors import ProblemError


class Interactor:
    """One interactor, ready to run on any slot. It closes itself when nobody uses the object any more."""

    def __init__(self, spec: problems.model.Program, program: Executable) -> None:
        self._spec = spec
        self._call = INTERACTORS[spec.convention]
        self._program = program
        self.close = weakref.finalize(self, program.close)
        self._name = f"interactor {spec.sources[0].name}"
        #: On which tests it fails with the problem's own accepted submission, too.
        self.failures = Failures()

    def run(
        self,
        *,
        input: bytes,
        answer: bytes,
        factor: float,
        beside: RunLimits,
        state: Mapping[str, bytes] | None = None,
        arguments: tuple[str, ...] | None = None,
    ) -> RunSpec:
        """Its run for one test. `factor`: of its CPU time. `beside`: the limits of the program, for which it may wait:
        that is not its own time. `state`: what earlier passes left; None: there is one pass only.
        `arguments`: in place of its own."""
        called, files = self._call.call_arguments({"input": input, "answer": answer}, 1.0)
        left = (File(name=name, content=content, work=True) for name, content in (state or {}).items())
        own = self.limits
        return self._program.spec(
            arguments=(*called, *(self._spec.arguments if arguments is None else arguments)),
            files=(*files, *left),
            collect=self._call.leaves if state is None else ALL,
            # Twice: the program's wall limit is extended by as much at most, for waiting for a core.
            limits=replace(own, cpu_ns=int((own.cpu_ns or 0) * factor), wall_ns=own.wall_ns + 2 * beside.wall_ns),
        )

    @property
    def limits(self) -> RunLimits:
        """Its limits, as its package states them."""
        return run_limits(self._spec)

    def has_refused(self, outcome: Outcome) -> bool:
        return self.word(outcome).word is Word.REFUSED

    def read_word(self, talk: Talk, full_score: float | None = 1.0) -> Said:
        """Its word on the program. `full_score`: as for `ProgramChecker.check`."""
        limits = self.limits
        if talk.carried.written[Side.INTERACTOR] > limits.output_bytes:
            return Said(word=Word.FAILED, detail=f"{self._name} wrote more than {limits.output_bytes} bytes")
        if talk.interactor.usage.cpu_ns > (limits.cpu_ns or 0):
            return Said(word=Word.FAILED, detail=f"{self._name} used more CPU time than it may")
        return self.word(talk.interactor, full_score)

    def word(self, outcome: Outcome, full_score: float | None = 1.0) -> Said:
        """What the end of its run says."""
        return read_word(outcome, self._call, self._name, full_score)


def build_interactor(
    spec: problems.model.Program, compiler: Compiler, sandbox: SlotSandbox, limits: CompileLimits = (None, None)
) -> Interactor:
    """Compile an interactor.

    Raises:
        CheckerError: it does not compile.
        ProblemError: a source cannot be read, or its calling convention is not supported.
    """
    if spec.convention not in INTERACTORS:
        raise ProblemError(
            f"interactor {spec.sources[0].name}: calling convention {spec.convention.value!r} has no interactors; "
            f"use {' or '.join(INTERACTORS)}"
        )
    return Interactor(spec, compile_files(spec, compiler, sandbox, what="interactor", limits=limits))
