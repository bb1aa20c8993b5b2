"""Samples from any OpenAI-compatible endpoint (vLLM, SGLang, a service). Requests wait in a thread of their own, so
that they go on while the caller does something else."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from judge.common.ending import look, told_to
from judge.common.errors import ConfigError
from trainer_adapter.rollouts.making.requests import How, SampledText, SampleRequest


@dataclass(frozen=True, kw_only=True)
class EndpointSampler:
    """
    Raises:
        ConfigError: when made, if the address is none.
    """

    #: Base of its addresses, which ends in /v1 as a rule.
    endpoint: str
    model: str
    how: How
    #: Requests at once.
    workers: int = 16
    #: How often a request is tried again that is refused for now (408, 409, 429, 5xx) or breaks off; each waits longer.
    retries: int = 5
    #: For one try of a request.
    timeout_seconds: float = 600.0
    #: Environment variable that holds the key, where the endpoint wants one.
    api_key_variable: str = "OPENAI_API_KEY"

    def __post_init__(self) -> None:
        if not self.endpoint.startswith(("http://", "https://")):
            raise ConfigError(f"endpoint {self.endpoint!r} is no http address")

    def sample(self, requests: Iterable[SampleRequest]) -> Iterator[tuple[SampleRequest, SampledText]]:
        left = iter(requests)
        done: SimpleQueue[Future[SampledText] | None] = SimpleQueue()
        waiting: dict[Future[SampledText], SampleRequest] = {}
        with _loop() as loop, self._client(loop) as client, told_to(lambda: done.put(None)):
            while True:
                look()
                while len(waiting) < self.workers and (request := next(left, None)) is not None:
                    future = asyncio.run_coroutine_threadsafe(self._ask(client, request), loop)
                    waiting[future] = request
                    future.add_done_callback(done.put)
                if not waiting:
                    return
                if (ended := done.get()) is not None:
                    yield waiting.pop(ended), ended.result()

    @contextmanager
    def _client(self, loop: asyncio.AbstractEventLoop) -> Iterator[Any]:
        from openai import AsyncOpenAI  # noqa: PLC0415 - only who uses it needs it

        client = AsyncOpenAI(
            base_url=self.endpoint,
            api_key=os.environ.get(self.api_key_variable) or "none",
            max_retries=self.retries,
            timeout=self.timeout_seconds,
        )
        try:
            yield client
        finally:
            asyncio.run_coroutine_threadsafe(_end(client), loop).result()

    async def _ask(self, client: Any, request: SampleRequest) -> SampledText:
        from openai import OpenAIError  # noqa: PLC0415

        try:
            reply = await client.chat.completions.create(
                model=self.model,
                messages=request.task.prompt,
                max_tokens=self.how.max_tokens,
                temperature=self.how.temperature,
                top_p=self.how.top_p,
                seed=request.seed(self.how.seed),
            )
        except (OpenAIError, ValueError) as error:  # ValueError: a reply that is no JSON
            return SampledText(failure=f"{type(error).__name__}: {error}")
        if not reply.choices:
            return SampledText(failure="the reply has no choice")
        choice = reply.choices[0]
        # Thinking that the server has split off is not part of the answer.
        return SampledText(
            text=choice.message.content or "",
            truncated=choice.finish_reason == "length",
            tokens=getattr(reply.usage, "completion_tokens", None),
        )


@contextmanager
def _loop() -> Iterator[asyncio.AbstractEventLoop]:
    """An event loop in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="endpoint", daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _end(client: Any) -> None:
    """Cancel what is still asked."""
    asked = asyncio.all_tasks() - {asyncio.current_task()}
    for task in asked:
        task.cancel()
    await asyncio.gather(*asked, return_exceptions=True)
    await client.close()
