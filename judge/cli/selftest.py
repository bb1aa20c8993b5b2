"""`judge selftest`: runs attacks and honest programs in this machine's sandbox."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict

import click

from containers import Isolation
from judge.cli.options import backend, json_flag, require
from judge.common.text import harmless, one_line, table
from judge.selftest.suite import Selftest, Tried

_NO_WALLS = "it has no walls: judge with another backend (`judge doctor` says which this machine grants)"
_BROKEN = (
    "judge no program that you do not trust on this machine with this backend; `judge doctor` says which layers are "
    "missing and how to get them; if none is, please report what stands above as a vulnerability"
)
_BLOCKED = "an honest program was refused: `judge doctor --smoke` shows whether its toolchain works here"


@click.command("selftest")
@backend
@require
@json_flag("the results")
def command(backend: str, require: str | None, as_json: bool) -> int:
    """Try on this machine whether the sandbox holds: small attacks, and honest programs that must pass.

    The attacks do no harm where they succeed.

    Exit codes: 0 all attacks were contained and all honest programs accepted, 1 not all, 2 error.

    \b
    Examples:
      judge selftest
      judge selftest --backend nsjail
      judge selftest --require full --json
    """
    began = time.monotonic()
    with Selftest(backend, require) as selftest:
        isolation = selftest.isolation
        tried = list(selftest.run())
    well = not any(one.found for one in tried)
    if as_json:
        facts = {"contained": well, "isolation": asdict(isolation), "tried": [asdict(one) for one in tried]}
        click.echo(json.dumps(facts))
    else:
        click.echo("\n\n".join(_report(isolation, tried, time.monotonic() - began)))
    return 0 if well else 1


def _report(isolation: Isolation, tried: Sequence[Tried], seconds: float) -> Iterator[str]:
    yield f"isolation: {click.style(str(isolation), bold=True)}"
    yield table(("class", "held", "tried"), [_row(kind, tried) for kind in dict.fromkeys(one.kind for one in tried)])
    yield from map(_failure, (one for one in tried if one.found))
    if skipped := [f"not run: {one.kind}/{one.name}: {one_line(one.skipped, 200)}" for one in tried if one.skipped]:
        yield "\n".join(skipped)
    attacks = [one for one in tried if one.kind != "honest"]
    through = [one for one in attacks if one.found]
    if through:
        yield f"what to do: {_NO_WALLS if isolation.tier == 'none' else _BROKEN}"
    elif any(one.found for one in tried):
        yield f"what to do: {_BLOCKED}"
    verdict = f"{len(through)} of {len(attacks)} attacks got through" if through else "every attack was contained"
    yield click.style(f"{verdict} ({seconds:.1f} s)", fg="red" if through else "green", bold=True)


def _row(kind: str, tried: Sequence[Tried]) -> tuple[str, str, str]:
    run = [one for one in tried if one.kind == kind and one.skipped is None]
    held = sum(not one.found for one in run)
    count = click.style(f"{held} of {len(run)}", fg="green" if held == len(run) else "red")
    return kind, count, ", ".join(one.name for one in run)


def _failure(one: Tried) -> str:
    how = "was not accepted" if one.kind == "honest" else "got through"
    lines = [f"{one.kind}/{one.name} {click.style(how, fg='red')}: {one.tries}"]
    return "\n".join([*lines, *(f"  {line}" for what in one.found for line in harmless(what).splitlines())])
