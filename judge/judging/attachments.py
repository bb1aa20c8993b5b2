"""Reads the files that a problem adds to a submission: its grader, what calls its function, and a test case's files."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path, PurePath

from containers import File
from judge.common.errors import LanguageRefused
from judge.languages import Language, get, names, resource
from problems.errors import ProblemError
from problems.files.entry import defines_main
from problems.model import Function, Grader, Problem
from problems.text.constants import substitute

#: Suffixes of what only C and C++ include.
_HEADERS = (".h", ".hh", ".hpp", ".hxx")
#: A grader's file of such a name is what runs, where a language runs sources: it imports the submission.
_ENTRIES = ("__main__.py", "main.py", "grader.py")


def attach_files(problem: Problem, language: Language) -> tuple[Language, tuple[File, ...]]:
    """The language as this problem compiles and runs submissions in it, and the files that lie beside a submission.

    Raises:
        LanguageRefused: its grader has no files for the language, or it cannot call functions of the language.
        ProblemError: a file of its grader cannot be read.
    """
    if problem.function is not None:
        return _calling(problem, problem.function, language)
    if (grader := problem.grader) is None:
        return language, ()
    own_name = grader.submission_name.get(language.facts.grader_key, language.source)
    language, files = replace(language, source=own_name), _grader_files(problem, grader, language)
    if language.compile.output:
        return _compiling(language, files), files
    begins = next((file.name for file in files if file.name in _ENTRIES), None)
    return language if begins is None else _running(language, begins), files


def in_working_directory(problem: Problem, files: tuple[File, ...]) -> tuple[File, ...]:
    """What runs find there of the files that lie beside a source: those of include/ and the submission's other files
    (2025-09, "Working directory")."""
    if problem.function is not None:
        return ()
    return tuple(replace(file, work=True) for file in files)


def surround_source(problem: Problem, language: Language, text: bytes) -> bytes:
    """The source of a submission with the problem's code before and after it. Compilers name the source's own lines,
    where they can be told."""
    if (grader := problem.grader) is None:
        return text
    before, after = (
        where.get(language.name, where.get(language.facts.grader_key, "")) for where in (grader.before, grader.after)
    )
    if before and language.family in ("c", "c++"):
        before = f"{before.rstrip()}\n#line 1\n"
    return before.encode() + text + after.encode()


def _compiling(language: Language, files: tuple[File, ...]) -> Language:
    """The language with a grader's `main` as what is compiled, where that is one file, which takes in the others."""
    name = f"main{PurePath(language.source).suffix}"
    if language.compile.units or not any(file.name == name for file in files):
        return language
    argv = tuple(part.replace("{source}", f"../in/{name}") for part in language.compile.argv)
    return replace(language, compile=replace(language.compile, argv=argv))


def _running(language: Language, name: str) -> Language:
    """The language with a file that lies beside the submission run in its place."""
    argv = tuple(part.replace("{source}", f"../in/{name}") for part in language.run.argv)
    return replace(language, run=replace(language.run, argv=argv))


def _calling(problem: Problem, function: Function, language: Language) -> tuple[Language, tuple[File, ...]]:
    if not language.call:
        callable_ = ", ".join(name for name in names() if get(name).call)
        raise LanguageRefused(
            f"problem {problem.name} calls the function {function.name}, which a program in {language.name} cannot "
            f"offer; submit one in {callable_}"
        )
    stated = asdict(function) | {"equality": function.equality.value}
    # repr: of texts and truth values, it is Python.
    caller = File(name=language.call, content=f"CALL = {stated!r}\n".encode() + resource(language.call))
    return _running(language, caller.name), (caller,)


def _grader_files(problem: Problem, grader: Grader, language: Language) -> tuple[File, ...]:
    paths = next(
        (grader.files[name] for name in (language.name, language.facts.grader_key) if name in grader.files), None
    )
    if paths is None and any(_drives(path) for files in grader.files.values() for path in files):
        known = ", ".join(sorted(grader.files))
        own = language.facts.names.icpc or language.facts.grader_key
        raise LanguageRefused(
            f"problem {problem.name}: its grader has no files for {language.name}, only for {known}; "
            f"submit in one of these, or add include/{own}/ to the package"
        )
    found = {_inside(problem, path): path for path in (*grader.default, *(paths or ()))}
    what = f"problem {problem.name}: grader"
    return tuple(
        File(name=name, content=substitute(read(path, what), problem.constants, what)) for name, path in found.items()
    )


def _drives(path: Path) -> bool:
    """Whether a program in its language is nothing without this file: it calls what submissions define."""
    if path.name in _ENTRIES or path.stem == "grader":
        return path.suffix not in _HEADERS
    return defines_main(path, read(path, "grader"))


def _inside(problem: Problem, path: Path) -> str:
    """The file's path below include/LANGUAGE/, or its name, where it lies elsewhere."""
    include = problem.directory / "include"
    return "/".join(path.relative_to(include).parts[1:]) if path.is_relative_to(include) else path.name


def read(path: Path, what: str) -> bytes:
    """
    Raises:
        ProblemError: the file cannot be read; the message names it by `what`.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise ProblemError(f"{what} {path}: {error.strerror}") from error
