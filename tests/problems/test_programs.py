"""Output validators, interactors, included code and labelled submissions."""

from __future__ import annotations

from pathlib import Path

import pytest

import problems
from problems import Comparison, Convention, Program
from problems.model import SECOND_NS
from tests.packages import MINIMAL, PROBLEM, scored, write_files

TESTLIB_CHECKER = '#include "testlib.h"\nint main(int c, char** v) { registerTestlibCmd(c, v); quitf(_ok, ""); }\n'


def load(tmp_path: Path, files: dict[str, str]) -> problems.Problem:
    return problems.load(write_files(tmp_path / "sum", {**MINIMAL, **files}))


def checker(tmp_path: Path, files: dict[str, str]) -> Program:
    found = load(tmp_path, files).checker
    assert isinstance(found, Program)
    return found


@pytest.mark.parametrize(
    ("files", "convention"),
    [
        ({"v.cpp": "int main() { return 42; }\n"}, Convention.ICPC),
        ({"v.py": "import sys\nsys.exit(42)\n"}, Convention.ICPC),
        ({"chk.cpp": TESTLIB_CHECKER}, Convention.TESTLIB),
        ({"chk.cpp": TESTLIB_CHECKER, "testlib.h": "#define OK_EXIT_CODE 0\n"}, Convention.TESTLIB),
        ({"chk.cpp": "  #  include <lib/testlib.h>\nint main() {}\n"}, Convention.TESTLIB),
        # testlib as ported to this format: same header, its exit codes
        ({"chk.cpp": TESTLIB_CHECKER, "testlib.h": "#define OK_EXIT_CODE 42\n"}, Convention.ICPC),
        # the header is only spoken of
        ({"v.cpp": '// like #include "testlib.h"\n/*\n#include "testlib.h"\n*/\nint main() {}\n'}, Convention.ICPC),
        ({"v.py": "# testlib.h is for C++\n"}, Convention.ICPC),
    ],
)
def test_convention(tmp_path: Path, files: dict[str, str], convention: Convention) -> None:
    assert checker(tmp_path, {f"output_validator/{k}": v for k, v in files.items()}).convention is convention


def test_convention_as_stated(tmp_path: Path) -> None:
    files = {
        "output_validator/chk.cpp": TESTLIB_CHECKER,
        "output_validator/v.cpp": "int main() {}\n",
        "judge.yaml": (
            "checker: {convention: hustoj, language: cpp14, main: v.cpp, arguments: [x], limits: {cpu_ns: 7}}\n"
        ),
    }
    program = checker(tmp_path, files)
    assert program.convention is Convention.HUSTOJ
    assert program.language == "cpp14"
    assert program.sources[0].name == "v.cpp"
    assert program.arguments == ("x",)
    assert program.limits.cpu_ns == 7


@pytest.mark.parametrize(
    ("names", "main"),
    [
        (["output_validator/a.h", "output_validator/b.cpp"], "b.cpp"),
        (["output_validator/v/lib.cpp", "output_validator/v/main.cpp"], "main.cpp"),
        (["output_validator/v/__init__.py", "output_validator/v/__main__.py"], "__main__.py"),
        (["output_validator/README.md", "output_validator/v.py"], "v.py"),
    ],
)
def test_which_source_is_the_program(tmp_path: Path, names: list[str], main: str) -> None:
    program = checker(tmp_path, dict.fromkeys(names, "\n"))
    assert program.sources[0].name == main
    assert {path.name for path in program.sources} == {Path(name).name for name in names} - {"README.md"}


def test_the_source_with_main_is_the_program(tmp_path: Path) -> None:
    files = {"output_validator/a.cpp": "int f() { return 1; }\n", "output_validator/b.cpp": "int main() {}\n"}
    assert checker(tmp_path, files).sources[0].name == "b.cpp"


def test_arguments_of_a_program(tmp_path: Path) -> None:
    files = {
        "output_validator/v.py": "1\n",
        "data/secret/test_group.yaml": "output_validator_args: [strict, '3']\n",
        "data/secret/02.yaml": "output_validator_args: [loose]\n",
    }
    problem = load(tmp_path, files)
    by_name = {case.name: case.checker for case in problem.cases}
    assert isinstance(problem.checker, Program)
    assert problem.checker.arguments == ("strict", "3")
    for name, arguments in (("secret/01", ("strict", "3")), ("secret/02", ("loose",))):
        own = by_name[name] or problem.checker
        assert isinstance(own, Program)
        assert own.arguments == arguments


def test_interactive(tmp_path: Path) -> None:
    files = {
        "problem.yaml": PROBLEM + "type: [pass-fail, interactive]\nlimits: {validation_time: 3}\n",
        "output_validator/v.py": "1\n",
        "data/secret/test_group.yaml": "output_validator_args: [x]\n",
        "data/sample/test_group.yaml": "output_validator_args: [x]\n",
    }
    problem = load(tmp_path, files)
    assert problem.kind == "interactive"
    assert problem.checker == Comparison()
    assert problem.interactor is not None
    assert problem.interactor.arguments == ("x",)
    assert problem.interactor.limits.cpu_ns == 3 * SECOND_NS
    assert all(case.checker is None for case in problem.cases)


