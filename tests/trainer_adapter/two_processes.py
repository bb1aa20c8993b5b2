"""Two processes train MODEL together, and again from their last but one step: python two_processes.py MODEL DIRECTORY

They are forks of one that has imported everything. Each writes what it ends with to DIRECTORY/{whole,resumed}/RANK.json
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

import torch
from accelerate import debug_launcher
from datasets import Dataset
from peft import TinyLoraConfig
from transformers import BitsAndBytesConfig, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

from trainer_adapter.training.config import BLOCK_MODULES
from trainer_adapter.training.epoch_order import EpochOrder
from trainer_adapter.training.tinylora import KeepFloat32, vectors, wrapping


def lengths(completions: list[list[dict[str, str]]], **_: object) -> list[float]:
    return [float(len(set(completion[-1]["content"]))) for completion in completions]


def train(model: str, output: str, checkpoint: str | None = None) -> None:
    prompts = [{"prompt": [{"role": "user", "content": f"print {n} + a"}]} for n in range(4)]
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=[lengths],
        args=GRPOConfig(
            output_dir=output,
            use_cpu=True,
            bf16=False,
            model_init_kwargs={"dtype": "bfloat16"},
            activation_checkpointing=True,
            per_device_train_batch_size=4,
            num_generations=4,
            max_completion_length=8,
            learning_rate=1e-2,
            max_steps=4,
            save_steps=3,
            report_to="none",
        ),
        train_dataset=Dataset.from_list(prompts),
        processing_class=PreTrainedTokenizerFast.from_pretrained(model),
        quantization_config=BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4"),
        peft_config=TinyLoraConfig(
            r=2, u=16, weight_tying=1.0, target_modules=list(BLOCK_MODULES), task_type="CAUSAL_LM"
        ),
        callbacks=[KeepFloat32(), EpochOrder()],
    )
    trainer.train(resume_from_checkpoint=checkpoint)
    (vector,) = vectors(trainer.model)
    found = {**asdict(wrapping(trainer.model)), "dtypes": [str(vector.dtype)], "v": vector.tolist()}
    Path(output, f"{trainer.accelerator.process_index}.json").write_text(json.dumps(found))


def main(model: str, directory: str) -> None:
    torch.set_num_threads(1)
    for arguments in ((f"{directory}/whole", None), (f"{directory}/resumed", f"{directory}/whole/checkpoint-3")):
        debug_launcher(train, (model, *arguments), num_processes=2)


if __name__ == "__main__":
    main(*sys.argv[1:])
