"""The loop that reads rows ahead: how far, in what order results come, and what is left when it ends."""

import itertools
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from judge.many.ahead import read_ahead


def done(result: Any) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(result)
    return future


def test_each_row_comes_with_its_own_result() -> None:
    found = {row: future.result() for row, future in read_ahead(range(30), lambda row: done(row * 2), 2)}
    assert found == {row: row * 2 for row in range(30)}


def test_it_reads_no_faster_than_rows_are_judged() -> None:
    futures: list[Future[Any]] = []

    def submit(row: int) -> Future[Any]:
        futures.append(Future())
        if len(futures) == 8:
            futures[3].set_result("first")
        return futures[-1]

    results = read_ahead(itertools.count(), submit, 8)
    row, future = next(results)
    assert (row, future.result(), len(futures)) == (3, "first", 8)
    results.close()
    assert all(future.cancelled() for future in futures if future is not futures[3])


def test_the_input_may_wait_for_a_result() -> None:
    seen: list[int] = []

    def rows() -> Iterator[int]:
        for row in range(5):
            assert len(seen) == row
            yield row

    for row, _ in read_ahead(rows(), done, 1):
        seen.append(row)
    assert seen == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("where", ["input", "submit", "caller"])
def test_an_error_ends_it_and_leaves_nothing_waiting(where: str) -> None:
    futures: list[Future[Any]] = []

    def rows() -> Iterator[int]:
        yield from range(3)
        if where == "input":
            raise ZeroDivisionError
        yield from itertools.count(3)

    def submit(row: int) -> Future[Any]:
        if where == "submit" and row == 3:
            raise ZeroDivisionError
        futures.append(done(row) if where == "caller" and row == 3 else Future())
        return futures[-1]

    with pytest.raises(ZeroDivisionError):
        for _ in read_ahead(rows(), submit, 4):
            raise ZeroDivisionError
    assert [future.cancelled() for future in futures] == [True] * 3 + [False] * (where == "caller")
