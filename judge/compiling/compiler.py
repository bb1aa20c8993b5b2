"""Compiles sources to programs, in a sandbox, and each source only once.

    source --> key --> cache --hit--> program
                         │ miss (one maker a key)
                         └--> headers, linker --> compiler in the sandbox --> cache

The key is a hash of all that the result depends on. These are the source after hygiene, the extra files, the language's
definition, the compiler's identity, how programs are linked, whether precompiled headers may be used, what was prepared
for it, and `_RECIPE`. Of C and C++ the source's tokens count, where a program cannot tell the difference
(`judge.compiling.tokens`). The compiler's identity is its file, its assembler and linkers, and the C library's headers.
What a compiler refused is kept only until something is installed: perhaps the compiler was not whole. The language's
definition holds the limits of the compile, the caller's where there are any (`Language.compiled_under`).

The result is one file: an executable, or what an interpreter runs. Python and JavaScript run from the source: their
compile step only checks it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Self

from containers import File, Outcome, RunLimits, RunSpec, Sandbox, SandboxError, Termination
from judge import languages
from judge.common import config
from judge.common.errors import ConfigError, LanguageError
from judge.common.models import CompileResult
from judge.common.strict import build
from judge.compiling import linker, prebuilt
from judge.compiling.headers import FAILURES, Headers, Use
from judge.compiling.held import Frontend, assembly_of
from judge.compiling.linker import COMPILE_ARGUMENTS, Linking, link_source
from judge.compiling.meaning import DIAGNOSTIC_BYTES, diagnostics, verdict_of, would_last
from judge.compiling.tokens import normal_form
from judge.compiling.toolchain import Toolchain, has_succeeded, limits, run, system_facts
from judge.languages import ENVIRONMENT, Language, RunCommand, resource
from judge.store.cache import Cache
from judge.store.memfd import seal

#: To be increased whenever we change how the same inputs are compiled.
_RECIPE = 2
#: How often a program is compiled that a compiler refuses with a program of ours.
_TRIES = 2

#: Messages of compilers that could start no process for one of their parts.
_STARVED = re.compile(rb"resource temporarily unavailable|unable to create (?:new )?native thread", re.IGNORECASE)
#: Messages of compilers that miss a part of theirs. A program may cause them, too: by the name of a header, say.
_LACKS = re.compile(
    r"cannot execute|installation problem|no such file or directory|error while loading shared libraries"
    r"|cannot find (?:-l|\S{1,200}\.o\b)",
    re.IGNORECASE,
)


@dataclass(slots=True, kw_only=True)
class Executable:
    """A compiled program, to be run any number of times; a context manager that owns `executable`."""

    run: RunCommand
    #: Values of the placeholders in `run`, without those that depend on the limits.
    paths: Mapping[str, str]
    #: Sealed memory file; None: an interpreter runs `files`.
    executable: int | None = None
    files: tuple[File, ...] = ()
    #: Files that each run finds in its working directory, but for those that it is given under the same name.
    beside: tuple[File, ...] = ()
    #: What was prepared for runs (`RunCommand.library`).
    library: Path | None = None

    def spec(
        self,
        *,
        limits: RunLimits,
        arguments: Iterable[str] = (),
        stdin: int | None = None,
        files: tuple[File, ...] = (),
        collect: tuple[str, ...] = (),
        apart: bool = False,
        threaded: bool = False,
    ) -> RunSpec:
        """A run of the program. `files` are added to its own."""
        values = {**self.paths, **self.run.memory(limits.memory_bytes)}
        given = tuple(arguments)
        taken = {file.name for file in files if file.work} | set(collect)
        beside = tuple(file for file in self.beside if file.name.partition("/")[0] not in taken)
        mounts = (self.library,) if self.library is not None and self.library.exists() else ()
        own = (*self.run.argv[:1], *(self.run.library if mounts else ()), *self.run.argv[1:])
        return RunSpec(
            argv=(*(part.format_map(values) for part in own), *given),
            env={**ENVIRONMENT, **{name: value.format_map(values) for name, value in self.run.env}},
            executable=self.executable,
            files=(*self.files, *beside, *files),
            mounts=mounts,
            limits=limits,
            stdin=stdin,
            collect=collect,
            apart=apart,
            threaded=threaded,
            warm=self.run.warm and not given,  # the arguments come from the problem: not trusted
        )

    def close(self) -> None:
        if self.executable is not None:
            os.close(self.executable)
            self.executable = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    result: CompileResult
    #: None unless `result.verdict` is "ok". The caller closes it.
    program: Executable | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    text: bytes
    language: Language
    extra: tuple[File, ...]
    wrap_freopen: bool
    toolchain: Toolchain
    linking: Linking | None
    library: Path | None
    plain: bool
    checked: tuple[str, ...]

    @property
    def output(self) -> str:
        return self.language.compile.output

    def paths(self, source: str) -> Mapping[str, str]:
        """Values of the placeholders."""
        compiler = self.toolchain.compiler
        return {
            "compiler": str(compiler),
            "bin": str(compiler.parent),
            "source": f"../in/{source}",
            "output": f"../in/{self.output}",
            "library": str(self.library),
            **self.language.compile.memory(),
        }

    @property
    def units(self) -> tuple[str, ...]:
        """Extra files that are compiled along."""
        return tuple(f"../in/{file.name}" for file in self.extra if file.name.endswith(self.language.compile.units))

    def argv(self, source: str) -> tuple[str, ...]:
        how = self.language.compile
        values = {**self.paths(source), "script": resource(how.script).decode() if how.script else ""}
        checked = (f"../in/{name}" for name in self.checked)
        return (*(part.format_map(values) for part in how.argv), *self.units, *checked, *how.options)

    @property
    def lasting(self) -> Path | None:
        """What must exist in the toolchain's directory while the compiler runs."""
        return self.library if self.linking is None else self.toolchain.directory / "freopen.o"

    def key(self) -> str:
        return self._key(_sha256(self.text))

    def key_of_tokens(self) -> str | None:
        """The same for all programs with the same tokens; None: only this text compiles to what it does."""
        shared = self.language.native and self.linking is not None and not self.plain and not self.extra
        form = normal_form(self.text) if shared else None
        return None if form is None else self._key(f"tokens {_sha256(form)}")

    def _key(self, source: str) -> str:
        facts = {
            "recipe": _RECIPE,
            "language": _facts(self.language),
            "library": self.library and self.library.name,
            "compiler": self.toolchain.identity,
            "linking": self.linking,
            "plain": self.plain and self.language.family == "c++",
            "wrapper": _sha256(link_source("freopen.c")) if self.linking and self.wrap_freopen else None,
            **({"checked": self.checked} if self.checked else {}),
            "extra": [(file.name, _sha256(file.content)) for file in self.extra],
            "source": source,
        }
        return _sha256(json.dumps(facts, sort_keys=True, default=asdict).encode())

    def program(self, made: bytes) -> Executable:
        run, paths = self.language.run, self.paths(self.language.source)
        if self.language.native:
            return Executable(run=run, paths=paths, executable=seal(self.output, made, executable=True))
        name, content = (self.output, made) if self.output else (self.language.source, self.text)
        files = (File(name=name, content=content), *_helpers(run.files), *self.extra)
        return Executable(run=run, paths=paths, files=files, library=self.library if run.library else None)


