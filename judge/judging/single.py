"""Runs a submission once on a test that is no conversation, and says what it did by itself."""

from __future__ import annotations

from collections.abc import Mapping

from containers import SandboxError
from judge.common.models import Verdict
from judge.judging.job import Job, Step, need, spec
from judge.judging.limits import limits_of
from judge.ruling.classify import SLACK, classify, doubtful
from problems.model import TestCase


def run(
    job: Job, case: TestCase, stdin: int | None, state: Mapping[str, bytes] | None = None, *, alone: bool = False
) -> Step:
    """`state`: as for `need`.

    Raises:
        SandboxError: the sandbox failed.
    """
    allowed = limits_of(case.limits or job.problem.limits, job.language, job.options)
    enter = job.slot.gate.exclusive if alone else job.slot.gate.shared
    with enter(job.slot.share, need(job, case, allowed, state)) as company:
        # Above the limit, because other runs may begin at any time: `doubtful` needs the CPU time up to SLACK.
        cpu_ns = allowed.cpu_ns if alone else int(allowed.cpu_ns * SLACK)
        outcome = job.slot.program.run_inside(spec(job, case, allowed, cpu_ns, stdin))
    compiled = job.program.executable is not None
    ruling = classify(outcome, allowed, out_of_memory=job.language.out_of_memory, compiled=compiled)
    if ruling is not None and ruling.verdict is Verdict.IE:
        raise SandboxError(f"test {case.name}: {ruling.detail}")
    crowded = not alone and (company.crowded or outcome.disturbed)
    return Step(outcome=outcome, own=ruling, doubtful=doubtful(outcome, ruling, allowed, crowded=crowded))
