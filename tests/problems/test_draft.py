"""A draft: what is said of a problem, thing by thing, and what it becomes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import problems
from problems.model import Group, Limits
from problems.writing.draft import Draft, write_test
from problems.writing.write import write


def test_what_is_not_said_is_usual(tmp_path: Path) -> None:
    draft = Draft(name="sum", work=tmp_path / "made", title="Sum")
    draft.tests.append(write_test(draft.work, "1", "1 2\n", "3\n"))
    draft.add_sample("2 2", "4")
    built = draft.build("en")
    assert [group.name for group in built.groups] == ["sample", "secret"]
    assert [group.counted for group in built.groups] == [False, True]
    assert built.statements["en"].read_text() == "# Sum\n"
    found = problems.load(write(replace(built, limits=Limits(cpu_ns=2 * 10**9)), tmp_path / "sum"))
    assert [(case.name, case.read_input(), case.read_answer()) for case in found.cases] == [
        ("sample/1", b"2 2\n", b"4\n"),
        ("secret/1", b"1 2\n", b"3\n"),
    ]


def test_what_is_said_stays(tmp_path: Path) -> None:
    draft = Draft(name="sum", work=tmp_path, title="Sum")
    draft.add_sections("zh", [("", "求和"), ("输入", "  "), ("输出", "和")])
    draft.add_sample("2 2", "4", weight=3.0)
    draft.groups.append(Group(name="sample", points=3.0))
    built = draft.build("en")
    assert built.groups == (Group(name="sample", points=3.0),)
    assert built.title == {"zh": "Sum"}
    assert built.statements["zh"].read_text() == "求和\n\n## 输出\n\n和\n"
