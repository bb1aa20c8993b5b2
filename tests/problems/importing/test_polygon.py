"""Packages of Codeforces Polygon."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import problems
from judge import Judge, Submission
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


@pytest.mark.parametrize(
    ("first", "second", "points"),
    [("0.0", "60.0", [0, 60]), ("40.0", "60.0", [40, 60]), ("0.0", "0.0", [100, 100])],
)
def test_a_group_worth_nothing_beside_others_earns_nothing(
    tmp_path: Path, first: str, second: str, points: list[float]
) -> None:
    xml = (
        POLYGON["problem.xml"]
        .replace('points="40.0"', f'points="{first}"')
        .replace('points="60.0"', f'points="{second}"')
    )
    problem = only(tmp_path, {**POLYGON, "problem.xml": xml})
    assert [group.points for group in problem.groups if group.name.startswith("secret/")] == points


def test_a_checker_judges_what_an_interactor_writes(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    """An interactor may hand on to the checker what it heard."""
    talk = """#include "testlib.h"
int main(int, char** at) {
    std::ofstream tout(at[2]);
    std::cout << std::ifstream(at[1]).rdbuf() << std::flush;
    tout << std::cin.rdbuf();
}
"""
    interactor = '<interactor><source path="files/talk.cpp" type="cpp.g++17"/></interactor><validators>'
    xml = POLYGON["problem.xml"].replace("<validators>", interactor)
    problem = only(tmp_path, {**POLYGON, "problem.xml": xml, "files/talk.cpp": talk})
    program = POLYGON["solutions/ok.py"]
    assert judged(judges, problem, program.encode()).accepted
    assert not judged(judges, problem, program.replace("sum", "max").encode()).accepted


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


_TRIALS = {
    "<tests>": '<tests><test verdict="valid"/><test verdict="invalid"/></tests></testset></validator></validators>',
    "<checked>": '<tests><test verdict="ok"/><test verdict="wrong-answer"/><test verdict="crashed"/></tests></testset>',
}


def test_tests_of_validators_and_checkers(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    place = "files/tests"
    inputs = f"<testset><input-path-pattern>{place}/validator-tests/%02d</input-path-pattern>"
    kinds = (("input", ""), ("output", ".o"), ("answer", ".a"))
    given = "".join(f"<{kind}-path-pattern>{place}/c/%02d{end}</{kind}-path-pattern>" for kind, end in kinds)
    xml = POLYGON["problem.xml"].replace("</validator></validators>", inputs + _TRIALS["<tests>"])
    xml = xml.replace("</checker>", f"<testset>{given}{_TRIALS['<checked>']}</checker>")
    files = {f"{place}/validator-tests/01": "1 2\n", f"{place}/validator-tests/02": "x\r\n"}
    for number, said in (("01", "3"), ("02", "4"), ("03", "")):
        files |= {f"{place}/c/{number}": "1 2\r\n", f"{place}/c/{number}.o": said, f"{place}/c/{number}.a": "3\r\n"}
    (one,) = imported(tmp_path, {**POLYGON, **files, "problem.xml": xml})
    assert one.package is not None, one.error
    assert "files/tests/c/03, a test of the checker, has the verdict 'crashed': not imported" in str(one.losses)
    problem = problems.load(one.package)
    assert [trial.input.read_bytes() for trial in problem.input_trials] == [b"x\n"], "as programs read it on the site"
    assert {(trial.input.read_bytes(), trial.answer.read_bytes()) for trial in problem.output_trials} == {
        (b"1 2\n", b"3\n")
    }
    assert {trial.output.read_text(): trial.accepted for trial in problem.output_trials} == {"3": True, "4": False}
    assert not judges().validate(problem)
    (trial,) = (trial for trial in problem.output_trials if not trial.accepted)
    trial.output.write_text("3")
    (finding,) = judges().validate(problems.load(one.package))
    assert "the checker accepts it" in finding.message


def test_languages(tmp_path: Path) -> None:
    """A package without sections has a statement in the language of its name."""
    names = '<names><name language="estonian" value="Summa"/></names>'
    xml = POLYGON["problem.xml"]
    xml = xml[: xml.index("<names>")] + names + xml[xml.index("<statements>") :]
    files = {name: text for name, text in POLYGON.items() if not name.startswith("statement-sections")}
    problem = only(tmp_path, {**files, "problem.xml": xml})
    assert (dict(problem.title), list(problem.statements)) == ({"et": "Summa"}, ["et"])


def test_a_group_of_samples_alone_is_the_samples(tmp_path: Path) -> None:
    xml = POLYGON["problem.xml"].replace('sample="true"', 'sample="true" group="example" points="0.0"')
    xml = xml.replace('<dependency group="1"/>', '<dependency group="example"/><dependency group="1"/>')
    xml = xml.replace("<groups>", '<groups><group name="example" points="0.0" points-policy="complete-group"/>')
    lines = '<checker name="std::lcmp.cpp" type="testlib">'
    problem = only(tmp_path, {**POLYGON, "problem.xml": xml.replace('<checker type="testlib">', lines)})
    assert problem.group("secret/2").requires == ("sample", "secret/1")
    assert [case.group for case in problem.cases] == ["sample", "secret/1", "secret/2"]
    assert problem.checker == Comparison(mode=Mode.TOKENS_BY_EVERY_LINE)


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


#: As the site exports it by default: without what generators and the main solution print.
_HAND, _GEN = '<test method="manual" points="40.0" group="1"/>', '<test cmd="gen 5" method="generated"'
STANDARD = {
    **{
        name: text
        for name, text in POLYGON.items()
        if name not in ("tests/01.a", "tests/02.a", "tests/03", "tests/03.a")
    },
    "problem.xml": POLYGON["problem.xml"]
    .replace("</files>", "<executables><executable><source path='files/gen.cpp'/></executable></executables></files>")
    .replace(_GEN, f'{_GEN} points="0.0" group="2"/><test cmd="gen 6 &quot;7 $HOME&quot; ;id *" method="generated"'),
    "statements/english/example.01": "1 2\r\n",
    "statements/english/example.01.a": "3\r\n",
    "files/gen.cpp": """#include "testlib.h"
