"""`judge doctor`: shows what this machine grants, what is missing, and how to get it."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from containers import Unavailable
from containers.doctor import Diagnosis, diagnose
from containers.native import grant
from judge.cli.languages import toolchains, toolchains_table
from judge.cli.options import json_flag, memory_budget, require
from judge.common.errors import ConfigError
from judge.common.text import table
from judge.slots import capacity
from judge.slots.budget import Budget, budget
from judge.store.cache import Cache


@click.command("doctor")
@click.option("--smoke", is_flag=True, help="Compile and run a tiny program in every language, too.")
@json_flag("the findings")
@require
@memory_budget
def command(smoke: bool, as_json: bool, require: str | None, memory_budget: int | None) -> int:
    """Say which isolation this machine grants, what is missing and how to get it.

    Exit codes: 0 programs can be judged (with the tier that --require names), 1 they cannot.

    \b
    Examples:
      judge doctor
      judge doctor --smoke
      judge doctor --require full
    """
    diagnosis, cache = diagnose(), _cache()
    granted = capacity.available(memory_budget)
    planned = budget(memory_budget, granted.count, granted)
    if as_json:
        memory = {**asdict(planned), "programs_bytes": planned.programs_bytes, "compiles": planned.compiles}
        found = {**asdict(diagnosis), "slots": asdict(granted), "memory": memory, "cache": cache}
        click.echo(json.dumps(found, ensure_ascii=False))
    else:
        _print(diagnosis, cache, smoke, granted, planned)
    if diagnosis.tier is None or cache["directory"] is None:
        return 1
    if require is not None:
        try:
            grant(require)
        except Unavailable as error:
            click.echo(f"error: {error}", err=True)
            return 1
    return 0


def _print(
    diagnosis: Diagnosis, cache: dict[str, str | None], smoke: bool, granted: capacity.Slots, planned: Budget
) -> None:
    rows = [
        (
            check.name,
            click.style("yes", fg="green") if check.ok else click.style("no", fg="red"),
            check.detail,
            "" if check.ok else check.remedy,
        )
        for check in diagnosis.checks
    ]
    tier = diagnosis.tier or "none can be had"
    click.echo(f"isolation tier: {click.style(tier, bold=True)}\n")
    click.echo(table(("layer", "here", "detail", "remedy"), rows))
    click.echo(f"\nslots: {granted}\nmemory: {planned}")
    click.echo(f"cache: {', '.join(filter(None, cache.values()))}\n")
    text = toolchains_table(toolchains("native" if smoke else None))
    click.echo(text)


def _cache() -> dict[str, str | None]:
    """Where it is, and what is wrong with it."""
    try:
        cache = Cache()
    except ConfigError as error:
        return {"directory": None, "problem": str(error)}
    why = cache.problem()
    problem = why and f"nothing can be kept there: {why}; free space, or set JUDGE_CACHE_DIR"
    return {"directory": str(cache.directory), "problem": problem}
