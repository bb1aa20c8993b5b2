"""What is written is read back as the same problem."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import problems
from problems import (
    Aggregation,
    Comparison,
    Convention,
    FileIO,
    Function,
    GeneratedCase,
    Grader,
    Group,
    LabelledSubmission,
    Limits,
    Mode,
    Problem,
    Program,
    TestCase,
)
from problems.model import SECOND_NS, Direction, InputTrial, Objective, OutputTrial
from problems.writing.write import write

PNG = b"\x89PNG\r\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A directory of loose files, as an importer finds them."""
    root = tmp_path / "loose"
    root.mkdir()
    return root


def put(root: Path, name: str, content: str | bytes = "x\n") -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def case(root: Path, name: str, group: str = "secret", **more: Any) -> TestCase:
    flat = name.replace("/", "_")
    return TestCase(
        name=name,
        group=group,
        sample=name.startswith("sample/"),
        input=put(root, f"{flat}.in", f"input of {name}\n"),
        answer=put(root, f"{flat}.ans", f"answer of {name}\n"),
        **more,
    )


def plain(root: Path, **more: Any) -> Problem:
    settings: dict[str, Any] = {
        "name": "sum",
        "directory": root,
        "title": {"en": "Sum", "zh": "求和"},
        "groups": (Group(name="sample", points=1), Group(name="secret", points=2)),
        "cases": (case(root, "sample/1", "sample"), case(root, "secret/01"), case(root, "secret/02")),
    }
    return Problem(**(settings | more))


def content(value: Any) -> Any:
    """The problem with paths replaced by (name, bytes), so that two places compare."""
    if isinstance(value, Path):
        return (value.name, value.read_bytes())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: content(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, (tuple, list)):
        return [content(item) for item in value]
    if hasattr(value, "items"):
        return {key: content(item) for key, item in value.items()}
    return value


def same(before: Problem, after: Problem) -> None:
    """Equal but for the identity that the writer gives, and the names of the test files."""
    one, two = (
        content(dataclasses.replace(before, directory=Path("/dev/null"))),
        content(dataclasses.replace(after, directory=Path("/dev/null"))),
    )
    for problem in (one, two):
        problem["uuid"] = bool(problem["uuid"])
        problem["groups"].sort(key=lambda group: group["name"])
        problem["submissions"].sort(key=lambda submission: submission["path"])
        for test in problem["cases"]:
            test["input"] = test["input"][1]
            test["answer"] = test["answer"] and test["answer"][1]
        problem["statements"] = {language: file[1] for language, file in problem["statements"].items()}
    one["uuid"] = True
    if before.compile_memory_bytes is None:  # not of the ICPC format, whose packages grant more
        one |= {"compile_cpu_ns": 60 * 10**9, "compile_memory_bytes": 1 << 30}
    for key in one:
        assert two[key] == one[key], key


def there_and_back(problem: Problem, tmp_path: Path) -> Path:
    target = write(problem, tmp_path / problem.name)
    same(problem, problems.load(target))
    zipped = write(problem, tmp_path / f"{problem.name}.zip")
    same(problem, problems.load(zipped))
    return target


def test_plain(tmp_path: Path, files: Path) -> None:
    target = there_and_back(plain(files), tmp_path)
    assert not (target / "judge.yaml").exists()
    metadata = yaml.safe_load((target / "problem.yaml").read_text())
    assert metadata["problem_format_version"] == "2025-09"
    assert metadata["type"] == "pass-fail"
    assert re.fullmatch(r"[0-9a-f-]{36}", metadata["uuid"])


def test_text_is_text_in_yaml_1_2(tmp_path: Path, files: Path) -> None:
    """BAPCtools reads 1.2, where a bare 1e-06 is a number, not an argument: it ignored the tolerance."""
    words = ("1e-06", "1e6", "-1.5E3", ".5e3", "08", "0o17", "1_0e2", "a\x85b", "float_tolerance", "1.2.3", "-x")
    validator = Program(convention=Convention.ICPC, sources=(put(files, "check.cpp"),), arguments=words)
    target = there_and_back(plain(files, checker=validator), tmp_path)
    root = yaml.compose((target / "data/secret/test_group.yaml").read_text())
    written = root.value[0][1].value
    assert tuple(one.value for one in written) == words
    assert [one.value for one in written if one.style is None] == ["float_tolerance", "1.2.3", "-x"]