int main(int count, char** at) {
    std::cout << at[1] << " " << count << std::endl;
    return count > 2 && at[2] != std::string("7 $HOME");
}
""",
}


def test_a_standard_package(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    """Its tests become generated tests, which the main solution answers. Commands meet no shell."""
    (one,) = imported(tmp_path, STANDARD)
    assert one.package is not None, one.error
    assert "3 of 4 tests are built at first use; the main solution answers them" in [
        loss.message for loss in one.losses
    ]
    problem = problems.load(one.package)
    assert [case.arguments for case in problem.generated] == [(), ("5",), ("6", "7 $HOME", ";id", "*")]
    assert [case.weight for case in problem.generated] == [1, 0, 60]
    judge = judges()
    with judge.build_tests(problem) as whole:
        tests = {case.name: (case.read_input(), case.read_answer()) for case in whole.cases}
    assert tests == {
        "sample/1": (b"1 2\n", b"3\n"),
        "secret/1/2": (b"2 2\n", b"4\n"),
        "secret/2/3": (b"5 2\n", b"7\n"),
        "secret/2/4": (b"6 5\n", b"11\n"),
    }
    for name, score in (("ok", 1), ("bad", 0)):
        source = STANDARD[f"solutions/{name}.py"].encode()
        assert judge.judge(Submission(source=source, problem=one.package, language="python3")).score == score


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("gen 5", "gen 5 | sort", "test 3 is to be generated by 'gen 5 | sort', which is more than a generator"),
        ('cmd="gen 5"', 'cmd="gen 5" from-file="01"', "which is more than a generator that prints one test"),
        ("gen 5", "gen {name}", "packages read {seed} and {name} as something else"),
        ("gen 5", "make 5", "<executables> have no 'make'"),
        ("gen 5", "../../bin/sh 5", "<executables> have no '../../bin/sh'"),
        ("gen 5", "", "which is no command"),
        ("gen 5", "gen " + "1 " * 3000, "which is no command"),
        ("files/gen.cpp", "../gen.cpp", "names the file '../gen.cpp'"),
        ("files/gen.cpp", "/etc/gen.cpp", "names the file '/etc/gen.cpp'"),
        ("files/gen.cpp", "files/gen.dpr", "is of no language that is known by its suffix"),
        ('tag="main"', 'tag="accepted"', "test 2 has no answer in the package, and there is no main solution"),
        ("solutions/ok.py", "solutions/ok.dpr", "the main solution 'solutions/ok.dpr' is of no language"),
        (
            "<validators>",
            "<interactor><source path='files/gen.cpp'/></interactor><validators>",
            "an interactive problem",
        ),
        (_HAND, f'{_HAND}<test method="manual"/>', "test 3 (tests/03) is not in the package"),
        (_HAND, _HAND + f"{_GEN}/>" * 10_000, "more than 1000 tests would have to be generated"),
        ("tests/%02d<", "/etc/%02d<", "names the file '/etc/01'"),
    ],
)
def test_what_a_standard_package_cannot_say(tmp_path: Path, old: str, new: str, says: str) -> None:
    xml = STANDARD["problem.xml"].replace(old, new, 1)
    assert xml != STANDARD["problem.xml"]
    files = {**STANDARD, "problem.xml": xml, "files/gen.dpr": "", "solutions/ok.dpr": ""}
    (one,) = imported(tmp_path, files)
    assert one.package is None
    assert "problem.xml: " in (one.error or "")
    assert says in (one.error or "")


_TALKS = """#include "testlib.h"
int main(int, char** at) { // registerInteraction
    std::ifstream in(at[1]);
    long a, b, said = 0;
    in >> a >> b;
    std::cout << a << std::endl << b << std::endl;
    std::cin >> said;
    return said != a + b;
}
"""
_INTERACTOR = "<interactor><source path='files/talk.cpp'/></interactor><validators>"


def _talking(talk: str = _TALKS) -> dict[str, str]:
    xml = STANDARD["problem.xml"].replace("<validators>", _INTERACTOR)
    files = {name: text for name, text in STANDARD.items() if not name.startswith("statements/")}
    return {**files, "problem.xml": xml, "files/talk.cpp": talk}


def test_a_standard_package_of_an_interactive_problem(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    """The site makes their answers only if an interactor writes some."""
    (one,) = imported(tmp_path, _talking())
    assert one.package is not None, one.error
    assert "2 of 4 tests are built at first use; nothing reads their answers" in [loss.message for loss in one.losses]
    problem = problems.load(one.package)
    assert (problem.kind, len(problem.cases), len(problem.generated)) == ("interactive", 2, 2)
    assert all(not case.read_answer() for case in problem.cases)
    program = "print(int(input()) + int(input()))\n"
    assert judged(judges, problem, program.encode()).accepted
    assert not judged(judges, problem, program.replace("+", "-").encode()).accepted


def test_tools_of_the_site_beside_an_interactor_judge_nothing(tmp_path: Path) -> None:
    """It lays them into each such package, and no problem.xml names them; another such file is refused."""
    tools = {
        "files/CrossRun.jar": "PK",
        "files/runexe.exe": "MZ",
        "files/towin.exe": "MZ",
        "files/towin.cpp": "int main() {}",
    }
    (one,) = imported(tmp_path, {**_talking(), **tools})
    assert one.package is not None, one.error
    (other,) = imported(tmp_path / "other", {**_talking(), "files/Judge.jar": "PK"})
    assert other.error is not None
    assert "files/Judge.jar: is a program that the format gives no place" in str(other.error)


def test_a_full_package_of_an_interactive_problem_may_lack_answers(tmp_path: Path) -> None:
    files = {name: text for name, text in POLYGON.items() if not (name.startswith("tests/") and name.endswith(".a"))}
    xml = POLYGON["problem.xml"].replace("<validators>", _INTERACTOR)
    problem = only(tmp_path, {**files, "problem.xml": xml, "files/talk.cpp": _TALKS})
    assert not problem.generated
    assert all(not case.read_answer() for case in problem.cases)


@pytest.mark.parametrize(
    "reads", ["ans.readInt();", "ans . nextToken();", "solve(ans);", "read(x, ans);", "InStream& s = ans;", "argv[3];"]
)
def test_an_interactor_that_reads_answers_needs_them(tmp_path: Path, reads: str) -> None:
    (one,) = imported(tmp_path, _talking(_TALKS + f"// {reads}\n"))
    assert "test 1 has no answer in the package, and the answers of an interactive problem" in (one.error or "")


@pytest.mark.parametrize("names", ["int ans = 0;", "ans++;", "vector<int> ans; ans.push_back(1);", "ans = a + b;"])
def test_a_variable_called_ans_is_no_answer(tmp_path: Path, names: str) -> None:
    (one,) = imported(tmp_path, _talking(_TALKS + f"// {names}\n"))
    assert one.error is None


def test_a_generator_behind_a_link(tmp_path: Path) -> None:
    write_files(tmp_path, {"away.cpp": STANDARD["files/gen.cpp"]})
    source = write_files(
        tmp_path / "source", {name: text for name, text in STANDARD.items() if name != "files/gen.cpp"}
    )
    (source / "files/gen.cpp").symlink_to(tmp_path / "away.cpp")
    (one,) = imported(tmp_path, {})
    assert "files/gen.cpp: is a symbolic link that leaves the package" in (one.error or "")


def test_generators_of_a_standard_package(tmp_path: Path) -> None:
    """Each comes with what lies beside it."""
    listed = "<file path='files/gen.py'/><file path='files/helper.py'/><file path='files/gen.cpp'/></resources>"
    helped = {
        "files/gen.py": "import helper\n",
        "files/helper.py": "",
        "files/more.h": "",
        "problem.xml": STANDARD["problem.xml"].replace("</resources>", listed),
    }
    python = helped["problem.xml"].replace("gen.cpp", "gen.py")
    (one,) = imported(tmp_path / "python", {**STANDARD, **helped, "problem.xml": python})
    assert one.package is not None
    assert {path.name for path in (one.package / "generators").iterdir()} > {"gen.py", "helper.py"}
    (one,) = imported(tmp_path / "cpp", {**STANDARD, **helped})
    assert one.package is not None
    there = {path.name for path in (one.package / "generators").iterdir()}
    assert there == {"gen.cpp", "more.h", "testlib.h", "generators.yaml", "manual"}
    both = '<executable><source path="files/more/other.cpp"/></executable></executables>'
    xml = STANDARD["problem.xml"].replace("</executables>", both).replace("gen 6", "other 6")
    more = {"files/more/other.cpp": "", "files/more/more.h": "other"}
    (one,) = imported(tmp_path / "both", {**STANDARD, **helped, **more, "problem.xml": xml})
    assert "files/more/more.h: generators use this file and " in (one.error or "")
    without = {name: text for name, text in STANDARD.items() if name != "files/testlib.h"}
    lines = STANDARD["problem.xml"].replace('<checker type="testlib">', '<checker name="std::lcmp.cpp" type="testlib">')
    (one,) = imported(tmp_path / "without", {**without, "problem.xml": lines})
    assert "files/gen.cpp: needs testlib.h, which is not there" in (one.error or "")


@pytest.mark.parametrize(
    ("given", "kept"), [("1 2\r\n", b"1 2\n"), ("1 2\r\n3\n", b"1 2\r\n3\n"), ("1\r2\r\n", b"1\r2\r\n")]
)
def test_lines_of_windows_are_what_programs_read_on_the_site(tmp_path: Path, given: str, kept: bytes) -> None:
    (one,) = imported(tmp_path, {**POLYGON, "tests/01": given, "tests/01.a": "3\r\n"})
    assert one.package is not None, one.error
    first = problems.load(one.package).cases[0]
    assert (first.read_input(), first.read_answer()) == (kept, b"3\n")
    assert any("CR LF" in loss.message for loss in one.losses)


def _changed_xml(*pairs: tuple[str, str]) -> str:
    xml = POLYGON["problem.xml"]
    for old, new in pairs:
        assert old in xml
        xml = xml.replace(old, new, 1)
    return xml


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("<checker type", "<cheker type", "key '<assets>.cheker' is unknown here"),
        ("</checker>", "</checker><scorer/>", "key '<assets>.scorer' is unknown here"),
        ('cpu-name="x"', 'cpu-name="x" run-count="2"', "a program that runs several times"),
        (
            '<file path="files/testlib.h"/>',
            '<file path="files/testlib.h"><assets><asset name="SOLUTION"/></assets></file>',
            "is compiled with submissions",
        ),
    ],
)
def test_another_way_of_judging_is_never_lost(tmp_path: Path, old: str, new: str, says: str) -> None:
    xml = _changed_xml((old, new)).replace("</checker>", "</cheker>" if "cheker" in new else "</checker>")
    (one,) = imported(tmp_path, {**POLYGON, "problem.xml": xml}, lenient=True)
    assert says in (one.error or "")


def test_points_of_a_checker_are_those_of_the_test_or_per_cent(tmp_path: Path) -> None:
    assert [case.full_score for case in only(tmp_path, POLYGON).cases] == [1, 40, 60]
    percent = _changed_xml(('cpu-name="x"', 'cpu-name="x" treat-points-from-checker-as-percent="true"'))
    whole = only(tmp_path / "percent", {**POLYGON, "problem.xml": percent})
    assert [case.full_score for case in whole.cases] == [100, 100, 100]


def test_points_without_a_whole_are_refused(tmp_path: Path) -> None:
    check = 'int main() { quitp(10, "much"); }\n'
    assert only(tmp_path, POLYGON | {"files/check.cpp": check}).cases
    xml = _changed_xml(('points="40.0"', 'points="0.0"'), ('points="60.0"', 'points="0.0"'))
    (one,) = imported(tmp_path / "none", {**POLYGON, "problem.xml": xml, "files/check.cpp": check})
    assert "all tests state 0 points, and the checker gives points" in (one.error or "")


@pytest.mark.parametrize(("name", "lost"), [("tests", False), ("main", True)])
def test_the_set_called_tests_judges(tmp_path: Path, name: str, lost: bool) -> None:
    """Pretests are a part of it; where no set is called so, nobody knows which one judges."""
    other = (
        '<testset name="pretests"><time-limit>1</time-limit><input-path-pattern>pretests/%02d</input-path-pattern>'
        '<answer-path-pattern>pretests/%02d.a</answer-path-pattern><tests><test method="manual"/></tests></testset>'
    )
    xml = _changed_xml(('<testset name="tests">', f'<testset name="{name}">'), ("</testset>", f"</testset>{other}"))
    files = {**POLYGON, "problem.xml": xml, "pretests/01": "1 2\n", "pretests/01.a": "3\n"}
    (one,) = imported(tmp_path, files)
    assert (one.error is not None) is lost
    assert lost or any("test set 'pretests' is not imported" in loss.message for loss in one.losses)
