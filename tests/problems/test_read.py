"""Packages of version 2025-09 and 2023-07-draft into the model."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

import problems
from problems import Aggregation, Comparison, Limits, Mode, ProblemError
from problems.model import MIB, SECOND_NS, Program, usual_wall_ns
from problems.text.constants import substitute
from tests.packages import DRAFT, MINIMAL, PROBLEM, scored, write_files


def load(tmp_path: Path, files: dict[str, str]) -> problems.Problem:
    return problems.load(write_files(tmp_path / "sum", files))


def test_minimal(tmp_path: Path) -> None:
    problem = load(tmp_path, dict(MINIMAL))
    assert problem.name == "sum"
    assert problem.directory == tmp_path / "sum"
    assert problem.title == {"en": "Sum", "zh": "求和"}
    assert problem.format == "2025-09"
    assert problem.kind == "batch"
    assert problem.limits == Limits(memory_bytes=2048 * MIB, output_bytes=8 * MIB, code_bytes=128 * 1024)
    assert problem.unstated == ("cpu_ns", "memory_bytes", "output_bytes", "code_bytes")
    assert (problem.compile_cpu_ns, problem.compile_memory_bytes) == (60 * SECOND_NS, 2048 * MIB)
    assert [case.name for case in problem.cases] == ["sample/1", "secret/01", "secret/02"]
    assert [case.sample for case in problem.cases] == [True, False, False]
    assert [group.name for group in problem.groups] == ["sample", "secret"]
    assert [(group.counted, group.points) for group in problem.groups] == [(True, 1.0), (True, 2.0)]
    assert problem.cases[1].read_input() == b"3 4\n"
    assert problem.cases[1].read_answer() == b"7\n"


def test_all_of_problem_yaml(tmp_path: Path) -> None:
    text = """\
problem_format_version: "2025-09"
type: [pass-fail, multi-pass]
name: {en: Sum, no: Addisjon}
uuid: 7f9c24e8-3b1d-4f0a-9c55-0d1e2f3a4b5c
version: 1.2
credits: {authors: [A <a@example.org>, {name: B, orcid: 0000-0001}], testers: C, translators: {zh: D}}
source: [{name: NWERC 2024, url: "https://example.org"}, SWERC]
license: cc by-sa
rights_owner: A
embargo_until: 2026-01-01
limits: {time_limit: 1.5, memory: 512, output: 8, code: 64, time_multipliers: {ac_to_time_limit: 3},
         compilation_time: 60, validation_time: 5, validation_memory: 100, validation_passes: 4}
