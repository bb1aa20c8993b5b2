"""The programs that graders are tried with: files of blocks, `=== NAME KIND LANGUAGE` and the program."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from judge.common.errors import ConfigError


class Class(StrEnum):
    """What a program is. Right ones should be paid, and all others rejected."""

    RIGHT = "right"
    WRONG = "wrong"
    CHEATS = "cheats"
    #: A right program whose worker is killed while it runs: what becomes of the row?
    KILLED = "killed"


class Outcome(StrEnum):
    PAID = "paid"
    REJECTED = "rejected"
    #: No result, or an error instead of one.
    LOST = "lost"


#: What a program is asked for: to read and write, or to be called.
KINDS = ("stdin", "function")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One program."""

    name: str
    class_: Class
    #: Of `KINDS`.
    kind: str
    language: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    cases: Sequence[Case]
    #: inputs and outputs of programs, calls and results of functions.
    tests: Mapping[str, Any]


_READ = """import sys
d = sys.stdin.read().split(); n = int(d[0])
a = sorted(map(int, d[1:n + 1])); s = sum(a); w = "odd" if s % 2 else "even"
"""
_FIND = """import json, sys
text = sys.stdin.read()
every = []
def look(o, depth=0):
    if isinstance(o, str) and o[:1] in ("{", "[") and depth < 6:
        try:
            o = json.loads(o)
        except ValueError:
            return
    if isinstance(o, dict) and depth < 6:
        for v in list(o.values()):
            look(v, depth + 1)
    elif isinstance(o, (list, tuple)) and depth < 6:
        every.append(list(o))
        for v in list(o)[:50]:
            look(v, depth + 1)
def tell():
    for ins in every:
        for i, x in enumerate(ins):
            if isinstance(x, str) and x.strip() == text.strip():
                for outs in every:
                    if len(outs) == len(ins) and outs != ins and all(isinstance(y, str) for y in outs):
                        print(outs[i])
                        return
"""
_MACROS = {"@read\n": _READ, "@find\n": _FIND}
_HEAD = re.compile(r"^=== ", re.MULTILINE)
#: Right programs whose workers are killed.
_KILLED = 5


def find_suite() -> Path:
    """Where it lies in a checkout."""
    return Path(__file__).parents[3] / "benchmarks" / "graders"


def read_suite(directory: Path) -> Suite:
    """
    Raises:
        ConfigError: the suite is not there, or a block is none; it says where.
    """
    try:
        tests = json.loads((directory / "tests.json").read_bytes())
        cases = [one for class_ in (Class.RIGHT, Class.WRONG, Class.CHEATS) for one in _read_cases(directory, class_)]
    except (OSError, ValueError) as error:
        raise ConfigError(f"{directory}: no suite of programs: {error}; it lies in benchmarks/graders") from error
    if twice := [name for name, count in Counter(one.name for one in cases).items() if count > 1]:
        raise ConfigError(f"{directory}: {twice[0]} is the name of two programs: rename one")
    return Suite(cases=cases, tests=tests)


def _read_cases(directory: Path, class_: Class) -> Iterator[Case]:
    path = directory / f"{class_}.txt"
    for block in _HEAD.split(path.read_text("utf-8"))[1:]:
        head, _, source = block.partition("\n")
        match head.split():
            case [name, kind, language] if kind in KINDS:
                for macro, text in _MACROS.items():
                    source = source.replace(macro, text)
                yield Case(name=name, class_=class_, kind=kind, language=language, source=source)
            case _:
                raise ConfigError(f"{path}: {head!r}: write === NAME KIND LANGUAGE; kinds are {', '.join(KINDS)}")


def make_killed(kind: str) -> list[Case]:
    """Right programs in Python that take two seconds: time enough to kill what runs them."""
    wait = "import time\ntime.sleep(2)\n"
    body = {
        "stdin": wait + _READ + "print(s); print(*a); print(w)\n",
        "function": wait
        + 'def solve(nums):\n    return [sum(nums), sorted(nums), "odd" if sum(nums) % 2 else "even"]\n',
    }[kind]
    return [
        Case(name=f"killed_{kind}_{number}", class_=Class.KILLED, kind=kind, language="python3", source=body)
        for number in range(_KILLED)
    ]
