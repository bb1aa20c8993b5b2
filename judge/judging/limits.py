"""What one run of a submission may use, and whether the budget has room for it."""

from __future__ import annotations

from containers import Isolation, RunLimits
from judge.checkers.program import run_limits
from judge.common.errors import LanguageError, OverBudget
from judge.common.models import Options
from judge.compiling.toolchain import limits as compile_limits
from judge.languages import Language
from judge.ruling.classify import Allowed
from judge.slots.budget import cost
from judge.slots.slot import Slot
from problems.model import MIB, Limits, Problem, usual_wall_ns


def limits_of(limits: Limits, language: Language, options: Options) -> Allowed:
    """The caller's limits, else the test case's or the problem's, times the language's multiplier."""
    factor = language.time_multiplier if options.language_multiplier else 1
    cpu_ns = int((options.cpu_ns or limits.cpu_ns) * factor)
    wall_ns = limits.wall_ns if options.cpu_ns is None else None  # it belongs to the overridden CPU limit
    return Allowed(
        cpu_ns=cpu_ns,
        wall_ns=int((wall_ns or 0) * factor) or usual_wall_ns(cpu_ns),
        memory_bytes=options.memory_bytes or limits.memory_bytes,
        output_bytes=limits.output_bytes,
        runtime_bytes=language.run.files_mib * MIB,
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
    run = RunLimits(wall_ns=1, memory_bytes=memory_bytes, output_bytes=limits.output_bytes, processes=processes)
    if (manager := problem.manager) is None:
        return cost(run, isolation)
    beside = cost(run_limits(manager.program), isolation, collects=True)
    return manager.processes * cost(run, isolation) + beside
