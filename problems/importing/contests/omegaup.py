"""omegaUp: a folder, or a folder of folders, each with settings.json or a testplan, cases/ and statements/.

settings.json   Limits (TimeLimit, MemoryLimit, OutputLimit, ...), Validator (Name, Tolerance, Lang, GroupScorePolicy),
                Cases [{Name, Cases [{Name, Weight}]}], Interactive; first letters may be small
testplan        a line a case: its name and its weight
cases/          NAME.in, NAME.out; the part of the name before a dot is its group
examples/       likewise; what the site shows
validator.*     a checker of its own; solutions/ and statements/ hold Markdown; tests/tests.json labels solutions
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from posixpath import normpath
from typing import Annotated, Any

from pydantic import Field

from problems.importing.draft import Draft, of_folders
from problems.importing.keys import Foreign, Points
from problems.importing.source import REFUSED, Source, clean, pairs
from problems.model import (
    MIB,
    SECOND_NS,
    Aggregation,
    Checker,
    Comparison,
    Convention,
    Group,
    Limits,
    Mode,
    Problem,
)

_SETTINGS, _PLAN, _CASES = "settings.json", "testplan", "cases"
#: In tests/. The site reads the first.
_TESTS = ("tests.json", _SETTINGS)
#: A time without a unit is none: quark's newer versions read seconds, its older ones ms.
_TIME = {"us": SECOND_NS // 10**6, "ms": SECOND_NS // 1000, "s": SECOND_NS, "m": 60 * SECOND_NS, "h": 3600 * SECOND_NS}
_DURATION = re.compile(r"[0-9.]{1,20}[a-z]{1,2}")
_SIZE = {"": 1, "b": 1, "kib": 1024, "mib": MIB, "gib": 1024 * MIB, "tib": MIB * MIB}
_COMPARISONS = {
    "token": Comparison(mode=Mode.TOKENS),
    "token-caseless": Comparison(mode=Mode.TOKENS_CI),
}
_EXPECTED = {
    "AC": frozenset({"AC"}),
    "PA": frozenset({"PC", *REFUSED}),
    "WA": frozenset({"WA", "PE"}),
    "TLE": frozenset({"TLE"}),
    "MLE": frozenset({"MLE"}),
    "RTE": frozenset({"RE"}),
    "OLE": frozenset({"OLE"}),
}
#: `DefaultLimits` of quark (common/problemsettings.go), which gitserver gives to uploads without settings.json.
_USUAL = Limits(memory_bytes=32 * MIB, output_bytes=10 * 1024)


class LimitsJson(Foreign):
    UNREAD = "ExtraWallTime OverallWallTimeLimit InputLimit"

    TimeLimit: str | None = None
    MemoryLimit: str | None = None
    OutputLimit: str | None = None


class ValidatorJson(Foreign):
    Name: str | None = None
    Tolerance: Annotated[float, Field(ge=0, le=1e300, allow_inf_nan=False)] | None = None
    Lang: str | None = None
    GroupScorePolicy: str = ""
    Limits: Any = None


class CaseJson(Foreign):
    Name: str
    Weight: Points


class GroupJson(Foreign):
    Name: str
    Cases: tuple[CaseJson, ...]


class SettingsJson(Foreign):
    UNREAD = "Alias Source Tags Slow Languages Visibility EmailClarifications Misc"

    Limits: LimitsJson = LimitsJson()
    Validator: ValidatorJson = ValidatorJson()
    Cases: tuple[GroupJson, ...] = ()
    Interactive: Any = None
    # What the verdict does not depend on.
    Title: str | None = None


class SolutionJson(Foreign):
    UNREAD = "language allow_fractional_percentages"

    filename: str
    verdict: str | None = None
    score_range: tuple[float, ...] | None = None


class InputsJson(Foreign):
    filename: str
    language: Any = None


class TestsJson(Foreign):
    __test__ = False  # not a pytest class

    solutions: tuple[SolutionJson, ...] = ()
    inputs: InputsJson | None = None
    max_score: Any = None


def _is_problem(directory: Path) -> bool:
    cases = directory / _CASES
    return cases.is_dir() and any((directory / name).exists() for name in (_SETTINGS, _PLAN, "statements"))


def _read(draft: Draft) -> Problem:
    source, path = draft.source, draft.path
    settings = SettingsJson()
    if path.is_file():
        settings = source.read_json(source.inside(path), SettingsJson, small_first_letters=True)
    if settings.Interactive or (draft.directory / "interactive").is_dir():
        what = "is a problem of libinteractive, which is not imported"
        raise source.tree.error(draft.directory, what, "write an interactor")
    _add_tests(draft, settings)
    for given, answer in pairs(source, draft.directory / "examples"):
        draft.add_test(given, answer, clean(given.stem), "sample")
    for file in draft.list_files("statements"):
        if file.suffix in (".markdown", ".md") and len(file.stem) in (2, 3) and file.stem.isalpha():
            draft.add_statement(file.stem, source.text(file))
    draft.title = settings.Title or draft.name
    limits, checker = _limits(draft, settings.Limits), _checker(draft, settings.Validator)
    _add_solutions(draft)
    return replace(draft.build("en"), limits=limits, checker=checker)


def _limits(draft: Draft, stated: LimitsJson) -> Limits:
    def read(text: str | None, units: dict[str, int], what: str, usual: int) -> int:
        return usual if text is None else draft.read_number(what, text, units)

    shown = {"TimeLimit": "1 s", "MemoryLimit": "32 MiB", "OutputLimit": "10 KiB of output"}
    if open_ := [text for key, text in shown.items() if getattr(stated, key) is None]:
        draft.assume(f"{', '.join(open_)}: omegaUp's own limits where none are stated")
    parts = _DURATION.findall(stated.TimeLimit or "")
    if not parts or "".join(parts) != stated.TimeLimit:  # no duration of several units, like "1m0s"
        parts = [stated.TimeLimit]
    return Limits(
        cpu_ns=sum(read(part, _TIME, "TimeLimit", _USUAL.cpu_ns) for part in parts),
        memory_bytes=read(stated.MemoryLimit, _SIZE, "MemoryLimit", _USUAL.memory_bytes),
        output_bytes=read(stated.OutputLimit, _SIZE, "OutputLimit", _USUAL.output_bytes),
    )


def _checker(draft: Draft, stated: ValidatorJson) -> Checker:
    own = [file for file in draft.list_files() if file.stem == "validator" and file.is_file()]
    if stated.Name == "custom" or (own and not draft.path.is_file()):
        found = next((file for file in own if file.suffix in (".cpp", ".c", ".py", ".java")), None)
        if found is None:
            raise draft.error("its custom validator is not there", "add validator.cpp")
        return draft.source.checker(found, Convention.OMEGAUP)
    if stated.Name is None:
        draft.assume("tokens are compared in either case, as omegaUp does where it has no settings")
    name = stated.Name or "token-caseless"
    rule = comparison(name, stated.Tolerance)
    if rule is None:
        known = ", ".join((*_COMPARISONS, "token-numeric", "custom"))
        raise draft.error(f"Validator {name[:40]!r} is not imported", f"take one of {known}")
    return rule


def comparison(name: str, tolerance: float | None) -> Comparison | None:
    """What the site's validator of this name compares; None: none that is imported has it."""
    if name == "token-numeric":
        tolerance = 1e-6 if tolerance is None else tolerance
        return Comparison(mode=Mode.NUMBERS, absolute_tolerance=1.5 * tolerance, relative_tolerance=tolerance)
    return _COMPARISONS.get(name)


