"""The model of a problem, independent of the format that it came from.

    Problem
    ├── limits: Limits                    defaults of all test cases
    ├── checker: Comparison | Program     how output is judged
    ├── interactor: Program | None        talks to the submission instead of a fixed input
    ├── manager: Manager | None           talks to several processes of the submission
    ├── grader: Grader | None             our main() compiled with the submission's functions
    ├── function: Function | None         we call a function of the submission
    ├── file_io: FileIO | None            input and output through named files
    ├── groups: Group...                  subtasks: points, aggregation, dependencies
    └── cases: TestCase...                in judging order, samples first

The model holds what ICPC, Luogu, Hydro, SYZOJ, UOJ, Lemon, DMOJ and Polygon packages can state, so that no importer
needs a new one. Data lie in files; nothing here reads them except `read_input` and `read_answer`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from problems.errors import ProblemError
from problems.text.constants import Constants

MIB = 1024 * 1024
SECOND_NS = 1_000_000_000

#: The most that a limit may be: 11 days, and 16 TiB.
MOST_NS, MOST_BYTES = 10**6 * SECOND_NS, MIB << 24
#: Of a program's arguments: how many, and their bytes together.
MOST_ARGUMENTS, MOST_ARGUMENTS_BYTES = 400, 64 * 1024
#: The most files that a run finds in its working directory.
MOST_FILES = 60
#: The most points that a package may state in one place: sums of them stay far from infinity.
MOST_POINTS = 10**9
#: The largest raw score, and the negative of the least one: sums and quotients of such numbers stay finite.
MOST_RAW_SCORE = 1e100


def usual_wall_ns(cpu_ns: int) -> int:
    """The wall clock's limit where none is stated."""
    return 2 * cpu_ns + SECOND_NS


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of a test case. The defaults here hold for problems that state none."""

    cpu_ns: int = SECOND_NS
    memory_bytes: int = 256 * MIB
    output_bytes: int = 64 * MIB
    #: None: `usual_wall_ns` of the CPU limit.
    wall_ns: int | None = None
    #: Largest source accepted.
    code_bytes: int = 256 * 1024


#: What compiles of languages may take where neither package nor caller says otherwise.
OUR_COMPILE_BYTES = 1024 * MIB
#: Fields of `Limits` that a package may leave to its format.
STATED_LIMITS = ("cpu_ns", "memory_bytes", "output_bytes", "code_bytes")


class Mode(StrEnum):
    """Built-in comparisons of output and answer."""

    EXACT = "exact"
    EXACT_LINES = "exact-lines"
    EXACT_TRIMMED = "exact-trimmed"
    LINES = "lines"
    FULL_LINES = "full-lines"
    STRIPPED_LINES = "stripped-lines"
    ALIKE_SPACES = "alike-spaces"
    TOKENS = "tokens"
    TOKENS_CI = "tokens-ci"
    FLOAT = "float"
    NUMBERS = "numbers"
    YESNO = "yesno"
    TOKENS_BY_LINE = "tokens-by-line"
    TOKENS_BY_EVERY_LINE = "tokens-by-every-line"
    SORTED_LINES = "sorted-lines"
    UNORDERED_TOKENS = "unordered-tokens"
    JSON = "json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A built-in checker.

    `FLOAT` accepts a number within either tolerance of the answer's. Other tokens of the answer compare as text,
    without case if `case_sensitive` is False. `NUMBERS` does so after all but digits, `.` and `-` became blanks, and
    `TOKENS_BY_LINE` line by line if it has a tolerance. `JSON` compares values that functions return (`Function`):
    each line of the answer is a right one, and numbers compare as for `FLOAT`, but two integers are to be equal.
    """

    mode: Mode = Mode.TOKENS
    case_sensitive: bool = True
    #: White space must match, too (ICPC `space_change_sensitive`).
    space_sensitive: bool = False
    absolute_tolerance: float | None = None
    relative_tolerance: float | None = None
    #: A right answer in wrong white space is PE, not WA.
    presentation_error: bool = False


