"""What the tokens of one place of a problem's inputs are like: numbers or words, how large, in which order."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

#: Earlier numbers of an input, by name.
Env = Mapping[str, int]

_INTEGER = re.compile(rb"-?[0-9]{1,19}")
_MOST_SEEN = 64
_OFTEN, _NAMED = 4, 0.85
_SPANS = (1, 2, 3, 5, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """The tokens of one place."""

    #: Values as they stand in the examples, at most `_MOST_SEEN`.
    seen: tuple[bytes, ...]
    #: Their range; without meaning for words.
    low: int
    high: int
    words: bool
    #: So few words, each so often: they are names of something, and others would mean nothing.
    names: bool = False
    letters: bytes = b""
    longest: int = 0
    #: Variables that none of the numbers exceeds, and the one that all words are as long as.
    below: tuple[str, ...] = ()
    length: str = ""
    rising: bool = False
    falling: bool = False
    distinct: bool = False

    def draw(self, chance: random.Random, style: float, env: Env) -> bytes:
        """A token. `style` in [0, 1) says how values are drawn: the same for all of a part, so that small ranges, with
        their ties, come as well as large ones."""
        if self.words:
            return self._word(chance, style, env)
        bounds = [env[name] for name in self.below if name in env]
        if bounds and style < 0.7:
            return b"%d" % chance.randint(min(self.low, 1), max(min(bounds), min(self.low, 1)))
        if style < 0.35:
            low = self.low if abs(self.low) < 1000 else (0 if self.low < 0 else 1)
            span = _SPANS[int(style * 100) % len(_SPANS)]
            return b"%d" % chance.randint(max(low, -span) if low < 0 else low, max(low, 0) + span)
        if style < 0.5:
            return chance.choice(self.seen)
        if style < 0.65:
            ends = (self.low, self.high, self.low + 1, self.high - 1)
            return b"%d" % chance.choice([end for end in ends if self.low <= end <= self.high])
        if style < 0.85:
            return b"%d" % chance.randint(self.low, self.high)
        return b"%d" % chance.randint(max(self.low, -20), max(min(self.high, 20), self.low, -20))

    def takes(self, token: bytes, env: Env, low: int, high: int) -> bool:
        """Whether a token is like these; a number may be from `low` to `high`."""
        if self.words:
            longest = env.get(self.length, self.longest)
            return token in self.seen if self.names else len(token) <= longest and set(token) <= set(self.letters)
        bounds = (high, *(env[name] for name in self.below if name in env))
        return _INTEGER.fullmatch(token) is not None and low <= int(token) <= min(bounds)

    def in_order(self, line: list[bytes]) -> bool:
        """Whether a line has the order that all of these have."""
        if self.words:
            return True
        values = [int(token) for token in line]
        return (
            not (self.rising and values != sorted(values))
            and not (self.falling and values != sorted(values, reverse=True))
            and not (self.distinct and len(set(values)) < len(values))
        )

    def _word(self, chance: random.Random, style: float, env: Env) -> bytes:
        if style < (_NAMED if self.names else 0.15):
            return chance.choice(self.seen)
        length = env.get(self.length, chance.randint(1, max(1, min(self.longest, 8))))
        letters = self.letters[:2] if 0.15 <= style < 0.4 else self.letters
        return bytes(chance.choice(letters) for _ in range(length))

    def arrange(self, tokens: list[bytes], chance: random.Random, style: float) -> list[bytes]:
        """The tokens of one line, in the order that all examples have."""
        if self.words:
            return tokens
        values = [int(token) for token in tokens if _INTEGER.fullmatch(token)]
        if len(values) != len(tokens):
            return tokens
        if self.distinct and len(set(values)) < len(values):
            values = chance.sample(range(min(self.low, 1), min(self.low, 1) + 2 * len(values)), len(values))
            if style < 0.5:
                values = chance.sample(range(1, len(values) + 1), len(values))
        if self.rising or self.falling:
            values.sort(reverse=self.falling)
        return [b"%d" % value for value in values]


def bounds(lows: Iterable[int], highs: Iterable[int]) -> tuple[int, int]:
    """What a statement may allow where these values occur: from 0 or 1, or the negative, to the next power of ten."""
    low, high = min(lows, default=0), max(highs, default=0)
    most = 10 ** len(str(max(abs(low), abs(high)) - 1)) if max(abs(low), abs(high)) > 1 else 1
    return (-most if low < 0 else min(low, 1)), most


def column(groups: Sequence[tuple[list[bytes], Env]]) -> Column:
    """What tokens are like: those of each example, with the numbers before them."""
    tokens = [token for found, _ in groups for token in found]
    seen = tuple(dict.fromkeys(tokens))[:_MOST_SEEN]
    if all(_INTEGER.fullmatch(token) for token in tokens):
        return _numbers(groups, seen, [int(token) for token in tokens])
    common = set.intersection(*(set(env) for _, env in groups))
    lengths = [
        name for name in sorted(common) if all(len(token) == env[name] for found, env in groups for token in found)
    ]
    return Column(
        seen=seen,
        low=0,
        high=0,
        words=True,
        names=len(tokens) >= _OFTEN * len(set(tokens)),
        letters=bytes(sorted({byte for token in tokens for byte in token})),
        longest=max(map(len, tokens)),
        length=lengths[-1] if lengths else "",
    )


def _numbers(groups: Sequence[tuple[list[bytes], Env]], seen: tuple[bytes, ...], values: list[int]) -> Column:
    common = set.intersection(*(set(env) for _, env in groups))
    lists = [[int(token) for token in found] for found, _ in groups]
    long = [one for one in lists if len(one) > 1]
    below = [
        name
        for name in sorted(common)
        if all(max(one) <= env[name] for one, (_, env) in zip(lists, groups, strict=True))
    ]
    return Column(
        seen=seen,
        low=min(values),
        high=max(values),
        words=False,
        below=tuple(below) if len(long) > 1 else (),
        rising=len(long) > 1 and all(one == sorted(one) for one in long),
        falling=len(long) > 1 and all(one == sorted(one, reverse=True) for one in long),
        distinct=len(long) > 1 and all(len(set(one)) == len(one) for one in long),
    )
