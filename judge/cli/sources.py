"""Reads the program of `judge run`: a file, standard input, a directory, or a zip of one."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from judge import languages
from judge.common.ending import standard_input
from judge.common.errors import LanguageError
from judge.common.models import OUTPUTS
from problems.files.archive import UNSOUND
from problems.files.beneath import Refused, read_files
from problems.files.entry import entry

#: More than any problem takes: enough to be told that it is too large.
MOST_BYTES = 16 * 1024 * 1024
_MOST_FILES = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    source: bytes
    files: tuple[tuple[str, bytes], ...] = ()
    language: str


def read(file: str) -> bytes:
    """The program in a file, or on stdin (-)."""
    if file == "-":
        return standard_input().read(MOST_BYTES)
    with Path(file).open("rb") as stream:
        return stream.read(MOST_BYTES)


def language_of(file: str, name: str | None) -> str:
    """The language that the option names, else the one of the suffix."""
    if name is None and file == "-":
        raise click.UsageError("a program on stdin has no suffix: name its language with --language, e.g. -l cpp17")
    return languages.for_path(Path(file)).name if name is None else languages.get(name).name


def sources(file: str, language: str | None, begins: str | None) -> Sources:
    """The program, and its language: the one named, else that of the file with which it begins. Files without any
    source are outputs.

    Raises:
        click.UsageError: no program can be made of it.
        LanguageError: its language is unknown.
    """
    if language == OUTPUTS and not Path(file).is_dir():
        return Sources(source=read(file), language=OUTPUTS)
    if file != "-" and Path(file).is_dir():
        files = _limit_size(file, below(Path(file), MOST_BYTES))
    elif file.endswith(".zip") and zipfile.is_zipfile(file):
        if begins is None and not any(map(_is_source, _names(file))):
            return Sources(source=read(file), language=OUTPUTS)
        files = _limit_size(file, _unzip(file))
    else:
        return Sources(source=read(file), language=language_of(file, language))
    if files and begins is None and (language == OUTPUTS or not any(map(_is_source, files))):
        return Sources(source=b"", files=tuple(sorted(files.items())), language=OUTPUTS)
    tops = [(Path(name), content) for name, content in sorted(files.items()) if "/" not in name and _is_source(name)]
    first = entry(tops, begins)
    if first is None:
        what = "no source of a language that we know" if begins is None else f"no file of the entry point {begins!r}"
        what += ", directories in it apart"
        raise click.UsageError(f"{file}: has {what}")
    others = tuple((name, content) for name, content in sorted(files.items()) if name != first.name)
    return Sources(source=files[first.name], files=others, language=language_of(first.name, language))


def below(directory: Path, most_bytes: int) -> Iterator[tuple[str, bytes]]:
    """As `read_files`.

    Raises:
        click.UsageError: something in it is neither a file nor a directory. A stranger may have written it, and a link
            would show the program what only the judge can read.
    """
    try:
        yield from read_files(directory, most_bytes)
    except Refused as error:
        raise click.UsageError(str(error)) from error


def _limit_size(file: str, found: Iterator[tuple[str, bytes]]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for name, content in found:
        if name in files:
            raise click.UsageError(f"{file}: has two files called {name}")
        files[name] = content
        if len(files) > _MOST_FILES or sum(map(len, files.values())) > MOST_BYTES:
            raise click.UsageError(f"{file}: is larger than any program ({_MOST_FILES} files, {MOST_BYTES >> 20} MiB)")
    return files


def _names(file: str) -> list[str]:
    try:
        with zipfile.ZipFile(file) as archive:
            return archive.namelist()
    except UNSOUND as error:
        raise click.UsageError(f"{file}: cannot be read as a zip: {error}") from error


def _unzip(file: str) -> Iterator[tuple[str, bytes]]:
    """(path, content) of each file; a directory in which all of them lie is left out."""
    try:
        with zipfile.ZipFile(file) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            tops = {info.filename.partition("/")[0] if "/" in info.filename else None for info in infos}
            for info in infos:
                if stat.S_ISLNK(info.external_attr >> 16):
                    raise click.UsageError(f"{file}: {info.filename} is a symbolic link; put the file itself there")
                with archive.open(info) as stream:
                    name = info.filename if len(tops) > 1 or None in tops else info.filename.partition("/")[2]
                    yield name, stream.read(MOST_BYTES + 1)
    except UNSOUND as error:
        raise click.UsageError(f"{file}: cannot be read as a zip: {error}") from error


def _is_source(name: str) -> bool:
    try:
        languages.for_path(Path(name))
    except LanguageError:
        return False
    return True
