"""OpenRLHF with a reward of its own: the share of the tests that pass. A group with a lost judgement is drawn again.

    python -m openrlhf.cli.train_ppo_ray ... --reward.remote_url examples/trainers/openrlhf_reward.py \
        --algo.dynamic_filtering_enable --algo.dynamic_filtering_range 0 1
"""

import math
from functools import partial

from trainer_adapter.integrations import openrlhf
from trainer_adapter.reward_funcs import CodeReward, Kind

reward_func = partial(openrlhf.reward_func, reward=CodeReward(Kind.PASS_RATE), lost=math.nan)
