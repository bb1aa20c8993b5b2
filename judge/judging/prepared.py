"""Prepares problems for judging, once in the life of a Judge: loads them, lists generated tests, finds prose tests."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import problems
import problems.model
from judge.checkers.interactor import Interactor, build_interactor
from judge.checkers.manager import Manager, build_manager
from judge.checkers.program import ProgramChecker, build
from judge.common.models import Cjk, DroppedTest, Options, key_of
from judge.compiling.compiler import Compiler
from judge.judging.fingerprint import facts
from judge.judging.time_limits import JudgeOne, TimeLimits
from judge.ruling.scoring import does_count
from judge.slots.slot import Slot
from judge.store.cache import Cache
from judge.store.recent import Once
from problems.errors import ProblemError
from problems.model import Comparison, Convention, Problem, Program, TestCase

if TYPE_CHECKING:
    from judge.judging.generated import Generated

#: How many problems are kept, and how many tests of a problem take the place of another one. A data set for training
#: may have a hundred thousand.
_REMEMBERED, _TESTS_AS_PROBLEM = 4096, 64
_BLOCK_BYTES = 1 << 18
#: How many checkers are kept: each is an open file.
_CHECKERS = 128
_ICPC = (Convention.ICPC, Convention.ICPC_UNBOUNDED, Convention.ICPC_LEGACY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    problem: Problem
    dropped: tuple[DroppedTest, ...] = ()
    #: Why a test was flagged, by the test's name.
    flagged: Mapping[str, str]
    #: The generated tests, whose files exist only within `Preparer.hold_tests`.
    generated: Generated | None = None


class Preparer:
    """Prepares problems and their checkers. Thread-safe."""

    def __init__(self, compiler: Compiler, cache: Cache) -> None:
        self._compiler = compiler
        self._cache = cache
        self._prepared = Once[Prepared](_REMEMBERED, _size)
        self._checkers = Once[ProgramChecker](_CHECKERS)
        self._interactors = Once[Interactor](_CHECKERS)
        self._managers = Once[Manager](_CHECKERS)
        self._time_limits = TimeLimits(cache)

    def problem(self, problem: str | Path | Problem, cjk: Cjk) -> Prepared:
        """The problem, read unless it is known.

        Raises:
            ProblemError: it is unknown, broken, of a kind that cannot be judged, or has no counted test left.
        """
        return self._prepared.get((key_of(problem), cjk), lambda: self._prepare(problem, cjk))

    def hold_tests(self, prepared: Prepared, options: Options, slot: Slot) -> AbstractContextManager[None]:
        """A context in which the files of all tests exist; `slot` builds them if needed.

        Raises:
            ProblemError: they cannot be built.
            ConfigError: the cache cannot be written.
        """
        generated = prepared.generated
        if generated is None:
            return nullcontext()
        return generated.hold_files(self._compiler, slot.checker, self._cache, options.compile_limits)

    def measure_limit(self, prepared: Prepared, options: Options, judge_one: JudgeOne) -> Prepared:
        """The same with its time limit, where neither the package nor the caller states one: within `hold_tests`.

        Raises:
            ProblemError: it cannot be measured.
        """
        if prepared.problem.stated_cpu_ns is not None or options.cpu_ns is not None:
            return prepared
        return replace(prepared, problem=self._time_limits.apply(prepared.problem, options, judge_one))

    def checker(self, spec: Program, options: Options, slot: Slot) -> ProgramChecker:
        try:
            sources = tuple(facts(map(str, spec.sources)))
        except OSError as error:
            raise ProblemError(f"checker: cannot read {error.filename}: {error.strerror}") from error
        return self._checkers.get(
            _key(spec, sources), lambda: build(spec, self._compiler, slot.checker, options.compile_limits)
        )

    def interactor(self, spec: Program, options: Options, slot: Slot) -> Interactor:
        """
        Raises:
            CheckerError: it does not compile.
            ProblemError: it cannot be read, or follows a convention that is not supported.
        """
        try:
            sources = tuple(facts(map(str, spec.sources)))
        except OSError as error:
            raise ProblemError(f"interactor: cannot read {error.filename}: {error.strerror}") from error
        return self._interactors.get(
            _key(spec, sources), lambda: build_interactor(spec, self._compiler, slot.checker, options.compile_limits)
        )

    def manager(self, spec: problems.model.Manager, options: Options, slot: Slot) -> Manager:
        """Raises as `interactor`."""
        program = spec.program
        try:
            sources = tuple(facts(map(str, program.sources)))
        except OSError as error:
            raise ProblemError(f"manager: cannot read {error.filename}: {error.strerror}") from error
        return self._managers.get(
            (_key(program, sources), spec.processes, spec.fifos),
            lambda: build_manager(spec, self._compiler, slot.checker, options.compile_limits),
        )

    def close(self) -> None:
        for kept in (self._checkers, self._interactors, self._managers):
            kept.clear()

    def _prepare(self, problem: str | Path | Problem, cjk: Cjk) -> Prepared:
        if not isinstance(problem, Problem):
            problem = problems.load(problem, store=self._cache)
        _check_kind(problem)
        clean = {case.name for case in problem.generated}  # made by a program: never prose
        generated = None
        if problem.generated:
            from judge.judging.generated import Generated  # noqa: PLC0415 - most problems need none of it

            generated = Generated.of(problem)
            problem = generated.among(self._cache)
        if not any(does_count(problem, case) for case in problem.judged):
            raise ProblemError(f"problem {problem.name} has no counted test; add pairs of .in and .ans to data/secret")
        return replace(_filter(problem, cjk, clean), generated=generated)


def _size(prepared: Prepared) -> int:
    return 1 + len(prepared.problem.cases) // _TESTS_AS_PROBLEM


def _key(spec: Program, sources: Hashable) -> Hashable:
    return sources, spec.convention, spec.language, spec.arguments, spec.constants, spec.limits


def _check_kind(problem: Problem) -> None:
    """Raises ProblemError for what cannot be judged."""
    interactor = problem.interactor
    if problem.passes > 1:
        _check_passes(problem)
    if interactor is None and problem.kind == "interactive":
        raise ProblemError(f"problem {problem.name} is interactive, but has no interactor; add output_validator/")
    if interactor is not None and problem.file_io is not None:
        raise ProblemError(f"problem {problem.name}: an interactive problem cannot have file_io; drop it in judge.yaml")
    if interactor is not None and interactor.convention in _ICPC and problem.checker != Comparison():
        raise ProblemError(
            f"problem {problem.name}: an interactor of the ICPC convention writes nothing that a checker could judge; "
            "drop the checker or comparison, or use testlib's convention"
        )


def _check_passes(problem: Problem) -> None:
    """Raises as `_check_kind`."""
    asks = isinstance(problem.checker, Program) or problem.interactor is not None
    if not asks or any(isinstance(case.checker, Comparison) for case in problem.cases):
        raise ProblemError(
            f"problem {problem.name} is multi-pass, but no program asks for passes; add output_validator/, and drop "
            "comparisons in judge.yaml"
        )
    for what, there in (
        ("file_io", problem.file_io),
        ("function", problem.function),
        ("checker beside its interactor", problem.interactor and problem.checker != Comparison()),
    ):
        if there:
            raise ProblemError(f"problem {problem.name}: a multi-pass problem cannot have a {what}; drop it")


def _filter(problem: Problem, cjk: Cjk, clean: set[str]) -> Prepared:
    """Drop or flag the tests that hold Chinese prose instead of data."""
    if cjk is Cjk.KEEP:
        return Prepared(problem=problem, flagged={})
    reasons = {
        case.name: reason for case in problem.cases if case.name not in clean and (reason := _prose(case)) is not None
    }
    if cjk is Cjk.FLAG or not reasons:
        return Prepared(problem=problem, flagged=reasons)
    left = replace(problem, cases=tuple(case for case in problem.cases if case.name not in reasons))
    counting = [case for case in problem.cases if does_count(problem, case)]
    hidden = [case for case in counting if not case.sample]  # samples alone are shown to everybody
    if all(case.name in reasons for case in hidden or counting):
        name, reason = next(iter(reasons.items()))
        raise ProblemError(
            f"problem {problem.name}: all counted tests hold prose instead of data ({name}: {reason}); "
            "mend them, or keep them with --cjk keep"
        )
    dropped = tuple(DroppedTest(name=name, reason=reason) for name, reason in reasons.items())
    return Prepared(problem=left, dropped=dropped, flagged={})


def _prose(case: TestCase) -> str | None:
    if all(_is_ascii(path, case) for path in (case.input, case.answer) if path is not None):
        return None
    from problems.text.filters import inspect  # noqa: PLC0415 - slow to import, and most data are ASCII

    return inspect(case.read_input(), case.read_answer())


def _is_ascii(path: Path, case: TestCase) -> bool:
    """Whether the file is ASCII. Read in blocks: a test may be larger than this process should ever hold."""
    try:
        with path.open("rb", buffering=0) as file:
            return all(block.isascii() for block in iter(partial(file.read, _BLOCK_BYTES), b""))
    except OSError as error:
        raise ProblemError(
            f"test {case.name}: cannot read {path}: {error.strerror}; check the package's data/"
        ) from error
