"""Problems of other formats become packages that give the verdicts that their own judges give."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import problems
from judge import Judge
from problems import Aggregation, Comparison, Convention, Mode, ProblemError, Program
from problems.files.tree import Tree
from problems.importing import FORMATS, import_problems
from problems.importing.source import Source
from problems.model import MIB, SECOND_NS
from tests.packages import write_files
from tests.problems.importing.examples import (
    ADD,
    BARE,
    CHECKER,
    DESCRIBED,
    EXAMPLES,
    FPS,
    HYDRO,
    LUOGU,
    PAIRS,
    SUBTASKS,
    SYZOJ,
    UTF16,
    imported,
    judged,
    only,
)

_ONE = "{input: 1.in, output: 1.out}"


def _hydro(config: str) -> dict[str, str]:
    return {**HYDRO, "sum/testdata/config.yaml": config + "\n"}


def _syzoj(*, cases: str, pattern: str, score: str = "100") -> dict[str, str]:
    stated = f"subtasks: [{{score: {score}, type: sum, cases: {cases}}}]\ninputFile: '{pattern}'\noutputFile: '#.ans'\n"
    return {**SYZOJ, "data.yml": stated}


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_example_is_recognised_as_one_format(tmp_path: Path, name: str) -> None:
    tree = Tree(root=write_files(tmp_path / "source", EXAMPLES[name]), shown="source")
    source = Source(tree=tree, work=tmp_path, lenient=False, name="x")
    known = [kind.name for kind in FORMATS if kind.recognises(source)]
    assert known[0] == name
    assert known[1:] in ([], ["bare"]), "bare files are in most"


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_imported_gives_the_right_verdicts(tmp_path: Path, judges: Callable[..., Judge], name: str) -> None:
    for one in imported(tmp_path, EXAMPLES[name]):
        assert one.package is not None, one.error
        problem = problems.load(one.package)
        assert judged(judges, problem, ADD).accepted
        assert not judged(judges, problem, ADD.replace(b"sum", b"max")).accepted


def test_luogu_limits_scores_and_order(tmp_path: Path) -> None:
    problem = only(tmp_path, LUOGU)
    assert [case.input.read_text() for case in problem.cases] == ["1 2\n", "2 2\n", "5 5\n"]
    first, second, third = problem.cases
    limits = [case.limits or problem.limits for case in problem.cases]
    assert [one.cpu_ns for one in limits] == [2 * SECOND_NS, SECOND_NS, SECOND_NS]
    assert [one.memory_bytes for one in limits] == [512 * MIB, 64 * MIB, 512 * MIB]
    assert [case.weight for case in (first, second, third)] == [30, 70, pytest.approx(100 / 3)]
    assert problem.checker == Comparison(mode=Mode.LINES)


def test_luogu_subtasks(tmp_path: Path) -> None:
    problem = only(tmp_path, SUBTASKS)
    groups = {group.name: (group.points, group.aggregation) for group in problem.groups}
    assert groups == {"secret/001": (40, Aggregation.MIN), "secret/002": (60, Aggregation.MIN)}


def test_luogu_description_and_checker(tmp_path: Path) -> None:
    files = {**LUOGU, "P1001.json": json.dumps({"currentData": {"problem": DESCRIBED}}), "checker.cpp": CHECKER}
    (one,) = imported(tmp_path, files)
    assert one.error is not None
    assert "checker.cpp: needs testlib.h, which is not there" in one.error
    assert "--testlib FILE" in one.error
    (one,) = imported(tmp_path, files, lenient=True)
    assert one.error is not None, "a package without its checker would judge otherwise"
    problem = only(tmp_path, {**files, "testlib.h": "\n"})
    assert (problem.name, problem.title["zh"]) == ("P1001", "A+B")
    limits = [case.limits or problem.limits for case in problem.cases if not case.sample]
    assert [one.cpu_ns for one in limits] == [2 * SECOND_NS, 3 * SECOND_NS, 3 * SECOND_NS], "config.yml, else the JSON"
    assert isinstance(problem.checker, Program)
    assert problem.checker.convention is Convention.TESTLIB
    assert [case.read_input() for case in problem.cases if case.sample] == [b"1 2\n"]
    statement = problem.statements["zh"].read_text()
    assert statement == "## 题目描述\n\n求和\n\n## 输入格式\n\n两个数\n\n## 输出格式\n\n一个数\n"


def test_the_user_gives_the_header_that_the_site_supplies(tmp_path: Path) -> None:
    header = tmp_path / "own.h"
    header.write_text("// mine\n")
    hydro = {
        **HYDRO,
        "sum/testdata/config.yaml": "checker_type: testlib\nchecker: check.cpp\n",
        "sum/testdata/check.cpp": CHECKER,
    }
    for name, files in (("luogu", {**LUOGU, "checker.cpp": CHECKER}), ("hydro", hydro)):
        source = write_files(tmp_path / name, files)
        assert all(one.error for one in import_problems(source, tmp_path / "made", lenient=True))
        (one,) = import_problems(source, tmp_path / "made", testlib=header)
        assert one.package is not None
        checker = problems.load(one.package).checker
        assert isinstance(checker, Program)
        assert {path.name: path.read_text() for path in checker.sources}["testlib.h"] == "// mine\n"
    with pytest.raises(ProblemError, match="cannot be read"):
        list(import_problems(tmp_path / "luogu", tmp_path / "made", testlib=tmp_path / "none.h"))


_WRITTEN = "# P1001 A+B\n\n## 样例 #1\n\n### 样例输入 #1\n\n```\n1 2\n```\n\n### 样例输出 #1\n\n```\n3\n```\n"


@pytest.mark.parametrize(
    ("files", "title"), [({"a.json": json.dumps(DESCRIBED)}, "A+B"), ({"P1001.md": _WRITTEN}, "P1001 A+B")]
)
def test_luogu_samples_are_the_tests_where_there_are_no_others(
    tmp_path: Path, judges: Callable[..., Judge], files: dict[str, str], title: str
) -> None:
    (one,) = imported(tmp_path, files)
    assert one.package is not None, one.error
    assert any("only the samples are tests" in loss.message for loss in one.losses)
    problem = problems.load(one.package)
    assert (problem.title["zh"], [case.sample for case in problem.cases]) == (title, [True])
    assert judged(judges, problem, ADD).accepted
    assert not judged(judges, problem, ADD.replace(b"sum", b"max")).accepted


@pytest.mark.parametrize("inside", ["", "P1001/"])
def test_luogu_json_markdown_and_test_data_together(tmp_path: Path, inside: str) -> None:
    source = write_files(tmp_path / "P1", {"P1001.json": json.dumps(DESCRIBED), "P1001.md": _WRITTEN})
    with zipfile.ZipFile(source / "data.zip", "w") as packed:
        for name, text in {**LUOGU, "checker.cpp": CHECKER, "testlib.h": "\n"}.items():
            packed.writestr(f"{inside}{name}", text)
    (one,) = import_problems(source, tmp_path / "made")
    assert one.package is not None, one.error
    problem = problems.load(one.package)
    assert [case.read_input() for case in problem.cases] == [b"1 2\n", b"1 2\n", b"2 2\n", b"5 5\n"]
    assert [case.weight for case in problem.cases[1:]] == [30, 70, pytest.approx(100 / 3)]
    assert isinstance(problem.checker, Program)
    with zipfile.ZipFile(source / "data.zip", "a") as packed:
        packed.writestr(f"{inside}left.exe", "x")
    (bad,) = import_problems(source, tmp_path / "bad")
    assert f"{source}/data.zip/{inside}left.exe: is no file of Luogu's" in (bad.error or "")


def test_luogu_says_which_limits_it_assumes(tmp_path: Path) -> None:
    stated = "\n".join(f"{n}.in: {{timeLimit: 1000, memoryLimit: 65536}}" for n in (1, 2, 10))
    for at, (config, count) in enumerate((("1.in: {score: 5}", 2), (stated, 0))):
        (one,) = import_problems(write_files(tmp_path / str(at), {**PAIRS, "config.yml": config}), tmp_path / "made")
        assert one.error is None
        assert sum("limit of" in loss.message and loss.message.startswith("assumed: ") for loss in one.losses) == count


def test_nobody_is_told_to_remove_the_source(tmp_path: Path) -> None:
    source = write_files(tmp_path / "lg", LUOGU)
    (one,) = import_problems(source, tmp_path)
    assert one.error is not None
    assert one.error.endswith("lg: exists already; the source lies there, so choose another directory with -o")
    assert all(each.error is None for each in import_problems(source, tmp_path / "made"))
    (one,) = import_problems(source, tmp_path / "made")
    assert one.error is not None
    assert one.error.endswith("choose another directory with -o or remove it")


STRATEGIES = {
    "scoringStrategy": {"type": 0, "script": "@total_score = @score2 + @score1 * (@status1 == AC); %s"},
    "subtaskScoringStrategies": {"1": {"type": "max"}, "2": {"script": "@total_score = @score3 + @time3 / 9999; %s"}},
}
REST = "@final_status = AC; @final_time = 0; @final_memory = 0;"


def described(**changes: object) -> dict[str, str]:
    return SUBTASKS | {"p.json": json.dumps({"problem": {"pid": "P1", "title": "x"}} | changes).replace("%s", REST)}


def test_luogu_scoring_scripts_and_strategies(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    problem = only(tmp_path, described(**STRATEGIES))
    whole, first, second = (problem.group(name) for name in ("secret", "secret/001", "secret/002"))
    assert (whole.name, whole.points, whole.aggregation) == ("secret", 100, Aggregation.SUM)
    assert whole.script is not None and dict(whole.script.numbers) == {"secret/001": 1, "secret/002": 2}
    assert (first.within, first.points, first.aggregation, first.script) == ("secret", 40, Aggregation.MAX, None)
    assert second.script is not None and dict(second.script.numbers) == {"secret/002/1-10": 3}
    assert judged(judges, problem, ADD).score == 1
    half = b"a, b = map(int, input().split())\nprint(a + b if a != 1 else 0)\n"  # the script wants all of subtask 1
    assert judged(judges, problem, half).score == 0.6


def test_luogu_page_of_tests_is_stronger_than_config(tmp_path: Path) -> None:
    rows = [
        {"inputFileName": f"{n}.in", "outputFileName": f"{n}.out", "timeLimit": 700, "fullScore": 5} for n in (1, 2, 10)
    ]
    problem = only(tmp_path, described(testCases=rows))
    assert problem.limits.cpu_ns == 7 * SECOND_NS // 10
    assert [(group.name, group.points) for group in problem.groups] == [("secret", 15)]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        (
            {"scoringStrategy": {"script": "@total_score = 1;\n@x = (2;"}},
            "scoringStrategy: line 2, column 8: ')' is missing",
        ),
        (
            {"scoringStrategy": {"script": "@total_score = @score7;"}},
            "line 1, column 16: @score7 is read, but nothing set",
        ),
        ({"scoringStrategy": {"script": f"@total_score = 0; {REST}"}}, "gives 0 points where all is accepted"),
        ({"scoringStrategy": {"type": 2}}, "scoringStrategy: type 2 has no published meaning; write sum, min, max"),
        ({"subtaskScoringStrategies": {"x": {"type": "min"}}}, "subtaskScoringStrategies.x: is no number of a subtask"),
        ({"testCases": [{"inputFileName": "7.in"}]}, "testCases: 7.in is not there; add the file"),
        ({"subtaskScoringStrategies": "min"}, "subtaskScoringStrategies is no map"),
    ],
)
def test_luogu_strategies_that_are_none(tmp_path: Path, changes: dict[str, object], error: str) -> None:
    (one,) = imported(tmp_path, described(**changes))
    assert one.error is not None
    assert error in one.error


def test_a_special_judge_of_syzoj_without_data_yml(tmp_path: Path) -> None:
    judge = "int main() { return 0; }\n"
    (one,) = imported(tmp_path, {**PAIRS, "spj_cpp17.cpp": judge})
    assert (one.format, one.error) == ("syzoj", None)
    assert one.package is not None
    problem = problems.load(one.package)
    assert isinstance(problem.checker, Program)
    assert problem.checker.convention is Convention.SYZOJ
    assert (len(problem.cases), problem.points) == (3, 100)


def test_hydro_tests_without_answers_and_languages(tmp_path: Path) -> None:
    (one,) = imported(tmp_path, _hydro("langs: [c, cc.cc17]\ncases: [{input: 1.in, output: /dev/null}]"), lenient=True)
    assert one.package is not None
    (case,) = [case for case in problems.load(one.package).cases if not case.sample]
    assert (case.read_input(), case.read_answer()) == (b"1 2\n", b"")
    assert any("langs" in loss.message for loss in one.losses)


def test_hydro_subtasks_limits_and_samples(tmp_path: Path) -> None:
    problem = only(tmp_path, HYDRO)
    assert (problem.name, problem.limits.cpu_ns, problem.limits.memory_bytes) == ("sum", 2 * SECOND_NS, 64 * MIB)
    groups = {group.name: group for group in problem.groups if group.counted}
    assert groups["secret/001"].aggregation is Aggregation.MIN
    assert groups["secret/002"].requires == ("secret/001",)
    assert [case.limits.cpu_ns for case in problem.cases if case.limits] == [SECOND_NS // 2]
    assert sum(case.sample for case in problem.cases) == 1


def test_fps_solutions_by_their_languages(tmp_path: Path) -> None:
    more = '<solution language="Bash">read a b</solution><solution language="Cobol">x</solution><source>here</source>'
    (one, _) = imported(tmp_path, {"set.xml": FPS["set.xml"].replace("<source>here</source>", more)})
    assert one.package is not None, one.error
    assert [loss.message for loss in one.losses if "solution" in loss.message] == [
        "a solution in 'Cobol' is not imported"
    ]
    assert [path.path.suffix for path in problems.load(one.package).submissions] == [".py", ".sh"]


def test_syzoj_subtasks(tmp_path: Path) -> None:
    groups = [(group.points, group.aggregation) for group in only(tmp_path, SYZOJ).groups]
    assert groups == [(30, Aggregation.PRODUCT), (70, Aggregation.SUM)]


def test_a_free_problem_set(tmp_path: Path) -> None:
    first, second = imported(tmp_path, FPS)
    assert (first.name, second.name) == ("0001-Sum-of-two", "0002")
    assert first.package is not None
    problem = problems.load(first.package)
    assert (problem.limits.cpu_ns, problem.limits.memory_bytes) == (3 * SECOND_NS // 2, 64 * MIB)
    assert [one.expected for one in problem.submissions] == [frozenset({"AC"})]
    assert 'src="picture1.png"' in problem.statements["zh"].read_text()
    assert (problem.statements["zh"].parent / "picture1.png").read_bytes() == b"\x89PNG"


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({**LUOGU, "3.in": "1\n"}, "3.in: has no answer file; add 3.out, or leave it out with --lenient"),
        ({**LUOGU, "notes.txt": ""}, "notes.txt: is no file of Luogu's"),
        ({**LUOGU, "config.yml": "\n1.in: {timeout: 3}\n"}, "config.yml:2: 1.in: key 'timeout' is unknown here"),
        ({**LUOGU, "config.yml": "1.in:\n  score: 3\n  timeLimit: soon\n"}, "config.yml:3: 1.in.timeLimit: "),
        (
            {**LUOGU, "problem.json": json.dumps({**DESCRIBED, "scoringStrategy": {"script": "@a=1;"}})},
            "@total_score is not set",
        ),
        (
            {**SYZOJ, "data.yml": SYZOJ["data.yml"] + "interactor: {}\n"},
            "data.yml:6: key 'interactor.fileName' is miss",
        ),
        (
            {**SYZOJ, "data.yml": SYZOJ["data.yml"].replace(" type: sum,", "")},
            "data.yml:3: key 'subtasks.1.type' is missing; add it",
        ),
        (_hydro("type: objective"), "config.yaml:1: type 'objective' is not imported"),
        (_hydro("type: interactive"), "config.yaml: interactor is not stated; write interactor: FILE"),
        (_hydro("time: 1s\n\nbogus: 3"), "config.yaml:3: key 'bogus' is unknown here"),
        (
            _hydro(f"subtasks:\n- id: 1\n  cases:\n  - {_ONE}\n  - input: 2.in\n    output: 2.out\n    x: 1"),
            "config.yaml:7: key 'subtasks.cases.x' is unknown here",
        ),
        (_hydro(f"cases:\n- {_ONE}\n- {{input: 9.in, output: 1.out}}"), "config.yaml:3: names the file '9.in'"),
        (
            _hydro(f"subtasks:\n- {{id: 1, cases: [{_ONE}]}}\n- id: 2\n  if: [5]\n  cases: [{_ONE}]"),
            "config.yaml:4: subtask 2 needs 5",
        ),
        (_hydro("checker_type: odd\n"), "config.yaml:1: checker_type 'odd'"),
        (_hydro("user_extra_files: [1.in]"), "user_extra_files: '1.in' is no header"),
        ({name: text for name, text in HYDRO.items() if "10.in" not in name}, "names the file '10.in', which is not"),
        ({**HYDRO, "sum/testdata/3.in": "", "sum/testdata/3.out": ""}, "3.in: is named by no test"),
        ({**HYDRO, "sum/additional_files/a": ""}, "additional_files: is not imported"),
        (_hydro("subtasks: [{id: 1, cases: [{input: 1.in, output: 1.out}]}, {id: 1}]"), "two subtasks have one id"),
        (_hydro("subtasks: [{score: .nan, cases: [{input: 1.in, output: 1.out}]}]"), "score: "),
        (_hydro("subtasks: [{id: 2}]"), "subtask 2 has no cases"),
        (_hydro("time: 0s"), "time_limit"),
        (_hydro("cases: [{input: ../../../secret.in, output: 1.out}]"), "names the file '../../../secret.in'"),
        (_hydro("cases: [{input: /etc/passwd, output: 1.out}]"), "names the file '/etc/passwd'"),
        (_hydro("{checker_type: testlib, checker: ../../../secret.in}"), "names the file '../../../secret.in'"),
        (_syzoj(cases="['../secret.in']", pattern="#"), "names the file '../secret.in'"),
        (_syzoj(cases="[1, 2, 10]", pattern="#.in", score=".inf"), "score"),
        (_syzoj(cases="[1]", pattern="#.in"), "is in no subtask"),
        ({**LUOGU, "more/1.in": ""}, "more: is a directory"),
        (
            {**HYDRO, "sum/testdata/config.yaml": "type: default\ntime: never\n"},
            "config.yaml:2: time 'never' is none; write a number",
        ),
        ({"x.xml": "<fps><item><test_input/></item></fps>"}, "problem 1 (problem 1): has 1 inputs and 0 outputs"),
    ],
)
def test_what_does_not_fit_is_told_with_its_file(tmp_path: Path, files: dict[str, str], says: str) -> None:
    (tmp_path / "secret.in").write_text("1\n")
    (one,) = imported(tmp_path, files)
    assert one.package is None
    assert one.error is not None
    assert says in one.error
    assert not (tmp_path / "made").exists() or not list((tmp_path / "made").iterdir()), "no half package"


def test_leniently_it_is_left_out_and_told(tmp_path: Path) -> None:
    (one,) = imported(tmp_path, {**LUOGU, "3.in": "1\n", "notes.txt": ""}, lenient=True)
    assert one.package is not None
    messages = [loss.message for loss in one.losses if not loss.message.startswith("assumed: ")]
    assert sorted(messages) == ["has no answer file", "is no file of Luogu's"]


def test_one_problem_that_fails_stops_no_other(tmp_path: Path) -> None:
    first, second = imported(tmp_path, {**BARE, "one/data/2.in": "1\n"})
    assert (first.package, second.error) == (None, None)


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"x.xml": '<!DOCTYPE fps [<!ENTITY a "aaaa">]><fps><item>&a;</item></fps>'}, "declares a document type"),
        ({"x.xml": "<fps><item>"}, "is not well formed"),
        ({"x.xml": UTF16}, "declares a document type"),
        ({"x.txt": "hello"}, "no format that we know; it should hold Luogu's"),
    ],
)
def test_a_source_that_is_none(tmp_path: Path, files: dict[str, str | bytes], says: str) -> None:
    with pytest.raises(ProblemError, match=says):
        imported(tmp_path, files)


def test_a_zip_is_read_and_a_hostile_one_refused(tmp_path: Path) -> None:
    good, bad = tmp_path / "sum.zip", tmp_path / "bad.zip"
    with zipfile.ZipFile(good, "w") as archive:
        for name, text in LUOGU.items():
            archive.writestr(name, text)
    (one,) = import_problems(good, tmp_path / "made")
    assert (one.name, one.error) == ("sum", None)
    with zipfile.ZipFile(bad, "w") as archive:
        archive.writestr("../1.in", "1\n")
    with pytest.raises(ProblemError, match="would leave the package"):
        list(import_problems(bad, tmp_path / "made"))


def test_a_zip_that_is_damaged(tmp_path: Path) -> None:
    bad = tmp_path / "bad.zip"
    with zipfile.ZipFile(bad, "w") as archive:
        archive.writestr("1.in", "1\n" * 1000)
    data = bytearray(bad.read_bytes())
    data[30:60] = bytes(30)
    bad.write_bytes(data)
    with pytest.raises(ProblemError, match="is not a sound zip file"):
        list(import_problems(bad, tmp_path / "made"))


def test_what_a_killed_import_left_is_no_hindrance(tmp_path: Path) -> None:
    write_files(tmp_path / "made" / ".source.partial", {"rest": ""})
    assert imported(tmp_path, LUOGU)[0].error is None


def test_a_link_that_leaves_the_source(tmp_path: Path) -> None:
    (tmp_path / "secret.in").write_text("1\n")
    source = write_files(tmp_path / "source", LUOGU)
    (source / "4.in").symlink_to(tmp_path / "secret.in")
    with pytest.raises(ProblemError, match="is a symbolic link that leaves the package"):
        list(import_problems(source, tmp_path / "made"))


def test_a_place_that_is_taken(tmp_path: Path) -> None:
    assert imported(tmp_path, LUOGU)[0].error is None
    (one,) = imported(tmp_path, LUOGU)
    assert one.error is not None
    assert "exists already" in one.error


@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_format_that_it_has_not(tmp_path: Path, kind: str) -> None:
    """Named by --format: told, never taken for an empty collection."""
    source = write_files(tmp_path / "source", {"x.txt": "hello"})
    said = ""
    try:
        for one in import_problems(source, tmp_path / "made", format=kind):
            assert one.package is None
            said = one.error or ""
    except ProblemError as error:
        said = str(error)
    assert str(source) in said
    assert not (tmp_path / "made").exists()
