"""Rows of the well-known data sets, as their authors publish them: what is read out of each, and what is refused."""

from __future__ import annotations

import base64
import json
import os
import pickle
import zlib
from pathlib import Path
from typing import Any

import pytest

from judge import Judge, Submission, Verdict
from problems.text.statement import Sample
from trainer_adapter.data import schemas
from trainer_adapter.data.checkers import printing
from trainer_adapter.data.item import Item, Unusable, cases, megabytes, seconds
from trainer_adapter.data.luogu import markdown_row
from trainer_adapter.data.packed import read as read_packed
from trainer_adapter.data.tests_column import Case, DataError, Inline, write_package

SHOWN, FIRST, SECOND = Sample("1 2\n", "3\n"), Sample("5 6\n", "11\n"), Sample("-1 1\n", "0\n")
BOTH = {"inputs": [FIRST.input, SECOND.input], "outputs": [FIRST.output, SECOND.output]}
LISTED = [{"input": one.input, "output": one.output} for one in (FIRST, SECOND)]
SCRAPED = (
    "Add two numbers.\n\n-----Input-----\n\nTwo.\n\n-----Output-----\n\nTheir sum.\n\n"
    "-----Example-----\nInput\n1 2\n\nOutput\n3\n"
)
LUOGU = "## 题目描述\n\n求和。\n\n## 样例 #1\n\n### 样例输入 #1\n\n```\n1 2\n```\n\n### 样例输出 #1\n\n```\n3\n```\n"


def typed(kind: str, **more: Any) -> list[dict[str, Any]]:
    return [one | {"type": kind, "fn_name": None} | more for one in LISTED]


def packed(tests: Any) -> str:
    return base64.b64encode(zlib.compress(pickle.dumps(json.dumps(tests)))).decode()


ROWS: dict[str, dict[str, Any]] = {
    "codeforces": {
        "id": "1/A",
        "title": "Sum",
        "description": "Add two numbers.",
        "input_format": "Two.",
        "output_format": "Their sum.",
        "interaction_format": None,
        "note": None,
        "examples": [{"input": "1 2", "output": "3"}],
        "official_tests": [{"input": "1 2\n", "output": "3\n"}, *LISTED],
        "official_tests_complete": True,
        "time_limit": 1.5,
        "memory_limit": 64.0,
        "rating": 800,
        "executable": True,
        "generated_checker": None,
        "input_mode": "stdio",
    },
    "verifiable": {
        "problem_id": "vcp_1",
        "prompt": "Solve the following coding problem using the programming language python:\n\n"
        + SCRAPED
        + "\n\nThe input will be stdin and you should print your solution to stdout\n\n\n"
        "Now solve the problem and return the code.",
        "verification_info": {"language": "python", "test_cases": typed("stdin_stdout")},
    },
    "verifiable as JSON": {
        "problem_id": "vcp_1",
        "prompt": SCRAPED,
        "verification_info": json.dumps({"language": "python", "test_cases": typed("stdin_stdout")}),
    },
    "code_contests": {
        "name": "1_A. Sum",
        "description": SCRAPED,
        "public_tests": {"input": ["1 2\n"], "output": ["3\n"]},
        "private_tests": {"input": [FIRST.input], "output": [FIRST.output]},
        "generated_tests": {"input": [SECOND.input, SECOND.input], "output": [SECOND.output, SECOND.output]},
        "time_limit": {"seconds": 1, "nanos": 500_000_000},
        "memory_limit_bytes": 64 << 20,
        "input_file": "",
        "output_file": "",
        "cf_rating": 800,
    },
    "apps": {
        "problem_id": 7,
        "question": SCRAPED,
        "input_output": json.dumps(BOTH),
        "starter_code": "",
        "solutions": "[]",
    },
    "taco": {
        "question": SCRAPED,
        "input_output": json.dumps({"inputs": [["5 6"], ["-1 1"]], "outputs": [["11"], ["0"]]}),
        "starter_code": "",
        "time_limit": "1.5 seconds",
        "memory_limit": "64.0 megabytes",
        "url": "https://example.org/1",
    },
    "livecodebench": {
        "question_id": "abc1_a",
        "question_title": "Sum",
        "question_content": "Add two numbers.",
        "starter_code": "",
        "difficulty": "easy",
        "public_test_cases": json.dumps([{"input": "1 2\n", "output": "3\n", "testtype": "stdin"}]),
        "private_test_cases": packed([one | {"testtype": "stdin"} for one in LISTED]),
        "metadata": "{}",
    },
    "deepcoder": {
        "problem": SCRAPED,
        "tests": json.dumps(typed("stdin_stdout")),
        "metadata": "{}",
        "starter_code": None,
    },
    "eurus as text": {
        "data_source": "taco",
        "ability": "Code",
        "prompt": SCRAPED,
        "reward_model": json.dumps({"style": "rule", "ground_truth": json.dumps(BOTH)}),
        "extra_info": {"split": "train", "index": 4},
    },
    "deepcoder of TACO": {"problem": SCRAPED, "tests": json.dumps(BOTH)},
    "eurus": {
        "data_source": "taco",
        "ability": "code",
        "prompt": [
            {"role": "system", "content": "When tackling complex reasoning tasks, …"},
            {
                "role": "user",
                "content": SCRAPED + "\n\nWrite Python code to solve the problem. Present the code in \n"
                "```python\nYour code\n```\nat the end.",
            },
        ],
        "reward_model": {"style": "rule", "ground_truth": json.dumps(BOTH)},
        "extra_info": {"split": "train", "index": 3},
    },
    "luogu": {
        "pid": "P1001",
        "title": "A+B",
        "description": "求和。",
        "inputFormat": "两个数。",
        "outputFormat": "和。",
        "hint": "",
        "samples": [["1 2", "3"]],
        "limits": {"time": [1000, 1500], "memory": [65536, 65536]},
        "tests": LISTED,
        "difficulty": 1,
    },
    "luogu of the new API": {
        "pid": "P1001",
        "content": {"name": "A+B", "description": "求和。", "formatI": "两个数。", "formatO": "和。"},
        "samples": [["1 2\n", "3\n"]],
        "test_cases": LISTED,
    },
    "luogu as Markdown": {"id": "P1001", "markdown": LUOGU, "testcases": LISTED},
}


