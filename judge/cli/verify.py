"""`judge problems verify` and `check`: what is wrong in packages."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import asdict
from functools import cache
from typing import Any, Unpack

import click

import problems
from judge import Judge
from judge.cli.options import Where, compiling, complete_problem, json_flag, list_problems, open_judge, walls
from judge.common.ending import result_of
from judge.common.models import Options, Verdict, encode
from judge.common.text import one_line, table, verdict_text
from judge.many.verify import Verified, verify
from problems import Problem, ProblemError
from problems.model import Program
from problems.text import filters
from problems.validate import Finding, Severity, validate
from problems.writing.dump import scores

#: `_AT_ONCE` problems are verified at once. Each keeps about four submissions for each slot ready.
_AT_ONCE = 8

several = click.argument("references", metavar="[PROBLEM]...", nargs=-1, shell_complete=complete_problem)


@click.command("verify")
@several
@click.option("--all", "every", is_flag=True, help="Verify all problems that have a name.")
@compiling
@walls
@json_flag("what was found")
def command(
    references: tuple[str, ...],
    every: bool,
    as_json: bool,
    compile_time: int | None,
    compile_memory: int | None,
    **where: Unpack[Where],
) -> int:
    """Run the validators of packages on their data, and judge their labelled submissions.

    Each submission must get a verdict that its label allows.

    Exit codes: 0 all as labelled and no error in the package, 1 otherwise, 2 error.

    \b
    Examples:
      judge problems verify P1001
      judge problems verify ./my-problem -j 2
      judge problems verify --all
    """
    well, said = True, list[dict[str, Any]]()
    limits = Options(compile_cpu_ns=compile_time, compile_memory_bytes=compile_memory)
    with closing(_verify_each(find_references(references, every), where, limits)) as each:
        for reference, future in each:
            try:
                one, findings, results = result_of(future)
            except ProblemError as error:
                well = _unusable(reference, error, said, as_json)
                continue
            if as_json:
                said.append(
                    {"problem": reference, "findings": _list_findings(findings), "submissions": _list_results(results)}
                )
            else:
                shown = _describe_results(reference, results, scored=scores(one))
                click.echo("\n".join([shown, *map(_finding, findings), ""]))
            well = well and not _has_errors(findings) and not any(result.complaint for result in results)
    if as_json:
        click.echo(encode(said))
    return 0 if well else 1


def _verify_each(
    references: Sequence[str], where: Where, limits: Options
) -> Generator[tuple[str, Future[tuple[Problem, list[Finding], list[Verified]]]]]:
    """Several problems at once: one alone may have fewer submissions than there are slots."""

    def verify_one(reference: str) -> tuple[Problem, list[Finding], list[Verified]]:
        one = problems.load(reference)
        findings = _examine(one, reference, judge, limits)
        compiles = limits.compile_cpu_ns, limits.compile_memory_bytes
        judged = verify(judge, reference, limits=compiles) if one.submissions else ()
        return one, findings, sorted(judged, key=lambda result: result.name)

    with ExitStack() as stack:
        threads = stack.enter_context(ThreadPoolExecutor(_AT_ONCE))
        judge = stack.enter_context(open_judge(where))
        stack.callback(threads.shutdown, wait=False, cancel_futures=True)
        yield from [(reference, threads.submit(verify_one, reference)) for reference in references]


def _unusable(reference: str, error: ProblemError, said: list[dict[str, Any]], as_json: bool) -> bool:
    """Say that a package cannot be used; the others are looked at all the same. Returns False: not well."""
    if as_json:
        said.append({"problem": reference, "error": str(error)})
    else:
        click.echo(f"{click.style(f'{reference}: cannot be used', bold=True)}\n  error: {one_line(str(error), 400)}")
    return False


def _list_findings(findings: Sequence[Finding]) -> list[dict[str, str]]:
    return [{**asdict(finding), "severity": str(finding.severity)} for finding in findings]


def _list_results(results: Sequence[Verified]) -> list[dict[str, Any]]:
    return [
        {
            "name": result.name,
            "expected": sorted(result.submission.expected),
            "verdict": None if result.judgement is None else result.judgement.verdict,
            "score": None if result.judgement is None else result.judgement.score,
            "complaint": result.complaint,
            "missing": result.missing,
        }
        for result in results
    ]


def _describe_results(reference: str, results: list[Verified], *, scored: bool) -> str:
    if not results:
        return click.style(f"{reference}: no labelled submission, so only the data was checked", bold=True)
    bad = sum(result.complaint is not None for result in results)
    unknown = sum(result.judgement is None for result in results)
    title = f"{reference}: {len(results)} submissions, {f'{bad} not as labelled' if bad else 'all as labelled'}"
    if unknown:
        title += f", but for {unknown} that cannot be judged here"
    header = ("submission", "expected", "got", *(["score"] if scored else []), "")
    rows = []
    for result in results:
        verdict, score, remark = _verdict_cells(result)
        expected = " ".join(sorted(result.submission.expected))
        rows.append((one_line(result.name, 60), expected, verdict, *([score] if scored else []), remark))
    return f"{click.style(title, bold=True)}\n{table(header, rows)}"


def _verdict_cells(result: Verified) -> tuple[str, str, str]:
    """Verdict, score, complaint."""
    judgement = result.judgement
    if judgement is None:
        return "-", "-", one_line(result.missing or "", 120)
    score = "-" if judgement.score is None else f"{judgement.score:g}"
    remark = click.style(one_line(result.complaint, 120), fg="red") if result.complaint else ""
    if not remark and result.is_slow and judgement.verdict is not Verdict.TLE:
        remark = "over the limit without the language's multiplier"
    return verdict_text(judgement.verdict), score, remark


@click.command()
@several
@click.option("--all", "every", is_flag=True, help="Check all problems that have a name.")
@click.option("--no-validators", is_flag=True, help="Run nothing: only read the packages.")
@compiling
@walls
@json_flag("what was found")
def check(
    references: tuple[str, ...],
    every: bool,
    no_validators: bool,
    as_json: bool,
    compile_time: int | None,
    compile_memory: int | None,
    **where: Unpack[Where],
) -> int:
    """Check packages: what is wrong in them, what their validators say of their data, and which tests hold Chinese
    prose, not data.

    Input validators see every input, also those that they must refuse, and the checker the outputs that are there to
    test it. No submission is judged: `judge problems verify` does that, too. The tests with prose are what --cjk drop
    drops.

    Exit codes: 0 nothing worse than a warning, 1 otherwise, 2 error.

    \b
    Examples:
      judge problems check ./my-problem
      judge problems check --all --no-validators
    """
    well, said = True, list[dict[str, Any]]()
    limits = Options(compile_cpu_ns=compile_time, compile_memory_bytes=compile_memory)
    with ExitStack() as stack:
        opened = cache(lambda: stack.enter_context(open_judge(where)))
        for reference in find_references(references, every):
            try:
                one = problems.load(reference)
                judge = opened() if _validators(one) and not no_validators else None
                findings = _examine(one, reference, judge, limits)
                prose = _prose(one)
            except ProblemError as error:
                well = _unusable(reference, error, said, as_json)
                continue
            if as_json:
                said.append({"problem": reference, "findings": _list_findings(findings), "prose": prose})
            else:
                click.echo(_describe_findings(reference, findings, prose))
            well = well and not prose and not _has_errors(findings)
    if as_json:
        click.echo(encode(said))
    return 0 if well else 1


def _describe_findings(reference: str, findings: Sequence[Finding], prose: dict[str, str]) -> str:
    title = f"{reference}: {len(findings) + len(prose) or 'nothing'} found"
    dropped = [f"  dropped by --cjk drop: {name}: {one_line(why, 160)}" for name, why in prose.items()]
    return "\n".join([click.style(title, bold=True), *map(_finding, findings), *dropped])


def _validators(one: Problem) -> bool:
    return bool(one.input_validators or one.output_trials) or isinstance(one.checker, Program)


def _examine(one: Problem, reference: str, judge: Judge | None, limits: Options) -> list[Finding]:
    """What is wrong in a package and, if there is a judge, what its validators say of its data."""
    return [*validate(one), *(() if judge is None else judge.validate(reference, limits))]


def _has_errors(findings: Sequence[Finding]) -> bool:
    return any(finding.severity is Severity.ERROR for finding in findings)


def _prose(one: Problem) -> dict[str, str]:
    """The tests that hold Chinese prose instead of data, with the reason."""
    found = ((case.name, filters.inspect(case.read_input(), case.read_answer())) for case in one.cases)
    return {name: reason for name, reason in found if reason is not None}


def _finding(finding: Finding) -> str:
    return f"  {one_line(str(finding), 240)}"


def find_references(references: tuple[str, ...], every: bool) -> tuple[str, ...]:
    if bool(references) == every:
        raise click.UsageError("name at least one problem, or give --all")
    return references or list_problems()
