"""`judge problems list`: lists the problems that have a name."""

from __future__ import annotations

from typing import Any

import click

import problems
from judge.cli.options import json_flag, list_problems
from judge.common.errors import ConfigError
from judge.common.models import encode
from judge.common.text import one_line, table
from judge.common.units import limit_text, size_text
from judge.store.cache import Cache
from problems import Problem, ProblemError


@click.command("list")
@json_flag("the problems")
def command(as_json: bool) -> None:
    """List all problems that have a name."""
    store = _open_store()
    if as_json:
        click.echo(encode([_summary(name, store) for name in list_problems()]))
        return
    rows, broken = [], []
    for name in list_problems():
        try:
            rows.append(_table_row(problems.load(name, store=store)))
        except ProblemError as error:  # the others are still worth a list
            broken.append(f"{click.style(name, bold=True)}: {click.style(one_line(str(error), 400), fg='red')}")
    header = ("problem", "zh", "en", "time", "memory", "tests", "submissions")
    click.echo("\n".join([table(header, rows, right={3, 4, 5, 6}), *broken]))


def _open_store() -> Cache | None:
    """Where problems are kept once they were read; None: nowhere, and they are all read."""
    try:
        return Cache()
    except ConfigError:  # it is told where something is judged
        return None


def _summary(name: str, store: Cache | None) -> dict[str, Any]:
    from judge.cli.facts import describe_problem  # noqa: PLC0415 - it imports what reads and writes packages

    try:
        return describe_problem(problems.load(name, store=store))
    except ProblemError as error:
        return {"name": name, "error": str(error)}


def _table_row(one: Problem) -> tuple[str, ...]:
    return (
        one.name,
        one_line(one.title.get("zh", ""), 40),
        one_line(one.title.get("en", ""), 40),
        limit_text(one.stated_cpu_ns),
        size_text(one.limits.memory_bytes),
        str(len(one.cases) + len(one.generated)),
        str(len(one.submissions)),
    )
