"""Runs the checkers that a problem brings: compiled once, each run in their own sandbox with a test's input and answer.

    ICPC       prog input answer feedback_dir [arguments] < output      exit 42 accepted, 43 wrong
               feedback_dir: score.txt (up to `full_score`), score_multiplier.txt (in [0, 1]), judgemessage.txt
    testlib    prog input output answer [arguments]                     exit 0 ok, 1 2 4 8 wrong, 7 points
               stderr: the message; "points 0.5 …"

In a multi-pass problem it may write nextpass.in beside that, the input of another pass, and exits with 42 (or 0). All
other files that it leaves in its directory are there again after the next pass.

Anything else is a failure of the checker: it crashed, exceeded a limit or broke its convention. A submission must not
get IE by an output that breaks the checker. So we then run the checker on the jury's own answer. If it fails there,
too, the problem is broken (CheckerError, which becomes IE). If not, the output is wrong.
"""

from __future__ import annotations

import hashlib
import math
import threading
import weakref
from collections.abc import Mapping

import problems.model
from containers import File, Outcome, RunLimits, Sandbox, Termination
from containers.spec import ALL
from judge import languages
from judge.checkers.compare import Checked
from judge.checkers.failures import Failures
from judge.common.errors import CheckerError
from judge.common.models import CompileLimits
from judge.compiling.compiler import Compiler, Executable
from judge.ruling.classify import signal_name
from judge.ruling.interplay import Said, Word
from judge.store.inputs import stream
from judge.store.recent import Recent
from problems.errors import ProblemError
from problems.model import Convention
from problems.text.constants import substituted

_INPUT, _OUTPUT, _ANSWER = "judge_input", "judge_output", "judge_answer"
_FEEDBACK = "./"
#: What a program by the ICPC convention may leave in its feedback directory for us.
FEEDBACK = ("score.txt", "score_multiplier.txt", "judgemessage.txt")
#: What asks for another pass, as its input.
NEXT = "nextpass.in"
#: So many files of a checker or interactor are kept from one pass to the next.
MOST_FILES = 48
_FILES = "../in/"
_MESSAGE_BYTES = 4096
#: For so many tests we remember whether a checker works on their answer.
_REMEMBERED = 4096

_ACCEPTED, _REFUSED = 42, 43


