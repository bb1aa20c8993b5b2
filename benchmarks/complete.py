"""What `judge problems complete` proves of problems whose checker is hidden from it, and whether that is true.

    python benchmarks/complete.py [PROBLEM …] [--package DIR …] [--mutants N] [--json FILE]

Each problem is copied without its checker: outputs are compared token by token there. A part of its labelled programs
is left out of the copy, too (every third of the right ones beyond two, and every second of the wrong ones). What comes
back is a package with a checker and tests. Then the true checker decides which of these programs, and of new mutants
of right ones, are right, on the tests of both packages; and the found one is measured by that:

true positives     right programs that the completed package accepts; at least 98 %
true negatives     wrong programs that it refuses; at least 95 %

Programs that end badly say nothing of a checker and are left out. A proof that does not hold is a wrong proof: exit
status 1. --package names directories in which packages of the ICPC format lie, at any depth.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

import problems
from judge import Judge, LanguageError, Options, Submission, Verdict, languages
from judge.common.models import Stop
from judge.many.strength.compare import rows
from judge.many.strength.complete import Wanted, complete
from judge.many.strength.measure import Effort
from problems import Comparison, Problem, ProblemError
from problems.strength.mutants import FAMILIES, mutants, sample
from problems.writing.write import write

CONSOLE = Console(stderr=True)
LEAST_POSITIVES, LEAST_NEGATIVES = 0.98, 0.95
#: Mutants that measure a proof; another seed than the command's.
MUTANTS, SEED = 60, 20_000
UNSTATED_NS = 5 * 10**9
ENDED_WELL = {Verdict.AC, Verdict.WA, Verdict.PE, Verdict.PC}


@dataclass(frozen=True, kw_only=True)
class Outcome:
    problem: str
    proved: bool
    reason: str | None
    checker: str | None
    #: What the package itself judges with.
    hidden: str
    right: int = 0
    right_accepted: int = 0
    wrong: int = 0
    wrong_refused: int = 0
    seconds: float = 0.0

    @property
    def holds(self) -> bool:
        """Whether nothing false is said."""
        positives = self.right_accepted >= LEAST_POSITIVES * self.right
        return not self.proved or (positives and self.wrong_refused >= LEAST_NEGATIVES * self.wrong)


def hide_checker(problem: Problem) -> Problem:
    """The problem as one that lacks its checker, and some of its programs."""
    right = [one for one in problem.submissions if one.expected == {"AC"}]
    wrong = [one for one in problem.submissions if "AC" not in one.expected]
    kept = [one for index, one in enumerate(right) if index < 2 or index % 3 != 2] + wrong[::2]
    return replace(
        problem,
        checker=Comparison(),
        cases=tuple(replace(case, checker=None) for case in problem.cases),
        output_trials=(),
        submissions=tuple(one for one in problem.submissions if one in kept or one.path == problem.solution),
    )


def state_limit(problem: Problem) -> Problem:
    """The problem with a time limit, where its package states none: it would be measured for each copy."""
    unstated = tuple(name for name in problem.unstated if name != "cpu_ns")
    limits = problem.limits if unstated == problem.unstated else replace(problem.limits, cpu_ns=UNSTATED_NS)
    return replace(problem, limits=limits, unstated=unstated)


def judge_rows(judge: Judge, programs: Sequence[Submission], problem: Problem) -> list[Verdict]:
    asked = [replace(one, problem=problem, id=str(index)) for index, one in enumerate(programs)]
    said = {
        one.id: one.verdict for one in judge.judge_many(asked, Options(stop=Stop.FIRST_FAILURE, verdict_cache=True))
    }
    return [said[str(index)] for index in range(len(asked))]


def list_programs(judge: Judge, problem: Problem) -> list[Submission]:
    """The labelled programs, and mutants of the right ones that `complete` may not have seen."""
    labelled = rows(judge, problem)
    origins = [
        row
        for expected, row in labelled
        if expected == {"AC"} and not row.files and languages.get(row.language).family in FAMILIES
    ]
    made = [
        one
        for row in origins
        for one in mutants(row.source, languages.get(row.language).family, row.id or "", row.language)
    ]
    chosen = sample(made, MUTANTS, SEED)
    return [row for _, row in labelled] + [
        Submission(source=one.source, problem=problem, language=one.language) for one in chosen
    ]


def measure_proof(judge: Judge, true: Problem, completed: Path, programs: Sequence[Submission]) -> dict[str, int]:
    """Right and wrong programs by the true checker, on the tests of both packages; and what the found one says."""
    found = problems.load(completed)
    both = replace(found, checker=true.checker, output_trials=())
    here, there, said = (judge_rows(judge, programs, one) for one in (true, both, found))
    counts = dict.fromkeys(("right", "right_accepted", "wrong", "wrong_refused"), 0)
    for ours, theirs, verdict in zip(here, there, said, strict=True):
        if not {ours, theirs, verdict} <= ENDED_WELL:
            continue
        right = ours is theirs is Verdict.AC
        counts["right" if right else "wrong"] += 1
        counts["right_accepted"] += right and verdict is Verdict.AC
        counts["wrong_refused"] += not right and verdict is not Verdict.AC
    return counts


def measure_one(judge: Judge, reference: str | Path, effort: Effort) -> Outcome:
    began = time.monotonic()
    true = state_limit(problems.load(reference))
    hidden = true.checker.mode if isinstance(true.checker, Comparison) else "program"
    with tempfile.TemporaryDirectory(prefix="judge-bench-") as name:
        copy, completed = Path(name) / true.name, Path(name) / "completed"
        write(hide_checker(true), copy)
        found = complete(judge, copy, completed, Wanted(effort=effort))
        counts: dict[str, int] = {}
        if found.reason is None:
            counts = measure_proof(judge, true, completed, list_programs(judge, true))
    return Outcome(
        problem=true.name,
        proved=found.reason is None,
        reason=found.reason,
        checker=None if found.proposal is None else found.proposal.name,
        hidden=str(hidden),
        seconds=round(time.monotonic() - began, 1),
        **counts,
    )


def find_packages(directories: Sequence[Path]) -> Iterator[Path]:
    for directory in directories:
        for path in sorted(directory.rglob("problem.yaml")):
            if (path.parent / "submissions").is_dir():
                yield path.parent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", help="names of the library (default: all, unless --package)")
    parser.add_argument("--package", type=Path, action="append", default=[], metavar="DIR")
    parser.add_argument("--mutants", type=int, default=Wanted().effort.mutants)
    parser.add_argument("--json", type=Path, metavar="FILE", help="one line for each problem, as it is done")
    options = parser.parse_args()
    references: list[str | Path] = [*options.problems, *find_packages(options.package)]
    references = references or list(problems.names())
    effort = replace(Wanted().effort, mutants=options.mutants, unvalidated=True)
    outcomes: list[Outcome] = []
    skipped: dict[str, str] = {}
    with Judge() as judge:
        for reference in references:
            try:
                one = measure_one(judge, reference, effort)
            except (ProblemError, LanguageError) as error:
                skipped[str(reference)] = str(error)
                CONSOLE.print(f"{reference}: left out: {error}", markup=False)
                continue
            outcomes.append(one)
            CONSOLE.print(asdict(one), markup=False)
            if options.json:
                with options.json.open("a") as file:
                    file.write(json.dumps(asdict(one)) + "\n")
    print_summary(outcomes, skipped)
    return 0 if all(one.holds for one in outcomes) else 1


def print_summary(outcomes: Sequence[Outcome], skipped: dict[str, Any]) -> None:
    proved = [one for one in outcomes if one.proved]
    print(f"{len(outcomes)} problems, {len(skipped)} left out: {len(proved)} proved, of which", end=" ")
    print(f"{sum(one.holds for one in proved)} hold; {len(outcomes) - len(proved)} cannot be proved")
    print("| problem | hidden | found | right accepted | wrong refused | s |\n|---|---|---|---|---|---|")
    for one in outcomes:
        said = one.checker if one.proved else f"cannot be proved: {one.reason}"
        rates = f"{one.right_accepted} of {one.right} | {one.wrong_refused} of {one.wrong}" if one.proved else "– | –"
        print(f"| {one.problem} | {one.hidden} | {said} | {rates} | {one.seconds:.0f} |")


if __name__ == "__main__":
    sys.exit(main())
