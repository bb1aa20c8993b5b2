"""Reads test_group.yaml and testdata.yaml, and derives the points and the aggregation of groups from them.

A group is a directory that holds cases. The directory above it is a group, too, where its score is more than their sum.
A package that wants all of `secret` passed gets one group.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from problems.files.tree import Tree
from problems.files.yamlfile import Strict, read_map, read_yaml
from problems.model import Aggregation, Group, InputValidatorArgs
from problems.reading.metadata import InputArgs, Metadata, Names, Words, list_given
from problems.text.constants import substitute

Mode = Literal["pass-fail", "sum", "min", "max", "avg"]
MaxScore = Annotated[int, Field(ge=0, le=10**9)] | Literal["unbounded"]


class CaseYaml(Strict):
    """NAME.yaml beside NAME.in. Visualizer arguments and feedback rules are not used here."""

    args: Words | None = None
    input_validator_args: InputArgs | None = None
    output_validator_args: Words | None = None
    input_visualizer_args: Any = None
    output_visualizer_args: Any = None
    full_feedback: bool | None = None
    hint: str = ""
    description: str = ""


class GroupYaml(CaseYaml):
    max_score: MaxScore | None = None
    score_aggregation: Literal["pass-fail", "sum", "min"] | None = None
    require_pass: Names = ()
    static_validation_score: Annotated[int, Field(ge=0, le=10**9)] | Literal["pass-fail"] | None = None
    static_validator_args: Words | None = None


class ScoringYaml(Strict):
    score: MaxScore | None = None
    aggregation: Literal["pass-fail", "sum", "min"] | None = None
    require_pass: Names = ()


class DraftStaticYaml(Strict):
    args: Words = ()
    score: Annotated[int, Field(ge=0, le=10**9)] | None = None


class DraftGroupYaml(GroupYaml):
    """2023-07-draft keeps scoring in a map; its first revisions spelt arguments as flags."""

    scoring: ScoringYaml | None = None
    static_validation: DraftStaticYaml | bool = False
    input_validator_flags: InputArgs | None = None
    output_validator_flags: Annotated[Words | None, BeforeValidator(lambda value: value)] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticSettings:
    """Of a static validation test case."""

    #: Its points; None: it is passed, or not.
    score: int | None
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSettings:
    """The settings of one directory of tests, with inherited values."""

    max_score: float | None = None
    unbounded: bool = False
    aggregation: Mode | None = None
    requires: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    validator_args: tuple[str, ...] = ()
    input_validator_args: InputValidatorArgs = ()
    #: Legacy: the score of one accepted case. None: nothing states it, so it is 1.
    accept_score: float | None = None
    #: Legacy: that of a refused one, where the group keeps its score.
    reject_score: float = 0.0
    #: Legacy: the upper end of the range that this directory's own file states. Not inherited.
    most: float | None = None
    #: Legacy: the lower end.
    least: float = 0.0
    #: Legacy: the arguments of the package's grader; None: the default grader.
    grader_flags: tuple[str, ...] | None = None
    #: Legacy: the group keeps its score though something in it is not accepted.
    partial: bool = False
    #: Legacy, of data/: the samples are no part of the problem's result.
    ignores_samples: bool = False
    #: Legacy: what follows the first refused case or group is not judged, so a grader learns nothing of it.
    stops: bool = True
    #: What this directory's own file says of static validation. Not inherited.
    static: StaticSettings | None = None
    #: The file that states them, for messages.
    source: Path | None = None

    @property
    def worth(self) -> float:
        """Legacy: the score of one accepted case."""
        return 1.0 if self.accept_score is None else self.accept_score


#: Keys of a group that say how it scores.
_SCORES = ("max_score", "score_aggregation", "require_pass")
#: Words of the default grader of version `legacy`, and those by which a pass-fail problem accepts what fails a test.
_FLAGS = frozenset(
    (
        *("sum", "avg", "min", "max", "worst_error", "first_error"),
        *("ignore_sample", "accept_if_any_accepted", "always_accept"),
    )
)
_ACCEPTING = ("accept_if_any_accepted", "always_accept", "ignore_sample")
#: Keys of testdata.yaml by which version `legacy` grades.
_LEGACY_KEYS = frozenset({"on_reject", "grading", "grader_flags", "accept_score", "reject_score", "range"})


def with_grading(tree: Tree, metadata: Metadata) -> Metadata:
    """The metadata by which tests are graded. A package of 2023-07-draft may still grade as `legacy` does: the draft's
    reference implementation reads nothing else, and its own example is such a package."""
    if metadata.version != "2023-07-draft" or not metadata.scoring:
        return metadata
    files = (path for path in tree.walk(tree.root / "data") if path.name == "testdata.yaml")
    if any(not _LEGACY_KEYS.isdisjoint(read_map(tree, path)) for path in files):
        return dataclasses.replace(metadata, version="legacy")
    return metadata


def root_settings(metadata: Metadata) -> GroupSettings:
    """What problem.yaml states of all test data."""
    return GroupSettings(
        validator_args=metadata.validator_args,
        accept_score=metadata.accept_score,
        most=metadata.most,
        least=metadata.least,
        reject_score=metadata.reject_score,
    )


def read_settings(tree: Tree, metadata: Metadata, directory: Path, inherited: GroupSettings) -> GroupSettings:
    """Settings of `directory`, below a directory with the settings `inherited`."""
    relative = directory.relative_to(tree.root).parts
    path = _find_file(tree, metadata, relative)
    own = dataclasses.replace(inherited, max_score=None, unbounded=False, aggregation=None, requires=(), static=None)
    if path is None:
        most = inherited.most if relative == ("data",) else None
        return dataclasses.replace(inherited, most=most) if metadata.version == "legacy" else own
    if metadata.version == "legacy":
        return _legacy(tree, path, metadata, inherited)
    text = substitute(tree.read_text(path).encode(), metadata.constants, tree.show(path)).decode()
    raw = read_yaml(tree, path, GroupYaml if metadata.version == "2025-09" else DraftGroupYaml, text)
    scoring, validator_args = raw.score_aggregation, raw.output_validator_args
    max_score, requires = raw.max_score, raw.require_pass
    input_args = raw.input_validator_args
    if isinstance(raw, DraftGroupYaml):
        if raw.scoring is not None:
            max_score, scoring, requires = raw.scoring.score, raw.scoring.aggregation, raw.scoring.require_pass
        if validator_args is None:
            validator_args = raw.output_validator_flags
        input_args = raw.input_validator_flags if input_args is None else input_args
    elif not metadata.scoring and (key := next((key for key in _SCORES if getattr(raw, key) not in (None, ())), None)):
        raise tree.error(path, f"{key}: a problem that is pass-fail has none", "write type: scoring, or remove it")
    return GroupSettings(
        max_score=None if max_score == "unbounded" else max_score,
        unbounded=max_score == "unbounded",
        aggregation=scoring,
        requires=requires,
        arguments=inherited.arguments if raw.args is None else raw.args,
        validator_args=inherited.validator_args if validator_args is None else validator_args,
        input_validator_args=inherited.input_validator_args if input_args is None else tuple(input_args.items()),
        static=_static(tree, path, raw),
        source=path,
    )


#: The settings of a directory, by version. Drafts had both names.
_FILES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "legacy": ("testdata.yaml",),
        "2023-07-draft": ("test_group.yaml", "testdata.yaml"),
        "2025-09": ("test_group.yaml",),
    }
)


def _find_file(tree: Tree, metadata: Metadata, relative: Sequence[str]) -> Path | None:
    """
    Raises:
        ProblemError: there is only a file of another version, which says something.
    """
    names = _FILES[metadata.version]
    if (path := next(filter(None, (tree.file(*relative, name) for name in names)), None)) is not None:
        return path
    for name in ("test_group.yaml", "testdata.yaml"):
        if (other := tree.file(*relative, name)) is not None and read_map(tree, other):
            raise tree.error(other, f"is not read in version {metadata.version}", f"write it as {names[0]}")
    return None


def _static(tree: Tree, path: Path, raw: GroupYaml) -> StaticSettings | None:
    stated, arguments = raw.static_validation_score, raw.static_validator_args
    if isinstance(raw, DraftGroupYaml) and raw.static_validation and stated is None:
        old = raw.static_validation
        return StaticSettings(score=None) if old is True else StaticSettings(score=old.score, arguments=old.args)
    if stated is None and arguments is not None:
        raise tree.error(path, "static_validator_args without static_validation_score", "state how much it is worth")
    if stated is None:
        return None
    return StaticSettings(score=None if stated == "pass-fail" else stated, arguments=arguments or ())


def read_case_settings(tree: Tree, path: Path, inherited: GroupSettings) -> tuple[GroupSettings, str]:
    """Settings of one case from its NAME.yaml, and its description."""
    raw = read_yaml(tree, path, CaseYaml)
    stated: dict[str, Any] = {"arguments": raw.args, "validator_args": raw.output_validator_args}
    if raw.input_validator_args is not None:
        stated["input_validator_args"] = tuple(raw.input_validator_args.items())
    changed = {name: value for name, value in stated.items() if value is not None}
    return dataclasses.replace(inherited, source=path, **changed), raw.description


def read_case_arguments(tree: Tree, path: Path, inherited: GroupSettings) -> GroupSettings:
    """Settings of one case with the words of its NAME.args, as its NAME.yaml would state them."""
    stated = path.with_suffix(".yaml")
    if inherited.source == stated and read_yaml(tree, stated, CaseYaml).args is not None:
        raise tree.error(path, f"states arguments, and {stated.name} does, too", "remove one of them")
    try:
        return dataclasses.replace(inherited, arguments=list_given(tuple(tree.read_text(path).split())))
    except ValueError as error:
        raise tree.error(path, str(error), "correct it") from None


def _check_flags(tree: Tree, path: Path, metadata: Metadata, flags: Sequence[str]) -> None:
    """Raise ProblemError for words that the default grader has not, or that are not read in pass-fail problems."""
    for flag in flags:
        if flag not in _FLAGS:
            what = f"grader_flags: {flag[:40]!r} is no word of the default grader"
            raise tree.error(path, what, f"take one of {', '.join(sorted(_FLAGS))}")
        if flag in _ACCEPTING and not metadata.scoring:
            raise tree.error(path, f"grader_flags: {flag} is not read where type is pass-fail", "write type: scoring")


def _legacy(tree: Tree, path: Path, metadata: Metadata, inherited: GroupSettings) -> GroupSettings:
    """What the file does not state is inherited, each setting by itself."""
    from problems.reading.legacy import TestdataYaml, upper_end  # noqa: PLC0415  # most packages are not legacy

    raw = read_yaml(tree, path, TestdataYaml)
    changed: dict[str, Any] = {"most": metadata.most if path.parent == tree.root / "data" else None}
    if raw.grading is not None:
        changed["grader_flags"] = (raw.grader_flags or ()) if raw.grading == "custom" else None
    elif raw.grader_flags is not None and inherited.grader_flags is not None:
        changed["grader_flags"] = raw.grader_flags
    if raw.grader_flags is not None:
        if changed.get("grader_flags", inherited.grader_flags) is None:
            _check_flags(tree, path, metadata, raw.grader_flags)
        modes = [flag for flag in raw.grader_flags if flag in ("sum", "min", "max", "avg")]
        changed["aggregation"] = modes[-1] if modes else "sum"
        changed["ignores_samples"] = "ignore_sample" in raw.grader_flags
        changed["partial"] = not {"accept_if_any_accepted", "always_accept"}.isdisjoint(raw.grader_flags)
    if raw.on_reject is not None:
        changed["stops"] = raw.on_reject in ("break", "first_error")
    if raw.range is not None:
        changed["max_score"] = changed["most"] = upper_end(raw.range)
        changed["least"] = min(0.0, raw.range[0])
    if raw.output_validator_flags is not None:
        changed["validator_args"] = metadata.validator_args + raw.output_validator_flags
    if raw.input_validator_flags is not None:
        changed["input_validator_args"] = tuple(raw.input_validator_flags.items())
    if raw.accept_score is not None:
        changed["accept_score"] = raw.accept_score
    if raw.reject_score is not None:
        changed["reject_score"] = raw.reject_score
    return dataclasses.replace(inherited, source=path, **changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A group other than the samples: its settings and how many cases it has."""

    name: str
    settings: GroupSettings
    cases: int


