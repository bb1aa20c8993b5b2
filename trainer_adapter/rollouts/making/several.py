"""Samples in several processes, one for each GPU, as one sampler: judging and writing stay in this process.

this process ── a batch of requests ──►  process 0, 1, … each with a model of its own
             ◄── their completions ────
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, cast

from judge.common.ending import look
from judge.common.errors import JudgeError
from trainer_adapter.rollouts.making.requests import SampledText, Sampler, SampleRequest, batches

#: Makes the sampler of the process of this number; it is pickled.
MakeSampler = Callable[[int], Sampler]

_DIED = "a process that samples has died: is the memory enough for a model in each?"
#: How often who waits looks whether it is asked to end.
_LOOK_S = 0.2
#: After a process was asked to end.
_ENDING_S = 5.0


class SamplerDied(JudgeError):
    """A process that samples has ended, or its sampler raised."""


class SeveralSamplers:
    """`processes` samplers, each of which gets `batch_size` requests at a time."""

    def __init__(self, make: MakeSampler, processes: int, batch_size: int) -> None:
        self._make, self._processes, self._batch_size = make, processes, batch_size

    def sample(self, requests: Iterable[SampleRequest]) -> Iterator[tuple[SampleRequest, SampledText]]:
        """
        Raises:
            SamplerDied: the rows of its batch are missing.
        """
        left = batches(requests, self._batch_size)
        with ExitStack() as stack:
            workers = [stack.enter_context(_start_process(self._make, number)) for number in range(self._processes)]
            busy: dict[Any, Sequence[SampleRequest]] = {}
            for worker in workers:
                _hand_out(worker, left, busy)
            while busy:
                for worker in cast(list[Any], wait(list(busy), _LOOK_S)):
                    batch = busy.pop(worker)
                    found = _receive(worker)
                    _hand_out(worker, left, busy)
                    yield from zip(batch, found, strict=True)
                look()


def _hand_out(worker: Any, left: Iterator[Sequence[SampleRequest]], busy: dict[Any, Sequence[SampleRequest]]) -> None:
    if (batch := next(left, None)) is not None:
        try:
            worker.send(batch)
        except ConnectionError:
            raise SamplerDied(_DIED) from None
        busy[worker] = batch


def _receive(worker: Any) -> list[SampledText]:
    try:
        found = worker.recv()
    except (EOFError, ConnectionError):
        raise SamplerDied(_DIED) from None
    if isinstance(found, str):
        raise SamplerDied(f"a process that samples failed: {found}")
    return list(found)


@contextmanager
def _start_process(make: MakeSampler, number: int) -> Iterator[Connection]:
    """A process; this end of its pipe."""
    context = multiprocessing.get_context("spawn")  # CUDA survives no fork
    here, there = context.Pipe()
    process = context.Process(target=_work, args=(make, number, there), daemon=True)
    process.start()
    there.close()
    try:
        yield here
    finally:
        here.close()
        _end(process)


def _end(process: BaseProcess) -> None:
    process.terminate()  # it may be in the middle of a long generation
    process.join(_ENDING_S)
    if process.is_alive():
        process.kill()
        process.join()


def _work(make: MakeSampler, number: int, pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that writes
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        sampler = make(number)
        while True:
            batch = pipe.recv()
            found = {request.id: text for request, text in sampler.sample(batch)}
            pipe.send([found[request.id] for request in batch])
    except EOFError:
        return  # nothing is left, or who asked is gone
    except Exception as error:  # whatever a model raises: it is said where it can be read
        pipe.send(f"{type(error).__name__}: {error}")
