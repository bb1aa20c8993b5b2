"""Whether the fast road changes anything: precompiled headers and fast linkers, or neither (JUDGE_PLAIN=1).

    python benchmarks/equivalence.py [--problem NAME …] [--language NAME …] [--only PART …] [--json FILE]

objects     every C++ submission of the library, compiled with the precompiled header that fits it best and without: the
            same bytes, or the same symbols with the same sizes
held        the same by a compiler that is held where it has read that header, and with the header alone: the same bytes
verdicts    every labelled submission of the library, judged on both roads: the same verdict, score and tests
attacks     the attack suites on both roads: programs that cheat get a verdict that their head permits, all that
            `judge selftest` tries is contained

The roads have caches of their own, new ones. A verdict that differs is asked for once more: times may decide it.
Exit status 1: something differs.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

import problems
from containers import File, open_sandbox
from judge import Judge, Judgement, Options, Submission, languages
from judge.common import config
from judge.compiling import linker
from judge.compiling.headers import ALL, Headers, Use, leading_headers
from judge.compiling.held import HELD_AFTER, Frontend
from judge.compiling.linker import COMPILE_ARGUMENTS
from judge.compiling.toolchain import Toolchain, has_succeeded, limits
from judge.many.verify import missing, request
from judge.selftest.suite import Selftest
from judge.store.cache import Cache

ROOT = Path(__file__).parent.parent
CONSOLE = Console(stderr=True)
PARTS = ("objects", "verdicts", "attacks")  # "held" belongs to the first
#: How the two objects of a program compare.
SAME, SYMBOLS, DIFFERENT, NEITHER, NO_HEADER = "same bytes", "same symbols", "DIFFERENT", "no object", "no header fits"
WHOLE = "left to g++ as a whole"


@contextmanager
def road(*, plain: bool, caches: Path) -> Iterator[Path]:
    """The cache's directory; what is made meanwhile goes this road."""
    directory = caches / ("plain" if plain else "fast")
    before = {name: os.environ.get(name) for name in ("JUDGE_PLAIN", "JUDGE_CACHE_DIR")}
    os.environ |= {"JUDGE_PLAIN": str(int(plain)), "JUDGE_CACHE_DIR": str(directory)}
    try:
        yield directory
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def objects(names: Sequence[str], language: str, caches: Path) -> dict[str, tuple[str, str]]:
    """How the objects of each program compare, by its path: with the header, and held."""
    found = {}
    cpp = languages.get(language)
    with road(plain=False, caches=caches) as directory:
        cache = Cache(directory)
        with open_sandbox(hide=config.hidden_directories(directory)) as sandbox:
            toolchain = Toolchain.of(cpp, cache)
            linking = linker.prepare(toolchain, cpp, sandbox)
            headers = Headers(toolchain=toolchain, language=cpp, linking=linking, sandbox=sandbox)
            paths = [labelled.path for name in names for labelled in problems.load(name).submissions]
            programs = sorted(path for path in paths if path.suffix == ".cpp")
            for path in track(programs, f"objects, {language}", console=CONSOLE):
                found["/".join(path.parts[-4:])] = _compared(headers, path.read_bytes())
    return found


def _compared(headers: Headers, text: bytes) -> tuple[str, str]:
    leading = leading_headers(text)
    if leading and ALL not in leading:
        headers.make(tuple(sorted(leading)))  # as if it had been seen often
    use = headers.use(text)
    if not use.arguments:
        return NO_HEADER, NO_HEADER
    fast, plain = (_object(headers, text, arguments) for arguments in (use, Use()))
    held = _held(headers, text, use, fast)
    if fast == plain:
        return SAME if fast is not None else NEITHER, held
    if fast is None or plain is None:
        return DIFFERENT, held
    return SYMBOLS if _symbols(fast) == _symbols(plain) else DIFFERENT, held


def _held(headers: Headers, text: bytes, use: Use, expected: bytes | None) -> str:
    if use.header is None:
        return WHOLE
    frontend = Frontend.of(headers, use.header)
    outcomes = [
        frontend.compile(text, use, headers, limits=limits(headers.language), files=()) for _ in range(HELD_AFTER + 1)
    ]
    if (outcome := outcomes[-1]) is None:
        return WHOLE
    if not has_succeeded(outcome):
        return NEITHER if expected is None else DIFFERENT
    # An object begins with the name of the main file.
    assembly = outcome.stdout.replace(b'.file\t"null"', b'.file\t"solution.cpp"', 1)
    made = headers.toolchain.build(
        headers.sandbox,
        *("-c", "../in/solution.s"),
        files=(File(name="solution.s", content=assembly),),
        output="solution.o",
    )
    return SAME if made == expected else DIFFERENT


