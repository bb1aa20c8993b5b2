"""Measures what judging costs on this machine, beside the same work without a judge: `judge bench`, in about a minute.

run          A+B, as a sandboxed run, beside `subprocess.run`
compile      programs never seen before, in the sandbox with warm headers, beside `g++ -O2`; and the same from the cache
throughput   distinct programs on ten tests, on all slots, beside g++ and `subprocess.run` in as many threads

Compared actions take turns; figures are medians. The programs are our own, so they may run without walls.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from containers import RunSpec, Sandbox
from judge import languages
from judge.common import config
from judge.common.ending import run_child
from judge.common.models import Submission, Verdict
from judge.compiling.compiler import Compiler
from judge.compiling.headers import SIGHTINGS
from judge.compiling.toolchain import RUN_LIMITS
from judge.languages import ENVIRONMENT, Language
from judge.many.pool import Judge
from judge.slots.stoppable import open_stoppable
from judge.store.cache import Cache
from judge.store.memfd import memfd

SUM = """#include <bits/stdc++.h>
using namespace std;
int main() { long long a, b; cin >> a >> b; cout << a + b << endl; }
"""
#: Programs to compile, by title.
PROGRAMS: Mapping[str, str] = {
    "A+B, bits/stdc++.h": SUM,
    "A+B, iostream": """#include <iostream>
int main() { long long a, b; std::cin >> a >> b; std::cout << a + b << std::endl; }
""",
    "A+B, iostream vector algorithm": """#include <iostream>
#include <vector>
#include <algorithm>
using namespace std;
int main() {
    vector<long long> v(2);
    for (auto &x : v) cin >> x;
    cout << max(v[0], v[1]) + min(v[0], v[1]) << endl;
}
""",
    "sort, iostream vector algorithm": """#include <iostream>
#include <vector>
#include <algorithm>
using namespace std;
int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (auto &x : a) cin >> x;
    sort(a.begin(), a.end());
    for (int x : a) cout << x << ' ';
}
""",
    "60 lines, bits/stdc++.h": """#include <bits/stdc++.h>
using namespace std;
using ll = long long;
const ll INF = LLONG_MAX;

struct Edge { int to; ll weight; };

template <class T> struct Fenwick {
    vector<T> a;
    explicit Fenwick(int n) : a(n + 1) {}
    void add(int i, T x) {
        for (; i < (int)a.size(); i += i & -i) a[i] += x;
    }
    T sum(int i) const {
        T s{};
        for (; i; i -= i & -i) s += a[i];
        return s;
    }
};

vector<ll> distances(const vector<vector<Edge>> &graph, int from) {
    vector<ll> d(graph.size(), INF);
    priority_queue<pair<ll, int>, vector<pair<ll, int>>, greater<>> queue;
    queue.push({d[from] = 0, from});
    while (!queue.empty()) {
        auto [x, u] = queue.top();
        queue.pop();
        if (x > d[u]) continue;
        for (auto [v, w] : graph[u])
            if (x + w < d[v]) queue.push({d[v] = x + w, v});
    }
    return d;
}

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n, m;
    cin >> n >> m;
    vector<vector<Edge>> graph(n + 1);
    for (int i = 0, u, v, w; i < m; i++) {
        cin >> u >> v >> w;
        graph[u].push_back({v, w});
        graph[v].push_back({u, w});
    }
    auto d = distances(graph, 1);
    map<string, set<int>> names;
    for (int i = 1; i <= n; i++) names[to_string(d[i] % 100)].insert(i);
    Fenwick<ll> counts(n);
    for (int i = 1; i <= n; i++) counts.add(i, d[i] == INF ? 0 : d[i]);
    vector<int> order(n);
    iota(order.begin(), order.end(), 1);
    sort(order.begin(), order.end(), [&](int a, int b) { return d[a] < d[b]; });
    for (auto &[name, all] : names) cout << name << ' ' << all.size() << '\\n';
    for (int u : order) cout << u << " \\n"[u == order.back()];
    cout << counts.sum(n) << '\\n';
}
""",
}
PYTHON_SUM = "a, b = map(int, input().split())\nprint(a + b)\n"
TESTS = 10
_INPUT, _OUTPUT = b"1 2\n", b"3\n"
_HEAD = (
    "problem_format_version: 2025-09\nname: sum\nuuid: 8f0a5c52-6f0c-4b52-9a3e-0a9b7f3c1d5e\n"
    "limits: {time_limit: 1, memory: 256, output: 64}\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure beside that of the plain way. Times are in milliseconds, rates in submissions a second."""

    what: str
    unit: str
    ours: float
    plain: float

    @property
    def ratio(self) -> float:
        return self.ours / self.plain