class Compiler:
    """Thread-safe; the sandbox is the caller's."""

    def __init__(self, cache: Cache, *, plain: bool | None = None) -> None:
        """`plain`: neither precompiled headers nor a fast linker; None: as `config.plain` says.

        Raises:
            ConfigError: JUDGE_PLAIN is neither 0 nor 1.
        """
        self._cache = cache
        self._plain = config.plain() if plain is None else plain

    def compile(
        self,
        text: bytes,
        language: Language,
        sandbox: Sandbox,
        *,
        extra: tuple[File, ...] = (),
        checked: tuple[str, ...] = (),
        wrap_freopen: bool = True,
    ) -> Compiled:
        """Compile (or only check, if the source is what runs), or take the result of an equal compile.

        `extra` lie beside the source; those with a suffix of the language's units are compiled along. `checked`: names
        of those whose syntax is checked, where the language has `modules`. Without `wrap_freopen`, a C or C++ program
        may redirect its standard streams.

        Raises:
            LanguageError: the toolchain is not installed, does not work, or cannot run in this sandbox.
            ConfigError: the cache directory cannot be used.
            ContainerError: the sandbox failed, or cannot run this.
        """
        language.check(sandbox.isolation)
        with self._cache.reading_headers():
            toolchain = Toolchain.of(language, self._cache)
            linked = language.family in ("c", "c++")
            task = _Task(
                text=text,
                language=language,
                extra=extra,
                checked=tuple(name for name in checked if name.endswith(language.compile.modules)),
                wrap_freopen=wrap_freopen,
                toolchain=toolchain,
                linking=linker.prepare(toolchain, language, sandbox, plain=self._plain) if linked else None,
                plain=self._plain or bool(language.compile.options),  # precompiled headers are made without them
                library=prebuilt.prepare(toolchain, language, sandbox),
            )
            key, shared = task.key(), task.key_of_tokens()
            if (found := self._find(key, shared)) is None:
                with self._cache.lock(shared or key):
                    if (found := self._find(key, shared)) is None:
                        found = self._make(task, key, shared, sandbox)
        result, made = found
        return Compiled(result=result, program=task.program(made) if result.verdict == "ok" else None)

    def _find(self, key: str, shared: str | None) -> tuple[CompileResult, bytes] | None:
        if shared is not None and (entry := self._cache.get(shared)) is not None:
            maker, _, entry = entry.partition(b"\n")
            if (found := _decode_entry(entry, key)) is not None:
                result, made = found
                return (result if maker.decode() == key else replace(result, cached="same tokens")), made
        return self._read_cached(key) or self._read_cached(_key_of_refusal(key, system_facts()))

    def _read_cached(self, key: str) -> tuple[CompileResult, bytes] | None:
        return None if (entry := self._cache.get(key)) is None else _decode_entry(entry, key)

    def _make(self, task: _Task, key: str, shared: str | None, sandbox: Sandbox) -> tuple[CompileResult, bytes]:
        """Compile. A compiler that is being installed refuses right programs: what it refuses is believed, and kept for
        as long as nothing else is installed, only if it compiles a program of ours."""
        for _ in range(_TRIES):
            system = system_facts()
            result, made, lasts = _attempt(task, sandbox)
            refused = result.verdict == "error"
            if refused and not self._works(task, system, sandbox, anew=_LACKS.search(result.output) is not None):
                continue
            if lasts:
                entry = result.to_json().encode() + b"\n" + made
                if shared and result.verdict == "ok" and not result.output:  # what is said names lines of this text
                    self._cache.put(shared, key.encode() + b"\n" + entry)
                else:
                    self._cache.put(_key_of_refusal(key, system) if refused else key, entry)
            return result, made
        raise LanguageError(
            f"{task.language.title}: its compiler refuses a program of ours, too: {result.output.strip()[:300]}; "
            f"wait until it is installed, or repair it: {task.language.toolchain.repair}"
        )

    def _works(self, task: _Task, system: str, sandbox: Sandbox, *, anew: bool) -> bool:
        """Whether the toolchain compiles our own program, while nothing was installed since `system`. `anew`: whether
        it is asked, though it did before."""
        if (language := languages.find(task.language.name)) is None:  # scripts of a package: they bring their own
            return True
        key = _sha256(json.dumps(["works", task.toolchain.identity, _facts(language), system]).encode())
        if anew or self._cache.get(key) is None:
            smoke, _ = _compile_fastest(
                replace(task, text=language.smoke_source(), language=language, extra=(), checked=()), sandbox
            )
            if not has_succeeded(smoke):
                return False
            self._cache.put(key, b"")
        return system_facts() == system


