"""Writes a `Problem` as a package of version 2025-09.

The comparison is always stated, since the format's own default ignores case. What the format cannot state goes to
judge.yaml, which only we read. The package itself then states the nearest that other tools understand.
"""

from __future__ import annotations

import dataclasses
import shlex
import shutil
import tempfile
import zipfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from problems.errors import ProblemError
from problems.files.tree import PICTURES, VALID_NAME, Tree
from problems.files.yamlfile import yaml_text
from problems.model import (
    SCRIPTS,
    Checker,
    Comparison,
    Convention,
    GeneratedCase,
    LabelledSubmission,
    Problem,
    Program,
    Requirement,
    TestCase,
)
from problems.reading.programs import read_generator
from problems.reading.samples import beside, conversations
from problems.reading.submissions import DIRECTORIES, LEGACY, NOT_TIMED, STANDARD, must_time_out
from problems.reading.time_rule import NOT_ACCEPTED, bounded_side
from problems.writing import dump

#: Directory for submissions whose verdicts no directory name can state.
_MIXED = "mixed"
#: What labels of version `legacy` ask for, as rules of submissions.yaml.
_LEGACY_RULES = {
    "time_limit_exceeded": {"permitted": ["AC", "TLE", "WA"], "required": ["TLE"]},
    "run_time_error": {"permitted": ["AC", "RTE", "TLE", "WA"], "required": ["RTE"]},
}
_ICPC = {"AC": "AC", "WA": "WA", "PE": "WA", "PC": "WA", "TLE": "TLE", "RE": "RTE", "MLE": "RTE", "OLE": "RTE"}


