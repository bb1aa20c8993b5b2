"""`judge-train dpo`: trains a model to prefer the better of two answers."""

from __future__ import annotations

from trainer_adapter.commands import run

command = run.command(
    "dpo",
    "Train a model on pairs of a better and a worse answer.",
    "judge-train dpo qwen3_4b_dpo --set adapter.start=/data/runs/sft --set data.source=pairs.jsonl --dry-run",
    "judge-train dpo qwen3_4b_dpo --set adapter.start=/data/runs/sft --set run.directory=/data/runs/dpo",
    "accelerate launch --num_processes 4 -m trainer_adapter dpo run.yaml",
)
