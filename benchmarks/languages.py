"""What each language costs on A+B: compile and run by the judge, beside its plain tools without a judge, in turns.

    python benchmarks/languages.py [-n ROUNDS] [--seconds S] [--only NAME ...] [--backend NAME] [--json FILE]

The program is the language's smoke program (`judge/languages/smoke.*`). Each round compiles it as a source that no
cache holds ("compile, first"), then the same again ("cached"), runs it ("run"), and does the same with the tools as a
user types them (`PLAIN`): "plain compile", "plain run". What is interpreted has no plain compile; ours checks it.
A language whose toolchain is not installed is left out. Figures are medians in milliseconds. The ratios are those of
what a first submission with one test costs: compile and run, ours to plain; and of the run alone.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from containers import Sandbox, open_sandbox
from judge import languages
from judge.common import config
from judge.compiling.compiler import Compiler, Executable
from judge.compiling.headers import SIGHTINGS
from judge.compiling.toolchain import RUN_LIMITS
from judge.languages import ENVIRONMENT, SMOKE_INPUT, SMOKE_OUTPUT, Language
from judge.selftest.bench import line_of_its_own, medians, time_in_turn
from judge.store.cache import Cache
from judge.store.memfd import memfd

#: By language: the command that compiles, and the command that runs, in a directory with the source under its name.
#: Other dialects of C and C++ cost what these cost.
PLAIN: Mapping[str, tuple[str, str]] = {
    "c17": ("gcc -std=gnu17 -O2 solution.c -o solution -lm", "./solution"),
    "cpp17": ("g++ -std=gnu++17 -O2 solution.cpp -o solution", "./solution"),
    "cpp17-clang": ("clang++ -std=gnu++17 -O2 solution.cpp -o solution", "./solution"),
    "rust": ("rustc --edition=2021 -O solution.rs", "./solution"),
    "go": ("go build solution.go", "./solution"),
    "pascal": ("fpc -O2 -v0 -osolution solution.pas", "./solution"),
    "ada": ("gnatmake -q -O2 solution.adb -o solution", "./solution"),
    "d": ("gdc -O2 -frelease solution.d -o solution", "./solution"),
    "fortran": ("gfortran -O2 solution.f90 -o solution", "./solution"),
    "haskell": ("ghc -v0 -O2 solution.hs -o solution", "./solution"),
    "nim": ("nim compile --hints:off -d:release solution.nim", "./solution"),
    "zig": ("zig build-exe -O ReleaseFast -fstrip -lc --name solution solution.zig", "./solution"),
    "ocaml": ("ocamlopt str.cmxa solution.ml -o solution", "./solution"),
    "nasm": ("sh -c 'nasm -f elf64 solution.asm && gcc -no-pie solution.o -o solution'", "./solution"),
    "java": ("javac {class}.java", "java {class}"),
    "kotlin": ("kotlinc solution.kt -include-runtime -d solution.jar", "java -jar solution.jar"),
    "scala": ("scalac -d solution.jar solution.scala", "scala -classpath solution.jar Main"),
    "csharp": ("mcs -optimize+ -r:System.Core -r:System.Numerics solution.cs", "mono solution.exe"),
    "typescript": ("tsc --target es2022 --lib es2022 --module commonjs node.d.ts solution.ts", "node solution.js"),
    "erlang": ("erlc {module}.erl", "erl -noshell -s {module} main -s init stop"),
    "racket": ("raco make solution.rkt", "racket solution.rkt"),
    "scheme": ("guile --no-auto-compile -c {scheme}", "guile --no-auto-compile -c '(load-compiled \"./solution.go\")'"),
    "lisp": (
        "sbcl --noinform --non-interactive --eval '(compile-file \"solution.lisp\")'",
        "sbcl --script solution.fasl",
    ),
    "python3": ("", "python3 solution.py"),
    "pypy3": ("", "pypy3 solution.py"),
    "javascript": ("", "node solution.js"),
    "ruby": ("", "ruby solution.rb"),
    "perl": ("", "perl solution.pl"),
    "php": ("", "php solution.php"),
    "lua": ("", "lua5.4 solution.lua"),
    "luajit": ("", "luajit solution.lua"),
    "bash": ("", "bash solution.sh"),
    "awk": ("", "gawk -f solution.awk"),
    "sql": ("", "sqlite3 :memory: '.read solution.sql'"),
    "r": ("", "Rscript solution.R"),
    "octave": ("", "octave-cli solution.m"),
    "prolog": ("", "swipl -g main -t halt solution.pro"),
    "clojure": ("", "clojure solution.clj"),
    "elixir": ("", "elixir solution.exs"),
}
_SCHEME = '(use-modules (system base compile)) (compile-file "solution.scm" #:output-file "solution.go")'
COLUMNS = ("compile, first", "cached", "run", "plain compile", "plain run")
_LEAST_ROUNDS = 3


class Plain:
    """The tools as a user types them, in a directory of their own."""

    def __init__(self, language: Language, directory: Path) -> None:
        self._compile, self._run = PLAIN[language.name]
        text = language.smoke_source().decode()
        self._names = {
            "class": _after("class ", text),
            "module": _after("-module(", text),
            "scheme": shlex.quote(_SCHEME),
        }
        named = {"erlang": f"{self._names['module']}.erl", "java": f"{self._names['class']}.java"}
        self._source = directory / "work" / named.get(language.name, language.source)
        self._files = language.compile.files
        self._environment = {**ENVIRONMENT, "HOME": str(directory), "GO111MODULE": "off"}

    @property
    def compiles(self) -> bool:
        return bool(self._compile)

    def compile(self, source: bytes) -> None:
        """In an empty directory: some tools do nothing where their result is. (What they keep in HOME, they keep.)"""
        shutil.rmtree(self._source.parent, ignore_errors=True)
        self._source.parent.mkdir()
        for name in self._files:
            (self._source.parent / name).write_bytes(languages.resource(name))
        self._source.write_bytes(source)
        if self._compile:
            self._call(self._compile, b"")

    def run(self) -> None:
        if (output := self._call(self._run, SMOKE_INPUT)) != SMOKE_OUTPUT:
            raise RuntimeError(f"{self._run} printed {output!r}")

    def _call(self, command: str, given: bytes) -> bytes:
        argv = shlex.split(command.format(**self._names))
        with memfd("input", given) as stdin:  # a file: SQLite reads no pipe
            done = subprocess.run(
                argv, stdin=stdin, capture_output=True, cwd=self._source.parent, env=self._environment, check=False
            )
        if done.returncode:
            raise RuntimeError(f"{command}: {(done.stderr + done.stdout)[-500:].decode(errors='replace')}")
        return done.stdout


class Ours:
    """The judge's compiler and sandbox."""

    def __init__(self, language: Language, compiler: Compiler, sandbox: Sandbox) -> None:
        self._language, self._compiler, self._sandbox = language, compiler, sandbox
        self._program: Executable | None = None
        self._limits = replace(RUN_LIMITS, processes=language.processes, open_files=language.open_files)

    def compile(self, source: bytes) -> None:
        self.close()
        compiled = self._compiler.compile(source, self._language, self._sandbox)
        if compiled.program is None:
            raise RuntimeError(f"{self._language.name}: {compiled.result.output}")
        self._program = compiled.program

    def run(self) -> None:
        if self._program is None:
            raise RuntimeError("nothing is compiled")
        with memfd("input", SMOKE_INPUT) as stdin:
            outcome = self._sandbox.run(self._program.spec(limits=self._limits, stdin=stdin))
        if outcome.stdout != SMOKE_OUTPUT:
            raise RuntimeError(f"{self._language.name} printed {outcome.stdout!r}: {outcome.stderr!r}")

    def close(self) -> None:
        if self._program is not None:
            self._program.close()
            self._program = None


