"""Judges the completions of one step once for all reward functions.

A trainer calls its reward functions one after another, or all at the same time, with the same list of completions. The
first call has them judged; the others find that step by the identity of the list. So all functions get the same
verdicts, and the same failures.

A trainer that knows completions before it calls its reward functions may have them judged then:

    asked = Asked(judge)        asked.row(…) as soon as a completion has ended
    begin(asked, columns)       when all have; the reward functions find this step
"""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Sized
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol
from weakref import WeakKeyDictionary, WeakSet

from judge.common.errors import ConfigError, JudgeError, LanguageError
from judge.common.models import Verdict
from judge.common.whole import encode_text
from judge.languages.extraction import Completion, is_completion
from trainer_adapter.data.arrays import as_list
from trainer_adapter.rewards.grading import NO_CODE, Graded
from trainer_adapter.rewards.shared_judge import RolloutProgram, SharedJudge

_log = logging.getLogger(__name__)

#: How many steps are remembered: AsyncGRPOTrainer scores many groups at the same time.
_STEPS = 64
#: The rates to log, and the labels of completions that they count.
_RATES: Mapping[str, frozenset[str]] = {
    "accepted": frozenset({Verdict.AC}),
    "wa": frozenset({Verdict.WA, Verdict.PE, Verdict.PC}),
    "ce": frozenset({Verdict.CE}),
    "re": frozenset({Verdict.RE}),
    "tle": frozenset({Verdict.TLE}),
    "mle": frozenset({Verdict.MLE}),
    "ole": frozenset({Verdict.OLE}),
    "no_code": frozenset({NO_CODE}),
    "infra": frozenset({Verdict.IE}),
}

