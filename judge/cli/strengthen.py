"""`judge problems strengthen`: adds tests that kill the mutants which the tests of problems let live."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Unpack

import click

from judge import Judge
from judge.cli.options import Where, json_flag, walls
from judge.cli.progress import teller
from judge.cli.strength import UNSEEN, effort_options, excerpt, fact, tell_each
from judge.common.units import time_text
from judge.many.strength.measure import Effort
from judge.many.strength.strengthen import Strengthened, strengthen

_USUAL = Effort(mutants=120, inputs=300)


@click.command("strengthen")
@effort_options(_USUAL, "among which tests are chosen")
@click.option("--dry-run", is_flag=True, help="Show the tests and write nothing.")
@walls
@json_flag("what was done")
def command(
    references: tuple[str, ...],
    every: bool,
    dry_run: bool,
    mutants: int,
    inputs: int,
    seed: int,
    unvalidated: bool,
    as_json: bool,
    **where: Unpack[Where],
) -> int:
    """Add tests that kill the mutants which the tests of problems let live.

    Measures as `judge problems strength` does, and writes a few of the smallest random inputs that kill the survivors
    into the package. The input validators accept each (with --unvalidated there may be none), and all accepted
    submissions are right on it. What a generator of the package made becomes an entry of generators/generators.yaml,
    everything else files in data/. Their sums go into generators/sha256sums, which `judge problems check` and `verify`
    compare.

    Exit codes: 0 all done, 1 some could not be, 2 error.

    \b
    Examples:
      judge problems strengthen ./my-problem --dry-run
      judge problems strengthen ./my-problem --inputs 1000 --seed 7
    """
    effort = Effort(mutants=mutants, inputs=inputs, seed=seed, unvalidated=unvalidated)

    def work(judge: Judge, reference: str) -> tuple[dict[str, Any], Iterable[str]]:
        done = strengthen(judge, reference, effort, teller(reference), dry_run=dry_run)
        return _facts(done), _lines(done)

    return tell_each(references, work, "not strengthened", where, every=every, as_json=as_json)


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
        "unvalidated": before.unvalidated,
        "disputed": before.disputed,
        "kill_rate_before": before.rate,
        "kill_rate": done.rate,
        "tests": [
            {
                "name": name,
                "input": test.input.decode("utf-8", "replace"),
                "answer": test.answer.decode("utf-8", "replace"),
                "recipe": test.recipe,
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
    if before.unvalidated and before.inputs:
        yield f"  {UNSEEN}"
    for at, test in enumerate(done.tests):
        made = "" if test.recipe is None else f" ({test.recipe})"
        yield f"  {done.names[at] if done.names else 'not written'}{made}:"
        yield from excerpt(test.input, "    ")
    for one in done.left:
        yield f"  left: {one.mutant.origin}:{one.mutant.line}, {one.mutant.operator}"
