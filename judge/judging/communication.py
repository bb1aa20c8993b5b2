"""Judges tests of communication problems: processes of the submission and the manager run at once.

crew (judge.slots) -> Spoken -> classify each process, ask what the manager said -> rule_all (judge.ruling)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from containers import Outcome, Side, Termination
from judge.checkers.manager import Manager
from judge.judging.accepted import Compile, fails_anyway
from judge.judging.interactive import own_ruling, read_kept, waited_for
from judge.judging.job import Attempt, Job, need, spec
from judge.judging.limits import limits_of, with_kept_output
from judge.judging.repeating import Speeches, marks, repeats
from judge.judging.repeating import read_speeches as spoken_in
from judge.judging.trial import is_crowded, is_doubtful
from judge.ruling.classify import SLACK, Allowed, Ruling, classify, has_starved
from judge.ruling.communication import End, over_together, rule_all
from judge.ruling.interplay import Said, Word
from judge.slots.budget import cost
from judge.slots.crew import Spoken
from judge.slots.gate import Company
from judge.slots.pair import Talk
from judge.slots.slot import over_time
from problems.model import TestCase


def attempt(job: Job, case: TestCase, manager: Manager, compile_: Compile, *, first: Attempt | None = None) -> Attempt:
    """All processes on one test, and what they come to. `first`: what is repeated, alone.

    Raises:
        SandboxError: a sandbox failed.
        Unsupported: this backend passes no pipes.
    """
    alone = first is not None
    allowed = _limit_processes(job, case)
    spoken, company = _hold_conversation(
        job, case, manager, allowed, alone=alone, marked=marks(first.spoken if first else ())
    )
    said = _read_manager(manager, spoken, case)
    failed = said is not None and said.word is Word.FAILED
    if failed and is_crowded(company) and _timed_out(manager, spoken):
        lost = Attempt(outcome=spoken.manager, ruling=None, doubtful=False, spoken=_speeches(_talks(spoken)))
        again = attempt(job, case, manager, compile_, first=lost)
        if repeats(lost.spoken, again.spoken):
            return again
    talks = _talks(spoken)
    ends = [
        End(own=own_ruling(job, case, talk, allowed, "manager"), ended_ns=talk.program.usage.ended_ns) for talk in talks
    ]
    cpu_ns = sum(talk.program.usage.cpu_ns for talk in talks)
    together = over_together(cpu_ns, allowed.cpu_ns, len(talks))
    faulty = failed and fails_anyway(job, case, manager.failures, compile_, partial(_fails, case, manager))
    manager_ns = spoken.manager.usage.ended_ns
    ruling, score, who = rule_all(ends, said, manager_ns=manager_ns, together=together, faulty=faulty)
    programs = [talk.program for talk in talks]
    if who is not None:
        blamed = talks[who]
        doubt = is_doubtful(blamed.program, ends[who].own, allowed, company, *programs)
        doubt = doubt or waited_for(blamed, allowed, cpu_ns)
    else:
        doubt = ruling is together and is_crowded(company, *programs) and cpu_ns < SLACK * allowed.cpu_ns
    return Attempt(
        outcome=_together(talks, who or 0),
        ruling=ruling,
        doubtful=doubt,
        talks=talks,
        score=score,
        spoken=_speeches(talks),
    )


def conversations(talks: tuple[Talk, ...]) -> str:
    """The kept parts, of each process below a line "--- process N"."""
    return "\n".join(f"--- process {i}\n{read_kept(talk)}" for i, talk in enumerate(talks))


def _talks(spoken: Spoken) -> tuple[Talk, ...]:
    return tuple(
        Talk(
            program=replace(outcome, stdout_bytes=carried.written[Side.PROGRAM]),
            interactor=spoken.manager,
            carried=carried,
        )
        for outcome, carried in zip(spoken.processes, spoken.carried, strict=True)
    )


def _speeches(talks: tuple[Talk, ...]) -> Speeches:
    return tuple(speech for talk in talks for speech in spoken_in(talk))


def _limit_processes(job: Job, case: TestCase) -> Allowed:
    return limits_of(case.limits or job.problem.limits, job.language, job.options)


def _hold_conversation(
    job: Job, case: TestCase, manager: Manager, allowed: Allowed, *, alone: bool, marked: Sequence[int] = ()
) -> tuple[Spoken, Company]:
    slot = job.slot
    cpu_ns = job.cpu_limit_ns(allowed, alone=alone)
    given = [spec(job, case, allowed, cpu_ns, None, manager.arguments(i)) for i in range(manager.processes)]
    their_cost = cost(manager.limits, slot.checker.isolation, files_bytes=2 * len(case.read_input()), collects=True)
    needed = manager.processes * need(job, case, with_kept_output(allowed)) + their_cost

    def decides(process: int | None, outcome: Outcome) -> bool:
        if process is not None:
            return _classify_processes(job, outcome, allowed) is not None
        return manager.word(outcome).word is not Word.ACCEPTED

    with (
        manager.run(case, factor=1.0 if alone else SLACK, beside=given[0].limits) as their,
        slot.gate.enter(slot.share, needed, alone=alone) as company,
    ):
        return slot.crew.run(slot.programs(manager.processes), given, their, decides, marked), company


def _classify_processes(job: Job, outcome: Outcome, allowed: Allowed) -> Ruling | None:
    compiled = job.program.executable is not None
    return classify(outcome, allowed, out_of_memory=job.language.out_of_memory, compiled=compiled)


def _read_manager(manager: Manager, spoken: Spoken, case: TestCase) -> Said | None:
    """None: it was stopped."""
    if spoken.manager.termination is Termination.CANCELLED:
        return None
    return manager.read_word(spoken, case.full_score)


def _timed_out(manager: Manager, spoken: Spoken) -> bool:
    """Whether the manager ran out of time, and the load may be the cause."""
    return has_starved(spoken.manager, manager.limits.wall_ns) or over_time(spoken.manager, manager.limits)


def _fails(case: TestCase, manager: Manager, right: Job) -> bool:
    spoken, _ = _hold_conversation(right, case, manager, _limit_processes(right, case), alone=False)
    said = _read_manager(manager, spoken, case)
    return said is not None and said.word is Word.FAILED


def _together(talks: tuple[Talk, ...], who: int) -> Outcome:
    """The facts of process `who`, with the CPU time of all, and the most memory and wall time of one."""
    usages = [talk.program.usage for talk in talks]
    most = max(usages, key=lambda usage: usage.memory_bytes)
    outcome = talks[who].program
    usage = replace(
        outcome.usage,
        cpu_ns=sum(usage.cpu_ns for usage in usages),
        wall_ns=max(usage.wall_ns for usage in usages),
        memory_bytes=most.memory_bytes,
        memory_source=most.memory_source,
        cgroup_peak_bytes=most.cgroup_peak_bytes,
    )
    if outcome.termination is Termination.CANCELLED:  # by us, when the verdict stood: no fact about the program
        outcome = replace(outcome, exit_code=None, signal=None)
    suspicious = tuple(dict.fromkeys(call for talk in talks for call in talk.program.suspicious))
    return replace(outcome, usage=usage, suspicious=suspicious)
