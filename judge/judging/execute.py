"""Compiles and runs a program that belongs to no problem, on one slot: clean, compile, run, classify.

The rules are those of tests: beside other runs it is stopped at 1.5 times its CPU limit, and a time-out that the load
may have caused is repeated, alone.
"""

from __future__ import annotations

import logging
from contextlib import nullcontext

from containers import File, Outcome, RunLimits, SandboxError, Termination
from judge import languages
from judge.common.errors import SourceError
from judge.common.execution import Execution, Program
from judge.common.models import CompileResult, IsolationReport, Verdict
from judge.compiling import source
from judge.compiling.compiler import Compiled, Compiler, Executable
from judge.compiling.toolchain import limits as compile_limits
from judge.languages import Language
from judge.ruling.classify import SLACK, Allowed, Ruling, classify, doubtful, signal_name
from judge.slots.budget import cost
from judge.slots.slot import PATIENCE, Slot
from judge.store.memfd import memfd
from problems.model import MIB, Limits, usual_wall_ns

_log = logging.getLogger(__name__)


def execute(program: Program, compiler: Compiler, slot: Slot) -> Execution:
    """If the sandbox fails, try once more on a fresh slot; if it fails again, the verdict is IE.

    Raises:
        LanguageError: the program's language is unknown, not installed, or cannot run in this sandbox.
        ConfigError: it may need more memory than the budget leaves for programs.
        Unavailable: the machine does not grant the sandbox.
        Cancelled: the Judge was closed.
    """
    try:
        return _execute(program, compiler, slot)
    except SandboxError as error:
        _log.warning("the sandbox failed, trying once more on a fresh slot: %s", error)
        slot.renew()
    try:
        return _execute(program, compiler, slot)
    except SandboxError as error:
        slot.renew()
        why = f"the sandbox failed twice: {error}"
        return Execution(id=program.id, language=program.language, verdict=Verdict.IE, detail=why)


def _execute(program: Program, compiler: Compiler, slot: Slot) -> Execution:
    language = languages.get(program.language).compiled_under(*program.compile_limits)
    allowed = _allowed(program, language, alone=False)
    run_cost = _cost(program, language, allowed, slot)
    slot.gate.check(run_cost, f"a run with a memory limit of {program.memory_bytes / MIB:g} MiB")
    slot.gate.check(cost(compile_limits(language), slot.program.isolation, collects=True), f"compiling {language.name}")
    try:
        cleaned = source.clean(
            program.source, family=language.family, limit_bytes=Limits().code_bytes, gnu=language.gnu
        )
        compiled = compiler.compile(cleaned.text, language, slot.program, wrap_freopen=False)
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
        return found if executable is None else _run(program, language, executable, slot, found, run_cost)


def _run(
    program: Program, language: Language, executable: Executable, slot: Slot, found: Execution, run_cost: int
) -> Execution:
    outcome, ruling, doubt = _attempt(program, language, executable, slot, run_cost, alone=False)
    if doubt:
        again, their_ruling, _ = _attempt(program, language, executable, slot, run_cost, alone=True)
        if their_ruling is None or their_ruling.verdict is not Verdict.TLE:
            # Load changes no output: a program must not gain from a second try.
            stopped = outcome.termination is Termination.WALL_LIMIT
            same = again.stdout.startswith(outcome.stdout) if stopped else again.stdout == outcome.stdout
            outcome, ruling = (again, their_ruling) if same else (outcome, ruling)
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


def _attempt(
    program: Program, language: Language, executable: Executable, slot: Slot, run_cost: int, *, alone: bool
) -> tuple[Outcome, Ruling | None, bool]:
    """One run, what it comes to, and whether the load may have caused its time-out."""
    allowed = _allowed(program, language, alone=alone)
    enter = slot.gate.exclusive if alone else slot.gate.shared
    with enter(slot.share, run_cost) as company, memfd("input", program.stdin) as stdin:
        spec = executable.spec(
            limits=_limits(program, language, allowed, alone=alone),
            arguments=program.arguments,
            stdin=stdin,
            files=tuple(File(name=name, content=content, work=True) for name, content in program.files.items()),
            collect=program.collect,
        )
        outcome = slot.program.run_inside(spec)
    compiled = executable.executable is not None
    ruling = classify(outcome, allowed, out_of_memory=language.out_of_memory, compiled=compiled)
    if ruling is not None and ruling.verdict is Verdict.IE:
        raise SandboxError(ruling.detail)
    crowded = not alone and (company.crowded or outcome.disturbed)
    return outcome, ruling, doubtful(outcome, ruling, allowed, crowded=crowded)


def _allowed(program: Program, language: Language, *, alone: bool) -> Allowed:
    wall_ns = program.wall_ns or usual_wall_ns(program.cpu_ns)
    return Allowed(
        cpu_ns=program.cpu_ns,
        wall_ns=wall_ns * (PATIENCE if alone else 1),
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


def _cost(program: Program, language: Language, allowed: Allowed, slot: Slot) -> int:
    files_bytes = sum(map(len, program.files.values()))
    limits = _limits(program, language, allowed, alone=False)
    return len(program.stdin) + cost(
        limits, slot.program.isolation, files_bytes=files_bytes, collects=bool(program.collect)
    )