def pass_fail_groups(sizes: Mapping[str, int]) -> tuple[Group, ...]:
    """Groups of a problem without scores, by their numbers of cases: every case weighs the same."""
    return tuple(Group(name=name, points=float(size) if len(sizes) > 1 else 1.0) for name, size in sizes.items())


def passing(settings: Mapping[str, GroupSettings], groups: Collection[str]) -> frozenset[str]:
    """The groups with pass-fail."""
    default = {"secret": "sum"}
    return frozenset(
        name for name in groups if (settings[name].aggregation or default.get(name, "pass-fail")) == "pass-fail"
    )


def build_groups(
    tree: Tree, secret: GroupSettings, counted: Sequence[Counted], stated: Mapping[str, float]
) -> tuple[Group, ...]:
    """Points and aggregation of the groups of a problem with scores, in the given order. `stated`: points of groups in
    judge.yaml, of which those of unbounded groups are used here. Version `legacy` has `legacy_groups`."""
    where = secret.source or tree.root / "data" / "secret"
    _check_unbounded(tree, secret, counted)
    if secret.unbounded:
        secret, counted = _bound_scores(tree, where, secret, counted, stated)
    total = 100.0 if secret.max_score is None else secret.max_score
    if [group.name for group in counted] == ["secret"]:
        aggregation = _aggregation(secret.aggregation or "sum")
        return (Group(name="secret", points=total, aggregation=aggregation, requires=secret.requires),)
    if secret.aggregation == "pass-fail":
        return (Group(name="secret", points=total, aggregation=Aggregation.MIN, requires=secret.requires),)
    if any(group.name == "secret" for group in counted):
        raise tree.error(tree.root / "data" / "secret", "holds both cases and groups", "move the cases into a group")
    least = secret.aggregation == "min" and len(counted) > 1
    above = (Group(name="secret", points=total, aggregation=Aggregation.MIN),) if least else ()
    points = [group.settings.max_score for group in counted]
    usual = total if least else _share(tree, where, total, counted)
    return above + tuple(
        Group(
            name=group.name,
            points=usual if own is None else float(own),
            within="secret" if least else None,
            aggregation=_aggregation(group.settings.aggregation or "pass-fail"),
            requires=tuple(dict.fromkeys(secret.requires + group.settings.requires)),
        )
        for group, own in zip(counted, points, strict=True)
    )


