"""Stores what came of rows.

    a thread of the Judge ──put──► queue ──one transaction──► the database ──► `stored`, row by row

One thread stores all that ended while it stored the results before, because a transaction costs more than a row.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue

from sqlalchemy.exc import SQLAlchemyError

from judge.server.storing.store import Result, Store

_log = logging.getLogger(__name__)

#: A transaction holds at most `_MOST` results: others wait for it.
_MOST = 500
#: Seconds before a database that did not answer is asked again.
_AGAIN_S = 0.2


class Results:
    """`stored` is called for each result that is in the database, or that another server had stored before."""

    def __init__(self, store: Store, stored: Callable[[Result], None]) -> None:
        self._store = store
        self._stored = stored
        self._queue = SimpleQueue[Result | None]()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._work, name="results are stored")
        self._thread.start()

    def put(self, result: Result) -> None:
        self._queue.put(result)

    def close(self) -> None:
        """Store what was put, if the database answers. What is not stored is judged again at the next start."""
        self._closed.set()
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (result := self._queue.get()) is not None:
            results, more = [result], True
            while more and len(results) < _MOST:
                try:
                    following = self._queue.get_nowait()
                except Empty:
                    break
                if more := following is not None:
                    results.append(following)
            self._keep(results)
            if not more:
                return

    def _keep(self, results: list[Result]) -> None:
        while True:
            try:
                self._store.finish(results)
                break
            except SQLAlchemyError as error:
                _log.error("%d results wait for the database: %s", len(results), str(error).splitlines()[0])
                if self._closed.wait(_AGAIN_S):
                    return
        for result in results:
            self._stored(result)