def read(row: dict[str, Any]) -> Item:
    return schemas.read(schemas.detect(row), row)


@pytest.mark.parametrize("name", ROWS)
def test_rows(name: str) -> None:
    row = ROWS[name]
    item = read(row)
    assert schemas.detect(row).name == {"taco": "apps"}.get(name, name.partition(" ")[0])
    assert "Add two numbers." in item.statement or "求和。" in item.statement
    assert "language python" not in item.statement
    assert "Python code" not in item.statement
    assert [one.input.strip() for one in item.samples] == ["1 2"]
    assert [(one.input, one.output) for one in item.tests] == [("5 6\n", "11\n"), ("-1 1\n", "0\n")]
    assert item.cpu_ns in (None, 1_500_000_000)
    assert item.memory_bytes in (None, 64 << 20)


def test_limits_and_ids() -> None:
    assert {name for name in ROWS if read(ROWS[name]).cpu_ns} == {"codeforces", "code_contests", "taco", "luogu"}
    assert [read(row).id for row in ROWS.values()] == [
        *("1/A", "vcp_1", "vcp_1", "1_A. Sum", "7", "https://example.org/1", "abc1_a", "", "taco-train-4", ""),
        "taco-train-3",
        *("P1001", "P1001", "P1001"),
    ]


FUNCTION = {"fn_name": "add", "inputs": [[1, 2]], "outputs": [3]}
CALLED = {"fn_name": "add", "input": [1, 2], "output": [3], "type": "function_call"}
STARTER = "class Solution:\n    def add(self, a: int, b: int) -> int:\n"
#: LiveCodeBench's: an argument a line, and the name in another column.
FUNCTIONAL = [{"input": "1\n2", "output": "3", "testtype": "functional"}]

#: Rows whose tests call a function: what changes, and what the first test becomes.
CALLS: dict[str, tuple[str, dict[str, Any], tuple[str, str]]] = {
    "apps": ("apps", {"input_output": json.dumps(FUNCTION), "starter_code": STARTER}, ("1\n2\n", "3\n")),
    "apps, wrapped": ("apps", {"input_output": json.dumps(FUNCTION | {"outputs": [[3]]})}, ("1\n2\n", "[ 3 ]\n3\n")),
    "apps, of lists": (
        "apps",
        {"input_output": json.dumps(FUNCTION | {"inputs": [[[1.50], "a b"]] * 2, "outputs": [[3], [3, 4]]})},
        ('[ 1.5 ]\n"a\\u0020b"\n', "[ 3 ]\n"),
    ),
    "apps, of digits": (
        "apps",
        {"input_output": '{"fn_name": "add", "inputs": [[1e400, 1' + "0" * 5000 + ']], "outputs": [0.10]}'},
        ("1e400\n1" + "0" * 5000 + "\n", "0.10\n"),
    ),
    "livecodebench": (
        "livecodebench",
        {
            "public_test_cases": "[]",
            "private_test_cases": packed(FUNCTIONAL),
            "metadata": '{"func_name": "add"}',
            "starter_code": STARTER,
        },
        ("1\n2\n", "3\n"),
    ),
    "verifiable": ("verifiable", {"verification_info": {"test_cases": [CALLED]}}, ("1\n2\n", "[ 3 ]\n3\n")),
    "deepcoder": (
        "deepcoder",
        {"tests": json.dumps([one | {"metadata": {"func_name": "add"}} for one in FUNCTIONAL])},
        ("1\n2\n", "3\n"),
    ),
    "eurus": ("eurus", {"reward_model": {"ground_truth": json.dumps(FUNCTION)}}, ("1\n2\n", "3\n")),
}