def _after(word: str, text: str) -> str:
    """The name that stands after that word in the source; "": none does."""
    rest = text.partition(word)[2]
    return rest[: next((at for at, one in enumerate(rest) if not (one.isalnum() or one == "_")), 0)]


def fresh(source: bytes, language: Language) -> bytes:
    """The same program as no cache holds it: in C and C++ with a declaration, else with white space at its end."""
    if language.family in ("c", "c++"):
        return source + line_of_its_own(os.urandom(8).hex()).encode()
    return source + bytes(b" \n"[bit >> place & 1] for bit in os.urandom(12) for place in range(8)) + b"\n"


def measure_one(
    language: Language, sandbox: Sandbox, compiler: Compiler, options: argparse.Namespace
) -> dict[str, float]:
    """Medians by column, in milliseconds."""
    ours, smoke = Ours(language, compiler, sandbox), language.smoke_source()
    with tempfile.TemporaryDirectory() as directory:
        plain = Plain(language, Path(directory))
        source = smoke

        def first() -> None:
            nonlocal source
            source = fresh(smoke, language)
            ours.compile(source)

        ways: dict[str, Callable[[], object]] = {
            "compile, first": first,
            "cached": lambda: ours.compile(source),
            "run": ours.run,
            "plain compile": lambda: plain.compile(source),
            "plain run": plain.run,
        }
        began = time.monotonic()
        for _ in range(SIGHTINGS if language.family == "c++" else 2):  # libraries are made, programs held
            first()
            ours.run()
        time_in_turn(ways, 1, warm=0)
        once_s = time.monotonic() - began
        rounds = max(_LEAST_ROUNDS, min(options.n, int(options.seconds / once_s)))
        found = medians(time_in_turn(ways, rounds, warm=0))
        ours.close()
    if not plain.compiles:
        del found["plain compile"]
    return {**found, "rounds": rounds}


def measure(options: argparse.Namespace) -> dict[str, dict[str, float]]:
    cache = Cache()
    compiler, table = Compiler(cache), {}
    with open_sandbox(options.backend, hide=config.hidden_directories(cache.directory)) as sandbox:
        for name in options.only or PLAIN:
            language = languages.get(name)
            if (problem := language.status().problem) is not None:
                print(f"left out: {problem}", file=sys.stderr)
                continue
            try:
                table[name] = measure_one(language, sandbox, compiler, options)
            except (OSError, RuntimeError) as error:
                print(f"{name} failed: {error}", file=sys.stderr)
                continue
            print(row(name, table[name]), flush=True)
    return table


def row(name: str, figures: Mapping[str, float]) -> str:
    """A row of the table in Markdown."""
    plain = figures["plain run"]
    whole = (figures["compile, first"] + figures["run"]) / (figures.get("plain compile", 0) + plain)
    run = figures["run"] / plain
    cells = [f"{figures[column]:.1f}" if column in figures else "" for column in COLUMNS]
    return f"| {' | '.join([f'`{name}`', *cells, f'{whole:.2f}', f'{run:.2f}'])} |"


def head() -> str:
    return f"| language | {' | '.join(COLUMNS)} | ratio | of the run |\n|---|{'---:|' * (len(COLUMNS) + 2)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=11, help="rounds at most (default %(default)s; 3 at least)")
    parser.add_argument("--seconds", type=float, default=30, help="for the rounds of a language (default %(default)s)")
    parser.add_argument("--only", nargs="+", choices=list(PLAIN), metavar="NAME")
    parser.add_argument("--backend", default="native")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    print(head())
    table = measure(options)
    if options.json:
        options.json.write_text(json.dumps(table, indent=2) + "\n")


if __name__ == "__main__":
    main()
