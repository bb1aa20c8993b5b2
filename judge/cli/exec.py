"""`judge exec`: compiles and runs one program in the sandbox, and shows what it did."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Unpack

import click

from judge import Execution, Program
from judge.cli.options import Where, compiling, json_flag, language, open_judge, walls
from judge.cli.sources import below, sources
from judge.common.ending import standard_input
from judge.common.errors import ConfigError
from judge.common.models import OUTPUTS, Verdict
from judge.common.text import harmless, verdict_text
from judge.common.units import SIZE, TIME, size_text, time_text
from problems.model import MOST_FILES

#: Of input, and of each file.
_MOST_BYTES = 256 * 1024 * 1024


class _Asked(Where):
    """The values of the options, by the names that click passes them under."""

    arguments: tuple[str, ...]
    language: str | None
    entry: str | None
    input_: str | None
    files: tuple[str, ...]
    collect: tuple[str, ...]
    directory: str
    time_limit: int
    memory_limit: int
    compile_time: int | None
    compile_memory: int | None
    quiet: bool
    as_json: bool


@click.command("exec")
@click.argument("file", type=click.Path(allow_dash=True))
@click.argument("arguments", nargs=-1)
@language
@click.option("--entry", metavar="NAME", help="The file or class with which a program of several files begins.")
@click.option("-i", "--input", "input_", type=click.Path(dir_okay=False), help="Its input (default: stdin).")
@click.option(
    "--file",
    "files",
    multiple=True,
    type=click.Path(),
    metavar="FILE|DIR",
    help="A file, or a directory with all its files, for its directory; repeatable.",
)
@click.option("--collect", multiple=True, metavar="NAME", help="Bring this file of its directory back; repeatable.")
@click.option(
    "-o",
    "--output",
    "directory",
    type=click.Path(file_okay=False),
    default=".",
    show_default="the current directory",
    help="Where collected files go.",
)
@click.option("--time-limit", type=TIME, default="10s", show_default=True, metavar="TIME", help="CPU time.")
@click.option("--memory-limit", type=SIZE, default="512MiB", show_default=True, metavar="SIZE", help="Memory.")
@compiling
@click.option("-q", "--quiet", is_flag=True, help="Do not end with a line about time and memory.")
@json_flag("what it did")
@walls
def command(file: str, **how: Unpack[_Asked]) -> int:
    """Compile the program in FILE (- for stdin, or a directory or zip of its files) and run it in the sandbox, with
    ARGUMENTS.

    What it writes goes to stdout and stderr, then a line about it to stderr. The language's time multiplier is not
    used.

    Exit codes: 0 it ended with 0, 1 it did not, or does not compile, 2 error.

    \b
    Examples:
      judge exec solution.cpp < input.txt
      judge exec solve.py --file graph.txt --collect result.txt -o made
      judge exec solution.rs --input big.in --time-limit 2s --json
      judge exec ./checker --entry main.cpp --file 1.in --file 1.ans -i 1.out -- 1.in 1.ans ./
    """
    program = _program(file, how)
    directory = how["directory"]
    if program.collect:
        Path(directory).mkdir(parents=True, exist_ok=True)
    with open_judge(how) as judge:
        execution = judge.execute(program)
    if how["as_json"]:
        click.echo(execution.to_json())
    else:
        _show(execution, program.collect, quiet=how["quiet"])
    _keep(execution.files, Path(directory))
    if execution.verdict is Verdict.IE:
        return 2
    return 0 if execution.verdict is None else 1


def _program(file: str, how: _Asked) -> Program:
    found = sources(file, how["language"], how["entry"])
    if found.language == OUTPUTS:
        raise click.UsageError(f"{file}: has no source of a language that we know")
    return Program(
        source=found.source,
        sources=found.files,
        language=found.language,
        stdin=_input(file, how["input_"]),
        arguments=how["arguments"],
        files=_files(how["files"]),
        collect=how["collect"],
        cpu_ns=how["time_limit"],
        memory_bytes=how["memory_limit"],
        compile_cpu_ns=how["compile_time"],
        compile_memory_bytes=how["compile_memory"],
    )


def _input(file: str, path: str | None) -> bytes:
    if path is not None:
        return _read(Path(path))
    if file == "-" or sys.stdin.isatty():  # a terminal: nobody waits for what nobody types
        return b""
    given = standard_input().read(_MOST_BYTES + 1)
    if len(given) > _MOST_BYTES:
        raise ConfigError(f"stdin has more than {size_text(_MOST_BYTES)}")
    return given


def _files(paths: tuple[str, ...]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for name, content in (given for each in paths for given in _read_files(Path(each))):
        if name in files:
            raise ConfigError(f"two files are named {name}; they go into one directory: rename one")
        if len(files) == MOST_FILES:
            raise ConfigError(f"there are more than {MOST_FILES} files: {name} is one too many")
        if len(content) > _MOST_BYTES:
            raise ConfigError(f"{name} has more than {size_text(_MOST_BYTES)}")
        files[name] = content
    return files


def _read_files(path: Path) -> Iterator[tuple[str, bytes]]:
    """The name of each file in the working directory, and its content. A directory keeps its name; "." has none."""
    if path.is_dir():
        yield from ((Path(path.name, name).as_posix(), content) for name, content in below(path, _MOST_BYTES))
    else:
        yield path.name, _read(path)


def _keep(files: Mapping[str, bytes], directory: Path) -> None:
    """Write what was brought back."""
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _read(path: Path) -> bytes:
    with path.open("rb") as stream:
        content = stream.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise ConfigError(f"{path} has more than {size_text(_MOST_BYTES)}")
    return content


def _show(execution: Execution, collect: tuple[str, ...], *, quiet: bool) -> None:
    if execution.compile is not None and execution.compile.output:
        click.echo(harmless(execution.compile.output), err=True)
    for content, to_stderr in ((execution.stdout, False), (execution.stderr, True)):
        stream = sys.stderr if to_stderr else sys.stdout
        shown = harmless(content.decode("utf-8", "replace")) if stream.isatty() else content
        click.echo(shown, nl=False, err=to_stderr)
    for name in collect:
        if name not in execution.files and execution.verdict is not Verdict.CE:
            click.echo(f"judge: no regular file {harmless(name)!r} was left (or it is too large)", err=True)
    if not quiet:
        click.echo(_summary(execution), err=True)


def _summary(execution: Execution) -> str:
    ended = "ended well" if execution.verdict is None else f"{verdict_text(execution.verdict)} {execution.detail}"
    parts = [ended.rstrip()]
    if execution.cpu_ns is not None and execution.wall_ns is not None:
        parts += [f"CPU {time_text(execution.cpu_ns)}", f"wall {time_text(execution.wall_ns)}"]
    if execution.memory_bytes is not None:
        parts.append(f"memory {size_text(execution.memory_bytes)}")
    if execution.isolation is not None:
        parts.append(f"{execution.isolation.backend}/{execution.isolation.tier}")
    return f"judge: {' · '.join(parts)}"
