"""`judge problems complete`: finds a checker for a problem that has none, and proves it."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import click

import problems
from judge.cli.options import Where, complete_problem, json_flag, open_judge, walls
from judge.cli.progress import teller
from judge.cli.strength import excerpt, unvalidated_option
from judge.common.models import encode
from judge.common.text import harmless, one_line
from judge.many.strength.complete import Completed, Rate, Wanted, complete
from judge.many.strength.measure import Effort
from problems import ProblemError
from problems.writing.checker import check_place, set_checker
from problems.writing.tests import add_tests

_USUAL = Wanted()
#: In the package: what was found, as `--json` prints it.
EVIDENCE = "checker-evidence.json"


_bound = click.FloatRange(min=0, max=1, min_open=True, max_open=True)


@click.command("complete")
@click.argument("reference", metavar="PROBLEM", shell_complete=complete_problem)
@click.option("-o", "--output", metavar="DIR", type=click.Path(path_type=Path), help="Write the whole package there.")
@click.option("--write", is_flag=True, help="Add checker and tests to the package itself.")
@click.option(
    "--mutants", type=click.IntRange(1, 2000), default=_USUAL.effort.mutants, show_default=True, help="At most."
)
@click.option(
    "--inputs", type=click.IntRange(1, 2000), default=_USUAL.effort.inputs, show_default=True, help="Random ones."
)
@click.option("--seed", type=int, default=_USUAL.effort.seed, show_default=True, help="Of mutants and inputs.")
@click.option(
    "--tpr", type=_bound, default=_USUAL.true_positives, show_default=True, help="Of right outputs: the least low end."
)
@click.option(
    "--tnr", type=_bound, default=_USUAL.true_negatives, show_default=True, help="Of wrong programs: the least low end."
)
@unvalidated_option
@walls
@json_flag("what was found")
def command(
    reference: str,
    output: Path | None,
    write: bool,
    mutants: int,
    inputs: int,
    seed: int,
    tpr: float,
    tnr: float,
    unvalidated: bool,
    as_json: bool,
    **where: Unpack[Where],
) -> int:
    """Find a checker for a problem that has none, add tests, and prove both on programs that were held out.

    Looks at what right programs write on tests and random inputs, and takes the strictest checker of a family that
    accepts all of it: tokens, case, numbers within a tolerance, any order, certificates. It is proved if the exact
    intervals (95 %) of right outputs accepted and of wrong programs refused reach the bounds, and the statement does
    not contradict. Without -o and --write nothing is written.

    Needs: pip install '.[strength]'.

    Exit codes: 0 proved, 1 cannot be proved, 2 error.

    \b
    Examples:
      judge problems complete ./my-problem
      judge problems complete ./my-problem -o completed/my-problem
      judge problems complete ./my-problem --mutants 300 --write
    """
    _check_places(reference, output, write=write)
    effort = Effort(mutants=mutants, inputs=inputs, seed=seed, unvalidated=unvalidated, twice=True)
    wanted = Wanted(effort=effort, true_positives=tpr, true_negatives=tnr)
    with tempfile.TemporaryDirectory(prefix="judge-complete-") as name, open_judge(where) as judge:
        made = Path(name) / "problem"
        found = complete(judge, reference, made, wanted, teller(reference))
        if found.reason is None:
            (made / EVIDENCE).write_text(json.dumps(found.as_dict(), ensure_ascii=False, indent=1) + "\n")
            if write:
                _write_into(reference, made, found)
            if output is not None:
                shutil.copytree(made, output, dirs_exist_ok=True)
    click.echo(encode(found.as_dict()) if as_json else "\n".join(_lines(found)))
    return 0 if found.reason is None else 1


def _check_places(reference: str, output: Path | None, *, write: bool) -> None:
    """
    Raises:
        ProblemError: what is found could not be written.
    """
    if output is not None and output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise ProblemError(f"{output}: exists already; choose another place or remove it")
    if write:
        check_place(problems.load(reference))


def _write_into(reference: str, made: Path, found: Completed) -> None:
    """Add checker, tests and evidence to the package itself."""
    problem = problems.load(reference)
    set_checker(problem, problems.load(made).checker)
    placed = [replace(test, group=name.rpartition("/")[0]) for name, test in found.tests.items()]
    add_tests(reference, problem, placed)
    shutil.copyfile(made / EVIDENCE, problem.directory / EVIDENCE)


def _lines(found: Completed) -> Iterator[str]:
    said = "cannot be proved" if found.reason else "proved"
    yield click.style(f"{found.problem}: {said}", bold=True, fg="yellow" if found.reason else None)
    if found.reason is not None:
        yield f"  {one_line(found.reason, 400)}"
    if found.proposal is not None:
        yield f"  checker: {found.proposal.name}"
    if found.differing is not None:
        yield "  right programs differ on"
        yield from excerpt(found.differing.input, "      ")
        for text in list(dict.fromkeys((found.differing.answer, *found.differing.outputs)))[:2]:
            yield "    one writes"
            yield from excerpt(text, "      ")
    yield f"  right outputs accepted: {_share(found.true_positives)}, of {found.programs} programs held out in turn"
    yield f"  wrong programs refused: {_share(found.true_negatives)}; those with a label: {_share(found.labelled)}"
    if found.tests:
        yield f"  new tests: {harmless(', '.join(found.tests))}"


def _share(rate: Rate) -> str:
    low, high = rate.interval
    return f"{rate.well} of {rate.trials} ({low:.1%} to {high:.1%})" if rate.trials else "none"
