"""The audit of a file of judged rollouts, problem by problem."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from judge import languages
from judge.common.config import CHOSEN_LANGUAGES
from judge.common.errors import ConfigError, JudgeError
from judge.common.models import Submission, Verdict
from judge.many.pool import Judge
from judge.many.rows import InputRow
from judge.many.strength.compare import Difference
from problems.errors import ProblemError
from problems.model import Problem
from trainer_adapter.audit.fresh import PANEL, FreshInputs, NoFreshInputs, fresh_inputs
from trainer_adapter.audit.sampling import sample
from trainer_adapter.audit.signs import Found, Look, Sign, Watched, describe_failure, passes_samples_only
from trainer_adapter.rollouts.row import Rollout
from trainer_adapter.rollouts.selection import normal_form
from trainer_adapter.rollouts.selection.source import Entry

#: Rejected for what it wrote: a comparison may be wrong. A crash, or a time-out, is no comparison's fault.
BY_OUTPUT = frozenset({Verdict.WA, Verdict.PE, Verdict.PC})
_LIMITS = frozenset({Verdict.TLE, Verdict.MLE, Verdict.OLE})
#: Told of each problem: how many are done, of how many.
Tell = Callable[[str, int, int], None]


class Outcome(StrEnum):
    """What fresh inputs say of a program."""

    RIGHT = "right"
    WRONG = "wrong"
    #: Over a limit on a fresh input, which may be larger than the tests: neither right nor wrong.
    LIMIT = "limit"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is audited. None: all."""

    #: Accepted rollouts, and those that were rejected for their output: random ones, for the rates.
    accepted: int | None = 200
    rejected: int | None = 50
    #: Accepted ones that show signs, beside those.
    signed: int | None = 200
    #: Fresh inputs of each problem.
    inputs: int = 12
    seed: int = 1
    #: Of programs whose row and fence name none.
    language: str = "cpp17"


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """One rollout that was looked at."""

    id: str
    problem: str
    difficulty: str
    step: int | None
    verdict: Verdict
    #: Of the random sample, which the rates are made of.
    sampled: bool
    signs: tuple[Found, ...] = ()
    outcome: Outcome
    #: Where it is wrong, or over a limit.
    difference: Difference | None = None
    #: No input validator has seen the inputs.
    unvalidated: bool = False
    #: Why nothing is known; or of a rejected one what the tests said.
    detail: str = ""

    @property
    def accepted(self) -> bool:
        return self.verdict is Verdict.AC

    def as_dict(self) -> dict[str, Any]:
        one = self.difference
        shown = {} if one is None else {
            "input": one.input.decode("utf-8", "replace"),
            "expected": one.answer.decode("utf-8", "replace"),
            "got": one.result.stdout,
            "got_verdict": one.result.verdict,
            "unvalidated": self.unvalidated,
        }  # fmt: skip
        return {
            "id": self.id,
            "problem": self.problem,
            "difficulty": self.difficulty,
            "step": self.step,
            "verdict": self.verdict,
            "sampled": self.sampled,
            "outcome": self.outcome,
            "signs": {each.sign: each.evidence for each in self.signs},
            "detail": self.detail,
            **shown,
        }


@dataclass(slots=True, kw_only=True)
class Audit:
    """What was found."""

    audited: list[Audited] = field(default_factory=list)
    accepted: int = 0
    rejected: int = 0
    #: Accepted rollouts that show a sign; and the problems in which it is shown.
    signed: defaultdict[Sign, int] = field(default_factory=lambda: defaultdict(int))
    sign_in: defaultdict[Sign, set[str]] = field(default_factory=lambda: defaultdict(set))
    #: Of each program, by its normal form, the problems in which it was accepted.
    programs: defaultdict[bytes, set[str]] = field(default_factory=lambda: defaultdict(set))
    #: Rejected rollouts that pass all samples.
    samples_only: int = 0
    #: Problems without fresh inputs, and why; inputs on which those who answered differ.
    without_inputs: dict[str, str] = field(default_factory=dict)
    disputed: dict[str, int] = field(default_factory=dict)


class Rows(Protocol):
    """A file of rollouts, as `rollouts.selection.source.Source` is one."""

    def by_problem(self) -> dict[str, list[Entry]]: ...
    def rollout(self, entry: Entry) -> Rollout: ...


