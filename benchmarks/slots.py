"""How judging grows with the slots of one machine: submissions a second at each number of slots, and per slot as a part
of what one slot does alone (efficiency). Programs as in throughput.py: distinct, on ten tests.

    python benchmarks/slots.py [--slots N ...] [--seconds S] [--json FILE] [NAME ...]

workers     the default: this process up to a few slots, worker processes above (`judge.many.machine`)
workers/1   as many worker processes as slots
threads     one process drives all slots, as if there were no workers; at the most slots only

Each point is a Judge of its own, warm: every slot has judged as many programs as it takes to hold a compiler. Then what
ends within S seconds counts. "own us" is the CPU time of this process for each submission; "MiB" the memory of a worker
process (its proportional set size), without its programs.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from pathlib import Path

from throughput import SETS, Work, prepared

from judge import Judge, Judgement, Submission, Verdict
from judge.common.promise import begin_aside
from judge.compiling.headers import SIGHTINGS
from judge.many import machine

#: Name: (slots that one process drives, slots of each worker).
WAYS = {
    "workers": (machine.FEW_SLOTS, machine.SLOTS_EACH),
    "workers/1": (1, 1),
    "threads": (1 << 30, 1),
}


def rows(work: Work) -> Iterator[Submission]:
    while True:
        yield from work.rows(1)


def pss_mib(pid: int) -> float:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


def workers() -> list[int]:
    children = [
        int(child) for task in Path("/proc/self/task").iterdir() for child in (task / "children").read_text().split()
    ]
    return [pid for pid in children if b"judge.many.cluster.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def _judged(judge: Judge, work: Work) -> Generator[Judgement, None, None]:
    """Without end; to close it gives up what was begun."""
    yield from judge.judge_many(rows(work))


def point(work: Work, slots: int, way: str, seconds: float) -> dict[str, float]:
    machine.FEW_SLOTS, machine.SLOTS_EACH = WAYS[way]
    with Judge(slots=slots) as judge, closing(_judged(judge, work)) as judgements:
        for judgement in itertools.islice(judgements, (SIGHTINGS + 2) * slots):
            if judgement.verdict is not Verdict.AC:
                raise SystemExit(f"{judgement.problem}: {judgement.verdict}: {judgement.error or judgement.tests}")
        began, own, count = time.monotonic(), time.process_time(), 0
        while (took := time.monotonic() - began) < seconds or count < slots:
            next(judgements)
            count += 1
        own = time.process_time() - own
        sizes = list(map(pss_mib, workers()))
    return {
        "slots": slots,
        "per s": count / took,
        "own us": 1e6 * own / count,
        "workers": len(sizes),
        "MiB": sum(sizes) / len(sizes) if sizes else 0.0,
    }


def measure(name: str, slots: list[int], seconds: float) -> list[dict[str, float | str]]:
    points: list[dict[str, float | str]] = []
    with tempfile.TemporaryDirectory(prefix="judge-slots-") as place:
        work = prepared(name, Path(place))
        plan = [(each, "workers") for each in slots] + [(max(slots), "workers/1"), (max(slots), "threads")]
        alone = 0.0
        for each, way in plan:
            found: Mapping[str, float] = point(work, each, way, seconds)
            alone = alone or found["per s"] / each
            points.append({"name": name, "way": way, **found, "efficiency": found["per s"] / each / alone})
            print(
                f"{name:<15}{way:<11}{each:4}{found['per s']:10.1f}{points[-1]['efficiency']:8.2f}"
                f"{found['own us']:9.0f}{found['workers']:6}{found['MiB']:8.1f}",
                flush=True,
            )
    return points


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SETS)} (default: all)")
    parser.add_argument("--slots", type=int, nargs="+", default=[1, 4, 8, 16])
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if unknown := set(options.names) - SETS.keys():
        parser.error(f"no set {min(unknown)!r}; there are {', '.join(SETS)}")
    print(f"{len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}")
    print(f"{'':<15}{'way':<11}{'slots':>4}{'per s':>9}{'effic.':>8}{'own us':>9}{'proc':>6}{'MiB':>8}")
    points = [point for name in options.names or SETS for point in measure(name, options.slots, options.seconds)]
    if options.json:
        options.json.write_text(json.dumps(points, indent=1) + "\n")
    print(json.dumps(points))


if __name__ == "__main__":
    # In a thread, as commands are: what the main thread asks for costs a thread each time (`judge.common.promise`).
    begin_aside(main).result()