@pytest.mark.parametrize("name", CALLS)
def test_tests_that_call_a_function(name: str) -> None:
    schema, change, first = CALLS[name]
    item = read(ROWS[schema] | change)
    assert item.function is not None
    assert item.function.name == "add"
    assert item.function.integer_keys == (schema in ("apps", "eurus"))
    assert (item.tests[0].input, item.tests[0].output) == first
    assert item.starter == change.get("starter_code", "")
    assert item.samples == ()


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("codeforces", {"interaction_format": "Ask."}, "is interactive"),
        ("codeforces", {"executable": False}, "cannot be judged"),
        ("apps", {"TIME_LIMIT": "9 seconds"}, "is it 'time_limit'"),
        ("apps", {"input_output": json.dumps(FUNCTION | {"fn_name": "a b"})}, "no name that a program can define"),
        ("apps", {"input_output": json.dumps(FUNCTION | {"outputs": []})}, "as many"),
        ("apps", {"input_output": json.dumps({"assert_case": ["assert add(1, 2) > 3"]})}, "of which none compares"),
        ("apps", {"starter_code": "def add(a, b):"}, "starter code, and tests that call no function"),
        ("apps", {"input_output": "{"}, "no JSON"),
        ("apps", {"input_output": json.dumps({"inputs": ["1"], "outputs": []})}, "as many"),
        ("apps", {"input_output": json.dumps({"inputs": [{"a": 1}], "outputs": ["1"]})}, "values"),
        ("apps", {"question": "  "}, "no statement"),
        ("verifiable", {"verification_info": {"test_cases": [*LISTED, CALLED]}}, "others give input"),
        (
            "verifiable",
            {"verification_info": {"test_cases": [CALLED, CALLED | {"fn_name": "sub"}]}},
            "several functions",
        ),
        ("livecodebench", {"starter_code": "class Solution:"}, "starter code, and tests"),
        ("livecodebench", {"public_test_cases": '[{"input": "1", "output": "1", "testtype": "functional"}]'}, "a name"),
        ("livecodebench", {"public_test_cases": json.dumps([CALLED])}, "others give input"),
        ("livecodebench", {"private_test_cases": "bm90aGluZw=="}, "neither JSON"),
        ("livecodebench", {"private_test_cases": base64.b64encode(zlib.compress(pickle.dumps(7))).decode()}, "neither"),
        ("deepcoder", {"tests": json.dumps([CALLED | {"input": "[1"}])}, "no JSON"),
        ("eurus", {"ability": "math"}, "no programming problem"),
        ("luogu", {"tests": [{"input": "1"}]}, "no outputs"),
        ("luogu", {"tests": 7}, "no known form"),
    ],
)
def test_refused(name: str, change: dict[str, Any], reason: str) -> None:
    with pytest.raises(Unusable, match=reason):
        read(ROWS[name] | change)


@pytest.mark.parametrize("name", ROWS)
def test_a_broken_row_is_refused_or_has_tests_of_text(name: str) -> None:
    """Whatever stands in it, and no row after it is read otherwise."""
    schema = schemas.detect(ROWS[name])
    whole = schemas.read(schema, ROWS[name])
    refused = 0
    for column in ROWS[name]:
        for value in (None, 7, "x", [7], [[7, 7]], [None], {"x": 7}, [{"x": 7}], b"\xff"):
            try:
                item = schemas.read(schema, ROWS[name] | {column: value})
            except Unusable:
                refused += 1
            else:
                assert all(
                    isinstance(text, str) for one in (*item.samples, *item.tests) for text in (one.input, one.output)
                )
    assert refused >= len(ROWS[name]), "few columns do without a value that is none of theirs"
    assert schemas.read(schema, ROWS[name]) == whole