def audit(
    rows: Rows,
    load: Callable[[str], Problem],
    judge: Judge,
    plan: Plan | None = None,
    tell: Tell = lambda what, done, all_: None,
) -> Audit:
    """Audit judged rollouts. `load` gives the problem of a name, or raises ProblemError or JudgeError.

    Raises:
        ConfigError: a line is no judged rollout, or nothing in it was accepted or rejected for its output.
    """
    plan, found = plan or Plan(), Audit()
    by_problem = rows.by_problem()
    accepted = {name: [one for one in entries if one.accepted] for name, entries in by_problem.items() if name}
    rejected = {name: [one for one in entries if one.verdict in BY_OUTPUT] for name, entries in by_problem.items()}
    found.accepted, found.rejected = (sum(map(len, each.values())) for each in (accepted, rejected))
    if not found.accepted + found.rejected:
        raise ConfigError("nothing in it was accepted, or rejected for its output: there is nothing to audit")
    some = sample(accepted, plan.accepted, plan.seed)
    others = sample(rejected, plan.rejected, plan.seed)
    names = [name for name in accepted if accepted[name] or name in others]
    signed = plan.signed
    for number, name in enumerate(names):
        tell("problems", number, len(names))
        one = _OneProblem(name=name, rows=rows, plan=plan, found=found)
        signed = one.audit(load, judge, accepted[name], some.get(name, ()), others.get(name, ()), signed)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Program:
    """A rollout that will be audited."""

    entry: Entry
    sampled: bool
    submission: Submission
    #: Two with the same one do the same.
    digest: bytes
    signs: tuple[Found, ...] = ()
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _OneProblem:
    name: str
    rows: Rows
    plan: Plan
    found: Audit

    def audit(
        self,
        load: Callable[[str], Problem],
        judge: Judge,
        accepted: Sequence[Entry],
        sampled: Sequence[Entry],
        rejected: Sequence[Entry],
        signed: int | None,
    ) -> int | None:
        """`signed`: so many that only show signs may be audited, too; returns how many are left for other problems."""
        try:
            problem = load(self.name)
        except (ProblemError, JudgeError) as error:
            self._tell_unknown([*sampled, *rejected], str(error))
            return signed
        marked = {id(entry) for entry in sampled}
        programs: list[_Program] = []
        panel: dict[bytes, Submission] = {}
        for one in self._read(problem, accepted, marked):
            self._note(one)
            if not one.signs and len(panel) < PANEL:
                panel.setdefault(one.digest, one.submission)
            if one.sampled or (one.signs and signed != 0):
                programs.append(one)
                signed = signed if one.sampled or signed is None else signed - 1
        programs += self._read(problem, rejected, set(map(id, rejected)))
        if programs:
            self._compare(judge, problem, programs, list(panel.values()))
        return signed

    def _read(self, problem: Problem, entries: Sequence[Entry], sampled: set[int]) -> Iterator[_Program]:
        watched = Watched.of(problem)
        for entry in entries:
            rollout = self.rows.rollout(entry)
            row = InputRow.model_validate(_columns(rollout))
            submission = row.item(0, self.plan.language, CHOSEN_LANGUAGES).submission
            if submission is None:  # judged under other rules
                self._tell_unknown([entry] if id(entry) in sampled else [], "no program is found in its completion")
                continue
            source = submission.source.decode("utf-8", "replace")
            family = languages.get(submission.language).family
            tokens = normal_form.normal_form(source, family)
            limit_ns = int(problem.limits.cpu_ns * languages.get(submission.language).time_multiplier)
            signs = Look(tokens, source, rollout).signs(watched, limit_ns) if entry.accepted else []
            self.found.samples_only += passes_samples_only(rollout)
            yield _Program(
                entry=entry,
                sampled=id(entry) in sampled,
                submission=submission,
                digest=normal_form.digest([family, *tokens]),
                signs=tuple(signs),
                detail="" if entry.accepted else describe_failure(rollout),
            )

    def _note(self, one: _Program) -> None:
        self.found.programs[one.digest].add(self.name)
        for each in one.signs:
            self.found.signed[each.sign] += 1
            self.found.sign_in[each.sign].add(self.name)

    def _compare(
        self, judge: Judge, problem: Problem, programs: Sequence[_Program], panel: Sequence[Submission]
    ) -> None:
        try:
            with fresh_inputs(judge, problem, panel, self.plan.inputs, self.plan.seed) as fresh:
                differences = _differences(fresh, programs)
                if fresh.disputed:
                    self.found.disputed[self.name] = fresh.disputed
        except (NoFreshInputs, ProblemError) as error:
            self._tell_unknown([one.entry for one in programs if one.sampled], str(error))
            return
        for one in programs:
            self.found.audited.append(self._judge(one, differences[one.digest], validated=fresh.validated))

    def _judge(self, one: _Program, difference: Difference | None, *, validated: bool) -> Audited:
        outcome = Outcome.RIGHT
        if difference is not None:
            outcome = Outcome.LIMIT if difference.result.verdict in _LIMITS else Outcome.WRONG
        return self._describe(
            one.entry,
            sampled=one.sampled,
            signs=one.signs,
            outcome=outcome,
            difference=difference,
            unvalidated=not validated,
            detail=one.detail,
        )

    def _tell_unknown(self, entries: Sequence[Entry], why: str) -> None:
        self.found.without_inputs[self.name] = why
        self.found.audited += [
            self._describe(entry, sampled=True, outcome=Outcome.UNKNOWN, detail=why) for entry in entries
        ]

    def _describe(self, entry: Entry, **facts: Any) -> Audited:
        return Audited(
            id=entry.id,
            problem=self.name,
            difficulty=entry.difficulty,
            step=entry.step,
            verdict=entry.verdict or Verdict.IE,
            **facts,
        )


def _differences(fresh: FreshInputs, programs: Sequence[_Program]) -> dict[bytes, Difference | None]:
    """Of each distinct program. One that the tests refuse, and the fresh inputs do not, is tried on more."""
    distinct = {one.digest: one.submission for one in programs}
    found = dict(zip(distinct, fresh.compare(list(distinct.values())), strict=True))
    doubtful = {one.digest: one.submission for one in programs if not one.entry.accepted and found[one.digest] is None}
    return found | dict(zip(doubtful, fresh.compare_more(list(doubtful.values())), strict=True))


def _columns(rollout: Rollout) -> dict[str, Any]:
    """As a row that `judge batch` takes."""
    program = {"source": rollout.source} if rollout.source is not None else {"completion": rollout.completion}
    return program | {
        "problem": rollout.problem,
        "prompt": rollout.prompt,
        "template_end": rollout.template_end,
        "language": rollout.language,
    }
