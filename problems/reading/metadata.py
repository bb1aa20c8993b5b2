"""Reads problem.yaml of versions 2025-09 and 2023-07-draft into `Metadata`, which all versions share."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from problems.errors import ProblemError
from problems.files.tree import Tree
from problems.files.yamlfile import Strict, read_of_version
from problems.model import (
    MIB,
    MOST_ARGUMENTS,
    MOST_ARGUMENTS_BYTES,
    MOST_POINTS,
    SECOND_NS,
    STATED_LIMITS,
    Limits,
)
from problems.text.constants import Constants, constants_of

KIB = 1024
Kind = Literal["batch", "interactive", "submit-answer", "multi-pass"]

VERSIONS = ("2025-09", "2023-07-draft", "legacy")
LICENSES = ("unknown", "public domain", "cc0", "cc by", "cc by-sa", "educational", "permission")
#: What the format gives where problem.yaml states nothing; of the time limit, see `problems.reading.time_rule`.
DEFAULT = Limits(memory_bytes=2048 * MIB, output_bytes=8 * MIB, code_bytes=128 * KIB)
COMPILATION_NS, COMPILATION_BYTES = 60 * SECOND_NS, 2048 * MIB
VALIDATION = Limits(cpu_ns=60 * SECOND_NS, memory_bytes=2048 * MIB)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """What problem.yaml states, in any version."""

    version: str
    title: Mapping[str, str]
    kind: Kind = "batch"
    interactive: bool = False
    scoring: bool = False
    #: Legacy: the least score is the best.
    minimises: bool = False
    #: Several types stand in one string.
    joined: bool = False
    passes: int = 1
    #: Legacy: False: the default comparison judges, whatever lies in output_validators/; True: a program has to lie
    #: there. None: in other versions a program judges if there is one.
    custom: bool | None = None
    #: Legacy `custom score`: the validator's scores are points within `range` of testdata.yaml.
    gives_points: bool = False
    #: Legacy: `accept_score` and the upper end of `range` that problem.yaml states for all test data.
    accept_score: float | None = None
    most: float | None = None
    least: float = 0.0
    reject_score: float = 0.0
    limits: Limits = DEFAULT
    #: Fields of `limits` that the package does not state.
    unstated: tuple[str, ...] = ()
    compile_cpu_ns: int = COMPILATION_NS
    compile_memory_bytes: int = COMPILATION_BYTES
    validation_limits: Limits = VALIDATION
    #: Arguments of the output validator for all cases (legacy `validator_flags`).
    validator_args: tuple[str, ...] = ()
    constants: Constants = ()
    keywords: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    source: str = ""
    license: str = ""
    authors: tuple[str, ...] = ()
    uuid: str = ""
    #: Keys of problem.yaml that only another version of the format knows. They are left out, as problemtools does.
    ignored: tuple[str, ...] = ()


def _make_list(value: object) -> object:
    return [value] if isinstance(value, (str, dict)) else value


def _norwegian(value: object) -> object:
    """YAML 1.1 reads the language code `no` as False."""
    if isinstance(value, dict):
        return {"no" if key is False else key: item for key, item in value.items()}
    return value


def split_words(text: str) -> list[str]:
    """Arguments in one string are split at white space, as version `legacy` writes them; quotes hold words together, as
    in DOMjudge's own examples."""
    try:
        return shlex.split(text) if '"' in text or "'" in text else text.split()
    except ValueError:  # a quote without an end is no quote
        return text.split()


def list_given(found: tuple[str, ...]) -> tuple[str, ...]:
    """What a program can get."""
    size = sum(len(word.encode(errors="replace")) + 1 for word in found)
    if len(found) > MOST_ARGUMENTS or size > MOST_ARGUMENTS_BYTES:
        raise ValueError(
            f"{len(found)} words of {size} bytes are more than {MOST_ARGUMENTS}, or {MOST_ARGUMENTS_BYTES}"
        )
    if any("\0" in word for word in found):
        raise ValueError("a zero byte is in no argument")
    return found


def _points(value: float) -> float:
    if MOST_POINTS < abs(value) < math.inf:
        raise ValueError(f"{value:g} points are more than {MOST_POINTS}")
    return value


