"""The input of the judge (`Submission`, `Options`) and its output (`Judgement`). docs/cli.md explains the JSON of a
Judgement: field names are stable; fields may be added, never renamed; unknown is null."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from judge.common.errors import ConfigError
from judge.common.stated import check_files, check_limits, check_type

if TYPE_CHECKING:
    from problems.model import Problem


class Verdict(StrEnum):
    AC = "AC"
    PC = "PC"
    PE = "PE"
    WA = "WA"
    TLE = "TLE"
    MLE = "MLE"
    OLE = "OLE"
    RE = "RE"
    CE = "CE"
    IE = "IE"
    SK = "SK"


#: The language of a submission that is no program, but outputs (`judge.judging.outputs`).
OUTPUTS = "outputs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """One program to judge, or outputs. `problem` is a name in the library, the path of a package (directory or zip),
    or a Problem, whose files must not change while anybody judges on it."""

    source: bytes
    problem: str | Path | Problem
    language: str = "cpp17"
    id: str | None = None
    #: (name, content) of the program's other files; `source` is the one with which it begins.
    files: tuple[tuple[str, bytes], ...] = ()
    #: The caller's default, where the program itself named its language (the tag of a fence); None: the caller did.
    #: Who chose a language answers for it (`judge.judging.uncompiled`).
    default_language: str | None = None

    def __post_init__(self) -> None:
        """
        Raises:
            TypeError: something is of another type than its annotation says.
        """
        check_type("source", self.source, bytes, "bytes, by .encode()")
        check_type("language", self.language, str, "its name")
        check_files("files", self.files)
        if not isinstance(self.problem, (str, Path)) and not hasattr(self.problem, "cases"):
            raise TypeError(f"problem is of type {type(self.problem).__name__}: give a name, a path or a Problem")

    def digest(self) -> bytes:
        """A hash of the program. No two programs share one: lengths say where each part ends."""
        found = hashlib.sha256(b"%d " % len(self.source))
        found.update(self.source)
        for name, content in sorted(self.files):
            encoded = name.encode("utf-8", "surrogatepass")  # `sources.clean` refuses such a name
            found.update(b"\0%d %b %d " % (len(encoded), encoded, len(content)) + hashlib.sha256(content).digest())
        return found.digest()

    @property
    def problem_name(self) -> str:
        """The problem's name in results, where the problem could not be read."""
        return str(self.problem) if isinstance(self.problem, (str, Path)) else self.problem.name

    @property
    def problem_key(self) -> Hashable:
        """A key that submissions on one problem share."""
        return key_of(self.problem)


def key_of(problem: str | Path | Problem) -> Hashable:
    """A key of a problem. Reads nothing of it."""
    return str(problem) if isinstance(problem, (str, Path)) else _Itself(problem)


class _Itself:
    """A key by identity. It keeps its object alive, so that no other object gets the same id."""

    def __init__(self, what: object) -> None:
        self._what = what

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and self._what is other._what

    def __hash__(self) -> int:
        return id(self._what)


class Stop(StrEnum):
    """When to stop testing a submission. Tests that are not run are SK."""

    #: After the last test.
    NEVER = "never"
    #: At the first counted test that is refused: a part of the points is no failure.
    FIRST_FAILURE = "first_failure"
    #: Likewise, but tests that other submissions failed may run first: only `accepted` means anything.
    ACCEPTED_ONLY = "accepted_only"


class Cjk(StrEnum):
    """What to do with test cases that hold Chinese prose instead of data."""

    DROP = "drop"
    FLAG = "flag"
    KEEP = "keep"


