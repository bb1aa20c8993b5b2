"""Examples to imitate (rejection sampling): accepted rollouts, each program once, few of a problem."""

from __future__ import annotations

import heapq
import zlib
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from trainer_adapter.rollouts.selection import normal_form
from trainer_adapter.rollouts.selection.held_out import NOTHING, HeldOut
from trainer_adapter.rollouts.selection.prompts import Prompts
from trainer_adapter.rollouts.selection.source import Entry, Source
from trainer_adapter.rollouts.selection.summary import Summary

#: `Prefer.DIVERSE` compares the shortest of a problem, no more than these.
MOST_COMPARED = 2000
#: `_SKETCH` hashes stand for a program when programs are compared.
_SKETCH = 64


class Prefer(StrEnum):
    #: The shortest completions.
    SHORTEST = "shortest"
    #: The shortest, then always the one whose program is least like those chosen.
    DIVERSE = "diverse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    #: Rows of a problem.
    most: int = 4
    prefer: Prefer = Prefer.SHORTEST
    held_out: HeldOut = NOTHING


def examples(
    source: Source, by_problem: Mapping[str, list[Entry]], plan: Plan, summary: Summary
) -> Iterator[dict[str, Any]]:
    """Rows `prompt`, `completion`, `problem`, `id`, by problem. `summary` is complete after the last one.

    Raises:
        ConfigError: some prompts are text and others are messages.
    """
    prompts = Prompts()
    for problem, entries in by_problem.items():
        usable = list[Entry]()
        for entry in entries:
            why = "its problem is held out" if problem in plan.held_out else _complaint(entry)
            if why is None:
                usable.append(entry)
            else:
                summary.dropped.add(why, entry.id)
        for entry in _choose(source, usable, plan, summary):
            rollout = source.rollout(entry)
            completion = prompts.beside(rollout, rollout.completion)
            yield {"prompt": rollout.prompt, "completion": completion, "problem": problem, "id": rollout.id}


def _complaint(entry: Entry) -> str | None:
    return "not accepted" if entry.judged and not entry.accepted else entry.unusable()


def _choose(source: Source, entries: list[Entry], plan: Plan, summary: Summary) -> list[Entry]:
    """At most `plan.most`, no two with one normal form. Reads no more programs than it needs."""
    wanted = MOST_COMPARED if plan.prefer is Prefer.DIVERSE else plan.most
    seen, distinct, sketches = set[bytes](), list[Entry](), list[frozenset[int]]()
    left = deque(sorted(entries, key=lambda entry: (entry.characters, entry.id)))
    while left and len(distinct) < wanted:
        entry = left.popleft()
        rollout = source.rollout(entry)
        tokens = normal_form.tokens(rollout.completion, rollout.language, rollout.prompt, rollout.template_end)
        if (digest := normal_form.digest(tokens)) in seen:
            summary.dropped.add("the program of another rollout, but for names, comments and white space", entry.id)
            continue
        seen.add(digest)
        distinct.append(entry)
        if plan.prefer is Prefer.DIVERSE:
            sketches.append(_sketch(tokens))
    if plan.prefer is Prefer.DIVERSE:
        order = _farthest_first(sketches, plan.most)
        left.extend(entry for number, entry in enumerate(distinct) if number not in order)
        distinct = [distinct[number] for number in order]
    for entry in left:
        summary.dropped.add(f"its problem has {plan.most} already", entry.id)
    return distinct


def _sketch(tokens: list[str]) -> frozenset[int]:
    """The smallest hashes of three tokens in a row: what two sketches share, two programs do, about."""
    threes = zip(tokens, tokens[1:], tokens[2:], strict=False)
    hashes = {zlib.crc32("\0".join(three).encode("utf-8", "surrogatepass")) for three in threes}
    return frozenset(heapq.nsmallest(_SKETCH, hashes))


def _likeness(one: frozenset[int], other: frozenset[int]) -> float:
    """Estimate of the share of all hashes that both have, 0 to 1."""
    smallest = heapq.nsmallest(_SKETCH, one | other)
    return sum(each in one and each in other for each in smallest) / len(smallest) if smallest else 1.0


def _farthest_first(sketches: list[frozenset[int]], most: int) -> list[int]:
    """Numbers of the first sketch, then always of the one whose nearest chosen one is least like it."""
    order = list(range(len(sketches)))[:1]
    nearest = [_likeness(sketch, sketches[0]) for sketch in sketches]
    while order and len(order) < min(most, len(sketches)):
        number = min((each for each in range(len(sketches)) if each not in order), key=lambda each: nearest[each])
        order.append(number)
        nearest = [max(old, _likeness(sketch, sketches[number])) for old, sketch in zip(nearest, sketches, strict=True)]
    return order