def _object(headers: Headers, text: bytes, use: Use) -> bytes | None:
    flags = [part for part in headers.language.compile.argv[1:] if part != "{source}"]
    return headers.toolchain.build(
        headers.sandbox,
        *(*flags, *COMPILE_ARGUMENTS, *use.arguments, "-c", "../in/solution.cpp"),
        files=(File(name="solution.cpp", content=text),),
        output="solution.o",
    )


def _symbols(made: bytes) -> list[str]:
    """Size, kind and name of each symbol that an object defines."""
    with tempfile.NamedTemporaryFile(suffix=".o") as file:
        file.write(made)
        file.flush()
        listed = subprocess.run(("nm", "-S", "--defined-only", file.name), capture_output=True, text=True, check=True)
    return sorted(line.partition(" ")[2] for line in listed.stdout.splitlines())


def verdicts(names: Sequence[str], caches: Path) -> dict[str, str]:
    """Programs whose judgements differ, and how."""
    rows = [request(name, labelled) for name in names for labelled in problems.load(name).submissions]
    fast, plain = (_judged(rows, plain=plain, caches=caches) for plain in (False, True))
    doubtful = [row for row in rows if fast[str(row.id)] != plain[str(row.id)]]
    fast |= _judged(doubtful, plain=False, caches=caches)
    plain |= _judged(doubtful, plain=True, caches=caches)
    return {name: f"{fast[name]} / {plain[name]}" for name in map(str, fast) if fast[name] != plain[name]}


def _judged(rows: Sequence[Submission], *, plain: bool, caches: Path) -> dict[str, tuple[Any, ...]]:
    with road(plain=plain, caches=caches) as directory, Judge(cache_directory=directory) as judge:
        rows = [row for row in rows if missing(judge, row) is None]
        judged = track(judge.judge_many(rows, Options()), f"verdicts, {directory.name}", len(rows), console=CONSOLE)
        return {str(one.id): _facts(one) for one in judged}


def _facts(judgement: Judgement) -> tuple[Any, ...]:
    tests = [(test.name, test.verdict, test.score, test.exit_code, test.signal) for test in judgement.tests]
    return judgement.verdict, judgement.score, tests


def attacks(caches: Path) -> dict[str, str]:
    """What goes wrong on either road."""
    sys.path.insert(0, str(ROOT))
    suite = importlib.import_module("tests.containers.escape.judged")
    wrong = {}
    for plain in (False, True):
        name = "plain" if plain else "fast"
        with road(plain=plain, caches=caches) as directory:
            with Judge(cache_directory=directory) as judge:
                for cheat in suite.load():
                    judgement = judge.judge(cheat.submission(suite.package(cheat.problem, caches)), cheat.options)
                    if judgement.verdict not in cheat.permitted:
                        wrong[f"{name}: {cheat.name}"] = f"{judgement.verdict}: {judgement.error}"
            with Selftest("native", None) as selftest:
                wrong |= {f"{name}: {one.name}": "; ".join(one.found) for one in selftest.run() if one.found}
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problem", nargs="+", default=list(problems.names()), metavar="NAME", help="default: all")
    parser.add_argument("--language", nargs="+", default=["cpp17"], metavar="NAME", help="of objects (default: cpp17)")
    parser.add_argument("--only", nargs="+", default=list(PARTS), choices=PARTS, metavar="PART")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as directory:
        caches = Path(directory)
        caches.chmod(0o711)  # compilers pass through it
        if "objects" in options.only:
            for language in options.language:
                states = objects(options.problem, language, caches)
                for what, column in zip(("objects", "held"), zip(*states.values(), strict=True), strict=True):
                    found[f"{what}, {language}"] = dict(Counter(column))
                wrong |= {f"{language}: {path}": str(both) for path, both in states.items() if DIFFERENT in both}
        if "verdicts" in options.only:
            wrong |= verdicts(options.problem, caches)
            found["verdicts"] = sum(len(problems.load(name).submissions) for name in options.problem)
        if "attacks" in options.only:
            print(f"different so far: {wrong}\nattacks …", file=sys.stderr, flush=True)
            wrong |= attacks(caches)
    found["different"] = wrong
    print(json.dumps(found, indent=2, ensure_ascii=False))
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
