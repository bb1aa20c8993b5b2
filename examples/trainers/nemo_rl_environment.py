"""NeMo-RL: what its examples call `task_to_env`, for `grpo_train`. A datum has `task_name` "judge"."""

from typing import Any

import ray

from trainer_adapter.integrations.nemo_rl import JudgeEnvironment


def task_to_env(**config: Any) -> dict[str, Any]:
    """`config`: as `JudgeEnvironment` takes it, {"kind": "pass_rate"} for one."""
    return {"judge": ray.remote(JudgeEnvironment).remote(config)}
