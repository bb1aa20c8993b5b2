"""Reads the head of an attack: comment lines ``// Key: value`` (``# Key: value`` in Python) before the program.

    Tries: one sentence
    Control: yes | no, <why it is not safe or not possible outside the sandbox>
    Limits: cpu=0.5s wall=2s memory=64M processes=0 threads=64 output=1M files=64 directory=16M inodes=256
    Expect: exited signalled cpu wall memory output       the terminations that are permitted; in the class `compile`
                                                          ok error time memory output, the compiler's verdicts
    Bound: 64 threads                                     the most that a line ``GOT <number> <unit>`` may report
    Sentry: 200 threads                                   the same on gVisor, whose kernel does not count these itself

Only Tries and Control are required. An unknown key is an error: otherwise a misspelt limit would be no limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from containers import RunLimits, Termination
from judge.common.errors import ConfigError

CLASSES = ("resources", "compile", "leaks", "privilege", "network", "cheating", "robustness")
#: Language by suffix.
LANGUAGES: Mapping[str, str] = MappingProxyType({".c": "c17", ".cpp": "cpp17", ".py": "python3"})

MIB = 1 << 20
_DEFAULT: Mapping[str, int] = MappingProxyType(
    {
        "cpu_ns": 1_000_000_000,
        "wall_ns": 4_000_000_000,
        "memory_bytes": 64 * MIB,
        "output_bytes": MIB,
        "directory_bytes": 16 * MIB,
        "directory_inodes": 256,
    }
)
#: Default limits of attacks on compilers, which need more even to start.
_COMPILE: Mapping[str, int] = MappingProxyType(
    {
        "cpu_ns": 3_000_000_000,
        "wall_ns": 12_000_000_000,
        "memory_bytes": 512 * MIB,
        "output_bytes": 16 * MIB,
        "directory_bytes": 64 * MIB,
        "directory_inodes": 4096,
        "processes": 64,
        "open_files": 256,
    }
)
_FIELDS = {
    "cpu": "cpu_ns",
    "wall": "wall_ns",
    "memory": "memory_bytes",
    "processes": "processes",
    "threads": "threads",
    "output": "output_bytes",
    "files": "open_files",
    "directory": "directory_bytes",
    "inodes": "directory_inodes",
}
_TERMINATIONS = {
    "exited": Termination.EXITED,
    "signalled": Termination.SIGNALED,
    "cpu": Termination.CPU_LIMIT,
    "wall": Termination.WALL_LIMIT,
    "memory": Termination.MEMORY_LIMIT,
    "output": Termination.OUTPUT_LIMIT,
}
_VERDICTS = ("ok", "error", "time", "memory", "output")
_LINE = re.compile(r"(?://|#) ([A-Z][a-z]+): (\S.*)")
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)(ms|s|K|M|G|)")
_UNITS = {"ms": 10**6, "s": 10**9, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """The most that the attack may get."""

    most: int
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    path: Path
    #: One of `CLASSES`: the name of its directory.
    kind: str
    tries: str
    #: Why it is not run outside the sandbox as a control; None: it is.
    no_control: str | None
    limits: RunLimits
    #: Values of `Termination`, or verdicts of the compiler.
    expect: frozenset[str]
    bound: Bound | None
    sentry: Bound | None

    def on_sentry(self) -> Attack:
        """The same attack with its bound on gVisor."""
        return replace(self, bound=self.sentry or self.bound)

    @property
    def name(self) -> str:
        return f"{self.kind}/{self.path.name}"

    @property
    def language(self) -> str:
        return LANGUAGES[self.path.suffix]


def load(directory: Path) -> list[Attack]:
    """All attacks below ``<directory>/<class>/``, in order of their names.

    Raises:
        ConfigError: a file that is not an attack; file and line are named.
    """
    return [read(path) for path in sorted(directory.glob("*/*")) if path.name != "__pycache__"]


def read(path: Path) -> Attack:
    """
    Raises:
        ConfigError: as `load`.
    """
    kind = path.parent.name
    if kind not in CLASSES or path.suffix not in LANGUAGES:
        raise ConfigError(f"{path}: attacks lie in <class>/<name>.{{c,cpp,py}}, class one of {', '.join(CLASSES)}")
    found: dict[str, Any] = {}
    for number, key, value in comments(path):
        try:
            if key in found:
                raise ValueError(f"{key} is there twice")
            found[key] = _parse(kind, key, value)
        except ValueError as error:
            raise ConfigError(f"{path}:{number}: {error}") from None
    if missing := {"Tries", "Control"} - found.keys():
        raise ConfigError(f"{path}:1: the head has no {' and no '.join(sorted(missing))}")
    return Attack(
        path=path,
        kind=kind,
        tries=found["Tries"],
        no_control=found["Control"],
        limits=found.get("Limits", _limits(kind, "")),
        expect=found.get("Expect", frozenset({"error"} if kind == "compile" else {Termination.EXITED})),
        bound=found.get("Bound"),
        sentry=found.get("Sentry"),
    )


def comments(path: Path) -> Iterator[tuple[int, str, str]]:
    """(line number, key, value) of the comment lines at the start; a line of any other kind ends them.

    Raises:
        ConfigError: a comment without a key.
    """
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        if not line.startswith(("//", "# ")):
            return
        match = _LINE.fullmatch(line)
        if match is None:
            raise ConfigError(f"{path}:{number}: not a line `// Key: value`: {line!r}")
        yield number, match[1], match[2]


def _parse(kind: str, key: str, value: str) -> object:
    match key:
        case "Tries":
            return value
        case "Control":
            return control(value)
        case "Limits":
            return _limits(kind, value)
        case "Expect":
            known = {name: name for name in _VERDICTS} if kind == "compile" else dict(_TERMINATIONS)
            if unknown := set(value.split()) - known.keys():
                raise ValueError(f"unknown {sorted(unknown)}: choose of {', '.join(known)}")
            return frozenset(known[name] for name in value.split())
        case "Bound" | "Sentry":
            most, _, unit = value.partition(" ")
            return Bound(most=int(most), unit=unit)
        case _:
            raise ValueError(f"unknown key {key!r}")


def control(value: str) -> str | None:
    """The reason why there is no control; None: there is one.

    Raises:
        ValueError: neither.
    """
    answer, _, why = value.partition(", ")
    if (answer, bool(why)) not in (("yes", False), ("no", True)):
        raise ValueError(f"write `yes` or `no, <why>`, not {value!r}")
    return why or None


def _limits(kind: str, text: str) -> RunLimits:
    chosen = dict(_COMPILE if kind == "compile" else _DEFAULT)
    for part in text.split():
        name, _, amount = part.partition("=")
        match = _AMOUNT.fullmatch(amount)
        if name not in _FIELDS or match is None:
            raise ValueError(f"unknown limit {part!r}: <name>=<number><unit>, name one of {', '.join(_FIELDS)}")
        chosen[_FIELDS[name]] = int(float(match[1]) * _UNITS[match[2]])
    return RunLimits(**chosen)
