"""SandboxFusion's own client, every function of it, unmodified; and the calls of its fork ScaleBox."""

from __future__ import annotations

import asyncio
import base64
import json
import subprocess
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from judge import languages
from judge.server.app import application
from judge.server.compat.sandbox_fusion import evaluate
from judge.server.compat.sandbox_fusion.requests import our_language
from judge.server.compat.sandbox_fusion.tested import SELF_REPORTED
from judge.server.guarding.keys import Keys
from judge.server.settings import Settings
from judge.server.storing.store import Store
from tests.judge.languages.test_languages import installed
from tests.judge.server.conftest import Serve, Server, make_keys
from tests.packages import write_files

SUM = "Here:\n```python\nprint(sum(map(int, input().split())))\n```\n"
ADD = "```cpp\n#include <iostream>\nint main() { long a, b; std::cin >> a >> b; std::cout << a + b; }\n```"
ROW = {
    "id": 7,
    "content": "Add two numbers.",
    "labels": {"level": "easy"},
    "test": [{"input": {"stdin": f"{n} 2"}, "output": {"stdout": f"{n + 2}\n"}} for n in range(3)],
}


@pytest.fixture
def fusion(server: Server) -> Any:
    import sandbox_fusion

    sandbox_fusion.set_endpoint(str(server.client.base_url).rstrip("/"))
    return sandbox_fusion


def config(fusion: Any, **more: object) -> Any:
    settings = {"dataset_type": "CommonOJDataset", "language": "python", "provided_data": [ROW], **more}
    return fusion.TestConfig(**settings)


def submitted(fusion: Any, completion: str, id_: int | str = 7, dataset: str = "mine", **more: object) -> Any:
    request = fusion.SubmitRequest(dataset=dataset, id=id_, completion=completion, config=config(fusion, **more))
    return fusion.submit(request, max_attempts=1)


@pytest.mark.parametrize(
    ("completion", "language", "accepted", "passed", "kind"),
    [
        (SUM, "python", True, [True, True, True], "fenced"),
        (ADD, "cpp", True, [True, True, True], "fenced"),
        ("```python\nprint(2)\n```", "python", False, [True, False], "fenced"),
        ("```python\nprint(sum(map(int, input().split())))", "python", True, [True] * 3, "incomplete_fenced"),
        ("```python\n1 / 0\n```", "python", False, [False], "fenced"),
        ("```cpp\nint main() {\n```", "cpp", False, [False], "fenced"),
        ("no program", "python", False, [False], "empty"),
    ],
)
def test_submissions(
    fusion: Any, completion: str, language: str, accepted: bool, passed: list[bool], kind: str
) -> None:
    result = submitted(fusion, completion, language=language)
    assert (result.accepted, [one.passed for one in result.tests]) == (accepted, passed)
    assert (result.id, result.extracted_type) == (7, kind)
    assert result.tests[0].test_info == {"input": {"stdin": "0 2"}, "output": {"stdout": "2\n"}}


def test_what_is_told_of_a_submission(fusion: Any) -> None:
    every = submitted(fusion, "```python\nprint(2)\n```", extra={"run_all_cases": True})
    assert [one.passed for one in every.tests] == [True, False, False]
    ran = every.tests[1].exec_info
    assert (ran.status, ran.run_result.return_code, ran.run_result.stdout) == ("Success", 0, "2\n")
    slow = submitted(fusion, "```python\nwhile 1: pass\n```", run_timeout=0.3)
    assert slow.tests[0].exec_info.run_result.status == "TimeLimitExceeded"
    broken = submitted(fusion, "```cpp\nint main() {\n```", language="cpp").tests[0].exec_info
    assert (broken.status, broken.compile_result.return_code, broken.run_result) == ("Failed", 1, None)
    crashed = submitted(fusion, "```python\nimport os; os.abort()\n```").tests[0].exec_info
    assert (crashed.status, crashed.run_result.return_code) == ("Failed", -6)