def line_of_its_own(name: object, language: str = "cpp17") -> str:
    """A line at the end that makes a program another one and changes nothing; `name`: of letters and digits. In C and
    C++ a declaration: programs that differ in comments only are one to the compile cache."""
    if language.startswith("python"):
        return f"\n# {name}\n"
    return f"\nextern int of_its_own_{name};\n" if language.startswith("c") else f"\n// {name}\n"


def fresh(source: str, language: str = "cpp17") -> str:
    """The same program as no cache holds it."""
    return source + line_of_its_own(os.urandom(8).hex(), language)


def time_in_turn(actions: Mapping[str, Callable[[], object]], rounds: int, warm: int = 1) -> dict[str, list[float]]:
    """Milliseconds of each action, in turn, `rounds` times after some that do not count."""
    times: dict[str, list[float]] = {name: [] for name in actions}
    for turn in range(warm + rounds):
        for name, action in actions.items():
            began = time.perf_counter_ns()
            action()
            if turn >= warm:
                times[name].append((time.perf_counter_ns() - began) / 1e6)
    return times


def medians(times: Mapping[str, list[float]]) -> dict[str, float]:
    return {name: statistics.median(values) for name, values in times.items()}


def plain_compile(source: str, directory: Path, compiler: Path) -> Path:
    """Compile in the plain way, by g++. Returns the path of the program."""
    path = directory / f"{os.urandom(8).hex()}.cpp"
    path.write_text(source)
    command = (compiler, "-std=gnu++17", "-O2", "-DONLINE_JUDGE", path, "-o", path.with_suffix(""))
    run_child(command, env={**os.environ, "TMPDIR": str(directory)})  # one that is killed may leave files there
    path.unlink()
    return path.with_suffix("")


def plain_run(argv: tuple[str | Path, ...]) -> None:
    output = run_child(argv, input=_INPUT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(ENVIRONMENT)).stdout
    if output != _OUTPUT:
        raise RuntimeError(f"{argv} printed {output!r}")


def compile_fresh(compiler: Compiler, source: str, language: Language, sandbox: Sandbox) -> None:
    """Compile a program by the judge.

    Raises:
        RuntimeError: it does not compile; the message is the compiler's.
    """
    compiled = compiler.compile(source.encode(), language, sandbox)
    if compiled.program is None:
        raise RuntimeError(compiled.result.output)
    compiled.program.close()


def measure(backend: str = "native", slots: int | None = None) -> Generator[Figure]:
    """Yield each figure when it is known; takes about a minute.

    Raises:
        LanguageError: g++ is not installed.
        ContainerError: no sandbox.
    """
    language = languages.get("cpp17")
    gpp = language.find()
    cache = Cache()
    with tempfile.TemporaryDirectory(prefix="judge-bench-") as name:
        directory = Path(name)
        with open_stoppable(backend, hide=config.hidden_directories(cache.directory)) as sandbox:
            yield _run(sandbox, plain_compile(SUM, directory, gpp))
            compiler = Compiler(cache)
            for what, source in PROGRAMS.items():
                yield from _compile(compiler, what, source, sandbox, directory, gpp)
        with Judge(slots=slots, backend=backend) as judge:
            problem = package(directory / "sum")
            yield _throughput("C++", judge, problem, SUM, partial(_plain_cpp, directory, gpp), count=(32, 6))
            yield _throughput("Python", judge, problem, PYTHON_SUM, partial(_plain_python, directory), count=(32, 16))


