"""Judges tests of interactive problems: submission and interactor run at once, on the two sandboxes of the slot.

pair (judge.slots) -> Talk -> classify the submission, ask what the interactor said -> rule (judge.ruling.interplay)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from containers import Side, Termination
from judge.checkers.interactor import Interactor
from judge.common.models import Verdict
from judge.judging.accepted import Compile, fails_anyway
from judge.judging.job import Attempt, Job, Step, classify_test, need, spec
from judge.judging.limits import limits_of, with_kept_output
from judge.judging.repeating import Speeches, marks, read_speeches, repeats
from judge.judging.trial import is_crowded, is_doubtful
from judge.ruling.classify import SLACK, Allowed, Ruling, has_starved
from judge.ruling.interplay import Said, Word, waiting
from judge.slots.budget import cost
from judge.slots.gate import Company
from judge.slots.pair import Talk
from judge.slots.slot import Slot, over_time
from problems.model import Comparison, TestCase

#: How long an interactor waits for a person, in ns.
_A_PERSONS_NS = 3600 * 10**9
#: The share of the program's wall limit for which an interactor without a core may have held it up.
_MUCH = 0.1
_MARKS = {Side.PROGRAM: ">", Side.INTERACTOR: "<"}


def attempt(
    job: Job, case: TestCase, interactor: Interactor, compile_: Compile, *, first: Attempt | None = None
) -> Attempt:
    """One conversation on one test, and what it comes to. `first`: what is repeated, alone.

    Raises:
        SandboxError: the sandbox failed.
    """
    done = step(job, case, interactor, None, first=first.spoken if first else None)
    failed = done.said is not None and done.said.word is Word.FAILED
    faulty = failed and fails_anyway(job, case, interactor.failures, compile_, partial(_fails, case, interactor))
    ruling, score = done.rule(faulty=faulty)
    to_check = ruling.verdict is Verdict.AC and job.problem.checker != Comparison()
    return Attempt(
        outcome=done.outcome,
        ruling=None if to_check else ruling,
        doubtful=ruling is done.own and done.doubtful,
        talk=done.talk,
        score=score,
        spoken=done.spoken,
    )


def _fails(case: TestCase, interactor: Interactor, right: Job) -> bool:
    allowed = limits_of(case.limits or right.problem.limits, right.language, right.options)
    talk, _ = _talk(right, case, interactor, allowed, None, alone=False)
    return interactor.read_word(talk, case.full_score).word is Word.FAILED


def step(
    job: Job,
    case: TestCase,
    interactor: Interactor,
    state: Mapping[str, bytes] | None,
    *,
    first: Speeches | None = None,
) -> Step:
    """One conversation. `state`: as for `Interactor.run`. `first`: of what is repeated, alone. Raises as `attempt`."""
    allowed = limits_of(case.limits or job.problem.limits, job.language, job.options)

    def run(before: Speeches | None) -> tuple[Talk, Company]:
        return _talk(job, case, interactor, allowed, state, alone=before is not None, marked=marks(before or ()))

    talk, company = run(first)
    said = interactor.read_word(talk, case.full_score)
    if said.word is Word.FAILED and is_crowded(company) and _timed_out(talk, interactor):
        again, their_company = run(read_speeches(talk))
        if repeats(read_speeches(talk), read_speeches(again)):
            talk, company = again, their_company
            said = interactor.read_word(talk, case.full_score)
    outcome = replace(talk.program, stdout_bytes=talk.carried.written[Side.PROGRAM])
    own = own_ruling(job, case, replace(talk, program=outcome), allowed)
    doubt = is_doubtful(outcome, own, allowed, company) or waited_for(talk, allowed, outcome.usage.cpu_ns)
    if outcome.termination is Termination.CANCELLED:  # by us, when it was refused: no fact about the program
        outcome = replace(outcome, exit_code=None, signal=None)
    return Step(
        outcome=outcome, own=own, doubtful=own is not None and doubt, said=said, talk=talk, spoken=read_speeches(talk)
    )


def waited_for(talk: Talk, allowed: Allowed, cpu_ns: int) -> bool:
    """Whether the program reached its wall limit while the interactor or the relay, for which it waits, had no core.
    The submission itself ran for `cpu_ns`: perhaps on that core, so that long is no evidence."""
    stopped = talk.program.termination is Termination.WALL_LIMIT
    waited_ns = talk.interactor.usage.waited_ns + talk.carried.waited_ns
    return stopped and waited_ns - cpu_ns >= _MUCH * allowed.wall_ns


def _talk(
    job: Job,
    case: TestCase,
    interactor: Interactor,
    allowed: Allowed,
    state: Mapping[str, bytes] | None,
    *,
    alone: bool,
    marked: Sequence[int] = (),
) -> tuple[Talk, Company]:
    slot = job.slot
    given = spec(job, case, allowed, job.cpu_limit_ns(allowed, alone=alone), None)
    input, answer = case.read_input(), case.read_answer()
    their = interactor.run(
        input=input,
        answer=answer,
        factor=1.0 if alone else SLACK,
        beside=given.limits,
        state=state,
        arguments=case.interactor_arguments,
    )
    kept = sum(map(len, (state or {}).values()))
    needed = need(job, case, with_kept_output(allowed)) + cost(
        their.limits, slot.checker.isolation, files_bytes=kept, collects=True
    )
    if state is not None:
        needed = slot.gate.bound_need(needed, cost(their.limits, slot.checker.isolation, collects=True))
    with slot.gate.enter(slot.share, needed, alone=alone) as company:
        return slot.pair.run(given, their, interactor.has_refused, marks=marked), company


def own_ruling(job: Job, case: TestCase, talk: Talk, allowed: Allowed, other: str = "interactor") -> Ruling | None:
    """What the program did by itself; None: a clean exit, or we stopped it because the verdict stood. `other`: what to
    call who talks to it."""
    outcome = talk.program
    if outcome.termination is Termination.CANCELLED:
        return None
    ruling = classify_test(job, case, outcome, allowed)
    if ruling is None or ruling.verdict is not Verdict.TLE or outcome.termination is not Termination.WALL_LIMIT:
        return ruling
    program, interactor = talk.carried.unread
    why = waiting(
        unread_program=program, unread_interactor=interactor, interactor_first=talk.interactor_first, other=other
    )
    return replace(ruling, detail=f"{ruling.detail}; {why}")


def _timed_out(talk: Talk, interactor: Interactor) -> bool:
    """Whether the interactor ran out of time, and the load may be the cause."""
    return has_starved(talk.interactor, interactor.limits.wall_ns) or over_time(talk.interactor, interactor.limits)


def play_interactor(
    case: TestCase,
    interactor: Interactor,
    slot: Slot,
    stdin: int,
    stdout: int,
    state: Mapping[str, bytes] | None = None,
) -> Said:
    """What the interactor says of whoever writes to `stdin` and reads `stdout` (descriptors of pipes). `state`: as for
    `Interactor.run`.

    Raises:
        SandboxError: the sandbox failed.
    """
    beside = replace(interactor.limits, wall_ns=_A_PERSONS_NS)
    spec = interactor.run(
        input=case.read_input(),
        answer=case.read_answer(),
        factor=1.0,
        beside=beside,
        state=state,
        arguments=case.interactor_arguments,
    )
    return interactor.word(slot.checker.run(replace(spec, stdin=stdin, stdout=stdout)), case.full_score)


def conversation(attempt: Attempt) -> str:
    """The kept parts of a conversation, a line for each line that was said: ">" before what the program wrote, "<"
    before what the interactor wrote, and "---" between passes, as in sample interactions of packages."""
    talks = [step.talk for step in attempt.passes] or [attempt.talk]
    return "\n---\n".join(read_kept(talk) for talk in talks if talk is not None)


def read_kept(talk: Talk) -> str:
    """The kept parts of one conversation."""
    lines = [*_lines(talk.carried.begin)]
    if talk.carried.left_out:
        lines.append(f"… {talk.carried.left_out} bytes left out")
    lines += _lines(talk.carried.end)
    return "\n".join(lines)


def _lines(turns: tuple[tuple[Side, bytes], ...]) -> Iterator[str]:
    for side, said in turns:
        for line in said.decode("utf-8", "replace").removesuffix("\n").split("\n"):
            yield _MARKS[side] + line
