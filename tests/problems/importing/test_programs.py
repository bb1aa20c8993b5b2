"""Interactors, managers, graders, checkers and answers to be submitted of Luogu, Hydro, SYZOJ, CMS and TPS."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import problems
from judge import Judge, Submission, Verdict
from problems import Problem, Program
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
        ("kattis", checker(1, 1, "return (right) ? 42 : 43").replace("at[OUTPUT]", '"/dev/stdin"')),
        ("qduoj", checker(1, 2, "return !(right)")),
        ("lemon", checker(1, 2, 'std::ofstream(at[5]) << ((right) ? at[4] : "0")')),
        ("syzoj", named(checker(1, 1, "std::cout << 100 * (right)"), "in")),
    ],
)  # fmt: skip
def test_checkers_of_hydro(tmp_path: Path, judges: Judges, kind: str, word: str) -> None:
    problem = only(tmp_path, _hydro(f"checker_type: {kind}\nchecker: chk.cpp\n", chk_dot_cpp=word))
    assert isinstance(problem.checker, Program)
    assert problem.checker.convention in (kind, f"hydro-{kind}")
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


#: Of one process. Under old versions of CMS the first FIFO went to the process; a FIFO serves both directions.
_OLD_MANAGER = """#include <cstdio>
int main(int, char **at) {
    FILE *out = std::fopen(at[1], "w"), *in = std::fopen(at[2], "r");
    long a, b, said = 0;
    if (std::scanf("%ld %ld", &a, &b) != 2) return 1;
    std::fprintf(out, "%ld %ld\\n", a, b);
    std::fflush(out);
    if (std::fscanf(in, "%ld", &said) != 1) said = -1;
    std::printf("%d\\n", said == a + b);
}
"""
_OLD_STUB = """#include <cstdio>
extern long sum(long, long);
int main(int, char **at) {
    FILE *in = std::fopen(at[2], "r"), *out = std::fopen(at[1], "w");
    long a, b;
    if (std::fscanf(in, "%ld %ld", &a, &b) != 2) return 1;
    std::fprintf(out, "%ld\\n", sum(a, b));
    std::fclose(out);
}
"""
_OLD = {**CMS, "check/manager.cpp": _OLD_MANAGER, "sol/stub.cpp": _OLD_STUB, "sol/solution.py": ""}


def test_managers_of_cms_that_write_the_first_fifo(tmp_path: Path, judges: Judges) -> None:
    problem = only(tmp_path / "old", _OLD)
    assert problem.manager is not None
    assert problem.manager.fifos == "swapped"
    assert judged(judges, problem, "long sum(long a, long b) { return a + b; }", "cpp17") is Verdict.AC
    assert judged(judges, problem, "long sum(long a, long) { return a; }", "cpp17") is Verdict.WA
    new = _OLD_STUB.replace("at[2]", "at[0]").replace("at[1]", "at[2]").replace("at[0]", "at[1]")
    (one,) = imported(tmp_path / "half", {**_OLD, "sol/stub.cpp": new})
    assert "writes the first of two FIFOs and reads the second, and stub.cpp does not" in (one.error or "")
    (one,) = imported(tmp_path / "alone", {name: text for name, text in _OLD.items() if name != "sol/stub.cpp"})
    assert "check/manager.cpp: writes the first of two FIFOs" in (one.error or "")


def test_how_programs_of_cms_open_their_fifos(tmp_path: Path) -> None:
    reads = {
        'FILE *in = fopen(argv[1], "r"); FILE *out = fopen(argv[2], "w");': True,
        "int in = open(argv[2], O_RDONLY), out = open(argv[1], O_WRONLY);": "swapped",
        "std::ofstream out(argv[1]); std::ifstream in(argv[2]);": "swapped",
        'FILE *in = fopen(path, "r");': True,  # assumed
        'FILE *io = fopen(argv[1], "r+");': True,
    }
    for number, (line, fifos) in enumerate(reads.items()):
        files = {**CMS, "check/manager.cpp": f"int main(int argc, char **argv) {{ {line} }}\n", "sol/stub.cpp": "\n"}
        (one,) = imported(tmp_path / f"{number}", {**files, "sol/solution.py": ""})
        assert one.package is not None, one.error
        manager = problems.load(one.package).manager
        assert manager is not None
        assert manager.fifos == fifos, line
        assert any("as CMS's documents say" in loss.message for loss in one.losses) is (number > 2)


@pytest.mark.parametrize(("stated", "fifos"), [("", False), ("user_io: std_io", False), ("user_io: fifo_io", True)])
def test_processes_of_cms_without_a_stub(tmp_path: Path, judges: Judges, stated: str, fifos: bool) -> None:
    task = str(CMS["task.yaml"]).replace("n_input", f"num_processes: 2\n{stated}\nn_input")
    problem = only(tmp_path, {**CMS, "task.yaml": task, "check/manager.cpp": MANAGER, "sol/solution.py": ""})
    assert problem.manager is not None
    assert problem.manager.fifos is fifos
    assert judged(judges, problem, "print(input(), flush=True)") is Verdict.AC


def test_solutions_of_cms_without_a_grader_of_their_language(tmp_path: Path) -> None:
    files = {**CMS, "sol/grader.cpp": "int main() {}\n", "sol/solution.pas": "begin end.\n"}
    (one,) = imported(tmp_path, {**files, "sol/grader.pas": "begin end.\n"})
    assert one.package is not None, one.error
    told = {loss.file.rpartition("/")[2]: loss.message for loss in one.losses}
    assert "no language for which there is a grader" in told["solution.pas"]


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


def test_solutions_of_free_problem_sets_hold_the_code_around_them(tmp_path: Path, judges: Judges) -> None:
    """HUSTOJ exports solutions with it, and imports them as they are."""
    tests = "<test_input>1 2</test_input><test_output>3</test_output>"
    around = '<prepend language="Python">from math import prod</prepend><append language="Python">print(f(4))</append>'
    around = around.replace("f(4)", "f(*map(int, input().split())), end=''")
    own = "def f(a, b):\n    return prod([a, 1]) + b"
    whole = f"from math import prod\n{own}\n\nprint(f(*map(int, input().split())), end='')\n"
    said = "".join(
        f'<solution language="{language}"><![CDATA[{text}]]></solution>'
        for language, text in (("Python", whole), ("Python", own), ("C", "int main() {}"))
    )
    (one,) = imported(tmp_path, {"x.xml": f"<fps><item><title>a</title>{tests}{around}{said}</item></fps>"})
    assert one.package is not None, one.error
    problem = problems.load(one.package)
    texts = {one.path.name: one.path.read_text() for one in problem.submissions}
    assert texts == {"solution1.py": f"{own}\n", "solution3.c": "int main() {}"}
    assert judged(judges, problem, own) is Verdict.AC
    assert [loss.message for loss in one.losses if "is a whole program" in loss.message] == [
        "0001-a: a solution in 'Python' is a whole program, where submissions get code around them: it is not imported"
    ]


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
