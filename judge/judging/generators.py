"""Runs the generators of a package: programs in any language, compiled once and run in the sandbox for checkers.

A generator gets its arguments, and prints an input. In Python it may import what lies beside it, and `_LIBRARIES`.
"""

from __future__ import annotations

import importlib.util
import io
import zipfile
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from containers import File, Outcome, RunLimits, Sandbox
from judge.checkers.program import compile_files, language_of
from judge.common.errors import CheckerError, LanguageError
from judge.common.models import CompileLimits
from judge.compiling.compiler import Compiler, Executable
from judge.languages import Language
from problems.errors import ProblemError
from problems.model import Program
from problems.reading.programs import read_generator

#: What generators in Python may import beside the standard library, where it is installed. (CYaRon works without
#: `colorful`, which no zip can hold.)
_LIBRARIES = ("cyaron", "xeger")
_LACKS_LIBRARY = b"ModuleNotFoundError: No module named 'cyaron'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Generator:
    """A compiled generator; whoever compiled it closes `program`."""

    program: Executable
    language: Language

    def run(self, arguments: tuple[str, ...], limits: RunLimits, sandbox: Sandbox) -> Outcome:
        """
        Raises:
            LanguageError: it needs a library that is not installed here.
        """
        own = self.allow(limits)
        libraries = (File(name="libraries.zip", content=_libraries()),) if self.language.family == "python" else ()
        outcome = sandbox.run(self.program.spec(arguments=arguments, files=libraries, limits=own))
        if outcome.exit_code and outcome.stderr.rstrip().endswith(_LACKS_LIBRARY):
            raise LanguageError(
                "the generator imports cyaron, which is not here: run pip install '.[generators]' in judge's checkout"
            )
        return outcome

    def allow(self, limits: RunLimits) -> RunLimits:
        """The limits, with the processes and open files that its language needs."""
        return replace(limits, processes=self.language.processes, open_files=self.language.open_files)


def compile_generator(
    path: Path, compiler: Compiler, sandbox: Sandbox, limits: CompileLimits = (None, None)
) -> Generator:
    """The generator in this file or directory.

    Raises:
        ProblemError: it cannot be read, does not compile, or is in no known language.
        LanguageError: this machine lacks its language.
    """
    spec = read_generator(path)
    language = _language(spec)
    try:
        program = compile_files(spec, compiler, sandbox, what="generator", limits=limits, language=language)
    except CheckerError as error:
        raise ProblemError(str(error)) from error
    return Generator(program=program, language=language)


def _language(spec: Program) -> Language:
    main = spec.sources[0]
    language = language_of(spec, "generator")
    if language.family != "python":
        return language
    # With a fixed hash seed the order of sets is the same everywhere.
    env = (*language.run.env, ("PYTHONHASHSEED", "0"), ("PYTHONPATH", "../in/libraries.zip"))
    argv = tuple(part for part in language.run.argv if part != "-E")  # so that it reads these variables
    run = replace(language.run, argv=argv, env=env, warm=False)
    return replace(language, source=main.name, run=run)


@cache
def _libraries() -> bytes:
    """The installed libraries as one zip for the module path, so that we need not show a directory of this machine."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in _LIBRARIES:
            found = importlib.util.find_spec(name)
            if found is None or found.origin is None:
                continue
            top = Path(found.origin).parent
            for path in sorted(top.rglob("*.py")):
                archive.writestr(str(path.relative_to(top.parent)), path.read_bytes())
    return buffer.getvalue()
