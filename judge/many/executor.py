"""Where a `Judge` has submissions judged: the cores of this machine (`judge.many.local`), or more machines than one."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Protocol

from containers import Isolation
from judge.common.models import Judgement, Options, Submission


class Executor(Protocol):
    """Thread-safe. Judging is idempotent: an executor may do a submission again, and answers it once."""

    @property
    def slots(self) -> int:
        """How many submissions at once, as of now."""

    @property
    def isolation(self) -> Isolation:
        """The walls that every run gets.

        Raises:
            Unavailable: what was asked for is not granted.
        """

    def submit(self, submission: Submission, options: Options) -> Future[Judgement]:
        """Judge one submission in the background, if nobody cancels the future before it has begun.

        The future raises JudgeError or ProblemError (it cannot be judged at all), Unavailable (nothing can) or
        Cancelled.

        Raises:
            Cancelled: the executor was closed.
        """

    def close(self) -> None:
        """Stop what runs, and give everything back. Submissions not yet judged raise `Cancelled`. Idempotent."""