def test_numbers_are_equal_within_a_tolerance_only_if_asked_for(fusion: Any) -> None:
    row = {"id": 1, "test": [{"input": {"stdin": ""}, "output": {"stdout": "0.333333 Yes"}}]}
    near = "```python\nprint(1 / 3, 'Yes')\n```"
    assert not submitted(fusion, near, 1, provided_data=row).accepted
    assert submitted(fusion, near, 1, provided_data=row, extra={"float_tolerance": 1e-5}).accepted
    assert not submitted(fusion, near.replace("Yes", "yes"), 1, provided_data=row).accepted


def test_files_beside_the_input(fusion: Any) -> None:
    row = {"id": 1, "test": [{"input": {"stdin": "", "a.txt": "inside"}, "output": {"stdout": "inside"}}]}
    assert submitted(fusion, "```python\nprint(open('a.txt').read())\n```", 1, provided_data=row).accepted


def test_prompts(fusion: Any) -> None:
    prompts = fusion.get_prompts(fusion.GetPromptsRequest(dataset="mine", config=config(fusion)))
    assert [(one.id, one.labels) for one in prompts] == [(7, {"level": "easy"})]
    assert prompts[0].prompt.startswith("Add two numbers.\n\nWrite a complete program in python")
    one = fusion.get_prompt_by_id(fusion.GetPromptByIdRequest(dataset="mine", id=7, config=config(fusion, locale="zh")))
    assert "请用 python" in one.prompt


def test_our_own_problems_are_a_data_set(fusion: Any, server: Server) -> None:
    assert server.client.get("/list_datasets").json() == ["judge"]
    body = {"dataset": "judge", "config": {}}
    ids = server.client.post("/list_ids", json=body).json()
    assert "P1001" in ids
    assert server.client.post("/list_ids", json={**body, "offset": 1, "limit": 2}).json() == ids[1:3]
    plain = fusion.TestConfig(language="python", locale="en")
    prompts = fusion.get_prompts(fusion.GetPromptsRequest(dataset="judge", config=plain, limit=3))
    assert [one.id for one in prompts] == ids[:3]
    one = fusion.get_prompt_by_id(fusion.GetPromptByIdRequest(dataset="judge", id="P1001", config=plain))
    assert one.labels["title"]
    right = submitted(fusion, SUM, "P1001", "judge")
    assert right.accepted
    assert all(test.passed for test in right.tests)
    assert not submitted(fusion, "```python\nprint(3)\n```", "P1001", "judge").accepted


#: Its checker fails on every output, and quotes the hidden test.
BROKEN = {
    "problem.yaml": "problem_format_version: 2025-09\nname: broken\nlimits: {time_limit: 1}\n",
    "data/secret/1.in": "31337\n",
    "data/secret/1.ans": "31337\n",
    "submissions/accepted/a.py": "print(input())\n",
    "output_validator/check.py": "import sys\nraise ValueError(open(sys.argv[1]).read())\n",
}


def test_hidden_tests_are_not_told(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path / "problems" / "broken", BROKEN)
    monkeypatch.setenv("JUDGE_PROBLEMS", str(tmp_path / "problems"))
    (key,) = make_keys(tmp_path / "keys.toml", "one")
    server = serve("--keys", str(tmp_path / "keys.toml"), "--compat", "sandbox-fusion")
    echo = (
        "```python\ntext = input()\nprint(sum(map(int, text.split())))\nimport sys; print(text, file=sys.stderr)\n```"
    )
    config = {"language": "python", "extra": {"run_all_cases": True}}
    body = {"dataset": "judge", "id": "P1001", "completion": echo, "config": config}
    found = server.client.post("/submit", json=body, headers={"Authorization": f"Bearer {key}"}).json()
    told = [one["exec_info"]["run_result"] for one in found["tests"]]
    assert found["accepted"]
    assert [one["stderr"] for one in told][-1] == ""
    assert {one["return_code"] for one in told} == {0}
    failed = server.client.post("/submit", json={**body, "id": "broken"}, headers={"Authorization": f"Bearer {key}"})
    assert (failed.status_code, failed.json()["error"]) == (503, "internal error")


