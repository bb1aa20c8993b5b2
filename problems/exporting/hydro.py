"""Hydro: problem.yaml, problem_zh.md, and testdata/ with config.yaml."""

from __future__ import annotations

from typing import Any

from problems.exporting.programs import comparing, in_one, of_convention
from problems.exporting.samples import with_samples
from problems.exporting.target import Format, Target, find_counted, only_batch, plain_cases, tell_limits, tell_no_place
from problems.model import MIB, Aggregation, Comparison, Convention, FileIO, Group, Limits, Mode, TestCase
from problems.writing.dump import scores

_KIB = 1024
_MODES = {Mode.LINES: "default", Mode.EXACT_LINES: "strict"}
_TYPES = {Aggregation.SUM: "sum", Aggregation.MIN: "min", Aggregation.MAX: "max"}
_TAGS = ("zh", "en")


def _write(target: Target) -> None:
    problem = target.problem
    only_batch(target, interactive=True)
    plain_cases(target, limits=True)
    at = f"{problem.name}/" if target.packed else ""
    titles = problem.title
    head: dict[str, Any] = {
        "pid": problem.name,
        "title": titles.get("zh") or next(iter(titles.values()), problem.name),
        "tag": list(problem.keywords),
    }
    if len(titles) > 1:
        target.note(f"only one of {len(titles)} titles: {head['title']}")
    target.put_yaml(f"{at}problem.yaml", head)
    _statements(target, at)
    config = _limits(target, problem.limits) | _file_io(target) | _programs(target, at) | _tests(target, at)
    target.put_yaml(f"{at}testdata/config.yaml", config)
    tell_limits(target)
    tell_no_place(target, "submissions", "input_validators", "source", "license", "authors", "languages")


def _statements(target: Target, at: str) -> None:
    for tag, path in target.problem.statements.items():
        if tag not in _TAGS or path.suffix != ".md":
            target.note(f"not in it: the statement {path.name}")
            continue
        text = target.text(path).decode("utf-8", "replace")
        target.put(f"{at}problem_{tag}.md", with_samples(target, text))


def _limits(target: Target, limits: Limits) -> dict[str, str]:
    memory = limits.memory_bytes
    shown = f"{memory // MIB}m" if memory % MIB == 0 else f"{target.whole(memory, _KIB, 'the memory limit')}k"
    return {"time": f"{target.milliseconds(limits)}ms", "memory": shown}


def _file_io(target: Target) -> dict[str, str]:
    files = target.problem.file_io
    if files is None:
        return {}
    stem = (files.input or "").removesuffix(".in")
    if files != FileIO(input=f"{stem}.in", output=f"{stem}.out"):
        target.lose(f"the files {files.input} and {files.output}", "call them NAME.in and NAME.out")
        return {}
    return {"filename": stem}


def _programs(target: Target, at: str) -> dict[str, Any]:
    problem = target.problem
    if problem.interactor is not None:
        source, header = in_one(of_convention(target, problem.interactor, Convention.TESTLIB, "interactor"))
        stated: dict[str, Any] = {"type": "interactive", "interactor": {"file": "interactor.cc", "lang": "cc"}}
        name = "interactor.cc"
    else:
        checker = problem.checker
        if isinstance(checker, Comparison) and checker in (Comparison(mode=mode) for mode in _MODES):
            return {"type": "default", "checker_type": _MODES[checker.mode]}
        if isinstance(checker, Comparison):
            source, header = comparing(target, checker, Convention.TESTLIB).encode(), None
        else:
            source, header = in_one(of_convention(target, checker, Convention.TESTLIB, "checker"))
        name = "checker.cc"
        stated = {"type": "default", "checker_type": "testlib", "checker": {"file": name, "lang": "cc"}}
    target.put(f"{at}testdata/{name}", source)
    if header is not None:
        target.put(f"{at}testdata/testlib.h", header)
    return stated


def _tests(target: Target, at: str) -> dict[str, Any]:
    problem = target.problem
    cases = list(find_counted(problem))
    rows: dict[str, list[tuple[TestCase, dict[str, Any]]]] = {}
    for number, case in enumerate(cases, 1):
        name = f"{number:0{len(str(len(cases)))}}"
        target.put(f"{at}testdata/{name}.in", case.input)
        target.put(f"{at}testdata/{name}.out", case.answer if case.answer is not None else b"")
        row = {"input": f"{name}.in", "output": f"{name}.out"}
        rows.setdefault(case.group, []).append((case, row | (_limits(target, case.limits) if case.limits else {})))
    if not scores(problem) and len({case.weight for case in cases}) == 1:
        return {"cases": [row for held in rows.values() for _, row in held]}
    groups = [group for group in problem.groups if group.name in rows]
    for group in problem.groups:
        if group.within is not None:
            raise target.refusal(f"groups in groups ({group.name})", "make one level of them")
    numbers = {group.name: number for number, group in enumerate(groups, 1)}
    return {"subtasks": [_subtask(target, group, rows[group.name], numbers) for group in groups]}


def _subtask(
    target: Target, group: Group, held: list[tuple[TestCase, dict[str, Any]]], numbers: dict[str, int]
) -> dict[str, Any]:
    if group.aggregation not in _TYPES:
        target.lose(f"the aggregation {group.aggregation} ({group.name})", f"take one of {', '.join(_TYPES.values())}")
    if group.void_if_refused and group.aggregation is not Aggregation.MIN:
        target.lose(f"points that one refused test voids ({group.name})", "take min")
    needs = [numbers[name] for name in group.requires if name in numbers]
    if len(needs) < len(group.requires):
        target.lose(f"a subtask that needs the samples ({group.name})", "let it need subtasks")
    weights = {case.weight for case, _ in held}
    total = sum(case.weight for case, _ in held)
    if group.aggregation is Aggregation.SUM and len(weights) > 1:
        for case, row in held:
            row["score"] = _number(group.points * case.weight / total)
    stated: dict[str, Any] = {"id": numbers[group.name], "score": _number(group.points)}
    stated |= {"type": _TYPES.get(group.aggregation, "sum")}
    return stated | ({"if": needs} if needs else {}) | {"cases": [row for _, row in held]}


def _number(value: float) -> int | float:
    return int(value) if value == int(value) else value


FORMAT = Format(name="hydro", title="Hydro's format", write=_write)
