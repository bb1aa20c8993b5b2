"""Watches a run: logs what goes wrong, why, and what to do, and writes a report at the end.

What training changes is measured, too, and joins the history that TRL keeps:

    adapter/norm        of what is trained
    adapter/change      the largest change of any number in the last optimizer step
    adapter/moved       of the numbers that had a gradient in that step, the share that changed; the step of the others
                        was below the resolution of their dtype
    adapter/narrowed    share of the trained numbers whose dtype is narrower than when the training began
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import TrainerCallback

from trainer_adapter.health.page import render
from trainer_adapter.health.symptoms import HELD_OUT, PAID_BUT_WRONG, Symptom, symptoms

_log = logging.getLogger(__name__)

#: At most `_FOLLOWED` trained numbers are followed: of more than that every second, third, … one.
_FOLLOWED = 1 << 20


class Health(TrainerCallback):  # type: ignore[misc]
    def __init__(self, directory: Path) -> None:
        #: Where report.html goes.
        self.directory = directory
        self.found: list[Symptom] = []
        self._widths: list[int] = []
        self._before: torch.Tensor | None = None
        self._pulled: torch.Tensor | None = None
        self._measured: dict[str, float] = {}

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        trained = _list_trained(kwargs["model"])
        self._widths = [parameter.element_size() for parameter in trained]
        self._before = _numbers(trained)

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        trained = _list_trained(kwargs["model"])
        gradients = [torch.zeros_like(each) if each.grad is None else each.grad for each in trained]
        self._pulled = _numbers(gradients) != 0

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        trained = _list_trained(kwargs["model"])
        before, now, pulled = self._before, _numbers(trained), self._pulled
        self._measured = {"adapter/norm": float(now.norm()), "adapter/change": 0.0}
        if before is not None and len(now):
            self._measured["adapter/change"] = float((now - before).abs().max())
            self._measured["adapter/narrowed"] = _share_narrowed(trained, self._widths)
        if before is not None and pulled is not None and pulled.any():
            self._measured["adapter/moved"] = float((now != before)[pulled].float().mean())
        self._before, self._pulled = now, None

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, float] | None = None, **kwargs: Any) -> None:
        if logs is None or not {"reward", "grad_norm", HELD_OUT, PAID_BUT_WRONG} & logs.keys():
            return
        if not {HELD_OUT, PAID_BUT_WRONG} & logs.keys():
            state.log_history[-1].update(self._measured)
        for symptom in symptoms(state.log_history, beta=getattr(args, "beta", 0.0)):
            if symptom.name not in {known.name for known in self.found}:
                self.found.append(symptom)
                if state.is_world_process_zero:
                    _log.warning("step %d: %s", state.global_step, symptom)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if state.is_world_process_zero:
            self.write(state.log_history, state.global_step)

    def write(self, history: list[dict[str, float]], steps: int, *more: str) -> Path:
        """Write report.html: curves and symptoms, and `more` parts of a page."""
        path = self.directory / "report.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            render(history, self.found, f"{self.directory.name}: {steps} steps", *more), "utf-8", "backslashreplace"
        )
        return path


def _list_trained(model: nn.Module) -> list[nn.Parameter]:
    return [parameter for parameter in model.parameters() if parameter.requires_grad]


def _numbers(tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    """Those that are followed; one flat vector."""
    apart = max(1, -(-sum(tensor.numel() for tensor in tensors) // _FOLLOWED))
    # A copy even on the CPU: the optimizer changes the original in place.
    parts = (tensor.detach().flatten()[::apart].to("cpu", torch.float32, copy=True) for tensor in tensors)
    return torch.cat([torch.zeros(0), *parts])


def _share_narrowed(trained: Sequence[nn.Parameter], widths: Sequence[int]) -> float:
    """Share of the numbers that take fewer bytes than they did."""
    less = (int(each.numel()) for each, width in zip(trained, widths, strict=True) if each.element_size() < width)
    return sum(less) / sum(int(each.numel()) for each in trained)
