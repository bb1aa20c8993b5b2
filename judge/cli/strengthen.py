"""`judge problems strengthen`: adds tests that kill the mutants which the tests of problems let live."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Unpack

import click

import problems
from judge.cli.options import Where, complete_problem, json_flag, open_judge, walls
from judge.cli.progress import teller
from judge.cli.strength import excerpt, fact
from judge.common.models import encode
from judge.common.text import one_line
from judge.common.units import time_text
from judge.many.strength.measure import Effort
from judge.many.strength.strengthen import Strengthened, strengthen
from problems import ProblemError

_USUAL = Effort(mutants=120, inputs=300)


@click.command("strengthen")
@click.argument("references", metavar="[PROBLEM]...", nargs=-1, shell_complete=complete_problem)
@click.option("--all", "every", is_flag=True, help="Strengthen all problems that have a name.")
@click.option("--dry-run", is_flag=True, help="Show the tests and write nothing.")
@click.option(
    "--mutants",
    type=click.IntRange(min=1),
    default=_USUAL.mutants,
    show_default=True,
    metavar="N",
    help="Mutants of each problem at most.",
)
@click.option(
    "--inputs",
    type=click.IntRange(min=1, max=2000),
    default=_USUAL.inputs,
    show_default=True,
    metavar="N",
    help="Random inputs at most, among which tests are chosen.",
)
@click.option("--seed", type=int, default=_USUAL.seed, show_default=True, help="Of the choice of mutants and inputs.")
@walls
@json_flag("what was done")
def command(
    references: tuple[str, ...],
    every: bool,
    dry_run: bool,
    mutants: int,
    inputs: int,
    seed: int,
    as_json: bool,
    **where: Unpack[Where],
) -> int:
    """Add tests that kill the mutants which the tests of problems let live.

    Measures as `judge problems strength` does, and writes a few of the smallest random inputs that kill the survivors
    into the package: valid by the input validators, and accepted by all accepted submissions.

    Exit codes: 0 all done, 1 some could not be, 2 error.

    \b
    Examples:
      judge problems strengthen ./my-problem --dry-run
      judge problems strengthen ./my-problem --inputs 1000 --seed 7
    """
    if bool(references) == every:
        raise click.UsageError("name at least one problem, or give --all")
    effort = Effort(mutants=mutants, inputs=inputs, seed=seed)
    well, said = True, list[dict[str, Any]]()
    with open_judge(where) as judge:
        for reference in references or problems.names():
            try:
                done = strengthen(judge, reference, effort, teller(reference), dry_run=dry_run)
            except ProblemError as error:
                well = False
                said.append({"problem": reference, "error": str(error)})
                text = f"{click.style(f'{reference}: not strengthened', bold=True)}\n  {one_line(str(error), 400)}"
            else:
                said.append(_facts(done))
                text = "\n".join(_lines(done))
            if not as_json:
                click.echo(text)
    if as_json:
        click.echo(encode(said))
    return 0 if well else 1


def _facts(done: Strengthened) -> dict[str, Any]:
    before = done.before
    return {
        "problem": before.problem,
        "mutants": before.mutants,
        "killed_before": before.killed,
        "survivors_before": len(before.survivors),
        "not_told_apart": len(before.alike),
        "uncompiled": before.uncompiled,
        "failed": before.failed,
        "inputs": before.inputs,
        "uncompared": before.uncompared,
        "disputed": before.disputed,
        "kill_rate_before": before.rate,
        "kill_rate": done.rate,
        "tests": [
            {
                "name": name,
                "input": test.input.decode("utf-8", "replace"),
                "answer": test.answer.decode("utf-8", "replace"),
            }
            for name, test in zip(done.names or [None] * len(done.tests), done.tests, strict=True)
        ],
        "left": [fact(one) for one in done.left],
        "wall_ns": before.wall_ns,
    }


def _lines(done: Strengthened) -> Iterator[str]:
    before = done.before
    rate = "" if before.rate is None else f", kill rate {before.rate:.1%} → {done.rate:.1%}"
    yield click.style(f"{before.problem}: {len(done.tests)} new tests{rate}, {time_text(before.wall_ns)}", bold=True)
    if before.uncompared:
        yield f"  {before.uncompared}"
    for at, test in enumerate(done.tests):
        yield f"  {done.names[at] if done.names else 'not written'}:"
        yield from excerpt(test.input, "    ")
    for one in done.left:
        yield f"  left: {one.mutant.origin}:{one.mutant.line}, {one.mutant.operator}"
