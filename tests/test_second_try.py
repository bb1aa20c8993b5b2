"""What asks something of the machine is tried once more, and not where nothing is left of its cores."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests import conftest


@pytest.mark.parametrize(("tries", "asked"), [(1, 0), (2, 3)])
def test_a_second_try_waits_for_a_core(monkeypatch: pytest.MonkeyPatch, tries: int, asked: int) -> None:
    free = [False, False, True]
    monkeypatch.setattr(conftest, "_has_core", lambda: free.pop(0))
    monkeypatch.setattr(conftest, "time", SimpleNamespace(monotonic=lambda: 0.0, sleep=lambda _: None))
    item: Any = SimpleNamespace(execution_count=tries)
    conftest.pytest_runtest_setup(item)
    assert 3 - len(free) == asked


def test_who_has_no_core_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(1000))
    for gets, found in ((0.02, False), (1.0, True)):
        now = SimpleNamespace(
            monotonic=lambda: next(clock) / 100, process_time=lambda gets=gets: gets * next(clock) / 100
        )
        monkeypatch.setattr(conftest, "time", now)
        assert conftest._has_core() is found
