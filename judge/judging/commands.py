"""Runs command lines that no language describes: one alone, or two joined by pipes as a program and an interactor are.

Time is measured as in tests: beside other runs a command is stopped at 1.5 times its CPU limit, and a time-out that the
load may have caused is repeated, alone.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from enum import StrEnum

from containers import Carried, File, Outcome, RunLimits, RunSpec, SandboxError, Side
from judge.common.command import Command
from judge.common.models import Verdict
from judge.judging.execute import Attempted, believed, once, ruled, twice
from judge.judging.streaming import Streams
from judge.ruling.classify import SLACK, Allowed, Ruling, doubtful
from judge.slots.budget import cost
from judge.slots.slot import Slot
from judge.store.memfd import memfd
from problems.model import MIB, usual_wall_ns

#: A compiler writes its parts there, and what it makes.
_DIRECTORY_BYTES = 128 * MIB


class Pipes(StrEnum):
    """What joins two commands."""

    #: Standard output of the first to standard input of the second.
    FORWARD = "forward"
    #: The same, and back.
    BOTH = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What became of one command."""

    outcome: Outcome
    #: TLE, MLE, OLE or RE; None: it ended by itself with exit code 0.
    ruling: Ruling | None
    #: What it wrote to a pipe, as far as that is kept.
    piped: bytes | None = None


def run(command: Command, slot: Slot) -> Ran:
    """
    Raises:
        SandboxError: the sandbox failed, and on a fresh slot again.
        ConfigError: it may need more memory than the budget leaves for programs.
        Unavailable: the machine does not grant the sandbox.
        Cancelled: the Judge was closed.
    """
    need = _cost(command, slot)
    slot.gate.check(need, f"a run with a memory limit of {command.memory_bytes / MIB:g} MiB")
    outcome, ruling = twice(slot, lambda: believed(lambda alone: _attempt(command, slot, need, None, alone=alone)))
    return Ran(outcome=outcome, ruling=ruling)


def run_streamed(command: Command, slot: Slot, streams: Streams) -> Ran:
    """Once, for somebody who talks to it. Raises as `run` does."""
    need = _cost(command, slot)
    slot.gate.check(need, f"a run with a memory limit of {command.memory_bytes / MIB:g} MiB")
    outcome, ruling, _ = once(slot, lambda: _attempt(command, slot, need, streams, alone=False))
    return Ran(outcome=outcome, ruling=ruling)


def run_joined(first: Command, second: Command, pipes: Pipes, slot: Slot) -> tuple[Ran, Ran]:
    """Both at once. Raises as `run` does."""
    need = _cost(first, slot) + _cost(second, slot)
    slot.gate.check(need, "two commands at once")

    def attempts() -> tuple[Ran, Ran]:
        ran, doubt = _joined(first, second, pipes, slot, need, alone=False)
        return _joined(first, second, pipes, slot, need, alone=True)[0] if doubt else ran

    return twice(slot, attempts)


def _attempt(command: Command, slot: Slot, need: int, streams: Streams | None, *, alone: bool) -> Attempted:
    allowed = _allowed(command)
    enter = slot.gate.exclusive if alone else slot.gate.shared
    with ExitStack() as stack:
        company = stack.enter_context(enter(slot.share, need))
        spec = _spec(command, allowed, stack, alone=alone)
        if streams is not None:
            outcome = streams.run(slot.program.opened(), spec, command.output_bytes)
        else:
            outcome = slot.program.run_inside(spec)
    ruling = _ruling(command, outcome, allowed, streams)
    crowded = not alone and (company.crowded or outcome.disturbed)
    return outcome, ruling, doubtful(outcome, ruling, allowed, crowded=crowded)


