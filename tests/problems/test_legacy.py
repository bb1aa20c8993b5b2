"""Version legacy, with what DOMjudge and Kattis packages really hold."""

from __future__ import annotations

from pathlib import Path

import pytest

import problems
from judge.common.models import TestResult, Verdict
from judge.ruling.scoring import total
from problems import Comparison, Convention, Mode, Problem, Program
from problems.model import MIB, SECOND_NS
from problems.validate import validate
from tests.packages import DRAFT, LEGACY, write_files


def load(tmp_path: Path, files: dict[str, str]) -> problems.Problem:
    return problems.load(write_files(tmp_path / "sum", files))


@pytest.mark.parametrize("version", ["", "problem_format_version: legacy\n", "problem_format_version: legacy-icpc\n"])
def test_versions_that_are_legacy(tmp_path: Path, version: str) -> None:
    problem = load(tmp_path, {**LEGACY, "problem.yaml": f"{version}name: Sum\n"})
    assert problem.format == "legacy"
    assert problem.title == {"en": "Sum"}


def test_all_of_problem_yaml(tmp_path: Path) -> None:
    text = """\
name: Sum
uuid:
type: pass-fail
author: A. One, B. Two and C. Band
source: NWERC 2012
source_url: https://example.org
license: cc by-sa
rights_owner:
limits: {time_multiplier: 5, time_safety_margin: 2, memory: 1024, output: 8, code: 128, validation_time: 30}
validation: default
validator_flags: case_sensitive float_tolerance 1e-6
keywords: easy math
libraries: something
"""
    problem = load(tmp_path, {**LEGACY, "problem.yaml": text})
    assert problem.authors == ("A. One", "B. Two", "C. Band")
    assert problem.source == "NWERC 2012 <https://example.org>"
    assert problem.license == "cc by-sa"
    assert problem.keywords == ("easy", "math")
    assert problem.limits.memory_bytes == 1024 * MIB
    assert problem.checker == Comparison(mode=Mode.FLOAT, absolute_tolerance=1e-6, relative_tolerance=1e-6)


def test_a_package_without_name_is_called_by_its_directory(tmp_path: Path) -> None:
    assert load(tmp_path, {**LEGACY, "problem.yaml": "\n"}).title == {"en": "sum"}


@pytest.mark.parametrize(
    ("files", "seconds"),
    [
        ({"domjudge-problem.ini": "short-name = S\ntimelimit='2.5'\nname = 'In the ini'\n"}, 2.5),
        ({".timelimit": "4\n"}, 4),
        ({"domjudge-problem.ini": "timelimit = 3\n", ".timelimit": "4\n"}, 3),
        ({}, 1),
    ],
)
def test_time_limit(tmp_path: Path, files: dict[str, str], seconds: float) -> None:
    assert load(tmp_path, LEGACY | files).limits.cpu_ns == seconds * SECOND_NS


def test_name_in_the_ini(tmp_path: Path) -> None:
    files = {**LEGACY, "problem.yaml": "limits: {}\n", "domjudge-problem.ini": 'name = "In the ini"\n'}
    assert load(tmp_path, files).title == {"en": "In the ini"}


def test_statement_and_description(tmp_path: Path) -> None:
    files = {
        **LEGACY,
        "problem_statement/problem.tex": "x",
        "problem_statement/problem.sv.tex": "x",
        "data/secret/01.desc": "Small.\n",
    }
    problem = load(tmp_path, files)
    assert set(problem.statements) == {"en", "sv"}
    assert problem.cases[1].description == "Small."


def test_each_setting_of_testdata_yaml_is_inherited_by_itself(tmp_path: Path) -> None:
    files = {
        **LEGACY,
        "data/testdata.yaml": "output_validator_flags: case_sensitive\n",
        "data/secret/g/testdata.yaml": "on_reject: continue\n",
        "data/secret/h/testdata.yaml": "output_validator_flags: ''\n",
    }
    files |= {f"data/secret/{group}/a.{suffix}": "1\n" for group in "gh" for suffix in ("in", "ans")}
    problem = load(tmp_path, files)
    assert problem.checker == Comparison()
    assert [case.checker for case in problem.cases if case.name == "secret/g/a"] == [None]
    (other,) = (case.checker for case in problem.cases if case.name == "secret/h/a")
    assert other == Comparison(mode=Mode.TOKENS_CI, case_sensitive=False)


def test_flags_as_a_map(tmp_path: Path) -> None:
    files = {**LEGACY, "data/testdata.yaml": "output_validator_flags: {name: default, flags: case_sensitive}\n"}
    assert load(tmp_path, files).checker == Comparison()


