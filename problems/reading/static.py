"""Reads static validation test cases: test_group.yaml of a directory states one by `static_validation_score`."""

from __future__ import annotations

from collections.abc import Mapping

from problems.files.tree import Tree
from problems.model import StaticCase
from problems.reading.grouping import GroupSettings, StaticSettings
from problems.reading.metadata import Metadata

NAME = "static_validation"


def read_static(
    tree: Tree, metadata: Metadata, settings: Mapping[str, GroupSettings], sizes: Mapping[str, int], names: set[str]
) -> tuple[StaticCase, ...]:
    """`settings`: of each directory below data/; `sizes`: its tests, the static one among them; `names`: of all tests.

    Raises:
        ProblemError: there is no validator, or such a test does not fit to its directory.
    """
    if any(case in names for case in (f"{name}/{NAME}" for name, own in settings.items() if own.static is not None)):
        raise tree.error(
            tree.root / "data", f"a test is called {NAME}, as a static validation test case is", "rename it"
        )
    stated = [(name, own, own.static) for name, own in settings.items() if own.static is not None]
    return tuple(_case(tree, metadata, name, own, static, sizes) for name, own, static in stated)


def _case(
    tree: Tree,
    metadata: Metadata,
    name: str,
    own: GroupSettings,
    static: StaticSettings,
    sizes: Mapping[str, int],
) -> StaticCase:
    _check(tree, metadata, name, own, static)
    tests = sizes[name] - 1
    weight = full = 1.0
    if static.score is not None and metadata.scoring and name != "sample":
        full = float(static.score) or 1.0
        most = 100.0 if own.max_score is None and name == "secret" else own.max_score
        if tests and most is not None and own.aggregation != "min":
            if static.score >= most:
                what = f"static_validation_score leaves none of its {most:g} points to its tests"
                raise tree.error(own.source or tree.root, what, "lower it, or raise max_score")
            weight = static.score * tests / (most - static.score)
        elif own.aggregation == "min" and most is not None and static.score != most:
            what = f"static_validation_score is {static.score}, but max_score, which the least is of, is {most:g}"
            raise tree.error(own.source or tree.root, what, "write the same")
    return StaticCase(
        name=f"{name}/{NAME}",
        group=name,
        weight=weight,
        full_score=full,
        sample=name == "sample",
        arguments=static.arguments,
    )


def _check(tree: Tree, metadata: Metadata, name: str, own: GroupSettings, static: StaticSettings) -> None:
    blame = own.source or tree.root
    if tree.file("static_validator") is None and not (tree.root / "static_validator").is_dir():
        raise tree.error(blame, "static_validation_score, but there is no static_validator/", "add the program")
    if metadata.kind == "submit-answer":
        raise tree.error(blame, "static_validation_score: there are no programs to look at", "remove it")
    if name == "sample":
        return
    aggregation = own.aggregation or ("sum" if name == "secret" else "pass-fail")
    if static.score is not None and (not metadata.scoring or aggregation == "pass-fail"):
        raise tree.error(blame, "static_validation_score is a number, but nothing here is added up", "write pass-fail")
    if static.score is None and metadata.scoring and aggregation != "pass-fail":
        what = f"static_validation_score is pass-fail, but score_aggregation is {aggregation}"
        raise tree.error(blame, what, "write the points of the static validation")
