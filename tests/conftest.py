"""What the tests of all rooms share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

#: The backend on which everything is tested, unless a test is about one.
BACKEND = os.environ.get("JUDGE_TEST_BACKEND", "unsafe")


@pytest.fixture(scope="session")
def backend() -> str:
    return BACKEND


@pytest.fixture(scope="session")
def shared_cache() -> Path:
    """One compile cache for the whole test run, also between runs: what is compiled does not change."""
    root = Path(os.environ.get("JUDGE_TEST_CACHE", Path(__file__).parent.parent / "build" / "test-cache"))
    root.mkdir(parents=True, exist_ok=True)
    return root


@pytest.fixture
def judges(backend: str, shared_cache: Path) -> Iterator[Callable[..., object]]:
    """Makes Judges that are closed at the end of the test."""
    from judge import Judge

    with ExitStack() as stack:

        def make(**how: object) -> Judge:
            settings = {"slots": 1, "backend": backend, "cache_directory": shared_cache, **how}
            return stack.enter_context(Judge(**settings))  # type: ignore[arg-type]

        yield make
