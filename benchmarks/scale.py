"""How the cost of judging grows: with the number of tests, of submissions, of problems and of slots, and with the size
of the test data; and what memory the judge holds meanwhile.

    python benchmarks/scale.py [--short] [--json FILE] [NAME ...]

Each point runs in a process of its own, which judges through `Judge.judge_many` and says what it took: CPU seconds of
all processes, wall time, and the largest resident set of the judge itself (VmHWM; without its launchers). A line
a + b x is fitted to the CPU seconds by least squares; "worst" is the largest distance of a point from it, in per cent
of the largest point. Programs are A+B in C, distinct by a comment, or copy their input (data); the compile cache starts
empty, headers are not needed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from throughput import cpu_s

from judge import Judge, Options, Submission, Verdict
from judge.selftest.bench import line_of_its_own, package

MIB = 1024 * 1024
ADD = '#include <stdio.h>\nint main(void) { int a, b; scanf("%d %d", &a, &b); printf("%d\\n", a + b); return 0; }\n'
COPY = """#include <unistd.h>
static char buffer[1 << 16];
int main(void) {
    for (ssize_t got; (got = read(0, buffer, sizeof buffer)) > 0;)
        for (ssize_t done = 0; done < got;) done += write(1, buffer + done, got - done);
    return 0;
}
"""
_LINE = b"123456789 987654321 55555 1\n"


def made(root: Path, tests: int, test_bytes: int = 0) -> Path:
    """A problem with so many tests, of A+B or of so many bytes that are to be copied."""
    package(root)
    data = root / "data/secret"
    for path in data.iterdir():
        path.unlink()
    for number in range(tests):
        if test_bytes:
            content = (b"%d\n" % number + _LINE * (test_bytes // len(_LINE) + 1))[:test_bytes]
            (data / f"{number:04}.in").write_bytes(content)
            (data / f"{number:04}.ans").write_bytes(content)
        else:
            (data / f"{number:04}.in").write_bytes(b"%d 2\n" % number)
            (data / f"{number:04}.ans").write_bytes(b"%d\n" % (number + 2))
    return root


def rows(problems: Sequence[Path], count: int, source: str = ADD) -> Iterator[Submission]:
    for number in range(count):
        text = (source + line_of_its_own(number)).encode()
        yield Submission(source=text, problem=problems[number % len(problems)], language="c17", id=str(number))


def by_tests(place: Path, tests: int) -> Iterator[Submission]:
    return rows([made(place / "problem", tests)], 4)


def by_bytes(place: Path, mib: int) -> Iterator[Submission]:
    """In tests of 16 MiB."""
    return rows([made(place / "problem", max(1, mib // 16), min(16, mib) * MIB)], 4, COPY)


def by_submissions(place: Path, count: int) -> Iterator[Submission]:
    """Three in four stand in the batch before."""
    problem = made(place / "problem", 2)
    for number, row in enumerate(rows([problem], count)):
        yield (
            row
            if number % 4 == 0
            else Submission(
                source=(ADD + line_of_its_own(number // 4 * 4)).encode(), problem=problem, language="c17", id=row.id
            )
        )


def by_distinct(place: Path, count: int) -> Iterator[Submission]:
    return rows([made(place / "problem", 1)], count)


def by_problems(place: Path, count: int) -> Iterator[Submission]:
    return rows([made(place / f"problem{number}", 4) for number in range(count)], count)


def by_slots(place: Path, _: int) -> Iterator[Submission]:
    return rows([made(place / "problem", 10)], 64)


#: Name: (what x is, how the rows are made, points, points of --short).
CURVES: Mapping[str, tuple[str, Callable[[Path, int], Iterator[Submission]], Sequence[int], Sequence[int]]] = {
    "tests": ("tests of the problem", by_tests, (10, 100, 250, 500, 1000), (10, 50, 100)),
    "data": ("MiB of inputs, and as many of answers", by_bytes, (16, 64, 128, 256, 512), (16, 32, 64)),
    "submissions": ("rows, 1 in 4 distinct", by_submissions, (100, 1000, 2500, 5000, 10000), (50, 100, 200)),
    "distinct": ("distinct rows", by_distinct, (100, 500, 1000, 2000), (20, 40, 80)),
    "problems": ("problems, one row each", by_problems, (10, 100, 250, 500, 1000), (5, 10, 20)),
    "slots": ("slots", by_slots, (1, 2, 4, 8), (1, 2)),
}


def point(name: str, x: int) -> dict[str, float]:
    """In this process: judge what the curve has at `x`."""
    with tempfile.TemporaryDirectory(prefix="judge-scale-") as directory:
        place = Path(directory)
        submissions = CURVES[name][1](place, x)
        slots = x if name == "slots" else None
        with Judge(slots=slots, cache_directory=place / "cache") as judge:
            first = next(submissions)
            judge.judge(first)  # the linker is chosen, the problem loaded, the slot open
            began, before, count = time.perf_counter(), cpu_s(), 0
            for judgement in judge.judge_many(submissions, Options()):
                count += 1
                if judgement.verdict is not Verdict.AC:
                    raise SystemExit(f"{name} {x}: {judgement.verdict}: {judgement.error or judgement.tests[0]}")
            wall, cpu = time.perf_counter() - began, cpu_s() - before
    return {"x": x, "rows": count, "cpu_s": cpu, "wall_s": wall, "resident_mib": peak_mib()}


def peak_mib() -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def fit(points: Sequence[Mapping[str, float]]) -> tuple[float, float, float]:
    """a, b of CPU seconds = a + b x; the largest distance in per cent of the largest point."""
    xs, ys = [each["x"] for each in points], [each["cpu_s"] for each in points]
    middle, height = sum(xs) / len(xs), sum(ys) / len(ys)
    slope = sum((x - middle) * (y - height) for x, y in zip(xs, ys, strict=True)) / sum((x - middle) ** 2 for x in xs)
    start = height - slope * middle
    worst = max(abs(y - start - slope * x) for x, y in zip(xs, ys, strict=True))
    return start, slope, 100 * worst / max(ys)


def measure(name: str, xs: Sequence[int]) -> dict[str, Any]:
    points = []
    for x in xs:
        command = [sys.executable, __file__, "--point", name, str(x)]
        said = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
        points.append(json.loads(said))
        show = points[-1]
        print(
            f"    {x:8}{show['rows']:8} rows{show['cpu_s']:10.2f} s CPU{show['wall_s']:10.2f} s"
            f"{show['rows'] / show['wall_s']:10.1f}/s{show['resident_mib']:8.0f} MiB",
            flush=True,
        )
    start, slope, worst = fit(points)
    print(f"    CPU s = {start:.3f} + {slope:.5f} x, worst {worst:.1f} %", flush=True)
    return {"points": points, "start": start, "slope": slope, "worst_percent": worst}


def summary(curve: Mapping[str, Any]) -> dict[str, float]:
    """A curve as a row of a table."""
    resident = [each["resident_mib"] for each in curve["points"]]
    return {
        "x from": curve["points"][0]["x"],
        "x to": curve["points"][-1]["x"],
        "CPU s at most": max(each["cpu_s"] for each in curve["points"]),
        "CPU ms for each x": 1000 * curve["slope"],
        "off the line, %": curve["worst_percent"],
        "resident MiB from": min(resident),
        "resident MiB to": max(resident),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(CURVES)} (default: all)")
    parser.add_argument("--short", action="store_true", help="small points, a minute or two")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--point", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.point:
        print(json.dumps(point(options.point[0], int(options.point[1]))))
        return
    if unknown := set(options.names) - CURVES.keys():
        parser.error(f"no curve {min(unknown)!r}; there are {', '.join(CURVES)}")
    table = {}
    for name in options.names or CURVES:
        what, _, points, short = CURVES[name]
        print(f"{name}: x = {what}", flush=True)
        table[name] = measure(name, short if options.short else points)
    if options.json:
        lines = {CURVES[name][0]: summary(curve) for name, curve in table.items()}
        options.json.write_text(json.dumps({"curves": table, "summary": lines}, indent=2) + "\n")


if __name__ == "__main__":
    main()
