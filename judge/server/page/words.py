"""The page in two languages: one table (`words.toml`), and which language a visitor gets."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
#: Languages of one header that are looked at.
_MOST_ASKED = 20


@functools.cache
def table() -> Mapping[str, Mapping[Language, str]]:
    read = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
    return {key: dict(zip(LANGUAGES, texts, strict=True)) for key, texts in read.items()}


def say(language: Language, key: str, **values: object) -> str:
    """
    Raises:
        KeyError: the table has no such key.
    """
    text = table()[key][language]
    return text.format(**values) if values else text


def other(language: Language) -> Language:
    return "zh" if language == "en" else "en"


def find_language(text: str | None) -> Language | None:
    for language in LANGUAGES:
        if text == language:
            return language
    return None


def match_language(header: str) -> Language:
    """The language that an Accept-Language header likes best; English where it names neither."""
    best: Language = "en"
    best_weight = 0.0
    for part in header.split(",")[:_MOST_ASKED]:
        tag, _, parameter = part.partition(";")
        language = find_language(tag.strip().lower().split("-")[0])
        weight = _weight(parameter)
        if language is not None and weight > best_weight:
            best, best_weight = language, weight
    return best


def _weight(parameter: str) -> float:
    name, _, text = parameter.strip().partition("=")
    try:
        return float(text) if name == "q" else 1.0
    except ValueError:
        return 0.0
