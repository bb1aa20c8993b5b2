"""`judge-train eval`: evaluates judged rollouts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from judge.common.errors import ConfigError
from judge.common.text import harmless

if TYPE_CHECKING:
    from trainer_adapter.rollouts.evaluation import Comparison, Evaluation


@click.command("eval")
@click.argument("rollouts", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--against", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False), help="Compare with this run."
)
@click.option(
    "-k", "ks", multiple=True, type=click.IntRange(1), help="pass@k; may be given several times. [default: 1]"
)
@click.option(
    "--json", "as_json", metavar="FILE", help="Write the figures as JSON; - for stdout, and nothing else there."
)
def command(rollouts: Path, against: Path | None, ks: tuple[int, ...], as_json: str | None) -> int:
    """Evaluate judged rollouts: pass@k with intervals of 95 %, by difficulty and tag, and the verdicts.

    FILE holds a line of JSON for each completion, with at least {id, problem, verdict}: as `judge batch` writes
    results. pass@k is the unbiased estimate; every problem has the same weight, and the interval is what another choice
    of problems would have given. What could not be judged is counted apart, and never as wrong.

    \b
    Examples:
      judge batch rollouts.jsonl -o results.jsonl && judge-train eval results.jsonl
      judge-train eval results.jsonl -k 1 -k 10
      judge-train eval after.jsonl --against before.jsonl --json -

    Exit codes: 0 success, 1 nothing in the file was judged, 2 error.
    """
    from trainer_adapter.rollouts.evaluation import compare, evaluate  # noqa: PLC0415 - numpy is slow to import
    from trainer_adapter.rollouts.row import read  # noqa: PLC0415

    ks = tuple(sorted(set(ks or (1,))))
    found = evaluate(read(rollouts))
    most = found.most_k()
    if found.rollouts and not most:
        click.echo(f"{rollouts}: none of {found.rollouts} rollouts was judged", err=True)
        return 1
    if not found.rollouts or ks[-1] > most:
        raise ConfigError(f"{rollouts}: a problem has {most} judged samples: pass@{ks[-1]} needs more")
    comparison = None if against is None else compare(found, evaluate(read(against)), ks[0])
    figures = found.as_dict(ks)
    if comparison is not None:
        figures["against"] = comparison.as_dict()
    if as_json is not None:
        text = json.dumps(figures, indent=1, ensure_ascii=False)
        if as_json == "-":
            click.echo(text)
            return 0
        Path(as_json).write_text(text + "\n", encoding="utf-8")
    for line in _lines(found, ks):
        click.echo(line)
    if comparison is not None:
        click.echo(_compared(comparison, against, ks[0]))
    return 0


def _lines(found: Evaluation, ks: tuple[int, ...]) -> Iterator[str]:
    counts = f"{found.rollouts} rollouts, {found.truncated} truncated, {found.not_judged} not judged"
    yield f"{len(found.problems)} problems, {counts}"
    for k in ks:
        yield f"pass@{k}: {found.rate(k)}"
    judged = sum(found.verdicts.values())
    yield "verdicts: " + ", ".join(f"{name} {count / judged:.1%}" for name, count in found.verdicts.most_common())
    for name, among in found.groups().items():
        rates = "; ".join(f"pass@{k} {found.rate(k, among)}" for k in ks)
        yield f"  {harmless(name)}: {len(among)} problems, {rates}"


def _compared(found: Comparison, against: Path | None, k: int) -> str:
    gain = found.difference
    interval, sides = f"{gain.low:+.1%} to {gain.high:+.1%}", f"{found.better} better, {found.worse} worse"
    return (
        f"against {against}: pass@{k} {gain.mean:+.1%} ({interval}) on {gain.problems} problems, {sides}, "
        f"p = {found.p_value:.3g}; {found.left_out} problems left out"
    )
