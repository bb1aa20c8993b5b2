"""Where things are kept, and what programs must not see."""

from __future__ import annotations

from pathlib import Path

import containers
import judge
import problems
import trainer_adapter
from judge.common import config
from judge.judging import fingerprint


def place(package: object) -> Path:
    return Path(str(package.__file__)).resolve().parent  # type: ignore[attr-defined]


def test_programs_see_no_package_of_ours_and_no_cache(tmp_path: Path) -> None:
    hidden = config.hidden_directories(tmp_path)
    assert set(hidden) == {*map(place, (containers, judge, problems, trainer_adapter)), tmp_path}


def test_verdicts_depend_on_all_code_that_judges() -> None:
    """Found by a path once that had moved, it was no code at all."""
    named = {str(fact[0]) for fact in fingerprint._own_code()}
    assert {str(place(package) / "__init__.py") for package in (containers, judge, problems)} <= named
    assert str(place(judge) / "judging" / "engine.py") in named
