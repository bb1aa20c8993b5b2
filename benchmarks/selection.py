#!/usr/bin/env python3
"""What it costs to select from a large file of judged rollouts: seconds, and the most memory, of each command.

    python benchmarks/selection.py                        # 100 000 rollouts of 2 KiB for 1 000 problems
    python benchmarks/selection.py --rows 400000          # memory grows with the rows
    python benchmarks/selection.py --kib 8                # not with the length of the texts

The file is made first: C++ programs of several shapes, with names and comments of their own, about a third of them
accepted, one in a hundred not judged, each prompt a statement of its problem. Every command runs in a
process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MIB = 1 << 20
_WORDS = (
    *("frog", "stone", "river", "bridge", "count", "maximum", "sum", "array", "tree"),
    *("path", "color", "weight", "query", "answer", "cost", "sort", "merge"),
)
_COMMANDS = {
    "filter": ("filter", "rollouts.jsonl", "-o", "problems.txt"),
    "rft": ("rft", "rollouts.jsonl", "-o", "sft.jsonl"),
    "rft --prefer diverse": ("rft", "rollouts.jsonl", "-o", "diverse.jsonl", "--prefer", "diverse"),
    "pairs": ("pairs", "rollouts.jsonl", "-o", "pairs.jsonl"),
    "decontaminate": (
        "decontaminate",
        "rollouts.jsonl",
        "--against",
        "bench.jsonl",
        "-o",
        "clean.jsonl",
        "--show",
        "0",
    ),
}
#: Runs a command in its process, and says the most memory that it had.
_MEASURED = """
import resource, sys
from trainer_adapter.commands.main import main
code = main(sys.argv[2:])
open(sys.argv[1], "w").write(str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024))
sys.exit(code)
"""


def program(chance: random.Random, size: int) -> str:
    """A C++ program of about `size` bytes."""
    names = chance.sample(_WORDS, 4)
    parts = ["#include <bits/stdc++.h>\nusing namespace std;\n"]
    length = 0
    while length < size - 300:
        name, one, two, _ = chance.sample(names, 4)
        step = chance.choice(["+=", "-=", "^=", "*="])
        parts.append(
            f"// the {name} of each {chance.choice(_WORDS)}\n"
            f"int {name}{len(parts)}(int {one}, int {two}) {{\n"
            f"    for (int i = 0; i < {one}; ++i) {two} {step} i % 7;\n"
            f"    return max({one}, {two});\n}}\n"
        )
        length += len(parts[-1])
    return "".join(
        [*parts, f"int main() {{\n    int n;\n    cin >> n;\n    cout << n + {chance.randrange(9)} << endl;\n}}\n"]
    )


def make(directory: Path, rows: int, problems: int, size: int, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    statements = [" ".join(chance.choices(_WORDS, k=80)) for _ in range(problems)]
    easy = [chance.random() for _ in range(problems)]
    with (directory / "rollouts.jsonl").open("w") as file:
        for number in range(rows):
            problem, sample = number % problems, number // problems
            accepted = chance.random() < easy[problem] * 0.7
            verdict = "AC" if accepted else chance.choices(["WA", "TLE", "RE", "CE", "IE"], [60, 15, 12, 12, 1])[0]
            score = 1.0 if accepted else chance.randrange(10) / 10
            code = program(chance, size)
            row = {
                "id": f"P{problem}#{sample}",
                "problem": f"P{problem}",
                "sample": sample,
                "prompt": [{"role": "user", "content": statements[problem]}],
                "completion": f"Here is my solution.\n\n```cpp\n{code}```\n",
                "language": "cpp17",
                "verdict": verdict,
                "score": None if verdict == "IE" else score,
                "tokens": len(code) // 3,
            }
            file.write(json.dumps(row) + "\n")
    with (directory / "bench.jsonl").open("w") as file:
        for statement in statements[::50]:  # one problem in fifty stands in the benchmark
            file.write(json.dumps({"question": statement}) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--problems", type=int, default=1_000)
    parser.add_argument("--kib", type=float, default=2, help="length of a program")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    root = Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory(prefix="judge-selection-") as place:
        directory = Path(place)
        make(directory, arguments.rows, arguments.problems, round(arguments.kib * 1024), arguments.seed)
        size = (directory / "rollouts.jsonl").stat().st_size
        print(f"{arguments.rows} rollouts for {arguments.problems} problems, {size / MIB:.0f} MiB")
        for name, command in _COMMANDS.items():
            began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(
                [sys.executable, "-c", _MEASURED, "peak", *command],
                cwd=directory,
                env={**os.environ, "PYTHONPATH": str(root)},
                capture_output=True,
                text=True,
                check=False,
            )
            took_s, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
            if done.returncode != 0:
                sys.exit(f"{name}: exit status {done.returncode}\n{done.stderr}")
            cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            peak = int((directory / "peak").read_text()) / MIB
            print(f"{name:22} {took_s:6.1f} s  {cpu_s:6.1f} s of CPU time  {peak:5.0f} MiB")
            print(f"    {done.stderr.splitlines()[0]}")


if __name__ == "__main__":
    main()
