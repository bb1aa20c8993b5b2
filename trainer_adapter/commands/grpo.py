"""`judge-train grpo`: trains a model."""

from __future__ import annotations

import logging
from pathlib import Path

import click

from trainer_adapter.commands.options import config_file, overrides, settled
from trainer_adapter.training.config import Config


@click.command("grpo")
@config_file
@overrides
@click.option(
    "--resume", default="auto", show_default=True, metavar="auto|never|CHECKPOINT", help="Where to go on from."
)
@click.option("--dry-run", is_flag=True, help="Check settings and data, say what would be done, and load no model.")
def command(config_file: Path, overrides: tuple[str, ...], resume: str, dry_run: bool) -> int:
    """Train a model with GRPO on the judge's verdicts. CONFIG is a YAML file, or the name of a recipe.

    \b
    Examples:
      judge-train grpo gsm8k_qwen2.5_0.5b --dry-run
      judge-train grpo run.yaml --set grpo.max_steps=10 --set run.directory=/data/runs/try
      accelerate launch --num_processes 2 -m trainer_adapter.commands.main grpo run.yaml
    """
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    config = settled(config_file, overrides)
    from trainer_adapter.training import train  # noqa: PLC0415 - after the environment is set

    start = train.resume_point(config, resume)
    _announce(config, start)
    if dry_run:
        return 0
    trainer = train.train(config, start)
    for symptom in train.health(trainer).found:
        click.echo(str(symptom))
    for unsaved in trainer.unsaved:
        click.echo(f"not saved: {unsaved}")
    click.echo(f"{trainer.state.global_step} steps; adapter and report.html are in {config.run.directory}")
    return 0


def _announce(config: Config, start: Path | None) -> None:
    from trainer_adapter.training import train  # noqa: PLC0415
    from trainer_adapter.training.gpu_memory import estimate  # noqa: PLC0415

    settings = train.arguments(config)
    click.echo(f"GPU memory: {estimate(config, settings)}")
    rows = train.rows(config, train.tokenizer(config)).train
    train.require_a_step(rows, settings)
    train.rewards(config)
    click.echo(
        f"data: {len(rows)} prompts; a step: {settings.generation_batch_size} completions, "
        f"{settings.num_generations} of each prompt; rewards: {', '.join(config.reward.functions)}"
    )
    click.echo(f"output: {config.run.directory}; " + (f"going on from {start}" if start else "from the beginning"))
