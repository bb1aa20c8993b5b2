"""A batch that is killed half way and resumed gives the same results as one that is left alone.

    python benchmarks/resume.py [-n ROWS] [--kills K]

Rows are labelled submissions of the library, made distinct by a comment. The batch is ended with SIGKILL K times at
even steps, resumed each time, and compared row by row (verdict, score, verdict of each test) with an uninterrupted
one.
"""

from __future__ import annotations

import argparse
import itertools
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import problems
from judge.selftest.bench import line_of_its_own

NAMES = ("P1001", "P1046", "P1047", "P1048", "P3390", "P1226")
QUICK = {"AC", "WA", "RE", "CE"}
LANGUAGES = {".cpp": "cpp17", ".c": "c17", ".py": "python3"}


def rows(count: int) -> Iterator[dict[str, str]]:
    chosen = [
        (name, submission.path)
        for name in NAMES
        for submission in problems.load(name).submissions
        if submission.expected <= QUICK and submission.path.suffix in LANGUAGES
    ]
    for number, (name, path) in zip(range(count), itertools.cycle(chosen), strict=False):
        source = path.read_text() + line_of_its_own(number, LANGUAGES[path.suffix])
        language = {".cpp": "cpp17", ".c": "c17", ".py": "python3"}[path.suffix]
        yield {"id": f"{number}", "problem": name, "language": language, "source": source}


def command(rows_file: Path, out: Path, *flags: str) -> list[str]:
    return [sys.executable, "-m", "judge", "batch", "--no-verdict-cache", str(rows_file), "-o", str(out), *flags]


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def killed_batch(rows_file: Path, out: Path, count: int, kills: int) -> None:
    for kill in range(1, kills + 1):
        process = subprocess.Popen(command(rows_file, out, "--resume"), stderr=subprocess.DEVNULL)
        while lines(out) < count * kill // (kills + 1) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        print(f"killed with {lines(out)} of {count} rows written")
    subprocess.run(command(rows_file, out, "--resume"), check=True, stderr=subprocess.DEVNULL)


def results(path: Path) -> dict[str, tuple[object, ...]]:
    found: dict[str, tuple[object, ...]] = {}
    for line in path.read_text().splitlines():
        row = json.loads(line)
        if row["id"] in found:
            raise SystemExit(f"row {row['id']} was judged twice")
        tests = tuple((test["name"], test["verdict"]) for test in row["tests"])
        found[row["id"]] = (row["verdict"], row["score"], tests)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", "--rows", type=int, default=500)
    parser.add_argument("--kills", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        rows_file, whole, parts = (Path(directory, name) for name in ("rows.jsonl", "whole.jsonl", "parts.jsonl"))
        rows_file.write_text("".join(json.dumps(row) + "\n" for row in rows(arguments.rows)))
        killed_batch(rows_file, parts, arguments.rows, arguments.kills)
        began = time.monotonic()
        subprocess.run(command(rows_file, whole), check=True, stderr=subprocess.DEVNULL)
        print(f"uninterrupted (compile cache warm): {arguments.rows / (time.monotonic() - began):.1f} submissions/s")
        first, second = results(whole), results(parts)
    different = [row for row in first if first[row] != second.get(row)]
    if different or len(first) != arguments.rows or len(second) != arguments.rows:
        raise SystemExit(f"{len(first)} and {len(second)} rows, different: {different}")
    print(f"{len(first)} rows, no difference")


if __name__ == "__main__":
    main()
