"""Finds a checker for a problem that has none, and proves it on programs that were held out.

right programs ──► their outputs on tests and random inputs ──► the strictest checker of a family that takes them all
each right program held out in turn ──► the checker that the others give ──► rate of true positives
wrong programs, and mutants of right ones ──► tests, to which more are added ──► rate of true negatives

A checker that takes too much, or too little, is worse than none. So the lower ends of both exact intervals have to
reach bounds, and what the statement says of its answers has to agree. Everything else cannot be proved.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import problems
from judge.checkers.numbers import parse
from judge.common.models import Options, Stop, Submission, Verdict
from judge.common.rates import clopper_pearson
from judge.many.pool import Judge
from judge.many.strength.compare import Comparer, Row, Tell, judge_programs, right, rows
from judge.many.strength.inputs import ANSWER_BYTES, Inputs, read_output, why_not, with_inputs
from judge.many.strength.measure import Effort, Strength, measure
from judge.many.strength.propose import Proposal, Right, fit
from judge.many.strength.strengthen import strengthen
from problems.errors import ProblemError
from problems.model import Comparison, Mode, Problem, Program
from problems.text.freedom import Freedom, read_freedom
from problems.writing.tests import NewTest, add_tests
from problems.writing.write import write

#: `_MANY` right programs, probably of several authors, are enough where no statement says what is right.
_MANY = 10
#: So many agree where an answer is more than a number or one of so few words: it may be one of several certificates.
_SOME, _FEW_WORDS = 4, 3
#: Of a right program's outputs no more than these are looked at; larger tests teach no more of a checker.
_TEST_BYTES = 1 << 20
_PROGRAMS = 40
#: So often tests are added, and measured again with other mutants.
_ROUNDS = 2
#: If too few mutants end well, `_MORE` times as many are made.
_MORE = 3
_REFUSED = {Verdict.WA, Verdict.PE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How much is tried, and what counts as a proof."""

    effort: Effort = field(default_factory=lambda: Effort(mutants=120, inputs=100, twice=True))
    #: The least that the lower end of the exact interval of 95 % may be.
    true_positives: float = 0.98
    true_negatives: float = 0.95


@dataclass(frozen=True, slots=True)
class Rate:
    """So many of so many trials came out as they should."""

    well: int = 0
    trials: int = 0

    @property
    def interval(self) -> tuple[float, float]:
        """The exact interval of 95 %."""
        return clopper_pearson(self.well, self.trials)

    def as_dict(self) -> dict[str, Any]:
        low, high = self.interval
        rate = self.well / self.trials if self.trials else None
        return {"well": self.well, "trials": self.trials, "rate": rate, "rate_low": low, "rate_high": high}


@dataclass(slots=True, kw_only=True)
class Completed:
    """What was found for one problem."""

    problem: str
    proposal: Proposal | None = None
    freedom: Freedom = field(default_factory=Freedom)
    #: Whether right programs agree on all inputs, up to white space and what case counts; and one where they do not.
    unique: bool | None = None
    differing: Right | None = None
    programs: int = 0
    inputs: int = 0
    #: Outputs of right programs, each judged by the checker that the other programs give.
    true_positives: Rate = field(default_factory=Rate)
    #: Wrong programs and mutants that ended well. Of labelled ones alone: `labelled`.
    true_negatives: Rate = field(default_factory=Rate)
    labelled: Rate = field(default_factory=Rate)
    #: The tests that were added, by name.
    tests: dict[str, NewTest] = field(default_factory=dict)
    #: Why nothing is proved; None: the checker is.
    reason: str | None = None

    def as_dict(self) -> dict[str, Any]:
        return {
            "problem": self.problem,
            "proved": self.reason is None,
            "reason": self.reason,
            "checker": None if self.proposal is None else self.proposal.name,
            "rule": None if self.proposal is None else self.proposal.as_dict(),
            "unique": self.unique,
            "differing_input": None if self.differing is None else self.differing.input.decode("utf-8", "replace"),
            "several": self.freedom.several or self.freedom.doubt,
            "any_order": self.freedom.order,
            "programs": self.programs,
            "inputs": self.inputs,
            "true_positives": self.true_positives.as_dict(),
            "true_negatives": self.true_negatives.as_dict(),
            "labelled_wrong": self.labelled.as_dict(),
            "tests": list(self.tests),
        }


