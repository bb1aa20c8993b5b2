"""`judge problems`: lists, shows, imports and creates problem packages; the other commands are modules of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import click

import problems
from judge.cli import calibrate, complete, export, pin, samples, strength, strengthen, stress, talk, verify
from judge.cli.options import Where, complete_problem, json_flag, open_judge, walls
from judge.common.models import encode
from judge.common.text import harmless, one_line, table
from judge.common.units import size_text, time_text
from problems import Comparison, Group, Problem, ProblemError
from problems.text.constants import substitute
from problems.writing import dump
from problems.writing.template import create

if TYPE_CHECKING:
    from problems.importing import Imported

problem = click.argument("reference", metavar="PROBLEM", shell_complete=complete_problem)


@click.group("problems")
def command() -> None:
    """List, show, verify, check and create problem packages.

    PROBLEM is a name of the library, or of a directory in JUDGE_PROBLEMS, or the path of a package (directory or zip).

    \b
    Examples:
      judge problems list
      judge problems show P1001 --statement zh
      judge problems verify P1001 ./my-problem
      judge problems new my-problem
    """


@command.command("list")
@json_flag("the problems")
def list_(as_json: bool) -> None:
    """List all problems that have a name."""
    if as_json:
        click.echo(encode([_summary(name) for name in verify.name_languages()]))
        return
    rows, broken = [], []
    for name in verify.name_languages():
        try:
            rows.append(_table_row(problems.load(name)))
        except ProblemError as error:  # the others are still worth a list
            broken.append(f"{click.style(name, bold=True)}: {click.style(one_line(str(error), 400), fg='red')}")
    header = ("problem", "zh", "en", "time", "memory", "tests", "submissions")
    click.echo("\n".join([table(header, rows, right={3, 4, 5, 6}), *broken]))


def _summary(name: str) -> dict[str, Any]:
    try:
        return _describe(problems.load(name))
    except ProblemError as error:
        return {"name": name, "error": str(error)}


def _describe(one: Problem) -> dict[str, Any]:
    return {
        "name": one.name,
        "title": dict(one.title),
        "kind": one.kind,
        "cpu_ns": one.stated_cpu_ns,
        "memory_bytes": one.limits.memory_bytes,
        "checker": _checker(one),
        "objective": None if one.objective is None else dump.objective(one),
        "tests": _tests(one),
        "groups": [_group(one, group) for group in one.groups],
        "submissions": _labels(one),
        "statements": list(one.statements),
        "samples": samples.describe_samples(one),
        "keywords": list(one.keywords),
        "source": one.source,
        "license": one.license,
        "format": one.format,
        "directory": str(one.directory),
    }


def _tests(one: Problem) -> Counter[str]:
    return Counter([case.group for case in one.cases] + [case.group for case in one.generated])


def _group(one: Problem, group: Group) -> dict[str, Any]:
    return {
        "name": group.name,
        "tests": _tests(one)[group.name],
        "points": group.points if group.counted else 0,
        "aggregation": group.aggregation,
        "within": group.within,
        "requires": list(group.requires),
    }


def _worth(one: Problem) -> Iterable[str]:
    """Of each group: its tests, and its points unless each of its tests counts for one."""
    for name, count in _tests(one).items():
        group = one.group(name)
        about = []
        if not group.counted:
            about.append("not counted")
        elif group.points != count:
            about.append(f"{group.points:g} points")
        if group.requires:
            about.append(f"needs {' and '.join(group.requires)}")
        yield f"{count} in {name}" + (f" ({', '.join(about)})" if about else "")


def _labels(one: Problem) -> Counter[str]:
    return Counter(" or ".join(sorted(labelled.expected)) for labelled in one.submissions)


def _table_row(one: Problem) -> tuple[str, ...]:
    return (
        one.name,
        one_line(one.title.get("zh", ""), 40),
        one_line(one.title.get("en", ""), 40),
        _time(one),
        size_text(one.limits.memory_bytes),
        str(len(one.cases) + len(one.generated)),
        str(len(one.submissions)),
    )


@command.command()
@problem
@click.option("--statement", metavar="TAG", help="Print the statement in this language, e.g. zh or en, and no more.")
@json_flag("the facts")
def show(reference: str, statement: str | None, as_json: bool) -> None:
    """Show what a problem is: limits, checker, tests, labelled submissions, samples; or its statement with the samples.

    Of interactive problems the sample conversations are shown, where the package has any.

    \b
    Examples:
      judge problems show P1001
      judge problems show P1001 --statement zh
    """
    one = problems.load(reference)
    if statement is not None:
        click.echo(_statement(one, statement))
    elif as_json:
        click.echo(encode(_describe(one)))
    else:
        facts = (f"{name + ':':<12} {one_line(text, 400)}" for name, text in _facts(one) if text)
        click.echo("\n".join([*facts, *samples.facts(one)]))


def _statement(one: Problem, tag: str) -> str:
    if tag not in one.statements:
        known = ", ".join(one.statements) or "none"
        raise ProblemError(f"problem {one.name} has no statement in {tag!r}; it has: {known}")
    path = one.statements[tag]
    if path.suffix == ".pdf":
        raise ProblemError(f"the statement of {one.name} is a PDF; open {path}")
    constants = one.constants if path.suffix == ".md" else ()  # TeX has a command of its own for them
    text = substitute(path.read_bytes(), constants, f"statement {path}")
    shown = harmless(text.decode("utf-8", "replace"))
    return shown + samples.below(one, shown, path.suffix)


def _time(one: Problem) -> str:
    return "measured" if one.stated_cpu_ns is None else time_text(one.stated_cpu_ns)


def _facts(one: Problem) -> Iterable[tuple[str, str]]:
    yield "problem", one.name
    yield from ((f"title {tag}", title) for tag, title in one.title.items())
    yield "time", _time(one)
    yield "memory", size_text(one.limits.memory_bytes)
    yield "kind", "" if one.kind == "batch" else one.kind
    yield "checker", _checker(one)
    yield "raw scores", ", ".join(f"{name} {value}" for name, value in dump.objective(one).items())
    yield "tests", ", ".join(_worth(one)) or "none"
    yield "submissions", ", ".join(f"{count} {label}" for label, count in _labels(one).items())
    yield "statements", ", ".join(one.statements)
    yield "keywords", ", ".join(one.keywords)
    yield "source", one.source
    yield "license", one.license
    yield "format", one.format
    yield "directory", str(one.directory)


def _checker(one: Problem) -> str:
    if not isinstance(one.checker, Comparison):
        return f"{one.checker.sources[0].name} ({one.checker.convention})"
    parts = [str(one.checker.mode)]
    for name in ("absolute_tolerance", "relative_tolerance"):
        if (tolerance := getattr(one.checker, name)) is not None:
            parts.append(f"{name.replace('_', ' ')} {tolerance:g}")
    if not one.checker.case_sensitive:
        parts.append("any case")
    if one.checker.space_sensitive:
        parts.append("white space matters")
    return ", ".join(parts)


@command.command("import", epilog="Documentation: docs/formats.md")
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
def import_(
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


@command.command()
@click.argument("directory", type=click.Path(path_type=Path))
def new(directory: Path) -> None:
    """Write a small, complete package to start from.

    \b
    Examples:
      judge problems new ./my-problem
      judge problems verify ./my-problem
    """
    click.echo(f"{create(directory)} is ready: edit it, then run `judge problems verify {directory}`")


command.add_command(calibrate.command)
command.add_command(verify.check)
command.add_command(export.command)
command.add_command(pin.command)
command.add_command(strength.command)
command.add_command(strengthen.command)
command.add_command(complete.command)
command.add_command(stress.command)
command.add_command(talk.command)
command.add_command(verify.command)
