"""Codeforces Polygon: a package with problem.xml, its tests, and the sources of checker, interactor and validator.

problem.xml     names, judging (limits, testset with tests and groups), assets (checker, interactor, validators,
                solutions), tags. Limits are in ms and bytes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from xml.etree.ElementTree import Element

from problems.files.languages import by_suffix
from problems.importing import testlib
from problems.importing.draft import Draft
from problems.importing.polygon_tests import Tests, name_by_pattern, reads_answer, there
from problems.importing.polygon_trials import input_trials, output_trials
from problems.importing.polygon_xml import placed_paths, refuse_unknown
from problems.importing.source import Format, Source, clean
from problems.importing.xmlfile import read_xml
from problems.model import (
    Aggregation,
    Checker,
    Comparison,
    Convention,
    FileIO,
    Group,
    Limits,
    Problem,
    Program,
)
from problems.reading.grouping import pass_fail_groups
from problems.reading.programs import TESTLIB

_HEAD = "problem.xml"
#: The most that problem.xml may hold.
MOST_BYTES = 16 << 20
#: Those whose tag is not how their English name begins.
_LANGUAGES = {
    **{"armenian": "hy", "bengali": "bn", "bulgarian": "bg", "chinese": "zh", "croatian": "hr", "czech": "cs"},
    **{"dutch": "nl", "estonian": "et", "farsi": "fa", "georgian": "ka", "german": "de", "greek": "el"},
    **{"indonesian": "id", "kazakh": "kk", "latvian": "lv", "lithuanian": "lt", "macedonian": "mk", "persian": "fa"},
    **{"polish": "pl", "portuguese": "pt", "serbian": "sr", "slovak": "sk", "spanish": "es", "swedish": "sv"},
    **{"tajik": "tg", "turkish": "tr"},
}
_POLICIES = {"complete-group": Aggregation.MIN, "each-test": Aggregation.SUM}
#: Checkers of testlib that compare as one of ours does. The others are compiled.
_COMPARISONS = {f"std::{name}.cpp": testlib.COMPARISONS[name] for name in ("wcmp", "lcmp")}
_WRONG = frozenset({"WA", "TLE", "MLE", "RE", "PE", "OLE"})
_EXPECTED = {
    "main": frozenset({"AC"}),
    "accepted": frozenset({"AC"}),
    "rejected": _WRONG,
    "failed": _WRONG,
    "wrong-answer": frozenset({"WA", "PE"}),
    "presentation-error": frozenset({"WA", "PE"}),
    "time-limit-exceeded": frozenset({"TLE"}),
    "time-limit-exceeded-or-accepted": frozenset({"TLE", "AC"}),
    "time-limit-exceeded-or-memory-limit-exceeded": frozenset({"TLE", "MLE"}),
    "memory-limit-exceeded": frozenset({"MLE"}),
}
_SECTIONS = {
    "legend": "",
    "input": "Input",
    "output": "Output",
    "interaction": "Interaction",
    "scoring": "Scoring",
    "notes": "Note",
}


#: What the site adds to packages: scripts that make the tests, parts of statements, and tools of its own, which no
#: problem.xml names: of these two run a program beside an interactor by hand.
_ASIDE = (
    *(("scripts",), ("statements",), ("statement-sections",), ("stresses",)),
    *(("files", name) for name in ("towin.exe", "towin.cpp", "runexe.exe", "CrossRun.jar")),
)


def _problems(source: Source) -> Iterator[tuple[str, Callable[[], Problem]]]:
    path = source.tree.root / _HEAD
    root = read_xml(source, path, MOST_BYTES)
    draft = Draft.begin(source, clean(root.get("short-name") or source.name), path)
    yield draft.name, partial(_read, draft, root)


def _read(draft: Draft, root: Element) -> Problem:
    source = draft.source
    refuse_unknown(draft, root)
    judging = root.find("judging")
    testset = None if judging is None else _testset(draft, judging)
    if judging is None or testset is None:
        raise draft.error("has no <testset>", "export the package again")
    interactor = _program(draft, root.find("assets/interactor/source"))
    checker = _after(draft, root, interactor) if interactor else _checker(draft, root)
    tests = _begin(draft, root, testset, (interactor, checker) if interactor else ())
    percent = _counts_percent(draft, judging)
    _add_tests(tests, percent=percent)
    if isinstance(checker, Program) and not percent:
        _refuse_points(draft, testset, checker.sources[0])
    if tests.generated:
        answers = "the main solution answers them" if tests.no_answer is None else "nothing reads their answers"
        count = len(draft.tests) + len(tests.generated)
        draft.note(f"{len(tests.generated)} of {count} tests are built at first use; {answers}")
    found = root.findall("assets/validators/validator/source")
    validators = tuple(one for one in (_program(draft, each) for each in found) if one is not None)
    _pass_over(source, root)
    files = FileIO(input=judging.get("input-file") or None, output=judging.get("output-file") or None)
    titles = {_language(one): one.get("value") or draft.name for one in root.iter("name") if one.get("language")}
    titles = titles or {"en": draft.name}
    limits = Limits(
        cpu_ns=_whole(draft, testset, "time-limit") * 1_000_000, memory_bytes=_whole(draft, testset, "memory-limit")
    )
    _add_statements(draft, root)
    _add_solutions(draft, root)
    language, draft.title = next(iter(titles.items()))
    return replace(
        draft.build(language),
        title=titles,
        limits=limits,
        checker=checker,
        kind="interactive" if interactor else "batch",
        interactor=interactor,
        file_io=None if files == FileIO() else files,
        generated=tuple(tests.generated),
        solution=tests.solution if tests.generated else None,
        input_validators=validators,
        input_trials=tuple(input_trials(draft, root)) if validators else (),
        output_trials=() if interactor else tuple(output_trials(draft, root, checker)),
        keywords=tuple(tag.get("value") or "" for tag in root.iter("tag")),
    )


def _begin(draft: Draft, root: Element, testset: Element, talking: tuple[object, ...]) -> Tests:
    """The tests, and who prints answers that the package lacks. `talking`: an interactor, and the checker of what it
    writes. The site makes answers with the interactor's help; where nothing reads them, they may be empty."""
    solution, why = _main(draft, root)
    no_answer = None
    if talking:
        read = any(isinstance(one, Program) and reads_answer(one.sources) for one in talking)
        why = "the answers of an interactive problem are what its interactor writes" if read else None
        no_answer = None if read else draft.make("no_answer.ans", b"")
        solution = draft.make("no_answer.py", b"# Nothing reads the answers of this problem.\n")
    return Tests(draft=draft, root=root, testset=testset, unanswered=why, solution=solution, no_answer=no_answer)


