"""Accepts work, has the Judge do it, and stores what comes of it."""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
from collections.abc import Sequence
from concurrent.futures import Future

import problems
from judge.common import config
from judge.common.errors import Cancelled
from judge.common.execution import Execution
from judge.common.models import Judgement, Verdict
from judge.judging.engine import failed
from judge.judging.public import public
from judge.many.pool import Judge
from judge.server.keys import Caller, Keys
from judge.server.requests import ExecutionRequest, JudgementRequest
from judge.server.settings import Settings
from judge.server.store import Kind, Row, Store
from problems.errors import ProblemError

_log = logging.getLogger(__name__)

Request = JudgementRequest | ExecutionRequest
_REQUESTS: dict[Kind, type[JudgementRequest] | type[ExecutionRequest]] = {
    "judgement": JudgementRequest,
    "execution": ExecutionRequest,
}


class Full(Exception):
    """As much waits as may."""

    def __init__(self, retry_s: int) -> None:
        super().__init__(f"the queue is full; try again in {retry_s} s")
        self.retry_s = retry_s


class Service:
    """Opened in the event loop that serves; `close` keeps what is owed for the next start."""

    def __init__(self, settings: Settings) -> None:
        """
        Raises:
            ConfigError: a setting, the keys or the database cannot be used.
        """
        self.settings = settings
        self.keys = Keys(settings.keys)
        self.store = Store(settings.database or config.cache_directory() / "server.sqlite")
        self.judge = Judge(
            slots=settings.slots,
            backend=settings.backend,
            require=settings.require,
            memory_bytes=settings.memory_budget,
        )
        self._lock = threading.Lock()
        self._waiting: dict[str, list[asyncio.Event]] = {}
        self._work: dict[str, Future[Judgement] | Future[Execution]] = {}
        self._loop = asyncio.get_running_loop()
        self._closed = False

    @property
    def waiting(self) -> int:
        """How much was accepted and has no result yet."""
        return len(self._work)

    def resume(self) -> int:
        """Take up what an earlier server left: how much."""
        count = 0
        for row in self.store.owed():
            self._begin(row.id, row.kind, _REQUESTS[row.kind].model_validate_json(row.request))
            count += 1
        return count

    def accept(self, request: Request, caller: Caller, once: str | None = None) -> str:
        """Store a request and queue it: its id. With an idempotency key that is known, the id that it had.

        Raises:
            Full: too much waits.
        """
        self._check_room(1)
        return self._accept(request, caller, once)

    def accept_all(self, requests: Sequence[Request], caller: Caller) -> list[str]:
        """Accept all, or none: their ids.

        Raises:
            Full: too much waits.
        """
        self._check_room(len(requests))
        return [self._accept(request, caller, None) for request in requests]

    def _check_room(self, count: int) -> None:
        if self.waiting + count > self.settings.most_waiting:
            raise Full(max(1, min(60, self.waiting // (20 * self.judge.slots))))

    def _accept(self, request: Request, caller: Caller, once: str | None) -> str:
        kind: Kind = "judgement" if isinstance(request, JudgementRequest) else "execution"
        row = Row(
            id=secrets.token_urlsafe(16),
            kind=kind,
            owner=caller.name,
            request=request.model_dump_json(),
            result=None,
            public=None,
        )
        id_, is_new = self.store.add(row, once)
        if is_new:
            self._begin(id_, kind, request)
        return id_

    async def wait(self, id_: str, seconds: float) -> Row:
        """The row of an accepted request, when it has a result, or after so many seconds.

        Raises:
            KeyError: there is no such row.
        """
        event = asyncio.Event()
        with self._lock:
            pending = id_ in self._work
            if pending:
                self._waiting.setdefault(id_, []).append(event)
        if pending:
            try:
                await asyncio.wait_for(event.wait(), seconds)
            except TimeoutError:
                pass
            finally:
                with self._lock:
                    if event in self._waiting.get(id_, ()):
                        self._waiting[id_].remove(event)
        row = await asyncio.to_thread(self.store.get, id_)
        if row is None:
            raise KeyError(id_)
        return row

    def cancel(self, id_: str) -> bool:
        """Take it out of the queue, unless it has begun: whether it was taken out."""
        with self._lock:
            work = self._work.get(id_)
        return work is not None and work.cancel()

    def close(self) -> None:
        self._closed = True
        self.judge.close()
        self.store.close()

    def _begin(self, id_: str, kind: Kind, request: Request) -> None:
        work: Future[Judgement] | Future[Execution]
        try:
            if isinstance(request, JudgementRequest):
                work = self.judge.submit(request.submission(), request.judge_options())
            else:
                work = self.judge.submit_program(request.program())
        except Exception as error:
            work = Future()
            work.set_exception(error)
        with self._lock:
            self._work[id_] = work
        work.add_done_callback(lambda done: self._ended(id_, request, done))

    def _ended(self, id_: str, request: Request, work: Future[Judgement] | Future[Execution]) -> None:
        """Called in a thread of the Judge."""
        try:
            if self._closed:
                return  # owed at the next start
            if work.cancelled():
                full = shown = _cancelled(request).to_json()
            elif (error := work.exception()) is not None:
                if isinstance(error, Cancelled):
                    return
                full = shown = _lost(request, str(error)).to_json()
            else:
                full, shown = _texts(request, work.result())
            self.store.finish(id_, full, shown)
        except Exception:
            _log.exception("what came of %s could not be stored; it is judged again at the next start", id_)
        finally:
            with self._lock:
                self._work.pop(id_, None)
                events = self._waiting.pop(id_, [])
            if not self._loop.is_closed():
                for event in events:
                    self._loop.call_soon_threadsafe(event.set)


def _texts(request: Request, result: Judgement | Execution) -> tuple[str, str]:
    if isinstance(result, Execution) or not isinstance(request, JudgementRequest):
        return result.to_json(), result.to_json()
    try:
        samples = [case.name for case in problems.load(request.problem).cases if case.sample]
    except ProblemError:
        samples = []
    return result.to_json(), public(result, samples).to_json()


def _lost(request: Request, why: str) -> Judgement | Execution:
    if isinstance(request, JudgementRequest):
        return failed(request.submission(), why)
    return Execution(id=request.id, language=request.language, verdict=Verdict.IE, detail=why)


def _cancelled(request: Request) -> Judgement | Execution:
    return _lost(request, "cancelled by its client")