def _add_tests(draft: Draft, settings: SettingsJson) -> None:
    source, place, plan = draft.source, draft.directory / _CASES, draft.directory / _PLAN
    files = {input_.stem: (input_, answer) for input_, answer in pairs(source, place)}
    if not files:
        raise source.tree.error(place, "has no test cases", "add NAME.in with NAME.out")
    planned = dict(_once(draft, plan, _read_plan(source, source.inside(plan)))) if plan.is_file() else {}
    stated = dict(_once(draft, draft.path, _read_stated(draft, settings)))
    if planned and stated and planned != stated:
        what = "says other cases or weights than settings.json"
        raise source.tree.error(plan, what, "remove one of the two: the site takes one or the other")
    weights = stated or planned or dict.fromkeys(files, 1.0)
    for name in files.keys() - weights.keys():
        source.lose(files[name][0], "has no weight", "state one, or remove it")
    policy = settings.Validator.GroupScorePolicy
    if policy not in ("", "sum-if-not-zero", "min"):
        raise draft.error(f"GroupScorePolicy {policy[:40]!r} is unknown", "take sum-if-not-zero or min")
    by_group: dict[str, list[str]] = {}
    for name in files:
        if name in weights:
            by_group.setdefault(name.partition(".")[0], []).append(name)
    for index, names in enumerate(by_group.values(), 1):
        group = f"secret/{index:0{max(3, len(str(len(by_group))))}}"
        for name in names:
            draft.add_test(*files[name], clean(name), group, weight=weights[name])
        made = Group(
            name=group,
            points=sum(weights[name] for name in names),
            aggregation=Aggregation.MIN if policy == "min" else Aggregation.SUM,
            void_if_refused=policy != "min" and len(names) > 1,
        )
        draft.groups.append(made)