def test_metrics(server: Server) -> None:
    body = {"dataset": "mine", "config": {"dataset_type": "CommonOJDataset"}, "results": []}
    assert server.client.post("/get_metrics", json=body).json() == {}
    assert server.client.post("/get_metrics_function", json=body).json() == {"function": None}


CELLS = [
    "a = 123",
    "a",
    "print(a)",
    "import sys; sys.stderr.write('told'); None",
    "raise RuntimeError('wrong')",
    "a += 1\nopen('out', 'w').write(open('given').read())\na",
    "def (",
]


def test_cells_of_a_notebook(fusion: Any) -> None:
    given = {"files": {"given": base64.b64encode(b"ab").decode()}, "fetch_files": ["out"]}
    result = fusion.run_jupyter(fusion.RunJupyterRequest(cells=CELLS, **given), max_attempts=1)
    assert (result.status, result.driver.status, len(result.cells)) == ("Success", "Finished", 7)
    assert [one.stdout for one in result.cells] == ["", "", "123\n", "", "", "", ""]
    assert result.cells[1].display == [{"text/plain": "123"}]
    assert result.cells[3].stderr == "told"
    (error,) = result.cells[4].error
    assert (error["ename"], error["evalue"]) == ("RuntimeError", "wrong")
    assert result.cells[5].display == [{"text/plain": "124"}]
    assert result.cells[6].error[0]["ename"] == "SyntaxError"
    assert base64.b64decode(result.files["out"]) == b"ab"


def test_how_cells_end(fusion: Any) -> None:
    def ran(cells: list[str], **more: object) -> Any:
        return fusion.run_jupyter(fusion.RunJupyterRequest(cells=cells, **more), max_attempts=1)

    late = ran(["print(1)", "while 1: pass", "print(2)"], total_timeout=1)
    assert (late.status, late.driver.status, [one.stdout for one in late.cells]) == (
        "Failed", "TimeLimitExceeded", ["1\n"],
    )  # fmt: skip
    one = ran(["while 1: pass", "print(2)"], cell_timeout=0.3, total_timeout=20)
    assert (one.status, one.cells[0].error[0]["ename"], one.cells[1].stdout) == ("Success", "TimeoutError", "2\n")
    gone = ran(["import os; os._exit(3)", "1"])
    assert (gone.status, gone.driver.return_code, gone.cells) == ("Failed", 3, [])
    assert ran(["exit()", "print(2)"]).cells[1].stdout == "2\n"
    forged = ran(["import os; os.remove('.judge-cells'); open('.judge-cells', 'w').write('[1]\\n{}')"])
    assert (forged.status, forged.cells) == ("Failed", [])
    with pytest.raises(Exception, match="time-outs are"):
        ran(["1"], total_timeout=0)


def test_a_plot_is_shown(server: Server) -> None:
    """By a library of matplotlib's name: what a cell draws, and nobody has closed."""
    library = """open_ = [1]
class _Figure:
    def savefig(self, to, format): to.write(b"PNG")
get_fignums = lambda: list(open_)
figure = lambda number: _Figure()
gcf = lambda: "figure"
close = open_.remove
"""
    body = {
        "cells": ["import matplotlib.pyplot as plt", "1"],
        "files": {
            "matplotlib/__init__.py": "",
            "matplotlib/pyplot.py": base64.b64encode(library.encode()).decode(),
        },
    }
    first, second = server.client.post("/run_jupyter", json=body).json()["cells"]
    assert first["display"] == [{"text/plain": "'figure'", "image/png": base64.b64encode(b"PNG").decode()}]
    assert second["display"] == [{"text/plain": "1"}]


