"""Reward functions for TRL's trainers: they reward programs by the judge's verdicts.

    from trainer_adapter import reward_funcs
    GRPOTrainer(reward_funcs=[reward_funcs.accepted, reward_funcs.format], …)

Columns of the data set, one value a row:

    problem_id   name of a bundled problem, path of a package, or a key of the problem store (`Settings.problems`)
    tests        instead: the tests themselves, in a form that `trainer_adapter.data.tests_text` reads
    language     optional: the language to answer in; else the fence's tag chooses one of `Settings.languages`, else it
                 is `Settings.language`

The prompts, which every trainer hands over, tell what they began of the answer: a fence, or thinking. Where a chat
template opens the thinking, say so in `Settings.template_end`.

Testing stops at a program's first refused test unless a function needs the results of all (`pass_rate`, `weighted`,
`subtask`, `ratio`, `improvement`). The judge learns that in the first step in which such a function is called;
`Settings.all_tests` says it before.

A row with neither problem nor tests is none of ours: every function gives None for it. So does every function for a
completion that could not be judged by a failure that is not the program's. It is then neither rewarded nor punished.
Pass functions of others through `UnlessFailed`, so that they do, too, and async ones through `AsyncUnlessFailed`.
Nothing else of ours is ever None, and nothing is raised for what a completion, a problem or the machine is like.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from inspect import iscoroutinefunction
from math import isfinite
from types import MappingProxyType
from typing import Any, TypeGuard

from judge.common.errors import ConfigError
from judge.common.models import AS_FAST, WITHIN_TWICE, Stop
from judge.languages.extraction import Completion
from trainer_adapter.rewards.grading import Graded
from trainer_adapter.rewards.judged_step import Column, Columns, JudgedStep, join
from trainer_adapter.rewards.shared_judge import Settings, close, shared_judge
from trainer_adapter.rewards.template import template_end

__all__ = [
    "AsyncCodeReward",
    "AsyncUnlessFailed",
    "CodeReward",
    "Kind",
    "Settings",
    "UnlessFailed",
    "accepted",
    "close",
    "compiles",
    "format",
    "improvement",
    "pass_rate",
    "ratio",
    "subtask",
    "template_end",
    "weighted",
]

Rewards = list[float | None]


class Kind(StrEnum):
    #: 1 for a program that passes everything, else 0.
    ACCEPTED = "accepted"
    #: The share of the tests that pass.
    PASS_RATE = "pass_rate"  # noqa: S105 - no password
    #: `accepted`, plus `shaping` times the share of the tests that pass, unless the program always prints the same.
    WEIGHTED = "weighted"
    #: The problem's score, by its subtasks.
    SUBTASK = "subtask"
    #: The raw score beside the best that the package states, without a ceiling; the score where there is none.
    RATIO = "ratio"
    #: How much of the way from the package's baseline to its best the raw score has gone, without a ceiling.
    IMPROVEMENT = "improvement"
    #: For a program that passes everything: 1 if it is about as fast as the package's fastest accepted submission, 0.5
    #: if it takes at most twice as long, else 0.25. `Options.efficiency` has to ask. 1 where nothing can be compared.
    EFFICIENT = "efficient"
    #: `shaping` for a program that compiles.
    COMPILES = "compiles"
    #: `shaping` for a completion that holds a program.
    FORMAT = "format"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """All that is to be known of a kind of reward."""

    #: From what a program got and `shaping` to what it earns; None: nothing is to be rewarded.
    pay: Callable[[Graded, float], float | None]
    #: True: the results of all tests are needed. False: the first test that fails decides.
    needs_all_tests: bool


RULES: Mapping[Kind, Rule] = MappingProxyType(
    {
        Kind.ACCEPTED: Rule(pay=lambda graded, _: float(graded.accepted), needs_all_tests=False),
        Kind.PASS_RATE: Rule(pay=lambda graded, _: graded.passed, needs_all_tests=True),
        Kind.WEIGHTED: Rule(
            pay=lambda graded, shaping: float(graded.accepted) + (0.0 if graded.constant else shaping * graded.passed),
            needs_all_tests=True,
        ),
        Kind.SUBTASK: Rule(pay=lambda graded, _: graded.score, needs_all_tests=True),
        Kind.RATIO: Rule(pay=lambda graded, _: graded.ratio, needs_all_tests=True),
        Kind.IMPROVEMENT: Rule(pay=lambda graded, _: graded.improvement, needs_all_tests=True),
        Kind.EFFICIENT: Rule(pay=lambda graded, _: _pay_speed(graded), needs_all_tests=False),
        Kind.COMPILES: Rule(pay=lambda graded, shaping: shaping * graded.compiled, needs_all_tests=False),
        Kind.FORMAT: Rule(pay=lambda graded, shaping: shaping * (graded.reason is None), needs_all_tests=False),
    }
)


def _pay_speed(graded: Graded) -> float:
    if not graded.accepted:
        return 0.0
    if graded.efficiency is None or graded.efficiency <= AS_FAST:
        return 1.0
    return 0.5 if graded.efficiency <= WITHIN_TWICE else 0.25


@dataclass(frozen=True)
class _CodeReward:
    kind: Kind = Kind.ACCEPTED
    settings: Settings = field(default_factory=Settings)
    #: The most that a program which is not accepted can earn: less than what being accepted adds.
    shaping: float = 0.1
    name: str | None = None

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "kind", Kind(self.kind))
        except ValueError:
            raise ConfigError(f"reward {self.kind!r} is unknown: choose one of {', '.join(Kind)}") from None
        if not (isfinite(self.shaping) and 0 <= self.shaping < 1):
            raise ConfigError(f"reward {self.__name__}: shaping must be at least 0 and below 1, not {self.shaping}")
        if self.kind is Kind.EFFICIENT and not self.settings.options.efficiency:
            remedy = "set Settings(options=Options(efficiency=True))"
            raise ConfigError(f"reward {self.__name__}: nothing is compared; {remedy}")
        if self.needs_all_tests and self.settings.options.stop is not Stop.NEVER:
            raise ConfigError(f"reward {self.__name__}: needs all tests; do not stop at the first failure")

    @property
    def __name__(self) -> str:
        """The name by which trainers log it."""
        return self.name or self.kind.value

    @property
    def needs_all_tests(self) -> bool:
        return RULES[self.kind].needs_all_tests

    def pay(self, graded: Graded | None) -> float | None:
        """What a judged completion earns; None: nothing is to be rewarded, or the judge failed."""
        return _finite(self._worth(graded))

    def _worth(self, graded: Graded | None) -> float | None:
        if graded is None or graded.failure is not None:
            return None
        return RULES[self.kind].pay(graded, self.shaping)


class CodeReward(_CodeReward):
    """A reward function. Equal settings share one Judge; the functions of a trainer share each program's judgement.

    Raises:
        ConfigError: when made, if settings contradict each other; when called, if the data set lacks our columns.
    """

    def __call__(self, /, completions: Sequence[Completion], **columns: Any) -> Rewards:
        step, first = _join(self, self.settings, self.needs_all_tests, completions, **columns)
        rewards = [self.pay(graded) for graded in step.wait()]
        if first:
            step.report(columns.get("log_metric"), columns.get("log_extra"))
        return rewards


class AsyncCodeReward(_CodeReward):
    """The same for trainers that await reward functions: it does not block their event loop."""

    async def __call__(self, /, completions: Sequence[Completion], **columns: Any) -> Rewards:
        import asyncio  # noqa: PLC0415 - slow to import, and most callers are synchronous

        step, first = await asyncio.to_thread(_join, self, self.settings, self.needs_all_tests, completions, **columns)
        rewards = [self.pay(graded) for graded in await step.arrive()]
        if first:
            step.report(columns.get("log_metric"), columns.get("log_extra"))
        return rewards


accepted = CodeReward(Kind.ACCEPTED)
pass_rate = CodeReward(Kind.PASS_RATE)
weighted = CodeReward(Kind.WEIGHTED)
subtask = CodeReward(Kind.SUBTASK)
ratio = CodeReward(Kind.RATIO)
improvement = CodeReward(Kind.IMPROVEMENT)
compiles = CodeReward(Kind.COMPILES)
format = CodeReward(Kind.FORMAT)


@dataclass(frozen=True)
class _UnlessFailed:
    func: Callable[..., Any]
    settings: Settings = field(default_factory=Settings)

    @property
    def __name__(self) -> str:
        return str(getattr(self.func, "__name__", type(self.func).__name__))


@dataclass(frozen=True)
class UnlessFailed(_UnlessFailed):
    """Another's reward function, made to give None where a completion could not be judged: trainers add up what
    functions give, so that None beside a number counts as 0, which is a punishment. What is not finite becomes None,
    too: it would be the reward of a whole group.

    Raises:
        ConfigError: when made, of an async function; when called, of a data set without our columns.
    """

    def __post_init__(self) -> None:
        if is_async(self.func):
            raise ConfigError(f"reward {self.__name__} is async: wrap it in AsyncUnlessFailed")

    def __call__(self, /, completions: Sequence[Completion], **columns: Any) -> Rewards:
        step, first = _join(self, self.settings, False, completions, **columns)
        graded = step.wait()
        if first:
            step.report(columns.get("log_metric"), columns.get("log_extra"))
        return _unless_failed(graded, self.func(completions=completions, **columns))


class AsyncUnlessFailed(_UnlessFailed):
    """The same of an async function, which is awaited while the judge judges."""

    async def __call__(self, /, completions: Sequence[Completion], **columns: Any) -> Rewards:
        import asyncio  # noqa: PLC0415 - slow to import, and most callers are synchronous

        step, first = await asyncio.to_thread(_join, self, self.settings, False, completions, **columns)
        graded, rewards = await asyncio.gather(step.arrive(), self.func(completions=completions, **columns))
        if first:
            step.report(columns.get("log_metric"), columns.get("log_extra"))
        return _unless_failed(graded, rewards)


def is_async(function: Callable[..., Any]) -> bool:
    """Whether trainers await it: as TRL decides it."""
    while isinstance(function, partial):
        function = function.func
    return iscoroutinefunction(function) or iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


def _unless_failed(graded: Sequence[Graded | None], rewards: Sequence[float | None]) -> Rewards:
    return [
        None if each is not None and each.failure is not None else _finite(reward)
        for each, reward in zip(graded, rewards, strict=True)
    ]


def _finite(reward: float | None) -> float | None:
    return None if reward is None or not isfinite(reward) else reward


_COLUMNS = ("language", "problem_id", "tests")


def _join(
    caller: Hashable,
    settings: Settings,
    needs_all_tests: bool,
    completions: Sequence[Completion],
    /,  # a column may have any name
    *,
    problem_id: Column | None = None,
    tests: Column | None = None,
    language: Column | None = None,
    prompts: Column | None = None,
    **beside: object,
) -> tuple[JudgedStep, bool]:
    if problem_id is None and tests is None:
        raise ConfigError("code rewards need a column problem_id or tests, and the data set has neither")
    inputs = Columns(completions=completions, problem_id=problem_id, tests=tests, language=language, prompts=prompts)
    if tests is not None:
        _refuse_unread(tests, beside)
    return join(caller, shared_judge(settings), inputs, all_tests=needs_all_tests)


def _refuse_unread(tests: Column, columns: Mapping[str, object]) -> None:
    """
    Raises:
        ConfigError: a column beside the tests, which is not read, may decide how programs are judged.
    """
    from trainer_adapter.data.deciding import holds, refuse_deciding  # noqa: PLC0415 - few need it
    from trainer_adapter.data.item import Unusable  # noqa: PLC0415
    from trainer_adapter.data.names import find_misspelt  # noqa: PLC0415
    from trainer_adapter.data.tests_column import DataError  # noqa: PLC0415
    from trainer_adapter.data.tests_text import refuse_calls_beside  # noqa: PLC0415

    beside = {name: column for name, column in columns.items() if _is_column(column, len(tests))}
    for name, column in beside.items():
        if (meant := find_misspelt(name, _COLUMNS)) and any(map(holds, column)):
            raise ConfigError(f"code rewards: the data set has a column {name!r}; is it {meant!r}?")
    for number, text in enumerate(tests):
        row = {name: column[number] for name, column in beside.items()}
        try:
            refuse_deciding(row, "a column")
            if isinstance(text, str):
                with suppress(DataError):  # told with the row
                    refuse_calls_beside(row, text)
        except Unusable as error:
            raise ConfigError(f"code rewards: the data set {error}; put it into tests, or remove the column") from None


def _is_column(value: object, rows: int) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes) and len(value) == rows
