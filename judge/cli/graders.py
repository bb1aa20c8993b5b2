"""`judge bench graders`: what released graders pay, reject and lose, and ours."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Unpack

import click

from judge.cli.options import Where, json_flag, open_judge, walls
from judge.common.ending import result_of, told_to
from judge.common.errors import ConfigError
from judge.common.installed import installed_version
from judge.selftest.graders.ours import judge_suite
from judge.selftest.graders.released import RELEASED, Released, try_grader
from judge.selftest.graders.services import PROTOCOLS, ask_service
from judge.selftest.graders.suite import Suite, find_suite, read_suite
from judge.selftest.graders.table import Row, draw_markdown, draw_page

_OURS = "judge"


def _encode(rows: Sequence[Row], suite: Suite) -> str:
    return json.dumps([row.as_dict(suite) for row in rows], indent=1) + "\n"


_WRITERS: Mapping[str, Callable[[Sequence[Row], Suite], str]] = {
    ".md": draw_markdown,
    ".html": draw_page,
    ".json": _encode,
}


@click.command("graders")
@click.argument("names", metavar="[GRADER]...", nargs=-1)
@click.option(
    "--suite",
    "directory",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The programs. [default: benchmarks/graders of the checkout]",
)
@click.option(
    "--at-once",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    metavar="N",
    help="Graders at once, or programs of a service.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help=f"Write the table: {', '.join(_WRITERS)}.",
)
@walls
@json_flag("the table, and which programs ended otherwise than they should")
def command(
    names: tuple[str, ...],
    directory: Path | None,
    at_once: int,
    output: Path | None,
    as_json: bool,
    **where: Unpack[Where],
) -> int:
    """Give graders programs whose worth is known: honest right ones, wrong ones, and cheats.

    Ours is `judge`; the others are fetched from PyPI, each into an environment of its own, and run in nsjail without a
    network. About twenty minutes for all: many programs run into a time limit. A service is asked by its clients'
    protocol: sandbox-fusion=URL, scalebox=URL, piston=URL.

    Exit codes: 0 ours pays no wrong program, rejects no right one and loses none, 1 it does, 2 error.

    \b
    Examples:
      judge bench graders judge
      judge bench graders -o graders.md
      judge bench graders verl lighteval --json > graders.json
      judge bench graders piston=http://127.0.0.1:2000
    """
    if output is not None and output.suffix not in _WRITERS:
        raise ConfigError(f"-o {output}: end its name in {', '.join(_WRITERS)}, which says how it is written")
    known = (_OURS, *(one.adapter for one in RELEASED))
    services = [name.partition("=") for name in names if name.partition("=")[0] in PROTOCOLS]
    asked = {"".join(one) for one in services}
    if unknown := [name for name in names if name not in known and name not in asked]:
        every = ", ".join((*known, *(f"{one}=URL" for one in PROTOCOLS)))
        raise ConfigError(f"{unknown[0]}: no such grader; there are {every}")
    suite, wanted = read_suite(directory or find_suite()), names or known
    rows = list(_grade_ours(suite, where)) if _OURS in wanted else []
    well = all(row.perfect(suite) for row in rows)
    rows += _grade_released(suite, [one for one in RELEASED if one.adapter in wanted], at_once)
    rows += [_grade_service(protocol, address, suite, at_once) for protocol, _, address in services]
    if output is not None:
        output.write_text(_WRITERS[output.suffix](rows, suite), "utf-8")
    click.echo((_encode if as_json else draw_markdown)(rows, suite), nl=False)
    return 0 if well else 1


def _grade_ours(suite: Suite, where: Where) -> Iterator[Row]:
    with open_judge(where) as judge:
        yield Row(name=f"{_OURS} {installed_version() or 'of this checkout'}", outcomes=judge_suite(judge, suite))
    click.echo(f"{_OURS}: done", err=True)


def _grade_service(protocol: str, address: str, suite: Suite, at_once: int) -> Row:
    name = f"{protocol}, {address}"
    try:
        return Row(name=name, outcomes=ask_service(protocol, address, suite, at_once))
    except ConfigError as error:
        return Row(name=name, failure=str(error))


def _grade_released(suite: Suite, graders: Sequence[Released], at_once: int) -> list[Row]:
    stop = threading.Event()
    with told_to(stop.set), ThreadPoolExecutor(at_once, thread_name_prefix="graders") as threads:
        waiting = [threads.submit(_try, grader, suite, stop) for grader in graders]
        return [result_of(one) for one in waiting]


def _try(grader: Released, suite: Suite, stop: threading.Event) -> Row:
    def tell(done: int) -> None:
        click.echo(f"{grader.adapter}: {done} programs", err=True)

    try:
        return Row(name=grader.name, outcomes=try_grader(grader, suite, tell, stop))
    except ConfigError as error:
        return Row(name=grader.name, failure=str(error))
