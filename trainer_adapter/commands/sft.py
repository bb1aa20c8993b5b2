"""`judge-train sft`: trains a model to answer as examples do."""

from __future__ import annotations

from trainer_adapter.commands import run

command = run.command(
    "sft",
    "Train a model on examples: prompts with answers, or judged rollouts, of which it takes the accepted ones.",
    "judge-train sft qwen3_4b_sft --set data.source=accepted.jsonl --dry-run",
    "judge-train sft qwen3_4b_sft --set data.source=alpaca/ --set run.directory=/data/runs/sft --set run.hours=10",
    "accelerate launch --num_processes 4 -m trainer_adapter sft run.yaml",
)
