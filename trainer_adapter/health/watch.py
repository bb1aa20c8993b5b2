"""Watches a run: logs what goes wrong, why, and what to do, and writes a report at the end.

It also measures what training changes: it adds `adapter/norm` and `adapter/change` (the largest change of any number in
the last optimizer step) to TRL's history.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import TrainerCallback

from trainer_adapter.health.page import render
from trainer_adapter.health.symptoms import Symptom, symptoms

_log = logging.getLogger(__name__)

#: How many trained numbers we follow: all of TinyLoRA's, the first ones of a larger adapter.
_FOLLOWED = 1 << 20


class Health(TrainerCallback):  # type: ignore[misc]
    def __init__(self, directory: Path) -> None:
        #: Where report.html goes.
        self.directory = directory
        self.found: list[Symptom] = []
        self._before: torch.Tensor | None = None
        self._measured: dict[str, float] = {}

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._before = _numbers(kwargs["model"])

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        before, now = self._before, _numbers(kwargs["model"])
        change = 0.0 if before is None or not len(now) else float((now - before).abs().max())
        self._measured = {"adapter/norm": float(now.norm()), "adapter/change": change}
        self._before = now

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, float] | None = None, **kwargs: Any) -> None:
        if logs is None or "reward" not in logs:
            return
        state.log_history[-1].update(self._measured)
        for symptom in symptoms(state.log_history, beta=args.beta):
            if symptom.name not in {known.name for known in self.found}:
                self.found.append(symptom)
                if state.is_world_process_zero:
                    _log.warning("step %d: %s", state.global_step, symptom)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if state.is_world_process_zero:
            self.write(state.log_history, state.global_step)

    def write(self, history: list[dict[str, float]], steps: int) -> Path:
        """Write report.html: curves and symptoms."""
        path = self.directory / "report.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(render(history, self.found, f"{self.directory.name}: {steps} steps"), "utf-8")
        return path


def _numbers(model: nn.Module) -> torch.Tensor:
    """The trained numbers, at most `_FOLLOWED`, as one flat vector."""
    parts, room = [torch.zeros(0)], _FOLLOWED
    for parameter in model.parameters():
        if parameter.requires_grad and room:
            # A copy even on the CPU: the optimizer changes the original in place.
            parts.append(parameter.detach().flatten()[:room].to("cpu", torch.float32, copy=True))
            room -= len(parts[-1])
    return torch.cat(parts)
