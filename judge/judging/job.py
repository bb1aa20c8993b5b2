"""What all tests of one judgement share (`Job`), and one run of one test: what it is given, and what it may use."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import problems.model
from containers import File, Outcome, RunLimits, RunSpec
from judge.checkers.compare import memory_bytes
from judge.checkers.conventions import OUTPUT
from judge.checkers.interactor import Interactor
from judge.checkers.manager import Manager
from judge.checkers.program import ProgramChecker, run_limits
from judge.common.errors import CheckerError
from judge.common.models import Options
from judge.compiling.compiler import Executable
from judge.judging.attachments import read
from judge.judging.prepared import Prepared
from judge.judging.repeating import Speeches, repeats
from judge.judging.trial import Trial, classify_run, is_same_output
from judge.languages import Language
from judge.ruling.classify import Allowed, Ruling, cpu_limit_ns
from judge.ruling.interplay import Said, Word, rule
from judge.slots.budget import cost
from judge.slots.pair import Talk
from judge.slots.slot import Slot
from problems.model import Comparison, FileIO, Problem, TestCase


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What all tests of one judgement share."""

    prepared: Prepared
    options: Options
    language: Language
    program: Executable
    slot: Slot
    #: Each ready to run, or why not. Made before any run: between a run and its check a slot must not wait.
    checkers: Mapping[problems.model.Program, ProgramChecker | CheckerError]
    #: Of an interactive problem.
    interactor: Interactor | None = None
    #: Of a communication problem.
    manager: Manager | None = None
    #: Whether a time-out that the load may have caused will be repeated. If not, a run is stopped at its limit.
    may_repeat: bool = True
    #: Whether the program stood still on earlier tests until its wall limit: it waits less for this one.
    idle: bool = False

    @property
    def problem(self) -> Problem:
        return self.prepared.problem

    def cpu_limit_ns(self, allowed: Allowed, *, alone: bool) -> int:
        """When to stop a run, in ns of CPU time."""
        return cpu_limit_ns(allowed.cpu_ns, alone=alone or not self.may_repeat or self.slot.gate.is_single)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One run of one test (of a multi-pass problem: one pass), and what became of it."""

    outcome: Outcome
    #: What the program did by itself; None: a clean exit, or we stopped it because it had been refused.
    own: Ruling | None
    #: The load may have caused its time-out.
    doubtful: bool
    #: The word of the interactor, or (in a multi-pass problem, after a clean exit) of the checker.
    said: Said | None = None
    #: Of an interactive problem.
    talk: Talk | None = None
    #: What the program wrote and was told; none where it has all of it in `outcome`.
    spoken: Speeches = ()

    @property
    def next_input(self) -> bytes | None:
        """The input of the next pass; None: there is none."""
        if self.own is not None or self.said is None or self.said.word is not Word.ACCEPTED:
            return None
        return self.said.next_input

    def rule(self, *, faulty: bool) -> tuple[Ruling, float | None]:
        """Verdict and score. `faulty`: whoever judged fails on the problem's own accepted submission, too."""
        if self.said is None:
            if self.own is None:
                raise ValueError("nobody was asked about a clean exit")
            return self.own, 0.0
        first = self.talk is not None and self.talk.interactor_first
        return rule(self.own, self.said, interactor_first=first, faulty=faulty)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt(Trial):
    """One trial of one test. Without a ruling its output is to be checked."""

    #: Of an interactive problem, and the score by `ruling`.
    talk: Talk | None = None
    score: float | None = 0.0
    #: Of a communication problem: the talk of each process with the manager.
    talks: tuple[Talk, ...] = ()
    #: Of a multi-pass problem: all passes that were run, and what the program wrote in them, as far as it is kept.
    passes: tuple[Step, ...] = ()
    #: Of an interactive or communication problem: what the program (each process) wrote and was told.
    spoken: Speeches = ()


def classify_test(job: Job, case: TestCase, outcome: Outcome, allowed: Allowed) -> Ruling | None:
    """What the program did by itself on a test; None: a clean exit.

    Raises:
        SandboxError: our failure.
    """
    return classify_run(
        outcome,
        allowed,
        out_of_memory=job.language.out_of_memory,
        compiled=job.program.executable is not None,
        what=f"test {case.name}",
    )


