"""g++ in two steps: its compiler proper (cc1plus), held where it has read a precompiled header, and the rest.

    cc1plus -include HEADER ─► held ─► a compile: -include ../in/solution.cpp ─► assembly ─► g++ solution.s ─► program

What cc1plus does before it looks at a program, starting and reading the header, is a third of a small compile, and is
the same for all programs that begin with that header. It looks at its main file first of all; so that is an empty one,
and the program is one more file to include before it, whose leading includes are white space: the header has them.

What it makes is the same, and so are its words but for "included from <command-line>" and the way to the file. What
could tell the two apart (`_TELLING`), and what it says otherwise, goes to g++ as a whole.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from containers import File, Outcome, RunLimits, RunSpec, Termination
from judge.common.errors import ConfigError
from judge.common.strict import remembered
from judge.compiling.headers import FAILURES, Headers, Use, without
from judge.compiling.linker import COMPILE_ARGUMENTS
from judge.compiling.toolchain import BUILD_LIMITS, TINY, run, succeeded, works
from judge.languages import ENVIRONMENT, Language
from judge.store.directory import write_atomically

#: Compiles with one header after which it is started, which takes as long as it saves in some six.
HELD_AFTER = 6

_NOTHING = "/dev/null"
_INCLUDED = "./../in/"  # what becomes of ../in/ where it is included from the command line
#: It is included here, and the main file there: __INCLUDE_LEVEL__ (or a part of it, as the preprocessor can paste it),
#: and what g++ warns of in a main file.
_TELLING = re.compile(rb"INCLUDE_|LEVEL__|include_next|system_header|pragma[ \t]+once|_Pragma")
_FROM = re.compile(rb"^In file included from <command-line>:\d+:\n|,\n +from <command-line>:\d+(?=:)", re.MULTILINE)
#: g++ as a whole would end so, too. (Not by the limit of output: its assembly is in a file.)
_ENDS = (Termination.EXITED, Termination.CPU_LIMIT, Termination.WALL_LIMIT, Termination.MEMORY_LIMIT)
#: What cannot be made what g++ says.
_OTHERWISE = re.compile(rb"<command-line>|/dev/null|\./\.\./in/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontend:
    """How g++ calls it for one language, with the place of the input; empty: not to be used."""

    argv: tuple[str, ...] = ()

    @staticmethod
    def of(headers: Headers, header: Path) -> Frontend:
        """As it was found to work, now or before; not to be used where what was found cannot be kept."""
        path = headers.directory / "frontend.json"
        if (known := _known(path)) is not None:
            return known
        try:
            with headers.toolchain.building(str(path)):
                if (known := _known(path)) is None:
                    known = _asked(headers, header)
                    write_atomically(path, json.dumps(asdict(known)).encode(), mode=0o644)
        except ConfigError:
            return Frontend()
        return known

    def compile(
        self, text: bytes, use: Use, headers: Headers, *, limits: RunLimits, files: tuple[File, ...]
    ) -> Outcome | None:
        """The assembly of a program on standard output, and what g++ would say of it; None: let g++ do it. `files` lie
        beside it."""
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
                limits=replace(limits, processes=0, stderr_bytes=2 * limits.stderr_bytes),  # to be cut once more
                env=ENVIRONMENT,
                files=(File(name=source, content=without(text, use.covers)), *files),
                mounts=(headers.toolchain.directory,),
                warm=HELD_AFTER,
            ),
        )
        said = _FROM.sub(b"", outcome.stderr).replace(_INCLUDED.encode(), b"../in/")[: limits.stderr_bytes]
        if outcome.termination not in _ENDS or _OTHERWISE.search(said) or FAILURES.search(said):
            return None
        return replace(outcome, stderr=said, stdout=outcome.stdout if succeeded(outcome) else b"")


def _known(path: Path) -> Frontend | None:
    return remembered(Frontend, path, lasting=lambda frontend: bool(frontend.argv))


def _asked(headers: Headers, header: Path) -> Frontend:
    """By g++ itself, and tried."""
    ours = (*headers.flags, *COMPILE_ARGUMENTS)
    ask = (str(headers.toolchain.compiler), *ours, "-S", "-o", "-", "-x", "c++", _NOTHING, "-###")
    said = run(headers.sandbox, RunSpec(argv=ask, limits=BUILD_LIMITS, env=ENVIRONMENT)).stderr.decode(
        "utf-8", "replace"
    )
    commands = [shlex.split(line) for line in said.splitlines() if line.startswith(" ")]
    argv = next((tuple(words) for words in commands if words and words[0].endswith("/cc1plus")), ())
    if argv.count(_NOTHING) != 1 or not argv[0].startswith("/"):
        return Frontend()
    frontend = Frontend(argv=argv)
    outcome = frontend.compile(TINY, Use(header=header), headers, limits=BUILD_LIMITS, files=())
    if outcome is None or not succeeded(outcome):
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
    """The name of the file."""
    return f"{Path(language.source).stem}.s"
