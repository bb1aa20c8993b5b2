"""From files to a data set for TRL: what is kept, what is dropped and why, and that it costs no memory."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from datasets import Dataset, DatasetDict
from pydantic import ValidationError
from transformers import PreTrainedTokenizerFast
from trl import is_conversational

from judge import Judge, Submission, UnknownProblem, Verdict
from judge.common.models import Cjk
from problems.text.statement import Sample, samples
from trainer_adapter import reward_funcs
from trainer_adapter.commands import main
from trainer_adapter.data.config import ANSWER_PROMPT
from trainer_adapter.data.loading import DataConfig, DataError, load
from trainer_adapter.data.shown import is_chinese
from trainer_adapter.data.tests_column import Case, Inline
from trainer_adapter.data.tests_text import unpack

ADDS = b"#include <iostream>\nint main() { int a, b; std::cin >> a >> b; std::cout << a + b << '\\n'; }\n"


def luogu(number: int, **more: Any) -> dict[str, Any]:
    """A row with one sample and two hidden tests."""
    return {
        "pid": f"P{number}",
        "title": f"求和 {number}",
        "description": f"求和，第 {number} 题。",
        "samples": [["1 2\n", "3\n"]],
        "tests": [{"input": "5 6\n", "output": "11\n"}, {"input": f"{number} 1\n", "output": f"{number + 1}\n"}],
        **more,
    }


def written(path: Path, rows: Iterable[Mapping[str, Any]]) -> str:
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return str(path)


def test_a_data_set_for_trl(tmp_path: Path) -> None:
    source = written(tmp_path / "luogu.jsonl", map(luogu, range(1000, 1010)))
    found = load(DataConfig(source=source), tmp_path / "cache")
    assert found.train.column_names == ["prompt", "problem_id", "tests", "difficulty"]
    assert (len(found.train), found.held_out) == (10, None)
    row = found.train[1]
    assert is_conversational(row)
    assert [message["role"] for message in row["prompt"]] == ["system", "user"]
    assert "C++17 program" in row["prompt"][0]["content"]
    assert "```cpp" in row["prompt"][0]["content"]
    assert row["prompt"][1]["content"].startswith("# 求和 1001\n\n## 题目描述\n\n求和，第 1001 题。")
    assert samples(row["prompt"][1]["content"]) == (Sample("1 2\n", "3\n"),)
    assert unpack(row["tests"]) == Inline(
        tests=(
            Case(input="1 2\n", output="3\n", sample=True),
            Case(input="5 6\n", output="11\n"),
            Case(input="1001 1\n", output="1002\n"),
        )
    )
    hidden = {"5 6", "1001 1"}
    assert not any(test in str(row) for test in hidden)


def test_rows_in_our_own_form_are_as_they_were(tmp_path: Path) -> None:
    source = written(tmp_path / "luogu.jsonl", map(luogu, range(1000, 1003)))
    first = load(DataConfig(source=source), tmp_path / "cache").train
    own = written(tmp_path / "own.jsonl", first)
    again = load(DataConfig(source=own), tmp_path / "again")
    assert again.report["schema"] == "own"
    assert list(again.train) == list(first)
    known = {"prompt": "Add two numbers.", "problem_id": "P1001", "difficulty": 1}
    (row,) = load(DataConfig(source=written(tmp_path / "known.jsonl", [known])), tmp_path / "known").train
    assert row == {**known, "prompt": [{"role": "user", "content": "Add two numbers."}], "difficulty": "1"}
    wrong = [{**known, "tests": "nonsense"}, {**known, "prompt": [{"role": "user"}]}, {**known, "prompt": []}]
    with pytest.raises(DataError, match="nothing"):
        load(DataConfig(source=written(tmp_path / "wrong.jsonl", wrong)), tmp_path / "wrong")


def test_columns_that_are_kept_reach_the_rewards(tmp_path: Path) -> None:
    rows = [luogu(number, rating=number * 2, extra={"a": [number]}) for number in (1000, 1001)]
    source = written(tmp_path / "luogu.jsonl", rows)
    found = load(DataConfig(source=source, keep=("rating", "extra")), tmp_path / "cache").train
    assert [(row["rating"], row["extra"]) for row in found] == [(2000, {"a": [1000]}), (2002, {"a": [1001]})]
    with pytest.raises(DataError, match=r"data\.keep names 'score'; the columns are description, extra"):
        load(DataConfig(source=source, keep=("score",)), tmp_path / "missing")
    with pytest.raises(DataError, match="the library has no columns to keep"):
        load(DataConfig(keep=("rating",)), tmp_path / "library")
    with pytest.raises(ValidationError, match="tests: rows have such a column already"):
        DataConfig(keep=("tests",))


def test_the_forms_of_files(tmp_path: Path) -> None:
    rows = [luogu(number) for number in range(1000, 1003)]
    Dataset.from_list(rows).save_to_disk(tmp_path / "saved")
    DatasetDict({"train": Dataset.from_list(rows), "test": Dataset.from_list(rows[:1])}).save_to_disk(tmp_path / "dict")
    written(tmp_path / "lines.jsonl", rows)
    (tmp_path / "lines.jsonl.gz").write_bytes(gzip.compress((tmp_path / "lines.jsonl").read_bytes()))
    (tmp_path / "list.json").write_text(json.dumps(rows), encoding="utf-8")
    (tmp_path / "named.json").write_text(json.dumps({"problems": rows}), encoding="utf-8")
    (tmp_path / "parts").mkdir()
    for number, row in enumerate(rows):
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist([row]), tmp_path / "parts" / f"train-{number}.parquet")
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows[:1]), tmp_path / "parts" / "test-0.parquet")
    forms = ("saved", "dict", "lines.jsonl", "lines.jsonl.gz", "list.json", "named.json", "parts")
    found = [load(DataConfig(source=str(tmp_path / form)), tmp_path / "cache").train.to_list() for form in forms]
    assert all(one == found[0] for one in found)
    assert len(found[0]) == 3
    for form in ("dict", "parts"):
        assert len(load(DataConfig(source=str(tmp_path / form), split="test"), tmp_path / "cache").train) == 1


def test_markdown(tmp_path: Path) -> None:
    """Without test files the samples are the tests: all that there is, and doubtful."""
    statement = "# 求和\n\n求两数之和。\n\n## 样例\n\n**输入：**\n```\n1 2\n```\n**输出：**\n```\n3\n```\n"
    (tmp_path / "luogu").mkdir()
    (tmp_path / "luogu" / "P1001.md").write_text(statement, encoding="utf-8")
    found = load(DataConfig(source=str(tmp_path / "luogu")), tmp_path / "cache")
    assert unpack(found.train[0]["tests"]) == Inline(tests=(Case(input="1 2\n", output="3\n"),))
    doubts = found.report["doubts"]
    assert doubts == {"its only tests are the samples, which the model sees": {"count": 1, "examples": ["P1001"]}}


def test_what_is_dropped_and_why(tmp_path: Path, tokenizer: PreTrainedTokenizerFast) -> None:
    prose = [{"input": "略", "output": "见附件"}]
    rows = [
        luogu(1000),
        luogu(1001, tests=[{"input": "第一行一个整数", "output": "3\n"}, {"input": "7 8\n", "output": "15\n"}]),
        luogu(1002, tests=prose, samples=[["如题所述", "略"]]),
        luogu(1003, description=luogu(1000)["description"]),
        luogu(1004, description="输出任意一组解即可。"),
        luogu(1005, description="长" * 500),
        luogu(1006, description=""),
        luogu(1007, description="坏\ud800字"),
        luogu(1008, tests=[{"input": "9" * 600, "output": "3\n"}, {"input": "7 8\n", "output": "15\n"}]),
    ]
    source = tmp_path / "luogu.jsonl"
    source.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    config = DataConfig(source=str(source), most_prompt_tokens=900, most_test_bytes=500)
    found = load(config, tmp_path / "cache", tokenizer)
    assert found.train["problem_id"][:] == ["P1000", "P1001", "P1008"]
    assert {why: entry["count"] for why, entry in found.report["dropped"].items()} == {
        "none of its tests is left, and samples alone are no tests": 1,
        "has the statement of an earlier row": 1,
        "accepts several answers, and there is no checker": 1,
        "prompt longer than 900 tokens": 1,
        "there is no statement": 1,
        "the statement is no text (a lone surrogate)": 1,
    }
    assert found.report["dropped_tests"] == {
        "prose: describes the format instead of following it": {"count": 1, "examples": ["P1001 test 1"]},
        "prose: a placeholder instead of data": {"count": 2, "examples": ["P1002 sample 1", "P1002 test 1"]},
        "larger than 500 bytes": {"count": 1, "examples": ["P1008 test 1"]},
    }
    assert 0 < found.report["prompt_tokens"]["least"] <= found.report["prompt_tokens"]["most"] <= 900
    kept = load(config.model_copy(update={"cjk": Cjk.KEEP, "several_answers": True}), tmp_path / "cache", tokenizer)
    assert kept.train["problem_id"][:] == ["P1000", "P1001", "P1002", "P1004", "P1008"]


@pytest.mark.parametrize(
    ("sentence", "several"),
    [
        ("If there are multiple answers, print any of them.", True),
        ("If there are several solutions, you may output any.", True),
        ("Any valid answer will be accepted.", True),
        ("如果有多组解，输出任意一组即可。", True),
        ("任意一种方案均可。", True),
        ("Do not print any spaces.", False),
        ("Find the number of ways to choose any of the routes.", False),
        ("Print the answer. Any city is connected to another.", False),
        ("对于任意一个点，输出它的度数。", False),
    ],
)
def test_several_answers(tmp_path: Path, sentence: str, several: bool) -> None:
    source = written(tmp_path / "luogu.jsonl", [luogu(1000), luogu(1001, description=sentence)])
    dropped = load(DataConfig(source=source), tmp_path / "cache").report["dropped"]
    assert ("accepts several answers, and there is no checker" in dropped) is several


@pytest.mark.parametrize(
    ("answer", "decimal"), [("0.5 3\n", True), ("-1.25\n", True), ("1.2.3\n", False), ("7\n", False)]
)
def test_decimal_answers_are_doubted_or_given_a_tolerance(tmp_path: Path, answer: str, decimal: bool) -> None:
    tests = [{"input": "1\n", "output": answer}, {"input": "2\n", "output": "4\n"}]
    source = written(tmp_path / "luogu.jsonl", [luogu(1000, tests=tests)])
    found = load(DataConfig(source=source), tmp_path / "cache")
    assert any("decimal numbers" in doubt for doubt in found.report["doubts"]) is decimal
    assert unpack(found.train[0]["tests"]).relative_tolerance is None
    found = load(DataConfig(source=source, tolerance=1e-6), tmp_path / "cache")
    assert found.report["doubts"] == {}
    tests = unpack(found.train[0]["tests"])
    assert (tests.absolute_tolerance, tests.relative_tolerance) == ((1e-6, 1e-6) if decimal else (None, None))


def test_the_longest_tests_are_kept(tmp_path: Path) -> None:
    tests = [{"input": f"{'1' * length} 1\n", "output": "\n"} for length in (3, 9, 2, 8, 1)]
    source = written(tmp_path / "luogu.jsonl", [luogu(1000, tests=tests)])
    found = load(DataConfig(source=source, most_tests=2), tmp_path / "cache").train[0]["tests"]
    assert [len(case.input) for case in unpack(found).tests if not case.sample] == [12, 11]


def test_held_out_is_a_matter_of_the_statement(tmp_path: Path) -> None:
    rows = [luogu(number) for number in range(1000, 1200)]
    one = load(DataConfig(source=written(tmp_path / "one.jsonl", rows), held_out=0.2), tmp_path / "cache")
    other = load(DataConfig(source=written(tmp_path / "other.jsonl", rows[:50:-1]), held_out=0.2), tmp_path / "cache")
    assert one.held_out is not None
    assert other.held_out is not None
    held_out, train = set(one.held_out["problem_id"]), set(one.train["problem_id"])
    assert len(held_out | train) == 200
    assert not held_out & train
    assert 20 < len(held_out) < 60
    assert set(other.held_out["problem_id"]) < held_out
    assert not set(other.train["problem_id"]) & held_out


def test_one_problem_at_least_is_held_out(tmp_path: Path) -> None:
    """A share of less than one would leave an evaluation with nothing."""
    rows = [luogu(number) for number in range(1000, 1004)]
    source = written(tmp_path / "few.jsonl", rows)
    few = load(DataConfig(source=source, held_out=1e-9), tmp_path / "cache")
    assert few.held_out is not None
    assert (len(few.train), len(few.held_out)) == (3, 1)
    assert (few.report["train"], few.report["held_out"]) == (3, 1)
    shuffled = written(tmp_path / "shuffled.jsonl", rows[::-1])
    again = load(DataConfig(source=shuffled, held_out=1e-9), tmp_path / "cache")
    assert again.held_out is not None
    assert again.held_out["problem_id"][:] == few.held_out["problem_id"][:]
    one = load(DataConfig(source=written(tmp_path / "one.jsonl", rows[:1]), held_out=1e-9), tmp_path / "cache")
    assert (len(one.train), one.held_out) == (1, None)
    none = load(DataConfig(source=source), tmp_path / "cache")
    assert (len(none.train), none.held_out) == (4, None)


def test_of_interactive_problems_the_conversation_is_shown(tmp_path: Path) -> None:
    found = load(DataConfig(only=("guess",), statement_languages=("en",)), tmp_path / "cache")
    prompt = found.train[0]["prompt"][1]["content"]
    assert "### Conversation 1\n\n```\n<7\n>? 4\n<>\n" in prompt
    assert "7 5\n" not in prompt, "what the interactor alone reads"


def test_a_chinese_statement_gets_chinese_headings(tmp_path: Path) -> None:
    def prompts(*tags: str, only: tuple[str, ...] = ()) -> dict[str, str]:
        config = DataConfig(only=only, statement_languages=tags, language="python3")
        found = load(config, tmp_path / "cache").train
        return {row["problem_id"]: row["prompt"][1]["content"] for row in found}

    chinese = prompts("zh")
    assert "## 输入输出样例\n\n### 输入 #1\n\n```\n20 30\n```\n\n### 输出 #1" in chinese["P1001"]
    assert "## 交互样例\n\n程序读入的行" in chinese["guess"]
    assert "请定义 `" in chinese["evaluate"]
    for name, prompt in chinese.items():
        assert not re.search(r"^##+ [\x00-\x7f]*$", prompt, re.MULTILINE), name
    assert "## Examples\n\n### Input 1\n\n```\n20 30" in prompts("en", only=("P1001",))["P1001"]


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("给出两个整数 $a$ 和 $b$，求它们的和。", True),
        ("给定 $n \\le 10^5$ 个数 $a_1, \\dots, a_n$，对每个 $i$ 求 $\\max_{j<i} a_j$ 的值，并输出答案。", True),
        ("Print 你好 and end.", False),
        ("整数が与えられます。和を出力してください。", False),
        ("", False),
    ],
)
def test_chinese_is_told_by_its_letters(text: str, chinese: bool) -> None:
    assert is_chinese(text) is chinese


def test_the_library(tmp_path: Path) -> None:
    found = load(DataConfig(only=("P1001", "P1046")), tmp_path / "cache")
    assert found.train.column_names == ["prompt", "problem_id", "difficulty"]
    assert found.train["problem_id"][:] == ["P1001", "P1046"]
    assert "摘苹果" in found.train[1]["prompt"][1]["content"]
    english = load(
        DataConfig(only=("P1046",), statement_languages=("en", "zh"), language="python3"), tmp_path / "cache"
    )
    assert "Picking Apples" in english.train[0]["prompt"][1]["content"]
    assert "```python" in english.train[0]["prompt"][0]["content"]
    with pytest.raises(UnknownProblem, match="unknown problem 'P1O01'; did you mean P1001"):
        load(DataConfig(only=("P1O01",)), tmp_path / "cache")


def test_gsm8k_keeps_the_answer(tmp_path: Path) -> None:
    rows = [{"question": "What is 6 × 7?", "answer": "Six sevens.\n#### 42"}]
    config = DataConfig(source=written(tmp_path / "gsm8k.jsonl", rows), system_prompt="Answer with {n} in \\boxed{}.")
    found = load(config, tmp_path / "cache").train
    assert found[0] == {
        "prompt": [
            {"role": "system", "content": "Answer with {n} in \\boxed{}."},
            {"role": "user", "content": "What is 6 × 7?"},
        ],
        "answer": "Six sevens.\n#### 42",
    }
    ours = load(config.model_copy(update={"system_prompt": None}), tmp_path / "cache").train
    assert ours[0]["prompt"][0]["content"] == ANSWER_PROMPT
    assert len(load(config.model_copy(update={"system_prompt": ""}), tmp_path / "cache").train[0]["prompt"]) == 1


def test_a_store_of_packages(tmp_path: Path) -> None:
    source = written(tmp_path / "luogu.jsonl", [luogu(1000), luogu(1001, pid="CF 1/A: x")])
    config = DataConfig(source=source, store=tmp_path / "store")
    found = load(config, tmp_path / "cache").train
    assert found.column_names == ["prompt", "problem_id", "difficulty"]
    names = [Path(path).name.rpartition("-")[0] for path in found["problem_id"]]
    assert names == ["P1000", "CF-1-A-x"]
    with Judge(slots=1) as judge:
        verdicts = [judge.judge(Submission(source=ADDS, problem=path)).verdict for path in found["problem_id"]]
        assert verdicts == [Verdict.AC, Verdict.AC]
        wrong = Submission(source=ADDS.replace(b"a + b", b"11"), problem=found[0]["problem_id"])
        assert judge.judge(wrong).verdict is Verdict.WA


@pytest.mark.parametrize("stored", [False, True])
def test_rewards_take_the_rows(tmp_path: Path, stored: bool) -> None:
    source = written(tmp_path / "luogu.jsonl", [luogu(1000), luogu(1001)])
    rows = load(DataConfig(source=source, store=tmp_path / "store" if stored else None), tmp_path / "cache").train
    columns = {name: list(rows[name]) for name in rows.column_names if name != "prompt"}
    answers = [[{"role": "assistant", "content": f"```cpp\n{text.decode()}```"}] for text in (ADDS, ADDS[:-3])]
    try:
        assert reward_funcs.accepted(prompts=list(rows["prompt"]), completions=answers, **columns) == [1.0, 0.0]
    finally:
        reward_funcs.close()


def test_made_once_and_again_when_anything_changed(tmp_path: Path) -> None:
    source = written(tmp_path / "luogu.jsonl", [luogu(1000)])
    config = DataConfig(source=source)
    load(config, tmp_path / "cache")
    made = sorted((tmp_path / "cache").glob("*/train.arrow"))
    load(config, tmp_path / "cache")
    assert sorted((tmp_path / "cache").glob("*/train.arrow")) == made
    written(tmp_path / "luogu.jsonl", [luogu(1000), luogu(1001)])
    assert len(load(config, tmp_path / "cache").train) == 2
    assert len(load(config.model_copy(update={"language": "cpp20"}), tmp_path / "cache").train) == 2
    assert len(list((tmp_path / "cache").glob("*/train.arrow"))) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no rows"),
        ('{"pid": "P1"}\n{"pid": "P2", ', r"luogu\.jsonl:2: no JSON"),
        ("[1, 2]\n", "an object is needed, not list"),
        ('{"text": "…"}\n', "of no known schema"),
        ('{"pid": "P1", "description": "求和。"}\n', "nothing is left to train on:.*1  there are no tests"),
    ],
)
def test_sources_that_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "luogu.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=f"(?s){message}"):
        load(DataConfig(source=str(tmp_path / "luogu.jsonl")), tmp_path / "cache")
    left = [path.name for path in (tmp_path / "cache").iterdir() if path.suffix != ".lock"]
    assert left == []


def test_settings_that_are_refused(tmp_path: Path, tokenizer: PreTrainedTokenizerFast) -> None:
    with pytest.raises(DataError, match="needs the model's tokenizer"):
        load(DataConfig(most_prompt_tokens=100), tmp_path)
    with pytest.raises(DataError, match="unknown language 'cpp71'"):
        load(DataConfig(language="cpp71"), tmp_path)
    with pytest.raises(DataError, match="no such file or directory"):
        load(DataConfig(source=str(tmp_path / "nothing.jsonl")), tmp_path)
    with pytest.raises(DataError, match=r"cannot be had from the hub .*; give a local path"):
        load(DataConfig(source="nobody/nothing"), tmp_path)
    bare = PreTrainedTokenizerFast(tokenizer_object=tokenizer.backend_tokenizer)
    with pytest.raises(DataError, match="has no chat template"):
        load(DataConfig(only=("P1001",)), tmp_path, bare)


MEASURE = """
import resource, sys
from pathlib import Path
import datasets, pyarrow
from trainer_adapter.data.loading import DataConfig, load

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

