"""Runs what checks the data of a package: each input validator on each input, and validators and checker on the data
that is there to test them.

    ICPC       prog [arguments] < input      exit 42 accepted, 43 refused
    testlib    prog [arguments] < input      exit 0 accepted, 3 refused (registerValidation)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from containers import Sandbox, Termination
from judge.checkers.compare import compare
from judge.checkers.program import ProgramChecker, compile_files, run_limits
from judge.common.errors import CheckerError
from judge.common.models import CompileLimits
from judge.compiling.compiler import Compiler, Executable
from judge.judging.attachments import read
from judge.store.inputs import stream
from problems.model import Comparison, Convention, InputValidatorArgs, OutputTrial, Problem, Program
from problems.validate import Finding, Severity

_ACCEPTED = {Convention.ICPC: 42, Convention.TESTLIB: 0}
_REFUSED = {Convention.ICPC: 43, Convention.TESTLIB: 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Validator:
    name: str
    spec: Program
    program: Executable

    def complaint(self, sandbox: Sandbox, data: bytes, arguments: Mapping[str, tuple[str, ...]]) -> str | None:
        """Why it refuses the input; None: it accepts it.

        Raises:
            CheckerError: it failed.
        """
        own = arguments.get(self.name, arguments.get("", ()))
        with stream(data) as stdin:
            outcome = sandbox.run(self.program.spec(arguments=own, stdin=stdin, limits=run_limits(self.spec)))
        said = (outcome.stderr or outcome.stdout)[:400].decode("utf-8", "replace").strip()
        if outcome.termination is not Termination.EXITED:
            raise CheckerError(f"input validator {self.name}: {outcome.termination.value}; run it by hand: {said}")
        if outcome.exit_code == _ACCEPTED[self.spec.convention]:
            return None
        if outcome.exit_code != _REFUSED[self.spec.convention]:
            raise CheckerError(
                f"input validator {self.name}: exit code {outcome.exit_code} is neither "
                f"{_ACCEPTED[self.spec.convention]} (accepted) nor {_REFUSED[self.spec.convention]} (refused): {said}"
            )
        return said or "no reason given"


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
            else:
                validators.append(_Validator(name=name, spec=spec, program=stack.enter_context(program)))
        findings += _inputs(problem, validators, sandbox)
    for trial in (*_sample_answers(problem), *problem.output_trials):
        findings += _output(problem, trial, sandbox, checker)
    return findings


def _sample_answers(problem: Problem) -> Iterator[OutputTrial]:
    """The specification wants those accepted. Answers of other tests may be notes for the checker alone."""
    for case in problem.cases:
        if case.sample and case.answer is not None:
            rule = case.checker or problem.checker
            yield OutputTrial(input=case.input, answer=case.answer, output=case.answer, accepted=True, checker=rule)


def _inputs(problem: Problem, validators: list[_Validator], sandbox: Sandbox) -> Iterator[Finding]:
    right: list[tuple[Path | str, bytes, InputValidatorArgs]] = [
        (f"data/{case.name}.in", case.read_input(), case.input_validator_args) for case in problem.cases
    ]
    right += [
        (trial.input, _bytes(problem, trial.input), trial.input_validator_args) for trial in problem.output_trials
    ]
    for place, data, stated in right:
        for validator in validators:
            try:
                complaint = validator.complaint(sandbox, data, dict(stated))
            except CheckerError as error:
                yield _error(problem, place, str(error), "correct the validator")
            else:
                if complaint is not None:
                    what = f"refused by input validator {validator.name}: {complaint}"
                    yield _error(problem, place, what, "correct the input or the validator")
    for trial in problem.input_trials if validators else ():
        data, arguments = _bytes(problem, trial.input), dict(trial.input_validator_args)
        try:
            refused = any(validator.complaint(sandbox, data, arguments) for validator in validators)
        except CheckerError as error:
            yield _error(problem, trial.input, str(error), "correct the validator")
        else:
            if not refused:
                yield _error(problem, trial.input, "accepted by every input validator", "correct a validator")


def _output(
    problem: Problem, trial: OutputTrial, sandbox: Sandbox, checker: Callable[[Program], ProgramChecker]
) -> Iterator[Finding]:
    output, answer = _bytes(problem, trial.output), _bytes(problem, trial.answer)
    try:
        if isinstance(trial.checker, Comparison):
            checked = compare(output, answer, trial.checker)
        else:
            ready = checker(trial.checker)
            checked = ready.check(sandbox, input=_bytes(problem, trial.input), output=output, answer=answer)
    except CheckerError as error:
        yield _error(problem, trial.output, str(error), "correct the checker")
        return
    if (checked.score > 0) is not trial.accepted:
        said = f": {checked.detail}" if checked.detail else ""
        what = f"the checker {'refuses' if trial.accepted else 'accepts'} it{said}"
        yield _error(problem, trial.output, what, "correct the checker")


def _bytes(problem: Problem, path: Path) -> bytes:
    return read(path, f"problem {problem.name}: data")


def _name(problem: Problem, spec: Program) -> str:
    """A validator's name: that of its directory, or of its file without the suffix."""
    below = spec.sources[0].relative_to(problem.directory).parts
    return below[1] if len(below) > 2 else spec.sources[0].stem


def _error(problem: Problem, place: Path | str, message: str, remedy: str) -> Finding:
    if isinstance(place, Path) and place.is_relative_to(problem.directory):
        place = place.relative_to(problem.directory)
    return Finding(severity=Severity.ERROR, file=str(place), message=message, remedy=remedy)
