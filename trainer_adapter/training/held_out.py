"""Evaluates the model on held-out problems while it is trained.

What is sampled and judged is written as rollouts, which `judge-train eval` reads, and counted in the log:

    run.directory/evaluation/step-000100.jsonl
    eval/pass@1, eval/pass@K            share of the problems, as `trainer_adapter.rollouts.evaluation` has it
    eval/pass@1/NAME                    of the problems of this difficulty
    eval/problems                       of which a sample was judged
    eval/not_judged, eval/truncated     shares of the samples
    eval/seconds

Samples draw from dice of their own: training goes on as it would have without.
"""

from __future__ import annotations

import itertools
import logging
from collections import defaultdict
from typing import Any, Self

from accelerate.utils import gather_object
from transformers import PreTrainedTokenizerBase, Trainer, TrainerCallback
from trl.models import unwrap_model_for_generation

from judge import JudgeError
from problems.errors import ProblemError
from trainer_adapter.data.config import DataConfig
from trainer_adapter.data.loading import Loaded
from trainer_adapter.rewards.shared_judge import shared_judge
from trainer_adapter.rollouts.evaluation import Evaluation, Tally, evaluate
from trainer_adapter.rollouts.making.local import LocalSampler
from trainer_adapter.rollouts.making.pipeline import RolloutJudging, roll_out
from trainer_adapter.rollouts.making.requests import How, make_requests
from trainer_adapter.rollouts.making.tasks import Tasks, tasks
from trainer_adapter.rollouts.row import Rollout
from trainer_adapter.training.config import AnyConfig, Config, EvaluationSection, Reward
from trainer_adapter.training.named_rewards import judging
from trainer_adapter.training.precheck import Precheck

_log = logging.getLogger(__name__)

#: Where nothing is sampled in training.
_AT_ONCE = 16


class HeldOutEvaluation(TrainerCallback):  # type: ignore[misc]
    def __init__(self, config: AnyConfig, found: Tasks, data: DataConfig) -> None:
        self._settings, self._tasks, self._data = config.evaluation, found, data
        self._directory = config.run.directory / "evaluation"
        self._reward = config.reward if isinstance(config, Config) else Reward()
        self._trainer: Any = None
        training = config.arguments.get("max_completion_length") if isinstance(config, Config) else None
        self._how = How(
            temperature=_temperature(config.evaluation),
            max_tokens=config.evaluation.max_tokens or training or 1024,
        )

    @classmethod
    def make_wanted(cls, config: AnyConfig, found: Loaded, words: PreTrainedTokenizerBase) -> list[Self]:
        """What the configuration asks for: one, or none; none, too, where the data hold nothing out.

        Raises:
            DataError, ProblemError: there are no such problems.
        """
        if config.evaluation.every is None or (looks_at_held_out(config) and found.held_out is None):
            return []
        return [cls(config, *_read_tasks(config, words))]

    @classmethod
    def attach(cls, trainer: Trainer) -> None:
        """Callbacks are made before their trainer."""
        for each in trainer.callback_handler.callbacks:
            if isinstance(each, cls):
                each._trainer = trainer

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if state.global_step == 0:
            self._evaluate(0)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        last = state.global_step >= state.max_steps
        if last or (state.global_step % (self._settings.every or 1) == 0 and not control.should_training_stop):
            self._evaluate(state.global_step)

    def _evaluate(self, step: int) -> None:
        rows, seconds = self._rolled_out()
        found = evaluate(rows)
        if self._trainer.accelerator.is_main_process:
            self._directory.mkdir(parents=True, exist_ok=True)
            lines = "".join(row.line() for row in sorted(rows, key=lambda row: row.id or ""))
            (self._directory / f"step-{step:06}.jsonl").write_text(lines, "utf-8", "backslashreplace")
            if failed := next((row.error for row in rows if not row.judged), None):
                _log.error("%d of %d samples were not judged; the first: %s", found.not_judged, len(rows), failed)
        # Not the trainer's own `log`: that would take the numbers of the step that is still to be logged. And a log
        # says that nothing is left to log.
        to_log = self._trainer.control.should_log
        Trainer.log(self._trainer, figures(found, self._settings.pass_k) | {"eval/seconds": seconds})
        self._trainer.control.should_log = to_log

    def _rolled_out(self) -> tuple[list[Rollout], float]:
        """All processes' samples, each process having made its share; and how long this one took."""
        trainer, accelerator = self._trainer, self._trainer.accelerator
        every = make_requests(self._tasks, self._settings.samples)
        mine = itertools.islice(every, accelerator.process_index, None, accelerator.num_processes)
        rows: list[Rollout] = []
        with unwrap_model_for_generation(
            trainer.model_wrapped,
            accelerator,
            gradient_checkpointing_kwargs=trainer.args.gradient_checkpointing_kwargs,
        ) as model:
            size = self._settings.batch_size or _sampled_together(trainer)
            sampler = LocalSampler(model, trainer.processing_class, self._how, size)
            judge = shared_judge(judging(self._reward, self._data, words=trainer.processing_class))
            timing = roll_out(mine, sampler, judge, rows.append, RolloutJudging(language=self._data.language))
        return gather_object(rows), timing.wall_s


