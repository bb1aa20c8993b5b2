"""`judge problems new`: writes a small package to start from."""

from __future__ import annotations

from pathlib import Path

import click

from problems.writing.template import create


@click.command("new")
@click.argument("directory", type=click.Path(path_type=Path))
def command(directory: Path) -> None:
    """Write a small, complete package to start from.

    \b
    Examples:
      judge problems new ./my-problem
      judge problems verify ./my-problem
    """
    click.echo(f"{create(directory)} is ready: edit it, then run `judge problems verify {directory}`")
