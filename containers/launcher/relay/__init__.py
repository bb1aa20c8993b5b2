"""Joins two runs so that each reads what the other one writes (relay.c, which says how ends of file travel).

relay = Relay()
program, interactor = relay.join(most, most)      two `Ends`: stdin and stdout of each run
…both run at once; each calls `relay.end_side(side)` when its `Sandbox.run` has returned…
carried = relay.result()
"""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from enum import IntEnum

from containers.errors import SandboxError
from containers.launcher.binary import relay_binary
from containers.launcher.waited import read_waited_ns

#: As in relay.h.
KEPT_BYTES = 4096
_JOIN, _ENDED, _CARRIED = struct.Struct("=2Q16s2Q"), struct.Struct("=I"), struct.Struct(f"=15Q{4 * KEPT_BYTES}s")
#: In place of a side: a run of another conversation has ended.
_BESIDE = 2
#: Of all sums of this process: no program knows it.
_KEY = os.urandom(16)
_NO_MARK = 2**64 - 1


class Side(IntEnum):
    PROGRAM = 0
    INTERACTOR = 1


class Ends:
    """Descriptors for the streams of one run. `close` them as soon as the run has them (`RunSpec.handed_over`): a side
    that closes its output is heard of only when nobody else holds it."""

    def __init__(self, stdin: int, stdout: int) -> None:
        self.stdin, self.stdout = stdin, stdout
        self._open = [stdin, stdout]

    def close(self) -> None:
        """Idempotent."""
        while self._open:
            os.close(self._open.pop())


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """What one side wrote until the first of the runs ended; the one that ended first: all."""

    count: int
    #: Keyed, by a key of this process: no program can find two texts of one sum.
    sum: bytes
    #: It was not the first to end: what followed is not in `count`.
    cut: bool
    #: In all, in bytes.
    total: int
    #: The sum of as many bytes as were asked for; None: it wrote fewer, or none were asked for.
    marked: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """One conversation. Pairs are by `Side`."""

    #: How much each side wrote, in bytes.
    written: tuple[int, int]
    #: How much of what was for each side it had not read when the first of the two runs ended.
    unread: tuple[int, int]
    #: The first and the last `KEPT_BYTES` of both sides together, in the order in which they came: (side, bytes) each.
    begin: tuple[tuple[Side, bytes], ...]
    end: tuple[tuple[Side, bytes], ...]
    #: How many bytes lay between them.
    left_out: int
    speech: tuple[Speech, Speech]
    #: How long the relay, for which both wait, waited for a core.
    waited_ns: int


class Relay:
    """A process that carries one conversation after another. `join` and `result` are for one thread."""

    def __init__(self) -> None:
        from containers.launcher.child import end  # noqa: PLC0415 - few who import `containers` begin a conversation
        from containers.launcher.filters.relay import relay_program  # noqa: PLC0415
        from containers.launcher.filters.table import machine  # noqa: PLC0415

        with ExitStack() as undo:
            self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            undo.callback(self._socket.close)
            with theirs:
                process = subprocess.Popen(
                    (relay_binary(), str(theirs.fileno())),
                    pass_fds=(theirs.fileno(),),
                    env={},
                    cwd="/",
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            undo.callback(end, self._socket, process)
            program = relay_program(machine())
            self._socket.send(b"".join(instruction.pack() for instruction in program))
            self._undo = undo.pop_all()
        self._process, self._waited_ns = process.pid, 0
        self._sending = threading.Lock()

    def join(self, most_bytes: tuple[int, int], marks: Sequence[int] = ()) -> tuple[Ends, Ends]:
        """Begin a conversation; `most_bytes`: what each side may write; `marks`: of how much of it `Speech.marked` is.
        The caller closes both ends."""
        self._waited_ns = read_waited_ns(self._process)
        program_writes, interactor_writes = _pipe(), _pipe()
        program_reads, interactor_reads = _pipe(), _pipe()
        ours = [program_writes[0], program_reads[1], interactor_writes[0], interactor_reads[1]]
        ends = Ends(program_reads[0], program_writes[1]), Ends(interactor_reads[0], interactor_writes[1])
        try:
            # A program can open its streams again by /proc: but none in the other direction.
            for one in ends:
                os.fchmod(one.stdin, 0o444)
                os.fchmod(one.stdout, 0o222)
            socket.send_fds(self._socket, [_JOIN.pack(*most_bytes, _KEY, *(marks or (_NO_MARK, _NO_MARK)))], ours)
        except OSError as error:
            for one in ends:
                one.close()
            raise SandboxError(f"the relay is gone: {error.strerror}") from error
        finally:
            for fd in ours:
                os.close(fd)
        return ends

    def end_side(self, side: Side) -> None:
        """Say that the run of this side has ended. Once for each side, from any thread."""
        self._send(side)

    def ended_beside(self) -> None:
        """Say that a run has ended whose end may change what is said here. From any thread."""
        self._send(_BESIDE)

    def _send(self, what: int) -> None:
        try:
            with self._sending:
                self._socket.send(_ENDED.pack(what))
        except OSError as error:
            raise SandboxError(f"the relay is gone: {error.strerror}") from error

    def result(self) -> Carried:
        """Wait until all that both sides wrote was carried."""
        try:
            message = self._socket.recv(_CARRIED.size + 1)
        except OSError as error:
            raise SandboxError(f"the relay does not answer: {error.strerror}") from error
        if len(message) != _CARRIED.size:
            raise SandboxError("the relay is gone")
        *counts, kept, pairs = _CARRIED.unpack(message)
        written, unread, count, sums, cut, reached, marked = (counts[i : i + 2] for i in range(0, 14, 2))
        begin, ring = pairs[: 2 * KEPT_BYTES], pairs[2 * KEPT_BYTES :]

        def speech(side: Side) -> Speech:
            return Speech(
                count=count[side],
                sum=sums[side].to_bytes(8),
                cut=bool(cut[side]),
                total=written[side],
                marked=marked[side].to_bytes(8) if reached[side] else None,
            )

        past = max(0, kept - KEPT_BYTES)
        if past <= KEPT_BYTES:
            last = ring[: 2 * past]
        else:
            oldest = 2 * (past % KEPT_BYTES)
            last = ring[oldest:] + ring[:oldest]
        return Carried(
            written=(written[0], written[1]),
            unread=(unread[0], unread[1]),
            begin=_turns(begin[: 2 * min(kept, KEPT_BYTES)]),
            end=_turns(last),
            left_out=max(0, past - KEPT_BYTES),
            speech=(speech(Side.PROGRAM), speech(Side.INTERACTOR)),
            waited_ns=max(0, read_waited_ns(self._process) - self._waited_ns),
        )

    def close(self) -> None:
        self._undo.close()


def _turns(pairs: bytes) -> tuple[tuple[Side, bytes], ...]:
    """Bytes of the two sides, grouped by who wrote them."""
    who, what = pairs[::2], pairs[1::2]
    found = []
    begin = 0
    while begin < len(who):
        side = who[begin]
        other = who.find(1 - side, begin)
        stop = len(who) if other < 0 else other
        found.append((Side(side), what[begin:stop]))
        begin = stop
    return tuple(found)


def _pipe() -> tuple[int, int]:
    return os.pipe2(os.O_CLOEXEC)
