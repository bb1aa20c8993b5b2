"""One slot: the sandboxes of one worker thread, opened when they are first needed.

program     compiles and runs submissions
checker     runs what the problem brings (checkers, interactors, generators, solutions): never where a submission runs
pair        runs in both at once: a submission and an interactor
crew        runs several processes of a submission, each in a sandbox of its own, and a manager in `checker`

A compile, a checker or a generator gets its time as a test does. Beside other runs it is stopped at 1.5 times its
limit. If its time-out is in doubt, it runs once more, alone. It takes its memory from the slot's share if the engine
holds one, else for itself.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Protocol, Self

from containers import ContainerError, Isolation, Outcome, RunLimits, RunSpec, Sandbox, Termination
from judge.common.errors import Cancelled
from judge.ruling.classify import SLACK, cpu_limit_ns, has_starved
from judge.slots.budget import cost
from judge.slots.crew import Crew
from judge.slots.gate import Company, Gate, Share
from judge.slots.pair import Pair


class Opener(Protocol):
    def __call__(self, *, held: int | None = None) -> Sandbox:
        """Open a sandbox that may hold so many programs; None: as many as the budget allows."""


def handed_bytes(spec: RunSpec) -> int:
    """Size of the run's files in bytes."""
    return sum(len(file.content) for file in spec.files)


def over_time(outcome: Outcome, limits: RunLimits) -> bool:
    """Whether the run used more CPU time than its limit. If it had several processes, the sandbox stops the first one,
    and SIGXCPU each other one some seconds later."""
    if outcome.termination is Termination.CPU_LIMIT or outcome.signal == signal.SIGXCPU:
        return True
    return limits.cpu_ns is not None and outcome.usage.cpu_ns > limits.cpu_ns


def _doubtful(outcome: Outcome, limits: RunLimits, company: Company) -> bool:
    """Whether the run timed out, and the load may be the cause: it had no core, or other runs of ours were there."""
    if limits.cpu_ns is None:
        return False
    if outcome.termination is Termination.WALL_LIMIT:
        return has_starved(outcome, limits.wall_ns)
    return company.crowded and over_time(outcome, limits) and outcome.usage.cpu_ns < SLACK * limits.cpu_ns


def _rewind(spec: RunSpec) -> bool:
    """Set its input back to the start, to run it again; False: impossible (pipes)."""
    if spec.stdout is not None:
        return False
    try:
        return spec.stdin is None or os.lseek(spec.stdin, 0, os.SEEK_SET) == 0
    except OSError:
        return False


class Slot:
    """The sandboxes of one slot, and its share of the memory. Not thread-safe, except for `stop`."""

    def __init__(self, opener: Opener, gate: Gate) -> None:
        self.gate = gate
        self.share = Share(gate)
        self.program = SlotSandbox(opener, gate, self.share)
        self.checker = SlotSandbox(partial(opener, held=0), gate, self.share)
        self.pair = Pair(self.program, self.checker)
        self.crew = Crew(self.checker)
        self._opener = opener
        #: For the second and all further processes of a submission.
        self._others: list[SlotSandbox] = []

    def programs(self, count: int) -> list[SlotSandbox]:
        """So many sandboxes for processes of a submission, which the slot keeps."""
        while len(self._others) < count - 1:
            self._others.append(SlotSandbox(partial(self._opener, held=0), self.gate, self.share))
        return [self.program, *self._others[: count - 1]]

    @property
    def _sandboxes(self) -> tuple[SlotSandbox, ...]:
        return self.program, self.checker, *self._others

    def renew(self) -> None:
        """Start afresh after a failure of the sandbox."""
        self.share.release()
        self.pair.close()
        self.crew.close()
        for sandbox in self._sandboxes:
            sandbox.renew()

    def stop(self) -> None:
        for sandbox in self._sandboxes:
            sandbox.stop()

    def close(self) -> None:
        self.pair.close()
        self.crew.close()
        for sandbox in self._sandboxes:
            sandbox.close()


class SlotSandbox:
    """The `Sandbox` protocol, opened lazily, each run counted at the gate. A cancelled run raises `Cancelled`."""

    def __init__(self, opener: Opener, gate: Gate, share: Share) -> None:
        self._opener = opener
        self._gate = gate
        self._share = share
        self._lock = threading.Lock()
        self._sandbox: Sandbox | None = None

    @property
    def isolation(self) -> Isolation:
        return self.open().isolation

    @property
    def holds(self) -> bool:
        return self.open().holds

    def run(self, spec: RunSpec) -> Outcome:
        holding, collects = self._share.held_bytes > 0, bool(spec.collect)
        least = cost(spec.limits, self.isolation, collects=collects)
        need = cost(spec.limits, self.isolation, files_bytes=handed_bytes(spec), collects=collects)
        need = self._gate.bound_need(need, least)  # what it is handed may be a submission's
        try:
            return self._run_held(spec, need)
        finally:
            if not holding:
                self._share.release()

    def _run_held(self, spec: RunSpec, need_bytes: int) -> Outcome:
        limits = spec.limits
        with self._gate.enter(self._share, need_bytes) as company:
            given = spec
            if limits.cpu_ns is not None:
                alone = company.alone or self._gate.is_single
                given = replace(spec, limits=replace(limits, cpu_ns=cpu_limit_ns(limits.cpu_ns, alone=alone)))
            outcome = self.run_inside(given, company)
        if not (_doubtful(outcome, limits, company) and _rewind(spec)):
            return outcome
        # Nothing is gained by a second try: no verdict compares what a compiler or a checker wrote in the first one.
        with self._gate.enter(self._share, need_bytes, alone=True):
            return self.run_inside(spec)

    def run_inside(self, spec: RunSpec, company: Company | None = None) -> Outcome:
        """Run for a caller who has passed the gate. With its `company` the run lends its core while it stands still."""
        if company is not None:
            spec = replace(spec, on_still=partial(self._gate.tell_still, company))
        outcome = self.open().run(spec)
        if outcome.termination is Termination.CANCELLED:
            raise Cancelled
        return outcome

    def open(self) -> Sandbox:
        """The sandbox itself, for a caller who has passed the gate."""
        if self._sandbox is None:
            opened = self._opener()
            with self._lock:
                self._sandbox = opened
        return self._sandbox

    def stop(self) -> None:
        with self._lock:
            if self._sandbox is not None:
                self._sandbox.stop()

    def renew(self) -> None:
        with contextlib.suppress(ContainerError):  # what failed may fail to close: it is given up either way
            self.close()

    def close(self) -> None:
        with self._lock:
            sandbox, self._sandbox = self._sandbox, None
        if sandbox is not None:
            sandbox.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()