def _attempt(task: _Task, sandbox: Sandbox) -> tuple[CompileResult, bytes, bool]:
    """The result, what it made, and whether the same compile would end in the same way."""
    outcome, use = _compile_fastest(task, sandbox)
    if outcome.termination is Termination.EXITED and not has_succeeded(outcome) and _STARVED.search(outcome.stderr):
        outcome, use = _once_more(task, sandbox)
    made = outcome.files.get(task.output, b"")
    verdict = verdict_of(outcome, made if task.output else None, limits(task.language))
    result = CompileResult(
        verdict=verdict,
        output=diagnostics(outcome, verdict, task.language, task.toolchain.directory, use.lines),
        cpu_ns=outcome.usage.cpu_ns,
        wall_ns=outcome.usage.wall_ns,
    )
    if task.lasting is not None and not task.lasting.exists():
        raise ConfigError(f"{task.toolchain.directory} was removed while a program was compiled; run it again")
    return result, made, would_last(outcome, verdict, limits(task.language))


def _decode_entry(entry: bytes, key: str) -> tuple[CompileResult, bytes] | None:
    head, _, made = entry.partition(b"\n")
    try:
        result = build(CompileResult, json.loads(head), key)
    except (ValueError, ConfigError):  # written by another version of this program
        return None
    return replace(result, cached=True), made


def _key_of_refusal(key: str, system: str) -> str:
    """The key of a result that holds only as long as nothing is installed."""
    return _sha256(f"{key} {system}".encode())


