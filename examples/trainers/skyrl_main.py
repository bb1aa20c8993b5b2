"""SkyRL's main with the environment `judge`:

python examples/trainers/skyrl_main.py environment.env_class=judge data.train_data="['rows.parquet']" ...
"""

import sys
from typing import Any

import ray
import skyrl_gym


def train(config: Any) -> None:
    """In a process of Ray, which makes the environments."""
    from skyrl.train.entrypoints.main_base import BasePPOExp  # noqa: PLC0415 - it starts vLLM's imports

    register()
    BasePPOExp(config).run()


def register() -> None:
    skyrl_gym.register(id="judge", entry_point="trainer_adapter.integrations.skyrl_gym:JudgeEnv")


def main() -> None:
    from skyrl.train.config import SkyRLTrainConfig  # noqa: PLC0415
    from skyrl.train.utils import validate_cfg  # noqa: PLC0415
    from skyrl.train.utils.utils import initialize_ray  # noqa: PLC0415

    config = SkyRLTrainConfig.from_cli_overrides(sys.argv[1:])
    validate_cfg(config)
    initialize_ray(config)
    ray.get(ray.remote(num_cpus=1)(train).remote(config))


if __name__ == "__main__":
    main()
