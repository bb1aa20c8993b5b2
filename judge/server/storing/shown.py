"""Decides which fields of a stored result a key may see. The result keeps the names of the tests that were samples when
it was stored."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from judge.common.models import DroppedTest, Judgement, TestResult
from judge.judging.public import public

#: In place of the names: the result holds nothing that is to be hidden.
WHOLE = "true"


def names(samples: Collection[str]) -> str:
    return json.dumps(sorted(samples))


def public_text(kind: str, result: str, samples: str | None) -> str:
    """The JSON of a result without what would reveal hidden tests. `samples`: what `names` made, or WHOLE; None: all
    tests of the judgement are hidden."""
    if kind == "execution" or samples == WHOLE:
        return result
    found: list[str] = json.loads(samples) if samples else []
    return public(_read(result), found).to_json()


def _read(result: str) -> Judgement:
    """A judgement that we stored. What `public` does not look at stays as JSON; nothing is checked, for the names of
    tests may be no Unicode."""
    values: dict[str, Any] = json.loads(result)
    values["tests"] = tuple(TestResult(**each) for each in values["tests"])
    values["dropped"] = tuple(DroppedTest(**each) for each in values.get("dropped", ()))
    return Judgement(**values)
