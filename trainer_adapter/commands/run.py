"""What `judge-train grpo`, `sft` and `dpo` share: all but what they say of themselves."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trainer_adapter.commands.options import config_file, load_settled, overrides, show
from trainer_adapter.training.config import AnyConfig, Config

if TYPE_CHECKING:
    from transformers import TrainingArguments

    from trainer_adapter.data.loading import Loaded

_HELP = """{says} CONFIG is a YAML file, or the name of a recipe.

\b
Examples:
{examples}

Ctrl-C and SIGTERM end it within seconds; it keeps a checkpoint, and the same command goes on from there. What has
changed since in the configuration, the data and the packages is said, and what it means. With run.hours it ends so by
itself before that time is over.

Exit codes: 0 success, 1 a check of --dry-run failed, 2 error, 130 interrupted or out of time, 143 asked to end.
"""


def command(kind: str, says: str, *examples: str) -> click.Command:
    """The command that trains so."""

    def train(
        config_file: Path, overrides: tuple[str, ...], resume: str, restart_optimizer: bool, dry_run: bool
    ) -> int:
        return _run(load_settled(config_file, overrides, kind, looked_at=dry_run), resume, restart_optimizer, dry_run)

    for option in reversed((config_file, overrides, _resume, _restart, _dry_run)):
        train = option(train)
    lines = "\n".join(f"  {line}" for line in examples)
    return click.command(kind, help=_HELP.format(says=says, examples=lines))(train)


_resume = click.option(
    "--resume", default="auto", show_default=True, metavar="auto|never|CHECKPOINT", help="Where to go on from."
)
_restart = click.option(
    "--restart-optimizer",
    is_flag=True,
    help="Take the weights and the count of steps from the checkpoint; begin the optimizer and its schedule anew.",
)
_dry_run = click.option(
    "--dry-run",
    is_flag=True,
    help="Check all that can be checked without the model and a GPU, and say what would be done.",
)


def _run(config: AnyConfig, resume: str, restart_optimizer: bool, dry_run: bool) -> int:
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
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


def _plan(config: AnyConfig, settings: TrainingArguments, found: Loaded, start: Path | None) -> Iterator[str]:
    from trl import GRPOConfig  # noqa: PLC0415 - slow to import

    from trainer_adapter.training.example_checks import describe_batches  # noqa: PLC0415
    from trainer_adapter.training.gpu_memory import estimate  # noqa: PLC0415

    try:
        yield f"GPU memory: {estimate(config, settings)}"
    except (OSError, ValueError):
        yield "GPU memory: not estimated, for want of the model's configuration"
    if isinstance(config, Config) and isinstance(settings, GRPOConfig):
        yield (
            f"data: {len(found.train)} prompts; a step: {settings.generation_batch_size} completions, "
            f"{settings.num_generations} of each prompt; rewards: {', '.join(config.reward.names)}"
        )
    else:
        yield from (f"data: {line}" for line in describe_batches(settings, found))
    yield f"output: {config.run.directory}; " + (f"going on from {start}" if start else "from the beginning")
