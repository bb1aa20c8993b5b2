"""`judge languages`."""

from __future__ import annotations

from collections.abc import Iterable

import click

from containers import Sandbox, open_sandbox
from judge import config, languages
from judge.cache import Cache
from judge.cli.text import one_line, table
from judge.compiler import Compiler
from judge.errors import LanguageError
from judge.languages import SMOKE_INPUT, SMOKE_OUTPUT, Language
from judge.memfd import memfd
from judge.toolchain import RUN_LIMITS, succeeded


@click.command("languages")
@click.option("--smoke", "smoke_", is_flag=True, help="Compile and run a tiny program in each of them, in the sandbox.")
@click.option("--backend", default="native", show_default=True, metavar="NAME", help="Isolation backend of --smoke.")
def command(smoke_: bool, backend: str) -> int:
    """Show the languages, the toolchains that were found, and how to get those that were not.

    Exit codes: 0, or 1 if a tiny program fails in a toolchain that was found.

    \b
    Examples:
      judge languages
      judge languages --smoke
    """
    text, well = toolchains(backend if smoke_ else None)
    click.echo(text)
    return 0 if well else 1


def toolchains(smoke_backend: str | None = None) -> tuple[str, bool]:
    """A table of all languages, and whether those that are installed work (where `smoke_backend` tries them)."""
    found = [(languages.get(name), languages.get(name).status()) for name in languages.names()]
    failures: dict[str, str | None] = {}
    if smoke_backend is not None:
        failures = _smoke_all((language for language, status in found if status.problem is None), smoke_backend)
    rows = []
    for language, status in found:
        state = status.problem or str(status.path)
        if language.name in failures:
            state = failures[language.name] or f"{state}, works"
        version = status.version or click.style("missing", fg="red")
        time = f"x{language.time_multiplier:g}"
        rows.append((language.name, language.title, version, time, " ".join(language.aliases), one_line(state, 160)))
    well = not any(failures.values())
    return table(("name", "language", "version", "time", "aliases", "toolchain"), rows), well


def _smoke_all(wanted: Iterable[Language], backend: str) -> dict[str, str | None]:
    """What is wrong with each language (None: it works)."""
    compiler = Compiler(cache=Cache())
    with open_sandbox(backend, hide=config.hidden_directories()) as sandbox:
        return {language.name: _smoke(language, compiler, sandbox) for language in wanted}


def _smoke(language: Language, compiler: Compiler, sandbox: Sandbox) -> str | None:
    try:
        return smoke(language, compiler, sandbox)
    except LanguageError as error:
        return str(error)


def smoke(language: Language, compiler: Compiler, sandbox: Sandbox) -> str | None:
    """Compile and run the language's smoke program: what is wrong, or None.

    Raises:
        LanguageError: the toolchain is not installed, or does not work.
        ContainerError: the sandbox failed or refuses.
    """
    compiled = compiler.compile(language.smoke_source(), language, sandbox)
    if compiled.program is None:
        return f"its smoke program does not compile: {compiled.result.verdict}: {compiled.result.output}"
    with compiled.program as program, memfd("input", SMOKE_INPUT) as stdin:
        outcome = sandbox.run(program.spec(limits=RUN_LIMITS, stdin=stdin))
    if succeeded(outcome) and outcome.stdout == SMOKE_OUTPUT:
        return None
    return f"its smoke program fails: {outcome.termination}, exit code {outcome.exit_code}: {outcome.stderr[:200]!r}"
