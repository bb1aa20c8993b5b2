"""Decides which fields of a stored result a key may see. The result keeps the names of the tests that were samples when
it was stored."""

from __future__ import annotations

import json
from collections.abc import Iterable

from judge.common.models import read_judgement
from judge.judging.public import public

#: In place of the names: the result holds nothing that is to be hidden.
WHOLE = "true"


def encode_names(samples: Iterable[str]) -> str:
    return json.dumps(sorted(samples))


def public_text(kind: str, result: str, samples: str | None) -> str:
    """The JSON of a result without what would reveal hidden tests. `samples`: what `encode_names` made, or WHOLE; None:
    all tests of the judgement are hidden."""
    if kind == "execution" or samples == WHOLE:
        return result
    found: list[str] = json.loads(samples) if samples else []
    return public(read_judgement(result), found).to_json()
