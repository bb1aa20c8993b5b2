"""For ms-swift: `--external_plugins FILE.py --reward_funcs judge`, where the file says `orms["judge"] = JudgeORM`.

The columns of a row that name its problem are `problem_id`, `tests` or `ground_truth`, and `language`. They make a task
(`trainer_adapter.integrations.core`).

ms-swift adds up rewards with `nansum`: it makes None a 0, and its advantage a punishment. So a completion without a
verdict is tried three times. Then `JudgeORM.lost` says what becomes of it, on all ranks alike:

    raise   NoVerdict, which ends the run
    drop    None for every completion of its prompt: their advantages are 0, and `--dynamic_sample` draws another prompt
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from trainer_adapter.integrations import core
from trainer_adapter.reward_funcs import CodeReward, Rewards, accepted

_log = logging.getLogger(__name__)
_COLUMNS = ("problem_id", "tests", "ground_truth", "language")


class Lost(StrEnum):
    RAISE = "raise"
    DROP = "drop"


class JudgeORM:
    """Another reward or another `lost`: a subclass with other attributes."""

    reward: CodeReward = accepted
    lost: Lost = Lost.RAISE

    def __init__(self, args: Any = None, **_: object) -> None:
        self.lost = Lost(self.lost)

    def __call__(
        self,
        completions: Sequence[str],
        *,
        prompt_id: Sequence[str] | None = None,
        messages: Sequence[Sequence[Any]] | None = None,
        **columns: Any,
    ) -> Rewards:
        """
        Raises:
            NoVerdict: a completion of any rank has no verdict, and `lost` is "raise".
        """
        named = {name: columns[name] for name in _COLUMNS if columns.get(name) is not None}
        tasks = [{name: column[place] for name, column in named.items()} for place in range(len(completions))]
        prompts = None if messages is None else [each[:-1] for each in messages]
        found = core.scores(completions, tasks, self.reward, prompts=prompts, tries=core.TRIES)
        groups = list(map(str, prompts or range(len(found)))) if prompt_id is None else prompt_id
        lost = _gather({group: str(each) for group, each in zip(groups, found, strict=True) if _is_lost(each)})
        for why in lost.values():
            if self.lost is Lost.RAISE:
                raise core.NoVerdict(why)
            _log.error("%s: no completion of its prompt is rewarded", why)
        return [
            each.reward if isinstance(each, core.Score) and group not in lost else None
            for group, each in zip(groups, found, strict=True)
        ]


def _is_lost(found: core.Score | core.NoVerdict) -> bool:
    return isinstance(found, core.NoVerdict)


def _gather(lost: dict[str, str]) -> dict[str, str]:
    """The prompts without a verdict, of all ranks: ms-swift spreads a group over several."""
    import torch.distributed as ranks  # noqa: PLC0415 - slow to import

    if not (ranks.is_available() and ranks.is_initialized()):
        return lost
    everywhere: list[Any] = [None] * ranks.get_world_size()
    ranks.all_gather_object(everywhere, lost)
    return {group: why for each in everywhere for group, why in each.items()}
