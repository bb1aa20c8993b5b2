"""Who runs when: the gate that programs pass, and the order in which submissions wait."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future

from judge import Cancelled, JudgeError, Options, Submission
from judge.many.queue import QueuedTask, Waiting
from judge.slots.gate import Gate


class TestGate:
    def test_no_more_run_than_there_are_cores(self) -> None:
        gate, lock, most = Gate(2), threading.Lock(), 0

        def work() -> None:
            nonlocal most
            for _ in range(20):
                with gate.enter():
                    with lock:
                        most = max(most, len(gate._running))
                    time.sleep(0.001)

        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert most == 2

    def test_company(self) -> None:
        gate = Gate(4)
        with gate.enter() as first:
            assert (first.alone, first.crowded) == (True, False)
            with gate.enter() as second:
                assert (second.alone, second.crowded) == (False, True)
            assert (first.alone, first.crowded) == (True, True)
        with gate.enter() as third:
            assert (third.alone, third.crowded) == (True, False)

    def test_exclusive_waits_for_all_and_lets_nobody_in(self) -> None:
        gate, log, inside = Gate(4), list[str](), threading.Event()

        def run(name: str, *, alone: bool) -> None:
            with gate.enter(alone=alone) as company:
                log.append(f"{name} in")
                inside.set()
                time.sleep(0.05)
                assert company.crowded is False or not alone
                log.append(f"{name} out")

        def start(name: str, *, alone: bool) -> threading.Thread:
            thread = threading.Thread(target=run, args=(name,), kwargs={"alone": alone})
            thread.start()
            return thread

        threads = [start("first", alone=False)]
        inside.wait()
        threads.append(start("alone", alone=True))
        while not gate._exclusive:
            time.sleep(0.001)
        threads.append(start("later", alone=False))
        for thread in threads:
            thread.join()
        assert log == ["first in", "first out", "alone in", "alone out", "later in", "later out"]

    def test_many_of_both_kinds_end(self) -> None:
        gate, together, lock = Gate(4), 0, threading.Lock()

        def work(seed: int) -> None:
            nonlocal together
            for i in range(50):
                alone = (seed + i) % 5 == 0
                with gate.enter(alone=alone):
                    with lock:
                        together += 1
                        assert not alone or together == 1
                    with lock:
                        together -= 1

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
            assert not thread.is_alive()

    def test_closing_wakes_who_waits(self) -> None:
        gate, errors = Gate(4), list[JudgeError]()

        def wait(*, alone: bool) -> None:
            try:
                with gate.enter(alone=alone):
                    pass
            except JudgeError as error:
                errors.append(error)

        with gate.enter():
            alone = threading.Thread(target=wait, kwargs={"alone": True})
            alone.start()
            while not gate._exclusive:
                time.sleep(0.001)
            later = threading.Thread(target=wait, kwargs={"alone": False})
            later.start()
            gate.close()
            alone.join()
            later.join()
        assert [type(error) for error in errors] == [Cancelled, Cancelled]


class TestWaiting:
    """What goes first where one row takes longer than another."""

    def task(self, problem: str) -> QueuedTask:
        row = Submission(source=b"", problem=problem, language="c17")
        return QueuedTask(submission=row, options=Options(), future=Future())

    def taken(self, waiting: Waiting) -> list[str]:
        return [str(task.submission.problem) for task in iter(waiting.take, None)]

    def filled(self, window: int, names: str, known: str = "abc") -> Waiting:
        """`a` takes least of `known`."""
        waiting = Waiting(window)
        for seconds, name in enumerate(known, 1):
            waiting.took(self.task(name), seconds * 1_000_000_000)
        for name in names:
            waiting.put(self.task(name))
        return waiting

    def test_in_order_where_all_take_as_long(self) -> None:
        waiting = Waiting(3)
        tasks = [self.task("a") for _ in range(5)]
        for task in tasks:
            waiting.put(task)
        assert list(iter(waiting.take, None)) == tasks

    def test_the_longest_first(self) -> None:
        assert self.taken(self.filled(9, "abcab")) == ["c", "b", "b", "a", "a"]

    def test_what_is_not_known_before_what_is(self) -> None:
        assert self.taken(self.filled(9, "acx")) == ["x", "c", "a"]

    def test_looks_only_a_little_ahead(self) -> None:
        assert self.taken(self.filled(2, "aabbc")) == ["a", "b", "b", "a", "c"]

    def test_none_waits_for_ever(self) -> None:
        waiting = self.filled(3, "a")
        order = []
        for _ in range(10):
            waiting.put(self.task("c"))
            taken = waiting.take()
            assert taken is not None
            order.append(taken.submission.problem)
        assert order.index("a") == 3

    def test_expectation_follows_what_is_seen(self) -> None:
        waiting = self.filled(9, "", "ab")
        for _ in range(20):
            waiting.took(self.task("a"), 5_000_000_000)
        for name in "ba":
            waiting.put(self.task(name))
        assert self.taken(waiting) == ["a", "b"]
