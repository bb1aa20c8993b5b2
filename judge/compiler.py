"""From source to program, in a sandbox, and never twice.

    source --> key --> cache --hit--> program
                         │ miss (one maker a key)
                         └--> headers, linker --> compiler in the sandbox --> cache

The key is a hash of all that the result depends on: the source after hygiene, the extra files, the language's
definition, the compiler's identity (its file, its assembler and linkers, the C library's headers), how programs are
linked, and `_RECIPE`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from containers import File, Limits, Outcome, RunSpec, Sandbox, Termination
from containers.spec import KIB, MIB
from judge import linker
from judge.cache import Cache, locked
from judge.errors import ConfigError
from judge.headers import BUILD_NAME, FAILURES, Headers, Use
from judge.languages import ENVIRONMENT, SMOKE_INPUT, SMOKE_OUTPUT, Language, resource
from judge.linker import COMPILE_ARGUMENTS, Linking, link_source
from judge.memfd import memfd, sealed
from judge.models import CompileResult
from judge.strict import build
from judge.toolchain import LIMITS, RUN_LIMITS, Toolchain, run, succeeded

#: Raised whenever the way from the same inputs to the program changes.
_RECIPE = 1
_OUTPUT = "solution"
_OUTPUT_BYTES = 64 * MIB
_DIAGNOSTIC_BYTES = 64 * KIB

_Verdict = Literal["ok", "error", "time", "memory", "output"]
#: What gcc says when it ran into a limit that the sandbox sees only as a failure of one of its calls.
_LIMIT_MESSAGES: tuple[tuple[_Verdict, re.Pattern[bytes]], ...] = (
    ("memory", re.compile(rb"out of memory allocating|memory exhausted|Killed signal terminated program")),
    ("output", re.compile(rb"No space left on device|File size limit exceeded|File too large")),
)
_STOPPED = {"time": "it took too long", "memory": "it used too much memory", "output": "it wrote too much"}
#: A temporary file of the compiler. Tried only where a word begins: the program chooses the text, and its length.
_OBJECT = re.compile(r"(?<![^\s:()'])[^\s:()']*/cc\w{6}\.[so]\b")
_PRECOMPILED_FROM = re.compile(rf"\.\./in/{re.escape(BUILD_NAME)}:(\d+)")


@dataclass(slots=True, kw_only=True)
class Program:
    """A compiled program, to be run any number of times; a context manager that owns `executable`."""

    argv: tuple[str, ...]
    #: Sealed memory file; None: `argv[0]` is an interpreter.
    executable: int | None = None
    files: tuple[File, ...] = ()
    mounts: tuple[Path, ...] = ()
    env: Mapping[str, str] = field(default_factory=lambda: ENVIRONMENT)

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
    program: Program | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    text: bytes
    language: Language
    extra: tuple[File, ...]
    wrap_freopen: bool
    toolchain: Toolchain
    linking: Linking | None

    @property
    def native(self) -> bool:
        return self.linking is not None

    @property
    def source(self) -> str:
        return f"../in/{self.language.source}"

    @property
    def units(self) -> tuple[str, ...]:
        """Extra files that are compiled along."""
        return tuple(f"../in/{file.name}" for file in self.extra if file.name.endswith(self.language.compile.units))

    def fill(self, argv: Iterable[str]) -> tuple[str, ...]:
        return tuple(part.format(compiler=self.toolchain.compiler, source=self.source) for part in argv)

    def key(self) -> str:
        facts = {
            "recipe": _RECIPE,
            "language": {key: getattr(self.language, key) for key in ("name", "family", "source", "compile", "run")},
            "helpers": [_sha256(resource(name)) for name in self.language.compile.files],
            "compiler": self.toolchain.identity,
            "linking": self.linking,
            "wrapper": _sha256(link_source("freopen.c")) if self.native and self.wrap_freopen else None,
            "extra": [(file.name, _sha256(file.content)) for file in self.extra],
            "source": _sha256(self.text),
        }
        return _sha256(json.dumps(facts, sort_keys=True, default=asdict).encode())

    def program(self, executable: bytes) -> Program:
        argv = self.fill(self.language.run.argv)
        if self.native:
            return Program(argv=argv, executable=sealed(_OUTPUT, executable, executable=True))
        return Program(argv=argv, files=(File(name=self.language.source, content=self.text), *self.extra))


class Compiler:
    """Thread-safe; the sandbox is the caller's."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def compile(
        self,
        text: bytes,
        language: Language,
        sandbox: Sandbox,
        *,
        extra: tuple[File, ...] = (),
        wrap_freopen: bool = True,
    ) -> Compiled:
        """Compile (for Python: check the syntax), or take the result of an equal compile.

        `extra` lie beside the source; those with a suffix of the language's units are compiled along. Without
        `wrap_freopen`, a C or C++ program may redirect its standard streams.

        Raises:
            LanguageError: the toolchain is not installed, or does not work.
            ConfigError: the cache directory cannot be used.
            ContainerError: the sandbox failed or refuses.
        """
        toolchain = Toolchain.of(language, self._cache)
        with locked(self._cache.headers / "lock", shared=True):
            linking = linker.prepare(toolchain, language, sandbox) if language.family in ("c", "c++") else None
            task = _Task(
                text=text,
                language=language,
                extra=extra,
                wrap_freopen=wrap_freopen,
                toolchain=toolchain,
                linking=linking,
            )
            key = task.key()
            if (found := self._cached(key)) is None:
                with self._cache.lock(key):
                    if (found := self._cached(key)) is None:
                        found = self._make(task, key, sandbox)
        result, executable = found
        return Compiled(result=result, program=task.program(executable) if result.verdict == "ok" else None)

    def _cached(self, key: str) -> tuple[CompileResult, bytes] | None:
        entry = self._cache.get(key)
        if entry is None:
            return None
        head, _, executable = entry.partition(b"\n")
        try:
            result = build(CompileResult, json.loads(head), key)
        except (ValueError, ConfigError):  # written by another version of this program
            return None
        return replace(result, cached=True), executable

    def _make(self, task: _Task, key: str, sandbox: Sandbox) -> tuple[CompileResult, bytes]:
        use = Use()
        if task.language.family == "c++" and task.linking is not None:
            headers = Headers(toolchain=task.toolchain, language=task.language, linking=task.linking, sandbox=sandbox)
            use = headers.use(task.text, alone=not task.units)
        outcome = _run(task, use, sandbox)
        if use.arguments and not succeeded(outcome) and FAILURES.search(outcome.stderr):
            use = Use()
            outcome = _run(task, use, sandbox)
        executable = outcome.files.get(_OUTPUT, b"") if task.native else b""
        verdict = _verdict(outcome, executable if task.native else None)
        result = CompileResult(
            verdict=verdict,
            output=_diagnostics(outcome, verdict, task, use),
            cpu_ns=outcome.usage.cpu_ns,
            wall_ns=outcome.usage.wall_ns,
        )
        if task.native and not (task.toolchain.directory / "freopen.o").exists():
            raise ConfigError(f"{task.toolchain.directory} was removed while a program was compiled; run it again")
        if verdict in ("ok", "error") and outcome.signal is None:  # the others depend on the machine
            self._cache.put(key, result.to_json().encode() + b"\n" + executable)
        return result, executable


