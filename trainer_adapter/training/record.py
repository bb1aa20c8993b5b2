"""The record of a run: what its numbers came from, so that a run that goes on can say what has changed since.

    run.directory/record/config.yaml          the configuration, with all that was not said, as `judge-train` takes it
    run.directory/record/origin.json          versions of packages, git commits, hashes of the data
    run.directory/record/evaluations.json     what was measured on what is held out: a list, with `step`

A checkpoint is gone on from only with the adapter that it was trained with. All else may differ, and what that means is
said: the optimizer's state and the step of the schedule come from the checkpoint, whatever the configuration says.
"""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import yaml
from datasets import Dataset
from peft import get_peft_model_state_dict
from safetensors import safe_open
from torch import nn

from judge.common.errors import ConfigError
from trainer_adapter.data.loading import Loaded
from trainer_adapter.training.config import AnyConfig, Full, Lora, TinyLora

_PACKAGES = ("judge", "torch", "transformers", "trl", "peft", "bitsandbytes", "accelerate", "datasets", "tokenizers")

_RESTART = "the checkpoint's goes on; --restart-optimizer takes this one"
_PLACE = "prompts come in another order from here on: some may come again, and others be left out"
_CURVES = "what is rewarded has changed: rewards before and after cannot be compared"
#: What a difference means, by the beginning of its name; the first that fits.
_MEANS: Mapping[str, str] = {
    "grpo.learning_rate": "used from here on, at the step of the schedule that was reached",
    "grpo.lr_scheduler": "the new schedule goes on at the step that was reached; --restart-optimizer begins it anew",
    "grpo.warmup": "the new schedule goes on at the step that was reached; --restart-optimizer begins it anew",
    "grpo.adam": _RESTART,
    "grpo.weight_decay": _RESTART,
    "grpo.optim": _RESTART,
    "grpo.max_steps": "the run ends there, counted from its beginning; a schedule that falls is stretched to it",
    "grpo.num_train_epochs": "the run ends there, counted from its beginning; a schedule that falls is stretched to it",
    "grpo.per_device_train_batch_size": _PLACE,
    "grpo.gradient_accumulation_steps": _PLACE,
    "grpo.num_generations": _PLACE,
    "grpo.steps_per_generation": _PLACE,
    "grpo.seed": _PLACE,
    "grpo.data_seed": _PLACE,
    "grpo.": "used from here on",
    "model.path": "fine where it is the same model in another place; to another model the adapter means nothing",
    "model.revision": "what was trained was trained with other weights: it fits these less",
    "model.quantization": "the adapter was trained with weights that were rounded in another way: it fits these less",
    "model.": "numbers differ by rounding",
    "adapter.start": "the checkpoint's adapter goes on, and the reference that it was measured against",
    "adapter.": "scales what was learnt",
    "data.": _PLACE,
    "data ": _PLACE,
    "reward.": _CURVES,
    "version ": "numbers may differ in their last digits, and defaults may have changed",
    "commit ": "the code may do something else now",
}
#: Changes that mean nothing for what is learnt.
_NO_MATTER = (
    "run.",
    "evaluation.",
    "reward.slots",
    "reward.memory_budget_mib",
    "reward.deadline_seconds",
    "grpo.save_",
    "grpo.logging_",
    "grpo.log_",
    "grpo.disable_tqdm",
    "grpo.num_completions_to_print",
)


@dataclass(frozen=True, slots=True)
class Difference:
    name: str
    before: object
    now: object

    def __str__(self) -> str:
        means = next(text for start, text in _MEANS.items() if _as_grpo(self.name).startswith(start))
        return f"{self.name}: {self.before} -> {self.now}: {means}"


def _as_grpo(name: str) -> str:
    """The arguments of TRL mean the same in all of its trainers."""
    section, dot, key = name.partition(".")
    return f"grpo.{key}" if dot and section in ("sft", "dpo") else name


def collect(config: AnyConfig, rows: Loaded) -> dict[str, Any]:
    """The record of a run that is about to begin or to go on."""
    return {
        "config": config.model_dump(mode="json", by_alias=True),
        "versions": versions(),
        "commits": {"judge": _commit(Path(__file__).parent), "working directory": _commit(Path.cwd())},
        "data": {"train": _content(rows.train), "held out": rows.held_out and _content(rows.held_out)},
    }


def versions() -> dict[str, str | None]:
    """Of Python and the packages that decide what training does; None: not installed."""
    return {"python": platform.python_version()} | {name: _version(name) for name in _PACKAGES}


def write(record: Mapping[str, Any], run_directory: Path) -> None:
    directory = run_directory / "record"
    directory.mkdir(parents=True, exist_ok=True)
    origin = {name: part for name, part in record.items() if name != "config"}
    text = yaml.safe_dump(record["config"], allow_unicode=True, sort_keys=False)
    (directory / "config.yaml").write_text(text, "utf-8")
    (directory / "origin.json").write_text(json.dumps(origin, indent=1), "utf-8")


