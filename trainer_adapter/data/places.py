"""Which prompts are held out. The hash of a prompt's words is its place. The first places are held out, so that they
are the same in every run, whatever else is in the data."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

_PLACES = 2**32


def find_place(words: str) -> int:
    """From 0 to 2³² − 1."""
    return int(hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:8], 16)


def is_held_out(place: int, share: float) -> bool:
    return place < share * _PLACES


@dataclass(slots=True, kw_only=True)
class Places:
    """The places of what is kept, as far as they tell whether a share of it holds out anything."""

    #: Of the prompts that is wanted.
    share: float = 0.0
    first: int = _PLACES
    last: int = -1

    def add(self, place: int) -> bool:
        """Whether it is held out."""
        self.first, self.last = min(self.first, place), max(self.last, place)
        return is_held_out(place, self.share)

    def share_of_one(self) -> float | None:
        """The share that holds out the first prompt alone, where the wanted one holds out none. None where nothing is
        to be held out, where something is, or where no other prompt could be trained on."""
        if not self.share or is_held_out(self.first, self.share) or self.first >= self.last:
            return None
        return (self.first + 1) / _PLACES
