"""What a source says wrongly, twice or for what is not there is refused by name: nothing of it is guessed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from judge import Judge, Submission, Verdict
from problems.errors import ProblemError
from problems.importing.understood import Weight
from problems.model import Aggregation, FileIO
from tests.problems.importing.contest_examples import CMS, DMOJ, LEMON, OMEGAUP, QDUOJ, SINOL, TPS, qduoj
from tests.problems.importing.examples import FPS, HYDRO, LUOGU, PAIRS, POLYGON, SYZOJ, UOJ, imported, only

Files = Mapping[str, str | bytes]


def changed(files: Files, name: str, *pairs: tuple[str, str]) -> dict[str, str | bytes]:
    text = files[name]
    assert isinstance(text, str)
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return {**files, name: text}


def refused(tmp_path: Path, files: Files, *, lenient: bool = False) -> str:
    errors = [one.error for one in imported(tmp_path, files, lenient=lenient) if one.error is not None]
    assert errors
    return errors[0]


READS_A_FILE = b"print(sum(map(int, open('a.in').read().split())))\n"


def test_a_program_of_polygon_reads_a_file_and_prints(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    problem = only(tmp_path, changed(POLYGON, "problem.xml", ('input-file=""', 'input-file="a.in"')))
    assert problem.file_io == FileIO(input="a.in", output=None)
    made = judges().judge(Submission(source=READS_A_FILE, problem=problem.directory, language="python3"))
    assert made.verdict is Verdict.AC


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('"1"', '"A+"', "one name here"),
        ("<test-count>3<", "<test-count>4<", "only 3 tests"),
        ('<group name="1" points', '<group name="1" points="50" points', "50 points, and its tests have 40"),
        ('<group name="1" points-policy="complete-group"/>', "", "none of the <groups>"),
    ],
)
def test_groups_of_polygon_that_are_not_whole(tmp_path: Path, old: str, new: str, what: str) -> None:
    files = changed(POLYGON, "problem.xml", (old, new))
    if new == '"A+"':
        files = changed(files, "problem.xml", ('"2"', '"A-"'))
    assert what in refused(tmp_path, files)


def test_a_group_of_polygon_has_its_own_points_where_tests_have_none(tmp_path: Path) -> None:
    pairs = ((' points="40.0"', ""), (' points="60.0"', ""), ('<group name="1"', '<group points="30" name="1"'))
    problem = only(tmp_path, changed(POLYGON, "problem.xml", *pairs))
    assert {group.name: group.points for group in problem.groups}["secret/1"] == 30


def test_a_misspelt_problem_of_a_set_is_told(tmp_path: Path) -> None:
    text = FPS["set.xml"]
    begin, end = text.rindex("<item>"), text.rindex("</item>")
    wrong = f"{text[:begin]}<Item>{text[begin + 6 : end]}</Item>{text[end + 7 :]}"
    with pytest.raises(ProblemError, match=r"<fps>\.Item"):
        imported(tmp_path, {"set.xml": wrong})


def _omegaup(**cases: tuple[str, ...]) -> dict[str, str | bytes]:
    text = OMEGAUP["settings.json"]
    assert isinstance(text, str)
    rows = [
        {"Name": group, "Cases": [{"Name": name, "Weight": 0.2} for name in names]} for group, names in cases.items()
    ]
    return {**OMEGAUP, "settings.json": json.dumps({**json.loads(text), "Cases": rows})}


@pytest.mark.parametrize(
    ("files", "what"),
    [
        (_omegaup(all=("easy.1", "easy.2", "hard")), "its name begins with another"),
        (_omegaup(easy=("easy.1", "easy.2", "easy.1"), hard=("hard",)), "'easy.1' twice"),
        ({**OMEGAUP, "testplan": "easy.1 5\neasy.2 5\nhard 5\n"}, "other cases or weights"),
        (
            {
                **{name: text for name, text in OMEGAUP.items() if name != "settings.json"},
                "testplan": "easy.1 5\neasy.2 5\nhard 5\nhard 1\n",
            },
            "'hard' twice",
        ),
    ],
)
def test_cases_of_omegaup_that_are_stated_otherwise(tmp_path: Path, files: Files, what: str) -> None:
    assert what in refused(tmp_path, files, lenient=True)


@pytest.mark.parametrize(
    ("files", "what"),
    [
        (changed(SINOL, "sum/config.yml", ("1b: 1500", "1c: 1500")), "no group and no test '1c'"),
        (changed(SINOL, "sum/config.yml", ("{2: 2000", "{7: 2000")), "no group and no test '7'"),
        (changed(CMS, "gen/GEN", ("2 2\n# ST: 60\n", "2 2 # ST: 60\n")), "are on one line"),
        ({**PAIRS, "config.yml": "1.in: {timeLimit: 2000}\n1.out: {score: 30}\n"}, "are one test, and differ"),
    ],
)
def test_what_is_for_no_test_or_for_one_twice(tmp_path: Path, files: Files, what: str) -> None:
    assert what in refused(tmp_path, files)


def test_groups_of_sinol_are_numbers(tmp_path: Path) -> None:
    files = {name.replace("sum1a", "sum01a"): text for name, text in SINOL.items()}
    assert [group.points for group in only(tmp_path, files).groups if group.counted] == [40, 60]


def test_no_test_is_written_over_another(tmp_path: Path) -> None:
    files = {
        **TPS,
        "subtasks/01-small.json": json.dumps({"score": 40, "testcases": ["1 a", "1-a", "1-01"]}),
        **{"tests/1 a.in": "1 2\n", "tests/1 a.out": "3\n", "tests/1-a.in": "2 2\n", "tests/1-a.out": "4\n"},
    }
    assert "two tests have the name secret/001/1-a" in refused(tmp_path, files)


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ({**LUOGU, "config.yml": "1.in: {score: true}\n"}, "1.in.score: is true; write a whole number"),
        (changed(HYDRO, "sum/testdata/config.yaml", ("score: 40", "score: on")), "subtasks.0.score: is true; write"),
        (changed(HYDRO, "sum/testdata/config.yaml", ("if: [1]", "if: [yes]")), "true or false in place of a number"),
    ],
)
def test_a_truth_value_is_no_number(tmp_path: Path, files: Files, what: str) -> None:
    assert what in refused(tmp_path, files, lenient=True)


@pytest.mark.parametrize(
    ("files", "name", "old", "new"),
    [
        (SYZOJ, "data.yml", "score: 30", "score: yes"),
        (DMOJ, "init.yml", "points: 30", "points: on"),
        (CMS, "task.yaml", "n_input: 3", "n_input: 3\noutput_only: 'false'"),
        (QDUOJ, "1/problem.json", '"time_limit": 1000', '"time_limit": true'),
        (LEMON, "contest.cdf", '"realPrecision": 3', '"realPrecision": true'),
        (LEMON, "contest.cdf", '"standardInputCheck": true', '"standardInputCheck": "false"'),
        (SINOL, "sum/config.yml", "scores: {1: 40", "scores: {1: yes"),
        (TPS, "problem.json", '"time_limit": 0.5', '"time_limit": true'),
    ],
)
def test_values_of_another_kind_are_refused(tmp_path: Path, files: Files, name: str, old: str, new: str) -> None:
    try:
        told = refused(tmp_path, changed(files, name, (old, new)), lenient=True)
    except ProblemError as error:  # of a contest, the whole is refused
        told = str(error)
    assert "; write " in told or "has true or false in place of a number" in told


def test_a_key_that_is_given_twice(tmp_path: Path) -> None:
    made = changed(QDUOJ, "1/problem.json", ('"spj": null', '"spj": null, "time_limit": 9000'))
    assert "key 'time_limit' is given twice" in refused(tmp_path, made)


@pytest.mark.parametrize("files", ["7", "true", "{a: b}", "[1]"])
def test_files_of_a_program_of_dmoj_are_names(tmp_path: Path, files: str) -> None:
    made = changed(DMOJ, "init.yml", ("files: check.cpp", f"files: {files}"))
    assert "write a name, or a list of names" in refused(tmp_path, made)


def _hydro(names: Mapping[str, str], config: str | None = None) -> dict[str, str]:
    files = {"sum/problem.yaml": "title: x\n", **{f"sum/testdata/{name}": text for name, text in names.items()}}
    return files if config is None else {**files, "sum/testdata/config.yaml": config}


def test_hydro_finds_subtasks_by_names_of_other_letters(tmp_path: Path) -> None:
    names = {f"测{task}-{test}.{end}": "1\n" for task in (1, 2) for test in (1, 2) for end in ("in", "out")}
    groups = only(tmp_path, _hydro(names)).groups
    assert [(group.points, group.aggregation) for group in groups] == [(50, Aggregation.MIN)] * 2


def test_cases_of_hydro_stand_for_subtasks(tmp_path: Path) -> None:
    config = "cases: [{input: 1.in, output: 1.out}]\nsubtasks: [{score: 100, cases: [{input: 1.in, output: 1.out}]}]\n"
    files = _hydro({"1.in": "1\n", "1.out": "1\n"}, config)
    assert "subtasks: cases stand for them" in refused(tmp_path / "strict", files)
    (one,) = imported(tmp_path / "lenient", files, lenient=True)
    assert one.error is None
    assert not one.whole


def test_names_of_tests_that_hydro_does_not_find_are_told(tmp_path: Path) -> None:
    (one,) = imported(tmp_path, _hydro({"a-x.in": "1\n", "a-x.out": "1\n"}))
    assert [loss.weight for loss in one.losses] == [Weight.ASSUMED]


NO_CHECKER = {name: text for name, text in SINOL.items() if "chk" not in name}


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("name", ["sum_chk.cpp", "sum1_checker.py", "sumb_interactor.cpp"])
def test_a_program_that_judges_is_no_solution_of_sinol(tmp_path: Path, name: str, lenient: bool) -> None:
    files = {**NO_CHECKER, f"sum/prog/{name}": "int main() {}\n"}
    assert f"{name}: is a program" in refused(tmp_path, files, lenient=lenient)


@pytest.mark.parametrize("name", ["stdchk.cpp", "std_checker.cpp", "std_judge.py"])
def test_a_program_that_judges_is_no_solution_of_uoj(tmp_path: Path, name: str) -> None:
    assert f"{name}: is a program" in refused(tmp_path, {**UOJ, name: "int main() {}\n"}, lenient=True)


@pytest.mark.parametrize(
    ("stated", "what"),
    [
        ({"has_checker": True}, "has_checker is true, and the task has none that is read"),
        ({"has_grader": True}, "has_grader is true"),
        ({"has_manager": True}, "has_manager is true"),
        ({"type": "Communication"}, "is not type 'Communication'"),
    ],
)
def test_programs_that_tps_says_to_have(tmp_path: Path, stated: Mapping[str, object], what: str) -> None:
    text = TPS["problem.json"]
    assert isinstance(text, str)
    assert what in refused(tmp_path, {**TPS, "problem.json": json.dumps({**json.loads(text), **stated})}, lenient=True)
    said = json.dumps({**json.loads(text), "has_checker": False, "has_grader": False, "has_manager": False})
    assert only(tmp_path / "so", {**TPS, "problem.json": said})


def test_tests_of_qduoj_that_the_site_does_not_run(tmp_path: Path) -> None:
    first = [{"score": 30, "input_name": "1.in", "output_name": "1.out"}]
    assert "test_case_score does not name it" in refused(tmp_path / "cut", qduoj(test_case_score=first))
    for name in ("4", "01"):
        files = {**qduoj(test_case_score=None), f"1/testcase/{name}.in": "1 1\n", f"1/testcase/{name}.out": "2\n"}
        assert "without a gap" in refused(tmp_path / name, files)
    assert "spj: has no code" in refused(tmp_path / "empty", qduoj(spj={"language": "C++", "code": " "}), lenient=True)


@pytest.mark.parametrize("line", ["# st: 60", "# ST 60", "# Subtask: 60"])
def test_a_line_that_is_nearly_a_subtask_of_cms(tmp_path: Path, line: str) -> None:
    assert "begins no subtask" in refused(tmp_path, changed(CMS, "gen/GEN", ("# ST: 60", line)), lenient=True)


@pytest.mark.parametrize(
    "stated",
    ["score_type: Sum\nscore_type_parameters: true", "score_type: GroupMin\nscore_type_parameters: [[yes, 3]]"],
)
def test_points_of_cms_are_numbers(tmp_path: Path, stated: str) -> None:
    assert "score_type_parameters" in refused(
        tmp_path, changed(CMS, "task.yaml", ("n_input: 3", f"n_input: 3\n{stated}"))
    )


@pytest.mark.parametrize(
    ("stated", "what"),
    [
        ("checker: {name: floats, args: {error_mode: rel}}", "error_mode 'rel' is unknown"),
        ("checker: {name: floats, args: {precision: true}}", "is no number of digits"),
        ("checker: {name: sorted, args: {split_on: white}}", "split_on 'white' is unknown"),
        ("signature_grader: {entry: g.cpp, header: h.h}\ninteractive: {files: i.cpp}", "keep one of them"),
    ],
)
def test_values_that_dmoj_refuses(tmp_path: Path, stated: str, what: str) -> None:
    files = {"1.in": "1\n", "1.out": "1\n", "g.cpp": "int main() {}\n", "i.cpp": "int main() {}\n", "h.h": "\n"}
    made = {**files, "init.yml": f"test_cases:\n- {{in: 1.in, out: 1.out, points: 1}}\n{stated}\n"}
    assert what in refused(tmp_path, made, lenient=True)


def test_points_of_dmoj_that_are_for_no_case(tmp_path: Path) -> None:
    points = changed(
        DMOJ, "init.yml", ("{in: sum.2.1.in, out: sum.2.1.out}", "{in: sum.2.1.in, out: sum.2.1.out, points: 5}")
    )
    assert "a case of a batch has 5 points" in refused(tmp_path / "batch", points)
    files = {"1.in": "1\n", "1.out": "1\n", "2.in": "2\n", "2.out": "2\n"}
    files["init.yml"] = "test_cases: {case_points: [5]}\n"
    assert "fewer points than there are test cases" in refused(tmp_path / "names", files)