load(DataConfig(source=sys.argv[1], most_rows=1), Path(sys.argv[2]))
before = peak()
train = load(DataConfig(source=sys.argv[1]), Path(sys.argv[2])).train
print(len(train), peak() - before)
"""


def test_memory_is_of_some_rows_not_of_all(tmp_path: Path) -> None:
    big = [{"input": f"{number} " * 20_000, "output": f"{number}\n"} for number in range(4)]
    source = written(tmp_path / "big.jsonl", (luogu(number, tests=big) for number in range(1000, 1250)))
    size = Path(source).stat().st_size
    run = subprocess.run(
        [sys.executable, "-c", MEASURE, source, str(tmp_path / "cache")], capture_output=True, text=True, check=True
    )
    rows, grown = map(int, run.stdout.split())
    assert rows == 250
    assert size > 32 << 20
    assert grown < size / 4


def inspect(*arguments: str) -> int:
    return main.main(["data", "inspect", *arguments])


def test_inspect(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = written(tmp_path / "luogu.jsonl", [luogu(1000), luogu(1001, tests=[], samples=[])])
    assert inspect(source, "--show", "1") == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{source} (luogu): 1 of 2 problems kept, 0 of them held out; 3 tests\ndropped problems: 1\n")
    assert "1  there are no tests (e.g. P1001)" in out
    assert "=== P1000" in out
    assert "求和，第 1000 题。" in out
    assert "5 6" not in out
    assert inspect(source, "--json") == 0
    assert json.loads(capsys.readouterr().out)["dropped"]["there are no tests"]["count"] == 1
    assert list(tmp_path.iterdir()) == [tmp_path / "luogu.jsonl"]


def test_inspect_a_recipe(tmp_path: Path, model_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = tmp_path / "recipe.yaml"
    text = (
        f"model: {{path: {model_directory}}}\nrun: {{directory: runs}}\ndata: {{source: library, only: [P1001, P1046]"
    )
    recipe.write_text(f"{text}, most_prompt_tokens: 5000}}\n")
    assert inspect(str(recipe)) == 0
    out = capsys.readouterr().out
    assert out.startswith("library (library): 2 of 2 problems kept")
    assert "prompt tokens: least" in out
    recipe.write_text(f"{text}, sauce: library}}\n")
    assert inspect(str(recipe)) == 2
    assert "did you mean source?" in capsys.readouterr().err


def test_inspect_fails_where_nothing_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert inspect(written(tmp_path / "luogu.jsonl", [luogu(1001, tests=[], samples=[])])) == 1
    assert "0 of 1 problems kept" in capsys.readouterr().out