def scoring(tmp_path: Path, **flags: str) -> Problem:
    """A problem with a testdata.yaml of each directory named."""
    files = {name: text for name, text in LEGACY.items() if "secret" not in name}
    files["problem.yaml"] = "name: Sum\ntype: scoring\ngrading: {objective: max, show_test_data_groups: true}\n"
    for name in ("1/a", "1/b", "2/a", "2/b", "2/c/a"):
        files |= {f"data/secret/{name}.in": f"{name}\n", f"data/secret/{name}.ans": "1\n"}
    places = {"root": "", "secret": "secret/", "one": "secret/1/", "two": "secret/2/", "deep": "secret/2/c/"}
    for directory, text in flags.items():
        files[f"data/{places[directory]}testdata.yaml"] = text
    problem = load(tmp_path, files)
    assert [group.counted for group in problem.groups if group.name == "sample"] == [False]
    assert {group.name: group.within for group in problem.groups if group.counted} == {
        "secret": None,
        "secret/1": "secret",
        "secret/2": "secret",
        "secret/2/c": "secret/2",
    }
    return problem


def earned(problem: Problem, *refused: str, **partial: float) -> float:
    """The points of a submission that fails in the cases `refused`; `partial`: shares of a case, as in secret_1_a."""
    results = {}
    for case in problem.cases:
        share = partial.get(case.name.replace("/", "_"), 0.0 if case.name.removeprefix("secret/") in refused else 1.0)
        verdict = Verdict.AC if share == 1 else Verdict.PC if share else Verdict.WA
        results[case.name] = TestResult(name=case.name, group=case.group, verdict=verdict, score=share)
    score = total(problem, problem.cases, results).score
    assert score is not None
    return score * problem.points


ANY = "accept_if_any_accepted"


def test_a_rejected_group_has_no_score(tmp_path: Path) -> None:
    problem = scoring(
        tmp_path,
        root="grader_flags: ignore_sample\non_reject: continue\n",
        secret=f"grader_flags: {ANY}\n",
        one="grader_flags: min\naccept_score: 20\nrange: 0 20\n",
        two="grader_flags: first_error\naccept_score: 40\n",
    )
    assert problem.points == 20 + 3 * 40
    assert earned(problem, "1/a") == 120
    assert earned(problem, "2/a") == 20
    assert earned(problem, "2/c/a") == 20
    assert earned(problem, secret_1_a=0.5) == 130, "not whole is not rejected"


def test_without_partial_scores_all_must_be_accepted(tmp_path: Path) -> None:
    problem = scoring(tmp_path, root="accept_score: 2\n")
    assert (earned(problem), earned(problem, "1/a")) == (10, 0)


@pytest.mark.parametrize(
    ("root", "needed"),
    [
        ("accept_score: 2\n", True),
        ("grader_flags: sum\n", True),
        ("grader_flags: ignore_sample\n", False),
        (f"grader_flags: {ANY}\n", False),
    ],
)
def test_who_fails_a_sample_has_no_points(tmp_path: Path, root: str, *, needed: bool) -> None:
    """The default grader takes data/sample for a part of data/, unless it is told to ignore it."""
    problem = scoring(tmp_path, root=root)
    sample = next(case.name for case in problem.cases if case.sample)
    assert earned(problem, sample) == (0 if needed else problem.points)


def test_partial_scores_are_inherited(tmp_path: Path) -> None:
    problem = scoring(tmp_path, root=f"grader_flags: {ANY}\naccept_score: 3\n")
    assert (earned(problem), earned(problem, "1/a"), earned(problem, "1/a", "2/c/a")) == (15, 12, pytest.approx(9))


def test_an_average_shares_points(tmp_path: Path) -> None:
    problem = scoring(
        tmp_path,
        secret=f"grader_flags: avg {ANY}\naccept_score: 100\n",
        one="grader_flags: min\n",
        two=f"grader_flags: sum {ANY}\n",
        deep="grader_flags: max\naccept_score: 50\n",
    )
    assert problem.points == (100 + 250) / 2
    assert earned(problem, "1/b") == 125
    assert earned(problem, "2/b") == 125
    assert earned(problem, "2/c/a") == 150