def smoke(language: Language, compiler: Compiler, sandbox: Sandbox) -> str | None:
    """Compile and run the language's smoke program: what is wrong, or None.

    Raises:
        LanguageError: the toolchain is not installed, or does not work.
        ContainerError: the sandbox failed or refuses.
    """
    compiled = compiler.compile(language.smoke_source(), language, sandbox)
    if compiled.program is None:
        return f"its smoke program does not compile: {compiled.result.verdict}: {compiled.result.output}"
    with compiled.program as program, memfd("input", SMOKE_INPUT) as stdin:
        outcome = sandbox.run(run_spec(program, limits=RUN_LIMITS, stdin=stdin))
    if succeeded(outcome) and outcome.stdout == SMOKE_OUTPUT:
        return None
    return f"its smoke program fails: {outcome.termination}, exit code {outcome.exit_code}: {outcome.stderr[:200]!r}"


def run_spec(program: Program, *, limits: Limits, stdin: int | None = None) -> RunSpec:
    """A run of the program without arguments."""
    return RunSpec(
        argv=program.argv,
        executable=program.executable,
        files=program.files,
        mounts=program.mounts,
        env=program.env,
        limits=limits,
        stdin=stdin,
    )


def _run(task: _Task, use: Use, sandbox: Sandbox) -> Outcome:
    argv = task.fill(task.language.compile.argv)
    if task.linking is not None:
        link = task.linking.argv(task.toolchain, wrap_freopen=task.wrap_freopen)
        argv = (*argv, *task.units, *COMPILE_ARGUMENTS, *use.arguments, "-o", _OUTPUT, *link)
    helpers = (File(name=name, content=resource(name)) for name in task.language.compile.files)
    return run(
        sandbox,
        RunSpec(
            argv=argv,
            limits=replace(LIMITS, stderr_bytes=_DIAGNOSTIC_BYTES),
            env={**ENVIRONMENT, **dict(task.language.compile.env)},
            files=(File(name=task.language.source, content=task.text), *task.extra, *helpers),
            mounts=(task.toolchain.directory,) if task.native else (),
            collect=(_OUTPUT,) if task.native else (),
        ),
    )


def _verdict(outcome: Outcome, executable: bytes | None) -> _Verdict:
    match outcome.termination:
        case Termination.CPU_LIMIT | Termination.WALL_LIMIT:
            return "time"
        case Termination.MEMORY_LIMIT:
            return "memory"
        case Termination.OUTPUT_LIMIT:
            return "output"
        case _:
            pass
    if succeeded(outcome):
        too_large = executable is not None and not 0 < len(executable) <= _OUTPUT_BYTES
        return "output" if too_large else "ok"
    return next((verdict for verdict, pattern in _LIMIT_MESSAGES if pattern.search(outcome.stderr)), "error")


def _diagnostics(outcome: Outcome, verdict: _Verdict, task: _Task, use: Use) -> str:
    """The compiler's words as if it had run beside the source and without a precompiled header; why it was stopped."""

    def included(match: re.Match[str]) -> str:
        return f"{task.language.source}:{use.lines.get(int(match[1]), 1)}"

    ours = re.escape(str(task.toolchain.directory))
    text = outcome.stderr.decode("utf-8", "replace")
    text = re.sub(rf"(?<=from ){ours}/[\w-]+/bits/stdc\+\+\.h:\d+,\n +from ", "", text)  # on to the real one
    text = _PRECOMPILED_FROM.sub(included, text)
    text = _OBJECT.sub(f"{_OUTPUT}.o", text)
    text = text.replace("../in/", "").replace(f"{task.toolchain.directory}/", "")
    if len(outcome.stderr) >= _DIAGNOSTIC_BYTES:
        text += "\n… (cut)"
    if verdict in _STOPPED:
        text += f"\nthe compiler was stopped: {_STOPPED[verdict]}\n"
    elif outcome.signal is not None:
        text += f"\nthe compiler was ended by signal {outcome.signal}\n"
    return text


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
