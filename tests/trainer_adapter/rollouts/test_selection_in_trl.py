"""TRL trains on what `judge-train rft` and `pairs` write."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from datasets import load_dataset
from transformers import PreTrainedTokenizerFast
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

from tests.trainer_adapter.rollouts.judged import rollout
from trainer_adapter.commands.main import main

SETTINGS: dict[str, Any] = {
    "use_cpu": True,
    "bf16": False,
    "per_device_train_batch_size": 2,
    "max_steps": 1,
    "save_strategy": "no",
    "report_to": "none",
    "disable_tqdm": True,
    "max_length": 64,
}


@pytest.mark.parametrize("prompt", ["Add a and b.", [{"role": "user", "content": "Add a and b."}]])
@pytest.mark.parametrize(
    ("command", "trainer", "config"), [("rft", SFTTrainer, SFTConfig), ("pairs", DPOTrainer, DPOConfig)]
)
def test_trains_a_step(
    command: str,
    trainer: Any,
    config: Any,
    prompt: Any,
    tmp_path: Path,
    load: Callable[[str], Any],
    tokenizer: PreTrainedTokenizerFast,
) -> None:
    rows = [rollout("P", n, "AC" if n < 2 else "WA", prompt=prompt) for n in range(4)]
    (tmp_path / "rows.jsonl").write_text("".join(row.line() for row in rows))
    assert main([command, str(tmp_path / "rows.jsonl"), "-o", str(tmp_path / "chosen.jsonl")]) == 0
    data = load_dataset("json", data_files=str(tmp_path / "chosen.jsonl"), split="train", cache_dir=str(tmp_path / "c"))
    assert len(data) == 2
    made = trainer(
        model=load("float32"),
        args=config(output_dir=str(tmp_path / "out"), **SETTINGS),
        train_dataset=data,
        processing_class=tokenizer,
    )
    assert made.train().training_loss > 0
