"""Checks the scoring scripts of a package's groups, which judge.yaml states."""

from __future__ import annotations

import math

from problems.files.tree import Tree
from problems.model import GeneratedCase, Group, Problem, TestCase
from problems.text.script import Part, ScriptError, parse


def check_scripts(tree: Tree, problem: Problem) -> None:
    """Run each script on what an accepted submission gets: what fails later, fails by what a submission did.

    Raises:
        ProblemError: one of them is wrong, or its numbers name what its group does not hold.
    """
    for group in problem.groups:
        if group.script is None:
            continue
        blame, key = tree.root / "judge.yaml", f"groups.{group.name}.script"
        held = points_of(problem, group)
        if group.grader is not None:
            raise tree.error(blame, f"{key}: the group has a grader, too", "drop one of them")
        for name in group.script.numbers:
            if name not in held:
                raise tree.error(blame, f"{key}: the group holds no {name!r}", "name its cases and groups")
        if len(set(group.script.numbers.values())) < len(group.script.numbers):
            raise tree.error(blame, f"{key}: one number stands for two", "number each")
        try:
            best(problem, group)
        except ScriptError as error:
            raise tree.error(
                blame, f"{key}: {error}", "correct the script: it must run where all is accepted"
            ) from None


def points_of(problem: Problem, group: Group) -> dict[str, int]:
    """The points of all cases and groups that lie in the group, by name, as a script sees them."""
    cases: list[TestCase | GeneratedCase] = [*problem.cases, *problem.generated]
    held = {case.name: math.floor(case.weight) for case in cases if case.group == group.name}
    return held | {other.name: math.floor(other.points) for other in problem.groups if other.within == group.name}


def best(problem: Problem, group: Group) -> int:
    """What the group's script gives if all in the group is accepted.

    Raises:
        ScriptError: the script is wrong, or fails.
    """
    if group.script is None:
        return 0
    held = points_of(problem, group)
    parts = {number: Part(points=held[name]) for name, number in group.script.numbers.items()}
    return parse(group.script.text).of(parts).points
