"""An example of each format of a contest system. Each is the sum of two numbers."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping

ADD = "print(sum(map(int, input().split())))\n"
MAX = ADD.replace("sum", "max")

#: Checks a sum in each convention: the files of input, output and answer come from `given(argv)`.
CHECK = """#include <fstream>
#include <iostream>
int main(int, char **at) {
    long a, b, got = -1;
    std::ifstream input(at[INPUT]), output(at[OUTPUT]);
    input >> a >> b;
    output >> got;
    WORD(got == a + b);
}
"""


def checker(given: int, output: int, word: str) -> str:
    """A checker that gets the input and the output as these arguments, and says its word by this macro."""
    return f"#define INPUT {given}\n#define OUTPUT {output}\n#define WORD(right) {word}\n{CHECK}"


def zipped(files: Mapping[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()


DMOJ: dict[str, str | bytes] = {
    "init.yml": """archive: sum.zip
checker:
  name: bridged
  args: {files: check.cpp, lang: CPP17, type: default}
test_cases:
- {in: sum.0.in, out: sum.0.out, points: 0}
- {in: sum.1.in, out: sum.1.out, points: 10}
- points: 30
  batched:
  - {in: sum.2.1.in, out: sum.2.1.out}
  - {in: sum.2.2.in, out: sum.2.2.out}
- points: 60
  batched:
  - {in: sum.3.1.in, out: sum.3.1.out}
  dependencies: [1]
""",
    "check.cpp": checker(1, 2, "return !(right)"),
    "sum.zip": zipped(
        {
            f"sum.{name}.{end}": text
            for name, given, answer in (
                *(("0", "1 1\n", "2\n"), ("1", "1 2\n", "3\n"), ("2.1", "2 2\n", "4\n")),
                *(("2.2", "2 3\n", "5\n"), ("3.1", "5 5\n", "10\n")),
            )
            for end, text in (("in", given), ("out", answer))
        }
    ),
}
_LEMON_TASK = {
    "problemTitle": "求和",
    "sourceFileName": "plus",
    "inputFileName": "plus.in",
    "outputFileName": "plus.out",
    "standardInputCheck": True,
    "standardOutputCheck": True,
    "taskType": 0,
    "subFolderCheck": False,
    "comparisonMode": 1,
    "diffArguments": "--ignore-space-change",
    "realPrecision": 3,
    "specialJudge": "",
    "compilerConfiguration": {"gcc": "C++17"},
    "answerFileExtension": "out",
    "testCases": [
        {
            "fullScore": 40,
            "timeLimit": 1000,
            "memoryLimit": 64,
            "inputFiles": ["plus/1.in", "plus/2.in"],
            "outputFiles": ["plus/1.out", "plus\\2.out"],
        },
        {
            "fullScore": 60,
            "timeLimit": 2000,
            "memoryLimit": 64,
            "inputFiles": ["plus/3.in", "1_lemon_SUbtaskDEPENDENCE_fLAg"],
            "outputFiles": ["plus/3.out"],
        },
    ],
}


def lemon(**changes: object) -> dict[str, str | bytes]:
    contest = {"version": "1.0", "contestTitle": "x", "tasks": [{**_LEMON_TASK, **changes}], "contestants": []}
    numbers = ((1, "1 2", "3"), (2, "2 2", "4"), (3, "5 5", "10"))
    data = {
        f"data/plus/{number}.{end}": f"{text}\n"
        for number, given, answer in numbers
        for end, text in (("in", given), ("out", answer))
    }
    return {"contest.cdf": json.dumps(contest), **data}


LEMON = lemon()
_QDUOJ_HEAD = {
    "display_id": "A",
    "title": "求和",
    "description": {"format": "html", "value": "<p>a+b</p>"},
    "input_description": {"format": "html", "value": "<p>two</p>"},
    "output_description": {"format": "html", "value": "<p>one</p>"},
    "hint": {"format": "html", "value": ""},
    "tags": ["easy"],
    "test_case_score": [
        {"score": 30, "input_name": "1.in", "output_name": "1.out"},
        {"score": 70, "input_name": "2.in", "output_name": "2.out"},
    ],
    "time_limit": 1000,
    "memory_limit": 64,
    "samples": [{"input": "1 2", "output": "3"}],
    "template": {},
    "spj": None,
    "rule_type": "OI",
    "source": "here",
    "answers": [{"language": "Python3", "code": ADD}],
}


def qduoj(**changes: object) -> dict[str, str | bytes]:
    return {
        "1/problem.json": json.dumps({**_QDUOJ_HEAD, **changes}),
        **{"1/testcase/1.in": "2 2\n", "1/testcase/1.out": "4\n"},
        **{"1/testcase/2.in": "5 5\n", "1/testcase/2.out": "10\n"},
    }


QDUOJ = qduoj()
CMS: dict[str, str | bytes] = {
    "task.yaml": """name: sum