def test_the_asynchronous_client_and_its_helpers(fusion: Any) -> None:
    async def all_of_it() -> None:
        ran = await fusion.run_code_async(fusion.RunCodeRequest(code="print(1)", language="python"), max_attempts=1)
        assert fusion.summary_run_code_result(ran, fusion.SummaryMapping(Success="good")) == "good"
        cells = await fusion.run_jupyter_async(fusion.RunJupyterRequest(cells=["1"]), max_attempts=1)
        assert cells.cells[0].display
        prompts = await fusion.get_prompts_async(fusion.GetPromptsRequest(dataset="mine", config=config(fusion)))
        by_id = await fusion.get_prompt_by_id_async(
            fusion.GetPromptByIdRequest(dataset="mine", id=7, config=config(fusion))
        )
        assert prompts == [by_id]
        request = fusion.SubmitRequest(dataset="mine", id=7, completion=SUM, config=config(fusion))
        for submit in (fusion.submit_async, fusion.submit_safe_async):
            assert (await submit(request, max_attempts=1)).accepted

    asyncio.run(all_of_it())
    request = fusion.SubmitRequest(dataset="mine", id=7, completion=SUM, config=config(fusion))
    assert fusion.submit_safe(request, max_attempts=1).accepted
    both = [[fusion.RunCodeRequest(code=f"print({n})", language="python")] for n in range(2)]
    assert [one.run_result.stdout for one in fusion.run_concurrent(fusion.run_code, args=both)] == ["0\n", "1\n"]


def evaluated(server: Server, completion: str, language: str = "python", **tests: object) -> Any:
    asked = {"language": language, "provided_data": {"test_cases": tests}, "extra": {"run_all_cases": True}}
    return server.client.post("/common_evaluate_batch", json={"completion": completion, "config": asked})


@pytest.mark.parametrize(("sum_", "status"), [(3, "Success"), (4, "Failed")])
def test_a_failed_assertion_of_java_fails(server: Server, sum_: int, status: str) -> None:
    code = f"public class Main {{ public static void main(String[] a) {{ assert 1 + 2 == {sum_}; }} }}"
    answer = server.client.post("/run_code", json={"code": code, "language": "java", "run_timeout": 10}).json()
    assert answer["status"] == status, answer
    assert ("AssertionError" in answer["run_result"]["stderr"]) == (status == "Failed")


#: With the fixtures and the helper that tests of its data sets use.
PYTEST = """from solution import double


class TestDouble:
    def test_value(self):
        assert double(2) == {two}

    def test_output(self, capfd, tmp_path):
        (tmp_path / "x").write_text("3")
        print(double(int((tmp_path / "x").read_text())))
        assert capfd.readouterr().out == "6\\n"
"""
_FIND = "import importlib.util as found, sys; sys.exit(found.find_spec('pytest') is None)"
HAS_PYTEST = subprocess.run((languages.get("python3").find(), "-s", "-E", "-c", _FIND), check=False).returncode == 0


def run_pytest(server: Server, code: str) -> dict[str, Any]:
    solution = base64.b64encode(b"def double(x):\n    return 2 * x\n").decode()
    body = {"code": code, "language": "pytest", "run_timeout": 10, "files": {"solution.py": solution}}
    answer: dict[str, Any] = server.client.post("/run_code", json=body).json()
    return answer


@pytest.mark.skipif(not HAS_PYTEST, reason="the system's Python has no pytest: install python3-pytest")
@pytest.mark.parametrize(
    ("code", "status", "said"),
    [
        (PYTEST.format(two=4), "Success", "2 passed"),
        (PYTEST.format(two=5), "Failed", "1 failed, 1 passed"),
        ("def test(:", "Failed", "SyntaxError"),
        ("x = 1", "Failed", "no tests ran"),
        ("import os\nos._exit(119)", "Failed", ""),  # as the driver does where there is no pytest
        ("import os\nos._exit(0)", "Success", ""),  # the warning is true
    ],
)
def test_a_file_of_tests_reports_itself(server: Server, code: str, status: str, said: str) -> None:
    answer = run_pytest(server, code)
    assert (answer["status"], said in answer["run_result"]["stdout"]) == (status, True), answer
    assert "may forge" in answer["message"]