def write(problem: Problem, target: Path) -> Path:
    """Write the package into `target`: a directory that does not exist or is empty, or a new .zip or .kpp file.

    Raises:
        ProblemError: the target is taken, or a name cannot be in a package.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ProblemError(f"{target}: exists already; choose another place or remove it")
    try:
        if target.suffix not in (".zip", ".kpp"):
            _PackageWriter(problem, target).write()
            return target
        with tempfile.TemporaryDirectory(prefix="judge-write-") as temporary:
            root = Path(temporary) / target.stem
            _PackageWriter(problem, root).write()
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


class _PackageWriter:
    def __init__(self, problem: Problem, root: Path) -> None:
        self.problem = problem
        self.root = root
        #: Content of judge.yaml, which the steps below fill.
        self.extension: dict[str, Any] = {}
        #: What a reader derives for each case.
        self.full_scores = dump.full_scores(problem)

    def write(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        self._yaml("problem.yaml", dump.metadata(self.problem))
        self._extend("limits", dump.inexact_limits(self.problem.limits))
        self._statements()
        directories, groups = dump.groups(self.problem)
        for name, data in directories.items():
            self._yaml(f"data/{_check_name(name)}/test_group.yaml", data)
        self._extend("groups", groups)
        self._extend("objective", dump.objective(self.problem))
        names = [case.name for case in self.problem.cases] + [case.name for case in self.problem.generated]
        twice = Counter(names).most_common(1)
        if twice and twice[0][1] > 1:
            raise ProblemError(
                f"problem {self.problem.name}: two tests have the name {twice[0][0]}; rename one of them"
            )
        for case in self.problem.cases:
            self._case(case)
        for path in conversations(self.problem):
            self._copy(path, "data/sample", path.name)
        self._checker()
        if self.problem.static_validator is not None:
            self._copy_program(self.problem.static_validator, "static_validator", "static_validator")
        self._validators()
        self._grader()
        placed = self._submissions()
        self._write_generated(placed)
        if self.extension:
            self._yaml("judge.yaml", self.extension)

    def _statements(self) -> None:
        for language, path in self.problem.statements.items():
            self._copy(path, "statement", f"problem.{language}{path.suffix}")
            for neighbour in Tree.around(self.problem.directory, path).beside(path):  # pictures
                if neighbour.suffix in PICTURES and not neighbour.name.startswith("problem."):
                    self._copy(neighbour, "statement", neighbour.name)

    def _case(self, case: TestCase) -> None:
        base = f"data/{_check_name(case.name)}"
        self._copy(case.input, f"{base}.in")
        if case.answer is None:
            self._bytes(f"{base}.ans", b"")
        else:
            self._copy(case.answer, f"{base}.ans")
        for suffix, path in beside(self.problem, case).items():
            self._copy(path, f"{base}{suffix}")
        for file in case.files:
            self._copy(file, f"{base}.files", file.name)
        data: dict[str, Any] = {}
        if case.arguments:
            data["args"] = list(case.arguments)
        if case.checker is not None and self._same_program(case.checker):
            data["output_validator_args"] = list(dump.validator_args(self.problem, case.checker))
        elif case.interactor_arguments is not None:
            data["output_validator_args"] = list(case.interactor_arguments)
        data |= dump.input_args(case.input_validator_args)
        if case.description:
            data["description"] = case.description
        if data:
            self._yaml(f"{base}.yaml", data)
        own: dict[str, Any] = {}
        if case.weight != 1:
            own["weight"] = case.weight
        if case.full_score is not None and case.full_score != self.full_scores.get(case.name, 1.0):
            own["full_score"] = case.full_score
        own |= {key: value for key in ("best", "baseline") if (value := getattr(case, key)) is not None}
        if case.limits is not None:
            own["limits"] = dump.exact_limits(case.limits)
        if isinstance(case.checker, Comparison) and not (self._plain() and dump.sayable(case.checker)):
            own["comparison"] = dump.comparison(case.checker)
        if own:
            self.extension.setdefault("cases", {})[case.name] = own

    def _same_program(self, checker: Checker) -> bool:
        """Whether a case's checker is the problem's, up to arguments. Raises ProblemError on another program."""
        common = self.problem.checker
        if isinstance(checker, Comparison):
            return isinstance(common, Comparison)
        if isinstance(common, Program) and checker.sources == common.sources:
            return True
        raise ProblemError(
            f"problem {self.problem.name}: a case has a checker program of its own; use one for all cases"
        )

    def _plain(self) -> bool:
        """Whether output validator arguments can state the problem's comparison, and so that of a case."""
        return isinstance(self.problem.checker, Comparison) and dump.sayable(self.problem.checker)

    def _checker(self) -> None:
        problem, checker = self.problem, self.problem.checker
        interactor = problem.interactor
        if isinstance(checker, Program):
            self._copy_program(checker, "output_validator", "checker")
        elif not dump.sayable(checker) or (interactor is not None and checker != Comparison()):
            self.extension["comparison"] = dump.comparison(checker)
        if interactor is not None:
            both = isinstance(checker, Program)
            self._copy_program(interactor, "interactor" if both else "output_validator", "interactor")
            if both and interactor.arguments:
                self._extend("interactor", {"arguments": list(interactor.arguments)})
        if (manager := problem.manager) is not None:
            self._copy_program(manager.program, "manager", "manager")
            self._extend("manager", dump.manager(manager))
        if problem.file_io is not None:
            names = {"input": problem.file_io.input, "output": problem.file_io.output}
            self.extension["file_io"] = {key: name for key, name in names.items() if name is not None}
        if problem.function is not None:
            function = problem.function
            self.extension["function"] = dataclasses.asdict(function) | {"equality": function.equality.value}

    def _copy_program(self, program: Program, directory: str, key: str) -> None:
        scripted = program.language == SCRIPTS  # such a program may have directories
        for source in program.sources:
            parts = source.relative_to(program.sources[0].parent).parts if scripted else (source.name,)
            self._copy(source, directory, *parts)
        data: dict[str, Any] = {}
        if program.convention is not Convention.ICPC:
            data["convention"] = str(program.convention)
        if program.language is not None and not scripted:
            data["language"] = program.language
        if len(program.sources) > 1 and not scripted:
            data["main"] = program.sources[0].name
        self._extend(key, data)

    def _validators(self) -> None:
        """Input validators, and the data that tests validators."""
        problem = self.problem
        for program in problem.input_validators:
            if program.language == SCRIPTS:
                top = program.sources[0].parent
                for source in program.sources:
                    self._copy(source, "input_validators", top.name, *source.relative_to(top).parts)
                continue
            below = [program.sources[0].stem] if len(program.sources) > 1 else []
            for source in program.sources:
                self._copy(source, "input_validators", *below, source.name)
        for trial in problem.input_trials:
            self._copy(trial.input, "data/invalid_input", trial.input.name)
            self._trial(f"data/invalid_input/{trial.input.stem}.yaml", dump.input_args(trial.input_validator_args))
        for one in problem.output_trials:
            place = "data/valid_output" if one.accepted else "data/invalid_output"
            for path, suffix in ((one.input, "in"), (one.answer, "ans"), (one.output, "out")):
                self._copy(path, place, f"{one.output.stem}.{suffix}")
            stated = dump.input_args(one.input_validator_args)
            if arguments := dump.validator_args(problem, one.checker):
                stated["output_validator_args"] = list(arguments)
            self._trial(f"{place}/{one.output.stem}.yaml", stated)

    def _trial(self, name: str, stated: Mapping[str, Any]) -> None:
        if stated:
            self._yaml(name, stated)

    def _grader(self) -> None:
        grader = self.problem.grader
        if grader is None:
            return
        for language, files in (*grader.files.items(), ("default", grader.default)):
            for file in files:
                self._copy(file, f"include/{'python3' if language == 'python' else language}", file.name)
        for key in ("submission_name", "before", "after"):
            if stated := getattr(grader, key):
                self._extend("grader", {key: dict(stated)})

    def _submissions(self) -> Mapping[Path, str]:
        """Write the submissions. Returns the place of each in the package."""
        placed: dict[Path, str] = {}
        rules: dict[str, dict[str, Any]] = {}
        for submission in self.problem.submissions:
            directory = directory_of(submission)
            alone = f"{directory}/{submission.path.name}"
            apart = bool(submission.files) or alone in placed.values()
            name = f"{directory}/{submission.path.parent.name}" if apart else alone
            if name in placed.values():
                raise ProblemError(
                    f"problem {self.problem.name}: two submissions are called {name}; rename one of them"
                )
            placed[submission.path] = name
            if apart:
                for path in (submission.path, *submission.files):
                    self._copy(path, f"submissions/{name}", submission.inside(path))
            else:
                self._copy(submission.path, f"submissions/{name}")
            rule: dict[str, Any] = {}
            if submission.language is not None and submission.language != "outputs":
                rule["language"] = submission.language
            if submission.files and submission.language != "outputs":
                rule["entrypoint"] = submission.path.name
            if (timed := _is_timed(self.problem, submission)) is not True:
                rule["use_for_time_limit"] = timed
            if submission.score is not None:
                rule["score"] = submission.score * self.problem.points
            for one in submission.requirements:
                (rule.setdefault(one.tests, {}) if one.tests else rule).update(_state_requirement(one))
            if directory in STANDARD and submission.expected == LEGACY.get(directory):
                rules[directory] = _LEGACY_RULES[directory]
            elif directory == _MIXED:
                rule |= _verdicts(submission.expected)
                self.extension.setdefault("submissions", {})[name] = sorted(submission.expected)
            elif submission.expected != DIRECTORIES[directory]:
                self.extension.setdefault("submissions", {})[name] = sorted(submission.expected)
            elif directory not in STANDARD:
                rules[directory] = _verdicts(submission.expected)
            if rule:
                rules[name] = rule
        if rules:
            self._yaml("submissions/submissions.yaml", rules)
        return placed

    def _write_generated(self, placed: Mapping[Path, str]) -> None:
        problem = self.problem
        if not problem.generated:
            return
        secret: list[dict[str, Any]] = []
        sample: list[dict[str, Any]] = []
        sums = []
        for case in problem.generated:
            top, _, rest = _check_name(case.name).partition("/")
            (sample if top == "sample" else secret).append({rest: self._recipe(case)})
            for suffix, digest in (("in", case.input_sha256), ("ans", case.answer_sha256)):
                if digest is not None:
                    sums.append(f"{digest}  {case.name}.{suffix}\n")
            if case.weight != 1:
                self.extension.setdefault("cases", {})[case.name] = {"weight": case.weight}
        sources = {  # they may share files
            source: source.relative_to(generator.parent).parts
            for generator in problem.generators
            for source in read_generator(generator).sources
        }
        for source, parts in sources.items():
            self._copy(source, "generators", *parts)
        data = {"data": {key: {"data": cases} for key, cases in (("sample", sample), ("secret", secret)) if cases}}
        self._yaml("generators/generators.yaml", self._solution(placed) | data)
        if sums:
            self._bytes("generators/sha256sums", "".join(sums).encode())

    def _recipe(self, case: GeneratedCase) -> Any:
        """Its entry in generators.yaml."""
        if case.generator is not None:
            return shlex.join((case.generator.name, *case.arguments))
        place = f"manual/{case.name}"
        self._copy(case.given, "generators", f"{place}.in")
        return {"copy": place}

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
        _check_name(parts[-1])
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)

    def _bytes(self, name: str, data: bytes) -> None:
        target = self.root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)

    def _yaml(self, name: str, data: Mapping[str, Any]) -> None:
        self._bytes(name, yaml_text(data).encode())


