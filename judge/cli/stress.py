"""`judge problems stress`: looks for an input on which a program is wrong."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Unpack

import click

from judge import Judge, Submission
from judge.cli.options import Where, complete_problem, json_flag, language, open_judge, walls
from judge.cli.progress import teller
from judge.cli.sources import sources
from judge.cli.strength import UNSEEN, excerpt, explain_dispute, unvalidated_option
from judge.common.models import encode
from judge.common.text import one_line
from judge.common.units import time_text
from judge.many.strength.inputs import find_arguments, homes, talks
from judge.many.strength.strengthen import home
from judge.many.strength.stress import Budget, Stressed, stress
from problems import ProblemError
from problems.writing.tests import NewTest, add_tests, check_directory

_USUAL = Budget()


@click.command("stress")
@click.argument("reference", metavar="PROBLEM", shell_complete=complete_problem)
@click.option(
    "--against",
    "file",
    required=True,
    metavar="FILE",
    type=click.Path(exists=True, allow_dash=True),
    help="The program to try (- for stdin, or a directory or zip of its files).",
)
@language
@click.option("--entry", metavar="NAME", help="The file or class with which a program of several files begins.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=_USUAL.seconds,
    show_default=True,
    metavar="S",
    help="Search no longer, and make a difference small no longer.",
)
@click.option(
    "--inputs",
    type=click.IntRange(min=1),
    default=_USUAL.inputs,
    show_default=True,
    metavar="N",
    help="Compare on no more random inputs.",
)
@click.option("--seed", type=int, default=_USUAL.seed, show_default=True, help="Of the inputs.")
@click.option("--keep", is_flag=True, help="Write the difference into the package as a test.")
@click.option("--group", metavar="NAME", help="With --keep: where the test goes (default: the last group with tests).")
@unvalidated_option
@walls
@json_flag("what was found")
def command(
    reference: str,
    file: str,
    language: str | None,
    entry: str | None,
    seconds: float,
    inputs: int,
    seed: int,
    keep: bool,
    group: str | None,
    unvalidated: bool,
    as_json: bool,
    **where: Unpack[Where],
) -> int:
    """Compare a program with the accepted submissions of a problem on random small inputs.

    Inputs come from the package's generators with small parameters, from the shape of its tests, and from neighbours of
    its small tests; the input validators must accept them, with the arguments of some group. The problem's own checker
    compares. A difference counts if all accepted submissions agree on the input, and is made as small as can be.

    Exit codes: 0 no difference, 1 a difference was found, 2 error.

    \b
    Examples:
      judge problems stress P1177 --against my.cpp
      judge problems stress ./my-problem --against slow.py --seconds 300 --seed 7
      judge problems stress ./my-problem --against wrong.cpp --keep
    """
    if group is not None and not keep:
        raise click.UsageError("--group says where --keep writes; give --keep, too")
    if keep:
        check_directory(reference)  # before the search, not after it
    program = sources(file, language, entry)
    candidate = Submission(source=program.source, problem=reference, language=program.language, files=program.files)
    with open_judge(where) as judge:
        budget = Budget(seconds=seconds, inputs=inputs, seed=seed, unvalidated=unvalidated)
        found = stress(judge, reference, candidate, budget, teller(reference))
        kept = _keep(judge, reference, found, Path(file).stem, group) if keep else None
    if as_json:
        click.echo(encode(_facts(found, kept)))
    else:
        click.echo("\n".join(_lines(found, kept)))
    return 0 if found.difference is None else 1


def _keep(judge: Judge, reference: str, found: Stressed, stem: str, group: str | None) -> str | None:
    """The name of the new test; None: there is nothing to keep."""
    if found.difference is None:
        return None
    if talks(found.problem) and any(case.read_answer().strip() for case in found.problem.cases):
        raise ProblemError(
            f"problem {found.problem.name}: its tests have answers that no program prints; write the test by hand"
        )
    test = NewTest(stem=stem, input=found.difference.input, answer=found.difference.answer)
    places = None
    if len(find_arguments(found.problem)) > 1:
        with tempfile.TemporaryDirectory(prefix="judge-stress-") as name:
            places = homes(judge, found.problem, Path(name), [test.input])[test.input]
    return add_tests(reference, found.problem, [test], home(found.problem, places, group))[0]


def _facts(found: Stressed, kept: str | None) -> dict[str, Any]:
    one = found.difference
    return {
        "problem": found.problem.name,
        "different": one is not None,
        "input": None if one is None else one.input.decode("utf-8", "replace"),
        "expected": None if one is None else one.answer.decode("utf-8", "replace"),
        "got": None if one is None else one.result.stdout,
        "verdict": None if one is None else one.result.verdict,
        "detail": None if one is None else one.result.detail,
        "conversation": None if one is None else one.result.conversation,
        "found_bytes": found.found_bytes,
        "inputs": found.inputs,
        "unvalidated": found.unvalidated,
        "disputed": found.disputed,
        "kept": kept,
        "wall_ns": found.wall_ns,
    }


def _lines(found: Stressed, kept: str | None) -> Iterator[str]:
    title = f"{found.problem.name}: {found.inputs} random inputs, {time_text(found.wall_ns)}: "
    one = found.difference
    if found.unvalidated:
        yield UNSEEN
    if found.disputed:
        yield explain_dispute(found.disputed, unvalidated=found.unvalidated)
    if one is None:
        yield click.style(f"{title}no difference", bold=True)
        return
    smaller = f", found as {found.found_bytes}" if found.found_bytes != len(one.input) else ""
    yield click.style(f"{title}{one.result.verdict} on an input of {len(one.input)} bytes{smaller}", bold=True)
    if one.result.detail:
        yield f"  {one_line(one.result.detail, 240)}"
    shown = [("input", one.input), ("expected", one.answer), ("got", one.result.stdout.encode())]
    if one.result.conversation is not None:
        shown = [("input", one.input), ("conversation (> program, < interactor)", one.result.conversation.encode())]
    for name, data in shown:
        yield f"  {name}:"
        yield from excerpt(data, "    ") if data.strip() else ["    (nothing)"]
    if kept is not None:
        yield f"  kept as {kept}"
