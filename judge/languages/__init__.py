"""Languages as data: one TOML file each in this directory, with the smoke programs beside them.

A toolchain is looked for in the directories that every sandbox shows, never in a home or a version manager's directory:
what is found here is what runs there. An absent one is reported with its remedy, never replaced by a guess.
"""

from __future__ import annotations

import functools
import os
import re
import subprocess
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from containers import Isolation
from judge.common.errors import LanguageError
from judge.common.strict import build
from judge.ruling.classify import NEARLY_ALL
from problems.errors import nearest
from problems.model import MIB, SECOND_NS

#: The whole environment of every program (VERDICTS "What a program finds"); the sandbox adds HOME and TMPDIR.
ENVIRONMENT: Mapping[str, str] = MappingProxyType(
    {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "ONLINE_JUDGE": "1"}
)
#: Every smoke program reads two numbers and prints their sum, by way of what its language's programs use.
SMOKE_INPUT = b"3 4\n"
SMOKE_OUTPUT = b"7\n"

_HERE = Path(__file__).parent
_SEARCH = tuple(Path(directory) for directory in ENVIRONMENT["PATH"].split(":"))
_VIEW = ("/usr/", "/bin/", "/lib/", "/lib64/")
_VERSION_TIMEOUT_S = 20
_GNU, _ISO = "-std=gnu", "-std=c"
_STRICT = "-strict"
#: The Java runtime takes no larger stack.
_STACK_MAX_KIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """The program that compiles or interprets, and how to recognise it."""

    commands: tuple[str, ...]
    #: What is asked for the version.
    ask: tuple[str, ...] = ("--version",)
    #: Matches the answer; group 1 is the version. Other programs of that name do not count.
    version: str
    #: Debian's package that holds it.
    package: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepare:
    """What is made once for a toolchain, in the sandbox and from no submission: ``{library}`` of the compile step."""

    #: Leaves ``library.tar``, a tar of plain files, in the working directory. Empty: nothing is needed.
    argv: tuple[str, ...] = ()
    #: Files beside the TOML, found in ``../in/``.
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Compile:
    """Units follow the arguments."""

    argv: tuple[str, ...]
    #: Beside `ENVIRONMENT`. (Programs get nothing of it.)
    env: tuple[tuple[str, str], ...] = ()
    #: Files beside the TOML that the compile step finds in ``../in/``.
    files: tuple[str, ...] = ()
    #: File beside the TOML: its text is ``{script}``.
    script: str = ""
    #: Suffixes of extra files that are compiled along; all other extra files are only there to be included or imported.
    units: tuple[str, ...] = ()
    #: The file that it makes; empty: none, the source itself is run.
    output: str = ""
    #: It needs no processes, and may be kept as `RunCommand.warm` is.
    warm: bool = False
    #: What it may use where the caller does not say; beyond that is a compile error. Compilers with a memory limit of
    #: their own are told ``{heap_mib}`` in `argv` and `env`.
    cpu_ns: int = 10 * SECOND_NS
    memory_bytes: int = 1024 * MIB
    #: What such a compiler needs beside its heap, of the memory limit.
    reserve_mib: int = 0

    def memory(self) -> Mapping[str, str]:
        """The values of its placeholders."""
        return {"heap_mib": str(_heap_mib(self.memory_bytes, self.reserve_mib))}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCommand:
    """How to run what was made: an interpreter with its arguments, or the name of the output alone, which is then
    executed itself. Runtimes with a memory limit of their own are told ``{heap_mib}`` and ``{stack_kib}``."""

    argv: tuple[str, ...]
    #: Beside `ENVIRONMENT`.
    env: tuple[tuple[str, str], ...] = ()
    #: What the runtime needs beside the program's heap, of the memory limit.
    reserve_mib: int = 0
    #: Pages of the runtime's own files that any run has in memory, at least: the memory limit does not count them.
    files_mib: int = 0
    #: Once started, the interpreter may be kept, and forked for each run where it is about to read the program.
    warm: bool = False

    def memory(self, limit_bytes: int) -> Mapping[str, str]:
        """The values of its placeholders under a memory limit: a full heap is below `NEARLY_ALL` of it, so that the
        runtime says it when a program dies for want of memory; and what recurses without end can end by itself."""
        heap_mib = _heap_mib(limit_bytes, self.reserve_mib)
        return {"heap_mib": str(heap_mib), "stack_kib": str(min(heap_mib * 768, _STACK_MAX_KIB))}


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """In every `argv`, ``{compiler}`` is the toolchain, ``{bin}`` its directory, ``{source}`` the submission's path."""

    name: str
    title: str
    #: Languages that read a source alike: "c", "c++" (linked by `judge.compiling.linker`), "python", "java", …
    family: str
    #: File name under which the submission is compiled and run.
    source: str
    #: Suffixes that mean this language where none is named.
    suffixes: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    time_multiplier: float = 1.0
    #: Processes that a run may start; 0: threads only.
    processes: int = 0
    #: What the runtime writes to stderr when an allocation was refused.
    out_of_memory: tuple[str, ...] = ()
    #: System calls that the runtime tries by itself: in a run of it they are not suspicious.
    harmless: tuple[str, ...] = ()
    #: The runtime has several threads before it opens its first file. It cannot run where layer "vetted" stands: there
    #: a program with a second thread opens nothing.
    threads: bool = False
    #: File beside the TOML.
    smoke: str
    toolchain: Tool
    prepare: Prepare = Prepare()
    compile: Compile
    run: RunCommand

    @property
    def gnu(self) -> bool:
        """Whether its dialect is GNU's."""
        return any(part.startswith(_GNU) for part in self.compile.argv)

    @property
    def native(self) -> bool:
        """Whether what it makes is executed itself."""
        return self.run.argv == (self.compile.output,)

    def find(self) -> Path:
        """The toolchain's real path.

        Raises:
            LanguageError: not installed where sandboxes can see it.
        """
        for command in self.toolchain.commands:
            for directory in _SEARCH:
                path = os.path.realpath(f"{directory}/{command}")  # at every compile: a Path takes three times as long
                if path.startswith(_VIEW) and os.access(path, os.X_OK):
                    return Path(path)
        raise LanguageError(
            f"{self.title}: no {' or '.join(self.toolchain.commands)} in {', '.join(map(str, _SEARCH))}; "
            f"install it: apt-get install {self.toolchain.package}"
        )

    def check(self, isolation: Isolation) -> None:
        """
        Raises:
            LanguageError: it cannot run behind these walls.
        """
        if self.threads and "vetted" in isolation.layers:
            raise LanguageError(
                f"{self.title}: it opens files from several threads, which the sandbox cannot allow where the "
                "kernel grants neither mounts nor Landlock; use Linux 5.13 or later"
            )

    def status(self) -> Status:
        """What is installed, or what is missing and the remedy. Asks it for its version."""
        try:
            path = self.find()
            version = _version(path, self.toolchain)
        except LanguageError as error:
            return Status(language=self.name, problem=str(error))
        return Status(language=self.name, path=path, version=version)

    def compiled_under(self, cpu_ns: int | None, memory_bytes: int | None) -> Language:
        """The same, with the caller's limits for the compile where they are given."""
        if cpu_ns is None and memory_bytes is None:
            return self
        own = self.compile
        limited = replace(own, cpu_ns=cpu_ns or own.cpu_ns, memory_bytes=memory_bytes or own.memory_bytes)
        return replace(self, compile=limited)

    def smoke_source(self) -> bytes:
        return resource(self.smoke)


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    language: str
    path: Path | None = None
    version: str | None = None
    #: None: installed.
    problem: str | None = None


