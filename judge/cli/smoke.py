"""Compiles and runs a tiny program in each language, to see whether its toolchain works."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from containers import Sandbox
from judge.common import config
from judge.common.errors import LanguageError
from judge.compiling.compiler import Compiler
from judge.compiling.toolchain import RUN_LIMITS, has_succeeded
from judge.languages import SMOKE_INPUT, SMOKE_OUTPUT, Language
from judge.slots.stoppable import open_stoppable
from judge.store.cache import Cache
from judge.store.memfd import memfd


def smoke_all(wanted: Iterable[Language], backend: str) -> dict[str, str | None]:
    """What is wrong with each language (None: it works)."""
    compiler = Compiler(cache=Cache())
    with open_stoppable(backend, hide=config.hidden_directories()) as sandbox:
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
        limits = replace(RUN_LIMITS, processes=language.processes, open_files=language.open_files)
        outcome = sandbox.run(program.spec(limits=limits, stdin=stdin))
    if has_succeeded(outcome) and outcome.stdout == SMOKE_OUTPUT:
        return None
    return f"its smoke program fails: {outcome.termination}, exit code {outcome.exit_code}: {outcome.stderr[:200]!r}"
