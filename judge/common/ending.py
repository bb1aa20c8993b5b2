"""How a command is asked to end. A signal is data: no code of the command meets an exception that it did not ask for.

    main thread    SIGINT, SIGTERM ──► Wish.note ──► wakes whatever waits
    the command    runs in a thread of its own; what waits there looks, and raises KeyboardInterrupt

Python runs handlers of signals, and raises what they raise, in the main thread alone. There nothing runs but the loop
of `run_command`. If the command does not look in time, because it computes or waits for somebody else, the loop ends
the process. Its sandboxes end with it, and the temporary directories that it made are removed.

In a program that is not ours there is no wish, and all of this does nothing: `judge.common.promise` is for that.
"""

from __future__ import annotations

import faulthandler
import gc
import io
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO, TypeVar

from judge.common.promise import begin_aside, is_main_thread

T = TypeVar("T")

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
#: How long a command may compute without a look before it is given up, and how long it may then take to clear up.
_UNSEEN_S, _CLEARING_S = 3.0, 60.0
#: How often what may have come to nothing is done again.
_AGAIN_S = 0.05
#: How long what is open may take to be closed when the command is given up.
_CLOSING_S = 1.0
#: How much later than a child the process may hear of one signal.
_HEARD_S = 0.2
#: As large as the main thread's usually is: for deeply nested data.
_STACK_BYTES = 16 << 20


class Wish:
    """That the command of this process end. Noted once; what was noted stays."""

    def __init__(self) -> None:
        self.number: int | None = None
        #: Whether the command raised KeyboardInterrupt for it. It does so once: then it clears up.
        self.seen = False
        #: Whether a listener sees to the end of the command: then nothing raises for the wish.
        self.left_to_listener = False
        self.unseen_s, self.clearing_s = _UNSEEN_S, _CLEARING_S
        self.command: threading.Thread | None = None
        self.asked: Future[None] = Future()
        #: Readable from then on.
        self.descriptor = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._lock = threading.Lock()
        #: Each with whether it is called again until the command has seen the wish.
        self._listeners: list[tuple[Callable[[], object], bool]] = []
        #: What has sandboxes open, to be closed if the command does not do it.
        self.closers = set[Callable[[], object]]()

    def note(self, number: int) -> None:
        """Each signal calls the listeners."""
        with self._lock:
            first = self.number is None
            if first:
                self.number = number
        if first:
            os.eventfd_write(self.descriptor, 1)
            self.asked.set_result(None)
        self.call()

    def call(self, *, again: bool = False) -> None:
        """`again`: only those that are called again."""
        with self._lock:
            listeners = tuple(listener for listener, often in self._listeners if often or not again)
        for listener in listeners:
            listener()

    def add(self, listener: Callable[[], object], *, again: bool) -> None:
        with self._lock:
            self._listeners.append((listener, again))
            late = self.number is not None
        if late:
            listener()

    def remove(self, listener: Callable[[], object], *, again: bool) -> None:
        with self._lock:
            self._listeners.remove((listener, again))

    @property
    def open(self) -> bool:
        """Whether the thread that asks is the command's, and has not heard of the wish yet."""
        unheard = not (self.seen or self.left_to_listener)
        return unheard and threading.get_ident() == (self.command and self.command.ident)


_wish: Wish | None = None


def _own() -> Wish | None:
    """The wish that the caller's thread has to look at."""
    return _wish if _wish is not None and _wish.open else None


def look() -> None:
    """
    Raises:
        KeyboardInterrupt: this is the command's thread, and it was asked to end.
    """
    wish = _own()
    if wish is not None and wish.number is not None:
        wish.seen = True
        raise KeyboardInterrupt


def failed_for_the_end() -> bool:
    """Whether a failure of the command is for the signal that asked it to end: the same Ctrl-C killed what it was
    starting, or what it uses was closed."""
    wish = _wish
    if wish is None or wait((wish.asked,), _HEARD_S).not_done:
        return False
    wish.seen = True
    return True


def wait_for(future: Future[T], timeout: float | None = None) -> bool:
    """Whether it is done before `timeout` is over. Raises as `look` does."""
    look()
    wish = _own()
    if wish is None:
        with suppress(TimeoutError, CancelledError):
            future.exception(timeout)
        return future.done()
    either: tuple[Future[Any], ...] = (future, wish.asked)
    wait(either, timeout, FIRST_COMPLETED)
    if not future.done():
        look()
    return future.done()


def result_of(future: Future[T]) -> T:
    """Its result, when it has one. Raises as `look` does, too."""
    wait_for(future)
    return future.result()


def do_aside(work: Callable[[], T]) -> T:
    """The result of `work`, which may take long: the main thread and the command wait for it where they can be asked
    to end. It goes on then, until what it uses is closed."""
    return result_of(begin_aside(work)) if is_main_thread() or _own() is not None else work()


@contextmanager
def told_to(listener: Callable[[], object], *, again: bool = False, instead: bool = False) -> Iterator[None]:
    """Inside, `listener` is called for each signal that asks for the end, in the main thread; it must not wait.
    `again`: it is called every moment until the command has looked, for what it does may come to nothing. `instead`:
    the listener ends the command, and nothing in here raises KeyboardInterrupt."""
    wish = _wish
    if wish is None:
        yield
        return
    wish.left_to_listener |= instead
    wish.add(listener, again=again)
    try:
        yield
    finally:
        wish.remove(listener, again=again)
        wish.left_to_listener &= not instead


@contextmanager
def taking_time(unseen_s: float, clearing_s: float) -> Iterator[None]:
    """Inside, a step of the command or its clearing up may take so long after a signal."""
    wish = _wish
    if wish is None:
        yield
        return
    before = wish.unseen_s, wish.clearing_s
    wish.unseen_s, wish.clearing_s = unseen_s, clearing_s
    try:
        yield
    finally:
        wish.unseen_s, wish.clearing_s = before