#: A column of the data set: a value for each completion. Tests may be Python objects, too.
Column = Sequence[Any]
LogMetric = Callable[[str, float], object]
LogExtra = Callable[[str, list[str]], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRow:
    """One completion."""

    #: The problem; None: the row of the data set names none.
    problem: str | None
    verdict: Future[Graded]
    source: bytes | None = None
    language: str | None = None
    #: Whether the verdict was known before this step.
    known: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The completions and columns that a trainer passes, in lists of one length."""

    completions: Sequence[Completion]
    problem_id: Column | None = None
    tests: Column | None = None
    language: Column | None = None
    #: Text or messages: their end may begin the answer, with thinking or with a fence.
    prompts: Column | None = None

    def __post_init__(self) -> None:
        """
        Raises:
            ConfigError: a column is no list, or has more or fewer values than there are completions; a completion or
                a prompt is neither text nor messages.
        """
        names = ("completions", "problem_id", "tests", "language", "prompts")
        stated = {name: getattr(self, name) for name in names}
        columns = {name: column for name, column in stated.items() if column is not None or name == "completions"}
        for name, column in columns.items():
            if isinstance(column, str | bytes | Mapping) or not isinstance(column, Sized):
                kind = type(column).__name__
                raise ConfigError(f"code rewards: {name} is of type {kind}; give a list, a value for each completion")
        for what, texts in (("completion", self.completions), ("prompt", self.prompts or ())):
            for number, text in enumerate(texts):
                if not is_completion(text):
                    kind = type(text).__name__
                    raise ConfigError(f"code rewards: {what} {number} is of type {kind}; give text, or messages")
        if len({len(column) for column in columns.values()}) > 1:
            lengths = ", ".join(f"{len(column)} in {name}" for name, column in columns.items())
            raise ConfigError(f"code rewards: columns of unequal length: {lengths}; give a value for each completion")

    def rows(self) -> Iterator[tuple[Completion, object, object, object, Completion | None]]:
        nothing: Column = [None] * len(self.completions)
        tests = None if self.tests is None else [as_list(value) for value in self.tests]
        columns = (
            nothing if column is None else column for column in (self.problem_id, tests, self.language, self.prompts)
        )
        return zip(self.completions, *columns, strict=True)

    def marks(self) -> list[object]:
        """Marks that tell these columns from others. We do not keep the columns: they may hold megabytes a row."""
        return [(problem_id, _mark(tests), language) for _, problem_id, tests, language, _ in self.rows()]


class Asked:
    """What has been given to the judge for one step: each program once."""

    def __init__(self, judge: SharedJudge, *, all_tests: bool = False) -> None:
        """`all_tests`: whether a reward function needs the results of all tests. Its judge remembers that: it runs all
        tests in each later step."""
        judge.all_tests = self.all_tests = judge.all_tests or all_tests
        self.judge = judge
        #: When the first program was; None: none has been.
        self.began_s: float | None = None
        self._rows: dict[tuple[str, str, str | None, bytes], JudgedRow] = {}
        self._named: dict[object, tuple[str, str]] = {}

    def row(
        self,
        completion: Completion,
        problem_id: object,
        tests: object,
        language: object,
        prompt: Completion | None = None,
    ) -> JudgedRow:
        """Have its program judged, unless it is."""
        if problem_id is None and not tests:
            return JudgedRow(problem=None, verdict=_settle(Graded()))
        text = None
        task = str(problem_id)
        try:
            if tests:
                text = tests if isinstance(tests, str) else _text(tests)
                task = _name(text, self._named)
            if not isinstance(language, str | None):
                raise LanguageError(f"the language of a row must be text, not {type(language).__name__}")
            found = self.judge.settings.extract(completion, language, prompt)
        except JudgeError as error:
            return JudgedRow(problem=task, verdict=_settle(Graded(failure=str(error))))
        if found.code is None:
            return JudgedRow(problem=task, verdict=_settle(Graded(reason=found.reason, detail=str(found.reason))))
        default = self.judge.settings.language
        program = RolloutProgram(
            source=encode_text(found.code),
            language=found.language or default,
            task=task,
            tests=text,
            default_language=default if found.chosen else None,
        )
        key = (task, program.language, program.default_language, program.source)
        if key not in self._rows:
            self.began_s = time.monotonic() if self.began_s is None else self.began_s
            verdict, known = self.judge.grade(program, all_tests=self.all_tests)
            self._rows[key] = JudgedRow(
                problem=task, source=program.source, language=program.language, verdict=verdict, known=known
            )
        return self._rows[key]


class JudgedStep:
    def __init__(self, asked: Asked, inputs: Columns) -> None:
        self.judge = asked.judge
        self.completions = inputs.completions
        self.marks = inputs.marks()
        #: Reward functions that took part.
        self.callers: set[Hashable] = set()
        #: Whether all tests of each program are run.
        self.all_tests = asked.all_tests
        self._rows = [asked.row(*row) for row in inputs.rows()]
        self._problems = [
            row.problem or "" if problem_id is None else str(problem_id)
            for row, (_, problem_id, *_) in zip(self._rows, inputs.rows(), strict=True)
        ]
        self._began_s = asked.began_s
        #: When the last verdict was there.
        self._ended_s: float | None = None
        self._waited_s = 0.0

    def run_all_tests(self, inputs: Columns) -> None:
        """Have the programs judged on all tests, too, that may have been judged up to the first refused one. What has
        failed is not tried again: other functions have given None for it. `inputs`: those of this step."""
        asked = Asked(self.judge, all_tests=True)
        rows = zip(self._rows, inputs.rows(), strict=True)
        self._rows = [row if _stands(row) else asked.row(*given) for row, given in rows]
        self.all_tests = True

    def wait(self) -> list[Graded | None]:
        """For each completion; None: nothing is to be rewarded."""
        began_s = time.monotonic()
        rows = None
        while rows is not self._rows:  # another function may need all tests meanwhile
            rows = self._rows
            self.judge.wait(row.verdict for row in rows)
        self._note_wait(began_s)
        return [None if row.problem is None else row.verdict.result() for row in rows]

    async def arrive(self) -> list[Graded | None]:
        """`wait` for coroutines."""
        import asyncio  # noqa: PLC0415 - slow to import, and most callers are synchronous

        began_s = time.monotonic()
        rows = None
        while rows is not self._rows:
            rows = self._rows
            waiting = {asyncio.wrap_future(row.verdict) for row in rows}
            while waiting:
                _, waiting = await asyncio.wait(waiting, timeout=self.judge.left_s())
                if waiting:
                    self.judge.give_up()
        self._note_wait(began_s)
        return self.wait()

    def _note_wait(self, began_s: float) -> None:
        """Who asks first waits; then all is known."""
        if self._ended_s is None:
            self._ended_s = time.monotonic()
            self._waited_s = self._ended_s - began_s

    def report(self, log_metric: LogMetric | None, log_extra: LogExtra | None) -> None:
        """Log the results; call when all are judged."""
        graded = self.wait()
        failures = [each.failure for each in graded if each is not None and each.failure is not None]
        if failures:
            _log.error("%d of %d completions are not scored; the first: %s", len(failures), len(graded), failures[0])
        if log_metric is not None:
            for name, value in self._metrics().items():
                log_metric(f"judge/{name}", value)
        for watcher in watchers:
            watcher.hear(self)
        if log_extra is not None:
            log_extra("problem", self._problems)
            log_extra("verdict", [each.label if each else "" for each in graded])
            log_extra("failing_test", [each.failing if each else "" for each in graded])
            log_extra("detail", [each.detail if each else "" for each in graded])

    def programs(self) -> Iterator[tuple[str, JudgedRow]]:
        """What was judged, each completion with its problem's name as its row has it. Call when all are judged."""
        return zip(self._problems, self._rows, strict=True)

    def _metrics(self) -> dict[str, float]:
        rows = [row for row in self._rows if row.problem is not None]
        if not rows:
            return {}
        graded = [row.verdict.result() for row in rows]
        labels = Counter(each.label for each in graded)
        groups = defaultdict[str | None, set[bytes]](set)
        for row in rows:
            groups[row.problem] |= {row.source} if row.source is not None else set()
        rates = {name: sum(labels[label] for label in counted) for name, counted in _RATES.items()}
        rates["freopen"] = sum(each.freopen for each in graded)
        rates["suspicious"] = sum(each.suspicious for each in graded)
        rates["cache_hits"] = sum(row.known for row in rows)
        return {
            **{name: count / len(rows) for name, count in rates.items()},
            "unique_programs": sum(map(len, groups.values())) / len(groups),
            **self._times(),
        }

    def _times(self) -> dict[str, float]:
        """`wall_s` from the first program to the last verdict; of it the trainer waited for `wait_s`, which is
        `wait_share` of the time since the step before was judged."""
        ended_s = time.monotonic() if self._ended_s is None else self._ended_s
        before_s = _judged_s.get(self.judge)
        _judged_s[self.judge] = ended_s
        share = {} if before_s is None else {"wait_share": self._waited_s / (ended_s - before_s)}
        wall_s = 0.0 if self._began_s is None else ended_s - self._began_s
        return {"wall_s": wall_s, "wait_s": self._waited_s} | share


class Watcher(Protocol):
    """Hears of each step once all of it is judged."""

    def hear(self, step: JudgedStep) -> None: ...


#: None is kept by this: the watcher of a run that has failed goes with it.
watchers: WeakSet[Watcher] = WeakSet()
_steps: deque[JudgedStep] = deque(maxlen=_STEPS)
#: When the last step of each judge was judged.
_judged_s: WeakKeyDictionary[SharedJudge, float] = WeakKeyDictionary()
_lock = threading.Lock()


def join(caller: Hashable, judge: SharedJudge, inputs: Columns, *, all_tests: bool = False) -> tuple[JudgedStep, bool]:
    """The step of these inputs, and whether this caller is its first. A caller that has joined the step before begins a
    new one. `all_tests`: whether the caller needs the results of all tests."""
    if inputs.tests is not None:
        logging.getLogger("trl.trainer.grpo_trainer").addFilter(_without_tests)
    with _lock:
        for step in _steps:
            if (
                step.completions is inputs.completions
                and step.judge is judge
                and caller not in step.callers
                and step.marks == inputs.marks()
            ):
                if all_tests and not step.all_tests:
                    step.run_all_tests(inputs)
                first = not step.callers
                step.callers.add(caller)
                return step, first
        step = JudgedStep(Asked(judge, all_tests=all_tests), inputs)
        step.callers.add(caller)
        _steps.append(step)
        return step, True


def begin(asked: Asked, inputs: Columns) -> None:
    """Begin the step that reward functions will join with these inputs."""
    step = JudgedStep(asked, inputs)
    with _lock:
        _steps.append(step)


def _without_tests(record: logging.LogRecord) -> bool:
    """A log filter. If all functions give None for a row, TRL logs all of it, with hidden tests. We log the failure."""
    if "All reward functions returned None" in str(record.msg):
        record.msg = "All reward functions returned None for some completions."
    return True


def _text(tests: object) -> str:
    from trainer_adapter.data.tests_text import as_text  # noqa: PLC0415 - slow to import

    return as_text(tests)


def _name(tests: str, named: dict[object, tuple[str, str]]) -> str:
    """The hash of these tests, from `named` if it is there: hashing a megabyte takes longer than comparing it."""
    mark = _mark(tests)
    if mark not in named or named[mark][0] != tests:
        named[mark] = (tests, hashlib.sha256(tests.encode(errors="surrogatepass")).hexdigest())
    return named[mark][1]


def _mark(tests: object) -> object:
    """A mark that almost always differs for other tests: what `Inline.pack` writes ends in a checksum."""
    match as_list(tests):
        case str() as text:
            return len(text), text[-32:]
        case Mapping() as stated:
            return tuple((name, _mark(value)) for name, value in stated.items())
        case Sequence() as listed if listed:
            return len(listed), _mark(listed[-1])
        case other:
            return other


def _stands(row: JudgedRow) -> bool:
    """Whether its verdict is known, and all tests would tell no more."""
    if not row.verdict.done():
        return False
    graded = row.verdict.result()
    return graded.accepted or graded.failure is not None


def _settle(graded: Graded) -> Future[Graded]:
    future: Future[Graded] = Future()
    future.set_result(graded)
    return future
