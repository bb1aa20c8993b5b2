"""Arrays in columns of a data set. Rewards read them before they need anything large: nothing is imported here."""

from __future__ import annotations

from typing import Any


def as_list(tests: Any) -> Any:
    """An array, as data frames hold them, as a list; anything else as it is. An array has no truth value."""
    return tests.tolist() if hasattr(tests, "tolist") else tests
