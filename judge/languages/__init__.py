"""Reads the languages, one TOML file each in this directory with their smoke programs, and finds their toolchains.

We look for a toolchain only in directories that every sandbox shows, never in a home or a version manager's directory:
what we find is what runs in the sandbox. A missing one is reported with its remedy, never replaced by a guess.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from containers import Isolation, Trust
from containers.outcome import counts_processes
from judge.common.errors import ConfigError, LanguageError
from judge.common.strict import build
from judge.ruling.classify import NEARLY_ALL
from judge.store.cache import Cache
from problems.errors import nearest
from problems.files.languages import DIRECTORY, LanguageFacts, facts, tables
from problems.model import OUR_COMPILE_BYTES, SECOND_NS

#: The whole environment of every program; the sandbox adds HOME and TMPDIR.
ENVIRONMENT: Mapping[str, str] = MappingProxyType(
    {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "ONLINE_JUDGE": "1"}
)
#: Every smoke program reads two numbers and prints their sum. It uses the libraries that programs of its language use.
SMOKE_INPUT = b"3 4\n"
SMOKE_OUTPUT = b"7\n"

_SEARCH = tuple(Path(directory) for directory in ENVIRONMENT["PATH"].split(":"))
_VIEW = ("/usr/", "/bin/", "/lib/", "/lib64/")
_VERSION_TIMEOUT_S = 20
_GNU, _ISO = "-std=gnu", "-std=c"
_STRICT = "-strict"
#: The largest stack that the Java runtime accepts.
_STACK_MAX_KIB = 1024 * 1024
_YOUNG_MAX_MIB = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """The program that compiles or interprets, and how to recognise it."""

    commands: tuple[str, ...]
    #: Arguments that make it print its version.
    ask: tuple[str, ...] = ("--version",)
    #: Pattern that matches the answer; group 1 is the version. Other programs of that name do not match.
    version: str
    #: The Debian packages that hold it; empty where Debian has none.
    package: str = ""
    #: The command that installs it where no package does.
    install: str = ""
    #: Paths of other files that it does not work without: where one is missing, the toolchain is not installed.
    needs: tuple[str, ...] = ()

    @property
    def remedy(self) -> str:
        """The command that installs it."""
        return self.install or f"apt-get install {self.package}"

    @property
    def repair(self) -> str:
        """The command that installs it again."""
        return self.install or f"apt-get install --reinstall {self.package}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepare:
    """A step that runs once for a toolchain, in the sandbox, and makes ``{library}`` for the compile step."""

    #: A command that writes ``library.tar``, a tar of plain files, to the working directory. Empty: no such step.
    argv: tuple[str, ...] = ()
    #: Files beside the TOML, found in ``../in/``.
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Compile:
    """The compile step: a command, to which the units are added."""

    argv: tuple[str, ...]
    #: Added to `ENVIRONMENT`. (The submission's program does not get it.)
    env: tuple[tuple[str, str], ...] = ()
    #: Files beside the TOML that the compile step finds in ``../in/``.
    files: tuple[str, ...] = ()
    #: File beside the TOML: its text is ``{script}``.
    script: str = ""
    #: Units: extra files with these suffixes are compiled along. Other extra files can be included or imported.
    units: tuple[str, ...] = ()
    #: Other files of a submission with these suffixes are checked, too, as DOMjudge and Kattis do.
    modules: tuple[str, ...] = ()
    #: The sender's, behind the source and the units (`judge.languages.options`). They are not in `argv`: what is made
    #: once for all programs, as precompiled headers and the choice of a linker, is made without them.
    options: tuple[str, ...] = ()
    #: The file that it makes; empty: none, the source itself is run.
    output: str = ""
    #: Whether it can be made to run code of the program (macros, BEGIN blocks, directives).
    runs: bool = False
    #: Whether it executes what it has compiled (`RunSpec.modes`).
    modes: bool = False
    #: Processes that it may start; 0: threads only. A compiler that may be held starts none.
    processes: int = 64
    #: Whether the compiler, which starts no processes then, may be held (`RunSpec.warm`).
    warm: bool = False
    #: Limits unless the caller sets others; to exceed them is a compile error. Compilers with a memory limit of their
    #: own get ``{heap_mib}`` in `argv` and `env`.
    cpu_ns: int = 10 * SECOND_NS
    memory_bytes: int = OUR_COMPILE_BYTES
    #: The part of the memory limit that such a compiler needs beside its heap.
    reserve_mib: int = 0

    @property
    def trust(self) -> Trust:
        return Trust.HOSTILE if self.runs else Trust.TOOL

    def memory(self) -> Mapping[str, str]:
        """The value of ``{heap_mib}``."""
        return {"heap_mib": str(_heap_mib(self.memory_bytes, self.reserve_mib))}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCommand:
    """How to run a program: by an interpreter with its arguments, or, if `argv` is the compile step's output alone, by
    executing that. Runtimes with a memory limit of their own get ``{heap_mib}``, ``{young_mib}``, ``{stack_kib}``."""

    argv: tuple[str, ...]
    #: Added to `ENVIRONMENT`.
    env: tuple[tuple[str, str], ...] = ()
    #: The part of the memory limit that the runtime needs beside the program's heap.
    reserve_mib: int = 0
    #: Pages of the runtime's own files that every run has in memory. They do not count against the memory limit.
    files_mib: int = 0
    #: Files beside the TOML that a run finds in ``../in/``.
    files: tuple[str, ...] = ()
    #: Arguments that stand behind the first one where ``{library}`` (`Prepare`) is still there: it may be removed at
    #: any time, and the program must run without it.
    library: tuple[str, ...] = ()
    #: Whether the interpreter may be held (`RunSpec.warm`).
    warm: bool = False

    def memory(self, limit_bytes: int) -> Mapping[str, str]:
        """The values of the placeholders. A full heap stays below `NEARLY_ALL` of the limit, so that the runtime itself
        reports that memory ran out. Endless recursion fills the stack before it fills memory. No array spans the young
        and the old generation: so the young one is small."""
        heap_mib = _heap_mib(limit_bytes, self.reserve_mib)
        young_mib = max(1, min(heap_mib // 8, _YOUNG_MAX_MIB))
        return {
            "heap_mib": str(heap_mib),
            "young_mib": str(young_mib),
            "stack_kib": str(min(heap_mib * 768, _STACK_MAX_KIB)),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """In every `argv`, ``{compiler}`` is the toolchain, ``{bin}`` its directory, ``{source}`` the submission's path."""

    name: str
    title: str
    #: Languages whose sources look alike have one family: "c", "c++" (`judge.compiling.linker` links both), "python", …
    family: str
    #: File name under which the submission is compiled and run.
    source: str
    #: File suffixes that mean this language if the caller names none.
    suffixes: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    time_multiplier: float = 1.0
    #: Processes that a run may start; 0: threads only.
    processes: int = 0
    #: Descriptors that a run may have open.
    open_files: int = 64
    #: Texts that the runtime writes to stderr when an allocation was refused.
    out_of_memory: tuple[str, ...] = ()
    #: Refused system calls that the runtime makes by itself: they are not reported as suspicious.
    harmless: tuple[str, ...] = ()
    #: A block of it in a completion is more often a command to be typed than the answer: it is the program only if the
    #: language is wanted, or no block of another is there.
    commands: bool = False
    #: True for runtimes that start threads before they open files (Java, Go, Node). Layer "vetted" refuses them: under
    #: it a program with a second thread can open nothing.
    threads: bool = False
    #: True for runtimes that read in /proc where their stack lies. The restricted tiers, nsjail and docker hide it.
    proc: bool = False
    #: File beside the TOML: run in place of a submission that defines a function (`problems.model.Function`). It finds
    #: the submission beside itself. Empty: the language has none.
    call: str = ""
    #: The command or function that compiles, for the documentation. Empty: programs are checked, not compiled.
    compiled_by: str = ""
    #: File beside the TOML: the smoke program.
    smoke: str
    toolchain: Tool
    prepare: Prepare = Prepare()
    compile: Compile
    run: RunCommand

    @property
    def gnu(self) -> bool:
        """Whether it is a GNU dialect (-std=gnu…)."""
        chosen = [option for option in self.compile.options if option.startswith((_GNU, _ISO))]
        return _names_gnu(chosen[-1:] or self.compile.argv)

    @property
    def native(self) -> bool:
        """Whether the compile step makes an executable, which runs without an interpreter."""
        return self.run.argv == (self.compile.output,)

    @property
    def hostile_processes(self) -> bool:
        """Whether code of the program may start processes, when it runs or when it is compiled."""
        return self.processes > 0 or (self.compile.runs and self.compile.processes > 0)

    @property
    def taken(self) -> frozenset[str]:
        """Names of files that the judge puts beside a submission: no file of a submission may have them."""
        assembly = f"{Path(self.source).stem}.s"  # of g++'s compiler proper (judge.compiling.held)
        return frozenset({self.source, assembly, *self.compile.files, *self.run.files}) | {self.compile.output}

    @property
    def facts(self) -> LanguageFacts:
        """Of its text, and what others call it."""
        return facts()[self.name.removesuffix(_STRICT)]

    def find(self) -> Path:
        """The toolchain's real path.

        Raises:
            LanguageError: not installed where sandboxes can see it.
        """
        for command in self.toolchain.commands:
            for directory in _SEARCH:
                path = os.path.realpath(f"{directory}/{command}")  # at every compile: a Path takes three times as long
                if path.startswith(_VIEW) and os.access(path, os.X_OK):
                    self._check_needs()
                    return Path(path)
        raise LanguageError(
            f"{self.title}: no {' or '.join(self.toolchain.commands)} in {', '.join(map(str, _SEARCH))}; "
            f"install it: {self.toolchain.remedy}"
        )

    def _check_needs(self) -> None:
        for needed in self.toolchain.needs:
            if not os.access(needed, os.R_OK):
                raise LanguageError(f"{self.title}: no {needed}; install it: {self.toolchain.remedy}")

    def check(self, isolation: Isolation) -> None:
        """
        Raises:
            LanguageError: the language cannot run behind these walls.
        """
        if self.threads and "vetted" in isolation.layers:
            raise LanguageError(
                f"{self.title}: it opens files from several threads, which the sandbox cannot allow where the "
                "kernel grants neither mounts nor Landlock; use Linux 5.13 or later"
            )
        if self.hostile_processes and not counts_processes(isolation):
            raise LanguageError(
                f"{self.title}: its programs, or its compiler for them, start processes whose CPU time and memory "
                f"nothing bounds together on the tier {isolation.tier}, which has no cgroup for them (layer cpu); "
                "`judge doctor` says how to get one"
            )
        if self.proc and _hides_proc(isolation):
            raise LanguageError(
                f"{self.title}: its runtime reads /proc, which the restricted tiers, nsjail and docker hide; use the "
                "backend native where it is granted namespaces (`judge doctor` says how), or another language"
            )

    def status(self) -> Status:
        """What is installed, or what is missing, with the remedy. Runs the toolchain to ask for its version."""
        try:
            path = self.find()
            version = _version(path, path.stat().st_ctime_ns, self.toolchain)
        except LanguageError as error:
            return Status(language=self.name, problem=str(error))
        return Status(language=self.name, path=path, version=version)

    def compiled_under(self, cpu_ns: int | None, memory_bytes: int | None) -> Language:
        """The same, with the caller's limits for the compile where they are given. They are those of compilers: a check
        that executes the program, and builds nothing, has no more time than it needs (`compile.cpu_ns`)."""
        if cpu_ns is None and memory_bytes is None:
            return self
        own = self.compile
        allowed_ns = cpu_ns or own.cpu_ns
        if own.runs and not own.output:
            allowed_ns = min(allowed_ns, own.cpu_ns)
        limited = replace(own, cpu_ns=allowed_ns, memory_bytes=memory_bytes or own.memory_bytes)
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


