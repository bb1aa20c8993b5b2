"""Reads a problem package of any version into a `Problem`.

problem.yaml                `metadata` (2025-09, 2023-07-draft), `legacy`
data/, generators/          `testdata`, `grouping`, `generated`
output_validator/, include/ `programs`
submissions/                `submissions`
statement/                  here
judge.yaml                  `extension`: what the format cannot state
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from problems.errors import ProblemError
from problems.files.tree import Tree
from problems.files.yamlfile import Strict
from problems.model import (
    Checker,
    Comparison,
    Convention,
    Direction,
    Function,
    Grader,
    Group,
    Manager,
    Mode,
    Problem,
    Program,
    TestCase,
)
from problems.reading.comparison import from_arguments
from problems.reading.entries import refuse_misspelt, refuse_unread
from problems.reading.grouping import check_groups, with_grading
from problems.reading.metadata import Metadata, check_version, from_yaml
from problems.reading.objective import apply_objective, refuse_idle, with_full_scores_as_best
from problems.reading.points import scores, with_convention, with_full_scores
from problems.reading.programs import name_submissions, read_grader, read_program
from problems.reading.submissions import read_submissions
from problems.reading.testdata import MakeChecker, TestData, read_testdata
from problems.reading.validators import read_input_trials, read_input_validators, read_output_trials

if TYPE_CHECKING:
    from problems.reading.extension import Extension, ManagerYaml

_VERSION = re.compile(r"""^(?:[^\S\n]|[{"'])*+problem_format_version["']?\s*+:\s*+["']?([^\s"',}#]+)""", re.MULTILINE)
_STATEMENT = re.compile(r"problem(?:\.([a-z]{2,3}(?:-[A-Z]{2})?))?\.(md|tex|pdf)")
_OLD_PLACE, _PLACE = "output_validators", "output_validator"


def read(directory: Path, *, shown: str | None = None, name: str | None = None) -> Problem:
    """Read the package in `directory`. Messages call it `shown`; `name` is the problem's, if not the directory's.

    Raises:
        ProblemError: the package cannot be used; the message names the file, the line if known, and the remedy.
    """
    tree = Tree(root=directory, shown=shown or str(directory))
    refuse_misspelt(tree)
    metadata = read_metadata(tree)
    extension = _extension(tree)
    interactor, program = _programs(tree, metadata, extension)
    comparison = extension.comparison.build() if extension and extension.comparison else None
    make_checker = _checker_maker(tree, comparison, program or interactor)
    graded = with_grading(tree, metadata)
    data = read_testdata(tree, graded, make_checker, _stated_points(extension))
    if interactor is not None and program is None:
        interactor, data = _give_arguments(data, interactor, comparison or Comparison())
    problem = Problem(
        name=name or directory.name,
        directory=directory,
        title=MappingProxyType(dict(metadata.title)),
        limits=metadata.limits,
        checker=data.checker,
        kind=metadata.kind,
        interactor=interactor,
        grader=read_grader(tree),
        groups=data.groups,
        cases=data.cases,
        generated=data.generated,
        static_cases=data.static,
        static_validator=_static_validator(tree, metadata, extension),
        solution=data.solution,
        statements=read_statements(tree),
        keywords=metadata.keywords,
        source=metadata.source,
        license=metadata.license,
        authors=metadata.authors,
        constants=metadata.constants,
        uuid=metadata.uuid,
        languages=metadata.languages,
        passes=metadata.passes,
        format=metadata.version,
    )
    problem = _apply_extension(tree, graded, extension, data, _apply_limits(metadata, problem))
    return _verifiable(tree, metadata, extension, make_checker, problem)


def _apply_limits(metadata: Metadata, problem: Problem) -> Problem:
    """The problem with what its package does not state, and with the limits of compiles."""
    return dataclasses.replace(
        problem,
        unstated=metadata.unstated,
        compile_cpu_ns=metadata.compile_cpu_ns,
        compile_memory_bytes=metadata.compile_memory_bytes,
    )


def _verifiable(
    tree: Tree, metadata: Metadata, extension: Extension | None, make_checker: MakeChecker, problem: Problem
) -> Problem:
    """The problem with what only serves to verify it."""
    exact = extension.submissions if extension else {}
    submissions = read_submissions(
        tree, metadata.version, problem.points, exact, outputs=problem.kind == "submit-answer"
    )
    return dataclasses.replace(
        problem,
        submissions=submissions,
        grader=problem.grader and name_submissions(tree, problem.grader, submissions),
        input_validators=read_input_validators(tree, metadata),
        input_trials=read_input_trials(tree, metadata),
        output_trials=read_output_trials(tree, metadata, make_checker),
    )


def _stated_points(extension: Extension | None) -> dict[str, float]:
    """Of groups. Where raw scores are made shares, the points of all may be any number."""
    groups = extension.groups if extension else {}
    usual = {"secret": 100.0} if extension and extension.objective else {}
    return usual | {name: group.points for name, group in groups.items() if group.points is not None}


def _apply_extension(
    tree: Tree, metadata: Metadata, extension: Extension | None, data: TestData, problem: Problem
) -> Problem:
    """The problem with judge.yaml applied."""
    problem = problem if extension is None else _extend(tree, metadata, extension, problem)
    check_groups(tree, problem.groups)
    problem = _apply_scores(tree, metadata, extension, data, problem)
    if problem.objective is None:
        refuse_idle(tree, problem)
    return problem


def _apply_scores(
    tree: Tree, metadata: Metadata, extension: Extension | None, data: TestData, problem: Problem
) -> Problem:
    """The problem with what its validator may write to score.txt, and what that is worth."""
    objective = extension.objective.build() if extension and extension.objective else None
    if metadata.minimises and (objective is None or objective.direction is not Direction.MIN):
        what = "grading.objective: min, but nothing says what the best score is"
        remedy = "add `objective: {direction: min, best: …}` to judge.yaml"
        raise tree.error(tree.root / "problem.yaml", what, remedy)
    if objective is not None and not metadata.scoring:
        raise tree.error(tree.root / "judge.yaml", "objective: the problem has no scores", "write type: scoring")
    if objective is not None and metadata.version == "legacy":
        return apply_objective(tree, _weigh_alike(problem), objective)
    if data.ranged:
        return with_convention(problem, Convention.ICPC_LEGACY)
    if not metadata.scoring or metadata.version == "legacy":
        return problem
    passing, stated = data.passing, set[str]()
    if extension is not None:
        stated = {name for name, case in extension.cases.items() if case.full_score is not None}
        passing -= {name for name, group in extension.groups.items() if group.aggregation is not None}
    if data.unbounded:
        problem = with_convention(problem, Convention.ICPC_UNBOUNDED)
        if not scores(problem) and {case.group for case in problem.cases if not case.sample} - passing:
            where = tree.root / "data" / "secret"
            raise tree.error(where, "max_score: unbounded, but no validator writes score.txt", "add output_validator/")
    if data.unbounded and objective is None:
        return with_full_scores_as_best(with_full_scores(problem, passing, stated))
    problem = with_full_scores(problem, passing, stated)
    return problem if objective is None else apply_objective(tree, problem, objective)


def _weigh_alike(problem: Problem) -> Problem:
    """The problem without the ranges of its tests, which speak of other points."""
    cases = (dataclasses.replace(case, weight=1.0, full_score=None if case.sample else 1.0) for case in problem.cases)
    return dataclasses.replace(problem, cases=tuple(cases))


def _static_validator(tree: Tree, metadata: Metadata, extension: Extension | None) -> Program | None:
    stated = extension.static_validator if extension else None
    program = read_program(tree, metadata, ("static_validator",), stated)
    return None if program is None else dataclasses.replace(program, convention=Convention.ICPC)


def _extension(tree: Tree) -> Extension | None:
    path = tree.file("judge.yaml")
    if path is None:
        return None
    from problems.reading.extension import read_extension  # noqa: PLC0415  # most packages have none

    return read_extension(tree, path)


def read_metadata(tree: Tree) -> Metadata:
    path = tree.file("problem.yaml")
    if path is None:
        raise ProblemError(f"{tree.shown}: is no problem package (no problem.yaml); `judge problems new` makes one")
    text = tree.read_text(path)
    match = _VERSION.search(text)
    version = "legacy"
    if match is not None:
        version = check_version(tree, match[1], text.count("\n", 0, match.start(1)) + 1)
    if version != "legacy":
        metadata = from_yaml(tree, text, _legacy)
        if "cpu_ns" not in metadata.unstated:
            return metadata
    from problems.reading import legacy  # noqa: PLC0415  # most packages need none of it

    if version == "legacy":
        metadata = legacy.from_yaml(tree, text)
    cpu_ns = legacy.side_time_limit(tree) if "cpu_ns" in metadata.unstated else None
    if cpu_ns is None:
        return metadata
    left = tuple(name for name in metadata.unstated if name != "cpu_ns")
    return dataclasses.replace(metadata, limits=dataclasses.replace(metadata.limits, cpu_ns=cpu_ns), unstated=left)


def _legacy() -> type[Strict]:
    from problems.reading.legacy import LegacyYaml  # noqa: PLC0415  # only for a key that is not known

    return LegacyYaml


def read_statements(tree: Tree) -> Mapping[str, Path]:
    """The statement by language. Markdown is preferred to TeX, and TeX to PDF."""
    found: dict[str, Path] = {}
    for directory in ("statement", "problem_statement"):
        for suffix in ("md", "tex", "pdf"):
            for file in tree.entries(tree.root / directory)[0]:
                match = _STATEMENT.fullmatch(file.name)
                if match is not None and match[2] == suffix:
                    found.setdefault(match[1] or "en", file)
    return MappingProxyType(found)


def _list_places(metadata: Metadata) -> tuple[str, ...]:
    """Where the output validator may lie, the format's own place first. Drafts had both; and with `validation: custom`
    DOMjudge's examples of version `legacy` have the newer one."""
    if metadata.version == "legacy":
        return (_OLD_PLACE, _PLACE) if metadata.custom else (_OLD_PLACE,)
    return (_PLACE,) if metadata.version == "2025-09" else (_PLACE, _OLD_PLACE)


def _programs(tree: Tree, metadata: Metadata, extension: Extension | None) -> tuple[Program | None, Program | None]:
    """Interactor and checker. In the format the output validator is the interactor; judge.yaml may name both."""
    refuse_unread(tree, metadata, _list_places(metadata), managed=bool(extension and extension.manager))
    checker, interactor = (extension.checker, extension.interactor) if extension else (None, None)
    if metadata.custom is False and checker is None:
        return None, None
    places = _list_places(metadata)
    if not metadata.interactive:
        program = read_program(tree, metadata, places, checker)
        if metadata.custom and program is None:
            what = "says validation: custom, but there is no program in output_validators/"
            raise tree.error(tree.root / "problem.yaml", what, "add it, or write validation: default")
        if metadata.passes > 1 and program is None:
            raise tree.error(tree.root, "is multi-pass, but has no output_validator/", "add the program that judges")
        return None, program
    own = read_program(tree, metadata, ("interactor",), interactor)
    validator = read_program(tree, metadata, places, checker if own else interactor)
    if own is None and validator is None:
        raise tree.error(tree.root, "is interactive, but has no output_validator/", "add the program that interacts")
    return (own, validator) if own else (validator, None)


def _checker_maker(tree: Tree, comparison: Comparison | None, program: Program | None) -> MakeChecker:
    def make(arguments: tuple[str, ...], blame: Path) -> Checker:
        if program is not None:
            return dataclasses.replace(program, arguments=arguments or program.arguments)
        if comparison is not None:
            return comparison
        try:
            return from_arguments(arguments)
        except ValueError as error:
            raise tree.error(blame, str(error), "correct output_validator_args there") from None

    return make


def _give_arguments(data: TestData, interactor: Program, comparison: Comparison) -> tuple[Program, TestData]:
    """The interactor and the data, with the output validator arguments as the interactor's."""
    cases = tuple(
        dataclasses.replace(case, checker=None, interactor_arguments=case.checker.arguments)
        if isinstance(case.checker, Program)
        else case
        for case in data.cases
    )
    common = data.checker if isinstance(data.checker, Program) else interactor
    return common, dataclasses.replace(data, cases=cases, checker=comparison)


def _extend(tree: Tree, metadata: Metadata, extension: Extension, problem: Problem) -> Problem:
    """Apply judge.yaml to what the package itself states."""
    groups = {group.name: group for group in problem.groups}
    holders = {own.within for own in extension.groups.values()} - groups.keys()
    groups |= {name: Group(name=name) for name in extension.groups if name in holders}
    _check_names(tree, "groups", extension.groups, set(groups))
    for name, own in extension.groups.items():
        groups[name] = own.over(groups[name])
    stated = extension.grader
    grader = problem.grader
    if grader is None and (stated.before or stated.after):
        grader = Grader(files=MappingProxyType({}))
    if grader is not None:
        grader = dataclasses.replace(
            grader,
            submission_name=MappingProxyType(stated.submission_name),
            before=MappingProxyType(stated.before),
            after=MappingProxyType(stated.after),
        )
    limits = {} if extension.limits is None else extension.limits.model_dump(exclude_none=True)
    problem = dataclasses.replace(
        problem,
        limits=dataclasses.replace(problem.limits, **limits),
        unstated=tuple(name for name in problem.unstated if name not in limits),
        grader=grader,
        file_io=None if extension.file_io is None else extension.file_io.build(),
        groups=tuple(groups.values()),
    )
    problem = _extend_cases(tree, extension, problem)
    if any(group.script is not None for group in problem.groups):
        from problems.reading.scripts import check_scripts  # noqa: PLC0415  # most packages have none

        check_scripts(tree, problem)
    if extension.manager is not None:
        problem = _apply_manager(tree, metadata, extension.manager, problem)
    return problem if extension.function is None else _calling(tree, problem, extension.function.build())


def _apply_manager(tree: Tree, metadata: Metadata, stated: ManagerYaml, problem: Problem) -> Problem:
    """The problem as one of communication: the manager alone says what a submission is worth."""
    blame = tree.root / "judge.yaml"
    program = read_program(tree, metadata, ("manager",), stated)
    if program is None:
        raise tree.error(blame, "manager: there is no program in manager/", "add it")
    if program.convention not in (Convention.ICPC, Convention.CMS, Convention.HYDRO):
        what = f"manager: convention {program.convention} is not one of a manager"
        raise tree.error(blame, what, "use icpc, cms or hydro")
    there = {
        "interactor or output_validator": problem.interactor or isinstance(problem.checker, Program),
        "file_io": problem.file_io,
        "second pass": problem.passes > 1,
        "output to submit": problem.kind == "submit-answer",
    }
    for what in (what for what, has in there.items() if has):
        raise tree.error(blame, f"manager: a problem with one has no {what}", "drop one of them")
    manager = Manager(program=program, processes=stated.processes, fifos=stated.fifos)
    return dataclasses.replace(problem, manager=manager, checker=Comparison())


def _calling(tree: Tree, problem: Problem, function: Function) -> Problem:
    """The problem as one whose submissions define a function: built-in comparisons compare its values."""
    blame = tree.root / "judge.yaml"
    for what in ("grader", "file_io", "interactor", "manager"):
        if getattr(problem, what) is not None:
            raise tree.error(blame, f"function: a problem with one has no {what}", "drop one of them")
    if problem.generated:
        raise tree.error(blame, "function: its solution reads no input, so it generates no cases", "commit the data")
    cases = tuple(
        case if case.checker is None else dataclasses.replace(case, checker=_of_values(case.checker))
        for case in problem.cases
    )
    return dataclasses.replace(problem, function=function, checker=_of_values(problem.checker), cases=cases)


def _of_values(checker: Checker) -> Checker:
    if isinstance(checker, Program):
        return checker
    return Comparison(
        mode=Mode.JSON, absolute_tolerance=checker.absolute_tolerance, relative_tolerance=checker.relative_tolerance
    )


def _extend_cases(tree: Tree, extension: Extension, problem: Problem) -> Problem:
    known = {case.name for case in problem.cases} | {case.name for case in problem.generated}
    _check_names(tree, "cases", extension.cases, known)
    for name, stated in extension.cases.items():
        if "cpu_ns" in problem.unstated and stated.limits is not None and stated.limits.cpu_ns is None:
            what = f"cases.{name}.limits: states no time limit, and neither does the package"
            raise tree.error(tree.root / "judge.yaml", what, "add cpu_ns there, or limits.time_limit to problem.yaml")
    cases = tuple(_extend_case(extension, problem, case) for case in problem.cases)
    generated = []
    for case in problem.generated:
        own = extension.cases.get(case.name)
        if own is not None and own.model_fields_set - {"weight"}:
            what = f"cases.{case.name}: a generated case can have nothing but a weight of its own"
            raise tree.error(tree.root / "judge.yaml", what, "commit its data, or drop them")
        weight = case.weight if own is None or own.weight is None else own.weight
        generated.append(dataclasses.replace(case, weight=weight))
    return dataclasses.replace(problem, cases=cases, generated=tuple(generated))


def _extend_case(extension: Extension, problem: Problem, case: TestCase) -> TestCase:
    own = extension.cases.get(case.name)
    if own is None:
        return case
    return dataclasses.replace(
        case,
        limits=None if own.limits is None else own.limits.over(problem.limits),
        weight=case.weight if own.weight is None else own.weight,
        full_score=case.full_score if own.full_score is None else own.full_score,
        best=own.best,
        baseline=own.baseline,
        checker=case.checker if own.comparison is None else own.comparison.build(),
    )


def _check_names(tree: Tree, key: str, given: Mapping[str, object], known: set[str]) -> None:
    for name in given:
        if name not in known:
            raise tree.error(tree.root / "judge.yaml", f"{key}: there is no {name!r}", "correct the name or remove it")
