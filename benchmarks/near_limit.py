"""Verdicts of programs whose memory ends near its limit: the same program, many times.

    python benchmarks/near_limit.py [--runs 200] [--tiers full restricted-root userns] [--json FILE]

Each row is one program that touches so much memory that its figure should be the limit plus the distance: its figure
under a far limit says how much comes beside what it asks for. A row that mixes verdicts lies in the band in which the
figure itself varies, which is printed below each table. Exit status 1: a mixed row outside the band that
docs/performance.md gives.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

from containers import Outcome, RunLimits, RunSpec, Sandbox
from containers.launcher.child import Child
from containers.launcher.driver import LauncherSandbox
from containers.launcher.plan import Plan
from containers.native import grant
from containers.outcome import Isolation
from judge.ruling.classify import Allowed, classify

KIB, MIB = 1 << 10, 1 << 20
SECOND = 1_000_000_000
LIMIT = 64 * MIB
#: Distances from the limit, in KiB.
DISTANCES = [-2048, -1024, -512, 0, 512, 1024, 2048]
#: Only rows so near to the limit may mix verdicts, in KiB.
BAND = 384
_CPP = {
    "C++ static array": "#include <bits/stdc++.h>\nstatic char a[128 << 20]; int main(int, char **v) { "
    "long n = std::atol(v[1]); std::memset(a, 1, n); std::cout << int(a[n / 2]) << std::endl; }",
    "C++ malloc": "#include <bits/stdc++.h>\nint main(int, char **v) { long n = std::atol(v[1]); "
    "char *a = (char *)std::malloc(n); std::memset(a, 1, n); std::cout << int(a[n / 2]) << std::endl; }",
}
_PYTHON = 'import sys; a = bytearray(b"x") * int(sys.argv[1]); print(a[len(a) // 2])'


def open_tier(tier: str) -> Sandbox:
    if tier == "full":
        found = grant("full")
        return LauncherSandbox(found.plan, found.isolation, ())
    root, userns = os.geteuid() == 0, tier == "userns"
    plan = Plan(starter=Child(), namespaces=userns, user_namespace=userns, own_uid=root, cgroup=None)
    return LauncherSandbox(plan, Isolation(backend="native", tier=tier), ())


class Program:
    """Touches as many bytes as its argument says."""

    def __init__(self, name: str, stack: ExitStack) -> None:
        self.name, self._fd = name, None
        if name in _CPP:
            path = Path(stack.enter_context(tempfile.TemporaryDirectory()), "program")
            subprocess.run(("g++", "-O1", "-x", "c++", "-", "-o", str(path)), input=_CPP[name].encode(), check=True)
            self._fd = os.open(path, os.O_RDONLY)
            stack.callback(os.close, self._fd)

    def run(self, sandbox: Sandbox, touched: int, limit: int) -> Outcome:
        limits = RunLimits(cpu_ns=20 * SECOND, wall_ns=60 * SECOND, memory_bytes=limit)
        argv: tuple[str, ...] = ("program", str(touched))
        if self._fd is None:
            argv = ("/usr/bin/python3", "-s", "-E", "-B", "-c", _PYTHON, str(touched))
        return sandbox.run(RunSpec(argv=argv, executable=self._fd, limits=limits))

    def beside(self, sandbox: Sandbox, touched: int) -> int:
        """What its figure holds beside what it touches."""
        figures = [self.run(sandbox, touched, 4 * LIMIT).usage.memory_bytes for _ in range(20)]
        return round(statistics.median(figures)) - touched


def verdict(outcome: Outcome) -> str:
    allowed = Allowed(cpu_ns=20 * SECOND, wall_ns=60 * SECOND, memory_bytes=LIMIT, output_bytes=MIB)
    ruling = classify(outcome, allowed)
    return "clean" if ruling is None else ruling.verdict.value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--tiers", nargs="+", default=["full", "restricted-root", "userns"])
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows, mixed = [], 0
    with ExitStack() as stack:
        programs = [Program(name, stack) for name in (*_CPP, "Python bytearray")]
        for tier in arguments.tiers:
            sandbox = stack.enter_context(open_tier(tier))
            for program in programs:
                beside = program.beside(sandbox, LIMIT - 4 * MIB)
                print(f"\n{tier}, {program.name}: {beside / MIB:.2f} MiB beside what it touches, limit 64 MiB")
                spreads = []
                for distance in DISTANCES:
                    touched = LIMIT + distance * KIB - beside
                    outcomes = [program.run(sandbox, touched, LIMIT) for _ in range(arguments.runs)]
                    counts = Counter(map(verdict, outcomes))
                    figures = [one.usage.memory_bytes - LIMIT for one in outcomes if one.exit_code is not None]
                    if figures:
                        spreads += [figure / KIB - distance for figure in figures]
                    rows.append({"tier": tier, "program": program.name, "KiB from limit": distance, **counts})
                    mixed += len(counts) > 1 and abs(distance) > BAND
                    shown = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
                    print(f"  {distance / 1024:+5.1f} MiB ({touched / MIB:.2f} touched): {shown}", flush=True)
                print(f"  the figure varies by {min(spreads):+.0f} to {max(spreads):+.0f} KiB")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2))
    sys.exit(f"{mixed} mixed rows outside {BAND} KiB" if mixed else 0)


if __name__ == "__main__":
    main()
