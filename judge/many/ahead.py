"""Rows of a batch, read a few ahead: the one loop of `Judge.judge_many` and of `judge batch`."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from contextlib import ExitStack
from queue import Empty, SimpleQueue
from typing import TypeVar

from judge.common.ending import look, told_to
from judge.common.models import Judgement
from judge.common.promise import LOOKS_S, aside

#: Rows that are read ahead, for each slot: so many that one that takes long is seen before it is the last, and begun
#: first (`judge.many.queue`). A server, whose queue is everybody's, gets enough to keep it busy.
AHEAD, AHEAD_OF_SERVER = 16, 4

Row = TypeVar("Row")


def read_ahead(
    rows: Iterable[Row], submit: Callable[[Row], Future[Judgement]], ahead: int
) -> Generator[tuple[Row, Future[Judgement]]]:
    """Submit the rows, `ahead` at a time, and yield each with its future when that is done, in any order.

    A result that is there is handed out before the next row is read. What is not done when the iteration ends, by an
    error or because the caller closes it, is cancelled.
    """
    left, more = iter(rows), True
    done: SimpleQueue[Future[Judgement] | None] = SimpleQueue()
    waiting: dict[Future[Judgement], Row] = {}
    with ExitStack() as at_end:
        at_end.callback(lambda: aside(lambda: [future.cancel() for future in waiting]))
        at_end.enter_context(told_to(lambda: done.put(None)))
        while more or waiting:
            look()
            room = more and len(waiting) < ahead
            if waiting and not (room and done.empty()):
                try:
                    future = done.get(timeout=LOOKS_S)
                except Empty:
                    continue
                if future is None:
                    continue
                yield waiting.pop(future), future
            if room:
                try:
                    row = next(left)
                except StopIteration:
                    more = False
                    continue
                future = submit(row)
                waiting[future] = row
                future.add_done_callback(done.put)