def _sampled_together(trainer: Any) -> int:
    """What fits while a model is trained, fits beside it, too."""
    steps = getattr(trainer.args, "steps_per_generation", None)
    return _AT_ONCE if steps is None else int(trainer.args.per_device_train_batch_size * steps)


def looks_at_held_out(config: AnyConfig) -> bool:
    """Whether the evaluation that is wanted is of what `data.held_out` holds out."""
    return config.evaluation.every is not None and config.evaluation.data is None


def _read_tasks(config: AnyConfig, words: PreTrainedTokenizerBase | None) -> tuple[Tasks, DataConfig]:
    settings, place = config.evaluation, config.run.directory / "cache" / "data"
    data = settings.data or config.data
    if words is None:
        data = data.model_copy(update={"most_prompt_tokens": None})
    return tasks(data, place, words, held_out=settings.data is None, most=settings.most_problems), data


def check_held_out(config: AnyConfig, words: PreTrainedTokenizerBase | None) -> Precheck:
    """Whether there is something to evaluate on. Without a tokenizer no prompt is too long."""
    settings = config.evaluation
    try:
        found, _ = _read_tasks(config, words)
        next(iter(found))
    except (JudgeError, ProblemError) as error:
        remedy = "evaluation.data names other problems; judge-train data inspect says what a data set gives"
        return Precheck(name="evaluation", ok=False, detail=str(error), remedy=remedy)
    count = f"{len(found)} problems, {settings.samples} samples each"
    return Precheck(name="evaluation", ok=True, detail=f"{count}, every {settings.every} steps")


def _temperature(settings: EvaluationSection) -> float:
    if settings.temperature is not None:
        return settings.temperature
    return 0.0 if settings.samples == 1 else 1.0


def figures(found: Evaluation, ks: tuple[int, ...]) -> dict[str, float]:
    """What is logged of an evaluation. What has no value, because nothing was judged, is left out."""
    judged = [tally for tally in found.problems.values() if tally.judged]
    values = {
        "eval/problems": float(len(judged)),
        "eval/not_judged": found.not_judged / max(1, found.rollouts),
        "eval/truncated": found.truncated / max(1, found.rollouts),
    }
    by_difficulty = defaultdict[str, list[Tally]](list)
    for tally in judged:
        if tally.difficulty:
            by_difficulty[tally.difficulty].append(tally)
    for k in sorted({1, *ks}):
        among = {f"eval/pass@{k}": judged} | {f"eval/pass@{k}/{name}": part for name, part in by_difficulty.items()}
        rates = {name: found.rate(k, part) for name, part in among.items()}
        values |= {name: rate.mean for name, rate in rates.items() if rate is not None}
    return values
