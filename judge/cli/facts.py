"""What is shown of a problem, for programs and for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from judge.cli import samples
from problems import Comparison, Group, Problem
from problems.writing import dump


def describe_problem(one: Problem) -> dict[str, Any]:
    return {
        "name": one.name,
        "title": dict(one.title),
        "kind": one.kind,
        "cpu_ns": one.stated_cpu_ns,
        "memory_bytes": one.limits.memory_bytes,
        "checker": describe_checker(one),
        "objective": None if one.objective is None else dump.objective(one),
        "tests": _tests(one),
        "groups": [_group(one, group) for group in one.groups],
        "submissions": count_labels(one),
        "statements": list(one.statements),
        "samples": samples.describe_samples(one),
        "keywords": list(one.keywords),
        "source": one.source,
        "license": one.license,
        "format": one.format,
        "directory": str(one.directory),
    }


def _tests(one: Problem) -> Counter[str]:
    return Counter([case.group for case in one.cases] + [case.group for case in one.generated])


def _group(one: Problem, group: Group) -> dict[str, Any]:
    return {
        "name": group.name,
        "tests": _tests(one)[group.name],
        "points": group.points if group.counted else 0,
        "aggregation": group.aggregation,
        "within": group.within,
        "requires": list(group.requires),
    }


def describe_tests(one: Problem) -> Iterable[str]:
    """Of each group: its tests, and its points unless each of its tests counts for one."""
    for name, count in _tests(one).items():
        group = one.group(name)
        about = []
        if not group.counted:
            about.append("not counted")
        elif group.points != count:
            about.append(f"{group.points:g} points")
        if group.requires:
            about.append(f"needs {' and '.join(group.requires)}")
        yield f"{count} in {name}" + (f" ({', '.join(about)})" if about else "")


def count_labels(one: Problem) -> Counter[str]:
    return Counter(" or ".join(sorted(labelled.expected)) for labelled in one.submissions)


def describe_checker(one: Problem) -> str:
    if not isinstance(one.checker, Comparison):
        return f"{one.checker.sources[0].name} ({one.checker.convention})"
    parts = [str(one.checker.mode)]
    for name in ("absolute_tolerance", "relative_tolerance"):
        if (tolerance := getattr(one.checker, name)) is not None:
            parts.append(f"{name.replace('_', ' ')} {tolerance:g}")
    if not one.checker.case_sensitive:
        parts.append("any case")
    if one.checker.space_sensitive:
        parts.append("white space matters")
    return ", ".join(parts)
