"""What is kept in memory: by the size of the values, not by their number."""

from __future__ import annotations

import threading

import pytest

from judge.common.errors import Cancelled
from judge.store.recent import Fresh, Once


def test_large_values_make_others_go() -> None:
    made: list[int] = []
    once = Once[int](10, lambda value: value)

    def ask(value: int) -> None:
        once.get(value, lambda: made.append(value) or value)  # type: ignore[func-returns-value]

    for value in (3, 4, 3, 4, 9, 9, 3, 4, 3):
        ask(value)
    assert made == [3, 4, 9, 3, 4]


def test_a_failure_is_not_kept() -> None:
    once = Once[int](10, lambda _: 11)
    with pytest.raises(ZeroDivisionError):
        once.get("x", lambda: 1 // 0)
    assert once.get("x", lambda: 1) == 1
    assert once.get("x", lambda: 2) == 1, "the last one stays, whatever its size"


def test_who_waits_for_a_maker_that_was_stopped_makes_it_itself() -> None:
    once, begun, stopped = Once[int](), threading.Event(), threading.Event()
    found: list[object] = []

    def make() -> int:
        begun.set()
        stopped.wait()
        raise Cancelled

    def ask(what: object) -> None:
        try:
            found.append(once.get("x", what))  # type: ignore[arg-type]
        except Cancelled as error:
            found.append(type(error))

    first, second = (threading.Thread(target=ask, args=(one,)) for one in (make, lambda: 2))
    first.start()
    begun.wait()
    second.start()
    stopped.set()
    for thread in (first, second):
        thread.join()
    assert set(found) == {Cancelled, 2}


def test_what_was_made_is_fresh_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, made = [0.0], list[int]()
    monkeypatch.setattr("time.monotonic", lambda: clock[0])

    def make(number: int) -> int:
        made.append(number)
        return 60 // number

    fresh = Fresh(make, 1.0, 2)
    for clock[0] in (0.0, 0.9, 1.1):
        assert fresh.get(3) == 20
    assert made == [3, 3], "made anew when it is a second old"
    for number in (0, 0):
        with pytest.raises(ZeroDivisionError):
            fresh.get(number)
    assert made == [3, 3, 0, 0], "a failure is not kept"
