"""Runs the checkers that a problem brings: compiled once, each run in their own sandbox with a test's input and answer.
How each is called and what it says by its end is in `conventions`.

In a multi-pass problem it may write nextpass.in beside that, the input of another pass, and exits with 42 (or 0). All
other files that it leaves in its directory are there again after the next pass.

Anything else is a failure of the checker: it crashed, exceeded a limit or broke its convention. A submission must not
get IE by an output that breaks the checker. So we then run the checker on the jury's own answer. If it works there,
the output is wrong. If not, the answer may be no output (notes for the checker). So the caller asks whether the checker
fails on what the package's first accepted submission writes, too: only then is the problem broken.
"""

from __future__ import annotations

import hashlib
import shlex
import threading
import weakref
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import problems.model
from containers import File, Outcome, RunLimits, Sandbox
from containers.spec import ALL
from judge import languages
from judge.checkers.compare import Checked
from judge.checkers.conventions import CHECKERS, FEEDBACK, Call, icpc_word, own_name
from judge.checkers.failures import Failures
from judge.common.errors import CheckerError, LanguageError
from judge.common.models import CompileLimits
from judge.compiling import scripts
from judge.compiling.compiler import Compiler, Executable
from judge.languages import Language
from judge.ruling.interplay import Said, Word
from judge.store.inputs import stream
from judge.store.recent import Recent
from problems.errors import ProblemError
from problems.text.constants import substitute

#: What asks for another pass, as its input.
NEXT = "nextpass.in"
#: At most `MOST_FILES` files of a checker or interactor are kept from one pass to the next.
MOST_FILES = 48
#: We remember for `_REMEMBERED` tests whether a checker works on their answer.
_REMEMBERED = 4096

#: By which a checker may ask for another pass.
_ACCEPTED = 42