def test_the_least_and_the_greatest_of_partial_scores(tmp_path: Path) -> None:
    least = scoring(
        tmp_path / "least",
        secret=f"grader_flags: min {ANY}\n",
        one=f"grader_flags: sum {ANY}\naccept_score: 10\n",
        two=f"grader_flags: sum {ANY}\naccept_score: 20\n",
    )
    assert (least.points, earned(least, "1/a"), earned(least, "2/a")) == (20, 10, 20)
    assert earned(least, "2/a", "2/b", "2/c/a") == 0
    greatest = scoring(
        tmp_path / "greatest",
        root="accept_score: 10\n",
        secret=f"grader_flags: max {ANY}\n",
        one=f"grader_flags: sum {ANY}\n",
        two=f"grader_flags: sum {ANY}\n",
    )
    assert (greatest.points, earned(greatest, "2/a"), earned(greatest, "1/a", "2/a")) == (30, 20, pytest.approx(20))
    assert earned(greatest, "2/a", "2/b", "2/c/a") == 20, "that of the other group"


GIVES_POINTS = "name: Sum\ntype: scoring\nvalidation: custom score\n"


def test_points_of_a_validator_are_within_the_range(tmp_path: Path) -> None:
    files = {name: text for name, text in LEGACY.items() if "secret" not in name}
    files |= {"problem.yaml": GIVES_POINTS, "output_validators/v.py": "exit(42)\n"}
    for name in ("1/a", "1/b", "2/a", "2/b", "3/a"):
        files |= {f"data/secret/{name}.in": f"{name}\n", f"data/secret/{name}.ans": "1\n"}
    files["data/testdata.yaml"] = "range: 0 100\ngrader_flags: accept_if_any_accepted\n"
    files["data/secret/1/testdata.yaml"] = "range: 0 50\ngrader_flags: min\n"
    files["data/secret/2/testdata.yaml"] = "range: 0 30\n"
    problem = load(tmp_path, files)
    most = {case.name: case.full_score for case in problem.cases if not case.sample}
    third = pytest.approx(100 / 3)
    assert most == {"secret/1/a": 50, "secret/1/b": 50, "secret/2/a": 15, "secret/2/b": 15, "secret/3/a": third}
    assert {group.name: group.points for group in problem.groups if group.within} == {
        "secret/1": 50,
        "secret/2": 30,
        "secret/3": third,
    }
    assert earned(problem, secret_1_b=0.2, secret_2_a=0.2) == pytest.approx(100 * (10 + 18 + 100 / 3) / (80 + 100 / 3))


def test_without_a_range_a_validator_gives_shares(tmp_path: Path) -> None:
    files = {**LEGACY, "problem.yaml": GIVES_POINTS, "output_validators/v.py": "exit(42)\n"}
    assert {case.full_score for case in load(tmp_path, files).cases} == {1.0}


def test_custom_interactive_validator(tmp_path: Path) -> None:
    files = {
        **LEGACY,
        "problem.yaml": "name: Sum\nvalidation: custom interactive\nvalidator_flags: a b\n",
        "output_validators/guess/validate.cc": '#include "validate.h"\nint main() { return 42; }\n',
        "output_validators/guess/validate.h": "\n",
    }
    problem = load(tmp_path, files)
    assert problem.kind == "interactive"
    assert isinstance(problem.interactor, Program)
    assert problem.interactor.convention is Convention.ICPC
    assert problem.interactor.arguments == ("a", "b")
    assert [path.name for path in problem.interactor.sources] == ["validate.cc", "validate.h"]
    assert problem.checker == Comparison()


def test_submissions(tmp_path: Path) -> None:
    files = {
        **LEGACY,
        "submissions/accepted/a.cpp": "int main(){}\n",
        "submissions/time_limit_exceeded/slow.cpp": "int main(){}\n",
        "submissions/run_time_error/r.py": "1/0\n",
        "submissions/mixed/tagged.cpp": "// @EXPECTED_RESULTS@: TIMELIMIT, WRONG-ANSWER\nint main(){}\n",
        "submissions/mixed/spelt.cpp": "// @EXPECTED_RESULTS@: wrong_answer, Time_Limit_Exceeded\nint main(){}\n",
        "submissions/mixed/crash.cpp": "// @EXPECTED_RESULTS@: RUN-ERROR\nint main(){}\n",
        "submissions/mixed/untagged.cpp": "int main(){}\n",
        "submissions/slow_accepted/s.cpp": "int main(){}\n",
    }
    expected = {one.path.name: one.expected for one in load(tmp_path, files).submissions}
    assert expected == {
        "a.cpp": {"AC"},
        "slow.cpp": {"TLE", "WA", "PE", "PC"},
        "r.py": {"WA", "PE", "PC", "TLE", "RE", "MLE", "OLE"},
        "tagged.cpp": {"TLE", "WA"},
        "spelt.cpp": {"TLE", "WA"},
        "crash.cpp": {"RE", "MLE"},
        "s.cpp": {"AC", "TLE"},
    }


