"""Each hazard has a row that has it, and one that nearly has it and does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import problems
from problems.reading.samples import samples
from trainer_adapter.commands import main
from trainer_adapter.data.build import examples
from trainer_adapter.data.config import DataConfig
from trainer_adapter.data.cut import is_cut
from trainer_adapter.data.hazards import ABOUT, Does, Hazard
from trainer_adapter.data.report import Report

STATEMENT = (
    "You are given two integers. Print {}.\n\n-----Input-----\n\nTwo numbers.\n\n-----Output-----\n\nThe answer.\n"
)
SUM = "a, b = map(int, input().split())\nprint(a + b)\n"
INPUTS, OUTPUTS = ["1 2\n", "5 6\n", "7 8\n"], ["3\n", "11\n", "15\n"]
PAIRS = {"inputs": ["1 2\n", "2 2\n"], "outputs": ["1 2\n", "2 1\n"]}


def row(
    asked: str = "their sum",
    inputs: list[Any] = INPUTS,
    outputs: list[Any] = OUTPUTS,
    solution: str | None = SUM,
    statement: str = STATEMENT,
    **more: Any,
) -> dict[str, Any]:
    tests = {"inputs": inputs, "outputs": outputs} | {key: more.pop(key) for key in ("fn_name",) if key in more}
    found = {"problem_id": "p", "question": statement.format(asked), "input_output": json.dumps(tests)}
    return found | ({} if solution is None else {"solutions": json.dumps([solution])}) | more


SAMPLE = "You are given two numbers. Print their sum.\n\n-----Example-----\nInput\n5 6\n\nOutput\n{}\n"
LISTS = ["1 3\n", "1 11\n", "1 3 5\n"]
READS = "def add(a, b):\n    return a + b\nprint(add(*map(int, input().split())))\n"
CALL = {"fn_name": "f", "solution": "def f(x):\n    return x\n", "statement": "{}"}
#: Rows that have the hazard, and rows that nearly have it.
ROWS: dict[Hazard, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {
    Hazard.SEVERAL_ANSWERS: (
        [row("a path. If there are several answers, print any of them"), row("它们。如果有多组解，输出任意一组即可"),
         row("it. Whenever more than one plan is optimal, you may output whichever you prefer"),
         row("it. If multiple solutions exist, all of them are considered correct"),
         row("it. Your output need not match the sample"), row("方案。若有多种方案，输出任何一种都算对"),
         row("它。答案不唯一，输出其中任何一个"), row("它。本题有 SPJ"),
         row("it. If there is more than one, find any of them"), row("it. This problem uses a special judge")],
        [row("the sum of any two of them"), row("the answer. Do not print any spaces"),
         row("it.\n\nSpecial Judge: No"), row("它。若方案不唯一，输出字典序最小的"), row("它。如果解不唯一，输出 -1"),
         row("it. If there are several plans, print whichever is the shortest")],
    ),
    Hazard.ANY_ORDER: (
        [row("all divisors in any order", outputs=LISTS), row("它们，按任意顺序输出", outputs=LISTS),
         row("the divisors in whatever order you like", outputs=LISTS),
         row("them. The order of the output is not important", outputs=LISTS),
         row("them. The order of elements is not important", outputs=LISTS),
         row("all divisors; the order doesn't matter", outputs=LISTS),
         row("它们。顺序任意。", outputs=LISTS), row("它们，次序无关紧要", outputs=LISTS),
         row("它们，输出顺序不作要求", outputs=LISTS), row("它们，顺序不限", outputs=["1 3\n"] * 3, statement="输出{}"),
         row("them. Any order is accepted", outputs=LISTS), row("them in no particular order", outputs=LISTS)],
        [
            row("the edges, which are given in any order", outputs=LISTS),
            row("最小的。边可以按任意顺序给出", outputs=LISTS),
            row("the minimum cost to visit them in any order", outputs=LISTS),
            row("all of them in any order"),
            row("the number of subsets. The order of elements does not matter", outputs=LISTS),
            row("them in ascending order", outputs=LISTS),
        ],
    ),
    Hazard.UNORDERED_RESULT: (
        [row("Return all pairs in any order.", [[[1, 2]]], [[[1, 2]]], **CALL)],
        [
            row("Return the sum of the numbers, which come in any order.", [[[1, 2]]], [[[1, 2]]], **CALL),
            row("Return it in any order.", [[1], [2]], [1, 2], **CALL),
        ],
    ),
    Hazard.SOLUTION_IN_PROMPT: (
        [row(f"it.\n\nSolution:\n\n{SUM}")],
        [row("it, as in `print(a + b)`"), row("YES", solution="print('YES')\n")],
    ),
    Hazard.TWO_ANSWERS: (
        [row(inputs=["1 2\n", "5 6\n", "5 6"], outputs=["3\n", "11\n", "12\n"])],
        [row(inputs=["1 2\n", "5 6\n", "5 6\n"], outputs=["3\n", "11\n", "11"])],
    ),
    Hazard.SAMPLE_CONTRADICTS: (
        [row(statement=SAMPLE.format(12))],
        [row(statement=SAMPLE.format(11)), row(statement=SAMPLE.format("11\n\nNote that 5 + 6 = 11."))],
    ),
    Hazard.INTERACTIVE: (
        [row("it. This is an interactive problem"), row("it. Flush after each query"), row("这是一道交互题"),
         row("it. You can ask at most 10 queries by printing '? i j'"), row('it. To ask, print "? i" and read'),
         row("it. You may make up to 30 queries"), row("it. To make a query, print one line"),
         row("it. The interactor replies"), row("it. This task is interactive"),
         row("it. Communicate with the jury"), row("it. Use fflush(stdout)"),
         row("it. Queries are of the form `? l r`")],
        [row("it. His friends ask him q queries, for each of them print the sum"),
         row("it. You are given q queries and print the answers"), row("'?' if it is not known"),
         row("it. This is not an interactive problem"), row("all interactive maps"), row("how often to flush")],
    ),
    Hazard.FILES: (
        [row("it to output.txt"), row("it. Read the file cow.in"),
         row("it.\n\nInput file: castle.in\nOutput file: castle.out"), row("it.\n\nInput: castle.in"),
         row("it. Read the data from 'data.txt'"), row("它。输入文件为 castle.in"),
         row("它。从文件 castle.in 中读入"), row("它。从 castle.in 中读入数据"),
         row("it. The input is in race.in; the output goes to race.out"), row("it.\n\nInput filename: castle.in"),
         row("it. They are given in `a.in`")],
        [row("it.\n\nInput file: standard input"), row("it to standard output, not to output.txt"),
        row("how many files are a.txt"), row("the ratio a.in")],
    ),
    Hazard.NO_FUNCTION_NAMED: (
        [
            row("it", solution="class Solution:\n    def add(self, a, b):\n        return a + b\n"),
            row("it", solution=None, statement="Complete the function add(a, b) that returns {}."),
            row("it", solution=None, statement="Implement the class MinStack with push and {}."),
            row("it", solution=None, statement="Design a `MinStack` class for {}."),
            row("it", solution=None, statement="Design a data structure that supports {}."),
            row("it", solution=None, statement="Write a class that holds {}."),
            row("它", solution=None, statement="设计一个类，保存{}。"),
        ],
        [
            row("it. Complete the function add", solution=READS),
            row("the value of the function f(x)", solution=None),
            row("it", solution=None, statement="Students sit in a class. Define a class as good if {} holds."),
            row("它", solution=None, statement="实现类似的功能，输出{}。"),
            row("it", solution="print('YES')\n"),
            row("f", [[1], [2]], [1, 3], **CALL),
        ],
    ),
    Hazard.NO_OUTPUT_AT_ALL: ([row(outputs=["\n", "", " \n"])], [row(outputs=["3\n", "", "15\n"])]),
    Hazard.NUL: ([row("it\0")], [row("the character '\\\\0'")]),
    Hazard.DECIMAL: ([row(outputs=["0.5\n", "1.5\n", "2\n"])], [row(outputs=["1.2.3\n", "1\n", "2\n"])]),
    Hazard.MISSING_TESTS: (
        [{"question": "Square.", "test_cases": ["assert sq(2) == 4", "assert sq(3) == 9", "assert sq(1) > 0"]},
         row(inputs=["1 2\n", "5 6 ...", "7 8\n"], outputs=["3\n", "11\n", "15\n"]),
         row(inputs=["1 2\n", "5\0006", "7 8\n"], outputs=["3\n", "11\n", "15\n"])],
        [{"question": "Square.", "test_cases": ["assert sq(2) == 4", "assert sq(3) == 9"]}],
    ),
    Hazard.ONLY_SAMPLES: (
        [row(inputs=["5 6\n"], outputs=["11\n"], statement=SAMPLE.format(11))],
        [row(statement=SAMPLE.format(11))],
    ),
    Hazard.SINGLE_TEST: ([row(inputs=["5 6\n"], outputs=["11\n"])], [row(inputs=INPUTS[:2], outputs=OUTPUTS[:2])]),
    Hazard.CONSTANT_ANSWER: ([row(outputs=["YES\n"] * 3)], [row(outputs=["YES\n", "YES\n", "NO\n"])]),
    Hazard.EMPTY_OUTPUT: ([row(outputs=["3\n", "", "15\n"])], [row(), row("f", [["a"], ["b"]], ["", "b"], **CALL)]),
    Hazard.IMAGE: (
        [row("it, as shown in the picture below"), row("it.\n\n[image]"), row("它，如下图"),
         row("it, as in the following diagram"), row("it (Figure 1)"), row("it. The figure shows a tree"),
         row("it.\n\n![](a.png)"), row("it <image> here"), row("它。[图1]"), row("it. See Figure 2"),
         row("it: https://a.b/c.png"), row("it. Refer to the figure"), row("it. \\begin{figure}"),
         row("it", picture_num="2"), row("它，参见图片"), row("它，见图1"), row("它。示意图如下"),
         row("it. <figure>x</figure>")],
        [row("the image of the number"), row("it", picture_num="0"), row("the list ![0] (first)")],
    ),
    Hazard.LINES_FOR_CALL: (
        [row("f", [["1"], ["2"]], ["1", "2"], **CALL), row("f", [["5"], ["1 2 3 4 5"]], ["5", "1 2"], **CALL)],
        [row("f", [["a"], ["2"]], ["a", "2"], **CALL), row("f", [[1], [2]], [1, 2], **CALL)],
    ),
    Hazard.CUT_STATEMENT: (
        [row(statement="Two integers are given (1 <= a,"), row(statement="Print the sum of ("),
         row(statement="Print the sum of the integers between a and"), row(statement="给定 a 和 b，"),
         row(statement="给定 a 和 b：")],
        [row(statement="Print it (1 <= a)"), row(statement="Print it.\n```"), row(statement="Print it\n\n<image>")],
    ),
}  # fmt: skip


def found(rows: list[dict[str, Any]], tmp_path: Path, **config: Any) -> list[Report]:
    """A report for each row."""
    reports = []
    for number, one in enumerate(rows):
        path = tmp_path / f"{number}.jsonl"
        path.write_text(json.dumps(one) + "\n", encoding="utf-8")
        reports.append(Report(source=str(path)))
        list(examples(DataConfig.model_validate({"source": str(path), "language": "python3", **config}), reports[-1]))
    return reports


@pytest.mark.parametrize("hazard", ROWS)
def test_a_hazard_and_what_is_none(hazard: Hazard, tmp_path: Path) -> None:
    having, lacking = ROWS[hazard]
    for report in found(having, tmp_path):
        assert report.hazards.counts[hazard] == 1, report
        does = ABOUT[hazard].usual
        assert (report.train, report.dropped.counts.total()) == ((0, 1) if does is Does.DROP else (1, 0)), report
        assert report.as_dict()["hazards"][hazard]["examples"] in (["p"], ["row-0"])
        assert any(hazard in line and ABOUT[hazard].filter in line for line in report.lines())
    for report in found(lacking, tmp_path):
        assert report.hazards.counts[hazard] == 0, report


def test_every_hazard_has_its_rows() -> None:
    by_a_run = {Hazard.REFUSED_REFERENCE, Hazard.SLOW_REFERENCE, Hazard.NOT_JUDGED}
    assert ROWS.keys() | by_a_run == set(Hazard) == ABOUT.keys()


def test_the_user_says_what_is_done(tmp_path: Path) -> None:
    image, order = ROWS[Hazard.IMAGE][0][0], ROWS[Hazard.ANY_ORDER][0][0]
    assert [one.train for one in found([image, order], tmp_path)] == [1, 0]
    assert [one.train for one in found([image, order], tmp_path, hazards={"image": "drop", "any-order": "keep"})] == [
        0,
        1,
    ]
    assert found([order], tmp_path, several_answers=True)[0].train == 1


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("1 2 [truncated]", True), ("1 2 3...(省略)", True), ("<output omitted>", True), ("truncated", False),
        ("100000\n1 2 3...", True), ("1 3 5 7 ...", True), ("abc…", True), ("1 2 3", False), ("", False),
        ("..#\n...", False), ("...", False), ("S..\n...\n", False), ("3\n#....\n.....\n..", False), ("12 9...\n", True),
    ],
)  # fmt: skip
def test_what_was_cut(text: str, cut: bool) -> None:
    assert is_cut(text) is cut


def test_tests_that_are_dropped_from_every_schema(tmp_path: Path) -> None:
    (report,) = found([row(inputs=["1 2\n", "1 2 3...", "5\x006"], outputs=["3\n", "6\n", "11\n"])], tmp_path)
    assert dict(report.dropped_tests.counts) == {'is cut off (ends in "...")': 1, "holds NUL": 1}


SLOW = "import time\nwhile time.process_time() < 60: pass\n"


def test_references_are_run(tmp_path: Path) -> None:
    rows = [row(), row(outputs=["3\n", "12\n", "15\n"]), row(solution=SLOW + SUM), row(solution=None)]
    reports = found(rows, tmp_path, references="name")
    assert [list(one.hazards.counts) for one in reports] == [[], ["refused-reference"], ["slow-reference"], []]
    assert [one.train for one in reports] == [1, 1, 1, 1]
    assert [one.references_run for one in reports] == [1, 1, 1, 0]
    dropped = found(rows[:2], tmp_path, references="drop")
    assert [one.train for one in dropped] == [1, 0]
    assert list(dropped[1].dropped.counts) == ["the tests refuse the row's reference solution"]


def test_a_row_whose_second_reference_is_right_is_not_refused(tmp_path: Path) -> None:
    two = row() | {"solutions": json.dumps(["print(0)\n", SUM])}
    assert found([two], tmp_path, references="name")[0].hazards.counts.total() == 0


def test_one_bad_row_is_one_dropped_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = [
        {"question": 7}, {"question": "x"}, {"question": None, "input_output": None}, {}, {"text": "…"},
        row(inputs="x", outputs=7), row(inputs=[[[]]], outputs=[[]]), row(time_limit="soon"), row(time_limit=-1),
        row(memory_limit=float("inf")), row("it", [[1]], [1], fn_name="Solution().total()"),
        row("it", [[1]], [1], fn_name="x" * 300), row(picture_num=[[]]), row(starter_code={"a": 1}, difficulty=[]),
        row() | {"input_output": "[" * 5000}, row() | {"solutions": "[" * 5000}, row() | {"input_output": "\ud800"},
    ]  # fmt: skip
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in (*bad, row("the one that is right"))), encoding="utf-8")
    assert main.main(["data", "inspect", str(path), "--language", "python3", "--references", "ignore", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["rows"] == len(bad) + 1
    assert report["train"] + sum(one["count"] for one in report["dropped"].values()) == report["rows"]


def test_columns_that_are_not_read_are_named(tmp_path: Path) -> None:
    (report,) = found([row(raw_tags="[]", time_lmit=None)], tmp_path)
    assert dict(report.unread.counts) == {"raw_tags": 1}
    assert "columns that are not read: raw_tags" in report.lines()
    (report,) = found([row(time_lmit="2 s")], tmp_path)
    assert list(report.dropped.counts) == ["has a column 'time_lmit', which is not read; is it 'time_limit'?"]


def test_checkers_that_need_testlib(tmp_path: Path) -> None:
    checker = '#include "testlib.h"\nint main() { return answer(); }\n'
    plus = {
        "id": "1", "description": "Print any of them.", "generator": "", "checker": checker,
        "test_cases": [{"input": "1\n", "output": "1\n"}, {"input": "2\n", "output": "2\n"}],
    }  # fmt: skip
    (report,) = found([plus], tmp_path)
    assert list(report.dropped.counts) == ["its checker needs testlib.h: set data.testlib to one"]
    (tmp_path / "testlib.h").write_text("int answer() { return 0; }\n")
    (report,) = found([plus], tmp_path, testlib=str(tmp_path / "testlib.h"), references="name")
    assert (report.train, report.hazards.counts.total()) == (1, 0)


#: A hazard that some bundled problems, which are sound, really have: their packages state a tolerance, rows do not.
TRUE = {Hazard.DECIMAL}


def test_honest_problems_raise_no_alarm(tmp_path: Path) -> None:
    """Those of the library, as rows with their statement, their tests and no checker."""
    alarms = []
    for name in problems.names():
        problem = problems.load(name)
        plain = isinstance(problem.checker, problems.Comparison) and not (
            problem.interactor or problem.manager or problem.grader
        )
        if not plain or problem.function is not None or problem.file_io is not None or "en" not in problem.statements:
            continue
        shown = [one.texts() for one in samples(problem)]
        tests = [(one.input.read_text(), one.answer.read_text()) for one in problem.cases if one.answer is not None]
        tests += [(one["input"], one["answer"]) for one in shown if "input" in one]
        if len(tests) < 3:
            continue
        inputs, outputs = ([one[place] for one in tests] for place in (0, 1))
        one = row(inputs=inputs, outputs=outputs, statement="{}", asked=problem.statements["en"].read_text())
        (report,) = found([one | {"solutions": "[]"}], tmp_path)
        alarms += [(name, Hazard(hazard)) for hazard in report.hazards.counts if hazard not in TRUE]
    assert alarms == []
