"""Who may run: cores and memory together, without deadlock and without starvation."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial

import pytest

from judge.common.errors import Cancelled, ConfigError
from judge.slots.gate import Company, Gate, Share

MIB = 1 << 20


class Runs:
    """Threads that enter a gate one by one, and run until they are told to end."""

    def __init__(self) -> None:
        #: Who is inside.
        self.inside: list[str] = []
        self._ends: dict[str, threading.Event] = {}
        self._threads: list[threading.Thread] = []

    def start(
        self, name: str, enter: Callable[[], AbstractContextManager[Company]], share: Share | None = None
    ) -> None:
        end = self._ends[name] = threading.Event()

        def run() -> None:
            with enter():
                self.inside.append(name)
                end.wait(20)
                self.inside.remove(name)
            if share is not None:
                share.release()

        thread = threading.Thread(target=run, daemon=True)
        self._threads.append(thread)
        thread.start()
        time.sleep(0.05)  # so that they come in this order

    def end(self, *names: str) -> None:
        for name in names:
            self._ends[name].set()
        time.sleep(0.1)

    def join(self) -> None:
        for end in self._ends.values():
            end.set()
        for thread in self._threads:
            thread.join(10)
        assert not any(thread.is_alive() for thread in self._threads)


@pytest.fixture
def runs() -> Iterator[Runs]:
    started = Runs()
    yield started
    started.join()


def taking(gate: Gate, mib: int, *, alone: bool = False) -> tuple[Callable[[], AbstractContextManager[Company]], Share]:
    share = Share(gate)
    enter = partial(gate.enter, alone=alone)
    return (lambda: enter(share, mib * MIB)), share


def test_memory_is_waited_for_without_a_core(runs: Runs) -> None:
    gate = Gate(2, 100 * MIB)
    runs.start("first", *taking(gate, 80))
    runs.start("large", *taking(gate, 80))
    assert runs.inside == ["first"]
    runs.start("none", gate.enter)  # needs a core alone, and the one that waits holds none
    assert runs.inside == ["first", "none"]
    runs.end("first")
    assert runs.inside == ["none", "large"]


def test_first_come_first_served_whatever_the_size(runs: Runs) -> None:
    gate = Gate(8, 100 * MIB)
    runs.start("first", *taking(gate, 60))
    runs.start("large", *taking(gate, 90))
    for number in range(3):
        runs.start(f"small {number}", *taking(gate, 10))
    assert runs.inside == ["first"]  # the small ones would fit, and pass the large one for ever
    runs.end("first")
    assert runs.inside == ["large", "small 0"]
    runs.end("large")
    assert sorted(runs.inside) == ["small 0", "small 1", "small 2"]


def test_more_than_there_is_in_all_is_an_error_at_once() -> None:
    gate = Gate(2, 100 * MIB)
    for enter in (gate.enter, partial(gate.enter, alone=True)):
        with pytest.raises(ConfigError, match=r"may need 101 MiB, but .* leaves 100 MiB for programs"):
            enter(Share(gate), 101 * MIB).__enter__()
    with gate.enter(Share(gate), 100 * MIB, alone=True) as company:
        assert company.alone


def test_a_share_is_kept_until_it_is_released_and_covers_what_runs_inside_it() -> None:
    gate = Gate(1, 100 * MIB)
    share = Share(gate)
    with gate.enter(share, 80 * MIB):
        pass
    with gate.enter(share, 30 * MIB):  # else it would wait for ever: 80 are held
        pass
    assert share.held_bytes == 80 * MIB
    with gate.enter(share, 90 * MIB):  # more: the 80 are given back first
        pass
    share.release()
    with gate.enter(Share(gate), 100 * MIB):
        pass


def test_to_be_alone_is_no_deadlock_with_those_who_hold_memory(runs: Runs) -> None:
    gate = Gate(2, 100 * MIB)
    holder = Share(gate)
    with gate.enter(holder, 80 * MIB):
        pass
    runs.start("alone", *taking(gate, 50, alone=True))
    runs.start("later", *taking(gate, 10))
    assert runs.inside == []  # the holder's memory is in the way, and who comes later waits behind
    runs.start("checker", lambda: gate.enter(holder, 20 * MIB), holder)
    assert runs.inside == ["checker"]  # so it goes on
    runs.end("checker")
    assert runs.inside == ["alone"]
    runs.end("alone")
    assert runs.inside == ["later"]


def test_two_that_are_to_be_alone_and_one_holds_what_the_other_needs(runs: Runs) -> None:
    gate = Gate(2, 100 * MIB)
    holder = Share(gate)
    with gate.enter(holder, 80 * MIB):
        pass
    runs.start("lacks", *taking(gate, 50, alone=True))
    runs.start("holds", lambda: gate.enter(holder, 80 * MIB, alone=True), holder)
    assert runs.inside == ["holds"]
    runs.end("holds")
    assert runs.inside == ["lacks"]


def test_closing_ends_every_wait() -> None:
    gate = Gate(1, 10 * MIB)
    refused: list[str] = []

    def wait(name: str, enter: Callable[[], AbstractContextManager[Company]]) -> None:
        try:
            with enter():
                pass
        except Cancelled:
            refused.append(name)

    with gate.enter(Share(gate), 10 * MIB):
        threads = [
            threading.Thread(target=wait, args=(name, taking(gate, 5, alone=name == "alone")[0]))
            for name in ("shared", "alone")
        ]
        for thread in threads:
            thread.start()
        time.sleep(0.1)
        gate.close()
        for thread in threads:
            thread.join(10)
    assert sorted(refused) == ["alone", "shared"]


@pytest.mark.parametrize("seed", range(8))
def test_any_mixture_ends_and_never_takes_more_than_there_is(seed: int) -> None:
    cores, most = 3, 100 * MIB
    gate = Gate(cores, most)
    lock = threading.Lock()
    used = running = peak = 0
    problems: list[str] = []

    @contextmanager
    def inside(company: Company, bytes_: int) -> Iterator[None]:
        nonlocal used, running, peak
        with lock:
            used, running = used + bytes_, running + 1
            peak = max(peak, used)
            if used > most or running > cores or (company.exclusive and running > 1):
                problems.append(f"{used // MIB} MiB, {running} running")
        time.sleep(0.0005)
        yield
        with lock:
            used, running = used - bytes_, running - 1

    def judge(number: int) -> None:
        chance = random.Random(100 * seed + number)
        share = Share(gate)
        for _ in range(30):
            need = chance.choice((1, 5, 20, 60, 100)) * MIB
            enter = partial(gate.enter, alone=chance.random() < 0.1)
            with enter(share, need) as company, inside(company, need):
                pass
            for _ in range(chance.randrange(3)):  # checkers, within what is held
                with gate.enter(share, min(need, 10 * MIB)) as company, inside(company, 0):
                    pass
            if chance.random() < 0.1:  # confirmed alone
                with gate.enter(share, need, alone=True) as company, inside(company, need):
                    pass
            share.release()

    threads = [threading.Thread(target=judge, args=(number,), daemon=True) for number in range(12)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 20
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    assert not any(thread.is_alive() for thread in threads), "a deadlock"
    assert not problems
    assert peak > most // 2
    with gate.enter(Share(gate), most, alone=True):  # all was given back
        pass


def test_runs_are_alone_for_a_part_of_each_minute_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else submissions whose time-outs are repeated stop all others."""
    now_s = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now_s)
    gate = Gate(2)
    alone = []
    for _ in range(6):
        with gate.enter(alone=True) as company:
            alone.append(company.exclusive)
            now_s += 5.0
    assert alone == [True, True, True, False, False, False]
    now_s += 45.0  # the first is more than a minute old
    with gate.enter(alone=True) as company:
        assert company.exclusive