def _heap_mib(limit_bytes: int, reserve_mib: int) -> int:
    limit_mib = limit_bytes >> 20
    return max(int(limit_mib * NEARLY_ALL) - reserve_mib, limit_mib // 4, 1)


@functools.cache
def resource(name: str) -> bytes:
    """The content of a file beside the TOML files."""
    return (_HERE / name).read_bytes()


@functools.cache
def _version(path: Path, toolchain: Tool) -> str:
    try:
        run = subprocess.run(
            (path, *toolchain.ask),
            capture_output=True,
            text=True,
            timeout=_VERSION_TIMEOUT_S,
            env=dict(ENVIRONMENT),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LanguageError(f"{path} does not run: {error}; apt-get install --reinstall {toolchain.package}") from error
    match = re.search(toolchain.version, run.stdout + run.stderr)
    if match is None:
        raise LanguageError(f"{path} is not the expected toolchain; apt-get install {toolchain.package}")
    return match[1]


@functools.cache
def _all() -> Mapping[str, Language]:
    found = {}
    for path in sorted(_HERE.glob("*.toml")):
        language = build(Language, tomllib.loads(path.read_text(encoding="utf-8")), path.name)
        found[language.name] = language
    return MappingProxyType(found)


def _strict(language: Language) -> Language:
    """The same in the standard's own dialect: `cpp17-strict`, also `c++17-strict`, is compiled with -std=c++17."""
    argv = tuple(part.replace(_GNU, _ISO) for part in language.compile.argv)
    return replace(
        language,
        name=language.name + _STRICT,
        title=f"{language.title}, strict",
        suffixes=(),
        aliases=tuple(alias + _STRICT for alias in language.aliases if not alias.startswith("gnu")),
        compile=replace(language.compile, argv=argv),
    )


@functools.cache
def _known() -> Mapping[str, Language]:
    """By name and alias, and those of GNU's dialects also by the name of the strict one."""
    every = [*_all().values(), *(_strict(language) for language in _all().values() if language.gnu)]
    return {alias: language for language in every for alias in (language.name, *language.aliases)}


def names() -> tuple[str, ...]:
    """All but the strict dialects, each of which has the name of another one and `-strict`."""
    return tuple(_all())


def known(name: str) -> Language | None:
    """By name or alias; None: unknown."""
    return _known().get(name.strip().casefold())


def get(name: str) -> Language:
    """By name or alias.

    Raises:
        LanguageError: unknown; names the nearest.
    """
    language = known(name)
    if language is None:
        near = nearest(name.strip().casefold(), _known(), most=3)
        hint = f"did you mean {', '.join(near)}?" if near else f"known are {', '.join(names())}"
        raise LanguageError(f"unknown language {name[:100]!r}; {hint}")
    return language


def for_path(path: Path) -> Language:
    """By the file's suffix.

    Raises:
        LanguageError: no language has it.
    """
    suffixes = {suffix: language for language in _all().values() for suffix in language.suffixes}
    if path.suffix in suffixes:
        return suffixes[path.suffix]
    raise LanguageError(
        f"cannot tell the language of {path.name!r} by its suffix (known: {' '.join(suffixes)}); use --language"
    )