@pytest.mark.skipif(HAS_PYTEST, reason="the system's Python has pytest")
def test_a_machine_without_pytest_says_what_to_install(server: Server) -> None:
    answer = run_pytest(server, PYTEST.format(two=4))
    assert (answer["status"], "python3-pytest" in answer["message"]) == ("SandboxError", True), answer


@pytest.mark.skipif(languages.get("d").status().problem is not None, reason="gdc is not installed")
@pytest.mark.parametrize(
    ("code", "status", "printed"),
    [
        ("unittest { assert(0 == 0); }\nvoid main() {}", "Success", ""),
        ("unittest { assert(0 == 1); }\nvoid main() {}", "Failed", ""),
        ('import std.stdio;\nvoid main() { writeln("no tests"); }', "Success", "no tests\n"),
        ("void main() { assert(false); }", "Failed", ""),
    ],
)
def test_unit_tests_of_d(server: Server, code: str, status: str, printed: str) -> None:
    answer = server.client.post("/run_code", json={"code": code, "language": "D_ut"}).json()
    assert (answer["status"], answer["run_result"]["stdout"]) == (status, printed), answer
    assert "may forge" in answer["message"]


#: Programs that hold where `{sum}` is 3: a failed one must not be a success, which would pay.
ASSERTING = {
    "go_test": """package main
        import ("testing"; "github.com/stretchr/testify/assert")
        func TestSum(t *testing.T) { assert.Equal(t, {sum}, 1 + 2) }""",
    "jest": """import { expect, test } from "@jest/globals";
        const sum: number = 1 + 2;
        test("sum", () => { expect(sum).toBe({sum}); });""",
    "junit": """import org.junit.jupiter.api.*;
        public class SumTest { @Test void sum() { Assertions.assertEquals({sum}, 1 + 2); } }""",
    "csharp": """class Program { static void Main() {
        System.Diagnostics.Debug.Assert(1 + 2 == {sum}); Console.WriteLine("ran"); } }""",
    "kotlin_script": "fun main() { check(1 + 2 == {sum}) }\nmain()",
}


@pytest.mark.parametrize("language", ASSERTING)
def test_what_its_languages_assert(server: Server, language: str) -> None:
    ours = installed(our_language(language))
    for sum_, status in ((3, "Success"), (4, "Failed")):
        code = ASSERTING[language].replace("{sum}", str(sum_))
        body = {"code": code, "language": language, "run_timeout": 10, "compile_timeout": 30}
        answer = server.client.post("/run_code", json=body).json()
        assert answer["status"] == status, answer
        assert ("may forge" in answer["message"]) == (ours.name in SELF_REPORTED)


def test_a_file_of_tests_judges_nothing(server: Server) -> None:
    assert evaluated(server, SUM, "pytest", input=["1"], output=["1"]).status_code == 422


