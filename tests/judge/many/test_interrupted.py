"""A Judge in a program of somebody else's, whose main thread meets KeyboardInterrupt at any moment; and that no lock of
ours is held while another one is asked for."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import _base as futures
from pathlib import Path
from typing import Any

import pytest

from judge import Judge, Options, Program, Submission
from judge.common import promise
from tests.conftest import MakePackage

ROOT = Path(__file__).resolve().parents[3]
ADD = b'#include <stdio.h>\nint main() { int a, b; scanf("%d%d", &a, &b); printf("%d", a + b); }\n'
#: Packages whose objects own the locks that are looked at.
_OWNERS = ("judge/many/", "judge/slots/", "judge/judging/")

_INTERRUPTED_WAITS = """
import random, signal, sys, threading
from queue import SimpleQueue
from judge.common.promise import Promise

def interrupt(number, frame):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
chance, left = random.Random(3), SimpleQueue()

def keep_promises():
    while True:
        promise, kept = left.get()
        promise.set_result(1)
        kept.set()

threading.Thread(target=keep_promises, daemon=True).start()
for number in range(int(sys.argv[1])):
    promise, kept = Promise(), threading.Event()
    try:
        signal.setitimer(signal.ITIMER_REAL, chance.uniform(1e-6, 2e-4))
        while True:
            promise.add_done_callback(id)
            promise.done(), promise.cancelled(), promise.running()
            try:
                promise.result(chance.choice((0, 1e-5, 1e-4)))
            except TimeoutError:
                pass
    except KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, 0)
    left.put((promise, kept))
    if not kept.wait(20):
        sys.exit(f"interrupt {number} left the promise locked")
"""


def test_a_promise_can_be_kept_whenever_who_waits_was_interrupted() -> None:
    """With a `Future` one interrupt in some hundreds leaves it locked."""
    done = subprocess.run(
        (sys.executable, "-c", _INTERRUPTED_WAITS, "3000"), cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


_UNSEEN_INTERRUPT = """
import _thread, sys, threading, time
from judge.common.promise import Promise
from judge.many.ahead import read_ahead

promise, noticed, waits, lost = Promise(), threading.Event(), threading.Event(), []

def interrupt():
    waits.wait()
    time.sleep(0.2)
    _thread.interrupt_main()
    if not noticed.wait(20):
        lost.append(True)
        promise.set_result(None)

def submit(row):
    waits.set()
    return promise

threading.Thread(target=interrupt, daemon=True).start()
try:
    if sys.argv[1] == "promise":
        waits.set()
        promise.result()
    else:
        list(read_ahead(["row"], submit, 1))
except KeyboardInterrupt:
    noticed.set()
print("lost" if lost else "noticed")
"""


@pytest.mark.parametrize("what", ["promise", "rows"])
def test_an_interrupt_that_does_not_wake_who_waits_is_noticed(what: str) -> None:
    """As one that comes just before the main thread sleeps: Python's handler has run, and nothing ends the sleep."""
    done = subprocess.run(
        (sys.executable, "-c", _UNSEEN_INTERRUPT, what), cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "noticed\n", "")


_NOBODY_CLOSES = """
import sys, time
from pathlib import Path
from judge import Judge, Options, Submission
judge = Judge(slots=2, backend=sys.argv[1], cache_directory=Path(sys.argv[2]))
source = b"#include <unistd.h>\\nint main() { pause(); }"
rows = [Submission(source=source + b"//%d" % number, problem=sys.argv[3], language="c17") for number in range(40)]
futures = [judge.submit(row, Options(cpu_ns=600_000_000_000)) for row in rows]
while not judge._executor.here.gate._running:
    assert not futures[0].done(), futures[0].result()
    time.sleep(0.01)
print("running", flush=True)
futures[0].result()
"""


def test_a_judge_that_nobody_closed_does_not_keep_the_process(
    backend: str, shared_cache: Path, package: MakePackage
) -> None:
    """What waits would take hours."""
    command = (
        sys.executable,
        "-c",
        _NOBODY_CLOSES,
        backend,
        str(shared_cache),
        str(package({"secret/1": ("1 2\n", "3\n")})),
    )
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        try:
            assert program.stdout is not None
            assert program.stdout.readline() == "running\n"
            program.send_signal(signal.SIGINT)
            _, said = program.communicate(timeout=300)
        finally:
            program.kill()  # one that hangs would be waited for
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert program.returncode == -signal.SIGINT


_IMPORTED_HERE = """
import sys, threading
from judge import Judge

class Noted:
    def find_spec(self, name, *_):
        if threading.current_thread() is threading.main_thread():
            print(name)

sys.meta_path.insert(0, Noted())
with Judge(slots=2):
    pass
"""


