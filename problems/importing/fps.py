"""HUSTOJ's Free Problem Set: one XML file with many problems."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

from problems.files.tree import PICTURES
from problems.importing.source import GRADED, Format, Source, cases, clean, number, sample_cases
from problems.importing.xmlfile import read_xml
from problems.model import (
    MIB,
    SECOND_NS,
    Checker,
    Comparison,
    Convention,
    Grader,
    Group,
    LabelledSubmission,
    Limits,
    Mode,
    Problem,
    Program,
)
from problems.reading.programs import TESTLIB, lacks_testlib

#: The most that one file of problems may hold.
MOST_BYTES = 256 * MIB

_TIME = {"s": SECOND_NS, "ms": SECOND_NS // 1000}
_MEMORY = {"mb": MIB, "kb": 1024}
_SUFFIX = {
    **{"c": ".c", "clang": ".c", "c++": ".cpp", "cpp": ".cpp", "clang++": ".cpp", "python": ".py", "java": ".java"},
    **{"pascal": ".pas", "go": ".go", "bash": ".sh", "ruby": ".rb", "php": ".php", "perl": ".pl", "c#": ".cs"},
    **{"scheme": ".scm", "lua": ".lua", "javascript": ".js", "fortran": ".f90", "r": ".r"},
}
#: Programs that judge, by convention. The site prefers the first.
_CHECKERS = {"tpj": Convention.TESTLIB, "spj": Convention.HUSTOJ}
_SECTIONS = (("题目描述", "description"), ("输入格式", "input"), ("输出格式", "output"), ("提示", "hint"))
_KNOWN = frozenset(
    {
        *("title", "url", "time_limit", "memory_limit", "description", "input", "output", "hint", "source", "img"),
        *("spj", "tpj", "prepend", "append", "template"),
        *("sample_input", "sample_output", "test_input", "test_output", "solution", "remote_oj", "remote_id"),
    }
)


def _file(source: Source) -> Path | None:
    files = [path for path in source.entries(source.tree.root) if path.is_file() and path.suffix == ".xml"]
    return next((path for path in files if _begins(path)), None)


def _begins(path: Path) -> bool:
    with path.open("rb") as file:
        return b"<fps" in file.read(4096)


def _problems(source: Source) -> Iterator[tuple[str, Callable[[], Problem]]]:
    path = _file(source) or source.tree.root / "problems.xml"
    root = read_xml(source, path, MOST_BYTES)
    for index, item in enumerate(root.iter("item"), 1):
        title = (item.findtext("title") or "").strip()
        yield _name(index, title), partial(_read, source, path, index, item)


def _name(index: int, title: str) -> str:
    return f"{index:04}-{clean(title)}" if re.search("[A-Za-z0-9]", title) else f"{index:04}"


def _read(source: Source, path: Path, index: int, item: ElementTree.Element) -> Problem:
    title = (item.findtext("title") or "").strip() or f"problem {index}"
    name = _name(index, title)
    if item.find("template") is not None:
        source.note(path, f"problem {index} ({title}): <template>, which the editor of the site shows, is not imported")
    for tag in sorted({child.tag for child in item} - _KNOWN):
        source.lose(path, f"problem {index} ({title}): <{tag}> is not imported", "remove it")
    given, answers = ([child.text or "" for child in item.findall(tag)] for tag in ("test_input", "test_output"))
    if not answers and len(given) % 2 == 0:
        given, answers = given[::2], given[1::2]  # some exporters alternate them
    if len(given) != len(answers) or not given:
        what = f"problem {index} ({title}): has {len(given)} inputs and {len(answers)} outputs"
        raise source.tree.error(path, what, "give each <test_input> its <test_output>")
    made = [
        (source.make(f"{name}/{number_}.in", one), source.make(f"{name}/{number_}.out", other))
        for number_, (one, other) in enumerate(zip(given, answers, strict=True), 1)
    ]
    shown_inputs, shown_outputs = _texts(item, "sample_input"), _texts(item, "sample_output")
    if len(shown_inputs) != len(shown_outputs):
        what = f"problem {index} ({title}): has {len(shown_inputs)} sample inputs and {len(shown_outputs)} outputs"
        source.lose(path, what, "give each its other half")
    shown = sample_cases(source, zip(shown_inputs, shown_outputs, strict=False), name)
    return Problem(
        name=name,
        directory=source.tree.root,
        title={"zh": title},
        limits=_limits(source, path, item),
        checker=_checker(source, path, item, name),
        grader=_around(source, path, item),
        groups=((Group(name="sample", counted=False),) if shown else ()) + (Group(name="secret"),),
        cases=shown + cases(made),
        statements={"zh": _statement(source, path, item, name)},
        submissions=tuple(_solutions(source, path, item, name)),
        source=(item.findtext("source") or "").strip(),
    )


def _checker(source: Source, path: Path, item: ElementTree.Element, name: str) -> Checker:
    found = (one for one in map(item.find, _CHECKERS) if one is not None and (one.text or "").strip())
    if (one := next(found, None)) is None:
        return Comparison(mode=Mode.LINES)
    suffix = _SUFFIX.get(one.get("language", "").lower())
    if suffix not in (".c", ".cpp"):
        what = f"<{one.tag}> in {one.get('language')!r} is not imported"
        raise source.tree.error(path, what, "write it in C or C++, for HUSTOJ's convention or testlib")
    program = Program(
        convention=_CHECKERS[one.tag], sources=(source.make(f"{name}/{one.tag}{suffix}", one.text or ""),)
    )
    if not lacks_testlib(program):
        return program
    if (header := source.file(TESTLIB) or source.testlib) is None:
        what = f"{name}: <{one.tag}> needs testlib.h, which is not there"
        raise source.tree.error(path, what, "put testlib.h beside the file, or name one with --testlib FILE")
    return replace(program, sources=(*program.sources, header))


def _around(source: Source, path: Path, item: ElementTree.Element) -> Grader | None:
    """The code that stands before and after each submission in a language."""
    found: dict[str, dict[str, str]] = {"prepend": {}, "append": {}}
    for tag, by_language in found.items():
        for one in item.findall(tag):
            kind = GRADED.get(_SUFFIX.get(one.get("language", "").lower(), ""))
            if kind is None:
                source.lose(path, f"<{tag}> in {one.get('language')!r} is not imported", "remove it")
                continue
            by_language[kind] = f"\n{one.text or ''}\n"
    return Grader(files={}, before=found["prepend"], after=found["append"]) if any(found.values()) else None


def _texts(item: ElementTree.Element, tag: str) -> list[str]:
    return [child.text or "" for child in item.findall(tag)]


def _limits(source: Source, path: Path, item: ElementTree.Element) -> Limits:
    def stated(tag: str, units: dict[str, int], usual: str) -> int:
        child = item.find(tag)
        if child is None or not (child.text or "").strip():
            return number(source, path, usual, units, tag)
        text = f"{(child.text or '').strip()}{child.get('unit', next(iter(units)))}"
        return number(source, path, text, units, tag)

    return Limits(cpu_ns=stated("time_limit", _TIME, "1s"), memory_bytes=stated("memory_limit", _MEMORY, "128mb"))


def _statement(source: Source, path: Path, item: ElementTree.Element, name: str) -> Path:
    parts = [
        f"## {title}\n\n{text.strip()}\n" for title, tag in _SECTIONS if (text := item.findtext(tag) or "").strip()
    ]
    text = "\n".join(parts) or f"# {name}\n"
    for index, picture in enumerate(item.findall("img"), 1):
        where, data = picture.findtext("src") or "", picture.findtext("base64") or ""
        try:
            content = base64.b64decode("".join(data.split()), validate=True)
        except (binascii.Error, ValueError):
            source.lose(path, f"picture {where[:80]!r} cannot be read", "remove it")
            continue
        suffix = Path(where).suffix.lower()
        file = source.make(f"{name}/picture{index}{suffix if suffix in PICTURES else '.png'}", content)
        text = text.replace(where, file.name) if where else text
    return source.make(f"{name}/problem.zh.md", text)


def _solutions(source: Source, path: Path, item: ElementTree.Element, name: str) -> Iterator[LabelledSubmission]:
    for index, one in enumerate(item.findall("solution"), 1):
        suffix = _SUFFIX.get(one.get("language", "").lower())
        if suffix is None:
            source.note(path, f"a solution in {one.get('language')!r} is not imported")
            continue
        file = source.make(f"{name}/solution{index}{suffix}", one.text or "")
        yield LabelledSubmission(path=file, expected=frozenset({"AC"}))


FORMAT = Format(
    name="fps",
    holds="a Free Problem Set (XML)",
    recognises=lambda source: _file(source) is not None,
    problems=_problems,
)
