"""What is told of a problem: limits, samples and statements, as much as one answer may have."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import problems
from judge.judging.fingerprint import settled_facts
from judge.server import statements
from problems.files import parcel
from problems.model import Problem
from problems.reading.samples import head, samples

#: The most of one part of a sample, of all samples, and of all statements.
PART_BYTES, ALL_BYTES = 64 << 10, 1 << 20
#: What a sample or a statement counts without its text.
_ENTRY_BYTES = 64

#: Computes digests one after the other: clients that ask for large packages at once take no other threads.
_ALONE = ThreadPoolExecutor(1, "digest")
_DIGESTS: OrderedDict[str, str] = OrderedDict()
_REMEMBERED = 1024


async def digest(path: Path) -> str:
    """Of a package, as `parcel.digest`. It is remembered until a file changes.

    Raises:
        ProblemError: the package cannot be read.
    """
    return await asyncio.get_running_loop().run_in_executor(_ALONE, _digest, path)


def _digest(path: Path) -> str:
    state = settled_facts(str(file) for _, file in parcel.files(path))
    if state is None:  # it has just changed
        return parcel.digest(path)
    key = f"{path} {state}"  # its name counts, too
    if key not in _DIGESTS:
        _DIGESTS[key] = parcel.digest(path)
        if len(_DIGESTS) > _REMEMBERED:
            _DIGESTS.popitem(last=False)
    return _DIGESTS[key]


def describe_package(path: Path, package: str) -> bytes:
    """The JSON of the package at `path`; `package`: its digest.

    Raises:
        ProblemError: it cannot be read.
    """
    problem = problems.load(path)
    titles = problem.title
    shown, left_out = _samples(problem)
    values = {
        "name": problem.name,
        "title": titles.get("en") or next(iter(titles.values()), problem.name),
        "titles": dict(titles),
        "limits": {
            "cpu_ns": problem.stated_cpu_ns,
            "memory_bytes": problem.limits.memory_bytes,
            "code_bytes": problem.limits.code_bytes,
        },
        "samples": shown,
        **({"samples_left_out": left_out} if left_out else {}),
        "tests": len(problem.cases) + len(problem.generated),
        "statements": _statements(problem),
        "package": package,
    }
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _samples(problem: Problem) -> tuple[list[dict[str, Any]], int]:
    """The samples; `cut` names the parts of which there is more. And how many were left out."""
    shown: list[dict[str, Any]] = []
    every, left = samples(problem), ALL_BYTES
    for sample in every:
        if left <= 0:
            break
        left -= _ENTRY_BYTES
        one: dict[str, Any] = {} if sample.interaction is not None else {"input": "", "answer": ""}
        cut = []
        for what, path in sample.parts:
            one[what], more = head(path, min(PART_BYTES, max(left, 0)))
            left -= len(one[what].encode())
            cut += [what] if more else []
        shown.append({**one, "cut": cut} if cut else one)
    return shown, len(every) - len(shown)


def _statements(problem: Problem) -> dict[str, dict[str, Any]]:
    """Under its language each; `cut`: there is more of it."""
    shown: dict[str, dict[str, Any]] = {}
    left = ALL_BYTES
    for tag, file in problem.statements.items():
        one: dict[str, Any] = {"format": file.suffix.removeprefix("."), "text": None}
        shown[tag] = one
        left -= _ENTRY_BYTES
        if left <= 0:
            one["cut"] = True
        elif (text := statements.text(problem, tag)) is not None:
            content = text.encode()
            one["text"] = content[:left].decode(errors="ignore")
            if len(content) > left:
                one["cut"] = True
            left -= len(content)
    return shown
