"""Codeforces Polygon: a package with problem.xml, its tests, and the sources of checker, interactor and validator.

problem.xml     names, judging (limits, testset with tests and groups), assets (checker, interactor, validators,
                solutions), tags. Limits are in ms and bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from xml.etree.ElementTree import Element

from problems.files.languages import by_suffix
from problems.importing import testlib
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
    GeneratedCase,
    Group,
    LabelledSubmission,
    Limits,
    Problem,
    Program,
    TestCase,
)
from problems.reading.grouping import pass_fail_groups

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
    *(("files", name) for name in ("towin.exe", "runexe.exe", "CrossRun.jar")),
)


def _problems(source: Source) -> Iterator[tuple[str, Callable[[], Problem]]]:
    path = source.tree.root / "problem.xml"
    root = read_xml(source, path, MOST_BYTES)
    yield clean(root.get("short-name") or source.name), partial(_read, source, path, root)


def _read(source: Source, path: Path, root: Element) -> Problem:
    name = clean(root.get("short-name") or source.name)
    refuse_unknown(source, path, root)
    judging = root.find("judging")
    testset = None if judging is None else _testset(source, path, judging)
    if judging is None or testset is None:
        raise source.tree.error(path, "has no <testset>", "export the package again")
    interactor = _program(source, path, root.find("assets/interactor/source"))
    checker = _after(source, path, root, interactor) if interactor else _checker(source, path, root)
    tests = _begin(source, path, root, testset, (interactor, checker) if interactor else ())
    percent = _counts_percent(source, path, judging)
    found, groups = _tests(tests, source, path, testset, percent=percent)
    if isinstance(checker, Program) and not percent:
        _refuse_points(source, path, testset, checker.sources[0])
    if tests.generated:
        answers = "the main solution answers them" if tests.no_answer is None else "nothing reads their answers"
        source.note(path, f"{tests.generated} of {len(found)} tests are built at first use; {answers}")
    validators = tuple(_validators(source, path, root))
    _pass_over(source, root)
    files = [judging.get(each) or "" for each in ("input-file", "output-file")]
    titles = {_language(one): one.get("value") or name for one in root.iter("name") if one.get("language")}
    return Problem(
        name=name,
        directory=source.tree.root,
        title=titles or {"en": name},
        limits=_limits(source, path, testset),
        checker=checker,
        kind="interactive" if interactor else "batch",
        interactor=interactor,
        file_io=FileIO(input=files[0], output=files[1]) if all(files) else None,
        groups=groups,
        cases=tuple(one for one in found if isinstance(one, TestCase)),
        generated=tuple(one for one in found if isinstance(one, GeneratedCase)),
        solution=tests.solution if tests.generated else None,
        statements=_statements(source, root, name, titles),
        submissions=tuple(_solutions(source, path, root)),
        input_validators=validators,
        input_trials=tuple(input_trials(source, path, root, name)) if validators else (),
        output_trials=() if interactor else tuple(output_trials(source, path, root, checker, name)),
        keywords=tuple(tag.get("value") or "" for tag in root.iter("tag")),
    )


def _begin(source: Source, path: Path, root: Element, testset: Element, talking: tuple[object, ...]) -> Tests:
    """The tests, and who prints answers that the package lacks. `talking`: an interactor, and the checker of what it
    writes. The site makes answers with the interactor's help; where nothing reads them, they may be empty."""
    name = clean(root.get("short-name") or source.name)
    solution, why = _main(source, path, root)
    no_answer = None
    if talking:
        read = any(isinstance(one, Program) and reads_answer(one.sources) for one in talking)
        why = "the answers of an interactive problem are what its interactor writes" if read else None
        no_answer = None if read else source.make(f"{name}/no_answer.ans", b"")
        solution = source.make(f"{name}/no_answer.py", b"# Nothing reads the answers of this problem.\n")
    return Tests(
        source=source,
        path=path,
        root=root,
        testset=testset,
        name=name,
        unanswered=why,
        solution=solution,
        no_answer=no_answer,
    )


def _testset(source: Source, path: Path, judging: Element) -> Element | None:
    """The one that judges. Where it is called so, others are pretests, which it holds, and tests of solutions."""
    found = judging.findall("testset")
    chosen = next((one for one in found if one.get("name") == "tests"), found[0] if found else None)
    for other in found:
        if other is chosen or chosen is None:
            continue
        what = f"test set {other.get('name')!r} is not imported"
        if chosen.get("name") != "tests":
            source.lose(path, what, "call the one that judges tests")
            continue
        source.note(path, f"{what}: the one named tests judges")
        for number in range(1, len(other.findall("tests/test")) + 1):
            for kind in ("input", "answer"):
                there(source, path, name_by_pattern(source, path, other, kind, number))
    return chosen