def write_evaluations(history: Iterable[Mapping[str, float]], run_directory: Path) -> None:
    """Those in TRL's log, each with its step: of DPO `eval_rewards/margins` and `eval_rewards/accuracies`, too."""
    if found := [dict(log) for log in history if any(name.startswith("eval_") for name in log)]:
        directory = run_directory / "record"
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "evaluations.json").write_text(json.dumps(found, indent=1), "utf-8")


def read(run_directory: Path) -> dict[str, Any] | None:
    """None: there is none that can be read."""
    directory = run_directory / "record"
    try:
        origin = json.loads((directory / "origin.json").read_bytes())
        config = yaml.safe_load((directory / "config.yaml").read_text("utf-8"))
    except (OSError, ValueError, yaml.YAMLError, RecursionError):
        return None
    return {"config": config, **origin} if isinstance(config, dict) and isinstance(origin, dict) else None


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Difference]:
    """All that matters to what is learnt."""
    old, new = dict(_flat(before)), dict(_flat(now))
    names = [name for name in dict.fromkeys((*old, *new)) if not _as_grpo(name).startswith(_NO_MATTER)]
    pairs = ((name, old.get(name), new.get(name)) for name in names)
    return [Difference(*each) for each in pairs if _plain(each[1]) != _plain(each[2])]


def _plain(value: object) -> object:
    """The number that a text is, too: 1e-3 is text to YAML, and 1.0e-3 is none."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _flat(record: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    for section, values in record.get("config", {}).items():
        yield from ((f"{section}.{key}", value) for key, value in values.items())
    for part, word in (("data", "data"), ("versions", "version of"), ("commits", "commit of")):
        yield from ((f"{word} {key}", value) for key, value in record.get(part, {}).items())


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _commit(directory: Path) -> str | None:
    """Of the repository that holds the directory; None: there is none, or git is not installed."""
    argv = ("git", "-C", str(directory), "rev-parse", "HEAD")
    try:
        found = subprocess.run(argv, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return found.stdout.strip() or None if found.returncode == 0 else None


def _content(rows: Dataset) -> str:
    """Hash of the rows, whatever the source is called and whenever it was written."""
    content = hashlib.sha256()
    for file in rows.cache_files:
        with Path(file["filename"]).open("rb") as opened:
            content.update(hashlib.file_digest(opened, "sha256").digest())
    return content.hexdigest()[:16]


def refuse_other_adapter(config: AnyConfig, checkpoint: Path) -> None:
    """Raises ConfigError for a checkpoint of another adapter than the configuration's, by what stands beside it."""
    path, adapter = checkpoint / "adapter_config.json", config.adapter
    if isinstance(adapter, Full) or not path.is_file():
        if path.is_file() or not isinstance(adapter, Full):
            holds = "an adapter" if path.is_file() else "a whole model"
            raise ConfigError(f"{checkpoint} holds {holds}, and adapter.kind is {adapter.kind}: {_OTHER}")
        return
    try:
        found = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: no JSON: {error}") from error
    wanted: dict[str, object] = {"peft_type": adapter.kind.upper(), "r": adapter.r}
    if isinstance(adapter, TinyLora):
        wanted |= {"u": adapter.u, "weight_tying": adapter.weight_tying, "projection_seed": adapter.seed}
    for key, value in wanted.items():
        if found.get(key) != value:
            raise ConfigError(f"{checkpoint} has {key} {found.get(key)}, and the configuration {value}: {_OTHER}")
    if sorted(found.get("target_modules") or ()) != sorted(adapter.target_modules):
        raise ConfigError(f"{checkpoint} adapts other modules than adapter.target_modules: {_OTHER}")


_OTHER = "go on with the adapter that it was trained with, or begin anew in another run.directory"


def refuse_other_shapes(config: AnyConfig, model: nn.Module, checkpoint: Path) -> None:
    """Raises ConfigError for a checkpoint whose tensors do not fit the model."""
    adapted = isinstance(config.adapter, (TinyLora, Lora))
    there = get_peft_model_state_dict(model) if adapted else model.state_dict()
    for file in checkpoint.glob("adapter_model*.safetensors" if adapted else "model*.safetensors"):
        with safe_open(file, framework="pt") as opened:
            for name in opened.keys():  # noqa: SIM118 - it is no mapping
                shape, wanted = opened.get_slice(name).get_shape(), list(there[name].shape) if name in there else None
                if shape != wanted:
                    has = "has none" if wanted is None else f"has {wanted}"
                    raise ConfigError(f"{checkpoint}: {name} is {shape}, and the model {has}: it is of another model")
