"""What a cluster would do: a simulation of its queue, fed with service times measured here.

    python benchmarks/queueing.py [-n SAMPLES] [--way-ms MS] [--cores N ...] [--json FILE]

First some labelled submissions of the library, made distinct, are judged one after another on one slot: the processor
time of each is the work of one core. Then machines of up to 64 cores (a slot each) are simulated: one driver that takes
`--way-ms` of its processor for each submission (`driver.py` measures it), a round trip of ten milliseconds, and on each
machine as many submissions as `judge.many.cluster` keeps there. Not simulated: cores that share memory and clocks,
which makes each of a full machine's slower than one alone.
"""

from __future__ import annotations

import argparse
import heapq
import json
import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from resume import rows

from judge import Judge, Submission
from judge.selftest.bench import line_of_its_own

_MACHINE_CORES = 64
_TRIP_S = 0.01
_AHEAD_S = 0.1
_STEP_ROWS = 1024
_ROWS_EACH_CORE = 40
_SEED = 5


@dataclass(slots=True, kw_only=True)
class Machine:
    cores: int
    mean_s: float
    running: int = 0
    #: When each slot will be free.
    free: list[float] = field(default_factory=list)

    @property
    def room(self) -> int:
        return self.cores + max(2, self.cores // 2) + int(_AHEAD_S * self.cores / self.mean_s) - self.running

    def finish(self, arrival_s: float, work_s: float) -> float:
        """When a submission that arrives then is done."""
        end = max(arrival_s, heapq.heappop(self.free)) + work_s
        heapq.heappush(self.free, end)
        return end


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    seconds: float
    rate: float
    used: float  # of the cores
    driver: float  # of its processor


def machines(cores: int, mean_s: float) -> list[Machine]:
    sizes = [_MACHINE_CORES] * (cores // _MACHINE_CORES)
    sizes += [cores % _MACHINE_CORES] if cores % _MACHINE_CORES else []
    return [Machine(cores=size, mean_s=mean_s, free=[0.0] * size) for size in sizes]


def simulate(cores: int, work_s: Sequence[float], way_s: float) -> Outcome:
    """Judge them in this order; half of the driver's work is sending, half is receiving."""
    cluster = machines(cores, statistics.fmean(work_s))
    left = list(reversed(work_s))
    answers: list[tuple[float, int]] = []
    driver_s = last_s = 0.0
    while left or answers:
        machine = min((one for one in cluster if one.room > 0), key=lambda one: one.running / one.cores, default=None)
        # Answers that are here come first, as in an event loop that takes turns.
        if answers and (not left or machine is None or answers[0][0] <= driver_s):
            arrival_s, number = heapq.heappop(answers)
            driver_s = last_s = max(driver_s, arrival_s) + way_s / 2
            cluster[number].running -= 1
        elif machine is not None:
            driver_s += way_s / 2
            machine.running += 1
            end_s = machine.finish(driver_s + _TRIP_S / 2, left.pop())
            heapq.heappush(answers, (end_s + _TRIP_S / 2, cluster.index(machine)))
    total_s = sum(work_s)
    return Outcome(
        seconds=last_s,
        rate=len(work_s) / last_s,
        used=total_s / (cores * last_s),
        driver=len(work_s) * way_s / last_s,
    )


def measured(language: str, count: int) -> list[float]:
    """Seconds of processor time that each of them takes: its compiler's, its runs', and the judge's own."""
    line = line_of_its_own(time.time_ns(), language)
    chosen = [
        Submission(source=row["source"].encode(), problem=row["problem"], language=language)
        for row in rows(20 * count)
        if row["language"] == language
    ][:count]
    times = []
    with Judge(slots=1) as judge:
        for row in {row.problem: row for row in chosen}.values():
            judge.judge(row)  # what is made once: headers, checkers, data
        for row in chosen:
            own_s = time.process_time()
            judgement = judge.judge(replace(row, source=row.source + line.encode()))
            compile_ns = judgement.compile.cpu_ns if judgement.compile else 0
            times.append((judgement.cpu_ns + compile_ns) / 1e9 + time.process_time() - own_s)
    return times


def table(name: str, times: Sequence[float], cores: Sequence[int], way_s: float) -> list[dict[str, float]]:
    chance = random.Random(_SEED)  # noqa: S311 - a simulation
    mean = statistics.fmean(times)
    print(f"\n{name}: {len(times)} measured, mean {mean * 1e3:.0f} ms, median {statistics.median(times) * 1e3:.0f} ms, "
          f"longest {max(times) * 1e3:.0f} ms; {1 / mean:.1f}/s on one core")  # fmt: skip
    print(f"{'cores':>6} {'rate/s':>8} {'of ideal':>9} {'driver':>7} {f'{_STEP_ROWS} rows':>10}")
    found = []
    for count in cores:
        long = simulate(count, chance.choices(times, k=max(2000, _ROWS_EACH_CORE * count)), way_s)
        step = simulate(count, chance.choices(times, k=_STEP_ROWS), way_s)
        print(f"{count:6} {long.rate:8.0f} {long.used:9.0%} {long.driver:7.0%} {step.seconds:8.1f} s")
        found.append(
            {"cores": count, "rate": long.rate, "used": long.used, "driver": long.driver, "step": step.seconds}
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", "--samples", type=int, default=60)
    parser.add_argument("--way-ms", type=float, default=0.06)
    parser.add_argument("--cores", type=int, nargs="+", default=[10, 100, 1000, 10_000])
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    way_s = arguments.way_ms / 1e3
    found = {}
    for name, language in (("C++", "cpp17"), ("Python", "python3")):
        times = measured(language, arguments.samples)
        found[name] = {"seconds": times, "table": table(name, times, arguments.cores, way_s)}
    if arguments.json:
        arguments.json.write_text(json.dumps({"way_ms": arguments.way_ms, **found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
