"""Reads how a package derives its time limit from the times of submissions (2025-09, "Timelimit inference")."""

from __future__ import annotations

import math
from dataclasses import dataclass

from problems.files.tree import Tree
from problems.files.yamlfile import read_map
from problems.model import SECOND_NS, LabelledSubmission, Problem
from problems.reading.package import read_metadata
from problems.reading.submissions import must_time_out


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRule:
    ac_to_time_limit: float = 2.0
    time_limit_to_tle: float = 1.5
    resolution_ns: int = SECOND_NS

    def limit_ns(self, slowest_ns: int) -> int:
        """The limit for a slowest test of all submissions that must be in time; 0: there is none."""
        steps: int = math.ceil(slowest_ns * self.ac_to_time_limit / self.resolution_ns)
        return max(1, steps) * self.resolution_ns


#: Why a submission bounds no time limit in version `legacy`.
NOT_ACCEPTED = "is not accepted"
#: What version `legacy` does, unless problem.yaml states otherwise.
LEGACY_RULE = TimeRule(ac_to_time_limit=5.0, time_limit_to_tle=2.0)


def read_time_rule(tree: Tree) -> TimeRule:
    """What problem.yaml states, else what its version of the format does.

    Raises:
        ProblemError: problem.yaml cannot be read.
    """
    version = read_metadata(tree).version  # it checks the values, too
    limits = read_map(tree, tree.root / "problem.yaml").get("limits") or {}
    if version == "legacy":
        return TimeRule(
            ac_to_time_limit=float(limits.get("time_multiplier") or LEGACY_RULE.ac_to_time_limit),
            time_limit_to_tle=float(limits.get("time_safety_margin") or LEGACY_RULE.time_limit_to_tle),
        )
    stated = limits.get("time_multipliers") or {}
    return TimeRule(
        ac_to_time_limit=float(stated.get("ac_to_time_limit", 2)),
        time_limit_to_tle=float(stated.get("time_limit_to_tle", 1.5)),
        resolution_ns=max(1, round(float(limits.get("time_resolution") or 1) * SECOND_NS)),
    )


def bounded_side(problem: Problem, submission: LabelledSubmission) -> str:
    """Which side of the time limit a submission bounds ("lower", "upper"), or why none. In version `legacy` only
    accepted ones bound it from below."""
    if submission.use_for_time_limit is not True:
        return submission.use_for_time_limit or "use_for_time_limit: false"
    if must_time_out(submission):
        return "upper"
    if "CE" in submission.expected or submission.language == "outputs":
        return "does not run"
    if problem.format == "legacy" and "AC" not in submission.expected:
        return NOT_ACCEPTED
    return "may time out or not" if "TLE" in submission.expected else "lower"
