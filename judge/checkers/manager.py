"""The manager of a communication problem: compiled once, run beside several processes of each submission.

    CMS        prog pipes… < input                              exit 0; prints a score in [0, 1], a message on stderr
    ICPC       prog input answer feedback_dir [arguments] pipes…    exit 42 accepted, 43 refused

For each process there are two paths among `pipes…`: of what the process writes, and of what it reads. Anything else
than these ends is a failure. CMS's managers also find the input as input.txt.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import problems.model
from containers import File, Outcome, RunLimits, RunSpec, Side
from containers.spec import FILES, pipe_path
from judge.checkers.failures import Failures
from judge.checkers.program import FEEDBACK, compile_files, run_limits, said
from judge.common.models import CompileLimits
from judge.compiling.compiler import Compiler, Executable
from judge.ruling.interplay import Said, Word
from judge.slots.crew import Spoken
from judge.slots.slot import SlotSandbox
from judge.store.inputs import stream
from problems.model import Convention, TestCase

_INPUT, _ANSWER = "judge_input", "judge_answer"


class Manager:
    """One manager, ready to run on any slot. It closes itself when nobody uses the object any more."""

    def __init__(self, spec: problems.model.Manager, program: Executable) -> None:
        self._spec = spec
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
        return (*(("/dev/stdin", "/dev/stdout") if self._spec.fifos else ()), str(index))

    @contextmanager
    def run(self, case: TestCase, *, factor: float, beside: RunLimits) -> Iterator[RunSpec]:
        """Its run for one test, but for the pipes. `factor`: of its CPU time. `beside`: the limits of a process, for
        which it may wait: that is not its own time."""
        own, program = self.limits, self._spec.program
        limits = replace(own, cpu_ns=int((own.cpu_ns or 0) * factor), wall_ns=own.wall_ns + 2 * beside.wall_ns)
        pipes = tuple(pipe_path(i) for i in range(2 * self.processes))
        given = case.read_input()
        if program.convention is Convention.CMS:
            files = (File(name="input.txt", content=given, work=True),)
            with stream(given) as stdin:
                yield self._program.spec(
                    arguments=(*pipes, *program.arguments), files=files, stdin=stdin, limits=limits
                )
            return
        yield self._program.spec(
            arguments=(f"{FILES}/{_INPUT}", f"{FILES}/{_ANSWER}", "./", *program.arguments, *pipes),
            files=(File(name=_INPUT, content=given), File(name=_ANSWER, content=case.read_answer())),
            collect=FEEDBACK,
            limits=limits,
        )

    def said(self, spoken: Spoken, full_score: float = 1.0) -> Said:
        """Its word on the submission. `full_score`: as for `ProgramChecker.check`."""
        limits, outcome = self.limits, spoken.manager
        if any(carried.written[Side.INTERACTOR] > limits.output_bytes for carried in spoken.carried):
            return Said(word=Word.FAILED, detail=f"{self._name} wrote more than {limits.output_bytes} bytes")
        if outcome.usage.cpu_ns > (limits.cpu_ns or 0):
            return Said(word=Word.FAILED, detail=f"{self._name} used more CPU time than it may")
        return self.word(outcome, full_score)

    def word(self, outcome: Outcome, full_score: float = 1.0) -> Said:
        """What the end of its run says."""
        return said(outcome, self._spec.program.convention, self._name, full_score)


def build_manager(
    spec: problems.model.Manager, compiler: Compiler, sandbox: SlotSandbox, limits: CompileLimits = (None, None)
) -> Manager:
    """Compile a manager.

    Raises:
        CheckerError: it does not compile.
        ProblemError: a source cannot be read.
    """
    return Manager(spec, compile_files(spec.program, compiler, sandbox, what="manager", limits=limits))
