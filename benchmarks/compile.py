"""What a compile costs: plain g++ beside ours, for a program that was never seen and for one in the cache; interleaved.

    python benchmarks/compile.py [-n ROUNDS] [--backend NAME] [--json FILE]

Plain is `g++ -std=c++17 -O2 -DONLINE_JUDGE` as a subprocess. Ours runs in the sandbox with warm headers: each round
compiles a source that no cache holds ("first"), then the same again ("cached"). Medians, and ratios to plain.

`--same DIRECTORY` instead compiles every .cpp under it with and without precompiled headers and compares the objects.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from containers import File, Sandbox, open_sandbox
from judge import config, languages, linker
from judge.cache import Cache
from judge.compiler import Compiled, Compiler
from judge.headers import SIGHTINGS, Headers, Use
from judge.linker import COMPILE_ARGUMENTS
from judge.toolchain import Toolchain

Result = TypeVar("Result")

CPP = languages.get("cpp17")
PROGRAMS = {
    "A+B, bits/stdc++.h": """#include <bits/stdc++.h>
using namespace std;
int main() { long long a, b; cin >> a >> b; cout << a + b << endl; }
""",
    "A+B, iostream": """#include <iostream>
int main() { long long a, b; std::cin >> a >> b; std::cout << a + b << std::endl; }
""",
    "contest program": """#include <bits/stdc++.h>
using namespace std;
int main() {
    int n, m;
    cin >> n >> m;
    vector<vector<pair<int, long long>>> g(n + 1);
    for (int i = 0, u, v, w; i < m; i++) cin >> u >> v >> w, g[u].push_back({v, w}), g[v].push_back({u, w});
    vector<long long> d(n + 1, LLONG_MAX);
    priority_queue<pair<long long, int>, vector<pair<long long, int>>, greater<>> q;
    q.push({d[1] = 0, 1});
    map<string, set<int>> names;
    while (!q.empty()) {
        auto [x, u] = q.top();
        q.pop();
        if (x > d[u]) continue;
        names[to_string(x)].insert(u);
        for (auto [v, w] : g[u]) if (x + w < d[v]) q.push({d[v] = x + w, v});
    }
    sort(d.begin(), d.end(), [](auto a, auto b) { return a > b; });
    for (auto &[name, all] : names) cout << name << ' ' << all.size() << '\\n';
}
""",
}


def plain(source: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "solution.cpp")
        path.write_text(source)
        command = ("g++", "-std=c++17", "-O2", "-DONLINE_JUDGE", str(path), "-o", str(path.with_suffix("")))
        subprocess.run(command, check=True)


def ours(compiler: Compiler, source: str, sandbox: Sandbox) -> Compiled:
    compiled = compiler.compile(source.encode(), CPP, sandbox)
    if compiled.program is None:
        raise SystemExit(compiled.result.output)
    compiled.program.close()
    return compiled


def timed(action: Callable[[], Result]) -> tuple[float, Result]:
    """Milliseconds, and what came out."""
    began = time.perf_counter()
    result = action()
    return (time.perf_counter() - began) * 1e3, result


def measure(rounds: int, backend: str) -> dict[str, dict[str, float]]:
    cache = Cache()
    compiler = Compiler(cache)
    table = {}
    with open_sandbox(backend, hide=config.hidden_directories(cache.directory)) as sandbox:
        for name, source in PROGRAMS.items():
            for _ in range(SIGHTINGS):  # headers are made now
                ours(compiler, f"{source}// {os.urandom(8).hex()}\n", sandbox)
            times: dict[str, list[float]] = {"plain": [], "first": [], "cached": []}
            for _ in range(rounds):
                fresh = f"{source}// {os.urandom(8).hex()}\n"
                times["plain"].append(timed(partial(plain, fresh))[0])
                for how in ("first", "cached"):
                    spent, compiled = timed(partial(ours, compiler, fresh, sandbox))
                    times[how].append(spent)
                    if compiled.result.cached != (how == "cached"):
                        raise SystemExit(f"{how} was cached: {compiled.result.cached}")
            table[name] = {how: statistics.median(all_) for how, all_ in times.items()}
    return table


def compare(directory: Path, backend: str) -> Counter[str]:
    """How many objects are the same with precompiled headers."""
    cache = Cache()
    counts: Counter[str] = Counter()
    with open_sandbox(backend, hide=config.hidden_directories(cache.directory)) as sandbox:
        toolchain = Toolchain.of(CPP, cache)
        linking = linker.prepare(toolchain, CPP, sandbox)
        headers = Headers(toolchain=toolchain, language=CPP, linking=linking, sandbox=sandbox)
        for path in sorted(directory.rglob("*.cpp")):
            text = path.read_bytes()
            for _ in range(SIGHTINGS):
                use = headers.use(text)
            with_, without = (_object(headers, text, arguments) for arguments in (use, Use()))
            state = "same" if with_ == without else "DIFFERENT"
            counts["no precompiled header" if not use.arguments else state] += 1
            if state != "same":
                print(f"{path}: {state}")
    return counts


def _object(headers: Headers, text: bytes, use: Use) -> bytes | None:
    flags = [part for part in CPP.compile.argv[1:] if part != "{source}"]
    return headers.toolchain.build(
        headers.sandbox,
        *(*flags, *COMPILE_ARGUMENTS, *use.arguments, "-c", "../in/solution.cpp"),
        files=(File(name="solution.cpp", content=text),),
        output="solution.o",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("-n", type=int, default=11, help="rounds (default %(default)s)")
    parser.add_argument("--backend", default="native")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--same", type=Path, metavar="DIRECTORY", help="compare objects instead of times")
    options = parser.parse_args()
    if options.same:
        print(dict(compare(options.same, options.backend)))
        return
    table = measure(options.n, options.backend)
    print(f"{'':24}{'plain g++':>12}{'first':>12}{'cached':>12}{'first/plain':>14}{'cached/plain':>14}")
    for name, row in table.items():
        print(
            f"{name:24}{row['plain']:9.1f} ms{row['first']:9.1f} ms{row['cached']:9.1f} ms"
            f"{row['first'] / row['plain']:14.3f}{row['cached'] / row['plain']:14.4f}"
        )
    if options.json:
        options.json.write_text(json.dumps(table, indent=2) + "\n")


if __name__ == "__main__":
    main()
