"""ScaleBox's protocol: many Python rows, each with its tests, handed in at once; rows a second until all are judged.

    python benchmarks/scalebox.py [--rows N ...] [-j SLOTS] [--json FILE] [PROBLEM ...]

ScaleBox publishes 21.7, 30.8 and 39.3 rows a second for 2 048, 4 096 and 8 192 rows on a machine of 128 cores. It has
other problems: compare with care. Ours are the accepted Python programs of the problems named here, each made distinct
by a comment, with all tests of its problem. Nothing is known before: the verdict cache is off. A row that is not
accepted ends the benchmark. "core s" is the CPU time of all processes for a row: at best the machine does its cores
divided by that.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from throughput import cpu_s

import problems
from judge import Judge, Options, Submission, Verdict
from judge.common.promise import begin_aside
from judge.judging.labelled import read_label
from problems.model import Problem

ROWS = (2048, 4096, 8192)
#: Of the library, with tests of a beginner's size.
PROBLEMS = ["P1001", "P1029", "P1046", "P1090", "P1115", "P1226", "P1307", "P1427", "P1428", "P5718", "P5722", "P8218"]
#: By rows: what ScaleBox publishes, on 128 cores.
PUBLISHED = {2048: 21.7, 4096: 30.8, 8192: 39.3}


def accepted(names: Sequence[str]) -> list[tuple[Problem, bytes]]:
    """Problems, and an accepted Python program of each."""
    found = []
    for name in names:
        problem = problems.load(name)
        for submission in problem.submissions:
            if "AC" in submission.expected and len(submission.expected) == 1:
                one = read_label(submission, problem.constants)
                if one.language == "python3" and not one.files:
                    found.append((problem, one.source))
                    break
    return found


def rows(programs: Sequence[tuple[Problem, bytes]], count: int) -> Iterator[Submission]:
    for number, (problem, source) in zip(range(count), itertools.cycle(programs), strict=False):
        text = source + b"\n# %d %b\n" % (number, os.urandom(8).hex().encode())
        yield Submission(source=text, problem=problem, language="python3", id=str(number))


def measure(judge: Judge, programs: Sequence[tuple[Problem, bytes]], count: int) -> dict[str, float]:
    batch = list(rows(programs, count))
    tests = sum(len(row.problem.cases) for row in batch if isinstance(row.problem, Problem))
    began, before = time.monotonic(), cpu_s()
    for judgement in judge.judge_many(batch, Options()):
        if judgement.verdict is not Verdict.AC:
            raise SystemExit(f"{judgement.problem}: {judgement.verdict}: {judgement.error or judgement.tests}")
    took_s = time.monotonic() - began
    return {
        "rows": count,
        "tests": tests,
        "seconds": took_s,
        "rows per s": count / took_s,
        "tests per s": tests / took_s,
        "core s": (cpu_s() - before) / count,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="PROBLEM")
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS)
    parser.add_argument("-j", "--slots", type=int)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if not (programs := accepted(options.names or PROBLEMS)):
        parser.error("no accepted Python program in these problems")
    points = []
    with Judge(slots=options.slots) as judge:
        print(f"{judge.slots} slots, {len(os.sched_getaffinity(0))} cores, {len(programs)} programs")
        print(
            f"{'rows':>6}{'tests':>9}{'seconds':>10}{'rows/s':>9}{'tests/s':>9}{'core s':>8}{'ScaleBox, 128 cores':>21}"
        )
        list(judge.judge_many(rows(programs, max(len(programs), 2 * judge.slots))))  # every slot is open
        for count in options.rows:
            points.append(found := measure(judge, programs, count))
            print(
                f"{count:6}{found['tests']:9}{found['seconds']:10.1f}{found['rows per s']:9.1f}"
                f"{found['tests per s']:9.0f}{found['core s']:8.3f}{PUBLISHED.get(count, ''):>21}",
                flush=True,
            )
    if options.json:
        options.json.write_text(json.dumps({"slots": judge.slots, "points": points}, indent=1) + "\n")


if __name__ == "__main__":
    # In a thread, as commands are: what the main thread asks for costs a thread each time (`judge.common.promise`).
    begin_aside(main).result()
