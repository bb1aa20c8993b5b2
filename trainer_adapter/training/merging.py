"""Merges an adapter into the model in full precision, and checks what was written: `judge-train merge`.

    base + adapter, float32  ──►  logits of the probes ───────────────────────────────┐
            └─ W + its change, rounded to `dtype` ──► files ──► read again ──► logits ┴──► the largest difference

A model that was quantised for training is read in the precision it was published in: the change is added to that.
TinyLoRA's directions come from the weights that it was trained with: what is merged is the equal LoRA of `export_lora`.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from peft import PeftConfig, PeftModel
from safetensors import SafetensorError
from torch import nn
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerBase

from judge import ConfigError
from trainer_adapter.training import record
from trainer_adapter.training.config import load
from trainer_adapter.training.model import PROBE, load_to_train, tokenizer_of
from trainer_adapter.training.tinylora import export_lora

#: Texts whose logits are compared.
_PROBES = (
    PROBE,
    "Read two integers a and b, and print a + b.\n```python\na, b = map(int, input().split())\nprint(a + b)\n```\n",
    "Natalia sold 48 clips in April and half as many in May. 48 + 48 / 2 = 72. The answer is 72.",
)
#: The largest difference of a logit that is taken for rounding.
TOLERANCES = {"float32": 1e-3, "float16": 0.1, "bfloat16": 0.5}


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    #: The largest difference of a logit between base + adapter in float32 and the files that were written.
    difference: float
    #: The largest that the adapter makes to the base: what a merge must keep.
    effect: float
    tolerance: float
    dtype: str
    base: str
    adapter: str
    directory: str


def merge(
    adapter: Path,
    directory: Path,
    *,
    base: str | None = None,
    revision: str | None = None,
    dtype: str | None = None,
    tolerance: float | None = None,
) -> Merged:
    """Write the merged model, its tokenizer and `merge.json` to a new directory. All is computed in float32 on the CPU:
    4 bytes for each weight, and as much as is written while it is rounded.

    `adapter` is the directory of a run that is done, of an adapter, or of a checkpoint. `base` is by default what it
    was trained on, and `dtype` what that is stored in. `tolerance`: by default that of `TOLERANCES`.

    Raises:
        ConfigError: something is not there or does not fit, or the merged model differs by more than the tolerance, or
            by more than half of what the adapter does. Nothing is left then.
    """
    with _as_lora(adapter) as source, _complete(directory) as building:
        base = base or str(PeftConfig.from_pretrained(str(source)).base_model_name_or_path)
        stored = _choose_precision(base, revision, dtype)
        kept = _tokenizer(adapter)
        words = tokenizer_of(base, revision) if kept is None else tokenizer_of(str(kept), None)
        expected, effect = _write(base, revision, source, words, stored, building)
        merged = Merged(
            difference=_largest(expected, _logits(_model(str(building), None), words)),
            effect=effect,
            tolerance=TOLERANCES[stored] if tolerance is None else tolerance,
            dtype=stored,
            base=base,
            adapter=str(adapter),
            directory=str(directory),
        )
        _refuse_loss(merged)
        (building / "merge.json").write_text(json.dumps(_origin(merged, source, adapter, revision), indent=1))
    return merged


@contextmanager
def _complete(directory: Path) -> Iterator[Path]:
    """Where a new directory is written, which gets its name when all is there.

    Raises:
        ConfigError: it exists.
    """
    if directory.exists():
        raise ConfigError(f"{directory} is there: give a new directory")
    directory.parent.mkdir(parents=True, exist_ok=True)
    building = Path(tempfile.mkdtemp(dir=directory.parent, prefix=".merging-"))
    try:
        yield building
        building.chmod(0o755)
        building.rename(directory)
    finally:
        shutil.rmtree(building, ignore_errors=True)


@contextmanager
def _as_lora(given: Path) -> Iterator[Path]:
    """The directory of an adapter that can be merged into any precision.

    Raises:
        ConfigError: there is no adapter.
    """
    places = (given / "adapter-as-lora", given / "adapter", given)
    found = next((one for one in places if (one / "adapter_config.json").is_file()), None)
    if found is None:
        whole = any(one.is_dir() and list(one.glob("model*.safetensors")) for one in places)
        raise ConfigError(
            f"{given}: it holds "
            + ("a whole model: there is nothing to merge" if whole else "no adapter (adapter_config.json)")
        )
    if PeftConfig.from_pretrained(str(found)).peft_type != "TINYLORA":
        yield found
        return
    settings = next((one / "record" / "config.yaml" for one in found.absolute().parents[:2] if _has_record(one)), None)
    if settings is None:
        raise ConfigError(
            f"{found} is TinyLoRA, whose directions come from the weights that it was trained with: give the "
            "directory of its run, or its adapter-as-lora"
        )
    with tempfile.TemporaryDirectory() as exported:
        export_lora(load_to_train(load(settings), found), Path(exported))
        yield Path(exported)


def _has_record(directory: Path) -> bool:
    return (directory / "record" / "config.yaml").is_file()


def _tokenizer(given: Path) -> Path | None:
    """Where training has saved its tokenizer."""
    places = (given / "adapter", given, given.absolute().parent / "adapter")
    return next((one for one in places if (one / "tokenizer.json").is_file()), None)


def _choose_precision(base: str, revision: str | None, dtype: str | None) -> str:
    """The precision to write: the given one, or that of the base."""
    try:
        config = AutoConfig.from_pretrained(base, revision=revision)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{base}: the base model cannot be had ({str(error).partition(chr(10))[0]})") from error
    if getattr(config, "quantization_config", None) is not None:
        raise ConfigError(f"{base} is quantised: rounding it again would lose the change; give it in full precision")
    found = dtype or str(getattr(config, "dtype", None) or torch.float32).removeprefix("torch.")
    if found not in TOLERANCES:
        raise ConfigError(f"{base} is stored in {found}: give --dtype, one of {', '.join(TOLERANCES)}")
    return found


def _model(path: str, revision: str | None) -> nn.Module:
    model: nn.Module = AutoModelForCausalLM.from_pretrained(path, revision=revision, dtype=torch.float32)
    return model.eval()


def _write(
    base: str, revision: str | None, adapter: Path, words: PreTrainedTokenizerBase, dtype: str, directory: Path
) -> tuple[list[torch.Tensor], float]:
    """Write the model; returns the logits of base + adapter, and how far the adapter has moved them."""
    model = _model(base, revision)
    alone = _logits(model, words)
    try:
        adapted = PeftModel.from_pretrained(model, str(adapter)).eval()
    except (RuntimeError, ValueError, SafetensorError) as error:
        why = " ".join(str(error).split())[:300]
        raise ConfigError(f"{adapter} does not fit {base}: was it trained on this model? ({why})") from error
    expected = _logits(adapted, words)
    merged = adapted.merge_and_unload(safe_merge=True).to(getattr(torch, dtype))
    _end_turns(merged, words)
    merged.save_pretrained(str(directory))
    words.save_pretrained(str(directory))
    return expected, _largest(alone, expected)


def _end_turns(model: Any, words: PreTrainedTokenizerBase) -> None:
    """Let generation stop at the token that ends a turn of what was trained: a base model's settings name another."""
    known = model.generation_config.eos_token_id
    ends = list(known) if isinstance(known, list) else [] if known is None else [known]
    if words.eos_token_id is not None and words.eos_token_id not in ends:
        model.generation_config.eos_token_id = [*ends, words.eos_token_id]


