"""`judge-train audit`: whether what was paid is right."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Unpack

import click

from judge.cli.options import Where, open_judge, walls
from judge.cli.progress import teller
from judge.common import config as machine
from judge.common.errors import ConfigError
from judge.common.text import harmless
from trainer_adapter.audit.audit import Audit, Plan, audit
from trainer_adapter.audit.fresh import Outcome
from trainer_adapter.audit.opening import Problems, open_rows, packed_tests
from trainer_adapter.audit.page import render
from trainer_adapter.audit.rates import Rates, as_dict, lines
from trainer_adapter.rollouts.selection.files import encode_row, replacing

_FILE = click.Path(path_type=Path, dir_okay=False)
_USUAL = Plan()


class _Count(click.ParamType):  # type: ignore[type-arg]
    """A number, or `all`."""

    name = "count"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        if value is None or value == "all":
            return None
        return click.IntRange(min=0).convert(value, param, ctx)


@click.command("audit")
@click.argument("rollouts", metavar="ROLLOUTS", type=click.Path(path_type=Path, exists=True, allow_dash=True))
@click.option(
    "--programs", type=_FILE, metavar="FILE.jsonl", help="What was judged, where ROLLOUTS holds results only."
)
@click.option(
    "--problems",
    "store",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="A directory of packages, looked at first.",
)
@click.option("--data", metavar="SOURCE", help="Data set whose tests they are, as `judge-train data` takes it.")
@click.option(
    "--sample",
    type=_Count(),
    default=_USUAL.accepted,
    show_default=True,
    metavar="N|all",
    help="Accepted rollouts, drawn at random over problems and steps.",
)
@click.option(
    "--rejected",
    type=_Count(),
    default=_USUAL.rejected,
    show_default=True,
    metavar="N|all",
    help="Likewise of those that were rejected for their output.",
)
@click.option(
    "--signed",
    type=_Count(),
    default=_USUAL.signed,
    show_default=True,
    metavar="N|all",
    help="Accepted ones that show signs of a trick, beside those.",
)
@click.option(
    "--inputs",
    type=click.IntRange(1, 1000),
    default=_USUAL.inputs,
    show_default=True,
    metavar="N",
    help="Fresh inputs of each problem.",
)
@click.option("--seed", type=int, default=_USUAL.seed, show_default=True, help="Of samples and inputs.")
@click.option(
    "-l",
    "--language",
    default=_USUAL.language,
    show_default=True,
    metavar="NAME",
    help="Of programs whose row and fence name none.",
)
@click.option("-o", "--output", type=_FILE, metavar="FILE.jsonl", help="Write what was found of each rollout.")
@click.option("--report", type=_FILE, metavar="FILE.html", help="Write a page.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.option(
    "--fail-above",
    type=click.FloatRange(0, 1),
    metavar="RATE",
    help="Exit with 1 where a larger share of what was paid is wrong.",
)
@walls
def command(
    rollouts: Path,
    programs: Path | None,
    store: Path | None,
    data: str | None,
    sample: int | None,
    rejected: int | None,
    signed: int | None,
    inputs: int,
    seed: int,
    language: str,
    output: Path | None,
    report: Path | None,
    as_json: bool,
    fail_above: float | None,
    **where: Unpack[Where],
) -> int:
    """Audit judged rollouts: how many that were paid are wrong, and how many that were refused are right?

    ROLLOUTS is a file as `judge-train rollout` writes it, the results of `judge batch` with --programs, or the
    directory of a run. A random sample is run on fresh inputs, on whose answers accepted programs agree. Accepted
    rollouts that show signs of a trick are run, too; the rates are of the random sample alone. A wrong program that no
    fresh input shows counts as right: at least as many are wrong as is said.

    \b
    Examples:
      judge-train audit rollouts.jsonl
      judge-train audit results.jsonl --programs rollouts.jsonl --report audit.html -o evidence.jsonl
      judge-train audit /data/runs/first --fail-above 0.02

    Exit codes: 0 audited, 1 more than --fail-above, or nothing could be audited, 2 error.
    """  # fmt: skip
    plan = Plan(accepted=sample, rejected=rejected, signed=signed, inputs=inputs, seed=seed, language=language)
    with (
        open_rows(rollouts, programs) as rows,
        closing(_problems(store, data, rollouts)) as known,
        open_judge(where) as judge,
    ):
        found = audit(rows, known.load, judge, plan, teller(str(rollouts)))
    _write(found, output, report, rollouts.name)
    click.echo(json.dumps(as_dict(found), ensure_ascii=False) if as_json else harmless("\n".join(lines(found))))
    return _exit_code(found, fail_above)


def _problems(store: Path | None, data: str | None, rollouts: Path) -> Problems:
    """
    Raises:
        DataError, ConfigError: the data cannot be read.
    """
    from trainer_adapter.data.config import DataConfig  # noqa: PLC0415 - slow to import
    from trainer_adapter.rollouts.making.tasks import tasks  # noqa: PLC0415
    from trainer_adapter.training.config import Config, load  # noqa: PLC0415

    config = rollouts / "record" / "config.yaml"
    if data is not None:
        place, wanted = machine.cache_directory() / "data", DataConfig(source=data)
    elif config.is_file() and isinstance(found := load(config), Config):
        place, wanted = found.run.directory / "cache" / "data", found.data
        store = store or found.reward.problems
    else:
        return Problems(store=store)
    wanted = wanted.model_copy(update={"most_prompt_tokens": None})
    if wanted.source == "library":
        return Problems(store=store)
    return Problems(store=store, tests=packed_tests(tasks(wanted, place, None, held_out=False)))


def _write(found: Audit, output: Path | None, report: Path | None, name: str) -> None:
    if output is not None:
        with replacing(output) as put:
            for row in _rows(found):
                put(encode_row(row))
    if report is not None:
        report.write_text(render(found, f"Audit of {name}"), "utf-8", "backslashreplace")


def _rows(found: Audit) -> Iterator[dict[str, Any]]:
    """What is wrong, or may be, comes first."""
    order = {Outcome.WRONG: 0, Outcome.RIGHT: 1, Outcome.LIMIT: 2, Outcome.UNKNOWN: 3}
    for one in sorted(found.audited, key=lambda one: (order[one.outcome] ^ (not one.accepted), one.problem, one.id)):
        yield one.as_dict()


def _exit_code(found: Audit, fail_above: float | None) -> int:
    rate = Rates.of(found.audited).paid_but_wrong
    if not any(one.outcome is not Outcome.UNKNOWN for one in found.audited):
        click.echo("nothing could be audited: no problem has fresh inputs", err=True)
        return 1
    if fail_above is not None and rate.share is None:
        raise ConfigError("--fail-above: no accepted rollout could be audited")
    return int(fail_above is not None and (rate.share or 0.0) > fail_above)
