"""Where the time of a judgement goes: the parts of one run, of one compile, and of a submission with ten tests.

    python benchmarks/where.py [-n ROUNDS] [--json FILE]

run         A+B in the sandbox: what Python computes for it, what the launcher and the kernel do before and after, and
            the program itself, as the launcher's clock has it
compile     A+B with bits/stdc++.h: the compiler proper, which is held with the header in the sandbox, the assembler and
            the linker started by hand, and what g++, the sandbox and the cache add to them
submission  that program, compiled before, on ten tests: the runs, and what is around them (inputs, checker, verdict)

Medians in milliseconds.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from containers import Sandbox, open_sandbox
from judge import Judge, Submission, languages
from judge.common import config
from judge.compiling import linker
from judge.compiling.compiler import Compiler
from judge.compiling.headers import Headers
from judge.compiling.held import HELD_AFTER, Frontend
from judge.compiling.toolchain import RUN_LIMITS, Toolchain, limits
from judge.selftest.bench import SUM, TESTS, compile_fresh, fresh, medians, package, time_in_turn
from judge.store.cache import Cache
from judge.store.memfd import memfd

CPP = languages.get("cpp17")


def run(sandbox: Sandbox, compiler: Compiler, rounds: int) -> dict[str, float]:
    compiled = compiler.compile(SUM.encode(), CPP, sandbox)
    if compiled.program is None:
        raise SystemExit(compiled.result.output)
    parts: dict[str, list[int]] = {"Python": [], "launcher and kernel": [], "program": []}
    with compiled.program as program, memfd("input", b"1 2\n") as data:
        for _ in range(rounds):
            began, computed = time.perf_counter_ns(), time.thread_time_ns()
            stdin = os.open(f"/proc/self/fd/{data}", os.O_RDONLY | os.O_CLOEXEC)
            outcome = sandbox.run(program.spec(limits=RUN_LIMITS, stdin=stdin))
            os.close(stdin)
            computed, took = time.thread_time_ns() - computed, time.perf_counter_ns() - began
            parts["Python"].append(computed)
            parts["program"].append(outcome.usage.wall_ns)
            parts["launcher and kernel"].append(took - computed - outcome.usage.wall_ns)
    return {name: statistics.median(values) / 1e6 for name, values in parts.items()}


def compile_(sandbox: Sandbox, compiler: Compiler, cache: Cache, rounds: int) -> dict[str, float]:
    toolchain = Toolchain.of(CPP, cache)
    linking = linker.prepare(toolchain, CPP, sandbox)
    headers = Headers(toolchain=toolchain, language=CPP, linking=linking, sandbox=sandbox)
    use = headers.use(SUM.encode())
    if use.header is None:
        raise SystemExit("there is no precompiled header of bits/stdc++.h")
    front = partial(Frontend.of(headers, use.header).compile, SUM.encode(), use, headers, limits=limits(CPP), files=())
    with tempfile.TemporaryDirectory() as directory:
        assembly, made = (Path(directory, name) for name in ("a.s", "a.o"))
        for _ in range(HELD_AFTER + 1):
            if (outcome := front()) is None:
                raise SystemExit("cc1plus cannot be started without g++")
            assembly.write_bytes(outcome.stdout)
        link = (str(toolchain.compiler), str(made), "-o", f"{directory}/a", *linking.argv(toolchain, wrap_freopen=True))
        steps = {"as": ("as", str(assembly), "-o", str(made)), "link": link}
        ways: dict[str, Callable[[], object]] = {
            name: partial(subprocess.run, command, check=True, capture_output=True) for name, command in steps.items()
        }
        ways |= {"cc1plus": front, "whole": lambda: compile_fresh(compiler, fresh(SUM), CPP, sandbox)}
        times = medians(time_in_turn(ways, rounds))
    return {
        "cc1plus, held": times["cc1plus"],
        "as": times["as"],
        "link": times["link"],
        "sandbox, g++, cache": times["whole"] - times["cc1plus"] - times["as"] - times["link"],
    }


def submission(rounds: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as directory, Judge(slots=1) as judge:
        row = Submission(source=SUM.encode(), problem=package(Path(directory, "sum")))
        judge.judge(row)
        walls, runs = [], []
        for _ in range(rounds):
            judgement = judge.judge(row)
            walls.append(judgement.wall_ns or 0)
            runs.append(sum(test.wall_ns or 0 for test in judgement.tests))
    whole, programs = statistics.median(walls) / 1e6, statistics.median(runs) / 1e6
    return {f"{TESTS} programs": programs, "around them": whole - programs}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=25, help="rounds (default %(default)s)")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    cache = Cache()
    compiler = Compiler(cache)
    with open_sandbox(hide=config.hidden_directories(cache.directory)) as sandbox:
        found = {
            "run": run(sandbox, compiler, 8 * options.n),
            "compile": compile_(sandbox, compiler, cache, options.n),
            "submission": submission(options.n),
        }
    for name, parts in found.items():
        print(f"{name}: {sum(parts.values()):.2f} ms")
        for part, ms in parts.items():
            print(f"    {part:24}{ms:9.2f} ms")
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