def test_what_its_fork_evaluates(server: Server) -> None:
    tests = {"type": "stdin_stdout", "input": ["1 2", "3 4"], "output": ["3", "7"], "fn_name": None}
    assert evaluated(server, SUM, **tests).json()["accepted"] is True
    assert evaluated(server, ADD, "cpp", **tests).json()["accepted"] is True
    script = (
        "```javascript\nconsole.log(require('fs').readFileSync(0, 'utf8').split(' ').reduce((a, b) => +a + +b))\n```"
    )
    assert evaluated(server, script, "javascript", **tests).json()["accepted"] is True
    double = (
        "```\ndef double_check(strng):\n    return any(a.lower() == b.lower() for a, b in zip(strng, strng[1:]))\n```"
    )
    calls = {"fn_name": "double_check", "input": [["abca"], ["aabc"], ["a€:'"]], "output": [[False], [True], [False]]}
    found = evaluated(server, double, **calls).json()
    assert [one["passed"] for one in found["tests"]] == [True, True, True]
    assert found["tests"][0]["test_info"]["input"] == ["abca"]
    lists = {"type": "function_call", "fn_name": "f", "input": [[[3, 1], "x"]], "output": [[1, 3, "x"]]}
    method = "```python\nclass Solution:\n    def f(self, a, b):\n        return sorted(a) + [b]\n```"
    assert evaluated(server, method, **lists).json()["accepted"] is True
    forged = (
        "```python\ndef f(a, b):\n    class Equal(list):\n        __eq__ = lambda *_: True\n    return Equal()\n```"
    )
    assert evaluated(server, forged, **lists).json()["accepted"] is False
    text = {"type": "function_call", "fn_name": "f", "input": ['[2]\n"x"'], "output": ['"xx"'], "json_input": True}
    assert evaluated(server, "```python\ndef f(n, s):\n    return s * n[0]\n```", **text).json()["accepted"] is True


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("/submit", {"dataset": "x", "id": 1, "completion": "", "config": {"language": "python"}}, "no eval class"),
        ("/submit", {"dataset": "x", "id": 1, "completion": "", "config": {"dataset_type": "HumanEval"}}, "not found"),
        ("/submit", {"dataset": "judge", "id": 1, "completion": "", "config": {"language": "python"}}, "no problem"),
        ("/submit", {"dataset": "judge", "id": "../x", "completion": "", "config": {"language": "c"}}, "no problem"),
        ("/submit", {"dataset": "judge", "id": "P1001", "completion": "", "config": {}}, "language field must exist"),
        (
            "/submit",
            {"dataset": "judge", "id": "P1001", "completion": "", "config": {"language": "lean"}},
            "lean",
        ),
        ("/get_prompts", {"dataset": "x", "config": {"dataset_type": "CommonOJDataset"}}, "provided_data is needed"),
        ("/get_prompt_by_id", {"dataset": "judge", "id": "none"}, "no problem"),
        ("/common_evaluate_batch", {"completion": "", "config": {"language": "python"}}, "test_cases is"),
    ],
)
def test_requests_for_what_there_is_not(server: Server, path: str, body: dict[str, object], said: str) -> None:
    answer = server.client.post(path, json=body)
    assert (answer.status_code, said in answer.json()["detail"]) == (400, True), answer.text


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"provided_data": {"test": []}}, "at least one"),
        ({"provided_data": {"test": "["}}, "no JSON"),
        ({"provided_data": {"test": [{"input": {"stdin": 3}, "output": {"stdout": ""}}]}}, "texts by name"),
        ({"provided_data": {"test": [{"input": {}, "output": {}}]}}, "texts by name"),
        ({"provided_data": {"test": [{"input": {"../x": ""}, "output": {"stdout": ""}}]}}, "plain file name"),
        ({"provided_data": [{"id": 8}]}, "no row with the id"),
        ({"run_timeout": 1e9}, "time-outs are"),
        ({"custom_extract_logic": "import os"}, "not run here"),
        ({"extra": {"float_tolerance": "x"}}, "float_tolerance"),
    ],
)
def test_rows_that_are_none(fusion: Any, more: dict[str, object], said: str) -> None:
    with pytest.raises(Exception, match=said):
        submitted(fusion, SUM, **more)


@pytest.mark.parametrize(
    ("tests", "said"),
    [
        ({"input": ["1"], "output": []}, "lists of one length"),
        ({"input": [], "output": []}, "lists of one length"),
        ({"input": [1], "output": ["1"]}, "hold texts"),
        ({"type": "assert", "test": "def check(f): pass", "entry_point": "f"}, "none compares one call"),
        ({"type": "assert", "test": "assert f(1) == 1\nassert g(2) == 2"}, "of no form that can be held"),
        ({"type": "assert", "test": 3}, "test and entry_point, texts"),
        ({"type": "magic", "input": ["1"], "output": ["1"]}, "stdin_stdout, function_call or assert"),
        ({"fn_name": "f", "input": ["x"], "output": ["x"]}, "lists of arguments"),
        ({"fn_name": "f(", "input": [[1]], "output": [1]}, "name of a function"),
    ],
)
def test_tests_that_its_fork_has_and_we_have_not(server: Server, tests: dict[str, object], said: str) -> None:
    answer = evaluated(server, SUM, **tests)
    assert (answer.status_code, said in answer.json()["detail"]) == (400, True), answer.text


