"""For verl: `reward.custom_reward_function.path=pkg://trainer_adapter.integrations.verl`, `name=compute_score`.

`reward_model.ground_truth` of a row is a task (`trainer_adapter.integrations.core`). `extra_info.language` may name the
language, and `extra_info.prompt` hold the prompt. By itself verl hands over no prompt. Where the template opens the
thinking, write a function that gives a `reward` with `Settings.template_end`. A completion without a verdict raises
NoVerdict. A synchronous trainer of verl 0.9 then trains on the rest of the group, an asynchronous one draws another
prompt; older trainers end. Leave `compute_score_timeout` unset: it makes a time-out a 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trainer_adapter.integrations import core
from trainer_adapter.reward_funcs import CodeReward, accepted

Scored = dict[str, float | str]


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: object,
    extra_info: Mapping[str, Any] | None = None,
    *,
    reward: CodeReward = accepted,
    **_: object,
) -> Scored:
    """Of one completion. Raises NoVerdict."""
    prompt = (extra_info or {}).get("prompt")
    return _make_score(core.score(solution_str, _task(ground_truth, extra_info), reward, prompt=prompt))


async def compute_score_async(
    data_source: str,
    solution_str: str,
    ground_truth: object,
    extra_info: Mapping[str, Any] | None = None,
    *,
    reward: CodeReward = accepted,
    **_: object,
) -> Scored:
    """The same, for verl's reward loop: all completions of a worker are judged at the same time."""
    prompt = (extra_info or {}).get("prompt")
    return _make_score(await core.score_async(solution_str, _task(ground_truth, extra_info), reward, prompt=prompt))


def compute_scores(
    data_sources: Sequence[str],
    solution_strs: Sequence[str],
    ground_truths: Sequence[object],
    extra_infos: Sequence[Mapping[str, Any] | None] | None = None,
    *,
    reward: CodeReward = accepted,
    **_: object,
) -> list[Scored]:
    """Of a batch, for the manager `batch` of older versions. Raises NoVerdict if any has none."""
    infos = [None] * len(solution_strs) if extra_infos is None else extra_infos
    tasks = [_task(*each) for each in zip(ground_truths, infos, strict=True)]
    prompts = [(info or {}).get("prompt") for info in infos]
    found = core.scores(solution_strs, tasks, reward, prompts=prompts, tries=core.TRIES)
    for each in found:
        if isinstance(each, core.NoVerdict):
            raise each
    return [_make_score(each) for each in found if isinstance(each, core.Score)]


def _task(ground_truth: object, extra_info: Mapping[str, Any] | None) -> object:
    return {"ground_truth": ground_truth, "language": (extra_info or {}).get("language"), "extra_info": extra_info}


def _make_score(found: core.Score) -> Scored:
    return {"score": found.reward, "acc": float(found.accepted), "verdict": found.verdict}