def spec(
    job: Job, case: TestCase, allowed: Allowed, cpu_ns: int, stdin: int | None, arguments: tuple[str, ...] = ()
) -> RunSpec:
    """One run of one test, with `cpu_ns` of CPU time. `arguments`: more than the test's own."""
    names = job.problem.file_io or FileIO()
    files = [
        File(name=path.name, content=read(path, f"test {case.name}: extra file"), work=True) for path in case.files
    ]
    if names.input:
        files.append(File(name=names.input, content=case.read_input(), work=True))
    return job.program.spec(
        arguments=(*case.arguments, *arguments),
        files=tuple(files),
        collect=(names.output,) if names.output else (),
        stdin=stdin,
        limits=limits(job, allowed, cpu_ns),
        # What one process or pass was told is what another one must find out.
        apart=job.manager is not None or job.problem.passes > 1,
        threaded=job.language.threads,
    )


def need(job: Job, case: TestCase, allowed: Allowed, state: Mapping[str, bytes] | None = None) -> int:
    """The most memory that a test can take: its run, then the check of its output. `state`: as for `Interactor.run`.

    Raises:
        OverBudget: of a test of several passes, whatever the submission writes.
    """
    given, answer = _size(case.input), _size(case.answer)
    kept = sum(map(len, (state or {}).values()))
    if state is None:
        return _need(job, case, allowed, given, answer, kept, collects=False)
    needed = _need(job, case, allowed, given, answer, kept, collects=True)
    return job.slot.gate.bound_need(needed, _need(job, case, allowed, 0, 0, 0, collects=True))


def _need(job: Job, case: TestCase, allowed: Allowed, given: int, answer: int, kept: int, *, collects: bool) -> int:
    """By the sizes of input, answer and what is kept from pass to pass."""
    isolation = job.slot.program.isolation
    handed = sum(_size(path) for path in case.files)
    names = job.problem.file_io or FileIO()
    checker = case.checker or job.problem.checker
    if isinstance(checker, Comparison):
        after = allowed.output_bytes + memory_bytes(checker, answer)
    else:
        beside = cost(run_limits(checker), isolation, files_bytes=kept, collects=collects)
        after = 3 * (allowed.output_bytes + given + answer) + beside
    run = limits(job, allowed, allowed.cpu_ns)
    return given + cost(
        run,
        isolation,
        files_bytes=handed + (given if names.input else 0),
        collects=bool(names.output),
        after_bytes=after,
    )


def _size(path: Path | None) -> int:
    try:
        return 0 if path is None else os.stat(path).st_size  # noqa: PTH116 - at every run
    except OSError:  # reading it will report that
        return 0


def limits(job: Job, allowed: Allowed, cpu_ns: int) -> RunLimits:
    return RunLimits(
        cpu_ns=cpu_ns,
        wall_ns=allowed.wall_ns,
        memory_bytes=allowed.memory_bytes,
        output_bytes=allowed.output_bytes,
        processes=job.language.processes,
        open_files=job.language.open_files,
    )


def output_of(job: Job, attempt: Attempt) -> bytes:
    """What a checker judges."""
    problem, outcome = job.problem, attempt.outcome
    if attempt.talk is not None:
        return attempt.talk.interactor.files.get(OUTPUT, b"")
    if problem.file_io is not None and problem.file_io.output is not None:
        return outcome.files.get(problem.file_io.output, b"")
    return outcome.stdout


def does_same(job: Job, first: Attempt, again: Attempt) -> bool:
    """Whether the program did in a repeat what it did in the first attempt, by the rule of `repeating`."""
    if first.passes:
        pairs = list(zip(first.passes, again.passes, strict=False))
        asked = all(old.next_input in (None, new.next_input) for old, new in pairs)
        return asked and len(pairs) == len(first.passes) and all(repeats(old.spoken, new.spoken) for old, new in pairs)
    if first.spoken:
        return repeats(first.spoken, again.spoken)
    return is_same_output(first.outcome, output_of(job, first), output_of(job, again))