class ProgramChecker:
    """One custom checker, ready to run on any slot. It closes itself when nobody uses the object any more."""

    def __init__(self, spec: problems.model.Program, program: Executable) -> None:
        self._spec = spec
        self._program = program
        self.close = weakref.finalize(self, program.close)
        self._name = f"checker {spec.sources[0].name}"
        self._lock = threading.Lock()
        self._lives = Recent[bool](_REMEMBERED)  # by test: whether it works on the jury's answer
        #: On which tests of a multi-pass problem it fails with the problem's own accepted submission, too.
        self.failures = Failures()

    def check(
        self, sandbox: Sandbox, *, input: bytes, output: bytes, answer: bytes, full_score: float = 1.0
    ) -> Checked:
        """Judge `output`. `full_score`: what it writes to score.txt for all of the test.

        Raises:
            CheckerError: the checker fails, on `answer`, too.
        """
        try:
            return self._check(sandbox, input, output, answer, full_score)
        except CheckerError as error:
            if output == answer or not self._lives_on(sandbox, input, answer, full_score):
                raise
            return Checked(score=0.0, detail=f"on this output the {error}", presentation=False)

    def said(
        self,
        sandbox: Sandbox,
        *,
        input: bytes,
        output: bytes,
        answer: bytes,
        state: Mapping[str, bytes],
        full_score: float = 1.0,
    ) -> Said:
        """Its word on one pass, after passes that left the files `state`."""
        try:
            outcome = self._outcome(sandbox, input, output, answer, state, ALL)
        except CheckerError as error:
            return Said(word=Word.FAILED, detail=str(error))
        return said(outcome, self._spec.convention, self._name, full_score)

    def _lives_on(self, sandbox: Sandbox, input: bytes, answer: bytes, full_score: float) -> bool:
        """Whether the checker works on the jury's own answer. Tried once for each test."""
        key = hashlib.sha256(b"%d %b %b" % (len(input), input, answer)).digest()
        with self._lock:
            known = self._lives.get(key)
        if known is None:
            try:
                self._check(sandbox, input, answer, answer, full_score)
                known = True
            except CheckerError:
                known = False
            with self._lock:
                self._lives.put(key, known)
        return known

    def _check(self, sandbox: Sandbox, input: bytes, output: bytes, answer: bytes, full_score: float) -> Checked:
        icpc = self._spec.convention is Convention.ICPC
        outcome = self._outcome(sandbox, input, output, answer, {}, FEEDBACK if icpc else ())
        return icpc_word(outcome, self._name, full_score) if icpc else testlib_word(outcome, self._name)

    def _outcome(
        self,
        sandbox: Sandbox,
        input: bytes,
        output: bytes,
        answer: bytes,
        state: Mapping[str, bytes],
        collect: tuple[str, ...],
    ) -> Outcome:
        left = tuple(File(name=name, content=content, work=True) for name, content in state.items())
        match self._spec.convention:
            case Convention.ICPC:
                files: tuple[File, ...] = (File(name=_INPUT, content=input), File(name=_ANSWER, content=answer))
                arguments = (_FILES + _INPUT, _FILES + _ANSWER, _FEEDBACK)
                with stream(output) as stdin:
                    return self._run(sandbox, arguments, (*files, *left), stdin=stdin, collect=collect)
            case Convention.TESTLIB:
                named = {_INPUT: input, _OUTPUT: output, _ANSWER: answer}
                files = tuple(File(name=name, content=content) for name, content in named.items())
                return self._run(sandbox, tuple(_FILES + name for name in named), (*files, *left), collect=collect)
            case other:
                raise ProblemError(
                    f"{self._name}: calling convention {other.value!r} is not supported; use icpc or testlib"
                )

    def _run(
        self,
        sandbox: Sandbox,
        arguments: tuple[str, ...],
        files: tuple[File, ...],
        *,
        stdin: int | None = None,
        collect: tuple[str, ...] = (),
    ) -> Outcome:
        return sandbox.run(
            self._program.spec(
                arguments=(*arguments, *self._spec.arguments),
                files=files,
                stdin=stdin,
                collect=collect,
                limits=run_limits(self._spec),
            )
        )


def said(outcome: Outcome, convention: Convention, name: str, full_score: float = 1.0) -> Said:
    """What a checker or an interactor, called `name`, says by its end, and by the files that it leaves if all were
    collected."""
    try:
        match convention:
            case Convention.ICPC:
                checked = icpc_word(outcome, name, full_score)
            case Convention.CMS:
                checked = cms_word(outcome, name)
            case _:
                checked = testlib_word(outcome, name)
        next_input = outcome.files.get(NEXT)
        if next_input is not None and outcome.exit_code not in (0, _ACCEPTED):
            raise CheckerError(f"{name} refused the output and wrote {NEXT}, which asks for another pass")
        left = {file: content for file, content in outcome.files.items() if file != NEXT}
        if len(left) > MOST_FILES:
            raise CheckerError(f"{name} left {len(left)} files, more than {MOST_FILES}")
    except CheckerError as error:
        return Said(word=Word.FAILED, detail=str(error))
    accepted = checked.score > 0 or next_input is not None
    return Said(
        word=Word.ACCEPTED if accepted else Word.REFUSED,
        score=checked.score,
        detail=checked.detail,
        next_input=next_input,
        files=left,
    )


def icpc_word(outcome: Outcome, name: str, full_score: float = 1.0) -> Checked:
    """What a checker or an interactor by the ICPC convention, called `name`, says by its end and in its `FEEDBACK`.

    Raises:
        CheckerError: it failed.
    """
    message = _text(outcome.files.get("judgemessage.txt", b""))
    code = _exit_code(outcome, name)
    if code == _REFUSED:
        return Checked(score=0.0, detail=message, presentation=False)
    if code != _ACCEPTED:
        raise _failure(outcome, name)
    score = 1.0
    if (points := outcome.files.get("score.txt")) is not None:
        score = _score(_text(points), name, full_score) / full_score
    elif (share := outcome.files.get("score_multiplier.txt")) is not None:
        score = _score(_text(share), name)
    return Checked(score=score, detail=message, presentation=False)


