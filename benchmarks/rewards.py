"""What the rewards of one training step cost: 96 completions, 12 problems × 8, a third of them duplicates.

    python benchmarks/rewards.py [-n ROUNDS] [--slots N] [--json FILE]

In every round, on programs that no cache holds:

    step       two reward functions on the 96 completions
    distinct   the judge alone on as many programs as are distinct among them (64)
    cached     the same step again, its verdicts known: problems of the library, then tests of 1 MB in every row

Meanwhile a thread of the same process wakes up every millisecond. How late it is, is what another thread of a trainer
would feel of the judge; beside it stands what it is while the main thread waits for `distinct` g++ processes that know
no Python. The process's CPU time, its children's apart, is what judging takes from the trainer's interpreter.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path

import problems
from judge import Judge, Submission
from judge.selftest.bench import line_of_its_own
from trainer_adapter import reward_funcs
from trainer_adapter.data.tests_column import Case, Inline
from trainer_adapter.reward_funcs import CodeReward, Kind, Settings

NAMES = ("P1001", "P1046", "P1047", "P1048", "P1090", "P1226", "P1908", "P3367", "P3383", "P3390", "P4779", "P5960")
EACH = 8
#: Of the 8 completions of each problem, so that 64 of 96 are distinct.
DISTINCT = (6, 5, 5)
QUICK = {"accepted", "wrong_answer", "compile_error"}
BIG_BYTES = 1 << 20


@dataclass
class Programs:
    """By problem: sources in C++ with labels whose runs end quickly."""

    sources: dict[str, list[str]] = field(default_factory=dict)
    nonce: int = 0

    def __post_init__(self) -> None:
        for name in NAMES:
            paths = [one.path for one in problems.load(name).submissions if one.path.suffix == ".cpp"]
            found = [path for path in paths if path.parent.name in QUICK]
            self.sources[name] = [path.read_text() for path in found]

    def fresh(self) -> list[tuple[str, list[str]]]:
        """For each problem, distinct sources that nobody has seen."""
        return [
            (name, [self._new(source) for source in islice(cycle(self.sources[name]), count)])
            for name, count in zip(NAMES, cycle(DISTINCT), strict=False)
        ]

    def _new(self, source: str) -> str:
        self.nonce += 1
        return source + line_of_its_own(f"{os.getpid()}_{self.nonce}")


def rows(distinct: list[tuple[str, list[str]]]) -> tuple[list[str], list[str]]:
    """Completions, and their problems."""
    completions, names = [], []
    for name, sources in distinct:
        completions += [f"So:\n```cpp\n{source}\n```\n" for source in islice(cycle(sources), EACH)]
        names += [name] * EACH
    return completions, names


@dataclass
class Felt:
    """How late a thread was that wanted to wake up every millisecond."""

    late_ms: list[float] = field(default_factory=list)
    wall_s: float = 0.0
    own_cpu_s: float = 0.0

    def of_wall(self) -> float:
        return self.own_cpu_s / self.wall_s

    def at(self, part: float) -> float:
        return sorted(self.late_ms)[int(part * (len(self.late_ms) - 1))]


@contextmanager
def felt() -> Iterator[Felt]:
    result, over = Felt(), threading.Event()

    def tick() -> None:
        while not over.is_set():
            due = time.perf_counter() + 0.001
            time.sleep(0.001)
            result.late_ms.append((time.perf_counter() - due) * 1000)

    thread = threading.Thread(target=tick)
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    thread.start()
    yield result
    result.wall_s = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_SELF)
    result.own_cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    over.set()
    thread.join()


def step(functions: list[CodeReward], completions: list[str], **columns: list[str]) -> Felt:
    with felt() as result:
        for function in functions:
            function(completions=completions, **columns)
    return result


def alone(judge: Judge, distinct: list[tuple[str, list[str]]]) -> Felt:
    with felt() as result:
        futures = [
            judge.submit(Submission(source=source.encode(), problem=name)) for name, own in distinct for source in own
        ]
        for future in futures:
            future.result()
    return result


def plain(slots: int, distinct: list[tuple[str, list[str]]]) -> Felt:
    """g++ alone, on as many cores."""
    command = ("g++", "-std=gnu++17", "-O2", "-x", "c++", "-", "-o", "/dev/null")

    def compile_(source: str) -> None:
        subprocess.run(command, input=source.encode(), stderr=subprocess.DEVNULL, check=False)

    with ThreadPoolExecutor(slots) as threads, felt() as result:
        list(threads.map(compile_, (source for _, own in distinct[:4] for source in own)))
    return result


def big() -> str:
    text = "".join(f"{number * 7919 % 1_000_003}\n" for number in range(BIG_BYTES // 7 // 4))
    return Inline(tests=tuple(Case(input=f"{number}\n{text}", output="0") for number in range(4))).pack()


def cached(functions: list[CodeReward], completions: list[str], **columns: list[str]) -> float:
    """Milliseconds of a step whose verdicts are known."""
    step(functions, list(completions), **columns)
    began = time.perf_counter()
    for function in functions:
        function(completions=completions, **columns)
    return (time.perf_counter() - began) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=3, help="rounds")
    parser.add_argument("--slots", type=int)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    settings = Settings(slots=arguments.slots)
    functions = [CodeReward(Kind.WEIGHTED, settings), CodeReward(Kind.FORMAT, settings)]
    programs = Programs()
    steps, bare, compiles, known = list[Felt](), list[Felt](), list[Felt](), list[float]()
    one = big()
    tests = [f"{one} "[:-1] for _ in range(len(NAMES) * EACH)]  # as many strings as rows: data sets make them anew
    with Judge(slots=arguments.slots) as judge:
        completions, names = rows(programs.fresh())
        step(functions, completions, problem_id=names)  # headers, test data
        alone(judge, programs.fresh())
        for _ in range(arguments.n):
            completions, names = rows(programs.fresh())
            bare.append(alone(judge, programs.fresh()))
            steps.append(step(functions, completions, problem_id=names))
            known.append(cached(functions, completions, problem_id=names))
            compiles.append(plain(judge.slots, programs.fresh()))
        inline = [cached(functions, completions[:EACH] * len(NAMES), tests=list(tests)) for _ in range(arguments.n)]
        slots = judge.slots
    reward_funcs.close()
    figures = {
        "slots": slots,
        "step s": round(statistics.median(each.wall_s for each in steps), 2),
        "distinct s": round(statistics.median(each.wall_s for each in bare), 2),
        "step / distinct": round(statistics.median(a.wall_s / b.wall_s for a, b in zip(steps, bare, strict=True)), 3),
        "cached ms": round(statistics.median(known), 1),
        "cached, 1 MB of tests a row, ms": round(statistics.median(inline), 1),
        "interpreter busy, of one core": round(statistics.median(each.of_wall() for each in steps), 3),
        "late ms, median": round(statistics.median(each.at(0.5) for each in steps), 2),
        "late ms, 99 %": round(statistics.median(each.at(0.99) for each in steps), 2),
        "late ms, worst": round(max(each.at(1) for each in steps), 1),
        "beside g++ alone: late ms, median": round(statistics.median(each.at(0.5) for each in compiles), 2),
        "beside g++ alone: late ms, 99 %": round(statistics.median(each.at(0.99) for each in compiles), 2),
        "beside g++ alone: late ms, worst": round(max(each.at(1) for each in compiles), 1),
    }
    for name, value in figures.items():
        print(f"{name:<36} {value}")
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