COMPARISONS = [
    Comparison(),
    Comparison(case_sensitive=False, mode=Mode.TOKENS_CI),
    Comparison(space_sensitive=True),
    Comparison(mode=Mode.FLOAT, absolute_tolerance=1e-6, relative_tolerance=1e-6),
    Comparison(mode=Mode.FLOAT, absolute_tolerance=0.1, case_sensitive=False),
    Comparison(mode=Mode.FLOAT, absolute_tolerance=1e-9, relative_tolerance=0.5),
    Comparison(mode=Mode.EXACT),
    Comparison(mode=Mode.LINES, presentation_error=True),
    Comparison(mode=Mode.YESNO),
    Comparison(mode=Mode.TOKENS_BY_LINE),
    Comparison(mode=Mode.SORTED_LINES),
    Comparison(mode=Mode.UNORDERED_TOKENS, case_sensitive=False),
    Comparison(mode=Mode.FLOAT),
    Comparison(mode=Mode.TOKENS_CI),
]


@pytest.mark.parametrize("rule", COMPARISONS, ids=str)
def test_comparison(tmp_path: Path, files: Path, rule: Comparison) -> None:
    target = there_and_back(plain(files, checker=rule), tmp_path)
    for directory in ("sample", "secret"):  # the rule is always stated
        assert "output_validator_args" in yaml.safe_load((target / f"data/{directory}/test_group.yaml").read_text())
    assert (target / "judge.yaml").exists() == (rule not in COMPARISONS[:6])


@pytest.mark.parametrize("common", [Comparison(), Comparison(mode=Mode.LINES)], ids=str)
def test_comparison_of_a_case(tmp_path: Path, files: Path, common: Comparison) -> None:
    own = (Comparison(mode=Mode.TOKENS_CI, case_sensitive=False), Comparison(mode=Mode.EXACT))
    cases = [case(files, "secret/01"), case(files, "secret/02"), case(files, "secret/03")]
    cases += [case(files, f"secret/1{n}", checker=rule) for n, rule in enumerate(own)]
    there_and_back(plain(files, checker=common, cases=tuple(cases), groups=(Group(name="secret"),)), tmp_path)


def test_metadata(tmp_path: Path, files: Path) -> None:
    problem = plain(
        files,
        limits=Limits(
            cpu_ns=1_234_567_891, memory_bytes=1_000_001, output_bytes=5, code_bytes=1025, wall_ns=9 * SECOND_NS
        ),
        keywords=("math", "数学"),
        source="NWERC <https://example.org>",
        license="cc by",
        authors=("A", "B <b@example.org>"),
        uuid="7f9c24e8-3b1d-4f0a-9c55-0d1e2f3a4b5c",
        languages=("cpp", "python3"),
        file_io=FileIO(input="sum.in", output="sum.out"),
    )
    there_and_back(problem, tmp_path)
    assert problems.load(tmp_path / "sum").uuid == problem.uuid


def test_file_io_of_one_side(tmp_path: Path, files: Path) -> None:
    there_and_back(plain(files, file_io=FileIO(output="sum.out")), tmp_path)


@pytest.mark.parametrize("tolerance", [None, 1e-6])
def test_function(tmp_path: Path, files: Path, tolerance: float | None) -> None:
    comparison = Comparison(mode=Mode.JSON, absolute_tolerance=tolerance, relative_tolerance=tolerance)
    for function in (Function(name="solve"), Function(name="two_sum", integer_keys=True)):
        there_and_back(plain(files, function=function, checker=comparison), tmp_path / function.name)


def test_cases(tmp_path: Path, files: Path) -> None:
    limits = Limits(cpu_ns=7, memory_bytes=8, output_bytes=9, code_bytes=10, wall_ns=11)
    cases = (
        case(files, "secret/01", weight=2.5, limits=limits, description="small: {it} is"),
        case(files, "secret/02", arguments=("--x", "y z"), files=(put(files, "map.txt"), put(files, "words.txt"))),
    )
    there_and_back(plain(files, cases=cases, groups=(Group(name="secret"),)), tmp_path)


