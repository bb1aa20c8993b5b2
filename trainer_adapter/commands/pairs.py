"""`judge-train pairs`: preference pairs, from accepted rollouts and near misses."""

from __future__ import annotations

from pathlib import Path

import click

from trainer_adapter.commands import selecting
from trainer_adapter.rollouts.selection.files import show_name
from trainer_adapter.rollouts.selection.pairs import Pairing, Plan
from trainer_adapter.rollouts.selection.source import rollouts
from trainer_adapter.rollouts.selection.summary import Summary


@click.command("pairs")
@selecting.rollouts_file
@selecting.output
@click.option("--most", type=click.IntRange(min=1), default=4, show_default=True, metavar="N", help="Pairs a problem.")
@click.option(
    "--length-ratio",
    type=click.FloatRange(min=1),
    default=1.5,
    show_default=True,
    metavar="RATIO",
    help="The longer completion of a pair is at most so many times as long as the other.",
)
@selecting.row_layout
@selecting.held_out
@selecting.as_json
def command(
    file: Path,
    output: Path,
    most: int,
    length_ratio: float,
    layout: str,
    held_out: Path | None,
    held_out_share: float,
    seed: int,
    as_json: bool,
) -> int:
    """Pair accepted rollouts with near misses of the same prompt. ROLLOUTS.jsonl may be - for stdin.

    A rollout that could not be judged, was truncated, or whose verdict may be due to a time near the limit is in no
    pair. A row of the result has prompt, chosen, rejected, problem, chosen_id and rejected_id, as TRL's DPOTrainer
    takes it; --format swift or llama-factory gives theirs. The summary says the mean lengths of both sides: if they
    differ, training would learn the length.

    Exit codes: 0 there are pairs, 1 there is none, 2 error.

    \b
    Examples:
      judge-train pairs rollouts.jsonl -o pairs.jsonl
      judge-train pairs rollouts.jsonl -o pairs.jsonl --format swift
      judge-train pairs rollouts.jsonl -o pairs.jsonl --length-ratio 1.2 --held-out held-out.txt
    """
    selecting.check(output, as_json=as_json)
    held = selecting.held_out_of(held_out, held_out_share, seed)
    plan = Plan(most=most, length_ratio=length_ratio, held_out=held)
    with rollouts(file) as source:
        by_problem = source.by_problem()
        summary = Summary(what="rollouts", source=show_name(file), read=sum(map(len, by_problem.values())))
        selecting.write(Pairing(source, by_problem, plan, summary).pairs(), output, summary, layout)
    return selecting.report(summary, as_json=as_json)
