"""Puts a language among those that there are, or in the place of one of them, for the time of a test."""

from __future__ import annotations

import pytest

from judge import languages
from judge.languages import Language


def put_language(monkeypatch: pytest.MonkeyPatch, language: Language) -> None:
    load, names = languages._load, languages._index_names()
    monkeypatch.setattr(languages, "_load", lambda name: language if name == language.name else load(name))
    monkeypatch.setattr(languages, "_index_names", lambda: {**names, language.name: language.name})
