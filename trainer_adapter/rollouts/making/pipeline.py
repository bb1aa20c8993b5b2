"""Judges completions while others are still sampled: the one road from requests to judged rollouts.

Sampler ──► extracted ──► SharedJudge (threads; at most `window` wait) ──► Rollout ──► write
   one thread, the caller's                                  whatever thread knows the verdict
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self

from judge.common.ending import look
from judge.common.models import Judgement
from judge.common.whole import whole
from judge.many.rows import InputRow
from trainer_adapter.rewards.grading import Graded, grade
from trainer_adapter.rewards.shared_judge import RolloutProgram, SharedJudge
from trainer_adapter.rollouts.making.requests import SampledText, Sampler, SampleRequest
from trainer_adapter.rollouts.row import Rollout

#: Completions that may wait for the judge. Then the sampler waits.
WINDOW = 256
#: How often who waits looks whether it is asked to end.
_LOOK_S = 0.2


@dataclass(slots=True, kw_only=True)
class Timing:
    """What was done, and how long it took."""

    rows: int = 0
    accepted: int = 0
    #: Rows without a verdict, for a cause that is not the program's.
    not_judged: int = 0
    #: While the sampler worked.
    generation_s: float = 0.0
    #: While anything was being judged: beside the sampler, as a rule.
    judging_s: float = 0.0
    #: While the sampler waited for the judge.
    waiting_s: float = 0.0
    wall_s: float = 0.0

    def __str__(self) -> str:
        return (
            f"{self.rows} rows, {self.accepted} accepted, {self.not_judged} not judged; generation "
            f"{self.generation_s:.1f} s, judging {self.judging_s:.1f} s, "
            f"{self.waiting_s / max(self.wall_s, 1e-9):.1%} of {self.wall_s:.1f} s spent waiting for the judge"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutJudging:
    """How rollouts are judged, and what is kept of them."""

    language: str
    #: Keep the whole judgement in a row.
    judgements: bool = True
    window: int = WINDOW


def roll_out(
    requests: Iterable[SampleRequest],
    sampler: Sampler,
    judge: SharedJudge,
    write: Callable[[Rollout], object],
    how: RolloutJudging,
) -> Timing:
    """Sample and judge all requests. `write` is called for each rollout, from any thread, never twice at once, and not
    after this has ended.

    Raises:
        What `write` raises; KeyboardInterrupt. What is not written then is lost; the judge may still work on it.
    """
    timing, began_s = Timing(), time.monotonic()
    with ExitStack() as stack:
        judging = stack.enter_context(_Judging(judge, write, how, timing))
        sampled: Any = stack.enter_context(closing(sampler.sample(requests)))  # type: ignore[type-var]
        while True:
            asked_s = time.monotonic()
            found = next(sampled, None)
            timing.generation_s += time.monotonic() - asked_s
            if found is None:
                break
            judging.put(*found)
        judging.finish()
    timing.wall_s = time.monotonic() - began_s
    return timing


class _Judging:
    """The completions that wait for their verdict."""

    def __init__(
        self, judge: SharedJudge, write: Callable[[Rollout], object], how: RolloutJudging, timing: Timing
    ) -> None:
        self._judge, self._write, self._how, self._timing = judge, write, how, timing
        self._changed = threading.Condition(threading.RLock())  # a verdict that is known comes at once
        self._waiting = 0
        self._busy_since_s = 0.0
        self._over = False
        self._error: BaseException | None = None

    def put(self, request: SampleRequest, sampled: SampledText) -> None:
        self._wait_until(self._how.window - 1)
        row = _row(request, sampled, self._judge.settings.template_end)
        if sampled.failure is not None:
            self._finish(row.model_copy(update={"error": f"no completion: {sampled.failure}"}))
            return
        item = InputRow(
            problem=row.problem,
            completion=row.completion,
            prompt=row.prompt,
            template_end=row.template_end,
            language=self._how.language,
        ).item(0, self._how.language)
        row = row.model_copy(update={"language": self._how.language})
        if item.submission is None:  # it holds no program
            self._finish(self._make_rollout(row, item.judgement, item.error))
            return
        tests = request.task.tests
        program = RolloutProgram(
            source=item.submission.source,
            language=item.submission.language,
            task=row.problem if tests is None else hashlib.sha256(tests.encode()).hexdigest(),
            tests=tests,
        )
        with self._changed:
            if not self._waiting:
                self._busy_since_s = time.monotonic()
            self._waiting += 1
        verdict, _ = self._judge.grade(program, _whole, all_tests=self._judge.all_tests)
        verdict.add_done_callback(lambda future: self._on_landed(row, future.result()))

    def _on_landed(self, row: Rollout, graded: Graded) -> None:
        with self._changed:
            self._finish(self._make_rollout(row, graded.judgement, graded.failure))
            self._waiting -= 1
            if not self._waiting:
                self._timing.judging_s += time.monotonic() - self._busy_since_s
            self._changed.notify_all()

    def _make_rollout(self, row: Rollout, judgement: Judgement | None, failure: str | None) -> Rollout:
        if judgement is None or failure is not None:
            return row.model_copy(update={"verdict": judgement and judgement.verdict, "error": failure})
        found: dict[str, Any] = {"verdict": judgement.verdict, "score": judgement.score}
        if self._how.judgements:
            found["judgement"] = judgement.as_dict() | {"id": row.id, "problem": row.problem}
        return row.model_copy(update=found)

    def _finish(self, row: Rollout) -> None:
        with self._changed:
            if self._over or self._error is not None:
                return  # after a failed write the last line may be torn: nothing may follow it
            try:
                self._write(row)
            except BaseException as error:
                self._error = error
                if not isinstance(error, Exception):
                    raise
                return
            self._timing.rows += 1
            self._timing.accepted += row.accepted
            self._timing.not_judged += not row.judged

    def _wait_until(self, most: int) -> None:
        """Until at most so many wait. A judge of which nothing comes any more is given up."""
        began_s = time.monotonic()
        with self._changed:
            while self._waiting > most and self._error is None:
                look()
                if not self._changed.wait(min(_LOOK_S, self._judge.left_s())) and not self._judge.left_s():
                    self._judge.give_up()
            if self._error is not None:
                raise self._error
        self._timing.waiting_s += time.monotonic() - began_s

    def finish(self) -> None:
        self._wait_until(0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        with self._changed:
            self._over = True


def _whole(judgement: Judgement) -> Graded:
    return replace(grade(judgement), judgement=judgement)


def _row(request: SampleRequest, sampled: SampledText, template_end: str) -> Rollout:
    return Rollout(
        id=request.id,
        problem=request.task.problem,
        sample=request.sample,
        difficulty=request.task.difficulty,
        tags=request.task.tags,
        prompt=request.task.prompt,
        completion=whole(sampled.text),
        template_end=template_end,
        truncated=sampled.truncated,
        tokens=sampled.tokens,
    )
