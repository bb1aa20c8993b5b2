"""Converts a `Problem` to the contents of problem.yaml and the test_group.yaml files, and to judge.yaml's additions."""

from __future__ import annotations

import dataclasses
import math
import uuid
from collections import Counter
from collections.abc import Mapping
from typing import Any

from problems.errors import ProblemError
from problems.files.tree import Tree
from problems.model import (
    MIB,
    OUR_COMPILE_BYTES,
    SECOND_NS,
    STATED_LIMITS,
    Aggregation,
    Checker,
    Comparison,
    GeneratedCase,
    Group,
    InputValidatorArgs,
    Limits,
    Manager,
    Problem,
    Program,
    StaticCase,
    TestCase,
)
from problems.reading import points
from problems.reading.comparison import from_arguments, to_arguments
from problems.reading.metadata import KIB, LICENSES
from problems.reading.time_rule import TimeRule, read_time_rule
from problems.text.constants import read_stated


def metadata(problem: Problem) -> dict[str, Any]:
    """The content of problem.yaml."""
    types = ["scoring" if scores(problem) else "pass-fail"]
    if problem.kind != "batch":
        types.append(problem.kind)
    if problem.passes > 1 and problem.kind != "multi-pass":
        types.append("multi-pass")
    data: dict[str, Any] = {
        "problem_format_version": "2025-09",
        "type": types[0] if len(types) == 1 else types,
        "name": dict(problem.title) or {"en": problem.name},
        "uuid": problem.uuid or str(uuid.uuid5(uuid.NAMESPACE_URL, f"problem:{problem.name}")),
    }
    if problem.authors:
        data["credits"] = {"authors": list(problem.authors)}
    if problem.source:
        data["source"] = problem.source
    if problem.license in LICENSES:
        data["license"] = problem.license
    data["limits"] = _limits(problem)
    if problem.constants:
        data["constants"] = read_stated(problem.constants)
    for key in ("keywords", "languages"):
        if getattr(problem, key):
            data[key] = list(getattr(problem, key))
    return data


def _limits(problem: Problem) -> dict[str, Any]:
    """The limits in units of the format, rounded up; those of compiles, too, for the format has others than we do."""
    limits = problem.limits
    data: dict[str, Any] = {
        "time_limit": _number(limits.cpu_ns / SECOND_NS),
        "memory": math.ceil(limits.memory_bytes / MIB),
        "output": math.ceil(limits.output_bytes / MIB),
        "code": math.ceil(limits.code_bytes / KIB),
    }
    for name, key in zip(STATED_LIMITS, ("time_limit", "memory", "output", "code"), strict=True):
        if name in problem.unstated:  # the format's rule holds there, too
            del data[key]
    if "cpu_ns" in problem.unstated:
        data |= _time_rule(problem)
    if problem.compile_cpu_ns is not None:
        data["compilation_time"] = _number(problem.compile_cpu_ns / SECOND_NS)
    data["compilation_memory"] = math.ceil((problem.compile_memory_bytes or OUR_COMPILE_BYTES) / MIB)
    if problem.passes > 1:
        data["validation_passes"] = problem.passes
    program = problem.checker if isinstance(problem.checker, Program) else problem.interactor
    program = problem.manager.program if problem.manager else program
    if program is not None:
        data["validation_time"] = _number(program.limits.cpu_ns / SECOND_NS)
        data["validation_memory"] = math.ceil(program.limits.memory_bytes / MIB)
        data["validation_output"] = math.ceil(program.limits.output_bytes / MIB)
    return data


def _time_rule(problem: Problem) -> dict[str, Any]:
    """How the time limit follows from the submissions, where version 2025-09 has another rule."""
    rule, usual = read_time_rule(Tree(problem.directory, problem.name)), TimeRule()
    multipliers = {
        name: getattr(rule, name)
        for name in ("ac_to_time_limit", "time_limit_to_tle")
        if getattr(rule, name) != getattr(usual, name)
    }
    data: dict[str, Any] = {"time_multipliers": multipliers} if multipliers else {}
    if rule.resolution_ns != usual.resolution_ns:
        data["time_resolution"] = _number(rule.resolution_ns / SECOND_NS)
    return data


def manager(manager: Manager) -> dict[str, Any]:
    """The key `manager` of judge.yaml, beside what any program has."""
    data: dict[str, Any] = {"processes": manager.processes}
    if manager.fifos:
        data["fifos"] = manager.fifos
    if manager.program.arguments:
        data["arguments"] = list(manager.program.arguments)
    return data


