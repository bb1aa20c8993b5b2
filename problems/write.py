"""Write a `Problem` as a package of version 2025-09, which is also how it is stored.

The comparison rule is always stated, since the format's own default ignores case. What the format cannot say goes to
judge.yaml, which only we read; the package itself then says the nearest that other tools understand.
"""

from __future__ import annotations

import math
import shutil
import tempfile
import uuid
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from problems.comparison import from_arguments, to_arguments
from problems.errors import ProblemError
from problems.metadata import LICENSES
from problems.model import (
    MIB,
    SECOND_NS,
    Aggregation,
    Checker,
    Comparison,
    Convention,
    GeneratedCase,
    Group,
    LabelledSubmission,
    Limits,
    Problem,
    Program,
    TestCase,
)
from problems.submissions import DIRECTORIES, STANDARD
from problems.tree import VALID_NAME

KIB = 1024
#: Directory of submissions whose verdicts no directory name says.
_MIXED = "mixed"
_ICPC = {"AC": "AC", "WA": "WA", "PE": "WA", "PC": "WA", "TLE": "TLE", "RE": "RTE", "MLE": "RTE", "OLE": "RTE"}
_PICTURES = (".png", ".jpg", ".jpeg", ".svg")


def write(problem: Problem, target: Path) -> Path:
    """Write the package into `target`: a directory that does not exist or is empty, or a new .zip or .kpp file.

    Raises:
        ProblemError: the target is taken, or a name cannot be in a package.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ProblemError(f"{target}: exists already; choose another place or remove it")
    try:
        if target.suffix not in (".zip", ".kpp"):
            _Writer(problem, target).write()
            return target
        with tempfile.TemporaryDirectory(prefix="judge-write-") as temporary:
            root = Path(temporary) / target.stem
            _Writer(problem, root).write()
            _zip(root, target)
    except OSError as error:
        name = error.filename or target
        raise ProblemError(f"{name}: cannot be written: {error.strerror}; check permissions and free space") from error
    return target


def _zip(root: Path, target: Path) -> None:
    with zipfile.ZipFile(target, "x", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(root.rglob("*")):
            if path.is_file():
                # A fixed time: the same package gives the same bytes.
                info = zipfile.ZipInfo(f"{root.name}/{path.relative_to(root).as_posix()}", (1980, 1, 1, 0, 0, 0))
                info.compress_type = zipfile.ZIP_DEFLATED
                info.external_attr = 0o644 << 16
                archive.writestr(info, path.read_bytes())


class _Writer:
    def __init__(self, problem: Problem, root: Path) -> None:
        self.problem = problem
        self.root = root
        #: judge.yaml, filled on the way.
        self.extension: dict[str, Any] = {}

    def write(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        self._yaml("problem.yaml", self._metadata())
        self._statements()
        self._groups()
        for case in self.problem.cases:
            self._case(case)
        self._checker()
        self._grader()
        placed = self._submissions()
        self._generated(placed)
        if self.extension:
            self._yaml("judge.yaml", self.extension)

    def _metadata(self) -> dict[str, Any]:
        problem = self.problem
        types = ["scoring" if self._scores() else "pass-fail"]
        if problem.kind != "batch":
            types.append(problem.kind)
        if problem.passes > 1 and problem.kind != "multi-pass":
            types.append("multi-pass")
        title = dict(problem.title) or {"en": problem.name}
        data: dict[str, Any] = {
            "problem_format_version": "2025-09",
            "type": types[0] if len(types) == 1 else types,
            "name": title,
            "uuid": problem.uuid or str(uuid.uuid5(uuid.NAMESPACE_URL, f"problem:{problem.name}")),
        }
        if problem.authors:
            data["credits"] = {"authors": list(problem.authors)}
        if problem.source:
            data["source"] = problem.source
        if problem.license in LICENSES:
            data["license"] = problem.license
        data["limits"] = self._limits()
        for key in ("keywords", "languages"):
            if getattr(problem, key):
                data[key] = list(getattr(problem, key))
        return data

    def _limits(self) -> dict[str, Any]:
        """Units of the format, rounded up; judge.yaml has the exact ones where that loses something."""
        limits = self.problem.limits
        data: dict[str, Any] = {
            "time_limit": _number(limits.cpu_ns / SECOND_NS),
            "memory": math.ceil(limits.memory_bytes / MIB),
            "output": math.ceil(limits.output_bytes / MIB),
            "code": math.ceil(limits.code_bytes / KIB),
        }
        if self.problem.passes > 1:
            data["validation_passes"] = self.problem.passes
        program = self._program()
        if program is not None:
            data["validation_time"] = _number(program.limits.cpu_ns / SECOND_NS)
            data["validation_memory"] = math.ceil(program.limits.memory_bytes / MIB)
            data["validation_output"] = math.ceil(program.limits.output_bytes / MIB)
        exact = {
            "memory_bytes": limits.memory_bytes if limits.memory_bytes % MIB else None,
            "output_bytes": limits.output_bytes if limits.output_bytes % MIB else None,
            "code_bytes": limits.code_bytes if limits.code_bytes % KIB else None,
            "wall_ns": limits.wall_ns,
        }
        self._extend("limits", {key: value for key, value in exact.items() if value is not None})
        return data

    def _program(self) -> Program | None:
        checker = self.problem.checker
        return checker if isinstance(checker, Program) else self.problem.interactor

    def _scores(self) -> bool:
        """Whether groups say more than that every case counts the same."""
        counted = [group for group in self.problem.groups if group.counted]
        sizes = self._sizes()
        return any(
            group.aggregation is not Aggregation.SUM
            or group.requires
            or group.points != (sizes.get(group.name, 0) if len(counted) > 1 else 1)
            for group in counted
        )

    def _sizes(self) -> dict[str, int]:
        sizes: dict[str, int] = {}
        for case in self._cases():
            sizes[case.group] = sizes.get(case.group, 0) + 1
        return sizes

    def _statements(self) -> None:
        for language, path in self.problem.statements.items():
            self._copy(path, "statement", f"problem.{language}{path.suffix}")
            for neighbour in sorted(path.parent.iterdir()):  # pictures
                if neighbour.suffix in _PICTURES and not neighbour.name.startswith("problem."):
                    self._copy(neighbour, "statement", neighbour.name)

    def _groups(self) -> None:
        """test_group.yaml of every directory that has cases or points."""
        problem, scores = self.problem, self._scores()
        arguments = {"output_validator_args": list(self._arguments())}
        directories: dict[str, dict[str, Any]] = {"secret": dict(arguments)}
        for case in self._cases():
            inside = case.name.startswith(f"{case.group}/")
            directories.setdefault(case.group if inside else case.name.split("/")[0], dict(arguments))
        for group in problem.groups:
            data = directories.setdefault(group.name, dict(arguments))
            if scores and group.counted:
                data |= self._scoring(group)
            self._extend_group(group, scores=scores)
        several = [group for group in problem.groups if group.counted and group.name != "secret"]
        if scores and several:
            directories["secret"]["max_score"] = sum(math.ceil(group.points) for group in several)
        for name, data in directories.items():
            self._yaml(f"data/{_checked(name)}/test_group.yaml", data)

    def _cases(self) -> list[TestCase | GeneratedCase]:
        return [*self.problem.cases, *self.problem.generated]

    def _required(self) -> set[str]:
        return {name for group in self.problem.groups for name in group.requires}

    def _scoring(self, group: Group) -> dict[str, Any]:
        deep = group.name == "secret" and any(
            case.group == "secret" and case.name.count("/") > 1 for case in self._cases()
        )
        if deep and group.aggregation is not Aggregation.MIN:
            raise ProblemError(
                f"problem {self.problem.name}: group 'secret' has points and cases in directories of their own; "
                "make these directories groups"
            )
        passing = group.aggregation is Aggregation.MIN and (group.name != "secret" or deep)
        if group.name in self._required():
            passing = True  # the format lets only such groups be required
        mode = "pass-fail" if passing else "sum" if group.aggregation is Aggregation.SUM else "min"
        data: dict[str, Any] = {"max_score": math.ceil(group.points), "score_aggregation": mode}
        if group.requires:
            data["require_pass"] = list(group.requires)
        return data

    def _extend_group(self, group: Group, *, scores: bool) -> None:
        own: dict[str, Any] = {}
        if (scores and group.counted and group.points != math.ceil(group.points)) or (
            group.name == "sample" and group.points != 1
        ):
            own["points"] = group.points
        lost = group.aggregation is Aggregation.PRODUCT or (
            group.name in self._required() and group.aggregation is Aggregation.SUM
        )
        if lost and group.name != "sample":
            own["aggregation"] = str(group.aggregation)
        if group.counted != (group.name != "sample"):
            own["counted"] = group.counted
        if own:
            self.extension.setdefault("groups", {})[group.name] = own

    def _arguments(self, checker: Checker | None = None) -> tuple[str, ...]:
        checker = checker or self.problem.checker
        if isinstance(checker, Program):
            return checker.arguments
        if self.problem.interactor is not None:
            return self.problem.interactor.arguments
        return to_arguments(checker)

    def _case(self, case: TestCase) -> None:
        base = f"data/{_checked(case.name)}"
        self._copy(case.input, f"{base}.in")
        if case.answer is None:
            self._bytes(f"{base}.ans", b"")
        else:
            self._copy(case.answer, f"{base}.ans")
        for file in case.files:
            self._copy(file, f"{base}.files", file.name)
        data: dict[str, Any] = {}
        if case.arguments:
            data["args"] = list(case.arguments)
        if case.checker is not None and self._same_program(case.checker):
            data["output_validator_args"] = list(self._arguments(case.checker))
        if case.description:
            data["description"] = case.description
        if data:
            self._yaml(f"{base}.yaml", data)
        own: dict[str, Any] = {}
        if case.weight != 1:
            own["weight"] = case.weight
        if case.limits is not None:
            own["limits"] = _exact(case.limits)
        if isinstance(case.checker, Comparison) and not (self._plain() and _sayable(case.checker)):
            own["comparison"] = _comparison(case.checker)
        if own:
            self.extension.setdefault("cases", {})[case.name] = own

    def _same_program(self, checker: Checker) -> bool:
        """A case's own checker may differ from the problem's in its arguments only."""
        common = self.problem.checker
        if isinstance(checker, Comparison):
            return isinstance(common, Comparison)
        if isinstance(common, Program) and checker.sources == common.sources:
            return True
        raise ProblemError(
            f"problem {self.problem.name}: a case has a checker program of its own; use one for all cases"
        )

    def _plain(self) -> bool:
        """Whether the output validator arguments of a case choose its comparison."""
        return isinstance(self.problem.checker, Comparison) and _sayable(self.problem.checker)

    def _checker(self) -> None:
        problem, checker = self.problem, self.problem.checker
        interactor = problem.interactor
        if isinstance(checker, Program):
            self._copy_program(checker, "output_validator", "checker")
        elif not _sayable(checker) or (interactor is not None and checker != Comparison()):
            self.extension["comparison"] = _comparison(checker)
        if interactor is not None:
            both = isinstance(checker, Program)
            self._copy_program(interactor, "interactor" if both else "output_validator", "interactor")
            if both and interactor.arguments:
                self._extend("interactor", {"arguments": list(interactor.arguments)})
        if problem.file_io is not None:
            names = {"input": problem.file_io.input, "output": problem.file_io.output}
            self.extension["file_io"] = {key: name for key, name in names.items() if name is not None}

    def _copy_program(self, program: Program, directory: str, key: str) -> None:
        for source in program.sources:
            self._copy(source, directory, source.name)
        data: dict[str, Any] = {}
        if program.convention is not Convention.ICPC:
            data["convention"] = str(program.convention)
        if program.language is not None:
            data["language"] = program.language
        if len(program.sources) > 1:
            data["main"] = program.sources[0].name
        self._extend(key, data)

    def _grader(self) -> None:
        grader = self.problem.grader
        if grader is None:
            return
        for language, files in grader.files.items():
            for file in files:
                self._copy(file, f"include/{'python3' if language == 'python' else language}", file.name)
        if grader.submission_name:
            self.extension["grader"] = {"submission_name": dict(grader.submission_name)}

    def _submissions(self) -> Mapping[Path, str]:
        """Returns where each submission lies in the package."""
        placed: dict[Path, str] = {}
        rules: dict[str, dict[str, Any]] = {}
        points = sum(group.points for group in self.problem.groups if group.counted)
        for submission in self.problem.submissions:
            directory = _directory(submission)
            name = f"{directory}/{submission.path.name}"
            if name in placed.values():
                raise ProblemError(
                    f"problem {self.problem.name}: two submissions are called {name}; rename one of them"
                )
            placed[submission.path] = name
            self._copy(submission.path, f"submissions/{name}")
            rule: dict[str, Any] = {}
            if submission.language is not None:
                rule["language"] = submission.language
            if submission.score is not None:
                rule["score"] = submission.score * points
            if directory == _MIXED:
                rule |= _verdicts(submission.expected)
                self.extension.setdefault("submissions", {})[name] = sorted(submission.expected)
            elif directory not in STANDARD:
                rules[directory] = _verdicts(submission.expected)
            if rule:
                rules[name] = rule
        if rules:
            self._yaml("submissions/submissions.yaml", rules)
        return placed

    def _generated(self, placed: Mapping[Path, str]) -> None:
        problem = self.problem
        if not problem.generated:
            return
        secret: list[dict[str, str]] = []
        sample: list[dict[str, str]] = []
        sums = []
        for case in problem.generated:
            top, _, rest = _checked(case.name).partition("/")
            command = " ".join((case.generator.name, *case.arguments))
            (sample if top == "sample" else secret).append({rest: command})
            for suffix, digest in (("in", case.input_sha256), ("ans", case.answer_sha256)):
                if digest is not None:
                    sums.append(f"{digest}  {case.name}.{suffix}\n")
            if case.weight != 1:
                self.extension.setdefault("cases", {})[case.name] = {"weight": case.weight}
        for directory in {case.generator.parent for case in problem.generated}:
            for file in sorted(directory.iterdir()):  # generators may import their neighbours
                if file.suffix == ".py":
                    self._copy(file, "generators", file.name)
        data = {"data": {key: {"data": cases} for key, cases in (("sample", sample), ("secret", secret)) if cases}}
        self._yaml("generators/generators.yaml", self._solution(placed) | data)
        if sums:
            self._bytes("generators/sha256sums", "".join(sums).encode())

    def _solution(self, placed: Mapping[Path, str]) -> dict[str, Any]:
        solution = self.problem.solution
        if solution is None:
            return {}
        if solution in placed:
            return {"solution": f"/submissions/{placed[solution]}"}
        self._copy(solution, f"solution/{solution.name}")
        return {"solution": f"/solution/{solution.name}"}

    def _extend(self, key: str, data: Mapping[str, Any]) -> None:
        if data:
            self.extension.setdefault(key, {}).update(data)

    def _copy(self, source: Path, *parts: str) -> None:
        target = self.root.joinpath(*parts)
        _checked(parts[-1])
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)

    def _bytes(self, name: str, data: bytes) -> None:
        target = self.root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)

    def _yaml(self, name: str, data: Mapping[str, Any]) -> None:
        text = yaml.safe_dump(dict(data), allow_unicode=True, sort_keys=False, width=110)
        self._bytes(name, text.encode())


def _checked(name: str) -> str:
    if not all(VALID_NAME.fullmatch(part) for part in name.split("/")):
        raise ProblemError(f"name {name!r} cannot be in a package; use letters, digits, '_', '.' and '-' only")
    return name


def _number(value: float) -> int | float:
    return int(value) if value == int(value) else value


def _sayable(comparison: Comparison) -> bool:
    """Whether output validator arguments say exactly this rule."""
    return from_arguments(to_arguments(comparison)) == comparison


def _comparison(comparison: Comparison) -> dict[str, Any]:
    default = Comparison()
    data = {"mode": str(comparison.mode)}
    names = ("case_sensitive", "space_sensitive", "absolute_tolerance", "relative_tolerance", "presentation_error")
    return data | {
        name: getattr(comparison, name) for name in names if getattr(comparison, name) != getattr(default, name)
    }


def _exact(limits: Limits) -> dict[str, int]:
    names = ("cpu_ns", "wall_ns", "memory_bytes", "output_bytes", "code_bytes")
    return {name: getattr(limits, name) for name in names if getattr(limits, name) is not None}


def _directory(submission: LabelledSubmission) -> str:
    for name, expected in DIRECTORIES.items():
        if expected == submission.expected:
            return name
    return _MIXED


def _verdicts(expected: frozenset[str]) -> dict[str, Any]:
    """The nearest that the specification's four verdicts can say."""
    codes = {_ICPC[code] for code in expected if code in _ICPC}
    return {"permitted": sorted(codes | {"AC"}), "required": sorted(codes)} if codes else {}
