"""`judge-train grpo`: trains a model on the judge's verdicts."""

from __future__ import annotations

from trainer_adapter.commands import run

command = run.command(
    "grpo",
    "Train a model with GRPO on the judge's verdicts.",
    "judge-train grpo gsm8k_qwen2.5_0.5b --dry-run",
    "judge-train grpo run.yaml --set grpo.max_steps=10 --set run.directory=/data/runs/try",
    "judge-train grpo run.yaml --set grpo.learning_rate=1e-3 --restart-optimizer",
    "accelerate launch --num_processes 2 -m trainer_adapter grpo run.yaml",
)
