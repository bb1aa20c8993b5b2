"""Interactors, managers, graders, checkers and answers to be submitted of Luogu, Hydro, SYZOJ, CMS and TPS."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from judge import Judge, Submission, Verdict
from problems import Convention, Problem, Program
from tests.problems.importing.contest_examples import ADD, CMS, MAX, TPS, checker, zipped
from tests.problems.importing.examples import HYDRO, LUOGU, PAIRS, SYZOJ, imported, only

Files = Mapping[str, str | bytes]
Judges = Callable[..., Judge]
HEADER = "#include <fstream>\n#include <iostream>\n#include <string>\nvoid registerInteraction() {}\n"
#: Sends two numbers, wants their sum.
TALK = """#include "testlib.h"
int main(int, char **at) {
    registerInteraction();
    long a, b, got = -1;
    std::ifstream(at[1]) >> a >> b;
    std::cout << a << " " << b << std::endl;
    std::cin >> got;
    return got != a + b;
}
"""
LIBRARY = """#include <iostream>
extern "C" { extern int plus(int a, int b); }
int main() { int a, b; std::cin >> a >> b; std::cout << plus(a, b) << std::endl; }
"""
PLUS = 'extern "C" int plus(int a, int b) { return a + b; }\n'
FLUSHED = ADD.replace("())))", "())), flush=True)")


def named(text: str, given: str) -> str:
    """A checker that finds its files by their names."""
    return text.replace("at[INPUT]", f'"{given}"').replace("at[OUTPUT]", '"user_out"')


def judged(judges: Judges, problem: Problem, source: str, language: str = "python3") -> Verdict:
    one = judges().judge(Submission(source=source.encode(), problem=problem.directory, language=language))
    assert one.error is None
    return one.verdict


def test_functions_of_luogu(tmp_path: Path, judges: Judges) -> None:
    """Without a checker the library reads the input; with one it talks to the checker."""
    plain = only(tmp_path / "plain", {**LUOGU, "interactive_lib.cpp": LIBRARY})
    talking = {**LUOGU, "interactive_lib.cpp": LIBRARY, "checker.cpp": TALK, "testlib.h": HEADER}
    for problem in (plain, only(tmp_path / "talking", talking)):
        assert judged(judges, problem, PLUS, "cpp17") is Verdict.AC
        assert judged(judges, problem, PLUS.replace("+", "*"), "cpp17") is Verdict.WA


def test_conversations_of_luogu(tmp_path: Path, judges: Judges) -> None:
    """The empty library only says that it is one."""
    problem = only(tmp_path, {**LUOGU, "interactive_lib.cpp": "\n", "checker.cpp": TALK, "testlib.h": HEADER})
    assert (problem.kind, problem.grader) == ("interactive", None)
    assert judged(judges, problem, FLUSHED) is Verdict.AC
    assert judged(judges, problem, FLUSHED.replace("sum", "max")) is Verdict.WA


def _hydro(config: str, **files: str) -> Files:
    data = {f"sum/testdata/{name.replace('_dot_', '.')}": text for name, text in files.items()}
    return {**HYDRO, "sum/testdata/config.yaml": config, **data}


def test_an_interactor_of_hydro(tmp_path: Path, judges: Judges) -> None:
    config = "type: interactive\ninteractor: {file: talk.cpp, lang: cc}\n"
    assert "return " in TALK
    talk = TALK.replace("return ", "bool wrong = ").replace(
        ";\n}", ';\n    std::cerr << (wrong ? "wrong answer " : "ok ");\n}'
    )
    problem = only(tmp_path, _hydro(config, talk_dot_cpp=talk, testlib_dot_h=HEADER))
    assert judged(judges, problem, FLUSHED) is Verdict.AC
    assert judged(judges, problem, FLUSHED.replace("sum", "max")) is Verdict.WA


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        ("hustoj", checker(1, 3, "return !(right)")),
        ("qduoj", checker(1, 2, "return !(right)")),
        ("lemon", checker(1, 2, 'std::ofstream(at[5]) << ((right) ? at[4] : "0")')),
        ("syzoj", named(checker(1, 1, "std::cout << 100 * (right)"), "in")),
    ],
)  # fmt: skip
def test_checkers_of_hydro(tmp_path: Path, judges: Judges, kind: str, word: str) -> None:
    problem = only(tmp_path, _hydro(f"checker_type: {kind}\nchecker: chk.cpp\n", chk_dot_cpp=word))
    assert isinstance(problem.checker, Program)
    own = {"lemon": Convention.HYDRO_LEMON, "syzoj": Convention.HYDRO_SYZOJ}
    assert problem.checker.convention is own.get(kind, Convention(kind))
    assert judged(judges, problem, ADD) is Verdict.AC
    assert judged(judges, problem, MAX) is Verdict.WA


def test_headers_and_outputs_of_hydro(tmp_path: Path, judges: Judges) -> None:
    beside = only(tmp_path / "beside", _hydro("user_extra_files: [sum.h]\n", sum_dot_h="#define SUM(a, b) a + b\n"))
    program = (
        '#include "sum.h"\n#include <iostream>\nint main() { int a, b; std::cin >> a >> b; std::cout << SUM(a, b); }\n'
    )
    assert judged(judges, beside, program, "cpp17") is Verdict.AC
    answers = only(tmp_path / "answers", _hydro("type: submit_answer\nsubType: multi\n"))
    given = zipped({"1.out": "3\n", "2.out": "4\n", "10.out": "10\n"})
    assert judges().judge(Submission(source=given, problem=answers.directory, language="outputs")).accepted


#: Gives each process one of two numbers and wants their sum from both.
MANAGER = """#include <fstream>
#include <iostream>
int main(int, char **at) {
    long a, b, from0 = 0, from1 = 0;
    std::cin >> a >> b;
    std::ifstream read0(at[1]), read1(at[3]);
    std::ofstream write0(at[2]), write1(at[4]);
    write0 << a << std::endl;
    write1 << b << std::endl;
    read0 >> from0;
    read1 >> from1;
    std::cout << (from0 + from1 == a + b) << std::endl;
}
"""


def test_communication(tmp_path: Path, judges: Judges) -> None:
    """Of CMS with its stub and FIFOs; of Hydro and TPS through stdin and stdout."""
    stub = """#include <fstream>
