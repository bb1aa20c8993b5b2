"""Distinct submissions on ten tests: how many a second, beside what a script would do, and how much more CPU time than
the bare work.

    python benchmarks/throughput.py [-n SUBMISSIONS] [--rounds R] [-j SLOTS] [--json FILE] [NAME ...]

ours        Judge.judge_many, sandboxed, headers warm; no program was ever seen before
plain       as many threads, each: g++ -O2 (not for Python), then subprocess.run on each test; a quarter of them
bare        as many threads: cc1plus, as and the linker as our headers and linker have them called, by hand, then the
            program as a child on each test; nothing of ours, no g++, no shell

CPU time is that of all processes, the judge, its launchers, compilers and programs. Rounds are interleaved; medians.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shlex
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from containers import open_sandbox
from judge import Judge, Submission, Verdict, languages
from judge.common import config
from judge.compiling import linker
from judge.compiling.headers import SIGHTINGS, Headers
from judge.compiling.linker import COMPILE_ARGUMENTS
from judge.compiling.toolchain import Toolchain
from judge.languages import ENVIRONMENT
from judge.selftest.bench import PROGRAMS, PYTHON_SUM, TESTS, fresh, package, plain_compile
from judge.store.cache import Cache

CPP, PYTHON = languages.get("cpp17"), languages.get("python3")
SUM_TESTS = [b"%d %d\n" % (number, 7 * number) for number in range(TESTS)]
GRAPH_TESTS = [b"4 3\n1 2 %d\n2 3 4\n3 4 5\n" % (number + 1) for number in range(TESTS)]
#: Name: (source, inputs).
SETS = {
    "C++, A+B": (PROGRAMS["A+B, bits/stdc++.h"], SUM_TESTS),
    "C++, 60 lines": (PROGRAMS["60 lines, bits/stdc++.h"], GRAPH_TESTS),
    "Python, A+B": (PYTHON_SUM, SUM_TESTS),
}
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_TEMPORARY = re.compile(r"/[\w/]+/cc\w{6}\.(\w+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Of one submission."""

    wall_s: float
    cpu_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One set of programs that differ in a comment."""

    source: str
    inputs: Sequence[bytes]
    answers: Sequence[bytes]
    problem: Path
    directory: Path

    @property
    def cpp(self) -> bool:
        return "#include" in self.source

    def fresh(self) -> str:
        return fresh(self.source, "cpp17" if self.cpp else "python3")

    def rows(self, count: int) -> list[Submission]:
        language = CPP if self.cpp else PYTHON
        return [
            Submission(source=self.fresh().encode(), problem=self.problem, language=language.name) for _ in range(count)
        ]

    def run(self, argv: tuple[str | Path, ...]) -> None:
        for input_, answer in zip(self.inputs, self.answers, strict=True):
            made = subprocess.run(argv, input=input_, capture_output=True, check=True, env=dict(ENVIRONMENT)).stdout
            if made != answer:
                raise SystemExit(f"{argv} printed {made!r} instead of {answer!r}")


def cpu_s() -> float:
    """Of this process, of its children that are gone, and of those that live with theirs."""
    spent = sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )
    return spent + sum(map(_of_process, _descendants(os.getpid())))


def _descendants(pid: int) -> Iterator[int]:
    with suppress(OSError):  # one that has ended meanwhile: its parent has its times
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                yield child
                yield from _descendants(child)


def _of_process(pid: int) -> float:
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) * _TICK_S
    return 0.0


def spent(count: int, action: Callable[[], object]) -> Spent:
    began, before = time.perf_counter(), cpu_s()
    action()
    return Spent(wall_s=(time.perf_counter() - began) / count, cpu_s=(cpu_s() - before) / count)


def judged(judge: Judge, rows: Sequence[Submission]) -> None:
    for judgement in judge.judge_many(rows):
        if judgement.verdict is not Verdict.AC:
            raise SystemExit(f"{judgement.problem}: {judgement.verdict}: {judgement.error or judgement.tests}")


def plain(work: Work, sources: Sequence[str], slots: int) -> None:
    def one(source: str) -> None:
        if work.cpp:
            work.run((plain_compile(source, work.directory, CPP.find()),))
        else:
            path = work.directory / f"{os.urandom(8).hex()}.py"
            path.write_text(source)
            work.run((PYTHON.find(), path))

    with ThreadPoolExecutor(slots) as threads:
        list(threads.map(one, sources))


def bare_commands(work: Work, source: Path) -> list[list[str]]:
    """What g++ would start with our headers and our linker: cc1plus, as, and the linker without collect2 around it."""
    cache = Cache()
    toolchain = Toolchain.of(CPP, cache)
    with open_sandbox(hide=config.hidden_directories(cache.directory)) as sandbox:
        linking = linker.prepare(toolchain, CPP, sandbox)
        use = Headers(toolchain=toolchain, language=CPP, linking=linking, sandbox=sandbox).use(work.source.encode())
    flags = [part for part in CPP.compile.argv[1:] if part != "{source}"]
    command: list[str | Path] = [toolchain.compiler, *flags, *COMPILE_ARGUMENTS, *use.arguments, source, "-###"]
    command += ["-o", source.with_suffix(""), *linking.argv(toolchain, wrap_freopen=True)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    words = [shlex.split(_TEMPORARY.sub(rf"{source}.\1", line)) for line in said.splitlines() if line[:1] == " "]
    commands = [argv for argv in words if argv and Path(argv[0]).name in ("cc1plus", "as", "collect2")]
    link = commands[-1]
    name = "ld" if linking.linker == "default" else f"ld.{linking.linker}"
    commands[-1] = [name, *(part for part in link[1:] if not part.startswith("-fuse-ld"))]
    return commands


def bare(work: Work, sources: Sequence[str], slots: int) -> float:
    """CPU seconds of one submission: of the compiler's parts and of the programs alone, without this process."""

    def worker(number: int) -> None:
        path = work.directory / f"bare{number}{'.cpp' if work.cpp else '.py'}"
        path.write_text(work.source)
        commands = bare_commands(work, path) if work.cpp else []
        ready.wait()
        for source in sources[number::slots]:
            path.write_text(source)
            for command in commands:
                subprocess.run(command, check=True, capture_output=True)
            work.run((path.with_suffix(""),) if commands else (PYTHON.find(), "-s", "-E", "-B", path))

    def children_s() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before: list[float] = []
    ready = threading.Barrier(slots, lambda: before.append(children_s()))
    with ThreadPoolExecutor(slots) as threads:
        list(threads.map(worker, range(slots)))
    return (children_s() - before[0]) / len(sources)