def _testset(draft: Draft, judging: Element) -> Element | None:
    """The one that judges. Where it is called so, others are pretests, which it holds, and tests of solutions."""
    found = judging.findall("testset")
    chosen = next((one for one in found if one.get("name") == "tests"), found[0] if found else None)
    for other in found:
        if other is chosen or chosen is None:
            continue
        what = f"test set {other.get('name')!r} is not imported"
        if chosen.get("name") != "tests":
            draft.lose(what, "call the one that judges tests")
            continue
        draft.note(f"{what}: the one named tests judges")
        for number in range(1, len(other.findall("tests/test")) + 1):
            for kind in ("input", "answer"):
                there(draft, name_by_pattern(draft, other, kind, number))
    return chosen


def _whole(draft: Draft, above: Element, tag: str) -> int:
    text = (above.findtext(tag) or "").strip()
    if not (text.isascii() and text.isdecimal() and 0 < len(text) <= 15 and int(text)):
        raise draft.error(f"<{tag}> {text[:40]!r} is no number above 0", "export the package again")
    return int(text)


def _counts_percent(draft: Draft, judging: Element) -> bool:
    """Whether points of a checker are per cent of the test's. Otherwise they are points."""
    stated = judging.get("treat-points-from-checker-as-percent", "false")
    if stated not in ("true", "false"):
        what = f"treat-points-from-checker-as-percent {stated[:40]!r} is neither true nor false"
        raise draft.error(what, "correct it")
    return stated == "true"


def _pass_over(source: Source, root: Element) -> None:
    """Files of which problem.xml, or the site, says that judging does not need them: generators, binaries, copies."""
    source.aside.update(source.tree.root.joinpath(*parts) for parts in _ASIDE)
    for where in placed_paths(root):
        parts = Path(where).parts
        if parts and not Path(where).is_absolute() and ".." not in parts:
            source.file(*parts)