title: Sum
time_limit: 0.5
memory_limit: 64
infile: ''
outfile: ''
n_input: 3
token_mode: disabled
type: batch
auxiliary: {}
public_testcases: 0,1
""",
    "gen/GEN": "# the tests\n# ST: 0\n1 2 # an example\n\n# ST: 40\n2 2\n# ST: 60\n# COPY: hand.txt\n",
    **{"input/input0.txt": "1 2\n", "output/output0.txt": "3\n"},
    **{"input/input1.txt": "2 2\n", "output/output1.txt": "4\n"},
    **{"input/input2.txt": "5 5\n", "output/output2.txt": "10\n"},
    "sol/solution.py": ADD,
    "check/checker.cpp": checker(1, 3, 'std::cout << ((right) ? "1.0" : "0.0") << std::endl'),
}
TPS: dict[str, str | bytes] = {
    "problem.json": json.dumps(
        {
            "code": "sum",
            "name": "Sum",
            "task_type": "batch",
            "time_limit": 0.5,
            "memory_limit": 64,
            "task_type_params": "{}",
        }
    ),
    **{"tests/0-01.in": "1 2\n", "tests/0-01.out": "3\n", "tests/1-01.in": "2 2\n", "tests/1-01.out": "4\n"},
    **{"tests/2-01.in": "5 5\n", "tests/2-01.out": "10\n"},
    "subtasks/00-samples.json": json.dumps({"score": 0, "testcases": ["0-01"]}),
    "subtasks/01-small.json": json.dumps({"score": 40, "testcases": ["0-01", "1-01"]}),
    "subtasks/02-all.json": json.dumps({"score": 60, "testcases": ["0-01", "1-01", "2-01"]}),
    "solution/sum.py": ADD,
    "solution/max.py": MAX,
    "solutions.json": json.dumps({"sum.py": {"verdict": "model_solution"}, "max.py": {"verdict": "incorrect"}}),
}
OMEGAUP: dict[str, str | bytes] = {
    "settings.json": json.dumps(
        {
            "Limits": {"TimeLimit": "500ms", "MemoryLimit": "64MiB", "OutputLimit": "10KiB", "ExtraWallTime": "0s"},
            "Validator": {"Name": "token-caseless"},
            "Cases": [
                {"Name": "easy", "Cases": [{"Name": "easy.1", "Weight": 0.2}, {"Name": "easy.2", "Weight": 0.2}]},
                {"Name": "hard", "Cases": [{"Name": "hard", "Weight": 0.6}]},
            ],
        }
    ),
    **{"cases/easy.1.in": "1 2\n", "cases/easy.1.out": "3\n", "cases/easy.2.in": "2 2\n", "cases/easy.2.out": "4\n"},
    **{"cases/hard.in": "5 5\n", "cases/hard.out": "10\n"},
    "statements/es.markdown": "# Suma\n",
    "tests/tests.json": json.dumps(
        {
            "solutions": [{"filename": "../solutions/ok.py", "verdict": "AC"}, {"filename": "bad.py", "verdict": "WA"}],
            "max_score": 100,
        }
    ),
    "solutions/ok.py": ADD,
    "tests/bad.py": MAX,
}
SINOL: dict[str, str | bytes] = {
    "sum/config.yml": """title: Suma
sinol_task_id: sum
sinol_contest_type: talent
memory_limit: 65536
time_limit: 1000
time_limits: {2: 2000, 1b: 1500}
scores: {1: 40, 2: 60}
sinol_expected_scores:
  sumb1.py: {expected: {1: {points: 0, status: WA}, 2: {points: 0, status: WA}}, points: 0}
""",
    **{"sum/in/sum0.in": "1 2\n", "sum/out/sum0.out": "3\n", "sum/in/sum1a.in": "2 2\n", "sum/out/sum1a.out": "4\n"},
    **{"sum/in/sum1b.in": "2 3\n", "sum/out/sum1b.out": "5\n", "sum/in/sum2.in": "5 5\n", "sum/out/sum2.out": "10\n"},
    **{"sum/in/sum1ocen.in": "1 1\n", "sum/out/sum1ocen.out": "2\n"},
    "sum/prog/sum.py": ADD,
    "sum/prog/sumb1.py": MAX,
    "sum/prog/sumchk.cpp": checker(1, 2, 'std::cout << ((right) ? "OK" : "WRONG") << "\\n\\n100\\n"'),
}
CONTESTS: Mapping[str, Mapping[str, str | bytes]] = {
    "dmoj": DMOJ,
    "lemon": LEMON,
    "qduoj": QDUOJ,
    "cms": CMS,
    "tps": TPS,
    "omegaup": OMEGAUP,
    "sinol": SINOL,
}