#: Of `Judgement.efficiency`: up to here a program is about as fast, and takes at most twice as long.
AS_FAST, WITHIN_TWICE = 1.3, 2.0
#: CPU time (ns) and memory (bytes) of a compile; None: as the language's file says.
CompileLimits = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to judge."""

    stop: Stop = Stop.NEVER
    #: Stop testing once the score cannot reach this any more, in [0, 1].
    at_least: float = 0.0
    #: Run its tests on all slots that are free. The results are those of tests that run one after another. A server,
    #: whose slots are for all its clients, runs them in turn.
    at_once: bool = False
    confirm_tle: bool = True
    #: Compare the CPU time of what is accepted with that of the package's own accepted submissions.
    efficiency: bool = False
    language_multiplier: bool = True
    #: Override the problem's limits; None: keep them.
    cpu_ns: int | None = None
    memory_bytes: int | None = None
    #: Override the language's limits for a compile.
    compile_cpu_ns: int | None = None
    compile_memory_bytes: int | None = None
    cjk: Cjk = Cjk.FLAG
    #: Reuse the judgement of an equal submission on this machine, if it is stored (with the times of that judging), and
    #: store the new ones.
    verdict_cache: bool = False
    #: How much of what a program wrote to stdout and stderr the result of a test holds.
    shown_bytes: int = 4096

    @property
    def compile_limits(self) -> CompileLimits:
        return self.compile_cpu_ns, self.compile_memory_bytes

    def __post_init__(self) -> None:
        """
        Raises:
            ConfigError: a limit is not positive, or too large.
            TypeError: one is no whole number, or a choice is none of its kind.
        """
        check_type("stop", self.stop, Stop, "a judge.Stop")
        check_type("cjk", self.cjk, Cjk, "a judge.Cjk")
        limits = ("cpu_ns", "memory_bytes", "compile_cpu_ns", "compile_memory_bytes", "shown_bytes")
        check_limits({name: getattr(self, name) for name in limits})
        if not 0 <= self.at_least <= 1:
            raise ConfigError(f"at_least must be a score from 0 to 1, not {self.at_least}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Base of the output: as JSON it has the names of the fields, in their order."""

    def as_dict(self) -> dict[str, Any]:
        return {name: _plain(value) for name, value in shallow(self).items()}

    def to_json(self) -> str:
        """One line of ASCII, which any locale can print, whatever a program wrote."""
        return encode(shallow(self))


def _plain(value: object) -> object:
    if isinstance(value, Result):
        return value.as_dict()
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


@cache
def _reader(kind: Any) -> tuple[tuple[str, ...], attrgetter[tuple[Any, ...]]]:
    names = tuple(field.name for field in fields(kind))
    return names, attrgetter(*names)


def shallow(result: Result) -> dict[str, Any]:
    """Its fields, unconverted, for `encode`: ten times as fast as `as_dict`."""
    kind: Any = type(result)
    names, read = _reader(kind)
    return dict(zip(names, read(result), strict=True))


#: JSON on one line of ASCII; a value may be or contain a `Result`.
encode = json.JSONEncoder(default=shallow).encode


