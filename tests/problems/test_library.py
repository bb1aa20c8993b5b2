"""The bundled packages: they can be read, nothing is wrong in them, and they are what the library promises."""

from __future__ import annotations

import pytest

import problems
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
    accepted = {one.path.suffix for one in problem.submissions if one.expected == {"AC"}}
    assert ({".py"} if problem.function else {".cpp", ".py"}) <= accepted
    assert len({one.expected for one in problem.submissions}) > 2


def test_generated_cases_are_pinned(problem: problems.Problem) -> None:
    assert all(case.input_sha256 and case.answer_sha256 for case in problem.generated)


def test_no_test_is_prose(problem: problems.Problem) -> None:
    assert [case.name for case in problem.cases if filters.inspect(case.read_input(), case.read_answer())] == []
