"""How exact limits and figures are: CPU use past the limit, spread of memory figures, page cache, deep recursion.

    python benchmarks/measures.py [--json FILE]

Every line is a fact about this machine now. Nothing is compared with a clock of another run.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import statistics
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path

from containers import Outcome, RunLimits, RunSpec, Sandbox, Termination, open_sandbox

MIB = 1 << 20
MS = 1_000_000
LIMITS = RunLimits(cpu_ns=1000 * MS, wall_ns=20_000 * MS, memory_bytes=256 * MIB)
SOURCES = {
    "sum": "#include <iostream>\nint main() { long long a, b; std::cin >> a >> b; std::cout << a + b << '\\n'; }",
    "spin": "int main() { for (volatile long i = 0;; i++) ; }",
    "touch": "#include <cstdlib>\n#include <cstring>\nint main(int, char **v) { long n = atol(v[1]) << 20; "
    "char *p = (char *)malloc(n); memset(p, 1, n); return p[n / 2] - 1; }",
    "read": "#include <cstdio>\nstatic char b[1 << 16]; int main() { long s = 0; size_t n; "
    'while ((n = fread(b, 1, sizeof b, stdin)) > 0) s += (long)n; printf("%ld\\n", s); }',
    "recursion": "#include <cstdio>\n__attribute__((noinline)) long f(long n) { volatile char b[4096]; b[0] = 1; "
    'return n <= 0 ? b[0] : f(n - 4096) + b[0]; }\nint main() { printf("%d\\n", f(256L << 20) > 0); }',
}


class Programs:
    """Compiled once, run by descriptor."""

    def __init__(self, stack: ExitStack) -> None:
        directory = stack.enter_context(tempfile.TemporaryDirectory())
        self.fds: dict[str, int] = {}
        for name, source in SOURCES.items():
            path = Path(directory, name)
            subprocess.run(("g++", "-O1", "-x", "c++", "-", "-o", str(path)), input=source.encode(), check=True)
            self.fds[name] = os.open(path, os.O_RDONLY)
            stack.callback(os.close, self.fds[name])

    def run(
        self, sandbox: Sandbox, name: str, *arguments: str, stdin: bytes | int = b"1 2\n", limits: RunLimits = LIMITS
    ) -> Outcome:
        fd = stdin
        if isinstance(stdin, bytes):
            fd = os.memfd_create("input")
            os.write(fd, stdin)
            os.lseek(fd, 0, os.SEEK_SET)
        try:
            return sandbox.run(
                RunSpec(argv=(name, *arguments), executable=self.fds[name], stdin=int(fd), limits=limits)
            )
        finally:
            os.close(int(fd))


def beyond_limit(sandbox: Sandbox, programs: Programs, runs: int = 50) -> dict[str, float]:
    limit = 100 * MS
    spinning = RunLimits(cpu_ns=limit, wall_ns=60_000 * MS, memory_bytes=64 * MIB)
    over = []
    for _ in range(runs):
        outcome = programs.run(sandbox, "spin", limits=spinning)
        if outcome.termination is not Termination.CPU_LIMIT:
            raise SystemExit(f"a busy loop ended with {outcome.termination}")
        over.append((outcome.usage.cpu_ns - limit) / MS)
    return {"median ms": round(statistics.median(over), 2), "worst ms": round(max(over), 2)}


def _hog() -> None:
    while True:
        pass


def beyond_limit_beside_hogs(sandbox: Sandbox, programs: Programs) -> dict[str, float]:
    hogs = [multiprocessing.Process(target=_hog, daemon=True) for _ in range(4)]
    for hog in hogs:
        hog.start()
    try:
        return beyond_limit(sandbox, programs)
    finally:
        for hog in hogs:
            hog.kill()
            hog.join()


def memory_spread(sandbox: Sandbox, programs: Programs) -> dict[str, float]:
    """A+B 50 times: fresh, after a 200 MiB program, from a parent of 500 MiB."""
    figures = [programs.run(sandbox, "sum").usage.memory_bytes for _ in range(20)]
    programs.run(sandbox, "touch", "200")
    figures += [programs.run(sandbox, "sum").usage.memory_bytes for _ in range(15)]
    ballast = bytearray(b"x") * (500 * MIB)
    with open_sandbox() as other:
        figures += [programs.run(other, "sum").usage.memory_bytes for _ in range(15)]
    del ballast
    return {
        "min KiB": min(figures) / 1024,
        "max KiB": max(figures) / 1024,
        "spread KiB": (max(figures) - min(figures)) / 1024,
    }


def memory_of(sandbox: Sandbox, programs: Programs) -> dict[str, float]:
    return {
        f"{mib} MiB": round(programs.run(sandbox, "touch", str(mib)).usage.memory_bytes / MIB - mib, 2)
        for mib in (10, 100, 200)
    }


def cold_file(sandbox: Sandbox, programs: Programs) -> dict[str, str]:
    """60 MB that are not in the page cache, read under a limit of 32 MiB."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(os.urandom(60_000_000))
        file.flush()
        os.fsync(file.fileno())
        fd = os.open(file.name, os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        limits = RunLimits(cpu_ns=5000 * MS, wall_ns=60_000 * MS, memory_bytes=32 * MIB)
        outcome = programs.run(sandbox, "read", stdin=fd, limits=limits)
    return {"termination": str(outcome.termination), "output": outcome.stdout.decode().strip()}


def deep_recursion(sandbox: Sandbox, programs: Programs) -> dict[str, str]:
    limits = RunLimits(cpu_ns=5000 * MS, wall_ns=60_000 * MS, memory_bytes=512 * MIB)
    outcome = programs.run(sandbox, "recursion", limits=limits)
    return {"termination": str(outcome.termination), "output": outcome.stdout.decode().strip()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    measures = {
        "CPU past the limit, 50 busy loops": beyond_limit,
        "the same beside 4 busy processes": beyond_limit_beside_hogs,
        "memory of A+B, 50 runs": memory_spread,
        "memory figure minus memory touched, MiB": memory_of,
        "60 MB cold input under 32 MiB": cold_file,
        "256 MiB of recursion under 512 MiB": deep_recursion,
    }
    results = {}
    with ExitStack() as stack:
        programs = Programs(stack)
        sandbox = stack.enter_context(open_sandbox())
        print(sandbox.isolation)
        for name, measure in measures.items():
            results[name] = measure(sandbox, programs)
            print(f"{name}: {results[name]}", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
