"""Builds generated test data at first use: data too big for the package, and the same on every machine.

    <cache>/testdata/<key>/             key: hash of the generators, the solution and all arguments
        sizes.json                      size of each file; written before the directory gets its name
        0.in 0.ans 1.in 1.ans …         in the order of `Problem.generated`

A test may have an input in place of a generator. Generator and solution run in the slot's sandbox for checkers. A set
is built under a lock, checked against the package's sha256sums, and put in place by a rename. No sandbox shows the
cache to a program. Sets count against the limit of the cache: a set that nobody reads may be evicted (`Cache.holding`),
and is built again when it is needed.

A package can ask for at most `problems.reading.testdata.MOST_GENERATED` cases, `MOST_FILE_BYTES` and `MOST_SET_BYTES`.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import problems.model
from containers import File, Outcome, RunLimits, Sandbox, Termination
from judge.checkers.program import compile_files, language_of
from judge.common.errors import CheckerError
from judge.common.models import CompileLimits
from judge.compiling.compiler import Compiler
from judge.judging.generators import Generator, compile_generator
from judge.store.cache import Cache
from judge.store.inputs import stream
from problems.errors import ProblemError
from problems.model import MIB, SECOND_NS, Convention, FileIO, GeneratedCase, Problem, TestCase
from problems.reading.programs import read_generator

_log = logging.getLogger(__name__)

#: Limit of one input or answer, which passes through this process's memory.
MOST_FILE_BYTES = 256 * MIB
#: Limit of all files of one problem, or the limit of the cache if that is smaller.
MOST_SET_BYTES = 1024 * MIB
#: Limits of one run of a generator or of the solution.
GENERATOR_LIMITS = RunLimits(
    cpu_ns=120 * SECOND_NS, wall_ns=300 * SECOND_NS, memory_bytes=2048 * MIB, output_bytes=MOST_FILE_BYTES
)
#: How long all runs for one problem may take together, on the clock.
MOST_SET_NS = 2 * 3600 * SECOND_NS
#: Limits of a generator that is asked for a small input.
_SMALL_LIMITS = RunLimits(
    cpu_ns=5 * SECOND_NS, wall_ns=15 * SECOND_NS, memory_bytes=512 * MIB, output_bytes=MOST_FILE_BYTES
)

_SIZES = "sizes.json"
#: How often the log tells the progress.
_TELL_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Generated:
    """The generated cases of one problem, and where the cache keeps them."""

    problem: Problem
    key: str

    @staticmethod
    def of(problem: Problem) -> Generated:
        """
        Raises:
            ProblemError: a generator or the solution cannot be read.
        """
        return Generated(problem=problem, key=_key(problem))

    def among(self, cache: Cache) -> Problem:
        """The problem with its generated cases among `cases`. Their files exist within `hold_files`."""
        directory = cache.set_directory(self.key)
        built = [
            TestCase(
                name=case.name,
                group=case.group,
                input=directory / f"{index}.in",
                answer=directory / f"{index}.ans",
                weight=case.weight,
                full_score=case.full_score,
                sample=case.group == "sample",
            )
            for index, case in enumerate(self.problem.generated)
        ]
        ordered = sorted((*self.problem.cases, *built), key=lambda case: (not case.sample, case.name))
        return replace(self.problem, cases=tuple(ordered), generated=())

    @contextmanager
    def hold_files(
        self, compiler: Compiler, sandbox: Sandbox, cache: Cache, limits: CompileLimits = (None, None)
    ) -> Iterator[None]:
        """A context in which the files exist; they are built if they are not in the cache.

        Raises:
            ProblemError: a generator or the solution fails or writes too much, or the data differ from sha256sums.
            ConfigError: the cache cannot be written.
        """
        whole = partial(_whole, self.problem)
        most_bytes = min(MOST_SET_BYTES, cache.limit_bytes)
        with cache.holding(
            self.key, whole, lambda directory: _build(self.problem, directory, compiler, sandbox, most_bytes, limits)
        ):
            yield


def _key(problem: Problem) -> str:
    parts: list[str] = []
    sums: dict[Path, str] = {}  # generators may share files
    for generator in problem.generators:
        for source in read_generator(generator).sources:
            if source not in sums:
                sums[source] = hashlib.sha256(_read(source)).hexdigest()
            parts.append(f"{generator.name} {source.relative_to(generator.parent)} {sums[source]}")
    if problem.solution is not None:
        parts.append(hashlib.sha256(_read(problem.solution)).hexdigest())
    parts += [json.dumps([*_source(case), case.input_sha256, case.answer_sha256]) for case in problem.generated]
    if problem.file_io is not None:  # else the keys are as they were: sets that are built stay known
        parts.append(json.dumps([problem.file_io.input, problem.file_io.output]))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _source(case: GeneratedCase) -> tuple[object, ...]:
    """What its input comes from."""
    if case.generator is not None:
        return case.generator.name, case.arguments
    return (hashlib.sha256(_read(case.given)).hexdigest(),)


def _whole(problem: Problem, directory: Path) -> bool:
    try:
        sizes = json.loads((directory / _SIZES).read_bytes())
        return len(sizes) == 2 * len(problem.generated) and all(
            (directory / name).stat().st_size == size for name, size in sizes.items()
        )
    except (OSError, ValueError):
        return False


def _build(
    problem: Problem,
    directory: Path,
    compiler: Compiler,
    sandbox: Sandbox,
    most_bytes: int,
    compile_limits: CompileLimits,
) -> None:
    if problem.solution is None:
        raise ProblemError(f"problem {problem.name}: generators/generators.yaml names no solution to make the answers")
    spec = problems.model.Program(convention=Convention.ICPC, sources=(problem.solution,))
    try:
        what = f"problem {problem.name}: solution"
        language = language_of(spec, what)
        program = compile_files(spec, compiler, sandbox, what=what, limits=compile_limits, language=language)
    except CheckerError as error:
        raise ProblemError(str(error)) from error
    sizes: dict[str, int] = {}
    until_ns = time.monotonic_ns() + MOST_SET_NS
    solution = Generator(program=program, language=language)
    with program, _generators(problem.generators, compiler, sandbox, compile_limits) as by:
        told_s = time.monotonic() - _TELL_S
        for index, case in enumerate(problem.generated):
            if time.monotonic() - told_s >= _TELL_S:
                told_s, count = time.monotonic(), len(problem.generated)
                _log.info("problem %s: making test %d of %d; they are kept", problem.name, index + 1, count)
            left_bytes = most_bytes - sum(sizes.values())
            if (left_ns := until_ns - time.monotonic_ns()) <= 0:
                raise ProblemError(
                    f"problem {problem.name}: making {index} of {len(problem.generated)} generated tests took "
                    f"{MOST_SET_NS // (3600 * SECOND_NS)} h, the most for all: have fewer, or faster programs"
                )
            made = _case(problem, case, by, solution, sandbox, left_bytes, left_ns)
            for name, data in zip(("in", "ans"), made, strict=True):
                sizes[f"{index}.{name}"] = len(data)
                (directory / f"{index}.{name}").write_bytes(data)
    (directory / _SIZES).write_text(json.dumps(sizes))


@contextmanager
def _generators(
    paths: Sequence[Path], compiler: Compiler, sandbox: Sandbox, limits: CompileLimits = (None, None)
) -> Iterator[Mapping[Path, Generator]]:
    """Each compiled once. Raises as `compile_generator`."""
    with ExitStack() as stack:
        found: dict[Path, Generator] = {}
        for path in dict.fromkeys(paths):
            found[path] = compile_generator(path, compiler, sandbox, limits)
            stack.enter_context(found[path].program)
        yield found


def _case(
    problem: Problem,
    case: GeneratedCase,
    by: Mapping[Path, Generator],
    solution: Generator,
    sandbox: Sandbox,
    left_bytes: int,
    left_ns: int,
) -> tuple[bytes, bytes]:
    where = f"problem {problem.name}: generated test {case.name}"
    limits = _limits(left_bytes, left_ns)
    if case.generator is None:
        data = _read(case.given)
        if len(data) > limits.output_bytes:
            raise _too_much(f"{where}: {case.given.name} holds", limits)
    else:
        outcome = by[case.generator].run(case.arguments, limits, sandbox)
        data = _output(outcome, f"{where}: generator {case.generator.name}", limits)
    _compare(data, case.input_sha256, f"{where}: the input")
    limits = _limits(left_bytes - len(data), left_ns)
    answer = _answer(problem, data, solution, sandbox, limits, f"{where}: the solution")
    _compare(answer, case.answer_sha256, f"{where}: the answer")
    return data, answer


def _answer(
    problem: Problem, data: bytes, solution: Generator, sandbox: Sandbox, limits: RunLimits, what: str
) -> bytes:
    """What the solution prints. With `file_io`, what it writes into the file, if it does: it may be a submission."""
    names = problem.file_io or FileIO()
    files = (File(name=names.input, content=data, work=True),) if names.input else ()
    collect = (names.output,) if names.output else ()
    directory_bytes = max(limits.directory_bytes, len(data) + limits.output_bytes)
    limits = replace(solution.allow(limits), directory_bytes=directory_bytes)
    with stream(data) as stdin:
        outcome = sandbox.run(solution.program.spec(files=files, collect=collect, limits=limits, stdin=stdin))
    printed = _output(outcome, what, limits)
    if names.output is None or (printed and names.output not in outcome.files):
        return printed
    if names.output not in outcome.files:
        raise ProblemError(f"{what} printed nothing, and wrote no {names.output}, which judge.yaml names for output")
    return outcome.files[names.output]


def _limits(left_bytes: int, left_ns: int) -> RunLimits:
    wall_ns = min(GENERATOR_LIMITS.wall_ns, left_ns)
    return replace(GENERATOR_LIMITS, output_bytes=min(MOST_FILE_BYTES, left_bytes), wall_ns=wall_ns)


def small_inputs(
    commands: Sequence[tuple[Path, tuple[str, ...]]], compiler: Compiler, sandbox: Sandbox, most_bytes: int
) -> list[bytes | None]:
    """What the generators print with these arguments; None: one fails, or prints more.

    Raises:
        ProblemError: a generator cannot be read, or does not compile.
        LanguageError: this machine lacks its language.
    """
    limits = replace(_SMALL_LIMITS, output_bytes=most_bytes)
    with _generators([path for path, _ in commands], compiler, sandbox) as by:
        outcomes = [by[path].run(arguments, limits, sandbox) for path, arguments in commands]
    return [_whole_output(outcome) for outcome in outcomes]


def _whole_output(outcome: Outcome) -> bytes | None:
    """A program that exceeded its limit of output may have exited all the same."""
    return outcome.stdout if outcome.termination is Termination.EXITED and outcome.exit_code == 0 else None


def _output(outcome: Outcome, what: str, limits: RunLimits) -> bytes:
    if outcome.termination is Termination.OUTPUT_LIMIT:
        raise _too_much(f"{what} wrote", limits)
    if outcome.exit_code == 0:
        return outcome.stdout
    message = outcome.stderr[-2000:].decode("utf-8", "replace").strip().rpartition("\n")[2]
    how = f"exit code {outcome.exit_code}" if outcome.exit_code is not None else outcome.termination.value
    raise ProblemError(f"{what} failed ({how}){message and f': {message}'}")


def _too_much(what: str, limits: RunLimits) -> ProblemError:
    if limits.output_bytes == MOST_FILE_BYTES:
        return ProblemError(f"{what} more than {MOST_FILE_BYTES // MIB} MiB, the most that one file may hold")
    return ProblemError(
        f"{what} more than is left for the problem: all its generated tests together may hold "
        f"{MOST_SET_BYTES // MIB} MiB, and no more than JUDGE_CACHE_LIMIT"
    )


def _compare(data: bytes, expected: str | None, what: str) -> None:
    found = hashlib.sha256(data).hexdigest()
    if expected is not None and found != expected.lower():
        raise ProblemError(
            f"{what} differs from generators/sha256sums ({found[:12]}… instead of {expected[:12]}…): "
            "the generator is not deterministic, or was changed without its sums"
        )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ProblemError(f"cannot read {path}: {error.strerror}; check the package's generators/") from error
