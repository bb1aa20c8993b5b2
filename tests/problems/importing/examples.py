"""An example of each format, and what imports and judges it."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from pathlib import Path

import problems
from judge import Judge, Judgement, Submission
from problems import Problem
from problems.importing import Imported, import_problems
from tests.packages import LEGACY, MINIMAL, write_files
from tests.problems.importing.contest_examples import CONTESTS

ADD = b"print(sum(map(int, input().split())))\n"
PAIRS = {"1.in": "1 2\n", "1.out": "3\n", "2.in": "2 2\n", "2.out": "4 \n\n", "10.in": "5 5\n", "10.out": "10\n"}
CHECKER = '#include "testlib.h"\nint main() { return 0; }\n'

LUOGU = {
    **PAIRS,
    "config.yml": "1.in: {timeLimit: 2000, score: 30}\n2.out: {memoryLimit: 65536, score: 70}\n",
}
SUBTASKS = {
    **PAIRS,
    "config.yml": "".join(
        f"{n}.in: {{score: {s}, subtaskId: {k}}}\n" for n, s, k in ((1, 40, 1), (2, 40, 1), (10, 60, 2))
    ),
}
DESCRIBED = {
    "pid": "P1001",
    "title": "A+B",
    "content": {"description": "求和", "formatI": "两个数", "formatO": "一个数", "background": "", "hint": None},
    "samples": [["1 2", "3"]],
    "limits": {"time": [1000, 3000], "memory": [131072, 131072]},
}
HYDRO = {
    "sum/problem.yaml": "pid: H1\ntitle: 求和\ntag: [easy]\nnSubmit: 3\n",
    "sum/problem_zh.md": "## 样例\n\n```input1\n1 2\n```\n\n```output1\n3\n```\n",
    **{f"sum/testdata/{name}": text for name, text in PAIRS.items()},
    "sum/testdata/config.yaml": (
        "time: 2s\nmemory: 64m\nsubtasks:\n"
        "- {score: 40, type: min, id: 1, cases: [{input: 1.in, output: 1.out}, {input: 2.in, output: 2.out}]}\n"
        "- {score: 60, type: sum, id: 2, if: [1], time: 500ms, cases: [{input: 10.in, output: 10.out}]}\n"
    ),
}
SYZOJ = {
    **{name.replace(".out", ".ans"): text for name, text in PAIRS.items()},
    "data.yml": (
        "subtasks:\n- {score: 30, type: mul, cases: [1, '2']}\n- {score: 70, type: sum, cases: [10]}\n"
        "inputFile: '#.in'\noutputFile: '#.ans'\n"
    ),
}
PICTURE = base64.b64encode(b"\x89PNG").decode()
FPS = {
    "set.xml": f"""<?xml version="1.0" encoding="UTF-8"?>
<fps version="1.5"><generator name="HUSTOJ"/>
<item><title><![CDATA[Sum of two]]></title><time_limit unit="ms">1500</time_limit>
<memory_limit unit="kb">65536</memory_limit><img><src>/x.png</src><base64>{PICTURE}</base64></img>
<description><![CDATA[See <img src="/x.png"> & add]]></description>
<sample_input>1 2</sample_input><sample_output>3</sample_output>
<test_input name="a">1 2
</test_input><test_output name="a">3
</test_output><test_input name="b">2 2
</test_input><test_output name="b">4
</test_output><solution language="Python"><![CDATA[{ADD.decode()}]]></solution><source>here</source></item>
<item><title>求和</title><test_input>5 5
</test_input><test_output>10
</test_output></item></fps>
"""
}
POLYGON = {
    "problem.xml": """<?xml version="1.0" encoding="utf-8" standalone="no"?>