class Evil:
    """Unpickled by Python's own loader, it leaves a file."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.system, (f"touch {self.path}",)


def test_a_pickle_calls_nothing(tmp_path: Path) -> None:
    data = pickle.dumps(Evil(str(tmp_path / "called")))
    row = ROWS["livecodebench"] | {"private_test_cases": base64.b64encode(zlib.compress(data)).decode()}
    with pytest.raises(Unusable, match="neither JSON"):
        read(row)
    assert list(tmp_path.iterdir()) == []
    pickle.loads(data)
    assert [path.name for path in tmp_path.iterdir()] == ["called"], "the pickle would have done nothing anyway"


def test_unknown_columns_and_names() -> None:
    with pytest.raises(DataError, match=r"of no known schema; name one by --schema or data\.schema: code_contests"):
        schemas.detect({"text": "…"})
    with pytest.raises(DataError, match="did you mean 'codeforces'"):
        schemas.get("codeforce")


def test_cut_tests_are_left_out_and_counted() -> None:
    cut = {"input": "100000\n1 2 3...", "output": "6\n"}
    item = read(ROWS["codeforces"] | {"official_tests": [*LISTED, cut]})
    assert (item.tests, item.missing) == ((FIRST, SECOND), 1)
    assert read(ROWS["codeforces"] | {"official_tests_complete": False}).missing == 1
    assert read(ROWS["codeforces"] | {"official_tests_complete": "false"}).missing == 1


def test_numbers_of_thousands_of_digits() -> None:
    long = "9" * 5000
    assert cases(f'{{"inputs": ["1"], "outputs": [[{long}]]}}') == (Sample("1", f"{long}\n"),)


@pytest.mark.parametrize(
    ("value", "ns"),
    [
        (2, 2 * 10**9),
        ("2.0 seconds", 2 * 10**9),
        ({"seconds": 1, "nanos": 5 * 10**8}, 15 * 10**8),
        (None, None),
        ("", None),
    ],
)
def test_seconds(value: Any, ns: int | None) -> None:
    assert seconds(value) == ns


@pytest.mark.parametrize(
    ("value", "ns"), [("1.00s", 10**9), ("1000ms", 10**9), ("1500 ms", 15 * 10**8), ("2 Seconds", 2 * 10**9), (0, None)]
)
def test_seconds_as_sites_write_them(value: Any, ns: int | None) -> None:
    assert seconds(value) == ns


@pytest.mark.parametrize(
    ("value", "mib"),
    [
        ("256.0 megabytes", 256), (256, 256), ("512.00MB", 512), ("256 MiB", 256), ("262144 KiB", 256), ("1GB", 1024),
        (None, None), ("unlimited", None),
    ],
)  # fmt: skip
def test_megabytes(value: Any, mib: int | None) -> None:
    assert megabytes(value) == (None if mib is None else mib << 20)


@pytest.mark.parametrize("value", ["fast", "1 fortnight", "s", "-1 s", "nan", "1e300 s", [1]])
def test_a_limit_that_is_none_is_refused(value: Any) -> None:
    with pytest.raises(Unusable, match="write 2, '2 s' or '2000 ms'"):
        seconds(value)
    with pytest.raises(Unusable, match="write 256, '256 MB'"):
        megabytes(value)


def test_limits_as_luogu_shows_them() -> None:
    limits = {"time": ["1.00s", "1.20s"], "memory": "512.00MB"}
    found = read({"pid": "P1", "markdown": LUOGU, "limits": limits})
    assert (found.cpu_ns, found.memory_bytes) == (1_200_000_000, 512 << 20)


def test_markdown_files(tmp_path: Path) -> None:
    path = tmp_path / "P9999.md"
    path.write_text(
        f'---\ntitle: "求和"\nlayout: "post"\ndiff: 入门\npid: P1001\n---\n# 求和\n\n{LUOGU}', encoding="utf-8"
    )
    item = read(markdown_row(path))
    assert (item.id, item.title, item.difficulty, item.samples) == ("P1001", "求和", "入门", (SHOWN,))
    path.write_text(LUOGU, encoding="utf-8")
    assert read(markdown_row(path)).id == "P9999"


CHECKER = """
import sys


def main():
    given, answer, output = (open(path).read() for path in sys.argv[1:4])
    print(1 if sum(map(int, output.split())) == int(given) else 0)


if __name__ == "__main__":
    main()
