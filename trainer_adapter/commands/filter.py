"""`judge-train filter`: problems that are neither too easy nor too hard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from judge.common.errors import ConfigError
from judge.common.text import harmless
from trainer_adapter.commands import selecting
from trainer_adapter.rollouts.selection import filtering
from trainer_adapter.rollouts.selection.files import encode_row, open_again, replacing, show_name
from trainer_adapter.rollouts.selection.source import rollouts
from trainer_adapter.rollouts.selection.summary import Summary


@click.command("filter")
@selecting.rollouts_file
@selecting.output
@click.option(
    "--band",
    type=click.FloatRange(0, 1),
    nargs=2,
    default=(0.0, 1.0),
    show_default=True,
    metavar="LOW HIGH",
    help="Keep problems whose pass rate lies between these.",
)
@click.option("--inclusive", is_flag=True, help="The ends of the band belong to it.")
@click.option(
    "--least", type=click.IntRange(min=1), default=1, show_default=True, metavar="N", help="Judged rollouts needed."
)
@click.option(
    "--data",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.jsonl",
    help="Write the rows of this file whose problems are kept.",
)
@click.option("--key", metavar="COLUMN", help="Column of --data that names the problem (default: the usual names).")
@click.option("--why", is_flag=True, help="Say of each problem that is not kept why.")
@selecting.as_json
def command(
    file: Path,
    output: Path,
    band: tuple[float, float],
    inclusive: bool,
    least: int,
    data: Path | None,
    key: str | None,
    why: bool,
    as_json: bool,
) -> int:
    """Keep the problems that can be learnt from: with the default band, those of which some rollouts were accepted,
    and some were not. ROLLOUTS.jsonl may be - for stdin.

    The result is a name a line; or, if it is called .jsonl, {"problem", "pass_rate", "accepted", "judged", "unjudged"};
    or, with --data, the rows of that file whose problems are kept, unchanged. Rollouts that could not be judged do not
    count; a problem none of whose rollouts was judged is not kept, and is named.

    Exit codes: 0 something is kept, 1 nothing is, 2 error.

    \b
    Examples:
      judge-train filter rollouts.jsonl -o problems.txt
      judge-train filter rollouts.jsonl -o - --band 0.1 0.7 --inclusive --least 8
      judge-train filter rollouts.jsonl -o kept.jsonl --data problems.jsonl --why
    """
    selecting.check(output, as_json=as_json)
    if band[0] > band[1]:
        raise ConfigError(f"--band: {band[0]:g} is above {band[1]:g}; give the lower one first")
    with rollouts(file) as source:
        by_problem = source.by_problem()
    nameless = by_problem.pop("", [])
    rates = list(filtering.rates(by_problem))
    wanted = filtering.Band(low=band[0], high=band[1], inclusive=inclusive, least=least)
    complaints = {rate: rate.complaint(wanted) for rate in rates}
    kept = [rate for rate in rates if complaints[rate] is None]
    summary = Summary(what="problems", source=show_name(file), read=len(rates), written=len(kept))
    if nameless:
        summary.notes.append(f"{len(nameless)} rows name no problem")
    _say(complaints, summary, why=why)
    with replacing(output) as put:
        for line in _lines(kept, output) if data is None else _copy_lines(kept, data, key, summary):
            put(line)
    return selecting.report(summary, as_json=as_json)


def _say(complaints: Mapping[filtering.Rate, str | None], summary: Summary, *, why: bool) -> None:
    unjudged = [rate.problem for rate in complaints if not rate.judged]
    summary.figures |= {"unjudged": unjudged}
    if unjudged:
        summary.notes.append(f"not judged at all: {', '.join(unjudged)}")
    for rate, complaint in complaints.items():
        if complaint is not None:
            summary.dropped.add(complaint, rate.problem)
    if why:
        dropped = [(rate, complaint) for rate, complaint in complaints.items() if complaint is not None]
        summary.figures["why"] = {rate.problem: complaint for rate, complaint in dropped}
        for rate, complaint in dropped:
            click.echo(harmless(f"{rate.problem}: {complaint} ({rate.accepted} of {rate.judged})"), err=True)


def _lines(kept: list[filtering.Rate], output: Path) -> Iterator[bytes]:
    for rate in kept:
        if output.suffix == ".jsonl":
            yield encode_row(rate.as_dict())
        elif "\n" in rate.problem or "\r" in rate.problem:
            raise ConfigError(f"the name {rate.problem!r} does not fit on a line: write to a file called .jsonl")
        else:
            yield f"{rate.problem}\n".encode()


def _copy_lines(kept: list[filtering.Rate], data: Path, key: str | None, summary: Summary) -> Iterator[bytes]:
    """Lines of the data file; the summary says which problems have none."""
    names = frozenset(rate.problem for rate in kept)
    found, rows = set[str](), 0
    with open_again(data) as stream:
        for problem, line in filtering.matching(stream, show_name(data), names, key):
            found.add(problem)
            rows += 1
            yield line
    summary.figures |= {"rows_copied": rows, "without_row": sorted(names - found)}
    if missing := sorted(names - found):
        few = f"{', '.join(missing[:3])}{', …' if len(missing) > 3 else ''}"
        summary.notes.append(f"{data} has no row of {len(missing)} kept problems ({few}); --key names another column")
    summary.written = len(found)
