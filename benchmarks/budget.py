#!/usr/bin/env python3
"""How much memory a whole judge takes while programs and compilers are bombs, read from outside.

    python benchmarks/budget.py --budget 4GiB --slots 16                       # this tree
    python benchmarks/budget.py --tree OTHER --no-budget --cap 8GiB            # another, which knows no budget

A batch of compile bombs (macros and templates in C and C++, g++ and clang++, constants in Rust, Go and Java), memory
bombs (C++ and Python) and honest programs, mixed, is judged by `judge batch` in a cgroup of its own. That cgroup holds
the judge and all its descendants, the cgroups of its slots too. It is read every few milliseconds: what it uses, less
the page cache of files, which the kernel drops whenever it wants. `--cap` is the cgroup's limit, for a judge that has
none of its own; where it is reached the kernel kills, and verdicts are no verdicts.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from containers.launcher.cgroup import Parents, find_parents
from judge import languages
from judge.common.errors import LanguageError
from judge.common.units import SIZE
from judge.selftest.bench import fresh

MIB = 1 << 20
_PAUSE_S = 0.01

_POWERS = "".join(f"#define A{n} {','.join([f'A{n - 1}'] * 8)}\n" for n in range(1, 10))
_MACROS = f"#define A0 1,1,1,1,1,1,1,1\n{_POWERS}int a[] = {{A9}};\nint main() {{}}\n"
_TEMPLATES = """
template <int N, long K> struct S { static constexpr long v = S<N - 1, 2 * K>::v + S<N - 1, 2 * K + 1>::v; };
template <long K> struct S<0, K> { static constexpr long v = 1; };
static_assert(S<40, 1>::v);
int main() {}
"""
_STRINGS = "".join(f"static final String A{n} = A{n - 1} + A{n - 1}; " for n in range(1, 28))
#: (language, program): each takes all the memory that its compiler may have, most within two seconds.
COMPILE_BOMBS = (
    ("cpp17", _MACROS),
    ("cpp17", "#include <bits/stdc++.h>\n" + _MACROS),
    ("cpp20", _MACROS),
    ("cpp17-clang", _MACROS),
    ("rust", 'static A: [u64; 1 << 27] = [1; 1 << 27];\nfn main() { println!("{}", A[std::env::args().count()]); }\n'),
    ("go", "package main\nvar a = [1 << 27]int{1<<27 - 1: 1}\nfunc main() { println(a[5]) }\n"),
    ("java", f'class Main {{ static final String A0 = "0123456789abcdef"; {_STRINGS} }}\n'),
    ("cpp17", _TEMPLATES),
)
_PYTHON_LISTS = "kept = []\nwhile True:\n    kept.append(bytearray(b'x' * 1000000))\n"
MEMORY_BOMBS = (
    ("cpp17", "#include <cstdlib>\n#include <cstring>\nint main() { for (;;) memset(malloc(1 << 20), 1, 1 << 20); }\n"),
    (
        "cpp17",
        "#include <bits/stdc++.h>\nint main() { std::vector<std::string> v; for (;;) v.emplace_back(5000, 'x'); }\n",
    ),
    ("python3", _PYTHON_LISTS),
    ("python3", "print(len([n for n in range(10**9)]))\n"),
)
HONEST = (
    ("cpp17", "#include <bits/stdc++.h>\nint main() { long long a, b; std::cin >> a >> b; std::cout << a + b; }\n"),
    (
        "c17",
        '#include <stdio.h>\nint main(void) { long long a, b; scanf("%lld%lld", &a, &b); printf("%lld", a + b); }\n',
    ),
    ("python3", "print(sum(map(int, input().split())))\n"),
)


_WITH_CORES = """
import sys
from judge.slots.capacity import Slots
cores = int(sys.argv.pop(1))
Slots.cores = property(lambda _: cores)
from judge.cli import process
sys.exit(process())
"""


@dataclass(slots=True, kw_only=True)
class Peak:
    used_bytes: int = 0
    with_cache_bytes: int = 0


def rows(count: int, seed: int) -> list[dict[str, str]]:
    """`count` of each kind that this machine can compile, in a random order; no two alike."""
    found = []
    for kind, programs in (("compile", COMPILE_BOMBS), ("memory", MEMORY_BOMBS), ("honest", HONEST)):
        here = [(language, text) for language, text in programs if _installed(language)]
        # The last compile bomb is slow, and one of four rounds has it: it is stopped for its time.
        here = here[:-1] * 4 + here[-1:] if kind == "compile" else here
        for number in range(count):
            language, text = here[number % len(here)]
            name = f"{kind} {number}"
            found.append({"id": name, "problem": "P1001", "language": language, "source": fresh(text, language)})
    random.Random(seed).shuffle(found)  # noqa: S311
    return found


def _installed(language: str) -> bool:
    try:
        languages.get(language).find()
    except LanguageError:
        return False
    return True


@contextmanager
def cgroup(cap_bytes: int | None) -> Iterator[Path]:
    parents = find_parents()
    if not isinstance(parents, Parents):
        sys.exit(f"needs a cgroup to measure in: {parents}")
    path = parents.memory / f"benchmark-{os.getpid()}"
    path.mkdir()
    try:
        if cap_bytes is not None:
            (path / ("memory.max" if parents.version == 2 else "memory.limit_in_bytes")).write_text(str(cap_bytes))
        yield path
    finally:
        for _ in range(200):
            try:
                for inside in path.iterdir():
                    if inside.is_dir():
                        inside.rmdir()
                path.rmdir()
                break
            except OSError:
                time.sleep(0.05)


def read(path: Path) -> tuple[int, int]:
    """What it uses without the page cache of files, and with it."""
    v2 = (path / "memory.current").exists()
    used = int((path / ("memory.current" if v2 else "memory.usage_in_bytes")).read_text())
    lines = (line.split() for line in (path / "memory.stat").read_text().splitlines())
    stat = {name: int(value) for name, value in lines}
    prefix = "" if v2 else "total_"
    cache = stat[f"{prefix}active_file"] + stat[f"{prefix}inactive_file"]
    return used - cache, used


def watch(path: Path, peak: Peak, over: threading.Event) -> None:
    while not over.wait(_PAUSE_S):
        used, with_cache = read(path)
        peak.used_bytes = max(peak.used_bytes, used)
        peak.with_cache_bytes = max(peak.with_cache_bytes, with_cache)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget", default="4GiB")
    parser.add_argument("--no-budget", action="store_true", help="of a tree that knows none")
    parser.add_argument("--slots", type=int, default=16)
    parser.add_argument("--cores", type=int, help="run so many at once, as on a machine with so many cores")
    parser.add_argument("--count", type=int, default=64, help="of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cap", help="limit of the cgroup that all run in")
    parser.add_argument("--tree", type=Path, default=Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    peak, over = Peak(), threading.Event()
    cap = None if arguments.cap is None else SIZE.convert(arguments.cap, None, None)
    with tempfile.TemporaryDirectory(prefix="judge-budget-") as place, cgroup(cap) as group:
        given, out = Path(place, "rows.jsonl"), Path(place, "results.jsonl")
        given.write_text("".join(json.dumps(row) + "\n" for row in rows(arguments.count, arguments.seed)))
        program = ["-m", "judge"] if arguments.cores is None else ["-c", _WITH_CORES, str(arguments.cores)]
        command = [sys.executable, *program, "batch", str(given), "-o", str(out), "-j", str(arguments.slots)]
        command += [] if arguments.no_budget else ["--memory-budget", arguments.budget]
        env = {**os.environ, "PYTHONPATH": str(arguments.tree)}
        watcher = threading.Thread(target=watch, args=(group, peak, over))
        watcher.start()
        began = time.monotonic()
        try:
            judge = subprocess.Popen(
                command,
                env=env,
                cwd=place,
                preexec_fn=lambda: (group / "cgroup.procs").write_text(str(os.getpid())),  # noqa: PLW1509
            )
            status = judge.wait()
        finally:
            over.set()
            watcher.join()
        took_s = time.monotonic() - began
        results = [json.loads(line) for line in out.read_text().splitlines()]
    budget = "no budget" if arguments.no_budget else arguments.budget
    at_once = "" if arguments.cores is None else f", {arguments.cores} at once"
    print(f"{budget}, {arguments.slots} slots{at_once}: exit status {status}")
    print(f"  peak {peak.used_bytes / MIB:.0f} MiB ({peak.with_cache_bytes / MIB:.0f} with page cache), {took_s:.0f} s")
    for kind in ("compile", "memory", "honest"):
        verdicts = Counter(str(result["verdict"]) for result in results if result["id"].startswith(kind))
        print(f"  {kind:8} {', '.join(f'{count} {verdict}' for verdict, count in verdicts.most_common())}")


if __name__ == "__main__":
    main()
