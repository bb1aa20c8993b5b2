"""`judge problems pin`: writes the sums of generated tests."""

from __future__ import annotations

from typing import Unpack

import click

import problems
from judge.cli.options import Where, complete_problem, open_judge, walls
from problems.writing.tests import check_directory, pin


@click.command("pin")
@click.argument("reference", metavar="PROBLEM", shell_complete=complete_problem)
@walls
def command(reference: str, **where: Unpack[Where]) -> int:
    """Build the generated tests of PROBLEM, and write the sums that generators/sha256sums lacks.

    With its sums a package is judged on the same data everywhere. A sum that is there stays: after a change of a
    generator remove the lines of its tests first.

    Exit codes: 0 all is pinned, 2 error.

    \b
    Example:
      judge problems pin ./my-problem
    """
    check_directory(reference)
    problem = problems.load(reference)
    with open_judge(where) as judge, judge.build_tests(reference) as built:
        made = pin(reference, problem, built)
    for name in made:
        click.echo(f"pinned {name}")
    if not made:
        click.echo(f"{problem.name}: all {2 * len(problem.generated)} files of its generated tests are pinned")
    return 0