def _compile_fastest(task: _Task, sandbox: Sandbox) -> tuple[Outcome, Use]:
    """Compile in the fastest way that works. Returns the outcome, and the precompiled header that it used."""
    if task.language.family != "c++" or task.linking is None or task.plain:
        return _run(task, sandbox), Use()
    headers = Headers(toolchain=task.toolchain, language=task.language, linking=task.linking, sandbox=sandbox)
    use = headers.use(task.text, alone=not task.units)
    outcome = None
    if use.header is not None and sandbox.holds:
        outcome = _in_two_steps(task, use, Frontend.of(headers, use.header), headers)
    outcome = outcome or _run(task, sandbox, use.arguments)
    failed = verdict_of(outcome, None, limits(task.language)) == "error"  # a limit would stop it again
    if use.arguments and failed and FAILURES.search(outcome.stderr):
        return _run(task, sandbox), Use()
    return outcome, use


def _once_more(task: _Task, sandbox: Sandbox) -> tuple[Outcome, Use]:
    """Compile again after the message that no process could be started, which a program can also fake.

    Raises:
        SandboxError: the compiler cannot compile a program of ours, either.
    """
    ours = replace(task.language, compile=replace(task.language.compile, options=()))
    smoke, _ = _compile_fastest(replace(task, text=ours.smoke_source(), language=ours, extra=(), checked=()), sandbox)
    if not has_succeeded(smoke):
        raise SandboxError(
            "the compiler cannot start its parts: Resource temporarily unavailable; "
            "raise the limit of processes (ulimit -u, or pids.max of the cgroup)"
        )
    return _compile_fastest(task, sandbox)


def _in_two_steps(task: _Task, use: Use, frontend: Frontend, headers: Headers) -> Outcome | None:
    """Compile with a held cc1plus, then g++; None: g++ has to do it in one step."""
    allowed = replace(limits(task.language), stderr_bytes=DIAGNOSTIC_BYTES)
    first = frontend.compile(task.text, use, headers, limits=allowed, files=task.extra)
    if first is None or not has_succeeded(first):
        return first
    second = _run(task, headers.sandbox, source=File(name=assembly_of(task.language), content=first.stdout))
    if not has_succeeded(second) or second.stderr:
        return None
    cpu_ns = first.usage.cpu_ns + second.usage.cpu_ns
    if cpu_ns > (allowed.cpu_ns or cpu_ns):  # too much in all: let a single run decide, which can be confirmed
        return None
    usage = replace(
        second.usage,
        cpu_ns=cpu_ns,
        wall_ns=first.usage.wall_ns + second.usage.wall_ns,
    )
    return replace(second, stderr=first.stderr, usage=usage)


def _run(task: _Task, sandbox: Sandbox, arguments: tuple[str, ...] = (), source: File | None = None) -> Outcome:
    """Run the compiler with these arguments, on the program or on another `source`."""
    source = source or File(name=task.language.source, content=task.text)
    argv = task.argv(source.name)
    if task.linking is not None:
        link = task.linking.argv(task.toolchain, wrap_freopen=task.wrap_freopen)
        argv = (*argv, *COMPILE_ARGUMENTS, *arguments, "-o", task.output, *link)
    compile_, memory = task.language.compile, task.language.compile.memory()
    return run(
        sandbox,
        RunSpec(
            argv=argv,
            limits=replace(limits(task.language), stderr_bytes=DIAGNOSTIC_BYTES),
            trust=compile_.trust,
            modes=compile_.modes,
            env={**ENVIRONMENT, **{name: value.format_map(memory) for name, value in compile_.env}},
            files=(source, *task.extra, *_helpers(compile_.files)),
            mounts=(task.toolchain.directory,) if task.lasting else (),
            collect=(task.output,) if task.output else (),
            warm=compile_.warm and not task.checked,  # a held interpreter has the arguments of all
        ),
    )


def _helpers(names: tuple[str, ...]) -> tuple[File, ...]:
    return tuple(File(name=name, content=resource(name)) for name in names)


@lru_cache(64)
def _facts(language: Language) -> str:
    """A hash of all properties of a language on which a result depends."""
    facts = {key: getattr(language, key) for key in ("name", "family", "source", "compile", "run")}
    named = (*language.compile.files, *filter(None, (language.compile.script,)))
    ours = [_sha256(file.content) for file in _helpers(named)]
    return _sha256(json.dumps([facts, ours], sort_keys=True, default=asdict).encode())


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
