"""For slime and miles: `--custom-rm-path trainer_adapter.integrations.slime.judge_reward`, best with `--group-rm`.

`label` of a sample is a task (`trainer_adapter.integrations.core`); `metadata` may hold `language`. A completion
without a verdict is tried three times. Then, of a group, `remove_sample` takes it out of the loss, and it gets the mean
of the others, so that it moves no baseline. Without `--group-rm`, and where a group has no other, NoVerdict ends the
run.
"""

from __future__ import annotations

import asyncio
from typing import Any

from trainer_adapter.integrations import core
from trainer_adapter.reward_funcs import CodeReward, accepted


async def judge_reward(args: Any, samples: Any, *, reward: CodeReward = accepted, **_: object) -> Any:
    """The reward of a sample, or those of a list of samples. Raises NoVerdict."""
    if not isinstance(samples, list):
        return (await _score(samples, reward)).reward
    found = await asyncio.gather(*(_score_or_not(each, reward) for each in samples))
    paid = core.fill_lost(found, [""] * len(found))
    for sample, each in zip(samples, found, strict=True):
        sample.remove_sample = sample.remove_sample or isinstance(each, core.NoVerdict)
    return paid


async def _score_or_not(sample: Any, reward: CodeReward) -> core.Score | core.NoVerdict:
    try:
        return await _score(sample, reward)
    except core.NoVerdict as error:
        return error


async def _score(sample: Any, reward: CodeReward) -> core.Score:
    metadata = sample.metadata if isinstance(sample.metadata, dict) else {}
    task = {"ground_truth": sample.label, "language": metadata.get("language"), "metadata": metadata}
    return await core.score_async(sample.response, task, reward, prompt=sample.prompt, tries=core.TRIES)
