"""`judge run`: judges one program and prints the Judgement."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Unpack

import click

import problems
from judge import Submission, languages
from judge.cli.options import Judging, complete_problem, json_flag, judging, language, open_judge, options
from judge.cli.report import public, report
from judge.common.models import Verdict

#: More than any problem takes: enough to be told that it is too large.
_MOST_BYTES = 16 * 1024 * 1024


@click.command("run")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@click.option(
    "-p",
    "--problem",
    required=True,
    metavar="ID|DIR|ZIP",
    shell_complete=complete_problem,
    help="A problem of the library, or the path of a package.",
)
@language
@json_flag("the judgement")
@click.option("--public", "for_public", is_flag=True, help="Leave out what would reveal hidden tests.")
@judging
def command(
    file: str, problem: str, language: str | None, as_json: bool, for_public: bool, **how: Unpack[Judging]
) -> int:
    """Judge the program in FILE (- for stdin) on one problem.

    Exit codes: 0 accepted, 1 judged and not accepted, 2 error.

    \b
    Examples:
      judge run solution.cpp --problem P1001
      judge run solution.py -p ./my-problem --time-limit 500ms
      judge run - -p P1001 -l cpp20 --json < solution.cpp
    """
    submission = Submission(source=read(file), problem=problem, language=language_of(file, language))
    with open_judge(how) as judge:
        judgement = judge.judge(submission, options(how))
    if for_public:
        judgement = public(judgement, [case.name for case in problems.load(problem).cases if case.sample])
    click.echo(judgement.to_json() if as_json else "\n\n".join(report(judgement)))
    if judgement.verdict is Verdict.IE:
        return 2
    return 0 if judgement.accepted else 1


def read(file: str) -> bytes:
    """The program in a file, or on stdin (-)."""
    if file == "-":
        return sys.stdin.buffer.read(_MOST_BYTES)
    with Path(file).open("rb") as stream:
        return stream.read(_MOST_BYTES)


def language_of(file: str, name: str | None) -> str:
    """The language that the option names, else the one of the suffix."""
    if name is None and file == "-":
        raise click.UsageError("a program on stdin has no suffix: name its language with --language, e.g. -l cpp17")
    return languages.for_path(Path(file)).name if name is None else languages.get(name).name