def prepared(name: str, directory: Path) -> Work:
    source, inputs = SETS[name]
    root = package(directory / "problem")
    work = Work(source=source, inputs=inputs, answers=(), problem=root, directory=directory)
    program: tuple[str | Path, ...] = (PYTHON.find(), "-c", source)
    if work.cpp:
        program = (plain_compile(source, directory, CPP.find()),)
    answers = [
        subprocess.run(program, input=input_, capture_output=True, check=True, env=dict(ENVIRONMENT)).stdout
        for input_ in inputs
    ]
    for number, (input_, answer) in enumerate(zip(inputs, answers, strict=True)):
        (root / f"data/secret/{number}.in").write_bytes(input_)
        (root / f"data/secret/{number}.ans").write_bytes(answer)
    return Work(source=source, inputs=inputs, answers=answers, problem=root, directory=directory)


def measure(name: str, count: int, rounds: int, slots: int | None) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="judge-throughput-") as place, Judge(slots=slots) as judge:
        work = prepared(name, Path(place))
        judged(judge, work.rows(max(SIGHTINGS, 2 * judge.slots)))  # headers, every slot
        fewer = max(judge.slots, count // 4)
        ours, theirs, least = [], [], []
        for _ in range(rounds):
            rows = work.rows(count)
            ours.append(spent(count, lambda rows=rows: judged(judge, rows)))  # type: ignore[misc]
            sources = [work.fresh() for _ in range(fewer)]
            theirs.append(spent(fewer, lambda sources=sources: plain(work, sources, judge.slots)))  # type: ignore[misc]
            least.append(bare(work, sources, judge.slots))
        return {
            "slots": judge.slots,
            "ours, per s": statistics.median(1 / each.wall_s for each in ours),
            "plain, per s": statistics.median(1 / each.wall_s for each in theirs),
            "rate / plain": statistics.median(b.wall_s / a.wall_s for a, b in zip(ours, theirs, strict=True)),
            "ours, CPU ms": statistics.median(each.cpu_s * 1e3 for each in ours),
            "bare, CPU ms": statistics.median(each * 1e3 for each in least),
            "CPU / bare": statistics.median(a.cpu_s / b for a, b in zip(ours, least, strict=True)),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SETS)} (default: all)")
    parser.add_argument("-n", type=int, default=64, help="submissions in a round (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("-j", "--slots", type=int)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if unknown := set(options.names) - SETS.keys():
        parser.error(f"no set {min(unknown)!r}; there are {', '.join(SETS)}")
    table = {}
    for name in options.names or SETS:
        table[name] = measure(name, options.n, options.rounds, options.slots)
        print(name)
        for what, value in table[name].items():
            print(f"    {what:<16}{value:10.2f}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(table, indent=2) + "\n")


if __name__ == "__main__":
    main()
