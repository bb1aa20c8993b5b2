"""Judges tests of interactive problems: submission and interactor run at once, on the two sandboxes of the slot.

pair (judge.slots) -> Talk -> classify the submission, ask what the interactor said -> rule (judge.ruling.interplay)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace

from containers import Outcome, SandboxError, Side, Termination
from judge import languages
from judge.checkers.interactor import Interactor
from judge.common.errors import LanguageError, SourceError
from judge.common.models import Verdict
from judge.compiling import source
from judge.compiling.compiler import Compiled
from judge.judging.attachments import read
from judge.judging.job import Attempt, Job, need, spec
from judge.judging.limits import limits_of
from judge.languages import Language
from judge.ruling.classify import SLACK, Allowed, Ruling, classify, doubtful
from judge.ruling.interplay import Said, Word, rule, waiting
from judge.slots.budget import cost
from judge.slots.gate import Company
from judge.slots.pair import Talk
from judge.slots.slot import Slot, over_time
from problems.constants import substituted
from problems.model import Comparison, Problem, TestCase

Compile = Callable[[bytes, Language, Problem, Slot], Compiled]

#: How long an interactor waits for a person, in ns.
_A_PERSONS_NS = 3600 * 10**9
#: The share of the program's wall limit for which an interactor without a core may have held it up.
_MUCH = 0.1
_MARKS = {Side.PROGRAM: ">", Side.INTERACTOR: "<"}


def attempt(job: Job, case: TestCase, interactor: Interactor, compile_: Compile, *, alone: bool = False) -> Attempt:
    """One conversation on one test, and what it comes to.

    Raises:
        SandboxError: the sandbox failed.
    """
    allowed = limits_of(case.limits or job.problem.limits, job.language, job.options, alone=alone)
    talk, company = _talk(job, case, interactor, allowed, alone=alone)
    said = interactor.said(talk)
    if said.word is Word.FAILED and not alone and company.crowded and _timed_out(talk, interactor):
        allowed = limits_of(case.limits or job.problem.limits, job.language, job.options, alone=True)
        talk, company = _talk(job, case, interactor, allowed, alone=True)
        said = interactor.said(talk)
    outcome = replace(talk.program, stdout_bytes=talk.carried.written[Side.PROGRAM])
    own = _own(job, case, talk, outcome, allowed)
    faulty = said.word is Word.FAILED and _fails_anyway(job, case, interactor, compile_)
    ruling, score = rule(own, said, interactor_first=talk.interactor_first, faulty=faulty)
    crowded = not alone and (company.crowded or outcome.disturbed)
    doubt = ruling is own and (doubtful(outcome, own, allowed, crowded=crowded) or waited_for(talk, allowed))
    to_check = ruling.verdict is Verdict.AC and job.problem.checker != Comparison()
    if outcome.termination is Termination.CANCELLED:  # by us, when it was refused: no fact about the program
        outcome = replace(outcome, exit_code=None, signal=None)
    return Attempt(outcome=outcome, ruling=None if to_check else ruling, doubtful=doubt, talk=talk, score=score)


def waited_for(talk: Talk, allowed: Allowed) -> bool:
    """Whether the program reached its wall limit while the interactor, for which it waits, had no core."""
    stopped = talk.program.termination is Termination.WALL_LIMIT
    return stopped and talk.interactor.usage.waited_ns >= _MUCH * allowed.wall_ns


def _talk(job: Job, case: TestCase, interactor: Interactor, allowed: Allowed, *, alone: bool) -> tuple[Talk, Company]:
    slot = job.slot
    # Above the limit, because other runs may begin at any time: `doubtful` needs the CPU time up to SLACK.
    factor = 1.0 if alone else SLACK
    given = spec(job, case, allowed, int(allowed.cpu_ns * factor), None)
    their = interactor.run(input=case.read_input(), answer=case.read_answer(), factor=factor, beside=given.limits)
    needed = need(job, case, allowed) + cost(their.limits, slot.checker.isolation, collects=True)
    enter = slot.gate.exclusive if alone else slot.gate.shared
    with enter(slot.share, needed) as company:
        return slot.pair.run(given, their, interactor.has_refused), company


def _own(job: Job, case: TestCase, talk: Talk, outcome: Outcome, allowed: Allowed) -> Ruling | None:
    """What the program did by itself; None: a clean exit, or we stopped it because it had been refused."""
    if outcome.termination is Termination.CANCELLED:
        return None
    compiled = job.program.executable is not None
    ruling = classify(outcome, allowed, out_of_memory=job.language.out_of_memory, compiled=compiled)
    if ruling is not None and ruling.verdict is Verdict.IE:
        raise SandboxError(f"test {case.name}: {ruling.detail}")
    if ruling is None or ruling.verdict is not Verdict.TLE or outcome.termination is not Termination.WALL_LIMIT:
        return ruling
    program, interactor = talk.carried.unread
    why = waiting(unread_program=program, unread_interactor=interactor, interactor_first=talk.interactor_first)
    return replace(ruling, detail=f"{ruling.detail}; {why}")


def _timed_out(talk: Talk, interactor: Interactor) -> bool:
    outcome = talk.interactor
    return outcome.termination is Termination.WALL_LIMIT or over_time(outcome, interactor.limits)


def _fails_anyway(job: Job, case: TestCase, interactor: Interactor, compile_: Compile) -> bool:
    """Whether the interactor fails on an accepted submission of the package, too. Tried once for each test."""
    known = interactor.known_to_fail(case)
    if known is None:
        job.slot.share.release()  # a compile must not wait while we hold memory
        known = any(_fails_with(job, case, interactor, *one, compile_) for one in _first_accepted(job.problem))
        interactor.remember(case, known)
    return known


def _first_accepted(problem: Problem) -> Iterator[tuple[bytes, Language]]:
    """The first accepted submission of the package that is in a language of this machine, if there is one."""
    for submission in problem.submissions:
        if submission.expected != {Verdict.AC.value}:
            continue
        try:
            language = languages.get(submission.language or languages.for_path(submission.path).name)
            language.find()
        except LanguageError:
            continue
        what = f"submission {submission.path.name}"
        yield substituted(read(submission.path, what), problem.constants, what), language
        return


def _fails_with(
    job: Job, case: TestCase, interactor: Interactor, text: bytes, language: Language, compile_: Compile
) -> bool:
    language = language.compiled_under(*job.options.compile_limits)
    try:
        cleaned = source.clean(
            text, family=language.family, limit_bytes=job.problem.limits.code_bytes, gnu=language.gnu
        )
    except SourceError:
        return False
    compiled = compile_(cleaned.text, language, job.problem, job.slot)
    with compiled.program or nullcontext() as program:
        if program is None:
            return False
        right = replace(job, program=program, language=language)
        allowed = limits_of(case.limits or job.problem.limits, language, job.options, alone=False)
        talk, _ = _talk(right, case, interactor, allowed, alone=False)
        return interactor.said(talk).word is Word.FAILED


def played(case: TestCase, interactor: Interactor, slot: Slot, stdin: int, stdout: int) -> Said:
    """What the interactor says of whoever writes to `stdin` and reads `stdout` (descriptors of pipes).

    Raises:
        SandboxError: the sandbox failed.
    """
    beside = replace(interactor.limits, wall_ns=_A_PERSONS_NS)
    spec = interactor.run(input=case.read_input(), answer=case.read_answer(), factor=1.0, beside=beside)
    return interactor.word(slot.checker.run(replace(spec, stdin=stdin, stdout=stdout)))


def conversation(talk: Talk) -> str:
    """The kept parts of a conversation, a line for each line that was said: ">" before what the program wrote, "<"
    before what the interactor wrote, as in sample interactions of packages."""
    lines = [*_lines(talk.carried.begin)]
    if talk.carried.left_out:
        lines.append(f"… {talk.carried.left_out} bytes left out")
    lines += _lines(talk.carried.end)
    return "\n".join(lines)


def _lines(turns: tuple[tuple[Side, bytes], ...]) -> Iterator[str]:
    for side, said in turns:
        for line in said.decode("utf-8", "replace").removesuffix("\n").split("\n"):
            yield _MARKS[side] + line
