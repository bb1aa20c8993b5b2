"""What is exported gives the verdicts that the package gives, holds nothing in silence, and is always the same."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

import problems
from judge import Judge
from judge.many.verify import request
from problems import Aggregation, Comparison, FileIO, Function, Grader, Group, Mode, Problem, ProblemError
from problems.exporting import FORMATS, export
from problems.files.tree import Tree
from problems.importing import import_problems
from problems.model import ScoringScript
from problems.reading.time_rule import bounded_side, read_time_rule
from problems.writing.write import write
from tests.judge.cli.conftest import Cli, cli  # noqa: F401 - a fixture
from tests.packages import LEGACY, MINIMAL, write_files, write_package
from tests.problems.exporting.round_trip import PACKAGES, verdicts, whole

#: A task of Harbor has no tests to be read back.
READ_BACK = tuple(name for name in FORMATS if name != "harbor")
CONVERTED = ("kattis", "luogu", "hydro", "polygon")
CHECKER = """#include <cstdlib>
#include <fstream>
#include <iostream>
int main(int, char **argv) {
    std::ifstream input(argv[1]);
    long long sum, a, b;
    input >> sum;
    if (!(std::cin >> a >> b)) std::exit(43);
    std::exit(a + b == sum ? 42 : 43);
}
"""
PARTS = {
    "output_validator/check.cpp": CHECKER,
    "submissions/accepted/one.py": "print(1, int(input()) - 1)\n",
    "submissions/accepted/two.py": "n = int(input())\nprint(n - 2)\nprint(2)\n",
    "submissions/wrong_answer/sample.py": "n = int(input())\nprint(0 if n == 3 else 1, n - 1)\n",
    "submissions/run_time_error/crash.py": "n = int(input())\nprint(1, n - 1)\nassert n < 9\n",
}
PART_CASES = {"sample/1": ("3\n", "1 2\n"), "secret/1": ("5\n", "2 3\n"), "secret/2": ("10\n", "5 5\n")}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("place", ["statement/a b.png", "generators/a b.py"])
def test_no_link_takes_a_file_of_the_machine_along(tmp_path: Path, format: str, place: str) -> None:
    """The reader ignores names with blanks, links or not."""
    (tmp_path / "outside").write_text("a secret of the machine")
    files = {
        "statement/problem.en.md": "Add.\n",
        "submissions/accepted/a.py": "print(1)\n",
        "generators/generators.yaml": "solution: /submissions/accepted/a.py\ndata: {secret: {data: [{one: make 1}]}}\n",
        "generators/make.py": "print(1)\n",
    }
    package = write_package(tmp_path / "sum", {"sample/1": ("1\n", "1\n")}, files=files)
    (package / place).symlink_to(tmp_path / "outside")
    try:
        export(problems.load(package), FORMATS[format], tmp_path / "out", lenient=True)
    except ProblemError as error:
        assert "leaves the package" in str(error) or "generat" in str(error)
    for file in (tmp_path / "out").rglob("*"):
        assert not file.is_file() or b"secret of the machine" not in file.read_bytes()


@pytest.mark.parametrize("format", READ_BACK)
def test_a_round_trip_keeps_the_verdicts(tmp_path: Path, judges: Callable[..., Judge], format: str) -> None:
    """Also of a program that only the sample refuses, by a checker that knows many right answers."""
    package, judge = write_package(tmp_path / "parts", PART_CASES, files=PARTS), judges()
    problem = problems.load(package)
    back = whole(judge, package, format, tmp_path / "out" / "parts")
    before = verdicts(judge, problem, package)
    assert sorted(before.values()) == ["AC", "AC", "RE", "WA"]
    assert verdicts(judge, problem, back.directory) == before


@pytest.mark.parametrize("format", READ_BACK)
def test_a_round_trip_of_a_bundled_problem(tmp_path: Path, judges: Callable[..., Judge], format: str) -> None:
    judge, problem = judges(), problems.load("P1307")
    back = whole(judge, "P1307", format, tmp_path / "out" / "P1307")
    assert verdicts(judge, problem, back.directory) == verdicts(judge, problem, problem.directory)


@pytest.mark.long
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", problems.names())
def test_a_round_trip_of_the_library(tmp_path: Path, judges: Callable[..., Judge], format: str, name: str) -> None:
    judge, problem = judges(slots=2), problems.load(name)
    try:
        back = whole(judge, name, format, tmp_path / "out" / name)
    except ProblemError as error:
        assert "cannot hold" in str(error)
        assert problem.kind != "batch" or problem.function is not None, "ordinary problems fit everywhere"
        return
    before, after = (verdicts(judge, problem, one.directory) for one in (problem, back))
    limited = {name for name, got in before.items() if got == "OLE" and format not in PACKAGES}
    assert {name: got for name, got in after.items() if name not in limited} == {
        name: got for name, got in before.items() if name not in limited
    }, "but for output limits, which the other formats do not state"


SUM = "import sys\nprint(sum(map(int, sys.stdin.read().split())))\n"
TASKS = {
    "data/secret/1/test_group.yaml": "max_score: 30\n",
    "data/secret/2/test_group.yaml": "max_score: 70\nscore_aggregation: sum\n",
    "submissions/accepted/sum.py": SUM,
    "submissions/rejected/first.py": "print(input().split()[0])\n",
    "submissions/rejected/small.py": SUM.replace("sum(", "min(10, sum(", 1).replace("))\n", ")))\n"),
}
TASK_CASES = {
    **{"sample/1": ("1 1\n", "2\n"), "secret/1/a": ("1 2\n", "3\n"), "secret/1/b": ("3 4\n", "7\n")},
    **{"secret/2/a": ("9 0\n", "9\n"), "secret/2/b": ("10 1\n", "11\n")},
}


def subtasks(root: Path, **changes: str) -> Path:
    return write_package(root / "tasks", TASK_CASES, metadata="type: scoring\n", files={**TASKS, **changes})


@pytest.mark.parametrize("format", ["icpc", "kattis", "luogu", "hydro", "polygon"])
def test_a_round_trip_keeps_scores(tmp_path: Path, judges: Callable[..., Judge], format: str) -> None:
    package, judge = subtasks(tmp_path), judges()
    back = whole(judge, package, format, tmp_path / "out" / "tasks")
    problem = problems.load(package)
    before = verdicts(judge, problem, package, scores=True)
    assert before["rejected/small.py"] == ("WA", 0.65)
    assert verdicts(judge, problem, back.directory, scores=True) == before


def test_luogus_zip_has_one_strategy_for_all_subtasks(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    judge = judges()
    with pytest.raises(ProblemError, match="other than min for all"):
        whole(judge, subtasks(tmp_path), "luogu", tmp_path / "out" / "tasks.zip")
    least = subtasks(tmp_path / "least", **{"data/secret/2/test_group.yaml": "max_score: 70\n"})
    back = whole(judge, least, "luogu", tmp_path / "out" / "least.zip")
    problem = problems.load(least)
    before = verdicts(judge, problem, least, scores=True)
    assert before["rejected/small.py"] == ("WA", 0.3)
    assert verdicts(judge, problem, back.directory, scores=True) == before


SCRIPT = "@total_score = @score{0} + 5 * (@status{0} == AC); @final_status = AC; @final_time = 0; @final_memory = 0;"


def scripted(problem: Problem) -> Problem:
    """Its second subtask, and the whole, have scripts; the second test of that is called 1."""
    first, second = (group for group in problem.groups if group.name != "sample")
    names = [case.name for case in problem.cases if case.group == second.name]
    script = ScoringScript(text=SCRIPT.format(2), numbers={names[0]: 2, names[1]: 1})
    whole = ScoringScript(text=SCRIPT.format(9), numbers={first.name: 4, second.name: 9})
    groups = (
        Group(name="sample", counted=False),
        Group(name="secret", points=20, script=whole),
        replace(first, within="secret"),
        replace(second, within="secret", points=15, aggregation=Aggregation.SUM, script=script),
    )
    cases = (replace(case, weight=10 if case.group == second.name else case.weight) for case in problem.cases)
    return replace(problem, groups=groups, cases=tuple(cases))


@pytest.mark.parametrize("format", ["icpc", "luogu"])
def test_a_round_trip_keeps_scripts(tmp_path: Path, format: str) -> None:
    problem = scripted(problems.load(subtasks(tmp_path)))
    export(problem, format, tmp_path / "out")
    if format == "icpc":
        back = problems.load(tmp_path / "out")
    else:
        (one,) = import_problems(tmp_path / "out", tmp_path / "back")
        assert one.package is not None, one.error
        back = problems.load(one.package)
    whole = back.group("secret")
    (second,) = (group for group in back.groups if group.script is not None and group is not whole)
    assert whole.script is not None and second.script is not None
    assert (whole.points, whole.script.text, second.script.text) == (20, SCRIPT.format(9), SCRIPT.format(2))
    assert sorted(whole.script.numbers.values()) == [4, 9]
    inputs = {back_case.name: back_case.read_input() for back_case in back.cases}
    assert problem.groups[3].script is not None
    for name, number in problem.groups[3].script.numbers.items():
        (original,) = (case for case in problem.cases if case.name == name)
        (there,) = (one for one, other in second.script.numbers.items() if other == number)
        assert inputs[there] == original.read_input(), "a script means the same tests"


def changed(problem: Problem, **changes: object) -> Problem:
    return replace(problem, **changes)  # type: ignore[arg-type]


def _groups(problem: Problem, **of_second: object) -> dict[str, object]:
    first, second = (group for group in problem.groups if group.name != "sample")
    samples = (Group(name="sample", counted=False),)
    return {"groups": (*samples, first, replace(second, **of_second))}  # type: ignore[arg-type]


#: What some formats cannot hold: the change, the formats, and whether --lenient leaves it out.
MISFITS: Mapping[str, tuple[Callable[[Problem], Mapping[str, object]], str, bool]] = {
    "need others": (lambda one: _groups(one, requires=("secret/1",)), "kattis luogu", True),
    "aggregation product": (
        lambda one: _groups(one, aggregation=Aggregation.PRODUCT),
        "kattis luogu hydro polygon",
        True,
    ),
    "scripts that compute": (
        lambda one: {"groups": scripted(problems.load(one.directory)).groups},
        "kattis hydro polygon",
        False,
    ),
    "input and output files": (lambda _: {"file_io": FileIO(input="a.in", output="a.out")}, "kattis luogu", True),
    "the files x and y": (lambda _: {"file_io": FileIO(input="x", output="y")}, "hydro", True),
    "functions that": (lambda _: {"function": Function(name="f")}, "kattis luogu hydro polygon", False),
    "compiled with": (
        lambda one: {"grader": Grader(files={"cpp": (one.cases[0].input,)})},
        "luogu hydro polygon",
        False,
    ),
    "multi-pass": (lambda _: {"kind": "multi-pass", "passes": 2}, "luogu hydro polygon", False),
    "submissions are outputs": (lambda _: {"kind": "submit-answer"}, "kattis luogu hydro polygon", False),
    "a choice of languages": (lambda _: {"languages": ("cpp",)}, "kattis", True),
}


def _one(what: str) -> list[tuple[str, str]]:
    return [(what, format) for format in MISFITS[what][1].split()]


@pytest.mark.parametrize(("what", "format"), [pair for what in MISFITS for pair in _one(what)])
def test_what_a_format_cannot_hold_is_told(tmp_path: Path, what: str, format: str) -> None:
    change, _, lenient = MISFITS[what]
    plain = problems.load(subtasks(tmp_path, **{"data/secret/2/test_group.yaml": "max_score: 70\n"}))
    export(plain, format, tmp_path / "plain")
    odd = changed(plain, **change(plain))
    with pytest.raises(ProblemError, match=f"cannot hold .*{what}"):
        export(odd, format, tmp_path / "odd")
    assert not list(tmp_path.glob("*odd*")), "nothing is left of it"
    if not lenient:
        with pytest.raises(ProblemError, match=what):
            export(odd, format, tmp_path / "odd", lenient=True)
        return
    assert any(what in loss for loss in export(odd, format, tmp_path / "odd", lenient=True).losses)


@pytest.mark.parametrize("format", FORMATS)
def test_an_archive_depends_on_its_content_alone(tmp_path: Path, format: str) -> None:
    package = subtasks(tmp_path, **{"data/secret/2/test_group.yaml": "max_score: 70\n"})
    problem = problems.load(package)
    export(problem, format, tmp_path / "one.zip")
    for path in package.rglob("*"):
        path.touch()
    again = problems.load(package)
    export(again, format, tmp_path / "two" / "one.zip")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two" / "one.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as packed:
        assert packed.testzip() is None
        names = {name.removeprefix("tasks/") for name in packed.namelist()}
    export(problem, format, tmp_path / "laid")
    laid = {path.relative_to(tmp_path / "laid").as_posix() for path in (tmp_path / "laid").rglob("*") if path.is_file()}
    assert names == laid - {"tasks.md", "tasks.json"}, (
        "but for the statement and strategies, which Luogu takes elsewhere"
    )


def test_luogus_names_hold_one_run_of_digits(tmp_path: Path) -> None:
    problem = problems.load("P1307")
    export(problem, "luogu", tmp_path / "luogu")
    tests = [path.name for path in (tmp_path / "luogu").iterdir() if path.suffix in (".in", ".out")]
    assert len(tests) == 2 * len(problem.cases)
    assert all(re.fullmatch(r"test\d+\.(in|out)", name) for name in tests)
    config = yaml.safe_load((tmp_path / "luogu" / "config.yml").read_text())
    assert config["test1.in" if "test1.in" in config else "test01.in"] == {
        "timeLimit": problem.limits.cpu_ns // 10**6,
        "memoryLimit": problem.limits.memory_bytes // 1024,
    }


def test_polygon_tags_and_sections(tmp_path: Path) -> None:
    problem = problems.load("P1307")
    export(problem, "polygon", tmp_path / "polygon")
    root = ElementTree.parse(tmp_path / "polygon" / "problem.xml").getroot()
    tags = {one.get("tag") for one in root.iter("solution")}
    assert {"main", "accepted", "wrong-answer"} <= tags
    assert (tmp_path / "polygon/statement-sections/english/input.tex").read_text().strip()
    assert (tmp_path / "polygon/statement-sections/chinese/legend.tex").read_text().strip()


def test_comparisons_of_one_test_and_odd_places(tmp_path: Path) -> None:
    problem = problems.load(subtasks(tmp_path))
    odd = changed(problem, cases=(replace(problem.cases[0], checker=Comparison(mode=Mode.EXACT)), *problem.cases[1:]))
    with pytest.raises(ProblemError, match="a comparison of one test's own"):
        export(odd, "hydro", tmp_path / "hydro")
    odd = changed(problem, cases=(replace(problem.cases[0], interactor_arguments=("a",)), *problem.cases[1:]))
    with pytest.raises(ProblemError, match="arguments of the interactor of one test's own"):
        export(odd, "kattis", tmp_path / "kattis")
    taken = write_files(tmp_path / "taken", {"x": "kept"})
    with pytest.raises(ProblemError, match="exists already"):
        export(problem, "hydro", taken)
    assert (taken / "x").read_text() == "kept"
    with pytest.raises(ProblemError, match="check the package, permissions"):
        export(problem, "hydro", taken / "x" / "y")


def test_conversations_stay(tmp_path: Path) -> None:
    problem = problems.load("guess")
    for format in ("icpc", "kattis"):
        export(problem, format, tmp_path / format)
        assert (tmp_path / format / "data/sample/1.interaction").is_file()
    assert write(problem, tmp_path / "written").joinpath("data/sample/1.interaction").is_file()


def test_a_grader_finds_the_program_that_it_imports(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    """By the name that it has here: there each program keeps its own."""
    judge = judges()
    with judge.build_tests("max-stack") as problem:
        export(problem, "kattis", tmp_path / "out")
    path = tmp_path / "out/submissions/accepted/std/solution.py"
    assert "from solution import" in (tmp_path / "out/include/python3/main.py").read_text()
    (found,) = (one for one in problems.load(tmp_path / "out").submissions if one.path == path)
    assert judge.judge(request("max-stack", found)).verdict == "AC"


@pytest.mark.parametrize("format", ["icpc", "kattis", "polygon"])
def test_two_programs_of_one_name_stay_two(tmp_path: Path, format: str) -> None:
    found = write_package(
        tmp_path / "p",
        {"secret/1": ("1\n", "1\n")},
        files={f"submissions/accepted/{name}/Main.java": "public class Main {}" for name in "ab"},
    )
    export(problems.load(found), format, tmp_path / "out")
    assert len([*(tmp_path / "out").rglob("*Main.java")]) == 2


def test_the_command(cli: Cli, tmp_path: Path) -> None:  # noqa: F811
    needing = {"data/secret/2/test_group.yaml": "max_score: 70\nrequire_pass: secret/1\n"}
    package = subtasks(tmp_path, **needing)
    ran = cli("problems", "export", package, "guess", "--to", "luogu", "-o", tmp_path / "out", "--json")
    assert ran.code == 1
    tasks, guess = json.loads(ran.out)
    assert "subtasks that need others" in tasks["error"] and "interactive problems" in guess["error"]
    ran = cli("problems", "export", package, "--to", "luogu", "-o", tmp_path / "out", "--lenient", "--json")
    assert ran.code == 0, ran.err
    (tasks,) = json.loads(ran.out)
    assert tasks["losses"] and tasks["place"] == str(tmp_path / "out" / "tasks")
    ran = cli("problems", "export", package, "--to", "hydro", "-o", tmp_path / "x.zip")
    assert ran.code == 0 and "note: not in it: submissions (3)" in ran.out
    assert cli("problems", "export", package, "guess", "--to", "hydro", "-o", tmp_path / "y.zip").code == 2
    assert cli("problems", "export", "nowhere", "--to", "hydro", "-o", tmp_path / "y").code == 1


@pytest.mark.parametrize("format", READ_BACK)
def test_a_limit_that_is_not_stated_is_not_written_as_stated(tmp_path: Path, format: str) -> None:
    """What measures the limit anew has none in its files; what needs one refuses, or says that it chose it."""
    files = {"statement/problem.en.md": "Add.\n", "submissions/accepted/a.py": "print(1)\n"}
    metadata = "limits: {memory: 64}\n"
    unstated = problems.load(
        write_package(tmp_path / "sum", {"secret/1": ("1\n", "1\n")}, files=files, metadata=metadata)
    )
    assert unstated.stated_cpu_ns is None
    place = tmp_path / "out"
    try:
        export(unstated, format, place)
    except ProblemError as error:
        assert "a time limit that accepted submissions decide" in str(error)
        assert any("time limit" in str(one) for one in export(unstated, format, place, lenient=True).losses)
        return
    again = problems.load(place) if (place / "problem.yaml").is_file() else None
    if again is None:
        (again,) = import_problems(place, tmp_path / "again", format).problems
    assert again.stated_cpu_ns is None


@pytest.mark.parametrize(
    ("files", "limits"),
    [
        (LEGACY, "memory: 64"),
        (LEGACY, "time_multiplier: 4, time_safety_margin: 1.5"),
        (MINIMAL, "time_multipliers: {ac_to_time_limit: 3, time_limit_to_tle: 2}, time_resolution: 0.5"),
        (MINIMAL, "memory: 64"),
    ],
)
def test_the_newer_format_keeps_the_rule_of_a_time_limit_that_is_not_stated(
    tmp_path: Path, files: Mapping[str, str], limits: str
) -> None:
    head = "\n".join(line for line in files["problem.yaml"].splitlines() if not line.startswith(("limits", " ")))
    own = {f"submissions/{name}/a.py": "print(1)\n" for name in ("accepted", "wrong_answer")}
    place = write_files(tmp_path / "sum", {**files, **own, "problem.yaml": f"{head}\nlimits: {{{limits}}}\n"})
    problem = problems.load(place)
    assert "cpu_ns" in problem.unstated
    export(problem, "icpc", tmp_path / "new")
    (stated,) = tmp_path.glob("new/**/problem.yaml")
    again = problems.load(stated.parent)
    assert "cpu_ns" in again.unstated
    assert read_time_rule(Tree(again.directory, "")) == read_time_rule(Tree(place, ""))
    for side in ("accepted", "wrong_answer"):
        bounds = [
            bounded_side(each, one) == "lower"
            for each in (problem, again)
            for one in each.submissions
            if one.path.parent.name == side
        ]
        assert len(bounds) == 2 and bounds[0] is bounds[1]


@pytest.mark.parametrize(
    ("limits", "multiplier", "margin"),
    [
        ("memory: 64", 2.0, 1.5),
        ("memory: 64, time_multipliers: {ac_to_time_limit: 3, time_limit_to_tle: 2}", 3.0, None),
        ("memory: 64, time_multipliers: {ac_to_time_limit: 5, time_limit_to_tle: 2}", None, None),
    ],
)
def test_the_rule_of_a_time_limit_that_is_not_stated_is_kept(
    tmp_path: Path, limits: str, multiplier: float | None, margin: float | None
) -> None:
    """The older format takes factor 5 where the newer takes 2."""
    problem = problems.load(
        write_package(tmp_path / "sum", {"secret/1": ("1\n", "1\n")}, metadata=f"limits: {{{limits}}}\n")
    )
    assert "cpu_ns" in problem.unstated
    export(problem, "kattis", tmp_path / "old")
    (head,) = tmp_path.glob("old/**/problem.yaml")
    stated = yaml.safe_load(head.read_text())["limits"]
    assert (stated.get("time_multiplier"), stated.get("time_safety_margin")) == (multiplier, margin)
    rules = [read_time_rule(Tree(root, "")) for root in (problem.directory, head.parent)]
    assert rules[0] == rules[1]
