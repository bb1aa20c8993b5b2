"""The audit of a file of judged rollouts, problem by problem."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import ValidationError

from judge import languages
from judge.common.config import CHOSEN_LANGUAGES
from judge.common.errors import ConfigError, JudgeError, LanguageError
from judge.common.models import Submission, Verdict
from judge.many.pool import Judge
from judge.many.rows import InputRow
from judge.many.strength.compare import Difference
from judge.many.verify import missing
from problems.errors import ProblemError
from problems.model import Problem
from trainer_adapter.audit.fresh import PANEL, FreshInputs, NoFreshInputs, Outcome, Said, fresh_inputs
from trainer_adapter.audit.sampling import sample
from trainer_adapter.audit.signs import Found, Look, Sign, Watched, describe_failure, passes_samples_only
from trainer_adapter.rollouts.row import Rollout
from trainer_adapter.rollouts.selection import normal_form
from trainer_adapter.rollouts.selection.source import Entry

#: Rejected for what it wrote: a comparison may be wrong. A crash, or a time-out, is no comparison's fault.
BY_OUTPUT = frozenset({Verdict.WA, Verdict.PE, Verdict.PC})
#: Told of each problem: how many are done, of how many.
Tell = Callable[[str, int, int], None]


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
    #: Rows that name no problem: as of lines that `judge batch` could not read.
    nameless: int = 0
    #: Problems without fresh inputs, and why; inputs on which those who answered differ.
    without_inputs: dict[str, str] = field(default_factory=dict)
    disputed: dict[str, int] = field(default_factory=dict)


class NothingToAudit(ConfigError):
    """Nothing was accepted, or rejected for its output."""


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
        NothingToAudit: nothing was accepted, or rejected for its output.
        ConfigError: a line is no judged rollout.
    """
    plan, by_problem = plan or Plan(), rows.by_problem()
    found = Audit(nameless=len(by_problem.pop("", ())))
    accepted = {name: [one for one in entries if one.accepted] for name, entries in by_problem.items()}
    rejected = {name: [one for one in entries if one.verdict in BY_OUTPUT] for name, entries in by_problem.items()}
    found.accepted, found.rejected = (sum(map(len, each.values())) for each in (accepted, rejected))
    if not found.accepted + found.rejected:
        raise NothingToAudit("nothing in it was accepted, or rejected for its output: there is nothing to audit")
    some = sample(accepted, plan.accepted, plan.seed)
    others = sample(rejected, plan.rejected, plan.seed)
    names = [name for name in accepted if accepted[name] or name in others]
    signed = plan.signed
    for number, name in enumerate(names):
        tell("problems", number, len(names))
        one = _OneProblem(name=name, rows=rows, judge=judge, plan=plan, found=found)
        signed = one.audit(load, accepted[name], some.get(name, ()), others.get(name, ()), signed)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Program:
    """A rollout that will be audited."""

    entry: Entry
    sampled: bool
    submission: Submission
    #: Of its normal form.
    digest: bytes
    signs: tuple[Found, ...] = ()
    detail: str = ""

    @property
    def key(self) -> tuple[bytes, str, str | None]:
        """Two with the same one are judged once. Normal forms would not do: they leave out what an include or a
        docstring says."""
        one = self.submission
        return one.source, one.language, one.default_language


