"""`judge problems`: lists, shows, imports and creates problem packages. Its commands are modules of their own."""

from __future__ import annotations

import click

from judge.cli import PAGES, Commands

#: Line that `judge problems --help` shows of a command.
COMMANDS = {
    "calibrate": "Measure labelled submissions, and propose a time limit.",
    "check": "Check packages, and run their validators on their data.",
    "complete": "Find a checker for a problem that has none, and add tests.",
    "export": "Write problems in the format of another judge.",
    "import": "Make packages of problems of other judges.",
    "list": "List all problems that have a name.",
    "new": "Write a small, complete package to start from.",
    "pin": "Build the generated tests of a problem, and write their sums.",
    "show": "Show what a problem is, or its statement.",
    "strength": "Measure how strong the tests of problems are.",
    "strengthen": "Add tests that kill the mutants of problems.",
    "stress": "Compare a program with the accepted submissions of a problem.",
    "talk": "Talk to the interactor of a problem, as a submission would.",
    "verify": "Run validators, and judge labelled submissions.",
}


@click.group(
    "problems",
    cls=Commands,
    modules={name: f"judge.cli.{name}" for name in COMMANDS}
    | {"check": "judge.cli.verify:check", "import": "judge.cli.importing", "list": "judge.cli.listing"},
    lines=COMMANDS,
    pages=dict.fromkeys(COMMANDS, PAGES["problems"]),
)
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
