"""`judge problems import`: makes packages of problems of other judges."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import click

from judge.cli import calibrate
from judge.cli.options import Where, json_flag, open_judge, walls
from judge.common.models import encode
from judge.common.text import one_line

if TYPE_CHECKING:
    from problems.importing import Imported


@click.command("import", epilog="Documentation: docs/formats.md")
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", metavar="DIR", default=".", type=click.Path(path_type=Path), help="Where the packages go."
)
@click.option("--format", "kind", metavar="NAME", help="The format, where it is not recognised.")
@click.option("--lenient", is_flag=True, help="Leave out what does not fit, and say so.")
@click.option(
    "--testlib",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A testlib.h, for checkers and interactors that come without it.",
)
@click.option("--calibrate", "measure", is_flag=True, help="Measure the solutions, and propose time limits.")
@walls
@json_flag("what was imported")
def command(
    sources: tuple[Path, ...],
    output: Path,
    kind: str | None,
    lenient: bool,
    testlib: Path | None,
    measure: bool,
    as_json: bool,
    **where: Unpack[Where],
) -> int:
    """Make packages of problems of Luogu, Hydro, Polygon, SYZOJ, UOJ, QDUOJ, DMOJ, Lemon, CMS, TPS, omegaUp, sinol, a
    Free Problem Set, of the ICPC formats (copied whole), or bare *.in and *.out.

    SOURCE is a directory, a zip or a file. --calibrate proposes time limits, with what was measured, as `judge problems
    calibrate` does, which can write them, too.

    Exit codes: 0 all imported whole (and a limit proposed for each), 1 some not (with --lenient, too, where something
    was left out on which judging may depend), 2 error.

    \b
    Examples:
      judge problems import ./P1001.zip -o problems
      judge problems import ./fps.xml -o problems --lenient
      judge problems import ./polygon.zip -o problems --calibrate
    """
    from problems.importing import import_problems  # noqa: PLC0415 - the other commands need none of it

    well, said = True, list[dict[str, Any]]()
    with open_judge(calibrate.one_at_a_time(where)) if measure else nullcontext() as judge:
        for source in sources:
            for one in import_problems(source, output, format=kind, lenient=lenient, testlib=testlib):
                found = (
                    None if judge is None or one.package is None else calibrate.propose_limit(judge, str(one.package))
                )
                well = well and one.whole and (found is None or found.well)
                if as_json:
                    facts = {"source": str(source), **asdict(one), "package": one.package and str(one.package)}
                    said.append(facts | ({"calibration": found and found.facts} if measure else {}))
                else:
                    click.echo("\n".join([*_import_lines(one), *([] if found is None else [found.text])]))
    if as_json:
        click.echo(encode(said))
    return 0 if well else 1


def _import_lines(one: Imported) -> Iterable[str]:
    outcome = f"{one.package}" if one.error is None else click.style("not imported", fg="red")
    yield f"{click.style(one_line(one.name, 60), bold=True)} ({one.format}): {outcome}"
    yield from (f"  {one_line(f'{loss.file}: {loss.message}', 240)}" for loss in one.losses)
    if one.error is not None:
        yield f"  error: {one_line(one.error, 400)}"
