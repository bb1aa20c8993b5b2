"""Makes the reward functions that a configuration names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

from transformers import PreTrainedTokenizerBase

from judge import ConfigError, Options, Stop
from problems.errors import nearest
from problems.model import MIB, SECOND_NS
from trainer_adapter import reward_funcs
from trainer_adapter.data.config import DataConfig
from trainer_adapter.rewards.shared_judge import local_processes
from trainer_adapter.training.config import Config, MadeReward, Reward

RewardFunction = Callable[..., Any]


def rewards(config: Config, words: PreTrainedTokenizerBase | None = None) -> list[RewardFunction]:
    """The reward functions that the configuration names: ours by name, others as `module:function`. Beside an async one
    ours are async, too: TRL calls those that are not first, and then awaits the others together. Without the tokenizer
    `words` nothing is known of what its chat template begins.

    Raises:
        ConfigError: there is no such function, or the processes of this machine cannot be told.
    """
    local_processes()
    how = settings(config, words)
    others = {place: _other(each, how) for place, each in enumerate(config.reward.functions) if not _is_ours(each)}
    ours = reward_funcs.AsyncCodeReward if any(map(reward_funcs.is_async, others.values())) else reward_funcs.CodeReward
    # Beside the judge's None for what could not be judged, another's number would be a punishment.
    if len(others) < len(config.reward.functions):
        others = {place: _unless_failed(other, how) for place, other in others.items()}
    return [
        others[place] if place in others else ours(reward_funcs.Kind(str(each)), how)
        for place, each in enumerate(config.reward.functions)
    ]


def judging(
    reward: Reward,
    data: DataConfig,
    stop: Stop | None = None,
    words: PreTrainedTokenizerBase | None = None,
    template: Mapping[str, Any] = MappingProxyType({}),
) -> reward_funcs.Settings:
    """How the completions of a model with the tokenizer `words` are judged, whose chat template is given `template`.
    `stop`: where the rewards are not to decide that."""
    end = reward_funcs.template_end(words, **template) if words is not None else ""
    ours = set(reward_funcs.Kind) & set(reward.names)
    all_tests = any(reward_funcs.RULES[reward_funcs.Kind(name)].needs_all_tests for name in ours)
    return reward_funcs.Settings(
        language=data.language,
        languages=reward.languages,
        template_end=end if reward.template_end is None else reward.template_end,
        problems=reward.problems,
        slots=reward.slots,
        require=reward.require,
        memory_bytes=reward.memory_bytes,
        executor=reward.executor,
        address=reward.address,
        deadline_s=reward.deadline_seconds,
        all_tests=all_tests or stop is Stop.NEVER,
        options=Options(
            cjk=data.cjk,
            stop=stop or Stop.NEVER,
            efficiency=reward_funcs.Kind.EFFICIENT in ours,
            compile_cpu_ns=None if reward.compile_seconds is None else round(reward.compile_seconds * SECOND_NS),
            compile_memory_bytes=None if reward.compile_mib is None else reward.compile_mib * MIB,
        ),
    )


def settings(config: Config, words: PreTrainedTokenizerBase | None = None) -> reward_funcs.Settings:
    """How the reward functions of this configuration judge completions of a model with this tokenizer."""
    return judging(config.reward, config.data, words=words, template=config.arguments.get("chat_template_kwargs") or {})


def _is_ours(spec: str | MadeReward) -> bool:
    return isinstance(spec, str) and spec in set(reward_funcs.Kind)


def _other(spec: str | MadeReward, how: reward_funcs.Settings) -> RewardFunction:
    function = _find_reward(str(spec))
    return _make_reward(function, spec, how) if isinstance(spec, MadeReward) else function


def _unless_failed(function: RewardFunction, how: reward_funcs.Settings) -> RewardFunction:
    wrapper = reward_funcs.AsyncUnlessFailed if reward_funcs.is_async(function) else reward_funcs.UnlessFailed
    return wrapper(function, how)


def _find_reward(name: str) -> RewardFunction:
    module, separator, attribute = name.partition(":")
    if not separator:
        known = (*reward_funcs.Kind, "module:function")
        raise ConfigError(f"reward.functions: there is no {name!r}; there is {', '.join(known)}")
    try:
        function: RewardFunction = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"reward.functions: {name}: {error}") from error
    return function


def _make_reward(factory: Callable[..., Any], spec: MadeReward, how: reward_funcs.Settings) -> RewardFunction:
    parameters = inspect.signature(factory).parameters
    takes_any = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())
    for argument in () if takes_any else spec.arguments:
        if argument not in parameters:
            near = nearest(argument, parameters, cutoff=0.5)
            offer = f"did you mean {near[0]}?" if near else f"it takes {', '.join(parameters)}"
            raise ConfigError(f"reward.functions: {spec.make} takes no {argument}: {offer}")
    known = {"template_end": how.template_end} if "template_end" in parameters else {}
    try:
        made = factory(**known | spec.arguments)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"reward.functions: {spec.make}: {error}") from error
    if not callable(made):
        raise ConfigError(f"reward.functions: {spec.make} makes {type(made).__name__}, and no function")
    function: RewardFunction = made
    return function