#: An input, its answer if the package has one, and what each right program wrote.
Line = tuple[bytes, bytes | None, tuple[bytes, ...]]


def complete(
    judge: Judge,
    reference: str | Path,
    target: Path,
    wanted: Wanted | None = None,
    tell: Tell = lambda what, done, all_: None,
) -> Completed:
    """Find a checker, add tests, and prove both. A copy of the package with them is written to `target`, a directory
    that is not there; where nothing is proved it holds what was tried.

    Raises:
        ProblemError: the problem is of a kind that needs no such checker, has one, or cannot be judged.
    """
    wanted = wanted or Wanted()
    problem = problems.load(reference)
    _check_kind(problem)
    found = Completed(problem=problem.name, freedom=_read_statements(problem))
    labelled = rows(judge, problem)
    programs = right(labelled)[:_PROGRAMS]
    found.programs = len(programs)
    if len(programs) < 2:
        found.reason = "there are not two right programs, of which one could be held out"
        return found
    with tempfile.TemporaryDirectory(prefix="judge-complete-") as name, judge.build_tests(problem) as built:
        directory = Path(name)
        lines = _collect(judge, built, directory, programs, wanted.effort, tell)
        _propose(found, problem, lines, wanted)
        if found.proposal is None:
            return found
        checker = found.proposal.write(directory)
        cases = tuple(replace(case, checker=None) for case in problem.cases)
        trials = tuple(replace(trial, checker=checker) for trial in problem.output_trials)
        write(replace(problem, checker=checker, cases=cases, output_trials=trials), target)
    _prove(judge, found, target, labelled, wanted, tell)
    return found


def _check_kind(problem: Problem) -> None:
    """
    Raises:
        ProblemError: nothing is to be found here.
    """
    why = None
    if isinstance(problem.checker, Program) or any(isinstance(case.checker, Program) for case in problem.cases):
        why = "has a checker of its own"
    elif problem.kind != "batch" or problem.manager is not None:
        why = f"is of a kind ({'communication' if problem.manager else problem.kind}) whose outputs no checker reads"
    elif problem.function is not None:
        why = "calls functions, whose values are compared as values"
    elif not problem.cases and not problem.generated:
        why = "has no tests"
    elif any(case.arguments or case.files for case in problem.cases):
        why = "has tests with arguments or files of their own"
    if why is not None:
        raise ProblemError(f"problem {problem.name} {why}: there is nothing to complete")


def _read_statements(problem: Problem) -> Freedom:
    texts = [
        path.read_text("utf-8", "replace")
        for language, path in problem.statements.items()
        if language.split("-")[0] in {"en", "zh"} and path.is_file()
    ]
    return read_freedom("\n\n".join(texts))


def _is_readable(problem: Problem) -> bool:
    return any(language.split("-")[0] in {"en", "zh"} for language in problem.statements)


def _collect(
    judge: Judge, problem: Problem, directory: Path, programs: Sequence[Submission], effort: Effort, tell: Tell
) -> list[Line]:
    """What each right program writes on the tests, and on random inputs; only where all of them end well."""
    plain = replace(problem, checker=Comparison(), cases=tuple(replace(case, checker=None) for case in problem.cases))
    texts = [(case.read_input(), case.read_answer()) for case in problem.cases]
    tests: list[tuple[bytes, bytes | None]] = [
        (given, answer) for given, answer in texts if max(len(given), len(answer)) <= _TEST_BYTES
    ]
    if why_not(plain, len(programs), unvalidated=effort.unvalidated) is None:
        more = Inputs(judge, plain, directory, effort.seed, programs).more(effort.inputs)[: effort.inputs]
        tests += [(data, None) for data in more]
    asked = with_inputs(plain, directory, [(given, b"") for given, _ in tests])
    sent = [replace(one, problem=asked, id=str(index)) for index, one in enumerate(programs)]
    outputs: dict[int, list[bytes | None]] = {}
    for judgement in judge.judge_many(sent, Options(stop=Stop.NEVER, shown_bytes=ANSWER_BYTES)):
        outputs[int(judgement.id or 0)] = [read_output(judgement, index) for index in range(len(tests))]
        tell("right programs", len(outputs), len(sent))
    lines = []
    for index, (given, answer) in enumerate(tests):
        written = tuple(one for place in range(len(programs)) if (one := outputs[place][index]) is not None)
        sure = answer is not None or bool(problem.input_validators) or len({tuple(one.split()) for one in written}) == 1
        if len(written) == len(programs) and sure:
            lines.append((given, answer, written))
    return lines


