"""Problems of contest systems: DMOJ, Lemon, QDUOJ, CMS, TPS, omegaUp, sinol."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from judge import Judge, Submission, Verdict
from judge.many.verify import verify
from problems import Aggregation, Comparison, Convention, Mode, Problem, ProblemError, Program
from problems.importing.contests import patterns
from problems.model import MIB, SECOND_NS, FileIO
from tests.problems.importing.contest_examples import (
    ADD,
    CMS,
    CONTESTS,
    DMOJ,
    LEMON,
    MAX,
    OMEGAUP,
    QDUOJ,
    SINOL,
    TPS,
    checker,
    lemon,
    qduoj,
    zipped,
)
from tests.problems.importing.examples import imported, only

Files = Mapping[str, str | bytes]
Judges = Callable[..., Judge]
#: Of a grader that submissions are compiled with.
MAIN = "#include <iostream>\nint main() { long a, b; std::cin >> a >> b; std::cout << sum(a, b); }\n"


def changed(files: Files, name: str, *change: tuple[str, str], **more: str | bytes) -> dict[str, str | bytes]:
    text = files[name]
    assert isinstance(text, str)
    for old, new in change:
        assert old in text
        text = text.replace(old, new, 1)
    return {**files, name: text, **{key.replace("__", "/").replace("_dot_", "."): value for key, value in more.items()}}


def groups_of(problem: Problem) -> dict[str, tuple[float, Aggregation, tuple[str, ...]]]:
    return {group.name: (group.points, group.aggregation, group.requires) for group in problem.groups}


def verdict(judges: Judges, problem: Problem, source: str, language: str = "python3") -> tuple[Verdict, float | None]:
    one = judges().judge(Submission(source=source.encode(), problem=problem.directory, language=language))
    assert one.error is None
    return one.verdict, one.score


@pytest.mark.parametrize("name", ["qduoj", "cms", "tps", "omegaup", "sinol"])
def test_labels_hold_where_solutions_come_with_it(tmp_path: Path, judges: Judges, name: str) -> None:
    problem = only(tmp_path, CONTESTS[name])
    assert problem.submissions
    assert [one.complaint for one in verify(judges(), problem.directory)] == [None] * len(problem.submissions)


def test_dmoj_batches_dependencies_and_gates(tmp_path: Path) -> None:
    problem = only(tmp_path, DMOJ)
    assert groups_of(problem) == {
        "secret/001": (0, Aggregation.SUM, ()),
        "secret/002": (10, Aggregation.SUM, ("secret/001",)),
        "secret/003": (30, Aggregation.MIN, ("secret/001",)),
        "secret/004": (60, Aggregation.MIN, ("secret/001", "secret/003")),
    }
    assert isinstance(problem.checker, Program)
    assert problem.checker.convention is Convention.DMOJ


@pytest.mark.parametrize(
    ("names", "formats"),
    [
        (("a-1-1", "a-1-2", "a-2-10", "a-3"), ""),
        (("x1y1", "x1y2", "x2y10", "x3y3"), r'input_format: "x(?P<batch>\\d)y(?P<case>\\d+)\\.in", '
         r'output_format: "x(?P<batch>\\d)y(?P<case>\\d+)\\.out", '),
    ],
)  # fmt: skip
def test_dmoj_tests_by_their_names(tmp_path: Path, names: tuple[str, ...], formats: str) -> None:
    init = f"test_cases: {{{formats}case_points: [20, 30, 50]}}\nchecker: {{name: floatsabs, args: {{precision: 3}}}}\n"
    files = {f"{name}.{end}": f"{name}\n" for name in names for end in ("in", "out")}
    problem = only(tmp_path, {"init.yml": init, **files})
    assert [case.input.read_text().strip() for case in problem.cases] == list(names)
    assert [group.points for group in problem.groups] == [20, 30, 50]
    assert problem.checker == Comparison(mode=Mode.TOKENS_BY_LINE, absolute_tolerance=1e-3)


@pytest.mark.parametrize(
    ("names", "order", "points"),
    [
        (("1", "dummy.1", "dummy.2"), ["dummy.1", "dummy.2", "1"], [10, 20]),  # words before numbers, as the site
        (("b.1", "10.1", "9.1", "a.2"), ["a.2", "b.1", "9.1", "10.1"], [10, 20, 30, 40]),
        (("02", "1"), ["1", "02"], [30]),  # cases of no batch are one group here
        (("7", "7.1"), ["7.1", "7"], [10]),  # a case whose name a batch has belongs to it
    ],
)
def test_dmoj_sorts_groups_as_the_site(
    tmp_path: Path, names: tuple[str, ...], order: list[str], points: object
) -> None:
    pattern = r"((?P<batch>\w+)\.)?(?P<case>\d+)\."
    init = (
        f"test_cases: {{input_format: '{pattern}in', output_format: '{pattern}out', case_points: [10, 20, 30, 40]}}\n"
    )
    files = {f"{name}.{end}": f"{name}\n" for name in names for end in ("in", "out")}
    problem = only(tmp_path, {"init.yml": init, **files})
    assert [case.input.read_text().strip() for case in problem.cases] == order
    assert [group.points for group in problem.groups] == points


def test_dmoj_names_that_are_one_case_are_refused(tmp_path: Path) -> None:
    pattern = r"((?P<batch>\w+)\.)?(?P<case>\d+)\."
    init = f"test_cases: {{input_format: '{pattern}in', output_format: '{pattern}out'}}\n"
    files = {f"{name}.{end}": "1\n" for name in ("1", "1.1") for end in ("in", "out")}
    (one,) = imported(tmp_path, {"init.yml": init, **files})
    assert "are one test case by their names" in (one.error or "")


def test_dmoj_takes_a_file_of_the_folder_before_that_of_the_archive(tmp_path: Path) -> None:
    files = {"a.1.in": "1 2\n", "a.1.out": "3\n"}
    init = "archive: a.zip\ntest_cases: [{in: a.1.in, out: a.1.out, points: 1}]\n"
    problem = only(tmp_path, {"init.yml": init, **files, "a.zip": zipped(dict.fromkeys(files, "0\n"))})
    assert [case.input.read_text() for case in problem.cases] == ["1 2\n"]


def test_dmoj_reads_of_an_archive_only_what_is_named(tmp_path: Path) -> None:
    files = {"T/1.in": "1 2\n", "T/1.out": "3\n", "T/Settings.cfg": "<x/>\n", "data.yml": "a: 1\n", "T/2.in": "9\n"}
    init = "archive: a.zip\ntest_cases: [{in: T/1.in, out: T/1.out, points: 1}]\n"
    (one,) = imported(tmp_path, {"init.yml": init, "a.zip": zipped(files)})
    assert one.whole, one.error
    told = {loss.file.rpartition("/")[2] for loss in one.losses if loss.message == "is not imported"}
    assert told == {"Settings.cfg", "data.yml", "2.in"}


def test_dmoj_trials_of_the_judge_are_passed_over(tmp_path: Path) -> None:
    trial = {
        "tests/slow/test.yml": "language: CPP17\ntime: 1\nmemory: 64\nsource: a.cpp\nexpect: TLE\n",
        "tests/slow/a.cpp": "int main() { for (;;); }\n",
    }
    assert not only(tmp_path, {**DMOJ, **trial}).submissions
    (one,) = imported(tmp_path / "other", {**DMOJ, "tests/check.cpp": "int main() {}\n"})
    assert "tests/check.cpp: is a program that the format gives no place" in (one.error or "")


def test_files_that_programs_read_and_write_at_vnoj(tmp_path: Path, judges: Judges) -> None:
    init = "file_io: {input: SUM.INP, output: SUM.OUT}\ntest_cases: [{in: 1.in, out: 1.out, points: 1}]\n"
    problem = only(tmp_path, {"init.yml": init, "1.in": "1 2\n", "1.out": "3\n"})
    right = "print(sum(map(int, open('SUM.INP').read().split())), file=open('SUM.OUT', 'w'))\n"
    assert verdict(judges, problem, right, "python3") == (Verdict.AC, 1.0)
    assert verdict(judges, problem, right.replace(", file=open('SUM.OUT', 'w')", ""), "python3")[0] is not Verdict.AC


def test_dmoj_checkers_with_arguments_of_their_own_are_refused(tmp_path: Path) -> None:
    args = "args: {files: check.cpp, args_format_string: '{answer_file}', "
    (one,) = imported(tmp_path, changed(DMOJ, "init.yml", ("args: {files: check.cpp, ", args)), lenient=True)
    assert "init.yml: args_format_string" in (one.error or "")


def test_a_repository_of_tps_with_tests(tmp_path: Path) -> None:
    files = {name: text for name, text in TPS.items() if not name.startswith("subtasks/")}
    subtasks = {"all": {"index": 2, "score": 60}, "samples": {"index": 0, "score": 0}, "low": {"index": 1, "score": 40}}
    files["subtasks.json"] = json.dumps({"global_validators": ["v.cpp"], "subtasks": subtasks})
    (lost,) = imported(tmp_path / "lost", files)
    assert "subtasks.json: says nothing of the tests, and there is no tests/mapping" in (lost.error or "")
    mapping = "samples 0-01\nlow 0-01\nlow 1-01\nall 0-01\nall 1-01\nall 2-01\n"
    problem = only(tmp_path / "all", {**files, "tests/mapping": mapping})
    assert [(group.name, group.points) for group in problem.groups if group.counted] == [
        ("secret/001", 40),
        ("secret/002", 60),
    ]
    assert [case.name for case in problem.cases if case.group == "secret/001"] == ["secret/001/0-01", "secret/001/1-01"]
    (odd,) = imported(tmp_path / "odd", {**files, "tests/mapping": "samples 0-01\nhigh 1-01\n"})
    assert "mapping:2: names the subtask 'high', which is none" in (odd.error or "")


def test_qduoj_leaves_what_says_nothing_of_verdicts(tmp_path: Path) -> None:
    hidden = {"visible": False, "allow_public_test_case_download": False, "hint": {"format": "html", "value": None}}
    assert len(only(tmp_path, qduoj(**hidden)).cases) == len(only(tmp_path / "plain", QDUOJ).cases)


def test_dmoj_tests_without_points_have_one_each(tmp_path: Path) -> None:
    init = (
        "test_cases:\n- {in: a, out: a}\n- batched: [{in: a, out: a}, {in: a, out: a}]\n- {in: a, out: a, points: 2}\n"
    )
    problem = only(tmp_path, {"init.yml": init, "a": "1\n"})
    assert [group.points for group in problem.groups] == [1, 1, 2]


def test_dmoj_tests_without_files_are_empty(tmp_path: Path, judges: Judges) -> None:
    files = {"init.yml": "points: 1\ntest_cases:\n- {out: a.out}\n- batched: [{out: a.out}, {}]\n", "a.out": "1\n"}
    problem = only(tmp_path, files)
    assert [(case.read_input(), case.read_answer()) for case in problem.cases] == [(b"", b"1\n")] * 2 + [(b"", b"")]
    found = judges().judge(Submission(source=b"print(1)\n", problem=problem.directory, language="python3"))
    assert [test.verdict for test in found.tests] == ["AC", "AC", "WA"]


def test_dmoj_signature_grading(tmp_path: Path, judges: Judges) -> None:
    """The site puts the header before each submission and renames a main() in it."""
    init = "signature_grader: {entry: main.cpp, header: sum.h}\ntest_cases:\n- {in: 1.in, out: 1.out, points: 5}\n"
    entry = (
        '#include <iostream>\n#include "sum.h"\nint main() { long a, b; std::cin >> a >> b; std::cout << sum(a, b); }\n'
    )
    files = {"init.yml": init, "main.cpp": entry, "sum.h": "#pragma once\nlong sum(long, long);\n"}
    problem = only(tmp_path, {**files, "1.in": "1 2\n", "1.out": "3\n"})
    right = "long sum(long a, long b) { return a + b; }\nint main() { return sum(1, 2); }\n"
    assert verdict(judges, problem, right, "cpp17") == (Verdict.AC, 1.0)
    assert verdict(judges, problem, right.replace("+", "*"), "cpp17") == (Verdict.WA, 0.0)
    judgement = judges().judge(Submission(source=b"\nlong sum(", problem=problem.directory, language="cpp17"))
    assert judgement.verdict is Verdict.CE
    assert "2:" in judgement.compile.output.partition("error")[0], "lines are those of the submission"


def test_a_dmoj_entry_in_c_is_compiled_as_the_submission_is(tmp_path: Path, judges: Judges) -> None:
    init = "signature_grader: {entry: main.c, header: sum.h}\ntest_cases:\n- {in: 1.in, out: 1.out, points: 5}\n"
    entry = '#include <stdio.h>\n#include "sum.h"\nint main() { int a; scanf("%d", &a); printf("%d", sum(a)); }\n'
    tests = {"sum.h": "#pragma once\nint sum(int);\n", "1.in": "1\n", "1.out": "3\n"}
    problem = only(tmp_path, {"init.yml": init, "main.c": entry, **tests})
    right = "#ifdef SIGNATURE_GRADER\nint sum(int a) { return a + 2; }\n#endif\n"
    for language in ("cpp17", "c17"):
        assert verdict(judges, problem, right, language) == (Verdict.AC, 1.0)


def test_dmoj_signatures_with_a_main_of_the_submission(tmp_path: Path, judges: Judges) -> None:
    init = "signature_grader: {entry: lib.cpp, header: sum.h, allow_main: true}\ntest_cases:\n"
    files = {
        "lib.cpp": '#include "sum.h"\nint sum(int a) { return a + 2; }\n',
        "sum.h": "#pragma once\nint sum(int);\n",
    }
    problem = only(tmp_path, {**files, "init.yml": init + "- {in: 1.in, out: 1.out}\n", "1.in": "1\n", "1.out": "3\n"})
    right = "#include <iostream>\nint main() { int a; std::cin >> a; std::cout << sum(a); }\n"
    assert verdict(judges, problem, right, "cpp17") == (Verdict.AC, 1.0)


def test_dmoj_interactors_and_points_of_testlib(tmp_path: Path, judges: Judges) -> None:
    talk = """#include "testlib.h"