def test_groups(tmp_path: Path, files: Path) -> None:
    groups = (
        Group(name="sample", counted=False),
        Group(name="secret/1", points=20, aggregation=Aggregation.MIN, requires=("sample",)),
        Group(name="secret/10", points=12.5, aggregation=Aggregation.PRODUCT, requires=("secret/2", "secret/1")),
        Group(name="secret/2", points=30, aggregation=Aggregation.SUM),
    )
    cases = [case(files, "sample/1", "sample")]
    cases += [case(files, f"{group.name}/{name}", group.name) for group in groups[1:] for name in "ab"]
    target = there_and_back(plain(files, groups=groups, cases=tuple(cases)), tmp_path)
    read = yaml.safe_load((target / "data/secret/10/test_group.yaml").read_text())
    assert read["max_score"] == 13  # the format knows whole numbers; judge.yaml has the exact one
    assert read["require_pass"] == ["secret/2", "secret/1"]


def test_a_group_of_samples_without_any(tmp_path: Path, files: Path) -> None:
    groups = (Group(name="sample", counted=False), Group(name="secret"))
    target = write(plain(files, groups=groups, cases=(case(files, "secret/01"),)), tmp_path / "sum")
    assert [group.name for group in problems.load(target).groups] == ["secret"]


def test_group_of_all_cases(tmp_path: Path, files: Path) -> None:
    for n, aggregation in enumerate(Aggregation):
        groups = (Group(name="secret", points=100, aggregation=aggregation),)
        cases = (case(files, "secret/01"), case(files, "secret/02"))
        there_and_back(plain(files, name=f"sum{n}", groups=groups, cases=cases), tmp_path)


@pytest.mark.parametrize("void", [False, True])
@pytest.mark.parametrize("aggregation", Aggregation)
def test_groups_in_secret(tmp_path: Path, files: Path, aggregation: Aggregation, void: bool) -> None:
    groups = (
        Group(name="secret", points=50, aggregation=aggregation, void_if_refused=void),
        Group(name="secret/a", points=20, within="secret"),
        Group(name="secret/b", points=30, within="secret", aggregation=Aggregation.MAX),
    )
    cases = (case(files, "secret/a/1", "secret/a"), case(files, "secret/b/1", "secret/b"))
    target = there_and_back(plain(files, groups=groups, cases=cases), tmp_path)
    stated = yaml.safe_load((target / "judge.yaml").read_text())["groups"]
    assert ("secret" in stated) is (aggregation is not Aggregation.MIN or void), "the format says the rest"


def test_groups_in_secret_whose_checker_writes_points(tmp_path: Path, files: Path) -> None:
    """In `secret/b` one test has points of its own."""
    groups = (
        Group(name="secret", points=50, aggregation=Aggregation.MIN),
        Group(name="secret/a", points=20, within="secret"),
        Group(name="secret/b", points=30, within="secret", aggregation=Aggregation.MIN),
    )
    full = {"a/1": 10.0, "a/2": 10.0, "b/1": 30.0, "b/2": None}
    cases = tuple(case(files, f"secret/{name}", f"secret/{name[0]}", full_score=most) for name, most in full.items())
    checker = Program(convention=Convention.ICPC, sources=(put(files, "check.cpp"),))
    there_and_back(plain(files, groups=groups, cases=cases, checker=checker), tmp_path)


def test_group_over_directories(tmp_path: Path, files: Path) -> None:
    groups = (Group(name="secret", points=7, aggregation=Aggregation.MIN),)
    cases = (case(files, "secret/a/1"), case(files, "secret/b/1"))
    there_and_back(plain(files, groups=groups, cases=cases), tmp_path)


@pytest.mark.parametrize("points", [1, 3])
@pytest.mark.parametrize("counted", [True, False])
def test_samples_that_count_or_not(tmp_path: Path, files: Path, points: float, counted: bool) -> None:
    groups = (Group(name="sample", points=points, counted=counted), Group(name="secret", points=7))
    there_and_back(plain(files, groups=groups), tmp_path)


