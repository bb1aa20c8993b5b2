"""HUSTOJ's Free Problem Set: one XML file with many problems."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

from problems.errors import ProblemError
from problems.files.languages import LanguageFacts, by_name, suffix_of
from problems.files.tree import PICTURES
from problems.importing.draft import Draft
from problems.importing.source import Format, Source, cases, clean
from problems.importing.xmlfile import lose_unknown, read_xml
from problems.model import (
    MIB,
    SECOND_NS,
    Checker,
    Comparison,
    Convention,
    Grader,
    Group,
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
#: Children of the root.
_OF_ROOT = ("item", "generator")
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
    for child in root:
        if child.tag not in _OF_ROOT:
            source.lose_key(path, f"<{root.tag}>.{child.tag}", _OF_ROOT)
    for index, item in enumerate(root.iter("item"), 1):
        title = (item.findtext("title") or "").strip()
        draft = Draft.begin(source, _name(index, title or f"problem {index}"), path)
        yield _name(index, title), partial(_read, draft, index, item)


def _name(index: int, title: str) -> str:
    return f"{index:04}-{clean(title)}" if re.search("[A-Za-z0-9]", title) else f"{index:04}"


def _read(draft: Draft, index: int, item: ElementTree.Element) -> Problem:
    title = (item.findtext("title") or "").strip() or f"problem {index}"
    if item.find("template") is not None:
        draft.note(f"problem {index} ({title}): <template>, which the editor of the site shows, is not imported")
    lose_unknown(draft.source, draft.path, item, _ELEMENTS, f"problem {index} ({title}): ")
    where = _Item(draft=draft, item=item, label=f"problem {index} ({title})")
    remote = (item.findtext("remote_oj") or "").strip()
    if remote and not any(text.strip() for tag in ("test_input", "test_output") for text in _texts(item, tag)):
        what = f"is judged by another site ({remote[:40]}), and has no <test_input> of its own"
        raise where.error(what, "give it tests, or take it out")
    _add_samples(where)
    _add_tests(where)
    for tag in _ONCE:
        if sum(bool((one.text or "").strip()) for one in item.findall(tag)) > 1:
            raise where.error(f"has <{tag}> more than once", "leave the one that holds")
    if not draft.samples and not draft.tests:
        raise where.error("has no tests", "give it <test_input> and <test_output>, or samples")
    if not draft.tests:
        where.note("the samples are its tests, as on the site: it has no <test_input>")
    limits, checker, grader = _limits(draft, item), _checker(draft, item), _around(draft, item)
    for name, tests in (("sample", draft.samples), ("secret", draft.tests)):  # the site counts samples, too
        if tests:
            draft.groups.append(Group(name=name, points=sum(case.weight for case in tests)))
    _add_statement(draft, item)
    _add_solutions(draft, item)
    return replace(
        draft.build("zh"),
        title={"zh": title},
        limits=limits,
        checker=checker,
        grader=grader,
        languages=("sql",) if _is_sql(item) else (),
        source=(item.findtext("source") or "").strip(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    draft: Draft
    item: ElementTree.Element
    #: What messages call it.
    label: str

    def error(self, what: str, remedy: str) -> ProblemError:
        return self.draft.error(f"{self.label}: {what}", remedy)

    def read_text(self, text: str) -> str:
        """An input."""
        return _DROP.sub("drop table if exists ", text) if _is_sql(self.item) else text

    def note(self, what: str) -> None:
        self.draft.note(f"{self.label}: {what}")


def _add_tests(where: _Item) -> None:
    """Inputs and outputs by their names; where no output has a name, in their order."""
    draft = where.draft
    given, answers = (where.item.findall(tag) for tag in ("test_input", "test_output"))
    if not answers and len(given) % 2 == 0:
        given, answers = given[::2], given[1::2]  # some exporters alternate them
    if len(given) != len(answers):
        what = f"has {len(given)} inputs and {len(answers)} outputs"
        raise where.error(what, "give each <test_input> its <test_output>")
    named = any(one.get("name") for one in given) and any(one.get("name") for one in answers)
    names, others = (
        [(one.get("name") if named else None) or f"test{number}" for number, one in enumerate(listed)]
        for listed in (given, answers)
    )
    if set(names) != set(others) or len(set(names)) < len(names):
        what = "names of <test_input> and <test_output> are not the same, or one is there twice"
        raise where.error(what, "give each its own")
    outputs = dict(zip(others, answers, strict=True))
    files = [
        (
            draft.make(f"{number}.in", where.read_text(one.text or "")),
            draft.make(f"{number}.out", outputs[name].text or ""),
        )
        for number, (name, one) in enumerate(zip(names, given, strict=True), 1)
    ]
    points = [match[1] if (match := _STATED_POINTS.match(name)) else _USUAL_POINTS for name in names]
    draft.tests += [replace(case, weight=float(own)) for case, own in zip(cases(files), points, strict=True)]


def _add_samples(where: _Item) -> None:
    shown, answers = _texts(where.item, "sample_input"), _texts(where.item, "sample_output")
    if len(shown) != len(answers):
        what = f"{where.label}: has {len(shown)} sample inputs and {len(answers)} outputs"
        where.draft.lose(what, "give each its other half")
    for given, answer in ((where.read_text(one), other) for one, other in zip(shown, answers, strict=False)):
        if given.strip() or answer.strip():
            where.draft.add_sample(given, answer, weight=_USUAL_POINTS)


def _language(program: ElementTree.Element) -> LanguageFacts | None:
    return by_name("hustoj").get(program.get("language", "").lower())


def _suffix(program: ElementTree.Element) -> str:
    return suffix_of("hustoj", program.get("language", "").lower())


def _is_sql(item: ElementTree.Element) -> bool:
    """Whether all programs of the item are in SQL."""
    found = [one for tag in ("solution", "template", "prepend", "append") for one in item.findall(tag)]
    return bool(found) and all(_suffix(one) == _SQL for one in found)


def _checker(draft: Draft, item: ElementTree.Element) -> Checker:
    found = (one for one in map(item.find, _CHECKERS) if one is not None and (one.text or "").strip())
    if (one := next(found, None)) is None:
        return COMPARISON
    suffix = _suffix(one)
    if suffix not in (".c", ".cpp"):
        what = f"<{one.tag}> in {one.get('language')!r} is not imported"
        raise draft.error(what, "write it in C or C++, for HUSTOJ's convention or testlib")
    program = Program(convention=_CHECKERS[one.tag], sources=(draft.make(f"{one.tag}{suffix}", one.text or ""),))
    if not lacks_testlib(program):
        return program
    if (header := draft.source.file(TESTLIB) or draft.source.testlib) is None:
        what = f"{draft.name}: <{one.tag}> needs testlib.h, which is not there"
        raise draft.error(what, "put testlib.h beside the file, or name one with --testlib FILE")
    return replace(program, sources=(*program.sources, header))


def _around(draft: Draft, item: ElementTree.Element) -> Grader | None:
    """The code that stands before and after each submission in a language."""
    found: dict[str, dict[str, str]] = {"prepend": {}, "append": {}}
    for tag, by_language in found.items():
        for one in item.findall(tag):
            if (language := _language(one)) is None:
                draft.lose(f"<{tag}> in {one.get('language')!r} is not imported", "remove it")
                continue
            by_language[language.grader_key] = f"\n{one.text or ''}\n"
    if _is_sql(item):
        found["prepend"]["sql"] = _MAKE_TABLES + found["prepend"].get("sql", "")
    return Grader(files={}, before=found["prepend"], after=found["append"]) if any(found.values()) else None


def _texts(item: ElementTree.Element, tag: str) -> list[str]:
    return [child.text or "" for child in item.findall(tag)]


def _limits(draft: Draft, item: ElementTree.Element) -> Limits:
    def read_limit(tag: str, units: dict[str, int], usual: str) -> str:
        child = item.find(tag)
        text = "" if child is None else (child.text or "").strip()
        return usual if child is None or not text else f"{text}{child.get('unit', next(iter(units)))}"

    return Limits(
        cpu_ns=draft.read_number("time_limit", read_limit("time_limit", _TIME, "1s"), _TIME),
        memory_bytes=draft.read_number("memory_limit", read_limit("memory_limit", _MEMORY, "128mb"), _MEMORY),
    )


def _add_statement(draft: Draft, item: ElementTree.Element) -> None:
    draft.add_sections("zh", ((title, item.findtext(tag) or "") for title, tag in _SECTIONS))
    text = draft.source.text(draft.statements["zh"]) if draft.statements else f"# {draft.name}\n"
    for index, picture in enumerate(item.findall("img"), 1):
        where, data = picture.findtext("src") or "", picture.findtext("base64") or ""
        try:
            content = base64.b64decode("".join(data.split()), validate=True)
        except (binascii.Error, ValueError):
            draft.lose(f"picture {where[:80]!r} cannot be read", "remove it")
            continue
        suffix = Path(where).suffix.lower()
        file = draft.make(f"picture{index}{suffix if suffix in PICTURES else '.png'}", content)
        text = text.replace(where, file.name) if where else text
    draft.add_statement("zh", text)


def _add_solutions(draft: Draft, item: ElementTree.Element) -> None:
    for index, one in enumerate(item.findall("solution"), 1):
        suffix = _suffix(one)
        if not suffix:
            draft.note(f"a solution in {one.get('language')!r} is not imported")
            continue
        text = _own_part(item, one, suffix)
        if text is None:
            what = f"a solution in {one.get('language')!r} is a whole program, where submissions get code around them"
            draft.note(f"{draft.name}: {what}: it is not imported")
            continue
        draft.add_solution(draft.make(f"solution{index}{suffix}", text))


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
