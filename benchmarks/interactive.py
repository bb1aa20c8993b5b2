"""What a conversation costs: interactive runs beside plain runs, and beside the same two programs without a sandbox.

    python benchmarks/interactive.py [--rounds 30] [--json FILE]

Ten exchanges: an interactive run of one test (both programs started, the conversation kept) beside a plain run of
a program that reads the same numbers. Ten thousand: what each exchange costs above the same two executables joined by
two pipes. All parts take turns; ratios and differences are of medians.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

from judge import Judge, Options, Submission

SECOND = 1_000_000_000
#: Says N numbers, each when the other one has answered the one before.
_INTERACTOR = """#include <cstdio>
#include <cstdlib>
int main(int argc, char **argv) {
    FILE *given = argc > 1 ? std::fopen(argv[1], "r") : stdin;
    int n, answer;
    if (std::fscanf(given, "%d", &n) != 1) return 1;
    std::printf("%d\\n", n);
    std::fflush(stdout);
    for (int i = 0; i < n; i++) {
        std::printf("%d\\n", i);
        std::fflush(stdout);
        if (std::scanf("%d", &answer) != 1 || answer != 2 * i) return 43;
    }
    return 42;
}
"""
_PROGRAM = """#include <cstdio>
int main() {
    int n, given;
    if (std::scanf("%d", &n) != 1) return 1;
    for (int i = 0; i < n; i++) {
        if (std::scanf("%d", &given) != 1) return 1;
        std::printf("%d\\n", 2 * given);
        std::fflush(stdout);
    }
}
"""


def package(root: Path, kind: str, exchanges: int) -> Path:
    data = root / "data" / "secret"
    data.mkdir(parents=True)
    about = {"problem_format_version": "2025-09", "name": "Echo", "type": kind, "limits": {"time_limit": 5}}
    (root / "problem.yaml").write_text(yaml.safe_dump({**about, "uuid": "0" * 32, "license": "unknown"}))
    if kind == "interactive":
        (data / "1.in").write_text(f"{exchanges}\n")
        (data / "1.ans").write_text("")
        (root / "output_validator").mkdir()
        (root / "output_validator" / "interact.cpp").write_text(_INTERACTOR)
    else:
        (data / "1.in").write_text("".join(f"{number}\n" for number in (exchanges, *range(exchanges))))
        (data / "1.ans").write_text("".join(f"{2 * number}\n" for number in range(exchanges)))
    return root


def judged(judge: Judge, problem: Path) -> float:
    """Wall seconds of one judgement of an already compiled program: its only test, checked."""
    began = time.perf_counter()
    submission = Submission(source=_PROGRAM.encode(), problem=str(problem), language="cpp17")
    judgement = judge.judge(submission, Options(verdict_cache=False, cpu_ns=20 * SECOND))
    took = time.perf_counter() - began
    if not judgement.accepted:
        sys.exit(f"not accepted: {judgement}")
    return took


def bare(directory: Path, exchanges: int) -> float:
    """Wall seconds of both executables, joined by two pipes, with nothing between and around them."""
    (directory / "in").write_text(f"{exchanges}\n")
    began = time.perf_counter()
    there, back = os.pipe(), os.pipe()
    program = subprocess.Popen([directory / "program"], stdin=there[0], stdout=back[1])
    interactor = subprocess.Popen([directory / "interactor", directory / "in"], stdin=back[0], stdout=there[1])
    for end in (*there, *back):
        os.close(end)
    if (program.wait(), interactor.wait()) != (0, 42):
        sys.exit("the bare programs failed")
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    few, many = 10, 10_000
    with tempfile.TemporaryDirectory() as made:
        directory = Path(made)
        for name, text in (("program", _PROGRAM), ("interactor", _INTERACTOR)):
            subprocess.run(["g++", "-O2", "-x", "c++", "-", "-o", directory / name], input=text.encode(), check=True)
        plain = package(directory / "plain", "pass-fail", few)
        talks = {count: package(directory / f"talk{count}", "interactive", count) for count in (few, many)}
        took: dict[str, list[float]] = {name: [] for name in ("plain", "ten", "thousands", "bare")}
        with Judge(slots=1) as judge:
            for problem in (plain, *talks.values()):  # compiled, warmed
                judged(judge, problem)
                judged(judge, problem)
            for _ in range(arguments.rounds):
                took["plain"].append(judged(judge, plain))
                took["ten"].append(judged(judge, talks[few]))
                took["thousands"].append(judged(judge, talks[many]))
                took["bare"].append(bare(directory, many))
    median = {name: statistics.median(values) for name, values in took.items()}
    found = {
        "ten exchanges, beside a plain run": median["ten"] / median["plain"],
        "each of 10 000, above the programs' own, in µs": (median["thousands"] - median["bare"]) / many * 1e6,
        "each of 10 000, of the programs alone, in µs": median["bare"] / many * 1e6,
    }
    for name, value in found.items():
        print(f"{value:8.2f}  {name}")
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
