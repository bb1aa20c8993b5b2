"""Packages of Codeforces Polygon."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import problems
from judge import Judge
from problems import Aggregation, Comparison, Convention, Mode, ProblemError, Program
from problems.model import MIB
from tests.packages import write_files
from tests.problems.importing.examples import (
    POLYGON,
    imported,
    judged,
    only,
)


def test_an_interactive_package_of_polygon(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    """The program is told a sum a number at a time; its interactor reads the numbers from the test."""
    talk = """#include "testlib.h"
int main(int, char** at) {
    std::ifstream in(at[1]);
    long a, b, said = 0;
    in >> a >> b;
    std::cout << a << std::endl;
    std::cout << b << std::endl;
    std::cin >> said;
    return said != a + b;
}
"""
    program = "print(int(input()) + int(input()))\n"
    interactor = '<interactor><source path="files/talk.cpp" type="cpp.g++17"/></interactor><validators>'
    files = {
        **POLYGON,
        "problem.xml": POLYGON["problem.xml"].replace("<validators>", interactor),
        "files/talk.cpp": talk,
        "solutions/ok.py": program,
    }
    problem = only(tmp_path, files)
    assert problem.kind == "interactive"
    assert judged(judges, problem, program.encode()).accepted
    assert not judged(judges, problem, program.replace("+", "-").encode()).accepted


def test_a_package_of_polygon(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    problem = only(tmp_path, POLYGON)
    assert (problem.name, problem.title["en"], problem.title["zh"]) == ("sum-of-two", "Sum", "求和")
    assert (problem.limits.cpu_ns, problem.limits.memory_bytes) == (1_500_000_000, 256 * MIB)
    groups = {group.name: group for group in problem.groups}
    assert not groups["sample"].counted
    assert (groups["secret/1"].points, groups["secret/2"].points) == (40, 60)
    assert groups["secret/1"].aggregation is Aggregation.MIN
    assert groups["secret/2"].requires == ("secret/1",)
    assert isinstance(problem.checker, Program)
    assert problem.checker.convention is Convention.TESTLIB
    assert [case.sample for case in problem.cases] == [True, False, False]
    assert "Print $a+b$." in problem.statements["en"].read_text()
    assert {one.path.name: "AC" in one.expected for one in problem.submissions} == {"ok.py": True, "bad.py": False}
    assert not judges().validate(problem)
    write_files(problem.directory, {"data/secret/1/wrong.in": "x\n", "data/secret/1/wrong.ans": "x\n"})
    assert judges().validate(problems.load(problem.directory)), "its validator refuses what is no number"


def test_a_group_of_samples_alone_is_the_samples(tmp_path: Path) -> None:
    xml = POLYGON["problem.xml"].replace('sample="true"', 'sample="true" group="example" points="0.0"')
    xml = xml.replace('<dependency group="1"/>', '<dependency group="example"/><dependency group="1"/>')
    xml = xml.replace("<groups>", '<groups><group name="example" points="0.0" points-policy="complete-group"/>')
    lines = '<checker name="std::lcmp.cpp" type="testlib">'
    problem = only(tmp_path, {**POLYGON, "problem.xml": xml.replace('<checker type="testlib">', lines)})
    assert problem.group("secret/2").requires == ("sample", "secret/1")
    assert [case.group for case in problem.cases] == ["sample", "secret/1", "secret/2"]
    assert problem.checker == Comparison(mode=Mode.TOKENS_BY_LINE)


@pytest.mark.parametrize(
    ("xml", "says"),
    [
        (("<time-limit>1500", "<time-limit>-1"), "no number above 0"),
        (("tests/%02d<", "tests/%s<"), "names no tests"),
        (("tests/%02d<", "../%02d<"), ""),
        (('points="40.0"', 'points="many"'), "points 'many'"),
        (("complete-group", "best-of"), "points-policy 'best-of'"),
        (('dependency group="1"', 'dependency group="9"'), "which has no tests"),
        (('tag="rejected"', 'tag="odd"'), "tag 'odd'"),
        (("files/check.cpp", "/etc/passwd"), "names the file"),
        (("<problem ", "<!DOCTYPE p [<!ENTITY a 'b'>]><problem "), "declares a document type"),
        (("</problem>", ""), "not well formed"),
        (("<tests>", "<tests><test/>"), "test 4"),
    ],
)
def test_what_polygon_does_not_write(tmp_path: Path, xml: tuple[str, str], says: str) -> None:
    files = {**POLYGON, "problem.xml": POLYGON["problem.xml"].replace(*xml, 1)}
    assert files != POLYGON
    try:
        (one,) = imported(tmp_path, files)
        said = one.error or ""
        assert one.package is None
    except ProblemError as error:
        said = str(error)
    assert "problem.xml" in said
    assert says in said
