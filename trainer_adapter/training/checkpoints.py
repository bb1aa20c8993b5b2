"""Saves checkpoints so that a full disk cannot destroy the last good one.

    room for another?  ──►  write  ──►  reopen what was written  ──►  delete the oldest beyond `save_total_limit`
           │ no               │ fails           │ broken
           └─ log, skip it    └─────────────────┴── log, delete it; the last good one stays, training goes on

Transformers deletes old checkpoints before it checks the new one. Here a broken checkpoint deletes nothing, and
`latest` skips those that a killed process left half written.
"""

from __future__ import annotations

import json
import logging
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from accelerate.utils import broadcast_object_list
from safetensors import SafetensorError, safe_open
from torch import nn
from transformers import Trainer, TrainerCallback
from transformers.trainer_utils import PREFIX_CHECKPOINT_DIR, SaveStrategy, rotate_checkpoints

from judge import JudgeError
from problems.files.archive import UNSOUND
from trainer_adapter.rollouts.making.passes import look_before_each_pass

_log = logging.getLogger(__name__)

_STATE = "trainer_state.json"
#: What is raised where a file cannot be written; the last is torch's.
UNWRITTEN = (OSError, SafetensorError, RuntimeError)


class NotSaved(JudgeError):
    """What was learnt cannot be written to where it belongs."""


class SafeSaving(Trainer):  # type: ignore[misc, unused-ignore]
    """Checkpoints as above; to be mixed into one of TRL's trainers, before it."""

    #: How much must stay free on the disk after a checkpoint.
    spare_disk_bytes = 1 << 30
    #: The checkpoints that were not written, each with the reason.
    unsaved: tuple[str, ...] = ()
    #: Of a checkpoint only weights and the count of steps are taken.
    restarts_optimizer = False

    def __init__(self, *arguments: Any, **how: Any) -> None:
        super().__init__(*arguments, **how)
        look_before_each_pass(self.model)

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        if checkpoint is not None and not self.restarts_optimizer:
            super()._load_optimizer_and_scheduler(checkpoint)
            set_rate(self.optimizer, self.lr_scheduler, self.args.learning_rate)

    def _save_checkpoint(self, model: nn.Module, trial: Any) -> None:
        directory = Path(self._get_output_dir(trial=trial))
        checkpoint = directory / f"{PREFIX_CHECKPOINT_DIR}-{self.state.global_step}"
        if complaint := self._agree(no_room(directory, self.spare_disk_bytes)):
            self._say(checkpoint, complaint)
            return
        limit, self.args.save_total_limit = self.args.save_total_limit, None
        broken: str | None
        try:
            super()._save_checkpoint(model, trial)
            broken = complaint_about(checkpoint) if self.args.should_save else None
        except UNWRITTEN as error:
            broken = f"{type(error).__name__}: {error}"
        finally:
            self.args.save_total_limit = limit
        if self.args.should_save and broken:
            shutil.rmtree(checkpoint, ignore_errors=True)
            self._say(checkpoint, broken)
        elif self.args.should_save:
            rotate_checkpoints(str(directory), limit, self.state.best_model_checkpoint, use_mtime=True)

    def _agree(self, complaint: str | None) -> str | None:
        """The first process's complaint, so that all processes write, or none."""
        complaints = [complaint]
        broadcast_object_list(complaints)
        return complaints[0]

    def _say(self, checkpoint: Path, why: str) -> None:
        self.unsaved += (f"{checkpoint.name}: {why}",)
        _log.error("checkpoint %s is not written, the one before it is kept: %s", checkpoint, why)


class WholeSteps(TrainerCallback):  # type: ignore[misc]
    """Tells whether the weights, the optimizer and the count of steps belong together: not within an optimizer step."""

    def __init__(self) -> None:
        self.together = True

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.together = False

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.together = True