def _add_tests(tests: Tests, *, percent: bool) -> None:
    draft, testset = tests.draft, tests.testset
    listed = testset.findall("tests/test")
    if not listed:
        raise draft.error("has no tests", "export the package again")
    if testset.find("test-count") is not None and (count := _whole(draft, testset, "test-count")) > len(listed):
        raise draft.error(
            f"<test-count> is {count}, but only {len(listed)} tests are there", "export the package again"
        )
    earned = [_points(draft, test) for test in listed]
    _refuse_alike(draft, testset)
    groups = [_group(test, points) for test, points in zip(listed, earned, strict=True)]
    points: dict[str, float] = {}
    for group, own in zip(groups, earned, strict=True):
        points[group] = points.get(group, 0.0) + own
    stated = testset.findall("groups/group")
    whole = {_name_group(one) for one in stated if one.get("points-policy") == "complete-group"}
    weighed = {group for group, all_ in points.items() if all_ and group not in whole}
    width = len(str(len(listed)))
    for number, (test, group, own) in enumerate(zip(listed, groups, earned, strict=True), 1):
        tests.add(
            test,
            number,
            name=f"{group}/{number:0{width}}",
            group=group,
            weight=own if group in weighed else 1.0,
            full_score=100.0 if percent else own or 1.0,
        )
    if not any(points.values()) and not stated:  # every test counts, samples too
        draft.groups += pass_fail_groups(Counter(groups))
    else:
        _add_groups(draft, testset, points)


def _refuse_alike(draft: Draft, testset: Element) -> None:
    """Raise ProblemError if two groups would have one name here."""
    found: dict[str, str] = {}
    for one, key in (
        *((test, "group") for test in testset.findall("tests/test")),
        *((group, "name") for group in testset.findall("groups/group")),
    ):
        name = one.get(key)
        if name is not None and found.setdefault(_name_group(one, key), name) != name:
            other = found[_name_group(one, key)]
            raise draft.error(f"groups {other[:40]!r} and {name[:40]!r} have one name here", "rename one of them")


def _group(test: Element, points: float) -> str:
    if test.get("sample") == "true" and not points:
        return "sample"
    return "secret" if test.get("group") is None else _name_group(test, "group")


def _name_group(one: Element, key: str = "name") -> str:
    return f"secret/{clean(one.get(key) or '')}"


def _add_groups(draft: Draft, testset: Element, points: dict[str, float]) -> None:
    stated = {_name_group(one): one for one in testset.findall("groups/group")}
    shown = {
        _name_group(one, "group")
        for one in testset.findall("tests/test")
        if one.get("sample") == "true" and "sample" in points
    }
    weighed = any(points.values())
    for name, earned in points.items():
        if name == "sample":
            draft.groups.append(Group(name=name, counted=False))
            continue
        one = stated.get(name)
        made = Group(name=name, points=earned if weighed else 100.0)
        if one is None and stated:
            raise draft.error(
                f"{name.removeprefix('secret/')!r} is none of the <groups>, and has tests", "state it there"
            )
        if one is not None:
            made = _of_group(draft, one, made, weighed=weighed)
            policy = one.get("points-policy", "each-test")
            if policy not in _POLICIES:
                raise draft.error(f"points-policy {policy!r} is unknown", f"take {' or '.join(_POLICIES)}")
            needs = [_name_group(need, "group") for need in one.findall("dependencies/dependency")]
            # A group of samples alone is our samples.
            needs = ["sample" if need in shown and need not in points else need for need in needs]
            for need in needs:
                if need not in points:
                    raise draft.error(f"group {name} needs {need}, which has no tests", "correct it")
            made = replace(made, aggregation=_POLICIES[policy], requires=tuple(needs))
        draft.groups.append(made)


def _of_group(draft: Draft, stated: Element, made: Group, *, weighed: bool) -> Group:
    """The group with the points that it states itself, where its tests state none. `weighed`: tests state some."""
    if stated.get("points") is None:
        return made
    own = _points(draft, stated)
    if weighed and not math.isclose(own, made.points, abs_tol=1e-6):
        what = f"group {stated.get('name')!r} has {own:g} points, and its tests have {made.points:g}"
        raise draft.error(what, "export the package again")
    return replace(made, points=own)


