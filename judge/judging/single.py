"""Runs a submission once on a test that is no conversation, and says what it did by itself."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

from containers import Termination
from judge.judging import limits
from judge.judging.job import Job, Step, classify_test, need, spec
from judge.judging.trial import is_doubtful
from judge.ruling.classify import Allowed
from problems.model import TestCase


def run(
    job: Job, case: TestCase, stdin: int | None, state: Mapping[str, bytes] | None = None, *, alone: bool = False
) -> Step:
    """`state`: as for `need`. A limit of output is no demand for memory: a run reserves `KEPT_BYTES` for its output. A
    program that writes more, and may, runs again with room for it. That run counts only if it begins with the same.

    Raises:
        SandboxError: the sandbox failed.
    """
    allowed = limits.limits_of(case.limits or job.problem.limits, job.language, job.options, idle=job.idle)
    first = limits.with_kept_output(allowed)
    step = _run(job, case, first, stdin, state, alone=alone)
    if first == allowed or step.outcome.termination is not Termination.OUTPUT_LIMIT:
        return step
    if stdin is not None:
        os.lseek(stdin, 0, os.SEEK_SET)
    again = _run(job, case, _widest(job, case, allowed, first, state), stdin, state, alone=alone)
    return again if again.outcome.stdout.startswith(step.outcome.stdout) else step


def _widest(job: Job, case: TestCase, allowed: Allowed, first: Allowed, state: Mapping[str, bytes] | None) -> Allowed:
    """As much output as is allowed, and as the memory budget has room for."""
    widest = first
    while widest.output_bytes < allowed.output_bytes:
        wider = replace(widest, output_bytes=min(2 * widest.output_bytes, allowed.output_bytes))
        if need(job, case, wider, state) > job.slot.gate.memory_bytes:
            break
        widest = wider
    return widest


def _run(
    job: Job,
    case: TestCase,
    allowed: Allowed,
    stdin: int | None,
    state: Mapping[str, bytes] | None,
    *,
    alone: bool,
) -> Step:
    with job.slot.gate.enter(job.slot.share, need(job, case, allowed, state), alone=alone) as company:
        cpu_ns = job.cpu_limit_ns(allowed, alone=alone)
        outcome = job.slot.program.run_inside(spec(job, case, allowed, cpu_ns, stdin), company)
    own = classify_test(job, case, outcome, allowed)
    return Step(outcome=outcome, own=own, doubtful=is_doubtful(outcome, own, allowed, company))
