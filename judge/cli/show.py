"""`judge problems show`: shows what a problem is, and its statements."""

from __future__ import annotations

from collections.abc import Iterable

import click

import problems
from judge.cli import samples
from judge.cli.facts import count_labels, describe_checker, describe_problem, describe_tests
from judge.cli.options import complete_problem, json_flag
from judge.common.models import encode
from judge.common.text import harmless, one_line
from judge.common.units import limit_text, size_text
from problems import Problem, ProblemError
from problems.text.constants import substitute
from problems.writing import dump


@click.command("show")
@click.argument("reference", metavar="PROBLEM", shell_complete=complete_problem)
@click.option("--statement", metavar="TAG", help="Print the statement in this language, e.g. zh or en, and no more.")
@json_flag("the facts")
def command(reference: str, statement: str | None, as_json: bool) -> None:
    """Show what a problem is: limits, checker, tests, labelled submissions, samples; or its statement with the samples.

    Of interactive problems the sample conversations are shown, where the package has any.

    \b
    Examples:
      judge problems show P1001
      judge problems show P1001 --statement zh
    """
    one = problems.load(reference)
    if statement is not None:
        click.echo(_statement(one, statement))
    elif as_json:
        click.echo(encode(describe_problem(one)))
    else:
        facts = (f"{name + ':':<12} {one_line(text, 400)}" for name, text in _facts(one) if text)
        click.echo("\n".join([*facts, *samples.facts(one)]))


def _statement(one: Problem, tag: str) -> str:
    if tag not in one.statements:
        known = ", ".join(one.statements) or "none"
        raise ProblemError(f"problem {one.name} has no statement in {tag!r}; it has: {known}")
    path = one.statements[tag]
    if path.suffix == ".pdf":
        raise ProblemError(f"the statement of {one.name} is a PDF; open {path}")
    constants = one.constants if path.suffix == ".md" else ()  # TeX has a command of its own for them
    text = substitute(path.read_bytes(), constants, f"statement {path}")
    shown = harmless(text.decode("utf-8", "replace"))
    return shown + samples.below(one, shown, path.suffix)


def _facts(one: Problem) -> Iterable[tuple[str, str]]:
    yield "problem", one.name
    yield from ((f"title {tag}", title) for tag, title in one.title.items())
    yield "time", limit_text(one.stated_cpu_ns)
    yield "memory", size_text(one.limits.memory_bytes)
    yield "kind", "" if one.kind == "batch" else one.kind
    yield "checker", describe_checker(one)
    yield "raw scores", ", ".join(f"{name} {value}" for name, value in dump.objective(one).items())
    yield "tests", ", ".join(describe_tests(one)) or "none"
    yield "submissions", ", ".join(f"{count} {label}" for label, count in count_labels(one).items())
    yield "statements", ", ".join(one.statements)
    yield "keywords", ", ".join(one.keywords)
    yield "source", one.source
    yield "license", one.license
    yield "format", one.format
    yield "directory", str(one.directory)