def _hides_proc(isolation: Isolation) -> bool:
    """Whether runs see no /proc: only where the launcher mounts a view is there one of their own, layer "proc"."""
    views = any(layer.rpartition(":")[2] == "mount" for layer in isolation.layers)
    return isolation.tier.startswith("restricted") or (views and "proc" not in isolation.layers)


def _heap_mib(limit_bytes: int, reserve_mib: int) -> int:
    limit_mib = limit_bytes >> 20
    return max(int(limit_mib * NEARLY_ALL) - reserve_mib, limit_mib // 4, 1)


@functools.cache
def resource(name: str) -> bytes:
    """The content of a file beside the TOML files."""
    return (DIRECTORY / name).read_bytes()


@functools.cache
def _version(path: Path, changed_ns: int, toolchain: Tool) -> str:
    """`changed_ns`: when the file changed. An installation under a running server has another version. The cache keeps
    the answer: to ask all toolchains takes half a second.

    Raises:
        LanguageError: it does not run, or is another program. That is asked again each time.
    """
    key = hashlib.sha256(repr((str(path), changed_ns, toolchain)).encode()).hexdigest()
    try:
        cache = Cache()
    except ConfigError:  # it is told where something is judged
        return _asked_version(path, toolchain)
    known = cache.get(key)
    version = known.decode() if known is not None else _asked_version(path, toolchain)
    if known is None:
        cache.put(key, version.encode())
    cache.close()
    return version


def _asked_version(path: Path, toolchain: Tool) -> str:
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
        raise LanguageError(f"{path} does not run: {error}; {toolchain.repair}") from error
    match = re.search(toolchain.version, run.stdout + run.stderr)
    if match is None:
        raise LanguageError(f"{path} is not the expected toolchain; {toolchain.remedy}")
    return match[1]


@functools.cache
def _read_tables() -> Mapping[str, Mapping[str, Any]]:
    try:
        cache = Cache()
    except ConfigError:  # it is told where something is judged
        return tables()
    with closing(cache):
        return tables(cache)


@functools.cache
def _load(name: str) -> Language:
    """The language of exactly that name. `problems.files.languages` reads the tables that are left out."""
    table = _read_tables().get(name)
    if table is None:
        return _strict(_load(name.removesuffix(_STRICT)))
    own = {key: value for key, value in table.items() if key not in ("text", "names")}
    return build(Language, own, f"{name}.toml")


def _strict(language: Language) -> Language:
    """The same language in the standard's dialect: `cpp17-strict` (or `c++17-strict`) is compiled with -std=c++17."""
    argv = tuple(part.replace(_GNU, _ISO) for part in language.compile.argv)
    return replace(
        language,
        name=language.name + _STRICT,
        title=f"{language.title}, strict",
        suffixes=(),
        aliases=_strict_names(language.aliases),
        compile=replace(language.compile, argv=argv),
    )


def _names_gnu(argv: Sequence[str]) -> bool:
    return any(part.startswith(_GNU) for part in argv)


def _strict_names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name + _STRICT for name in names if not name.startswith("gnu"))