keywords: [math, 2048]
languages: [cpp, python3]
allow_file_writing: true
constants: {n: 5}
"""
    problem = load(tmp_path, {**MINIMAL, "problem.yaml": text, "output_validator/v.py": "import sys; sys.exit(42)\n"})
    assert problem.title == {"en": "Sum", "no": "Addisjon"}  # YAML 1.1 reads `no` as false
    assert problem.kind == "multi-pass"
    assert problem.passes == 4
    assert problem.limits == Limits(
        cpu_ns=1_500_000_000, memory_bytes=512 * MIB, output_bytes=8 * MIB, code_bytes=64 * 1024
    )
    assert isinstance(problem.checker, problems.model.Program)
    assert problem.checker.limits.cpu_ns == 5 * SECOND_NS
    assert problem.checker.limits.memory_bytes == 100 * MIB
    assert problem.authors == ("A <a@example.org>", "B")
    assert problem.source == "NWERC 2024 <https://example.org>; SWERC"
    assert problem.license == "cc by-sa"
    assert problem.keywords == ("math", "2048")
    assert problem.languages == ("cpp", "python3")
    assert problem.uuid.startswith("7f9c24e8")


def test_name_as_text_is_english(tmp_path: Path) -> None:
    text = "problem_format_version: 2025-09\nname: Sum\n"
    assert load(tmp_path, {**MINIMAL, "problem.yaml": text}).title == {"en": "Sum"}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("[]", Comparison(mode=Mode.TOKENS_CI, case_sensitive=False)),
        ("[case_sensitive]", Comparison()),
        ("case_sensitive", Comparison()),
        (
            "[space_change_sensitive, case_sensitive]",
            Comparison(space_sensitive=True),
        ),
        (
            '[float_tolerance, "1e-6"]',
            Comparison(mode=Mode.FLOAT, case_sensitive=False, absolute_tolerance=1e-6, relative_tolerance=1e-6),
        ),
        (
            "[float_absolute_tolerance, 0.5, case_sensitive]",
            Comparison(mode=Mode.FLOAT, absolute_tolerance=0.5),
        ),
        (
            "[float_relative_tolerance, 1e-9, float_absolute_tolerance, .5]",
            Comparison(mode=Mode.FLOAT, case_sensitive=False, absolute_tolerance=0.5, relative_tolerance=1e-9),
        ),
    ],
)
def test_output_validator_args(tmp_path: Path, arguments: str, expected: Comparison) -> None:
    files = {**MINIMAL, "data/secret/test_group.yaml": f"output_validator_args: {arguments}\n"}
    assert load(tmp_path, files).checker == expected


def test_without_arguments_the_format_ignores_case(tmp_path: Path) -> None:
    assert load(tmp_path, dict(MINIMAL)).checker == Comparison(mode=Mode.TOKENS_CI, case_sensitive=False)


def test_arguments_are_inherited_and_cases_may_differ(tmp_path: Path) -> None:
    files = {
        **MINIMAL,
        "data/secret/test_group.yaml": "output_validator_args: [case_sensitive]\nargs: [--fast]\n",
        "data/secret/g/a.in": "a\n",
        "data/secret/g/a.ans": "a\n",
        "data/secret/g/b.in": "b\n",
        "data/secret/g/b.ans": "b\n",
        "data/secret/g/b.yaml": "args: [x, y]\noutput_validator_args: []\ndescription: b is special\nhint: think\n",
    }
    problem = load(tmp_path, files)
    by_name = {case.name: case for case in problem.cases}
    assert problem.checker == Comparison()
    assert by_name["secret/g/a"].checker is None
    assert by_name["secret/g/a"].arguments == ("--fast",)
    assert by_name["secret/g/b"].checker == Comparison(mode=Mode.TOKENS_CI, case_sensitive=False)
    assert by_name["secret/g/b"].arguments == ("x", "y")
    assert by_name["secret/g/b"].description == "b is special"


def test_files_of_a_case(tmp_path: Path) -> None:
    files = {**MINIMAL, "data/secret/01.files/words.txt": "a\n", "data/secret/01.files/map.txt": "b\n"}
    case = load(tmp_path, files).cases[1]
    assert [path.name for path in case.files] == ["map.txt", "words.txt"]


def test_cases_are_in_name_order_samples_first(tmp_path: Path) -> None:
    files = dict(MINIMAL)
    for name in ("sample/2", "secret/10", "secret/2-b/x", "secret/2/x", "secret/2/10", "secret/2/9"):
        files |= {f"data/{name}.in": f"{name}\n", f"data/{name}.ans": "1\n"}
    names = [case.name for case in load(tmp_path, files).cases]
    assert names == [
        *("sample/1", "sample/2", "secret/01", "secret/02", "secret/10"),
        *("secret/2/10", "secret/2/9", "secret/2/x", "secret/2-b/x"),
    ]


def test_pass_fail_groups_weigh_by_their_cases(tmp_path: Path) -> None:
    files = {**MINIMAL, "data/secret/g/a.in": "a\n", "data/secret/g/a.ans": "a\n"}
    groups = load(tmp_path, files).groups
    assert [(group.name, group.points) for group in groups] == [("sample", 1.0), ("secret", 2.0), ("secret/g", 1.0)]
    assert all(group.counted for group in groups)


def test_samples_alone_are_enough_without_scores(tmp_path: Path) -> None:
    problem = load(tmp_path, {name: text for name, text in MINIMAL.items() if "secret" not in name})
    assert [(group.name, group.counted) for group in problem.groups] == [("sample", True)]


def test_scoring_groups(tmp_path: Path) -> None:
    files = scored(
        g1="max_score: 20\nrequire_pass: sample\n",
        g2="max_score: 30\nscore_aggregation: sum\nrequire_pass: [secret/g1]\n",
        g3="max_score: 50\nscore_aggregation: min\n",
    )
    groups = {group.name: group for group in load(tmp_path, files).groups}
    assert [groups[f"secret/g{n}"].points for n in (1, 2, 3)] == [20, 30, 50]
    assert groups["secret/g1"].aggregation is Aggregation.MIN  # pass-fail
    assert groups["secret/g2"].aggregation is Aggregation.SUM
    assert groups["secret/g3"].aggregation is Aggregation.MIN
    assert groups["secret/g1"].requires == ("sample",)
    assert groups["secret/g2"].requires == ("secret/g1",)


def test_scoring_without_groups(tmp_path: Path) -> None:
    files = {**MINIMAL, "problem.yaml": PROBLEM + "type: scoring\n"}
    group = load(tmp_path, files).group("secret")
    assert (group.points, group.aggregation) == (100.0, Aggregation.SUM)


def test_the_least_of_several_groups(tmp_path: Path) -> None:
    files = scored(g1="max_score: 40\n", g2="") | {"data/secret/test_group.yaml": "score_aggregation: min\n"}
    problem = load(tmp_path, files)
    assert [(group.name, group.points, group.within) for group in problem.groups if group.counted] == [
        ("secret", 100.0, None),
        ("secret/g1", 40.0, "secret"),
        ("secret/g2", 100.0, "secret"),
    ]
    assert problem.group("secret").aggregation is Aggregation.MIN
    assert problem.points == 100


def test_secret_that_must_be_passed_as_a_whole_is_one_group(tmp_path: Path) -> None:
    files = scored(g1="", g2="") | {"data/secret/test_group.yaml": "max_score: 7\nscore_aggregation: pass-fail\n"}
    problem = load(tmp_path, files)
    group = problem.group("secret")
    assert (group.points, group.aggregation) == (7.0, Aggregation.MIN)
    assert {case.group for case in problem.cases} == {"sample", "secret"}


def test_directories_below_a_group_belong_to_it(tmp_path: Path) -> None:
    files = scored(g1="max_score: 100\n") | {"data/secret/g1/deep/x.in": "x\n", "data/secret/g1/deep/x.ans": "1\n"}
    problem = load(tmp_path, files)
    assert {case.name: case.group for case in problem.cases}["secret/g1/deep/x"] == "secret/g1"


def test_draft_scoring_map_and_shared_points(tmp_path: Path) -> None:
    files = scored(
        g1="scoring: {score: 40, aggregation: sum}\n",
        g2="scoring: {require_pass: sample}\n",
        g3="output_validator_flags: case_sensitive\n",
    )
    files["problem.yaml"] = DRAFT["problem.yaml"] + "type: scoring\n"
    groups = {group.name: group for group in load(tmp_path, files).groups}
    assert [groups[f"secret/g{n}"].points for n in (1, 2, 3)] == [40, 30, 30]
    assert groups["secret/g1"].aggregation is Aggregation.SUM
    assert groups["secret/g2"].requires == ("sample",)


def test_draft_reads_its_older_names(tmp_path: Path) -> None:
    files = {**DRAFT, "data/secret/testdata.yaml": "output_validator_flags: float_tolerance 1e-4\n"}
    problem = load(tmp_path, files)
    assert problem.format == "2023-07-draft"
    assert isinstance(problem.checker, Comparison)
    assert problem.checker.relative_tolerance == 1e-4


def test_statements(tmp_path: Path) -> None:
    files = {
        **MINIMAL,
        "statement/problem.zh.md": "求和",
        "statement/problem.en.tex": "tex",
        "statement/problem.en.md": "md",
        "statement/problem.pt-BR.md": "x",
        "statement/notes.md": "x",
    }
    statements = load(tmp_path, files).statements
    assert {language: path.name for language, path in statements.items()} == {
        "zh": "problem.zh.md",
        "en": "problem.en.md",
        "pt-BR": "problem.pt-BR.md",
    }


def test_generated_cases(tmp_path: Path) -> None:
    sums = "0" * 64 + "  secret/05-max.in\n" + "1" * 64 + "  secret/05-max.ans\n"
    files = {
        **MINIMAL,
        "generators/generators.yaml": (
            "solution: /submissions/accepted/std.cpp\n"
            "data:\n  secret:\n    data:\n"
            '      - "05-max": gen.py n=100000 seed=5\n'
            '      - "01": {in: "this case is committed, so its entry does not matter"}\n'
        ),
        "generators/gen.py": "print(1)\n",
        "generators/sha256sums": sums,
        "submissions/accepted/std.cpp": "int main(){}\n",
    }
    problem = load(tmp_path, files)
    (case,) = problem.generated
    assert case.name == "secret/05-max"
    assert case.group == "secret"
    assert case.generator == problem.directory / "generators/gen.py"
    assert case.arguments == ("n=100000", "seed=5")
    assert (case.input_sha256, case.answer_sha256) == ("0" * 64, "1" * 64)
    assert problem.solution == problem.directory / "submissions/accepted/std.cpp"


@pytest.mark.parametrize(
    ("copied", "says"),
    [
        ("manual/1", "there is no generators/manual/1.in; add it"),
        ("../data/secret/01", "'../data/secret/01' is no name of an input in generators/; put the input there"),
        ("m/2", "generators/m/2.in has an answer beside it; ship both in data/"),
    ],
)
def test_inputs_that_cannot_be_copied(tmp_path: Path, copied: str, says: str) -> None:
    entries = f"data: {{secret: {{data: [big: {{copy: {copied}}}]}}}}\n"
    files = {**MINIMAL, "generators/generators.yaml": entries, "generators/m/2.in": "", "generators/m/2.ans": ""}
    with pytest.raises(ProblemError, match=re.escape(f"generators.yaml: case 'secret/big': {says}")):
        load(tmp_path, files)


def test_data_that_bapctools_numbered(tmp_path: Path) -> None:
    """It puts a number before the entries of a list, and before groups in lists; with `count` a value stands behind."""
    entries = (
        "data:\n  secret:\n    data:\n"
        "      - small: {data: [{zero: gen.py 0}, {one: gen.py 1}]}\n"
        "      - '': {data: [~: gen.py 2, '': {in: '3'}]}\n"
        "      - many: {data: [{each: {generate: 'gen.py {count}', count: [7, 8]}}, {each: gen.py 9}]}\n"
    )
    names = ("1-small/1-zero", "2/1", "2/2", "3-many/1-each-7", "3-many/2-each-8", "3-many/3-each")
    entries += "  sample: {data: {shown: {in.statement: '6', in.download: {link: in.statement}}}}\n"
    files = MINIMAL | {"generators/generators.yaml": entries, "generators/gen.py": "print(1)\n"}
    files |= {f"data/secret/{name}.{end}": "1\n" for name in names for end in ("in", "ans")}
    problem = load(tmp_path, files)
    assert [(case.name, case.arguments) for case in problem.generated] == [("secret/small/one", ("1",))]
    assert {f"secret/{name}" for name in names} < {case.name for case in problem.cases}


def test_numbers_matter_in_maps(tmp_path: Path) -> None:
    entries = "data: {secret: {data: {max: gen.py 1}}}\n"
    files = MINIMAL | {"generators/generators.yaml": entries, "generators/gen.py": "print(1)\n"}
    files |= {"data/secret/05-max.in": "1\n", "data/secret/05-max.ans": "1\n"}
    assert [case.name for case in load(tmp_path, files).generated] == ["secret/max"]


def test_generated_cases_in_groups_and_as_a_map(tmp_path: Path) -> None:
    files = scored(g1="max_score: 40\n") | {
        "data/secret/g2/test_group.yaml": "max_score: 60\n",
        "generators/generators.yaml": (
            "data: {secret: {data: {g2: {data: {big: gen.py 5}}, g1: {data: [c: gen.py 6]}}}}\n"
        ),
        "generators/gen.py": "print(1)\n",
    }
    problem = load(tmp_path, files)
    assert [(case.name, case.group) for case in problem.generated] == [
        ("secret/g1/c", "secret/g1"),
        ("secret/g2/big", "secret/g2"),
    ]
    assert problem.group("secret/g2").points == 60


def test_constants_in_test_group(tmp_path: Path) -> None:
    files = {
        **MINIMAL,
        "problem.yaml": PROBLEM + "constants: {precision: 1e-5}\n",
        "data/secret/test_group.yaml": 'output_validator_args: [float_tolerance, "{{precision}}"]\n',
    }
    checker = load(tmp_path, files).checker
    assert isinstance(checker, Comparison)
    assert checker.absolute_tolerance == 1e-5


def test_constants_with_variants(tmp_path: Path) -> None:
    files = {
        **MINIMAL,
        "problem.yaml": PROBLEM + "constants: {n: {value: 1000, tex: 10^3}, m-1: 7}\n",
        "data/secret/test_group.yaml": 'output_validator_args: [float_tolerance, "{{n}}"]\n',
    }
    problem = load(tmp_path, files)
    assert isinstance(problem.checker, Comparison)
    assert problem.checker.absolute_tolerance == 1000
    text = b"{{n}} {{n.tex}} {{m-1}} {{n.x}} {{k}}"
    assert substitute(text, problem.constants, "a text") == b"1000 10^3 7 {{n.x}} {{k}}"


def test_templates_beside_a_validator_are_left_out(tmp_path: Path) -> None:
    beside = {"output_validator/template.cpp": "int main() {}", "output_validator/validate.cpp": "int main() {}"}
    below = {"output_validator/skeleton/v.py": "", "output_validator/validate/v.py": "exit(42)"}
    for name, files, main in (("beside", beside, "validate.cpp"), ("below", below, "v.py")):
        checker = load(tmp_path / name, {**MINIMAL, **files}).checker
        assert isinstance(checker, Program)
        assert [path.name for path in checker.sources] == [main]


def test_a_key_of_another_version_is_left_out(tmp_path: Path) -> None:
    text = PROBLEM + "rights_owner: us\nauthor: A\nvalidation: default\nlimits: {time_limit: 2, time_multiplier: 3}\n"
    assert load(tmp_path, {**MINIMAL, "problem.yaml": text}).limits.cpu_ns == 2 * SECOND_NS


def test_time_limit_beside_problem_yaml(tmp_path: Path) -> None:
    assert load(tmp_path, {**MINIMAL, ".timelimit": "3\n"}).limits.cpu_ns == 3 * SECOND_NS


def test_ignored_files(tmp_path: Path) -> None:
    """The specification: hidden files and names with other characters are as if they were not there."""
    files = {**MINIMAL, "data/secret/.hidden.in": "1\n", "data/secret/数据.in": "1\n", "data/.git/x.in": "1\n"}
    assert len(load(tmp_path, files).cases) == 3


def test_links_inside_the_package_are_followed(tmp_path: Path) -> None:
    root = write_files(tmp_path / "sum", MINIMAL)
    (root / "data/secret/03.in").symlink_to("01.in")
    (root / "data/secret/03.ans").symlink_to("01.ans")
    assert problems.load(root).cases[-1].read_input() == b"3 4\n"


def test_judge_yaml(tmp_path: Path) -> None:
    text = """\
