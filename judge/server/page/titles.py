"""What a problem is called on a page."""

from __future__ import annotations

from judge.server.page.words import Language, other
from judge.server.requests import PACKAGE
from problems.model import Problem

#: Of a digest, where nothing better is known.
_DIGITS = 8


def title(problem: Problem, language: Language) -> str:
    titles = problem.title
    found = titles.get(language) or titles.get(other(language)) or next(iter(titles.values()), "")
    return found or problem.name


def short_name(name: str, sent_as: str | None = None) -> str:
    """Of a package that was sent: the name that it was sent with, or the beginning of its digest."""
    if not name.startswith(PACKAGE):
        return name
    return sent_as or f"{PACKAGE}{name[len(PACKAGE) :][:_DIGITS]}…"
