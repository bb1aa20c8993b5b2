"""Asks the process that renders, and ends it if it takes too long."""

from __future__ import annotations

import json
import os
import select
import subprocess
import threading
import time
from contextlib import suppress
from hashlib import sha256

from judge.common.own_process import own_command
from judge.store.recent import Recent
from problems.model import MIB

#: Texts that are longer are shown as they are.
MOST_CHARACTERS = 128 * 1024
_DEADLINE_S = 2.0
#: The first text also pays for the start of the process.
_START_S = 10.0
_KEPT_BYTES = 16 * MIB


class Renderer:
    """Thread-safe: one text is rendered at a time. Starts its process when it is first asked."""

    def __init__(self, deadline_s: float = _DEADLINE_S) -> None:
        self._deadline_s = deadline_s
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        #: "": it cannot be rendered.
        self._made = Recent[str](_KEPT_BYTES)

    def render(self, kind: str, text: str, language: str = "") -> str | None:
        """HTML that holds nothing but text, spans and structure; None: show the text as it is."""
        if len(text) > MOST_CHARACTERS:
            return None
        key = sha256(f"{kind} {language} {text}".encode("utf-8", "replace")).digest()
        with self._lock:
            made = self._made.get(key)
            if made is None:
                made = self._ask(json.dumps({"kind": kind, "text": text, "language": language}).encode() + b"\n") or ""
                self._made.put(key, made, 200 + 4 * len(made))
            return made or None

    def close(self) -> None:
        with self._lock:
            self._end()

    def _ask(self, line: bytes) -> str | None:
        started = self._process is None
        process = self._process = self._process or self._start()
        until = time.monotonic() + (_START_S if started else self._deadline_s)
        answer = None
        with suppress(OSError):
            answer = _exchange(process, line, until)
        if answer is None:
            self._end()
            return None
        found: str | None = json.loads(answer)["html"]
        return found

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            own_command("judge.server.rendering.worker"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()


def _exchange(process: subprocess.Popen[bytes], line: bytes, until: float) -> bytes | None:
    """The answer to a line; None: it did not come in time, or the process is gone."""
    if process.stdin is None or process.stdout is None:
        return None
    process.stdin.write(line)  # it reads all before it does anything
    answer, looking = bytearray(), select.poll()  # `select.select` takes no descriptor above 1023
    looking.register(process.stdout, select.POLLIN)
    while not answer.endswith(b"\n"):
        ready = looking.poll(max(0.0, until - time.monotonic()) * 1000)
        part = os.read(process.stdout.fileno(), 1 << 16) if ready else b""
        if not part:
            return None
        answer += part
    return bytes(answer)
