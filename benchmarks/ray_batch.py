"""A batch on a Ray cluster of which one node is killed half way, beside the same batch on this machine alone.

    python benchmarks/ray_batch.py [-n ROWS] [--nodes N] [--calls N] [--json FILE]

The nodes are simulated on this machine (`ray.cluster_utils.Cluster`, one slot each). Rows are labelled submissions of
the library, made distinct by a comment; every row must be answered once, and as the local run answers it (verdict,
score, verdict of each test). Then what the way costs: judgements that need neither compiling nor running (sources
that are no text), each alone and all at once, beside the same on this machine, in turns.
"""

from __future__ import annotations

import argparse
import itertools
import json
import logging
import statistics
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import ray
from ray.cluster_utils import Cluster
from resume import rows

from judge import Judge, Judgement, Submission

_STORE_BYTES = 80 << 20
_ROUNDS = 5


def submissions(count: int) -> list[Submission]:
    return [
        Submission(source=row["source"].encode(), problem=row["problem"], language=row["language"], id=row["id"])
        for row in rows(count)
    ]


def facts(judgement: Judgement) -> tuple[object, ...]:
    tests = tuple((test.name, test.verdict) for test in judgement.tests)
    return judgement.verdict, judgement.score, tests, judgement.error


def by_id(judgements: Iterator[Judgement]) -> dict[str | None, tuple[object, ...]]:
    found: dict[str | None, tuple[object, ...]] = {}
    for judgement in judgements:
        if judgement.id in found:
            raise SystemExit(f"row {judgement.id} was answered twice")
        found[judgement.id] = facts(judgement)
    return found


def killing(judgements: Iterator[Judgement], cluster: Cluster, after: int) -> Iterator[Judgement]:
    for number, judgement in enumerate(judgements, 1):
        yield judgement
        if number == after:
            cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)
            print(f"killed a node after {number} answers")


def compare(cluster: Cluster, count: int) -> dict[str, object]:
    batch = submissions(count)
    with Judge(executor="ray", address=cluster.address, slots=1) as judge:
        began = time.monotonic()
        remote = by_id(killing(judge.judge_many(batch), cluster, count // 2))
        seconds = time.monotonic() - began
        left = judge.slots
    with Judge(slots=2) as judge:
        local = by_id(judge.judge_many(batch))
    different = [id_ for id_ in local if local[id_] != remote.get(id_)]
    print(f"{len(remote)} answers of {count} rows, each once, in {seconds:.1f} s; {left} nodes were left")
    print(f"{len(different)} differ from the local run {different[:5]}")
    return {"rows": count, "answers": len(remote), "different": len(different), "nodes_left": left}


def costs(judge: Judge, trivial: Submission, calls: int) -> tuple[float, float]:
    """Milliseconds of a judgement: alone, and of many at once."""
    began = time.monotonic()
    for number in range(calls // 4):
        judge.judge(replace(trivial, id=str(number)))
    alone = (time.monotonic() - began) / (calls // 4)
    began = time.monotonic()
    for future in [judge.submit(replace(trivial, id=str(number))) for number in range(calls)]:
        future.result()
    return 1e3 * alone, 1e3 * (time.monotonic() - began) / calls


def overhead(cluster: Cluster, calls: int) -> dict[str, object]:
    trivial = Submission(source=b"\0", problem="P1001", language="c17")
    times: dict[str, list[tuple[float, float]]] = {"local": [], "ray": []}
    with Judge(slots=2) as local, Judge(executor="ray", address=cluster.address, slots=1) as remote:
        judges = {"local": local, "ray": remote}
        for judge in judges.values():
            costs(judge, trivial, calls // 4)
        for (name, judge), _ in itertools.product(judges.items(), range(_ROUNDS)):
            times[name].append(costs(judge, trivial, calls))
    middle = {
        name: [statistics.median(column) for column in zip(*rounds, strict=True)] for name, rounds in times.items()
    }
    for name, (alone, together) in middle.items():
        print(f"{name:6} {alone:7.2f} ms alone {together:7.2f} ms each of {calls} at once")
    alone, together = (there - here for there, here in zip(middle["ray"], middle["local"], strict=True))
    print(f"{'way':6} {alone:7.2f} ms alone {together:7.2f} ms each of {calls} at once")
    return {"alone_ms": alone, "together_ms": together, "medians_ms": middle}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", "--rows", type=int, default=500)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    logging.basicConfig(format="%(message)s")
    cluster = Cluster()
    try:
        for _ in range(arguments.nodes):
            cluster.add_node(num_cpus=1, object_store_memory=_STORE_BYTES, include_dashboard=False)
        found = {"overhead": overhead(cluster, arguments.calls), "batch": compare(cluster, arguments.rows)}
    finally:
        ray.shutdown()
        cluster.shutdown()
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