def test_assertions_of_its_fork(server: Server) -> None:
    check = "def check(candidate):\n    assert candidate(1) == 2\n    assert candidate(2) == 3\n"
    for program, passed in (("x + 1", [True, True]), ("2", [True, False])):
        text = f"```python\ndef f(x):\n    return {program}\n```"
        answer = evaluated(server, text, type="assert", test=check, entry_point="f")
        assert [one["passed"] for one in answer.json()["tests"]] == passed, answer.text


#: As the example of its README: two numbers whose sum is the input.
SPECIAL = """import sys
def numbers(name):
    with open(name) as file:
        return [int(word) for word in file.read().split()]
[total], answer, said = numbers("stdin.txt"), numbers("stdout.txt"), numbers("answer.txt")
assert len(answer) == 2
sys.exit(int(len(said) != 2 or sum(said) != total))
"""
SPECIAL_CPP = """#include <fstream>
int main() {
    std::ifstream given("stdin.txt"), said("answer.txt");
    long total, a = 0, b = 0;
    given >> total;
    said >> a >> b;
    return a + b != total;
}
"""
_PAIRS = {"type": "stdin_stdout", "input": ["3", "7"], "output": ["1 2", "3 4"]}


def specially(server: Server, program: object, printed: str, language: str | None = None, **tests: object) -> Any:
    extra = {"run_all_cases": True, "special_judge_program": program, "special_judge_language": language}
    asked = {"language": "python", "provided_data": {"test_cases": tests or _PAIRS}, "extra": extra}
    completion = f"```python\nc = int(input())\nprint({printed})\n```"
    return server.client.post("/common_evaluate_batch", json={"completion": completion, "config": asked})


@pytest.mark.parametrize(
    ("program", "language", "printed", "passed"),
    [
        (SPECIAL, "python", "c - 1, 1", [True, True]),
        (SPECIAL, None, "c - 1, c", [False, False]),
        (SPECIAL, None, "1, 2", [True, False]),
        (SPECIAL, None, "'no number'", [False, False]),
        (SPECIAL_CPP, "cpp", "c - 1, 1", [True, True]),
        (SPECIAL_CPP, "cpp", "c", [True, True]),
        (SPECIAL_CPP, "cpp", "c, 1", [False, False]),
        (None, None, "c - 1, 1", [False, False]),
    ],
)
def test_special_judges_of_its_fork(
    server: Server, program: str | None, language: str | None, printed: str, passed: list[bool]
) -> None:
    answer = specially(server, program, printed, language)
    assert [one["passed"] for one in answer.json()["tests"]] == passed, answer.text
    assert answer.json()["accepted"] == all(passed)


@pytest.mark.parametrize(
    ("program", "language", "said"),
    [
        ("int main() {", "cpp", "does not compile"),
        ("def f(:", "python", "does not compile"),
        ("import os\nos.abort()", None, "SIGABRT"),
        ("pass", "lean", "special_judge_language: "),
        (3, None, "are texts"),
    ],
)
def test_a_special_judge_that_fails_rejects_nobody(
    server: Server, program: object, language: str | None, said: str
) -> None:
    answer = specially(server, program, "c - 1, 1", language)
    assert (answer.status_code, said in answer.json()["detail"]) == (400, True), answer.text


def test_a_special_judge_reads_outputs_only(server: Server) -> None:
    answer = specially(server, SPECIAL, "0", fn_name="f", input=[[1]], output=[1])
    assert (answer.status_code, "type stdin_stdout" in answer.json()["detail"]) == (400, True), answer.text