def inexact_limits(limits: Limits) -> dict[str, int]:
    """The limits that the format rounds or cannot state, for judge.yaml."""
    rounded = (
        ("memory_bytes", limits.memory_bytes, MIB),
        ("output_bytes", limits.output_bytes, MIB),
        ("code_bytes", limits.code_bytes, KIB),
    )
    data = {name: value for name, value, unit in rounded if value % unit}
    return data if limits.wall_ns is None else data | {"wall_ns": limits.wall_ns}


def exact_limits(limits: Limits) -> dict[str, int]:
    names = ("cpu_ns", "wall_ns", "memory_bytes", "output_bytes", "code_bytes")
    return {name: getattr(limits, name) for name in names if getattr(limits, name) is not None}


def _number(value: float) -> int | float:
    return int(value) if value == int(value) else value


def cases(problem: Problem) -> list[TestCase | GeneratedCase]:
    return [*problem.cases, *problem.generated]


def scores(problem: Problem) -> bool:
    """Whether the problem has scores: False if all cases weigh the same and no group adds a rule."""
    counted = [group for group in problem.groups if group.counted]
    sizes = Counter(case.group for case in (*cases(problem), *problem.static_cases))
    return any(case.full_score is None for case in cases(problem)) or any(
        group.aggregation is not Aggregation.SUM
        or group.requires
        or group.void_if_refused
        or group.within
        or group.script
        or group.points != (sizes[group.name] if len(counted) > 1 else 1)
        for group in counted
        if group.name != "sample"
    )


def groups(problem: Problem) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    """test_group.yaml by directory below data/, and `groups` of judge.yaml."""
    scored = scores(problem)
    arguments = {"output_validator_args": list(validator_args(problem, problem.checker))}
    directories: dict[str, dict[str, Any]] = {"secret": dict(arguments)}
    for case in cases(problem):
        inside = case.name.startswith(f"{case.group}/")
        directories.setdefault(case.group if inside else case.name.split("/")[0], dict(arguments))
    extension: dict[str, dict[str, Any]] = {}
    held = {case.group for case in (*cases(problem), *problem.static_cases)}
    _check_nesting(problem)
    if any(group.grader is not None for group in problem.groups):
        raise ProblemError(f"problem {problem.name}: version 2025-09 has no graders of groups; keep the legacy package")
    for group in problem.groups:
        if group.name == "sample" and group.name not in held:
            continue  # a reader finds no such group
        data = directories.setdefault(group.name, dict(arguments))
        if scored and group.name != "sample":
            data |= _scoring(problem, group)
        if own := _extension(problem, group, scored=scored):
            extension[group.name] = own
    for static in problem.static_cases:
        data = directories.setdefault(static.group, dict(arguments))
        data |= _static(static, data)
    several = [group for group in problem.groups if group.name not in ("sample", "secret")]
    if scored and several and "secret" not in {group.name for group in problem.groups}:
        directories["secret"]["max_score"] = sum(math.ceil(group.points) for group in several)
    return directories, extension


def objective(problem: Problem) -> dict[str, Any]:
    """`objective` of judge.yaml."""
    if problem.objective is None:
        return {}
    stated = dataclasses.asdict(problem.objective)
    plain = {"direction": str, "normaliser": str, "total": str, "kept": list}
    return {name: plain.get(name, float)(value) for name, value in stated.items() if value not in (None, ())}


def _static(case: StaticCase, directory: dict[str, Any]) -> dict[str, Any]:
    """What test_group.yaml says of static validation."""
    added = directory.get("score_aggregation", "pass-fail") != "pass-fail"
    stated: dict[str, Any] = {"static_validation_score": round(case.full_score) if added else "pass-fail"}
    return stated | ({"static_validator_args": list(case.arguments)} if case.arguments else {})


def _check_nesting(problem: Problem) -> None:
    """Raise ProblemError if groups lie deeper than the format's do: `secret`, and the directories in it."""
    for group in problem.groups:
        if group.name.count("/") > 1 or group.within not in (None, "secret"):
            inside = "lies deeper than secret/GROUP" if group.name.count("/") > 1 else f"lies in {group.within!r}"
            raise ProblemError(
                f"problem {problem.name}: group {group.name!r} {inside}; the format has groups in 'secret' alone"
            )


def _scoring(problem: Problem, group: Group) -> dict[str, Any]:
    if _deep(problem, group) and group.aggregation is not Aggregation.MIN:
        raise ProblemError(
            f"problem {problem.name}: group 'secret' has points and cases in directories below it; make these groups"
        )
    mode = "pass-fail" if _passing(problem, group) else "sum" if group.aggregation is Aggregation.SUM else "min"
    data: dict[str, Any] = {"max_score": math.ceil(group.points), "score_aggregation": mode}
    if group.requires:
        data["require_pass"] = list(group.requires)
    return data


