"""Finds inputs on which a program is refused and all accepted submissions are not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from judge import languages
from judge.common.errors import LanguageError
from judge.common.models import OUTPUTS, Judgement, Options, Stop, Submission, TestResult, Verdict
from judge.many.pool import Judge
from judge.many.strength.inputs import answer_inputs, keep_agreed, keep_valid, size, with_inputs
from judge.many.verify import label, missing, request
from problems.errors import ProblemError
from problems.model import Problem
from problems.strength import calls
from problems.strength.inputs import MOST_BYTES, smaller

#: Results of a test that refuse no program: a failure of the judge is none of its own.
REFUSES_NOTHING = frozenset({Verdict.AC, Verdict.SK, Verdict.IE})
_UNJUDGED = frozenset({Verdict.CE, Verdict.IE})
#: Told of each judgement: what was judged ("labelled", "mutants", "candidates"), how many are done, of how many.
Tell = Callable[[str, int, int], None]
#: An input and its answer.
Test = tuple[bytes, bytes]

#: Inputs that are tried at once when a difference is made smaller.
_STEPS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """An input on which a program is refused."""

    input: bytes
    answer: bytes
    #: What the program did there.
    result: TestResult


#: A labelled submission: the verdicts that it may get, and the program.
Row = tuple[frozenset[str], Submission]


def rows(judge: Judge, problem: Problem) -> list[Row]:
    """The labelled submissions that this machine can judge.

    Raises:
        ProblemError: a file of one cannot be read.
    """
    found = []
    for one in problem.submissions:
        row = replace(request(problem.name, one, problem.constants), problem=problem, id=label(one))
        with suppress(LanguageError):  # of a language that we do not know, as python2
            if missing(judge, row) is None:
                found.append((one.expected, row))
    return found


def find_accepted(judge: Judge, problem: Problem) -> list[Submission]:
    """The accepted submissions, those of fast languages first.

    Raises:
        ProblemError: there is none.
    """
    found = right(rows(judge, problem))
    if not found:
        raise ProblemError(
            f"problem {problem.name}: no accepted submission that this machine can judge; add one to "
            "submissions/accepted"
        )
    return found


def right(labelled: Sequence[Row]) -> list[Submission]:
    """The programs that must be accepted, those of fast languages first."""
    found = [row for expected, row in labelled if expected == {"AC"} and row.language != OUTPUTS]
    return sorted(found, key=lambda row: not languages.get(row.language).native)


def judge_programs(judge: Judge, programs: Sequence[Submission], tell: Tell, what: str) -> list[Judgement]:
    """The judgements in the order of the programs, each up to the first test that refuses it."""
    found: dict[str, Judgement] = {}
    asked = [replace(one, id=str(index)) for index, one in enumerate(programs)]
    for judgement in judge.judge_many(asked, Options(stop=Stop.FIRST_FAILURE, verdict_cache=True)):
        found[judgement.id or ""] = judgement
        tell(what, len(found), len(asked))
    return [found[str(index)] for index in range(len(asked))]


@dataclass(slots=True, kw_only=True)
class Comparer:
    """Compares programs with the accepted submissions of a problem."""

    judge: Judge
    problem: Problem
    directory: Path
    accepted: Sequence[Submission]
    tell: Tell = lambda what, done, all_: None
    #: Inputs on which accepted submissions differ: the package is doubtful there, so that they say nothing.
    disputed: int = 0
    #: Which programs of the last comparison were not judged (CE, IE), by their place: nothing is said of them.
    unjudged: set[int] = field(default_factory=set)

    def answer_inputs(self, inputs: Sequence[bytes]) -> list[Test]:
        """The inputs that the first accepted submission answers, with its answers."""
        return answer_inputs(self.judge, self.problem, self.directory, inputs, self.accepted[0])

    def differences(self, tests: Sequence[Test], programs: Sequence[Submission]) -> list[Difference | None]:
        """For each program the first test that refuses it, and on which all accepted submissions agree. None: there is
        no such test, or it is `unjudged`.

        Raises:
            ProblemError: the problem cannot be judged at all.
        """
        found: list[Difference | None] = [None] * len(programs)
        left, good = list(range(len(programs))), list(tests)
        self.unjudged = set()
        trusted: set[Test] = set()
        while left and good:
            asked = with_inputs(self.problem, self.directory, good)
            said = judge_programs(
                self.judge, [replace(programs[index], problem=asked) for index in left], self.tell, "candidates"
            )
            refused = {
                index: one for index, judgement in zip(left, said, strict=True) if (one := _first(judgement, good))
            }
            self.unjudged |= {
                index for index, judgement in zip(left, said, strict=True) if judgement.verdict in _UNJUDGED
            } - refused.keys()
            new = {(one.input, one.answer) for one in refused.values()} - trusted
            trusted |= set(keep_agreed(self.judge, self.problem, self.directory, sorted(new), self.accepted))
            disputed = new - trusted
            self.disputed += len(disputed)
            for index, one in refused.items():
                if (one.input, one.answer) in trusted:
                    found[index] = one
            left = [index for index in refused if found[index] is None]
            good = [test for test in good if test not in disputed]
        return found

    def shrunk(
        self,
        difference: Difference,
        program: Submission,
        ends: Callable[[], bool],
        plausible: Callable[[bytes], bool] = lambda _: True,
    ) -> Difference:
        """The smallest difference that small steps through plausible inputs lead to, or what was found when it `ends`.

        Raises:
            ProblemError: a validator cannot be run.
        """
        steps = calls.smaller if self.problem.function is not None else smaller
        tried: set[bytes] = set()
        while not ends() and len(difference.input) <= MOST_BYTES:  # a large input has too many smaller ones
            less = {
                data for data in steps(difference.input) if size(data) < size(difference.input) and plausible(data)
            } - tried
            if not less:
                break
            some = sorted(less, key=size)[:_STEPS]
            tried.update(some)
            valid = keep_valid(self.judge, self.problem, self.directory, some)
            (one,) = self.differences(self.answer_inputs(valid), [program])
            difference = one or difference
        return difference


def _first(judgement: Judgement, tests: Sequence[Test]) -> Difference | None:
    for result, (given, answer) in zip(judgement.tests, tests, strict=False):
        if result.verdict not in REFUSES_NOTHING:
            return Difference(input=given, answer=answer, result=result)
    return None
