"""Random inputs with answers: problems made of them, on which programs are compared.

An input counts if the input validators accept it with the arguments of some group; without any, if accepted submissions
agree on it. Inputs lie in a directory of the caller; programs see them as they see any test. Several sources propose
inputs: small parameters of the package's generators, the shape of its inputs, and neighbours of its inputs. The more of
a source's inputs are valid, the more it is asked. A last source looks at programs: numbers of known inputs become those
that stand in right ones, for there programs branch.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

from judge.common.ending import result_of
from judge.common.models import Judgement, Options, Stop, Submission, Verdict
from judge.common.promise import begin_aside
from judge.many.pool import Judge
from problems.errors import ProblemError
from problems.model import MIB, SECOND_NS, Comparison, Group, InputValidatorArgs, Limits, Problem
from problems.strength import calls, commands
from problems.strength.inputs import MOST_BYTES, find_literals, meet_literals, neighbours
from problems.strength.shape import shapes
from problems.writing.draft import SECRET, write_test

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

#: `AGREEING` accepted submissions must agree on an input that no validator has seen.
AGREEING = 2

#: Each input is tried with each set of arguments that validators get, until one accepts it.
_MOST_ARGUMENTS = 20
#: `_ROUND` candidates are validated at once. After `_ROUNDS` rounds that bring hardly any, we ask for no more.
_ROUND, _ROUNDS, _POOR = 100, 6, 0.1
#: A longer output cannot be an answer.
ANSWER_BYTES = 4 * MIB
#: About how large the counts of large inputs are, and how large such an input may be.
_SIZES = (200_000, 100_000, 50_000, 20_000, 10_000, 5000, 2000, 1000, 500, 200, 100)
_LARGE_BYTES = 4 * MIB
#: Limits of a validator: a random input may be its worst case.
_VALIDATOR_LIMITS = Limits(cpu_ns=2 * SECOND_NS, memory_bytes=512 * MIB)


def talks(problem: Problem) -> bool:
    """Whether an interactor, or the checker of passes, judges alone: no program prints the answer of an input."""
    return problem.kind in {"interactive", "multi-pass"}


def why_not(problem: Problem, accepted: int, *, unvalidated: bool) -> str | None:
    """Why there can be no random inputs; None: there can. `unvalidated`: no input validator is needed where there are
    at least two accepted submissions, which must agree on an input."""
    if problem.kind == "submit-answer":
        return "its tests are the whole problem: who solves them all is right"
    if not problem.input_validators and not unvalidated:
        return "there is no input validator to say which inputs are valid (see --unvalidated)"
    if not problem.input_validators and accepted < AGREEING:
        return f"there is no input validator, and not {AGREEING} accepted submissions that could agree on an input"
    if any(case.arguments or case.files for case in problem.cases):
        return "tests have arguments or files of their own"
    if len(find_arguments(problem)) > _MOST_ARGUMENTS:
        return f"the input validators get more than {_MOST_ARGUMENTS} different sets of arguments"
    return None


def find_arguments(problem: Problem) -> tuple[InputValidatorArgs, ...]:
    """What input validators get for the tests, each set of arguments once, that of the last test first."""
    return tuple(dict.fromkeys(case.input_validator_args for case in reversed(problem.cases))) or ((),)


@dataclass(slots=True, kw_only=True)
class _Source:
    """Proposes inputs, each only once, and knows how many of them were valid."""

    propose: Callable[[int], list[bytes]]
    tried: int = 0
    valid: int = 0

    @property
    def worth(self) -> float:
        return max((self.valid + 2) / (self.tried + 4), 0.05)


class Inputs:
    """Valid random inputs of a problem. The same seed gives the same ones."""

    def __init__(
        self, judge: Judge, problem: Problem, directory: Path, seed: int, programs: Sequence[Submission]
    ) -> None:
        """
        programs: those at whose numbers is looked: right ones, and any that they are compared with.

        Raises:
            ProblemError: an input of the package cannot be read.
        """
        self._judge, self._problem, self._directory = judge, problem, directory
        chance = random.Random(seed)  # noqa: S311 - no secret
        self._known = sorted({data for case in problem.cases if len(data := case.read_input()) <= MOST_BYTES}, key=size)
        self._seen = set(self._known)
        #: The command of a generator of the package that printed an input, where one did.
        self.commands: dict[bytes, commands.Command] = {}
        self._chance = chance
        self._shapes = shapes(self._known) if problem.function is None else []
        self._literals = find_literals(one.source for one in programs)
        self._sources = [_Source(propose=propose) for propose in self._proposals(chance, seed)]

    def _proposals(self, chance: random.Random, seed: int) -> Iterator[Callable[[int], list[bytes]]]:
        known = self._known
        if self._problem.function is not None:
            if known:
                yield lambda count: [calls.vary(chance.choice(known), chance) for _ in range(count)]
            return
        asked = commands.small(self._problem.generated, chance)
        if self._problem.generated:
            yield lambda count: self._generate(list(islice(asked, count)))
        for shape in self._shapes:
            yield lambda count, draw=shape.draw: [draw(chance) for _ in range(count)]  # type: ignore[misc]
        near = neighbours(known, seed)
        yield lambda count: list(islice(near, count))
        if known and self._literals:
            yield lambda count: [meet_literals(chance.choice(known), chance, self._literals) for _ in range(count)]

    def plausible(self, data: bytes) -> bool:
        """Whether it is worth asking the validators. Without any, what is not like the tests says nothing."""
        return bool(self._problem.input_validators) or not self._shapes or self._shapes[0].fits(data)

    def large(self, most: int) -> list[bytes]:
        """At most so many new valid inputs as large as the validators allow: the generators' own parameters with other
        seeds, and the shapes of the tests with large counts. Small inputs break no narrow type, small array or slow
        algorithm.

        Raises:
            ProblemError: a validator cannot be run.
        """
        again = commands.reseed(self._problem.generated, self._chance)
        found = self._large(self._generate(self._chance.sample(again, min(len(again), most)), _LARGE_BYTES))
        for size_ in _SIZES:
            if len(found) >= most:
                break
            found += self._large([shape.draw(self._chance, size_) for shape in self._shapes[:2]])
        return found[:most]

    def _large(self, proposed: Sequence[bytes]) -> list[bytes]:
        new = [data for data in dict.fromkeys(proposed) if data not in self._seen and 0 < len(data) <= _LARGE_BYTES]
        self._seen.update(new)
        return keep_valid(self._judge, self._problem, self._directory, new)

    def _generate(self, asked: Sequence[commands.Command], most_bytes: int = MOST_BYTES) -> list[bytes]:
        said = _parallel(self._judge, asked, lambda part: self._judge.generate(part, most_bytes))
        made = [(data, command) for data, command in zip(said, asked, strict=True) if data is not None]
        self.commands |= {data: command for data, command in made if data not in self._seen}
        return [data for data, _ in made]

    def more(self, most: int) -> list[bytes]:
        """So many new valid inputs, or fewer if they cannot be found, the smallest first.

        Raises:
            ProblemError: a validator cannot be run.
        """
        found: list[bytes] = []
        dry = 0
        while len(found) < most and dry < _ROUNDS:
            asked = min(_ROUND, max(2 * (most - len(found)), 8))
            new = self._round(asked)
            found += new
            dry += len(new) <= asked * _POOR
        return sorted(found, key=size)

    def _round(self, count: int) -> list[bytes]:
        """The valid ones of about so many candidates, of each source by its worth."""
        whole = sum(source.worth for source in self._sources)
        proposed: dict[bytes, _Source] = {}
        for source in self._sources:
            share = max(1, round(count * source.worth / whole))
            for data in source.propose(share):
                if len(data) <= MOST_BYTES and data not in self._seen and self.plausible(data):
                    self._seen.add(data)
                    proposed[data] = source
        accepted = keep_valid(self._judge, self._problem, self._directory, list(proposed))
        for source in proposed.values():
            source.tried += 1
        for data in accepted:
            proposed[data].valid += 1
        self._known += accepted  # their neighbours come, too
        return accepted


def size(data: bytes) -> tuple[int, bytes]:
    """Smaller inputs first; of equally small ones always the same first."""
    return len(data), data


def keep_valid(judge: Judge, problem: Problem, directory: Path, inputs: Sequence[bytes]) -> list[bytes]:
    """Those that every input validator accepts with the arguments that it gets for some test: such an input is valid
    in the group of this test.

    Raises:
        ProblemError: a validator cannot be run.
    """
    left = list(inputs)
    for arguments in find_arguments(problem):
        accepted = set(_keep_accepted(judge, problem, directory, left, arguments))
        left = [data for data in left if data not in accepted]
    refused = set(left)
    return [data for data in inputs if data not in refused]


def homes(judge: Judge, problem: Problem, directory: Path, inputs: Sequence[bytes]) -> dict[bytes, tuple[str, ...]]:
    """Of each input the groups in which it is valid, where they differ in what input validators get: directories below
    data/, in their order. A group whose own tests differ in that takes none.

    Raises:
        ProblemError: a validator cannot be run.
    """
    found: dict[bytes, tuple[str, ...]] = dict.fromkeys(inputs, ())
    arguments: dict[str, set[InputValidatorArgs]] = {}
    for case in problem.cases:
        if not case.sample:
            arguments.setdefault(case.name.rpartition("/")[0], set()).add(case.input_validator_args)
    for place, every in arguments.items():
        if len(every) == 1:
            for data in _keep_accepted(judge, problem, directory, inputs, next(iter(every))):
                found[data] += (place,)
    return found


def _keep_accepted(
    judge: Judge, problem: Problem, directory: Path, inputs: Sequence[bytes], arguments: InputValidatorArgs
) -> list[bytes]:
    if not inputs:
        return []
    validators = tuple(replace(one, limits=_VALIDATOR_LIMITS) for one in problem.input_validators)
    quick = replace(problem, input_validators=validators, checker=Comparison())  # there are no answers yet
    asked = with_inputs(quick, directory, [(data, b"") for data in inputs])
    asked = replace(asked, cases=tuple(replace(case, input_validator_args=arguments) for case in asked.cases))
    places = {f"data/{case.name}.in": data for case, data in zip(asked.cases, inputs, strict=True)}
    for finding in _parallel(judge, asked.cases, lambda part: judge.validate(replace(asked, cases=tuple(part)))):
        if finding.file not in places:
            raise ProblemError(f"problem {problem.name}: {finding.file}: {finding.message}")
        del places[finding.file]
    return list(places.values())


def _parallel(
    judge: Judge, items: Sequence[_Item], work: Callable[[Sequence[_Item]], Sequence[_Result]]
) -> list[_Result]:
    """The results of all items, in their order: each slot works on a part of them."""
    count = min(judge.slots, len(items))
    if count <= 1:
        return list(work(items)) if items else []
    parts = [items[len(items) * index // count : len(items) * (index + 1) // count] for index in range(count)]
    begun = [begin_aside(partial(work, part)) for part in parts]  # which a Judge that is closed stops
    return [result for part in begun for result in result_of(part)]


def with_inputs(problem: Problem, directory: Path, tests: Sequence[tuple[bytes, bytes]]) -> Problem:
    """The problem with these tests (input, answer) alone, in this order, in new files below `directory`."""
    directory = Path(tempfile.mkdtemp(dir=directory))  # files of a problem that was judged must not change
    rules = {case.checker for case in problem.cases}
    checker = next(iter(rules)) if len(rules) == 1 else None
    return replace(
        problem,
        checker=checker or problem.checker,
        groups=(Group(name=SECRET),),
        cases=tuple(write_test(directory, f"{index:05}", *test) for index, test in enumerate(tests)),
        generated=(),
        solution=None,
        input_trials=(),
        output_trials=(),
    )


def answer_inputs(
    judge: Judge, problem: Problem, directory: Path, inputs: Sequence[bytes], accepted: Submission
) -> list[tuple[bytes, bytes]]:
    """Inputs with the answers of an accepted submission, where it gives one.

    Raises:
        ProblemError: the problem cannot be judged at all.
    """
    if not inputs:
        return []
    asked = with_inputs(problem, directory, [(data, b"") for data in inputs])
    if not talks(problem):
        asked = replace(asked, checker=Comparison())
    options = Options(stop=Stop.NEVER, shown_bytes=ANSWER_BYTES)
    said = judge.judge(replace(accepted, problem=asked), options)
    answers = [read_output(said, index, talks=talks(problem)) for index in range(len(inputs))]
    return [(data, answer) for data, answer in zip(inputs, answers, strict=True) if answer is not None]


def read_output(said: Judgement, index: int, *, talks: bool = False) -> bytes | None:
    """What the program wrote, if it ended well and its judgement holds all of it."""
    if index >= len(said.tests):
        return None
    test = said.tests[index]
    if talks:
        return b"" if test.verdict is Verdict.AC else None
    if test.verdict not in {Verdict.AC, Verdict.WA, Verdict.PE}:
        return None
    whole = len(test.stdout) < ANSWER_BYTES and test.stdout.isascii()
    return test.stdout.encode() if whole else None


def keep_agreed(
    judge: Judge,
    problem: Problem,
    directory: Path,
    tests: Sequence[tuple[bytes, bytes]],
    accepted: Sequence[Submission],
) -> list[tuple[bytes, bytes]]:
    """The tests on which every accepted submission is accepted.

    Raises:
        ProblemError: the problem cannot be judged at all.
    """
    if not tests:
        return []
    asked = with_inputs(problem, directory, tests)
    rows = [replace(one, problem=asked, id=str(index)) for index, one in enumerate(accepted)]
    wrong: set[str] = set()
    for judgement in judge.judge_many(rows, Options(stop=Stop.NEVER)):
        results = {test.name: test.verdict for test in judgement.tests}
        wrong |= {case.name for case in asked.cases if results.get(case.name) is not Verdict.AC}
    return [test for case, test in zip(asked.cases, tests, strict=True) if case.name not in wrong]
