"""Makes what compiles need in advance: `judge cache warm`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from containers import Sandbox
from judge import languages
from judge.common import config
from judge.common.errors import LanguageError
from judge.compiling import linker, prebuilt
from judge.compiling.headers import Headers, common, include_lines
from judge.compiling.held import Frontend
from judge.compiling.toolchain import Toolchain
from judge.languages import Language
from judge.slots.stoppable import open_stoppable
from judge.store.cache import Cache

#: For this dialect we make all common sets of headers; for the other dialects of C++ only `bits/stdc++.h`.
_SETS_FOR = "cpp17"


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmStep:
    language: str
    #: The set of standard headers to precompile; empty: prepare the linker and the library.
    headers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Warmed:
    """One step, done."""

    language: str
    #: The headers, or "toolchain".
    what: str
    #: "instantiated" or "plain" (an ordinary precompiled header), "none" (the compiler makes no usable one), "ready";
    #: or why the language cannot be used.
    result: str
    ready: bool
    wall_ns: int


def plan(names: Sequence[str] = ()) -> list[WarmStep]:
    """The steps for these languages; if none is named, for those of g++ and all others that prepare something.

    Raises:
        LanguageError: a language is unknown.
    """
    steps = []
    for language in map(languages.get, names or languages.names()):
        if not names and not _lasting(language):
            continue
        steps.append(WarmStep(language=language.name))
        if language.family == "c++":
            sets = common() if names or language.name == _SETS_FOR else common()[:1]
            steps += [WarmStep(language=language.name, headers=headers) for headers in sets]
    return steps


def warm(steps: Sequence[WarmStep], backend: str = "native") -> Iterator[Warmed]:
    """Do the steps in turn, and yield each when it is done. A step that was done before takes no time.

    Raises:
        ContainerError: the machine grants no sandbox, or the sandbox failed.
        ConfigError: the cache directory cannot be used.
    """
    cache = Cache()
    with open_stoppable(backend, hide=config.hidden_directories(cache.directory)) as sandbox:
        for step in steps:
            began = time.monotonic_ns()
            try:
                with cache.reading_headers():
                    result = _warm_step(step, cache, sandbox)
                ready = result != "none"
            except LanguageError as error:
                result, ready = str(error), False
            yield Warmed(
                language=step.language,
                what=" ".join(step.headers) or "toolchain",
                result=result,
                ready=ready,
                wall_ns=time.monotonic_ns() - began,
            )


def _warm_step(step: WarmStep, cache: Cache, sandbox: Sandbox) -> str:
    language = languages.get(step.language)
    toolchain = Toolchain.of(language, cache)
    prebuilt.prepare(toolchain, language, sandbox)
    if language.family not in ("c", "c++"):
        return "ready"
    linking = linker.prepare(toolchain, language, sandbox)
    if not step.headers:
        return "ready"
    headers = Headers(toolchain=toolchain, language=language, linking=linking, sandbox=sandbox)
    made = headers.make(step.headers)
    if sandbox.holds and (header := headers.use(include_lines(step.headers)).header):
        Frontend.of(headers, header)
    return made


def _lasting(language: Language) -> bool:
    """Whether the language is installed, has something to prepare, and is not a second C++ compiler."""
    if language.status().problem is not None:
        return False
    return bool(language.prepare.argv) or language.family == "c" or "g++" in language.toolchain.commands
