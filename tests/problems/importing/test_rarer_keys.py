"""Keys and shapes that sites document or write, and that few packages have."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import problems
from judge import Judge
from problems.importing import Imported
from problems.model import SECOND_NS, Aggregation
from tests.problems.importing.contest_examples import ADD, CMS, OMEGAUP, SINOL, qduoj
from tests.problems.importing.examples import HYDRO, UOJ, imported, judged, only
from tests.problems.importing.test_contests import changed, groups_of

TESTS = [(40, ["000", "001"]), (60, ["002"])]


def _scored(parameters: object, *, kind: str = "GroupMin", stated: str = "n_input: 3\n") -> dict[str, str | bytes]:
    text = f"score_type: {kind}\nscore_type_parameters: {json.dumps(parameters)}\n"
    return changed(CMS, "task.yaml", ("n_input: 3\n", stated + text))


def _error(found: list[Imported]) -> str:
    (one,) = found
    return one.error or ""


@pytest.mark.parametrize(
    "parameters",
    [
        [[40, 2], [60, 1]],
        [[40, "00[01]"], [60, "002"]],
        [list(row) for row in TESTS],
        [{"max_score": points, "testcases": names} for points, names in TESTS],
        [{"max_score": 40, "testcases": 2, "always_show_testcases": True}, {"max_score": 60, "testcases": 1}],
    ],
)
def test_cms_states_the_tests_of_a_subtask_in_several_ways(tmp_path: Path, parameters: object) -> None:
    problem = only(tmp_path, _scored(parameters))
    assert groups_of(problem) == {
        "secret/001": (40.0, Aggregation.MIN, ()),
        "secret/002": (60.0, Aggregation.MIN, ()),
    }
    assert [case.name for case in problem.cases] == ["secret/001/000", "secret/001/001", "secret/002/002"]


@pytest.mark.parametrize(
    "parameters",
    [[[40, 2, 1], [60, 1, 5.5]], [{"max_score": p, "testcases": names, "threshold": 1.0} for p, names in TESTS]],
)
def test_thresholds_of_cms_are_the_least_where_outcomes_are_0_or_1(tmp_path: Path, parameters: object) -> None:
    files = {name: text for name, text in _scored(parameters, kind="GroupThreshold").items() if "check" not in name}
    problem = only(tmp_path, files)
    assert {group.aggregation for group in problem.groups} == {Aggregation.MIN}
    assert [group.points for group in problem.groups] == [40, 60]


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize(
    ("parameters", "beside", "what"),
    [
        ([[40, 2, 0.5], [60, 1, 1]], {}, "states no threshold of at least 1"),
        ([[40, 2], [60, 1]], {}, "states no threshold of at least 1"),
        ([[40, 2, "1"], [60, 1, 1]], {}, "states no threshold of at least 1"),
        ([[40, 2, 1], [60, 1, 1]], {"check/checker.cpp": "int main() {}\n"}, "checker.cpp, which may give a part"),
        ([[40, 2, 1], [60, 1, 1]], {"check/manager.cpp": "int main() {}\n"}, "manager.cpp, which may give a part"),
        ([[40, 2, 1], [60, 1, 1]], {"cor/correttore": "x"}, "is a compiled checker"),
    ],
)
def test_other_thresholds_of_cms_are_refused(
    tmp_path: Path, parameters: object, beside: dict[str, str], what: str, lenient: bool
) -> None:
    files = {name: text for name, text in _scored(parameters, kind="GroupThreshold").items() if "check" not in name}
    files.update(beside)
    (found,) = imported(tmp_path, files, lenient=lenient)
    assert what in (found.error or "")


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize(
    ("stated", "what"),
    [
        ("task_type: TwoSteps\n", "task.yaml:1: task_type 'TwoSteps' is not what the files of the task are: Batch"),
        ("task_type: BatchAndOutput\n", "task_type 'BatchAndOutput'"),
        ("task_type: OutputOnly\n", "task_type 'OutputOnly'"),
        ("task_type: Batch\noutput_only: true\n", "files of the task are: OutputOnly"),
        ("output_only_testcases: 0,2\n", "task.yaml:1: output_only_testcases: a program beside outputs"),
        ("score_type: GroupMinWithThreshold\nscore_type_parameters: [[100, 3, 1]]\n", "'GroupMinWithThreshold' is not"),
    ],
)
def test_kinds_of_tasks_of_cms_are_refused_by_name(tmp_path: Path, stated: str, what: str, lenient: bool) -> None:
    (found,) = imported(tmp_path, changed(CMS, "task.yaml", ("name: sum\n", f"{stated}name: sum\n")), lenient=lenient)
    assert what in (found.error or "")


def test_outputs_in_place_of_a_program_are_told(tmp_path: Path) -> None:
    stated = "task_type: Batch\noutput_only_testcases: ''\noutput_optional_testcases: 0,1\nname: sum\n"
    (found,) = imported(tmp_path, changed(CMS, "task.yaml", ("name: sum\n", stated)))
    assert found.error is None
    assert any("output_optional_testcases" in loss.message for loss in found.losses)


@pytest.mark.parametrize(
    ("parameters", "what"),
    [
        ([[40, 2], [60, "002"]], "in several ways"),
        ([[40, ["000"]], [60, ["1"]]], "name the test '1', which is none"),
        ([{"max_score": 40, "testcases": 2, "depends_on": [0]}], "depends_on"),
        ([{"testcases": 2}], "are no list"),
    ],
)
def test_what_cms_does_not_understand_is_refused(tmp_path: Path, parameters: object, what: str) -> None:
    assert what in _error(imported(tmp_path, _scored(parameters)))


def test_cms_scores_by_gen_unless_all_three_keys_are_there(tmp_path: Path) -> None:
    problem = only(tmp_path, _scored([[100, 3]], stated=""))
    assert [group.points for group in problem.groups] == [0.0, 40.0, 60.0]


def _sinol(more: str) -> dict[str, str | bytes]:
    return changed(SINOL, "sum/config.yml", ("title: Suma\n", f"title: Suma\n{more}"))


@pytest.mark.parametrize("more", ["no_outgen: true\n", "title_en: Sum\n", "title_uk: Сума\n"])
def test_keys_of_sinol_that_change_no_verdict(tmp_path: Path, more: str) -> None:
    assert only(tmp_path, _sinol(more)).cases


def test_programs_of_sinol_find_the_files_beside_them(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    files = {
        **_sinol("extra_execution_files: {py: [sumlib.py]}\n"),
        "sum/prog/sumlib.py": "def plus(a, b): return a + b\n",
    }
    problem = only(tmp_path, files)
    assert judged(judges, problem, b"from sumlib import plus\nprint(plus(*map(int, input().split())))\n").accepted
    other = {**_sinol("extra_execution_files: {cpp: [sum.dat]}\n"), "sum/prog/sum.dat": "1"}
    assert "'sum.dat' is not imported" in _error(imported(tmp_path / "other", other))


def test_scores_of_sinol_are_for_groups_that_are_there(tmp_path: Path) -> None:
    more = changed(SINOL, "sum/config.yml", ("scores: {1: 40, 2: 60}", "scores: {1: 10, 2: 60, 3: 30}"))
    assert "group '3' has no tests that count" in _error(imported(tmp_path / "more", more))
    none = changed(SINOL, "sum/config.yml", ("scores: {1: 40, 2: 60}", "scores: {}"))
    assert [group.points for group in only(tmp_path / "none", none).groups if group.counted] == [50.0, 50.0]


def test_syzoj_needs_no_answers_where_a_program_judges(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    spj = (
        '#include <fstream>\n#include <iostream>\nint main() { std::ifstream given("input"), out("user_out");'
        " int a, b, c = -1; given >> a >> b; out >> c; std::cout << (a + b == c ? 100 : 0); }\n"
    )
    text = "subtasks:\n- {score: 100, type: sum, cases: [1, 2]}\ninputFile: '#.in'\nfullScore: 100\n"
    judge = "specialJudge: {language: cpp, fileName: spj.cpp}\n"
    files = {"1.in": "1 2\n", "2.in": "2 2\n", "spj.cpp": spj, "data.yml": text + judge}
    problem = only(tmp_path, files)
    assert judged(judges, problem, ADD.encode()).accepted
    assert judged(judges, problem, b"print(3)").score == 0.5
    assert "has no outputFile" in _error(imported(tmp_path / "none", {**files, "data.yml": text}))


def test_uoj_separates_keys_from_values_by_any_white_space(tmp_path: Path) -> None:
    text = UOJ["problem.conf"]
    blanks, tabs = (
        only(tmp_path / name, {**UOJ, "problem.conf": text.replace(" ", space)})
        for name, space in (("a", " "), ("b", " \t"))
    )
    assert tabs.limits == blanks.limits
    assert groups_of(tabs) == groups_of(blanks)


@pytest.mark.parametrize(("text", "seconds"), [("1m0s", 60), ("1m1.5s", 61.5), ("1.5s", 1.5), ("250ms", 0.25)])
def test_durations_of_omegaup(tmp_path: Path, text: str, seconds: float) -> None:
    problem = only(tmp_path, changed(OMEGAUP, "settings.json", ('"500ms"', f'"{text}"')))
    assert problem.limits.cpu_ns == round(seconds * SECOND_NS)


@pytest.mark.parametrize("text", ['""', "3000", "2", '"1000"', "0.5"])
def test_no_duration_is_none_for_omegaup(tmp_path: Path, text: str) -> None:
    """A number is seconds to the site's newer versions, and milliseconds to its older ones."""
    found = imported(tmp_path, changed(OMEGAUP, "settings.json", ('"500ms"', text)))
    assert "settings.json: TimeLimit" in _error(found)
    assert "write a number with one of" in _error(found)