class Convention(StrEnum):
    """How a checker or interactor is called and answers: `judge.checkers.conventions` has a row for each."""

    ICPC = "icpc"
    #: The same, for `max_score: unbounded` and for `Problem.objective`: score.txt holds a raw score.
    ICPC_UNBOUNDED = "icpc-unbounded"
    #: The same, of version `legacy`: a range bounds the points of a group, not those of its tests.
    ICPC_LEGACY = "icpc-legacy"
    TESTLIB = "testlib"
    HUSTOJ = "hustoj"
    LEMON = "lemon"
    LEMON_TESTLIB = "lemon-testlib"
    QDUOJ = "qduoj"
    SYZOJ = "syzoj"
    DMOJ = "dmoj"
    DMOJ_COCI = "dmoj-coci"
    DMOJ_TESTLIB = "dmoj-testlib"
    CMS = "cms"
    OMEGAUP = "omegaup"
    SINOL = "sinol"
    UOJ = "uoj"
    #: Programs of testlib; those of SYZOJ and of Lemon, whose points Hydro rounds; those of Kattis, which give points
    #: where they refuse.
    HYDRO = "hydro"
    HYDRO_SYZOJ = "hydro-syzoj"
    HYDRO_LEMON = "hydro-lemon"
    HYDRO_KATTIS = "hydro-kattis"
    FRONTIER_CS = "frontier-cs"
    SCALEBOX = "scalebox"


#: The language of programs that come with a script `build`, or `run`.
SCRIPTS = "build-run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A custom checker, interactor or manager: source files that we compile and run in a sandbox of its own."""

    convention: Convention
    #: Sources and headers; the first is the one to compile.
    sources: tuple[Path, ...]
    #: Language name; None: by the file's suffix.
    language: str | None = None
    arguments: tuple[str, ...] = ()
    #: What `{{name}}` in its sources stands for.
    constants: Constants = ()
    limits: Limits = Limits(cpu_ns=60 * SECOND_NS, memory_bytes=2048 * MIB)


Checker = Comparison | Program

#: Arguments of each input validator, by its name; under "": of all.
InputValidatorArgs = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grader:
    """Files that lie beside each submission and are compiled with it, by language name prefix (``cpp``, ``c``,
    ``python``). Without any, it only surrounds submissions."""

    files: Mapping[str, tuple[Path, ...]]
    #: Files beside the submissions in each language, unless the language has a file of that name.
    default: tuple[Path, ...] = ()
    #: Name under which the submission's own source must appear, by language.
    submission_name: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    #: Code that is put before and after each submission, by language.
    before: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    after: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


class Equality(StrEnum):
    """When a value that a function returned equals the answer, beyond Python's `==` (`judge/languages/call.py`)."""

    #: Sequences are lists, wherever they lie.
    VALUES = "values"
    #: The outermost tuple is a list: LiveCodeBench.
    PYTHON = "python"
    #: So are the items of the outermost list, if the first is a tuple: APPS.
    APPS = "apps"


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function of the submission, called once for each test. Each line of the input is an argument, as JSON."""

    #: A function, or a method of the class `Solution`.
    name: str
    #: Arguments that are maps, and whose keys are all integers, get integers as keys: JSON has only texts.
    integer_keys: bool = False
    #: Arguments and results keep the types that JSON lacks, and an input may say what to make of the result
    #: (`judge/languages/call.py`).
    python_values: bool = False
    equality: Equality = Equality.VALUES


@dataclass(frozen=True, slots=True, kw_only=True)
class Manager:
    """Of a communication problem: the submission runs in several processes at once, which talk to this program alone.
    Each process gets its number as the last argument."""

    program: Program
    #: How many, from 1 to `MOST_PROCESSES`.
    processes: int
    #: Each process gets /dev/stdin and /dev/stdout as its first arguments: for stubs that open CMS's FIFOs. "swapped":
    #: both sides open the first FIFO of a pair in the direction of the second, as under old versions of CMS. A FIFO of
    #: CMS serves both directions, so these programs still run there.
    fifos: bool | Literal["swapped"] = False


MOST_PROCESSES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class FileIO:
    """Names of the files that a submission reads and writes instead of stdin and stdout (None: the stream)."""

    input: str | None = None
    output: str | None = None


class Aggregation(StrEnum):
    SUM = "sum"
    MIN = "min"
    MAX = "max"
    PRODUCT = "product"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringScript:
    """Computes a group's points instead of `aggregation`, in Luogu's language (`problems.text.script`)."""

    text: str
    #: The number by which the script calls each case and group in the group, by name: @status3, @score3, ….
    numbers: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A subtask: the scores of its cases, and of the groups in it, are aggregated to [0, 1] and multiplied by `points`.

    For a sum a case counts by its weight and a group by its points. The least and the greatest are those of the points
    where a group holds groups; among cases alone weights do not matter.
    """

    name: str
    points: float = 1.0
    #: The fewest that it may have (the lower end of a legacy `range`).
    least: float = 0.0
    #: Name of the group that it lies in; None: its points are a part of the problem's.
    within: str | None = None
    aggregation: Aggregation = Aggregation.SUM
    #: Groups that must be passed (every case AC), or else this one earns nothing.
    requires: tuple[str, ...] = ()
    #: It earns nothing if a case in it, or in a group in it, is refused (is neither AC nor PC).
    void_if_refused: bool = False
    #: False: its cases are run and shown, but not counted (samples of a problem with scores).
    counted: bool = True
    #: Computes its points instead of `aggregation` (legacy `grading: custom`): prog [arguments], each case and group in
    #: it as a line "verdict points" of stdin; it prints such a line, too.
    grader: Program | None = None
    #: The grader is given nothing that follows the first refused case or group (legacy `on_reject: break`).
    grader_stops: bool = False
    #: The same, as a script. A case's weight is its points there.
    script: ScoringScript | None = None