def test_interactor_and_checker(tmp_path: Path) -> None:
    files = {
        "problem.yaml": PROBLEM + "type: interactive\n",
        "output_validator/chk.cpp": TESTLIB_CHECKER,
        "interactor/i.cpp": "int main() {}\n",
        "judge.yaml": "interactor: {convention: testlib}\n",
    }
    problem = load(tmp_path, files)
    assert isinstance(problem.checker, Program)
    assert problem.checker.sources[0].name == "chk.cpp"
    assert problem.interactor is not None
    assert problem.interactor.sources[0].name == "i.cpp"
    assert problem.interactor.convention is Convention.TESTLIB


def test_grader(tmp_path: Path) -> None:
    files = {
        "include/cpp/main.cpp": "int main() {}\n",
        "include/python3/main.py": "1\n",
        "include/default/data.txt": "1\n",
        "judge.yaml": "grader: {submission_name: {cpp: game.cpp}}\n",
    }
    grader = load(tmp_path, files).grader
    assert grader is not None
    assert {language: sorted(path.name for path in paths) for language, paths in grader.files.items()} == {
        "cpp": ["main.cpp"],
        "python": ["main.py"],
    }
    assert [path.name for path in grader.default] == ["data.txt"]
    assert grader.submission_name == {"cpp": "game.cpp"}


def test_submissions_by_directory(tmp_path: Path) -> None:
    names = {
        "accepted/std.cpp": {"AC"},
        "accepted/folder/std.py": {"AC"},
        "accepted/two/a.cpp": {"AC"},
        "accepted/below/a.c": {"AC"},
        "wrong_answer/w.py": {"WA"},
        "time_limit_exceeded/t.cpp": {"TLE"},
        "run_time_error/r.c": {"RE", "MLE", "OLE"},  # the format knows no other verdict for what is too large
        "memory_limit_exceeded/m.cpp": {"MLE"},
        "output_limit_exceeded/o.cpp": {"OLE"},
        "presentation_error/p.cpp": {"PE"},
        "partially_correct/p.cpp": {"PC"},
        "compile_error/c.cpp": {"CE"},
        "brute_force/b.cpp": {"TLE", "RE", "MLE", "OLE"},
        "rejected/x.cpp": {"WA", "PE", "PC", "TLE", "RE", "MLE", "OLE"},
    }
    ignored = [
        "accepted/notes.txt",
        "accepted/two/b.cpp",
        "accepted/below/b/b.c",
        "accepted/apart/a/a.c",
        "accepted/apart/b/b.c",
        "strange/x.cpp",
    ]
    problem = load(tmp_path, {f"submissions/{name}": "\n" for name in [*names, *ignored]})
    root = problem.directory / "submissions"
    assert {one.path.relative_to(root).as_posix(): set(one.expected) for one in problem.submissions} == names


@pytest.mark.parametrize(
    ("rules", "name", "expected"),
    [
        ("mixed/x.cpp: {permitted: [AC, WA, TLE], required: [TLE]}", "mixed/x.cpp", {"WA", "PE", "PC", "TLE"}),
        ("'mixed/*': {permitted: [AC, RTE], required: [RTE]}", "mixed/x.cpp", {"RE", "MLE", "OLE"}),
        ("'mixed/{x,y}.{cpp,py}': {permitted: [AC]}", "mixed/y.py", {"AC"}),
        ("'mixed': {permitted: [AC, TLE]}", "mixed/deep/x.cpp", {"AC", "TLE"}),
        # the bare name of a directory replaces its default, a pattern adds to it
        ("wrong_answer: {permitted: [AC, TLE], required: [TLE]}", "wrong_answer/x.cpp", {"TLE"}),
        ("'brute_force/*': {permitted: [AC, TLE], required: [TLE]}", "brute_force/x.cpp", {"TLE"}),
        # our directories say more than the format's four verdicts
        ("memory_limit_exceeded: {permitted: [AC, RTE]}", "memory_limit_exceeded/x.cpp", {"MLE"}),
        # rules for some of the tests only do not speak of the whole
        ("accepted/x.cpp: {secret/01: {permitted: [AC]}, 'sample': {permitted: [AC]}}", "accepted/x.cpp", {"AC"}),
        ("'[m]ixed/x.cpp': {permitted: [AC]}", "accepted/x.cpp", {"AC"}),
    ],
)
def test_submissions_yaml(tmp_path: Path, rules: str, name: str, expected: set[str]) -> None:
    problem = load(tmp_path, {"submissions/submissions.yaml": rules + "\n", f"submissions/{name}": "\n"})
    assert [set(one.expected) for one in problem.submissions] == [expected]


def test_language_and_score_of_a_submission(tmp_path: Path) -> None:
    files = scored(g1="max_score: 50\n", g2="max_score: 150\n") | {
        "submissions/mixed/half.cpp": "\n",
        "submissions/submissions.yaml": "mixed/half.cpp: {permitted: [AC, WA], language: cpp, score: 50}\n",
    }
    (one,) = problems.load(write_files(tmp_path / "sum", files)).submissions
    assert one.language == "cpp"
    assert one.score == 0.25


def test_exact_verdicts_in_judge_yaml(tmp_path: Path) -> None:
    files = {
        "submissions/mixed/x.cpp": "\n",
        "submissions/submissions.yaml": "mixed/x.cpp: {permitted: [AC, RTE]}\n",
        "judge.yaml": "submissions: {mixed/x.cpp: [MLE, OLE]}\n",
    }
    (one,) = load(tmp_path, files).submissions
    assert one.expected == {"MLE", "OLE"}
