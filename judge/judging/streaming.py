"""Runs a program for somebody who talks to it while it runs (`Streams`).

write ──► waiting input ──► pipe ──► the program ──► pipe ──► told
                  one thread moves both, and stops the run when asked to
"""

from __future__ import annotations

import os
import selectors
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from containers import Outcome, RunSpec, Sandbox, Termination
from judge.common.errors import Cancelled
from judge.common.models import CompileResult

_PART = 64 * 1024
#: A stop that comes just before a run begins is lost: it is repeated.
_STOP_S = 0.02


class Streams:
    """Input and output of one run. `write`, `end_input` and `stop` may come from any thread, and before the run."""

    def __init__(
        self,
        told: Callable[[bytes], None],
        most_input_bytes: int,
        compiled: Callable[[CompileResult, bool], None] | None = None,
    ) -> None:
        """`told` is called with what the program writes, in a thread of ours, and before that `compiled` with what the
        compiler said and whether the language is one that compiles."""
        self._told, self._most_input, self._compiled = told, most_input_bytes, compiled
        self._lock = threading.Lock()
        self._waiting = bytearray()
        self._input_ended = False
        self._stopped = False
        self._wake: int | None = None

    def write(self, content: bytes) -> bool:
        """Hand on input; False: more waits to be read than may."""
        with self._lock:
            if len(self._waiting) + len(content) > self._most_input:
                return False
            self._waiting += content
            self._notify()
        return True

    def end_input(self) -> None:
        with self._lock:
            self._input_ended = True
            self._notify()

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            self._notify()

    def on_compiled(self, result: CompileResult, compiles: bool) -> None:
        if self._compiled is not None:
            self._compiled(result, compiles)

    @property
    def stopped(self) -> bool:
        return self._stopped

    def _notify(self) -> None:
        if self._wake is not None:
            with suppress(BlockingIOError):
                os.write(self._wake, b"\0")

    def run(self, sandbox: Sandbox, spec: RunSpec, most_bytes: int) -> Outcome:
        """Run to the end. It is stopped if it writes more than `most_bytes`: `stdout_bytes` tells that.

        Raises:
            SandboxError: the sandbox failed.
            Cancelled: the Judge was closed.
        """
        with _pipe() as (reads, writes), _pipe() as (their_reads, their_writes), _pipe() as (woken, wake):
            os.fchmod(reads.fd, 0o444)  # no way to open the other end by /proc
            os.fchmod(their_writes.fd, 0o222)
            os.set_blocking(writes.fd, False)
            os.set_blocking(wake.fd, False)
            with self._lock:
                self._wake = wake.fd
            pump = _Pump(self, sandbox, writes, their_reads, woken, most_bytes)
            thread = threading.Thread(target=pump.work, name="streams")
            thread.start()

            def handed_over() -> None:
                reads.close()
                their_writes.close()

            try:
                given = replace(spec, stdin=reads.fd, stdout=their_writes.fd, handed_over=handed_over)
                outcome = sandbox.run(given)
            finally:
                handed_over()
                pump.ended.set()
                with self._lock:
                    self._notify()
                thread.join()
                with self._lock:
                    self._wake = None
        if outcome.termination is Termination.CANCELLED and not self._stopped and pump.count <= most_bytes:
            raise Cancelled
        return replace(outcome, stdout_bytes=pump.count)

    def take(self) -> tuple[bytes, bool]:
        """Some input that waits, and whether more may come. What was taken is dropped by `drop_taken`."""
        with self._lock:
            return bytes(self._waiting[:_PART]), not self._input_ended

    def drop_taken(self, count: int) -> None:
        with self._lock:
            del self._waiting[:count]

    def tell(self, content: bytes) -> None:
        self._told(content)


class _Fd:
    """A descriptor that is closed once."""

    def __init__(self, fd: int) -> None:
        self.fd, self.closed = fd, False

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            os.close(self.fd)


@contextmanager
def _pipe() -> Iterator[tuple[_Fd, _Fd]]:
    reads, writes = map(_Fd, os.pipe2(os.O_CLOEXEC))
    try:
        yield reads, writes
    finally:
        reads.close()
        writes.close()


class _Pump:
    def __init__(
        self, streams: Streams, sandbox: Sandbox, stdin: _Fd, stdout: _Fd, woken: _Fd, most_bytes: int
    ) -> None:
        self._streams, self._sandbox = streams, sandbox
        self._stdin, self._stdout, self._woken = stdin, stdout, woken
        self._most_bytes = most_bytes
        #: How much the program wrote.
        self.count = 0
        self.ended = threading.Event()

    def work(self) -> None:
        open_ = True
        with selectors.DefaultSelector() as selector:
            selector.register(self._stdout.fd, selectors.EVENT_READ)
            selector.register(self._woken.fd, selectors.EVENT_READ)
            while open_ or not self.ended.is_set():
                self._feed(selector)
                stopping = self._streams.stopped or self.count > self._most_bytes
                if stopping and not self.ended.is_set():
                    self._sandbox.stop()
                for key, _ in selector.select(_STOP_S if stopping else None):
                    if key.fd == self._woken.fd:
                        os.read(self._woken.fd, _PART)
                    elif key.fd == self._stdout.fd and not self._read():
                        selector.unregister(self._stdout.fd)
                        open_ = False

    def _read(self) -> bool:
        """Hand on what the program wrote; False: no more will come."""
        content = os.read(self._stdout.fd, _PART)
        room = max(0, self._most_bytes - self.count)
        self.count += len(content)
        if content[:room]:
            self._streams.tell(content[:room])
        return bool(content)

    def _feed(self, selector: selectors.BaseSelector) -> None:
        """Write what the pipe takes, and ask to be told when it takes more."""
        if self._stdin.closed:
            return
        content, more = self._streams.take()
        try:
            while content:
                self._streams.drop_taken(os.write(self._stdin.fd, content))
                content, more = self._streams.take()
        except BlockingIOError:
            if self._stdin.fd not in selector.get_map():
                selector.register(self._stdin.fd, selectors.EVENT_WRITE)
            return
        except BrokenPipeError:  # nobody reads it any more
            more = False
            self._streams.drop_taken(len(content))
        if self._stdin.fd in selector.get_map():
            selector.unregister(self._stdin.fd)
        if not more:
            self._stdin.close()
