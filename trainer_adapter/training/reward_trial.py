"""Reward functions tried before a run, as TRL will call them: with every column of a row, and by name."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from transformers import TrainerState
from trl.trainer.utils import is_async_callable

_TAKES = (
    "a function is given prompts, completions, completion_ids, trainer_state, log_extra, log_metric and the columns"
)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a reward function."""

    #: raises, async, missing columns, wrong length, no number, or not finite
    name: str
    detail: str
    remedy: str


def inputs(rows: Sequence[Mapping[str, Any]], texts: Sequence[str]) -> dict[str, Any]:
    """What TRL passes for these completions, one of each row."""
    columns = [name for name in rows[0] if name not in ("prompt", "completion", "completion_ids")]
    return {name: [row[name] for row in rows] for name in columns} | {
        "prompts": [row.get("prompt", "") for row in rows],
        "completions": [[{"role": "assistant", "content": text}] for text in texts],
        "completion_ids": [[0]] * len(rows),
        "trainer_state": TrainerState(),
        "log_extra": lambda name, values: None,
        "log_metric": lambda name, value: None,
    }


def try_function(name: str, function: Callable[..., Any], given: Mapping[str, Any]) -> list[float | None] | Fault:
    """The rewards, or what is wrong with them."""
    if missing := _missing(function, given):
        return _missing_columns(name, missing)
    try:
        returned = function(**given)
        if is_async_callable(function):
            returned = asyncio.run(_finish(returned))
    except Exception as error:  # whatever a function of the user's raises
        if isinstance(error, KeyError) and error.args and error.args[0] not in given:
            return _missing_columns(name, [str(error.args[0])])
        return Fault("raises", f"{name}: {type(error).__name__}: {error}", f"it would end the run; {_TAKES}")
    if inspect.isawaitable(returned):
        if inspect.iscoroutine(returned):
            returned.close()
        detail = f"{name} returns a coroutine, which TRL awaits only of functions that are declared `async def`"
        return Fault("async", detail, "declare it, and what wraps it, `async def`")
    return _check_rewards(name, returned, len(given["completions"]))


async def _finish(awaitable: Any) -> Any:
    return await awaitable


def _check_rewards(name: str, returned: Any, count: int) -> list[float | None] | Fault:
    length = "return one number, or None, for each completion"
    try:
        values = list(returned)
    except TypeError:
        return Fault("wrong length", f"{name} returns {type(returned).__name__}, and no list", length)
    if len(values) != count:
        return Fault("wrong length", f"{name} returns {len(values)} rewards for {count} completions", length)
    rewards: list[float | None] = []
    for value in values:
        try:
            rewards.append(None if value is None else float(value))
        except (TypeError, ValueError):
            return Fault("no number", f"{name} returns {type(value).__name__} for a completion", length)
        if value is not None and not isfinite(value):
            remedy = "one such number makes the advantages of its whole group NaN: return None instead"
            return Fault("not finite", f"{name} returns {value}", remedy)
    return rewards


def _missing(function: Callable[..., Any], given: Mapping[str, Any]) -> list[str]:
    """Arguments that must be given and are not."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []  # a builtin that does not say
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    needed = [each.name for each in parameters if each.kind in named and each.default is inspect.Parameter.empty]
    return [name for name in needed if name not in given]


def _missing_columns(name: str, missing: Sequence[str]) -> Fault:
    remedy = f"give the data such columns, or the function defaults; {_TAKES}"
    return Fault("missing columns", f"{name} needs {', '.join(missing)}, which the data do not have", remedy)
