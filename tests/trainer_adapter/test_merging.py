"""Adapters of real runs, merged into the full-precision model: what is written computes what base + adapter do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import PeftModel
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast

from judge import ConfigError
from tests.trainer_adapter.runs import on_examples
from trainer_adapter.commands.main import main
from trainer_adapter.training import train
from trainer_adapter.training.merging import merge
from trainer_adapter.training.model import PROBE, tokenizer_of

TINY = {"kind": "tinylora", "r": 2, "u": 16}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("source") / "rows.jsonl"
    rows = ({"prompt": f"Add {number}.", "completion": f"print(a + {number})"} for number in range(8))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def trained(model: Path, source: Path, directory: Path, /, **sections: Any) -> Path:
    settings = {"learning_rate": 5e-2, "max_steps": 2, "lr_scheduler_type": "constant"}
    train.train(on_examples("sft", model, source, directory, sft=settings, **sections))
    return directory


@pytest.fixture(scope="module")
def run(model_directory: Path, source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """SFT of a LoRA on the model in 4 bits."""
    return trained(model_directory, source, tmp_path_factory.mktemp("run"), model={"quantization": "nf4"})


def logits(model: Any, words: PreTrainedTokenizerFast) -> torch.Tensor:
    with torch.no_grad():
        found: torch.Tensor = model.eval()(**words(PROBE, return_tensors="pt")).logits.float()
    return found


@pytest.mark.parametrize("part", ["", "adapter", "checkpoints/checkpoint-2"])
def test_a_merged_model_is_base_and_adapter(
    run: Path, model_directory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], part: str
) -> None:
    out = tmp_path / "merged"
    assert main(["merge", str(run / part), "-o", str(out)]) == 0
    assert "in float32; its logits differ by up to" in capsys.readouterr().out
    words = tokenizer_of(str(model_directory), None)
    base = AutoModelForCausalLM.from_pretrained(model_directory, dtype=torch.float32)
    alone = logits(base, words)
    both = logits(PeftModel.from_pretrained(base, str(run / "adapter")), words)
    merged = AutoModelForCausalLM.from_pretrained(out)
    assert merged.dtype == torch.float32
    torch.testing.assert_close(logits(merged, words), both, rtol=0, atol=1e-3)
    origin = json.loads((out / "merge.json").read_bytes())
    assert origin["difference"] <= 1e-3
    assert origin["effect"] > 0.05
    assert (both - alone).abs().max() == pytest.approx(origin["effect"], abs=1e-3)
    assert origin["base"] == origin["trained_on"] == str(model_directory)
    assert origin["run"]["config"]["sft"]["max_steps"] == 2
    assert tokenizer_of(str(out), None).encode(PROBE) == words.encode(PROBE)
    assert not list(out.glob("*.bin"))
    assert {path.name for path in out.glob("*.safetensors")} == {"model.safetensors"}


def test_rounding_is_measured_and_what_loses_the_change_is_refused(run: Path, tmp_path: Path) -> None:
    rounded = merge(run, tmp_path / "rounded", dtype="bfloat16")
    assert 1e-5 < rounded.difference < 0.1 < rounded.effect
    assert AutoConfig.from_pretrained(tmp_path / "rounded").dtype == torch.bfloat16
    with pytest.raises(ConfigError, match="more than --tolerance 1e-06"):
        merge(run, tmp_path / "refused", dtype="bfloat16", tolerance=1e-6)
    weak = tmp_path / "weak"
    shutil.copytree(run / "adapter", weak)
    settings = json.loads((weak / "adapter_config.json").read_bytes())
    (weak / "adapter_config.json").write_text(json.dumps(settings | {"lora_alpha": settings["lora_alpha"] / 1000}))
    with pytest.raises(ConfigError, match="would lose what was learnt; give --dtype float32"):
        merge(weak, tmp_path / "lost", dtype="bfloat16")
    assert {path.name for path in tmp_path.iterdir()} == {"rounded", "weak"}


@pytest.mark.parametrize("quantization", ["none", "nf4"])
def test_tinylora_is_merged_as_its_lora(model_directory: Path, source: Path, tmp_path: Path, quantization: str) -> None:
    """Its directions are those of the weights that it was trained with, in 4 bits: also from a checkpoint."""
    run = trained(model_directory, source, tmp_path / "run", adapter=TINY, model={"quantization": quantization})
    whole, early = (
        merge(run / part, tmp_path / f"merged-{number}") for number, part in enumerate(("", "checkpoints/checkpoint-2"))
    )
    assert whole.difference < 1e-3 < whole.effect
    words = tokenizer_of(str(model_directory), None)
    found = [logits(AutoModelForCausalLM.from_pretrained(each.directory), words) for each in (whole, early)]
    torch.testing.assert_close(*found, rtol=0, atol=1e-4)
    lost = tmp_path / "lost"
    shutil.copytree(run / "adapter", lost)
    with pytest.raises(ConfigError, match="give the directory of its run"):
        merge(lost, tmp_path / "refused")


def test_what_cannot_be_merged(
    run: Path, model_directory: Path, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ConfigError, match="holds no adapter"):
        merge(tmp_path, tmp_path / "out")
    with pytest.raises(ConfigError, match="is there: give a new directory"):
        merge(run, tmp_path)
    with pytest.raises(ConfigError, match="the base model cannot be had"):
        merge(run, tmp_path / "out", base="/no/such/model")
    wider = AutoConfig.from_pretrained(model_directory)
    wider.intermediate_size *= 2
    AutoModelForCausalLM.from_config(wider).save_pretrained(tmp_path / "wider")
    assert main(["merge", str(run), "-o", str(tmp_path / "out"), "--base", str(tmp_path / "wider")]) == 2
    (said,) = (line for line in capsys.readouterr().err.splitlines() if line.startswith("judge-train: "))
    assert "was it trained on this model?" in said
    packed = AutoConfig.from_pretrained(model_directory).to_dict() | {"quantization_config": {"load_in_4bit": True}}
    (tmp_path / "packed").mkdir()
    (tmp_path / "packed" / "config.json").write_text(json.dumps(packed))
    with pytest.raises(ConfigError, match="give it in full precision"):
        merge(run, tmp_path / "out", base=str(tmp_path / "packed"))
    full = trained(model_directory, source, tmp_path / "full", adapter={"kind": "none"})
    with pytest.raises(ConfigError, match="a whole model: there is nothing to merge"):
        merge(full, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_generation_stops_where_training_ended_turns(run: Path, model_directory: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(model_directory, other)
    settings = json.loads((other / "generation_config.json").read_bytes())
    (other / "generation_config.json").write_text(json.dumps(settings | {"eos_token_id": 0}))
    merge(run, tmp_path / "out", base=str(other))
    written = json.loads((tmp_path / "out" / "generation_config.json").read_bytes())
    assert written["eos_token_id"] == [0, settings["eos_token_id"]]
