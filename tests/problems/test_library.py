"""The bundled packages: they can be read, nothing is wrong in them, and they are what the library promises."""

from __future__ import annotations

import pytest

import problems
import problems.model
from problems import Comparison
from problems.text import filters
from problems.validate import validate


@pytest.fixture(params=problems.names())
def problem(request: pytest.FixtureRequest) -> problems.Problem:
    return problems.load(request.param)


def test_nothing_to_find(problem: problems.Problem) -> None:
    assert [str(finding) for finding in validate(problem)] == []


def test_statements_and_names_in_both_languages(problem: problems.Problem) -> None:
    assert set(problem.title) == set(problem.statements) == {"zh", "en"}


def test_comparison_is_case_sensitive(problem: problems.Problem) -> None:
    for rule in (problem.checker, *(case.checker for case in problem.cases)):
        assert not isinstance(rule, Comparison) or rule.case_sensitive


def test_submissions(problem: problems.Problem) -> None:
    accepted = {one.path.suffix for one in problem.submissions if "AC" in one.expected}
    assert ({".py"} if problem.function else {".cpp", ".py"}) <= accepted
    assert len({one.expected for one in problem.submissions}) > 2


def test_generated_cases_are_pinned(problem: problems.Problem) -> None:
    assert all(case.input_sha256 and case.answer_sha256 for case in problem.generated)


def test_no_test_is_prose(problem: problems.Problem) -> None:
    assert [case.name for case in problem.cases if filters.inspect(case.read_input(), case.read_answer())] == []


def test_every_kind_is_there() -> None:
    """So that whoever changes how a kind is judged has problems to try it on."""
    found = [problems.load(name) for name in problems.names()]
    rules = [one.checker for one in found if isinstance(one.checker, Comparison)]
    there = {
        "interactive": sum(one.interactor is not None for one in found),
        "multi-pass": sum(one.passes > 1 for one in found),
        "communication": sum(one.manager is not None for one in found),
        "output-only": sum(one.kind == "submit-answer" for one in found),
        "subtasks": sum(sum(group.name.startswith("secret/") for group in one.groups) > 1 for one in found),
        "graders": sum(one.grader is not None for one in found),
        "functions": sum(one.function is not None for one in found),
        "files": sum(one.file_io is not None for one in found),
        "special judge": sum(one.kind == "batch" and isinstance(one.checker, problems.model.Program) for one in found),
        "floats": sum(not (rule.relative_tolerance is rule.absolute_tolerance is None) for rule in rules),
    }
    least = {"interactive": 3, "multi-pass": 1, "communication": 1, "output-only": 2, "subtasks": 4, "graders": 2}
    least |= {"functions": 6, "files": 1, "special judge": 4, "floats": 3}
    assert {kind: there[kind] for kind in least if there[kind] < least[kind]} == {}
    assert len(found) >= 60
