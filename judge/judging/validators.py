"""Runs what checks the data of a package: each input validator on each input, and validators and checker on the data
that is there to test them.

    ICPC       prog [arguments] [the program's arguments] < input      exit 42 accepted
    testlib    prog [arguments] [the program's arguments] < input      exit 0 accepted

Whatever else is a refusal (2025-09, "Input validators"), but for one that exceeds a limit: that validator is broken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from containers import File, Sandbox, Termination
from judge.checkers.compare import Checked, compare
from judge.checkers.program import ProgramChecker, compile_files, run_limits
from judge.common.errors import CheckerError, LanguageError
from judge.common.models import CompileLimits
from judge.compiling.compiler import Compiler, Executable
from judge.judging.attachments import read
from judge.ruling.classify import signal_name
from judge.store.inputs import stream
from problems.model import Comparison, Convention, InputValidatorArgs, OutputTrial, Problem, Program
from problems.reading.samples import beside
from problems.validate import Finding, Severity

_ACCEPTED = {Convention.ICPC: 42, Convention.TESTLIB: 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Validator:
    name: str
    spec: Program
    program: Executable

    def complaint(self, sandbox: Sandbox, given: _Input) -> str | None:
        """Why it refuses the input; None: it accepts it.

        Raises:
            CheckerError: it exceeded a limit.
        """
        stated = dict(given.validator_args)
        own = stated.get(self.name, stated.get("", ()))
        with stream(given.data) as stdin:
            outcome = sandbox.run(
                self.program.spec(
                    arguments=(*own, *given.arguments), files=given.files, stdin=stdin, limits=run_limits(self.spec)
                )
            )
        said = (outcome.stderr or outcome.stdout)[-400:].decode("utf-8", "replace").strip() or "no reason given"
        match outcome.termination:
            case Termination.EXITED if outcome.exit_code == _ACCEPTED[self.spec.convention]:
                return None
            case Termination.EXITED:
                return said
            case Termination.SIGNALED:
                return f"{signal_name(outcome.signal or 0)}: {said}"
            case (
                Termination.CPU_LIMIT
                | Termination.WALL_LIMIT
                | Termination.MEMORY_LIMIT
                | Termination.OUTPUT_LIMIT
                | Termination.CANCELLED
            ):
                stopped = outcome.termination.value
                raise CheckerError(f"input validator {self.name} was stopped by its {stopped}: {said}")
            case _:
                assert_never(outcome.termination)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Input:
    """An input, and what a validator finds with it."""

    place: Path | str
    data: bytes
    validator_args: InputValidatorArgs
    arguments: tuple[str, ...] = ()
    files: tuple[File, ...] = ()


def check_data(
    problem: Problem,
    compiler: Compiler,
    sandbox: Sandbox,
    checker: Callable[[Program], ProgramChecker],
    limits: CompileLimits = (None, None),
) -> list[Finding]:
    """What the package's validators find wrong in its data, and its data in them.

    Raises:
        ProblemError: a file of the package cannot be read.
    """
    findings: list[Finding] = []
    with ExitStack() as stack:
        validators = []
        for spec in problem.input_validators:
            name = _name(problem, spec)
            try:
                program = compile_files(spec, compiler, sandbox, what="input validator", limits=limits)
            except CheckerError as error:
                findings.append(_error(problem, spec.sources[0], str(error), "correct it"))
            except LanguageError as error:
                what = str(error)
                findings.append(_finding(problem, spec.sources[0], what, "it checks nothing here", Severity.WARNING))
            else:
                validators.append(_Validator(name=name, spec=spec, program=stack.enter_context(program)))
        findings += _inputs(problem, validators, sandbox)
    for trial in (*_sample_answers(problem), *problem.output_trials):
        findings += _output(problem, trial, sandbox, checker)
    findings += _secret_answers(problem, sandbox, checker)
    return findings


def _sample_answers(problem: Problem) -> Iterator[OutputTrial]:
    """The specification wants those accepted that statements show, unless they show NAME.ans.statement. Answers of
    other tests, and of multi-pass problems, may be notes for the checker alone."""
    for case in problem.cases if problem.passes == 1 else ():
        if not case.sample or case.answer is None:
            continue
        others, rule = beside(problem, case), case.checker or problem.checker
        if ".out" in others or ".ans.statement" not in others:
            shown = others.get(".out", case.answer)
            yield OutputTrial(input=case.input, answer=case.answer, output=shown, accepted=True, checker=rule)


def _secret_answers(
    problem: Problem, sandbox: Sandbox, checker: Callable[[Program], ProgramChecker]
) -> Iterator[Finding]:
    """One warning for all secret answers that the package's own checker refuses as outputs. A checker may take them for
    notes, so it is no error."""
    if problem.kind != "batch" or problem.manager is not None:
        return
    looked, refused = 0, list[tuple[Path, str]]()
    for case in problem.cases:
        rule = case.checker or problem.checker
        if case.sample or case.answer is None or isinstance(rule, Comparison):
            continue
        looked += 1
        trial = OutputTrial(input=case.input, answer=case.answer, output=case.answer, accepted=True, checker=rule)
        try:
            checked = _run_checker(problem, trial, sandbox, checker)
        except CheckerError:  # if it is broken, each submission is told so
            continue
        if checked.score <= 0:
            refused.append((case.answer, checked.detail))
    if refused:
        place, why = refused[0]
        said = f"; of this one it says: {why}" if why else ""
        what = f"the checker refuses {len(refused)} of {looked} secret answers as outputs{said}"
        yield _finding(problem, place, what, "correct them, unless they are notes for the checker", Severity.WARNING)


def _inputs(problem: Problem, validators: list[_Validator], sandbox: Sandbox) -> Iterator[Finding]:
    for given in _right_inputs(problem):
        for validator in validators:
            try:
                complaint = validator.complaint(sandbox, given)
            except CheckerError as error:
                yield _error(problem, given.place, str(error), "correct the validator")
            else:
                if complaint is not None:
                    what = f"refused by input validator {validator.name}: {complaint}"
                    yield _error(problem, given.place, what, "correct the input or the validator")
    for trial in problem.input_trials if validators else ():
        wrong = _Input(place=trial.input, data=_bytes(problem, trial.input), validator_args=trial.input_validator_args)
        try:
            refused = any(validator.complaint(sandbox, wrong) for validator in validators)
        except CheckerError as error:
            yield _error(problem, trial.input, str(error), "correct the validator")
        else:
            if not refused:
                yield _error(problem, trial.input, "accepted by every input validator", "correct a validator")


def _right_inputs(problem: Problem) -> Iterator[_Input]:
    for case in problem.cases:
        yield _Input(
            place=f"data/{case.name}.in",
            data=case.read_input(),
            validator_args=case.input_validator_args,
            arguments=case.arguments,
            files=tuple(File(name=path.name, content=_bytes(problem, path), work=True) for path in case.files),
        )
    for trial in problem.output_trials:
        yield _Input(place=trial.input, data=_bytes(problem, trial.input), validator_args=trial.input_validator_args)


def _output(
    problem: Problem, trial: OutputTrial, sandbox: Sandbox, checker: Callable[[Program], ProgramChecker]
) -> Iterator[Finding]:
    try:
        checked = _run_checker(problem, trial, sandbox, checker)
    except CheckerError as error:
        yield _error(problem, trial.output, str(error), "correct the checker")
        return
    if (checked.score > 0) is not trial.accepted:
        said = f": {checked.detail}" if checked.detail else ""
        what = f"the checker {'refuses' if trial.accepted else 'accepts'} it{said}"
        yield _error(problem, trial.output, what, "correct the checker")


def _run_checker(
    problem: Problem, trial: OutputTrial, sandbox: Sandbox, checker: Callable[[Program], ProgramChecker]
) -> Checked:
    output, answer = _bytes(problem, trial.output), _bytes(problem, trial.answer)
    if isinstance(trial.checker, Comparison):
        return compare(output, answer, trial.checker)
    ready = checker(trial.checker)
    # Points do not matter: the question is whether it accepts.
    return ready.check(sandbox, input=_bytes(problem, trial.input), output=output, answer=answer, full_score=None)


def _bytes(problem: Problem, path: Path) -> bytes:
    return read(path, f"problem {problem.name}: data")


def _name(problem: Problem, spec: Program) -> str:
    """A validator's name: that of its directory, or of its file without the suffix."""
    below = spec.sources[0].relative_to(problem.directory).parts
    return below[1] if len(below) > 2 else spec.sources[0].stem


def _error(problem: Problem, place: Path | str, message: str, remedy: str) -> Finding:
    return _finding(problem, place, message, remedy, Severity.ERROR)


def _finding(problem: Problem, place: Path | str, message: str, remedy: str, severity: Severity) -> Finding:
    if isinstance(place, Path) and place.is_relative_to(problem.directory):
        place = place.relative_to(problem.directory)
    return Finding(severity=severity, file=str(place), message=message, remedy=remedy)
