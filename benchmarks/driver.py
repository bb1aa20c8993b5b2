"""How many submissions one driver hands out to nodes that only pretend to judge: worker processes of this machine, or
nodes of a Ray cluster, which all are on this machine.

    python benchmarks/driver.py [--executor local|ray] [-n ROWS] [--nodes N] [--slots N] [--seconds S] [--tests N]
                                [--json FILE]

Each node has so many slots as asked, and each slot answers a row after so many seconds, without judging it, with a
Judgement of so many tests. All else is real: `Judge.judge_many`, identical rows judged once, Ray or the processes, the
way of rows and answers. The driver and all nodes share the cores of this machine, so what counts is the processor time
of the driver for each row: one driver alone on two cores hands out as many rows as this allows. What comes before every
slot has answered a few times does not count.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from containers import Isolation
from judge import Judge, Judgement, Options, Submission, TestResult, Verdict
from judge.common import own_process
from judge.common.collecting import COLLECTED_AFTER
from judge.common.promise import begin_aside
from judge.many import machine
from judge.many.cluster import worker
from judge.many.cluster.node import Node, Opened
from judge.selftest.bench import line_of_its_own
from judge.slots.budget import Part
from judge.slots.capacity import available
from judge.slots.gate import Gate

if TYPE_CHECKING:
    from ray.cluster_utils import Cluster

_STORE_BYTES = 80 << 20
_GIB = 1 << 30
_ISOLATION = Isolation(backend="pretence", tier="none", layers=(), missing=())
_SOURCE = Path("problems/library/P1001/submissions/accepted/std.cpp").read_bytes()


class Pretence:
    """An executor that answers each row after `seconds` of one of its slots."""

    def __init__(self, slots: int, seconds: float, tests: int) -> None:
        self.slots, self.isolation, self.gate = slots, _ISOLATION, Gate(slots, 1)
        self._free, self._seconds = slots, seconds
        self._waiting = deque[tuple[Submission, Future[Judgement]]]()
        self._tests = tuple(
            TestResult(name=f"secret/{i}", group="secret", verdict=Verdict.AC, score=1.0, cpu_ns=1, stdout="3\n")
            for i in range(tests)
        )

    def submit(self, submission: Submission, options: Options, watch: object = None) -> Future[Judgement]:
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
            return Opened(slots=slots, isolation=_ISOLATION)

        async def has(self, name: str, digest: str) -> bool:
            return True

        async def close(self) -> None:
            pass

    return Pretending


def pretend_worker(seconds: float, tests: int) -> None:
    """In a worker process, before it serves."""

    def make(part: Part, *_: object) -> Pretence:
        return Pretence(part.slots, seconds, tests)

    vars(worker)["LocalExecutor"] = make
    worker.main()


def measured(rows: int, **how: Any) -> dict[str, float]:
    sources = ((_SOURCE + line_of_its_own(number).encode()) for number in range(rows))
    distinct = (Submission(source=one, problem="P1001", id=str(number)) for number, one in enumerate(sources))
    with Judge(**how) as judge:
        judgements = judge.judge_many(distinct)
        answers = {judgement.id for judgement in islice(judgements, min(rows // 5, 4 * judge.slots))}
        first, began, own_s = len(answers), time.monotonic(), time.process_time()
        answers |= {judgement.id for judgement in judgements}
        seconds, own_s = time.monotonic() - began, time.process_time() - own_s
        if len(answers) != rows:
            raise SystemExit(f"{len(answers)} answers of {rows} rows")
        return {"slots": judge.slots, "rate": (rows - first) / seconds, "driver_ms": 1e3 * own_s / (rows - first)}


def measure_local(nodes: int, slots: int, seconds: float, tests: int, rows: int) -> dict[str, float]:
    vars(own_process)["_START"] = (
        "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
        f"import driver; driver.pretend_worker({seconds}, {tests})"
    )
    vars(machine)["available"] = lambda asked: replace(available(asked), affinity=nodes)
    machine.SLOTS_EACH, vars(machine)["_FIRST"] = slots, 0
    return measured(rows, slots=nodes * slots, memory_bytes=nodes * slots * _GIB)


def measure_ray(cluster: Cluster, slots: int, seconds: float, tests: int, rows: int) -> dict[str, float]:
    from judge.many.cluster import rays  # noqa: PLC0415 - an extra

    vars(rays)["WholeNode"] = pretending(slots, seconds, tests)
    return measured(rows, executor="ray", address=cluster.address)


@contextmanager
def open_cluster(nodes: int) -> Iterator[Cluster]:
    import ray  # noqa: PLC0415 - an extra
    from ray.cluster_utils import Cluster  # noqa: PLC0415

    cluster = Cluster()
    try:
        for _ in range(nodes):
            cluster.add_node(num_cpus=1, object_store_memory=_STORE_BYTES, include_dashboard=False)
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--executor", choices=("local", "ray"), default="ray")
    parser.add_argument("-n", "--rows", type=int, help="default: 50000, local 10000")
    parser.add_argument("--nodes", type=int, help="default: 2, local 32")
    parser.add_argument("--slots", type=int, help="of each node; default: 5000, local 2")
    parser.add_argument("--seconds", type=float, default=0.5, help="that a row takes")
    parser.add_argument("--tests", type=int, nargs="+", default=[1, 10])
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    gc.set_threshold(*COLLECTED_AFTER)  # as in `judge batch`
    is_local = arguments.executor == "local"
    rows = arguments.rows or (10_000 if is_local else 50_000)
    nodes, slots = arguments.nodes or (32 if is_local else 2), arguments.slots or (2 if is_local else 5000)
    found = {}
    with ExitStack() as at_end:
        cluster = None if is_local else at_end.enter_context(open_cluster(nodes))
        for tests in arguments.tests:
            if cluster is None:
                found[tests] = one = measure_local(nodes, slots, arguments.seconds, tests, rows)
            else:
                found[tests] = one = measure_ray(cluster, slots, arguments.seconds, tests, rows)
            print(f"{tests} tests a row: {one['slots']:.0f} slots, {one['rate']:.0f} rows/s here, "
                  f"{1e3 * one['driver_ms']:.0f} us of the driver's processor each")  # fmt: skip
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    # In a thread, as commands are: what the main thread asks for costs a thread each time (`judge.common.promise`).
    begin_aside(main).result()
