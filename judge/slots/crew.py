"""Runs a manager and several processes of a submission at once, each in a sandbox of its own.

process 0 ── relay ──┐
process 1 ── relay ──┼── manager
…                    ┘

All pass the gate once, as one run: most of the time they wait for each other. Once one of them has decided the verdict,
the others are stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, replace

from containers import Carried, Outcome, Relay, RunSpec, Sandbox, Side, Termination
from containers.launcher.relay import Ends
from containers.spec import PIPES_MOST
from judge.common.errors import Cancelled
from judge.slots.pair import Opened

_STOP_S = 0.02
#: A process for each two pipes of the manager, and the manager.
_THREADS = PIPES_MOST // 2 + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """How all ended, and what was said, by the number of the process. What we stopped is `CANCELLED`."""

    processes: tuple[Outcome, ...]
    manager: Outcome
    carried: tuple[Carried, ...]


#: Whether this end decides the verdict: that of a process, or (None) of the manager.
Decides = Callable[[int | None, Outcome], bool]


class Crew:
    """Runs crews. Not thread-safe; the sandboxes' `stop` ends a crew, too."""

    def __init__(self, manager: Opened) -> None:
        self._manager = manager
        self._relays: list[Relay] = []
        self._threads: ThreadPoolExecutor | None = None

    def run(
        self,
        sandboxes: Sequence[Opened],
        process: Sequence[RunSpec],
        manager: RunSpec,
        decides: Decides,
        marks: Sequence[int] = (),
    ) -> Spoken:
        """Run all to their ends: each process in its sandbox with its stdin and stdout joined to the manager's pipes.
        `marks`: as for `Relay.join`, two for each process.

        Raises:
            SandboxError: a sandbox failed, or a relay; close this object and all sandboxes.
            Unsupported: a sandbox cannot honour one of the runs, or passes no pipes.
            Cancelled: a run was stopped from outside.
        """
        try:
            return self._run(sandboxes, process, manager, decides, marks)
        except BaseException:
            self.close()  # as in `Pair.run`
            raise

    def _run(
        self,
        sandboxes: Sequence[Opened],
        process: Sequence[RunSpec],
        manager: RunSpec,
        decides: Decides,
        marks: Sequence[int],
    ) -> Spoken:
        own, other = [one.open() for one in sandboxes], self._manager.open()
        while len(self._relays) < len(own):
            self._relays.append(Relay())
        relays = self._relays[: len(own)]
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="crew")
        most = manager.limits.output_bytes
        with ExitStack() as closing:
            joined: list[tuple[Ends, Ends]] = []
            for i, (relay, spec) in enumerate(zip(relays, process, strict=True)):
                joined.append(relay.join((spec.limits.output_bytes, most), marks[2 * i : 2 * i + 2]))
                for ends in joined[-1]:
                    closing.callback(ends.close)
            running = {
                self._threads.submit(_process, relays, i, sandbox, spec, ends): (i, sandbox)
                for i, (sandbox, spec, (ends, _)) in enumerate(zip(own, process, joined, strict=True))
            }
            theirs = [ends for _, ends in joined]
            beside = self._threads.submit(_managing, relays, other, manager, theirs)
            _follow({**running, beside: (None, other)}, decides)
        processes = tuple(future.result() for future in running)
        return Spoken(processes=processes, manager=beside.result(), carried=tuple(relay.result() for relay in relays))

    def close(self) -> None:
        """End the relays. Idempotent; the next crew starts new ones."""
        threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown()
        while self._relays:
            self._relays.pop().close()


def _follow(running: dict[Future[Outcome], tuple[int | None, Sandbox]], decides: Decides) -> None:
    """Wait for all. After the first end that decides, or that is a failure of ours, stop the others: again and again,
    for a stop that comes just before a run begins is lost."""
    left, over, cancelled = set(running), False, False
    while left:
        ended, left = wait(left, _STOP_S if over else None, FIRST_COMPLETED)
        for future in ended:
            outcome = None if future.exception() else future.result()
            if outcome is None or outcome.termination is Termination.CANCELLED:
                cancelled |= not over
                over = True
            else:
                over |= decides(running[future][0], outcome)
        for future in left if over else ():
            running[future][1].stop()
    for future in running:
        future.result()
    if cancelled:
        raise Cancelled


def _process(relays: Sequence[Relay], which: int, sandbox: Sandbox, spec: RunSpec, ends: Ends) -> Outcome:
    outcome = None
    try:
        outcome = sandbox.run(replace(spec, stdin=ends.stdin, stdout=ends.stdout, handed_over=ends.close))
        return outcome
    finally:
        ends.close()
        if outcome is None or outcome.termination is not Termination.EXITED or outcome.exit_code:
            for other in relays:
                if other is not relays[which]:
                    other.ended_beside()  # before the manager hears of it and tells the others
        relays[which].end_side(Side.PROGRAM)


def _managing(relays: Sequence[Relay], sandbox: Sandbox, spec: RunSpec, ends: Sequence[Ends]) -> Outcome:
    def close() -> None:
        for one in ends:
            one.close()

    try:
        pipes = tuple(fd for one in ends for fd in (one.stdin, one.stdout))
        return sandbox.run(replace(spec, pipes=pipes, handed_over=close))
    finally:
        close()
        for relay in relays:
            relay.end_side(Side.INTERACTOR)
