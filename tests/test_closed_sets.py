"""A member that is added to a closed set must be met by each place that tells members apart, or the suite fails."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pytest

from judge.checkers.compare import compare
from judge.checkers.conventions import CHECKERS
from judge.common.models import Verdict
from problems.model import Comparison, Convention
from trainer_adapter.reward_funcs import RULES, Kind

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("judge", "problems", "containers", "trainer_adapter")
_BASES = {"Enum", "IntEnum", "StrEnum"}


def trees() -> Iterator[tuple[Path, ast.Module]]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if not {"submissions", "attacks", "library"} & set(path.parts):
                yield path, ast.parse(path.read_text())


def closed_sets(modules: Collection[ast.Module]) -> set[str]:
    classes = (node for module in modules for node in ast.walk(module) if isinstance(node, ast.ClassDef))
    return {node.name for node in classes if any(getattr(base, "id", "") in _BASES for base in node.bases)}


def is_about_members(match: ast.Match, names: Collection[str]) -> bool:
    patterns = (case.pattern for case in match.cases)
    either = (each for one in patterns for each in (one.patterns if isinstance(one, ast.MatchOr) else [one]))
    values = (pattern.value for pattern in either if isinstance(pattern, ast.MatchValue))
    return any(isinstance(value, ast.Attribute) and getattr(value.value, "id", "") in names for value in values)


def is_closed(match: ast.Match) -> bool:
    """Whether its last case takes what no other case takes, and refuses it."""
    *_, last = match.cases
    takes_all = isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None and last.guard is None
    (*_, end) = last.body
    refuses = isinstance(end, ast.Raise) or "assert_never" in ast.unparse(end)
    return takes_all and refuses


def open_matches(modules: Mapping[str, ast.Module]) -> list[str]:
    names = closed_sets(modules.values())
    found = ((name, node) for name, module in modules.items() for node in ast.walk(module))
    return [
        f"{name}:{node.lineno}"
        for name, node in found
        if isinstance(node, ast.Match) and is_about_members(node, names) and not is_closed(node)
    ]


def test_a_match_over_a_closed_set_refuses_what_it_does_not_name() -> None:
    modules = {str(path.relative_to(ROOT)): module for path, module in trees()}
    assert {"Mode", "Verdict", "Termination"} <= closed_sets(modules.values())
    assert open_matches(modules) == []


@pytest.mark.parametrize("end", ["", "        case _:\n            return 0\n"])
def test_an_open_match_is_noticed(end: str) -> None:
    text = """class Mode(StrEnum):
    EXACT = "exact"

def value(mode):
    match mode:
        case Mode.EXACT:
            return 1
"""
    closed = text + "        case _:\n            assert_never(mode)\n"
    assert open_matches({"m": ast.parse(text + end), "closed": ast.parse(closed)}) == ["m:5"]


def test_an_unknown_comparison_accepts_nothing() -> None:
    comparison = Comparison(mode="a new one")  # type: ignore[arg-type]
    with pytest.raises(AssertionError):
        compare(b"1", b"2", comparison)


def test_each_table_has_a_row_for_each_member() -> None:
    assert set(RULES) == set(Kind)
    assert set(CHECKERS) == set(Convention)


def test_each_verdict_has_its_place_in_the_description() -> None:
    text = (ROOT / "README.md").read_text()
    assert [verdict for verdict in Verdict if f"`{verdict}`" not in text] == []