def testlib_word(outcome: Outcome, name: str) -> Checked:
    """As `icpc_word`, by the convention of testlib. Raises as it does."""
    message = _text(outcome.stderr)
    match _exit_code(outcome, name):
        case 0:
            return Checked(score=1.0, detail=message, presentation=False)
        case 1 | 2 | 4 | 8:  # wrong; malformed (no mere white space: WA, not PE); more, or less, than expected
            return Checked(score=0.0, detail=message, presentation=False)
        case 7:
            words = message.split()
            points = words[1] if len(words) > 1 and words[0] == "points" else ""
            return Checked(score=_score(points, name), detail=message, presentation=False)
        case _:
            raise _failure(outcome, name)


def cms_word(outcome: Outcome, name: str) -> Checked:
    """As `icpc_word`, by CMS's convention: the score is on stdout, the message on stderr. Raises as it does."""
    if _exit_code(outcome, name) != 0:
        raise _failure(outcome, name)
    message = _text(outcome.stderr)
    return Checked(score=_score(_text(outcome.stdout), name), detail=message, presentation=False)


def _exit_code(outcome: Outcome, name: str) -> int | None:
    if outcome.termination is not Termination.EXITED:
        raise _failure(outcome, name)
    return outcome.exit_code


def _score(text: str, name: str, most: float = 1.0) -> float:
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not 0 <= score <= most:
        hint = "" if most != 1 else ", unless range in testdata.yaml says more"
        raise CheckerError(f"{name}: wrote the score {text[:40]!r}; it must be a number from 0 to {most:g}{hint}")
    return score


def _failure(outcome: Outcome, name: str) -> CheckerError:
    match outcome.termination:
        case Termination.EXITED:
            how = f"exit code {outcome.exit_code}"
        case Termination.SIGNALED if outcome.signal is not None:
            how = signal_name(outcome.signal)
        case stopped:
            how = f"stopped by its {stopped.value}"
    message = _text(outcome.stderr)
    return CheckerError(f"{name} failed ({how}); run it by hand on this test{message and f': {message}'}")


def run_limits(spec: problems.model.Program) -> RunLimits:
    limits = spec.limits
    return RunLimits(
        cpu_ns=limits.cpu_ns,
        wall_ns=limits.wall_ns or problems.model.usual_wall_ns(limits.cpu_ns),
        memory_bytes=limits.memory_bytes,
        output_bytes=limits.output_bytes,
    )


def build(
    spec: problems.model.Program, compiler: Compiler, sandbox: Sandbox, limits: CompileLimits = (None, None)
) -> ProgramChecker:
    """Compile a checker.

    Raises:
        CheckerError: it does not compile.
        ProblemError: a source cannot be read, or its calling convention is not supported.
    """
    program = compile_files(spec, compiler, sandbox, what="checker", limits=limits)
    return ProgramChecker(spec, program)


def compile_files(
    spec: problems.model.Program,
    compiler: Compiler,
    sandbox: Sandbox,
    *,
    what: str,
    limits: CompileLimits = (None, None),
) -> Executable:
    """Compile the first source of a program of the problem; it can include the others by name. Raises as `build`."""
    main, *others = spec.sources
    language = languages.get(spec.language) if spec.language else languages.for_path(main)
    try:
        text, *rest = (substituted(path.read_bytes(), spec.constants, f"{what} {path}") for path in spec.sources)
    except OSError as error:
        raise ProblemError(f"{what} {main}: cannot read {error.filename}: {error.strerror}") from error
    extra = tuple(File(name=path.name, content=content) for path, content in zip(others, rest, strict=True))
    language = language.compiled_under(*limits)
    compiled = compiler.compile(text, language, sandbox, extra=extra, wrap_freopen=False)
    if compiled.program is None:
        raise CheckerError(f"{what} {main} does not compile:\n{compiled.result.output}")
    return compiled.program


def _text(data: bytes) -> str:
    return data[:_MESSAGE_BYTES].decode("utf-8", "replace").strip()
