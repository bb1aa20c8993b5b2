"""Launchers and stubs that are killed at any moment while a Judge is at work.

JUDGE_KILL_ROWS is the number of submissions for each tier and way of killing.
"""

from __future__ import annotations

import os
import random
import re
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from containers import Sandbox
from judge import Judge, Judgement, Options, Submission, Verdict
from tests.conftest import MakePackage
from tests.processes import descendants
from tests.robustness.machine import Others, kind, remains, use
from tests.robustness.rows import CASES, row

ROWS = int(os.environ.get("JUDGE_KILL_ROWS", "24"))
SLOTS = 3
OPTIONS = Options(cpu_ns=200_000_000, memory_bytes=64 << 20)


class Killer:
    """Kills one process of this judge after the other. `patient`: strikes again only when every submission that the
    last strike may have hit has been judged, so that none is hit twice."""

    def __init__(self, *, patient: bool, victims: tuple[str, ...], spared: frozenset[int]) -> None:
        self.killed: Counter[str] = Counter()
        self.seen: set[int] = set()
        self.outstanding: set[Future[Judgement]] = set()
        self.lock = threading.Lock()
        self._patient, self._victims, self._spared = patient, victims, spared
        self._random = random.Random(7)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        self._thread.start()
        try:
            yield
        finally:
            self._over.set()
            self._thread.join()

    def _work(self) -> None:
        while not self._over.is_set():
            time.sleep(self._random.uniform(0, 0.03 if self._patient else 0.4))
            with suppress(OSError):  # it ended by itself
                self._strike(self._choose())

    def _choose(self) -> int:
        self.seen |= (present := descendants(os.getpid()) - self._spared)
        wanted = self._random.choice(self._victims)
        found = [pid for pid in sorted(present) if kind(pid) == wanted]
        if wanted == "launcher" and self._random.random() < 0.9:  # rather one that is at work than an idle one
            found = [pid for pid in found if len(descendants(pid)) > 1] or found  # one is the stub that waits for a run
        if not found:
            raise ProcessLookupError
        return self._random.choice(found)

    def _strike(self, victim: int) -> None:
        what = kind(victim)
        launcher = victim if what == "launcher" else int(Path(f"/proc/{victim}/stat").read_text().split()[3])
        os.kill(victim, signal.SIGKILL)
        self.killed[what] += 1
        if not self._patient:
            return
        # An idle launcher is missed only by the submission that needs it next: when it has been, and is reaped.
        while Path(f"/proc/{launcher}").exists() and not self._over.is_set():
            time.sleep(0.001)
        with self.lock:
            hit = set(self.outstanding)
        while not all(future.done() for future in hit):
            time.sleep(0.001)


def judge_rows(judge: Judge, rows: list[Submission], killer: Killer) -> list[Judgement]:
    """All of them, as many at a time as there are slots."""
    room = threading.Semaphore(SLOTS)

    def done(future: Future[Judgement]) -> None:
        with killer.lock:
            killer.outstanding.discard(future)
        room.release()

    futures = []
    for submission in rows:
        room.acquire()
        with killer.lock:
            future = judge.submit(submission, OPTIONS)
            killer.outstanding.add(future)
        future.add_done_callback(done)
        futures.append(future)
    return [future.result() for future in futures]


def descriptors() -> Counter[str]:
    """Of this process, by what they are."""
    found = Counter[str]()
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # the one that lists them
            found[re.sub(r"\d{2,}", "", str(entry.readlink()))] += 1
    return found


@pytest.fixture
def warm(open_slot: Callable[[], Sandbox]) -> None:
    """Skips where the tier is not granted."""
    open_slot().close()


@pytest.mark.parametrize("patient", [True, False], ids=["one at a time", "a storm"])
def test_no_submission_is_lost_and_nothing_is_left(
    tier: str,
    warm: None,
    patient: bool,
    place: Path,
    cache: Path,
    package: MakePackage,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use(tier, place, monkeypatch)
    problem = package(CASES)
    expected = {}
    rows = []
    for number in range(ROWS):
        verdict, submission = row(number, problem)
        expected[str(number)] = verdict
        rows.append(submission)
    # Not programs: one that is killed by hand cannot be told from one that kills itself.
    others = Others.of(os.getpid())
    killer = Killer(patient=patient, victims=("launcher", "stub"), spared=others.processes)
    before = descriptors()
    with Judge(slots=SLOTS, cache_directory=cache) as judge:
        judge.judge(rows[0])  # the compiler is known and tried
        with killer.at_work():
            judgements = judge_rows(judge, rows, killer)
        walls = {judgement.isolation for judgement in judgements if judgement.isolation}
    assert [judgement.id for judgement in judgements] == list(expected)
    wrong = {j.id: (j.verdict, j.error) for j in judgements if j.verdict is not expected[j.id or ""]}
    if not patient:  # hit twice: says so
        wrong = {id_: said for id_, said in wrong.items() if "the sandbox failed twice" not in (said[1] or "")}
        failed = sum(judgement.verdict is Verdict.IE for judgement in judgements)
        assert 2 * failed <= killer.killed.total()
    assert not wrong, killer.killed
    assert len(walls) == 1, "no slot has weaker walls than the others"
    assert killer.killed.total() > 0
    assert remains(os.getpid(), place, killer.seen, others) == {}
    assert descriptors() - before == Counter()
    print(tier, "one at a time" if patient else "storm", dict(killer.killed), Counter(j.verdict for j in judgements))
