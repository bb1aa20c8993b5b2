"""The shape of a problem's inputs, found from those that are there: which number counts what.

    shapes(inputs)              those that fit all of them, the most telling first
    shape.draw(chance)          a small input of that shape; an input validator must say whether it is valid
    shape.fits(data)            whether an input is like those, where no validator can say whether it is valid
    shape.draw(chance, 100_000) one whose counts are about so large

A shape is a sequence of parts. A part is one line, or as many lines as an earlier number says. A line has a constant
number of tokens, as many as an earlier number says, or as many as its first token says. Or its first token tells the
number, as the kind of a query does. In a triangle each line of the block has one more. All examples must agree.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import islice, pairwise
from operator import le
from typing import assert_never

from problems.strength.values import Column, Env, bounds, column

#: Examples beyond these are not looked at: the smallest ones.
_EXAMPLES = 24
_MOST_PARTS = 12
#: Lines up to this width may hold numbers that count something.
_HEAD = 6
_MOST_COUNT = 5000
#: If `_KINDS` lines begin alike, the first token may be the kind of the line.
_KINDS, _FEW_KINDS = 6, 3
_FREQUENCIES = (1, 3, 9)
_SMALL = (1, 2, 2, 3, 3, 4, 5, 6, 8, 12)
_TRIES = 1000
_MOST_SHAPES = 4
#: A large input has no more.
_MOST_TOKENS = 300_000
#: How often a count of a large input is exactly as large as asked for.
_AT_SIZE = 0.8

_Lines = list[list[bytes]]
_COUNT = re.compile(rb"[0-9]{1,6}")
_NUMBER = re.compile(rb"-?[0-9]{1,19}")
#: `_ENOUGH` lines must agree, or it is chance.
_ENOUGH = 6


class Width(Enum):
    """What says how many tokens a line has. `number` of the part adds to it."""

    CONSTANT = auto()
    VARIABLE = auto()
    ROW = auto()  # its place in the block, from 1
    FIRST = auto()  # its own first token
    KIND = auto()  # its own first token, through a table
    FREE = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One line, or a block of them."""

    #: The variable that counts the lines, and what is added; None: one line.
    count: tuple[str, int] | None
    width: Width
    number: int = 0
    variable: str = ""
    kinds: Mapping[bytes, int] | None = None
    columns: Mapping[object, Column] | None = None
    #: Of these two neighbours in a line the first is never the larger one.
    pairs: tuple[int, ...] = ()

    def rows(self, env: Env) -> int:
        return 1 if self.count is None else env.get(self.count[0], 0) + self.count[1]

    def tokens(self, row: int, line: Sequence[bytes], env: Env) -> int | None:
        """How many tokens the line must have; None: any number."""
        match self.width:
            case Width.CONSTANT:
                return self.number
            case Width.VARIABLE:
                return env.get(self.variable, -9) + self.number
            case Width.ROW:
                return row + self.number
            case Width.FIRST:
                return int(line[0]) + self.number if line and _COUNT.fullmatch(line[0]) else -1
            case Width.KIND:
                return (self.kinds or {}).get(line[0], -1) if line else -1
            case Width.FREE:
                return None
            case _:
                assert_never(self.width)

    def place(self, line: Sequence[bytes], at: int) -> object:
        """Tokens of the same place are of the same kind."""
        match self.width:
            case Width.CONSTANT if self.number <= _HEAD:
                return at
            case Width.KIND:
                return line[0], at
            case Width.FIRST:
                return min(at, 1)
            case Width.CONSTANT | Width.VARIABLE | Width.ROW | Width.FREE:
                return 0
            case _:
                assert_never(self.width)

    def takes(self, row: int, line: list[bytes], env: Env, low: int, high: int) -> bool:
        """Whether a line is as those of the examples are; its numbers may be from `low` to `high`."""
        wanted = self.tokens(row, line, env)
        if wanted is not None and wanted != len(line):
            return False
        found = [(self.columns or {}).get(self.place(line, at)) for at in range(len(line))]
        if any(one is None or not one.takes(token, env, low, high) for one, token in zip(found, line, strict=True)):
            return False
        if any(at + 1 < len(line) and int(line[at]) > int(line[at + 1]) for at in self.pairs):
            return False
        last = found[-1] if found else None
        return last is None or self.width not in {Width.VARIABLE, Width.FREE, Width.ROW} or last.in_order(line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The shape of inputs."""

    parts: tuple[Part, ...]
    #: Names of the variables that count something.
    counts: frozenset[str]
    #: How many lines and tokens a free part may have at most.
    free: int

    def draw(self, chance: random.Random, size: int | None = None) -> bytes:
        """An input of this shape: a small one, or one whose counts are about `size`; b"": it would be too large."""
        env: dict[str, int] = {}
        large = size is not None
        size = chance.choice(_SMALL) if size is None else size
        lines: _Lines = []
        left = _MOST_TOKENS
        for index, part in enumerate(self.parts):
            style = chance.random()
            rows = max(part.rows(env), 0)
            left -= self._estimate_tokens(part, rows, size, env)
            if left < 0:
                return b""
            block = [self._line(part, index, row + 1, size, style, env, chance, large=large) for row in range(rows)]
            if part.count is not None and part.count[1] == -1 and part.width is Width.CONSTANT and part.number > 1:
                _make_tree(block, chance)  # one line less than there are things: nearly always the edges of a tree
            lines += block
        return b"".join(b" ".join(line) + b"\n" for line in lines)

    def fits(self, data: bytes) -> bool:
        """Whether an input is like those that the shape was found from: as many tokens, no number far beyond theirs,
        no count below theirs, no other letters, and in their order. What no validator can say, this guesses."""
        lines = _lines(data)
        if lines is None:
            return False
        columns = [column for part in self.parts for column in (part.columns or {}).values()]
        low, high = bounds((one.low for one in columns), (one.high for one in columns))
        env: dict[str, int] = {}
        place = 0
        for index, part in enumerate(self.parts):
            rows = part.rows(env)
            block = lines[place : place + max(rows, 0)]
            if rows < 0 or len(block) < rows:
                return False
            place += rows
            for row, line in enumerate(block, 1):
                if not part.takes(row, line, env, low, high):
                    return False
            if part.count is None and part.width is Width.CONSTANT:
                env |= {_name(index, at): int(token) for at, token in enumerate(block[0]) if _COUNT.fullmatch(token)}
                for at in range(len(block[0])):
                    found = (part.columns or {}).get(part.place(block[0], at))
                    name = _name(index, at)
                    if name in self.counts and (found is None or env.get(name, -1) < found.low):
                        return False
        return place == len(lines)

    def _estimate_tokens(self, part: Part, rows: int, size: int, env: Env) -> int:
        """About how many tokens a part will have."""
        match part.width:
            case Width.ROW:
                return rows * (rows + 1) // 2
            case Width.FIRST:
                return rows * (size // 2 + 1)
            case Width.KIND:
                return rows * max((part.kinds or {}).values(), default=1)
            case Width.FREE:
                return rows * min(size, self.free)
            case Width.CONSTANT | Width.VARIABLE:
                return rows * max(part.tokens(0, [], env) or 0, 1)
            case _:
                assert_never(part.width)

    def _line(
        self,
        part: Part,
        index: int,
        row: int,
        size: int,
        style: float,
        env: dict[str, int],
        chance: random.Random,
        *,
        large: bool,
    ) -> list[bytes]:
        columns = part.columns or {}
        line: list[bytes] = []
        if part.width is Width.KIND:
            kinds = sorted(part.kinds or {})
            # Some kinds are much more frequent than others: a stack that is always popped stays empty.
            often = random.Random(style).choices(_FREQUENCIES, k=len(kinds))  # noqa: S311 - no secret
            line = chance.choices(kinds, often)
        elif part.width is Width.FIRST:
            line = [b"%d" % chance.randint(0, size)]
        wanted = part.tokens(row, line, env)
        if wanted is None:
            wanted = chance.randint(0 if self.free == 0 else 1, max(1, min(size, self.free)))
        for at in range(len(line), wanted):
            name = _name(index, at)
            if large and name in self.counts and chance.random() < _AT_SIZE:
                line.append(b"%d" % size)
            else:
                line.append(self._token(columns, part.place(line or [b""], at), name, size, style, env, chance))
        whole = columns.get(part.place(line, len(line) - 1)) if line else None
        if whole is not None and part.width in {Width.VARIABLE, Width.FREE, Width.ROW}:
            line = whole.arrange(line, chance, style)
        for at in part.pairs:
            if at + 1 < len(line) and int(line[at]) > int(line[at + 1]):
                line[at : at + 2] = line[at + 1], line[at]
        if part.count is None and part.width is Width.CONSTANT:
            env |= {_name(index, at): int(token) for at, token in enumerate(line) if _COUNT.fullmatch(token)}
        return line

    def _token(
        self,
        columns: Mapping[object, Column],
        place: object,
        name: str,
        size: int,
        style: float,
        env: Env,
        chance: random.Random,
    ) -> bytes:
        found = columns.get(place)
        if found is None:
            return b"%d" % chance.randint(0, size)
        if name in self.counts:
            return b"%d" % chance.randint(max(0, min(found.low, size)), size)
        return found.draw(chance, style, env)


def shapes(inputs: Sequence[bytes]) -> list[Shape]:
    """The shapes that fit all inputs, at most `_MOST_SHAPES`."""
    examples = []
    for data in sorted(set(inputs), key=len)[:_EXAMPLES]:
        if (lines := _lines(data)) is None:
            return []
        examples.append(lines)
    longest = max((len(line) for lines in examples for line in lines), default=0)
    return [
        Shape(
            parts=_describe_parts(parts, examples),
            counts=frozenset(name for part in parts for name in ((part.count or ("",))[0], part.variable) if name),
            free=longest,
        )
        for parts in islice(_Search(examples).find_parts(), _MOST_SHAPES)
    ]


def _lines(data: bytes) -> _Lines | None:
    """The tokens of each line; None: white space is not as usual."""
    lines = [line.split(b" ") if line else [] for line in data.removesuffix(b"\n").split(b"\n")]
    return lines if data.endswith(b"\n") and not any(b"" in line for line in lines) else None


def _make_tree(block: _Lines, chance: random.Random) -> None:
    names = list(range(1, len(block) + 2))
    chance.shuffle(names)
    for node, line in enumerate(block, 1):
        ends = [b"%d" % names[node], b"%d" % names[chance.randrange(node)]]
        chance.shuffle(ends)
        line[:2] = ends
    chance.shuffle(block)


def _name(index: int, at: int) -> str:
    return f"{index}.{at}"


class _Search:
    """Looks for the first sequence of parts that fits all examples, the most telling parts first."""

    def __init__(self, examples: Sequence[_Lines]) -> None:
        self._examples = examples
        self._left = _TRIES

    def find_parts(self) -> Iterator[tuple[Part, ...]]:
        if self._examples:
            yield from self._from(0, [0] * len(self._examples), [{} for _ in self._examples])

    def _from(self, index: int, places: list[int], envs: list[dict[str, int]]) -> Iterator[tuple[Part, ...]]:
        if all(place == len(lines) for place, lines in zip(places, self._examples, strict=True)):
            yield ()
            return
        for part in self._possible(places, envs) if index < _MOST_PARTS else ():
            self._left -= 1
            if self._left < 0:
                return
            after = self._after(part, places, envs)
            if after is not None:
                for rest in self._from(index + 1, after, self._bind_names(part, index, places, envs)):
                    yield (part, *rest)

    def _after(self, part: Part, places: list[int], envs: list[dict[str, int]]) -> list[int] | None:
        """Where each example goes on after the part; None: it does not fit one of them."""
        found = []
        for lines, place, env in zip(self._examples, places, envs, strict=True):
            rows = part.rows(env)
            if rows < 0 or place + rows > len(lines):
                return None
            for row, line in enumerate(lines[place : place + rows], 1):
                wanted = part.tokens(row, line, env)
                if wanted is not None and wanted != len(line):
                    return None
            found.append(place + rows)
        return found

    def _bind_names(
        self, part: Part, index: int, places: list[int], envs: list[dict[str, int]]
    ) -> list[dict[str, int]]:
        if part.count is not None or part.width is not Width.CONSTANT or part.number > _HEAD:
            return envs
        return [
            env
            | {
                _name(index, at): int(token)
                for at, token in enumerate(lines[place])
                if _COUNT.fullmatch(token) and int(token) <= _MOST_COUNT
            }
            for lines, place, env in zip(self._examples, places, envs, strict=True)
        ]

    def _possible(self, places: list[int], envs: list[dict[str, int]]) -> Iterator[Part]:
        names = sorted(set.intersection(*(set(env) for env in envs))) if envs else []
        firsts = [lines[place] for lines, place in zip(self._examples, places, strict=True) if place < len(lines)]
        free = []
        for name in names:
            for offset in (0, -1, 1):
                rows = self._rows((name, offset), places, envs)
                if rows is not None and any(len(one) != 1 for one in rows):
                    yield from _blocks((name, offset), rows, names)
                    free.append(Part(count=(name, offset), width=Width.FREE))
        if len(firsts) < len(self._examples):
            yield from free
            return  # one example is at its end, so a line that each has cannot follow
        widths = {len(line) for line in firsts}
        for name in names if len(widths) > 1 else ():
            for offset in (0, -1, 1):
                if all(env[name] + offset == len(line) for env, line in zip(envs, firsts, strict=True)):
                    yield Part(count=None, width=Width.VARIABLE, variable=name, number=offset)
        if len(widths) == 1:
            yield Part(count=None, width=Width.CONSTANT, number=widths.pop())
        yield from (*free, Part(count=None, width=Width.FREE))

    def _rows(self, count: tuple[str, int], places: list[int], envs: list[dict[str, int]]) -> list[_Lines] | None:
        """The lines that the block would have in each example; None: one has too few."""
        found = []
        for lines, place, env in zip(self._examples, places, envs, strict=True):
            rows = env[count[0]] + count[1]
            if rows < 0 or place + rows > len(lines):
                return None
            found.append(lines[place : place + rows])
        return found


def _blocks(count: tuple[str, int], rows: Sequence[_Lines], names: Sequence[str]) -> Iterator[Part]:
    """The blocks that these lines may be."""
    lines = [line for one in rows for line in one]
    widths = {len(line) for line in lines}
    kinds: dict[bytes, set[int]] = defaultdict(set)
    for line in lines:
        kinds[line[0] if line else b""].add(len(line))
    told = Part(count=count, width=Width.KIND, kinds={kind: min(found) for kind, found in kinds.items()})
    if len(widths) == 1:
        if len(kinds) <= _FEW_KINDS and len(lines) > 3 * len(kinds) and widths != {1}:
            yield told
        yield Part(count=count, width=Width.CONSTANT, number=next(iter(widths)))
        for name in names:
            yield Part(count=count, width=Width.VARIABLE, variable=name)
        return
    yield Part(count=count, width=Width.ROW)
    yield Part(count=count, width=Width.FIRST, number=1)
    if len(kinds) <= _KINDS and all(len(found) == 1 for found in kinds.values()):
        yield told
    for name in names:
        yield Part(count=count, width=Width.VARIABLE, variable=name)


def _describe_parts(parts: Sequence[Part], examples: Sequence[_Lines]) -> tuple[Part, ...]:
    """The parts, with what their tokens are like."""
    seen: list[dict[object, list[tuple[list[bytes], Env]]]] = [defaultdict(list) for _ in parts]
    for lines in examples:
        env: dict[str, int] = {}
        place = 0
        for index, part in enumerate(parts):
            rows = lines[place : place + part.rows(env)]
            place += len(rows)
            # Numbers of one line for parts of many tokens; numbers of one column for the others.
            groups: dict[object, list[bytes]] = defaultdict(list)
            for line in rows:
                for at, token in enumerate(line):
                    groups[part.place(line, at)].append(token)
            if part.count is None and part.width is Width.CONSTANT and part.number <= _HEAD:
                env |= {_name(index, at): int(token) for at, token in enumerate(rows[0]) if _COUNT.fullmatch(token)}
            for key, tokens in groups.items():
                seen[index][key].append((tokens, dict(env)))
    return tuple(
        replace(
            part,
            columns={key: column(groups) for key, groups in seen[index].items()},
            pairs=_pairs(part, seen[index]),
        )
        for index, part in enumerate(parts)
    )


def _pairs(part: Part, seen: Mapping[object, Sequence[tuple[list[bytes], Env]]]) -> tuple[int, ...]:
    """Places of a line whose number is never larger than the next one, in all lines of all examples."""
    if part.width is not Width.CONSTANT or part.count is None or part.number > _HEAD:
        return ()
    columns = [[token for tokens, _ in seen[at] for token in tokens] for at in range(part.number)]
    numbers = [[int(token) for token in tokens] if all(map(_NUMBER.fullmatch, tokens)) else None for tokens in columns]
    return tuple(
        at
        for at, (left, right) in enumerate(pairwise(numbers))
        if left and right and len(left) > _ENOUGH and all(map(le, left, right))
    )
