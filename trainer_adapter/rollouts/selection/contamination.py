"""Finds rows of training data that share a run of words with a row of a benchmark.

Texts are compared in lower case, in Unicode's form NFKC, by their words: runs of letters, digits and underscores.
Punctuation and white space count for nothing. Each Chinese character (and kana) is a word of its own, and a text of
which these are half or more is compared by longer runs, for a character says less than a word.

What many rows of the benchmarks share ("the first line contains the number of test cases") is the genre's phrasing and
no contamination. A run that more than `common` different texts of them hold is ignored.
"""

from __future__ import annotations

import bisect
import hashlib
import re
import unicodedata
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

#: Columns that hold text that a model reads or writes, as data sets call them.
FIELDS = (
    *(
        "prompt",
        "completion",
        "messages",
        "response",
        "statement",
        "problem_statement",
        "description",
        "content",
        "text",
    ),
    *("question", "question_content", "instruction", "background", "input_format", "output_format", "hint"),
    *("solution", "canonical_solution"),
)
_CHARACTER = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_CHARACTER}]|[^\W{_CHARACTER}]+")
_IS_CHARACTER = re.compile(rf"[{_CHARACTER}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """How many words, or Chinese characters, in a row are contamination."""

    words: int = 13
    characters: int = 25
    #: A run that more texts of the benchmarks hold is ignored.
    common: int = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What a text shares with a row of a benchmark."""

    #: The row: its file and line.
    benchmark: str
    #: The longest run of words that both hold.
    text: str
    #: How many words that are.
    words: int


@dataclass(slots=True)
class _Runs:
    """All runs of one length of the benchmarks."""

    #: Hash of a run -> where its first occurrence begins among all words.
    places: dict[int, int] = field(default_factory=dict)
    #: Hash of a run -> how many texts hold it, if several do.
    texts: dict[int, int] = field(default_factory=dict)


class Benchmarks:
    """The texts of benchmarks, to look others up in. Memory grows with their number of words, by about 0.2 KiB each."""

    def __init__(self, lengths: Lengths) -> None:
        self._lengths = lengths
        self._numbers: dict[str, int] = {}  # of words
        #: All texts, one after another: the numbers of their words; where each text begins; the name of its row, and
        #: the length of its runs.
        self._words, self._starts, self._rows = array("i"), list[int](), list[tuple[str, int]]()
        self._seen = set[bytes]()
        self._runs: dict[int, _Runs] = {}
        #: Texts shorter than a run: nothing can be compared with them.
        self.short = 0
        #: What a text shares with the benchmarks, for each row of them. Rollouts repeat their prompts.
        self.matches = lru_cache(maxsize=256)(self._matches)

    def __len__(self) -> int:
        return len(self._starts)

    def add(self, text: str, name: str) -> None:
        """Add a text of the row that is called `name`. An equal one counts once."""
        words = _WORD.findall(_plain(text))
        digest = hashlib.blake2b("\0".join(words).encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if digest in self._seen:
            return
        self._seen.add(digest)
        length = self._length(words)
        if len(words) < length:
            self.short += 1
            return
        start = len(self._words)
        self._starts.append(start)
        self._rows.append((name, length))
        numbers = [self._numbers.setdefault(word, len(self._numbers)) for word in words]
        self._words.extend(numbers)
        runs = self._runs.setdefault(length, _Runs())
        for key, at in {key: at for at, key in _hashes(numbers, length)}.items():
            if runs.places.setdefault(key, start + at) != start + at:
                runs.texts[key] = runs.texts.get(key, 1) + 1

    def _length(self, words: Sequence[str]) -> int:
        chinese = sum(map(bool, map(_IS_CHARACTER.match, words)))
        return self._lengths.characters if 2 * chinese >= max(1, len(words)) else self._lengths.words

    def _matches(self, text: str) -> tuple[Match, ...]:
        plain = _plain(text)
        numbers = [self._numbers.get(word, -1) for word in _WORD.findall(plain)]
        longest: dict[str, tuple[int, int]] = {}  # name -> (words, where they begin in the text)
        for length, runs in self._runs.items():
            for name, begin, end in self._find_shared(numbers, length, runs):
                longest[name] = max(longest.get(name, (0, 0)), (end - begin, begin))
        spans = [match.span() for match in _WORD.finditer(plain)] if longest else []
        return tuple(
            Match(benchmark=name, text=plain[spans[begin][0] : spans[begin + words - 1][1]], words=words)
            for name, (words, begin) in longest.items()
        )

    def _find_shared(self, numbers: list[int], length: int, runs: _Runs) -> Iterator[tuple[str, int, int]]:
        """Names of rows, and the words from which and up to which they share what a text of these words has."""
        name, begin, end = "", 0, 0
        for at, key in _hashes(numbers, length):
            place = runs.places.get(key)
            if place is None or runs.texts.get(key, 1) > self._lengths.common:
                continue
            if self._words[place : place + length].tolist() != numbers[at : at + length]:
                continue  # of one hash, and another run
            found = self._rows[bisect.bisect_right(self._starts, place) - 1][0]
            if name and (found != name or at > end):
                yield name, begin, end
                name = ""
            begin, end, name = (begin if name else at), at + length, found
        if name:
            yield name, begin, end

    def find_ignored(self) -> list[str]:
        """Names of the rows that have a text of which no run is left, for too many others share each."""
        found, ends = [], [*self._starts[1:], len(self._words)]
        for start, end, (name, length) in zip(self._starts, ends, self._rows, strict=False):
            numbers = self._words[start:end].tolist()
            texts = self._runs[length].texts
            if all(texts.get(key, 1) > self._lengths.common for _, key in _hashes(numbers, length)):
                found.append(name)
        return found


def _hashes(numbers: list[int], length: int) -> Iterator[tuple[int, int]]:
    """Where each run begins, and its hash. Python's hash of numbers is the same in each process."""
    return ((at, hash(tuple(numbers[at : at + length]))) for at in range(len(numbers) - length + 1))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def texts(value: Any, fields: frozenset[str] | None = None) -> Iterator[str]:
    """The texts in the columns `fields` of a row, in lists and objects below them, too. System prompts are left out:
    they are the same for all rows."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)
    elif isinstance(value, Mapping) and value.get("role") != "system":
        for name, each in value.items():
            if (name in fields) if fields is not None else name not in {"role", "type"}:
                yield from texts(each)
