"""`judge languages`: lists languages with their toolchains."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

import click

from containers import ContainerError, Isolation
from containers.native import grant
from judge import languages
from judge.cli.options import json_flag
from judge.common.errors import LanguageError
from judge.common.models import encode
from judge.common.text import one_line, table
from judge.languages import Language


@click.command("languages")
@click.option("--smoke", "smoke_", is_flag=True, help="Compile and run a tiny program in each of them, in the sandbox.")
@click.option("--backend", default="native", show_default=True, metavar="NAME", help="Isolation backend of --smoke.")
@json_flag("the languages")
def command(smoke_: bool, backend: str, as_json: bool) -> int:
    """Show the languages, the toolchains that were found, and how to get those that were not.

    Exit codes: 0, or 1 if a tiny program fails in a toolchain that was found.

    \b
    Examples:
      judge languages
      judge languages --smoke
    """
    found = toolchains(backend if smoke_ else None)
    click.echo(encode([asdict(one) for one in found]) if as_json else toolchains_table(found))
    return 1 if any(one.fault for one in found) else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A language, and its toolchain on this machine."""

    name: str
    title: str
    aliases: tuple[str, ...]
    time_multiplier: float
    version: str | None
    path: str | None
    #: Why it is missing, and how to get it.
    problem: str | None
    #: Why the walls that the backend native has on this machine refuse it; None: they take it, or there are none.
    refused: str | None
    #: Whether a tiny program was tried; what is wrong with it, if anything.
    tried: bool
    fault: str | None


def toolchains(smoke_backend: str | None = None) -> list[Found]:
    """All languages; where `smoke_backend` is named, each that was found is tried there."""
    found = [(languages.get(name), languages.get(name).status()) for name in languages.names()]
    walls = _walls()
    faults: dict[str, str | None] = {}
    if smoke_backend is not None:
        from judge.cli.smoke import smoke_all  # noqa: PLC0415 - it imports what compiles and runs

        faults = smoke_all((language for language, status in found if status.problem is None), smoke_backend)
    return [
        Found(
            name=language.name,
            title=language.title,
            aliases=tuple(language.aliases),
            time_multiplier=language.time_multiplier,
            version=status.version,
            path=None if status.path is None else str(status.path),
            problem=status.problem,
            refused=None if walls is None else _refusal(language, walls),
            tried=language.name in faults,
            fault=faults.get(language.name),
        )
        for language, status in found
    ]


def toolchains_table(found: Iterable[Found]) -> str:
    rows = []
    for one in found:
        state = one.fault or one.problem or one.refused or f"{one.path}{', works' if one.tried else ''}"
        version = one.version or click.style("missing", fg="red")
        time = f"x{one.time_multiplier:g}"
        rows.append((one.name, one.title, version, time, " ".join(one.aliases), one_line(state, 160)))
    return table(("name", "language", "version", "time", "aliases", "toolchain"), rows)


def _walls() -> Isolation | None:
    try:
        return grant().isolation
    except ContainerError:  # `judge doctor` says why
        return None


def _refusal(language: Language, walls: Isolation) -> str | None:
    try:
        language.check(walls)
    except LanguageError as error:
        return str(error)
    return None