def _check_name(name: str) -> str:
    if not all(VALID_NAME.fullmatch(part) for part in name.split("/")):
        raise ProblemError(f"name {name!r} cannot be in a package; use letters, digits, '_', '.' and '-' only")
    return name


def directory_of(submission: LabelledSubmission) -> str:
    if submission.expected == {"RE"}:  # narrower than the format's label
        return "run_time_error"
    if must_time_out(submission):
        return "time_limit_exceeded"
    own = submission.path.parent.parent.name if submission.files else submission.path.parent.name
    timed = submission.use_for_time_limit is not False
    if submission.expected in (DIRECTORIES.get(own), LEGACY.get(own)) and timed is (own not in NOT_TIMED):
        return own
    for name, expected in DIRECTORIES.items():
        if expected == submission.expected and name not in NOT_TIMED:
            return name
    return _MIXED


def _is_timed(problem: Problem, submission: LabelledSubmission) -> bool | Literal["lower", "upper"]:
    """Whether it bounds a time limit that is not stated; in version `legacy` accepted ones alone bound it so."""
    if "cpu_ns" in problem.unstated and bounded_side(problem, submission) == NOT_ACCEPTED:
        return False
    return submission.use_for_time_limit


def _state_requirement(one: Requirement) -> dict[str, Any]:
    """What a requirement asks, as submissions.yaml says it."""
    stated = {
        "permitted": None if one.permitted is None else list(one.permitted),
        "required": None if one.required is None else list(one.required),
        "score": None if one.points is None else list(one.points),
        "message": one.message or None,
        "use_for_time_limit": one.use_for_time_limit,
    }
    return {key: value for key, value in stated.items() if value is not None}


def _verdicts(expected: frozenset[str]) -> dict[str, Any]:
    """A rule of submissions.yaml: the nearest that the specification's four verdicts can state."""
    codes = {_ICPC[code] for code in expected if code in _ICPC}
    return {"permitted": sorted(codes | {"AC"}), "required": sorted(codes)} if codes else {}
