"""`judge-train eval`: evaluates judged rollouts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judge.common.errors import ConfigError
from judge.common.text import harmless
from trainer_adapter.commands import making

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
@click.option(
    "--report", metavar="FILE.html", type=click.Path(path_type=Path, dir_okay=False), help="Write a page with pictures."
)
@click.option("--hidden", is_flag=True, help="Show on the page hidden tests, too, and messages that may quote them.")
@making.options
def command(
    rollouts: Path,
    against: Path | None,
    ks: tuple[int, ...],
    as_json: str | None,
    report: Path | None,
    hidden: bool,
    **given: Any,
) -> int:
    """Evaluate judged rollouts: pass@k with intervals of 95 %, by difficulty and tag, and the verdicts.

    FILE holds a line of JSON for each completion, with at least {id, problem, verdict}: as `judge batch` and
    `judge-train rollout` write it. With --model or --config, FILE is made first, or finished, as `judge-train rollout`
    does it. The estimate of pass@k is unbiased. Every problem has the same weight, and the interval is what another
    choice of problems would have given. What could not be judged is counted apart, and never as wrong.

    \b
    Examples:
      judge batch rollouts.jsonl -o results.jsonl && judge-train eval results.jsonl
      judge-train eval base.jsonl --model Qwen/Qwen2.5-Coder-3B-Instruct -n 10 -k 1 -k 10 --report base.html
      judge-train eval after.jsonl --against before.jsonl --json - --report report.html

    Exit codes: 0 success, 1 nothing in the file was judged, 2 error, 130 interrupted, 143 asked to end.
    """
    if given["model"] is not None or given["config_file"] is not None:
        timing, _ = making.make(making.take_options(given), rollouts)
        click.echo(f"of this run: {timing}", err=True)
    from trainer_adapter.rollouts.evaluation import compare, evaluate  # noqa: PLC0415 - numpy is slow to import
    from trainer_adapter.rollouts.report import Examples, Page  # noqa: PLC0415
    from trainer_adapter.rollouts.row import read  # noqa: PLC0415

    ks, examples = tuple(sorted(set(ks or (1,)))), Examples()
    found = evaluate(examples.watch(read(rollouts)))
    if not _can_be_told(found, rollouts, ks):
        return 1
    before = None if against is None else evaluate(read(against))
    comparison = None if before is None else compare(found, before, ks[0])
    if report is not None:
        other = None if before is None or comparison is None else (str(against), before, comparison)
        page = Page(title=rollouts.name, found=found, ks=ks, examples=examples, other=other, hidden=hidden)
        report.write_text(page.render(), "utf-8", "backslashreplace")
    return _tell(found, ks, comparison, against, as_json)


def _can_be_told(found: Evaluation, rollouts: Path, ks: tuple[int, ...]) -> bool:
    """
    Raises:
        ConfigError: there are too few samples for pass@k.
    """
    most = found.most_k()
    if found.rollouts and not most:
        click.echo(f"{rollouts}: none of {found.rollouts} rollouts was judged", err=True)
        return False
    if not found.rollouts or ks[-1] > most:
        raise ConfigError(f"{rollouts}: a problem has {most} judged samples: pass@{ks[-1]} needs more")
    return True


def _tell(
    found: Evaluation, ks: tuple[int, ...], comparison: Comparison | None, against: Path | None, as_json: str | None
) -> int:
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
        click.echo(_compare_runs(comparison, against, ks[0]))
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


def _compare_runs(found: Comparison, against: Path | None, k: int) -> str:
    gain = found.difference
    interval, sides = f"{gain.low:+.1%} to {gain.high:+.1%}", f"{found.better} better, {found.worse} worse"
    return (
        f"against {against}: pass@{k} {gain.mean:+.1%} ({interval}) on {gain.problems} problems, {sides}, "
        f"p = {found.p_value:.3g}; {found.left_out} problems left out"
    )
