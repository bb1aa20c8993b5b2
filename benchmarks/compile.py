"""What a compile costs: plain g++ and clang++, ccache, and ours, for a program that was never seen and for one in the
cache; interleaved.

    python benchmarks/compile.py [-n ROUNDS] [--backend NAME] [--json FILE]

Plain is `g++ -std=gnu++17 -O2 -DONLINE_JUDGE` as a subprocess. Ours runs in the sandbox with warm headers: each round
compiles a source that no cache holds ("first"), then the same again ("cached"). "ccache" is its hit for the same
source, linked by g++; "clang++" is plain, and "first, clang" our `cpp17-clang`. What is not installed is left out.
Medians, and ratios to g++.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from containers import Sandbox, open_sandbox
from judge import languages
from judge.common import config
from judge.compiling.compiler import Compiler
from judge.compiling.headers import SIGHTINGS
from judge.selftest.bench import PROGRAMS, compile_fresh, fresh, medians, plain_compile, time_in_turn
from judge.store.cache import Cache


def actions(compiler: Compiler, source: str, sandbox: Sandbox, directory: Path) -> dict[str, Callable[[], object]]:
    """Ways to compile it. The cached one comes after the first one of the same round."""
    last = {"source": ""}

    def plain(command: str) -> None:
        plain_compile(fresh(source), directory, Path(command)).unlink()

    def first(language: str) -> None:
        last["source"] = fresh(source)
        compile_fresh(compiler, last["source"], languages.get(language), sandbox)

    def cached() -> None:
        compile_fresh(compiler, last["source"], languages.get("cpp17"), sandbox)

    same = directory / "same.cpp"
    same.write_text(source)

    def ccache() -> None:
        command = ("ccache", "g++", "-std=gnu++17", "-O2", "-DONLINE_JUDGE", "-c", same, "-o", same.with_suffix(".o"))
        subprocess.run(command, check=True, env={**os.environ, "CCACHE_DIR": str(directory / "ccache")})
        subprocess.run(("g++", same.with_suffix(".o"), "-o", same.with_suffix("")), check=True)

    found: dict[str, Callable[[], object]] = {"g++": lambda: plain("g++")}
    if languages.get("cpp17-clang").status().problem is None:
        found |= {"clang++": lambda: plain("clang++"), "first, clang": lambda: first("cpp17-clang")}
    if shutil.which("ccache"):
        found["ccache"] = ccache
    return found | {"first": lambda: first("cpp17"), "cached": cached}


def measure(rounds: int, backend: str) -> dict[str, dict[str, float]]:
    cache = Cache()
    compiler = Compiler(cache)
    table = {}
    with (
        open_sandbox(backend, hide=config.hidden_directories(cache.directory)) as sandbox,
        tempfile.TemporaryDirectory() as directory,
    ):
        for name, source in PROGRAMS.items():
            ways = actions(compiler, source, sandbox, Path(directory))
            for how in ("first", "first, clang"):
                for _ in range(SIGHTINGS if how in ways else 0):  # headers are made now
                    ways[how]()
            table[name] = medians(time_in_turn(ways, rounds))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=11, help="rounds (default %(default)s)")
    parser.add_argument("--backend", default="native")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    table = measure(options.n, options.backend)
    for name, row in table.items():
        print(name)
        for how, ms in row.items():
            print(f"    {how:16}{ms:10.1f} ms{ms / row['g++']:10.4f} x g++")
    if options.json:
        options.json.write_text(json.dumps(table, indent=2) + "\n")


if __name__ == "__main__":
    main()
