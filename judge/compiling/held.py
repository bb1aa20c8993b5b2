"""Compiles C++ in two steps: with a held cc1plus (g++'s compiler proper) that has read a precompiled header, then g++.

    cc1plus -include HEADER ─► held ─► a compile: -include ../in/solution.cpp ─► assembly ─► g++ solution.s ─► program

A third of a small compile is cc1plus's start and the reading of the header. That is the same for all programs that
begin with that header, so it is done once. cc1plus reads its main file first. So we give it an empty main file, and the
program as one more file to include before that. The program's leading includes become white space: the header has them.

The assembly is the same. The messages differ only by "included from <command-line>" and the path of the file, which we
undo. Programs that could notice the difference (`_TELLING`), and messages that we cannot undo, go to g++ as a whole.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from containers import File, Outcome, RunLimits, RunSpec, Termination, Trust
from judge.common.errors import ConfigError
from judge.common.strict import read_remembered
from judge.compiling.headers import FAILURES, Headers, Use, without
from judge.compiling.linker import COMPILE_ARGUMENTS
from judge.compiling.toolchain import BUILD_LIMITS, TINY, has_succeeded, run, works
from judge.languages import ENVIRONMENT, Language
from judge.store.directory import write_atomically

#: cc1plus is held after `HELD_AFTER` compiles with one header: starting it costs about what it saves in six.
HELD_AFTER = 6

_NOTHING = "/dev/null"
_INCLUDED = "./../in/"  # how cc1plus names ../in/ in a file that the command line includes
#: A program can notice that it is an included file, not the main file, by __INCLUDE_LEVEL__ (or a part of that, which
#: the preprocessor can paste together), and by what g++ warns about in a main file.
_TELLING = re.compile(rb"INCLUDE_|LEVEL__|include_next|system_header|pragma[ \t]+once|_Pragma")
_FROM = re.compile(rb"^In file included from <command-line>:\d+:\n|,\n +from <command-line>:\d+(?=:)", re.MULTILINE)
#: Ends that g++ as a whole would have, too. (Not the output limit: g++ writes its assembly to a file.)
_ENDS = (Termination.EXITED, Termination.CPU_LIMIT, Termination.WALL_LIMIT, Termination.MEMORY_LIMIT)
#: Messages that name our own files. They cannot be rewritten to what g++ would print, so g++ runs again.
_OTHERWISE = re.compile(rb"<command-line>|/dev/null|\./\.\./in/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontend:
    """The command by which g++ calls cc1plus for one language, with /dev/null as the input; empty: do not use it."""

    argv: tuple[str, ...] = ()

    @staticmethod
    def of(headers: Headers, header: Path) -> Frontend:
        """The command, tried out now or before. Empty if the result cannot be written to the cache."""
        path = headers.directory / "frontend.json"
        if (known := _read_known(path)) is not None:
            return known
        try:
            with headers.toolchain.building(str(path)):
                if (known := _read_known(path)) is None:
                    known = _ask_compiler(headers, header)
                    write_atomically(path, json.dumps(asdict(known)).encode(), mode=0o644)
        except ConfigError:
            return Frontend()
        return known

    def compile(
        self, text: bytes, use: Use, headers: Headers, *, limits: RunLimits, files: tuple[File, ...]
    ) -> Outcome | None:
        """Compile a program: standard output is the assembly, standard error what g++ would say. None: let g++ do it.
        `files` lie beside the program."""
        if not self.argv or use.header is None or _TELLING.search(text):
            return None
        source = headers.language.source
        at = self.argv.index(_NOTHING)
        include = ("-include", str(use.header), "-include", f"../in/{source}")
        maps = (f"-fmacro-prefix-map={_INCLUDED}=../in/", f"-fmacro-prefix-map={_NOTHING}=../in/{source}")
        outcome = run(
            headers.sandbox,
            RunSpec(
                argv=(*self.argv[:at], *include, *maps, *self.argv[at:]),
                limits=replace(limits, processes=0, stderr_bytes=2 * limits.stderr_bytes),  # cut below
                trust=Trust.TOOL,
                env=ENVIRONMENT,
                files=(File(name=source, content=without(text, use.covers)), *files),
                mounts=(headers.toolchain.directory,),
                warm=HELD_AFTER,
            ),
        )
        said = _FROM.sub(b"", outcome.stderr).replace(_INCLUDED.encode(), b"../in/")[: limits.stderr_bytes]
        if outcome.termination not in _ENDS or _OTHERWISE.search(said) or FAILURES.search(said):
            return None
        return replace(outcome, stderr=said, stdout=outcome.stdout if has_succeeded(outcome) else b"")


def _read_known(path: Path) -> Frontend | None:
    return read_remembered(Frontend, path, lasting=lambda frontend: bool(frontend.argv))


def _ask_compiler(headers: Headers, header: Path) -> Frontend:
    """Ask g++ itself for the command, and try it."""
    ours = (*headers.flags, *COMPILE_ARGUMENTS)
    ask = (str(headers.toolchain.compiler), *ours, "-S", "-o", "-", "-x", "c++", _NOTHING, "-###")
    asked = RunSpec(argv=ask, limits=BUILD_LIMITS, trust=Trust.TOOL, env=ENVIRONMENT)
    said = run(headers.sandbox, asked).stderr.decode("utf-8", "replace")
    commands = [shlex.split(line) for line in said.splitlines() if line.startswith(" ")]
    argv = next((tuple(words) for words in commands if words and words[0].endswith("/cc1plus")), ())
    if argv.count(_NOTHING) != 1 or not argv[0].startswith("/"):
        return Frontend()
    frontend = Frontend(argv=argv)
    outcome = frontend.compile(TINY, Use(header=header), headers, limits=BUILD_LIMITS, files=())
    if outcome is None or not has_succeeded(outcome):
        return Frontend()
    assembly = File(name=assembly_of(headers.language), content=outcome.stdout)
    program = headers.toolchain.build(
        headers.sandbox,
        *(*ours, f"../in/{assembly.name}", *headers.linking.argv(headers.toolchain, wrap_freopen=True)),
        files=(assembly,),
        output="smoke",
    )
    return frontend if works(program, headers.sandbox) else Frontend()


def assembly_of(language: Language) -> str:
    """The name of the assembly file."""
    return f"{Path(language.source).stem}.s"