def test_quotes_hold_words_of_flags_together(tmp_path: Path) -> None:
    files = {
        **LEGACY,
        "problem.yaml": 'name: Sum\nvalidation: custom\nvalidator_flags: --say "two words" it\'s\n',
        "output_validators/v.py": "import sys\n",
        "data/secret/g/testdata.yaml": "output_validator_flags: --say 'two words' \"a b\"c\n",
    }
    files |= {"data/secret/g/1.in": "1\n", "data/secret/g/1.ans": "1\n"}
    problem = load(tmp_path, files)
    words = {case.checker.arguments for case in problem.cases if isinstance(case.checker, Program)}
    assert isinstance(problem.checker, Program)
    unbalanced = ("--say", '"two', 'words"', "it's")
    assert words | {problem.checker.arguments} == {unbalanced, (*unbalanced, "--say", "two words", "a bc")}


def test_pl_is_prolog_if_it_has_clauses(tmp_path: Path) -> None:
    sources = {"a.pl": ":- initialization(main).\n", "b.pl": "#!/usr/bin/perl\nprint ':-';\n", "c.pl": "print 3;\n"}
    files = LEGACY | {f"submissions/accepted/{name}": text for name, text in sources.items()}
    languages = {one.path.name: one.language for one in load(tmp_path, files).submissions}
    assert languages == {"a.pl": "prolog", "b.pl": None, "c.pl": None}


SCORES = 'import sys\nopen(sys.argv[3] + "/score.txt", "w").write("57")\nexit(42)\n'
CUSTOM = "name: Sum\ntype: scoring\nvalidation: custom\n"


def test_a_validator_may_write_points_though_the_word_score_is_missing(tmp_path: Path) -> None:
    files = {**LEGACY, "problem.yaml": CUSTOM, "output_validators/v.py": SCORES}
    problem = load(tmp_path, {**files, "data/secret/testdata.yaml": "range: 0 100\n"})
    assert {case.name: case.full_score for case in problem.cases} == {
        "sample/1": None,
        "secret/01": 50,
        "secret/02": 50,
    }
    assert problem.points == 100


@pytest.mark.parametrize(
    ("validator", "more"), [("exit(42)\n", ""), (SCORES, "accept_score: 10\n")], ids=["writes none", "accept_score"]
)
def test_a_validator_of_accepted_or_not_writes_no_points(tmp_path: Path, validator: str, more: str) -> None:
    files = {**LEGACY, "problem.yaml": CUSTOM, "output_validators/v.py": validator}
    problem = load(tmp_path, {**files, "data/secret/testdata.yaml": f"range: 0 100\n{more}"})
    assert {case.full_score for case in problem.cases} == {1.0}


def test_points_without_a_range_are_warned_of(tmp_path: Path) -> None:
    files = {**LEGACY, "problem.yaml": GIVES_POINTS, "output_validators/v.py": SCORES}
    found = [finding.message for finding in validate(load(tmp_path, files))]
    assert [message for message in found if "score.txt" in message] == [
        "writes score.txt, and no range says up to what, so it must be a number from 0 to 1"
    ]
    within = {**files, "data/secret/testdata.yaml": "range: 0 100\n"}
    assert not any("score.txt" in finding.message for finding in validate(load(tmp_path, within)))


@pytest.mark.parametrize(
    ("grading", "testdata", "points"),
    [("range: 0 60", "", 60), ("range: 0 60", "range: 0 30\n", 30), ("on_reject: grade", "", 12)],
)
def test_the_range_of_a_grader_may_stand_in_problem_yaml_or_judge_yaml(
    tmp_path: Path, grading: str, testdata: str, points: float
) -> None:
    files = {
        **LEGACY,
        "problem.yaml": f"name: Sum\ntype: scoring\ngrading: {{{grading}}}\n",
        "data/secret/testdata.yaml": f"grading: custom\n{testdata}",
        "graders/grader.py": "print('AC 1')\n",
    }
    if "range" not in grading:
        files["judge.yaml"] = "groups: {secret: {points: 12}}\n"
    assert load(tmp_path, files).points == points


@pytest.mark.parametrize("flags", ["grader_flags: always_accept\n", "grading: custom\nrange: 0 9\n"])
@pytest.mark.parametrize("where", ["problem.yaml", "data/secret/testdata.yaml"])
def test_points_of_what_is_refused_are_not_passed_over(tmp_path: Path, where: str, flags: str) -> None:
    files = {
        **LEGACY,
        "problem.yaml": "name: Sum\ntype: scoring\n",
        "graders/g.py": "",
        "data/secret/testdata.yaml": "",
    }
    stated = {
        where: files[where] + ("grading: {reject_score: -2}\n" if where == "problem.yaml" else "reject_score: -2\n")
    }
    assert load(tmp_path, {**files, **stated}).groups, "where a refused case refuses its group, its score is ignored"
    stated["data/secret/testdata.yaml"] = stated.get("data/secret/testdata.yaml", "") + flags
    with pytest.raises(problems.ProblemError, match="reject_score: -2: what is refused has no points here"):
        load(tmp_path / "refused", {**files, **stated})


