"""Lists the problems of a data set that need a checker, and says why.

Some hazards say so (`trainer_adapter.data.hazards`): what the statement allows, one input with two answers, decimal
numbers. Others show when the reference programs of a row run: one passes all tests, and the tests refuse what another
one writes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from judge import Judge
from judge.common.models import Options, Stop, Submission, Verdict
from problems import ProblemError
from trainer_adapter.data.build import candidates
from trainer_adapter.data.candidate import Candidate
from trainer_adapter.data.config import DataConfig
from trainer_adapter.data.hazards import ABOUT, Does, Hazard
from trainer_adapter.data.inline_problems import InlineProblems
from trainer_adapter.data.report import Report

_HAZARDS = (
    Hazard.SEVERAL_ANSWERS,
    Hazard.ANY_ORDER,
    Hazard.UNORDERED_RESULT,
    Hazard.TWO_ANSWERS,
    Hazard.DECIMAL,
)
_DIFFER = "right programs differ: the tests take what one writes, and refuse what another one writes"


@dataclass(slots=True, kw_only=True)
class CheckersNeeded:
    """What was found in a data set."""

    problems: int = 0
    #: Problems with at least two reference programs, which were run.
    compared: int = 0
    #: Why each problem needs a checker, by its name.
    needs: dict[str, list[str]] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {"problems": self.problems, "compared": self.compared, "needs": self.needs}

    def lines(self) -> Iterator[str]:
        yield (
            f"checkers: {len(self.needs)} of {self.problems} problems need one; reference programs of {self.compared} "
            "were compared"
        )
        for name, reasons in self.needs.items():
            yield f"  {name}: {'; '.join(reasons)}"


def list_needed(
    config: DataConfig, judge: Judge, tell: Callable[[int, int], None] = lambda compared, problems: None
) -> CheckersNeeded:
    """Look at every problem, and run the references of the first `config.most_references` that have two.

    Raises:
        DataError, ProblemError: the source cannot be read.
    """
    found, inline = CheckersNeeded(), InlineProblems()
    everything = config.model_copy(update={"store": None, "hazards": dict.fromkeys(Hazard, Does.KEEP)})
    try:
        for candidate in candidates(everything, Report(source=config.source)):
            found.problems += 1
            reasons = [ABOUT[hazard].reason for hazard in candidate.hazards if hazard in _HAZARDS]
            several = candidate.inline is not None and candidate.inline.checker is None and len(candidate.solutions) > 1
            if several and (config.most_references is None or found.compared < config.most_references):
                found.compared += 1
                reasons += [_DIFFER] if _differ(judge, inline, candidate) else []
            if reasons:
                found.needs[candidate.name] = reasons
            tell(found.compared, found.problems)
    finally:
        inline.close()
    return found


def _differ(judge: Judge, inline: InlineProblems, candidate: Candidate) -> bool:
    """Whether some reference is accepted, and the output of another one is refused."""
    if candidate.inline is None:
        return False
    tests = candidate.inline.pack()
    name = hashlib.sha256(tests.encode()).hexdigest()
    problem = inline.take(name, tests)
    rows = [
        Submission(source=source.encode("utf-8", "replace"), problem=problem, language=language)
        for language, source in candidate.solutions
    ]
    try:
        verdicts = {one.verdict for one in judge.judge_many(rows, Options(stop=Stop.FIRST_FAILURE))}
    except ProblemError:  # of this problem alone
        return False
    finally:
        inline.give_back(name)
    return Verdict.AC in verdicts and not verdicts.isdisjoint({Verdict.WA, Verdict.PE})
