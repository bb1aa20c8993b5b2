"""Chooses how C and C++ programs are linked: the fastest linker that works here, with the freopen wrapper.

    headers/<compiler>/
    ├── linking-<family>.json    the choice, made once by linking and running a tiny program (with JUDGE_PLAIN=1: the
    │                            system's default linker, linking-<family>-plain.json)
    ├── freopen.o                link/freopen.c
    └── instantiate.so           link/instantiate.c (judge.compiling.headers)

`_CANDIDATES` are ordered by the cost of one link and ten runs together, measured for A+B on g++ 12 in milliseconds:

    linker               link   run   link + 10 runs
    mold, dynamic        17.7   2.0   38
    gold, dynamic        17.4   2.0   37
    lld, dynamic         27.5   2.0   48
    bfd, dynamic         44.9   2.0   65
    mold, static         46.1   1.2   58      (gold 44.5, lld 37.1, bfd 88.8)
    mold, static libstdc++ only  27.6   1.4   42

So we link dynamically. A static link reads two large archives, however small the program, and its result of 1.8 MB is
stored, hashed and copied. That takes 28 ms more. Runs that are 0.85 ms shorter win it back only after some 33 tests. We
do not link statically for problems with more tests, either. The same program would show other memory figures there, as
it maps no libraries. It would behave differently, as locales, character sets and dlopen need shared objects. And it
would be compiled twice.

Programs are not position-independent: that saves relocations at every start.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from containers import File, Sandbox
from judge.common.errors import LanguageError
from judge.common.strict import read_remembered
from judge.compiling.toolchain import TINY, Toolchain, works
from judge.languages import Language
from judge.store.directory import write_atomically

_SOURCES = Path(__file__).parent / "link"

#: One thread, as programs are linked side by side anyway; no fork, as that outlives the link. The last one is plain.
_CANDIDATES = (
    ("mold", ("-fuse-ld=mold", "-Wl,--thread-count=1", "-Wl,--no-fork")),
    ("gold", ("-fuse-ld=gold",)),
    ("lld", ("-fuse-ld=lld", "-Wl,--threads=1")),
    ("default", ()),
)
COMPILE_ARGUMENTS = ("-fno-pie",)
#: No build id, and no plugin for link-time optimisation: nobody needs them, and they take a tenth of a link's time.
#: (clang++ loads no plugin, and warns about the option.)
_LINK_ARGUMENTS = ("-no-pie", "-s", "-Wl,--build-id=none")
_NO_PLUGIN = "-fno-use-linker-plugin"
_WRAP = "-Wl,--wrap=freopen,--wrap=freopen64"


@dataclass(frozen=True, slots=True, kw_only=True)
class Linking:
    """The choice for one compiler."""

    linker: str
    arguments: tuple[str, ...]

    def argv(self, toolchain: Toolchain, *, wrap_freopen: bool) -> tuple[str, ...]:
        wrap = (_WRAP, str(toolchain.directory / "freopen.o")) if wrap_freopen else ()
        return (*self.arguments, *wrap, "-lm")


@cache
def link_source(name: str) -> bytes:
    return (_SOURCES / name).read_bytes()


def prepare(toolchain: Toolchain, language: Language, sandbox: Sandbox, *, plain: bool = False) -> Linking:
    """The choice for a language, made now if it was not made before.

    Raises:
        LanguageError: no linker makes a program that runs.
    """
    path = toolchain.directory / f"linking-{language.family}{'-plain' if plain else ''}.json"
    choices = _choices(toolchain.clang, plain)
    if (known := read_remembered(Linking, path)) in choices:
        return known
    with toolchain.building("linking"):
        if (known := read_remembered(Linking, path)) in choices:
            return known
        wrapper = toolchain.build(
            sandbox,
            *("-x", "c", "-O2", *COMPILE_ARGUMENTS, "-c", "../in/freopen.c"),
            files=(File(name="freopen.c", content=link_source("freopen.c")),),
            output="freopen.o",
        )
        if wrapper is None:
            raise _unusable(language, "compile a C file")
        write_atomically(toolchain.directory / "freopen.o", wrapper, mode=0o644)
        linking = _choose(toolchain, language, sandbox, choices)
        write_atomically(path, json.dumps(asdict(linking)).encode(), mode=0o644)
        return linking


def _choices(clang: bool, plain: bool) -> tuple[Linking, ...]:
    always = _LINK_ARGUMENTS if clang else (*_LINK_ARGUMENTS, _NO_PLUGIN)
    return tuple(Linking(linker=name, arguments=(*always, *own)) for name, own in _CANDIDATES[-1 if plain else 0 :])


def _choose(toolchain: Toolchain, language: Language, sandbox: Sandbox, choices: tuple[Linking, ...]) -> Linking:
    tiny = File(name=language.source, content=TINY)
    argv = [part.format(source=f"../in/{language.source}") for part in language.compile.argv[1:]]
    for linking in choices:
        program = toolchain.build(
            sandbox,
            *(*argv, *COMPILE_ARGUMENTS, *linking.argv(toolchain, wrap_freopen=True)),
            files=(tiny,),
            output="smoke",
        )
        if works(program, sandbox):
            return linking
    raise _unusable(language, "compile, link and run a small program")


def _unusable(language: Language, what: str) -> LanguageError:
    package = language.toolchain.package
    return LanguageError(f"{language.title}: it cannot {what}; apt-get install --reinstall {package} libc6-dev")
