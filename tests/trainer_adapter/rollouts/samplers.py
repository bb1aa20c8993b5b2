"""Samplers without a model, for processes that are started in tests: they import nothing that is slow."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator

from trainer_adapter.rollouts.making.requests import SampledText, SampleRequest


class Echo:
    def __init__(self, number: int) -> None:
        self._number = number

    def sample(self, requests: Iterable[SampleRequest]) -> Iterator[tuple[SampleRequest, SampledText]]:
        for request in requests:
            yield request, SampledText(text=f"{request.id} of {self._number}")


class Raises(Echo):
    def sample(self, requests: Iterable[SampleRequest]) -> Iterator[tuple[SampleRequest, SampledText]]:
        raise RuntimeError("out of memory")


class Dies(Echo):
    def sample(self, requests: Iterable[SampleRequest]) -> Iterator[tuple[SampleRequest, SampledText]]:
        os._exit(9)


class Slow(Echo):
    def sample(self, requests: Iterable[SampleRequest]) -> Iterator[tuple[SampleRequest, SampledText]]:
        if self._number:
            time.sleep(600)
        return super().sample(requests)