class ProgramChecker:
    """One custom checker, ready to run on any slot. It closes itself when nobody uses the object any more."""

    def __init__(self, spec: problems.model.Program, program: Executable) -> None:
        self._spec = spec
        self._call = CHECKERS[spec.convention]
        self._program = program
        self.close = weakref.finalize(self, program.close)
        self._name = f"checker {spec.sources[0].name}"
        self._lock = threading.Lock()
        self._lives = Recent[bool](_REMEMBERED)  # by test: whether it works on the jury's answer
        #: On which tests it fails with the problem's own accepted submission, too.
        self.failures = Failures()

    def check(
        self, sandbox: Sandbox, *, input: bytes, output: bytes, answer: bytes, full_score: float | None = 1.0
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

    def look_at(
        self, sandbox: Sandbox, *, files: tuple[File, ...], arguments: tuple[str, ...], full_score: float | None = 1.0
    ) -> Checked:
        """What a static validator says of `files`, which lie in its working directory. Its word is that of the ICPC
        convention.

        Raises:
            CheckerError: it fails.
        """
        outcome = sandbox.run(
            self._program.spec(arguments=arguments, files=files, collect=FEEDBACK, limits=run_limits(self._spec))
        )
        return icpc_word(outcome, self._name, full_score)

    def by_hand(self, input: Path, answer: Path, full_score: float | None) -> str | None:
        """The command that runs it on a test's own answer, on which it failed; None: `judge exec` cannot call it so."""
        if self._call.beside or self._spec.language == problems.model.SCRIPTS or self._spec.constants:
            return None
        names = {
            "input": input.name,
            "answer": answer.name,
            "output": answer.name,
            "full_score": f"{full_score or 1.0:.15g}",
        }
        given = [one.format(**names) for one in self._call.arguments]
        main, *others = self._spec.sources
        words = [str(main.parent), "--entry", main.name] if others else [str(main)]
        words += ["-l", self._spec.language] if self._spec.language else []
        for path in (input, answer):
            words += ["--file", str(path)]
        words += ["-i", str(answer)] if self._call.stdin else ["-i", "/dev/null"]
        return shlex.join(["judge", "exec", *words, "--", *given, *self._spec.arguments])

    def fails(self, sandbox: Sandbox, *, input: bytes, output: bytes, answer: bytes, full_score: float | None) -> bool:
        """Whether it fails on this output."""
        try:
            self._check(sandbox, input, output, answer, full_score)
        except CheckerError:
            return True
        return False

    def rule_pass(
        self,
        sandbox: Sandbox,
        *,
        input: bytes,
        output: bytes,
        answer: bytes,
        state: Mapping[str, bytes],
        full_score: float | None = 1.0,
    ) -> Said:
        """Its word on one pass, after passes that left the files `state`."""
        try:
            outcome = self._outcome(sandbox, input, output, answer, state, ALL, full_score)
        except CheckerError as error:
            return Said(word=Word.FAILED, detail=str(error))
        return read_word(outcome, self._call, self._name, full_score)

    def _lives_on(self, sandbox: Sandbox, input: bytes, answer: bytes, full_score: float | None) -> bool:
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

    def _check(self, sandbox: Sandbox, input: bytes, output: bytes, answer: bytes, full_score: float | None) -> Checked:
        outcome = self._outcome(sandbox, input, output, answer, {}, self._call.leaves, full_score)
        return self._call.word(outcome, self._name, full_score)

    def _outcome(
        self,
        sandbox: Sandbox,
        input: bytes,
        output: bytes,
        answer: bytes,
        state: Mapping[str, bytes],
        collect: tuple[str, ...],
        full_score: float | None,
    ) -> Outcome:
        arguments, files = self._call.call_arguments({"input": input, "output": output, "answer": answer}, full_score)
        left = tuple(File(name=name, content=content, work=True) for name, content in state.items())
        with stream(output) if self._call.stdin else nullcontext() as stdin:
            return sandbox.run(
                self._program.spec(
                    arguments=(*arguments, *self._spec.arguments),
                    files=(*files, *left),
                    stdin=stdin,
                    collect=collect,
                    limits=run_limits(self._spec),
                )
            )


def read_word(outcome: Outcome, call: Call, name: str, full_score: float | None = 1.0) -> Said:
    """What a checker or an interactor, called `name`, says by its end, and by the files that it leaves if all were
    collected."""
    try:
        checked = call.word(outcome, name, full_score)
        next_input = outcome.files.get(NEXT)
        if next_input is not None and outcome.exit_code not in (0, _ACCEPTED):
            raise CheckerError(f"{name} refused the output and wrote {NEXT}, which asks for another pass")
        left = {file: content for file, content in outcome.files.items() if file != NEXT}
        if len(left) > MOST_FILES:
            raise CheckerError(f"{name} left {len(left)} files, more than {MOST_FILES}")
    except CheckerError as error:
        return Said(word=Word.FAILED, detail=str(error))
    gives = checked.score > 0 or checked.points is not None or checked.raw_score is not None
    accepted = gives or next_input is not None
    return Said(
        word=Word.ACCEPTED if accepted else Word.REFUSED,
        score=checked.score,
        points=checked.points,
        raw_score=checked.raw_score,
        detail=checked.detail,
        next_input=next_input,
        files=left,
    )


def run_limits(spec: problems.model.Program) -> RunLimits:
    limits = spec.limits
    made = RunLimits(
        cpu_ns=limits.cpu_ns,
        wall_ns=limits.wall_ns or problems.model.usual_wall_ns(limits.cpu_ns),
        memory_bytes=limits.memory_bytes,
        output_bytes=limits.output_bytes,
    )
    language = _find_language(spec.language, spec.sources[0].suffix)
    if language is None:  # it is never run
        return made
    return replace(made, processes=language.processes, open_files=language.open_files)


@lru_cache(256)
def _find_language(language: str | None, suffix: str) -> Language | None:
    try:
        return _language(language, Path(f"program{suffix}"))
    except LanguageError:
        return None


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


def language_of(spec: problems.model.Program, what: str) -> Language:
    """The language of a program of the problem. `what` it is, for messages.

    Raises:
        ProblemError: no language has the suffix of its first source.
        LanguageError: there is no such language.
    """
    main = spec.sources[0]
    try:
        return _language(spec.language, main)
    except LanguageError as error:
        if spec.language is not None:
            raise LanguageError(f"{what} {main}: {error}") from error
        raise ProblemError(
            f"{what} {main}: no language has the suffix {main.suffix!r}; give it that of a language that "
            "`judge languages` lists, or make it a directory with a script run"
        ) from error


def _language(name: str | None, path: Path) -> Language:
    if name == problems.model.SCRIPTS:
        return scripts.language()
    return languages.get(name) if name else languages.for_path(path)


def compile_files(
    spec: problems.model.Program,
    compiler: Compiler,
    sandbox: Sandbox,
    *,
    what: str,
    limits: CompileLimits = (None, None),
    language: Language | None = None,
) -> Executable:
    """Compile the first source of a program of the problem; it can include the others by name. Raises as `build`, and

    LanguageError: this machine lacks its language.
    """
    main, *others = spec.sources
    scripted = spec.language == problems.model.SCRIPTS
    language = language or language_of(spec, what)
    try:
        text, *rest = (substitute(path.read_bytes(), spec.constants, f"{what} {path}") for path in spec.sources)
    except OSError as error:
        raise ProblemError(f"{what} {main}: cannot read {error.filename}: {error.strerror}") from error
    if scripted:
        names = [path.relative_to(main.parent).as_posix() for path in spec.sources]
        text, others = scripts.pack_files(dict(zip(names, (text, *rest), strict=True))), []
    extra = tuple(File(name=path.name, content=content) for path, content in zip(others, rest, strict=False))
    language = language.compiled_under(*limits)
    try:
        compiled = compiler.compile(text, language, sandbox, extra=extra, wrap_freopen=False)
    except LanguageError as error:
        raise LanguageError(f"{what} {main}: {error}") from error
    if compiled.program is None:
        said = own_name(compiled.result.output, main.name)
        if compiled.result.verdict != "error":  # what stopped it stands last: such words are often cut
            said = f"{said.rstrip().rpartition(chr(10))[2]}\n{said}"
        raise CheckerError(f"{what} {main} does not compile:\n{said}")
    return compiled.program
