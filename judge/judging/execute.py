"""Compiles and runs a program that belongs to no problem, on one slot: clean, compile, run, classify.

Time is measured as in tests, and a time-out that the load may have caused is repeated (`judge.judging.trial`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

from containers import File, Outcome, RunLimits, SandboxError, Termination
from judge import languages
from judge.common.errors import SourceError
from judge.common.execution import Execution, Program
from judge.common.models import CompileResult, IsolationReport, Verdict
from judge.compiling.compiler import Compiled, Compiler, Executable
from judge.compiling.toolchain import limits as compile_limits
from judge.judging import sources
from judge.judging.streaming import Streams
from judge.judging.trial import Trial, classify_run, is_doubtful, on_fresh_slot, settle, writes_same
from judge.languages import Language
from judge.languages.options import with_options
from judge.ruling.classify import Allowed, Ruling, cpu_limit_ns, signal_name
from judge.slots.budget import cost
from judge.slots.slot import Slot
from judge.store.memfd import memfd
from problems.model import MIB, Limits, usual_wall_ns


def execute(program: Program, compiler: Compiler, slot: Slot, streams: Streams | None = None) -> Execution:
    """If the sandbox fails, try once more on a fresh slot; if it fails again, the verdict is IE. With `streams` it is
    run once: nobody can say again what was said.

    Raises:
        LanguageError: the program's language is unknown, not installed, or cannot run in this sandbox.
        ConfigError: it may need more memory than the budget leaves for programs, or a compiler option is not allowed.
        Unavailable: the machine does not grant the sandbox.
        Cancelled: the Judge was closed.
    """
    try:
        return on_fresh_slot(slot, lambda: _execute(program, compiler, slot, streams), again=streams is None)
    except SandboxError as error:
        return Execution(id=program.id, language=program.language, verdict=Verdict.IE, detail=str(error))


def _execute(program: Program, compiler: Compiler, slot: Slot, streams: Streams | None) -> Execution:
    language = with_options(languages.get(program.language), program.compiler_options)
    language = language.compiled_under(*program.compile_limits)
    allowed = _limit_program(program, language)
    named = {name for name, _ in program.sources}
    given = {name: content for name, content in program.files.items() if name not in named}
    beside = sources.beside(given, language)
    run_cost = _cost(program, beside, language, allowed, slot)
    slot.gate.check(run_cost, f"a run with a memory limit of {program.memory_bytes / MIB:g} MiB")
    slot.gate.check(cost(compile_limits(language), slot.program.isolation, collects=True), f"compiling {language.name}")
    try:
        cleaned = sources.clean(program.source, program.sources, language, Limits().code_bytes, beside)
        extra = (*cleaned.files, *beside)
        names = tuple(file.name for file in cleaned.files)
        compiled = compiler.compile(
            cleaned.text, language, slot.program, extra=extra, checked=names, wrap_freopen=False
        )
        if compiled.program is not None:  # as beside the tests of a problem
            compiled.program.beside = tuple(replace(file, work=True) for file in cleaned.files)
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
            streams.on_compiled(compiled.result, bool(language.compile.output))
        if executable is None:
            return found

        def run(*, alone: bool) -> Trial:
            return _run(program, language, executable, slot, run_cost, streams, alone=alone)

        trials = _tries(run, 1 if streams is not None else program.runs)
        return _make_execution(program, language, trials, found)


def _tries(run: Callable[..., Trial], times: int) -> list[Trial]:
    """The trials, up to the first that fails."""
    trials: list[Trial] = []
    while len(trials) < times and (not trials or trials[-1].ruling is None):
        first = run(alone=False)
        trials.append(settle(first, lambda: run(alone=True), partial(_writes_same, first)))
    return trials


def _writes_same(first: Trial, second: Trial) -> bool:
    return writes_same(first.outcome, second.outcome)


def _make_execution(program: Program, language: Language, trials: Sequence[Trial], found: Execution) -> Execution:
    outcome, ruling = trials[-1].outcome, trials[-1].ruling
    used = [trial.outcome.usage for trial in trials]
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
        cpu_ns=sum(usage.cpu_ns for usage in used) // len(used),
        wall_ns=sum(usage.wall_ns for usage in used) // len(used),
        memory_bytes=sum(usage.memory_bytes for usage in used) // len(used),
        runs=len(trials),
        suspicious=tuple(call for call in outcome.suspicious if call not in language.harmless),
        isolation=found.isolation,
    )


def _run(
    program: Program,
    language: Language,
    executable: Executable,
    slot: Slot,
    run_cost: int,
    streams: Streams | None,
    *,
    alone: bool,
) -> Trial:
    allowed = _limit_program(program, language)
    with slot.gate.enter(slot.share, run_cost, alone=alone) as company, memfd("input", program.stdin) as stdin:
        spec = executable.spec(
            limits=_limits(program, language, allowed, alone=alone or slot.gate.is_single),
            arguments=program.arguments,
            stdin=stdin,
            files=tuple(File(name=name, content=content, work=True) for name, content in program.files.items()),
            collect=program.collect,
        )
        # Its input and its files are its own. A compiled program is not: others may be running it.
        spec = replace(spec, modes=executable.executable is None)
        if streams is not None:
            outcome = streams.run(slot.program.open(), spec, program.output_bytes)
        else:
            outcome = slot.program.run_inside(spec)
    compiled = executable.executable is not None
    ruling = ruling_of_streamed(outcome, allowed) if streams is not None else None
    ruling = ruling or classify_run(outcome, allowed, out_of_memory=language.out_of_memory, compiled=compiled)
    doubt = streams is None and is_doubtful(outcome, ruling, allowed, company)
    return Trial(outcome=outcome, ruling=ruling, doubtful=doubt)


def ruling_of_streamed(outcome: Outcome, allowed: Allowed) -> Ruling | None:
    """Of a run that the one who talks to it has stopped: that is no failure of ours. None: nobody stopped it."""
    if outcome.termination is not Termination.CANCELLED:
        return None
    if outcome.stdout_bytes > allowed.output_bytes:
        return Ruling(verdict=Verdict.OLE, detail=f"wrote more than {allowed.output_bytes} bytes")
    return Ruling(verdict=Verdict.RE, detail="stopped by its client")


def _limit_program(program: Program, language: Language) -> Allowed:
    return Allowed(
        cpu_ns=program.cpu_ns,
        wall_ns=program.wall_ns or usual_wall_ns(program.cpu_ns),
        memory_bytes=program.memory_bytes,
        output_bytes=program.output_bytes,
        runtime_bytes=language.run.files_mib * MIB,
    )


def _limits(program: Program, language: Language, allowed: Allowed, *, alone: bool) -> RunLimits:
    return RunLimits(
        cpu_ns=cpu_limit_ns(program.cpu_ns, alone=alone),
        wall_ns=allowed.wall_ns,
        memory_bytes=allowed.memory_bytes,
        output_bytes=allowed.output_bytes,
        processes=language.processes,
        open_files=language.open_files,
    )


def _cost(program: Program, beside: Sequence[File], language: Language, allowed: Allowed, slot: Slot) -> int:
    own = sum(len(content) for _, content in program.sources)
    files_bytes = own + sum(map(len, program.files.values())) + sum(len(file.content) for file in beside)
    limits = _limits(program, language, allowed, alone=False)
    return len(program.stdin) + cost(
        limits, slot.program.isolation, files_bytes=files_bytes, collects=bool(program.collect)
    )
