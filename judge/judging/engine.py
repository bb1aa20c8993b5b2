"""Judges one submission on one slot: clean, compile, run the tests, check, sum up.

    source -> clean -> compile -> for each test: run -> classify -> (clean exit?) check -> total -> Judgement

Beside other runs a test is stopped at 1.5 times its CPU limit. If the load may have caused a time-out, the test runs
once more, alone, provided that it would decide the verdict or change the score. After one confirmed time-out of a
submission, or two in all, we believe the others: its tests are stopped at their limits then. So they are where there
is one slot only.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import problems.model
from containers import SandboxError
from judge import languages
from judge.checkers.interactor import Interactor
from judge.checkers.program import ProgramChecker
from judge.common.errors import CheckerError, SourceError
from judge.common.models import (
    OUTPUTS,
    Cjk,
    CompileResult,
    IsolationReport,
    Judgement,
    Options,
    Stop,
    Submission,
    TestResult,
    Verdict,
    make_internal_error,
)
from judge.compiling.compiler import Compiled, Compiler
from judge.judging import communication, interactive, passes, single, sources, static
from judge.judging.accepted import fails_anyway
from judge.judging.at_once import DoneTest, Others, run_ahead
from judge.judging.attachments import attach_files, in_working_directory, surround_source
from judge.judging.checking import check_output, tells
from judge.judging.grading import grades
from judge.judging.job import Attempt, Job, does_same, output_of
from judge.judging.known import Context, Verdicts
from judge.judging.limits import check_compile, check_memory, package_options
from judge.judging.prepared import Prepared, Preparer
from judge.judging.summing import sum_results
from judge.judging.trial import on_fresh_slot, settle_repeat
from judge.judging.uncompiled import Uncompiled, answering
from judge.judging.watch import Watch
from judge.languages import Language
from judge.ruling.classify import signal_name, stood_still
from judge.ruling.objective import rate
from judge.ruling.scoring import Grade, can_reach, decides, does_count, matters
from judge.slots.slot import Slot
from judge.store.cache import Cache
from judge.store.inputs import Inputs
from problems.errors import ProblemError
from problems.model import Comparison, Problem, TestCase

if TYPE_CHECKING:
    from judge.checkers.manager import Manager
    from judge.ruling.interplay import Said
    from problems.validate import Finding

_log = logging.getLogger(__name__)

#: After so many confirmed time-outs, or so many in all, we know that the program is slow, not the machine. Its other
#: tests cost their limits once at most; and where it stood still on so many, they need not wait for it as long.
_CONFIRMED, _TIMED_OUT = 1, 2
#: At most `_KILLERS` tests are remembered for how many submissions they refused: names may come from strangers.
_KILLERS = 100_000


class Engine:
    """Judges submissions, each on the slot that the caller gives. Shared by all slots; thread-safe."""

    def __init__(self, *, compiler: Compiler, cache: Cache, inputs_bytes: int, others: Others | None = None) -> None:
        """`others`: the slots on which tests run ahead (`Options.at_once`)."""
        self.compiler = compiler
        self._others = others
        self._preparer = Preparer(compiler, cache)
        self._verdicts = Verdicts(cache)
        self._inputs = Inputs(inputs_bytes)
        self._killers: Counter[tuple[str, str]] = Counter()  # (problem, test) -> how many submissions it refused

    def close(self) -> None:
        self._preparer.close()
        self._inputs.close()

    def find_known(self, submission: Submission, options: Options) -> Judgement | None:
        """The stored Judgement of an equal submission, if there is one. Needs no slot."""
        return self._verdicts.find(submission, options)

    def context(self, submission: Submission, options: Options) -> Context | None:
        """In which context such submissions are judged; None: nobody has judged one."""
        return self._verdicts.context(submission, options)

    def learn(self, submission: Submission, options: Options, context: Context) -> None:
        """Take a context that another process of this machine has learned: `find_known` finds its judgements then."""
        self._verdicts.take(submission, options, context)

    def judge(self, submission: Submission, options: Options, slot: Slot, watch: Watch | None = None) -> Judgement:
        """Judge. If the sandbox fails, try once more on a fresh slot; if it fails again, the verdict is IE.

        Raises:
            LanguageError, ProblemError: the submission cannot be judged at all.
            ConfigError: one of its runs may need more memory than the budget leaves for programs.
            Unavailable: the machine does not grant the sandbox.
            Cancelled: the Judge was closed.
        """
        try:
            return on_fresh_slot(slot, lambda: self._judge(submission, options, slot, watch))
        except SandboxError as error:
            return make_internal_error(submission, str(error))

    @contextmanager
    def hold_tests(
        self, problem: str | Path | Problem, options: Options, slot: Slot
    ) -> Iterator[tuple[Problem, Options]]:
        """A context in which the files of all its tests exist; the options are those of its package, too.

        Raises:
            ProblemError: the problem cannot be judged at all, or its tests cannot be built.
            SandboxError: the sandbox failed.
        """
        prepared = self._preparer.problem(problem, Cjk.KEEP)
        options = package_options(prepared.problem, options, slot)
        with self._preparer.hold_tests(prepared, options, slot):
            yield prepared.problem, options

    def validate(self, problem: str | Path | Problem, options: Options, slot: Slot) -> list[Finding]:
        """What the package's validators find wrong in its data, and its data in them. Raises as `hold_tests`."""
        from judge.judging.validators import check_data  # noqa: PLC0415 - judging needs none of it

        with self.hold_tests(problem, options, slot) as (whole, given):
            ready = partial(self._preparer.checker, options=given, slot=slot)
            return check_data(whole, self.compiler, slot.checker, ready, given.compile_limits)

    def play(self, problem: str | Path | Problem, test: str | None, stdin: int, stdout: int, slot: Slot) -> Said:
        with self.hold_tests(problem, Options(), slot) as (whole, given):
            interactor = self._interactor(whole, given, slot)
            if interactor is None:
                raise ProblemError(f"problem {whole.name} is not interactive: its tests are files")
            cases = {case.name: case for case in whole.cases}
            if test is not None and test not in cases:
                raise ProblemError(f"problem {whole.name} has no test {test!r}; it has {', '.join(cases)}"[:500])
            return passes.play_passes(whole, cases[test or next(iter(cases))], interactor, slot, stdin, stdout)

    def _judge(self, submission: Submission, options: Options, slot: Slot, watch: Watch | None) -> Judgement:
        prepared = untimed = self._preparer.problem(submission.problem, options.cjk)
        given = package_options(prepared.problem, options, slot)
        with self._preparer.hold_tests(prepared, given, slot):
            try:
                prepared = self._preparer.measure_limit(
                    untimed, given, lambda one, under: self._judge_anew(one, under, slot, untimed, None)
                )
                return self._judge_held(submission, options, given, slot, prepared, watch)
            except Uncompiled as answered:
                return answered.judgement

    def _judge_held(
        self,
        submission: Submission,
        options: Options,
        given: Options,
        slot: Slot,
        prepared: Prepared,
        watch: Watch | None,
    ) -> Judgement:
        """`options`: the caller's; `given`: with what the package states."""
        if submission.language == OUTPUTS:
            return self._judge_outputs(submission, given, slot, prepared)
        context = None
        if options.verdict_cache:
            with answering(submission):
                context = self._verdicts.learn(submission, options, prepared, slot.program.isolation)
            if (known := self._verdicts.find(submission, options)) is not None:
                return known
        judgement = self._judge_anew(submission, given, slot, prepared, watch)
        if context is not None:
            self._verdicts.keep(context, submission, options, judgement)
        return judgement

    def _judge_anew(
        self, submission: Submission, options: Options, slot: Slot, prepared: Prepared, watch: Watch | None
    ) -> Judgement:
        began = time.monotonic_ns()
        language = languages.get(submission.language).compiled_under(*options.compile_limits)
        problem = prepared.problem
        redirections = 0
        try:
            with answering(submission):
                check_memory(problem, options, language, slot)
                redirections, compiled = self._compile(submission.source, submission.files, language, problem, slot)
                check_compile(problem, options, language, compiled.result)
        except SourceError as error:
            # CE, not IE: otherwise a submission could choose not to be scored.
            compiled = Compiled(result=CompileResult(verdict="error", output=str(error)), program=None)
        if watch is not None:
            watch.on_compiled(compiled.result, len(problem.judged))
        with compiled.program or nullcontext() as program:
            judgement = Judgement(
                id=submission.id,
                problem=problem.name,
                language=language.name,
                verdict=Verdict.CE,
                accepted=False,
                score=0.0,
                compile=compiled.result,
                isolation=_isolation(slot),
                dropped=prepared.dropped,
                freopen_neutralised=0 if problem.file_io else redirections,
            )
            if program is not None:
                job = Job(
                    prepared=prepared,
                    options=options,
                    language=language,
                    program=program,
                    slot=slot,
                    checkers=self._checkers(problem, options, slot),
                    interactor=self._interactor(problem, options, slot),
                    manager=self._manager(problem, options, slot),
                )
                results = self._run_all(job, watch, static.results(job, submission, self._preparer.checker, watch))
                judgement = self._sum_up(job, results, judgement)
        return replace(judgement, wall_ns=time.monotonic_ns() - began)

    def _sum_up(self, job: Job, results: Mapping[str, TestResult], judgement: Judgement) -> Judgement:
        grade = self._grade(job.problem, job.options, job.slot)
        judgement = sum_results(job.problem, results, judgement, grade)
        if not (job.options.efficiency and judgement.accepted):
            return judgement
        from judge.judging.efficiency import compare_speed  # noqa: PLC0415 - most callers do not ask

        return replace(judgement, efficiency=compare_speed(job, results, self._compile, self._stdin))

    def _compile(
        self, text: bytes, files: tuple[tuple[str, bytes], ...], language: Language, problem: Problem, slot: Slot
    ) -> tuple[int, Compiled]:
        language, extra = attach_files(problem, language)
        cleaned = sources.clean(text, files, language, problem.limits.code_bytes, extra)
        # Where a problem declares files, freopen must work.
        compiled = self.compiler.compile(
            surround_source(problem, language, cleaned.text),
            language,
            slot.program,
            extra=(*extra, *cleaned.files),
            checked=tuple(file.name for file in cleaned.files),
            wrap_freopen=problem.file_io is None,
        )
        if compiled.program is not None:
            compiled.program.beside = in_working_directory(problem, (*extra, *cleaned.files))
        return cleaned.freopen_neutralised, compiled

    def _checkers(
        self, problem: Problem, options: Options, slot: Slot
    ) -> dict[problems.model.Program, ProgramChecker | CheckerError]:
        found: dict[problems.model.Program, ProgramChecker | CheckerError] = {}
        for one in {problem.checker, *(case.checker for case in problem.cases if case.checker is not None)}:
            if not isinstance(one, Comparison):
                try:
                    found[one] = self._preparer.checker(one, options, slot)
                except CheckerError as error:
                    found[one] = error
        return found

    def _interactor(self, problem: Problem, options: Options, slot: Slot) -> Interactor | None:
        """Raises ProblemError if it does not compile: without it nothing can be run."""
        with _needing(problem):
            one = problem.interactor
            return None if one is None else self._preparer.interactor(one, options, slot)

    def _manager(self, problem: Problem, options: Options, slot: Slot) -> Manager | None:
        """Raises as `_interactor`."""
        with _needing(problem):
            one = problem.manager
            return None if one is None else self._preparer.manager(one, options, slot)

    def _judge_outputs(self, submission: Submission, options: Options, slot: Slot, prepared: Prepared) -> Judgement:
        """Judge what was handed in instead of a program."""
        from judge.judging import outputs  # noqa: PLC0415 - few problems need it

        began = time.monotonic_ns()
        problem = prepared.problem
        if problem.kind != "submit-answer":
            raise ProblemError(f"problem {problem.name} takes programs, not outputs; submit a program")
        checkers = self._checkers(problem, options, slot)
        judgement = Judgement(
            id=submission.id,
            problem=problem.name,
            language=OUTPUTS,
            verdict=Verdict.CE,
            accepted=False,
            score=0.0,
            compile=CompileResult(verdict="ok", output=""),
            isolation=_isolation(slot),
            dropped=prepared.dropped,
        )
        try:
            read = outputs.handed_in(submission, problem)
            check = partial(check_output, problem, checkers, slot, broken=partial(outputs.is_broken, problem, slot))
            results = outputs.results(problem, options, read, check)
            judgement = sum_results(problem, results, judgement, self._grade(problem, options, slot))
        except SourceError as error:
            judgement = replace(judgement, compile=CompileResult(verdict="error", output=str(error)))
        return replace(judgement, wall_ns=time.monotonic_ns() - began)

    def _grade(self, problem: Problem, options: Options, slot: Slot) -> Grade | None:
        return grades(problem, self.compiler, slot, options.compile_limits)

    def _run_all(self, job: Job, watch: Watch | None, looked: Mapping[str, TestResult]) -> dict[str, TestResult]:
        results = dict(looked)
        decided = static.is_decided(job.problem, looked, job.options.stop)
        confirmed = timed_out = stood = 0
        cases = self._order(job)
        with run_ahead(self._test, cases, self._others if job.options.at_once and not decided else None) as take:
            for case in cases:
                if decided:
                    results[case.name] = TestResult(name=case.name, group=case.group, verdict=Verdict.SK, score=None)
                    continue
                believed = confirmed >= _CONFIRMED or timed_out >= _TIMED_OUT
                may_repeat, idle = job.options.confirm_tle and not believed, stood >= _TIMED_OUT
                if (job.may_repeat, job.idle) != (may_repeat, idle):
                    job = replace(job, may_repeat=may_repeat, idle=idle)
                try:
                    tested = take(job, case)
                    if tested.doubt and may_repeat and matters(job.problem, job.problem.judged, results, case):
                        tested = self._repeat(job, case, tested.doubt)
                        confirmed += tested.timed_out
                finally:
                    job.slot.share.release()
                timed_out += tested.timed_out
                stood += tested.stood_still
                result = results[case.name] = tested.result
                if watch is not None:
                    watch.on_tested(result, sample=case.sample)
                if does_count(job.problem, case) and result.verdict is not Verdict.AC:
                    self._count_killer(job.problem.name, case.name)
                decided = decides(job.problem, case, result, job.options.stop)
                decided = decided or not can_reach(job.problem, job.problem.judged, results, job.options.at_least)
        return results

    def _test(self, job: Job, case: TestCase) -> DoneTest:
        attempt = self._attempt(job, case)
        return self._tell(job, case, attempt, doubt=attempt if attempt.doubtful else None)

    def _repeat(self, job: Job, case: TestCase, first: Attempt) -> DoneTest:
        """Alone."""
        again = self._attempt(job, case, first=first)
        tested = self._tell(job, case, settle_repeat(first, again, partial(does_same, job, first)))
        return replace(tested, result=replace(tested.result, confirmed=Verdict.TLE.value))

    def _tell(self, job: Job, case: TestCase, attempt: Attempt, doubt: Attempt | None = None) -> DoneTest:
        return DoneTest(
            result=self._result(job, case, attempt),
            doubt=doubt,
            timed_out=attempt.timed_out,
            stood_still=stood_still(attempt.outcome),
        )

    def _count_killer(self, problem: str, test: str) -> None:
        if len(self._killers) >= _KILLERS:
            self._killers.clear()
        self._killers[problem, test] += 1

    def _order(self, job: Job) -> Sequence[TestCase]:
        cases = job.problem.cases
        if job.options.stop is not Stop.ACCEPTED_ONLY:
            return cases
        return sorted(cases, key=lambda case: -self._killers[job.problem.name, case.name])

    def _attempt(self, job: Job, case: TestCase, *, first: Attempt | None = None) -> Attempt:
        """`first`: what is repeated, alone."""
        if job.problem.passes > 1:
            return passes.attempt(job, case, self._stdin, self._compile, first=first)
        if job.manager is not None:
            return communication.attempt(job, case, job.manager, self._compile, first=first)
        if job.interactor is not None:
            return interactive.attempt(job, case, job.interactor, self._compile, first=first)
        with self._stdin(job, case) as stdin:
            step = single.run(job, case, stdin, alone=first is not None)
        return Attempt(outcome=step.outcome, ruling=step.own, doubtful=step.doubtful)

    def _stdin(self, job: Job, case: TestCase) -> AbstractContextManager[int | None]:
        """The input as a descriptor; None: the program reads it from a file."""
        named = job.problem.file_io is not None and bool(job.problem.file_io.input)
        return nullcontext() if named else self._inputs.open(case)

    def _is_broken(self, job: Job, checker: ProgramChecker, case: TestCase) -> bool:
        """As `checking.Broken`, by the package's first accepted submission; without one the answer has told."""

        def fails(right: Job) -> bool:
            attempt = self._attempt(right, case)
            given, answer, output = case.read_input(), case.read_answer(), output_of(right, attempt)
            return attempt.ruling is None and checker.fails(
                right.slot.checker, input=given, output=output, answer=answer, full_score=case.full_score
            )

        untold = tells(case)
        if job.problem.kind == "submit-answer":
            from judge.judging import outputs  # noqa: PLC0415 - few problems need it

            untold = outputs.is_broken(job.problem, job.slot, checker, case)
        return fails_anyway(job, case, checker.failures, self._compile, fails, untold=untold)

    def _result(self, job: Job, case: TestCase, attempt: Attempt) -> TestResult:
        outcome, ruling = attempt.outcome, attempt.ruling
        output, score = output_of(job, attempt), attempt.score
        if ruling is None:
            ruling, score = check_output(
                job.problem, job.checkers, job.slot, case, output, partial(self._is_broken, job)
            )
        else:
            ruling, score = rate(job.problem, case, ruling, score)
        if ruling.verdict is Verdict.IE:
            score = None
        return TestResult(
            name=case.name,
            group=case.group,
            verdict=ruling.verdict,
            score=None if score is None else min(1.0, score),
            points=ruling.points,
            raw_score=ruling.raw_score,
            cpu_ns=outcome.usage.cpu_ns,
            wall_ns=outcome.usage.wall_ns,
            memory_bytes=outcome.usage.memory_bytes,
            memory_source=outcome.usage.memory_source,
            cgroup_peak_bytes=outcome.usage.cgroup_peak_bytes,
            exit_code=outcome.exit_code,
            signal=None if outcome.signal is None else signal_name(outcome.signal),
            detail=ruling.detail,
            stdout="" if attempt.talk or attempt.talks else _quote(output, job.options),
            stderr=_quote(outcome.stderr, job.options),
            conversation=_conversation(attempt),
            suspicious=tuple(call for call in outcome.suspicious if call not in job.language.harmless),
            cjk=job.prepared.flagged.get(case.name),
        )


@contextmanager
def _needing(problem: Problem) -> Iterator[None]:
    try:
        yield
    except CheckerError as error:
        raise ProblemError(f"problem {problem.name}: {error}") from error


def _conversation(attempt: Attempt) -> str | None:
    if attempt.talks:
        return communication.conversations(attempt.talks)
    return interactive.conversation(attempt) if attempt.talk else None


def _isolation(slot: Slot) -> IsolationReport:
    walls = slot.program.isolation
    return IsolationReport(backend=walls.backend, tier=walls.tier, layers=walls.layers, missing=walls.missing)


def _quote(data: bytes, options: Options) -> str:
    return data[: options.shown_bytes].decode("utf-8", "replace")
