"""What the commands that select from files share: options, and how they report."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from judge.common.errors import ConfigError
from judge.common.text import harmless
from trainer_adapter.rollouts.selection.files import STANDARD, encode_row, replacing
from trainer_adapter.rollouts.selection.held_out import HeldOut, names
from trainer_adapter.rollouts.selection.layouts import Layout, lay_out
from trainer_adapter.rollouts.selection.summary import Summary

_PATH = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)

rollouts_file = click.argument("file", metavar="ROLLOUTS.jsonl", type=_PATH)
output = click.option(
    "-o", "--output", required=True, type=click.Path(dir_okay=False, path_type=Path), help="Result file; - for stdout."
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON on stdout.")

row_layout = click.option(
    "--format",
    "layout",
    type=click.Choice([each.value for each in Layout]),
    default=Layout.TRL.value,
    show_default=True,
    help="Whose columns a row has: TRL's (and judge-train's), ms-swift's or LLaMA-Factory's.",
)


def held_out(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say which problems are held out; `held_out_of` reads them."""
    options = (
        click.option(
            "--held-out",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            metavar="FILE",
            help="Problems to leave out: a name a line, or JSON Lines.",
        ),
        click.option(
            "--held-out-share",
            type=click.FloatRange(0, 1),
            default=0.0,
            metavar="SHARE",
            help="Leave out this share of all problems, by a hash of the name.",
        ),
        click.option("--seed", type=int, default=0, show_default=True, help="Leave out another share."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def held_out_of(held_out: Path | None, held_out_share: float, seed: int) -> HeldOut:
    return HeldOut(names=frozenset() if held_out is None else names(held_out), share=held_out_share, seed=seed)


def check(target: Path, *, as_json: bool) -> None:
    """
    Raises:
        ConfigError: the result and the summary would both go to stdout.
    """
    if as_json and target == STANDARD:
        raise ConfigError("-o - and --json would both write to stdout: name a file with -o")


def write(rows: Iterable[dict[str, Any]], target: Path, summary: Summary, layout: str = Layout.TRL) -> None:
    """Write the rows, each a line of JSON, and count them."""
    with replacing(target) as put:
        for row in rows:
            put(encode_row(lay_out(row, Layout(layout))))
            summary.written += 1


def report(summary: Summary, *, as_json: bool) -> int:
    """Print the summary; returns the exit code."""
    if as_json:
        click.echo(json.dumps(summary.as_dict(), ensure_ascii=False))
    else:
        click.echo(harmless("\n".join(summary.lines())), err=True)
    return 0 if summary.written else 1
