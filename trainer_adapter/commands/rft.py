"""`judge-train rft`: examples to imitate, from accepted rollouts."""

from __future__ import annotations

from pathlib import Path

import click

from trainer_adapter.commands import selecting
from trainer_adapter.rollouts.selection import rft
from trainer_adapter.rollouts.selection.files import show_name
from trainer_adapter.rollouts.selection.source import rollouts
from trainer_adapter.rollouts.selection.summary import Summary


@click.command("rft")
@selecting.rollouts_file
@selecting.output
@click.option("--most", type=click.IntRange(min=1), default=4, show_default=True, metavar="N", help="Rows a problem.")
@click.option(
    "--prefer",
    type=click.Choice([choice.value for choice in rft.Prefer]),
    default="shortest",
    show_default=True,
    help="Which: the shortest; or the shortest, then those least like the ones before.",
)
@selecting.row_layout
@selecting.held_out
@selecting.as_json
def command(
    file: Path,
    output: Path,
    most: int,
    prefer: str,
    layout: str,
    held_out: Path | None,
    held_out_share: float,
    seed: int,
    as_json: bool,
) -> int:
    """Choose accepted rollouts to train on by imitation (rejection sampling). ROLLOUTS.jsonl may be - for stdin.

    Programs that differ only in comments, white space and chosen names count as one. Truncated rollouts are left out.
    A row of the result has prompt, completion, problem and id, as TRL's SFTTrainer takes it; --format swift
    or llama-factory gives messages.

    Exit codes: 0 something was chosen, 1 nothing was, 2 error.

    \b
    Examples:
      judge-train rft rollouts.jsonl -o sft.jsonl
      judge-train rft rollouts.jsonl -o sft.jsonl --format swift
      judge-train rft rollouts.jsonl -o sft.jsonl --most 8 --prefer diverse --held-out-share 0.05
    """
    selecting.check(output, as_json=as_json)
    plan = rft.Plan(
        most=most, prefer=rft.Prefer(prefer), held_out=selecting.held_out_of(held_out, held_out_share, seed)
    )
    with rollouts(file) as source:
        by_problem = source.by_problem()
        summary = Summary(what="rollouts", source=show_name(file), read=sum(map(len, by_problem.values())))
        selecting.write(rft.examples(source, by_problem, plan, summary), output, summary, layout)
    return selecting.report(summary, as_json=as_json)