#: Points where infinity says that there is no bound.
Points = Annotated[float, AfterValidator(_points)]


def words(value: object) -> object:
    return split_words(value) if isinstance(value, str) else value


Arguments = Annotated[tuple[str, ...], AfterValidator(list_given)]
Words = Annotated[Arguments, BeforeValidator(words)]


#: Arguments of all input validators, or of each by its name.
InputArgs = Annotated[
    dict[str, Words], BeforeValidator(lambda given: given if isinstance(given, dict) else {"": given})
]

Positive = Annotated[float, Field(gt=0, le=1e6, allow_inf_nan=False)]
Size = Annotated[int, Field(gt=0, le=1 << 24)]  # MiB or KiB
Names = Annotated[tuple[str, ...], BeforeValidator(_make_list)]


class PersonYaml(Strict):
    name: str
    email: str | None = None
    orcid: str | None = None
    kattis: str | None = None


def _person(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


Person = Annotated[PersonYaml, BeforeValidator(_person)]
People = Annotated[tuple[Person, ...], BeforeValidator(_make_list)]


def _credits(value: object) -> object:
    return {"authors": value} if isinstance(value, str) else value


class CreditsYaml(Strict):
    authors: People = ()
    contributors: People = ()
    testers: People = ()
    translators: dict[str, People] = Field(default_factory=dict)
    packagers: People = ()
    acknowledgements: People = ()


class SourceYaml(Strict):
    name: str
    url: str | None = None


Source = Annotated[SourceYaml, BeforeValidator(_person)]


class TimeMultipliersYaml(Strict):
    ac_to_time_limit: Annotated[float, Field(ge=1)] = 2.0
    time_limit_to_tle: Annotated[float, Field(ge=1)] = 1.5


class LimitsYaml(Strict):
    time_multipliers: TimeMultipliersYaml | None = None
    time_limit: Positive | None = None
    time_resolution: Positive | None = None
    memory: Size | None = None
    output: Size | None = None
    code: Size | None = None
    compilation_time: Positive | None = None
    compilation_memory: Size | None = None
    validation_time: Positive | None = None
    validation_memory: Size | None = None
    validation_output: Size | None = None
    validation_passes: Annotated[int, Field(ge=2, le=1000)] | None = None


Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+$")]


class ProblemYaml(Strict):
    problem_format_version: str
    #: The text knows a type, or a sequence of types. Its examples write several in one string, too, as `validation` of
    #: version `legacy` is written.
    type: str | tuple[str, ...] = "pass-fail"
    name: Annotated[str | dict[str, str], BeforeValidator(_norwegian)]
    uuid: str = ""
    version: str | None = None
    credits: Annotated[CreditsYaml | None, BeforeValidator(_credits)] = None
    source: Annotated[tuple[Source, ...], BeforeValidator(_make_list)] = ()
    license: Literal["unknown", "public domain", "cc0", "cc by", "cc by-sa", "educational", "permission"] = "unknown"
    rights_owner: str | None = None
    embargo_until: Any = None
    limits: LimitsYaml | None = None
    keywords: Names = ()
    languages: Names = ("all",)
    allow_file_writing: bool = False
    constants: dict[Name, str | dict[Name, str]] = Field(default_factory=dict)

    @field_validator("type")
    @classmethod
    def _compatible(cls, stated: str | tuple[str, ...]) -> str | tuple[str, ...]:
        known = ("pass-fail", "scoring", "multi-pass", "interactive", "submit-answer")
        value = tuple(stated.split()) if isinstance(stated, str) else stated
        if not value:
            raise ValueError("must name at least one type")
        for name in value:
            if name not in known:
                raise ValueError(f"unknown type {name!r}: use some of {', '.join(known)}")
        for one, other in (
            ("pass-fail", "scoring"),
            ("submit-answer", "multi-pass"),
            ("submit-answer", "interactive"),
        ):
            if one in value and other in value:
                raise ValueError(f"{one!r} and {other!r} exclude each other")
        return stated

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(self.type.split()) if isinstance(self.type, str) else self.type

    @field_validator("constants")
    @classmethod
    def _split_constants(cls, value: dict[str, str | dict[str, str]]) -> dict[str, str | dict[str, str]]:
        for name, stated in value.items():
            if isinstance(stated, dict) and "value" not in stated:
                raise ValueError(f"{name} has variants, but no value")
        return value

    @model_validator(mode="after")
    def _check_names(self) -> ProblemYaml:
        if isinstance(self.name, dict) and not self.name:
            raise ValueError("name: must give at least one title")
        return self


def from_yaml(tree: Tree, text: str, legacy: Callable[[], type[Strict]]) -> Metadata:
    """problem.yaml of version 2025-09 or 2023-07-draft. `legacy`: the model of what version `legacy` knows."""
    path = tree.root / "problem.yaml"
    raw, ignored = read_of_version(tree, path, ProblemYaml, text, legacy)
    kinds: tuple[Kind, ...] = ("interactive", "multi-pass", "submit-answer")
    kind: Kind = next((kind for kind in kinds if kind in raw.types), "batch")
    limits = raw.limits or LimitsYaml()
    passes = limits.validation_passes or 2
    return Metadata(
        version=raw.problem_format_version,
        title={"en": raw.name} if isinstance(raw.name, str) else raw.name,
        kind=kind,
        interactive="interactive" in raw.types,
        scoring="scoring" in raw.types,
        joined=isinstance(raw.type, str) and len(raw.types) > 1,
        passes=passes if "multi-pass" in raw.types else 1,
        limits=to_limits(limits),
        **to_stated(limits),
        validation_limits=to_validation_limits(limits),
        constants=constants_of(raw.constants),
        keywords=raw.keywords,
        languages=() if "all" in raw.languages else raw.languages,
        source="; ".join(f"{item.name} <{item.url}>" if item.url else item.name for item in raw.source),
        license="" if raw.license == "unknown" else raw.license,
        authors=tuple(person.name for person in raw.credits.authors) if raw.credits else (),
        uuid=raw.uuid,
        ignored=ignored,
    )


class Stated(TypedDict):
    unstated: tuple[str, ...]
    compile_cpu_ns: int
    compile_memory_bytes: int


def to_stated(raw: LimitsYaml) -> Stated:
    """What the package leaves to the format, and the limits of compiles."""
    given = (raw.time_limit, raw.memory, raw.output, raw.code)
    return {
        "unstated": tuple(name for name, value in zip(STATED_LIMITS, given, strict=True) if value is None),
        "compile_cpu_ns": COMPILATION_NS if raw.compilation_time is None else round(raw.compilation_time * SECOND_NS),
        "compile_memory_bytes": COMPILATION_BYTES if raw.compilation_memory is None else raw.compilation_memory * MIB,
    }


def to_limits(raw: LimitsYaml) -> Limits:
    """The limits, with the format's for what the package does not state."""
    default = DEFAULT
    return Limits(
        cpu_ns=default.cpu_ns if raw.time_limit is None else max(1, round(raw.time_limit * SECOND_NS)),
        memory_bytes=default.memory_bytes if raw.memory is None else raw.memory * MIB,
        output_bytes=default.output_bytes if raw.output is None else raw.output * MIB,
        code_bytes=default.code_bytes if raw.code is None else raw.code * KIB,
    )


def to_validation_limits(raw: LimitsYaml) -> Limits:
    return Limits(
        cpu_ns=round((raw.validation_time or 60) * SECOND_NS),
        memory_bytes=(raw.validation_memory or 2048) * MIB,
        **({} if raw.validation_output is None else {"output_bytes": raw.validation_output * MIB}),
    )


def check_version(tree: Tree, version: str, line: int | None) -> str:
    """The version to read as: one of `VERSIONS`."""
    if version in {"legacy", "legacy-icpc"}:
        return "legacy"
    if version in VERSIONS:
        return version
    raise unknown_version(tree, version, line)


def unknown_version(tree: Tree, version: str, line: int | None) -> ProblemError:
    return tree.error(
        tree.root / "problem.yaml",
        f"unknown problem_format_version {version!r}",
        f"convert the package to one of {', '.join(VERSIONS)}",
        line,
    )
