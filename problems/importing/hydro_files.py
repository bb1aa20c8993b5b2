"""What Hydro reads where no config.yaml names the tests: config.ini, or the names of files (its `subtask.ts`).

config.ini      how many tests, then a line for each: input|output|seconds|score|KiB; each is a subtask of its own
a1-2.in         test 2 of subtask 1, of which the least counts; with .out, .ans, also in capitals or with .txt
a2.in, a.in2    test 2 of subtask 1, of which each test counts; with a2.out or a.ou2, a.out2
1-first.in      likewise
测1-2.in         as a1-2.in, where other letters stand before it
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from problems.importing.source import Source

_MOST_TESTS = 10_000
_NUMBERED = re.compile(r"([\w.-]*?)(?:(\d*)[-_])?(\d+)\.(?:in|IN|txt|TXT|in\.txt|IN\.TXT)", re.ASCII)
_OF_SUBTASK = re.compile(r"(\D*)([0-9]+)[-_]([0-9]+)\.(?:in|IN)")
_BEHIND = re.compile(r"(\D*)\.(in|IN)(\d+)", re.ASCII)
_BEFORE = re.compile(r"(\d+)[-_].*\.(?:in|IN)", re.ASCII)
_INPUTS = (".in.txt", ".IN.TXT", ".in", ".IN", ".txt", ".TXT")
_ENDS = (".out", ".OUT", ".out.txt", ".OUT.TXT", ".ans", ".ANS", ".ans.txt", ".ANS.TXT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A subtask, as files or config.ini tell it."""

    id: int
    type: Literal["min", "sum"] = "min"
    score: float | None = None
    time: str | None = None
    memory: str | None = None
    #: Names of inputs and answers.
    cases: list[tuple[str, str]] = field(default_factory=list)


def by_names(names: Sequence[str]) -> list[Found]:
    """The subtasks that files of these names make, which come in natural order."""
    found: dict[int, Found] = {}
    numbers: dict[str, int] = {}
    there = frozenset(names)
    for name in names:
        told = _match_input(name, there)
        if told is None:
            continue
        subtask, number, kind, answer = told
        numbers[name] = number
        found.setdefault(subtask, Found(id=subtask, type=kind)).cases.append((name, answer))
    for one in found.values():
        one.cases.sort(key=lambda case: numbers[case[0]])
    return [found[subtask] for subtask in sorted(found)]


def _match_input(name: str, there: Collection[str]) -> tuple[int, int, Literal["min", "sum"], str] | None:
    """Subtask, number, how its tests count, and the answer of an input; None: it is no input, or has no answer."""
    if (match := _NUMBERED.fullmatch(name)) is not None:
        stem = next(name.removesuffix(end) for end in _INPUTS if name.endswith(end))
        answer = _answer([stem + end for end in _ENDS] + [f"{stem}.txt"] * ("input" in stem), name, there)
        if answer is not None:
            within = int(match[2] or 0)
            return within or 1, int(match[3]), "min" if match[2] else "sum", answer
    if (match := _BEHIND.fullmatch(name)) is not None:
        ends = ("ou", "out") if match[2] == "in" else ("OU", "OUT")
        answer = _answer([f"{match[1]}.{end}{match[3]}" for end in ends], name, there)
        return None if answer is None else (1, int(match[3]), "sum", answer)
    if (match := _OF_SUBTASK.fullmatch(name)) is not None:
        answer = _answer([name[:-3] + end for end in (".out", ".ans", ".OUT", ".ANS")], name, there)
        if answer is not None:
            return int(match[2]), int(match[3]), "min", answer
    if (match := _BEFORE.fullmatch(name)) is not None:
        answer = _answer([name[:-3] + end for end in _ENDS if not end.lower().endswith(".txt")], name, there)
        return None if answer is None else (1, int(match[1]), "sum", answer)
    return None


def _answer(names: Sequence[str], given: str, there: Collection[str]) -> str | None:
    """The first that is there, also with `output` for `input` in its name."""
    wanted = (other for name in names for other in (name, name.replace("input", "output").replace("INPUT", "OUTPUT")))
    return next((name for name in wanted if name in there and name != given), None)


def by_ini(source: Source, path: Path) -> Iterator[Found]:
    """The subtasks of config.ini, a test each.

    Raises:
        ProblemError: a line is none.
    """
    lines = source.text(path).splitlines()
    count = _number(lines[0] if lines else "")
    if not count:
        raise source.tree.error(path, "does not begin with the number of tests", "write it", 1)
    if count > min(len(lines) - 1, _MOST_TESTS):
        what = f"{count} tests, but {len(lines) - 1} lines for them"
        raise source.tree.error(path, what, f"write a line for each, at most {_MOST_TESTS}", 1)
    for line, text in enumerate(lines[1 : count + 1], 2):
        parts = text.strip().split("|")
        score = _number(parts[3]) if len(parts) in (4, 5) else None
        if score is None:
            raise source.tree.error(path, f"{text[:60]!r} is no test", "write input|output|seconds|score|KiB", line)
        kib = _number(parts[4]) if len(parts) > 4 else None
        memory = "256m" if kib is None else f"{max(kib // 1024, 1)}m"
        case = (parts[0], parts[1])
        yield Found(id=line - 1, score=float(score), time=f"{parts[2]}s", memory=memory, cases=[case])


def _number(text: str) -> int | None:
    digits = text.strip()
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else None