def _points(draft: Draft, stated: Element) -> float:
    """Of a test, or of a group."""
    text = stated.get("points")
    if text is None:
        return 0.0
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1e9:
        raise draft.error(f"points {text[:40]!r} are no number from 0 on", "correct them")
    return value


def _refuse_points(draft: Draft, testset: Element, checker: Path) -> None:
    """Raise ProblemError if a checker gives points for tests that state 0: nothing says what all of them are."""
    stated = [float(points) for test in testset.findall("tests/test") if (points := test.get("points"))]
    if stated and not any(stated) and b"quitp(" in checker.read_bytes():
        what = "all tests state 0 points, and the checker gives points: nothing says how many are all"
        remedy = "state the points of tests, or treat-points-from-checker-as-percent"
        raise draft.error(f"{what} ({checker.name})", remedy)


def _checker(draft: Draft, root: Element) -> Checker:
    found = root.find("assets/checker")
    if found is None:
        draft.assume("output compared by tokens: it names no checker")
        return Comparison()
    if (name := found.get("name", "")) in _COMPARISONS:
        if (written := found.find("source")) is not None:
            draft.find(written.get("path") or "")
        return _COMPARISONS[name]
    program = _program(draft, found.find("source"))
    if program is None:
        raise draft.error(f"checker {name!r} has no source in the package", "export a full package")
    return program


def _after(draft: Draft, root: Element, interactor: Program) -> Checker:
    """The checker beside an interactor: it judges what that writes to `tout`, if it ever does."""
    found = root.find("assets/checker/source")
    if found is None:
        return Comparison()
    if b"tout" not in interactor.sources[0].read_bytes():
        where = draft.find(found.get("path") or "")
        draft.source.note(where, "is not imported: the interactor writes nothing to tout, which it would judge")
        return Comparison()
    return _program(draft, found) or Comparison()


def _program(draft: Draft, found: Element | None) -> Program | None:
    if found is None:
        return None
    source, file = draft.source, draft.find(found.get("path") or "")
    if (file.parent / TESTLIB).is_file():
        return source.checker(file, Convention.TESTLIB)
    header = source.file("files", TESTLIB)  # its users lie there or below
    return source.with_testlib(Program(convention=Convention.TESTLIB, sources=(file, *([header] if header else []))))


def _main(draft: Draft, root: Element) -> tuple[Path | None, str | None]:
    """The main solution, which prints answers; or why it cannot."""
    found = root.find("assets/solutions/solution[@tag='main']/source")
    if found is None:
        return None, "there is no main solution to print it"
    where = found.get("path") or ""
    if by_suffix(Path(where).suffix) is None:
        return None, f"the main solution {where!r} is of no language that we know by its name"
    return draft.find(where), None


def _add_solutions(draft: Draft, root: Element) -> None:
    for one in root.findall("assets/solutions/solution"):
        tag, found = one.get("tag", ""), one.find("source")
        where = "" if found is None else found.get("path") or ""
        if tag not in _EXPECTED:
            draft.lose(f"solution {where!r} has the tag {tag!r}, which is unknown", "correct the tag")
        elif by_suffix(Path(where).suffix) is None:
            draft.lose(f"solution {where!r} is of no language that we know by its name", "remove it")
        else:
            draft.add_solution(draft.find(where), _EXPECTED[tag])


def _add_statements(draft: Draft, root: Element) -> None:
    """Of each language, from its sections, which are TeX as Markdown takes it: formulas in $."""
    for one in root.iter("statement"):
        place = draft.directory / "statement-sections" / clean(one.get("language") or "")
        files = [(title, place / f"{section}.tex") for section, title in _SECTIONS.items()]
        texts = [(title, draft.source.text(file)) for title, file in files if file.is_file()]
        if (language := _language(one)) not in draft.statements:
            draft.add_sections(language, texts)


def _language(one: Element) -> str:
    spoken = one.get("language") or ""
    return _LANGUAGES.get(spoken, spoken[:2])


FORMAT = Format(
    name="polygon",
    holds="a package of Codeforces Polygon (problem.xml)",
    recognises=lambda source: source.file(_HEAD) is not None,
    problems=_problems,
)