def test_its_fork_says_422_of_an_unknown_language(server: Server) -> None:
    answer = evaluated(server, SUM, "lean", input=["1"], output=["1"])
    assert (answer.status_code, "lean" in answer.json()["error"]) == (422, True), answer.text


def test_what_no_text_can_hold(server: Server) -> None:
    """JSON can spell lone surrogates, and Python reads NaN: they are told as what JSON holds."""
    row = {"id": 1, "test": [{"input": {"stdin": "\ud800"}, "output": {"stdout": "\ufffd"}}]}
    settings = {"dataset_type": "CommonOJDataset", "language": "python", "provided_data": row}
    body = {"dataset": "x", "id": "\udfff", "completion": "```python\nprint(input()) # \ud800\n```", "config": settings}
    found = server.client.post("/submit", content=json.dumps(body), headers={"content-type": "application/json"})
    assert (found.status_code, found.json()["accepted"], found.json()["id"]) == (200, True, "\ufffd")
    cells = server.client.post("/run_jupyter", json={"cells": ["'\\ud800'", "print('x')"]}).json()["cells"]
    assert cells[1]["stdout"] == "x\n"
    for wanted in (1, float("nan")):  # nothing equals NaN
        calls = {"fn_name": "f", "input": [[float("nan")]], "output": [wanted]}
        asked = {
            "completion": "```python\ndef f(x):\n    return 1\n```",
            "config": {"language": "python", "provided_data": {"test_cases": calls}},
        }
        answer = server.client.post(
            "/common_evaluate_batch", content=json.dumps(asked), headers={"content-type": "application/json"}
        )
        if wanted == 1:
            assert (answer.status_code, answer.json()["tests"][0]["test_info"]["input"]) == (200, [None])
        else:
            assert (answer.status_code, "holds NaN" in answer.json()["detail"]) == (400, True)


def test_function_calls_in_other_languages(server: Server) -> None:
    answer = evaluated(server, ADD, "cpp", fn_name="f", input=[[1]], output=[1])
    assert (answer.status_code, "cannot offer" in answer.json()["detail"]) == (400, True)


def test_others_are_answered_while_a_request_of_many_tests_is_taken(
    tmp_path: Path, shared_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writing them once held the event loop for seconds."""
    monkeypatch.setenv("JUDGE_CACHE_DIR", str(shared_cache))
    test = ROW["test"][0]  # type: ignore[index]
    rows = [{"id": 1, "test": [test] * count} for count in (1000, 1001)]
    answered, began, write = threading.Event(), threading.Event(), evaluate._cases
    order: list[str] = []

    def written(*given: Any) -> Any:
        began.set()
        answered.wait(20)
        order.append("taken")
        return write(*given)

    monkeypatch.setattr(evaluate, "_cases", written)
    app = application(Settings(), Keys(None), Store(tmp_path / "x.sqlite"))

    async def ask() -> tuple[httpx.Response, httpx.Response]:
        transport = httpx.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=60) as client,
        ):
            bodies = [
                {
                    "dataset": "x",
                    "id": 1,
                    "completion": "```python\nprint(0)\n```",
                    "config": {"dataset_type": "CommonOJDataset", "language": "python", "provided_data": row},
                }
                for row in rows
            ]
            large = asyncio.create_task(client.post("/compat/sandbox-fusion/submit", json=bodies[0]))
            while not began.is_set():
                await asyncio.sleep(0.001)
            assert (await client.get("/healthz")).status_code == 200
            order.append("healthz")
            answered.set()
            return await large, await client.post("/compat/sandbox-fusion/submit", json=bodies[1])

    large, too_large = asyncio.run(ask())
    assert order == ["healthz", "taken"]
    assert (large.status_code, len(large.json()["tests"])) == (200, 1)
    assert (too_large.status_code, too_large.json()["error"]) == (400, "1001 tests, more than 1000")
