"""Runs the graders that a package brings for its groups of tests (version legacy, "Graders").

prog [arguments] < lines     each line the verdict (AC WA TLE RTE) and the points of a case, or of a group in it
                 > line      verdict and points of the group
"""

from __future__ import annotations

from collections.abc import Sequence

from containers import Termination
from judge.checkers.program import compile_files, run_limits
from judge.common.errors import CheckerError
from judge.common.models import CompileLimits, Verdict
from judge.compiling.compiler import Compiler
from judge.ruling.scoring import Grade
from judge.slots.slot import Slot
from judge.store.inputs import stream
from problems.model import Group, Problem, Program

_WORDS = {Verdict.AC: "AC", Verdict.TLE: "TLE", **dict.fromkeys((Verdict.WA, Verdict.PE), "WA")}
_OTHER = "RTE"


def grades(problem: Problem, compiler: Compiler, slot: Slot, limits: CompileLimits) -> Grade | None:
    """What grades the groups; None: no group has a grader. It raises CheckerError where one fails."""
    if all(group.grader is None for group in problem.groups):
        return None

    known: dict[tuple[str, str], float] = {}

    def grade(group: Group, results: Sequence[tuple[Verdict, float]]) -> float:
        if group.grader is None:
            raise ValueError(f"group {group.name} has no grader")
        lines = "".join(f"{_WORDS.get(verdict, _OTHER)} {points!r}\n" for verdict, points in results)
        if (group.name, lines) not in known:
            verdict, points = _parse_grade(_run(group.grader, lines, compiler, slot, limits), group)
            if verdict == "AC" and not group.least <= points <= group.points:
                has = f"{group.least:g} to {group.points:g}"
                raise CheckerError(f"the grader gives {points:g} points to {group.name}, which has {has}")
            known[group.name, lines] = points / group.points if verdict == "AC" and group.points > 0 else 0.0
        return known[group.name, lines]

    return grade


def _run(spec: Program, lines: str, compiler: Compiler, slot: Slot, limits: CompileLimits) -> bytes:
    with (
        compile_files(spec, compiler, slot.checker, what="grader", limits=limits) as program,
        stream(lines.encode()) as stdin,
    ):
        outcome = slot.checker.run(program.spec(arguments=spec.arguments, stdin=stdin, limits=run_limits(spec)))
    if outcome.termination is not Termination.EXITED or outcome.exit_code != 0:
        said = outcome.stderr[:1000].decode("utf-8", "replace")
        raise CheckerError(f"the grader {spec.sources[0].name} failed: {said or outcome.termination.value}")
    return outcome.stdout


def _parse_grade(output: bytes, group: Group) -> tuple[str, float]:
    words = output[:1000].decode("utf-8", "replace").split()
    try:
        verdict, points = words
        if verdict in ("AC", "WA", "TLE", "RTE"):
            return verdict, float(points)
    except ValueError:
        pass
    raise CheckerError(f"the grader printed {' '.join(words)[:80]!r} for {group.name}; it must print 'AC 12.5', say")
