"""Configured runs of the tiny model, for the tests of what trains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from trainer_adapter import reward_funcs
from trainer_adapter.rewards import shared_judge
from trainer_adapter.training.config import AnyConfig, Config, DpoConfig, SftConfig

PROBLEMS = ("P1001", "P1046", "P1047", "P1048")

Configure = Callable[..., Config]


def configuration(model: Path, directory: Path, grpo: dict[str, Any] | None, sections: dict[str, Any]) -> Config:
    """For a CPU; `grpo` and `sections` change any of it."""
    values: dict[str, dict[str, Any]] = {
        "model": {"path": str(model), "quantization": "none", "dtype": "float32"},
        "adapter": {"kind": "tinylora"},
        "data": {"source": "library", "only": PROBLEMS, "statement_languages": ("en",), "system_prompt": ""},
        "reward": {"functions": ("tests.trainer_adapter.runs:length",)},
        "grpo": {
            "use_cpu": True,
            "bf16": False,
            "activation_checkpointing": False,
            "per_device_train_batch_size": 8,
            "num_generations": 4,
            "max_completion_length": 4,
            "learning_rate": 1e-2,
            "max_steps": 4,
            "save_steps": 2,
            "disable_tqdm": True,
            **(grpo or {}),
        },
        "run": {"directory": directory},
    }
    for name, section in sections.items():
        values[name] = values.get(name, {}) | section
    return Config.model_validate(values)


def on_examples(kind: str, model: Path, source: Path, directory: Path, /, **sections: Any) -> AnyConfig:
    """A run of SFT or DPO for a CPU; `sections` change any of it, and an adapter of a kind takes the place of its."""
    values: dict[str, dict[str, Any]] = {
        "model": {"path": str(model), "dtype": "float32"},
        "adapter": {"kind": "lora", "r": 4, "alpha": 8},
        "data": {"source": str(source)},
        kind: {
            "use_cpu": True,
            "bf16": False,
            "activation_checkpointing": False,
            "per_device_train_batch_size": 4,
            "learning_rate": 1e-3,
            "max_length": 128,
            "max_steps": 4,
            "save_steps": 2,
            "disable_tqdm": True,
        },
        "run": {"directory": directory},
    }
    for name, section in sections.items():
        values[name] = section if "kind" in section else values[name] | section
    return (SftConfig if kind == "sft" else DpoConfig).model_validate(values)


def length(completions: Sequence[list[dict[str, str]]], **_: object) -> list[float]:
    """A reward that differs within groups, whatever a model without training writes."""
    return [float(len(completion[-1]["content"])) for completion in completions]


def constant(completions: Sequence[object], **_: object) -> list[float]:
    """A reward that tells nothing."""
    return [0.5] * len(completions)


def backwards(completions: Sequence[list[dict[str, str]]], **_: object) -> list[float]:
    """Worth more the less the program is right: a sign that was lost."""
    return [float("a - b" in completion[-1]["content"]) for completion in completions]


def breaks(completions: Sequence[object], **_: object) -> list[float]:
    """A mistake in a reward function."""
    return [1 / 0 for _ in completions]


#: What `endless` prints when it has begun to judge.
JUDGING = "minutes of judging begin"


def endless(completions: Sequence[list[dict[str, str]]], trainer_state: Any, **_: object) -> list[float]:
    """Judges for minutes from the second step on: programs that end at their time limit, no two of them alike."""
    if trainer_state.global_step:
        programs = [f"```python\nwhile True:\n    {number}\n```\n" for number in range(400)]
        print(JUDGING, flush=True)
        judged = reward_funcs.CodeReward(settings=reward_funcs.Settings(slots=1))
        judged(completions=programs, problem_id=["P1001"] * len(programs))
    return length(completions)


def interrupted(completions: Sequence[list[dict[str, str]]], trainer_state: Any, **_: object) -> list[float]:
    """Ctrl-C comes in the third step."""
    if trainer_state.global_step == 2:
        raise KeyboardInterrupt
    return length(completions)


async def slow(completions: Sequence[list[dict[str, str]]], **_: object) -> list[float]:
    """As one that asks another machine."""
    return backwards(completions)


async def beside(completions: Sequence[object], **_: object) -> list[float]:
    """1 if the judge still judges when this is called."""
    (judge,) = shared_judge._shared.values()
    return [float(bool(judge._waiting))] * len(completions)


def undeclared(completions: Sequence[list[dict[str, str]]], **_: object) -> Any:
    """Async, and does not look like it."""
    return slow(completions)


def one(completions: Sequence[object], **_: object) -> list[float]:
    """A reward for the first completion only."""
    return [1.0]


def infinite(completions: Sequence[object], **_: object) -> list[float]:
    """A division by what may be 0, as arrays do it."""
    return [float("inf")] * len(completions)


def worded(completions: Sequence[object], **_: object) -> list[str]:
    """Words for numbers."""
    return ["good"] * len(completions)


def graded(completions: Sequence[object], rubric: Sequence[str], **_: object) -> list[float]:
    """Reads a column that must be there."""
    return [float(len(each)) for each in rubric]


def looked_up(completions: Sequence[object], **columns: Any) -> list[float]:
    """Reads a column that must be there, and does not declare it."""
    return [float(len(each)) for each in columns["rubric"]]


def unrated(completions: Sequence[Any], log_metric: Callable[[str, float], object], **_: object) -> list[None]:
    """As a language model that cannot be reached rates."""
    log_metric("rater/failed", 1.0)
    return [None] * len(completions)


def unjudged(completions: Sequence[Any], log_metric: Callable[[str, float], object], **_: object) -> list[None]:
    """As a judge that is lost pays."""
    log_metric("judge/infra", 1.0)
    return [None] * len(completions)


def seldom(completions: Sequence[Any], log_metric: Callable[[str, float], object], **_: object) -> list[float]:
    """As a language model that rated some."""
    log_metric("rater/failed", 0.9)
    return [0.5] * len(completions)