def _limits(source: Source, path: Path, testset: Element) -> Limits:
    return Limits(
        cpu_ns=_whole(source, path, testset, "time-limit") * 1_000_000,
        memory_bytes=_whole(source, path, testset, "memory-limit"),
    )


def _whole(source: Source, path: Path, above: Element, tag: str) -> int:
    text = (above.findtext(tag) or "").strip()
    if not (text.isascii() and text.isdecimal() and 0 < len(text) <= 15 and int(text)):
        raise source.tree.error(path, f"<{tag}> {text[:40]!r} is no number above 0", "export the package again")
    return int(text)


def _counts_percent(source: Source, path: Path, judging: Element) -> bool:
    """Whether points of a checker are per cent of the test's. Otherwise they are points."""
    stated = judging.get("treat-points-from-checker-as-percent", "false")
    if stated not in ("true", "false"):
        what = f"treat-points-from-checker-as-percent {stated[:40]!r} is neither true nor false"
        raise source.tree.error(path, what, "correct it")
    return stated == "true"


def _pass_over(source: Source, root: Element) -> None:
    """Files of which problem.xml, or the site, says that judging does not need them: generators, binaries, copies."""
    source.aside.update(source.tree.root.joinpath(*parts) for parts in _ASIDE)
    for where in placed_paths(root):
        parts = Path(where).parts
        if parts and not Path(where).is_absolute() and ".." not in parts:
            source.file(*parts)


def _tests(
    tests: Tests, source: Source, path: Path, testset: Element, *, percent: bool
) -> tuple[tuple[TestCase | GeneratedCase, ...], tuple[Group, ...]]:
    listed = testset.findall("tests/test")
    if not listed:
        raise source.tree.error(path, "has no tests", "export the package again")
    earned = [_points(source, path, test) for test in listed]
    groups = [_group(test, points) for test, points in zip(listed, earned, strict=True)]
    points: dict[str, float] = {}
    for group, own in zip(groups, earned, strict=True):
        points[group] = points.get(group, 0.0) + own
    stated = testset.findall("groups/group")
    whole = {f"secret/{clean(one.get('name') or '')}" for one in stated if one.get("points-policy") == "complete-group"}
    weighed = {group for group, all_ in points.items() if all_ and group not in whole}
    width = len(str(len(listed)))
    cases = tuple(
        tests.read(
            test,
            number,
            name=f"{group}/{number:0{width}}",
            group=group,
            weight=own if group in weighed else 1.0,
            full_score=100.0 if percent else own or 1.0,
        )
        for number, (test, group, own) in enumerate(zip(listed, groups, earned, strict=True), 1)
    )
    if not any(points.values()) and not stated:  # every test counts, samples too
        return cases, pass_fail_groups(Counter(groups))
    return cases, _groups(source, path, testset, points)


def _group(test: Element, points: float) -> str:
    within = test.get("group")
    if test.get("sample") == "true" and not points:
        return "sample"
    return "secret" if within is None else f"secret/{clean(within)}"


def _groups(source: Source, path: Path, testset: Element, points: dict[str, float]) -> tuple[Group, ...]:
    stated = {f"secret/{clean(one.get('name') or '')}": one for one in testset.findall("groups/group")}
    shown = {
        f"secret/{clean(one.get('group') or '')}"
        for one in testset.findall("tests/test")
        if one.get("sample") == "true" and "sample" in points
    }
    found: list[Group] = []
    for name, earned in points.items():
        if name == "sample":
            found.append(Group(name=name, counted=False))
            continue
        one = stated.get(name)
        made = Group(name=name, points=earned if any(points.values()) else 100.0)
        if one is not None:
            policy = one.get("points-policy", "each-test")
            if policy not in _POLICIES:
                raise source.tree.error(path, f"points-policy {policy!r} is unknown", f"take {' or '.join(_POLICIES)}")
            needs = [f"secret/{clean(need.get('group') or '')}" for need in one.findall("dependencies/dependency")]
            # A group of samples alone is our samples.
            needs = ["sample" if need in shown and need not in points else need for need in needs]
            for need in needs:
                if need not in points:
                    raise source.tree.error(path, f"group {name} needs {need}, which has no tests", "correct it")
            made = replace(made, aggregation=_POLICIES[policy], requires=tuple(needs))
        found.append(made)
    return tuple(found)


def _points(source: Source, path: Path, test: Element) -> float:
    text = test.get("points")
    if text is None:
        return 0.0
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1e9:
        raise source.tree.error(path, f"points {text[:40]!r} are no number from 0 on", "correct them")
    return value


