"""Computes hashes of all that a verdict depends on besides the program: the content of the problem, and the machine as
programs see it. The facts of files (size, ctime, inode) tell cheaply whether anything may have changed.

Nobody can set a file's ctime back. But we do not trust the facts of a file that changed a moment ago: another change
may fall into the same tick of the file system's clock.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path

from judge.common import config
from judge.compiling.toolchain import Toolchain, system_facts
from judge.languages import Language
from judge.store.cache import Cache
from problems.model import Problem

_SETTLED_NS = 2_000_000_000
_BLOCK_BYTES = 1 << 20

#: Fields of the model on which no verdict depends. All other fields count, also those that are added later.
_IRRELEVANT = frozenset(
    {
        "directory",
        "title",
        "statements",
        "submissions",
        "unstated",
        "input_validators",
        "input_validator_args",
        "input_trials",
        "output_trials",
        "keywords",
        "source",
        "license",
        "authors",
        "uuid",
        "description",
    }
)
_MODULES = ("lib/python3*/*-packages", "local/lib/python3*/*-packages", "local/lib/node_modules", "lib/node_modules")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """The fingerprint of a problem's content."""

    digest: str
    paths: tuple[str, ...]
    facts: str

    def current(self) -> bool:
        """Whether none of its files changed."""
        return settled_facts(self.paths) == self.facts


def of_problem(problem: Problem, store: Cache) -> Fingerprint | None:
    """None: files changed a moment ago, or cannot be read. Each content is read once, while `store` keeps its hash."""
    paths = sorted(set(_paths(problem)))
    names = tuple(map(str, paths))
    state = settled_facts(names)
    if state is None:
        return None
    key = hashlib.sha256(f"sums {state}".encode()).hexdigest()
    if (known := store.get(key)) is not None:
        sums = json.loads(known)
    else:
        try:
            sums = [_sum(path) for path in paths]
        except OSError:
            return None
        if settled_facts(names) != state:
            return None
        store.put(key, json.dumps(sums).encode())
    content = repr(_describe_value(problem, dict(zip(paths, sums, strict=True))))
    digest = hashlib.sha256(content.encode("utf-8", "surrogateescape")).hexdigest()
    return Fingerprint(digest=digest, paths=names, facts=state)


def surroundings(language: Language, cache: Cache) -> str:
    """A hash of the compiler or interpreter, the libraries around it, this machine, and our own code.

    Raises:
        LanguageError: the toolchain is not installed.
    """
    toolchain = Toolchain.of(language, cache).identity
    modules = sorted(path for pattern in _MODULES for path in Path("/usr").glob(pattern))
    system = facts(str(path) for path in modules)
    return hashlib.sha256(
        repr((toolchain, system_facts(), system, machine(), _own_code(), config.plain())).encode()
    ).hexdigest()


def _paths(value: object) -> Iterator[Path]:
    if isinstance(value, Path):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _paths(item)
    elif isinstance(value, tuple):
        for item in value:
            yield from _paths(item)
    elif is_dataclass(value):
        for field in fields(value):
            if field.name not in _IRRELEVANT:
                yield from _paths(getattr(value, field.name))


def _describe_value(value: object, sums: Mapping[Path, str]) -> object:
    """The model as plain values, with a name and a content hash for each path."""
    if isinstance(value, Path):
        return value.name, sums[value]
    if isinstance(value, Mapping):
        return sorted((key, _describe_value(item, sums)) for key, item in value.items())
    if isinstance(value, tuple):
        return [_describe_value(item, sums) for item in value]
    if is_dataclass(value):
        return [
            (field.name, _describe_value(getattr(value, field.name), sums))
            for field in fields(value)
            if field.name not in _IRRELEVANT
        ]
    return value


def _sum(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb", buffering=0) as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()


def facts(paths: Iterable[str]) -> list[tuple[str | int, ...]]:
    """Facts that change whenever one of these files changes.

    Raises:
        OSError: a file is missing.
    """
    found: list[tuple[str | int, ...]] = []
    for path in paths:
        status = os.stat(path)  # noqa: PTH116 - a Path takes three times as long, and there may be thousands
        found.append((path, status.st_mode, status.st_size, status.st_dev, status.st_ino, status.st_ctime_ns))
    return found


def settled_facts(paths: Iterable[str]) -> str | None:
    """A hash that changes whenever one of these files changes. None: one did a moment ago, or is missing."""
    try:
        found = facts(paths)
    except OSError:
        return None
    newest_ns = max((fact[-1] for fact in found if isinstance(fact[-1], int)), default=0)
    if newest_ns > time.time_ns() - _SETTLED_NS:
        return None
    return hashlib.sha256(repr(found).encode("utf-8", "surrogateescape")).hexdigest()


@cache
def machine() -> tuple[str, ...]:
    """Kernel and processor: on another machine a program may exceed a time limit."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    named = ("model name", "CPU implementer", "CPU part")
    models = sorted({line for line in lines if line.startswith(named)})
    system = os.uname()
    return system.sysname, system.release, system.machine, *models


@cache
def _own_code() -> list[tuple[str | int, ...]]:
    """Facts of every file of our own packages, as they were when this process first asked."""
    files = []
    for package in config.packages():
        for directory, below, names in os.walk(package):
            below[:] = [name for name in below if name not in ("__pycache__", "library")]
            files += [str(Path(directory, name)) for name in names]
    return facts(sorted(files))
