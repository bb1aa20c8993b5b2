"""What one run of a submission may use, and whether the budget has room for it."""

from __future__ import annotations

from dataclasses import replace

from containers import Isolation, RunLimits
from judge import languages
from judge.checkers.program import run_limits
from judge.common.errors import LanguageError, OverBudget
from judge.common.models import CompileResult, Options
from judge.compiling.toolchain import limits as compile_limits
from judge.languages import Language
from judge.ruling.classify import Allowed
from judge.slots.budget import cost
from judge.slots.slot import Slot
from problems.model import MIB, SECOND_NS, Limits, Problem, usual_wall_ns

#: Memory is reserved for this much of what a run may write. Only a run that writes more reserves more (`single.run`).
KEPT_BYTES = 64 * MIB
#: What a program needs to start beside CPU time.
_START_NS = SECOND_NS // 4


def limits_of(limits: Limits, language: Language, options: Options, *, idle: bool = False) -> Allowed:
    """The caller's limits, else the test case's or the problem's, times the language's multiplier. Where none of them
    states a wall limit, a program that stood `idle` before has what it may use of a core, and time to start."""
    factor = language.time_multiplier if options.language_multiplier else 1
    cpu_ns = int((options.cpu_ns or limits.cpu_ns) * factor)
    wall_ns = limits.wall_ns if options.cpu_ns is None else None  # it belongs to the overridden CPU limit
    return Allowed(
        cpu_ns=cpu_ns,
        wall_ns=int((wall_ns or 0) * factor) or (cpu_ns + _START_NS if idle else usual_wall_ns(cpu_ns)),
        memory_bytes=options.memory_bytes or limits.memory_bytes,
        output_bytes=limits.output_bytes,
        runtime_bytes=language.run.files_mib * MIB,
    )


def with_kept_output(allowed: Allowed) -> Allowed:
    """The same for as much output as memory is reserved for."""
    return allowed if allowed.output_bytes <= KEPT_BYTES else replace(allowed, output_bytes=KEPT_BYTES)


def package_options(problem: Problem, options: Options, slot: Slot) -> Options:
    """The options with the package's limits of compiles, where the caller sets none. Where the memory budget has no
    room for the memory that the format grants, a compile gets what it gets by default: see `check_compile`."""
    memory_bytes = options.compile_memory_bytes or problem.compile_memory_bytes
    if memory_bytes is not None and options.compile_memory_bytes is None:
        allowed = compile_limits(languages.get("c17").compiled_under(None, memory_bytes))
        if cost(allowed, slot.program.isolation, collects=True) > slot.gate.memory_bytes:
            memory_bytes = None
    cpu_ns = options.compile_cpu_ns or problem.compile_cpu_ns
    return replace(options, compile_cpu_ns=cpu_ns, compile_memory_bytes=memory_bytes)


def check_compile(problem: Problem, options: Options, language: Language, result: CompileResult) -> None:
    """
    Raises:
        OverBudget: the compile was stopped for memory, with less than the package grants (`package_options`).
    """
    had, granted = language.compile.memory_bytes, problem.compile_memory_bytes or 0
    if result.verdict == "memory" and options.compile_memory_bytes is None and had < granted:
        raise OverBudget(
            f"problem {problem.name} grants compiles {granted / MIB:g} MiB, and {had / MIB:g} MiB were not enough, "
            "but the judge's memory budget has no room for more; raise --memory-budget"
        )


def check_memory(problem: Problem, options: Options, language: Language, slot: Slot) -> None:
    """Check first that each run fits the memory budget: a larger one would wait for ever.

    Raises:
        OverBudget: a run may need more than the budget.
        LanguageError: the language may, by its compiler's own limit or the processes that its runtime starts.
    """
    gate, isolation = slot.gate, slot.program.isolation
    allowed = compile_limits(language)
    what = f"compiling {language.name} with a memory limit of {allowed.memory_bytes / MIB:g} MiB"
    try:
        gate.check(cost(allowed, isolation, collects=True), what)
    except OverBudget as error:
        if options.compile_memory_bytes is not None:
            raise
        raise LanguageError(str(error)) from error
    for limits in {problem.limits, *(case.limits for case in problem.cases if case.limits is not None)}:
        memory = options.memory_bytes or limits.memory_bytes
        what = f"a test with a memory limit of {memory / MIB:g} MiB"
        if problem.manager is not None:
            count = problem.manager.processes
            what = f"{count} processes with a memory limit of {memory / MIB:g} MiB, and their manager"
        what = f"problem {problem.name}: {what}"
        try:
            gate.check(_need(problem, limits, memory, language.processes, isolation), what)
        except OverBudget as error:
            gate.check(_need(problem, limits, memory, 0, isolation), what)
            raise LanguageError(f"{language.title}: {error}") from error  # the problem itself would fit


def _need(problem: Problem, limits: Limits, memory_bytes: int, processes: int, isolation: Isolation) -> int:
    """What the runs of one test may take. `processes`: that a run may start."""
    output = min(limits.output_bytes, KEPT_BYTES)
    run = RunLimits(wall_ns=1, memory_bytes=memory_bytes, output_bytes=output, processes=processes)
    if (manager := problem.manager) is None:
        return cost(run, isolation)
    beside = cost(run_limits(manager.program), isolation, collects=True)
    return manager.processes * cost(run, isolation) + beside