<problem revision="3" short-name="sum-of-two" url="https://polygon.codeforces.com/p/x/sum-of-two">
<names><name language="english" value="Sum"/><name language="chinese" value="求和"/></names>
<statements><statement language="english" path="statements/english/problem.tex" type="application/x-tex"/></statements>
<judging cpu-name="x" cpu-speed="3600" input-file="" output-file=""><testset name="tests">
<time-limit>1500</time-limit><memory-limit>268435456</memory-limit><test-count>3</test-count>
<input-path-pattern>tests/%02d</input-path-pattern><answer-path-pattern>tests/%02d.a</answer-path-pattern>
<tests><test method="manual" sample="true"/><test method="manual" points="40.0" group="1"/>
<test cmd="gen 5" method="generated" points="60.0" group="2"/></tests>
<groups><group name="1" points-policy="complete-group"/>
<group name="2" points-policy="each-test"><dependencies><dependency group="1"/></dependencies></group></groups>
</testset></judging>
<files><resources><file path="files/testlib.h"/></resources></files>
<assets><checker type="testlib"><source path="files/check.cpp" type="cpp.g++17"/></checker>
<validators><validator><source path="files/val.cpp" type="cpp.g++17"/></validator></validators>
<solutions><solution tag="main"><source path="solutions/ok.py" type="python.3"/></solution>
<solution tag="rejected"><source path="solutions/bad.py" type="python.3"/></solution></solutions></assets>
<tags><tag value="math"/></tags></problem>
""",
    "statement-sections/english/legend.tex": "Print $a+b$.\n",
    "statement-sections/english/input.tex": "Two numbers.\n",
    **{"tests/01": "1 2\n", "tests/01.a": "3\n", "tests/02": "2 2\n", "tests/02.a": "4\n"},
    **{"tests/03": "5 5\n", "tests/03.a": "10\n"},
    "files/testlib.h": "#include <fstream>\n#include <iostream>\n",
    "files/check.cpp": """#include "testlib.h"
int main(int, char** at) {
    long a = -1, b = -2;
    std::ifstream(at[2]) >> a;
    std::ifstream(at[3]) >> b;
    return a != b;
}
""",
    "files/val.cpp": '#include "testlib.h"\nint main() { long a, b; return !(std::cin >> a >> b); }\n',
    "solutions/ok.py": ADD.decode(),
    "solutions/bad.py": ADD.decode().replace("sum", "max"),
}
UOJ = {
    "problem.conf": """use_builtin_judger on
use_builtin_checker ncmp
n_tests 3
n_ex_tests 1
n_sample_tests 1
input_pre sum
input_suf in
output_pre sum
output_suf out
time_limit 0.5
time_limit_3 2
memory_limit 64
n_subtasks 2
subtask_end_1 2
subtask_score_1 30
subtask_end_2 3
subtask_score_2 70
subtask_dependence_2 many
subtask_dependence_2_1 1
""",
    **{"sum1.in": "1 2\n", "sum1.out": "3\n", "sum2.in": "2 2\n", "sum2.out": "4\n"},
    **{"sum3.in": "5 5\n", "sum3.out": "10\n", "ex_sum1.in": "0 1\n", "ex_sum1.out": "1\n"},
    "std.py": ADD.decode(),
}
#: Entities in an encoding in which no byte search finds them; the comment spells the mark of the format.
UTF16 = '<!DOCTYPE f [<!ENTITY a "b">]><!--\u663c\u7370--><fps><item>&a;</item></fps>'.encode("utf-16")
BARE = {"one/data/1.in": "1 2\n", "one/data/1.ans": "3\n", "two/1.in": "2 2\n", "two/1.out": "4\n"}
FRONTIER = {
    "config.yaml": "type: default\ntime: 1s\nmemory: 64m\nchecker: chk.cc\nsubtasks:\n- score: 100\n  n_cases: 1\n",
    "testdata/1.in": "1 2\n",
    "testdata/1.ans": "3\n",
    "chk.cc": "int main() {}\n",
    "statement.txt": "Add.\n",
}
PACKAGES = {"new": MINIMAL, "old": {**LEGACY, ".timelimit": "3"}}
EXAMPLES: Mapping[str, Mapping[str, str | bytes]] = {
    "luogu": LUOGU,
    "hydro": HYDRO,
    "syzoj": SYZOJ,
    "fps": FPS,
    "polygon": POLYGON,
    "uoj": UOJ,
    "icpc": {f"{name}/{file}": text for name, files in PACKAGES.items() for file, text in files.items()},
    "bare": BARE,
    **CONTESTS,
}


def imported(tmp_path: Path, files: Mapping[str, str | bytes], *, lenient: bool = False) -> list[Imported]:
    return list(import_problems(write_files(tmp_path / "source", files), tmp_path / "made", lenient=lenient))


def only(tmp_path: Path, files: Mapping[str, str | bytes], *, lenient: bool = False) -> Problem:
    (one,) = imported(tmp_path, files, lenient=lenient)
    assert one.error is None, one.error
    assert one.package is not None
    return problems.load(one.package)


def judged(judges: Callable[..., Judge], problem: Problem, source: bytes) -> Judgement:
    return judges().judge(Submission(source=source, problem=problem.directory, language="python3"))
