"""`judge-train doctor`: checks a run before it begins."""

from __future__ import annotations

from pathlib import Path

import click

from trainer_adapter.commands.options import config_file, load_settled, overrides, show


@click.command("doctor")
@config_file
@overrides
@click.option(
    "--rollouts", default=8, show_default=True, type=click.IntRange(1), help="Completions of the probe rollout."
)
@click.option(
    "--no-model", is_flag=True, help="Load no model: settings, data, judge, problems and rewards are looked at."
)
def command(config_file: Path, overrides: tuple[str, ...], rollouts: int, no_model: bool) -> int:
    """Say what would go wrong in a run before it is begun.

    Each line begins with yes, no, or ? for what cannot be looked at here. With --no-model neither the model nor a GPU
    need be there.

    Exit codes: 0 all is well, 1 something is not.
    """
    config = load_settled(config_file, overrides, looked_at=True)
    from trainer_adapter.training.preflight import examine  # noqa: PLC0415 - after the environment is set

    return 0 if show(examine(config, rollouts=rollouts, with_model=not no_model)) else 1
