"""`judge doctor`."""

from __future__ import annotations

import click

from containers.doctor import diagnose
from judge import slots
from judge.cli.languages import toolchains
from judge.cli.text import table


@click.command("doctor")
@click.option("--smoke", is_flag=True, help="Compile and run a tiny program in every language, too.")
def command(smoke: bool) -> int:
    """Say which isolation this machine grants, what is missing and how to get it.

    Exit codes: 0 programs can be judged, 1 they cannot.

    \b
    Examples:
      judge doctor
      judge doctor --smoke
    """
    diagnosis = diagnose()
    rows = [
        (
            check.name,
            click.style("yes", fg="green") if check.ok else click.style("no", fg="red"),
            check.detail,
            "" if check.ok else check.remedy,
        )
        for check in diagnosis.checks
    ]
    tier = diagnosis.tier or "none can be had"
    click.echo(f"isolation tier: {click.style(tier, bold=True)}\n")
    click.echo(table(("layer", "here", "detail", "remedy"), rows))
    click.echo(f"\nslots: {slots.available()}\n")
    text, _ = toolchains("native" if smoke else None)
    click.echo(text)
    return 1 if diagnosis.tier is None else 0
