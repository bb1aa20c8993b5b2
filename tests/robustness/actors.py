"""SIGKILL at random moments to the actors of a Ray cluster that judges a batch: every row is answered once, and as its
label says. The nodes are simulated on this machine."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from judge import Judge, Options, Submission
from tests.processes import descendants
from tests.robustness.job import Broken, mixed

_STORE_BYTES = 80 << 20
_NODES = 2
_ACTOR = b"ray::Node"
#: Between two kills: an actor that dies too often without an answer is refused, rightly.
_PAUSE_S = (2.0, 6.0)
_OPTIONS = Options(cpu_ns=200_000_000, memory_bytes=64 << 20)


def actors() -> list[int]:
    """Those of our own cluster."""
    found = []
    for pid in descendants(os.getpid()):
        with suppress(OSError):
            if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(_ACTOR):
                found.append(pid)
    return sorted(found)


class Killer(threading.Thread):
    def __init__(self, count: int, seed: int) -> None:
        super().__init__()
        self.killed = 0
        self.over = threading.Event()
        self._count, self._chance = count, random.Random(seed)

    def run(self) -> None:
        while self.killed < self._count and not self.over.wait(self._chance.uniform(*_PAUSE_S)):
            if found := actors():
                with suppress(ProcessLookupError):
                    os.kill(self._chance.choice(found), signal.SIGKILL)
                    self.killed += 1


@contextmanager
def _cluster() -> Iterator[str]:
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    try:
        for _ in range(_NODES):
            cluster.add_node(num_cpus=1, object_store_memory=_STORE_BYTES, include_dashboard=False)
        yield cluster.address
    finally:
        ray.shutdown()
        cluster.shutdown()


def kill(root: Path, count: int, seconds: float, seed: int) -> dict[str, int]:
    """Judge until so many actors were killed: kills, rows, and rows that were lost too often.

    Raises:
        Broken: a row was answered twice, not at all, or otherwise than its label says.
    """
    earned: dict[str | None, str] = {}
    killer = Killer(count, seed)
    began = time.monotonic()

    def rows() -> Iterator[Submission]:
        number = 0
        while killer.killed < count and time.monotonic() - began < seconds:
            for expected in mixed(root, 24, first=number):
                earned[expected.id] = expected.verdict.value
                source = expected.source.encode()
                yield Submission(source=source, problem=expected.problem, language=expected.language, id=expected.id)
            number += 24

    answered: dict[str | None, str] = {}
    errors = 0
    with _cluster() as address, Judge(executor="ray", address=address, slots=1) as judge:
        killer.start()
        try:
            for judgement in judge.judge_many(rows(), _OPTIONS):
                if judgement.id in answered:
                    raise Broken(f"row {judgement.id} was answered twice")
                answered[judgement.id] = judgement.verdict.value
                lost = "lost" in (judgement.error or "") or "failed twice" in (judgement.error or "")
                if judgement.verdict.value == "IE" and lost:
                    errors += 1
                elif judgement.verdict.value != earned[judgement.id]:
                    raise Broken(
                        f"row {judgement.id}: {judgement.verdict} ({judgement.error}), not {earned[judgement.id]}"
                    )
        finally:
            killer.over.set()
            killer.join()
    if answered.keys() != earned.keys():
        raise Broken(f"rows without an answer: {sorted(map(str, earned.keys() - answered.keys()))}")
    return {"kills": killer.killed, "rows": len(answered), "errors in rows": errors}
