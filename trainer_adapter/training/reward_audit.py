"""Audits the reward while a model is trained: are accepted completions right on fresh inputs?

Completions of the steps since the last audit are sampled; what is found is logged, and written with its evidence:

    run.directory/audit/step-000100.jsonl
    audit/paid_but_wrong                share of the accepted that is wrong; _low, _high: its exact interval
    audit/refused_but_right             share of those rejected for their output that is right on every fresh input
    audit/audited                       completions
    audit/seconds

With several processes the first one audits its own completions.
"""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from typing import Any, Self

from transformers import PreTrainedTokenizerBase, Trainer, TrainerCallback

from judge import ContainerError, JudgeError
from problems.errors import ProblemError
from trainer_adapter.audit.audit import Audit, NothingToAudit, Plan, audit
from trainer_adapter.audit.opening import Problems
from trainer_adapter.audit.rates import Rates
from trainer_adapter.rewards.judged_step import JudgedStep, watchers
from trainer_adapter.rewards.shared_judge import shared_judge
from trainer_adapter.rollouts.row import Rollout
from trainer_adapter.rollouts.selection.files import encode_row
from trainer_adapter.rollouts.selection.source import Entry, in_short
from trainer_adapter.training.config import AnyConfig, Config
from trainer_adapter.training.named_rewards import judging

_log = logging.getLogger(__name__)


class _Kept:
    """Completions in memory, as a file of rollouts."""

    def __init__(self) -> None:
        self.rollouts: list[Rollout] = []

    def by_problem(self) -> dict[str, list[Entry]]:
        found = defaultdict[str, list[Entry]](list)
        for number, rollout in enumerate(self.rollouts):
            found[rollout.problem].append(in_short(rollout, number))
        return dict(found)

    def rollout(self, entry: Entry) -> Rollout:
        return self.rollouts[entry.offset]


class RewardAudit(TrainerCallback):  # type: ignore[misc]
    def __init__(self, config: Config, words: PreTrainedTokenizerBase) -> None:
        self._config, self._words = config, words
        self._trainer: Any = None
        self._kept = _Kept()
        self._step = 0

    @classmethod
    def make_wanted(cls, config: AnyConfig, words: PreTrainedTokenizerBase) -> list[Self]:
        """What the configuration asks for: one, or none."""
        return [cls(config, words)] if isinstance(config, Config) and config.audit.every is not None else []

    @classmethod
    def attach(cls, trainer: Trainer) -> None:
        """Callbacks are made before their trainer."""
        for each in trainer.callback_handler.callbacks:
            if isinstance(each, cls):
                each._trainer = trainer

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._step = state.global_step
        watchers.add(self)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        watchers.discard(self)

    def hear(self, step: JudgedStep) -> None:
        """Keep its programs."""
        if not self._trainer.accelerator.is_main_process:
            return
        for problem, row in step.programs():
            graded = row.verdict.result()
            if row.source is not None and graded.verdict is not None:
                number = len(self._kept.rollouts)
                rollout = Rollout(
                    id=f"step {self._step}, completion {number}",
                    problem=problem,
                    step=self._step,
                    source=row.source.decode("utf-8", "replace"),
                    language=row.language,
                    verdict=graded.verdict,
                )
                self._kept.rollouts.append(rollout)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._step = state.global_step
        last = state.global_step >= state.max_steps or control.should_training_stop
        if last or state.global_step % (self._config.audit.every or 1) == 0:
            kept, self._kept = self._kept, _Kept()
            try:
                self._audit(kept)
            except NothingToAudit:
                pass
            except (JudgeError, ProblemError, ContainerError, OSError) as error:  # training goes on without
                _log.error("step %d: its completions were not audited: %s", self._step, error)

    def _audit(self, kept: _Kept) -> None:
        settings, began_s = self._config.audit, time.monotonic()
        plan = Plan(
            accepted=settings.sample,
            rejected=settings.rejected,
            signed=settings.sample,
            inputs=settings.inputs,
            seed=self._step,
        )
        problems = Problems(
            store=self._config.reward.problems, tests=self._tests({one.problem for one in kept.rollouts})
        )
        judge = shared_judge(judging(self._config.reward, self._config.data, words=self._words)).judge()
        try:
            found = audit(kept, problems.load, judge, plan)
        finally:
            problems.close()
        self._write(found)
        # As in `held_out`: not the trainer's own `log`.
        to_log = self._trainer.control.should_log
        Trainer.log(self._trainer, figures(found) | {"audit/seconds": time.monotonic() - began_s})
        self._trainer.control.should_log = to_log

    def _tests(self, names: set[str]) -> dict[str, str]:
        rows = self._trainer.train_dataset
        if not {"problem_id", "tests"} <= set(rows.column_names):
            return {}
        places = {name: number for number, name in enumerate(rows["problem_id"]) if name in names}
        return {name: text for name, number in places.items() if (text := rows[number]["tests"])}

    def _write(self, found: Audit) -> None:
        directory = self._config.run.directory / "audit"
        directory.mkdir(parents=True, exist_ok=True)
        rows = b"".join(encode_row(one.as_dict()) for one in found.audited)
        (directory / f"step-{self._step:06}.jsonl").write_bytes(rows)
        for name, why in found.without_inputs.items():
            _log.warning("step %d: problem %s was not audited: %s", self._step, name, why)


def figures(found: Audit) -> dict[str, float]:
    """What is logged of an audit. What is not known is left out."""
    rates = Rates.of(found.audited)
    wrong, right = rates.paid_but_wrong, rates.refused_but_right
    values = {"audit/audited": float(len(found.audited))}
    if wrong.share is not None:
        low, high = wrong.interval
        values |= {
            "audit/paid_but_wrong": wrong.share,
            "audit/paid_but_wrong_low": low,
            "audit/paid_but_wrong_high": high,
        }
    return values if right.share is None else values | {"audit/refused_but_right": right.share}
