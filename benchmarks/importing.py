"""What importing a collection of 1 000 problems costs, in each format: time, and the most memory that it takes.

    python benchmarks/importing.py [--problems 1000] [FORMAT …]

Each collection is made from the bundled problems that are files in and out, over and over, each test as it is there. It
is imported in a process of its own, as `judge problems import` does it.
"""

from __future__ import annotations

import argparse
import io
import json
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from pathlib import Path

import problems
from problems import Problem
from problems.importing import FORMATS, import_problems
from problems.lookup import names

#: A test: input and answer.
Tests = list[tuple[bytes, bytes]]
Files = dict[str, bytes]
#: A collection of one directory, or a directory with problems that are imported one after another.
Made = Callable[[str, Tests], Files]


def _pairs(place: str, tests: Tests, given: str = "{}.in", answer: str = "{}.out") -> Files:
    made = {}
    for number, (input_, output) in enumerate(tests, 1):
        made[place + given.format(number)] = input_
        made[place + answer.format(number)] = output
    return made


def _yaml(data: object) -> bytes:
    return json.dumps(data).encode()  # which YAML reads, too


def _luogu(name: str, tests: Tests) -> Files:
    config = {f"{number}.in": {"timeLimit": 1000, "score": 10} for number in range(1, len(tests) + 1)}
    return {**_pairs("", tests), "config.yml": _yaml(config)}


def _hydro(name: str, tests: Tests) -> Files:
    rows = [{"input": f"{number}.in", "output": f"{number}.out"} for number in range(1, len(tests) + 1)]
    config = {"time": "1s", "memory": "256m", "subtasks": [{"id": 1, "score": 100, "type": "sum", "cases": rows}]}
    head = {f"{name}/problem.yaml": _yaml({"title": name}), f"{name}/testdata/config.yaml": _yaml(config)}
    return {**_pairs(f"{name}/testdata/", tests), **head}


def _syzoj(name: str, tests: Tests) -> Files:
    numbers = list(map(str, range(1, len(tests) + 1)))
    stated = {"subtasks": [{"score": 100, "type": "sum", "cases": numbers}], "inputFile": "#.in", "outputFile": "#.out"}
    return {**_pairs("", tests), "data.yml": _yaml(stated)}


def _polygon(name: str, tests: Tests) -> Files:
    xml = f"""<problem short-name="{name}"><names><name language="english" value="{name}"/></names>
<judging input-file="" output-file=""><testset name="tests"><time-limit>1000</time-limit>
<memory-limit>268435456</memory-limit><input-path-pattern>tests/%d</input-path-pattern>
<answer-path-pattern>tests/%d.a</answer-path-pattern><tests>{"<test/>" * len(tests)}</tests></testset></judging>
<assets><checker name="std::wcmp.cpp" type="testlib"/></assets></problem>"""
    return {**_pairs("tests/", tests, "{}", "{}.a"), "problem.xml": xml.encode()}


def _uoj(name: str, tests: Tests) -> Files:
    stated = f"use_builtin_judger on\nuse_builtin_checker ncmp\nn_tests {len(tests)}\ninput_suf in\noutput_suf out\n"
    return {**_pairs("", tests, "input{}.in", "output{}.out"), "problem.conf": stated.encode()}


def _dmoj(name: str, tests: Tests) -> Files:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in _pairs("", tests).items():
            archive.writestr(path, content)
    rows = [{"in": f"{number}.in", "out": f"{number}.out", "points": 1} for number in range(1, len(tests) + 1)]
    return {f"{name}/init.yml": _yaml({"archive": "d.zip", "test_cases": rows}), f"{name}/d.zip": packed.getvalue()}


def _lemon(name: str, tests: Tests) -> Files:
    rows = [
        {"fullScore": 10, "inputFiles": [f"p/{number}.in"], "outputFiles": [f"p/{number}.out"]}
        for number in range(1, len(tests) + 1)
    ]
    task = {"problemTitle": name, "sourceFileName": name, "comparisonMode": 1, "testCases": rows}
    return {**_pairs("data/p/", tests), "x.cdf": _yaml({"tasks": [task]})}


def _qduoj(name: str, tests: Tests) -> Files:
    rows = [{"input_name": f"{number}.in", "output_name": f"{number}.out"} for number in range(1, len(tests) + 1)]
    head = {"title": name, "time_limit": 1000, "memory_limit": 256, "test_case_score": rows}
    return {**_pairs(f"{name}/testcase/", tests), f"{name}/problem.json": _yaml(head)}


def _cms(name: str, tests: Tests) -> Files:
    limits = {"time_limit": 1, "memory_limit": 256}
    task = {"name": name, **limits, "infile": "", "outfile": "", "n_input": len(tests)}
    made = {f"{name}/task.yaml": _yaml(task)}
    for number, (given, answer) in enumerate(tests):
        made |= {f"{name}/input/input{number}.txt": given, f"{name}/output/output{number}.txt": answer}
    return made


