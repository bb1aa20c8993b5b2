"""Several gates on one machine share memory and time alone: nobody waits for ever, and what dies gives all back."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from queue import SimpleQueue

import pytest

from judge.slots.arbiter import Arbiter
from judge.slots.gate import Company, Gate, Share

MIB = 1 << 20
MOST = 100 * MIB


class Machine:
    """An arbiter in a thread of its own, and gates that reach it by messages only."""

    def __init__(self, gates: int, share_bytes: int) -> None:
        self._messages = SimpleQueue[Callable[[], object] | None]()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self.arbiter = Arbiter(MOST)
        self.gates = [Gate(2, MOST) for _ in range(gates)]
        for gate in self.gates:
            gate.join(_Calls(gate, self.arbiter, self._messages.put))
            self.do(lambda gate=gate: self.arbiter.join(gate, share_bytes=share_bytes))

    def do(self, work: Callable[[], object]) -> None:
        done = Future[object]()
        self._messages.put(lambda: done.set_result(work()))
        done.result(10)

    def _run(self) -> None:
        while (message := self._messages.get()) is not None:
            message()

    def close(self) -> None:
        for gate in self.gates:
            gate.close()
        self._messages.put(None)
        self._thread.join(10)


class _Calls:
    def __init__(self, gate: Gate, arbiter: Arbiter, put: Callable[[Callable[[], object]], None]) -> None:
        self._gate, self._arbiter, self._put = gate, arbiter, put

    def ask(self, need_bytes: int) -> None:
        self._put(lambda: self._arbiter.ask(self._gate, need_bytes))

    def give(self, free_bytes: int) -> None:
        self._put(lambda: self._arbiter.give(self._gate, free_bytes))

    def ask_alone(self) -> None:
        self._put(lambda: self._arbiter.ask_alone(self._gate))

    def end_alone(self) -> None:
        self._put(lambda: self._arbiter.end_alone(self._gate))

    def on_drained(self) -> None:
        self._put(lambda: self._arbiter.on_drained(self._gate))


@pytest.fixture
def machine() -> Iterator[Callable[..., Machine]]:
    made: list[Machine] = []

    def make(gates: int, share_bytes: int = MOST // 2) -> Machine:
        made.append(Machine(gates, share_bytes))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_a_gate_gets_all_the_memory_that_others_do_not_use(machine: Callable[..., Machine]) -> None:
    first, second = machine(2).gates
    one, other = Share(first), Share(second)
    with second.enter(other, 10 * MIB), first.enter(one, 90 * MIB):
        pass
    one.release()
    other.release()
    with second.enter(other, MOST):  # and it comes back
        pass


def test_who_dies_gives_back_what_it_had_and_lets_others_run(machine: Callable[..., Machine]) -> None:
    whole = machine(2)
    first, second = whole.gates
    with first.enter(Share(first), MOST, alone=True) as company:
        assert company.exclusive
        whole.do(lambda: whole.arbiter.leave(first))  # as if its process were killed
        with second.enter(Share(second), MOST, alone=True):
            pass


def test_a_run_that_is_alone_is_alone_among_all_gates(machine: Callable[..., Machine]) -> None:
    first, second = machine(2).gates
    began, ended = threading.Event(), threading.Event()

    def run_beside() -> None:
        with second.enter():
            began.set()
            time.sleep(0.1)
            ended.set()

    running = threading.Thread(target=run_beside)
    running.start()
    began.wait(10)
    with first.enter(alone=True) as company:
        assert company.exclusive
        assert ended.is_set()
    running.join(10)


@pytest.mark.parametrize("seed", range(6))
def test_any_mixture_ends_and_never_takes_more_than_there_is(seed: int, machine: Callable[..., Machine]) -> None:
    gates = machine(3, MOST // 3 if seed % 2 else 0).gates
    lock = threading.Lock()
    used = running = peak = 0
    problems: list[str] = []

    @contextmanager
    def inside(company: Company, bytes_: int) -> Iterator[None]:
        nonlocal used, running, peak
        with lock:
            used, running = used + bytes_, running + 1
            peak = max(peak, used)
            if used > MOST or (company.exclusive and running > 1):
                problems.append(f"{used // MIB} MiB, {running} running")
        time.sleep(0.0005)
        yield
        with lock:
            used, running = used - bytes_, running - 1

    def judge(number: int) -> None:
        chance = random.Random(100 * seed + number)
        gate = gates[number % len(gates)]
        share = Share(gate)
        for _ in range(20):
            need = chance.choice((1, 5, 20, 60, 100)) * MIB
            with gate.enter(share, need, alone=chance.random() < 0.1) as company, inside(company, need):
                pass
            for _ in range(chance.randrange(3)):
                with gate.enter(share, min(need, 10 * MIB)) as company, inside(company, 0):
                    pass
            if chance.random() < 0.1:
                with gate.enter(share, need, alone=True) as company, inside(company, need):
                    pass
            share.release()

    threads = [threading.Thread(target=judge, args=(number,), daemon=True) for number in range(9)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 30
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    assert not any(thread.is_alive() for thread in threads), "a deadlock"
    assert not problems
    assert peak > MOST // 2
