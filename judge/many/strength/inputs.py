"""Random inputs with answers: problems made of them, on which programs are compared.

An input counts if the input validators accept it and all accepted submissions agree on its answer. Inputs lie in a
directory of the caller; programs see them as they see any test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from judge.common.models import Judgement, Options, Stop, Submission, Verdict
from judge.many.pool import Judge
from problems.errors import ProblemError
from problems.model import Comparison, Group, Problem, TestCase
from problems.strength.inputs import MOST_BYTES, neighbours

_GROUP = "secret"
#: So many candidates are validated at once, and so many times at most.
_ROUND, _ROUNDS = 250, 8
#: The first 4 KiB of an output are in a judgement: a longer one cannot be an answer.
_SHOWN_BYTES = 4096


def why_not(problem: Problem) -> str | None:
    """Why there can be no random inputs; None: there can."""
    if problem.kind != "batch":
        return f"it is {problem.kind}: no program prints the answer of an input"
    if not problem.input_validators:
        return "there is no input validator to say which inputs are valid"
    if any(case.arguments or case.files for case in problem.cases):
        return "tests have arguments or files of their own"
    return None


def random_inputs(judge: Judge, problem: Problem, directory: Path, most: int, seed: int) -> list[bytes]:
    """At most so many valid inputs near those of the package, the smallest first. The same seed gives the same ones.

    Raises:
        ProblemError: a validator cannot be run.
    """
    known = sorted({data for case in problem.cases if len(data := case.read_input()) <= MOST_BYTES}, key=_size)
    valid: list[bytes] = []
    candidates = neighbours(known, seed)
    for _ in range(_ROUNDS):
        batch = list(islice(candidates, _ROUND))
        if not batch or len(valid) >= most:
            break
        accepted = validated(judge, problem, directory, batch)
        valid += accepted
        known += accepted
    return sorted(valid[:most], key=_size)


def _size(data: bytes) -> tuple[int, bytes]:
    return len(data), data


def validated(judge: Judge, problem: Problem, directory: Path, inputs: Sequence[bytes]) -> list[bytes]:
    """Those that every input validator accepts.

    Raises:
        ProblemError: a validator cannot be run.
    """
    if not inputs:
        return []
    asked = with_inputs(problem, directory, [(data, b"") for data in inputs])
    places = {f"data/{case.name}.in": data for case, data in zip(asked.cases, inputs, strict=True)}
    for finding in judge.validate(asked):
        if finding.file not in places:
            raise ProblemError(f"problem {problem.name}: {finding.file}: {finding.message}")
        del places[finding.file]
    return list(places.values())


def with_inputs(problem: Problem, directory: Path, tests: Sequence[tuple[bytes, bytes]]) -> Problem:
    """The problem with these tests (input, answer) alone, in this order, in files of `directory`."""
    cases = []
    for index, (given, answer) in enumerate(tests):
        name = f"{index:05}"
        (directory / f"{name}.in").write_bytes(given)
        (directory / f"{name}.ans").write_bytes(answer)
        place = directory / name
        cases.append(
            TestCase(
                name=f"{_GROUP}/{name}",
                group=_GROUP,
                input=place.with_suffix(".in"),
                answer=place.with_suffix(".ans"),
            )
        )
    rules = {case.checker for case in problem.cases}
    checker = next(iter(rules)) if len(rules) == 1 else None
    return replace(
        problem,
        checker=checker or problem.checker,
        groups=(Group(name=_GROUP),),
        cases=tuple(cases),
        generated=(),
        solution=None,
        input_trials=(),
        output_trials=(),
    )


def answered(
    judge: Judge, problem: Problem, directory: Path, inputs: Sequence[bytes], accepted: Sequence[Submission]
) -> list[tuple[bytes, bytes]]:
    """Inputs with the answer of the first accepted submission, where it gives one and all the others agree.

    Raises:
        ProblemError: the problem cannot be judged at all.
    """
    if not inputs:
        return []
    asked = replace(
        with_inputs(problem, _below(directory, "asked"), [(data, b"") for data in inputs]), checker=Comparison()
    )
    said = judge.judge(replace(accepted[0], problem=asked), Options(stop=Stop.NEVER))
    answers = [_answer(said, index) for index in range(len(inputs))]
    tests = [(data, answer) for data, answer in zip(inputs, answers, strict=True) if answer is not None]
    if not tests:
        return []
    agreed = with_inputs(problem, _below(directory, "agreed"), tests)
    wrong: set[str] = set()
    for judgement in judge.judge_many([replace(one, problem=agreed) for one in accepted], Options(stop=Stop.NEVER)):
        results = {test.name: test.verdict for test in judgement.tests}
        wrong |= {case.name for case in agreed.cases if results.get(case.name) is not Verdict.AC}
    return [test for case, test in zip(agreed.cases, tests, strict=True) if case.name not in wrong]


def _answer(said: Judgement, index: int) -> bytes | None:
    """What the program wrote, if it ended well and its judgement holds all of it."""
    if index >= len(said.tests):
        return None
    test = said.tests[index]
    if test.verdict not in {Verdict.AC, Verdict.WA, Verdict.PE}:
        return None
    whole = len(test.stdout) < _SHOWN_BYTES and test.stdout.isascii()
    return test.stdout.encode() if whole else None


def _below(directory: Path, name: str) -> Path:
    place = directory / name
    place.mkdir(exist_ok=True)
    return place
