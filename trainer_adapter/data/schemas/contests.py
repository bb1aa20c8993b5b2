"""Reads rows of problems of contests, whose programs read input: open-r1/codeforces, CodeContests, CodeContests+,
SandboxFusion's own, and LiveCodeBench-Pro, whose tests are packages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from judge.checkers.calls import is_list
from problems.text.statement import Sample
from trainer_adapter.data.calls import read_tests
from trainer_adapter.data.checkers import printing
from trainer_adapter.data.cut import is_cut
from trainer_adapter.data.deciding import open_text
from trainer_adapter.data.item import (
    Item,
    Row,
    Unusable,
    cases,
    is_false,
    label,
    loads,
    megabytes,
    program,
    seconds,
    text,
)
from trainer_adapter.data.limits import count_bytes, guess_memory, guess_time
from trainer_adapter.data.schemas.schema import Schema, columns
from trainer_adapter.data.tests_column import Checker


def codeforces(row: Row) -> Item:
    """open-r1/codeforces. A test that ends in "..." was cut by the site."""
    if text(row, "interaction_format"):
        raise Unusable("is interactive")
    if is_false(row.get("executable")):
        raise Unusable("the data set says that it cannot be judged")
    if row.get("input_mode") not in (None, "stdio", "file"):
        raise Unusable("input_mode is neither stdio nor file")
    parts = (("", "description"), ("Input", "input_format"), ("Output", "output_format"), ("Note", "note"))
    shown = cases(row.get("examples"))
    official = cases(row.get("official_tests"))
    whole = tuple(one for one in _require_tests(official) if not (is_cut(one.input) or is_cut(one.output)))
    checker = program(row, "generated_checker")
    files = row.get("input_mode") == "file"
    return Item(
        id=label(row, "id"),
        title=label(row, "title"),
        statement=_sections((head, text(row, name)) for head, name in parts),
        difficulty=label(row, "rating"),
        samples=shown,
        tests=whole,
        missing=len(official) - len(whole) or int(is_false(row.get("official_tests_complete"))),
        cpu_ns=seconds(row.get("time_limit")),
        memory_bytes=megabytes(row.get("memory_limit")),
        checker=printing(checker) if checker else None,
        input_file="input.txt" if files else None,
        output_file="output.txt" if files else None,
    )


def _sections(parts: Any) -> str:
    return "\n\n".join(f"## {head}\n\n{found.strip()}" if head else found.strip() for head, found in parts if found)


def code_contests(row: Row) -> Item:
    """deepmind/code_contests. It has no checkers."""
    return Item(
        id=label(row, "name"),
        title=label(row, "name"),
        statement=text(row, "description"),
        difficulty=label(row, "cf_rating"),
        samples=cases(row.get("public_tests")),
        tests=_require_tests(cases(row.get("private_tests")) + cases(row.get("generated_tests"))),
        cpu_ns=seconds(row.get("time_limit")),
        memory_bytes=count_bytes(row.get("memory_limit_bytes") or None),
        input_file=_file_name(row, "input_file", "stdin"),
        output_file=_file_name(row, "output_file", "stdout"),
    )


def _file_name(row: Row, column: str, stream: str) -> str | None:
    name = text(row, column).strip()
    if name in ("", stream):
        return None
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}", name):
        raise Unusable(f"{column} is no name of a file in the program's directory")
    return name


def code_contests_plus(row: Row) -> Item:
    """ByteDance-Seed/Code-Contests-Plus: a checker in C++ with testlib, and tests in the configurations 1x to 5x. In
    `default` there are only the generator and its commands."""
    if row.get("test_cases") is None:
        raise Unusable("has a generator in place of tests: take the configuration 1x, 2x, … or 5x")
    checker = program(row, "checker")
    return Item(
        id=label(row, "id"),
        title=label(row, "title"),
        statement=text(row, "description"),
        tests=_require_tests(cases(row["test_cases"])),
        cpu_ns=guess_time(row.get("time_limit")),
        memory_bytes=guess_memory(row.get("memory_limit")),
        checker=Checker(source=checker, suffix="cpp") if checker else None,
    )


def _require_tests(tests: tuple[Sample, ...]) -> tuple[Sample, ...]:
    """Raises Unusable if there are none: those that the statement shows earn a program that prints them everything."""
    if not tests:
        raise Unusable("there are no tests")
    return tests


def sandbox_fusion(row: Row) -> Item:
    """SandboxFusion's own rows (CommonOJ): a test has texts by the names of streams."""
    labels = open_text(row.get("labels"))
    labels = labels if isinstance(labels, Mapping) else {}
    if str(labels.get("problem_format") or "Standard") != "Standard":
        raise Unusable("problem_format is not Standard")
    test = row["test"]
    if isinstance(test, str) and "assert " in test and not test.lstrip().startswith(("[", "{")):
        tests = read_tests([test])
        return Item(id=label(row, "id"), statement=text(row, "content"), tests=tests.cases, function=tests.function)
    found = loads(test)
    if not is_list(found):
        raise Unusable("tests are of no known form")
    return Item(
        id=label(row, "id"),
        title=str(labels.get("name") or ""),
        statement=text(row, "content"),
        difficulty=str(labels.get("difficulty") or ""),
        tests=_require_tests(
            tuple(Sample(_stream(one, "input", "stdin"), _stream(one, "output", "stdout")) for one in found)
        ),
    )


def _stream(test: Any, key: str, name: str) -> str:
    if not isinstance(test, Mapping) or test.keys() != {"input", "output"}:
        raise Unusable("tests are of no known form")
    streams = test[key]
    found = streams.get(name) if isinstance(streams, Mapping) and streams.keys() == {name} else None
    if not isinstance(found, str):
        raise Unusable(f"tests have more than {name}, or less")
    return found


def livecodebench_pro(row: Row) -> Item:
    """LiveCodeBench-Pro, which LightCPVerifier judges: its tests are packages, which the judge must know."""
    name = label(row, "problem_id")
    return Item(
        id=name,
        title=label(row, "problem_title"),
        statement=text(row, "problem_statement"),
        difficulty=label(row, "difficulty"),
        reference=name or None,
        packaged=True,
    )


SCHEMAS = (
    Schema(
        "code_contests",
        columns("description public_tests private_tests generated_tests"),
        code_contests,
        columns("name cf_rating time_limit memory_limit_bytes input_file output_file"),
    ),
    Schema(
        "code_contests_plus",
        columns("description generator checker"),
        code_contests_plus,
        columns("id title test_cases time_limit memory_limit validator generator_cmd source"),
    ),
    Schema(
        "codeforces",
        columns("description official_tests examples"),
        codeforces,
        columns(
            "id title input_format output_format interaction_format note rating official_tests_complete time_limit "
            "memory_limit generated_checker executable input_mode"
        ),
    ),
    Schema("sandbox_fusion", columns("content test"), sandbox_fusion, columns("id labels")),
    Schema(
        "livecodebench_pro",
        columns("problem_id problem_title problem_statement platform"),
        livecodebench_pro,
        columns("difficulty"),
    ),
)