"""


def test_generated_checker(tmp_path: Path) -> None:
    """Two numbers with the given sum, by a checker that crashes on what is no number."""
    inline = Inline(tests=(Case(input="7\n", output="3 4\n"),), checker=printing(CHECKER))
    broken = inline.model_copy(update={"checker": printing(CHECKER.replace("int(given)", "int('?')"))})
    write_package(inline, tmp_path / "sum")
    write_package(broken, tmp_path / "broken")
    with Judge(slots=1) as judge:

        def verdict(output: str, problem: str = "sum") -> Verdict:
            source = f"print({output!r})\n".encode()
            return judge.judge(Submission(source=source, problem=tmp_path / problem, language="python3")).verdict

        assert [verdict(output) for output in ("3 4", "0 7", "3 5", "seven")] == ["AC", "AC", "WA", "WA"]
        assert verdict("3 4", "broken") is Verdict.IE


def test_a_pickle_asks_for_no_memory() -> None:
    """A loader would make a table of 2^32 places for the one; a list of all steps is long for the other."""
    kept = b"\x80\x02X\x02\x00\x00\x00[]r\xff\xff\xff\x7f."
    many = b"\x80\x02X\x02\x00\x00\x00[]" + b"\x94" * 1_000_000 + b"."
    for data, read_as in ((kept, "no private tests"), (many, "neither JSON")):
        row = ROWS["livecodebench"] | {"private_test_cases": base64.b64encode(zlib.compress(data)).decode()}
        with pytest.raises(Unusable, match=read_as):
            read(row)


FILLED: dict[str, Any] = {
    "tsets": [{"input": "1\n", "output": "1\n"}],
    "test_caess": "[1]",
    "cases": [{"in": "1\n", "out": "1\n"}],
    "Cases": [{"Input": "1\n", "Output": "1\n"}],
    "data": '[{"input": "1\\n", "answer": "1\\n"}]',
    "chekcer": "def check(): ...",
    "checker": "int main() {}",
    "cheker": "int main() {}",
    "checkr": "int main() {}",
    "comparision": "float",
    "output_checker": "x",
    "checker_code": "x",
    "check_program": "x",
    "special_judge": True,
    "has_special_judge": True,
    "is_interactive": True,
    "interactor": "x",
    "spj": "x",
    "chk": 1,
    "grader_code": "x",
    "judge_code": "x",
    "hidden_tests": LISTED,
    "generated_tests": json.dumps(LISTED),
    "private_test_cases": LISTED,
    "extra_tests": {"inputs": ["1"], "outputs": ["1"]},
    "test_cases": LISTED,
    "test_list": ["assert f(1) == 2"],
    "test": "assert f(1) == 2",
    "hiddenTestCases": LISTED,
    "private_cases": [{"input": "0", "output": "0"}],
    "hidden_outputs": ["0"],
    "verifier": "x",
    "eval_script": "x",
    "judgeType": "special",
    "compare_function": "x",
    "float_tolerance": 1e-3,
    "rtol": 0.01,
    "multiple_answers": True,
    "precision": "1e-6",
    "metadata": {"checker": "x"},
    "info": {"a": {"test_cases": LISTED}},
    "about": json.dumps({"is_interactive": True}),
}
#: Columns of such names that decide nothing.
HARMLESS: dict[str, Any] = {
    "examples": [{"input": "1\n", "output": "1\n"}],
    "turns": [{"input": "1\n", "role": "user"}],
    "verified": True,
    "checked": True,
    "validation": "passed",
    "is_valid": True,
    "judgement": "right",
    "verification_status": "passed",
    "library": "numpy",
    "test_info": [{"function_name": "f"}],
    "generated_tests": 12,
    "special_judge": False,
    "checker": None,
    "interactor": "",
    "hidden_tests": [],
    "is_special_judge": 0,
    "has_checker": "false",
    "interactive": "no",
    "spj": "0",
    "private_tests": float("nan"),
    "extra_tests": {"inputs": [], "outputs": []},
    "plus_tests": "[]",
    "more": {"checker": None, "n": 1},
    "num_test_cases": 12,
    "test_case_count": "12",
    "test_cases_passed": "all",
    "test_type": "stdin",
    "test_setup": "import math",
    "example_test": "assert f(1) == 2",
    "online_judge": "Codeforces",
    "latest": "x",
    "contest": "x",
    "multiple_solutions": ["x"],
}
#: What the columns hold that are not read, in the rows of well-known data sets.
PUBLIC = """
aliases contest_id contest_name contest_type contest_start contest_start_year index editorial tags testset_size
generated_tests source difficulty cf_contest_id cf_index cf_points cf_tags is_description_translated
untranslated_description raw_tags skill_types date picture_num inferences gpt_difficulty gpt_pass_percentage
conversations version style subset benchmark_similarity seed_question verified is_passed response meta estimated_date
tokens declaration import signature docstring instruction buggy_solution doc_struct libs passrate total_rollouts
original_dataset agent_ref pass_rate contest_date platform gold_standard_solution
"""


@pytest.mark.parametrize("name", FILLED)
def test_a_column_that_may_decide_and_is_not_read_drops_its_row(name: str) -> None:
    read(ROWS["apps"])
    with pytest.raises(Unusable, match=f"'{name}'.*may decide"):
        read(ROWS["apps"] | {name: FILLED[name]})
    with pytest.raises(Unusable, match=f"'{name}'.*may decide"):
        read(ROWS["eurus"] | {"extra_info": {"index": 3, name: FILLED[name]}})


@pytest.mark.parametrize("name", PUBLIC.split())
def test_columns_of_public_rows_drop_no_row(name: str) -> None:
    value = 12 if name == "generated_tests" else "some words"
    assert schemas.read(schemas.get("codeforces"), ROWS["codeforces"] | {name: value}).tests


def test_what_lies_in_columns_that_are_read_in_part_drops_its_row() -> None:
    with pytest.raises(Unusable, match="'checker'"):
        read(ROWS["livecodebench"] | {"metadata": json.dumps({"checker": "x"})})
    with pytest.raises(Unusable, match="'test_cases'"):
        read(
            ROWS["luogu of the new API"] | {"content": ROWS["luogu of the new API"]["content"] | {"test_cases": LISTED}}
        )


@pytest.mark.parametrize("name", HARMLESS)
def test_a_column_that_decides_nothing_drops_no_row(name: str) -> None:
    assert read(ROWS["apps"] | {name: HARMLESS[name]}) == read(ROWS["apps"])
    read(ROWS["eurus"] | {"extra_info": {"index": 3, name: HARMLESS[name]}})


@pytest.mark.parametrize(
    "tests",
    [
        {"inputs": ["1\n"], "outputs": ["1\n"], "input": ["2\n"], "output": ["2\n"]},
        [{"input": "1\n", "output": "3\n", "answer": "4\n"}],
    ],
)
def test_tests_that_say_two_things_are_not_understood(tests: Any) -> None:
    with pytest.raises(Unusable, match="different things"):
        read(ROWS["apps"] | {"input_output": json.dumps(tests)})


@pytest.mark.parametrize(
    "row",
    [
        ROWS["code_contests"] | {"private_tests": None, "generated_tests": {"input": [], "output": []}},
        ROWS["codeforces"] | {"official_tests": None},
        ROWS["codeforces"] | {"official_tests": []},
        ROWS["livecodebench"] | {"private_test_cases": "[]"},
    ],
)
def test_samples_alone_are_no_tests_where_others_belong(row: dict[str, Any]) -> None:
    with pytest.raises(Unusable, match=r"there are no (private )?tests"):
        read(row)


#: Rows of the data sets that `ROWS` lacks, as their cards describe them, and what becomes of each.
MORE: dict[str, dict[str, Any]] = {
    "code_contests_plus": {
        "id": "1_A",
        "title": "Sum",
        "description": "Add two numbers.",
        "time_limit": 1500,
        "memory_limit": 64,
        "validator": "…",
        "generator": "…",
        "generator_cmd": "./gen -n 10",
        "checker": "int main() {}",
        "correct_submissions": [{"code": "print(sum(map(int, input().split())))", "language": "py3"}],
        "incorrect_submissions": [],
        "test_cases": LISTED,
    },
    "sandbox_fusion": {
        "id": "a3",
        "content": "Add two numbers.",
        "labels": json.dumps({"problem_format": "Standard", "difficulty": "easy"}),
        "test": json.dumps(
            [{"input": {"stdin": one.input}, "output": {"stdout": one.output}} for one in (FIRST, SECOND)]
        ),
        "canonical_solution": {"python": ["print(sum(map(int, input().split())))"]},
    },
    "nemotron": {
        "responses_create_params": {"input": [{"role": "user", "content": SCRAPED}]},
        "verifier_metadata": {"unit_tests": BOTH},
        "hash_id": "c692",
        "dataset": "taco",
        "source": "codeforces",
    },
    "allenai of input and output": {
        "messages": [{"role": "user", "content": SCRAPED}],
        "ground_truth": json.dumps(LISTED),
        "dataset": "code_stdio",
    },
    "allenai, packed": {
        "messages": [{"role": "user", "content": SCRAPED}],
        "ground_truth": [base64.b64encode(zlib.compress(pickle.dumps(LISTED))).decode()],
        "dataset": ["code_stdio"],
    },
    "rstar": {
        "question_id": "seed_1",
        "question": SCRAPED,
        "inputs": json.dumps(BOTH["inputs"]),
        "outputs": json.dumps(BOTH["outputs"]),
        "func_name": "",
        "class_name": None,
        "test_case_type": "Input",
    },
    "verifiable of SYNTHETIC-2": {
        "problem_id": "prime_rl_code_1",
        "task_type": "prime_rl_code",
        "prompt": SCRAPED,
        "verification_info": json.dumps({"ground_truth": json.dumps(BOTH)}),
    },
}


@pytest.mark.parametrize("name", MORE)
def test_more_rows(name: str) -> None:
    item = read(MORE[name])
    assert schemas.detect(MORE[name]).name == name.split(" ", 1)[0].strip(",")
    assert "Add two numbers." in item.statement
    assert [(one.input, one.output) for one in item.tests] == [("5 6\n", "11\n"), ("-1 1\n", "0\n")]
    assert (item.cpu_ns, item.memory_bytes) in ((None, None), (1_500_000_000, 64 << 20))


@pytest.mark.parametrize("name", [*ROWS, *MORE])
def test_a_schema_that_is_named_needs_its_columns(name: str) -> None:
    row = (ROWS | MORE)[name]
    schema = schemas.detect(row)
    for column in schema.columns:
        with pytest.raises(Unusable, match=f"has no column '{column}'"):
            schemas.read(schema, {key: value for key, value in row.items() if key != column})


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("verifiable", {"verification_info": {"language": "python"}}, "neither test_cases nor ground_truth"),
        ("verifiable", {"verification_info": {"test_case": LISTED}}, "not understood: 'test_case'"),
        ("verifiable", {"task_type": "verifiable_math"}, "no programming problem"),
        ("eurus", {"reward_model": {"style": "rule"}}, "no ground_truth"),
        ("eurus", {"reward_model": {"ground_truth": json.dumps({"tests": LISTED})}}, "not understood: 'tests'"),
        ("apps", {"input_output": ""}, "there are no tests"),
        ("apps", {"input_output": json.dumps({"inputs": [], "outputs": []})}, "there are no tests"),
        ("deepcoder", {"tests": "[]"}, "there are no tests"),
        ("deepcoder", {"metadata": '{"func_nam": "add"}'}, "is it 'func_name'"),
        (
            "deepcoder",
            {"tests": json.dumps([{"input": "1\n2", "testtype": "functional", "fn_name": "add"}])},
            "no outputs",
        ),
        ("deepcoder", {"tests": json.dumps([CALLED | {"output": None}])}, "no outputs"),
        (
            "deepcoder",
            {"tests": json.dumps([{"output": "3", "testtype": "functional", "fn_name": "add"}])},
            "no inputs",
        ),
        ("apps", {"input_output": json.dumps({"inputs": ["1 2\n"], "outputs": [None]})}, "no outputs"),
        ("codeforces", {"official_tests": [{"input": "1 2\n", "output": None}]}, "no outputs"),
        ("code_contests", {"input_file": "data/in.txt"}, "no name of a file"),
        ("codeforces", {"input_mode": "pipe"}, "neither stdio nor file"),
        ("code_contests_plus", {"test_cases": None}, "a generator in place of tests"),
        ("code_contests_plus", {"time_limit": 80}, "neither seconds nor milliseconds"),
        ("sandbox_fusion", {"labels": {"problem_format": "Testlib"}}, "not Standard"),
        ("sandbox_fusion", {"test": [{"input": {"stdin": "1", "a.txt": "2"}, "output": {"stdout": "1"}}]}, "more than"),
        ("nemotron", {"verifier_metadata": {"answer": "7"}}, "no unit_tests"),
        ("allenai of input and output", {"dataset": "math"}, "no programming problem"),
        ("allenai of input and output", {"dataset": "code"}, "not what dataset says"),
        ("allenai, packed", {"ground_truth": "bm90aGluZw=="}, "neither JSON nor packed"),
        ("rstar", {"class_name": "LRUCache"}, "a class other than Solution"),
        (
            "code_contests_plus",
            {"checker": {"cpp": "int main() {}"}},
            "'checker', which is no text",
        ),
        ("codeforces", {"generated_checker": ["print(1)"]}, "'generated_checker', which is no text"),
        ("codeforces", {"generated_checker": True}, "'generated_checker', which is no text"),
        ("codeforces", {"generated_checker": 1}, "'generated_checker', which is no program"),
        ("codeforces", {"interaction_format": {"text": "Ask."}}, "'interaction_format', which is no text"),
        ("codeforces", {"executable": "false"}, "cannot be judged"),
        ("eurus", {"ability": ["math"]}, "'ability', which is no text"),
        ("rstar", {"class_name": ["LRUCache"]}, "'class_name', which is no text"),
        ("apps", {"input_output": json.dumps(FUNCTION), "starter_code": "function sub(a) {"}, "does not name"),
        ("luogu", {"limits": {"time": 1, "memory": 262144}}, "Luogu's numbers are milliseconds"),
        ("luogu", {"limits": {"time": 1000, "memory": 256}}, "Luogu's numbers are milliseconds"),
        ("luogu", {"testCases": [{"input": "9", "output": "9"}]}, "different things by tests and testCases"),
        ("rstar", {"inputs": "[1, 2]", "outputs": '["1", "2"]'}, "values, as for a call"),
    ],
)
def test_more_that_is_refused(name: str, change: dict[str, Any], reason: str) -> None:
    with pytest.raises(Unusable, match=reason):
        read((ROWS | MORE)[name] | change)


def test_functions_of_more_rows() -> None:
    called = {
        "question": "Add.",
        "inputs": '["1\\n2"]',
        "outputs": '["3"]',
        "func_name": "add",
        "starter_code": STARTER,
    }
    item = read(called)
    assert (item.function and item.function.name, item.tests) == ("add", (Sample("1\n2\n", "3\n"),))
    asserted = MORE["allenai of input and output"] | {
        "dataset": ["code"],
        "ground_truth": ['["assert add(1, 2) == 3"]'],
    }
    item = read(asserted)
    assert (item.function and item.function.name, item.tests) == ("add", (Sample("1\n2\n", "3\n"),))


def test_a_packed_text_that_is_used_many_times_takes_no_more() -> None:
    many = base64.b64encode(zlib.compress(pickle.dumps(["1" * (1 << 20)] * 2000))).decode()
    with pytest.raises(DataError, match="more than anybody's"):
        read_packed(many)
    with pytest.raises(ValueError, match="used twice"):
        read_packed(base64.b64encode(zlib.compress(b"\x80\x02]q\x00h\x00a.")).decode())


PLUS = """
def assertion(out, exp, atol):
    exact_match = out == exp
    if not exact_match and atol != 0:
        assert np.allclose(out, exp, rtol=1e-07, atol=atol)
    else:
        assert exact_match