def _select(lines: Sequence[Line], left_out: int | None = None) -> list[Right]:
    """What the programs wrote but for one. Where the package has no answer, the first of them gives it."""
    found = []
    for given, answer, outputs in lines:
        kept = tuple(one for place, one in enumerate(outputs) if place != left_out)
        found.append(Right(input=given, answer=kept[0] if answer is None else answer, outputs=kept))
    return found


def _propose(found: Completed, problem: Problem, lines: Sequence[Line], wanted: Wanted) -> None:
    stated = problem.checker if isinstance(problem.checker, Comparison) else Comparison()
    everything = _select(lines)
    found.inputs = len(lines)
    strict = Proposal(name="", rule=Comparison(mode=stated.mode if stated.mode is Mode.TOKENS_CI else Mode.TOKENS))
    differing = (
        one for one in everything if not all(strict.accepts(one.input, output, one.answer) for output in one.outputs)
    )
    found.differing = next(differing, None)
    found.unique = found.differing is None
    found.proposal = fit(everything, found.freedom, stated, problem.output_trials) if everything else None
    if found.proposal is None:
        found.reason = "no checker of the family takes all that right programs write, and the package's answers"
        return
    well = trials = 0
    for place in range(found.programs):
        fold = fit(_select(lines, place), found.freedom, stated, problem.output_trials)
        trials += len(lines)
        for one, (_, _, outputs) in zip(_select(lines, place), lines, strict=True):
            well += fold is not None and fold.accepts(one.input, outputs[place], one.answer)
    found.true_positives = Rate(well, trials)
    if found.true_positives.interval[0] < wanted.true_positives:
        found.reason = (
            f"held out in turn, right programs had {well} of {trials} outputs accepted: that is no proof of "
            f"{wanted.true_positives:.0%}"
        )
    found.reason = _contradict(found, found.proposal, problem, everything) or found.reason


def _contradict(found: Completed, proposal: Proposal, problem: Problem, rights: Sequence[Right]) -> str | None:
    """What the statement says against a checker that takes what right programs write; None: nothing."""
    freedom = found.freedom
    several = freedom.several or freedom.doubt
    if proposal.is_strict:
        if several is not None:
            return f"the statement may allow several answers (“{several}”), and right programs give one"
        if freedom.order is not None and any(len(one.answer.split()) > 1 for one in rights):
            return f"the statement allows any order (“{freedom.order}”), and right programs all give the same one"
        if not _are_plain(rights):
            if freedom.certificate is not None:
                return (
                    f"answers have several words, and the statement may ask for one of many (“{freedom.certificate}”)"
                )
            tolerance = (freedom.absolute_tolerance, freedom.relative_tolerance) != (None, None)
            if found.programs < _SOME and not tolerance:  # who states one thinks of how numbers are written
                return f"answers have several words, and not {_SOME} right programs give the same ones"
        if not _is_readable(problem) and found.programs < _MANY:
            return f"there is no statement in English or Chinese, and not {_MANY} right programs that agree"
        return None
    licensed = proposal.is_order and freedom.order is not None and freedom.several is None
    if licensed and freedom.certificate is not None and found.programs < _SOME:
        return (
            f"the statement may ask for one of many (“{freedom.certificate}”), and there are not {_SOME} right programs"
        )
    if not licensed and found.programs < _MANY:
        return f"right programs differ, the statement does not say how they may, and there are not {_MANY} of them"
    return None


def _are_plain(rights: Sequence[Right]) -> bool:
    """Whether each answer is a number, or one of a few words."""
    answers = [one.answer.split() for one in rights]
    words = {answer[0].lower() for answer in answers if answer and parse(answer[0]) is None}
    return len(words) <= _FEW_WORDS and all(len(answer) <= 1 for answer in answers)


