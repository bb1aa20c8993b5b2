"""Runs command lines that no language describes: one alone, or two joined by pipes as a program and an interactor are.

Time is measured as in tests, and a time-out that the load may have caused is repeated (`judge.judging.trial`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from enum import StrEnum

from containers import Carried, File, Outcome, RunLimits, RunSpec, Side
from judge.common.command import Command
from judge.judging.execute import ruling_of_streamed
from judge.judging.repeating import Speeches, marks, read_speeches, repeats
from judge.judging.streaming import Streams
from judge.judging.trial import Trial, classify_run, is_doubtful, on_fresh_slot, settle, writes_same
from judge.ruling.classify import Allowed, Ruling, classify, cpu_limit_ns
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

    def trials() -> Trial:
        first = _run(command, slot, need, None, alone=False)
        return settle(
            first,
            lambda: _run(command, slot, need, None, alone=True),
            lambda second: writes_same(first.outcome, second.outcome),
        )

    trial = on_fresh_slot(slot, trials)
    return Ran(outcome=trial.outcome, ruling=trial.ruling)


def run_all(commands: Sequence[Command], pipes: Pipes | None, slot: Slot) -> list[Ran]:
    """One after the other, or two that `pipes` join. Raises as `run` does."""
    if pipes is None:
        return [run(command, slot) for command in commands]
    return list(run_joined(commands[0], commands[1], pipes, slot))


def run_streamed(command: Command, slot: Slot, streams: Streams) -> Ran:
    """Once, for somebody who talks to it. Raises as `run` does."""
    need = _cost(command, slot)
    slot.gate.check(need, f"a run with a memory limit of {command.memory_bytes / MIB:g} MiB")
    trial = on_fresh_slot(slot, lambda: _run(command, slot, need, streams, alone=False), again=False)
    return Ran(outcome=trial.outcome, ruling=trial.ruling)


def run_joined(first: Command, second: Command, pipes: Pipes, slot: Slot) -> tuple[Ran, Ran]:
    """Both at once. Raises as `run` does."""
    need = _cost(first, slot) + _cost(second, slot)
    slot.gate.check(need, "two commands at once")

    def trials() -> _Joined:
        joined = _run_joined(first, second, pipes, slot, need, None)
        return settle(joined, lambda: _run_joined(first, second, pipes, slot, need, joined), joined.does_same)

    joined = on_fresh_slot(slot, trials)
    return joined.ran


def _run(command: Command, slot: Slot, need: int, streams: Streams | None, *, alone: bool) -> Trial:
    allowed = _limit_command(command)
    with ExitStack() as stack:
        company = stack.enter_context(slot.gate.enter(slot.share, need, alone=alone))
        spec = _spec(command, allowed, stack, alone=alone or slot.gate.is_single)
        if streams is not None:
            outcome = streams.run(slot.program.open(), spec, command.output_bytes)
        else:
            outcome = slot.program.run_inside(spec)
    ruling = _ruling(command, outcome, allowed, streams)
    return Trial(outcome=outcome, ruling=ruling, doubtful=is_doubtful(outcome, ruling, allowed, company))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Joined(Trial):
    """One trial of two commands. `outcome` and `ruling` are those of the command that timed out, else of the first."""

    ran: tuple[Ran, Ran]
    #: What each wrote to its pipe.
    spoken: Speeches

    def does_same(self, second: _Joined) -> bool:
        """Whether both commands did in the second trial what they did in this one."""
        ends = zip(self.ran, second.ran, strict=True)
        return repeats(self.spoken, second.spoken) and all(writes_same(one.outcome, its.outcome) for one, its in ends)


def _run_joined(
    first: Command, second: Command, pipes: Pipes, slot: Slot, need: int, repeated: _Joined | None
) -> _Joined:
    """`repeated`: the trial that is repeated, alone."""
    alone = repeated is not None or slot.gate.is_single
    allowed = [_limit_command(one) for one in (first, second)]
    with ExitStack() as stack:
        company = stack.enter_context(slot.gate.enter(slot.share, need, alone=repeated is not None))
        specs = [_spec(one, its, stack, alone=alone) for one, its in zip((first, second), allowed, strict=True)]
        marked = marks(repeated.spoken) if repeated is not None else ()
        talk = slot.pair.run(specs[0], specs[1], lambda _: False, one_way=pipes is Pipes.FORWARD, marks=marked)
    outcomes = [
        replace(talk.program, stdout_bytes=talk.carried.written[Side.PROGRAM]),
        talk.interactor
        if pipes is Pipes.FORWARD
        else replace(talk.interactor, stdout_bytes=talk.carried.written[Side.INTERACTOR]),
    ]
    piped = [
        _read_speech(talk.carried, Side.PROGRAM),
        None if pipes is Pipes.FORWARD else _read_speech(talk.carried, Side.INTERACTOR),
    ]
    trials, ran = [], []
    for command, outcome, its, kept in zip((first, second), outcomes, allowed, piped, strict=True):
        ruling = _ruling(command, outcome, its)
        doubt = is_doubtful(outcome, ruling, its, company)
        trials.append(Trial(outcome=outcome, ruling=ruling, doubtful=doubt))
        ran.append(Ran(outcome=outcome, ruling=ruling, piped=kept))
    shown = next((trial for trial in trials if trial.timed_out), trials[0])
    return _Joined(
        outcome=shown.outcome,
        ruling=shown.ruling,
        doubtful=any(trial.doubtful for trial in trials),
        ran=(ran[0], ran[1]),
        spoken=read_speeches(talk),
    )


def _read_speech(carried: Carried, side: Side) -> bytes:
    """What a side wrote, from the beginning up to where the relay left something out."""
    turns = carried.begin if carried.left_out else (*carried.begin, *carried.end)
    return b"".join(text for who, text in turns if who is side)


def _ruling(command: Command, outcome: Outcome, allowed: Allowed, streams: Streams | None = None) -> Ruling | None:
    """
    Raises:
        SandboxError: our failure. That a program of the caller's cannot be started is none.
    """
    if streams is not None and (ruling := ruling_of_streamed(outcome, allowed)) is not None:
        return ruling
    compiled = command.executable is not None
    if outcome.exec_errno is not None:
        return classify(outcome, allowed, compiled=compiled)
    return classify_run(outcome, allowed, compiled=compiled)


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
        modes=True,  # its input and its files are its own
    )


def _limit_command(command: Command) -> Allowed:
    return Allowed(
        cpu_ns=command.cpu_ns,
        wall_ns=command.wall_ns or usual_wall_ns(command.cpu_ns),
        memory_bytes=command.memory_bytes,
        output_bytes=command.output_bytes,
    )


def _limits(command: Command, allowed: Allowed, *, alone: bool) -> RunLimits:
    return RunLimits(
        cpu_ns=cpu_limit_ns(command.cpu_ns, alone=alone),
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
    limits = _limits(command, _limit_command(command), alone=False)
    isolation = slot.program.isolation
    return len(command.stdin) + cost(limits, isolation, files_bytes=given, collects=bool(command.collect))
