"""Who wants to hear of a judgement while it is made."""

from __future__ import annotations

from typing import Protocol

from judge.common.models import CompileResult, TestResult


class Watch(Protocol):
    """Called by the thread that judges, which waits meanwhile. If the sandbox fails, judging begins anew, and so do the
    calls."""

    def on_compiled(self, result: CompileResult, tests: int) -> None:
        """Called once the program was compiled, or refused. `tests`: how many run if it compiled."""

    def on_tested(self, result: TestResult, *, sample: bool) -> None:
        """A test was run. The scores of its group, and the verdict, are not known yet."""
