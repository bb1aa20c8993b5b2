"""What the judge takes apart in Python, as functions of bytes: each returns, or raises only what it documents.

A function here calls one parser, and asserts what else it promises. Any exception that leaves it is a finding.
"""

from __future__ import annotations

import io
import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from click import BadParameter

import problems
from containers import SandboxError
from containers.launcher import wire
from judge.checkers import numbers
from judge.checkers.compare import compare
from judge.cli.results import Results
from judge.common.errors import CheckerError, ConfigError, SourceError
from judge.common.units import SIZE, TIME, Quantity
from judge.compiling import headers, source
from judge.languages import answers, extraction
from judge.many import rows
from problems import ProblemError
from problems.files import archive
from problems.files.tree import Tree
from problems.model import Comparison, Mode
from problems.reading import legacy, metadata, package
from problems.reading.comparison import from_arguments
from problems.text import filters, statement
from tests.fuzz.test_wire import MESSAGES
from trainer_adapter.data import tests_text
from trainer_adapter.training import config

#: Inputs are no larger, so that what is slow is slow for its shape.
LARGEST = 8192
#: Parts of one input that holds several.
SPLIT = b"\n--\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parser:
    name: str
    call: Callable[[bytes], None]
    #: Where a fuzzer begins.
    seeds: Callable[[], Iterable[bytes]]
    #: What it puts in.
    words: tuple[bytes, ...] = ()
    #: Modules whose branches a fuzzer that sees them should look at.
    modules: tuple[str, ...]
    #: Processor time that no input may take; the wall clock would speak of the machine.
    slow_s: float = 1.0


