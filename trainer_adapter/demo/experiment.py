"""Runs the experiments of `judge-train demo`, each a training run by a configuration, on bundled problems.

    planted    A model that writes well is made worse by a random step along TinyLoRA's 16 directions. GRPO must find
               the way back with those 16 numbers, from verdicts alone.
    lora       A model that has learnt from careless authors. A LoRA finds out which of its habits are accepted.
    constant   The planted model with the same reward for every program: nothing can be learnt from that.

The planted experiment shows what 16 numbers can do in a model of this size. They steer what a model has learnt. They
cannot teach a model that never learnt to write well, as the careless model shows (docs/training.md).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import datasets
import torch
import transformers
from torch.nn import functional
from transformers import PrinterCallback, TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from trainer_adapter.data.loading import DataConfig, load
from trainer_adapter.demo import apprentice, corpus
from trainer_adapter.training import train
from trainer_adapter.training.checkpoints import SafeSaving
from trainer_adapter.training.config import Config
from trainer_adapter.training.tinylora import vectors

_log = logging.getLogger(__name__)

#: Steps over which the end of a curve is averaged.
LAST_STEPS = 10
#: The random step ends at this probability of the model programs. Others are right, too: about 0.25 are accepted.
_PLANTED = 0.2
_SKILLS = {"planted": 0.985, "constant": 0.985, "lora": 0.8}
_ADAPTERS: dict[str, dict[str, Any]] = {
    "planted": {"kind": "tinylora", "r": 2, "u": 16},
    "constant": {"kind": "tinylora", "r": 2, "u": 16},
    "lora": {"kind": "lora", "r": 32, "alpha": 64},
}
_RATES = {"planted": 2e-2, "constant": 2e-2, "lora": 1e-3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    experiment: str
    seed: int
    #: How many numbers were trained.
    trained: int
    #: For each step, the share of the completions that the judge accepted.
    accepted: tuple[float, ...]
    wall_s: float
    #: The symptoms that `trainer_adapter.health` found.
    symptoms: tuple[str, ...]

    @property
    def start(self) -> float:
        return self.accepted[0]

    @property
    def end(self) -> float:
        return fmean(self.accepted[-LAST_STEPS:])


def quieten() -> None:
    """Silence the libraries, so that only the demo's own lines are printed."""
    torch.set_num_threads(1)
    datasets.disable_progress_bars()
    transformers.utils.logging.disable_progress_bar()


def constant(completions: Sequence[object], **_: object) -> list[float]:
    """The same reward for every completion."""
    return [0.5] * len(completions)


#: Hears of each step: what is done, how many steps are, of how many.
Tell = Callable[[str, int, int], None]


class Steps(TrainerCallback):  # type: ignore[misc]
    """Tells of each step of a run."""

    def __init__(self, what: str, tell: Tell) -> None:
        self._what, self._tell = what, tell

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: object) -> None:
        self._tell(self._what, state.global_step, state.max_steps)


class Demo:
    """The experiments, below one directory. A model is taught when it is first needed, in `lessons` steps."""

    def __init__(
        self,
        directory: Path,
        quantization: str = "none",
        problems: Sequence[str] = tuple(corpus.PROGRAMS),
        lessons: int = 150,
        tell: Tell = lambda what, done, of: None,
    ) -> None:
        self.directory = directory
        self.quantization = quantization
        self.lessons = lessons
        self._tell = tell
        self._data = DataConfig(source="library", only=tuple(problems), statement_languages=("en",))

    def run(self, experiment: str, *, seed: int, steps: int) -> Curve:
        began_s = time.monotonic()
        trainer = train.build(self.configuration(experiment, seed=seed, steps=steps))
        trainer.remove_callback(PrinterCallback)
        trainer.add_callback(Steps(f"{experiment} seed {seed}", self._tell))
        if experiment != "lora":
            plant(trainer, seed)
        trainer.train()
        history = [log for log in trainer.state.log_history if "reward" in log]
        return Curve(
            experiment=experiment,
            seed=seed,
            trained=sum(parameter.numel() for parameter in trainer.model.parameters() if parameter.requires_grad),
            accepted=tuple(log["judge/accepted"] for log in history),
            wall_s=time.monotonic() - began_s,
            symptoms=tuple(map(str, train.health(trainer).found)),
        )

    def configuration(self, experiment: str, *, seed: int, steps: int) -> Config:
        group = 16
        rewarded = ["accepted"] if experiment != "constant" else [f"{__name__}:constant", "accepted"]
        return Config.model_validate(
            {
                "model": {
                    "path": str(self._model(_SKILLS[experiment])),
                    "quantization": self.quantization if experiment != "lora" else "none",
                    "dtype": "float32",
                },
                "adapter": _ADAPTERS[experiment],
                "data": self._data,
                "reward": {
                    "functions": rewarded,
                    "weights": [1.0] if experiment != "constant" else [1.0, 0.0],
                },
                "grpo": {
                    "learning_rate": _RATES[experiment],
                    "lr_scheduler_type": "constant",
                    "adam_beta2": 0.99,
                    "num_generations": group,
                    "per_device_train_batch_size": group * len(self._data.only),
                    "max_completion_length": 24,
                    "max_steps": steps,
                    "save_strategy": "no",
                    "activation_checkpointing": False,
                    "bf16": False,
                    "use_cpu": True,
                    "disable_tqdm": True,
                    "seed": seed,
                },
                "run": {"directory": self.directory / f"{experiment}-{seed}"},
            }
        )

    def _model(self, skill: float) -> Path:
        directory = self.directory / f"model-{skill:g}"
        if not (directory / "model.safetensors").exists():
            rows = load(self._data, self.directory / "data").train
            prompts = {row["problem_id"]: row["prompt"] for row in rows}
            heard = Steps("teaching a model", self._tell)
            apprentice.teach(corpus.Author(skill=skill), prompts, directory, steps=self.lessons, seed=0, heard=heard)
        return directory


def plant(trainer: SafeSaving, seed: int) -> None:
    """Step from v = 0 in a random direction until the model programs are as improbable as `_PLANTED`."""
    (vector,) = vectors(trainer.model)
    direction = torch.randn(vector.numel(), generator=torch.Generator().manual_seed(seed))
    direction /= direction.norm()
    near, far = 0.0, 4.0
    for _ in range(12):
        middle = (near + far) / 2
        vector.data = direction * middle
        near, far = (middle, far) if probability(trainer) > _PLANTED else (near, middle)
    _log.info("seed %d: planted at a distance of %.3f", seed, near)


def probability(trainer: SafeSaving) -> float:
    """Probability of the programs without a mistake, on average over the problems."""
    words, found = trainer.processing_class, []
    for row in trainer.train_dataset:
        prompt = words.apply_chat_template(row["prompt"], add_generation_prompt=True, tokenize=False)
        asked = words(prompt, return_tensors="pt").input_ids
        told = words(corpus.right(row["problem_id"]) + words.eos_token, return_tensors="pt").input_ids
        with torch.no_grad():
            logits = trainer.model(torch.cat([asked, told], 1)).logits[0, asked.shape[1] - 1 : -1]
        found.append(float(torch.exp(-functional.cross_entropy(logits.float(), told[0], reduction="sum"))))
    return fmean(found)
