"""Which rollouts are audited: a random sample for the rates, and those that show signs for the evidence."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence

from trainer_adapter.rollouts.selection.source import Entry


def sample(by_problem: Mapping[str, Sequence[Entry]], count: int | None, seed: int) -> dict[str, list[Entry]]:
    """So many of the entries, by problem; None: all. Every entry has the same chance; problems and, within them, steps
    get what is theirs, to one entry: every n-th of the shuffled entries in the order of problems and steps."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    every = [(problem, entry) for problem in sorted(by_problem) for entry in _by_step(by_problem[problem], chance)]
    found = defaultdict[str, list[Entry]](list)
    wanted = len(every) if count is None else min(count, len(every))
    apart = len(every) / max(1, wanted)
    start = chance.random() * apart
    for number in range(wanted):
        problem, entry = every[min(int(start + number * apart), len(every) - 1)]
        found[problem].append(entry)
    return dict(found)


def _by_step(entries: Sequence[Entry], chance: random.Random) -> list[Entry]:
    shuffled = chance.sample(entries, len(entries))
    return sorted(shuffled, key=lambda entry: -1 if entry.step is None else entry.step)