{}inputs = [[2], [4], [-6]]
{}results = [1, 2, -3]
{}for i, (inp, exp) in enumerate(zip(inputs, results)):
{}    assertion({}(*inp), exp, 0)
"""


def test_the_plus_tests_are_read_where_a_row_has_them() -> None:
    base = {"task_id": 1, "prompt": "Halve.", "code": "", "test_list": ["assert half(2) == 1"], "test_imports": []}
    plus = base | {"test": PLUS.format("", "", "", "", "half")}
    check = PLUS.format("def check(candidate):\n    ", *["    "] * 3, "candidate")
    human = {"task_id": "HumanEval/1", "prompt": "def half(x):\n", "entry_point": "half", "test": check}
    assert [len(read(row).tests) for row in (base, plus, human)] == [1, 3, 3]
    with pytest.raises(Unusable):
        read(
            plus
            | {"test": "def ref_func(x): return x\nfor inp in inputs:\n    assertion(half(*inp), ref_func(*inp), 0)"}
        )


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ("task_id prompt entry_point canonical_solution base_input plus_input contract atol", "evalplus/humanevalplus"),
        ("task_id prompt entry_point assertion base_input plus_input test_list", "a program in place of the answers"),
        ("task_id complete_prompt instruct_prompt canonical_solution test entry_point prompt", "BigCodeBench's"),
        ("prompt reference_code metadata code_context", "DS-1000's"),
        ("task_id skeleton test methods_info class_name", "ClassEval's"),
        ("name language prompt doctests original tests stop_tokens", "MultiPL-E's"),
    ],
)
def test_rows_whose_tests_are_no_data_are_refused_by_name(columns: str, reason: str) -> None:
    with pytest.raises(DataError, match=reason):
        schemas.detect(columns.split())


def test_rows_of_leetcode() -> None:
    row = {
        "task_id": "sum", "problem_description": "Add.", "prompt": "import math\n", "starter_code": STARTER,
        "entry_point": "Solution().add", "test": "def check(candidate):\n    assert candidate(a = 1,b = 2) == 3\n",
    }  # fmt: skip
    item = read(row)
    assert (item.statement, item.starter, item.missing) == ("Add.", STARTER, 0)
    assert (item.function and item.function.name, item.tests[0].output) == ("add", "3\n")
