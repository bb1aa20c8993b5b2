"""How many submissions one driver hands out: a Ray cluster on this machine whose nodes only pretend to judge.

    python benchmarks/driver.py [-n ROWS] [--nodes N] [--slots N] [--seconds S] [--tests N] [--json FILE]

Each node has so many slots as asked, and each slot answers a row after so many seconds, without judging it, with a
Judgement of so many tests. All else is real: `Judge.judge_many`, identical rows judged once, Ray, the way of rows and
answers. The driver and all nodes share the cores of this machine, so what counts is the processor time of the driver
for each row: one driver alone on two cores hands out as many rows as this allows.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import time
from collections import deque
from concurrent.futures import Future
from pathlib import Path

import ray
from ray.cluster_utils import Cluster

from containers import Isolation
from judge import Judge, Judgement, Options, Submission, TestResult, Verdict
from judge.common.collecting import COLLECTED_AFTER
from judge.many.cluster import rays
from judge.many.cluster.node import Node, Opened

_STORE_BYTES = 80 << 20
_SOURCE = Path("problems/library/P1001/submissions/accepted/std.cpp").read_bytes()


class Pretence:
    """An executor that answers each row after `seconds` of one of its slots."""

    def __init__(self, slots: int, seconds: float, tests: int) -> None:
        self._free, self._seconds = slots, seconds
        self._waiting = deque[tuple[Submission, Future[Judgement]]]()
        self._tests = tuple(
            TestResult(name=f"secret/{i}", group="secret", verdict=Verdict.AC, score=1.0, cpu_ns=1, stdout="3\n")
            for i in range(tests)
        )

    def submit(self, submission: Submission, options: Options) -> Future[Judgement]:
        future: Future[Judgement] = Future()
        self._waiting.append((submission, future))
        self._begin()
        return future

    def _begin(self) -> None:
        while self._free and self._waiting:
            self._free -= 1
            asyncio.get_running_loop().call_later(self._seconds, self._end, *self._waiting.popleft())

    def _end(self, submission: Submission, future: Future[Judgement]) -> None:
        self._free += 1
        future.set_result(
            Judgement(
                id=submission.id,
                problem=submission.problem_name,
                language=submission.language,
                verdict=Verdict.AC,
                accepted=True,
                score=1.0,
                tests=self._tests,
            )
        )
        self._begin()

    def close(self) -> None:
        pass


def pretending(slots: int, seconds: float, tests: int) -> type[Node]:
    class Pretending(Node):
        async def open(self, cpus: int) -> Opened:
            self._executor = Pretence(slots, seconds, tests)  # type: ignore[assignment]
            isolation = Isolation(backend="pretence", tier="none", layers=(), missing=())
            return Opened(slots=slots, isolation=isolation)

        async def has(self, name: str, digest: str) -> bool:
            return True

        async def close(self) -> None:
            pass

    return Pretending


def measured(cluster: Cluster, rows: int) -> dict[str, float]:
    distinct = (Submission(source=b"// %d\n" % i + _SOURCE, problem="P1001", id=str(i)) for i in range(rows))
    with Judge(executor="ray", address=cluster.address) as judge:
        began, own_s = time.monotonic(), time.process_time()
        answers = {judgement.id for judgement in judge.judge_many(distinct)}
        seconds, own_s = time.monotonic() - began, time.process_time() - own_s
        if len(answers) != rows:
            raise SystemExit(f"{len(answers)} answers of {rows} rows")
        return {"slots": judge.slots, "rate": rows / seconds, "driver_ms": 1e3 * own_s / rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", "--rows", type=int, default=50_000)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--slots", type=int, default=5000, help="of each node")
    parser.add_argument("--seconds", type=float, default=0.5, help="that a row takes")
    parser.add_argument("--tests", type=int, nargs="+", default=[1, 10])
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    gc.set_threshold(*COLLECTED_AFTER)  # as in `judge batch`
    found = {}
    cluster = Cluster()
    try:
        for _ in range(arguments.nodes):
            cluster.add_node(num_cpus=1, object_store_memory=_STORE_BYTES, include_dashboard=False)
        for tests in arguments.tests:
            vars(rays)["WholeNode"] = pretending(arguments.slots, arguments.seconds, tests)
            found[tests] = one = measured(cluster, arguments.rows)
            print(f"{tests} tests a row: {one['slots']:.0f} slots, {one['rate']:.0f} rows/s here, "
                  f"{1e3 * one['driver_ms']:.0f} us of the driver's processor each")  # fmt: skip
    finally:
        ray.shutdown()
        cluster.shutdown()
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