def _once(draft: Draft, path: Path, cases: Iterator[tuple[str, float]]) -> Iterator[tuple[str, float]]:
    """The same. Raises ProblemError if a case is named twice."""
    known: set[str] = set()
    for name, weight in cases:
        if name in known:
            raise draft.source.tree.error(path, f"names the case {name[:60]!r} twice", "keep one")
        known.add(name)
        yield name, weight


def _read_stated(draft: Draft, settings: SettingsJson) -> Iterator[tuple[str, float]]:
    for group in settings.Cases:
        for case in group.Cases:
            if group.Name != case.Name.partition(".")[0]:
                what = f"has the case {case.Name[:60]!r} in group {group.Name[:60]!r}, and its name begins with another"
                raise draft.error(what, "call the case GROUP.NAME")
            if not (draft.directory / _CASES / f"{clean(case.Name)}.in").is_file():
                raise draft.error(f"names the case {case.Name[:60]!r}, which is not in cases/", "add it")
            yield case.Name, case.Weight


def _read_plan(source: Source, path: Path) -> Iterator[tuple[str, float]]:
    for line, text in enumerate(source.text(path).splitlines(), 1):
        words = text.partition("#")[0].split()
        if not words:
            continue
        try:
            weight = float(words[1]) if len(words) == 2 else -1.0
        except ValueError:
            weight = -1.0
        if not 0 <= weight <= 1e9:
            raise source.tree.error(path, f"{text.strip()[:60]!r} is no name with a weight", "write: name 10", line)
        if not (path.parent / _CASES / f"{clean(words[0])}.in").is_file():
            raise source.tree.error(path, f"names the case {words[0][:60]!r}, which is not in cases/", "add it", line)
        yield words[0], weight


def _add_solutions(draft: Draft) -> None:
    """Names of files begin in tests/, and may leave it: "../solutions/slow.cpp"."""
    source, directory = draft.source, draft.directory
    for path in (directory / "tests" / name for name in _TESTS):
        if not path.is_file():
            continue
        stated = source.read_json(source.inside(path), TestsJson)
        for one in stated.solutions:
            file = source.find_named(directory, normpath(f"tests/{one.filename}"), path)
            draft.add_labelled(file, one.verdict or _by_score(one.score_range), _EXPECTED, path)
        if stated.inputs is not None:
            validator = source.find_named(directory, normpath(f"tests/{stated.inputs.filename}"), path)
            source.note(validator, "is not imported: it checks inputs")


def _by_score(stated: tuple[float, ...] | None) -> str | None:
    """The verdict of a solution of which only the score is stated: least and most."""
    if stated is None or len(stated) != 2 or stated[0] < 1 <= stated[1]:
        return None
    return "AC" if stated[0] >= 1 else "PA"


FORMAT = of_folders(
    name="omegaup",
    holds="omegaUp's cases/ beside settings.json, testplan or statements/",
    is_problem=_is_problem,
    read=_read,
    head=_SETTINGS,
)
