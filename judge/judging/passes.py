"""Judges tests of multi-pass problems: the program runs again and again, each time on the input (nextpass.in) that the
checker or interactor wrote after the pass before, until that writes none (2025-09, "Multi-pass").

step -> what was said asks for another pass -> step -> … -> rule on the last one
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from containers import Outcome, Termination
from judge.checkers.failures import Failures
from judge.checkers.interactor import Interactor
from judge.checkers.program import NEXT, ProgramChecker
from judge.common.errors import CheckerError
from judge.judging import interactive
from judge.judging.accepted import Compile, fails_anyway
from judge.judging.job import Attempt, Job, Step
from judge.judging.repeating import Speeches, marks, read_written
from judge.judging.single import run
from judge.ruling.interplay import Said, Word
from judge.slots.slot import Slot
from judge.store.inputs import stream
from problems.errors import ProblemError
from problems.model import Comparison, Problem, TestCase

#: The input of a test as a descriptor.
Stdin = Callable[[Job, TestCase], AbstractContextManager[int | None]]

#: So much of what a program wrote in a pass is kept, to be shown.
_KEPT_BYTES = 1 << 16


def attempt(job: Job, case: TestCase, stdin: Stdin, compile_: Compile, *, first: Attempt | None = None) -> Attempt:
    """All passes of one test, and what they come to. `first`: what is repeated, alone.

    Raises:
        SandboxError: the sandbox failed.
        ProblemError: the checker cannot be compiled.
    """
    steps = _steps(job, case, stdin, first)
    last = steps[-1]
    failed = last.said is not None and last.said.word is Word.FAILED
    faulty = failed and fails_anyway(job, case, _failures(job, case), compile_, partial(_fails, case, stdin))
    ruling, score = last.rule(faulty=faulty)
    doubt = ruling is last.own and last.doubtful
    if ruling.detail and len(steps) > 1:
        ruling = replace(ruling, detail=f"pass {len(steps)}: {ruling.detail}")
    return Attempt(
        outcome=_together(steps), ruling=ruling, doubtful=doubt, talk=last.talk, score=score, passes=tuple(steps)
    )


def play_passes(problem: Problem, case: TestCase, interactor: Interactor, slot: Slot, stdin: int, stdout: int) -> Said:
    """As `play_interactor`, for all passes.

    Raises:
        SandboxError: the sandbox failed.
    """
    if problem.passes == 1:
        return interactive.play_interactor(case, interactor, slot, stdin, stdout)
    said = interactive.play_interactor(case, interactor, slot, stdin, stdout, {})
    for _ in range(problem.passes - 1):
        if said.next_input is None:
            return said
        with _case(case, said.next_input) as another:
            said = interactive.play_interactor(another, interactor, slot, stdin, stdout, said.files)
    return said if said.next_input is None else _too_many(problem.passes)


def _too_many(passes: int) -> Said:
    what = f"more than {passes} passes were asked for ({NEXT}); the package allows no more"
    return Said(word=Word.FAILED, detail=what)


def _fails(case: TestCase, stdin: Stdin, right: Job) -> bool:
    said = _steps(right, case, stdin)[-1].said
    return said is not None and said.word is Word.FAILED


def _steps(job: Job, case: TestCase, stdin: Stdin, first: Attempt | None = None) -> list[Step]:
    """Pass after pass, up to the first that fails or asks for no other one."""
    past = [step.spoken for step in first.passes] if first else []

    def before() -> Speeches | None:
        return None if first is None else (past.pop(0) if past else ())

    state: Mapping[str, bytes] = {}
    steps = [_step(job, case, stdin, state, before())]
    while (given := steps[-1].next_input) is not None:
        if len(steps) == job.problem.passes:
            steps[-1] = replace(steps[-1], said=_too_many(len(steps)))
            break
        state = steps[-1].said.files if steps[-1].said else {}
        with _case(case, given) as another:
            steps.append(_step(job, another, _stdin, state, before()))
    return steps


@contextmanager
def _case(case: TestCase, given: bytes) -> Iterator[TestCase]:
    """The case with another input, which has no path that a program could find."""
    with stream(given) as fd:
        yield replace(case, input=Path(f"/proc/self/fd/{fd}"))


def _stdin(job: Job, case: TestCase) -> AbstractContextManager[int]:
    """Of a pass after the first: not among the inputs that are kept for other submissions."""
    return stream(case.read_input())


def _step(job: Job, case: TestCase, stdin: Stdin, state: Mapping[str, bytes], first: Speeches | None) -> Step:
    if job.interactor is not None:
        return interactive.step(job, case, job.interactor, state, first=first)
    checker = _checker(job, case)
    with stdin(job, case) as descriptor:
        done = run(job, case, descriptor, state, alone=first is not None)
    said = None
    if done.own is None:
        said = checker.rule_pass(
            job.slot.checker,
            input=case.read_input(),
            output=done.outcome.stdout,
            answer=case.read_answer(),
            state=state,
            full_score=case.full_score,
        )
    kept = replace(done.outcome, stdout=done.outcome.stdout[:_KEPT_BYTES])
    cut = done.outcome.termination is not Termination.EXITED
    said_here = read_written(done.outcome.stdout, marks(first or ()), cut=cut)
    return replace(done, outcome=kept, said=said, spoken=(said_here,))


def _failures(job: Job, case: TestCase) -> Failures:
    return (job.interactor or _checker(job, case)).failures


def _checker(job: Job, case: TestCase) -> ProgramChecker:
    checker = case.checker or job.problem.checker
    if isinstance(checker, Comparison):
        raise ProblemError(f"problem {job.problem.name} is multi-pass, but test {case.name} has no checker program")
    ready = job.checkers[checker]
    if isinstance(ready, CheckerError):
        raise ProblemError(f"problem {job.problem.name}: {ready}") from ready
    return ready


def _together(steps: list[Step]) -> Outcome:
    """The last pass's facts, with the most time and memory that a pass took, and the wall time of all."""
    usages = [step.outcome.usage for step in steps]
    last = steps[-1].outcome
    most = max(usages, key=lambda usage: usage.memory_bytes)
    usage = replace(
        last.usage,
        cpu_ns=max(usage.cpu_ns for usage in usages),
        wall_ns=sum(usage.wall_ns for usage in usages),
        memory_bytes=most.memory_bytes,
        memory_source=most.memory_source,
        cgroup_peak_bytes=most.cgroup_peak_bytes,
    )
    suspicious = tuple(dict.fromkeys(call for step in steps for call in step.outcome.suspicious))
    return replace(last, usage=usage, suspicious=suspicious)
