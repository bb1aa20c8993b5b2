"""When a second try of a test counts in place of the first.

The rule: a repeat counts only if it begins as the first run did. The program writes again all that it wrote before it
was cut short, and is told again all that it was told. If the first run ended by itself, the repeat is the same as a
whole. A program that gives another answer, or is dealt another question, would gain from a second try; one that says
the same gains nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from containers import Side, Speech, Termination
from judge.slots.pair import Talk

Speeches = tuple[Speech, ...]


def read_speeches(talk: Talk) -> Speeches:
    """What both sides of a conversation said."""
    program, other = talk.carried.speech[Side.PROGRAM], talk.carried.speech[Side.INTERACTOR]
    stopped = talk.program.termination is not Termination.EXITED
    return replace(program, cut=program.cut or stopped), replace(other, cut=True)


def read_written(text: bytes, marks: Sequence[int], *, cut: bool) -> Speech:
    """What a program wrote that no relay carried. `marks`: the count of the first try."""
    mark = marks[0] if marks else None
    marked = _sum(text[:mark]) if mark is not None and len(text) >= mark else None
    return Speech(count=len(text), total=len(text), sum=_sum(text), cut=cut, marked=marked)


def marks(first: Speeches) -> tuple[int, ...]:
    """Of how much a repeat has to give the sums."""
    return tuple(speech.count for speech in first)


def repeats(first: Speeches, again: Speeches) -> bool:
    """Whether `again`, which was made with the `marks` of `first`, counts in its place."""
    return len(first) <= len(again) and all(
        new.marked == old.sum and (old.cut or new.total == old.count) for old, new in zip(first, again, strict=False)
    )


def _sum(text: bytes) -> bytes:
    return hashlib.blake2b(text, digest_size=16).digest()
