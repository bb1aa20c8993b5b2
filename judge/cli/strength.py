"""`judge problems strength`: how strong the tests of problems are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar, Unpack

import click

import problems
from judge import Judge
from judge.cli.options import Where, complete_problem, json_flag, open_judge, walls
from judge.cli.progress import teller
from judge.common.models import encode
from judge.common.text import harmless, one_line
from judge.common.units import time_text
from judge.many.strength.measure import Effort, Labelled, Strength, Survivor, measure
from problems import ProblemError

#: Of an input that is shown to a person.
_SHOWN_BYTES = 200
_USUAL = Effort()


#: Judges one problem by its reference: what JSON says of it, and the lines for a person.
Work = Callable[[Judge, str], tuple[dict[str, Any], Iterable[str]]]
_Function = TypeVar("_Function", bound=Callable[..., object])

unvalidated_option = click.option(
    "--unvalidated",
    is_flag=True,
    help="Where there is no input validator, take inputs on which at least two accepted submissions agree.",
)
#: Said of what was found by `--unvalidated`.
UNSEEN = "no input validator has seen these inputs: they count if all accepted submissions agree, and may be invalid"


def effort_options(usual: Effort, inputs: str) -> Callable[[_Function], _Function]:
    """The problems, and the options of an `Effort`. `inputs`: what random inputs are for."""
    options = (
        click.argument("references", metavar="[PROBLEM]...", nargs=-1, shell_complete=complete_problem),
        click.option("--all", "every", is_flag=True, help="All problems that have a name."),
        click.option(
            "--mutants",
            type=click.IntRange(min=1),
            default=usual.mutants,
            show_default=True,
            metavar="N",
            help="Mutants of each problem at most.",
        ),
        click.option(
            "--inputs",
            type=click.IntRange(min=1, max=2000),
            default=usual.inputs,
            show_default=True,
            metavar="N",
            help=f"Random inputs at most, {inputs}.",
        ),
        click.option(
            "--seed", type=int, default=usual.seed, show_default=True, help="Of the choice of mutants and inputs."
        ),
        unvalidated_option,
    )

    def add(function: _Function) -> _Function:
        for option in reversed(options):
            function = option(function)
        return function

    return add


@click.command("strength")
@effort_options(_USUAL, "on which mutants that survive are compared")
@walls
@json_flag("what was measured")
def command(
    references: tuple[str, ...],
    every: bool,
    mutants: int,
    inputs: int,
    seed: int,
    unvalidated: bool,
    as_json: bool,
    **where: Unpack[Where],
) -> int:
    """Measure how strong the tests of problems are: how many wrong programs they refuse.

    Mutants of the accepted submissions (C++ and Python), each with one small mistake, are judged on the tests. Those
    that pass are compared with the accepted submissions on random inputs that the input validator accepts, many small
    and a few large ones. A mutant that differs on one is a survivor; the others are probably right.

    Needs: pip install '.[strength]'.

    Exit codes: 0 all measured, 1 some could not be, 2 error.

    \b
    Examples:
      judge problems strength P1001
      judge problems strength ./my-problem --mutants 200 -j 2
      judge problems strength --all --json
    """
    effort = Effort(mutants=mutants, inputs=inputs, seed=seed, unvalidated=unvalidated)

    def work(judge: Judge, reference: str) -> tuple[dict[str, Any], Iterable[str]]:
        found = measure(judge, reference, effort, teller(reference))
        return _facts(found), (*_lines(found), "")

    return tell_each(references, work, "cannot be measured", where, every=every, as_json=as_json)


def tell_each(
    references: tuple[str, ...], work: Work, failure: str, where: Where, *, every: bool, as_json: bool
) -> int:
    """Do the work on each problem, and tell what came of it; the exit code. `failure`: what a ProblemError comes to."""
    if bool(references) == every:
        raise click.UsageError("name at least one problem, or give --all")
    well, said = True, list[dict[str, Any]]()
    with open_judge(where) as judge:
        for reference in references or problems.names():
            try:
                facts, lines = work(judge, reference)
            except ProblemError as error:
                well = False
                facts = {"problem": reference, "error": str(error)}
                lines = (click.style(f"{reference}: {failure}", bold=True), f"  {one_line(str(error), 400)}")
            said.append(facts)
            if not as_json:
                click.echo("\n".join(lines))
    if as_json:
        click.echo(encode(said))
    return 0 if well else 1


def _facts(found: Strength) -> dict[str, Any]:
    low, high = found.interval
    return {
        "problem": found.problem,
        "origins": found.origins,
        "mutants": found.mutants,
        "killed": found.killed,
        "uncompiled": found.uncompiled,
        "failed": found.failed,
        "kill_rate": found.rate,
        "kill_rate_low": low,
        "kill_rate_high": high,
        "survivors": [fact(survivor) for survivor in found.survivors],
        "not_told_apart": [fact(survivor) for survivor in found.alike],
        "inputs": found.inputs,
        "uncompared": found.uncompared,
        "unvalidated": found.unvalidated,
        "disputed": found.disputed,
        "idle_tests": found.idle,
        "right": _rate(found.right),
        "wrong": _rate(found.wrong),
        "wall_ns": found.wall_ns,
    }


def fact(one: Survivor) -> dict[str, Any]:
    """A mutant that passes all tests, as JSON."""
    found = one.difference
    return {
        "origin": one.mutant.origin,
        "line": one.mutant.line,
        "operator": one.mutant.operator,
        "diff": one.mutant.diff,
        "input": None if found is None else found.input.decode("utf-8", "replace"),
        "answer": None if found is None else found.answer.decode("utf-8", "replace"),
        "verdict": None if found is None else found.result.verdict,
    }


def _rate(labelled: Labelled) -> dict[str, float | None]:
    low, high = labelled.interval
    return {
        "judged": labelled.judged,
        "accepted": labelled.accepted,
        "rate": labelled.rate,
        "rate_low": low,
        "rate_high": high,
    }


def _lines(found: Strength) -> Iterator[str]:
    title = f"{found.problem}: {found.mutants} mutants of {len(found.origins)} submissions, {time_text(found.wall_ns)}"
    yield click.style(title, bold=True)
    counts = [f"{found.killed} killed", f"{len(found.survivors)} survive", f"{len(found.alike)} not told apart"]
    counts += [f"{found.uncompiled} do not compile"] if found.uncompiled else []
    counts += [f"{found.failed} could not be judged"] if found.failed else []
    yield f"  {', '.join(counts)} ({found.uncompared or f'{found.inputs} random inputs'})"
    if found.rate is not None:
        low, high = found.interval
        yield f"  kill rate {found.rate:.1%} ({low:.1%} to {high:.1%})"
    if found.unvalidated and found.inputs:
        yield f"  {UNSEEN}"
    if found.disputed:
        yield f"  {explain_dispute(found.disputed, unvalidated=found.unvalidated)}"
    yield f"  right submissions accepted (true positives): {_share(found.right)}"
    yield f"  wrong submissions accepted (false positives): {_share(found.wrong)}"
    if found.idle:
        yield f"  first to refuse nothing: {one_line(', '.join(found.idle), 400)}"
    for survivor in found.survivors:
        yield from _show_survivor(survivor)


def explain_dispute(count: int, *, unvalidated: bool) -> str:
    """What it means that accepted submissions differ."""
    if unvalidated:
        return f"the accepted submissions differ on {count} inputs, which did not count: perhaps they are invalid"
    why = "one of them is wrong or slow, or the validator is wrong"
    return f"the accepted submissions differ on {count} valid inputs: {why}"


def _share(labelled: Labelled) -> str:
    if labelled.rate is None:
        return "none is labelled so"
    low, high = labelled.interval
    return f"{labelled.accepted} of {labelled.judged}, {labelled.rate:.0%} ({low:.0%} to {high:.0%})"


def _show_survivor(survivor: Survivor) -> Iterator[str]:
    mutant, found = survivor.mutant, survivor.difference
    if found is None:
        return
    yield click.style(
        f"  survivor: {mutant.origin}:{mutant.line}, {mutant.operator}: {found.result.verdict} on", fg="yellow"
    )
    yield from excerpt(found.input, "      ")
    yield from (f"    {harmless(line)}" for line in mutant.diff.splitlines()[2:])


def excerpt(data: bytes, margin: str) -> Iterator[str]:
    """The lines of an input or output, cut, for a terminal."""
    yield from (margin + harmless(line) for line in data[:_SHOWN_BYTES].decode("utf-8", "replace").splitlines())
    if len(data) > _SHOWN_BYTES:
        yield f"{margin}… ({len(data)} bytes)"
