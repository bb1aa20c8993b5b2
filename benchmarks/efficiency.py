#!/usr/bin/env python3
"""How often a neighbour changes the class of a program's speed, which the reward `efficient` pays.

    python benchmarks/efficiency.py --times 1000            # beside processes that take every core
    python benchmarks/efficiency.py --times 1000 --quiet

Programs that do 1, 1.6 and 3 times the work of the package's accepted submission are judged in turn. A flip is a class
that is not the one that the work says.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import uuid
from collections import Counter
from pathlib import Path

from judge import Judge, Options, Submission
from judge.common.models import AS_FAST, WITHIN_TWICE

#: Millions of rounds, and the class.
WORK = {10: "as fast", 16: "within twice", 30: "slower"}
SPIN = """#include <stdio.h>
int name_%s;
int main(void) {
    unsigned x = 1, n = 0;
    scanf("%%u", &n);
    for (long i = 0; i < %d * 1000000L; i++) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; }
    printf("%%u\\n", x ? n : 0);
}
"""


def write_package(root: Path) -> Path:
    head = "problem_format_version: 2025-09\nname: echo\nuuid: 4f0f2ac5-8a43-4d2c-9d5c-6c1f2a7b8c9d\n"
    files = {"problem.yaml": head + "limits: {time_limit: 5}\n", "statement/problem.en.md": "?\n"}
    files |= {"data/secret/1.in": "4\n", "data/secret/1.ans": "4\n"}
    files["submissions/accepted/right.c"] = SPIN % ("right", min(WORK))
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def _start_hog() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "while 1: pass"])


def class_of(efficiency: float | None) -> str:
    if efficiency is None:
        return "not compared"
    return "as fast" if efficiency <= AS_FAST else "within twice" if efficiency <= WITHIN_TWICE else "slower"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--slots", type=int, default=1)
    parser.add_argument("--quiet", action="store_true", help="Without neighbours.")
    given = parser.parse_args()
    hogs = [] if given.quiet else [_start_hog() for _ in range(os.cpu_count() or 1)]
    flips, values = Counter[str](), dict[int, list[float]]()
    try:
        with tempfile.TemporaryDirectory() as place, Judge(slots=given.slots) as judge:
            problem = write_package(Path(place) / "echo")
            rows = [list(WORK)[number % len(WORK)] for number in range(given.times)]
            texts = [SPIN % (uuid.uuid4().hex, rounds) for rounds in rows]
            submissions = [Submission(source=text.encode(), problem=problem, language="c17") for text in texts]
            for rounds, judgement in zip(rows, judge.judge_many(submissions, Options(efficiency=True)), strict=True):
                got = class_of(judgement.efficiency)
                if got != WORK[rounds]:
                    flips[f"{WORK[rounds]} -> {got} ({judgement.verdict}, {judgement.efficiency})"] += 1
                values.setdefault(rounds, []).append(judgement.efficiency or 0.0)
    finally:
        for each in hogs:
            each.kill()
            each.wait()
    spread = {f"{rounds / min(WORK):g} x the work": [min(found), max(found)] for rounds, found in values.items()}
    print(
        json.dumps(
            {"compared": given.times, "flips": flips.total(), "which": flips, "least and most": spread}, indent=1
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
