"""Who is next: parties take turns, and nobody holds the Judge."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future
from typing import TYPE_CHECKING, cast

import pytest

from judge.common.errors import Cancelled
from judge.server.queueing import turns as queueing
from judge.server.queueing.turns import Job, Turns

if TYPE_CHECKING:
    from judge.many.pool import Judge


class Places:
    """A Judge with so many slots: what it is given runs until it is told to end, or stopped."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.running: dict[str, Future[str]] = {}
        self.begun: list[str] = []

    def begin(self, name: str) -> Future[str]:
        assert len(self.running) < self.slots
        work: Future[str] = Future()
        work.set_running_or_notify_cancel()
        self.running[name] = work
        self.begun.append(name)
        return work

    def end(self, name: str) -> None:
        self.running.pop(name).set_result(name)

    def stop(self, work: Future[str]) -> bool:
        for name, one in list(self.running.items()):
            if one is work:
                del self.running[name]
                work.set_exception(Cancelled())
        return True


class Line:
    def __init__(self, slots: int) -> None:
        self.judge = Places(slots)
        self.turns = Turns(cast("Judge", self.judge))

    def submit(self, name: str, *, repeats: bool = True) -> Job[str]:
        """The party is the first letter."""
        return self.turns.submit(name[0], lambda: self.judge.begin(name), repeats=repeats)

    def wait_until_running(self, *names: str) -> None:
        deadline = time.monotonic() + 60
        while set(self.judge.running) != set(names):
            assert time.monotonic() < deadline, self.judge.running
            time.sleep(0.005)


@pytest.fixture(params=[1])
def line(request: pytest.FixtureRequest) -> Iterator[Line]:
    one = Line(request.param)
    yield one
    one.turns.close()


def slots(count: int) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("line", [count], indirect=True)


def test_parties_take_turns(line: Line) -> None:
    jobs = [line.submit(name) for name in ("a1", "a2", "a3", "a4", "b1", "b2", "c1")]
    while line.judge.running:
        line.judge.end(line.judge.begun[-1])
    assert line.judge.begun == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"]
    assert [job.future.result() for job in jobs] == ["a1", "a2", "a3", "a4", "b1", "b2", "c1"]


def test_what_is_known_at_once_takes_no_stack(line: Line) -> None:
    def known() -> Future[str]:
        work: Future[str] = Future()
        work.set_result("known")
        return work

    first = line.submit("a1")
    jobs = [line.turns.submit("a", known) for _ in range(3000)]
    line.judge.end("a1")
    assert {job.future.result() for job in jobs} == {"known"}
    assert first.future.result() == "a1"


def test_what_cannot_be_begun_fails_alone(line: Line) -> None:
    def fails() -> Future[str]:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        line.turns.submit("a", fails).future.result()
    line.submit("a1")
    assert line.judge.begun == ["a1"]


@slots(3)
def test_alone_a_party_has_all_places_and_beside_another_one_less(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(8):
        line.submit(f"a{number}", repeats=False)
    assert line.judge.begun == ["a0", "a1", "a2"]
    line.submit("b0")
    line.judge.end("a0")
    assert line.judge.begun == ["a0", "a1", "a2", "b0"]
    line.judge.end("b0")
    assert line.judge.begun[4:] == [], "the third place is free for whoever has just been there"
    line.submit("b1")
    assert line.judge.begun[4:] == ["b1"], "so it need not wait"
    line.judge.end("b1")
    monkeypatch.setattr(queueing, "_THERE_S", 0.0)
    line.judge.end("a1")
    assert line.judge.begun[5:] == ["a3", "a4"], "nobody else is there any more"


@slots(2)
def test_a_run_of_who_has_more_than_a_share_gives_way_once(line: Line) -> None:
    jobs = [line.submit(name) for name in ("a1", "a2", "a3")]
    line.submit("b1")
    line.wait_until_running("a1", "b1")
    line.judge.end("b1")
    assert set(line.judge.running) == {"a1"}
    line.judge.end("a1")
    assert set(line.judge.running) == {"a2"}, "it begins anew before what came after it"
    line.judge.end("a2")
    line.judge.end("a3")
    assert [job.future.result() for job in jobs] == ["a1", "a2", "a3"]
    assert line.judge.begun == ["a1", "a2", "b1", "a2", "a3"]


@slots(2)
def test_what_cannot_be_repeated_and_who_has_a_share_does_not_give_way(line: Line) -> None:
    line.submit("a1", repeats=False)
    line.submit("a2", repeats=False)
    line.submit("b1")
    line.wait_until_running("a1", "a2")
    time.sleep(0.1)
    assert set(line.judge.running) == {"a1", "a2"}
    line.judge.end("a1")
    line.submit("c1")
    line.wait_until_running("a2", "b1")
    time.sleep(0.1)
    assert set(line.judge.running) == {"a2", "b1"}


def test_what_is_dropped_leaves_its_line_or_is_stopped(line: Line) -> None:
    running, waiting, other = (line.submit(name) for name in ("a1", "a2", "a3"))
    line.turns.drop(waiting)
    with pytest.raises(Cancelled):
        waiting.future.result(0)
    line.turns.drop(running)
    with pytest.raises(Cancelled):
        running.future.result(60)
    line.wait_until_running("a3")
    assert not line.turns.cancel(other), "it has begun"
    line.judge.end("a3")
    assert other.future.result() == "a3"
    line.turns.drop(other)
    assert line.judge.begun == ["a1", "a3"]


def test_what_waits_may_be_cancelled_and_ended(line: Line) -> None:
    running, waiting, last = (line.submit(name) for name in ("a1", "a2", "b1"))
    assert line.turns.cancel(waiting)
    line.turns.end_waiting()
    for job in (waiting, last):
        with pytest.raises(Cancelled):
            job.future.result(0)
    line.judge.end("a1")
    assert running.future.result() == "a1"
    assert line.judge.begun == ["a1"]


def test_how_long_a_party_will_probably_wait(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(queueing, "monotonic", lambda: now[0])
    assert line.turns.expected_s("a") == 0
    for name in ("a1", "a2", "a3", "a4"):
        line.submit(name)
    assert line.turns.expected_s("a") == 0, "nobody knows yet how long they take"
    now[0] += 3
    assert line.turns.expected_s("a") == pytest.approx(12), "three wait, and each takes at least as long as this one"
    assert line.turns.expected_s("b") == 0, "who has nothing there is next"
    line.judge.end("a1")
    line.submit("b1")
    assert line.turns.expected_s("a") == pytest.approx(18), "two wait, and another has half the place"
