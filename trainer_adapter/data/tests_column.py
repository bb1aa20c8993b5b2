"""The `tests` column of a data set: all that judging one problem needs, in one opaque string. `tests_text` reads it.

    "judge1:" base64( zlib( JSON of `Inline` ) )

It is opaque for three reasons. Arrow would give nested columns one type for all rows. Trainers print a whole row in a
warning, and hidden tests must not get into a log. Compressed text is a tenth of its size.
"""

from __future__ import annotations

import base64
import tempfile
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from judge.common.errors import JudgeError
from problems.model import (
    Comparison,
    Convention,
    Equality,
    FileIO,
    Function,
    Group,
    Limits,
    Mode,
    Problem,
    Program,
)
from problems.writing.draft import SAMPLE, SECRET, Draft, write_file, write_test
from problems.writing.write import write

#: What `Inline.pack` begins with.
MAGIC = "judge1:"

FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$")]
FunctionName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$")]
Positive = Annotated[int, Field(gt=0, le=1 << 62)]
Tolerance = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class DataError(JudgeError):
    """Training data cannot be used. The message says what, where, and what to do."""


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Case(_Strict):
    input: str
    output: str
    #: Shown in the statement; run, and not counted.
    sample: bool = False


class Checker(_Strict):
    """A checker, for problems with several right answers."""

    source: str
    #: Suffix of its file, which says its language: "cpp", "py".
    suffix: Annotated[str, Field(pattern=r"^[a-z0-9]+$")] = "cpp"
    convention: Convention = Convention.TESTLIB


class Inline(_Strict):
    """A problem without its statement. A field that is None takes the judge's default."""

    tests: Annotated[tuple[Case, ...], Field(min_length=1)]
    cpu_ns: Positive | None = None
    memory_bytes: Positive | None = None
    comparison: Mode = Mode.TOKENS
    case_sensitive: bool = True
    absolute_tolerance: Tolerance | None = None
    relative_tolerance: Tolerance | None = None
    checker: Checker | None = None
    #: Names of files that programs read and write instead of stdin and stdout.
    input_file: FileName | None = None
    output_file: FileName | None = None
    #: A function that programs define, instead of reading input (`problems.model.Function`).
    function: FunctionName | None = None
    integer_keys: bool = False
    python_values: bool = False
    equality: Equality = Equality.VALUES

    def pack(self) -> str:
        text = self.model_dump_json(exclude_defaults=True)
        return MAGIC + base64.b64encode(zlib.compress(text.encode())).decode()


def write_package(inline: Inline, target: Path, *, title: str = "", statement: str = "") -> Path:
    """Write a package for the judge: a directory, or a zip by the suffix of `target`. A rename puts it in place. An
    existing one of that name stays.

    Raises:
        DataError, ProblemError: a test is no text (a lone surrogate), the disk is full, or the name is not allowed.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".new-") as temporary:
        parts, made = Path(temporary) / "parts", Path(temporary) / target.name
        parts.mkdir()
        try:
            write(problem(inline, parts, target.stem, title, statement), made)
            made.rename(target)
        except OSError as error:
            if not target.is_dir():  # if it is, another process was first
                raise DataError(f"{target}: cannot be written: {error.strerror}; free space there") from error
    return target


def problem(inline: Inline, parts: Path, name: str, title: str = "", statement: str = "") -> Problem:
    """The problem of this name. Its files are written into `parts`, an existing directory.

    Raises:
        DataError: a test is no text (a lone surrogate), or the disk is full.
    """
    try:
        return _write_problem(inline, parts, name, title, statement)
    except UnicodeEncodeError:
        raise DataError(f"{name}: a test holds a lone surrogate, which is no text; drop the row") from None
    except OSError as error:
        raise DataError(f"{parts}: cannot be written: {error.strerror}; free space there") from error


def _write_problem(inline: Inline, parts: Path, name: str, title: str, statement: str) -> Problem:
    draft = Draft(name=name, work=parts, title=title or name)
    draft.groups += [Group(name=SAMPLE, counted=False), Group(name=SECRET)]
    if statement:
        draft.add_statement("en", statement)
    for number, case in enumerate(inline.tests, 1):
        group = SAMPLE if case.sample else SECRET
        draft.tests.append(write_test(parts, f"{number:04}", case.input, case.output, group=group))
    files = FileIO(input=inline.input_file, output=inline.output_file)
    return replace(
        draft.build(),
        title={"en": draft.title},
        limits=_limits(inline),
        checker=_checker(inline, parts),
        file_io=files if files.input or files.output else None,
        function=_function(inline),
    )


def _limits(inline: Inline) -> Limits:
    default = Limits()
    return Limits(cpu_ns=inline.cpu_ns or default.cpu_ns, memory_bytes=inline.memory_bytes or default.memory_bytes)


def _checker(inline: Inline, parts: Path) -> Comparison | Program:
    if inline.checker is not None:
        source = write_file(parts / f"check.{inline.checker.suffix}", inline.checker.source)
        return Program(convention=inline.checker.convention, sources=(source,))
    return Comparison(
        mode=inline.comparison if inline.function is None else Mode.JSON,
        case_sensitive=inline.case_sensitive,
        absolute_tolerance=inline.absolute_tolerance,
        relative_tolerance=inline.relative_tolerance,
    )


def _function(inline: Inline) -> Function | None:
    if inline.function is None:
        return None
    return Function(
        name=inline.function,
        integer_keys=inline.integer_keys,
        python_values=inline.python_values,
        equality=inline.equality,
    )
