"""`python -m judge` without what a start takes: a process that has imported what a server needs forks for each command.

A server imports for 1.6 s of CPU time before it listens, and the tests start more than a hundred. Each command is a
process of its own, with its own arguments, environment and streams; what is left out is `execve` and the imports.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

_MESSAGE_BYTES = 1 << 17


class Process:
    """As `subprocess.Popen`, of which it has what the tests use."""

    def __init__(self, pid: int, parent: _Parent) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._parent = parent

    def poll(self) -> int | None:
        return self._look(0)

    def wait(self, timeout: float | None = None) -> int:
        """Raises:
        subprocess.TimeoutExpired: it has not ended after `timeout` seconds.
        """
        if (code := self._look(timeout)) is None:
            raise subprocess.TimeoutExpired("judge", timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _look(self, timeout_s: float | None) -> int | None:
        if self.returncode is None:
            self.returncode = self._parent.find_end(self.pid, timeout_s)
        return self.returncode


class _Parent:
    """The process that forks, as its client sees it."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = (sys.executable, "-m", __name__, str(theirs.fileno()))
        root = Path(__file__).parent.parent
        self._process = subprocess.Popen(command, pass_fds=(theirs.fileno(),), cwd=root)
        theirs.close()
        atexit.register(self._end)
        self._lock = threading.RLock()
        self._begun: list[int] = []
        self._ended: dict[int, int] = {}

    def fork(self, argv: tuple[str, ...], environment: Mapping[str, str], error: int) -> int:
        """The pid of `python -m judge` with these arguments and this stderr, without stdin and stdout."""
        request = json.dumps([argv, dict(environment), str(Path.cwd())]).encode()
        with self._lock, Path(os.devnull).open("r+b") as nothing:
            socket.send_fds(self._socket, [request], [nothing.fileno(), nothing.fileno(), error])
            while not self._begun:
                assert self._read(None), "the process that forks has ended"
            return self._begun.pop()

    def find_end(self, pid: int, timeout_s: float | None) -> int | None:
        """The exit code, or minus the signal that ended it; None: it runs, after so many seconds, or for ever."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            with self._lock:
                while pid not in self._ended and self._read(0):
                    pass
                if pid in self._ended:
                    return self._ended.pop(pid)
            if deadline is not None and time.monotonic() >= deadline:
                return None
            time.sleep(0.01)

    def _read(self, timeout_s: float | None) -> bool:
        if not select.select([self._socket], [], [], timeout_s)[0] or not (message := self._socket.recv(4096)):
            return False
        pid, code = json.loads(message)
        if code is None:
            self._begun.append(pid)
        else:
            self._ended[pid] = code
        return True

    def _end(self) -> None:
        self._socket.close()
        self._process.wait()


_parent: _Parent | None = None


def start_judge(*argv: str, environment: Mapping[str, str], error: int) -> Process:
    """`python -m judge` with these arguments, in `environment`, with the descriptor `error` as its stderr; stdin and
    stdout are closed to it."""
    global _parent  # noqa: PLW0603 - one for all tests of this process
    _parent = _parent or _Parent()
    return Process(_parent.fork(argv, environment, error), _parent)


def _import_what_a_server_needs() -> None:
    import judge.cli.serve
    import judge.server.app
    import judge.server.compat.code_judge
    import judge.server.compat.go_judge.routes
    import judge.server.compat.judge0.routes
    import judge.server.compat.piston.routes
    import judge.server.compat.sandbox_fusion.routes
    import judge.server.process
    import judge.server.storing.store  # noqa: F401


def _serve(channel: socket.socket) -> list[str]:
    """Fork for each request until there are no more of them, then the process ends. In a child: its arguments."""
    waiting: dict[int, int] = {}  # pidfd: pid
    while True:
        for ready in select.select([channel.fileno(), *waiting], [], [])[0]:
            if ready in waiting:
                pid = waiting.pop(ready)
                os.close(ready)
                channel.send(json.dumps([pid, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])]).encode())
                continue
            request, streams, _, _ = socket.recv_fds(channel, _MESSAGE_BYTES, 3)
            if not request:
                raise SystemExit
            argv, environment, directory = json.loads(request)
            if (pid := os.fork()) == 0:
                for fd in waiting:
                    os.close(fd)
                channel.close()
                _become(streams, environment, directory)
                return list(argv)
            for fd in streams:
                os.close(fd)
            waiting[os.pidfd_open(pid)] = pid
            channel.send(json.dumps([pid, None]).encode())


def _become(streams: list[int], environment: Mapping[str, str], directory: str) -> None:
    for fd, stream in enumerate(streams):
        os.dup2(stream, fd)
        os.close(stream)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(directory)
    signal.signal(signal.SIGINT, signal.default_int_handler)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for pytest
    _import_what_a_server_needs()
    gc.freeze()
    sys.argv = ["judge", *_serve(socket.socket(fileno=int(sys.argv[1])))]
    runpy.run_module("judge", run_name="__main__", alter_sys=True)
