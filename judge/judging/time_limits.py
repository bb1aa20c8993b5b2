"""Finds the time limit of a package that states none, by the rule of its format (`problems.reading.time_rule`): the
submissions that must be in time decide it.

    package's digest, machine ─► cache ─► known: that
                                   └─► judge each such submission once, the slowest three times ─► the rule ─► cache

It is measured once for each package and machine, whoever asks first, and the log says what came of it. Other load makes
a program slower, never faster: so of several times of a test the least counts.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judge import languages
from judge.common.errors import LanguageError
from judge.common.models import Judgement, Options, Stop, Submission, Verdict
from judge.judging.fingerprint import machine
from judge.judging.labelled import read_label
from judge.store.cache import Cache
from judge.store.recent import Once
from problems.errors import ProblemError
from problems.files.parcel import digest
from problems.files.tree import Tree
from problems.model import SECOND_NS, LabelledSubmission, Problem

if TYPE_CHECKING:
    from problems.reading.time_rule import TimeRule

_log = logging.getLogger(__name__)

#: How long a submission that must not time out may take for one test.
MOST_NS = 60 * SECOND_NS
_REPEATS = 3
_REMEMBERED = 4096

#: Otherwise it is judged as the caller's own submission is: with the same limits of compiles, say.
_MEASURING: dict[str, Any] = {
    "stop": Stop.NEVER,
    "cpu_ns": MOST_NS,
    "memory_bytes": None,
    "language_multiplier": False,
    "confirm_tle": False,
    "at_least": 0.0,
    "at_once": False,
    "efficiency": False,
}

#: Judges a submission of the package under these options.
JudgeOne = Callable[[Submission, Options], Judgement]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLimit:
    cpu_ns: int
    #: What decided it, for people.
    reason: str


class TimeLimits:
    """The time limits of packages that state none. Thread-safe: one thread measures, others wait for it."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._found = Once[TimeLimit](_REMEMBERED)

    def apply(self, problem: Problem, options: Options, judge_one: JudgeOne) -> Problem:
        """The problem, which states no time limit, with the one that its format's rule gives.

        Raises:
            ProblemError: no submission can be measured here, or one that must be in time takes too long.
            Cancelled: the Judge was closed.
        """
        found = self._found.get(problem.directory, lambda: self._find(problem, options, judge_one))
        return replace(problem, limits=replace(problem.limits, cpu_ns=found.cpu_ns))

    def _find(self, problem: Problem, options: Options, judge_one: JudgeOne) -> TimeLimit:
        facts = repr(("time limit", digest(problem.directory), machine()))
        key = hashlib.sha256(facts.encode("utf-8", "surrogateescape")).hexdigest()
        found = self._load(key)
        if found is None:
            measured = measure(problem, options, judge_one)
            with self._cache.lock(key):  # another process may have measured meanwhile: one limit holds for all
                found = self._load(key) or measured
                if found is measured:
                    self._cache.put(key, json.dumps([found.cpu_ns, found.reason]).encode())
        _log.warning(
            "problem %s states no time limit: %g s, %s; --time-limit overrides it",
            problem.name,
            found.cpu_ns / SECOND_NS,
            found.reason,
        )
        return found

    def _load(self, key: str) -> TimeLimit | None:
        if (entry := self._cache.get(key)) is None:
            return None
        cpu_ns, reason = json.loads(entry)
        return TimeLimit(cpu_ns=cpu_ns, reason=reason)


def measure(problem: Problem, options: Options, judge_one: JudgeOne) -> TimeLimit:
    """Raises as `TimeLimits.apply`."""
    from problems.reading.time_rule import bounded_side, read_time_rule  # noqa: PLC0415 - seldom: it loads all readers

    rule = read_time_rule(Tree(problem.directory, problem.name))
    bounding = [one for one in problem.submissions if bounded_side(problem, one) == "lower"]
    if not bounding:
        return TimeLimit(
            cpu_ns=rule.limit_ns(0), reason="the least of its format, for no submission must be in time there"
        )
    _log.warning("problem %s states no time limit: measuring %d submissions", problem.name, len(bounding))
    times: dict[Path, Mapping[str, int]] = {}
    missing: dict[str, str] = {}
    for one in bounding:
        try:
            times[one.path] = _times(problem, one, options, judge_one)
        except LanguageError as error:
            missing[one.path.name] = str(error)
    if not times:
        why = "; ".join(f"{name}: {error}" for name, error in missing.items())
        raise ProblemError(
            f"problem {problem.name} states no time limit, and none of the submissions that decide it can be "
            f"run here ({why}); install a language, or give --time-limit"
        )
    by_path = {one.path: one for one in bounding}
    measured = dict.fromkeys(times, 1)
    while measured[slowest := max(times, key=lambda path: max(times[path].values()))] < _REPEATS:
        again = _times(problem, by_path[slowest], options, judge_one)
        times[slowest] = {name: min(time_ns, again.get(name, time_ns)) for name, time_ns in times[slowest].items()}
        measured[slowest] += 1
    test = max(times[slowest], key=lambda name: times[slowest][name])
    reason = _reason(slowest, test, times[slowest][test], rule)
    if missing:
        reason += "; not measured: " + "; ".join(f"{name}: {error}" for name, error in missing.items())
    return TimeLimit(cpu_ns=rule.limit_ns(times[slowest][test]), reason=reason)


def _reason(path: Path, test: str, time_ns: int, rule: TimeRule) -> str:
    return (
        f"for {path.parent.name}/{path.name} takes {time_ns / SECOND_NS:.3f} s on {test}, times "
        f"{rule.ac_to_time_limit:g} in steps of {rule.resolution_ns / SECOND_NS:g} s, as measured on this machine"
    )


def _times(problem: Problem, one: LabelledSubmission, options: Options, judge_one: JudgeOne) -> Mapping[str, int]:
    """CPU time in ns by test.

    Raises:
        LanguageError: this machine cannot run its language, or its compiler refuses the program, as newer ones do.
        ProblemError: it does not run, or takes too long.
    """
    text = read_label(one, problem.constants)
    languages.get(text.language).find()
    submission = Submission(source=text.source, problem=problem, language=text.language, files=text.files)
    judgement = judge_one(submission, replace(options, **_MEASURING))
    what = (
        f"problem {problem.name} states no time limit, and {one.path.parent.name}/{one.path.name}, which decides it, "
    )
    if judgement.verdict is Verdict.CE:
        said = judgement.compile.output.strip().partition("\n")[0][:200] if judgement.compile else ""
        raise LanguageError(f"{languages.get(text.language).title} here does not compile it: {said}")
    if judgement.verdict is Verdict.IE:
        raise ProblemError(f"{what}cannot be measured: {judgement.error}; mend it, or give --time-limit")
    late = next((test.name for test in judgement.tests if test.verdict is Verdict.TLE), None)
    if late is not None:
        raise ProblemError(f"{what}takes more than {MOST_NS // SECOND_NS} s on {late}; give --time-limit")
    times = {name: taken[0] for name, taken in times_by_test([judgement]).items()}
    return times or {"no test": 0}


def times_by_test(judged: Iterable[Judgement]) -> dict[str, list[int]]:
    """The CPU times in ns that were measured for each test."""
    times: dict[str, list[int]] = {}
    for run in judged:
        for test in run.tests:
            if test.cpu_ns is not None and test.verdict is not Verdict.SK:
                times.setdefault(test.name, []).append(test.cpu_ns)
    return times