@pytest.mark.parametrize("convention", Convention)
def test_checker_program(tmp_path: Path, files: Path, convention: Convention) -> None:
    checker = Program(
        convention=convention,
        sources=(put(files, "check.cpp", "int main() {}\n"), put(files, "a.cpp", "int x;\n"), put(files, "lib.h")),
        language="cpp14",
        arguments=("strict", "1e-5"),
    )
    cases = (
        case(files, "secret/01"),
        case(files, "secret/02"),
        case(files, "secret/03", checker=dataclasses.replace(checker, arguments=("loose",))),
    )
    raw = convention is Convention.ICPC_UNBOUNDED  # means nothing without an objective
    objective = Objective(direction=Direction.MIN, best=3.0) if raw else None
    groups = (Group(name="secret", points=100.0 if raw else 1.0),)
    there_and_back(plain(files, checker=checker, cases=cases, groups=groups, objective=objective), tmp_path)


def test_interactor(tmp_path: Path, files: Path) -> None:
    interactor = Program(
        convention=Convention.ICPC, sources=(put(files, "i.cpp", "int main() {}\n"),), arguments=("20",)
    )
    there_and_back(plain(files, kind="interactive", interactor=interactor), tmp_path)


@pytest.mark.parametrize("checker", ["program", "comparison"])
def test_testlib_interactor_and_checker(tmp_path: Path, files: Path, checker: str) -> None:
    limits = Limits(cpu_ns=3 * SECOND_NS, memory_bytes=64 << 20)
    program = Program(
        convention=Convention.TESTLIB,
        sources=(put(files, "chk.cpp", "int main() {}\n"),),
        arguments=("a",),
        limits=limits,
    )
    interactor = Program(
        convention=Convention.TESTLIB,
        sources=(put(files, "i.cpp", "int main() {}\n"),),
        arguments=("b",),
        limits=limits,
    )
    chosen = program if checker == "program" else Comparison(mode=Mode.LINES)
    there_and_back(plain(files, kind="interactive", interactor=interactor, checker=chosen), tmp_path)


def test_kinds(tmp_path: Path, files: Path) -> None:
    there_and_back(plain(files, kind="submit-answer"), tmp_path)


def test_grader(tmp_path: Path, files: Path) -> None:
    grader = Grader(
        files={"cpp": (put(files, "main.cpp"), put(files, "game.h")), "python": (put(files, "main.py"),)},
        submission_name={"cpp": "game.cpp", "python": "game.py"},
        before={"cpp": "#include <x.h>\n"},
        after={"python": "main()\n"},
    )
    target = write(plain(files, grader=grader), tmp_path / "sum")
    read = problems.load(target).grader
    assert read is not None
    assert {language: {path.name for path in paths} for language, paths in read.files.items()} == {
        "cpp": {"main.cpp", "game.h"},
        "python": {"main.py"},
    }
    assert read.submission_name == grader.submission_name
    assert (read.before, read.after) == (grader.before, grader.after)
    assert (target / "include/python3/main.py").is_file()


def test_statements_with_pictures(tmp_path: Path, files: Path) -> None:
    statements = {"zh": put(files, "s/zh.md", "求和"), "en": put(files, "s/en.md", "sum")}
    put(files, "s/tree.png", PNG)
    target = there_and_back(plain(files, statements=statements), tmp_path)
    assert (target / "statement/tree.png").read_bytes() == PNG


def test_generated(tmp_path: Path, files: Path) -> None:
    generator = put(files, "g/gen.py", "import helper\n")
    put(files, "g/helper.py")
    std = put(files, "std.cpp", "int main() {}\n")
    generated = (
        GeneratedCase(
            name="secret/08",
            group="secret",
            generator=generator,
            arguments=("n=5", "seed=1"),
            input_sha256="0" * 64,
            answer_sha256="1" * 64,
            weight=3,
        ),
        GeneratedCase(
            name="secret/09", group="secret", generator=generator, arguments=("[a-z]{1,5}", "a b", "", "it's")
        ),
        GeneratedCase(name="secret/10", group="secret", input=put(files, "10.in", "5\n")),
    )
    submissions = (LabelledSubmission(path=std, expected=frozenset({"AC"})),)
    problem = plain(files, generated=generated, solution=std, submissions=submissions)
    target = there_and_back(problem, tmp_path)
    assert (target / "generators/helper.py").is_file()
    assert problems.load(target).solution == target / "submissions/accepted/std.cpp"


