"""Shapes of inputs, found from a few of them."""

from __future__ import annotations

import random
import re
from itertools import accumulate

import pytest

from problems.strength.shape import shapes

LIST = [b"3\n5 6 7\n", b"1\n9\n", b"5\n1 2 3 4 5\n"]
TRIANGLE = [b"1\n7\n", b"3\n1\n2 3\n4 5 6\n", b"2\n1\n0 9\n"]
EDGES = [b"3 2\n1 2\n3 1\n", b"2 1\n2 1\n", b"4 4\n1 2\n2 3\n3 4\n4 1\n", b"5 2\n1 5\n2 2\n"]
TREE = [b"3 1\n1 2\n3 1\n2 3\n", b"2 2\n2 1\n1 1\n1 2\n", b"1 1\n1 1\n", b"4 1\n1 2\n2 3\n2 4\n4 4\n"]
GRID = [b"2 3\n..#\n###\n", b"1 1\n.\n", b"3 2\n.#\n#.\n..\n"]
QUERIES = [
    b"2 8\n1 2 9\n2 1\n2 2\n1 1 5\n2 1\n2 2\n1 1 1\n2 1\n",
    b"3 2\n2 3\n1 3 4\n",
    b"1 3\n1 1 4\n2 1\n2 1\n",
]
LISTS = [b"2\n3 1 2 3\n1 5\n", b"1\n2 4 4\n", b"3\n0\n1 7\n2 3 3\n"]
SORTED = [b"3\n1 5 9\n", b"4\n-2 0 0 8\n", b"2\n3 4\n"]


def drawn(inputs: list[bytes], count: int = 300) -> list[list[list[bytes]]]:
    chance = random.Random(1)
    found = shapes(inputs)
    assert found
    return [[line.split() for line in found[0].draw(chance).splitlines()] for _ in range(count)]


@pytest.mark.parametrize("inputs", [LIST, TRIANGLE, EDGES, TREE, GRID, QUERIES, LISTS, SORTED])
def test_inputs_vary_and_the_same_seed_gives_the_same(inputs: list[bytes]) -> None:
    first = drawn(inputs)
    assert first == drawn(inputs)
    assert len({str(one) for one in first}) > 30
    assert len({len(one) for one in first}) > 1 or len({len(line) for one in first for line in one}) > 1


@pytest.mark.parametrize(
    ("inputs", "like", "unlike"),
    [
        (
            LIST,
            [b"2\n1 9\n"],
            [b"2\n9 1\n", b"2\n9\n", b"2\n9 11\n", b"0\n\n", b"2\n9 1", b"2\n9 x\n", b"2\n9 1\n3\n", b"-1\n"],
        ),
        (SORTED, [b"2\n-2 9\n"], [b"2\n9 -2\n", b"2\n-11 9\n"]),
        (GRID, [b"2 2\n.#\n##\n"], [b"2 2\n.x\n##\n", b"2 2\n.#\n##.\n"]),
        (QUERIES, [b"1 2\n2 1\n1 1 3\n"], [b"1 2\n2 1\n3 1 3\n", b"1 2\n2 1\n1 1\n"]),
    ],
)
def test_what_is_like_the_examples(inputs: list[bytes], like: list[bytes], unlike: list[bytes]) -> None:
    shape = shapes(inputs)[0]
    assert all(map(shape.fits, [*inputs, *like]))
    assert not any(map(shape.fits, unlike))


STACK = [b"5\npush 1\npush 7\npop\ntop\npop\n", b"2\npush 3\ntop\n", b"3\npush 9\npop\npush 2\n"]


def standing(lines: list[list[bytes]]) -> bool:
    """Whether the stack is never popped while it is empty."""
    heights = [{b"push": 1, b"pop": -1}.get(line[0], 0) for line in lines[1:]]
    return all(height >= 0 for height in accumulate(heights)) and all(line[0] in KINDS for line in lines[1:])


KINDS = {b"push", b"pop", b"top"}


def test_some_kinds_are_frequent_so_that_a_stack_grows() -> None:
    chance = random.Random(1)
    large = [shapes(STACK)[0].draw(chance, 300) for _ in range(60)]
    assert sum(standing([line.split() for line in one.splitlines()]) for one in large) > 10


@pytest.mark.parametrize("inputs", [LIST, EDGES, TREE, QUERIES, SORTED])
def test_large_ones_are_as_large_as_asked_for(inputs: list[bytes]) -> None:
    chance = random.Random(1)
    found = [shapes(inputs)[0].draw(chance, 500).split() for _ in range(8)]
    assert max(map(len, found)) > 500
    assert sum(b"500" in one[:2] for one in found) > 4


def test_what_would_be_too_large_is_not_drawn() -> None:
    chance = random.Random(1)
    assert [shapes(TRIANGLE)[0].draw(chance, 10**6) for _ in range(3)].count(b"") > 0


def test_a_list_has_its_length() -> None:
    assert all(int(one[0][0]) == len(one[1]) for one in drawn(LIST) if len(one) > 1)


def test_a_triangle_grows_by_one() -> None:
    for one in drawn(TRIANGLE):
        assert [len(row) for row in one[1:]] == list(range(1, int(one[0][0]) + 1))


def test_edges_are_counted_and_most_stay_among_the_nodes() -> None:
    found = drawn(EDGES)
    assert all(int(one[0][1]) == len(one) - 1 and all(len(row) == 2 for row in one[1:]) for one in found)
    inside = [all(1 <= int(end) <= int(one[0][0]) for row in one[1:] for end in row) for one in found]
    assert sum(inside) > len(inside) / 2


def test_one_line_less_than_nodes_is_a_tree() -> None:
    chance = random.Random(1)
    trees = 0
    for shape in shapes(TREE):
        for _ in range(50):
            (n, m), *rows = ([int(token) for token in line.split()] for line in shape.draw(chance).splitlines())
            if len(rows) == n - 1 + m:
                around = {1}
                for _ in range(n):
                    around |= {end for row in rows[: n - 1] if set(row) & around for end in row}
                trees += around == set(range(1, n + 1))
    assert trees > 40


def test_a_grid_has_rows_of_its_width() -> None:
    for one in drawn(GRID):
        height, width = map(int, one[0])
        assert len(one) == height + 1 or (height, width) == (0, 0)
        assert all(re.fullmatch(rb"[.#]*", row[0]) for row in one[1:] if row)


def test_queries_have_the_length_of_their_kind() -> None:
    for one in drawn(QUERIES):
        assert all(len(row) == (3 if row[0] == b"1" else 2) for row in one[1:])


def test_a_line_may_say_its_own_length() -> None:
    for one in drawn(LISTS):
        assert all(len(row) == int(row[0]) + 1 for row in one[1:])


def test_what_is_sorted_stays_sorted() -> None:
    for one in drawn(SORTED):
        assert one[1:] == [sorted(row, key=int) for row in one[1:]]


@pytest.mark.parametrize(
    "inputs", [[], [b"no newline"], [b"two  blanks\n"], [b" \n"], [b"1\n", b"1\n2\n", b"a b\nc\n"]]
)
def test_no_shape(inputs: list[bytes]) -> None:
    assert list(shapes(inputs)) == []


def test_hostile_inputs_end_soon() -> None:
    assert shapes([b"1 " * 2000 + b"1\n", b"1\n" * 2000, b"\n" * 4000]) is not None
    assert shapes([(b"2 2 2 2 2 2\n" * 300)[:4092], b"2 2 2 2 2 2\n" * 299]) is not None