class Direction(StrEnum):
    """Which raw score is the better one."""

    MAX = "max"
    MIN = "min"


class Normaliser(StrEnum):
    """How a raw score becomes a share from 0 to 1 (`judge.ruling.objective`)."""

    RATIO = "ratio"
    LOG_RATIO = "log-ratio"
    RANK = "rank"
    #: The checker says the share itself, beside the raw score.
    OWN = "own"


class Total(StrEnum):
    """The raw score of a submission, from those of its tests."""

    SUM = "sum"
    MEAN = "mean"


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective:
    """Of a problem whose raw scores have no ceiling: which are better, and what they are worth."""

    direction: Direction = Direction.MAX
    normaliser: Normaliser = Normaliser.RATIO
    #: Raw scores of a test, where the test states none of its own: what is worth 1, and what is worth 0.
    best: float | None = None
    baseline: float | None = None
    #: Of other submissions; for `RANK`.
    kept: tuple[float, ...] = ()
    total: Total = Total.SUM


@dataclass(frozen=True, slots=True, kw_only=True)
class TestCase:
    """One input with its answer."""

    __test__ = False  # not a pytest class

    name: str  # e.g. "secret/03"
    group: str  # Group.name
    input: Path
    #: None only if there is an interactor, or if the checker needs no answer.
    answer: Path | None
    weight: float = 1.0
    #: What a checker or interactor writes to score.txt for all of it; None: such files do not count.
    full_score: float | None = 1.0
    #: Raw scores, instead of those of `Problem.objective`.
    best: float | None = None
    baseline: float | None = None
    #: None: the problem's limits.
    limits: Limits | None = None
    sample: bool = False
    arguments: tuple[str, ...] = ()  # of the submission
    input_validator_args: InputValidatorArgs = ()
    checker: Checker | None = None  # instead of the problem's (per-case validator arguments)
    #: Instead of the interactor's own; None: those.
    interactor_arguments: tuple[str, ...] | None = None
    files: tuple[Path, ...] = ()  # extra files in the working directory
    description: str = ""

    def read_input(self) -> bytes:
        return _read(self.input, self.name)

    def read_answer(self) -> bytes:
        return b"" if self.answer is None else _read(self.answer, self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticCase:
    """A test for which `Problem.static_validator` looks at the files of a submission: nothing is run."""

    name: str  # e.g. "secret/static_validation"
    group: str
    weight: float = 1.0
    #: What the validator writes to score.txt for all of it.
    full_score: float = 1.0
    sample: bool = False
    arguments: tuple[str, ...] = ()  # of the validator


#: What gets a result.
Judged = TestCase | StaticCase


def _read(path: Path, name: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ProblemError(f"test {name}: cannot read {path}: {error.strerror}; check the package's data/") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedCase:
    """A test case that is built at first use: the generator with its arguments prints the input, or `input` holds it;
    the solution prints the answer. The SHA-256 sums pin both, so that every machine judges on the same data."""

    name: str
    group: str
    #: A file in generators/, or a directory there (`problems.reading.programs.read_generator`). None: see `input`.
    generator: Path | None = None
    arguments: tuple[str, ...] = ()
    #: The input, where no generator prints it: a file in generators/.
    input: Path | None = None
    input_sha256: str | None = None
    answer_sha256: str | None = None
    weight: float = 1.0
    full_score: float | None = 1.0

    @property
    def given(self) -> Path:
        """`input` of a test without a generator.

        Raises:
            ProblemError: it has neither.
        """
        if self.input is None:
            raise ProblemError(f"generated test {self.name} has neither generator nor input")
        return self.input


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputTrial:
    """An output that the checker must accept, or must refuse: a test of the checker."""

    input: Path
    answer: Path
    output: Path
    accepted: bool
    checker: Checker
    input_validator_args: InputValidatorArgs = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InputTrial:
    """An input that an input validator must refuse: a test of the validators."""

    input: Path
    input_validator_args: InputValidatorArgs = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """What submissions.yaml asks of a submission's tests, beyond the verdicts of its label (2025-09, "Submissions")."""

    #: A pattern of paths of groups and tests below data/. Empty: all tests.
    tests: str = ""
    #: The specification's verdicts: each of the tests may get these. None: any.
    permitted: tuple[str, ...] | None = None
    #: At least one of the tests must get one of these. None: any.
    required: tuple[str, ...] | None = None
    #: The least and the most points, of the submission or of the group that `tests` names.
    points: tuple[float, float] | None = None
    #: A validator says this of at least one of the tests.
    message: str = ""
    #: Whether its times on these tests bound the time limit. It is kept, and not used: `validate` says so.
    use_for_time_limit: bool | Literal["lower", "upper"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSubmission:
    """A submission of the package and the verdicts that it may get, e.g. ``submissions/time_limit_exceeded/n2.cpp``."""

    #: The file with which it begins.
    path: Path
    #: Verdict codes (AC, WA, TLE, RE, MLE, OLE, CE, PE, PC): the submission's verdict must be one of these.
    expected: frozenset[str]
    #: None: by the file's suffix.
    language: str | None = None
    #: Expected score in [0, 1], if the package states one.
    score: float | None = None
    #: The other files of the program, beside the first or below it.
    files: tuple[Path, ...] = ()
    #: Whether its times bound the time limit; "lower" or "upper": on which side, whatever its verdicts say.
    use_for_time_limit: bool | Literal["lower", "upper"] = True
    #: All of them hold, beside `expected`.
    requirements: tuple[Requirement, ...] = ()

    def inside(self, file: Path) -> str:
        """The path of one of its files from where the first lies."""
        return file.relative_to(self.path.parent).as_posix()


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    name: str  # short name: P1001
    directory: Path
    title: Mapping[str, str]  # by language tag: {"zh": …, "en": …}
    limits: Limits = Limits()
    checker: Checker = Comparison()
    kind: Literal["batch", "interactive", "submit-answer", "multi-pass"] = "batch"
    interactor: Program | None = None
    manager: Manager | None = None
    grader: Grader | None = None
    function: Function | None = None
    file_io: FileIO | None = None
    groups: tuple[Group, ...] = ()
    #: None: a test is worth at most its full score.
    objective: Objective | None = None
    cases: tuple[TestCase, ...] = ()
    generated: tuple[GeneratedCase, ...] = ()
    static_cases: tuple[StaticCase, ...] = ()
    #: Looks at the files of a submission, for `static_cases`.
    static_validator: Program | None = None
    #: Prints the answers of `generated` cases.
    solution: Path | None = None
    statements: Mapping[str, Path] = field(default_factory=lambda: MappingProxyType({}))  # by language tag
    submissions: tuple[LabelledSubmission, ...] = ()
    #: Programs that each accept each input.
    input_validators: tuple[Program, ...] = ()
    input_trials: tuple[InputTrial, ...] = ()
    output_trials: tuple[OutputTrial, ...] = ()
    keywords: tuple[str, ...] = ()
    source: str = ""
    license: str = ""
    authors: tuple[str, ...] = ()
    #: What `{{name}}` stands for in statements, graders and labelled submissions.
    constants: Constants = ()
    #: Identity of the problem, the same under all names and formats; "": the writer derives one from the name.
    uuid: str = ""
    #: Languages that may solve it, as the package names them; (): all.
    languages: tuple[str, ...] = ()
    #: What its package does not state, of `STATED_LIMITS`: the format's rule gives it. The time limit of `limits` is
    #: then only the least that the rule can give (`problems.reading.time_rule`).
    unstated: tuple[str, ...] = ()
    #: Limits of compiles, of its own programs and of submissions; None: as the language's file says.
    compile_cpu_ns: int | None = None
    compile_memory_bytes: int | None = None
    #: The most passes of a multi-pass problem.
    passes: int = 1
    format: str = "2025-09"

    @property
    def points(self) -> float:
        """The most that a submission can earn, in the points of its groups."""
        return sum(group.points for group in self.groups if group.counted and group.within is None)

    @property
    def judged(self) -> tuple[Judged, ...]:
        """All that gets a result, in judging order."""
        return (*self.static_cases, *self.cases)

    @property
    def generators(self) -> tuple[Path, ...]:
        """The programs that print inputs of `generated`."""
        return tuple(sorted({case.generator for case in self.generated if case.generator is not None}))

    @property
    def stated_cpu_ns(self) -> int | None:
        """The time limit of its package; None: it states none, and the limit is measured on each machine."""
        return None if "cpu_ns" in self.unstated else self.limits.cpu_ns

    def group(self, name: str) -> Group:
        for group in self.groups:
            if group.name == name:
                return group
        raise ProblemError(f"problem {self.name}: no test group {name!r}")
