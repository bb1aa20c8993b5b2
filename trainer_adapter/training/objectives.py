"""Several objectives in one GRPO run: rewards that stand or fall together, the KL of each objective, and a weight of
the KL (beta) that follows a target."""

from __future__ import annotations

import logging
from math import isfinite
from statistics import fmean
from typing import Any

import torch
from torch import Tensor
from trl import GRPOTrainer

from trainer_adapter.training.checkpoints import SafeSaving
from trainer_adapter.training.config import Kl

_log = logging.getLogger(__name__)

#: What it is called in a batch: for each row, the place of its objective in `objectives`.
_OBJECTIVE = "objective_of_row"


class Objectives(SafeSaving, GRPOTrainer):  # type: ignore[misc, unused-ignore]
    """TRL's trainer, with:

    - `together`: where one reward function gives None, all do. TRL adds up what they give, so that None counts as 0;
      a rating that a language model did not give in time would be a punishment.
    - `kl.by`: the column that names the objective of a row. The KL of each is logged as `kl/NAME`.
    - `kl.target`: beta follows it. After each step it changes by the share that the KL is off, at most by `kl.rate`. It
      stays between `kl.least` and `kl.most`: in the first steps the KL is 0, and beta would be gone before it is
      needed. It is logged as `beta`, and a run that goes on takes it from the log.
    """

    beta: float
    together = False
    kl = Kl()
    objectives: tuple[str, ...] = ()
    _token_logps: Tensor | None = None
    _beta_found = False

    def _calculate_rewards(self, inputs: Any, *others: Any) -> Tensor:
        rewards: Tensor = super()._calculate_rewards(inputs, *others)
        if self.together:
            rewards[rewards.isnan().any(dim=1)] = torch.nan
        return rewards

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        batch: dict[str, Any] = super()._generate_and_score_completions(inputs)
        if self.kl.by is not None and self.beta:
            places = {name: place for place, name in enumerate(self.objectives)}
            rows = [places[str(row[self.kl.by])] for row in inputs]
            batch[_OBJECTIVE] = torch.tensor(rows, device=self.accelerator.device)
        return batch

    def _get_per_token_logps_and_entropies(self, *arguments: Any, **named: Any) -> Any:
        found = super()._get_per_token_logps_and_entropies(*arguments, **named)
        self._token_logps = found[0].detach()
        return found

    def _compute_loss(self, model: Any, inputs: dict[str, Any]) -> Tensor:
        objective = inputs.pop(_OBJECTIVE, None)
        if not self._beta_found:
            self._find_beta()
        loss: Tensor = super()._compute_loss(model, inputs)
        if objective is not None and self._token_logps is not None:
            self._log_kl(objective, inputs, self._token_logps)
        self._token_logps = None
        return loss

    def log(self, logs: dict[str, float], *others: Any) -> None:
        steps = self._metrics["train"].get("kl")
        if self.kl.target is not None and steps and self.model.training:
            off = fmean(steps) / self.kl.target - 1
            if isfinite(off):
                beta = self.beta * (1 + self.kl.rate * max(-1.0, min(1.0, off)))
                self.beta = min(self.kl.most, max(self.kl.least, beta))
            self._metrics["train"]["beta"].append(self.beta)
        try:
            super().log(logs, *others)
        except OSError as error:  # TRL writes the completions last
            _log.error("step %d: completions are not kept (grpo.log_completions): %s", self.state.global_step, error)

    def _find_beta(self) -> None:
        """A run that goes on: as the log of its last step says."""
        self._beta_found = True
        if self.kl.target is not None:
            self.beta = next((row["beta"] for row in reversed(self.state.log_history) if "beta" in row), self.beta)

    def _log_kl(self, objective: Tensor, inputs: dict[str, Any], token_logps: Tensor) -> None:
        """The estimator of TRL's `kl`: exp(d) - d - 1, d = log of the reference less log of the policy."""
        mask = inputs["completion_mask"] * inputs.get("tool_mask", 1)
        distance = inputs["ref_per_token_logps"] - token_logps
        kl = (distance.exp() - distance - 1) * mask
        for place, name in enumerate(self.objectives):
            rows = objective == place
            sums = torch.stack([kl[rows].sum(), mask[rows].sum().to(kl.dtype)])
            total, tokens = self.accelerator.gather(sums[None]).sum(dim=0).tolist()
            if tokens:
                self._metrics["train" if self.model.training else "eval"][f"kl/{name}"].append(total / tokens)
