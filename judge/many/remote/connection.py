"""A connection to a server: requests that are sent again while it is away, and packages that it lacks."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

from containers import Isolation, Unavailable
from judge.common.errors import ConfigError, JudgeError, LanguageError, SourceError
from judge.common.execution import Execution, Program
from judge.common.models import Judgement, Options, Submission
from judge.judging.sources import check_count
from judge.judging.uncompiled import make_compile_error
from judge.many.packages import Package, Packages
from judge.many.remote import messages
from problems.errors import ProblemError
from problems.files import parcel
from problems.model import Problem

try:
    import httpx
    import tenacity
except ImportError as error:
    raise ConfigError(
        f"the executor server needs {error.name}: run pip install '.[client]' in judge's checkout"
    ) from error

#: The environment's API key: a key on a command line can be seen by others.
KEY = "JUDGE_SERVER_KEY"
#: How long the server may be away before what waits for it fails.
PATIENCE_S = 120.0
#: After `_TOLD_S` seconds without an answer, the user is told what is waited for.
_TOLD_S = 3.0
#: Seconds of one wait for a result.
_WAIT_S = 30
#: Requests at once.
_AT_ONCE = 256
#: Answers that another time may bring.
_PASSING = frozenset({408, 429, 502, 503, 504})


_log = logging.getLogger(__name__)


class _Away(Exception):
    """No answer, or one for now only."""

    def __init__(self, why: str, retry_s: float = 0.0, *, answered: bool = False) -> None:
        super().__init__(why)
        self.retry_s, self.answered = retry_s, answered


class Connection:
    """Use it in one event loop only."""

    def __init__(self, address: str, key: str | None = None) -> None:
        """`key`: the API key; None: that of the environment.

        Raises:
            ConfigError: the address is none of HTTP, or the key can be none.
        """
        if not address.startswith(("http://", "https://")):
            raise ConfigError(f"address {address!r}: the executor server needs http://HOST:PORT")
        self._address = address
        key = os.environ.get(KEY) if key is None else key
        if key and not (key.isascii() and key.isprintable() and " " not in key):
            raise ConfigError("the API key has characters that no key has; `judge serve --new-key NAME` prints keys")
        self._http = httpx.AsyncClient(
            base_url=address,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx.Timeout(_WAIT_S + 30.0, connect=10.0),
            limits=httpx.Limits(max_connections=_AT_ONCE, max_keepalive_connections=_AT_ONCE),
        )
        self._at_once = asyncio.Semaphore(_AT_ONCE)
        self._packages = Packages()
        self._sent: dict[str, asyncio.Task[None]] = {}
        self._told = False
        self._again = tenacity.AsyncRetrying(
            stop=tenacity.stop_before_delay(PATIENCE_S),
            wait=_wait,
            retry=tenacity.retry_if_exception_type(_Away),
            before_sleep=self._tell,
            reraise=True,
        )

    async def judge(self, submission: Submission, options: Options) -> Judgement:
        """
        Raises:
            JudgeError, ProblemError: it cannot be judged at all.
            Unavailable: the server cannot be reached, or cannot judge.
        """
        try:
            check_count(submission.files)
        except SourceError as error:  # which the server would refuse, and a submission must not choose not to be scored
            return make_compile_error(submission.problem_name, submission.language, str(error), submission.id)
        name = await self._name(submission)
        try:
            answer = await self._ask("/v1/judgements", messages.judgement_request(submission, name, options))
        except ProblemError:
            if not self._sent.pop(name.removeprefix("package:"), None):
                raise
            name = await self._name(submission)  # the server had to make room, and has the package no more
            answer = await self._ask("/v1/judgements", messages.judgement_request(submission, name, options))
        return messages.judgement(answer)

    async def execute(self, program: Program) -> Execution:
        """
        Raises:
            JudgeError: it cannot be run at all.
            Unavailable: the server cannot be reached, or cannot judge.
        """
        return messages.execution(await self._ask("/v1/executions", messages.execution_request(program)))

    async def limits(self) -> tuple[int, Isolation]:
        """How much the server judges at once, and the walls of each run."""
        found = (await self._send("GET", "/v1/limits")).json()
        walls = found["isolation"]
        layers = {name: tuple(walls[name]) for name in ("layers", "missing")}
        return int(found["slots"]), Isolation(backend=walls["backend"], tier=walls["tier"], **layers)

    async def close(self) -> None:
        await self._http.aclose()
        self._packages.close()

    async def _name(self, submission: Submission) -> str:
        """What the server calls the problem. A package of this machine is sent to it first, unless it has it."""
        problem = submission.problem
        if isinstance(problem, str) and not ("/" in problem or problem.endswith((".zip", ".kpp"))):
            return problem
        package = await self._packages.find(submission)
        if package.digest not in self._sent:
            self._sent[package.digest] = asyncio.create_task(self._bring(package, problem))
        task = self._sent[package.digest]
        try:
            await asyncio.shield(task)
        except Exception:
            self._sent.pop(package.digest, None)
            raise
        return f"package:{package.digest}"

    async def _bring(self, package: Package, problem: str | Path | Problem) -> None:
        where = f"/v1/packages/{package.digest}"
        if (await self._send("GET", where, known=(404,))).status_code == 404:
            content = await asyncio.to_thread(parcel.pack, package.path)
            await self._send("PUT", where, params={"name": package.path.name}, content=content)

    async def _ask(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Has something done, once, and waits for what comes of it."""
        once = {"Idempotency-Key": secrets.token_urlsafe(16)}
        async with self._at_once:
            answer = await self._send("POST", path, json=body, params={"wait": _WAIT_S}, headers=once)
            where = answer.headers["location"]
            try:
                while answer.status_code == 202:
                    answer = await self._send("GET", where, params={"wait": _WAIT_S})
            except asyncio.CancelledError:
                with suppress(httpx.HTTPError):
                    await self._http.delete(where, timeout=2)
                raise
        result: dict[str, Any] = answer.json()
        return result

    async def _send(self, method: str, path: str, *, known: tuple[int, ...] = (), **how: Any) -> httpx.Response:
        try:
            answer: httpx.Response = await self._again.copy()(self._once, method, path, how)  # it holds a call's state
        except _Away as error:
            hint = "" if error.answered else "; is `judge serve` running there?"
            raise Unavailable(f"{self._address}: {error}{hint}") from error
        if answer.is_success or answer.status_code in known:
            return answer
        raise self._make_refusal(answer)

    async def _once(self, method: str, path: str, how: dict[str, Any]) -> httpx.Response:
        try:
            answer = await self._http.request(method, path, **how)
        except httpx.HTTPError as error:
            raise _Away(str(error) or type(error).__name__) from error
        self._told = False
        if answer.status_code in _PASSING:
            after = answer.headers.get("retry-after", "")
            raise _Away(_words(answer)[0], float(after) if after.isdecimal() else 0.0, answered=True)
        return answer

    def _tell(self, state: tenacity.RetryCallState) -> None:
        """Once for each time that the server is away, however many requests wait."""
        error = state.outcome.exception() if state.outcome is not None else None
        waited = state.seconds_since_start or 0.0
        if isinstance(error, _Away) and not error.answered and not self._told and waited >= _TOLD_S:
            self._told = True
            _log.info("waiting for %s, for %.0f s at most: %s", self._address, PATIENCE_S, error)

    def _make_refusal(self, answer: httpx.Response) -> Exception:
        said, where = _words(answer)
        if answer.status_code in (401, 403):
            return ConfigError(f"{self._address}: {said}; `key`, or {KEY} in the environment, is sent as the key")
        if where in ("problem", "name"):
            return ProblemError(said)
        return LanguageError(said) if where == "language" else JudgeError(f"{self._address}: {said}")


def _wait(state: tenacity.RetryCallState) -> float:
    """A random time of a range that doubles, and at least what the server asked for."""
    error = state.outcome.exception() if state.outcome is not None else None
    usual = tenacity.wait_random_exponential(multiplier=0.2, max=10)(state)
    return max(usual, error.retry_s if isinstance(error, _Away) else 0.0)


def _words(answer: httpx.Response) -> tuple[str, str | None]:
    """What an error says, and the field that it is about."""
    try:
        body = answer.json()
        where = body.get("where") or [None]
        return str(body["error"]), where[-1]
    except (ValueError, KeyError, AttributeError):
        return f"HTTP {answer.status_code}", None