def with_id(text: str, id_: str | None) -> str:
    """The JSON of a Judgement whose id is null, with this id. Nothing before the id can hold the same words."""
    return text if id_ is None else text.replace('"id": null', f'"id": {json.dumps(id_)}', 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileResult(Result):
    verdict: Literal["ok", "error", "time", "memory", "output"]
    output: str = ""  # diagnostics, without host paths
    cpu_ns: int = 0
    wall_ns: int = 0
    #: Compiled before, with these times; "same tokens": of a program that differs in comments or layout only.
    cached: Literal[False, True, "same tokens"] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult(Result):
    __test__ = False  # not a pytest class

    name: str
    group: str
    verdict: Verdict
    score: float | None
    #: What a validator of version `legacy` wrote to score.txt; null: nothing that counts.
    points: float | None = None
    #: What the checker wrote, of a problem whose raw scores have no ceiling; null: of no such problem, or refused.
    raw_score: float | None = None
    cpu_ns: int | None = None
    wall_ns: int | None = None
    memory_bytes: int | None = None
    memory_source: str | None = None
    cgroup_peak_bytes: int | None = None
    exit_code: int | None = None
    signal: str | None = None  # "SIGSEGV"
    detail: str = ""
    stdout: str = ""  # first 4 KiB, U+FFFD for bad bytes
    stderr: str = ""
    #: Of an interactive problem: what both sides wrote, first and last 4 KiB, by lines: ">" before the program's, "<"
    #: before the interactor's; of a communication problem: of each process, below "--- process N". None: of no such
    #: problem.
    conversation: str | None = None
    suspicious: tuple[str, ...] = ()
    #: The verdict of the first run when the test was run again to confirm a time-out; null: not run again.
    confirmed: str | None = None
    #: Why the Chinese-prose filter flagged this test; null: not flagged.
    cjk: str | None = None


_texts = attrgetter("stdout", "stderr", "detail", "conversation")


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedTest(Result):
    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IsolationReport(Result):
    backend: str
    tier: str
    layers: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectiveReport(Result):
    """What a raw score is to be compared with."""

    direction: Literal["max", "min"]
    normaliser: str
    #: As the package states them, for all tests together; null: it does not.
    best: float | None = None
    baseline: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement(Result):
    """One submission on one problem."""

    schema: Literal[1] = 1
    id: str | None = None
    problem: str
    language: str
    verdict: Verdict
    accepted: bool
    score: float | None
    #: Of a problem whose raw scores have no ceiling: of all tests together; null: one of them has none.
    raw_score: float | None = None
    #: null: the problem is none of these.
    objective: ObjectiveReport | None = None
    #: CPU time beside that of the package's fastest accepted submission: 1 is as fast, 2 takes twice as long; null: not
    #: accepted, not asked for, or nothing can be compared.
    efficiency: float | None = None
    #: False: some tests were not run (SK), and `score` counts them as 0.
    complete: bool = True
    compile: CompileResult | None = None
    tests: tuple[TestResult, ...] = ()
    isolation: IsolationReport | None = None
    cpu_ns: int = 0
    wall_ns: int = 0
    memory_bytes: int | None = None
    freopen_neutralised: int = 0
    dropped: tuple[DroppedTest, ...] = ()
    error: str | None = None
    #: True: this is the stored judgement of an equal submission, with the times of that judging.
    cached: bool = False

    def _repr_html_(self) -> str:
        """What a notebook shows of it."""
        from judge.common.shown import judgement  # noqa: PLC0415 - only notebooks need it

        return judgement(self.as_dict())

    @property
    def footprint_bytes(self) -> int:
        """Estimate of the memory that it takes."""
        texts = sum([len(text) for test in self.tests for text in _texts(test) if text])
        return 2048 + 1024 * len(self.tests) + texts


_VERDICTS = {verdict.value: verdict for verdict in Verdict}


def read_judgement(text: str | bytes) -> Judgement:
    """A Judgement out of the JSON that this version of the code, or an earlier one, made of it. Nothing is checked: the
    names of tests may be no Unicode."""
    values: dict[str, Any] = json.loads(text)
    values["verdict"] = _VERDICTS[values["verdict"]]
    values["tests"] = tuple(map(_read_test, values["tests"]))
    values["dropped"] = tuple(DroppedTest(**test) for test in values.get("dropped", ()))
    for name, kind in (("compile", CompileResult), ("objective", ObjectiveReport)):
        if values.get(name) is not None:
            values[name] = kind(**values[name])
    if (walls := values.get("isolation")) is not None:
        values["isolation"] = IsolationReport(**walls | {name: tuple(walls[name]) for name in ("layers", "missing")})
    return Judgement(**values)


def _read_test(values: dict[str, Any]) -> TestResult:
    values["verdict"] = _VERDICTS[values["verdict"]]
    values["suspicious"] = tuple(values.get("suspicious", ()))
    return TestResult(**values)


def make_internal_error(submission: Submission, error: str) -> Judgement:
    """The Judgement of an internal error: no score."""
    return Judgement(
        id=submission.id,
        problem=submission.problem_name,
        language=submission.language,
        verdict=Verdict.IE,
        accepted=False,
        score=None,
        error=error,
    )
