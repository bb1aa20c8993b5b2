"""Reads the programs that rows of data sets bring: reference solutions, and programs that are known to be wrong.

A column holds one program, a list of them, a list of `{"language": …, "code": …}`, CodeContests'
`{"language": [2, 3], "solution": ["…", "…"]}`, SandboxFusion's `{"cpp": ["…"]}`, or JSON of one of these. A program may
stand in a fence. HumanEval's are bodies of the function that the prompt begins.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from judge import LanguageError, languages
from judge.languages.extraction import extract
from problems.files.languages import by_name

RIGHT = (
    *("solutions", "solution", "reference_solutions", "reference_solution", "accepted_solutions"),
    *("gold_standard_solution", "canonical_solution", "correct_submissions", "translated_solution"),
    *("completion", "code"),
)
WRONG = ("incorrect_solutions", "wrong_solutions", "incorrect_submissions")

_CODE = ("code", "solution", "content", "source")

#: Language and source.
Program = tuple[str, str]


def programs(row: Mapping[str, Any], columns: tuple[str, ...], most: int) -> list[Program]:
    """The first so many programs in these columns of a row, each once."""
    found: dict[Program, None] = {}
    for name in columns:
        for language, source in _programs(row.get(name), None, 0):
            found[language, _begin_with_starter(row, source)] = None
            if len(found) == most:
                return list(found)
    return list(found)


def _begin_with_starter(row: Mapping[str, Any], source: str) -> str:
    prompt = row.get("prompt")
    return prompt + source if source[:1] in (" ", "\t") and isinstance(prompt, str) else source


def _programs(value: Any, language: Any, depth: int) -> Iterator[Program]:
    if depth > 3:
        return
    match value:
        case str() if value.lstrip()[:1] in {"[", "{"} and depth == 0 and (held := _load_text(value)) is not None:
            yield from _programs(held, language, depth + 1)
        case str() if value.strip():
            code = extract(value, may_choose=languages.names()).code if "```" in value else value
            name = _language(language, code or "")
            if code and name is not None:
                yield name, code
        case list() | tuple():
            for one in value:
                yield from _programs(one, language, depth + 1)
        case Mapping():
            code = next((value[name] for name in _CODE if value.get(name)), None)
            if code is None and "language" not in value:
                for kind, one in value.items():
                    yield from _programs(one, kind, depth + 1)
                return
            named = value.get("language", language)
            if isinstance(code, (list, tuple)) and isinstance(named, (list, tuple)):
                for kind, one in zip(named, code, strict=False):
                    yield from _programs(one, kind, depth + 1)
            else:
                yield from _programs(code, named, depth + 1)


def _load_text(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _language(named: Any, code: str) -> str | None:
    """The language by its name or number, or by what the program looks like; None: one that we don't know."""
    if isinstance(named, int):  # as CodeContests numbers them
        numbered = by_name("code_contests").get(named)
        return numbered.name if numbered else None
    if isinstance(named, str) and named.strip():
        try:
            return languages.get(named.strip().lower()).name
        except LanguageError:
            return None
    return "cpp17" if "#include" in code or "int main(" in code else "python3"
