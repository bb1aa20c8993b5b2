"""`judge bench`: measures what judging costs on this machine; `judge bench graders`: how graders judge."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from judge.cli.options import Where, backend, json_flag, open_judge, slots, walls
from judge.common.errors import ConfigError
from judge.common.text import table

if TYPE_CHECKING:
    from judge.selftest.graders.released import Released
    from judge.selftest.graders.suite import Suite
    from judge.selftest.graders.table import Row

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.group("bench", invoke_without_command=True)
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


@command.command("graders")
@click.argument("names", metavar="[GRADER]...", nargs=-1)
@click.option(
    "--suite",
    "directory",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The programs. [default: benchmarks/graders of the checkout]",
)
@click.option("--at-once", type=click.IntRange(1), default=2, show_default=True, metavar="N", help="Graders at once.")
@click.option("-o", "--output", type=_FILE, metavar="FILE", help="Write the table: .md, .html or .json.")
@walls
@json_flag("the table, and which programs ended otherwise than they should")
def graders(
    names: tuple[str, ...],
    directory: Path | None,
    at_once: int,
    output: Path | None,
    as_json: bool,
    **where: Unpack[Where],
) -> int:
    """Give graders programs whose worth is known: honest right ones, wrong ones, and cheats.

    Ours is `judge`; the others are fetched from PyPI, each into an environment of its own, and run in nsjail without a
    network. About half an hour for all: many programs run into a time limit.

    Exit codes: 0 ours pays no wrong program, rejects no right one and loses none, 1 it does, 2 error.

    \b
    Examples:
      judge bench graders judge
      judge bench graders -o graders.md
      judge bench graders verl lighteval --json > graders.json
    """  # fmt: skip
    from judge.selftest.graders import suite  # noqa: PLC0415
    from judge.selftest.graders import table as drawn  # noqa: PLC0415
    from judge.selftest.graders.released import RELEASED  # noqa: PLC0415

    cases = suite.read(directory or suite.usual())
    known = ("judge", *(one.adapter for one in RELEASED))
    if unknown := [name for name in names if name not in known]:
        raise ConfigError(f"{unknown[0]}: no such grader; there are {', '.join(known)}")
    wanted = names or known
    rows = list(
        _grade(cases, [one for one in RELEASED if one.adapter in wanted], at_once, where, ours="judge" in wanted)
    )
    encoded = json.dumps([row.as_dict(cases) for row in rows], indent=1)
    texts = {".md": drawn.markdown, ".html": drawn.page}
    if output is not None:
        output.write_text(texts[output.suffix](rows, cases) if output.suffix in texts else encoded + "\n", "utf-8")
    click.echo(encoded if as_json else drawn.markdown(rows, cases))
    return int("judge" in wanted and not rows[0].perfect(cases))


def _grade(cases: Suite, released: Sequence[Released], at_once: int, where: Where, *, ours: bool) -> Iterator[Row]:
    from judge.selftest.graders import ours as our_judge  # noqa: PLC0415
    from judge.selftest.graders.released import version  # noqa: PLC0415
    from judge.selftest.graders.table import Row  # noqa: PLC0415

    if ours:
        with open_judge(where) as judge:
            yield Row(name=f"judge {version()}", outcomes=our_judge.run(judge, cases))
        click.echo("judge: done", err=True)
    with ThreadPoolExecutor(at_once) as threads:
        yield from threads.map(lambda one: _try_released(one, cases), released)


def _try_released(grader: Released, cases: Suite) -> Row:
    from judge.selftest.graders import released  # noqa: PLC0415
    from judge.selftest.graders.table import Row  # noqa: PLC0415

    try:
        found = released.run(grader, cases, lambda done: click.echo(f"{grader.adapter}: {done} programs", err=True))
    except ConfigError as error:
        return Row(name=grader.name, failure=str(error))
    return Row(name=grader.name, outcomes=found)