@pytest.mark.parametrize("without", ["TimeLimit", "MemoryLimit", "OutputLimit", None])
def test_limits_that_omegaup_leaves_open_are_its_own(tmp_path: Path, without: str | None) -> None:
    settings = json.loads(OMEGAUP["settings.json"])
    settings["Limits"].pop(without, None)
    if without is None:
        del settings["Limits"]
    (found,) = imported(tmp_path, {**OMEGAUP, "settings.json": json.dumps(settings)})
    assert found.package is not None
    problem = problems.load(found.package)
    own = {"TimeLimit": SECOND_NS, "MemoryLimit": 32 << 20, "OutputLimit": 10 << 10}
    stated = {"TimeLimit": SECOND_NS // 2, "MemoryLimit": 64 << 20, "OutputLimit": 10 << 10}
    limits = problem.limits
    read = {"TimeLimit": limits.cpu_ns, "MemoryLimit": limits.memory_bytes, "OutputLimit": limits.output_bytes}
    assert read == (own if without is None else {**stated, without: own[without]})
    assert any("omegaUp's own limits" in loss.message for loss in found.losses)


def test_solutions_of_omegaup_are_labelled_by_verdict_or_score(tmp_path: Path) -> None:
    stated = {
        "solutions": [
            {"filename": "../solutions/ok.py", "score_range": [1, 1]},
            {"filename": "bad.py", "score_range": [0.2, 0.4]},
        ],
        "inputs": {"filename": "test-validator.py"},
        "max_score": 100,
    }
    problem = only(
        tmp_path, {**OMEGAUP, "tests/tests.json": json.dumps(stated), "tests/test-validator.py": "input()\n"}
    )
    labels = {submission.path.name: submission.expected for submission in problem.submissions}
    assert labels["ok.py"] == {"AC"}
    assert "PC" in labels["bad.py"] and "AC" not in labels["bad.py"]


def test_a_key_that_is_null_is_not_stated(tmp_path: Path) -> None:
    assert only(tmp_path / "qduoj", qduoj(samples=None, template=None, answers=None, tags=None, hint=None)).cases
    hydro = {**HYDRO, "sum/testdata/config.yaml": "time: 2s\nsubtasks:\ncases:\nchecker:\n"}
    assert len(only(tmp_path / "hydro", hydro).cases) == 4
    assert "'spjz' is unknown" in _error(imported(tmp_path / "misspelt", qduoj(spjz=None)))


def test_hydro_knows_the_checkers_of_testlib_by_name(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    def stated(name: str) -> dict[str, str | bytes]:
        text = f"checker_type: testlib\nchecker: {name}\n"
        return {**HYDRO, "sum/testdata/config.yaml": text, "sum/testdata/2.out": "4\n"}

    problem = only(tmp_path / "ncmp", stated("ncmp"))
    assert judged(judges, problem, ADD.encode()).accepted
    assert not judged(judges, problem, b"print(sum(map(int, input().split())), 1)").accepted
    close = only(tmp_path / "rcmp4", stated("rcmp4"))
    assert judged(judges, close, b"print(sum(map(int, input().split())) + 1e-5)").accepted
    assert "'pointscmp' of testlib is not imported" in _error(imported(tmp_path / "points", stated("pointscmp")))
    several = {**stated("icmp"), "sum/testdata/2.out": "4 4\n"}
    assert "where icmp reads one" in _error(imported(tmp_path / "several", several))