def test_solution_that_is_no_submission(tmp_path: Path, files: Path) -> None:
    generated = (GeneratedCase(name="secret/a/1", group="secret/a", generator=put(files, "gen.py"), arguments=("1",)),)
    problem = plain(
        files,
        generated=generated,
        solution=put(files, "brute.py"),
        cases=(case(files, "secret/b/1", "secret/b"),),
        groups=(Group(name="secret/a"), Group(name="secret/b")),
    )
    there_and_back(problem, tmp_path)


def test_submissions(tmp_path: Path, files: Path) -> None:
    labels = ["AC", "WA", "TLE", "RE", "MLE", "OLE", "PE", "PC", "CE", "WA TLE", "AC TLE", "RE CE", "TLE RE MLE OLE"]
    submissions = [
        LabelledSubmission(path=put(files, f"s{n}.cpp", f"// {label}\n"), expected=frozenset(label.split()))
        for n, label in enumerate(labels)
    ]
    submissions.append(
        LabelledSubmission(path=put(files, "half.c"), expected=frozenset({"WA", "PC"}), language="c99", score=0.5)
    )
    parts = put(files, "parts/b.cpp", "int main();\n"), put(files, "parts/a.h"), put(files, "parts/z.cpp")
    submissions.append(LabelledSubmission(path=parts[0], files=parts[1:], expected=frozenset({"AC"})))
    target = there_and_back(plain(files, submissions=tuple(submissions)), tmp_path)
    rules = yaml.safe_load((target / "submissions/submissions.yaml").read_text())
    codes = {code for rule in rules.values() for key in ("permitted", "required") for code in rule.get(key, ())}
    assert codes <= {"AC", "WA", "TLE", "RTE"}  # what other tools know


def test_case_without_answer_gets_an_empty_one(tmp_path: Path, files: Path) -> None:
    cases = (dataclasses.replace(case(files, "secret/01"), answer=None),)
    target = write(plain(files, cases=cases, groups=(Group(name="secret"),)), tmp_path / "sum")
    assert problems.load(target).cases[0].read_answer() == b""


def test_same_problem_same_zip(tmp_path: Path, files: Path) -> None:
    problem = plain(files)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one, two = write(problem, tmp_path / "a/sum.zip"), write(problem, tmp_path / "b/sum.zip")
    assert one.read_bytes() == two.read_bytes()


def test_validators_with_what_tests_them(tmp_path: Path, files: Path) -> None:
    arguments = (("v", ("1", "2")),)
    sources = ((put(files, "input_validators/v.py"),), (put(files, "w/w.cpp"), put(files, "w/x.h")))
    values = (("n", "5"), ("n.tex", "five"), ("k", "1"))
    data = {suffix: put(files, f"right.{suffix}") for suffix in ("in", "ans", "out")}
    problem = plain(
        files,
        input_validators=tuple(Program(convention=Convention.ICPC, sources=one, constants=values) for one in sources),
        input_trials=(InputTrial(input=put(files, "wrong.in"), input_validator_args=arguments),),
        output_trials=tuple(
            OutputTrial(
                input=data["in"],
                answer=data["ans"],
                output=data["out"],
                accepted=accepted,
                checker=Comparison(),
                input_validator_args=(("", ("3",)),) if accepted else (),
            )
            for accepted in (False, True)
        ),
        constants=values,
        cases=(dataclasses.replace(case(files, "secret/01"), input_validator_args=arguments),),
        groups=(Group(name="secret"),),
    )
    target = there_and_back(problem, tmp_path)
    assert yaml.safe_load((target / "problem.yaml").read_text())["constants"] == {
        "n": {"value": "5", "tex": "five"},
        "k": "1",
    }


def test_bundled_library(tmp_path: Path) -> None:
    for name in problems.names():
        problem = problems.load(name)
        same(problem, problems.load(write(problem, tmp_path / name)))