def _run(sandbox: Sandbox, program: Path) -> Figure:
    with memfd("sum", program.read_bytes(), executable=True) as executable, memfd("input", _INPUT) as data:

        def ours() -> None:
            stdin = os.open(f"/proc/self/fd/{data}", os.O_RDONLY | os.O_CLOEXEC)
            try:
                spec = RunSpec(argv=("sum",), executable=executable, stdin=stdin, limits=RUN_LIMITS, env=ENVIRONMENT)
                if (outcome := sandbox.run(spec)).stdout != _OUTPUT:
                    raise RuntimeError(f"in the sandbox, A+B printed {outcome.stdout!r}")
            finally:
                os.close(stdin)

        times = medians(time_in_turn({"ours": ours, "plain": partial(plain_run, (program,))}, 200, warm=10))
    return Figure(what="run A+B", unit="ms", **times)


def _compile(
    compiler: Compiler, what: str, source: str, sandbox: Sandbox, directory: Path, gpp: Path
) -> Iterator[Figure]:
    language = languages.get("cpp17")

    def ours() -> None:
        compile_fresh(compiler, fresh(source), language, sandbox)

    for _ in range(SIGHTINGS):  # so that the precompiled header is made before we measure
        ours()
    again = fresh(source)
    actions = {
        "ours": ours,
        "plain": lambda: plain_compile(fresh(source), directory, gpp).unlink(),
        "cached": lambda: compile_fresh(compiler, again, language, sandbox),
    }
    times = medians(time_in_turn(actions, 3))
    yield Figure(what=f"compile {what}", unit="ms", ours=times["ours"], plain=times["plain"])
    if source is SUM:
        yield Figure(what=f"compile {what}, again", unit="ms", ours=times["cached"], plain=times["plain"])


def _throughput(
    what: str,
    judge: Judge,
    problem: Path,
    source: str,
    plain: Callable[[str], None],
    count: tuple[int, int],
) -> Figure:
    """Submissions a second: `count` by the judge, and as many in the plain way."""
    language = "cpp17" if what == "C++" else "python3"

    def row() -> Submission:
        return Submission(source=fresh(source, language).encode(), problem=problem, language=language)

    for judgement in judge.judge_many([row() for _ in range(SIGHTINGS)]):
        if judgement.verdict is not Verdict.AC:
            raise RuntimeError(f"A+B in {what}: {judgement.verdict}: {judgement.error}")
    rows, sources = [row() for _ in range(count[0])], [fresh(source, language) for _ in range(count[1])]
    began = time.monotonic()
    list(judge.judge_many(rows))
    ours = len(rows) / (time.monotonic() - began)
    began = time.monotonic()
    with ThreadPoolExecutor(judge.slots) as threads:
        list(threads.map(plain, sources))
    return Figure(
        what=f"{what}, {TESTS} tests, {judge.slots} at once",
        unit="submissions/s",
        ours=ours,
        plain=len(sources) / (time.monotonic() - began),
    )


def _plain_cpp(directory: Path, gpp: Path, source: str) -> None:
    program = plain_compile(source, directory, gpp)
    for _ in range(TESTS):
        plain_run((program,))


def _plain_python(directory: Path, source: str) -> None:
    path = directory / f"{os.urandom(8).hex()}.py"
    path.write_text(source)
    for _ in range(TESTS):
        plain_run((languages.get("python3").find(), path))


def package(root: Path) -> Path:
    """A problem whose tests are A+B."""
    (root / "statement").mkdir(parents=True)
    (root / "data" / "secret").mkdir(parents=True)
    (root / "problem.yaml").write_text(_HEAD)
    (root / "statement" / "problem.en.md").write_text("Print the sum of two integers.\n")
    for number in range(TESTS):
        (root / "data" / "secret" / f"{number}.in").write_bytes(_INPUT)
        (root / "data" / "secret" / f"{number}.ans").write_bytes(_OUTPUT)
    return root
