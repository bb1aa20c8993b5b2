"""Luogu: the zip of test data (NAME.in, NAME.out, config.yml, checker.cpp), the problem's JSON, its export as Markdown,
or these together in one folder.

    config.yml      by the name of an input or answer: timeLimit (ms), memoryLimit (KB), score, subtaskId, isPretest
    *.json          pid, title, content{background, description, formatI, formatO, hint}, samples, limits{time, memory}
    *.md            the statement
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from problems.importing.source import Foreign, Format, Source, cases, clean, pairs, sample_cases
from problems.model import SECOND_NS, Aggregation, Comparison, Convention, Group, Limits, Mode, Problem, TestCase
from problems.statement import samples as statement_samples
from problems.yamlfile import read_map

_MS = SECOND_NS // 1000
_KIB = 1024


class CaseYaml(Foreign):
    timeLimit: int | None = Field(default=None, gt=0, le=10**7)
    memoryLimit: int | None = Field(default=None, gt=0, le=1 << 34)
    score: int | None = Field(default=None, ge=0, le=10**9)
    subtaskId: int | None = Field(default=None, ge=0, le=10**6)
    isPretest: bool = False


class ContentJson(Foreign):
    name: str = ""
    background: str | None = ""
    description: str | None = ""
    formatI: str | None = ""
    formatO: str | None = ""
    hint: str | None = ""


class LimitsJson(Foreign):
    time: tuple[int, ...] = ()
    memory: tuple[int, ...] = ()


class ProblemJson(Foreign):
    pid: str
    title: str = ""
    content: ContentJson | None = None
    samples: tuple[tuple[str, str], ...] = ()
    limits: LimitsJson = LimitsJson()
    # Older exports hold the content's parts themselves.
    background: str | None = ""
    description: str | None = ""
    inputFormat: str | None = ""
    outputFormat: str | None = ""
    hint: str | None = ""


_SECTIONS = (
    ("题目背景", "background"),
    ("题目描述", "description"),
    ("输入格式", "formatI"),
    ("输出格式", "formatO"),
    ("说明/提示", "hint"),
)


def _described(path: Path) -> ProblemJson | None:
    """What the file says of a problem; None: it is no problem of Luogu's."""
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return None
    for key in ("data", "currentData", "problem"):
        if isinstance(data, dict) and isinstance(data.get(key), dict):
            data = data[key]
    if not isinstance(data, dict) or "pid" not in data:
        return None
    try:
        return ProblemJson.model_validate(data)
    except ValidationError:
        return None


def _recognises(source: Source) -> bool:
    files = [path for path in source.entries(source.tree.root) if path.is_file()]
    names = {path.name for path in files}
    described = any(path.suffix == ".json" and _described(path) is not None for path in files)
    return described or ("config.yml" in names and any(name.endswith(".in") for name in names))


def _problems(source: Source) -> Iterator[tuple[str, Callable[[], Problem]]]:
    files = [path for path in source.entries(source.tree.root) if path.is_file()]
    found = [described for path in files if path.suffix == ".json" and (described := _described(path)) is not None]
    name = clean(found[0].pid if found else source.name)
    yield name, partial(_read, source, name, found[0] if found else None)


def _read(source: Source, name: str, described: ProblemJson | None) -> Problem:
    root = source.tree.root
    files = {path.name: path for path in source.entries(root) if path.is_file()}
    _tell_others(source, files)
    tests, groups = _tests(source, files, _config(source, files))
    statement = _statement(source, files, name, described)
    shown = described.samples if described else ()
    if not shown:
        shown = tuple((one.input, one.output) for one in statement_samples(source.text(statement)))
    usual = _limits(described, tests)
    checker = files.get("checker.cpp")
    title = described.title or (described.content.name if described.content else "") if described else ""
    return Problem(
        name=name,
        directory=root,
        title={"zh": title or name},
        limits=usual,
        checker=Comparison(mode=Mode.LINES) if checker is None else source.checker(checker, Convention.TESTLIB),
        groups=((Group(name="sample", counted=False),) if shown else ()) + groups,
        cases=sample_cases(source, shown, name) + tuple(_without(case, usual) for case in tests),
        statements={"zh": statement},
        source=f"https://www.luogu.com.cn/problem/{described.pid}" if described else "",
    )


def _tell_others(source: Source, files: Mapping[str, Path]) -> None:
    for name, path in files.items():
        if name == "interactive_lib.cpp":
            raise source.tree.error(
                path, "is an interactive problem, which is not imported", "write an interactor yourself"
            )
        if name not in ("config.yml", "checker.cpp") and path.suffix not in (
            ".in",
            ".out",
            ".ans",
            ".json",
            ".md",
            ".h",
        ):
            source.lose(path, "is no file of Luogu's", "remove it")