def close_if_given_up(close: Callable[[], object]) -> None:
    """`close` is called, in a thread of its own, if the process ends before `is_closed` is told of it."""
    if _wish is not None:
        _wish.closers.add(close)


def is_closed(close: Callable[[], object]) -> None:
    if _wish is not None:
        _wish.closers.discard(close)


def run_child(argv: Sequence[str | Path], **how: Any) -> subprocess.CompletedProcess[bytes]:
    """As `subprocess.run(argv, check=True)`. The child, and what it started, is asked to end when `look` raises: no
    Ctrl-C of a terminal reaches it before us, for it is in a process group of its own."""
    given = how.pop("input", None)
    stdin = subprocess.DEVNULL if given is None else subprocess.PIPE
    with subprocess.Popen(argv, stdin=stdin, process_group=0, **how) as child:
        try:
            out, errors = do_aside(lambda: child.communicate(given))
        except BaseException:
            _end_group(child)
            raise
    done = subprocess.CompletedProcess(argv, child.returncode, out, errors)
    done.check_returncode()
    return done


def _end_group(child: subprocess.Popen[bytes]) -> None:
    """A compiler that is asked removes its temporary files."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(child.pid, number)
        with suppress(subprocess.TimeoutExpired):
            child.wait(_CLOSING_S)


class _Input(io.RawIOBase):
    """A descriptor that is read until its end, or until `look` raises."""

    def __init__(self, descriptor: int, wish: Wish) -> None:
        self._descriptor, self._wish = descriptor, wish

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        select.select((self._descriptor, self._wish.descriptor), (), ())
        look()
        return os.readv(self._descriptor, (buffer,))


def standard_input() -> BinaryIO:
    """Standard input, for a command that may be asked to end while it waits for more of it."""
    wish = _own()
    return sys.stdin.buffer if wish is None else io.BufferedReader(_Input(sys.stdin.fileno(), wish))


def run_command(name: str, command: Callable[[], int]) -> int:
    """Run the command of this process, and return its exit code: 128 + the number of the signal, if one ended it.
    `name`: of the program, in its messages."""
    global _wish  # noqa: PLW0603 - a process has one command
    wish = _wish = Wish()
    made = _follow_temporary_directories()
    ended: Future[int] = Future()
    reads, writes = socket.socketpair()
    for end in (reads, writes):
        end.setblocking(False)
    signal.set_wakeup_fd(writes.fileno(), warn_on_full_buffer=False)
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as in the background of a script
            signal.signal(number, _note)

    def run() -> None:
        try:
            ended.set_result(command())
        except BaseException as error:
            ended.set_exception(error)
        with suppress(BlockingIOError):  # full of signals: the loop is awake
            writes.send(b"\0")

    before = threading.stack_size(_STACK_BYTES)
    wish.command = threading.Thread(target=run, name="command", daemon=True)
    wish.command.start()
    threading.stack_size(before)
    _wait_for_end(name, wish, ended, reads, made)
    for number in _SIGNALS:  # the interpreter's end would give them back their default, which ends with another code
        signal.signal(number, signal.SIG_IGN)
    gc.freeze()  # else the interpreter's end looks for garbage in all of it: a third of a second of a server's
    code = ended.result()
    return 128 + wish.number if wish.seen and wish.number is not None else code


def _note(number: int, frame: FrameType | None) -> None:
    """The interpreter wrote the number to the descriptor already, and the loop reads it there."""


def _wait_for_end(name: str, wish: Wish, ended: Future[int], reads: socket.socket, made: set[str]) -> None:
    """Until the command ended. The process ends here, if the command was asked to end and does not."""
    asked_s = seen_s = 0.0
    while not ended.done():
        left = None
        if wish.number is not None:
            now = time.monotonic()
            asked_s = asked_s or now
            seen_s = seen_s or (now if wish.seen else 0.0)
            left = seen_s + wish.clearing_s - now if seen_s else asked_s + wish.unseen_s - now
            if left <= 0:
                _give_up(name, wish.number, wish.closers, made)
            if not wish.seen:
                wish.call(again=True)
        select.select((reads,), (), (), None if left is None else min(left, _AGAIN_S))
        with suppress(BlockingIOError):
            for number in reads.recv(4096):
                if number in _SIGNALS:
                    wish.note(number)


def _give_up(name: str, number: int, closers: set[Callable[[], object]], made: set[str]) -> None:
    """End the process now. What is not closed in time notices that it is gone, and ends, too."""
    if os.environ.get("JUDGE_DEBUG"):
        faulthandler.dump_traceback(2)
    wait([begin_aside(close) for close in tuple(closers)], _CLOSING_S)
    for path in tuple(made):
        shutil.rmtree(path, ignore_errors=True)
        with suppress(OSError):
            Path(path).unlink()
    shown = "\x1b[?25h" if sys.stderr.isatty() else ""  # a bar may have hidden the cursor
    with suppress(OSError):
        os.write(2, f"{shown}{name}: interrupted\n".encode())
    os._exit(128 + number)


def _follow_temporary_directories() -> set[str]:
    """The temporary directories and files that this process makes from now on, and has not removed yet."""
    made: set[str] = set()

    def hear(event: str, arguments: tuple[object, ...]) -> None:
        if event in ("tempfile.mkdtemp", "tempfile.mkstemp"):
            made.add(str(arguments[0]))
        elif event in ("os.rmdir", "os.remove", "os.rename"):
            made.discard(str(arguments[0]))

    sys.addaudithook(hear)
    return made