extern long same(long);
int main(int, char **at) {
    std::ifstream given(at[1]);
    std::ofstream said(at[2]);
    long number;
    given >> number;
    said << same(number) << std::endl;
}
"""
    task = str(CMS["task.yaml"]).replace("n_input", "num_processes: 2\nn_input")
    cms = only(
        tmp_path / "cms",
        {**CMS, "task.yaml": task, "check/manager.cpp": MANAGER, "sol/stub.cpp": stub, "sol/solution.py": ""},
    )
    assert judged(judges, cms, "long same(long x) { return x; }", "cpp17") is Verdict.AC
    assert judged(judges, cms, "long same(long x) { return x + 1; }", "cpp17") is Verdict.WA
    hydro = only(
        tmp_path / "hydro", _hydro("type: communication\nmanager: man.cpp\nnum_processes: 2\n", man_dot_cpp=MANAGER)
    )
    head = '{"code": "sum", "task_type": "Communication", "time_limit": 1, "memory_limit": 64, "task_type_params": '
    head += '"{\\"task_type_parameters_Communication_num_processes\\": 2}"}'
    tps = only(tmp_path / "tps", {**TPS, "problem.json": head, "graders/manager.cpp": MANAGER, "solutions.json": "{}"})
    for problem in (hydro, tps):
        assert judged(judges, problem, "print(input(), flush=True)") is Verdict.AC
        assert judged(judges, problem, "print(0, flush=True)") is Verdict.WA


def test_programs_of_syzoj(tmp_path: Path, judges: Judges) -> None:
    data = {name: text for name, text in SYZOJ.items() if name != "data.yml"}
    spj = (
        checker(1, 1, "std::cout << ((right) ? 100 : 40)")
        .replace("at[INPUT]", '"input"')
        .replace("at[OUTPUT]", '"user_out"')
    )
    special = {
        **data,
        "spj.cpp": spj,
        "data.yml": SYZOJ["data.yml"] + "specialJudge: {language: cpp, fileName: spj.cpp}\n",
    }
    problem = only(tmp_path / "special", special)
    assert judged(judges, problem, ADD) is Verdict.AC
    assert judged(judges, problem, MAX) is Verdict.PC
    talk = TALK.replace("at[1]", '"input"').replace(
        "return got != a + b", 'std::ofstream("score.txt") << 100 * (got == a + b)'
    )
    stated = SYZOJ["data.yml"] + "interactor: {language: cpp, fileName: talk.cpp}\n"
    talking = only(tmp_path / "talking", {**data, "talk.cpp": talk, "testlib.h": HEADER, "data.yml": stated})
    assert judged(judges, talking, FLUSHED) is Verdict.AC
    assert judged(judges, talking, FLUSHED.replace("sum", "max")) is Verdict.WA
    answers = only(tmp_path / "answers", {**data, "data.yml": SYZOJ["data.yml"] + "userOutput: 'sum#.out'\n"})
    given = zipped(
        {f"sum{name.removesuffix('.out')}.out": text for name, text in PAIRS.items() if name.endswith(".out")}
    )
    assert judges().judge(Submission(source=given, problem=answers.directory, language="outputs")).accepted


def test_headers_of_syzoj(tmp_path: Path, judges: Judges) -> None:
    stated = SYZOJ["data.yml"] + "extraSourceFiles: [{language: cpp, files: [{name: lib.h, dest: sum.h}]}]\n"
    problem = only(tmp_path, {**SYZOJ, "data.yml": stated, "lib.h": "#define SUM(a, b) a + b\n"})
    program = (
        '#include "sum.h"\n#include <iostream>\nint main() { int a, b; std::cin >> a >> b; std::cout << SUM(a, b); }\n'
    )
    assert judged(judges, problem, program, "cpp17") is Verdict.AC


def test_programs_of_free_problem_sets(tmp_path: Path, judges: Judges) -> None:
    """HUSTOJ's special judges, and the code that stands around submissions."""
    tests = "<test_input>1 2</test_input><test_output>3</test_output>"
    spj = f'<spj language="C++"><![CDATA[{checker(1, 3, "return !(right)")}]]></spj>'
    around = '<prepend language="Python"><![CDATA[from math import prod]]></prepend>'
    around += '<append language="Python"><![CDATA[print(f(*map(int, input().split())))]]></append>'
    special = only(tmp_path / "special", {"x.xml": f"<fps><item><title>a</title>{tests}{spj}</item></fps>"})
    assert judged(judges, special, ADD) is Verdict.AC
    assert judged(judges, special, MAX) is Verdict.WA
    tpj = checker(1, 2, "return !(right)").replace("#include", '#include "testlib.h"\n#include', 1)
    both = f'{spj.replace("right", "false")}<tpj language="C++"><![CDATA[{tpj}]]></tpj>'
    files = {"x.xml": f"<fps><item><title>a</title>{tests}{both}</item></fps>"}
    (one,) = imported(tmp_path / "without", files)
    assert "<tpj> needs testlib.h, which is not there" in (one.error or "")
    preferred = only(tmp_path / "testlib", {**files, "testlib.h": "\n"})
    assert judged(judges, preferred, ADD) is Verdict.AC
    assert judged(judges, preferred, MAX) is Verdict.WA
    template = only(tmp_path / "template", {"x.xml": f"<fps><item><title>a</title>{tests}{around}</item></fps>"})
    assert judged(judges, template, "def f(a, b): return prod([a, 1]) + b") is Verdict.AC
    assert judged(judges, template, "def f(a, b): return prod([a, b])") is Verdict.WA
