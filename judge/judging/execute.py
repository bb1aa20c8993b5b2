"""Compiles and runs a program that belongs to no problem, on one slot: clean, compile, run, classify.

The rules are those of tests: beside other runs it is stopped at 1.5 times its CPU limit, and a time-out that the load
may have caused is repeated, alone.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TypeVar

from containers import File, Outcome, RunLimits, SandboxError, Termination
from judge import languages
from judge.common.errors import SourceError
from judge.common.execution import Execution, Program
from judge.common.models import CompileResult, IsolationReport, Verdict
from judge.compiling.compiler import Compiled, Compiler, Executable
from judge.compiling.toolchain import limits as compile_limits
from judge.judging import sources
from judge.judging.streaming import Streams
from judge.languages import Language
from judge.ruling.classify import SLACK, Allowed, Ruling, classify, doubtful, signal_name
from judge.slots.budget import cost
from judge.slots.slot import Slot
from judge.store.memfd import memfd
from problems.model import MIB, Limits, usual_wall_ns

_log = logging.getLogger(__name__)

T = TypeVar("T")
#: One run, what it comes to, and whether the load may have caused its time-out.
Attempted = tuple[Outcome, Ruling | None, bool]


def execute(program: Program, compiler: Compiler, slot: Slot, streams: Streams | None = None) -> Execution:
    """If the sandbox fails, try once more on a fresh slot; if it fails again, the verdict is IE. With `streams` it is
    run once: nobody can say again what was said.

    Raises:
        LanguageError: the program's language is unknown, not installed, or cannot run in this sandbox.
        ConfigError: it may need more memory than the budget leaves for programs.
        Unavailable: the machine does not grant the sandbox.
        Cancelled: the Judge was closed.
    """
    try:
        if streams is not None:
            return once(slot, lambda: _execute(program, compiler, slot, streams))
        return twice(slot, lambda: _execute(program, compiler, slot, None))
    except SandboxError as error:
        return Execution(id=program.id, language=program.language, verdict=Verdict.IE, detail=str(error))


def once(slot: Slot, run: Callable[[], T]) -> T:
    """
    Raises:
        SandboxError: the sandbox failed. The slot is a fresh one then.
    """
    try:
        return run()
    except SandboxError:
        slot.renew()
        raise
    finally:
        slot.share.release()


def twice(slot: Slot, run: Callable[[], T]) -> T:
    """
    Raises:
        SandboxError: the sandbox failed, and on a fresh slot again.
    """
    try:
        return run()
    except SandboxError as error:
        _log.warning("the sandbox failed, trying once more on a fresh slot: %s", error)
        slot.renew()
    finally:
        slot.share.release()
    try:
        return once(slot, run)
    except SandboxError as error:
        raise SandboxError(f"the sandbox failed twice: {error}") from error


def _execute(program: Program, compiler: Compiler, slot: Slot, streams: Streams | None) -> Execution:
    language = languages.get(program.language).compiled_under(*program.compile_limits)
    allowed = _allowed(program, language)
    named = {name for name, _ in program.sources}
    given = {name: content for name, content in program.files.items() if name not in named}
    beside = sources.beside(given, language)
    run_cost = _cost(program, beside, language, allowed, slot)
    slot.gate.check(run_cost, f"a run with a memory limit of {program.memory_bytes / MIB:g} MiB")
    slot.gate.check(cost(compile_limits(language), slot.program.isolation, collects=True), f"compiling {language.name}")
    try:
        cleaned = sources.clean(program.source, program.sources, language, Limits().code_bytes, beside)
        extra = (*cleaned.files, *beside)
        compiled = compiler.compile(cleaned.text, language, slot.program, extra=extra, wrap_freopen=False)
    except SourceError as error:
        compiled = Compiled(result=CompileResult(verdict="error", output=str(error)), program=None)
    walls = slot.program.isolation
    found = Execution(
        id=program.id,
        language=language.name,
        verdict=Verdict.CE,
        compile=compiled.result,
        isolation=IsolationReport(backend=walls.backend, tier=walls.tier, layers=walls.layers, missing=walls.missing),
    )
    with compiled.program or nullcontext() as executable:
        if streams is not None:
            streams.compiled(compiled.result, bool(language.compile.output))
        if executable is None:
            return found
        outcome, ruling = believed(
            lambda alone: _attempt(program, language, executable, slot, run_cost, streams, alone=alone)
        )
        return _done(program, language, outcome, ruling, found)


def _done(program: Program, language: Language, outcome: Outcome, ruling: Ruling | None, found: Execution) -> Execution:
    return Execution(
        id=found.id,
        language=found.language,
        verdict=None if ruling is None else ruling.verdict,
        detail="" if ruling is None else ruling.detail,
        compile=found.compile,
        exit_code=outcome.exit_code,
        signal=None if outcome.signal is None else signal_name(outcome.signal),
        stdout=outcome.stdout[: program.output_bytes],
        stderr=outcome.stderr,
        files=outcome.files,
        cpu_ns=outcome.usage.cpu_ns,
        wall_ns=outcome.usage.wall_ns,
        memory_bytes=outcome.usage.memory_bytes,
        suspicious=tuple(call for call in outcome.suspicious if call not in language.harmless),
        isolation=found.isolation,
    )


def believed(attempt: Callable[[bool], Attempted]) -> tuple[Outcome, Ruling | None]:
    """What `attempt` (given: whether to run alone) comes to. A time-out that the load may have caused is repeated."""
    outcome, ruling, doubt = attempt(False)
    if doubt:
        again, their_ruling, _ = attempt(True)
        if their_ruling is None or their_ruling.verdict is not Verdict.TLE:
            # Load changes no output: a program must not gain from a second try.
            stopped = outcome.termination is Termination.WALL_LIMIT
            same = again.stdout.startswith(outcome.stdout) if stopped else again.stdout == outcome.stdout
            outcome, ruling = (again, their_ruling) if same else (outcome, ruling)
    return outcome, ruling


def _attempt(
    program: Program,
    language: Language,
    executable: Executable,
    slot: Slot,
    run_cost: int,
    streams: Streams | None,
    *,
    alone: bool,
) -> Attempted:
    allowed = _allowed(program, language)
    enter = slot.gate.exclusive if alone else slot.gate.shared
    with enter(slot.share, run_cost) as company, memfd("input", program.stdin) as stdin:
        spec = executable.spec(
            limits=_limits(program, language, allowed, alone=alone),
            arguments=program.arguments,
            stdin=stdin,
            files=tuple(File(name=name, content=content, work=True) for name, content in program.files.items()),
            collect=program.collect,
        )
        if streams is not None:
            outcome = streams.run(slot.program.opened(), spec, program.output_bytes)
        else:
            outcome = slot.program.run_inside(spec)
    compiled = executable.executable is not None
    ruling = ruled(outcome, allowed, streams, out_of_memory=language.out_of_memory, compiled=compiled)
    if ruling is not None and ruling.verdict is Verdict.IE:
        raise SandboxError(ruling.detail)
    crowded = streams is None and not alone and (company.crowded or outcome.disturbed)
    return outcome, ruling, doubtful(outcome, ruling, allowed, crowded=crowded)


def ruled(
    outcome: Outcome,
    allowed: Allowed,
    streams: Streams | None,
    *,
    out_of_memory: Sequence[str] = (),
    compiled: bool = True,
) -> Ruling | None:
    """As `classify`. That the one who talks to the program has stopped it is no failure of ours."""
    if outcome.termination is Termination.CANCELLED and streams is not None:
        if outcome.stdout_bytes > allowed.output_bytes:
            return Ruling(verdict=Verdict.OLE, detail=f"wrote more than {allowed.output_bytes} bytes")
        return Ruling(verdict=Verdict.RE, detail="stopped by its client")
    return classify(outcome, allowed, out_of_memory=out_of_memory, compiled=compiled)


def _allowed(program: Program, language: Language) -> Allowed:
    return Allowed(
        cpu_ns=program.cpu_ns,
        wall_ns=program.wall_ns or usual_wall_ns(program.cpu_ns),
        memory_bytes=program.memory_bytes,
        output_bytes=program.output_bytes,
        runtime_bytes=language.run.files_mib * MIB,
    )


def _limits(program: Program, language: Language, allowed: Allowed, *, alone: bool) -> RunLimits:
    return RunLimits(
        # Above the limit, because other runs may begin at any time: `doubtful` needs the CPU time up to SLACK.
        cpu_ns=program.cpu_ns if alone else int(program.cpu_ns * SLACK),
        wall_ns=allowed.wall_ns,
        memory_bytes=allowed.memory_bytes,
        output_bytes=allowed.output_bytes,
        processes=language.processes,
        open_files=language.open_files,
    )


def _cost(program: Program, beside: Sequence[File], language: Language, allowed: Allowed, slot: Slot) -> int:
    files_bytes = sum(map(len, program.files.values())) + sum(len(file.content) for file in beside)
    limits = _limits(program, language, allowed, alone=False)
    return len(program.stdin) + cost(
        limits, slot.program.isolation, files_bytes=files_bytes, collects=bool(program.collect)
    )
