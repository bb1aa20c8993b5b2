"""Luogu's test data: NAME.in and NAME.out without directories, config.yml, checker.cpp.

    config.yml      by the name of an input: timeLimit (ms), memoryLimit (KB), score, subtaskId

The site keeps the rest elsewhere. A directory holds the statement beside the data, to be pasted; a zip holds only what
the site takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from problems.exporting.programs import comparing, in_one, of_convention
from problems.exporting.samples import with_samples
from problems.exporting.target import Format, Target, counted, only_batch, plain_cases, tell_limits, tell_no_place
from problems.model import MIB, Aggregation, Comparison, Convention, Group, Mode, TestCase
from problems.writing.dump import scores

_KIB = 1024
#: What the site takes.
_MOST_BYTES = 100 * MIB
_MOST_PACKED_BYTES = 50 * MIB


def _write(target: Target) -> None:
    problem = target.problem
    only_batch(target)
    plain_cases(target, limits=True)
    if problem.file_io is not None:
        target.lose("input and output files", "let programs use standard input and output")
    cases = list(counted(problem))
    rows = _scores(target, cases)
    size = 0
    for number, (case, row) in enumerate(zip(cases, rows, strict=True), 1):
        name = f"test{number:0{len(str(len(cases)))}}"  # a name has one run of digits
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
    for group in groups:
        if group.requires:
            target.lose(f"subtasks that need others ({group.name})", "merge them")
        if group.within is not None or any(other.within == group.name for other in groups):
            raise target.refusal(f"groups in groups ({group.name})", "make one level of them")
        if group.aggregation not in (Aggregation.SUM, Aggregation.MIN):
            target.lose(f"the aggregation {group.aggregation} ({group.name})", "take sum or min")
        if group.void_if_refused and group.aggregation is Aggregation.SUM:
            target.lose(f"a sum that one refused test voids ({group.name})", "take min")
    minimal = {group.name for group in groups if group.aggregation is not Aggregation.SUM}
    if minimal and len(minimal) < len(groups):
        target.lose("sums beside minima: the site has one strategy for its subtasks", "take sum or min for all")
    if minimal:
        target.note("set the strategy of the subtasks to min on the site, which keeps it elsewhere")
    numbers = {group.name: number for number, group in enumerate(groups, 1)}
    return [{"": _score(target, problem.group(case.group), case, cases, numbers, minimal)} for case in cases]


def _score(
    target: Target,
    group: Group,
    case: TestCase,
    cases: Sequence[TestCase],
    numbers: dict[str, int],
    minimal: set[str],
) -> dict[str, int]:
    if group.name in minimal:
        return {"score": _points(target, group.points, case), "subtaskId": numbers[group.name]}
    weights = sum(other.weight for other in cases if other.group == group.name)
    return {"score": _points(target, group.points * case.weight / weights if weights else 0.0, case)}


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
        if picture.suffix in (".png", ".jpg", ".jpeg", ".svg"):
            target.note(f"not in it: the picture {picture.name}")


FORMAT = Format(name="luogu", title="Luogu's test data", write=_write)