@cache
def _scratch() -> Path:
    """In memory where that can be had: some parsers read files."""
    made = Path(tempfile.mkdtemp(prefix="judge-fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    (made / "empty").mkdir()
    return made


def clean_up() -> None:
    if _scratch.cache_info().currsize:
        shutil.rmtree(_scratch(), ignore_errors=True)
        _scratch.cache_clear()
        _package_root.cache_clear()


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


# What the launcher says.


def _wire(data: bytes) -> None:
    with suppress(SandboxError):
        match wire.decode(data):
            case wire.Result() as result:
                assert len(result.suspicious) <= wire.SUSPICIOUS_MAX
                assert len(result.collected) == wire.COLLECT_MAX
                assert min(result.collected) >= -1
            case wire.Failed() as failed:
                str(failed)


# Packages.


def _problem_yaml(data: bytes) -> None:
    tree = Tree(root=_scratch() / "empty", shown="package")
    text = data.decode("utf-8", "replace")
    with suppress(ProblemError):
        metadata.from_yaml(tree, text, lambda: legacy.LegacyYaml)
    with suppress(ProblemError):
        legacy.from_yaml(tree, text)


#: Files of a package, in the order in which an input holds them.
FILES = (
    "problem.yaml",
    "judge.yaml",
    "data/secret/test_group.yaml",
    "data/secret/testdata.yaml",
    "data/secret/1.yaml",
    "generators/generators.yaml",
    "generators/sha256sums",
    "domjudge-problem.ini",
    ".timelimit",
    "submissions/submissions.yaml",
    "statement/problem.en.md",
)


@cache
def _package_root() -> Path:
    """What is the same of all packages."""
    root: Path = _scratch() / "package"
    for directory in ("data/secret", "generators", "submissions/accepted", "statement"):
        (root / directory).mkdir(parents=True)
    (root / "data/secret/1.in").write_bytes(b"1\n")
    (root / "data/secret/1.ans").write_bytes(b"1\n")
    (root / "generators/gen.py").write_bytes(b"print(1)\n")
    (root / "submissions/accepted/a.py").write_bytes(b"print(1)\n")
    return root


def _package(data: bytes) -> None:
    root = _package_root()
    contents = data.split(SPLIT)
    for number, name in enumerate(FILES):
        if content := contents[number] if number < len(contents) else b"":
            (root / name).write_bytes(content)
        else:
            (root / name).unlink(missing_ok=True)
    with suppress(ProblemError):
        package.read(root)


def _archive(data: bytes) -> None:
    path, directory = _scratch() / "package.zip", _scratch() / "unpacked"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    path.write_bytes(data)
    before, archive.private_directory = archive.private_directory, lambda: directory
    try:
        root = archive.unpack(path)
        assert root.resolve().is_relative_to(directory)
    except ProblemError:
        pass
    finally:
        archive.private_directory = before
        archive._unpacked.clear()
        shutil.rmtree(directory, ignore_errors=True)


def _statement(data: bytes) -> None:
    for sample in statement.samples(data.decode("utf-8", "replace")):
        assert isinstance(sample.input, str)


def _filters(data: bytes) -> None:
    given, _, answer = data.partition(SPLIT)
    filters.inspect(given, answer)
    filters.prose(given, other=answer)


# Rows, settings, sizes.


def _rows(data: bytes) -> None:
    lines = data.splitlines(keepends=True)
    for item in rows.read(lines, "cpp17"):
        assert [item.submission, item.judgement, item.error].count(None) == 2
        assert 1 <= item.line <= len(lines)
        if item.submission is not None:
            assert item.submission.id == item.id


def _results(data: bytes) -> None:
    path = _scratch() / "results.jsonl"
    path.write_bytes(data)
    with suppress(ConfigError), Results(path, resume=True):
        after = path.read_bytes()
        assert data.startswith(after)
        assert not after or after.endswith(b"\n")


def _config(data: bytes) -> None:
    text, _, override = data.partition(SPLIT)
    path = _scratch() / "config.yaml"
    path.write_bytes(text)
    with suppress(ConfigError):
        config.load(path, (override.decode("utf-8", "replace"),) if override else ())


def _units(data: bytes) -> None:
    text = _text(data)
    kinds: tuple[Quantity, ...] = (TIME, SIZE)
    for kind in kinds:
        with suppress(BadParameter):
            assert kind.convert(text, None, None) > 0


def _inline(data: bytes) -> None:
    with suppress(tests_text.DataError):
        tests_text.unpack(data.decode("utf-8", "replace"))


# Completions and programs.


def _bare(text: str) -> str:
    """Without what a list or a quote puts before the lines of a block."""
    return "".join(text.replace(">", "").split())


def _extract(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    completions: list[Any] = [text]
    with suppress(ValueError, RecursionError):
        if isinstance(messages := json.loads(text), list) and all(isinstance(part, dict) for part in messages):
            completions.append(messages)
    for completion in completions:
        for language in (None, "cpp17", "python3"):
            found = extraction.extract(completion, language)
            assert isinstance(found, extraction.Extracted)
            assert (found.code is None) != (found.reason is None)
    if code := extraction.extract(text).code:
        assert _bare(code) in _bare(text)
    # What stands before a mark that ends a thought is not the answer.
    ends_thought = answers._MARK.search(text) is not None or any(mark in text.lower() for mark in answers.MARKS)
    if (
        "`" not in text
        and not ends_thought
        and text.strip()
        and len(text.splitlines()) == text.count("\n") + (not text.endswith("\n"))
    ):
        program = text if text.endswith("\n") else text + "\n"
        assert extraction.extract(f"So:\n````cpp\n{program}````\nDone.").code == program


def _source(data: bytes) -> None:
    for family in ("c", "c++", "python"):
        with suppress(SourceError):
            cleaned = source.clean(data, family=family, limit_bytes=LARGEST * 2)
            leading = headers.leading_headers(cleaned.text)
            blanked = headers.without(cleaned.text, leading)
            assert len(blanked) == len(cleaned.text)
            assert blanked.count(b"\n") == cleaned.text.count(b"\n")


# Output.

_COMPARISONS = tuple(
    Comparison(mode=mode, case_sensitive=case, absolute_tolerance=tolerance, relative_tolerance=tolerance)
    for mode in Mode
    for case in (True, False)
    for tolerance in ((1e-6,) if mode is Mode.FLOAT else (None,))
)


def _compare(data: bytes) -> None:
    output, _, answer = data.partition(SPLIT)
    comparison = _COMPARISONS[len(data) % len(_COMPARISONS)]  # each of them comes soon
    with suppress(CheckerError):
        assert 0 <= compare(output, answer, comparison).score <= 1
        if b"nan" not in answer.lower():
            assert compare(answer, answer, comparison).score == 1
    with suppress(ValueError):
        from_arguments(_text(output).split())


def _numbers(data: bytes) -> None:
    first, _, second = data.partition(b" ")
    for token in (first, second):
        number = numbers.parse(token)
        if number is not None and number.is_finite():
            assert float(token) == float(number)
    tolerance = numbers.Tolerance(1e-6, 1e-6, output=first, answer=second)
    found = tolerance.first_difference([first], [second])
    assert found in (None, 0)
    one, other = numbers.parse(first), numbers.parse(second)
    if one is not None and other is not None and one.is_finite() and other.is_finite() and _small(one, other):
        gap = abs(Fraction(one) - Fraction(other))
        limit = Fraction(1, 10**6)
        assert (found is None) == (gap <= max(limit, limit * abs(Fraction(other)))), (first, second)


def _small(*numbers_: Any) -> bool:
    return all(abs(number.adjusted()) < 200 for number in numbers_)


# Where fuzzers begin.


def _library(pattern: str, most: int = 12) -> list[bytes]:
    root = Path(problems.__file__).parent / "library"
    found = (path.read_bytes() for path in sorted(root.glob(pattern)))
    return [content for content in found if len(content) <= LARGEST][:most]


def _packages() -> list[bytes]:
    root = Path(problems.__file__).parent / "library"
    found = []
    for directory in sorted(root.glob("P*"))[:6]:
        parts = [(directory / name).read_bytes() if (directory / name).is_file() else b"" for name in FILES]
        found.append(SPLIT.join(parts)[:LARGEST])
    return found


def _zips() -> list[bytes]:
    found = []
    for kind, names in (
        (zipfile.ZIP_STORED, ("problem.yaml", "data/secret/1.in")),
        (zipfile.ZIP_DEFLATED, ("p/problem.yaml", "p/data/")),
        (zipfile.ZIP_STORED, ("../problem.yaml", "/etc/x", "a\\b")),
    ):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", kind) as made:
            for name in names:
                made.writestr(name, b"name: x\n")
        found.append(buffer.getvalue())
    return found


_RESULT = b'{"id": "a", "line": 1, "verdict": "AC"}\n{"id": null, "line": 2, "verdict": null, "error": "x"}\n'
_ROW = b'{"id": "a", "problem": "P1001", "completion": "```cpp\\nint main(){}\\n```", "language": "cpp17"}\n'
_MESSAGES = b'[{"role": "user", "content": "x"}, {"role": "assistant", "content": [{"text": "```py\\nprint()\\n```"}]}]'
_INLINE = b'{"tests": [{"input": "1", "output": "1"}], "time_limit": 1.0, "memory_limit": 256}'
_YAML = (
    b"limits:",
    b"name:",
    b"type: [scoring]",
    b"!!python",
    b"&a",
    b"*a",
    b"{{x}}",
    b"2025-02-30",
    b"1e999",
    b".inf",
)
_JSON = (b'"id"', b'"problem"', b'"source"', b"null", b"[[[[", b"1e999", b"\\ud800", b"NaN", b'{"', b"9" * 30)
_FENCES = (b"```", b"~~~", b"```cpp\n", b"</think>", b"<think>", b"\r\n", b"\xe2\x80\xa8", b"\x0c", b"```c++20 x=`y`\n")
_NUMBERS = (b"e", b"-", b"nan", b"inf", b"1e400", b"0x1p3", b"1_0", b"\xd9\xa1", b"9" * 40, b".", b"e-", b"1e-400")
_C = (b"freopen", b"#include <", b"??/\n", b'R"x(', b"/*", b"*/", b"\\\n", b"%:", b"u8'", b"stdin", b"\xef\xbb\xbf")

PARSERS: tuple[Parser, ...] = (
    Parser(name="wire", call=_wire, seeds=lambda: MESSAGES, modules=("containers.launcher.wire",)),
    Parser(
        name="problem-yaml",
        call=_problem_yaml,
        seeds=lambda: _library("P*/problem.yaml"),
        words=_YAML,
        modules=("problems",),
    ),
    Parser(name="package", call=_package, seeds=_packages, words=(SPLIT, *_YAML), modules=("problems",)),
    Parser(name="archive", call=_archive, seeds=_zips, words=(b"PK\x03\x04", b"../", b"\0"), modules=("problems",)),
    Parser(
        name="statement",
        call=_statement,
        seeds=lambda: _library("P*/statement/*.md"),
        words=("## 样例".encode(), b"```", b"### Sample Input 1"),
        modules=("problems.text.statement",),
    ),
    Parser(
        name="filters",
        call=_filters,
        seeds=lambda: ["输入 3\n--\n略".encode(), b"1 2\n--\n3\n"],
        words=("见附件".encode(), "　".encode(), SPLIT, "。".encode(), "样例".encode("gbk")),
        modules=("problems.text.filters",),
    ),
    Parser(name="rows", call=_rows, seeds=lambda: [_ROW], words=_JSON + _FENCES, modules=("judge.many.rows",)),
    Parser(name="results", call=_results, seeds=lambda: [_RESULT], words=_JSON, modules=("judge.cli.results",)),
    Parser(
        name="config",
        call=_config,
        seeds=lambda: [path.read_bytes() + SPLIT + b"run.steps=3" for path in sorted(config.RECIPES.glob("*.yaml"))],
        words=(SPLIT, *_YAML),
        modules=("trainer_adapter.training.config",),
        slow_s=10.0,  # PyYAML takes quadratic time for nested lists; the file is its reader's own
    ),
    Parser(
        name="units", call=_units, seeds=lambda: [b"256MiB", b"1.5s"], words=_NUMBERS, modules=("judge.common.units",)
    ),
    Parser(
        name="inline",
        call=_inline,
        seeds=lambda: [_INLINE],
        words=_JSON,
        modules=("trainer_adapter.data.tests_text",),
    ),
    Parser(
        name="extract",
        call=_extract,
        seeds=lambda: [_MESSAGES, b"So:\n```cpp\nint main() {}\n```\n"],
        words=_FENCES,
        modules=tuple(f"judge.languages.{name}" for name in ("extraction", "turns", "answers", "fences")),
    ),
    Parser(
        name="source",
        call=_source,
        seeds=lambda: _library("P*/submissions/accepted/*.cpp", 4),
        words=_C,
        modules=("judge.compiling.source", "judge.compiling.redirections", "judge.compiling.headers"),
    ),
    Parser(
        name="compare",
        call=_compare,
        seeds=lambda: [b"1 2\n--\n1  2\n", b"yes\n--\nYES", b"1.0 x\n--\n1.0000001 x\n"],
        words=(SPLIT, *_NUMBERS),
        modules=("judge.checkers", "problems.reading.comparison"),
    ),
    Parser(
        name="numbers",
        call=_numbers,
        seeds=lambda: [b"1.5 1.5000001", b"-1e10 1e-3", b"100.0001 100"],
        words=_NUMBERS,
        modules=("judge.checkers.numbers",),
    ),
)
