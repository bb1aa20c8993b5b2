"""What the tests of the functions for other trainers share.

Those trainers are huge, and none of them is installed with the project. Each test of the real package is skipped where
the package is missing; what it is called with, by its own sources, is tested always.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import MakePackage
from tests.trainer_adapter.programs import CASES, METADATA
from trainer_adapter import reward_funcs
from trainer_adapter.integrations import core
from trainer_adapter.reward_funcs import CodeReward, Settings


@pytest.fixture
def reward(backend: str, shared_cache: Path) -> Iterator[CodeReward]:
    yield CodeReward(settings=Settings(language="c17", slots=1, backend=backend, cache_directory=shared_cache))
    reward_funcs.close()


@pytest.fixture
def problem(package: MakePackage) -> str:
    return str(package(CASES, metadata=METADATA, name="sum"))


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pause between two tries."""
    monkeypatch.setattr(core, "PAUSE_S", 0)


def package_of(name: str) -> ModuleType:
    """A trainer's package, or else the test is skipped. What it warns of is its own."""
    found = installed(name)
    if found is None:
        pytest.skip(f"not installed: {name}")
    return found


def installed(name: str) -> ModuleType | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return importlib.import_module(name)
        except ImportError:
            return None
