"""Test data that are built at first use: too big for the package, the same on every machine.

    <cache>/testdata/<key>/             key: hash of the generators, the solution and all arguments
        sizes.json                      of every file; written before the directory gets its name
        0.in 0.ans 1.in 1.ans …         in the order of `Problem.generated`

Generator and solution run in the sandbox for what a problem brings. A set is built under a lock, checked against the
sums of the package, and appears at once by a rename. No program's sandbox shows the cache.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import io
import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

import problems.model
from containers import File, Limits, Outcome, RunSpec, Sandbox
from judge import languages
from judge.checkers.program import compile_files
from judge.compiler import Compiler, Program
from judge.errors import CheckerError, LanguageError
from judge.inputs import stream
from judge.models import CompileLimits
from problems.errors import ProblemError
from problems.model import MIB, SECOND_NS, Convention, GeneratedCase, Problem, TestCase

#: Of one generator or solution run.
GENERATOR_LIMITS = Limits(
    cpu_ns=120 * SECOND_NS, wall_ns=300 * SECOND_NS, memory_bytes=2048 * MIB, output_bytes=512 * MIB
)

#: What generators may import beside the standard library. `colorful`, which CYaRon does without, cannot live in a zip.
_LIBRARIES = ("cyaron", "xeger")

_SIZES = "sizes.json"


def materialise(
    problem: Problem,
    compiler: Compiler,
    sandbox: Sandbox,
    cache_directory: Path,
    limits: CompileLimits = (None, None),
) -> Problem:
    """The problem with its generated cases among `cases`, built if they are not in the cache.

    Raises:
        ProblemError: a generator or the solution fails, or the data differ from the package's sums.
    """
    if not problem.generated:
        return problem
    root = cache_directory / "testdata"
    directory = root / _key(problem)
    if not _whole(directory, problem):
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(root / f"{directory.name}.lock"):
            if not _whole(directory, problem):
                _build(problem, directory, compiler, sandbox, limits)
    built = [
        TestCase(
            name=case.name,
            group=case.group,
            input=directory / f"{index}.in",
            answer=directory / f"{index}.ans",
            weight=case.weight,
        )
        for index, case in enumerate(problem.generated)
    ]
    ordered = sorted((*problem.cases, *built), key=lambda case: (not case.sample, case.name))
    return replace(problem, cases=tuple(ordered), generated=())


def _key(problem: Problem) -> str:
    parts: list[str] = []
    for directory in sorted({case.generator.parent for case in problem.generated}):
        parts += [f"{name} {hashlib.sha256(data).hexdigest()}" for name, data in _sources(directory)]
    if problem.solution is not None:
        parts.append(hashlib.sha256(_read(problem.solution)).hexdigest())
    parts += [json.dumps([c.generator.name, c.arguments, c.input_sha256, c.answer_sha256]) for c in problem.generated]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _whole(directory: Path, problem: Problem) -> bool:
    try:
        sizes = json.loads((directory / _SIZES).read_bytes())
        return len(sizes) == 2 * len(problem.generated) and all(
            (directory / name).stat().st_size == size for name, size in sizes.items()
        )
    except (OSError, ValueError):
        return False


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _build(problem: Problem, directory: Path, compiler: Compiler, sandbox: Sandbox, limits: CompileLimits) -> None:
    if problem.solution is None:
        raise ProblemError(f"problem {problem.name}: generators/generators.yaml names no solution to make the answers")
    spec = problems.model.Program(convention=Convention.ICPC, sources=(problem.solution,))
    try:
        what = f"problem {problem.name}: solution"
        solution = compile_files(spec, compiler, sandbox, what=what, limits=limits)
    except CheckerError as error:
        raise ProblemError(str(error)) from error
    building = Path(tempfile.mkdtemp(prefix="building-", dir=directory.parent))
    try:
        sizes = {}
        with solution:
            for index, case in enumerate(problem.generated):
                for name, data in zip(("in", "ans"), _case(problem, case, solution, sandbox), strict=True):
                    sizes[f"{index}.{name}"] = len(data)
                    (building / f"{index}.{name}").write_bytes(data)
        (building / _SIZES).write_text(json.dumps(sizes))
        shutil.rmtree(directory, ignore_errors=True)  # one that is not whole
        building.rename(directory)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _case(problem: Problem, case: GeneratedCase, solution: Program, sandbox: Sandbox) -> tuple[bytes, bytes]:
    where = f"problem {problem.name}: generated test {case.name}"
    data = _output(sandbox.run(_generator(case)), f"{where}: generator {case.generator.name}")
    _compare(data, case.input_sha256, f"{where}: the input")
    with stream(data) as stdin:
        answer = _output(sandbox.run(solution.spec(limits=GENERATOR_LIMITS, stdin=stdin)), f"{where}: the solution")
    _compare(answer, case.answer_sha256, f"{where}: the answer")
    return data, answer


def _generator(case: GeneratedCase) -> RunSpec:
    sources = tuple(File(name=name, content=data) for name, data in _sources(case.generator.parent))
    return RunSpec(
        argv=(str(languages.get("python3").find()), f"../in/{case.generator.name}", *case.arguments),
        # A fixed hash seed, so that the order of sets is the same everywhere.
        env={**languages.ENVIRONMENT, "PYTHONHASHSEED": "0", "PYTHONPATH": "../in/libraries.zip"},
        files=(*sources, File(name="libraries.zip", content=_libraries())),
        limits=GENERATOR_LIMITS,
    )


def _sources(directory: Path) -> list[tuple[str, bytes]]:
    """The generators of a package see each other's files, so that they can share a module."""
    return [(path.name, _read(path)) for path in sorted(directory.glob("*.py"))]


@cache
def _libraries() -> bytes:
    """The installed libraries as one zip on the module path: no directory of this environment needs to be shown."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in _LIBRARIES:
            found = importlib.util.find_spec(name)
            if found is None or found.origin is None:
                raise LanguageError(f"generators need the Python package {name}; pip install {name}")
            top = Path(found.origin).parent
            for path in sorted(top.rglob("*.py")):
                archive.writestr(str(path.relative_to(top.parent)), path.read_bytes())
    return buffer.getvalue()


def _output(outcome: Outcome, what: str) -> bytes:
    if outcome.exit_code == 0:
        return outcome.stdout
    message = outcome.stderr[-2000:].decode("utf-8", "replace").strip().rpartition("\n")[2]
    how = f"exit code {outcome.exit_code}" if outcome.exit_code is not None else outcome.termination.value
    raise ProblemError(f"{what} failed ({how}){message and f': {message}'}")


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
