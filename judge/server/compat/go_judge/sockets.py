"""go-judge's sockets.

/ws       texts: a request with `requestId`, or {"cancelRequestId": …}; a response for each, in any order
/stream   binary: 1 a request, 2 a change of a terminal's size, 3 input, 4 cancel; back: 1 the response, 2 output.
          Input and output begin with a byte: the index of the command (4 bits) and the descriptor (4 bits)
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from containers import SandboxError, Unavailable
from judge.common.errors import JudgeError
from judge.judging.commands import Ran
from judge.judging.streaming import Streams
from judge.server.compat.go_judge import running
from judge.server.compat.go_judge.answers import describe_failure, missing, result
from judge.server.compat.go_judge.prepare import Prepared, Refused, prepare
from judge.server.compat.go_judge.requests import RunRequest
from judge.server.guarding.access import TheCaller, TheHeld, TheService
from judge.server.guarding.held import Crowded, Held, Unread
from judge.server.guarding.keys import Caller
from judge.server.guarding.limits import Refused as Limited
from judge.server.requests import check_values, json_object
from judge.server.service import Service
from problems.model import MIB

router = APIRouter()

#: Requests of one socket that have no response yet.
_MOST_BEGUN = 128
_MOST_INPUT_BYTES = 16 * MIB
_STDIN, _STDOUT = 0, 1
_REQUEST, _RESIZE, _INPUT, _CANCEL = 1, 2, 3, 4
_RESPONSE, _OUTPUT = 1, 2
_WRONG = 1003
_Run = Callable[[RunRequest], Awaitable[list[dict[str, Any]]]]


@router.websocket("/ws")
async def ws(socket: WebSocket, caller: TheCaller, service: TheService, held: TheHeld) -> None:
    await socket.accept()
    begun: dict[str, asyncio.Task[None]] = {}
    try:
        while True:
            await _begin(
                socket, await socket.receive_text(), begun, lambda one: running.run(one, caller, service), held
            )
    except WebSocketDisconnect:
        pass
    except (ValueError, KeyError, RecursionError):  # KeyError: bytes instead of a text
        await socket.close(_WRONG)
    finally:
        for task in list(begun.values()):
            task.cancel()


async def _begin(socket: WebSocket, text: str, begun: dict[str, asyncio.Task[None]], run: _Run, held: Held) -> None:
    """What one message asks for. Nothing of it stays in memory where it is not run."""
    body = json_object(text)
    if cancelled := body.get("cancelRequestId"):
        if isinstance(cancelled, str) and (task := begun.get(cancelled)) is not None:
            task.cancel()
        return
    request = RunRequest.model_validate(body)
    if (why := _explain_refusal(request, begun)) is not None:
        await socket.send_json({"requestId": request.requestId, "results": None, "error": why})
        return
    begun[request.requestId] = task = asyncio.create_task(_respond(socket, request, len(text), run, held))
    task.add_done_callback(partial(_on_ended, begun, request.requestId))


def _on_ended(begun: dict[str, asyncio.Task[None]], id_: str, _: asyncio.Task[None]) -> None:
    begun.pop(id_, None)


def _explain_refusal(request: RunRequest, begun: dict[str, asyncio.Task[None]]) -> str | None:
    if not request.requestId:
        return "empty request id"
    if request.requestId in begun:
        return f"duplicated request id: {request.requestId}"
    return "worker queue is full" if len(begun) >= _MOST_BEGUN else None


async def _respond(socket: WebSocket, request: RunRequest, size: int, run: _Run, held: Held) -> None:
    """`size`: bytes of the request."""
    answer: dict[str, Any] = {"requestId": request.requestId, "results": None}
    try:
        with held.holding(socket.scope, size):
            answer["results"] = await run(request)
    except Refused as error:
        answer["error"] = str(error)
    except Limited:
        answer["error"] = "worker queue is full"
    except asyncio.CancelledError:
        answer["error"] = "request cancelled before execute"
    with suppress(WebSocketDisconnect, RuntimeError):  # its client has left
        await socket.send_json(answer)


@router.websocket("/stream")
async def stream(socket: WebSocket, caller: TheCaller, service: TheService, held: TheHeld) -> None:
    await socket.accept()
    try:
        size = len(content := await socket.receive_bytes())
        kind, rest = _message(content)
        if kind != _REQUEST:
            raise Refused("the first message is a request")
        check_values(rest)
        request = RunRequest.model_validate_json(rest)
        if len(request.cmd or []) != 1 or request.pipeMapping:
            raise Refused("one command without pipes can be talked to here")
        prepared = prepare((request.cmd or [])[0], running.sources(caller, service), piped=frozenset(), streams=True)
    except WebSocketDisconnect:
        return
    except (Refused, ValidationError, ValueError, KeyError, RecursionError) as error:
        await _close(socket, str(error))
        return
    try:
        with held.holding(socket.scope, size):
            await _Talk(socket, request.requestId, prepared, caller, service, held).run()
    except Crowded as error:
        await _close(socket, str(error))


async def _close(socket: WebSocket, why: str) -> None:
    await socket.send_bytes(bytes([_RESPONSE]) + json.dumps({"requestId": "", "results": None, "error": why}).encode())
    await socket.close(_WRONG)


def _message(content: bytes) -> tuple[int, bytes]:
    if not content:
        raise Refused("an empty message")
    return content[0], content[1:]


class _Talk:
    """One command, and who talks to it."""

    def __init__(
        self, socket: WebSocket, id_: str, prepared: Prepared, caller: Caller, service: Service, held: Held
    ) -> None:
        self._socket, self._id, self._prepared, self._who, self._there = socket, id_, prepared, caller, service
        self._kept = b""
        self._loop = asyncio.get_running_loop()
        self._streams = Streams(self._hear, _MOST_INPUT_BYTES)
        self._said = Unread[bytes](held, socket.scope, self._streams.stop)

    def _hear(self, content: bytes) -> None:
        """In a thread of the Judge."""
        self._loop.call_soon_threadsafe(self._said.put, content, len(content))

    async def run(self) -> None:
        if not self._prepared.streams_in:
            self._streams.write(self._prepared.command.stdin)
            self._streams.end_input()
        listening = asyncio.create_task(self._listen())
        telling = asyncio.create_task(self._said.pass_on(self._tell))
        running = asyncio.create_task(self._result())
        listening.add_done_callback(lambda ended: running.cancel() if ended.cancelled() or ended.result() else None)
        try:
            with suppress(asyncio.CancelledError):  # its client has left
                answer = await running
                await self._send(_RESPONSE, json.dumps({"requestId": self._id, "results": [answer]}).encode())
        finally:
            running.cancel()
            listening.cancel()
            telling.cancel()
        with suppress(WebSocketDisconnect, RuntimeError):  # its client has left
            await self._socket.close()

    async def _result(self) -> dict[str, Any]:
        if self._prepared.missing is not None:
            return missing(self._prepared)
        try:
            command = self._prepared.command
            ran = await self._there.run(lambda judge: judge.stream(command, self._streams), repeats=False)
        except (JudgeError, SandboxError, Unavailable, Limited) as error:
            return describe_failure(str(error))
        assert isinstance(ran, Ran)  # noqa: S101 - of a command
        await self._said.join()
        ran = replace(ran, outcome=replace(ran.outcome, stdout=self._kept))
        return result(self._prepared, ran, running.keeper(self._who, self._there))

    async def _listen(self) -> bool:
        """What the client sends; a wrong message or the end of the socket stops the run. Whether the client has
        left."""
        try:
            while True:
                kind, rest = _message(await self._socket.receive_bytes())
                if kind == _INPUT and rest and rest[0] == _STDIN:
                    if not self._streams.write(rest[1:]):
                        break
                elif kind != _RESIZE:
                    break
        except (WebSocketDisconnect, RuntimeError):
            return True
        except (Refused, KeyError):
            pass
        self._streams.stop()
        return False

    async def _tell(self, content: bytes) -> None:
        if self._prepared.streams_out:
            await self._send(_OUTPUT, bytes([_STDOUT]) + content)
        else:
            self._kept += content

    async def _send(self, kind: int, content: bytes) -> None:
        try:
            await self._socket.send_bytes(bytes([kind]) + content)
        except (WebSocketDisconnect, RuntimeError):
            self._streams.stop()
