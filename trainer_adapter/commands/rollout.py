"""`judge-train rollout`: samples completions of a model, and has them judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from trainer_adapter.commands import making


@click.command("rollout")
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path, dir_okay=False), metavar="FILE.jsonl",
    help="Where the rows go.",
)  # fmt: skip
@making.options
def command(output: Path, **given: Any) -> int:
    """Sample completions of a model for problems, and judge them while others are still sampled.

    The model is in this process (a directory or a name on the hub, with or without an adapter) or behind an
    OpenAI-compatible endpoint, such as vLLM's. A row of FILE.jsonl is a completion with its verdict, as `judge-train
    eval`, filter, rft and pairs read it.

    Broken off by whatever, the same command goes on: no row comes twice, none is lost. Other settings than those of the
    rows that are there are refused; FILE.jsonl.settings.json keeps them. A request that fails, and fails again, gives a
    row without a verdict, which counts nowhere as wrong.

    \b
    Examples:
      judge-train rollout --model Qwen/Qwen2.5-Coder-3B-Instruct -o base.jsonl -n 8
      judge-train rollout --config run.yaml --adapter runs/first --held-out -o after.jsonl -n 8
      judge-train rollout --endpoint http://127.0.0.1:8000/v1 --model Qwen3-32B --data luogu.jsonl -o rollouts.jsonl

    Exit codes: 0 every row was judged, 1 some could not be, 2 error, 130 interrupted, 143 asked to end.
    """
    want = making.take_options(given)
    timing, file = making.make(want, output)
    click.echo(f"{output}: {file.before + timing.rows} rows, {file.accepted_before + timing.accepted} accepted")
    click.echo(f"of this run: {timing}")
    return 1 if file.failed_before + timing.not_judged else 0
