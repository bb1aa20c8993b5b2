"""verl with a reward of its own: the share of the tests that pass, in C++20 where a row names no language.

    python -m verl.trainer.main_ppo ... reward.custom_reward_function.path=examples/trainers/verl_reward.py \
        reward.custom_reward_function.name=compute_score
"""

from functools import partial

from trainer_adapter.integrations import verl
from trainer_adapter.reward_funcs import CodeReward, Kind, Settings

compute_score = partial(verl.compute_score_async, reward=CodeReward(Kind.PASS_RATE, Settings(language="cpp20")))
