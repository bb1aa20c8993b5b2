"""Opens what a selection reads, and writes what it keeps: whole, or not at all."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from judge.common.ending import standard_input
from judge.common.errors import ConfigError

#: Names stdin as a source, and stdout as a target.
STANDARD = Path("-")


@contextmanager
def open_again(path: Path) -> Iterator[BinaryIO]:
    """A stream that can be read again. What comes through a pipe is copied to a temporary file first.

    Raises:
        OSError: it cannot be read, or there is no space for the copy.
    """
    if path != STANDARD and path.is_file():
        with path.open("rb") as stream:
            yield stream
        return
    with tempfile.TemporaryFile() as copy:
        if path == STANDARD:
            shutil.copyfileobj(standard_input(), copy)
        else:
            with path.open("rb") as pipe:
                shutil.copyfileobj(pipe, copy)
        copy.seek(0)
        yield copy


def show_name(path: Path) -> str:
    """Its name in messages."""
    return "stdin" if path == STANDARD else str(path)


def objects(lines: Iterable[bytes], name: str) -> Iterator[tuple[int, bytes, dict[str, Any]]]:
    """The number, the bytes and the object of each line that is not blank.

    Raises:
        ConfigError: a line is no JSON object; it says which.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"{name}:{number}: no JSON ({error}); the file may be cut off") from error
        if not isinstance(row, dict):
            raise ConfigError(f"{name}:{number}: an object is needed, not {type(row).__name__}")
        yield number, line, row


@contextmanager
def replacing(path: Path) -> Iterator[Callable[[bytes], object]]:
    """A function that writes bytes. They stand at `path` when the block has ended well, and not before: a rename puts
    the whole file in place. A pipe, a device and stdout are written at once.

    Raises:
        OSError: it cannot be written; it names `path`.
    """
    if path == STANDARD:
        with _naming_file(path), open(1, "wb", closefd=False) as stream:
            yield stream.write
        return
    target = path.resolve()  # a link stays, and what it names is replaced
    if target.exists() and not target.is_file():
        with _naming_file(path), target.open("wb") as stream:
            yield stream.write
        return
    temporary = target.parent / f".new-{secrets.token_hex(8)}"
    try:
        with _naming_file(path), temporary.open("xb") as stream:
            yield stream.write
            stream.flush()
            os.fsync(stream.fileno())
        with _naming_file(path):
            temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def _naming_file(path: Path) -> Iterator[None]:
    """Python names no file when a write fails, and ours is a temporary one."""
    try:
        yield
    except OSError as error:
        if error.filename is not None and not Path(os.fsdecode(error.filename)).name.startswith(".new-"):
            raise  # of another file
        raise OSError(error.errno, error.strerror, "stdout" if path == STANDARD else str(path)) from error


def encode_row(row: dict[str, Any]) -> bytes:
    """A line of JSON. What is no text (a lone surrogate) is written as an escape."""
    try:
        return json.dumps(row, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(row).encode() + b"\n"