def _config(source: Source, files: Mapping[str, Path]) -> dict[str, CaseYaml]:
    """By file name."""
    path = files.get("config.yml")
    if path is None:
        return {}
    found = {}
    for name, stated in read_map(source.tree, path).items():
        try:
            found[name] = CaseYaml.model_validate(stated)
        except ValidationError as error:
            why = error.errors(include_url=False)[0]
            raise source.tree.error(
                path, f"{name}: {'.'.join(map(str, why['loc']))}: {why['msg']}", "correct it"
            ) from None
        for key in found[name].model_extra or ():
            source.lose(path, f"{name}: key {key!r} is unknown here", "remove it")
        if name not in files:
            source.lose(path, f"{name} is not there", "add the file")
    return found


def _tests(
    source: Source, files: Mapping[str, Path], config: Mapping[str, CaseYaml]
) -> tuple[tuple[TestCase, ...], tuple[Group, ...]]:
    root = source.tree.root
    found = pairs(source, root)
    if not found:
        raise source.tree.error(root, "has no test cases", "put NAME.in and NAME.out beside it")
    stated = [config.get(input_.name) or config.get(answer.name) or CaseYaml() for input_, answer in found]
    subtasks = sorted({one.subtaskId for one in stated if one.subtaskId is not None})
    if not subtasks:
        limited = tuple(_limited(case, one) for case, one in zip(cases(found), stated, strict=True))
        scored = any(one.score is not None for one in stated)
        points = float(sum(one.score or 0 for one in stated)) if scored else 100.0
        return limited, (Group(name="secret", points=points),)
    source.assume(root / "config.yml", "a subtask earns the least of its tests (the site keeps the strategy elsewhere)")
    made, groups = list[TestCase](), list[Group]()
    for subtask in (*subtasks, *([None] if any(one.subtaskId is None for one in stated) else [])):
        group = f"secret/{'rest' if subtask is None else f'{subtask:03}'}"
        inside = [(pair, one) for pair, one in zip(found, stated, strict=True) if one.subtaskId == subtask]
        scores = [one.score for _, one in inside if one.score is not None]
        points = float(min(scores, default=100 / len(subtasks)))
        groups.append(Group(name=group, points=points, aggregation=Aggregation.MIN))
        tests = cases([pair for pair, _ in inside], group)
        made += [replace(_limited(case, one), weight=1.0) for case, (_, one) in zip(tests, inside, strict=True)]
    return tuple(made), tuple(groups)


def _limited(case: TestCase, stated: CaseYaml) -> TestCase:
    limits = Limits(
        cpu_ns=SECOND_NS if stated.timeLimit is None else stated.timeLimit * _MS,
        memory_bytes=512 * 1024 * _KIB if stated.memoryLimit is None else stated.memoryLimit * _KIB,
    )
    said = stated.timeLimit is not None or stated.memoryLimit is not None
    return replace(case, weight=1.0 if stated.score is None else float(stated.score), limits=limits if said else None)


def _limits(described: ProblemJson | None, tests: Sequence[TestCase]) -> Limits:
    """The problem's: the largest that its JSON states, else the largest of a test."""
    stated = [case.limits for case in tests if case.limits is not None]
    time = [value * _MS for value in described.limits.time] if described else []
    memory = [value * _KIB for value in described.limits.memory] if described else []
    return Limits(
        cpu_ns=max(time, default=max((one.cpu_ns for one in stated), default=SECOND_NS)),
        memory_bytes=max(memory, default=max((one.memory_bytes for one in stated), default=512 * 1024 * _KIB)),
    )


def _without(case: TestCase, usual: Limits) -> TestCase:
    return replace(case, limits=None) if case.limits == usual else case


def _statement(source: Source, files: Mapping[str, Path], name: str, described: ProblemJson | None) -> Path:
    written = next((path for path in files.values() if path.suffix == ".md"), None)
    if described is None:
        return written or source.make(f"{name}/problem.zh.md", f"# {name}\n")
    content = described.content or ContentJson(
        background=described.background,
        description=described.description,
        formatI=described.inputFormat,
        formatO=described.outputFormat,
        hint=described.hint,
    )
    parts = [f"## {title}\n\n{text.strip()}\n" for title, key in _SECTIONS if (text := getattr(content, key))]
    return source.make(f"{name}/problem.zh.md", "\n".join(parts) or f"# {name}\n")


FORMAT = Format(
    name="luogu",
    holds="Luogu's test data (config.yml, *.in) or problem JSON",
    recognises=_recognises,
    problems=_problems,
)
