"""What is asked of a model, by whom, and what comes back.

tasks ──► requests (sample 0, 1, … of each) ──► Sampler ──► SampledText ──► pipeline: judged, written
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from judge.common.errors import ConfigError

Prompt = list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One problem, as a model gets it."""

    #: Name of the problem, or the path of a package; with `tests` only a name.
    problem: str
    prompt: Prompt
    #: Packed as in `trainer_adapter.data.tests_column`; None: the judge knows the problem.
    tests: str | None = None
    difficulty: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How to sample. `temperature` 0 takes the most likely token each time."""

    temperature: float = 1.0
    #: Tokens are drawn from the most likely ones that have this probability together.
    top_p: float = 1.0
    max_tokens: int = 1024
    seed: int = 0

    def __post_init__(self) -> None:
        """Raises ConfigError for what cannot be meant."""
        for wrong, why in (
            (not 0 <= self.temperature < float("inf"), f"temperature must be at least 0, not {self.temperature}"),
            (not 0 < self.top_p <= 1, f"top_p must be above 0 and at most 1, not {self.top_p}"),
            (self.max_tokens < 1, f"max_tokens must be at least 1, not {self.max_tokens}"),
        ):
            if wrong:
                raise ConfigError(why)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleRequest:
    """One completion that is wanted."""

    task: Task
    sample: int

    @property
    def id(self) -> str:
        """Unique in a file of rollouts."""
        return f"{self.task.problem}#{self.sample}"

    def seed(self, seed: int) -> int:
        """31 bits that depend on nothing but the run's seed and this request: its completion does not depend on what
        else is sampled, nor on where a run was broken off."""
        digest = hashlib.sha256(f"{seed}:{self.id}".encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:4]) >> 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledText:
    text: str = ""
    #: It ended at the limit of its length.
    truncated: bool = False
    #: Its length in tokens of the model; None: the endpoint does not say.
    tokens: int | None = None
    #: Why there is no completion.
    failure: str | None = None


class Sampler(Protocol):
    def sample(self, requests: Iterable[SampleRequest]) -> Iterator[tuple[SampleRequest, SampledText]]:
        """A completion for each request, in any order. `requests` is read a few ahead. A request that fails gives a
        `failure`; nothing is raised for it."""
        ...


def make_requests(tasks: Iterable[Task], samples: int) -> Iterator[SampleRequest]:
    """All samples of the first task, then of the next: prompts that are equal meet in a batch.

    Raises:
        ConfigError: two problems have the same name.
    """
    seen = set[str]()
    for task in tasks:
        if task.problem in seen:
            raise ConfigError(f"two problems of the data are called {task.problem!r}; give them different ids")
        seen.add(task.problem)
        yield from (SampleRequest(task=task, sample=sample) for sample in range(samples))


def batches(requests: Iterable[SampleRequest], size: int) -> Iterator[Sequence[SampleRequest]]:
    batch: list[SampleRequest] = []
    for request in requests:
        batch.append(request)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