def test_opening_a_judge_imports_nothing_in_the_main_thread() -> None:
    """Where a module is imported, Python throws a KeyboardInterrupt away that comes in a callback of its own."""
    done = subprocess.run((sys.executable, "-c", _IMPORTED_HERE), cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


class Locks:
    """Notes each lock that is asked for while another one is held by the same thread: the two places where they were
    made."""

    def __init__(self) -> None:
        self.nested: set[tuple[str, str]] = set()
        self.taken: set[str] = set()
        self._held = threading.local()

    def ask(self, lock: object, place: str | None) -> None:
        if place is None:
            return
        held: list[tuple[object, str]] = self._held.__dict__.setdefault("locks", [])
        self.taken.add(place)
        self.nested |= {(outer, place) for other, outer in held if other is not lock}
        held.append((lock, place))

    def give_back(self, lock: object) -> None:
        held = self._held.__dict__.setdefault("locks", [])
        held[:] = [(other, place) for other, place in held if other is not lock]


def place_of_birth() -> str | None:
    """The file of ours, and the line, in which a lock is made, or the Future that has it; None: it is the standard
    library's."""
    frame: Any = sys._getframe(2)
    while frame.f_code.co_filename in (futures.__file__, promise.__file__):
        frame = frame.f_back
    file = Path(frame.f_code.co_filename)
    return f"{file.relative_to(ROOT)}:{frame.f_lineno}" if file.is_relative_to(ROOT) else None


@pytest.fixture
def locks(monkeypatch: pytest.MonkeyPatch) -> Iterator[Locks]:
    noted = Locks()
    make_lock: Callable[[], Any] = threading.Lock

    class NotedLock:
        def __init__(self) -> None:
            self._lock, self._place = make_lock(), place_of_birth()

        def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
            noted.ask(self, self._place)
            return bool(self._lock.acquire(blocking, timeout))

        def release(self) -> None:
            self._lock.release()
            noted.give_back(self)

        def _at_fork_reinit(self) -> None:
            """Which modules of the standard library that are first imported here ask for."""
            self._lock = make_lock()

        def __enter__(self) -> bool:
            return self.acquire()

        def __exit__(self, *error: object) -> None:
            self.release()

    class NotedCondition(threading.Condition):
        def __init__(self, lock: Any = None) -> None:
            super().__init__(make_lock() if isinstance(lock, NotedLock) else lock)
            self._place = place_of_birth()

        def __enter__(self) -> bool:
            noted.ask(self, self._place)
            return super().__enter__()

        def __exit__(self, *error: Any) -> None:
            super().__exit__(*error)
            noted.give_back(self)

        def wait(self, timeout: float | None = None) -> bool:
            noted.give_back(self)
            try:
                return super().wait(timeout)
            finally:
                noted.ask(self, self._place)

    monkeypatch.setattr(threading, "Lock", NotedLock)
    monkeypatch.setattr(threading, "Condition", NotedCondition)
    monkeypatch.setattr(promise, "_OneStepCondition", NotedCondition)
    yield noted


def test_no_lock_is_held_while_another_is_asked_for(
    locks: Locks, backend: str, shared_cache: Path, package: MakePackage
) -> None:
    problem = package({"secret/1": ("1 2\n", "3\n"), "secret/2": ("3 4\n", "7\n")})
    sources = [ADD + b"// %d of the locks\n" % (number % 5) for number in range(12)]
    rows = [Submission(source=source, problem=str(problem), language="c17") for source in sources]
    with Judge(slots=2, backend=backend, cache_directory=shared_cache) as judge:
        for options in (Options(), Options(), Options(verdict_cache=False)):
            assert all(judgement.accepted for judgement in judge.judge_many(rows, options))
        batch = judge.batch(Options(verdict_cache=False))
        for future in [batch.submit(row) for row in rows]:
            future.cancel()
        judge.validate(str(problem))
        with judge.build_tests(str(problem)):
            pass
        assert judge.execute(Program(source=ADD, language="c17", stdin=b"1 2")).stdout == b"3"
        guess = Submission(source=b"print('not a number')", problem="guess", language="python3")
        assert not judge.judge(guess).accepted
        judge.submit(Submission(source=b"int main() { for (;;) ; }", problem=str(problem), language="c17"))
    ours = {pair for pair in locks.nested if pair[0].startswith(_OWNERS)}
    assert {place.rpartition(":")[0] for place in locks.taken} >= {"judge/many/local.py", "judge/slots/gate.py"}
    assert ours == set()
