"""A judgement while it is made."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from judge.common.models import CompileResult, TestResult
from judge.judging.public import hide_result

_Now = tuple[CompileResult | None, int, list[tuple[TestResult, bool]]]


@dataclass(slots=True)
class Live:
    """The `Watch` of one judgement. One thread writes, and any reads."""

    #: The compile, how many tests there are, and those that were run, with whether each is a sample.
    _now: _Now = field(default_factory=lambda: (None, 0, []))
    #: When the compile ended, and each test, by its name: ns since the epoch.
    compiled_ns: int | None = None
    tested_ns: dict[str, int] = field(default_factory=dict)

    def on_compiled(self, result: CompileResult, tests: int) -> None:
        self._now = result, tests, []
        self.compiled_ns, self.tested_ns = time.time_ns(), {}

    def on_tested(self, result: TestResult, *, sample: bool) -> None:
        self._now[2].append((result, sample))
        self.tested_ns[result.name] = time.time_ns()

    @property
    def compile(self) -> CompileResult | None:
        return self._now[0]

    @property
    def count(self) -> int:
        """How many tests there are."""
        return self._now[1]

    def tests(self, *, hide: bool) -> Sequence[TestResult]:
        """Those that were run. `hide`: without what would reveal hidden tests."""
        return [hide_result(test) if hide and not sample else test for test, sample in list(self._now[2])]
