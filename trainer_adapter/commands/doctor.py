"""`judge-train doctor`: checks a run before it begins."""

from __future__ import annotations

from pathlib import Path

import click

from trainer_adapter.commands.options import config_file, overrides, settled


@click.command("doctor")
@config_file
@overrides
@click.option(
    "--rollouts", default=8, show_default=True, type=click.IntRange(1), help="Completions of the probe rollout."
)
@click.option("--no-model", is_flag=True, help="Load no model: only settings, data, judge and rewards are looked at.")
def command(config_file: Path, overrides: tuple[str, ...], rollouts: int, no_model: bool) -> int:
    """Say what would go wrong in a run before it is begun.

    Exit codes: 0 all is well, 1 something is not.
    """
    config = settled(config_file, overrides)
    from trainer_adapter.training.preflight import examine  # noqa: PLC0415 - after the environment is set

    well = True
    for check in examine(config, rollouts=rollouts, with_model=not no_model):
        mark = click.style("yes", fg="green") if check.ok else click.style("no ", fg="red")
        click.echo(f"{mark}  {check.name}: {check.detail}")
        if not check.ok:
            well = False
            click.echo(f"     {check.remedy}")
    return 0 if well else 1
