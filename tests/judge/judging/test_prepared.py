"""What is remembered of problems."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import problems
from judge.common.models import Cjk
from judge.compiling.compiler import Compiler
from judge.judging import prepared
from judge.store.cache import Cache


def test_problems_of_many_tests_take_the_place_of_several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared, "_REMEMBERED", 4)
    cache = Cache(tmp_path)
    preparer = prepared.Preparer(Compiler(cache=cache), cache)
    small = replace(problems.load("P1001"), generated=())
    case = small.cases[-1]
    large = replace(small, name="large", cases=tuple(replace(case, name=f"secret/{number}") for number in range(128)))
    asked = {"small": small, "large": large}
    first = {name: preparer.problem(one, Cjk.KEEP) for name, one in asked.items()}
    assert all(preparer.problem(one, Cjk.KEEP) is first[name] for name, one in asked.items())
    preparer.problem(replace(large, name="another"), Cjk.KEEP)
    assert preparer.problem(asked["small"], Cjk.KEEP) is not first["small"]
    assert preparer.problem(asked["large"], Cjk.KEEP) is not first["large"]
    preparer.close()
    cache.close()