def _refuse_points(source: Source, path: Path, testset: Element, checker: Path) -> None:
    """Raise ProblemError if a checker gives points for tests that state 0: nothing says what all of them are."""
    stated = [float(points) for test in testset.findall("tests/test") if (points := test.get("points"))]
    if stated and not any(stated) and b"quitp(" in checker.read_bytes():
        what = "all tests state 0 points, and the checker gives points: nothing says how many are all"
        remedy = "state the points of tests, or treat-points-from-checker-as-percent"
        raise source.tree.error(path, f"{what} ({checker.name})", remedy)


def _checker(source: Source, path: Path, root: Element) -> Checker:
    found = root.find("assets/checker")
    if found is None:
        source.assume(path, "output compared by tokens: it names no checker")
        return Comparison()
    if (name := found.get("name", "")) in _COMPARISONS:
        if (written := found.find("source")) is not None:
            source.find_named(source.tree.root, written.get("path") or "", path)
        return _COMPARISONS[name]
    program = _program(source, path, found.find("source"))
    if program is None:
        raise source.tree.error(path, f"checker {name!r} has no source in the package", "export a full package")
    return program


def _after(source: Source, path: Path, root: Element, interactor: Program) -> Checker:
    """The checker beside an interactor: it judges what that writes to `tout`, if it ever does."""
    found = root.find("assets/checker/source")
    if found is None:
        return Comparison()
    if b"tout" not in interactor.sources[0].read_bytes():
        where = source.find_named(source.tree.root, found.get("path") or "", path)
        source.note(where, "is not imported: the interactor writes nothing to tout, which it would judge")
        return Comparison()
    return _program(source, path, found) or Comparison()


def _program(source: Source, path: Path, found: Element | None) -> Program | None:
    if found is None:
        return None
    file = source.find_named(source.tree.root, found.get("path") or "", path)
    program = source.checker(file, Convention.TESTLIB) if (file.parent / "testlib.h").is_file() else None
    if program is None:  # testlib.h lies in files/, its users there or below
        header = source.file("files", "testlib.h")
        program = Program(convention=Convention.TESTLIB, sources=(file, *([header] if header else [])))
    return source.with_testlib(program)


def _validators(source: Source, path: Path, root: Element) -> Iterator[Program]:
    for one in root.findall("assets/validators/validator/source"):
        if (program := _program(source, path, one)) is not None:
            yield program


def _main(source: Source, path: Path, root: Element) -> tuple[Path | None, str | None]:
    """The main solution, which prints answers; or why it cannot."""
    found = root.find("assets/solutions/solution[@tag='main']/source")
    if found is None:
        return None, "there is no main solution to print it"
    where = found.get("path") or ""
    if by_suffix(Path(where).suffix) is None:
        return None, f"the main solution {where!r} is of no language that we know by its name"
    return source.find_named(source.tree.root, where, path), None


def _solutions(source: Source, path: Path, root: Element) -> Iterator[LabelledSubmission]:
    for one in root.findall("assets/solutions/solution"):
        tag, found = one.get("tag", ""), one.find("source")
        where = "" if found is None else found.get("path") or ""
        if tag not in _EXPECTED:
            source.lose(path, f"solution {where!r} has the tag {tag!r}, which is unknown", "correct the tag")
            continue
        if by_suffix(Path(where).suffix) is None:
            source.lose(path, f"solution {where!r} is of no language that we know by its name", "remove it")
            continue
        yield LabelledSubmission(path=source.find_named(source.tree.root, where, path), expected=_EXPECTED[tag])


def _statements(source: Source, root: Element, name: str, titles: dict[str, str]) -> dict[str, Path]:
    """Of each language, from its sections, which are TeX as Markdown takes it: formulas in $."""
    found = {}
    for one in root.iter("statement"):
        spoken, language = one.get("language") or "", _language(one)
        place = source.tree.root / "statement-sections" / clean(spoken)
        parts = [
            (f"## {title}\n\n" if title else "") + source.text(file).strip() + "\n"
            for section, title in _SECTIONS.items()
            if (file := place / f"{section}.tex").is_file() and source.text(file).strip()
        ]
        if parts and language not in found:
            found[language] = source.make(f"{name}/problem.{language}.md", "\n".join(parts))
    if not found:
        language, title = next(iter(titles.items()), ("en", name))
        found[language] = source.make(f"{name}/problem.{language}.md", f"# {title}\n")
    return found


def _language(one: Element) -> str:
    spoken = one.get("language") or ""
    return _LANGUAGES.get(spoken, spoken[:2])


FORMAT = Format(
    name="polygon",
    holds="a package of Codeforces Polygon (problem.xml)",
    recognises=lambda source: source.file("problem.xml") is not None,
    problems=_problems,
)
