"""A program without a problem: what is to be run (`Program`), and what it did (`Execution`)."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from containers.spec import check_paths
from judge.common.errors import ConfigError
from judge.common.models import CompileLimits, CompileResult, IsolationReport, Result, Verdict, encode, shallow
from judge.common.stated import check_files, check_limits, check_type
from problems.model import MIB, MOST_ARGUMENTS, MOST_ARGUMENTS_BYTES, MOST_FILES, SECOND_NS

#: How many files a run brings back.
MOST_COLLECTED = 16
MOST_RUNS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One program to compile and run. Times in nanoseconds, sizes in bytes."""

    source: bytes
    #: (name, content) of the program's other files, which lie beside `source`: headers, modules, units.
    sources: tuple[tuple[str, bytes], ...] = ()
    language: str = "cpp17"
    stdin: bytes = b""
    arguments: tuple[str, ...] = ()
    #: Files of the working directory, by path (`containers.spec.check_path`); the run may change them. Headers and
    #: modules among them lie beside `source`, too.
    files: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))
    #: Paths of files to bring back from the working directory.
    collect: tuple[str, ...] = ()
    cpu_ns: int = 10 * SECOND_NS
    #: None: twice `cpu_ns` and a second more.
    wall_ns: int | None = None
    memory_bytes: int = 512 * MIB
    output_bytes: int = 16 * MIB
    compile_cpu_ns: int | None = None
    compile_memory_bytes: int | None = None
    #: Of C and C++: those that `judge.languages.options` names.
    compiler_options: tuple[str, ...] = ()
    #: How often it runs. The first run that fails is the last one; time and memory are the mean of all.
    runs: int = 1
    id: str | None = None

    def __post_init__(self) -> None:
        """
        Raises:
            ConfigError: a limit, or the number of runs, is not positive, or too large, or a file's name is not plain.
            TypeError: something is of another type than its annotation says.
        """
        for name in ("source", "stdin"):
            check_type(name, getattr(self, name), bytes, "bytes, by .encode()")
        check_type("language", self.language, str, "its name")
        check_files("sources", self.sources)
        check_given(self.files, self.collect, arguments=self.arguments, compiler_options=self.compiler_options)
        limits = ("cpu_ns", "wall_ns", "memory_bytes", "output_bytes", "compile_cpu_ns", "compile_memory_bytes")
        check_limits({name: getattr(self, name) for name in limits})
        check_names(self.files, self.collect)
        check_texts(self.arguments)
        check_type("runs", self.runs, int, "a whole number")
        if not 1 <= self.runs <= MOST_RUNS:
            raise ConfigError(f"runs must be 1 to {MOST_RUNS}, not {self.runs}")

    @property
    def compile_limits(self) -> CompileLimits:
        return self.compile_cpu_ns, self.compile_memory_bytes


def check_given(files: Mapping[str, bytes], collect: Sequence[str], **texts: Sequence[str]) -> None:
    """
    Raises:
        TypeError: something is of another type than the annotation says.
    """
    check_type("files", files, Mapping, "a map of names to bytes")
    for name, content in files.items():
        check_type("a name in files", name, str, "text")
        check_type(f"file {name[:100]!r}", content, bytes, "bytes, by .encode()")
    for what, names in {"collect": collect, **texts}.items():
        check_type(what, names, (tuple, list), "a tuple of texts")
        for name in names:
            check_type(f"what is in {what}", name, str, "text")


def check_names(files: Collection[str], collect: Collection[str]) -> None:
    """
    Raises:
        ConfigError: a file's name is no path within the working directory, one is also a directory of another, or
            there are more of them than a run can have.
    """
    for what, names, most in (("given", files, MOST_FILES), ("brought back", collect, MOST_COLLECTED)):
        if len(names) > most:
            raise ConfigError(f"{len(names)} files are to be {what}, more than {most}")
    try:
        check_paths(files)
        for name in collect:
            check_paths((name,))
    except ValueError as error:
        raise ConfigError(f"{error}; name files of the working directory, as in data/a.txt") from error


def check_texts(texts: Iterable[str]) -> None:
    """
    Raises:
        ConfigError: a program cannot get one of them as an argument or a variable.
    """
    size = count = 0
    for text in texts:
        count += 1
        if not _is_text(text):
            raise ConfigError(f"not an argument: {text[:100]!r} has a zero byte, or is not Unicode")
        size += len(text.encode()) + 1
    if count > MOST_ARGUMENTS:
        raise ConfigError(f"there are {count} arguments, more than {MOST_ARGUMENTS}")
    if size > MOST_ARGUMENTS_BYTES:
        raise ConfigError(f"the arguments have {size} bytes, more than {MOST_ARGUMENTS_BYTES}")


def _is_text(text: str) -> bool:
    """Whether a program's arguments and files can hold it."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution(Result):
    """What a program did. In JSON, `stdout` and `stderr` are text (U+FFFD for bad bytes), and `files` base64."""

    schema: Literal[1] = 1
    id: str | None = None
    language: str
    #: CE, TLE, MLE, OLE, RE or IE; null: it ended by itself with exit code 0.
    verdict: Verdict | None = None
    detail: str = ""
    compile: CompileResult | None = None
    exit_code: int | None = None
    signal: str | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    #: Those files of `Program.collect` that were there, regular, and not too large.
    files: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))
    cpu_ns: int | None = None
    wall_ns: int | None = None
    memory_bytes: int | None = None
    #: Of how many runs these three are the mean; the rest is of the last one.
    runs: int = 1
    #: System calls that were refused and that honest programs do not make.
    suspicious: tuple[str, ...] = ()
    isolation: IsolationReport | None = None

    def as_dict(self) -> dict[str, Any]:
        values = {name: getattr(value, "as_dict", lambda value=value: value)() for name, value in shallow(self).items()}
        values |= {name: values[name].decode("utf-8", "replace") for name in ("stdout", "stderr")}
        values["files"] = {name: base64.b64encode(content).decode() for name, content in self.files.items()}
        values["suspicious"] = list(self.suspicious)
        return values

    def to_json(self) -> str:
        return encode(self.as_dict())
