"""The points of directories of tests in version `legacy`: each is a group, in the one above it.

testdata.yaml is read by `grouping`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence

from problems.files.tree import Tree
from problems.model import Aggregation, Checker, Group, Program
from problems.reading.grouping import Counted, GroupSettings
from problems.reading.metadata import Metadata
from problems.reading.programs import read_program, writes_score

#: An average is the sum of shares.
_AGGREGATION = {"min": Aggregation.MIN, "max": Aggregation.MAX}


def gives_points(metadata: Metadata, settings: Collection[GroupSettings], checker: Checker) -> bool:
    """Legacy: whether the validator's scores are points. So says `custom score`; DOMjudge reads score.txt without that
    word, and its own example leaves it out."""
    if metadata.version != "legacy" or not metadata.scoring or metadata.gives_points:
        return metadata.gives_points
    silent = all(own.accept_score is None for own in settings)
    return silent and isinstance(checker, Program) and writes_score(checker)


def shares(settings: Mapping[str, GroupSettings], counted: Sequence[Counted]) -> dict[str, tuple[float, float]]:
    """The most points of each directory, and what a case in it counts for, where the validator gives points: as its
    range says, or its part of what the directory above it has. Directories of which no range says anything are left
    out. A range bounds the points of a directory: a case of a sum may write more than its part of them, and only the
    package's grader knows what it makes of those of a case."""
    sizes = {group.name: group.cases for group in counted}
    found: dict[str, tuple[float, float]] = {}

    def go(name: str, inherited: float | None) -> None:
        own = settings[name]
        most = inherited if own.most is None else own.most
        parts = _parts(sizes, name)
        each = most
        if most is not None and own.grader_flags is None and own.aggregation not in ("min", "max", "avg"):
            each = most / (sizes.get(name, 0) + len(parts))
        if most is not None and each is not None:
            found[name] = most, each
        for part in parts:
            go(part, each)

    go("secret", settings[""].most if "" in settings else None)
    return found


def _parts(sizes: Mapping[str, int], name: str) -> list[str]:
    """The directories in one that hold cases, or directories with cases."""
    depth = name.count("/") + 1
    return sorted({"/".join(other.split("/")[: depth + 1]) for other in sizes if other.startswith(f"{name}/")})


def _grader_of(tree: Tree, metadata: Metadata) -> Callable[[str, GroupSettings], Program | None]:
    """Tells the grader of each directory."""
    found: list[Program | None] = []

    def grader(name: str, own: GroupSettings) -> Program | None:
        if own.grader_flags is None:
            return None
        if not found:
            found.append(read_program(tree, metadata, ("graders",), None))
        if found[0] is None:
            raise tree.error(own.source or tree.root, "grading: custom, but there is no graders/", "add the grader")
        return dataclasses.replace(found[0], arguments=own.grader_flags)

    return grader


def _best(
    tree: Tree,
    settings: Mapping[str, GroupSettings],
    sizes: Mapping[str, int],
    ranges: Mapping[str, tuple[float, float]],
    stated: Mapping[str, float],
) -> Callable[[str], float]:
    """Tells the most points of each directory."""

    def best(name: str) -> float:
        if name in ranges:
            return ranges[name][0]
        own = settings[name]
        if own.grader_flags is not None:
            if name in stated:
                return stated[name]
            # Without a range anything may come, as the specification has it; but our score is a share.
            what = "grading: custom, but no range says how many points there are"
            remedy = f"add range: 0 100, or state in judge.yaml how many (groups: {{{name}: {{points: 100}}}})"
            raise tree.error(own.source or tree.root, what, remedy)
        results = [own.worth] * sizes.get(name, 0) + [best(part) for part in _parts(sizes, name)]
        match own.aggregation:
            case "min" | "max":
                score = (min if own.aggregation == "min" else max)(results)
            case "avg":
                score = sum(results) / len(results)
            case _:
                score = sum(results)
        return own.max_score if score == 0 and own.max_score is not None else score

    return best


def legacy_groups(
    tree: Tree,
    metadata: Metadata,
    settings: Mapping[str, GroupSettings],
    counted: Sequence[Counted],
    stated: Mapping[str, float],
    *,
    samples: bool,
) -> tuple[Group, ...]:
    """A group for each directory, in the one above it. `stated`: points of groups in judge.yaml, of which those of
    groups with a grader are used here. A rejected directory has no score (the specification of legacy,
    "Graders": scores of results that are not accepted are ignored), unless it keeps partial ones. `samples`: there are
    some. Refused ones reject all of data/ where its grader is the default one, which is not told to ignore them and
    keeps no partial scores."""
    sizes = {group.name: group.cases for group in counted}
    custom = any(own.grader_flags is not None for own in settings.values())
    ranges = shares(settings, counted) if metadata.gives_points or custom else {}
    above = settings.get("")
    free = not samples or above is None or above.ignores_samples or above.partial or above.grader_flags is not None
    needs = () if free else ("sample",)
    grader = _grader_of(tree, metadata)
    best = _best(tree, settings, sizes, ranges, stated)

    def groups(name: str, within: str | None) -> list[Group]:
        own = settings[name]
        if own.reject_score != 0 and (own.partial or own.grader_flags is not None):
            what = f"reject_score: {own.reject_score:g}: what is refused has no points here"
            raise tree.error(own.source or tree.root / "problem.yaml", what, "remove it; give points by the validator")
        group = Group(
            name=name,
            points=best(name),
            least=own.least,
            within=within,
            requires=needs if within is None else (),
            aggregation=_AGGREGATION.get(own.aggregation or "sum", Aggregation.SUM),
            void_if_refused=not own.partial and own.grader_flags is None,
            grader=grader(name, own),
            grader_stops=own.stops,
        )
        return [group, *(below for part in _parts(sizes, name) for below in groups(part, name))]

    return tuple(groups("secret", None))
