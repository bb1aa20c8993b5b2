"""Luogu's test data: NAME.in and NAME.out without directories, config.yml, checker.cpp.

    config.yml      by the name of an input: timeLimit (ms), memoryLimit (KB), score, subtaskId

The site keeps the rest elsewhere. A directory holds the statement beside the data, and a JSON with the strategies of
subtasks, to be pasted; a zip holds only what the site takes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from problems.exporting.programs import comparing, in_one, of_convention
from problems.exporting.samples import with_samples
from problems.exporting.target import Format, Target, find_counted, only_batch, plain_cases, tell_limits, tell_no_place
from problems.files.tree import PICTURES
from problems.model import MIB, Aggregation, Comparison, Convention, Group, Mode, TestCase
from problems.writing.dump import scores

_KIB = 1024
#: A product that may be left out is added up.
_ADDED = (Aggregation.SUM, Aggregation.PRODUCT)
#: What the site takes.
_MOST_BYTES = 100 * MIB
_MOST_PACKED_BYTES = 50 * MIB


def _write(target: Target) -> None:
    problem = target.problem
    only_batch(target, scripts=True)
    plain_cases(target, limits=True)
    if problem.file_io is not None:
        target.lose("input and output files", "let programs use standard input and output")
    cases = list(find_counted(problem))
    rows = _scores(target, cases)
    called = _test_numbers(target, cases)
    size = 0
    for case, row in zip(cases, rows, strict=True):
        name = f"test{called[case.name]:0{len(str(len(cases)))}}"  # a name has one run of digits
        limits = case.limits or problem.limits
        time, memory = target.milliseconds(limits), target.whole(limits.memory_bytes, _KIB, "the memory limit")
        target.put(f"{name}.in", case.input)
        target.put(f"{name}.out", case.answer if case.answer is not None else b"")
        row[f"{name}.in"] = {"timeLimit": time, "memoryLimit": memory} | row.pop("")
        size += sum(path.stat().st_size for path in (case.input, case.answer) if path is not None)
    if size > _MOST_BYTES:
        target.lose(f"{size // MIB} MiB of tests: the site takes {_MOST_BYTES // MIB}", "drop large tests")
    target.put_yaml("config.yml", {name: stated for row in rows for name, stated in row.items()})
    _checker(target)
    if target.packed:
        target.note("not in it: the statement, which the site takes on its page (export to a directory to have it)")
    else:
        _statement(target)
    tell_limits(target)
    tell_no_place(target, "submissions", "input_validators", "keywords", "languages")


def _scores(target: Target, cases: Sequence[TestCase]) -> list[dict[str, Any]]:
    """What config.yml says of each case's score, under ""."""
    problem = target.problem
    if not scores(problem) and len({case.weight for case in cases}) == 1:
        return [{"": {}} for _ in cases]
    groups = [group for group in problem.groups if group.counted]
    above = next((group for group in groups if any(other.within == group.name for other in groups)), None)
    groups = [group for group in groups if group is not above]
    for group in groups if above is None else (above, *groups):
        if group.requires:
            target.lose(f"subtasks that need others ({group.name})", "merge them")
        if group.within != (None if above is None or group is above else above.name):
            raise target.refusal(f"groups in groups ({group.name})", "make one level of them")
        if group.aggregation is Aggregation.PRODUCT:
            target.lose(f"the aggregation {group.aggregation} ({group.name})", "take sum, min or max")
        if group.void_if_refused and group.aggregation is not Aggregation.MIN:
            target.lose(f"a {group.aggregation} that one refused test voids ({group.name})", "take min")
    if above is None and all(group.script is None and group.aggregation in _ADDED for group in groups):
        return [
            {"": {"score": _points(target, _share(problem.group(case.group), case, cases), case)}} for case in cases
        ]
    return _subtasks(target, cases, above, groups)


