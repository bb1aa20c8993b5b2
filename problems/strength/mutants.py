"""Mutants of a program: each is the program with one small mistake."""

from __future__ import annotations

import difflib
import hashlib
import random
from collections import defaultdict
from dataclasses import dataclass

from problems.strength import cpp, python
from problems.strength.syntax import Edit, nodes, tree

#: The families of languages that have operators.
FAMILIES = {"c++": cpp.edits, "python": python.edits}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A program with one change."""

    #: Name of the program that it was made of.
    origin: str
    edit: Edit
    original: bytes
    #: What the caller calls its language.
    language: str = ""

    @property
    def operator(self) -> str:
        return self.edit.operator

    @property
    def line(self) -> int:
        """Line of the change, from 1."""
        return self.original.count(b"\n", 0, self.edit.start) + 1

    @property
    def source(self) -> bytes:
        return self.edit.apply(self.original)

    @property
    def diff(self) -> str:
        """A unified diff without context."""
        before, after = (side.decode("utf-8", "replace").splitlines() for side in (self.original, self.source))
        lines = difflib.unified_diff(before, after, self.origin, self.operator, n=0, lineterm="")
        return "\n".join(lines)


def mutants(source: bytes, family: str, origin: str, language: str = "") -> list[Mutant]:
    """All mutants, each text once, in the order of the source.

    Raises:
        ProblemError: tree-sitter is not installed.
    """
    # Digests, not texts: a long program has thousands of mutants, each as long as itself.
    found: dict[bytes, Edit] = {}
    for node in nodes(tree(source, family)):
        for edit in FAMILIES[family](node):
            found.setdefault(_digest(edit.apply(source)), edit)
    found.pop(_digest(source), None)
    edits = sorted(found.values(), key=lambda edit: (edit.start, edit.operator, edit.end, edit.text))
    return [Mutant(origin=origin, edit=edit, original=source, language=language) for edit in edits]


def _digest(source: bytes) -> bytes:
    return hashlib.sha256(source).digest()


def sample(all_: list[Mutant], most: int, seed: int) -> list[Mutant]:
    """At most so many mutants, in the same order. Each operator gets its turn, so that rare ones are not lost among the
    many off-by-ones. The same seed takes the same ones."""
    if len(all_) <= most:
        return list(all_)
    chance = random.Random(seed)  # noqa: S311 - no secret
    waiting: dict[str, list[int]] = defaultdict(list)
    for index, mutant in enumerate(all_):
        waiting[mutant.operator].append(index)
    for indices in waiting.values():
        chance.shuffle(indices)
    taken: list[int] = []
    while len(taken) < most:
        for name in sorted(waiting):
            if waiting[name] and len(taken) < most:
                taken.append(waiting[name].pop())
    return [all_[index] for index in sorted(taken)]
