"""Finds examples that are nearly equal to earlier ones.

The measure is the Jaccard similarity of the sets of runs of five words, for the prompt and for each answer; the least
of them counts. So different programs for one problem stay, and so do equal answers to different questions. Letter case,
white space and Unicode's variants of a character make no difference.

MinHash finds candidates (16 bands of 4 hashes: a pair of similarity 0.9 is missed once in 10^7, of 0.8 once in 5000);
each candidate is then measured.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

#: A run has `_RUN` words. A shorter text is one run.
_RUN = 5
_BANDS, _ROWS = 16, 4
#: Candidates that are measured; more share a band only where nearly all texts are alike.
_MOST_MEASURED = 50
#: A Chinese character, a word, or any other sign.
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+|[^\w\s]")

Runs = NDArray[np.uint64]


def words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def similarity(one: Runs, other: Runs) -> float:
    """Jaccard: what both have of what either has."""
    both = len(np.intersect1d(one, other, assume_unique=True))
    return both / (len(one) + len(other) - both)


def runs(text: str, field: int = 0) -> Runs:
    """Hashes of the runs of words, each once; those of different fields differ."""
    found = words(text)
    starts = range(max(1, len(found) - _RUN + 1))
    each = {zlib.crc32(" ".join(found[start : start + _RUN]).encode("utf-8", "replace"), field) for start in starts}
    return np.fromiter(sorted(each), np.uint64)


class Seen:
    """The examples so far, to compare with."""

    def __init__(self, threshold: float) -> None:
        """Raises ValueError for a threshold that the bands cannot find."""
        if not 0.7 <= threshold <= 1:
            raise ValueError(f"threshold {threshold}: 0.7 to 1 can be found")
        self._threshold = threshold
        random = np.random.default_rng(0)
        self._factors = random.integers(1, 2**63, _BANDS * _ROWS, np.uint64) | np.uint64(1)
        self._offsets = random.integers(0, 2**63, _BANDS * _ROWS, np.uint64)
        self._kept: list[list[Runs]] = []
        self._bands: dict[bytes, list[int]] = defaultdict(list)

    def add(self, fields: Sequence[str]) -> bool:
        """Whether an example of these fields is new; only then it is remembered."""
        found = [runs(text, number) for number, text in enumerate(fields, 1)]
        keys = self._keys(np.concatenate(found))
        near = dict.fromkeys(place for key in keys for place in self._bands[key][:_MOST_MEASURED])
        if any(self._alike(self._kept[place], found) for place in near):
            return False
        for key in keys:
            self._bands[key].append(len(self._kept))
        self._kept.append(found)
        return True

    def _alike(self, one: list[Runs], other: list[Runs]) -> bool:
        return len(one) == len(other) and all(
            similarity(*pair) >= self._threshold for pair in zip(one, other, strict=True)
        )

    def _keys(self, found: Runs) -> list[bytes]:
        with np.errstate(over="ignore"):  # modulo 2^64, as is wanted
            hashed = (found[:, None] * self._factors + self._offsets) >> np.uint64(32)
        least = hashed.min(axis=0).astype(np.uint32).reshape(_BANDS, _ROWS)
        return [bytes([band]) + row.tobytes() for band, row in enumerate(least)]
