"""`judge bench`: measures what judging costs on this machine."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from judge.cli.options import backend, json_flag, slots
from judge.common.text import table


@click.command("bench")
@backend
@slots
@json_flag("the figures")
def command(backend: str, slots: int | None, as_json: bool) -> None:
    """Measure what running, compiling and judging cost here, beside plain g++ and Python's subprocess.

    About a minute, longer once while precompiled headers are made. Let nothing else run. Ratios carry over to other
    machines, times do not.

    \b
    Examples:
      judge bench
      judge bench --backend nsjail
      judge bench --json > bench.json
    """
    from judge.selftest.bench import measure  # noqa: PLC0415 - `judge --help` needs none of it

    figures = []
    for figure in measure(backend, slots):
        figures.append(figure)
        click.echo(f"{figure.what}: done", err=True)
    if as_json:
        click.echo(json.dumps([{**asdict(figure), "ratio": round(figure.ratio, 4)} for figure in figures]))
        return
    rows = [
        (one.what, f"{one.ours:.3g} {one.unit}", f"{one.plain:.3g} {one.unit}", f"{one.ratio:.3g}") for one in figures
    ]
    click.echo(table(("", "judge", "plain", "judge/plain"), rows, right={1, 2, 3}))
