"""The interface to what judges for a `Judge`: the cores of this machine (`judge.many.machine`), or several machines."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from containers import Isolation
    from judge.common.execution import Execution, Program
    from judge.common.models import Judgement, Options, Submission
    from judge.judging.watch import Watch


class Executor(Protocol):
    """Judges submissions in the background. Thread-safe. It may judge a submission again, but answers it once."""

    @property
    def slots(self) -> int:
        """How many submissions it judges at once now."""

    @property
    def isolation(self) -> Isolation:
        """The walls that every run gets.

        Raises:
            Unavailable: the machine does not grant what was asked for.
        """

    def submit(self, submission: Submission, options: Options, watch: Watch | None = None) -> Future[Judgement]:
        """Judge one submission in the background, unless somebody cancels the future before it begins. `watch` hears of
        its tests, where the executor can tell.

        The future raises JudgeError or ProblemError (it cannot be judged at all), Unavailable (nothing can) or
        Cancelled.

        Raises:
            Cancelled: the executor was closed.
        """

    def execute(self, program: Program) -> Future[Execution]:
        """Run a program without a problem in the background. The future raises as that of `submit`.

        Raises:
            ConfigError: this executor has no place for it.
            Cancelled: the executor was closed.
        """

    def stop(self, future: Future[Any]) -> bool:
        """As `Judge.stop`."""

    def close(self) -> None:
        """Stop what runs, and free everything. Submissions not yet judged raise `Cancelled`. Idempotent."""
