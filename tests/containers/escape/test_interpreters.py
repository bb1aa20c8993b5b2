"""Interpreters: what a language makes easy is tried by a program in it (`interpreters/`), in the sandbox and outside.

Each reads the canaries as attacks do, and writes `ESCAPED what` or `HELD what` for each thing that it tries. Inside all
must be HELD; outside, as an ordinary user, all must be ESCAPED: so each try is one.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from containers import RunLimits, Sandbox, Termination
from judge import languages
from judge.common.errors import LanguageError
from judge.compiling.compiler import Compiler
from judge.languages import Language
from judge.selftest.canaries import Canaries
from judge.selftest.trial import Said
from judge.store.cache import Cache
from judge.store.inputs import stream
from tests.containers.conformance.conftest import MIB, SECOND, TIME_SCALE
from tests.containers.escape.control import control_user, victim, work_directory
from tests.containers.escape.neighbour import Neighbour, honest_run
from tests.containers.escape.programs import NEIGHBOUR, Programs
from tests.containers.escape.watch import Watch
from tests.judge.languages.test_languages import INSTALLED

#: By language: how its program is run outside.
OUTSIDE = {
    "awk": ("gawk", "-f"),
    "bash": ("bash",),
    "csharp": ("sh", "-c", "mcs -out:attack.exe {source} && exec mono attack.exe"),
    "elixir": ("elixir",),
    "erlang": (
        "sh",
        "-c",
        "cp {source} attack.erl && erlc attack.erl && exec erl -noshell -s attack main -s init stop",
    ),
    "haskell": ("runghc",),
    "java": ("java",),
    "javascript": ("node",),
    "lisp": ("sbcl", "--script"),
    "lua": ("lua5.4",),
    "luajit": ("luajit",),
    "ocaml": ("ocaml", "-I", "+unix", "unix.cma"),
    "octave": ("octave-cli", "--norc"),
    "perl": ("perl",),
    "php": ("php", "-n"),
    "prolog": ("swipl", "-g", "main", "-t", "halt"),
    "pypy3": ("pypy3",),
    "r": ("Rscript",),
    "racket": ("racket",),
    "ruby": ("ruby",),
    "scheme": ("guile", "--no-auto-compile"),
    "sql": ("sqlite3", "-init", "/dev/null", "-batch", ":memory:", ".read {source}"),
}
SOURCES = {path.stem: path for path in sorted((Path(__file__).parent / "interpreters").iterdir())}
#: No address space limit: some runtimes reserve terabytes.
_LIMITS = ("--nproc=600", f"--fsize={64 * MIB}", "--nofile=512", "--cpu=20", "--core=0")
_READ = {"file", "answer", "environment"}
#: What the program of each language tries. (Bash may start processes; Erlang's machine ends itself.)
TRIES = {
    "awk": {*_READ, "process", "signal", "connect"},
    "bash": {*_READ, "write", "connect", "signal", "others"},
    "csharp": {*_READ, "write", "process", "connect", "others", "fork", "signal", "trace"},
    "elixir": {*_READ, "write", "connect", "listen", "others"},
    "erlang": {*_READ, "write", "connect", "listen", "others"},
    "haskell": {*_READ, "write", "process", "shell", "fork", "connect", "signal", "trace", "others"},
    "java": {*_READ, "write", "process", "connect", "others"},
    "javascript": {*_READ, "write", "process", "shell", "signal", "connect"},
    "lisp": {*_READ, "process", "signal"},
    "lua": {*_READ, "write", "process", "popen", "signal"},
    "luajit": {*_READ, "fork", "connect", "signal", "trace"},
    "ocaml": {*_READ, "write", "process", "shell", "fork", "connect", "signal", "others"},
    "octave": {*_READ, "write", "process", "popen", "fork", "connect", "signal", "others"},
    "perl": {*_READ, "write", "fork", "connect", "signal", "trace"},
    "php": {*_READ, "write", "process", "popen", "connect"},
    "prolog": {*_READ, "write", "process", "connect"},
    "pypy3": {*_READ, "write", "process", "shell", "connect", "signal", "trace"},
    "r": {*_READ, "write", "connect", "signal"},
    "racket": {*_READ, "write", "process", "shell", "connect", "fork", "signal", "trace", "others"},
    "ruby": {*_READ, "write", "process", "connect", "signal", "trace"},
    "scheme": {*_READ, "write", "process", "shell", "popen", "fork", "connect", "signal", "others"},
    "sql": {"file", "answer", "others", "process"},
}
names = pytest.mark.parametrize("name", OUTSIDE)


def installed(name: str) -> Language:
    language = languages.get(name)
    if (problem := language.status().problem) is not None:
        wanted = "languages" if name in INSTALLED else "every-language"
        if wanted in os.environ.get("JUDGE_REQUIRE", "").split(","):
            pytest.fail(problem)
        pytest.skip(problem)
    return language


def _tried(words: tuple[str, ...]) -> set[str]:
    return {one.split()[0] for one in words}


@names
def test_interpreter(
    name: str,
    open_slot: Callable[..., Sandbox],
    tier: str,
    programs: Programs,
    canaries: Canaries,
    shared_cache: Path,
) -> None:
    language, honest = installed(name), programs.neighbour
    watch = Watch(canaries)
    slot, other = open_slot(canaries.hide), open_slot(canaries.hide)
    try:
        language.check(slot.isolation)
    except LanguageError as error:
        pytest.skip(str(error))
    watch.opened()
    limits = RunLimits(
        cpu_ns=10 * TIME_SCALE * SECOND,
        wall_ns=60 * TIME_SCALE * SECOND,
        memory_bytes=256 * MIB,
        processes=language.processes,
        open_files=language.open_files,
    )
    made = Compiler(Cache(shared_cache)).compile(SOURCES[name].read_bytes(), language, slot)
    assert made.program is not None, made.result.output
    with (
        made.program as program,
        Neighbour(other, honest, canaries) as neighbour,
        stream(canaries.lines(pid=neighbour.pid)) as stdin,
    ):
        outcome = slot.run(program.spec(limits=limits, stdin=stdin))
    side_effects = neighbour.complaints() + honest_run(slot, honest, canaries)
    slot.close()
    other.close()
    side_effects += watch.found()
    said = Said.of(outcome.stdout)
    assert not said.escaped
    assert not canaries.find_leaks(outcome.stdout, outcome.stderr)
    assert not side_effects
    assert outcome.termination is Termination.EXITED, outcome
    assert _tried(said.held) == TRIES[name], outcome


@names
def test_interpreter_control(name: str, programs: Programs) -> None:
    installed(name)
    with ExitStack() as stack:
        user = stack.enter_context(control_user())
        canaries = stack.enter_context(Canaries(owner=user.uid))
        pid = stack.enter_context(victim(user, programs.path(NEIGHBOUR), canaries))
        work = stack.enter_context(work_directory(user))
        source = work.parent / ("Main.java" if name == "java" else SOURCES[name].name)
        shutil.copy(SOURCES[name], source)
        source.chmod(0o644)
        first, *rest = (part.format(source=source) for part in OUTSIDE[name])
        argv = (first, *rest) if str(source) in " ".join(rest) else (first, *rest, str(source))
        environment = (f"{canaries.value('env')}={canaries.secret('env')}",)
        done = user.run(
            ("env", *environment, *argv), cwd=work, stdin=canaries.lines(pid=pid), limits=_LIMITS, timeout_s=60
        )
        said = Said.of(done.stdout)
    assert _tried(said.escaped) == TRIES[name], done.stdout.decode(errors="replace")[-3000:]