@dataclass(frozen=True, slots=True, kw_only=True)
class _OneProblem:
    name: str
    rows: Rows
    judge: Judge
    plan: Plan
    found: Audit

    def audit(
        self,
        load: Callable[[str], Problem],
        accepted: Sequence[Entry],
        sampled: Sequence[Entry],
        rejected: Sequence[Entry],
        signed: int | None,
    ) -> int | None:
        """`signed`: so many that only show signs may be audited, too; returns how many are left for other problems."""
        try:
            problem = load(self.name)
        except (ProblemError, JudgeError) as error:
            self._give_up([*sampled, *rejected], str(error))
            return signed
        watched, programs = Watched.of(problem), list[_Program]()
        panel: dict[bytes, Submission] = {}
        for one in self._read(problem, watched, accepted, frozenset(sampled)):
            self._note(one)
            if not one.signs and len(panel) < PANEL:
                panel.setdefault(one.digest, one.submission)
            if one.sampled or (one.signs and signed != 0):
                programs.append(one)
                signed = signed if one.sampled or signed is None else signed - 1
        programs += self._read(problem, watched, rejected, frozenset(rejected))
        if programs:
            self._compare(problem, programs, list(panel.values()))
        return signed

    def _read(
        self, problem: Problem, watched: Watched, entries: Sequence[Entry], sampled: frozenset[Entry]
    ) -> Iterator[_Program]:
        for entry in entries:
            rollout = self.rows.rollout(entry)
            submission, complaint = self._find_program(rollout)
            if submission is None:
                self._tell_unknown([entry] if entry in sampled else [], complaint)
                continue
            source = submission.source.decode("utf-8", "replace")
            family = languages.get(submission.language).family
            tokens = normal_form.normal_form(source, family)
            limit_ns = int(problem.limits.cpu_ns * languages.get(submission.language).time_multiplier)
            signs = Look(tokens, source, rollout).signs(watched, limit_ns) if entry.accepted else []
            self.found.samples_only += passes_samples_only(rollout)
            yield _Program(
                entry=entry,
                sampled=entry in sampled,
                submission=submission,
                digest=normal_form.digest([family, *tokens]),
                signs=tuple(signs),
                detail="" if entry.accepted else describe_failure(rollout),
            )

    def _find_program(self, rollout: Rollout) -> tuple[Submission | None, str]:
        """None, and why: it was judged under other rules, or on another machine."""
        try:
            line = InputRow.model_validate(_columns(rollout)).item(0, self.plan.language, CHOSEN_LANGUAGES)
            if line.submission is None:
                return None, line.error or "no program is found in its completion"
            languages.get(line.submission.language)  # outputs are of none
            lacking = missing(self.judge, line.submission)
        except ValidationError as error:
            return None, str(error.errors(include_url=False)[0]["msg"])
        except LanguageError as error:
            return None, str(error)
        return (line.submission, "") if lacking is None else (None, lacking)

    def _note(self, one: _Program) -> None:
        self.found.programs[one.digest].add(self.name)
        for each in one.signs:
            self.found.signed[each.sign] += 1
            self.found.sign_in[each.sign].add(self.name)

    def _compare(self, problem: Problem, programs: Sequence[_Program], panel: Sequence[Submission]) -> None:
        try:
            with fresh_inputs(self.judge, problem, panel, self.plan.inputs, self.plan.seed) as fresh:
                said = _compare_each(fresh, programs)
                if fresh.disputed:
                    self.found.disputed[self.name] = fresh.disputed
        except (NoFreshInputs, ProblemError) as error:
            self._give_up([one.entry for one in programs if one.sampled], str(error))
            return
        for one in programs:
            self.found.audited.append(self._note_outcome(one, said[one.key], validated=fresh.validated))

    def _note_outcome(self, one: _Program, said: Said, *, validated: bool) -> Audited:
        unknown = "its program could not be judged on fresh inputs" if said.outcome is Outcome.UNKNOWN else ""
        return self._describe(
            one.entry,
            sampled=one.sampled,
            signs=one.signs,
            outcome=said.outcome,
            difference=said.difference,
            unvalidated=not validated,
            detail=one.detail or unknown,
        )

    def _give_up(self, entries: Sequence[Entry], why: str) -> None:
        """Nothing of this problem can be audited."""
        self.found.without_inputs[self.name] = why
        self._tell_unknown(entries, why)

    def _tell_unknown(self, entries: Sequence[Entry], why: str) -> None:
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


def _compare_each(fresh: FreshInputs, programs: Sequence[_Program]) -> dict[tuple[bytes, str, str | None], Said]:
    """Of each program once. One that the tests refuse, and the fresh inputs do not, is tried on more."""
    distinct = {one.key: one.submission for one in programs}
    said = dict(zip(distinct, fresh.compare(list(distinct.values())), strict=True))
    doubtful = {
        one.key: one.submission for one in programs if not one.entry.accepted and said[one.key].outcome is Outcome.RIGHT
    }
    return said | dict(zip(doubtful, fresh.compare_more(list(doubtful.values())), strict=True))


def _columns(rollout: Rollout) -> dict[str, Any]:
    """As a row that `judge batch` takes."""
    program = {"source": rollout.source} if rollout.source is not None else {"completion": rollout.completion}
    return program | {
        "problem": rollout.problem,
        "prompt": rollout.prompt,
        "template_end": rollout.template_end,
        "language": rollout.language,
    }
