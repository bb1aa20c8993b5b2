from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.containers.conformance.conftest import open_slot, tier  # noqa: F401 - the variants of the conformance suite


@pytest.fixture
def open_directory() -> Iterator[Path]:
    """One that the users that slots lease can reach."""
    path = Path(tempfile.mkdtemp(prefix="judge-robustness-", dir="/tmp"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def place(open_directory: Path) -> Path:
    """Where slots make their directories."""
    path = open_directory / "slots"
    path.mkdir(mode=0o755)
    return path


@pytest.fixture
def cache(open_directory: Path) -> Path:
    """An empty compile cache."""
    path = open_directory / "cache"
    path.mkdir(mode=0o755)
    return path
