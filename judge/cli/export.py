"""`judge problems export`: writes problems in the formats of other judges."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import click

import problems
from judge.cli.options import Where, complete_problem, json_flag, open_judge, walls
from judge.common.models import encode
from judge.common.text import one_line
from problems import Problem, ProblemError

if TYPE_CHECKING:
    from judge import Judge

_FORMATS = ("icpc", "kattis", "luogu", "hydro", "polygon", "harbor")


@click.command("export", epilog="Documentation: docs/formats.md")
@click.argument("references", metavar="[PROBLEM]...", nargs=-1, shell_complete=complete_problem)
@click.option("--all", "every", is_flag=True, help="Export all problems that have a name.")
@click.option("--to", "kind", type=click.Choice(_FORMATS), required=True, help="The format.")
@click.option(
    "-o",
    "--output",
    metavar="DIR|FILE",
    default=".",
    type=click.Path(path_type=Path),
    help="A directory, where each problem gets its own, or a file NAME.zip for one problem.",
)
@click.option("--zip", "zipped", is_flag=True, help="A zip file for each problem, instead of a directory.")
@click.option("--lenient", is_flag=True, help="Leave out what the format cannot hold, and say so.")
@walls
@json_flag("what was exported")
def command(
    references: tuple[str, ...],
    every: bool,
    kind: str,
    output: Path,
    zipped: bool,
    lenient: bool,
    as_json: bool,
    **where: Unpack[Where],
) -> int:
    """Write problems in the format of another judge: ICPC 2025-09, legacy Kattis, Luogu, Hydro, Polygon or
    Harbor.

    What the format cannot hold is an error that says what to do; with --lenient it is left out, and told. Generated
    tests are built first, in the sandbox. The same problem gives the same bytes.

    Exit codes: 0 all exported, 1 some not, 2 error.

    \b
    Examples:
      judge problems export P1001 --to luogu -o P1001.zip
      judge problems export P1001 ./my-problem --to kattis -o exported
      judge problems export --all --to hydro -o exported --zip
    """
    if bool(references) == every:
        raise click.UsageError("name at least one problem, or give --all")
    wanted = references or problems.names()
    single = output.suffix in (".zip", ".kpp")
    if single and len(wanted) > 1:
        raise click.UsageError(f"{output} is a file for one problem: give a directory, perhaps with --zip")
    said = list[dict[str, Any]]()
    with _Builder(where) as builder:
        for reference in wanted:
            below = None if single else (".zip" if zipped else "")
            row = {"problem": reference, "format": kind} | _export_one(builder, reference, kind, output, below, lenient)
            said.append(row)
            if not as_json:
                click.echo(_describe_row(row))
    if as_json:
        click.echo(encode(said))
    return 0 if all(row["error"] is None for row in said) else 1


class _Builder(ExitStack):
    """Builds generated tests, with a Judge that it opens for the first problem that has some."""

    def __init__(self, where: Where) -> None:
        super().__init__()
        self._where = where

    @cached_property
    def _judge(self) -> Judge:
        return self.enter_context(open_judge(self._where))

    @contextmanager
    def whole(self, reference: str) -> Iterator[Problem]:
        """The problem with all its tests as files."""
        problem = problems.load(reference)
        if not problem.generated:
            yield problem
            return
        with self._judge.build_tests(problem) as built:
            yield built


def _export_one(
    builder: _Builder, reference: str, kind: str, output: Path, below: str | None, lenient: bool
) -> dict[str, Any]:
    """A row of the report. `below`: the end of the name below `output`; None: `output` is the place."""
    from problems.exporting import export  # noqa: PLC0415 - the other commands need none of it

    try:
        with builder.whole(reference) as problem:
            place = output if below is None else output / f"{problem.name}{below}"
            one = export(problem, kind, place, lenient=lenient)
    except ProblemError as error:
        return {"place": None, "error": str(error)}
    shown = {key: str(value) if isinstance(value, Path) else value for key, value in asdict(one).items()}
    return shown | {"error": None}


def _describe_row(row: dict[str, Any]) -> str:
    name = click.style(one_line(row["problem"], 60), bold=True)
    if row["error"] is not None:
        return f"{name} ({row['format']}): {click.style('not exported', fg='red')}\n  {one_line(row['error'], 400)}"
    lines = [f"{name} ({row['format']}): {row['place']}"]
    lines += [f"  {click.style('left out', fg='red')}: {one_line(loss, 240)}" for loss in row["losses"]]
    return "\n".join([*lines, *(f"  note: {one_line(note, 240)}" for note in row["notes"])])
