"""The options that the commands of a configured run share."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from judge.common.text import harmless
from trainer_adapter.training.config import AnyConfig, load
from trainer_adapter.training.environment import go_without_the_hub, settle
from trainer_adapter.training.modelscope import take_from_modelscope

if TYPE_CHECKING:
    from trainer_adapter.training.precheck import Precheck

config_file = click.argument("config_file", metavar="CONFIG", type=click.Path(path_type=Path, dir_okay=False))
overrides = click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="SECTION.KEY=VALUE",
    help="Change a setting; may be given several times.",
)


def load_settled(
    config_file: Path, overrides: tuple[str, ...], kind: str | None = None, *, looked_at: bool = False
) -> AnyConfig:
    """Load the configuration, of a kind, and set the environment for it. Only then may Hugging Face's libraries be
    imported. `looked_at`: nothing is trained, so what the hub alone has may be missing."""
    config = load(config_file, overrides, kind=kind)
    settle(config)
    config = take_from_modelscope(config)
    if looked_at and (said := go_without_the_hub(config.model.path)):
        click.echo(said, err=True)
    return config


def show(checks: Iterable[Precheck]) -> bool:
    """Print them one by one; whether none of them failed. `?` stands before what could not be looked at."""
    marks = {True: click.style("yes", fg="green"), False: click.style("no ", fg="red"), None: "?  "}
    well = True
    for check in checks:
        click.echo(f"{marks[check.ok]}  {check.name}: {harmless(check.detail)}")
        if check.ok is False:
            well = False
            click.echo(f"     {check.remedy}")
    return well
