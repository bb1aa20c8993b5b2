"""Codeforces Polygon: problem.xml, its tests, the sources of checker, interactor and validators, tagged solutions."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from problems.errors import ProblemError
from problems.exporting.programs import Kind, comparing, in_one, of_convention
from problems.exporting.target import Format, Target, only_batch, plain_cases, tell_limits, tell_no_place
from problems.exporting.tex import tex
from problems.files.languages import by_suffix, facts
from problems.model import Aggregation, Comparison, Convention, Group, LabelledSubmission, Program, TestCase
from problems.reading.submissions import must_time_out
from problems.writing.dump import scores

_LANGUAGES = {"en": "english", "zh": "chinese", "ru": "russian"}
_POLICIES = {Aggregation.MIN: "complete-group", Aggregation.SUM: "each-test"}
_TAGS = {
    frozenset({"AC"}): "accepted",
    frozenset({"WA"}): "wrong-answer",
    frozenset({"PE"}): "presentation-error",
    frozenset({"TLE"}): "time-limit-exceeded",
    frozenset({"MLE"}): "memory-limit-exceeded",
    frozenset({"AC", "TLE"}): "time-limit-exceeded-or-accepted",
    frozenset({"TLE", "MLE"}): "time-limit-exceeded-or-memory-limit-exceeded",
}
_HEADING = re.compile(r"^##?[ \t]++(.+)$", re.MULTILINE)
_SECTIONS = {
    **dict.fromkeys(("input", "input format", "输入", "输入格式"), "input"),
    **dict.fromkeys(("output", "output format", "输出", "输出格式"), "output"),
    **dict.fromkeys(("interaction", "交互", "交互方式", "交互格式"), "interaction"),
    **dict.fromkeys(("note", "notes", "提示", "说明", "说明/提示"), "notes"),
}


def _write(target: Target) -> None:
    problem = target.problem
    only_batch(target, interactive=True)
    plain_cases(target)
    root = Element("problem", {"revision": "1", "short-name": problem.name})
    names = SubElement(root, "names")
    for tag, title in problem.title.items():
        SubElement(names, "name", {"language": _LANGUAGES.get(tag, tag), "value": title})
    _statements(target, root)
    _judging(target, root)
    files = SubElement(root, "files")
    resources = SubElement(files, "resources")
    assets = SubElement(root, "assets")
    _programs(target, assets)
    _solutions(target, assets)
    if problem.keywords:
        tags = SubElement(root, "tags")
        for keyword in problem.keywords:
            SubElement(tags, "tag", {"value": keyword})
    for name in sorted(target.files):
        if name.startswith("files/") and name.endswith(".h"):
            SubElement(resources, "file", {"path": name})
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    target.put("problem.xml", f'<?xml version="1.0" encoding="utf-8" standalone="no"?>\n{_printable(text)}\n')
    tell_limits(target)
    tell_no_place(target, "source", "license", "authors", "languages")


def _printable(text: str) -> str:
    """Without control characters, which no XML can hold."""
    if found := re.search(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text):
        raise ProblemError(f"the problem's texts hold the character {found[0]!r}, which XML cannot; remove it")
    return text


def _statements(target: Target, root: Element) -> None:
    """Sections of the statement as TeX, by its headings."""
    statements = SubElement(root, "statements")
    for tag, path in target.problem.statements.items():
        language = _LANGUAGES.get(tag, tag)
        if path.suffix != ".md":
            target.note(f"not in it: the statement {path.name}, which is no Markdown")
            continue
        sections: dict[str, str] = {}
        for name, text in _parts(target.text(path).decode("utf-8", "replace")):
            sections[name] = sections.get(name, "") + text
        for name, text in sections.items():
            target.put(f"statement-sections/{language}/{name}.tex", tex(text))
        title = target.problem.title.get(tag, target.problem.name)
        target.put(f"statement-sections/{language}/name.tex", f"{title}\n")
        SubElement(
            statements,
            "statement",
            {
                "charset": "UTF-8",
                "language": language,
                "path": f"statements/{language}/problem.tex",
                "type": "application/x-tex",
            },
        )


def _parts(text: str) -> list[tuple[str, str]]:
    """The sections of a statement: the name that Polygon has for each, and its text. Others stay in the legend."""
    found, name, start = [], "legend", 0
    for heading in _HEADING.finditer(text):
        section = _SECTIONS.get(heading[1].strip().lower())
        found.append((name, text[start : heading.start()]))
        name, start = section or "legend", heading.end() if section else heading.start()
    found.append((name, text[start:]))
    return [(name, part) for name, part in found if part.strip()]


def _judging(target: Target, root: Element) -> None:
    problem = target.problem
    files = problem.file_io
    if files is not None and (files.input is None or files.output is None):
        target.lose("one file for input or output beside a stream", "use two files, or none")
        files = None
    names = ("", "") if files is None else (files.input or "", files.output or "")
    judging = SubElement(root, "judging", {"input-file": names[0], "output-file": names[1]})
    testset = SubElement(judging, "testset", {"name": "tests"})
    SubElement(testset, "time-limit").text = str(target.milliseconds(problem.limits))
    SubElement(testset, "memory-limit").text = str(problem.limits.memory_bytes)
    width = max(2, len(str(len(problem.cases))))
    SubElement(testset, "test-count").text = str(len(problem.cases))
    SubElement(testset, "input-path-pattern").text = f"tests/%0{width}d"
    SubElement(testset, "answer-path-pattern").text = f"tests/%0{width}d.a"
    tests = SubElement(testset, "tests")
    scored = scores(problem) or len({case.weight for case in problem.cases}) > 1
    sizes = Counter(case.group for case in problem.cases)
    weights = {name: sum(case.weight for case in problem.cases if case.group == name) for name in sizes}
    for number, case in enumerate(problem.cases, 1):
        target.put(f"tests/{number:0{width}}", case.input)
        target.put(f"tests/{number:0{width}}.a", case.answer if case.answer is not None else b"")
        test = SubElement(tests, "test", {"method": "manual"})
        if case.sample:
            test.set("sample", "true")
        group = problem.group(case.group)
        if scored and group.counted:
            _score(test, group, case, sizes[group.name], weights[group.name])
    if scored:
        _groups(target, testset)


def _score(test: Element, group: Group, case: TestCase, size: int, weights: float) -> None:
    share = case.weight / weights if group.aggregation is Aggregation.SUM and weights else 1 / size
    test.set("points", repr(group.points * share))
    test.set("group", _group(group.name))


def _group(name: str) -> str:
    return name.removeprefix("secret/")


def _groups(target: Target, testset: Element) -> None:
    groups = SubElement(testset, "groups")
    held = {case.group for case in target.problem.cases}
    for group in target.problem.groups:
        if group.within is not None:
            raise target.refusal(f"groups in groups ({group.name})", "make one level of them")
        if not group.counted or group.name not in held:
            continue
        if group.aggregation not in _POLICIES:
            target.lose(f"the aggregation {group.aggregation} ({group.name})", "take sum or min")
        if group.void_if_refused and group.aggregation is Aggregation.SUM:
            target.lose(f"a sum that one refused test voids ({group.name})", "take min")
        policy = _POLICIES.get(group.aggregation, "each-test")
        one = SubElement(groups, "group", {"name": _group(group.name), "points-policy": policy})
        if group.requires:
            needs = SubElement(one, "dependencies")
            for name in group.requires:
                if target.problem.group(name).counted:
                    SubElement(needs, "dependency", {"group": _group(name)})
                else:
                    target.lose(f"a group that needs the samples ({group.name})", "let it need groups with points")


def _programs(target: Target, assets: Element) -> None:
    problem = target.problem
    checker, cpp = problem.checker, facts()["cpp17"].names.polygon
    if isinstance(checker, Comparison):
        target.put("files/check.cpp", comparing(target, checker, Convention.TESTLIB))
        path = "files/check.cpp"
    else:
        path = _program(target, checker, "checker", "check.cpp")
    made = SubElement(assets, "checker", {"name": "check.cpp", "type": "testlib"})
    SubElement(made, "source", {"path": path, "type": cpp})
    if problem.interactor is not None:
        path = _program(target, problem.interactor, "interactor", "interactor.cpp")
        SubElement(SubElement(assets, "interactor"), "source", {"path": path, "type": cpp})
    validators = SubElement(assets, "validators")
    for number, program in enumerate(problem.input_validators, 1):
        try:
            path = _program(target, program, "validator", "validator.cpp" if number == 1 else f"validator{number}.cpp")
        except ProblemError:
            target.note(f"not in it: the input validator {program.sources[0].name}, which is not in C++")
            continue
        SubElement(SubElement(validators, "validator"), "source", {"path": path, "type": cpp})


def _program(target: Target, program: Program, kind: Kind, name: str) -> str:
    """Puts the program into files/. Returns the place of its main source."""
    source, header = in_one(of_convention(target, program, Convention.TESTLIB, kind))
    target.put(f"files/{name}", source)
    if header is not None and "files/testlib.h" not in target.files:
        target.put("files/testlib.h", header)
    return f"files/{name}"


def _solutions(target: Target, assets: Element) -> None:
    solutions = SubElement(assets, "solutions")
    main = True
    for one in target.problem.submissions:
        label = f"{one.path.parent.name}/{one.path.name}"
        language = by_suffix(one.path.suffix)
        kind = language.names.polygon if language else ""
        if one.files or not kind or "CE" in one.expected:
            why = "several files" if one.files else "does not compile" if kind else "a language of its own"
            target.note(f"not in it: the solution {label} ({why})")
            continue
        name = f"solutions/{one.path.name}"
        if name in target.files:
            name = f"solutions/{one.path.parent.name}-{one.path.name}"
        target.put(name, target.text(one.path))
        tag = "main" if main and one.expected == {"AC"} else _tag(target, one, label)
        main = main and tag != "main"
        SubElement(SubElement(solutions, "solution", {"tag": tag}), "source", {"path": name, "type": kind})


def _tag(target: Target, one: LabelledSubmission, label: str) -> str:
    if one.expected in _TAGS:
        return _TAGS[one.expected]
    tag = "time-limit-exceeded" if must_time_out(one) else "rejected"  # the first bounds the time limit
    target.note(f"the solution {label} ({' or '.join(sorted(one.expected))}) is tagged as {tag} there")
    return tag


FORMAT = Format(name="polygon", title="Polygon's format", write=_write)
