"""Piston's socket: a program that is talked to while it runs.

client      `type` init, and the fields of /execute; data, with `stream` stdin and `data`; signal, with `signal`
server      runtime, stage, data, exit, error; closes with 4999 when the program has ended
"""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from typing import Any

from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from containers import SandboxError, Unavailable
from judge.common.errors import JudgeError
from judge.common.execution import Execution
from judge.common.models import CompileResult, Verdict
from judge.common.whole import encode_text
from judge.judging.streaming import Streams
from judge.server.compat.piston.answers import ran, show_compile
from judge.server.compat.piston.requests import Wrong, program, version
from judge.server.guarding.access import TheHeld, TheService
from judge.server.guarding.held import Held, Unread
from judge.server.guarding.limits import Refused
from judge.server.requests import json_object
from judge.server.service import Service, longest_ns
from problems.model import MIB

router = APIRouter()

_MOST_INPUT_BYTES = 16 * MIB
#: Seconds that a client may take to say what it wants.
_INIT_S = 1.0
_TWICE, _LATE, _ERROR, _EARLY, _NOT_STDIN, _NO_SIGNAL, _DONE = 4000, 4001, 4002, 4003, 4004, 4005, 4999


class _Closing(Exception):
    def __init__(self, code: int, why: str) -> None:
        super().__init__(why)
        self.code, self.why = code, why


@router.websocket("/connect")
async def connect(socket: WebSocket, service: TheService, held: TheHeld) -> None:
    await socket.accept()
    talk = _Talk(socket, service, held)
    listening = asyncio.create_task(talk.listen())
    try:
        await talk.run(listening)
    except _Closing as end:
        with suppress(WebSocketDisconnect, RuntimeError):
            await socket.close(end.code, end.why)
    except WebSocketDisconnect:
        pass
    finally:
        talk.streams.stop()
        listening.cancel()


class _Talk:
    def __init__(self, socket: WebSocket, service: Service, held: Held) -> None:
        self._socket, self._there = socket, service
        self._loop = asyncio.get_running_loop()
        self._asked: asyncio.Future[dict[str, Any]] = self._loop.create_future()
        self._signal: str | None = None
        self._compiled = False
        self.streams = Streams(self._hear, _MOST_INPUT_BYTES, self._on_compiled)
        self._said = Unread[dict[str, Any]](held, socket.scope, self.streams.stop)

    def _tell(self, message: dict[str, Any]) -> None:
        """In a thread of the Judge."""
        self._loop.call_soon_threadsafe(self._put, message)

    def _put(self, message: dict[str, Any]) -> None:
        self._said.put(message, len(message.get("data", "")))

    def _hear(self, content: bytes) -> None:
        self._tell({"type": "data", "stream": "stdout", "data": content.decode("utf-8", "replace")})

    def _on_compiled(self, result: CompileResult, compiles: bool) -> None:
        if compiles or result.verdict != "ok":
            made = show_compile(result)
            self._tell({"type": "stage", "stage": "compile"})
            if made["stderr"]:
                self._tell({"type": "data", "stream": "stderr", "data": made["stderr"]})
            self._tell({"type": "exit", "stage": "compile", "code": made["code"], "signal": made["signal"]})
        if result.verdict == "ok":
            self._tell({"type": "stage", "stage": "run"})

    async def run(self, listening: asyncio.Task[None]) -> None:
        """Until the program has ended. Raises _Closing, WebSocketDisconnect."""
        asked = await self._init(listening)
        try:
            wanted = program(asked)
        except Wrong as error:
            await self._error(str(error))
        await self._send({"type": "runtime", "language": wanted.language, "version": version(wanted.language)})
        self.streams.write(wanted.stdin)
        telling = asyncio.create_task(self._said.pass_on(self._send))
        running = asyncio.create_task(self._execution(wanted))
        try:
            either: set[asyncio.Future[Any]] = {running, listening}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if listening.done() and not running.done():
                running.cancel()
                await asyncio.wait({running})
                listening.result()
            await self._on_ended(running.result())
            await self._said.join()
        finally:
            telling.cancel()
            running.cancel()
        raise _Closing(_DONE, "Job Completed")

    async def _init(self, listening: asyncio.Task[None]) -> dict[str, Any]:
        first: set[asyncio.Future[Any]] = {self._asked, listening}
        await asyncio.wait(first, timeout=_INIT_S, return_when=asyncio.FIRST_COMPLETED)
        if listening.done():
            listening.result()
        if not self._asked.done():
            raise _Closing(_LATE, "Initialization Timeout")
        return self._asked.result()

    async def _execution(self, wanted: Any) -> Execution:
        try:
            execution = await self._there.run(
                lambda judge: judge.stream(wanted, self.streams), longest_ns=longest_ns(wanted), repeats=False
            )
        except (JudgeError, SandboxError, Unavailable, Refused) as error:
            await self._error(str(error))
        assert isinstance(execution, Execution)  # noqa: S101 - of a program
        return execution

    async def _on_ended(self, execution: Execution) -> None:
        if execution.verdict is Verdict.IE:
            await self._error("the sandbox failed")
        if execution.verdict is Verdict.CE:
            return
        done = ran(execution)
        if done["stderr"]:
            self._put({"type": "data", "stream": "stderr", "data": done["stderr"]})
        name = self._signal or done["signal"]
        code = None if name else done["code"]
        self._put({"type": "exit", "stage": "run", "code": code, "signal": name})

    async def listen(self) -> None:
        """What the client sends, until it is wrong or has left. Raises _Closing, WebSocketDisconnect."""
        while True:
            try:
                message = json_object(await self._socket.receive_text())
            except (ValueError, KeyError) as error:
                await self._error(str(error) if isinstance(error, ValueError) else "a message is a text")
            match message.get("type"):
                case "init":
                    if self._asked.done():
                        raise _Closing(_TWICE, "Already Initialized")
                    self._asked.set_result(message)
                case "data" | "signal" if not self._asked.done():
                    raise _Closing(_EARLY, "Not yet initialized")
                case "data":
                    if message.get("stream") != "stdin":
                        raise _Closing(_NOT_STDIN, "Can only write to stdin")
                    if not self.streams.write(encode_text(str(message.get("data", "")))):
                        await self._error(f"more than {_MOST_INPUT_BYTES} bytes of input wait to be read")
                case "signal":
                    if message.get("signal") not in signal.Signals.__members__:
                        raise _Closing(_NO_SIGNAL, "Invalid signal")
                    self._signal = str(message["signal"])
                    self.streams.stop()

    async def _error(self, why: str) -> None:
        """Tell, and close."""
        await self._send({"type": "error", "message": why})
        raise _Closing(_ERROR, "Notified Error")

    async def _send(self, message: dict[str, Any]) -> None:
        try:
            await self._socket.send_json(message)
        except (WebSocketDisconnect, RuntimeError):
            self.streams.stop()
