"""`judge bench`: measures what judging costs on this machine; its subcommands measure something else."""

from __future__ import annotations

import json
from dataclasses import asdict

import click
from click.core import ParameterSource

from judge.cli import Commands
from judge.cli.options import backend, json_flag, slots
from judge.common.text import table


@click.group(
    "bench",
    cls=Commands,
    invoke_without_command=True,
    modules={"graders": "judge.cli.graders"},
    lines={"graders": "What released graders pay, reject and lose, and ours."},
    pages={"graders": "docs/graders.md"},
)
@backend
@slots
@json_flag("the figures")
@click.pass_context
def command(context: click.Context, backend: str, slots: int | None, as_json: bool) -> None:
    """Measure what running, compiling and judging cost here, beside plain g++ and Python's subprocess.

    About a minute, longer once while precompiled headers are made. Let nothing else run. Ratios carry over to other
    machines, times do not.

    \b
    Examples:
      judge bench
      judge bench --backend nsjail
      judge bench --json > bench.json
      judge bench graders
    """
    if context.invoked_subcommand is not None:
        _refuse_options(context)
        return
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


def _refuse_options(context: click.Context) -> None:
    """
    Raises:
        UsageError: an option stands before the subcommand, which would not hear of it.
    """
    name = context.invoked_subcommand
    for option in context.params:
        if context.get_parameter_source(option) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"options of {name} stand behind it: judge bench {name} …")