def _check_unbounded(tree: Tree, secret: GroupSettings, counted: Sequence[Counted]) -> None:
    for group in counted:
        own, blame = group.settings, group.settings.source or tree.root
        if own.unbounded and not secret.unbounded:
            what = "max_score: unbounded, but that of data/secret is a number"
            raise tree.error(blame, what, "give a number, or write max_score: unbounded in data/secret, too")
        if own.unbounded and (own.aggregation or ("sum" if group.name == "secret" else "pass-fail")) == "pass-fail":
            raise tree.error(blame, "max_score: unbounded, but it is passed, or not", "give a number")


def _bound_scores(
    tree: Tree, where: Path, secret: GroupSettings, counted: Sequence[Counted], stated: Mapping[str, float]
) -> tuple[GroupSettings, list[Counted]]:
    """The settings of an unbounded problem with the points of which a score is to be a share: those of judge.yaml, else
    the best that submissions.yaml states for a submission."""
    from problems.reading.points import reference  # noqa: PLC0415  # most packages are bounded

    whole = secret.aggregation in ("min", "pass-fail") or [group.name for group in counted] == ["secret"]
    groups = [
        dataclasses.replace(group, settings=dataclasses.replace(group.settings, max_score=stated.get(group.name)))
        if group.settings.max_score is None
        else group
        for group in counted
    ]
    missing = [group.name for group in groups if group.settings.max_score is None]
    total = stated.get("secret")
    if total is None and (whole or missing):
        total = reference(tree)
    if total is None and (whole or missing):
        names = ", ".join(f"{name}: {{points: 100}}" for name in (["secret"] if whole else missing))
        what = "max_score: unbounded, but nothing says of how much a score is to be a share"
        remedy = f"state it in judge.yaml (groups: {{{names}}}), or the best submission's score in submissions.yaml"
        raise tree.error(where, what, remedy)
    return dataclasses.replace(secret, max_score=total), groups


