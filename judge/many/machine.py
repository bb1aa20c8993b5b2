"""Judges submissions on all cores of this machine, in as many processes as that takes.

    submit ──known────────────────────────────────────────────────► Future
       ├──► LocalExecutor            this process: a few slots; the first submissions; what is no submission
       └──► Driver ──► workers       one for each `SLOTS_EACH` slots, started when several submissions come at once

One interpreter drives a few busy slots; on more cores its lock is the bottleneck. So above `FEW_SLOTS` worker processes
judge. They are nodes as those of a cluster are (`judge.many.cluster`). The memory budget, and the time in which a run
is alone, are those of the whole machine (`judge.slots.arbiter`).
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from containers import Isolation
from judge.common.errors import Cancelled
from judge.common.models import Judgement, Options, Submission
from judge.judging.watch import Watch
from judge.many.local import LocalExecutor
from judge.slots.budget import Part, budget, split
from judge.slots.capacity import Slots, available

if TYPE_CHECKING:
    from judge.common.execution import Execution, Program
    from judge.many.cluster.driver import Driver

#: One process drives `FEW_SLOTS` slots well; each worker drives `SLOTS_EACH` (benchmarks/slots.py).
FEW_SLOTS, SLOTS_EACH = 4, 2
#: `_FIRST` submissions at once are judged here before workers are started: a single one does not wait for that.
_FIRST = 2


class MachineExecutor:
    """The `Executor` of this machine. It starts nothing before there is work."""

    def __init__(
        self,
        slots: int | None,
        backend: str,
        require: str | None,
        cache_directory: Path | None,
        memory_bytes: int | None = None,
    ) -> None:
        """
        Raises:
            ConfigError: the cache directory cannot be used, or so many slots leave no memory for programs.
        """
        grants = available(memory_bytes)
        self.slots = slots or grants.count
        self.budget = budget(memory_bytes, self.slots, grants, count_workers(self.slots, grants))
        self._how = backend, require, cache_directory
        self._cores = grants.cores
        whole = Part(
            slots=self.slots,
            cores=grants.cores,
            programs_bytes=self.budget.programs_bytes,
            inputs_bytes=self.budget.inputs_bytes // (self.budget.workers + 1),
            held=self.budget.held,
            spares=self.budget.spares,
        )
        self.here = LocalExecutor(whole, *self._how)
        self._lock = threading.Lock()
        self._driver: Driver | None = None
        #: What is judged here.
        self._first = 0
        self._closed = False

    @property
    def isolation(self) -> Isolation:
        return self.here.isolation

    def submit(self, submission: Submission, options: Options, watch: Watch | None = None) -> Future[Judgement]:
        if not self.budget.workers:
            return self.here.submit(submission, options, watch)
        if (known := self.here.find_known(submission, options)) is not None:
            future = Future[Judgement]()
            future.set_result(known)
            return future
        return self._begin(
            lambda: self.here.submit(submission, options, watch),
            lambda driver: driver.submit(submission, options, watch),
        )

    def execute(self, program: Program) -> Future[Execution]:
        if not self.budget.workers:
            return self.here.execute(program)
        return self._begin(lambda: self.here.execute(program), lambda driver: driver.submit(program, Options()))

    def _begin(self, here: Callable[[], Future[Any]], there: Callable[[Driver], Future[Any]]) -> Future[Any]:
        with self._lock:
            if self._closed:
                raise Cancelled
            driver = self._driver
            is_first = driver is None and self._first < _FIRST
            if is_first:
                self._first += 1
            elif driver is None:
                driver = self._driver = self._start()
        if driver is not None:
            return there(driver)
        try:
            future = here()
        except BaseException:
            self._end_first()
            raise
        future.add_done_callback(lambda _: self._end_first())
        return future

    def _end_first(self) -> None:
        with self._lock:
            self._first -= 1

    def _start(self) -> Driver:
        from judge.many.cluster.driver import Driver  # noqa: PLC0415 - few slots need none of it
        from judge.many.cluster.node import NodeSettings, own_version  # noqa: PLC0415
        from judge.many.cluster.processes import ProcessFleet  # noqa: PLC0415

        backend, require, cache_directory = self._how
        settings = [
            NodeSettings(
                slots=part.slots,
                backend=backend,
                require=require,
                cache_directory=cache_directory,
                version=own_version(),
                part=part,
            )
            for part in split(self.budget, self._cores)
        ]
        return Driver(
            partial(ProcessFleet, settings, self.budget.programs_bytes, self.here.gate, self.here.engine.learn)
        )

    def stop(self, future: Future[Any]) -> bool:
        if future.cancel() or future.done():
            return True
        driver = self._driver
        return self.here.stop(future) or (driver is not None and driver.stop(future))

    def close(self) -> None:
        with self._lock:
            self._closed = True
            driver = self._driver
        if driver is not None:
            driver.close()
        self.here.close()


def count_workers(slots: int, grants: Slots) -> int:
    """How many worker processes drive so many slots; 0: this process does."""
    workers = min(math.ceil(slots / SLOTS_EACH), grants.cores)
    return 0 if slots <= FEW_SLOTS or workers < 2 else workers
