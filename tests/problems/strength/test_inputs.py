"""Random inputs near those that are there."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from problems.strength.inputs import MOST_BYTES, find_literals, meet_literals, neighbours, smaller


def counted(data: bytes) -> bool:
    """A list with its length before it, as a validator asks for."""
    head, _, rest = data.partition(b"\n")
    words = rest.removesuffix(b"\n").split(b" ")
    return rest.endswith(b"\n") and head.isdigit() and all(words) and int(head) == len(words) > 0


def rows(data: bytes) -> bool:
    head, *lines = data.removesuffix(b"\n").split(b"\n")
    return head.isdigit() and int(head) == len(lines) > 0 and all(len(line.split()) == 2 for line in lines)


@pytest.mark.parametrize(("valid", "seed"), [(counted, b"3\n5 6 7\n"), (rows, b"3\n1 2\n2 3\n4 4\n")])
def test_lists_change_their_length_and_stay_in_step(valid: object, seed: bytes) -> None:
    assert callable(valid)
    found = [data for data in islice(neighbours([seed], 1), 400) if valid(data)]
    assert len({data.partition(b"\n")[0] for data in found}) > 1
    assert len(found) > 20


def test_each_comes_once_and_the_same_seed_gives_the_same() -> None:
    first = list(islice(neighbours([b"1 2\n"], 7), 200))
    assert first == list(islice(neighbours([b"1 2\n"], 7), 200))
    assert len(set(first)) == 200 and b"1 2\n" not in first
    assert first != list(islice(neighbours([b"1 2\n"], 8), 200))


def test_a_shape_that_allows_nothing_ends() -> None:
    assert list(neighbours([b"\n"], 1)) == []
    assert list(neighbours([], 1)) == []


def test_the_largest_input_stays_small() -> None:
    big = b"1 " * (MOST_BYTES // 2 - 1) + b"1\n"
    assert all(len(data) <= MOST_BYTES for data in islice(neighbours([big], 1), 50))


def test_smaller_inputs_lose_an_entry_with_its_count_or_come_nearer_to_zero() -> None:
    found = set(smaller(b"3\n5 6 7\n"))
    assert {b"2\n5 6\n", b"2\n6 7\n", b"3\n0 6 7\n", b"3\n5 6 3\n"} <= found


def test_a_smaller_name_stands_wherever_the_larger_one_did() -> None:
    found = set(smaller(b"7 2\n4 7\n7 4\n"))
    assert {b"7 2\n1 7\n7 1\n", b"3 2\n4 3\n3 4\n"} <= found


def test_numbers_become_those_at_which_programs_branch() -> None:
    literals = find_literals([b"if (n % 400 == 0 || x1 == 0x10) s += 1000LL + 2e5 - 1.5;", b"y == 77"])
    assert literals == (400, 1000, 200000, 77)
    chance = Random(1)
    found = {meet_literals(b"1995 a\n", chance, (400, 100)) for _ in range(200)}
    assert {b"400 a\n", b"399 a\n", b"401 a\n", b"1600 a\n", b"1900 a\n", b"1599 a\n"} <= found
    assert {meet_literals(b"a\n", chance, literals), meet_literals(b"", chance, literals)} == {b"a\n", b""}