def _deep(problem: Problem, group: Group) -> bool:
    """Whether it is `secret` with tests in directories below it, which the format calls groups."""
    return group.name == "secret" and any(
        case.group == "secret" and case.name.count("/") > 1 for case in cases(problem)
    )


def _passing(problem: Problem, group: Group) -> bool:
    """Whether the format's pass-fail is written. There a validator gives no points."""
    if group.name in _list_required(problem):
        return True  # the format lets a group require only such groups
    if group.aggregation is not Aggregation.MIN:
        return False
    return _deep(problem, group) or (group.name != "secret" if not points.scores(problem) else _silent(problem, group))


def _silent(problem: Problem, group: Group) -> bool:
    """Whether one of its tests takes no points from a validator. Those that do state it themselves."""
    return any(case.full_score is None for case in cases(problem) if case.group == group.name)


def full_scores(problem: Problem) -> Mapping[str, float | None]:
    """What a reader of the package takes as the full score of each test, where it is not 1."""
    if not (scores(problem) and points.scores(problem)):
        return {}
    most = points.parts(problem)
    written = {group.name for group in problem.groups if _aggregation(problem, group)}
    quiet = {group.name for group in problem.groups if not group.counted}
    quiet |= {group.name for group in problem.groups if _passing(problem, group)} - written
    return {case.name: None if case.group in quiet else most[case.name] or None for case in cases(problem)}


def _aggregation(problem: Problem, group: Group) -> bool:
    """Whether judge.yaml has to state the aggregation."""
    if group.name == "sample":
        return group.aggregation is not Aggregation.SUM
    if group.aggregation in (Aggregation.PRODUCT, Aggregation.MAX):
        return True
    if not _passing(problem, group):
        return False
    return group.aggregation is Aggregation.SUM or (points.scores(problem) and not _silent(problem, group))


def _extension(problem: Problem, group: Group, *, scored: bool) -> dict[str, Any]:
    """What the format cannot state about a group, for judge.yaml."""
    data: dict[str, Any] = {}
    sample = group.name == "sample"
    usual: float = math.ceil(group.points) if scored else group.points
    if sample:
        usual = 1 if scored else sum(case.group == "sample" for case in (*cases(problem), *problem.static_cases))
    if group.points != usual:
        data["points"] = group.points
    if group.least != 0:
        data["least"] = group.least
    if _aggregation(problem, group):
        data["aggregation"] = str(group.aggregation)
    if group.script is not None:
        data["script"] = {"text": group.script.text, "numbers": dict(group.script.numbers)}
    if group.void_if_refused:
        data["void_if_refused"] = True
    if not _least_of_groups(problem):
        if group.within is not None:
            data["within"] = group.within
        if any(other.within == group.name for other in problem.groups):  # a reader finds no such group
            data |= {"points": group.points, "aggregation": str(group.aggregation)}
    if sample and group.requires:
        data["requires"] = list(group.requires)
    if group.counted is (sample and scored):
        data["counted"] = group.counted
    return data


def _least_of_groups(problem: Problem) -> bool:
    """Whether `secret` is what the format can say: the least of the groups in it."""
    secret = next((group for group in problem.groups if group.name == "secret"), None)
    return secret is not None and secret.aggregation is Aggregation.MIN and not secret.void_if_refused


def _list_required(problem: Problem) -> set[str]:
    return {name for group in problem.groups for name in group.requires}


def input_args(stated: InputValidatorArgs) -> dict[str, Any]:
    """`input_validator_args` of a case, if it has any."""
    named = {name: list(arguments) for name, arguments in stated}
    return {"input_validator_args": named[""] if named.keys() == {""} else named} if named else {}


def validator_args(problem: Problem, checker: Checker) -> tuple[str, ...]:
    if isinstance(checker, Program):
        return checker.arguments
    if problem.interactor is not None:
        return problem.interactor.arguments
    return to_arguments(checker)


def sayable(comparison: Comparison) -> bool:
    """Whether output validator arguments can state exactly this comparison."""
    return from_arguments(to_arguments(comparison)) == comparison


def comparison(rule: Comparison) -> dict[str, Any]:
    """`comparison` of judge.yaml."""
    default = Comparison()
    names = ("case_sensitive", "space_sensitive", "absolute_tolerance", "relative_tolerance", "presentation_error")
    return {"mode": str(rule.mode)} | {
        name: getattr(rule, name) for name in names if getattr(rule, name) != getattr(default, name)
    }
