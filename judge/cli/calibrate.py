"""`judge problems calibrate`: proposes time limits from measurements."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from typing import Any, Unpack

import click

import problems
from judge import Judge
from judge.cli.options import Where, complete_problem, json_flag, open_judge, walls
from judge.common.models import encode
from judge.common.text import one_line, table
from judge.many.calibrate import Calibration, Measured, calibrate
from problems import ProblemError
from problems.model import SECOND_NS
from problems.writing.limits import set_time_limit

#: `_SHOWN` submissions of each side are shown.
_SHOWN = 3
REPEATS = 3


@click.command("calibrate")
@click.argument("references", metavar="[PROBLEM]...", nargs=-1, shell_complete=complete_problem)
@click.option("--all", "every", is_flag=True, help="Calibrate all problems that have a name.")
@click.option(
    "--repeat",
    "repeats",
    type=click.IntRange(1, 100),
    default=REPEATS,
    show_default=True,
    help="Measurements of each test.",
)
@click.option("--write", is_flag=True, help="Put the limit into problem.yaml, and leave the rest of it as it stands.")
@walls
@json_flag("what was measured")
def command(
    references: tuple[str, ...], every: bool, repeats: int, write: bool, as_json: bool, **where: Unpack[Where]
) -> int:
    """Measure the labelled submissions of packages, and propose time limits by the rule of the ICPC format.

    The limit is the time of the slowest submission that must be in time, times ac_to_time_limit (2), rounded up to
    time_resolution (1 s). A submission that must time out has to take time_limit_to_tle (1.5) times the limit. Our
    multipliers of languages do not count. Measure on a machine that does nothing else.

    Exit codes: 0 a limit was found for all, 1 otherwise, 2 error.

    \b
    Examples:
      judge problems calibrate ./my-problem
      judge problems calibrate ./my-problem --repeat 10 --write
    """
    if bool(references) == every:
        raise click.UsageError("name at least one problem, or give --all")
    well, said = True, list[dict[str, Any]]()
    with open_judge(one_at_a_time(where)) as judge:
        for reference in references or problems.names():
            found = propose_limit(judge, reference, repeats=repeats, write=write)
            well = well and found.well
            said.append(found.facts)
            if not as_json:
                click.echo(found.text)
    if as_json:
        click.echo(encode(said))
    return 0 if well else 1


def one_at_a_time(where: Where) -> Where:
    """Where to measure: what runs beside a program makes it slower."""
    return {**where, "slots": where["slots"] or 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """What came of one package."""

    #: A limit was found.
    well: bool
    #: For JSON, and for a person.
    facts: dict[str, Any]
    text: str


def propose_limit(judge: Judge, reference: str, *, repeats: int = REPEATS, write: bool = False) -> Calibrated:
    """Propose the limit of a package, and `write` it into the package."""
    try:
        found = calibrate(judge, reference, repeats=repeats, tell=_tell)
        if write and found.conflict is None and found.proposed_ns != found.stated_ns:
            set_time_limit(problems.load(reference), found.proposed_ns)
    except ProblemError as error:
        text = f"{reference}: not calibrated\n  error: {one_line(str(error), 400)}"
        return Calibrated(well=False, facts={"problem": reference, "error": str(error)}, text=text)
    facts = {**asdict(found), "conflict": found.conflict, "error": None}
    text = _describe(found, written=write and found.conflict is None)
    return Calibrated(well=found.conflict is None, facts=facts, text=text)


def _tell(what: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r\033[K{one_line(what, 100)}", err=True, nl=False)


def _seconds(time_ns: int) -> str:
    return f"{time_ns / SECOND_NS:.3f} s"


def _describe(found: Calibration, *, written: bool) -> str:
    limit = f"{found.proposed_ns / SECOND_NS:g} s"
    stated = "none" if found.stated_ns is None else f"{found.stated_ns / SECOND_NS:g} s"
    head = f"{found.problem}: {limit}" + (f", stated: {stated}" if limit != stated else ", as stated")
    if written and limit != stated:
        head += "; written"
    rule = found.rule
    steps = f"{rule.resolution_ns / SECOND_NS:g} s"
    head += f" ({_seconds(found.lower[0].cpu_ns)} x {rule.ac_to_time_limit:g}, in steps of {steps})"
    rows = [_row(one, "must be in time") for one in found.lower[:_SHOWN]]
    rows += [_row(one, "must time out") for one in found.upper[:_SHOWN]]
    lines = [click.style(head, bold=True), table(("submission", "", "slowest test", "time", "measured"), rows)]
    hidden = ((found.lower, "faster", "must be in time"), (found.upper, "slower", "must time out"))
    for sort, how, what in hidden:
        if (count := len(sort) - _SHOWN) > 0:
            lines.append(f"  {count} {how} that {what} not shown (--json has all)")
    if found.conflict is not None:
        lines.append(f"  {click.style('no limit fits', fg='red')}: {found.conflict}")
    return "\n".join(lines)


def _row(one: Measured, what: str) -> tuple[str, ...]:
    time = f"over {_seconds(one.cpu_ns)}" if one.stopped else _seconds(one.cpu_ns)
    spread = f"{len(one.samples_ns)} times, to {_seconds(max(one.samples_ns))}"
    return one_line(one.submission, 60), what, one.test, time, spread
