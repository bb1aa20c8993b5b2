"""Data sets: rows of type CommonOJDataset that a request brings along, and `judge`, the problems of this server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import problems
from judge.server.compat.sandbox_fusion.requests import Id, TestConfig
from judge.server.requests import json_value
from problems.errors import ProblemError
from problems.model import Problem

#: The name of the data set that the problems of this server are.
OURS = "judge"
#: The type of rows that a request may bring along.
TYPE = "CommonOJDataset"
_ASKED = {
    "en": "Write a complete program in {language} that reads standard input and writes standard output.",
    "zh": "请用 {language} 写一个完整的程序，从标准输入读取数据，把结果写到标准输出。",
}


class Wrong(Exception):
    """A request for what there is not: 400."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One test: files by name, and standard input and output as `stdin` and `stdout`."""

    input: dict[str, str]
    output: dict[str, str]


def ours(dataset: str, config: TestConfig) -> bool:
    """Whether the problems of this server are meant; if not, rows that the request brings.

    Raises:
        Wrong: there is no such data set.
    """
    if dataset == OURS:
        return True
    if config.dataset_type is None:
        raise Wrong(f"no eval class found for dataset {dataset[:100]}; there is {OURS}, or give config.dataset_type")
    if config.dataset_type != TYPE:
        raise Wrong(f"eval class {config.dataset_type[:100]} not found; there is {TYPE}")
    return False


def rows(config: TestConfig) -> list[dict[str, Any]]:
    """The rows that the request brings."""
    if config.provided_data is None:
        raise Wrong("config.provided_data is needed: this server keeps no data sets but its own problems")
    return config.provided_data if isinstance(config.provided_data, list) else [config.provided_data]


def row(config: TestConfig, id_: Id) -> dict[str, Any]:
    """The row of that id. One that is not in a list needs none."""
    if isinstance(config.provided_data, dict):
        return config.provided_data
    found = next((one for one in rows(config) if str(one.get("id")) == str(id_)), None)
    if found is None:
        raise Wrong(f"there is no row with the id {str(id_)[:100]!r} in config.provided_data")
    return found


def cases(found: dict[str, Any]) -> list[Case]:
    """The tests of a row."""
    tests = _load_column(found.get("test"))
    if not isinstance(tests, Sequence) or isinstance(tests, str) or not tests:
        raise Wrong("the row's test is a list of {input: {stdin}, output: {stdout}}, with at least one")
    made = []
    for test in tests:
        given, wanted = (test.get(name) if isinstance(test, dict) else None for name in ("input", "output"))
        if not (_texts(given) and _texts(wanted) and isinstance(wanted, dict) and "stdout" in wanted):
            raise Wrong("each test is {input: {stdin}, output: {stdout}}, texts by name")
        made.append(Case(input=dict(given or {}), output=dict(wanted)))
    return made


def prompt(found: dict[str, Any], config: TestConfig) -> dict[str, Any]:
    """A row's prompt."""
    id_, content, labels = found.get("id", ""), found.get("content"), _load_column(found.get("labels") or {})
    if not isinstance(content, str) or not isinstance(id_, (int, str)) or not isinstance(labels, dict):
        raise Wrong("a row for a prompt has an id, a text as content, and a map as labels")
    return {"id": id_, "prompt": f"{content}\n\n{_ask_for(config)}", "labels": labels}


def problem_prompt(name: str, config: TestConfig) -> dict[str, Any]:
    """A prompt for a problem of this server."""
    problem = problem_of(name)
    tag = _locale(config)
    path = problem.statements.get(tag) or next(iter(problem.statements.values()), None)
    if path is None:
        raise Wrong(f"problem {name} has no statement")
    text = path.read_text(encoding="utf-8", errors="replace")
    labels = {"title": problem.title.get(tag) or next(iter(problem.title.values()), name), "kind": problem.kind}
    return {"id": name, "prompt": f"{text.rstrip()}\n\n{_ask_for(config)}", "labels": labels}


def problem_of(id_: Id) -> Problem:
    if str(id_) not in problems.names():
        raise Wrong(f"there is no problem {str(id_)[:100]!r}")
    try:
        return problems.load(str(id_))
    except ProblemError as error:
        raise Wrong(str(error)) from error


def _ask_for(config: TestConfig) -> str:
    return _ASKED[_locale(config)].format(language=config.language or "a language of your choice")


def _locale(config: TestConfig) -> str:
    return "zh" if (config.locale or "").startswith("zh") else "en"


def _texts(value: object) -> bool:
    return value is None or (isinstance(value, dict) and all(isinstance(one, str) for one in value.values()))


def _load_column(value: Any) -> Any:
    """A column may hold JSON as text."""
    if not isinstance(value, str):
        return value
    try:
        return json_value(value)
    except ValueError as error:
        raise Wrong("a text in a row's test or labels is no JSON") from error