comparison: {mode: lines, presentation_error: true}
file_io: {input: P1.in, output: P1.out}
limits: {memory_bytes: 1000000, wall_ns: 7000000000}
groups: {secret: {points: 12.5, aggregation: product}, sample: {counted: true}}
cases: {secret/01: {limits: {cpu_ns: 5}, weight: 2, comparison: {mode: exact}}}
"""
    problem = load(tmp_path, {**MINIMAL, "judge.yaml": text})
    assert problem.checker == Comparison(mode=Mode.LINES, presentation_error=True)
    assert problem.file_io == problems.FileIO(input="P1.in", output="P1.out")
    assert problem.limits.memory_bytes == 1_000_000
    assert problem.limits.wall_ns == 7 * SECOND_NS
    assert problem.group("secret").points == 12.5
    assert problem.group("secret").aggregation is Aggregation.PRODUCT
    assert problem.group("sample").counted
    case = problem.cases[1]
    assert case.limits == dataclasses.replace(problem.limits, cpu_ns=5)
    assert problem.unstated == ("cpu_ns", "output_bytes", "code_bytes")
    assert case.weight == 2
    assert case.checker == Comparison(mode=Mode.EXACT)


def test_the_usual_wall_limit_is_twice_the_cpu_limit_and_a_second() -> None:
    assert usual_wall_ns(1_500_000_000) == 4_000_000_000
