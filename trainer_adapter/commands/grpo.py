"""`judge-train grpo`: trains a model."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trainer_adapter.commands.options import config_file, overrides, settled, show
from trainer_adapter.training.config import Config

if TYPE_CHECKING:
    from trl import GRPOConfig

    from trainer_adapter.data.loading import Loaded


@click.command("grpo")
@config_file
@overrides
@click.option(
    "--resume", default="auto", show_default=True, metavar="auto|never|CHECKPOINT", help="Where to go on from."
)
@click.option(
    "--restart-optimizer",
    is_flag=True,
    help="Take the weights and the count of steps from the checkpoint; begin the optimizer and its schedule anew.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Check all that can be checked without the model and a GPU, and say what would be done.",
)
def command(config_file: Path, overrides: tuple[str, ...], resume: str, restart_optimizer: bool, dry_run: bool) -> int:
    """Train a model with GRPO on the judge's verdicts. CONFIG is a YAML file, or the name of a recipe.

    \b
    Examples:
      judge-train grpo gsm8k_qwen2.5_0.5b --dry-run
      judge-train grpo run.yaml --set grpo.max_steps=10 --set run.directory=/data/runs/try
      judge-train grpo run.yaml --set grpo.learning_rate=1e-3 --restart-optimizer
      accelerate launch --num_processes 2 -m trainer_adapter grpo run.yaml

    Ctrl-C and SIGTERM end it within seconds; it keeps a checkpoint, and the same command goes on from there. What
    has changed since in the configuration, the data and the packages is said, and what it means.

    Exit codes: 0 success, 1 a check of --dry-run failed, 2 error, 130 interrupted, 143 asked to end.
    """
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    config = settled(config_file, overrides)
    from trainer_adapter.training import preflight, train  # noqa: PLC0415 - after the environment is set

    start = train.resume_point(config, resume)
    if dry_run:
        if not show(preflight.examine(config, with_model=False)):
            return 1
        found = train.rows(config, preflight.tokenizer_if_there(config)[0])
    else:
        found = train.rows(config, train.tokenizer(config))
    settings = train.arguments(config, anywhere=dry_run)
    train.require_a_step(found.train, settings)
    for line in _plan(config, settings, found, start):
        click.echo(line)
    for line in train.changes(config, found, start, restart_optimizer=restart_optimizer) if start else ():
        click.echo(f"changed: {line}")
    if dry_run:
        return 0
    trainer = train.train(config, start, restart_optimizer=restart_optimizer)
    for symptom in train.health(trainer).found:
        click.echo(str(symptom))
    for unsaved in trainer.unsaved:
        click.echo(f"not saved: {unsaved}")
    click.echo(f"{trainer.state.global_step} steps; adapter and report.html are in {config.run.directory}")
    return 0


def _plan(config: Config, settings: GRPOConfig, found: Loaded, start: Path | None) -> Iterator[str]:
    from trainer_adapter.training.gpu_memory import estimate  # noqa: PLC0415

    try:
        yield f"GPU memory: {estimate(config, settings)}"
    except (OSError, ValueError):
        yield "GPU memory: not estimated, for want of the model's configuration"
    yield (
        f"data: {len(found.train)} prompts; a step: {settings.generation_batch_size} completions, "
        f"{settings.num_generations} of each prompt; rewards: {', '.join(config.reward.names)}"
    )
    yield f"output: {config.run.directory}; " + (f"going on from {start}" if start else "from the beginning")