def _share(tree: Tree, where: Path, total: float, counted: Sequence[Counted]) -> float:
    """The points of each group that states none."""
    given = [group.settings.max_score for group in counted]
    missing = given.count(None)
    left = total - sum(score for score in given if score is not None)
    if missing and left <= 0:
        name = next(group.name for group in counted if group.settings.max_score is None)
        raise tree.error(where, f"no points are left for group {name!r}", "give every group a max_score")
    return left / missing if missing else 0.0


def _aggregation(mode: Mode) -> Aggregation:
    return Aggregation.SUM if mode == "sum" else Aggregation.MIN


def check_groups(tree: Tree, groups: Sequence[Group]) -> None:
    """Raise ProblemError if a group that is named does not exist, or a group requires or holds itself."""
    by_name = {group.name: group for group in groups}
    for group in groups:
        place = tree.root.joinpath("data", *group.name.split("/"))
        for verb, field in (("requires", "require_pass"), ("lies in", "within")):
            reached: set[str] = set()
            waiting = list(_list_names(group, field))
            while waiting:
                name = waiting.pop()
                if name not in by_name:
                    remedy = f"name some of {', '.join(by_name)}"
                    raise tree.error(place, f"{verb} group {name!r}, which does not exist", remedy)
                if name == group.name:
                    raise tree.error(place, f"{verb} itself, directly or by way of others", f"correct {field}")
                if name not in reached:
                    reached.add(name)
                    waiting += _list_names(by_name[name], field)


def _list_names(group: Group, field: str) -> tuple[str, ...]:
    if field == "require_pass":
        return group.requires
    return () if group.within is None else (group.within,)
