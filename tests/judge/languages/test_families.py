"""Completions in the styles of model families: no draft is taken for the program, and no program is lost."""

from __future__ import annotations

import pytest

from judge.languages.extraction import extract
from tests.judge.languages.completions import OTHERS, STYLES, Case, Expected, in_styles
from tests.judge.languages.more_completions import MORE


@pytest.mark.parametrize("expected", [pytest.param(case, id=name) for name, case in in_styles()])
def test_in_the_style_of_a_family(expected: Expected) -> None:
    found = extract(expected.completion, "cpp17", template_end=expected.template_end)
    assert (found.code or "").strip() == (expected.code or "").strip()
    assert (found.code is None) == (expected.code is None)


@pytest.mark.parametrize("case", [*OTHERS.values(), *MORE.values()], ids=[*OTHERS, *MORE])
def test_what_no_style_has(case: Case) -> None:
    found = extract(case.completion, case.language, prompt=case.prompt, template_end=case.template_end)
    assert found.code == case.code


def test_there_are_ten_families_and_150_completions() -> None:
    assert len(STYLES) >= 10
    assert len(list(in_styles())) + len(OTHERS) >= 150
    assert len(MORE) >= 150
