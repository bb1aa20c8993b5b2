"""Reads the data/ directory: test cases and how they are grouped.

data/sample/NAME.in .ans                    run first; counted, unless the problem has scores
data/secret/[GROUP/]NAME.in .ans            counted
                     NAME.yaml              arguments and description of this case
                     NAME.files/            files that the submission finds in its working directory
data/…/test_group.yaml, testdata.yaml       see `grouping`
generators/generators.yaml, sha256sums      cases that are built at first use, see `generated`
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from problems.files.tree import MAX_DEPTH, Tree
from problems.model import MOST_FILES, Checker, GeneratedCase, Group, StaticCase, TestCase
from problems.reading.entries import refuse_judges
from problems.reading.generated import Recipe, fresh, read_recipes, read_sums
from problems.reading.grouping import (
    Counted,
    GroupSettings,
    build_groups,
    pass_fail_groups,
    passing,
    read_case_arguments,
    read_case_settings,
    read_settings,
    root_settings,
)
from problems.reading.legacy_groups import gives_points, legacy_groups, shares
from problems.reading.metadata import Metadata
from problems.reading.static import read_static

CONFIGURATION = ("test_group.yaml", "testdata.yaml")
_OF_TESTS = (".in", ".ans")
_PACKED = re.compile(
    r".+\.(?:(?:in|ans)\.(?:gz|bz2|xz|zst|lzma|Z)|zip|7z|rar|tar|tgz|tar\.(?:gz|bz2|xz|zst))", re.IGNORECASE
)
#: Directories of data/ that are read, here or to check a package; and older names of what is to be refused.
_SETS = frozenset(
    ("sample", "secret", "static", "invalid_input", "invalid_output", "valid_output", "bad", "invalid_answers")
)

#: The most test cases that a package may have built. Data that it ships do not count: they fit its author's disk.
MOST_GENERATED = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class TestData:
    __test__ = False

    groups: tuple[Group, ...]
    cases: tuple[TestCase, ...]
    generated: tuple[GeneratedCase, ...]
    static: tuple[StaticCase, ...]
    solution: Path | None
    #: The problem's checker; cases with another checker carry it.
    checker: Checker
    #: Groups with pass-fail.
    passing: frozenset[str] = frozenset()
    #: Whether `max_score` is unbounded.
    unbounded: bool = False
    #: Legacy: the validator writes points, and ranges say how many there are.
    ranged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    name: str
    group: str
    settings: GroupSettings
    input: Path
    answer: Path
    files: tuple[Path, ...] = ()
    description: str = ""


#: Builds the checker for a case's output validator arguments; the path is the file that messages name.
MakeChecker = Callable[[tuple[str, ...], Path], Checker]


def read_testdata(
    tree: Tree, metadata: Metadata, make_checker: MakeChecker, stated: Mapping[str, float] = MappingProxyType({})
) -> TestData:
    """`stated`: points of groups in judge.yaml."""
    data = tree.root / "data"
    root = read_settings(tree, metadata, data, root_settings(metadata))
    _refuse_unread(tree, metadata, tree.entries(data)[0], loose=True)
    _refuse_other_sets(tree, data)
    scan = _Scan(tree, metadata)
    for top in ("sample", "secret"):
        scan.scan(data / top, top, root)
    found, settings = scan.found, scan.settings
    solution, recipes = read_recipes(tree)
    recipes = _fresh(tree, recipes, {case.name for case in found})
    for name in {name for recipe in recipes for name in (recipe.group, recipe.directory)} - settings.keys():
        settings[name] = _settings_of(tree, metadata, name, root)
    sizes = Counter([case.group for case in found] + [recipe.group for recipe in recipes])
    sizes.update(name for name, own in settings.items() if own.static is not None)
    if not sizes or (metadata.scoring and not any(name != "sample" for name in sizes)):
        raise tree.error(
            data / "secret", "has no test cases", "add NAME.in with NAME.ans, or generators/generators.yaml"
        )
    static = read_static(tree, metadata, settings, sizes, {one.name for one in found} | {one.name for one in recipes})
    settings[""] = root
    checker = _common_checker(tree, found, recipes, settings, make_checker)
    metadata = replace(metadata, gives_points=gives_points(metadata, settings.values(), checker))
    groups = _groups(tree, metadata, sizes, settings, root, stated)
    names = {group.name for group in groups}
    ranges = shares(settings, counted_of(sizes, settings)) if metadata.scoring and metadata.gives_points else {}
    return TestData(
        groups=groups,
        cases=tuple(_case(tree, case, names, checker, make_checker, ranges) for case in found),
        generated=_list_generated(tree, recipes, names),
        static=static,
        solution=solution,
        checker=checker,
        passing=passing(settings, names) if metadata.scoring and metadata.version != "legacy" else frozenset(),
        unbounded=metadata.scoring and settings["secret"].unbounded,
        ranged=bool(ranges),
    )


def _refuse_other_names(tree: Tree, directory: Path) -> None:
    """Raise ProblemError if tests have a name that no test has: other judges run them."""
    for path in tree.passed_over(directory):
        if path.suffix in (".in", ".ans") or path.is_dir():
            what = "is no name of a test: it has letters of a to z, digits, '_', '.' and '-'"
            raise tree.error(path, what, "rename it")


@dataclass(slots=True)
class _Scan:
    tree: Tree
    metadata: Metadata
    found: list[_Found] = field(default_factory=list)
    #: By directory below data/.
    settings: dict[str, GroupSettings] = field(default_factory=dict)

    def scan(self, directory: Path, group: str, inherited: GroupSettings) -> None:
        """Cases of `directory` and below, in name order."""
        tree = self.tree
        if self.metadata.version == "legacy":  # later ones say that such a file is not there
            _refuse_other_names(tree, directory)
        files, directories = tree.entries(directory)
        own = read_settings(tree, self.metadata, directory, inherited)
        name = directory.relative_to(tree.root / "data").as_posix()
        if name.count("/") > MAX_DEPTH:
            raise tree.error(directory, "is nested too deeply", "flatten the directories (a loop of links?)")
        self.settings[name] = own
        by_name = {file.name: file for file in files}
        _check_pairs(tree, by_name)
        _refuse_unread(tree, self.metadata, files)
        stems = {file.name.removesuffix(".in") for file in files if file.suffix == ".in"}
        children = {child.name: child for child in directories if child.suffix != ".files"}
        for entry in sorted(stems | children.keys()):
            if entry in stems and entry in children:
                raise tree.error(children[entry], "is both a test case and a directory of cases", "rename one of them")
            child = f"{name}/{entry}"
            if entry in stems:
                extra = directory / f"{entry}.files"
                self.found.append(_read_case(tree, child, group, by_name, extra, settings=own))
            else:
                self.scan(children[entry], child if _starts_group(self.metadata, child) else group, own)


def _starts_group(metadata: Metadata, name: str) -> bool:
    """Whether it is a group: in 2025-09 a directory of data/secret, in earlier versions any directory below it."""
    top, *rest = name.split("/")
    return top == "secret" and (len(rest) == 1 or metadata.version != "2025-09")


def _check_pairs(tree: Tree, by_name: dict[str, Path]) -> None:
    for name, path in by_name.items():
        stem, _, suffix = name.rpartition(".")
        if suffix == "in" and f"{stem}.ans" not in by_name:
            remedy = f"rename {stem}.out to {stem}.ans" if f"{stem}.out" in by_name else f"add {stem}.ans"
            raise tree.error(path, "has no answer file", remedy)
        if suffix == "ans" and f"{stem}.in" not in by_name:
            raise tree.error(path, "is an answer without input", f"add {stem}.in or remove it")
        if suffix in ("yaml", "args") and name not in CONFIGURATION and f"{stem}.in" not in by_name:
            raise tree.error(path, "configures a test case that does not exist", f"add {stem}.in or remove it")


def _refuse_unread(tree: Tree, metadata: Metadata, files: Iterable[Path], *, loose: bool = False) -> None:
    """Raise ProblemError if one of the files of a directory of tests is nearly a test, or nearly its settings. `loose`:
    the directory has no tests of its own."""
    files = list(files)
    settings = {Path(name).stem for name in CONFIGURATION} | {path.stem for path in files if path.suffix == ".in"}
    for path in files:
        suffix = path.suffix.lower()
        if suffix in _OF_TESTS and (loose or suffix != path.suffix):
            remedy = "move it to data/secret" if loose else f"rename it to {path.stem}{suffix}"
            raise tree.error(path, "is not read as a test", remedy)
        if suffix == ".args" and (loose or suffix != path.suffix or metadata.version != "2023-07-draft"):
            raise tree.error(path, "is not read as arguments of a test", f"write args into {path.stem}.yaml")
        if _PACKED.fullmatch(path.name):
            raise tree.error(path, "is not read as a test: it is packed", "unpack it")
        if suffix in (".yml", ".yaml") and path.suffix != ".yaml" and path.stem.lower() in settings:
            raise tree.error(path, "is not read", f"rename it to {path.stem}.yaml")
    refuse_judges(tree, files, "it lies among the tests")


def _refuse_other_sets(tree: Tree, data: Path) -> None:
    """Raise ProblemError if there are tests in a directory of data/ that no version of the format knows. What was laid
    aside is called so (`refuse_misspelt`)."""
    directories = tree.entries(data)[1]
    refuse_judges(tree, directories, "it lies among the tests")
    for directory in directories:
        if re.split(r"[_.-]", directory.name)[0] in _SETS or directory.name in _SETS:
            continue
        for path in tree.walk(directory):
            if path.suffix == ".in" and path.with_suffix(".ans").is_file():
                raise tree.error(directory, "holds tests, and is not read", "move it to data/secret, or remove it")


def _read_case(
    tree: Tree, name: str, group: str, by_name: dict[str, Path], extra: Path, *, settings: GroupSettings
) -> _Found:
    stem = name.rpartition("/")[2]
    description = ""
    if (path := by_name.get(f"{stem}.yaml")) is not None:
        settings, description = read_case_settings(tree, path, settings)
    elif (path := by_name.get(f"{stem}.desc")) is not None:  # legacy
        description = tree.read_text(path).strip()
    if (path := by_name.get(f"{stem}.args")) is not None:  # 2023-07-draft, until its revision of August 2024
        settings = read_case_arguments(tree, path, settings)
    files, nested = tree.entries(extra)
    if nested:
        raise tree.error(nested[0], "directories inside .files are not supported", "put the files side by side")
    if len(files) > MOST_FILES:
        raise tree.error(extra, f"has {len(files)} files, more than {MOST_FILES}", "put what they hold into fewer")
    return _Found(
        name=name,
        group=group,
        settings=settings,
        input=by_name[f"{stem}.in"],
        answer=by_name[f"{stem}.ans"],
        files=tuple(files),
        description=description,
    )


def _settings_of(tree: Tree, metadata: Metadata, name: str, root: GroupSettings) -> GroupSettings:
    """Settings of a directory, which does not exist if all its cases are generated."""
    settings, directory = root, tree.root / "data"
    for part in name.split("/"):
        directory /= part
        settings = read_settings(tree, metadata, directory, settings)
    return settings


def _fresh(tree: Tree, recipes: tuple[Recipe, ...], committed: set[str]) -> tuple[Recipe, ...]:
    """The recipes whose data are not in the package. Raises ProblemError if we cannot build them."""
    found = fresh(tree, recipes, committed)
    if len(found) > MOST_GENERATED:
        path = tree.root / "generators" / "generators.yaml"
        what = f"lists {len(found)} test cases to build, more than {MOST_GENERATED}"
        raise tree.error(path, what, "put several small tests into one input, or ship the data")
    for recipe in found:
        recipe.check(tree)
    return found


def counted_of(sizes: Counter[str], settings: dict[str, GroupSettings]) -> list[Counted]:
    names = sorted(sizes, key=lambda name: name.split("/"))
    return [Counted(name=name, settings=settings[name], cases=sizes[name]) for name in names if name != "sample"]


def _groups(
    tree: Tree,
    metadata: Metadata,
    sizes: Counter[str],
    settings: dict[str, GroupSettings],
    root: GroupSettings,
    stated: Mapping[str, float],
) -> tuple[Group, ...]:
    """In a problem without scores every test counts, samples too (2025-09, "Test data")."""
    names = sorted(sizes, key=lambda name: name.split("/"))
    if not metadata.scoring:
        for own in settings.values():
            if own.grader_flags is not None:
                what = "grading: custom is for scoring problems"
                raise tree.error(own.source or tree.root, what, "write type: scoring in problem.yaml")
        return pass_fail_groups({name: sizes[name] for name in names})
    above = {"/".join(name.split("/")[:depth]) for name in names for depth in range(1, name.count("/") + 1)}
    for name in above - settings.keys():
        settings[name] = _settings_of(tree, metadata, name, root)
    counted = counted_of(sizes, settings)
    samples = (Group(name="sample", counted=False),) if "sample" in sizes else ()
    if metadata.version == "legacy":
        return samples + legacy_groups(tree, metadata, settings, counted, stated, samples="sample" in sizes)
    return samples + build_groups(tree, settings["secret"], counted, stated)


def _common_checker(
    tree: Tree,
    found: list[_Found],
    recipes: tuple[Recipe, ...],
    settings: dict[str, GroupSettings],
    make_checker: MakeChecker,
) -> Checker:
    """The checker of most cases. Only the other cases carry their own."""
    uses = Counter[tuple[str, ...]]()
    blame: dict[tuple[str, ...], Path] = {}
    secret = [case for case in found if not case.name.startswith("sample/")]
    for own in [case.settings for case in (secret if secret or recipes else found)]:
        uses[own.validator_args] += 1
        blame.setdefault(own.validator_args, own.source or tree.root / "data")
    generated: dict[tuple[str, ...], str] = {}
    for recipe in recipes:
        own = settings[recipe.directory]
        generated.setdefault(own.validator_args, recipe.name)
        uses[own.validator_args] += 1
        blame.setdefault(own.validator_args, own.source or tree.root / "data")
    if len(generated) > 1:
        one, other = list(generated.values())[:2]
        raise tree.error(
            tree.root / "generators" / "generators.yaml",
            f"generated cases {one!r} and {other!r} have different output_validator_args",
            "give all generated cases the same",
        )
    args = next(iter(generated)) if generated else uses.most_common(1)[0][0]
    return make_checker(args, blame[args])


def _nearest(directory: str, groups: set[str]) -> str:
    """The group of a directory's cases: itself, or one above it that they share."""
    while directory not in groups and "/" in directory:
        directory = directory.rpartition("/")[0]
    return directory


