"""Reads version `legacy` (also legacy-icpc, and packages that state no version), and the files that DOMjudge adds."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from problems.errors import nearest
from problems.files.tree import TIME_LIMIT, Tree
from problems.files.yamlfile import Strict, read_of_version
from problems.model import MOST_POINTS, SECOND_NS
from problems.reading.metadata import (
    InputArgs,
    LimitsYaml,
    Metadata,
    Points,
    Positive,
    ProblemYaml,
    Words,
    to_limits,
    to_stated,
    to_validation_limits,
    words,
)


def _none_is_empty(value: object) -> object:
    """Exported packages often have `author:` with nothing after it."""
    return "" if value is None else value


Text = Annotated[str, BeforeValidator(_none_is_empty)]


class LegacyLimitsYaml(LimitsYaml):
    time_multiplier: Positive | None = None
    time_safety_margin: Positive | None = None


Score = Annotated[float, Field(ge=0, le=MOST_POINTS, allow_inf_nan=False)]
#: The least and the most of a score.
Range = Annotated[tuple[Points, Points], BeforeValidator(words)]


class GradingYaml(Strict):
    objective: Literal["min", "max"] = "max"
    show_test_data_groups: bool = False
    # Older than the specification; problemtools reads them, too. They hold for data/, unless testdata.yaml states them.
    on_reject: str | None = None
    accept_score: Score | None = None
    reject_score: float | None = None
    range: Range | None = None


class LegacyYaml(Strict):
    problem_format_version: str = "legacy"
    type: Literal["pass-fail", "scoring"] = "pass-fail"
    name: str | dict[str, str] | None = None
    uuid: Text = ""
    author: Text = ""
    source: Text = ""
    source_url: Text = ""
    license: Text = ""
    rights_owner: Text = ""
    limits: LegacyLimitsYaml | None = None
    validation: Text = "default"
    validator_flags: Annotated[Words, BeforeValidator(_none_is_empty)] = ()
    grading: GradingYaml | None = None
    keywords: Annotated[Words, BeforeValidator(_none_is_empty)] = ()
    libraries: Any = None  # dropped from the specification in 2021, still found in packages
    languages: Any = None


class FlagsYaml(Strict):
    name: str
    flags: Words = ()


def _only_flags(value: object) -> object:
    """`output_validator_flags` is a string of flags, or a map of the validator's name and its flags."""
    if isinstance(value, dict):
        return FlagsYaml.model_validate(value).flags
    return words(value)


class TestdataYaml(Strict):
    """testdata.yaml: how one directory of tests is scored."""

    __test__ = False

    on_reject: Literal["break", "continue", "first_error", "worst_error", "grade"] | None = None
    grading: Literal["default", "custom"] | None = None
    grader_flags: Words | None = None
    input_validator_flags: InputArgs | None = None
    output_validator_flags: Annotated[tuple[str, ...] | None, BeforeValidator(_only_flags)] = None
    accept_score: Score | None = None
    reject_score: float | None = None
    range: Range | None = None


def upper_end(stated: tuple[float, float]) -> float | None:
    """The most of a range; None: it is no number of points."""
    return stated[1] if 0 < stated[1] < float("inf") else None


#: What may follow "custom". `multi-pass` is newer than the specification; problemtools and DOMjudge take it.
_VALIDATION = {"score", "interactive", "multi-pass"}


def from_yaml(tree: Tree, text: str) -> Metadata:
    path = tree.root / "problem.yaml"
    raw, ignored = read_of_version(tree, path, LegacyYaml, text, lambda: ProblemYaml)
    words = raw.validation.split()
    if not words or words[0] not in {"default", "custom"} or set(words[1:]) - _VALIDATION:
        remedy = "write default, or custom [score] [interactive] [multi-pass]"
        raise tree.error(path, f"validation {raw.validation!r} is unknown", remedy)
    grading = raw.grading or GradingYaml()
    limits = raw.limits or LegacyLimitsYaml()
    name = raw.name or read_domjudge_ini(tree).get("name") or tree.root.name
    source = f"{raw.source} <{raw.source_url}>" if raw.source and raw.source_url else raw.source
    return Metadata(
        version="legacy",
        title={"en": name} if isinstance(name, str) else name,
        kind="interactive" if "interactive" in words else "multi-pass" if "multi-pass" in words else "batch",
        interactive="interactive" in words,
        scoring=raw.type == "scoring",
        minimises=raw.type == "scoring" and grading.objective == "min",
        custom=words[0] == "custom",
        gives_points="score" in words,
        accept_score=grading.accept_score,
        reject_score=grading.reject_score or 0.0,
        most=upper_end(grading.range) if grading.range else None,
        least=min(0.0, grading.range[0]) if grading.range else 0.0,
        passes=(limits.validation_passes or 2) if "multi-pass" in words else 1,
        limits=to_limits(limits),
        **to_stated(limits),
        validation_limits=to_validation_limits(limits),
        validator_args=raw.validator_flags,
        keywords=raw.keywords,
        source=source,
        license="" if raw.license == "unknown" else raw.license,
        authors=tuple(filter(None, (part.strip() for part in re.split(r",|\band\b", raw.author)))),
        uuid=raw.uuid,
        ignored=ignored,
    )


_SETTING = re.compile(r"([^=:]++)[=:](.*)")
#: Keys of domjudge-problem.ini by which a program judges that an administrator of the site put there.
OF_SITE = ("special_compare", "special_run")
_INI = (
    *OF_SITE,
    "name",
    "timelimit",
    "externalid",
    "probid",
    "short-name",
    "color",
    "points",
    "allow_submit",
    "allow_judge",
)


def read_domjudge_ini(tree: Tree) -> dict[str, str]:
    """`key = 'value'` lines without a section; {} if there is no such file."""
    path = tree.file("domjudge-problem.ini")
    if path is None:
        return {}
    found = {}
    for number, line in enumerate(tree.read_text(path).splitlines(), 1):
        if not line.strip() or line.lstrip().startswith(("#", ";", "[")):
            continue
        match = _SETTING.fullmatch(line)
        if match is None:
            raise tree.error(path, "is no list of `key = value` lines", "correct the syntax there", number)
        key, value = match[1].strip().lower(), match[2].strip().strip("'\"")
        if key not in _INI and (meant := nearest(key, _INI)):
            raise tree.error(path, f"key {key[:40]!r} is unknown", f"did you mean {meant[0]!r}?", number)
        found[key] = value
    return found


def side_time_limit(tree: Tree) -> int | None:
    """The time limit in ns that tools write to files beside a problem.yaml without one."""
    text, path = read_domjudge_ini(tree).get("timelimit"), tree.file("domjudge-problem.ini")
    if text is None:
        path = tree.file(TIME_LIMIT)
        text = None if path is None else tree.read_text(path).strip()
    if path is None or text is None:
        return None
    if not re.fullmatch(r"\d{1,5}(\.\d{1,9})?", text) or float(text) <= 0:
        raise tree.error(path, f"time limit {text!r} is no number of seconds", "write a positive number")
    return round(float(text) * SECOND_NS)
