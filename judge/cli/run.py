"""`judge run`: judges one program and prints the Judgement."""

from __future__ import annotations

from typing import Unpack

import click

import problems
from judge import Submission
from judge.cli.options import Judging, complete_problem, json_flag, judging, language, open_judge, options
from judge.cli.progress import open_tests
from judge.cli.report import report
from judge.cli.sources import sources
from judge.common.ending import result_of
from judge.common.models import Verdict
from judge.judging.public import public


@click.command("run")
@click.argument("file", type=click.Path(exists=True, allow_dash=True))
@click.option(
    "-p",
    "--problem",
    required=True,
    metavar="ID|DIR|ZIP",
    shell_complete=complete_problem,
    help="A problem of the library, or the path of a package.",
)
@language
@click.option("--entry", metavar="NAME", help="The file or class with which a program of several files begins.")
@json_flag("the judgement")
@click.option("--public", "for_public", is_flag=True, help="Leave out what would reveal hidden tests.")
@judging
def command(
    file: str,
    problem: str,
    language: str | None,
    entry: str | None,
    as_json: bool,
    for_public: bool,
    **how: Unpack[Judging],
) -> int:
    """Judge the program in FILE (- for stdin, or a directory or zip of its files) on one problem.

    Exit codes: 0 accepted, 1 judged and not accepted, 2 error.

    \b
    Examples:
      judge run solution.cpp --problem P1001
      judge run solution.py -p ./my-problem --time-limit 500ms
      judge run ./solution -p P1001 --entry main.cpp
      judge run - -p P1001 -l cpp20 --json < solution.cpp
    """
    program = sources(file, language, entry)
    submission = Submission(source=program.source, problem=problem, language=program.language, files=program.files)
    with open_judge(how) as judge, open_tests() as watch:
        judgement = result_of(judge.submit(submission, options(how), watch))
    if for_public:
        judgement = public(judgement, [case.name for case in problems.load(problem).cases if case.sample])
    click.echo(judgement.to_json() if as_json else "\n\n".join(report(judgement)))
    if judgement.verdict is Verdict.IE:
        return 2
    return 0 if judgement.accepted else 1
