"""What our examples import of trainers, in a few lines by their sources: for machines without those packages."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

T = TypeVar("T")
Config = TypeVar("Config")


class TaskData(BaseModel):
    prompt: str | None = None


class TasksetConfig(BaseModel):
    id: str = ""
    task: Any = None


class Task(Generic[T]):
    def __init__(self, data: T, config: Any = None) -> None:
        self.data = data
        self.config = config

    async def score(self, trace: Any) -> None:
        """Each reward is called with the arguments that it names, an exception goes through, and all are added up."""
        for function in vars(type(self)).values():
            if hasattr(function, "reward"):
                trace.reward += await function(self, trace=trace)


class Taskset(Generic[T, Config]):
    def __init__(self, config: Config) -> None:
        self.config = config


def reward(function: Callable[..., Any]) -> Callable[..., Any]:
    function.reward = True  # type: ignore[attr-defined]
    return function


def verifiers() -> dict[str, ModuleType]:
    """verifiers 0.4"""
    v1, package = ModuleType("verifiers.v1"), ModuleType("verifiers")
    for each in (TaskData, TasksetConfig, Task, Taskset, reward):
        setattr(v1, each.__name__, each)
    v1.Trace = SimpleNamespace  # type: ignore[attr-defined]
    package.v1 = v1  # type: ignore[attr-defined]
    return {"verifiers": package, "verifiers.v1": v1}


def skyrl_gym() -> dict[str, ModuleType]:
    """skyrl-gym 0.4: `make` imports the entry point, and passes all to the class by name."""
    package, entries = ModuleType("skyrl_gym"), dict[str, str]()

    def register(id: str, entry_point: str) -> None:
        entries[id] = entry_point

    def make(id: str, **how: Any) -> Any:
        module, name = entries[id].split(":")
        return getattr(__import__(module, fromlist=[name]), name)(**how)

    package.register, package.make = register, make  # type: ignore[attr-defined]
    return {"skyrl_gym": package}


def swift() -> dict[str, ModuleType]:
    """ms-swift 4: plugins put themselves into a dictionary."""
    rewards, package = ModuleType("swift.rewards"), ModuleType("swift")
    rewards.orms = dict[str, Any]()  # type: ignore[attr-defined]
    return {"swift": package, "swift.rewards": rewards}
