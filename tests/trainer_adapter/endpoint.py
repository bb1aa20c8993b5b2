"""An HTTP server that speaks the protocol of OpenAI's chat completions, for tests of what asks one."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: Of a request: the status and the text of the reply.
Answer = Callable[[dict[str, Any]], tuple[int, str]]


@dataclass
class Endpoint:
    answer: Answer
    finish_reason: str = "stop"
    #: Beside the text of the reply: what vLLM and others call `reasoning_content`, or `reasoning`.
    beside: dict[str, str] = field(default_factory=dict)
    requests: list[dict[str, Any]] = field(default_factory=list)
    most_at_once: int = 0
    at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    url: str = ""

    def reply(self, request: dict[str, Any]) -> tuple[int, bytes]:
        with self.lock:
            self.requests.append(request)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            status, text = self.answer(request)
        finally:
            with self.lock:
                self.at_once -= 1
        if status != 200:
            return status, json.dumps({"error": {"message": text}}).encode()
        choice = {"index": 0, "finish_reason": self.finish_reason, "message": {"role": "assistant", "content": text}}
        choice["message"] |= self.beside
        usage = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
        whole = {"id": "1", "object": "chat.completion", "created": 1, "model": request["model"]}
        return 200, json.dumps(whole | {"choices": [choice], "usage": usage}).encode()


@contextmanager
def serve(answer: Answer) -> Iterator[Endpoint]:
    endpoint = Endpoint(answer)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, body = endpoint.reply(request | {"path": self.path})
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield endpoint
        finally:
            server.shutdown()
            thread.join()