@functools.cache
def _index_names() -> Mapping[str, str]:
    """The name of each language, by its names and aliases, with the strict variants of the GNU dialects."""
    found: dict[str, str] = {}
    for name, table in _read_tables().items():
        aliases = table.get("aliases", ())
        found |= dict.fromkeys((name, *aliases), name)
        if _names_gnu(table["compile"]["argv"]):
            found |= dict.fromkeys(_strict_names((name, *aliases)), name + _STRICT)
    return found


def names() -> tuple[str, ...]:
    """The names of all languages, without the strict variants (`<name>-strict`)."""
    return tuple(_read_tables())


def find(name: str) -> Language | None:
    """The language of that name or alias; None: unknown."""
    found = _index_names().get(name.strip().casefold())
    return None if found is None else _load(found)


def find_by_suffix(suffix: str) -> Language | None:
    """The language of files with that suffix, as ".py"; None: no language has it."""
    found = _index_suffixes().get(suffix)
    return None if found is None else _load(found)


@functools.cache
def _index_suffixes() -> Mapping[str, str]:
    return {suffix: name for name, table in _read_tables().items() for suffix in table.get("suffixes", ())}


def get(name: str) -> Language:
    """The language of that name or alias.

    Raises:
        LanguageError: unknown; the message suggests the nearest names.
    """
    language = find(name)
    if language is None:
        raise LanguageError(_unknown(name[:100]))
    return language


@functools.lru_cache(maxsize=1024)
def _unknown(name: str) -> str:
    """A data set that names such a language does so in each row, and suggestions are slow to find."""
    near = nearest(name.strip().casefold(), _index_names(), most=3)
    hint = f"did you mean {', '.join(near)}?" if near else f"known are {', '.join(names())}"
    return f"unknown language {name!r}; {hint}"


def for_path(path: Path) -> Language:
    """The language of a file, by its suffix.

    Raises:
        LanguageError: no language has it.
    """
    if (found := find_by_suffix(path.suffix)) is not None:
        return found
    known = " ".join(_index_suffixes())
    raise LanguageError(f"cannot tell the language of {path.name!r} by its suffix (known: {known}); use --language")