def _subtasks(
    target: Target, cases: Sequence[TestCase], above: Group | None, groups: Sequence[Group]
) -> list[dict[str, Any]]:
    fixed = dict(above.script.numbers) if above is not None and above.script is not None else {}
    numbers = _numbers(target, [group.name for group in groups], fixed)
    if any(case.group not in numbers for case in cases):
        raise target.refusal("tests beside subtasks", "put them into one")
    strategies = {str(numbers[group.name]): _strategy(group) for group in groups}
    whole = {"type": "sum"} if above is None else _strategy(above)
    if not target.packed:
        titles = target.problem.title
        described: dict[str, Any] = {
            "pid": target.problem.name,
            "title": titles.get("zh") or next(iter(titles.values()), ""),
        }
        described |= {"scoringStrategy": whole, "subtaskScoringStrategies": strategies}
        target.put(f"{target.problem.name}.json", json.dumps(described, ensure_ascii=False, indent=2) + "\n")
        target.note("set the strategies of the subtasks on the site as the JSON says: it keeps them elsewhere")
    elif above is not None or any(stated != {"type": "min"} for stated in strategies.values()):
        target.lose("strategies of subtasks other than min for all", "export to a directory, whose JSON holds them")
    else:
        target.note("set the strategy of the subtasks to min on the site, which keeps it elsewhere")
    return [{"": _score(target, target.problem.group(case.group), case, cases, numbers)} for case in cases]


def _strategy(group: Group) -> dict[str, str]:
    if group.script is not None:
        return {"type": "script", "script": group.script.text}
    return {"type": "sum" if group.aggregation in _ADDED else str(group.aggregation)}


def _score(
    target: Target, group: Group, case: TestCase, cases: Sequence[TestCase], numbers: Mapping[str, int]
) -> dict[str, int]:
    if group.script is not None:
        points = case.weight
    else:
        points = _share(group, case, cases) if group.aggregation in _ADDED else group.points
    return {"score": _points(target, points, case), "subtaskId": numbers[group.name]}


def _share(group: Group, case: TestCase, cases: Sequence[TestCase]) -> float:
    weights = sum(other.weight for other in cases if other.group == group.name)
    return group.points * case.weight / weights if weights else 0.0


def _test_numbers(target: Target, cases: Sequence[TestCase]) -> dict[str, int]:
    """The number of each test on the site: scripts name tests by it."""
    fixed: dict[str, int] = {}
    for group in target.problem.groups:
        if group.script is not None and group.counted:
            fixed |= group.script.numbers
    names = [case.name for case in cases]
    numbers = _numbers(target, names, {name: fixed[name] for name in names if name in fixed})
    if any(number > len(names) for number in numbers.values()):
        raise target.refusal("numbers of tests in scripts above that of tests", "number the tests from 1")
    return numbers


def _numbers(target: Target, names: Sequence[str], fixed: Mapping[str, int]) -> dict[str, int]:
    """A number of its own for each name, from 1; those in `fixed` are kept."""
    if len(set(fixed.values())) < len(fixed):
        raise target.refusal("one number for two tests in scripts", "number the tests from 1")
    taken = set(fixed.values())
    free = (number for number in count(1) if number not in taken)
    return {name: fixed[name] if name in fixed else next(free) for name in names}


def _points(target: Target, points: float, case: TestCase) -> int:
    if abs(points - round(points)) > 1e-9:
        target.lose(f"{points:g} points ({case.name})", "give each test a whole number")
    return round(points)


def _checker(target: Target) -> None:
    checker = target.problem.checker
    if isinstance(checker, Comparison):
        if checker != Comparison(mode=Mode.LINES):
            target.put("checker.cpp", comparing(target, checker, Convention.TESTLIB))
        return
    source, header = in_one(of_convention(target, checker, Convention.TESTLIB, "checker"))
    target.put("checker.cpp", source)
    if header is not None:
        target.put("testlib.h", header)


def _statement(target: Target) -> None:
    statements = target.problem.statements
    found = next((statements[tag] for tag in ("zh", "en", *statements) if tag in statements), None)
    if found is None or found.suffix != ".md":
        target.note("not in it: the statement, which is no Markdown")
        return
    if len(statements) > 1:
        target.note(f"only one of {len(statements)} statements: {found.name}")
    target.put(f"{target.problem.name}.md", with_samples(target, target.text(found).decode("utf-8", "replace")))
    for picture in sorted(Path(found.parent).iterdir()):
        if picture.suffix in PICTURES:
            target.note(f"not in it: the picture {picture.name}")


FORMAT = Format(name="luogu", title="Luogu's test data", write=_write)