def _tps(name: str, tests: Tests) -> Files:
    head = {"code": name, "name": name, "task_type": "Batch", "time_limit": 1, "memory_limit": 256}
    return {**_pairs("tests/", tests), "problem.json": _yaml(head)}


def _omegaup(name: str, tests: Tests) -> Files:
    settings = {"Limits": {"TimeLimit": "1s"}, "Validator": {"Name": "token"}}
    return {**_pairs(f"{name}/cases/", tests), f"{name}/settings.json": _yaml(settings)}


def _sinol(name: str, tests: Tests) -> Files:
    made = {f"{name}/config.yml": _yaml({"title": name, "sinol_task_id": "abc"})}
    for number, (given, answer) in enumerate(tests, 1):
        made |= {f"{name}/in/abc{number}.in": given, f"{name}/out/abc{number}.out": answer}
    return made


def _bare(name: str, tests: Tests) -> Files:
    return _pairs(f"{name}/", tests)


def _fps(name: str, tests: Tests) -> Files:
    """Its text is XML, so that each file stands for a part of the collection."""
    item = "".join(f"<test_input>{_text(a)}</test_input><test_output>{_text(b)}</test_output>" for a, b in tests)
    return {f"{name}.xml": f"<fps><item><title>{name}</title>{item}</item></fps>".encode()}


def _text(data: bytes) -> str:
    return data.decode().replace("&", "&amp;").replace("<", "&lt;")


MAKE: dict[str, Made] = {
    **{"luogu": _luogu, "hydro": _hydro, "polygon": _polygon, "syzoj": _syzoj, "uoj": _uoj, "dmoj": _dmoj},
    **{"lemon": _lemon, "qduoj": _qduoj, "cms": _cms, "tps": _tps, "omegaup": _omegaup, "sinol": _sinol},
    **{"fps": _fps, "bare": _bare},
}
#: Formats of one problem a source: a collection is a folder of such.
ALONE = {"luogu", "syzoj", "polygon", "uoj", "lemon", "tps"}


def _library() -> list[tuple[str, Tests]]:
    """The bundled problems whose tests lie in files, each with its tests."""
    found = []
    for name in sorted(names()):
        problem: Problem = problems.load(name)
        cases = [case for case in problem.cases if not case.sample and case.answer is not None]
        if problem.kind == "batch" and cases and not problem.function:
            found.append((name, [(case.read_input(), case.read_answer()) for case in cases]))
    return found


def _collection(kind: str, count: int, root: Path) -> int:
    """Write it. Returns how many tests it has."""
    tests = 0
    items = []
    for number, (name, held) in enumerate(islice(cycle(_library()), count)):
        tests += len(held)
        files = MAKE[kind](f"p{number:04}-{name}", held)
        if kind == "fps":
            items.append(next(iter(files.values())).removeprefix(b"<fps>").removesuffix(b"</fps>"))
            continue
        for path, content in files.items():
            place = root / (f"{number:04}" if kind in ALONE else ".") / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
    if kind == "fps":
        (root / "set.xml").write_bytes(b"<fps>" + b"".join(items) + b"</fps>")
    return tests


def _sources(kind: str, root: Path) -> Iterator[Path]:
    if kind in ALONE:
        yield from sorted(root.iterdir())
    else:
        yield root


def _imported(kind: str, root: Path, into: Path) -> None:
    """In a process of its own: prints how many problems were imported, seconds by the clock and of CPU time, and
    mebibytes."""
    began, done = time.monotonic(), 0
    for source in _sources(kind, root):
        for one in import_problems(source, into / source.name if kind in ALONE else into, format=kind, lenient=True):
            done += one.package is not None
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(done, time.monotonic() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help="Of all, if none is given.")
    parser.add_argument("--problems", type=int, default=1000, help="In each collection.")
    parser.add_argument("--import-only", nargs=2, metavar=("ROOT", "INTO"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.import_only:
        _imported(options.formats[0], *map(Path, options.import_only))
        return
    print("| format | problems | tests | seconds | CPU seconds | MB |\n|---|---|---|---|---|---|")
    for kind in options.formats or [one.name for one in FORMATS]:
        with tempfile.TemporaryDirectory(prefix="judge-importing-") as scratch:
            root, into = Path(scratch, "collection"), Path(scratch, "made")
            root.mkdir()
            tests = _collection(kind, options.problems, root)
            command = [sys.executable, __file__, kind, "--import-only", str(root), str(into)]
            said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
            figures = " | ".join((f"{float(said[1]):.1f}", f"{float(said[2]):.1f}", f"{float(said[3]):.0f}"))
            print(f"| `{kind}` | {said[0]} | {tests} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
