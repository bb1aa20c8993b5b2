"""Problems of UOJ."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import problems
from judge import Judge, Submission
from judge.checkers.compare import compare
from problems import Aggregation
from problems.importing import import_problems
from problems.model import MIB, SECOND_NS
from tests.packages import write_files
from tests.problems.importing.examples import (
    ADD,
    UOJ,
    imported,
    judged,
    only,
)

Judges = Callable[..., Judge]


def test_a_package_of_uoj(tmp_path: Path) -> None:
    problem = only(tmp_path, UOJ)
    assert (problem.limits.cpu_ns, problem.limits.memory_bytes) == (SECOND_NS // 2, 64 * MIB)
    assert [case.limits and case.limits.cpu_ns for case in problem.cases] == [None, None, None, 2 * SECOND_NS]
    assert [case.sample for case in problem.cases] == [True, False, False, False]
    groups = {group.name: (group.points, group.aggregation, group.requires) for group in problem.groups[1:]}
    assert groups == {
        "secret/001": (30, Aggregation.MIN, ()),
        "secret/002": (70, Aggregation.MIN, ("secret/001",)),
    }
    assert [one.path.name for one in problem.submissions] == ["std.py"]
    without = {**UOJ, "problem.conf": UOJ["problem.conf"].partition("n_subtasks")[0] + "point_score_2 50\n"}
    (one,) = import_problems(write_files(tmp_path / "other", without), tmp_path / "again")
    assert one.package is not None
    assert [case.weight for case in problems.load(one.package).cases][1:] == [33, 50, 33]


def test_a_name_states_the_standard_of_its_program(tmp_path: Path) -> None:
    """docs/problem.md of the site, "配置语言"."""
    programs = dict.fromkeys(("std.cpp", "std11.cpp", "chk20.cpp"), "int main() {}\n")
    conf = UOJ["problem.conf"].replace("use_builtin_checker", "# use_builtin_checker")
    problem = only(tmp_path, {**UOJ, **programs, "problem.conf": conf})
    found = {one.path.name.removesuffix(".cpp"): one.language for one in problem.submissions}
    assert found == {"std.py": None, "std": None, "std11": "cpp11"}
    assert isinstance(problem.checker, problems.Program)
    assert problem.checker.language == "cpp20"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("2 3 \r\n", "2 3\n"),
        ("2  3", "2  3\n"),
        ("2 3\n  ", "2 3\n\n"),
        (" 2\t\n\n3 \r \r\n", " 2\t\n\n3\n"),
        ("2 3\n", "2 3\n"),
        ("", "\n"),
    ],
)
def test_tests_are_as_the_formatter_of_the_site_leaves_them(tmp_path: Path, given: str, kept: str) -> None:
    """run/formatter.cpp: its validators and programs read no CR."""
    files = dict.fromkeys(("sum1.in", "sum1.out", "ex_sum1.in"), given)
    (one,) = imported(tmp_path, {**UOJ, **files})
    assert one.package is not None
    said = [loss for loss in one.losses if "formatter" in loss.message]
    assert len(said) == (kept not in (given, f"{given}\n"))
    problem = problems.load(one.package)
    by_name = {case.name: case for case in problem.cases}
    assert by_name["sample/1"].read_input() == kept.encode()
    first = next(case for case in problem.cases if not case.sample)
    assert (first.read_input(), first.read_answer()) == (kept.encode(), kept.encode())


@pytest.mark.parametrize("subtasks", [True, False])
def test_who_fails_an_extra_test_alone_loses_three_points(tmp_path: Path, judges: Judges, subtasks: bool) -> None:
    conf = UOJ["problem.conf"].replace("n_ex_tests 1", "n_ex_tests 3\noutput_limit 1")
    conf = conf if subtasks else conf.partition("n_subtasks")[0]
    extra = {f"ex_sum{n}.{suffix}": text for n in (2, 3) for suffix, text in (("in", "9 -9\n"), ("out", "0\n"))}
    problem = only(tmp_path, {**UOJ, **extra, "problem.conf": conf})
    assert (problem.limits.output_bytes, len(problem.cases), problem.points) == (MIB, 6, 100)
    for program, accepted, score in (
        (ADD, True, 1.0),
        (b"print(sum(map(abs, map(int, input().split()))))", False, 0.97),
        (b"a, b = map(int, input().split())\nprint(a + b if b < 5 else 0)", False, 0.3 if subtasks else 0.66),
    ):
        result = judged(judges, problem, program)
        assert (result.accepted, result.score) == (accepted, pytest.approx(score)), program


def test_outputs_are_handed_in(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    conf = UOJ["problem.conf"].replace("use_builtin_judger on", "use_builtin_judger on\nsubmit_answer on")
    problem = only(tmp_path, {**UOJ, "problem.conf": conf})
    assert problem.kind == "submit-answer"
    assert [case.name for case in problem.cases] == ["secret/001/sum1", "secret/001/sum2", "secret/002/sum3"]
    for last, score in (("10\n", 1.0), ("9\n", 0.3)):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, text in {"sum1.out": "3\n", "sum2.out": "4\n", "sum3.out": last}.items():
                archive.writestr(name, text)
        given = Submission(source=packed.getvalue(), problem=problem.directory, language="outputs")
        assert judges().judge(given).score == pytest.approx(score)


def test_an_implementer_calls_a_function_of_the_submission(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    conf = UOJ["problem.conf"].replace("use_builtin_judger on", "use_builtin_judger on\nwith_implementer on")
    main = (
        '#include <iostream>\n#include "sum.h"\nint main() { int a, b; std::cin >> a >> b; std::cout << sum(a, b); }\n'
    )
    program = '#include "sum.h"\nint sum(int a, int b) { return a + b; }\n'
    files = {**UOJ, "problem.conf": conf, "require/implementer.cpp": main, "require/sum.h": "int sum(int a, int b);\n"}
    problem = only(tmp_path, files)
    for source, accepted in ((program, True), (program.replace("a + b;", "a - b;"), False)):
        given = Submission(source=source.encode(), problem=problem.directory, language="cpp17")
        assert judges().judge(given).accepted is accepted


def test_programs_whose_names_tell_a_version_of_cpp(tmp_path: Path) -> None:
    conf = UOJ["problem.conf"].replace("use_builtin_checker ncmp\n", "")
    program = "int main() { return 0; }\n"
    files = {**UOJ, "problem.conf": conf, "chk.cpp": program, "chk17.cpp": program, "val14.cpp": program}
    problem = only(tmp_path, files)
    assert isinstance(problem.checker, problems.Program)
    assert [path.name for path in problem.checker.sources] == ["chk17.cpp"]
    assert [path.name for one in problem.input_validators for path in one.sources] == ["val14.cpp"]


@pytest.mark.parametrize(
    ("name", "answer", "right", "wrong"),
    [
        ("lcmp", "1 2\n3\n", " 1  2\n3", "1\n2 3\n"),
        ("bcmp", "1 2\n", "1 2\n", "1 2 \n"),
        ("uncmp", "1 2 3\n", "3 1 2", "3 3 1"),
        ("icmp", "7\n", "7", "8"),
        ("rcmp", "1000\n", "1000.000001", "1000.00001"),
        ("rncmp", "1 2\n", "1.00001 2", "1.0001 2"),
        ("dcmp", "1000000\n", "1000000.9", "1000002"),
    ],
)
def test_built_in_checkers(tmp_path: Path, name: str, answer: str, right: str, wrong: str) -> None:
    conf = UOJ["problem.conf"].replace("checker ncmp", f"checker {name}")
    problem = only(tmp_path, {**UOJ, "problem.conf": conf})
    assert isinstance(problem.checker, problems.Comparison)
    for output, accepted in ((right, True), (wrong, False)):
        assert (compare(output.encode(), answer.encode(), problem.checker).score == 1) is accepted, output


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("use_builtin_judger on", "use_builtin_judger off"), "its own judger"),
        (("use_builtin_judger on", "use_builtin_judger on\ninteraction_mode on"), "interaction_mode"),
        (("use_builtin_judger on", "use_builtin_judger on\nwith_implementer on"), "problem.conf:2: with_implementer"),
        (("use_builtin_judger on", "use_builtin_judger on\ntoken abc"), "problem.conf:2: token"),
        (
            ("use_builtin_judger on", "use_builtin_judger on\nsubmit_answer on\noutput_file_id_2 1"),
            "problem.conf:3: output_file_id_2: one file",
        ),
        (
            ("use_builtin_judger on", "use_builtin_judger on\nsubmit_answer on\noutput_gen_2 gen"),
            "problem.conf:3: key 'output_gen_2'",
        ),
        (("checker ncmp", "checker caseicmp"), "problem.conf: use_builtin_checker 'caseicmp'"),
        (("use_builtin_checker ncmp\n", ""), "'chk.cpp', which is not there"),
        (("n_tests 3", "n_tests 4"), "test 4 is in no subtask"),
        (("n_tests 3", "n_tests x"), "problem.conf:3: n_tests 'x'"),
        (("n_tests 3", "n_tests 3\nn_tests 3"), "problem.conf:4: key 'n_tests' is there twice"),
        (("subtask_end_2 3", "subtask_end_2 1"), "subtask_end_2 is 1"),
        (("dependence_2_1 1", "dependence_2_1 9"), "needs '9'"),
        (("n_ex_tests 1", "n_ex_tests 3"), "'ex_sum2.in', which is not there"),
        (("input_pre sum", "input_pre ../sum"), "names the file"),
        (("memory_limit 64", "memory_limit 64\ncolour red"), "problem.conf:13: key 'colour'"),
        (("n_ex_tests", "pre_test"), "n_sample_tests 1 is more than n_ex_tests 0"),
    ],
)
def test_what_of_uoj_does_not_fit(tmp_path: Path, change: tuple[str, str], says: str) -> None:
    files = {**UOJ, "problem.conf": UOJ["problem.conf"].replace(*change, 1)}
    assert files != UOJ
    (one,) = imported(tmp_path, files)
    assert one.package is None
    assert says in (one.error or "")


def test_samples_that_are_no_extra_tests_are_left_out_leniently(tmp_path: Path) -> None:
    head = "use_builtin_judger on\nuse_builtin_checker ncmp\nn_tests 1\nn_sample_tests 1\n"
    names = "input_pre t\ninput_suf in\noutput_pre t\noutput_suf out\n"
    problem = only(tmp_path, {"problem.conf": head + names, "t1.in": "1\n", "t1.out": "1\n"}, lenient=True)
    assert [case.sample for case in problem.cases] == [False]


#: Gives what the program prints, in per cent.
_PER_CENT = """#include <cstdio>
#include <fstream>
int main(int, char **at) {
    double said = 0;
    std::ifstream(at[2]) >> said;
    if (said == 100) { std::fprintf(stderr, "ok all\\n"); return 0; }
    if (said == 0) { std::fprintf(stderr, "wrong answer no\\n"); return 1; }
    std::fprintf(stderr, "points %f\\n", said / 100);
    return 7;
}
"""


def _partial(conf: str) -> dict[str, str]:
    head = "use_builtin_judger on\nn_tests 4\ninput_pre t\ninput_suf in\noutput_pre t\noutput_suf out\n"
    files = {f"t{number}.{end}": f"{number}\n" for number in range(1, 5) for end in ("in", "out")}
    files |= {f"ex_t1.{end}": "5\n" for end in ("in", "out") if "n_ex_tests" in conf}
    return {"problem.conf": head + conf, "chk.cpp": _PER_CENT, **files}


def _printing(*per_cent: float) -> bytes:
    return f"print({[0, *per_cent]}[int(input())])\n".encode()


_TWO = "n_subtasks 2\nsubtask_end_1 2\nsubtask_score_1 30\nsubtask_score_2 70\n"


@pytest.mark.parametrize(
    ("conf", "per_cent", "points"),
    [
        # The expected points are those that its judger gives (judger.cpp, uoj_judger.h).
        (_TWO, (100, 100, 100, 100), 100),
        (_TWO, (50, 100, 100, 100), 70),
        (_TWO, (100, 100, 100, 99), 30),
        (_TWO + "subtask_type_1 min\nsubtask_type_2 min\n", (50, 100, 33, 100), 15 + 23),
        (_TWO + "subtask_type_1 min\nsubtask_type_2 min\nsubtask_dependence_2 1\n", (50, 100, 100, 100), 15 + 35),
        (_TWO + "subtask_type_1 min\nsubtask_type_2 min\nsubtask_dependence_2 1\n", (50, 100, 20, 100), 15 + 14),
        (_TWO + "subtask_type_1 min\nsubtask_dependence_2 1\n", (50, 100, 100, 100), 15),
        ("n_subtasks 1\nsubtask_end_1 4\nsubtask_score_1 60\n", (100, 100, 100, 100), 100),
        (_TWO.replace("70", "50") + "subtask_type_1 min\nsubtask_dependence_2 1\n", (50, 100, 100, 100), 15),
        (_TWO + "subtask_type_2 min\nsubtask_dependence_2 1\n", (50, 100, 100, 100), 70),
        ("n_subtasks 1\nsubtask_end_1 4\nsubtask_score_1 60\n", (100, 100, 100, 50), 0),
        ("n_subtasks 1\nsubtask_end_1 4\nsubtask_score_1 60\nn_ex_tests 1\n", (100, 100, 100, 100, 0), 97),
        ("n_subtasks 1\nsubtask_end_1 4\nsubtask_score_1 60\nsubtask_type_1 min\n", (100, 100, 100, 50), 30),
        ("", (100, 50, 33, 0), 25 + 12 + 8),
        ("point_score_1 20\npoint_score_2 20\npoint_score_3 20\npoint_score_4 20\n", (100, 100, 100, 0), 60),
        ("point_score_1 20\npoint_score_2 20\npoint_score_3 20\npoint_score_4 20\n", (100, 100, 100, 100), 100),
    ],
)
def test_points_are_those_of_its_judger(
    tmp_path: Path, judges: Callable[..., Judge], conf: str, per_cent: tuple[float, ...], points: int
) -> None:
    problem = only(tmp_path, _partial(conf))
    found = judged(judges, problem, _printing(*per_cent))
    assert found.score == pytest.approx(points / 100)