def _logits(model: nn.Module, words: PreTrainedTokenizerBase) -> list[torch.Tensor]:
    with torch.no_grad():
        return [model(**words(text, return_tensors="pt")).logits.float() for text in _PROBES]


def _largest(one: Sequence[torch.Tensor], other: Sequence[torch.Tensor]) -> float:
    return max(float((a - b).abs().max()) for a, b in zip(one, other, strict=True))


def _refuse_loss(found: Merged) -> None:
    """Raises ConfigError; `not …` so that what is no number is refused, too."""
    said = f"the merged model's logits differ by up to {found.difference:.3g} from base + adapter"
    if not found.difference <= found.tolerance:
        raise ConfigError(f"{said}, more than --tolerance {found.tolerance:g}: give another --dtype, or check --base")
    if not found.difference <= max(found.effect / 2, TOLERANCES["float32"]):
        raise ConfigError(
            f"{said}, and the adapter moves them by {found.effect:.3g} only: rounding to {found.dtype} would lose what "
            "was learnt; give --dtype float32, or serve the adapter beside the base"
        )


def _origin(merged: Merged, source: Path, given: Path, revision: str | None) -> dict[str, Any]:
    """What the merged model came from."""
    run = next((one for one in (given, *given.absolute().parents[:2]) if _has_record(one)), None)
    weights = sorted(source.glob("adapter_model*.safetensors"))
    return {
        **asdict(merged),
        "revision": revision,
        "trained_on": PeftConfig.from_pretrained(str(source)).base_model_name_or_path,
        "adapter_sha256": {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in weights},
        "versions": record.versions(),
        "run": None if run is None else record.read(run),
    }
