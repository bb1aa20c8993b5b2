"""How Luogu adds up points: by a strategy for each subtask, and one for the problem.

    scoringStrategy           {"type": "sum" | "min" | "max" | "script", "script": "…"}
    subtaskScoringStrategies  the same, by the number of the subtask

A script numbers what it adds up: tests in the order of their names, from 1; subtasks by their own numbers. Tests that
state no subtask lie in subtask 0. The site also writes types as numbers, of which it publishes no meaning.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from problems.importing.source import Source, cases
from problems.model import Aggregation, Group, ScoringScript, TestCase
from problems.text.script import Part, ScriptError, parse

_NAMED = {"sum": Aggregation.SUM, "min": Aggregation.MIN, "max": Aggregation.MAX}


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    aggregation: Aggregation = Aggregation.SUM
    #: Computes the points instead.
    script: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategies:
    """None, and what is not there: it is not stated."""

    blame: Path
    whole: Strategy | None = None
    subtasks: Mapping[int, Strategy]


def strategies(source: Source, blame: Path, whole: Any, subtasks: Any) -> Strategies:
    """
    Raises:
        ProblemError: they are of a form that we do not know.
    """
    by_number = dict(enumerate(subtasks)) if isinstance(subtasks, list) else subtasks or {}
    if not isinstance(by_number, dict):
        raise source.tree.error(blame, "subtaskScoringStrategies is no map", "write a map by the subtasks' numbers")
    found = {}
    for number, stated in by_number.items():
        key = f"subtaskScoringStrategies.{number}"
        if not str(number).isascii() or not str(number).isdigit() or len(str(number)) > 9:
            raise source.tree.error(blame, f"{key[:100]}: is no number of a subtask", "write one")
        if (strategy := _strategy(source, blame, key, stated)) is not None:
            found[int(number)] = strategy
    return Strategies(blame=blame, whole=_strategy(source, blame, "scoringStrategy", whole), subtasks=found)


def _strategy(source: Source, blame: Path, key: str, stated: Any) -> Strategy | None:
    if stated is None:
        return None
    kind, script = (stated.get("type"), stated.get("script") or "") if isinstance(stated, dict) else (stated, "")
    if isinstance(script, str) and script.strip():
        return Strategy(script=script)
    if isinstance(kind, str) and kind.lower() in _NAMED:
        return Strategy(aggregation=_NAMED[kind.lower()])
    source.lose(blame, f"{key}: type {kind!r:.40} has no published meaning", "write sum, min, max, or a script")
    return None


def score_tests(
    source: Source,
    found: Sequence[tuple[Path, Path]],
    points: Sequence[float],
    subtasks: Sequence[int | None],
    stated: Strategies,
) -> tuple[tuple[TestCase, ...], tuple[Group, ...]]:
    """Test cases in the order of their groups, and the groups. `points`, `subtasks`: of each test in `found`.

    Raises:
        ProblemError: a script is wrong, or gives nothing where all is accepted.
    """
    if set(subtasks) == {None} and not stated.subtasks and stated.whole is None:
        tests = zip(cases(found), points, strict=True)
        return tuple(replace(case, weight=worth) for case, worth in tests), (Group(name="secret", points=sum(points)),)
    numbers = [number or 0 for number in subtasks]
    for unused in sorted(stated.subtasks.keys() - set(numbers))[:10]:
        source.note(stated.blame, f"subtaskScoringStrategies.{unused}: no test lies in that subtask")
    if missing := set(numbers) - stated.subtasks.keys():
        usual = Strategy(aggregation=Aggregation.SUM if set(subtasks) == {None} else Aggregation.MIN)
        if usual.aggregation is Aggregation.MIN:
            source.assume(
                stated.blame, "a subtask earns the least of its tests (the site keeps the strategy elsewhere)"
            )
        stated = replace(stated, subtasks={**stated.subtasks, **dict.fromkeys(missing, usual)})
    made, groups = list[TestCase](), dict[int, Group]()
    for number in sorted(set(numbers)):
        inside = [index for index, other in enumerate(numbers) if other == number]
        group = f"secret/{number:03}"
        tests_ = cases([found[index] for index in inside], group)
        tests_ = tuple(replace(case, weight=points[index]) for case, index in zip(tests_, inside, strict=True))
        called = {index + 1: case for index, case in zip(inside, tests_, strict=True)}
        groups[number] = _subtask(source, stated, number, group, called)
        if groups[number].aggregation in (Aggregation.MIN, Aggregation.MAX):
            tests_ = tuple(replace(case, weight=1.0) for case in tests_)
        made += tests_
    return tuple(made), _whole(source, stated, groups)


def _subtask(source: Source, stated: Strategies, number: int, name: str, tests: Mapping[int, TestCase]) -> Group:
    strategy = stated.subtasks[number]
    points = [case.weight for case in tests.values()]
    if strategy.script:
        key = f"subtaskScoringStrategies.{number}"
        return _read_script(
            source, stated.blame, key, strategy.script, name, {n: (t.name, t.weight) for n, t in tests.items()}
        )
    if strategy.aggregation is Aggregation.MAX and len(set(points)) > 1:
        source.lose(stated.blame, f"subtask {number}: the greatest of tests of different scores", "give all one score")
    most = {Aggregation.MIN: min(points), Aggregation.MAX: max(points)}.get(strategy.aggregation, sum(points))
    return Group(name=name, points=most, aggregation=strategy.aggregation)


def _whole(source: Source, stated: Strategies, groups: Mapping[int, Group]) -> tuple[Group, ...]:
    """The subtasks, in a group if they are not simply added up."""
    whole = stated.whole
    if whole is None or (not whole.script and whole.aggregation is Aggregation.SUM):
        return tuple(groups.values())
    points = [group.points for group in groups.values()]
    if whole.script:
        held = {number: (group.name, group.points) for number, group in groups.items()}
        above = _read_script(source, stated.blame, "scoringStrategy", whole.script, "secret", held)
    else:
        most = min(points) if whole.aggregation is Aggregation.MIN else max(points)
        above = Group(name="secret", points=most, aggregation=whole.aggregation)
    return (above, *(replace(group, within="secret") for group in groups.values()))


def _read_script(
    source: Source, blame: Path, key: str, script: str, name: str, held: Mapping[int, tuple[str, float]]
) -> Group:
    """`held`: name and points of what the group holds, by its number."""
    try:
        most = (
            parse(script).of({number: Part(points=math.floor(points)) for number, (_, points) in held.items()}).points
        )
    except ScriptError as error:
        raise source.tree.error(
            blame, f"{key}: {error}", "correct the script: it must run where all is accepted"
        ) from None
    if most <= 0:
        raise source.tree.error(blame, f"{key}: gives {most} points where all is accepted", "correct the script")
    numbers = MappingProxyType({one: number for number, (one, _) in held.items()})
    return Group(name=name, points=float(most), script=ScoringScript(text=script, numbers=numbers))
