"""`judge cache`."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from judge import config
from judge.cache import Cache
from judge.cli.text import table
from judge.cli.units import SIZE, size_text

#: Below the cache's directory, see judge.testdata.
TESTDATA = "testdata"


@click.group("cache", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Show, clear or prune the cache of compiled programs, problems as read, headers and generated test data.

    JUDGE_CACHE_DIR names another directory, JUDGE_CACHE_LIMIT another size limit.

    \b
    Examples:
      judge cache
      judge cache prune --limit 500MiB
      judge cache clear
    """
    if context.invoked_subcommand is None:
        context.invoke(show)


@command.command()
def show() -> None:
    """Show where the cache is and what it holds."""
    stats = Cache().stats()
    rows = [
        ("programs and problems", str(stats.entries), size_text(stats.objects_bytes), size_text(stats.limit_bytes)),
        ("precompiled headers", "", size_text(stats.headers_bytes), ""),
        ("generated test data", "", size_text(_size(stats.directory / TESTDATA)), ""),
    ]
    click.echo(f"{stats.directory}\n")
    click.echo(table(("", "entries", "size", "limit"), rows, right={1, 2, 3}))


@command.command()
def path() -> None:
    """Print the directory of the cache."""
    click.echo(config.cache_directory())


@command.command()
def clear() -> None:
    """Drop everything; it is made again when it is needed."""
    cache = Cache()
    built = cache.directory / TESTDATA
    freed = _size(built)
    if built.exists():
        shutil.rmtree(built)
    click.echo(f"freed {size_text(freed + cache.clear())}")


@command.command()
@click.option("--limit", type=SIZE, metavar="SIZE", help="Largest size to leave (default: the cache's limit).")
def prune(limit: int | None) -> None:
    """Drop the compiled programs and problems unused for longest until the rest fits."""
    click.echo(f"freed {size_text(Cache().prune(limit))}")


def _size(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())