# Who stands still


@contextmanager
def noting(gate: Gate, found: dict[str, Company], name: str) -> Iterator[Company]:
    """Enter, and note which company the run has."""
    with gate.enter() as company:
        found[name] = company
        yield company


def test_who_stands_still_lends_its_core(runs: Runs) -> None:
    gate = Gate(1, spares=1)
    lent: list[int] = []
    gate.on_cores_lent = lambda: lent.append(gate.lent_cores)
    company: dict[str, Company] = {}
    runs.start("sleeper", partial(noting, gate, company, "sleeper"))
    runs.start("first", gate.enter)
    runs.start("second", gate.enter)
    assert runs.inside == ["sleeper"]
    gate.tell_still(company["sleeper"], True)
    time.sleep(0.1)
    one, other = sorted(("first", "second"), key=lambda name: name not in runs.inside)  # they come in any order
    assert runs.inside == ["sleeper", one]
    assert company["sleeper"].crowded
    runs.end(one)
    assert runs.inside == ["sleeper", other]
    runs.end("sleeper")
    assert lent == [1, 0]


def test_who_goes_on_has_its_core_again(runs: Runs) -> None:
    """Whoever has begun meanwhile goes on, too; nobody else begins."""
    gate = Gate(1, spares=1)
    company: dict[str, Company] = {}
    runs.start("sleeper", partial(noting, gate, company, "sleeper"))
    gate.tell_still(company["sleeper"], True)
    runs.start("first", gate.enter)
    gate.tell_still(company["sleeper"], False)
    runs.start("second", gate.enter)
    runs.end("first")
    assert runs.inside == ["sleeper"]
    runs.end("sleeper")
    assert runs.inside == ["second"]


def test_no_more_cores_are_lent_than_there_are_spares(runs: Runs) -> None:
    gate = Gate(2, spares=1)
    company: dict[str, Company] = {}
    for name in ("one", "two"):
        runs.start(name, partial(noting, gate, company, name))
        gate.tell_still(company[name], True)
    for name in ("three", "four"):
        runs.start(name, gate.enter)
    assert runs.inside == ["one", "two", "three"]


def test_who_stands_still_keeps_its_memory(runs: Runs) -> None:
    gate = Gate(1, 100 * MIB, spares=1)
    share = Share(gate)
    with gate.enter(share, 60 * MIB) as company:
        gate.tell_still(company, True)
        runs.start("large", *taking(gate, 60))
        assert runs.inside == []
    share.release()
    time.sleep(0.1)
    assert runs.inside == ["large"]


def test_who_is_alone_stays_alone_while_it_stands_still(runs: Runs) -> None:
    gate = Gate(2, spares=2)
    with gate.enter(alone=True) as company:
        gate.tell_still(company, True)
        runs.start("other", gate.enter)
        assert runs.inside == []
        assert not company.crowded


def test_nobody_is_alone_beside_one_that_stands_still(runs: Runs) -> None:
    """It may go on at any time."""
    gate = Gate(2, spares=1)
    company: dict[str, Company] = {}
    runs.start("sleeper", partial(noting, gate, company, "sleeper"))
    gate.tell_still(company["sleeper"], True)
    runs.start("alone", partial(gate.enter, alone=True))
    assert runs.inside == ["sleeper"]
    runs.end("sleeper")
    assert runs.inside == ["alone"]
