"""HUSTOJ's Free Problem Set: one XML file with many problems."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

from problems.errors import ProblemError
from problems.files.languages import LanguageFacts, by_name, suffix_of
from problems.files.tree import PICTURES
from problems.importing.source import Format, Source, cases, clean, number, sample_cases
from problems.importing.xmlfile import lose_unknown, read_xml
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
    TestCase,
)
from problems.reading.programs import TESTLIB, lacks_testlib

#: The most that one file of problems may hold.
MOST_BYTES = 256 * MIB

_TIME = {"s": SECOND_NS, "ms": SECOND_NS // 1000}
_MEMORY = {"mb": MIB, "kb": 1024}
#: Of a program in SQL the input makes the tables, and what that prints does not count. The site begins with an empty
#: database, and goes on where a table to be dropped is not there.
_SQL, _MAKE_TABLES = ".sql", ".output /dev/null\n.read /dev/stdin\n.output\n"
_DROP = re.compile(r"\bdrop\s++table\s++(?!if\b)", re.IGNORECASE)
#: What a test is worth whose name says nothing: "3[25]" says 25.
_USUAL_POINTS = 10.0
_STATED_POINTS = re.compile(r"[^\[]++\[(\d{1,6})\]", re.ASCII)
#: Without such a program.
COMPARISON = Comparison(mode=Mode.ALIKE_SPACES)
#: Programs that judge, by convention. The site prefers the first.
_CHECKERS = {"tpj": Convention.TESTLIB, "spj": Convention.HUSTOJ}
#: Elements that decide, and of which an item has one.
_ONCE = ("time_limit", "memory_limit", *_CHECKERS)
_SECTIONS = (("题目描述", "description"), ("输入格式", "input"), ("输出格式", "output"), ("提示", "hint"))
_PROGRAMS = "solution prepend append template spj tpj"
#: Attributes and children of each element (fps.current.dtd of zhblue/freeproblemset).
_ELEMENTS = {
    "item": (
        "",
        "title url time_limit memory_limit description input output sample_input sample_output test_input test_output "
        f"hint source img remote_oj remote_id {_PROGRAMS}",
    ),
    **dict.fromkeys(("time_limit", "memory_limit"), ("unit", "")),
    **dict.fromkeys(("test_input", "test_output"), ("name", "")),
    **dict.fromkeys(_PROGRAMS.split(), ("language", "")),
    "img": ("", "src base64"),
}


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
    lose_unknown(source, path, item, _ELEMENTS, f"problem {index} ({title}): ")
    where = _Item(source=source, path=path, item=item, name=name, label=f"problem {index} ({title})")
    remote = (item.findtext("remote_oj") or "").strip()
    if remote and not any(text.strip() for tag in ("test_input", "test_output") for text in _texts(item, tag)):
        what = f"is judged by another site ({remote[:40]}), and has no <test_input> of its own"
        raise where.error(what, "give it tests, or take it out")
    shown, tests = _samples(where), _tests(where)
    for tag in _ONCE:
        if sum(bool((one.text or "").strip()) for one in item.findall(tag)) > 1:
            raise where.error(f"has <{tag}> more than once", "leave the one that holds")
    if not shown and not tests:
        raise where.error("has no tests", "give it <test_input> and <test_output>, or samples")
    if not tests:
        where.note("the samples are its tests, as on the site: it has no <test_input>")
    return Problem(
        name=name,
        directory=source.tree.root,
        title={"zh": title},
        limits=_limits(source, path, item),
        checker=_checker(source, path, item, name),
        grader=_around(source, path, item),
        groups=_groups(shown, tests),
        cases=shown + tests,
        languages=("sql",) if _is_sql(item) else (),
        statements={"zh": _statement(source, path, item, name)},
        submissions=tuple(_solutions(source, path, item, name)),
        source=(item.findtext("source") or "").strip(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    source: Source
    path: Path
    item: ElementTree.Element
    #: Of the package; and what messages call it.
    name: str
    label: str

    def error(self, what: str, remedy: str) -> ProblemError:
        return self.source.tree.error(self.path, f"{self.label}: {what}", remedy)

    def read_text(self, text: str) -> str:
        """An input."""
        return _DROP.sub("drop table if exists ", text) if _is_sql(self.item) else text

    def note(self, what: str) -> None:
        self.source.note(self.path, f"{self.label}: {what}")


def _tests(where: _Item) -> tuple[TestCase, ...]:
    """Inputs and outputs by their names; where no output has a name, in their order."""
    given, answers = (where.item.findall(tag) for tag in ("test_input", "test_output"))
    if not answers and len(given) % 2 == 0:
        given, answers = given[::2], given[1::2]  # some exporters alternate them
    if len(given) != len(answers):
        what = f"has {len(given)} inputs and {len(answers)} outputs"
        raise where.error(what, "give each <test_input> its <test_output>")
    named = any(one.get("name") for one in given) and any(one.get("name") for one in answers)
    names, others = (
        [(one.get("name") if named else None) or f"test{number_}" for number_, one in enumerate(listed)]
        for listed in (given, answers)
    )
    if set(names) != set(others) or len(set(names)) < len(names):
        what = "names of <test_input> and <test_output> are not the same, or one is there twice"
        raise where.error(what, "give each its own")
    outputs = dict(zip(others, answers, strict=True))
    files = [
        (
            where.source.make(f"{where.name}/{number_}.in", where.read_text(one.text or "")),
            where.source.make(f"{where.name}/{number_}.out", outputs[name].text or ""),
        )
        for number_, (name, one) in enumerate(zip(names, given, strict=True), 1)
    ]
    points = [match[1] if (match := _STATED_POINTS.match(name)) else _USUAL_POINTS for name in names]
    return tuple(replace(case, weight=float(own)) for case, own in zip(cases(files), points, strict=True))


def _samples(where: _Item) -> tuple[TestCase, ...]:
    shown, answers = _texts(where.item, "sample_input"), _texts(where.item, "sample_output")
    if len(shown) != len(answers):
        what = f"{where.label}: has {len(shown)} sample inputs and {len(answers)} outputs"
        where.source.lose(where.path, what, "give each its other half")
    both = ((where.read_text(one), other) for one, other in zip(shown, answers, strict=False))
    found = [(one, other) for one, other in both if one.strip() or other.strip()]
    made = sample_cases(where.source, found, where.name)
    return tuple(replace(case, weight=_USUAL_POINTS) for case in made)


def _groups(shown: Sequence[TestCase], tests: Sequence[TestCase]) -> tuple[Group, ...]:
    """The site runs samples like other tests, and counts them."""
    sets = (("sample", shown), ("secret", tests))
    return tuple(Group(name=name, points=sum(case.weight for case in listed)) for name, listed in sets if listed)


def _language(program: ElementTree.Element) -> LanguageFacts | None:
    return by_name("hustoj").get(program.get("language", "").lower())


def _suffix(program: ElementTree.Element) -> str:
    return suffix_of("hustoj", program.get("language", "").lower())


def _is_sql(item: ElementTree.Element) -> bool:
    """Whether all programs of the item are in SQL."""
    found = [one for tag in ("solution", "template", "prepend", "append") for one in item.findall(tag)]
    return bool(found) and all(_suffix(one) == _SQL for one in found)


def _checker(source: Source, path: Path, item: ElementTree.Element, name: str) -> Checker:
    found = (one for one in map(item.find, _CHECKERS) if one is not None and (one.text or "").strip())
    if (one := next(found, None)) is None:
        return COMPARISON
    suffix = _suffix(one)
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
            if (language := _language(one)) is None:
                source.lose(path, f"<{tag}> in {one.get('language')!r} is not imported", "remove it")
                continue
            by_language[language.grader_key] = f"\n{one.text or ''}\n"
    if _is_sql(item):
        found["prepend"]["sql"] = _MAKE_TABLES + found["prepend"].get("sql", "")
    return Grader(files={}, before=found["prepend"], after=found["append"]) if any(found.values()) else None


def _texts(item: ElementTree.Element, tag: str) -> list[str]:
    return [child.text or "" for child in item.findall(tag)]


def _limits(source: Source, path: Path, item: ElementTree.Element) -> Limits:
    def read_limit(tag: str, units: dict[str, int], usual: str) -> int:
        child = item.find(tag)
        if child is None or not (child.text or "").strip():
            return number(source, path, usual, units, tag)
        text = f"{(child.text or '').strip()}{child.get('unit', next(iter(units)))}"
        return number(source, path, text, units, tag)

    return Limits(
        cpu_ns=read_limit("time_limit", _TIME, "1s"), memory_bytes=read_limit("memory_limit", _MEMORY, "128mb")
    )


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
        suffix = _suffix(one)
        if not suffix:
            source.note(path, f"a solution in {one.get('language')!r} is not imported")
            continue
        text = _own_part(item, one, suffix)
        if text is None:
            what = f"a solution in {one.get('language')!r} is a whole program, where submissions get code around them"
            source.note(path, f"{name}: {what}: it is not imported")
            continue
        file = source.make(f"{name}/solution{index}{suffix}", text)
        yield LabelledSubmission(path=file, expected=frozenset({"AC"}))


def _own_part(item: ElementTree.Element, solution: ElementTree.Element, suffix: str) -> str | None:
    """What a contestant writes of a solution. The site exports solutions with the code that it puts around submissions,
    and imports them as they are. None: this code is not around it."""
    text = solution.text or ""
    before, after = (
        next((one.text or "" for one in item.findall(tag) if _suffix(one) == suffix), "").strip()
        for tag in ("prepend", "append")
    )
    if not before and not after:
        return text
    whole = text.strip()
    if len(whole) < len(before) + len(after) or not (whole.startswith(before) and whole.endswith(after)):
        return None
    return f"{whole[len(before) : len(whole) - len(after)].strip()}\n"


FORMAT = Format(
    name="fps",
    holds="a Free Problem Set (XML)",
    recognises=lambda source: _file(source) is not None,
    problems=_problems,
)
