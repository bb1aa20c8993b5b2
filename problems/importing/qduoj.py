"""QDUOJ: a zip of folders, each with problem.json and the test files in testcase/.

problem.json    display_id, title, description, input_description, output_description and hint ({format, value}),
                time_limit (ms), memory_limit (MiB), samples, template, spj {language, code}, rule_type ACM or OI,
                test_case_score [{input_name, output_name, score}], answers [{language, code}], tags, source
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from problems.files.languages import by_name, suffix_of
from problems.importing.draft import Draft, of_folders
from problems.importing.keys import Foreign
from problems.importing.source import Source, clean
from problems.model import (
    MIB,
    SECOND_NS,
    Checker,
    Comparison,
    Convention,
    Grader,
    Limits,
    Mode,
    Problem,
    Program,
)

_HEAD = "problem.json"
_SECTIONS = (("", "description"), ("输入", "input_description"), ("输出", "output_description"), ("提示", "hint"))


class TextJson(Foreign):
    format: str = "html"
    value: str = ""


class SampleJson(Foreign):
    input: str = ""
    output: str = ""


class ScoreJson(Foreign):
    input_name: str
    output_name: str | None = None
    score: Annotated[int, Field(ge=0, le=10**9)] = 1


class CodeJson(Foreign):
    language: str
    code: str


class TemplateJson(Foreign):
    prepend: str = ""
    template: str = ""
    append: str = ""


class ProblemJson(Foreign):
    UNREAD = """
    difficulty allow_public_test_case share_submission visible allow_public_test_case_download
    """

    display_id: str = ""
    title: str
    description: TextJson | None = None
    input_description: TextJson | None = None
    output_description: TextJson | None = None
    hint: TextJson | None = None
    time_limit: Annotated[int, Field(gt=0, le=10**7)]
    memory_limit: Annotated[int, Field(gt=0, le=1 << 20)]
    samples: tuple[SampleJson, ...] = ()
    template: dict[str, TemplateJson] = Field(default_factory=dict)
    spj: CodeJson | None = None
    rule_type: Literal["ACM", "OI"] = "ACM"
    test_case_score: tuple[ScoreJson, ...] | None = None
    answers: tuple[CodeJson, ...] = ()
    tags: tuple[str, ...] = ()
    source: str | None = None
    # What the verdict does not depend on.
    languages: Any = None


def _is_problem(directory: Path) -> bool:
    return (directory / _HEAD).is_file() and (directory / "testcase").is_dir()


def _read(draft: Draft) -> Problem:
    draft.source.inside(draft.path)
    head = draft.source.read_json(draft.path, ProblemJson)
    draft.title = head.title
    _add_tests(draft, head)
    for one in head.samples:
        draft.add_sample(one.input, one.output)
    checker, grader = _checker(draft, head), _around(draft, head)
    draft.add_sections("zh", ((title, stated.value) for title, key in _SECTIONS if (stated := getattr(head, key))))
    _add_answers(draft, head)
    return replace(
        draft.build("zh"),
        limits=Limits(cpu_ns=head.time_limit * SECOND_NS // 1000, memory_bytes=head.memory_limit * MIB),
        checker=checker,
        grader=grader,
        keywords=head.tags,
        source=head.source or "",
    )


def _add_tests(draft: Draft, head: ProblemJson) -> None:
    source, place = draft.source, draft.directory / "testcase"
    listed = head.test_case_score or tuple(_score_files(source, place))
    if not listed:
        raise source.tree.error(place, "has no test cases", "add NAME.in with NAME.out")
    for number, one in enumerate(listed, 1):
        given, answer = _of_lines(draft, draft.find(one.input_name, place)), None
        if one.output_name and head.spj is None:
            answer = _of_lines(draft, draft.find(one.output_name, place))
        if head.spj is not None and one.output_name and (unused := place / one.output_name).is_file():
            source.note(unused, "is not imported: the special judge gets no answer")
        if answer is None and head.spj is None:
            raise draft.error(f"{one.input_name!r} has no output_name", "name its answer")
        stem = f"{number:0{len(str(len(listed)))}}-{clean(given.stem)}"
        draft.add_test(given, answer, stem, weight=float(one.score) if head.rule_type == "OI" else 1.0)
    named = {place / name for one in listed for name in (one.input_name, one.output_name) if name}
    for file in source.entries(place):
        if file.suffix in (".in", ".out") and file not in named:
            by = (
                "test_case_score does not name it"
                if head.test_case_score
                else "the site takes 1.in, 2.in, … without a gap"
            )
            source.lose(file, f"is no test: {by}", "correct that, or remove it")
    draft.count_tests(None if head.rule_type == "OI" else 1.0)


def _of_lines(draft: Draft, file: Path) -> Path:
    """The file as the site stores it (judge/.../utils: upload of test cases): CR LF becomes LF."""
    content = file.read_bytes()
    return draft.make(f"lf/{file.name}", content.replace(b"\r\n", b"\n")) if b"\r\n" in content else file


def _score_files(source: Source, place: Path) -> Iterator[ScoreJson]:
    for number in count(1):
        name, answer = f"{number}.in", f"{number}.out"
        if source.file(*(place / name).relative_to(source.tree.root).parts) is None:
            return
        yield ScoreJson(input_name=name, output_name=answer if (place / answer).is_file() else None)


def _checker(draft: Draft, head: ProblemJson) -> Checker:
    if head.spj is None:
        return Comparison(mode=Mode.EXACT_TRIMMED)
    suffix = suffix_of("qduoj", head.spj.language)
    if not head.spj.code.strip():
        raise draft.error("spj: has no code", "export the problem again")
    if suffix not in (".c", ".cpp"):
        raise draft.error(f"spj: language {head.spj.language[:40]!r} is not imported", "write it in C++")
    return Program(convention=Convention.QDUOJ, sources=(draft.make(f"spj{suffix}", head.spj.code),))


def _around(draft: Draft, head: ProblemJson) -> Grader | None:
    """The code that stands before and after each submission in a language."""
    before, after = dict[str, str](), dict[str, str]()
    for language, one in head.template.items():
        if not (one.prepend.strip() or one.append.strip()):
            continue
        if (known := by_name("qduoj").get(language)) is None:
            draft.lose(f"template of language {language[:40]!r} is not imported", "remove it")
            continue
        kind = known.grader_key
        before[kind], after[kind] = f"{one.prepend}\n", f"\n{one.append}\n"
    return Grader(files={}, before=before, after=after) if before else None


def _add_answers(draft: Draft, head: ProblemJson) -> None:
    for number, one in enumerate(head.answers, 1):
        suffix = suffix_of("qduoj", one.language)
        if not suffix:
            draft.note(f"answer {number} is in {one.language[:40]}: not imported")
            continue
        draft.add_solution(draft.make(f"answer{number}{suffix}", one.code))


FORMAT = of_folders(
    name="qduoj", holds="QDUOJ's problem.json and testcase/", is_problem=_is_problem, read=_read, head=_HEAD
)