int main(int, char **at) {
    long total, got = 0;
    std::ifstream(at[1]) >> total;
    std::cout << total << std::endl;
    std::cin >> got;
    if (got == total) return 0;
    std::cerr << "points 5";
    return 7;
}
"""
    init = "interactive: {files: talk.cpp, type: testlib}\nunbuffered: true\ntest_cases:\n- {in: 1.in, points: 20}\n"
    header = "#include <fstream>\n#include <iostream>\n"
    problem = only(tmp_path, {"init.yml": init, "talk.cpp": talk, "testlib.h": header, "1.in": "7\n"})
    assert problem.kind == "interactive"
    assert verdict(judges, problem, "print(input(), flush=True)") == (Verdict.AC, 1.0)
    assert verdict(judges, problem, "print(0, flush=True)") == (Verdict.PC, 0.25)


def test_a_regular_expression_that_takes_years(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(patterns, "_CHILD", patterns._CHILD.replace("(5, 5)", "(1, 1)"))
    files = {f"{'a' * 40}.{end}": "1\n" for end in ("in", "out")}
    init = 'test_cases: {input_format: "(a|a)*$", case_points: [1]}\n'
    (one,) = imported(tmp_path, {"init.yml": init, **files})
    assert one.error is not None
    assert "input_format '(a|a)*$' takes too long" in one.error


def test_lemon_subtasks_limits_and_names_of_windows(tmp_path: Path) -> None:
    problem = only(tmp_path, LEMON)
    assert groups_of(problem) == {
        "secret/001": (40, Aggregation.MIN, ()),
        "secret/002": (60, Aggregation.MIN, ("secret/001",)),
    }
    assert (problem.name, problem.title["zh"], problem.limits.memory_bytes) == ("plus", "求和", 64 * MIB)
    assert [case.limits and case.limits.cpu_ns for case in problem.cases] == [None, None, 2 * SECOND_NS]


def test_lemon_files_and_answers(tmp_path: Path, judges: Judges) -> None:
    files = only(tmp_path / "files", lemon(standardInputCheck=False, standardOutputCheck=False))
    assert files.file_io == FileIO(input="plus.in", output="plus.out")
    answers = only(tmp_path / "answers", lemon(taskType=1))
    outputs = zipped({"1.out": "3\n", "2.out": "4\n", "3.out": "11\n"})
    one = judges().judge(Submission(source=outputs, problem=answers.directory, language="outputs"))
    assert (one.verdict, one.score) == (Verdict.WA, 0.4)


def test_a_special_judge_of_lemon(tmp_path: Path, judges: Judges) -> None:
    word = "std::ofstream(at[5]) << ((right) ? 1.0 : 0.5) * std::atof(at[4])"
    files = {**lemon(comparisonMode=4, specialJudge="plus\\judge.exe"), "data/plus/judge.cpp": checker(1, 2, word)}
    problem = only(tmp_path, files)
    assert verdict(judges, problem, ADD) == (Verdict.AC, 1.0)
    assert verdict(judges, problem, MAX) == (Verdict.PC, 0.5), "half of each: a part of its points voids no other"


def test_a_grader_of_lemon(tmp_path: Path, judges: Judges) -> None:
    grader = f'#include "plus.h"\n{MAIN}'
    files = {
        **lemon(taskType=2, interactor="plus/header.h", interactorName="plus.h", grader="plus/grader.cpp"),
        "data/plus/header.h": "long sum(long, long);\n",
        "data/plus/grader.cpp": grader,
    }
    problem = only(tmp_path, files)
    program = '#include "plus.h"\nlong sum(long a, long b) { return a + b; }\n'
    assert verdict(judges, problem, program, "cpp17") == (Verdict.AC, 1.0)


def test_qduoj(tmp_path: Path, judges: Judges) -> None:
    problem = only(tmp_path, QDUOJ)
    assert [case.weight for case in problem.cases if not case.sample] == [30, 70]
    assert problem.statements["zh"].read_text().startswith("<p>a+b</p>\n\n## 输入\n\n<p>two</p>\n")
    acm = only(tmp_path / "acm", qduoj(rule_type="ACM"))
    assert {case.weight for case in acm.cases} == {1.0}
    spj = {"language": "C++", "code": checker(1, 2, "return !(right)")}
    special = only(tmp_path / "spj", qduoj(spj=spj))
    assert verdict(judges, special, ADD) == (Verdict.AC, 1.0)
    assert verdict(judges, special, MAX) == (Verdict.WA, 0.0)


def test_code_around_submissions_of_qduoj(tmp_path: Path, judges: Judges) -> None:
    template = {
        "Python3": {
            "prepend": "import math",
            "template": "def f(a, b): ...",
            "append": "print(f(*map(int, input().split())))",
        }
    }
    problem = only(tmp_path, qduoj(template=template, answers=[]))
    assert verdict(judges, problem, "def f(a, b):\n    return math.fsum([a, b]).__int__()") == (Verdict.AC, 1.0)
    assert verdict(judges, problem, "def f(a, b):\n    return a") == (Verdict.WA, 0.0)


def test_cms_subtasks(tmp_path: Path) -> None:
    problem = only(tmp_path, CMS)
    counted = {group.name: (group.points, group.counted) for group in problem.groups}
    assert counted == {"secret/001": (0, False), "secret/002": (40, True), "secret/003": (60, True)}
    assert (problem.limits.cpu_ns, problem.file_io) == (SECOND_NS // 2, None)
    old = changed(CMS, "task.yaml", ("name: sum\ntitle: Sum\ntime_limit", "nome_breve: sum\nnome: Somma\ntimeout"),
                  ("memory_limit", "memlimit"), ("infile: ''", "infile: in.txt"))  # fmt: skip
    italian = only(tmp_path / "old", old)
    assert (italian.title["en"], italian.file_io) == ("Somma", FileIO(input="in.txt"))


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("score_type: Sum\nscore_type_parameters: 20", {"secret": (60, Aggregation.SUM, ())}),
        (
            "score_type: GroupMul\nscore_type_parameters: [[40, 1], [60, 2]]",
            {"secret/001": (40, Aggregation.PRODUCT, ()), "secret/002": (60, Aggregation.PRODUCT, ())},
        ),
        (
            "score_type: GroupMin\nscore_type_parameters: [[40, '000|001'], [60, '00.']]",
            {"secret/001": (40, Aggregation.MIN, ()), "secret/002": (60, Aggregation.MIN, ())},
        ),
    ],
)
def test_score_types_of_cms(tmp_path: Path, stated: str, expected: object) -> None:
    files = {name: text for name, text in CMS.items() if name != "gen/GEN"}
    assert groups_of(only(tmp_path, changed(files, "task.yaml", ("n_input", f"{stated}\nn_input")))) == expected


@pytest.mark.parametrize(
    ("stated", "files"),
    [
        ("", ("input.txt", "output.txt")),
        ("infile: ''", (None, "output.txt")),
        ("outfile: ''", ("input.txt", None)),
        ("infile: a.txt", ("a.txt", "output.txt")),
    ],
)
def test_files_of_cms_that_are_not_stated(tmp_path: Path, stated: str, files: tuple[str | None, str | None]) -> None:
    problem = only(tmp_path, changed(CMS, "task.yaml", ("infile: ''\noutfile: ''", stated)))
    assert problem.file_io is not None
    assert (problem.file_io.input, problem.file_io.output) == files


def test_graders_and_outputs_of_cms(tmp_path: Path, judges: Judges) -> None:
    files = {name: text for name, text in CMS.items() if not name.startswith(("check", "sol/"))}
    grader = "import sum\nprint(sum.add(*map(int, input().split())))\n"
    problem = only(tmp_path / "grader", {**files, "sol/grader.py": grader, "sol/sum.h": "int add(int, int);\n"})
    assert verdict(judges, problem, "def add(a, b):\n    return a + b\n") == (Verdict.AC, 1.0)
    outputs = only(tmp_path / "outputs", changed(files, "task.yaml", ("n_input", "output_only: true\nn_input")))
    given = zipped({"output_000.txt": "3\n", "output_001.txt": "4\n", "output_002.txt": "9\n"})
    one = judges().judge(Submission(source=given, problem=outputs.directory, language="outputs"))
    assert (one.verdict, one.score) == (Verdict.WA, 0.4)


def test_tps(tmp_path: Path, judges: Judges) -> None:
    problem = only(tmp_path, TPS)
    assert groups_of(problem)["secret/002"] == (60, Aggregation.MIN, ())
    assert [case.sample for case in problem.cases] == [True, False, False, False, False, False]
    assert problem.limits.memory_bytes == 64 * MIB
    grader = (
        '#include "sum.h"\n#include <iostream>\nint main() { long a, b; std::cin >> a >> b; std::cout << sum(a, b); }\n'
    )
    files = {**TPS, "graders/grader.cpp": grader, "graders/sum.h": "long sum(long, long);\n", "solutions.json": "{}"}
    graded = only(tmp_path / "graded", files)
    program = '#include "sum.h"\nlong sum(long a, long b) { return a + b; }\n'
    assert verdict(judges, graded, program, "cpp17") == (Verdict.AC, 1.0)


def test_omegaup(tmp_path: Path, judges: Judges) -> None:
    problem = only(tmp_path, OMEGAUP)
    first, second = problem.groups
    assert (first.points, first.void_if_refused, second.points) == (pytest.approx(0.4), True, pytest.approx(0.6))
    assert (problem.limits.cpu_ns, problem.limits.output_bytes) == (SECOND_NS // 2, 10240)
    one_of_two = "a = input()\nprint({'1 2': 3, '5 5': 10}.get(a, 0))"
    assert verdict(judges, problem, one_of_two)[1] == pytest.approx(0.6), "a group with a zero earns nothing"
    plan = {name: text for name, text in OMEGAUP.items() if name != "settings.json"}
    plan |= {"testplan": "easy.1 1\neasy.2 1  # small\n\nhard 2\n", "validator.py": "print(1.0 * (input() == '10'))"}
    planned = only(tmp_path / "plan", plan)
    assert [group.points for group in planned.groups] == [2, 2]
    assert verdict(judges, planned, "print(10)") == (Verdict.AC, 1.0)


def test_examples_of_omegaup_are_samples(tmp_path: Path) -> None:
    examples = {"examples/sample.in": "1 1\n", "examples/sample.out": "2\n"}
    problem = only(tmp_path, {**OMEGAUP, **examples})
    assert problem.cases[0].name == "sample/sample"
    assert problem.cases[0].sample
    assert not problem.group("sample").counted
    (one,) = imported(tmp_path / "half", {**OMEGAUP, "examples/sample.in": "1 1\n"})
    assert "examples/sample.in: has no answer file" in (one.error or "")


def test_sinol(tmp_path: Path, judges: Judges) -> None:
    problem = only(tmp_path, SINOL)
    limits = [(case.limits or problem.limits).cpu_ns for case in problem.cases if not case.sample]
    assert limits == [SECOND_NS, 3 * SECOND_NS // 2, 2 * SECOND_NS]
    assert sum(case.sample for case in problem.cases) == 2
    files = {name: text for name, text in SINOL.items() if "/prog/" not in name}
    library = changed(files, "sum/config.yml", ("scores: {1: 40, 2: 60}", "extra_compilation_files: [sum.h, main.cpp]\n"
                      "extra_compilation_args: {cpp: [main.cpp]}"))  # fmt: skip
    main = (
        '#include "sum.h"\n#include <iostream>\nint main() { long a, b; std::cin >> a >> b; std::cout << sum(a, b); }\n'
    )
    linked = only(
        tmp_path / "library", {**library, "sum/prog/main.cpp": main, "sum/prog/sum.h": "long sum(long, long);\n"}
    )
    assert [group.points for group in linked.groups if group.counted] == [50, 50]
    assert verdict(judges, linked, "long sum(long a, long b) { return a + b; }", "cpp17") == (Verdict.AC, 1.0)


def test_sinol_passes_over_what_changes_no_verdict(tmp_path: Path) -> None:
    keys = "sinol_total_score: 40\ntestrun_soc: sumsoc_testrun.soc\nnum_processes: 1\nfake_time: zero\nscores:"
    (one,) = imported(tmp_path, changed(SINOL, "sum/config.yml", ("scores:", keys)))
    assert one.whole, one.error


#: A group is scored as if the tests of the groups that it depends on were its own.
DEPENDENT = changed(
    {name: text for name, text in SINOL.items() if not name.endswith("sumchk.cpp")},
    "sum/config.yml",
    ("scores:", "subtask_dependencies: {2: [1]}\nscores:"),
)


def test_dependencies_of_sinol(tmp_path: Path, judges: Judges) -> None:
    problem = only(tmp_path, DEPENDENT)
    assert problem.group("secret/002").requires == ("secret/001",)
    program = "a, b = map(int, input().split())\nprint(a + b if a == 5 else 0)\n"
    assert verdict(judges, problem, program, "python3") == (Verdict.WA, 0.0)
    alone = only(tmp_path / "alone", changed(DEPENDENT, "sum/config.yml", ("subtask_dependencies: {2: [1]}\n", "")))
    assert verdict(judges, alone, program, "python3") == (Verdict.WA, 0.6)
    (one,) = imported(tmp_path / "chk", {**DEPENDENT, "sum/prog/sumchk.cpp": "int main() {}\n"}, lenient=True)
    assert "a needed group that it passes in part counts as not passed" in str(one.losses)


def _without(files: Files, *names: str) -> dict[str, str | bytes]:
    return {name: text for name, text in files.items() if name not in names}


def _scored(stated: str) -> dict[str, str | bytes]:
    return changed(CMS, "task.yaml", ("n_input", f"score_type: GroupMin\nscore_type_parameters: {stated}\nn_input"))


def _json(files: Files, name: str, **changes: object) -> dict[str, str | bytes]:
    return {**files, name: json.dumps({**json.loads(files[name]), **changes})}


@pytest.mark.parametrize(
    ("files", "says"),
    [
        (changed(DMOJ, "init.yml", ("sum.1.in", "sum.9.in")), "sum.zip: names the file 'sum.9.in', which is not there"),
        (changed(DMOJ, "init.yml", ("sum.1.in", "../sum.1.in")), "names the file '../sum.1.in'"),
        (changed(DMOJ, "init.yml", ("[1]", "[2]")), "init.yml: batch 2 depends on 2, which is none before it"),
        (changed(DMOJ, "init.yml", ("type: default", "type: peg")), "init.yml:4: type 'peg' is not imported"),
        (changed(DMOJ, "init.yml", ("points: 30", "points: -3")), "init.yml:8: test_cases.2.points: "),
        (changed(DMOJ, "init.yml", ("in: sum.0.in", "generator: gen.cpp")), "generator: DMOJ's print input and"),
        (
            changed(DMOJ, "init.yml", ("out: sum.0.out", "generator: gen.cpp")),
            "generator: DMOJ's print input and",
        ),  # it would print the answer
        (
            changed(DMOJ, "init.yml", ("points: 0", "points: 0, generator: gen.cpp, generator_args: [1]")),
            "init.yml: a case states `in` and generator_args, which",
        ),
        (changed(DMOJ, "init.yml", ("in: sum.0.in", "generator_in: a, generator: gen.cpp")), "generator: DMOJ's print"),
        (changed(DMOJ, "init.yml", ("archive", "custom_judge: x.py\narchive")), "custom_judge: a judge in Python"),
        (changed(DMOJ, "init.yml", ("archive", "points++: 3\narchive")), "key 'points++' is unknown here"),
        (changed(DMOJ, "init.yml", ("name: bridged", "name: easy")), "checker 'easy' is not imported; take one of"),
        ({**DMOJ, "sum.zip": b"PK"}, "sum.zip: is not a sound zip file"),
        (lemon(taskType=3), "contest.cdf: task plus: a communication"),
        (lemon(comparisonMode=2), "diff '--ignore-space-change' is not imported"),
        (lemon(comparisonMode=4, specialJudge="x/y"), "the source of 'x/y' is not there"),
        (lemon(testCases=[]), "task plus has no test cases"),
        (lemon(testCases=[{"fullScore": 1, "inputFiles": ["a", "b"], "outputFiles": ["a"]}]), "2 inputs and 1 out"),
        (_without(QDUOJ, "1/testcase/2.out"), "problem.json: names the file '2.out', which is not there"),
        (qduoj(time_limit=0), "problem.json:1: time_limit: "),
        (qduoj(time_limit=1e999), "problem.json:1: time_limit: "),
        ({**QDUOJ, "1/problem.json": '{\n"title": }'}, "problem.json:2: bad JSON"),
        ({**QDUOJ, "1/problem.json": "[" * 100_000}, "problem.json: is nested too deeply"),
        ({**QDUOJ, "1/problem.json": "1" * 5000}, "problem.json: bad JSON"),
        ({**QDUOJ, "1/problem.json": "[" + "1, " * 2_000_000 + "1]"}, "problem.json: is larger than 4 MiB"),
        (qduoj(colour="red"), "key 'colour' is unknown here"),
        (changed(CMS, "gen/GEN", ("ST: 40", "ST: many")), "gen/GEN:5: subtask of 'many' points"),
        (changed(CMS, "task.yaml", ("n_input: 3", "n_input: 4")), "gen/GEN: has 3 tests, but n_input is 4"),
        (changed(DEPENDENT, "sum/config.yml", ("2: [1]", "2: [3]")), "subtask_dependencies: group '3' has no tests"),
        (changed(DEPENDENT, "sum/config.yml", ("2: [1]", "2: [0]")), "subtask_dependencies: group '0' has no tests"),
        (changed(DEPENDENT, "sum/config.yml", ("2: [1]", "2: [1], 1: [2]")), "go round in a circle"),
        ({**DEPENDENT, "sum/prog/sumchk.cpp": "int main() {}\n"}, "subtask_dependencies beside a checker"),
        (_without(CMS, "output/output2.txt", "gen/GEN"), "names the file 'output2.txt', which is not there"),
        (_without({**CMS, "check/checker": b"\x7fELF"}, "check/checker.cpp"), "check/checker: is a compiled checker"),
        ({**CMS, "check/manager": b"\x7fELF"}, "check/manager: is a compiled manager"),
        (changed(CMS, "task.yaml", ("n_input", "num_processes: 99\nn_input")), "task.yaml:7: num_processes: "),
        (_scored("[[9, '(']]"), "is no regular expression"),
        (_scored("[[9, 4]]"), "a subtask of 4 tests"),
        (_scored("[[9, 1]]"), "test 1 is in no subtask"),
        (_json(TPS, "problem.json", task_type="TwoSteps"), "task_type 'TwoSteps' is not imported"),
        (_json(TPS, "problem.json", task_type="Communication"), "but has no graders/manager.cpp"),
        (_json(TPS, "subtasks/02-all.json", testcases=["9"]), "02-all.json: names the test '9', which is"),
        (_json(TPS, "subtasks/02-all.json", testcases=["0-01"]), "tests/2-01.in: is in no subtask"),
        (_json(OMEGAUP, "settings.json", Validator={"Name": "literal"}), "Validator 'literal' is not imported"),
        (_json(OMEGAUP, "settings.json", Limits={"TimeLimit": "soon"}), "settings.json: TimeLimit 'soon' is none"),
        ({**OMEGAUP, "interactive/x.idl": ""}, "is a problem of libinteractive"),
        ({**OMEGAUP, "cases/z.in": "", "cases/z.out": ""}, "cases/z.in: has no weight"),
        ({**_without(OMEGAUP, "settings.json"), "testplan": "easy.1\n"}, "testplan:1: 'easy.1' is no name"),
        (_without(SINOL, "sum/out/sum2.out"), "sum/in/sum2.in: has no answer in out/"),
        ({**SINOL, "sum/in/other1.in": "", "sum/out/other1.out": ""}, "other1.in: is no test of sum; call it"),
        (changed(SINOL, "sum/config.yml", ("2: 60", "3: 60")), "config.yml: scores: group 2 has none"),
        (changed(SINOL, "sum/config.yml", ("scores:", "num_processes: 2\nscores:")), "num_processes: several proc"),
        ({**SINOL, "sum/prog/sumsoc.cpp": ""}, "sumsoc.cpp: is an interactor, which is not imported"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_told_with_its_file(tmp_path: Path, files: Files, says: str) -> None:
    try:
        (one,) = imported(tmp_path, files)
        assert one.package is None
        said = one.error or ""
    except ProblemError as error:
        said = str(error)
    assert says in said
    assert str(tmp_path / "made") not in said
    assert not (tmp_path / "made").exists() or not list((tmp_path / "made").iterdir()), "no half package"


def test_a_binary_contest_of_lemon(tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match="is the binary form of old Lemons; open it in LemonLime"):
        imported(tmp_path, {"old.cdf": b"\x00\x01\x00\x02", "data/x": ""})
