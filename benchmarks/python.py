"""What judging Python programs costs: with an interpreter that is held and forked for each run, with one that is
executed for each run, and by plain subprocess.run; on the same work, in turns.

    python benchmarks/python.py [-n ROUNDS] [--programs N] [--tests N] [--workers N] [--json FILE]

The work is N distinct programs, each on N tests, with N of them at once. Ours is a Judge, with all that it does: it
checks the source in the sandbox, once for each program, runs, and compares the output; "executed" is that where no
interpreter is held. subprocess.run runs `python3 program.py` for each test and compares the output, without any walls.
Medians of the rounds, and ratios to subprocess.run.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from unittest.mock import patch

from containers.launcher.held import HeldPrograms
from judge import Judge, Submission, languages

#: A simple one; one that imports what many do; one that computes for a while.
PROGRAMS = {
    "A+B": "a, b = map(int, input().split())\nprint(a + b)\n",
    "imports": """import sys
import heapq
import math
from bisect import bisect
from collections import Counter, defaultdict, deque
from functools import lru_cache
from itertools import accumulate, permutations
a, b = map(int, sys.stdin.readline().split())
print(a + b)
""",
    "10 ms": """a, b = map(int, input().split())
total = 0
for number in range(100_000):
    total += number & 3
print(a + b)
""",
}


def package(directory: Path, tests: int) -> Path:
    data = directory / "problem/data/secret"
    (directory / "problem/statement").mkdir(parents=True)
    data.mkdir(parents=True)
    head = "problem_format_version: 2025-09\nname: sum\nuuid: 7c0a0e4c-9a51-45d1-8f50-6d0b2d8a6a0f\n"
    (directory / "problem/problem.yaml").write_text(head)
    (directory / "problem/statement/problem.en.md").write_text("Print the sum of two integers.\n")
    for test in range(tests):
        (data / f"{test}.in").write_text(f"{test} {test * test}\n")
        (data / f"{test}.ans").write_text(f"{test + test * test}\n")
    return directory / "problem"


def fresh(source: str, count: int) -> list[str]:
    """Distinct programs that nobody has seen."""
    return [f"# {os.urandom(8).hex()}\n{source}" for _ in range(count)]


def ours(judge: Judge, problem: Path, sources: list[str]) -> None:
    submissions = (Submission(source=source.encode(), problem=problem, language="python3") for source in sources)
    for future in [judge.submit(submission) for submission in submissions]:
        judgement = future.result()
        if not judgement.accepted:
            raise SystemExit(judgement.to_json())


def executed(judge: Judge, problem: Path, sources: list[str]) -> None:
    with patch.object(HeldPrograms, "find_wanted", lambda *_: None):
        ours(judge, problem, sources)


def plain(workers: int, directory: Path, problem: Path, sources: list[str]) -> None:
    python = str(languages.get("python3").find())
    tests = [(path.read_bytes(), path.with_suffix(".ans").read_bytes()) for path in problem.glob("data/secret/*.in")]

    def judge(number: int, source: str) -> None:
        path = directory / f"{number}.py"
        path.write_text(source)
        for given, answer in tests:
            done = subprocess.run((python, path), input=given, capture_output=True, check=True)
            if done.stdout.split() != answer.split():
                raise SystemExit(f"subprocess printed {done.stdout!r}")

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(judge, range(len(sources)), sources))


def measure(roads: dict[str, Callable[[list[str]], None]], source: str, programs: int, rounds: int) -> dict[str, float]:
    """Seconds that the work takes on each road."""
    times: dict[str, list[float]] = {name: [] for name in roads}
    for turn in range(rounds + 1):
        for name, road in roads.items():
            sources = fresh(source, programs if turn else 4)
            began = time.perf_counter()
            road(sources)
            if turn:  # the first one warms up
                times[name].append(time.perf_counter() - began)
    return {name: statistics.median(values) for name, values in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", "--rounds", type=int, default=5)
    parser.add_argument("--programs", type=int, default=64)
    parser.add_argument("--tests", type=int, default=10)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    runs = arguments.programs * arguments.tests
    found = {}
    with tempfile.TemporaryDirectory() as name, Judge(slots=arguments.workers) as judge:
        directory = Path(name)
        problem = package(directory, arguments.tests)
        roads: dict[str, Callable[[list[str]], None]] = {
            "held": partial(ours, judge, problem),
            "executed": partial(executed, judge, problem),
            "subprocess.run": partial(plain, arguments.workers, directory, problem),
        }
        print(f"{arguments.programs} programs x {arguments.tests} tests, {arguments.workers} at once")
        print(f"{'program':10}{'road':18}{'programs/s':>12}{'ms a run':>10}{'x subprocess.run':>18}")
        for program, source in PROGRAMS.items():
            taken = measure(roads, source, arguments.programs, arguments.rounds)
            found[program] = {road: arguments.programs / seconds for road, seconds in taken.items()}
            for road, seconds in taken.items():
                rate = taken["subprocess.run"] / seconds
                each = seconds * 1000 / runs
                print(f"{program:10}{road:18}{arguments.programs / seconds:12.1f}{each:10.2f}{rate:18.2f}")
    if arguments.json:
        arguments.json.write_text(json.dumps({"programs_per_s": found}, indent=2))


if __name__ == "__main__":
    main()
