"""Problems: the list, and one with its statement."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from markupsafe import Markup

import problems
from judge.common.errors import ConfigError
from judge.server import statements
from judge.server.guarding.access import TheService
from judge.server.page import look
from judge.server.page.session import TheVisit
from judge.server.page.titles import short_name, title
from judge.server.page.visits import Visit
from judge.server.page.words import other
from judge.server.requests import PACKAGE
from judge.server.storing.packages import Packages
from judge.store.recent import Recent
from problems.errors import ProblemError, UnknownProblem
from problems.lookup import find_named
from problems.model import Problem
from problems.reading.samples import head, samples

router = APIRouter(route_class=look.PageRoute)

_PAGE = 50
_KEPT = 500
_SHOWN_BYTES = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """How many wrong programs the tests of a problem refuse, in [0, 1], with its interval."""

    rate: float
    rate_low: float
    rate_high: float
    killed: int
    survivors: int


class Catalogue:
    """Problems as they were read last, and what is known of their tests. Thread-safe."""

    def __init__(self, packages: Packages, strengths: Mapping[str, Strength]) -> None:
        self.strengths = strengths
        self._packages = packages
        self._lock = threading.Lock()
        self._read = Recent[Problem](_KEPT)

    def problem(self, name: str) -> Problem:
        """Of a name, or of a package that was sent.

        Raises:
            ProblemError: there is none that can be read.
        """
        sent = name.startswith(PACKAGE)
        path = self._packages.path(name.removeprefix(PACKAGE)) if sent else find_named(name)
        key = str(path), _read_mtime(path)
        with self._lock:
            found = self._read.get(key)
        if found is None:
            found = problems.load(path)
            with self._lock:
                self._read.put(key, found)
        return found


def _read_mtime(path: Path) -> int:
    try:
        return (path / "problem.yaml" if path.is_dir() else path).stat().st_mtime_ns
    except OSError:
        return 0


def strengths_of(path: Path) -> dict[str, Strength]:
    """By problem, from what `judge problems strength --json` printed.

    Raises:
        ConfigError: that is something else.
    """
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
        return {str(one["problem"]): _strength(one) for one in read if one.get("kill_rate") is not None}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        why = f"no output of `judge problems strength --json`: {type(error).__name__} {error}"
        raise ConfigError(f"strength {path}: {why}") from error


def _strength(measured: dict[str, Any]) -> Strength:
    return Strength(
        rate=float(measured["kill_rate"]),
        rate_low=float(measured["kill_rate_low"]),
        rate_high=float(measured["kill_rate_high"]),
        killed=int(measured["killed"]),
        survivors=len(measured["survivors"]),
    )


@router.get("/problems")
async def list_problems(
    request: Request,
    visit: TheVisit,
    search: Annotated[str, Query(max_length=100)] = "",
    page: Annotated[int, Query(ge=1, le=10**6)] = 1,
) -> Response:
    catalogue: Catalogue = request.app.state.catalogue
    found, more = await asyncio.to_thread(_list_page, catalogue, visit, search.strip(), page)
    return look.page(request, visit, "problems.html", problems=found, search=search, page=page, more=more)


def _list_page(catalogue: Catalogue, visit: Visit, search: str, page: int) -> tuple[list[dict[str, Any]], bool]:
    names = [name for name in problems.names() if search.casefold() in name.casefold()]
    if search and not names:  # by title: all have to be read
        titles = {name: _about(catalogue, visit, name)["title"] for name in problems.names()}
        names = [name for name, title in titles.items() if search.casefold() in title.casefold()]
    start = (page - 1) * _PAGE
    return [_about(catalogue, visit, name) for name in names[start : start + _PAGE]], len(names) > start + _PAGE


def _about(catalogue: Catalogue, visit: Visit, name: str) -> dict[str, Any]:
    strength = catalogue.strengths.get(name)
    try:
        problem = catalogue.problem(name)
    except ProblemError as error:
        return {"name": name, "problem": None, "title": "", "why": str(error), "strength": strength}
    return {"name": name, "problem": problem, "title": title(problem, visit.language), "strength": strength}


@router.get("/problems/{name}")
async def one(
    request: Request, visit: TheVisit, service: TheService, name: str, text: Annotated[str, Query(max_length=20)] = ""
) -> Response:
    """`text`: the language of the statement, where it is not to be that of the page."""
    catalogue: Catalogue = request.app.state.catalogue
    with service.packages.using(name):
        try:
            problem = await asyncio.to_thread(catalogue.problem, name)
        except UnknownProblem as error:
            raise look.Refused(404, visit.say("not_found")) from error
        except ProblemError as error:
            raise look.Refused(409, str(error)) from error
        values = await asyncio.to_thread(_show_problem, request, visit, problem, text)
    values |= {"name": name, "shown_name": short_name(name, problem.name), "strength": catalogue.strengths.get(name)}
    return look.page(request, visit, "problem.html", **values)


def _show_problem(request: Request, visit: Visit, problem: Problem, asked: str) -> dict[str, Any]:
    service = problem.statements
    written = next((tag for tag in (asked, visit.language, other(visit.language), *service) if tag in service), None)
    return {
        "problem": problem,
        "title": title(problem, visit.language),
        "written": written,
        "statement": None if written is None else _statement(request, problem, written),
        "samples": _samples(problem),
        "tests": len(problem.cases) + len(problem.generated),
    }


def _statement(request: Request, problem: Problem, tag: str) -> Markup | str | None:
    """HTML, or text where it is not Markdown; None: it cannot be shown."""
    text = statements.text(problem, tag)
    if text is None:
        return None
    markdown = problem.statements[tag].suffix == ".md"
    made = request.app.state.renderer.render("statement", text) if markdown else None
    return text if made is None else Markup(made)  # noqa: S704 - made of escaped text


def _samples(problem: Problem) -> list[list[tuple[str, str, int]]]:
    """The parts of each: what it is, how it begins, and how many bytes it has, if more follow."""
    try:
        return [[_part(what, path) for what, path in one.parts] for one in samples(problem)]
    except (ProblemError, OSError):  # a link leaves the package, or a file cannot be read
        return []


def _part(what: str, path: Path) -> tuple[str, str, int]:
    text, cut = head(path, _SHOWN_BYTES)
    return what, text, path.stat().st_size if cut else 0
