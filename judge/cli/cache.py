"""`judge cache`: shows, fills, prunes and clears the cache."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict

import click

from judge.cli.options import backend, complete_language, json_flag
from judge.common import config
from judge.common.models import encode
from judge.common.text import table
from judge.common.units import SIZE, size_text
from judge.store.cache import Cache


@click.group("cache", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Show, warm, clear or prune the cache of compiled programs, problems as read, headers and generated test data.

    JUDGE_CACHE_DIR names another directory, JUDGE_CACHE_LIMIT another size limit.

    \b
    Examples:
      judge cache
      judge cache warm
      judge cache prune --limit 500MiB
      judge cache clear
    """
    if context.invoked_subcommand is None:
        context.invoke(show, as_json=False)


@command.command()
@json_flag("the figures")
def show(as_json: bool) -> None:
    """Show where the cache is and what it holds."""
    from judge.compiling.toolchain import HEADERS_BYTES  # noqa: PLC0415 - loads what runs compilers

    stats = Cache().stats()
    if as_json:
        click.echo(encode({**asdict(stats), "directory": str(stats.directory)}))
        return
    rows = [
        ("programs and problems", str(stats.entries), size_text(stats.objects_bytes), size_text(stats.limit_bytes)),
        ("generated test data", str(stats.sets), size_text(stats.testdata_bytes), "with the above"),
        ("precompiled headers", "", size_text(stats.headers_bytes), size_text(HEADERS_BYTES)),
    ]
    click.echo(f"{stats.directory}\n")
    click.echo(table(("", "entries", "size", "limit"), rows, right={1, 2, 3}))
    if stats.problem is not None:
        click.echo(f"\nnothing can be kept there: {stats.problem}; free space, or set JUDGE_CACHE_DIR")


@command.command()
def path() -> None:
    """Print the directory of the cache."""
    click.echo(config.cache_directory())


@command.command()
def clear() -> None:
    """Drop everything but test data that a judge reads now; it is made again when it is needed."""
    click.echo(f"freed {size_text(Cache().clear())}")


@command.command()
@click.option("--limit", type=SIZE, metavar="SIZE", help="Largest size to leave (default: the cache's limit).")
def prune(limit: int | None) -> None:
    """Drop the compiled programs, problems and test data unused for longest until the rest fits."""
    click.echo(f"freed {size_text(Cache().prune(limit))}")


@command.command()
@click.option(
    "-l",
    "--language",
    "languages_",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_language,
    help="Only this one; may be given several times (default: C++ with g++, and all others that prepare something).",
)
@backend
@json_flag("what was made")
def warm(languages_: Sequence[str], backend: str, as_json: bool) -> int:
    """Make now what compilers would make at first use: precompiled headers, the choice of the linker, libraries.

    Some minutes and gigabytes, once for each version of a compiler; what is there already is not made again.

    Exit codes: 0 all is ready, 1 a header or a language could not be made ready.

    \b
    Examples:
      judge cache warm
      judge cache warm -l cpp17 -l cpp20
    """
    from judge.compiling.warm import Warmed, plan, warm  # noqa: PLC0415 - the other commands need no sandbox

    steps = plan(languages_)
    done: list[Warmed] = []
    began = time.monotonic()
    for one in warm(steps, backend):
        done.append(one)
        passed = time.monotonic() - began
        click.echo(f"{len(done)}/{len(steps)}, {passed:.0f} s: {one.language}: {one.what}: {one.result}", err=True)
    if as_json:
        click.echo(json.dumps([asdict(one) for one in done]))
    else:
        rows = [(one.language, one.what, one.result, f"{one.wall_ns / 1e9:.1f} s") for one in done]
        click.echo(table(("language", "what", "result", "time"), rows, right={3}))
    return 0 if all(one.ready for one in done) else 1