def _prove(judge: Judge, found: Completed, root: Path, labelled: Sequence[Row], wanted: Wanted, tell: Tell) -> None:
    """Add tests, and measure what wrong programs get."""
    if found.proposal is None or found.reason is not None:
        return
    names = {row.id for expected, row in labelled if Verdict.WA in expected and Verdict.AC not in expected}
    try:
        strength = _add_tests(judge, found, root, wanted.effort, names, tell)
        if not strength.survivors and strength.mutants >= wanted.effort.mutants:
            low, _ = clopper_pearson(strength.refused_outputs, strength.refused_outputs)
            if low < wanted.true_negatives:  # many do not compile, crash, or are right: more of them may be enough
                more = replace(wanted.effort, mutants=_MORE * wanted.effort.mutants, seed=wanted.effort.seed + _ROUNDS)
                strength = measure(judge, root, more, tell)
    except ProblemError as error:
        found.reason = str(error)
        return
    problem = problems.load(root)
    wrong = [row for _, row in rows(judge, problem) if row.id in names]
    verdicts = [one.verdict for one in judge_programs(judge, wrong, tell, "wrong programs")]
    refused = sum(verdict in _REFUSED for verdict in verdicts)
    found.labelled = Rate(refused, refused + verdicts.count(Verdict.AC))
    # Mutants that pass and cannot be compared may all be wrong.
    passed = len(strength.survivors) + (len(strength.alike) if strength.uncompared else 0)
    mutants = Rate(strength.refused_outputs, strength.refused_outputs + passed)
    licensed = found.proposal.is_strict or (found.proposal.is_order and found.freedom.order is not None)
    every = (found.labelled, mutants) if licensed else (found.labelled,)
    found.true_negatives = Rate(sum(one.well for one in every), sum(one.trials for one in every))
    if (low := found.true_negatives.interval[0]) < wanted.true_negatives:
        well, trials = found.true_negatives.well, found.true_negatives.trials
        found.reason = (
            f"{well} of {trials} wrong programs{'' if licensed else ' with a label'} are refused: that is a proof of "
            f"{low:.1%}, and {wanted.true_negatives:.0%} is asked for"
        )


def _add_tests(
    judge: Judge, found: Completed, root: Path, effort: Effort, names: set[str | None], tell: Tell
) -> Strength:
    """Add tests until mutants that chose none of them are refused. Returns the last measurement."""
    for step in range(_ROUNDS):
        tried = replace(effort, seed=effort.seed + step)
        done = strengthen(judge, root, tried, tell)
        added = dict(zip(done.names, done.tests, strict=True)) | _refuse_labelled(judge, root, tried, names, tell)
        found.tests |= added
        if not added:
            return done.before
        strength = measure(judge, root, replace(tried, seed=tried.seed + 1), tell)
        if not strength.survivors:
            break
    return strength


def _refuse_labelled(
    judge: Judge, root: Path, effort: Effort, names: set[str | None], tell: Tell
) -> dict[str, NewTest]:
    """Add tests for wrong programs of the package that its tests accept."""
    problem = problems.load(root)
    labelled = rows(judge, problem)
    wrong, accepted = [row for _, row in labelled if row.id in names], right(labelled)
    said = judge_programs(judge, wrong, tell, "wrong programs")
    living = [row for row, one in zip(wrong, said, strict=True) if one.verdict is Verdict.AC]
    if not living or why_not(problem, len(accepted), unvalidated=effort.unvalidated) is not None:
        return {}
    with tempfile.TemporaryDirectory(prefix="judge-complete-") as name:
        comparer = Comparer(judge=judge, problem=problem, directory=Path(name), accepted=accepted, tell=tell)
        inputs = Inputs(judge, problem, comparer.directory, effort.seed, accepted).more(effort.inputs)[: effort.inputs]
        differences = comparer.differences(comparer.answer_inputs(inputs), living)
    tests = {one.input: one.answer for one in differences if one is not None}
    new = [NewTest(stem="wrong-program", input=given, answer=answer) for given, answer in tests.items()]
    with suppress(ProblemError):  # of groups with arguments of their own for validators: the rate says what is left
        return dict(zip(add_tests(root, problem, new), new, strict=False))
    return {}
