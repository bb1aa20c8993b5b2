"""Compares the CPU time of an accepted submission with that of its package's accepted submissions. They run in turn on
the same slot: what else the machine does meets both.

Of the package's, those in the submission's language family count, where there are any. The fastest is found on the test
on which the submission took longest. Then both run there in turn, and the least time of each counts: a neighbour can
only add to it. A run counts if its output is accepted: a program cannot gain by leaving out its work at times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from itertools import islice

from containers import Unsupported
from judge.common.errors import ConfigError, LanguageError, SourceError
from judge.common.models import AS_FAST, WITHIN_TWICE, TestResult, Verdict
from judge.judging import single
from judge.judging.accepted import Compile, find_accepted
from judge.judging.checking import check_output
from judge.judging.job import Attempt, Job, output_of
from problems.model import TestCase

#: At most `_MOST_RIVALS` of the package's submissions are tried.
_MOST_RIVALS = 4
#: Both run so often; more often while what is left of a doubt could change the class.
_TURNS, _MOST_TURNS = 5, 15
#: The most runs of one comparison.
MOST_RUNS = _MOST_RIVALS + 2 * _MOST_TURNS
#: So near to a bound between classes is a doubt.
_NEAR = 0.1
#: Added to both times, in ns: of programs that take less, the start of a process decides.
_START_NS = 10_000_000

#: Opens the input of a test; None: the program reads it from a file.
OpenInput = Callable[[Job, TestCase], AbstractContextManager[int | None]]


def compare_speed(
    job: Job, results: Mapping[str, TestResult], compile_: Compile, open_input: OpenInput
) -> float | None:
    """The submission's CPU time, as a multiple of the fastest one's. None: nothing can be compared.

    Raises:
        SandboxError: the sandbox failed.
    """
    if job.interactor is not None or job.manager is not None or job.problem.passes > 1 or not job.problem.cases:
        return None
    case = max(job.problem.cases, key=lambda each: results[each.name].cpu_ns or 0)

    def measure_run(one: Job) -> int | None:
        """Its CPU time; None: it was not accepted."""
        with open_input(one, case) as stdin:
            step = single.run(one, case, stdin)
        if step.own is None:
            output = output_of(one, Attempt(outcome=step.outcome, ruling=None, doubtful=False))
            ruling, _ = check_output(one.problem, one.checkers, one.slot, case, output, lambda *_: True)
        one.slot.share.release()
        return step.outcome.usage.cpu_ns if step.own is None and ruling.verdict is Verdict.AC else None

    job.slot.share.release()  # a compile must not wait while we hold memory
    with ExitStack() as programs:
        rivals = [
            (took, one) for one in _compile_rivals(job, compile_, programs) if (took := measure_run(one)) is not None
        ]
        if not rivals:
            return None
        least, fastest = min(rivals, key=lambda rival: rival[0])
        own = results[case.name].cpu_ns or least
        for turn in range(_MOST_TURNS):
            own, least = min(own, measure_run(job) or own), min(least, measure_run(fastest) or least)
            found = (own + _START_NS) / (least + _START_NS)
            if turn + 1 >= _TURNS and all(abs(found / bound - 1) > _NEAR for bound in (AS_FAST, WITHIN_TWICE)):
                break
    return round(found, 4)


def _compile_rivals(job: Job, compile_: Compile, programs: ExitStack) -> Iterator[Job]:
    """The package's accepted submissions, compiled. `programs` closes them."""
    accepted = list(find_accepted(job.problem))
    alike = [one for one in accepted if one[1].family == job.language.family]
    for labelled, found in islice(alike or accepted, _MOST_RIVALS):
        language = found.compiled_under(*job.options.compile_limits)
        try:
            _, compiled = compile_(labelled.source, labelled.files, language, job.problem, job.slot)
        except (SourceError, LanguageError, ConfigError, Unsupported):
            continue
        if compiled.program is not None:
            yield replace(job, program=programs.enter_context(compiled.program), language=language, may_repeat=False)