def _case(
    tree: Tree,
    case: _Found,
    groups: set[str],
    common: Checker,
    make_checker: MakeChecker,
    ranges: Mapping[str, tuple[float, float]],
) -> TestCase:
    points = ranges[case.group][1] if case.group in ranges else None
    sample = case.name.startswith("sample/")
    checker = make_checker(case.settings.validator_args, case.settings.source or tree.root / "data")
    return TestCase(
        name=case.name,
        group=_nearest(case.group, groups),
        input=case.input,
        answer=case.answer,
        sample=sample,
        arguments=case.settings.arguments,
        checker=None if checker == common else checker,
        files=case.files,
        description=case.description,
        input_validator_args=case.settings.input_validator_args,
        weight=case.settings.worth if points is None else points,
        # Where points are written, those of a sample do not count: no range says of how many they are a part.
        full_score=None if sample and ranges else 1.0 if points is None else points,
    )


def _list_generated(tree: Tree, recipes: tuple[Recipe, ...], groups: set[str]) -> tuple[GeneratedCase, ...]:
    sums = read_sums(tree) if recipes else {}
    place = tree.root / "generators"
    return tuple(
        GeneratedCase(
            name=recipe.name,
            group=_nearest(recipe.group, groups),
            generator=place / recipe.command[0] if recipe.command else None,
            arguments=recipe.command[1:],
            input=None if recipe.copied is None else place / f"{recipe.copied}.in",
            input_sha256=sums.get(f"{recipe.name}.in"),
            answer_sha256=sums.get(f"{recipe.name}.ans"),
        )
        for recipe in sorted(recipes, key=lambda recipe: recipe.name.split("/"))
    )
