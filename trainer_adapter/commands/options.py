"""The options that the commands of a configured run share."""

from __future__ import annotations

from pathlib import Path

import click

from trainer_adapter.training.config import Config, load
from trainer_adapter.training.environment import settle

config_file = click.argument("config_file", metavar="CONFIG", type=click.Path(path_type=Path, dir_okay=False))
overrides = click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="SECTION.KEY=VALUE",
    help="Change a setting; may be given several times.",
)


def settled(config_file: Path, overrides: tuple[str, ...]) -> Config:
    """Load the configuration and set the environment for it. Only then may Hugging Face's libraries be imported."""
    config = load(config_file, overrides)
    settle(config)
    return config
