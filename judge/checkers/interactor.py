"""The interactor of a problem: compiled once, run beside each submission, each reading what the other one writes.

    ICPC       prog input answer feedback_dir [arguments]   exit 42 accepted, 43 refused
    testlib    prog input output answer [arguments]         exit 0 ok, 1 2 4 8 refused, 7 points; output: for a checker

The input comes as a file, for stdin is what the submission says. Anything else than these exit codes is a failure.
"""

from __future__ import annotations

import hashlib
import threading
import weakref
from dataclasses import replace

import problems.model
from containers import File, Outcome, RunLimits, RunSpec, Side
from judge.checkers.program import FEEDBACK, compile_files, icpc_word, run_limits, testlib_word
from judge.common.errors import CheckerError
from judge.common.models import CompileLimits
from judge.compiling.compiler import Compiler, Executable
from judge.ruling.interplay import Said, Word
from judge.slots.pair import Talk
from judge.slots.slot import SlotSandbox
from judge.store.recent import Recent
from problems.errors import ProblemError
from problems.model import Convention, TestCase

_FILES, _INPUT, _ANSWER = "../in/", "judge_input", "judge_answer"
#: What an interactor of testlib's convention writes for a checker.
OUTPUT = "interactor_output"
#: For so many tests we remember whether an interactor fails on an accepted submission.
_REMEMBERED = 4096


class Interactor:
    """One interactor, ready to run on any slot. It closes itself when nobody uses the object any more."""

    def __init__(self, spec: problems.model.Program, program: Executable) -> None:
        self._spec = spec
        self._program = program
        self.close = weakref.finalize(self, program.close)
        self._name = f"interactor {spec.sources[0].name}"
        self._lock = threading.Lock()
        self._fails = Recent[bool](_REMEMBERED)  # by test: whether it fails on an accepted submission

    def run(self, *, input: bytes, answer: bytes, factor: float, beside: RunLimits) -> RunSpec:
        """Its run for one test. `factor`: of its CPU time. `beside`: the limits of the program, for which it may wait:
        that is not its own time."""
        icpc = self._spec.convention is Convention.ICPC
        middle = (_FILES + _ANSWER, "./") if icpc else (OUTPUT, _FILES + _ANSWER)
        own = self.limits
        return self._program.spec(
            arguments=(_FILES + _INPUT, *middle, *self._spec.arguments),
            files=(File(name=_INPUT, content=input), File(name=_ANSWER, content=answer)),
            collect=FEEDBACK if icpc else (OUTPUT,),
            # Twice: the program's wall limit is extended by as much at most, for waiting for a core.
            limits=replace(own, cpu_ns=int((own.cpu_ns or 0) * factor), wall_ns=own.wall_ns + 2 * beside.wall_ns),
        )

    @property
    def limits(self) -> RunLimits:
        """Its limits, as its package states them."""
        return run_limits(self._spec)

    def known_to_fail(self, case: TestCase) -> bool | None:
        """Whether it fails on this test with the problem's own accepted submission; None: not known."""
        with self._lock:
            return self._fails.get(_key(case))

    def remember(self, case: TestCase, fails: bool) -> None:
        with self._lock:
            self._fails.put(_key(case), fails)

    def has_refused(self, outcome: Outcome) -> bool:
        return self.word(outcome).word is Word.REFUSED

    def said(self, talk: Talk) -> Said:
        """Its word on the program."""
        limits = self.limits
        if talk.carried.written[Side.INTERACTOR] > limits.output_bytes:
            return Said(word=Word.FAILED, detail=f"{self._name} wrote more than {limits.output_bytes} bytes")
        if talk.interactor.usage.cpu_ns > (limits.cpu_ns or 0):
            return Said(word=Word.FAILED, detail=f"{self._name} used more CPU time than it may")
        return self.word(talk.interactor)

    def word(self, outcome: Outcome) -> Said:
        """What the end of its run says."""
        word = icpc_word if self._spec.convention is Convention.ICPC else testlib_word
        try:
            checked = word(outcome, self._name)
        except CheckerError as error:
            return Said(word=Word.FAILED, detail=str(error))
        accepted = checked.score > 0
        return Said(word=Word.ACCEPTED if accepted else Word.REFUSED, score=checked.score, detail=checked.detail)


def _key(case: TestCase) -> bytes:
    given = case.read_input()
    return hashlib.sha256(b"%d %b %b" % (len(given), given, case.read_answer())).digest()


def build_interactor(
    spec: problems.model.Program, compiler: Compiler, sandbox: SlotSandbox, limits: CompileLimits = (None, None)
) -> Interactor:
    """Compile an interactor.

    Raises:
        CheckerError: it does not compile.
        ProblemError: a source cannot be read, or its calling convention is not supported.
    """
    if spec.convention not in (Convention.ICPC, Convention.TESTLIB):
        raise ProblemError(
            f"interactor {spec.sources[0].name}: calling convention {spec.convention.value!r} is not supported; "
            "use icpc or testlib"
        )
    return Interactor(spec, compile_files(spec, compiler, sandbox, what="interactor", limits=limits))