def test_accept_score_of_problem_yaml(tmp_path: Path) -> None:
    text = "name: Sum\ntype: scoring\ngrading: {accept_score: 5, reject_score: 0, range: 0 10}\n"
    assert load(tmp_path, {**LEGACY, "problem.yaml": text}).points == 10
    states = {**LEGACY, "problem.yaml": text, "data/testdata.yaml": "accept_score: 7\n"}
    assert load(tmp_path, states).points == 14


ACCEPTS = {"output_validators/v.py": "exit(42)\n"}


@pytest.mark.parametrize("said", ["validation: default\n", ""])
def test_the_default_comparison_judges_where_no_validator_is_asked_for(tmp_path: Path, said: str) -> None:
    problem = load(tmp_path, {**LEGACY, **ACCEPTS, "problem.yaml": f"name: Sum\n{said}"})
    assert problem.checker == Comparison(mode=Mode.TOKENS_CI, case_sensitive=False)
    named = {**LEGACY, **ACCEPTS, "problem.yaml": f"name: Sum\n{said}", "judge.yaml": "checker: {convention: icpc}\n"}
    assert isinstance(problems.load(write_files(tmp_path / "named", named)).checker, Program)


def test_a_validator_that_is_asked_for_is_not_missing(tmp_path: Path) -> None:
    with pytest.raises(problems.ProblemError, match=r"problem.yaml: says validation: custom, but there is no program"):
        load(tmp_path, {**LEGACY, "problem.yaml": "name: Sum\nvalidation: custom\n"})


@pytest.mark.parametrize(
    "beside",
    [
        "validate.py.template",
        "validate.cpp.template",
        "template.cpp",
        "skeleton/validate.cpp",
        "validate.template/validate.py",
    ],
)
@pytest.mark.parametrize("own", ["validate.py", "validate/validate.py"])
def test_a_template_beside_a_validator_is_no_program(tmp_path: Path, own: str, beside: str) -> None:
    files = {**LEGACY, "problem.yaml": "name: Sum\nvalidation: custom\n", f"output_validators/{own}": "exit(42)\n"}
    files |= {f"output_validators/{beside}": "template\n", "input_validators/v.py": "exit(42)\n"}
    files |= {f"input_validators/{beside}": "template\n"}
    problem = load(tmp_path, files)
    assert isinstance(problem.checker, Program)
    assert [path.name for path in problem.checker.sources][:1] == ["validate.py"]
    assert not [finding for finding in validate(problem) if "template" in finding.file]


@pytest.mark.parametrize("other", ["other/v.py", "other.cpp"])
def test_several_validators_are_refused(tmp_path: Path, other: str) -> None:
    files = {**LEGACY, "problem.yaml": "name: Sum\nvalidation: custom\n"}
    files |= {f"output_validators/{name}": "int main() {}\n" for name in ("check.cpp", other)}
    with pytest.raises(problems.ProblemError, match=r"/output_validators: has several programs \(check.cpp, other"):
        load(tmp_path, files)


def test_a_draft_may_grade_as_legacy_does(tmp_path: Path) -> None:
    files = {name: text for name, text in DRAFT.items() if "secret" not in name}
    files |= {
        "problem.yaml": DRAFT["problem.yaml"] + "type: scoring\n",
        "data/testdata.yaml": "on_reject: continue\nrange: 0 100\ngrader_flags: ignore_sample\n",
        "data/secret/testdata.yaml": "grader_flags: first_error accept_if_any_accepted\n",
    }
    for name, points in (("a", 40), ("b", 60)):
        files[f"data/secret/{name}/testdata.yaml"] = f"on_reject: break\naccept_score: {points}\ngrader_flags: min\n"
        files |= {f"data/secret/{name}/{test}.in": f"{test}\n" for test in (1, 2)}
        files |= {f"data/secret/{name}/{test}.ans": "1\n" for test in (1, 2)}
    problem = load(tmp_path, files)
    assert problem.format == "2023-07-draft"
    assert {group.name: group.points for group in problem.groups if group.within} == {"secret/a": 40, "secret/b": 60}
    assert earned(problem, "a/1") == 60
