"""The executor of `Judge(executor="server")`: passes calls of any thread to the event loop that talks to the server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from functools import cached_property
from typing import Any, TypeVar

from containers import Isolation
from judge.common.errors import Cancelled
from judge.common.execution import Execution, Program
from judge.common.models import Judgement, Options, Submission
from judge.common.promise import Promise
from judge.judging.watch import Watch
from judge.many.remote.connection import Connection

_Result = TypeVar("_Result")


class RemoteExecutor:
    """The `Executor` of a server. It is not asked before there is work."""

    def __init__(self, address: str, key: str | None = None) -> None:
        """
        Raises:
            ConfigError: the address is none of HTTP, the key can be none, or what speaks it is not installed.
        """
        self._lock = threading.Lock()
        self._closed = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="judge-server", daemon=True)
        self._thread.start()
        try:
            self._connection = self._wait(_make_connection(address, key))
        except BaseException:
            self._stop()
            raise

    @cached_property
    def _limits(self) -> tuple[int, Isolation]:
        return self._wait(self._connection.limits())

    @property
    def slots(self) -> int:
        return self._limits[0]

    @property
    def isolation(self) -> Isolation:
        return self._limits[1]

    def submit(self, submission: Submission, options: Options, watch: Watch | None = None) -> Future[Judgement]:
        return self._begin(self._connection.judge(submission, options))

    def execute(self, program: Program) -> Future[Execution]:
        return self._begin(self._connection.execute(program))

    def stop(self, future: Future[Any]) -> bool:
        return future.cancel() or True

    def close(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._wait(self._end())
        self._stop()

    def _begin(self, work: Coroutine[None, None, _Result]) -> Future[_Result]:
        future = Promise[_Result]()

        async def run() -> None:
            if not future.set_running_or_notify_cancel():
                work.close()
                return
            try:
                future.set_result(await work)
            except asyncio.CancelledError:
                future.set_exception(Cancelled())
            except Exception as error:
                future.set_exception(error)

        with self._lock:
            if self._closed:
                work.close()
                raise Cancelled()
            asyncio.run_coroutine_threadsafe(run(), self._loop)
        return future

    async def _end(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._connection.close()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _wait(self, work: Coroutine[None, None, _Result]) -> _Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


async def _make_connection(address: str, key: str | None) -> Connection:
    """In the loop that uses it."""
    return Connection(address, key)