def keep(trainer: SafeSaving) -> Path | None:
    """For a run that was interrupted: the checkpoint of its last step, written now if it can be; else an earlier one,
    or None.

    Of several processes each was interrupted somewhere else, so that they cannot write together.
    """
    directory, step = Path(trainer.args.output_dir), trainer.state.global_step
    steps = next(each for each in trainer.callback_handler.callbacks if isinstance(each, WholeSteps))
    saves = trainer.args.save_strategy != SaveStrategy.NO and trainer.accelerator.num_processes == 1
    newest = latest(directory)
    if saves and steps.together and step and (newest is None or _step(newest) != step):
        trainer._save_checkpoint(trainer.model, None)
        newest = latest(directory)
    return newest


def set_rate(optimizer: Any, scheduler: Any, rate: float) -> None:
    """Give the schedule this learning rate for its base: that which was loaded holds the one of its own run. Adam's
    moments and the step of the schedule stay."""
    scheduler = getattr(scheduler, "scheduler", scheduler)  # accelerate's holds torch's
    for group in optimizer.param_groups:
        base = group.get("initial_lr", group["lr"])
        if rate != base:  # else it stays bit for bit what it was
            group["lr"] = rate * (group["lr"] / base) if base else rate
            group["initial_lr"] = rate
    if hasattr(scheduler, "base_lrs"):
        scheduler.base_lrs = [rate] * len(optimizer.param_groups)
        scheduler._last_lr = [group["lr"] for group in optimizer.param_groups]


def no_room(directory: Path, spare_bytes: int) -> str | None:
    """Why the disk cannot take another checkpoint like the newest one; None: it can."""
    newest = next(_newest_first(directory), None)
    size = sum(file.stat().st_size for file in newest.rglob("*") if file.is_file()) if newest else 0
    free = free_bytes(directory)
    if free >= size + spare_bytes:
        return None
    return (
        f"{free / 1e9:.1f} GB are free on the disk of {directory}, and {(size + spare_bytes) / 1e9:.1f} GB needed: "
        "delete what is not needed there, or lower run.spare_disk_bytes"
    )


def free_bytes(directory: Path) -> int:
    """Free bytes on the disk where `directory` is, or will be."""
    while not directory.exists():
        directory = directory.parent
    return shutil.disk_usage(directory).free


def latest(directory: Path) -> Path | None:
    """The newest whole checkpoint in `directory`; None: there is none. The log names broken ones."""
    for checkpoint in _newest_first(directory):
        complaint = complaint_about(checkpoint)
        if complaint is None:
            return checkpoint
        _log.warning("checkpoint %s is passed over: %s", checkpoint, complaint)
    return None


def _newest_first(directory: Path) -> Iterator[Path]:
    found = (path for path in directory.glob(f"{PREFIX_CHECKPOINT_DIR}-*") if path.is_dir() and _step(path) is not None)
    return iter(sorted(found, key=lambda path: _step(path) or 0, reverse=True))


def _step(checkpoint: Path) -> int | None:
    number = checkpoint.name.rpartition("-")[2]
    return int(number) if number.isdecimal() else None


def complaint_about(checkpoint: Path) -> str | None:
    """Why training cannot go on from a checkpoint; None: it can. Opens every file."""
    tensors = list(checkpoint.rglob("*.safetensors"))  # DPO's reference has a directory of its own
    if not any(file.parent == checkpoint for file in tensors):
        return "it holds no weights (*.safetensors)"
    # DeepSpeed writes the optimizer in a way of its own, and checks it when it reads it.
    of_deepspeed = any(checkpoint.glob("global_step*/*optim_states.pt"))
    for name in (_STATE,) if of_deepspeed else (_STATE, "optimizer.pt", "scheduler.pt"):
        if not (checkpoint / name).is_file():
            return f"it has no {name}"
    try:
        json.loads((checkpoint / _STATE).read_bytes())
        for file in tensors:
            with safe_open(file, framework="pt") as opened:
                if not opened.keys():
                    return f"{file.name} is empty"
        for file in (*checkpoint.glob("*.pt"), *checkpoint.glob("*.pth"), *checkpoint.glob("*.bin")):
            with zipfile.ZipFile(file) as archive:
                if (member := archive.testzip()) is not None:
                    return f"{file.name} is damaged at {member}"
    except (OSError, SafetensorError, RecursionError, *UNSOUND) as error:
        return f"it cannot be read: {error}"
    return None
