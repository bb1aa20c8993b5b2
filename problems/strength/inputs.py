"""Random small inputs of the shape of those that are there. An input validator must say which of them are valid.

An input is lines of tokens. A token that is a number gets another value; a line or a block of lines gets one entry more
or less, and each earlier number that may have counted the entries follows. So `n` and its list stay in step, without
any grammar of the problem.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

#: Inputs above this size are not varied: what tells two programs apart shall be small.
MOST_BYTES = 4096
#: Values at which programs break: signs, and the ends of the types.
_EDGES = (0, 1, -1, 2, 127, 128, 255, 32767, 32768, 65535, 65536, 10**5, 10**6, 2**31 - 1, 2**31, 10**9, 10**18)
_NUMBER = re.compile(rb"-?[0-9]{1,19}")
#: A whole number in a program, as in `n % 400`, `1000LL`, `2e5`; and how many of them are used.
_LITERAL = re.compile(rb"(?<![\w.])([0-9]{1,19})(?:e([0-9]{1,2}))?[uUlL]{0,3}(?![\w.])")
_MOST_LITERALS = 100
_MOST_EDITS = 4
_SMALL = 6

_Lines = list[list[bytes]]


def numbers(inputs: Iterable[bytes]) -> tuple[int, ...]:
    """The values that stand in the inputs, and the edges of types: from these a new value may be taken."""
    found = {int(token) for data in inputs for token in data[:MOST_BYTES].split() if _NUMBER.fullmatch(token)}
    return tuple(sorted(found.union(_EDGES)))


def vary(data: bytes, chance: random.Random, pool: tuple[int, ...]) -> bytes:
    """A random neighbour of an input. It may be invalid."""
    lines = [line.split(b" ") for line in data.split(b"\n")]
    for _ in range(chance.randint(1, _MOST_EDITS)):
        chance.choice(_EDITS)(lines, chance, pool)
    return b"\n".join(b" ".join(line) for line in lines)


def _places(lines: _Lines) -> list[tuple[int, int]]:
    return [(row, column) for row, line in enumerate(lines) for column, token in enumerate(line) if token]


def _value(lines: _Lines, chance: random.Random, pool: tuple[int, ...]) -> None:
    """One token becomes another: a number near it, a small one, one from elsewhere; a word with other letters."""
    places = _places(lines)
    if not places:
        return
    row, column = chance.choice(places)
    token = lines[row][column]
    if not _NUMBER.fullmatch(token):
        lines[row][column] = _word(token, lines, chance)
        return
    value = int(token)
    near = (value - 1, value + 1, -value, value // 2, value * 2, chance.randint(0, _SMALL), chance.choice(pool))
    lines[row][column] = b"%d" % chance.choice(near)


def _word(word: bytes, lines: _Lines, chance: random.Random) -> bytes:
    letters = bytes({byte for line in lines for token in line for byte in token if not token.isdigit()}) or word
    at = chance.randrange(len(word))
    letter = bytes([chance.choice(letters)])
    return chance.choice(
        (word[:at] + word[at + 1 :], word[:at] + letter + word[at:], word[:at] + letter + word[at + 1 :])
    )


def _copy(lines: _Lines, chance: random.Random, pool: tuple[int, ...]) -> None:
    """One token becomes equal to another: ties are where programs differ."""
    places = _places(lines)
    if places:
        (row, column), (from_row, from_column) = chance.choice(places), chance.choice(places)
        lines[row][column] = lines[from_row][from_column]


def _swap(lines: _Lines, chance: random.Random, pool: tuple[int, ...]) -> None:
    line = chance.choice(lines)
    one, other = chance.randrange(len(line)), chance.randrange(len(line))
    line[one], line[other] = line[other], line[one]


def _entry(lines: _Lines, chance: random.Random, pool: tuple[int, ...]) -> None:
    """A line gets one token more, or one less."""
    row = chance.randrange(len(lines))
    line = lines[row]
    count, step = len(line), chance.choice((-1, 1))
    if not any(line) or count + step < 1:
        return
    _change(line, chance.randrange(count), step)
    _follow(lines[:row], count, step, chance)


def _row(lines: _Lines, chance: random.Random, pool: tuple[int, ...]) -> None:
    """A block of lines gets one more, or one less. A block: neighbours with as many tokens."""
    filled = [row for row, line in enumerate(lines) if any(line)]
    if not filled:
        return
    row = chance.choice(filled)
    first = last = row
    while first > 0 and len(lines[first - 1]) == len(lines[row]):
        first -= 1
    while last + 1 < len(lines) and len(lines[last + 1]) == len(lines[row]) and any(lines[last + 1]):
        last += 1
    step = chance.choice((-1, 1))
    _change(lines, row, step)
    # The count may stand at the end of the block itself, as in "n\n1\n2\n"; and queries may be of several lengths.
    sizes = {last - first + 1, last - first, len(filled), len(filled) - 1}
    for size in sorted(sizes):
        if _follow(lines[: max(first + 1, 1)], size, step, chance):
            return


def _change(entries: list[bytes] | _Lines, at: int, step: int) -> None:
    if step < 0:
        del entries[at]
    else:
        entry = entries[at]
        entries.insert(at, list(entry) if isinstance(entry, list) else entry)  # type: ignore[arg-type]


def _follow(lines: _Lines, count: int, step: int, chance: random.Random) -> bool:
    """Numbers that may have counted what changed follow it: the last that fits, or all. Returns whether any does."""
    fitting = [
        (row, column)
        for row, column in _places(lines)
        if _NUMBER.fullmatch(lines[row][column]) and int(lines[row][column]) == count
    ]
    for row, column in fitting if chance.random() < 0.3 else fitting[-1:]:
        lines[row][column] = b"%d" % (count + step)
    return bool(fitting)


def _block(lines: _Lines, chance: random.Random, pool: tuple[int, ...]) -> None:
    """All numbers of a line become one, or small."""
    row = chance.randrange(len(lines))
    value = chance.choice(pool)
    small = chance.random() < 0.5
    for column, token in enumerate(lines[row]):
        if _NUMBER.fullmatch(token):
            lines[row][column] = b"%d" % (chance.randint(0, _SMALL) if small else value)


_EDITS: tuple[Callable[[_Lines, random.Random, tuple[int, ...]], None], ...] = (
    _value,
    _value,
    _copy,
    _swap,
    _entry,
    _entry,
    _row,
    _row,
    _block,
)


def neighbours(inputs: list[bytes], seed: int) -> Iterator[bytes]:
    """Random inputs without end, each once. Append a valid one to `inputs`, and it is varied, too.

    A round of a thousand that brings nothing new ends it: the shape allows no more.
    """
    chance = random.Random(seed)  # noqa: S311 - no secret
    pool = numbers(inputs)
    seen = set(inputs)
    stale = 0
    while inputs and stale < 1000:
        candidate = vary(chance.choice(inputs), chance, pool)
        stale += 1
        if candidate not in seen and len(candidate) <= MOST_BYTES:
            stale = 0
            seen.add(candidate)
            yield candidate


def find_literals(programs: Iterable[bytes]) -> tuple[int, ...]:
    """The whole numbers that stand in programs, those of the first program first. 0 and 1 are everywhere."""
    found: dict[int, None] = {}
    for program in programs:
        for digits, exponent in _LITERAL.findall(program):
            value = int(digits) * 10 ** min(int(exponent or 0), 18)
            if value > 1:
                found[value] = None
            if len(found) >= _MOST_LITERALS:
                return tuple(found)
    return tuple(found)


def meet_literals(data: bytes, chance: random.Random, literals: tuple[int, ...]) -> bytes:
    """The input with one or two of its numbers where a program that holds these literals may branch: equal to one, next
    to it, or a multiple of it. It may be invalid."""
    lines = [line.split(b" ") for line in data.split(b"\n")]
    places = [(row, column) for row, column in _places(lines) if _NUMBER.fullmatch(lines[row][column])]
    for row, column in chance.sample(places, min(len(places), chance.randint(1, 2))):
        value, literal = int(lines[row][column]), chance.choice(literals)
        multiple = value - value % literal or literal
        lines[row][column] = b"%d" % chance.choice(
            (literal, literal - 1, literal + 1, multiple, multiple, multiple - 1)
        )
    return b"\n".join(b" ".join(line) for line in lines)


def smaller(data: bytes) -> Iterator[bytes]:
    """Inputs that are a step smaller. A line or a token is left out, and the counts before it are less. Or a number is
    nearer to 0, in one place, or wherever it stands, as the name of a node does."""
    lines = [line.split(b" ") for line in data.split(b"\n")]
    for row, line in enumerate(lines):
        if any(line):
            rest = lines[:row] + lines[row + 1 :]
            yield from _counted_down(rest, row)
        for column in range(len(line) if len(line) > 1 else 0):
            rest = [*lines[:row], line[:column] + line[column + 1 :], *lines[row + 1 :]]
            yield from _counted_down(rest, row)
    for row, column in _places(lines):
        token = lines[row][column]
        if _NUMBER.fullmatch(token) and int(token):
            value = int(token)
            for less in dict.fromkeys((0, 1, int(value / 2), value - 1 if value > 0 else value + 1)):
                if abs(less) < abs(value):
                    yield _join_lines(lines, row, column, b"%d" % less)
    yield from _rename_tokens(lines)


def _rename_tokens(lines: _Lines) -> Iterator[bytes]:
    there = Counter(lines[row][column] for row, column in _places(lines))
    for token, count in there.items():
        if count > 1 and _NUMBER.fullmatch(token) and (value := int(token)) > 1:
            for less in dict.fromkeys((1, value // 2, value - 1)):
                renamed = ([b"%d" % less if one == token else one for one in line] for line in lines)
                yield b"\n".join(b" ".join(line) for line in renamed)


def _counted_down(lines: _Lines, before: int) -> Iterator[bytes]:
    yield b"\n".join(b" ".join(line) for line in lines)
    for row, column in _places(lines[:before]):
        token = lines[row][column]
        if _NUMBER.fullmatch(token) and int(token) > 0:
            yield _join_lines(lines, row, column, b"%d" % (int(token) - 1))


def _join_lines(lines: _Lines, row: int, column: int, token: bytes) -> bytes:
    changed = [list(line) for line in lines]
    changed[row][column] = token
    return b"\n".join(b" ".join(line) for line in changed)