def _joined(
    first: Command, second: Command, pipes: Pipes, slot: Slot, need: int, *, alone: bool
) -> tuple[tuple[Ran, Ran], bool]:
    """What became of both, and whether the load may have caused a time-out."""
    allowed = [_allowed(one) for one in (first, second)]
    enter = slot.gate.exclusive if alone else slot.gate.shared
    with ExitStack() as stack:
        company = stack.enter_context(enter(slot.share, need))
        specs = [_spec(one, its, stack, alone=alone) for one, its in zip((first, second), allowed, strict=True)]
        talk = slot.pair.run(specs[0], specs[1], lambda _: False, one_way=pipes is Pipes.FORWARD)
    outcomes = [
        replace(talk.program, stdout_bytes=talk.carried.written[Side.PROGRAM]),
        talk.interactor
        if pipes is Pipes.FORWARD
        else replace(talk.interactor, stdout_bytes=talk.carried.written[Side.INTERACTOR]),
    ]
    piped = [
        _said(talk.carried, Side.PROGRAM),
        None if pipes is Pipes.FORWARD else _said(talk.carried, Side.INTERACTOR),
    ]
    ran, doubt = [], False
    for command, outcome, its, kept in zip((first, second), outcomes, allowed, piped, strict=True):
        ruling = _ruling(command, outcome, its)
        crowded = not alone and (company.crowded or outcome.disturbed)
        doubt |= doubtful(outcome, ruling, its, crowded=crowded)
        ran.append(Ran(outcome=outcome, ruling=ruling, piped=kept))
    return (ran[0], ran[1]), doubt


def _said(carried: Carried, side: Side) -> bytes:
    """What a side wrote, from the beginning up to where the relay left something out."""
    turns = carried.begin if carried.left_out else (*carried.begin, *carried.end)
    return b"".join(text for who, text in turns if who is side)


def _ruling(command: Command, outcome: Outcome, allowed: Allowed, streams: Streams | None = None) -> Ruling | None:
    """
    Raises:
        SandboxError: our failure. That a program of the caller's cannot be started is none.
    """
    ruling = ruled(outcome, allowed, streams, compiled=command.executable is not None)
    if ruling is not None and ruling.verdict is Verdict.IE and outcome.exec_errno is None:
        raise SandboxError(ruling.detail)
    return ruling


def _spec(command: Command, allowed: Allowed, stack: ExitStack, *, alone: bool) -> RunSpec:
    """`stack` closes the descriptors."""
    executable = command.executable
    return RunSpec(
        argv=command.argv,
        executable=None if executable is None else stack.enter_context(memfd("program", executable, executable=True)),
        stdin=stack.enter_context(memfd("input", command.stdin)),
        env=command.env,
        files=tuple(
            File(name=name, content=content, work=True, executable=True) for name, content in command.files.items()
        ),
        collect=command.collect,
        limits=_limits(command, allowed, alone=alone),
        trust=command.trust,
    )


def _allowed(command: Command) -> Allowed:
    return Allowed(
        cpu_ns=command.cpu_ns,
        wall_ns=command.wall_ns or usual_wall_ns(command.cpu_ns),
        memory_bytes=command.memory_bytes,
        output_bytes=command.output_bytes,
    )


def _limits(command: Command, allowed: Allowed, *, alone: bool) -> RunLimits:
    return RunLimits(
        # Above the limit, because other runs may begin at any time: `doubtful` needs the CPU time up to SLACK.
        cpu_ns=command.cpu_ns if alone else int(command.cpu_ns * SLACK),
        wall_ns=allowed.wall_ns,
        memory_bytes=command.memory_bytes,
        output_bytes=command.output_bytes,
        stderr_bytes=command.stderr_bytes,
        processes=command.processes,
        open_files=256 if command.processes else 64,
        directory_bytes=_DIRECTORY_BYTES,
    )


def _cost(command: Command, slot: Slot) -> int:
    given = sum(map(len, command.files.values())) + len(command.executable or b"")
    limits = _limits(command, _allowed(command), alone=False)
    isolation = slot.program.isolation
    return len(command.stdin) + cost(limits, isolation, files_bytes=given, collects=bool(command.collect))
