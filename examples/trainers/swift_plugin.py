"""ms-swift with the judge: the share of the tests that pass. A prompt with a lost judgement is drawn again.

    swift rlhf --rlhf_type grpo --external_plugins examples/trainers/swift_plugin.py --reward_funcs judge \
        --dynamic_sample true --dataset rows.jsonl ...

A line of rows.jsonl: {"messages": […], "problem_id" or "tests": …, "language": …}.
"""

from swift.rewards import orms

from trainer_adapter.integrations.swift import JudgeORM, Lost
from trainer_adapter.reward_funcs import CodeReward, Kind


class Judge(JudgeORM):
    reward = CodeReward(Kind.PASS_RATE)
    lost = Lost.DROP


orms["judge"] = Judge
