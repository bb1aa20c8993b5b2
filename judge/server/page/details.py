"""What the page of one judgement shows: the result as far as the visitor may see it, the source, a difference."""

from __future__ import annotations

import base64
import json
from typing import Any

from fastapi import FastAPI
from markupsafe import Markup, escape

from judge import languages
from judge.common.text import harmless
from judge.judging.limits import limits_of
from judge.server.api.v1 import show_result
from judge.server.page import queries
from judge.server.page.folding import fold_tests
from judge.server.page.sides import Side, beside
from judge.server.page.titles import short_name, title
from judge.server.page.visits import Visit
from judge.server.requests import ExecutionRequest, JudgementRequest
from judge.server.service import Service
from judge.server.storing.new import Request, read_request
from judge.server.storing.store import Row
from problems.errors import ProblemError
from problems.model import Problem, TestCase

#: Of an output, an answer and an input: as much as a result keeps of an output.
KEPT_BYTES = 4096
_NO_FAILURE = ("AC", "SK")


def details(app: FastAPI, service: Service, visit: Visit, row: Row, verdict: str, test: str) -> dict[str, Any]:
    """Reads the database and the problem: call it in a thread. `verdict`: of the tests that are shown; `test`:
    one that is looked for."""
    with service.packages.using(row.problem):
        return _details(app, service, visit, row, verdict, test)


def _details(app: FastAPI, service: Service, visit: Visit, row: Row, verdict: str, test: str) -> dict[str, Any]:
    request = find_request(row)
    text = show_result(row, visit.caller)
    result: dict[str, Any] | None = json.loads(text) if text else None
    problem = find_problem(app, request)
    live = service.rows.live(row.id) if result is None else None
    tests = [test.as_dict() for test in live.tests(hide=not visit.caller.may("read"))] if live else []
    if result is not None:
        tests = result.get("tests", [])
    about = queries.one(service.store, row.id)
    return {
        "row": row,
        "about": about,
        "shown_name": short_name(row.problem or "", about["sent_as"] if about else None),
        "request": request,
        "result": result,
        "execution": row.kind == "execution",
        "tests": tests,
        "folded": fold_tests(tests, verdict, test),
        "stdin": _stdin(request),
        "problem_title": title(problem, visit.language) if problem is not None else None,
        "scale": _scale(problem, request, tests),
        "first": _first(visit, problem, tests) if result is not None else None,
        "source": _source(app, request) if request is not None else None,
        "count": live.count if live else 0,
        "live": live,
    }


def find_request(row: Row) -> Request | None:
    """None: the row of a batch that had no program."""
    return read_request(row) if row.request else None


def find_problem(app: FastAPI, request: Request | None) -> Problem | None:
    if not isinstance(request, JudgementRequest):
        return None
    try:
        found: Problem = app.state.catalogue.problem(request.problem)
    except ProblemError:
        return None
    return found


def _stdin(request: Request | None) -> str | None:
    """What a program without a problem reads."""
    if not isinstance(request, ExecutionRequest):
        return None
    if request.stdin_base64 is None:
        return request.stdin
    return base64.b64decode(request.stdin_base64).decode("utf-8", "replace")


def _scale(problem: Problem | None, request: Request | None, tests: list[dict[str, Any]]) -> dict[str, int]:
    """What a full bar stands for: the limit, or the most that a test took."""
    most = {name: max((test[name] or 0 for test in tests), default=0) or 1 for name in ("cpu_ns", "memory_bytes")}
    if problem is None or not isinstance(request, JudgementRequest):
        return most | {"limits": False}
    allowed = limits_of(problem.limits, languages.get(request.language), request.judge_options())
    return {
        "cpu_ns": max(most["cpu_ns"], allowed.cpu_ns),
        "memory_bytes": max(most["memory_bytes"], allowed.memory_bytes),
        "limits": True,
    }


def _first(visit: Visit, problem: Problem | None, tests: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The first test that failed, with both sides of its output where the visitor may see them."""
    failing = next((test for test in tests if test["verdict"] not in _NO_FAILURE), None)
    if failing is None:
        return None
    case = find_case(problem, failing["name"])
    may_see = visit.caller.may("read") or (case is not None and case.sample)
    found: dict[str, Any] = {"test": failing, "hidden": not may_see, "sides": None, "input": None}
    if not may_see or case is None:
        return found
    found["input"] = _head(case, answer=False)
    found["input_bytes"] = case.input.stat().st_size if found["input"] is not None and case.input is not None else None
    answer = _head(case, answer=True)
    found["answered"] = answer is not None
    if failing["verdict"] in ("WA", "PE", "PC") and answer is not None and failing["conversation"] is None:
        found["sides"] = beside(Side(text=failing["stdout"], most=KEPT_BYTES), Side(text=answer, most=KEPT_BYTES))
    return found


def find_case(problem: Problem | None, name: str) -> TestCase | None:
    return next((case for case in problem.cases if case.name == name), None) if problem is not None else None


def _head(case: TestCase, *, answer: bool) -> str | None:
    """The beginning of the input or the answer; None: there is none that can be read."""
    path = case.answer if answer else case.input
    if path is None:
        return None
    try:
        with path.open("rb") as stream:
            return stream.read(KEPT_BYTES).decode("utf-8", "replace")
    except OSError:
        return None


def _source(app: FastAPI, request: JudgementRequest | ExecutionRequest) -> list[Markup]:
    """The lines of the program, highlighted where that can be done."""
    text = request.source
    if request.source_base64 is not None:
        text = base64.b64decode(request.source_base64).decode("utf-8", "replace")
    text = harmless(text).replace("\r", "\n")
    made = app.state.renderer.render("source", text, lexer(request.language))
    lines = (made if made is not None else str(escape(text))).split("\n")
    return [Markup(line) for line in (lines[:-1] if lines[-1] == "" else lines)]  # noqa: S704 - escaped, or spans


def lexer(language: str) -> str:
    """The name that Pygments has for a language of ours."""
    return languages.get(language).facts.text.lexer
