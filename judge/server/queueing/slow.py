"""Work that takes seconds beside the looks at the database, which take milliseconds and share the threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar
from weakref import WeakValueDictionary

from judge.server.observing.audit import call

T = TypeVar("T")
#: How much is done at once: fewer than asyncio has threads.
_AT_ONCE = 2


class Slow:
    """Each party does one thing at a time; parties take turns. For the event loop's thread."""

    def __init__(self) -> None:
        self._all = asyncio.Semaphore(_AT_ONCE)
        self._own = WeakValueDictionary[str, asyncio.Semaphore]()

    async def run(self, work: Callable[[], T]) -> T:
        """What `work` gives, in a thread. If the client leaves first, work that has begun goes on, and keeps its
        place."""
        own = self._own.setdefault(call().party, asyncio.Semaphore(1))
        await own.acquire()
        try:
            await self._all.acquire()
        except asyncio.CancelledError:
            own.release()
            raise
        task = asyncio.create_task(asyncio.to_thread(work))

        def on_ended(ended: asyncio.Task[T]) -> None:
            self._all.release()
            own.release()
            if not ended.cancelled():
                ended.exception()  # who waited has it

        task.add_done_callback(on_ended)
        return await asyncio.shield(task)
