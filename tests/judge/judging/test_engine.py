"""Programs, problems and the verdicts that they earn, from end to end."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from judge import Cjk, Judge, Judgement, LanguageError, Options, ProblemError, Stop, Submission, Verdict
from judge.store.inputs import Inputs
from problems.model import TestCase

if TYPE_CHECKING:
    from tests.conftest import MakePackage

Judges = Callable[..., Judge]

SUM = {"sample/1": ("1 2\n", "3\n"), "secret/1": ("2 2\n", "4\n"), "secret/2": ("-1 5\n", "4\n")}
QUICK = "limits:\n  time_limit: 0.3\n  memory: 64\n  output: 1\n"


def program(body: str) -> bytes:
    """A C program that reads a and b first."""
    return (
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
        f'int main(int argc, char **argv) {{ int a, b; scanf("%d %d", &a, &b); {body} }}\n'
    ).encode()


#: Uses 100 MiB for a while.
TOUCH = program(
    'char *p = malloc(100 << 20); memset(p, 1, 100 << 20); usleep(50000); printf("%d\\n", a + b + p[a + 9] - 1);'
)
ADD = program('printf("%d\\n", a + b);')
PYTHON = b"print(sum(map(int, input().split())))\n"


def judged(judge: Judge, problem: Path, source: bytes = ADD, language: str = "c17", **options: object) -> Judgement:
    submission = Submission(source=source, problem=problem, language=language, id="row")
    return judge.judge(submission, Options(**options))  # type: ignore[arg-type]


def verdicts(judgement: Judgement) -> str:
    return " ".join(test.verdict for test in judgement.tests)


@pytest.mark.parametrize(
    ("body", "expected", "detail"),
    [
        ('printf("%d\\n", a + b);', "AC", ""),
        ('printf("%d", a + b + (a == -1));', "WA", ""),
        ("", "WA", ""),
        ('printf("%d\\n", a + b); return 1;', "RE", "exit code 1"),
        ('printf("%d\\n", a + b); fflush(stdout); abort();', "RE", "SIGABRT"),
        ("raise_(9);", "CE", ""),
        ('printf("%d\\n", a + b); fflush(stdout); for (;;);', "TLE", "CPU time"),
        ("sleep(20);", "TLE", "wall time"),
        ("for (;;) memset(malloc(1 << 20), 1, 1 << 20);", "MLE", "64 MiB"),
        (
            'static volatile char m[66 << 20]; for (int i = 0; i < 66 << 20; i += 4096) m[i] = 1; printf("%d", a + b);',
            "MLE",
            "more than 64 MiB (peak 6",
        ),
        ('for (;;) puts("endless");', "OLE", "1 MiB"),
    ],
    ids=[
        "right",
        "wrong",
        "silent",
        "right but exit code 1",
        "signal",
        "undeclared",
        "busy",
        "asleep",
        "memory",
        "a little memory too much",
        "output",
    ],
)
def test_verdicts(judges: Judges, package: MakePackage, body: str, expected: str, detail: str) -> None:
    judgement = judged(
        judges(), package(SUM, metadata=QUICK), program(body), confirm_tle=False, stop=Stop.FIRST_FAILURE
    )
    assert judgement.verdict == expected
    assert judgement.accepted == (expected == "AC")
    failing = next((test for test in judgement.tests if test.verdict == expected != "AC"), None)
    assert failing is None or detail in failing.detail
    assert (judgement.compile is not None and judgement.compile.verdict == "ok") == (expected != "CE")


def test_a_judgement_is_complete(judges: Judges, package: MakePackage) -> None:
    judgement = judged(judges(), package(SUM))
    assert next(iter(judgement.as_dict().items())) == ("schema", 1)
    assert (judgement.id, judgement.problem, judgement.language) == ("row", "package", "c17")
    assert (judgement.score, judgement.complete, judgement.error) == (1.0, True, None)
    assert judgement.isolation is not None
    assert judgement.wall_ns > 0
    assert judgement.cpu_ns == sum(test.cpu_ns or 0 for test in judgement.tests)
    assert [test.name for test in judgement.tests] == ["sample/1", "secret/1", "secret/2"]
    test = judgement.tests[0]
    assert (test.exit_code, test.signal, test.stdout, test.memory_source) == (0, None, "3\n", "maxrss")
    assert test.memory_bytes


def test_output_of_a_test_is_shown_in_part(judges: Judges, package: MakePackage) -> None:
    body = "for (int i = 0; i < 5000; i++) putchar(i ? 0xff : 'x'); fputs(\"oh\", stderr);"
    test = judged(judges(), package(SUM), program(body)).tests[0]
    assert test.stdout == "x" + "\ufffd" * 4095
    assert test.stderr == "oh"
    less = judged(judges(), package(SUM), program(body), shown_bytes=3).tests[0]
    assert less.stdout == "x" + "\ufffd" * 2 and less.stderr == "oh"


@pytest.mark.parametrize(
    ("kind", "shown", "verdict", "score"), [("pass-fail", "WA SK SK", "WA", 0.0), ("scoring", "WA AC AC", "AC", 1.0)]
)
def test_samples_count_unless_there_are_scores(
    judges: Judges, package: MakePackage, kind: str, shown: str, verdict: str, score: float
) -> None:
    wrong_on_sample = program('printf("%d\\n", a == 1 ? 0 : a + b);')
    problem = package(SUM, metadata=f"type: {kind}\n")
    judgement = judged(judges(), problem, wrong_on_sample, stop=Stop.FIRST_FAILURE)
    assert verdicts(judgement) == shown
    assert (judgement.verdict, judgement.score) == (verdict, score)
    whole = judged(judges(), problem, wrong_on_sample)
    assert (whole.verdict, whole.accepted) == (verdict, verdict == "AC")
    assert whole.score == pytest.approx(1.0 if verdict == "AC" else 2 / 3)


def test_stop_on_first_failure(judges: Judges, package: MakePackage) -> None:
    judgement = judged(judges(), package(SUM), program('puts("0");'), stop=Stop.FIRST_FAILURE)
    assert verdicts(judgement) == "WA SK SK"
    assert not judgement.complete
    assert judgement.tests[2].score is None


def test_accepted_only_runs_first_what_failed_others(judges: Judges, package: MakePackage) -> None:
    judge, problem = judges(), package(SUM)
    wrong_on_last = program('printf("%d\\n", a == -1 ? 0 : a + b);')
    first = judged(judge, problem, wrong_on_last, stop=Stop.ACCEPTED_ONLY)
    assert (verdicts(first), first.complete) == ("AC AC WA", True)
    second = judged(judge, problem, wrong_on_last, stop=Stop.ACCEPTED_ONLY)
    assert (verdicts(second), second.complete, second.verdict) == ("SK SK WA", False, "WA")
    assert judged(judge, problem, stop=Stop.ACCEPTED_ONLY).accepted


def test_limits_of_one_case(judges: Judges, package: MakePackage) -> None:
    files = {"judge.yaml": "cases:\n  secret/2: {limits: {memory_bytes: 33554432}}\n"}
    problem = package(SUM, metadata="limits: {time_limit: 1, memory: 256}\n", files=files)
    assert verdicts(judged(judges(), problem, TOUCH)) == "AC AC MLE"


def test_limits_of_the_caller(judges: Judges, package: MakePackage) -> None:
    busy = program('for (volatile int i = 0; i < 100000000; i++); printf("%d\\n", a + b);')
    problem = package({"secret/1": ("1 2\n", "3\n")})
    assert judged(judges(), problem, busy, cpu_ns=10_000_000_000).accepted
    limited = judged(judges(), problem, busy, cpu_ns=20_000_000)
    assert limited.verdict is Verdict.TLE
    assert "0.020 s" in limited.tests[0].detail
    assert judged(judges(), problem, TOUCH, memory_bytes=50 << 20).verdict is Verdict.MLE


def test_language_multiplier(judges: Judges, package: MakePackage) -> None:
    busy = b"import time\na = sum(map(int, input().split()))\nwhile time.process_time() < 0.5: pass\nprint(a)\n"
    problem = package({"secret/1": ("1 2\n", "3\n")}, metadata="limits:\n  time_limit: 0.4\n")
    assert judged(judges(), problem, busy, "python3").accepted
    assert judged(judges(), problem, busy, "python3", language_multiplier=False).verdict is Verdict.TLE


def test_stopped_alone_at_the_limit_is_final(judges: Judges, package: MakePackage) -> None:
    problem = package(SUM, metadata=QUICK, files={"judge.yaml": "limits: {wall_ns: 60000000000}\n"})
    judgement = judged(judges(), problem, program("for (;;);"), stop=Stop.FIRST_FAILURE)
    assert judgement.tests[0].verdict is Verdict.TLE
    assert judgement.tests[0].confirmed is None


def test_files_instead_of_streams(judges: Judges, package: MakePackage) -> None:
    problem = package(SUM, files={"judge.yaml": "file_io: {input: sum.in, output: sum.out}\n"})
    source = program("").replace(
        b"int a, b;", b'freopen("sum.in", "r", stdin); freopen("sum.out", "w", stdout); int a, b;'
    )
    source = source.replace(b" }\n", b' printf("%d\\n", a + b); }\n')
    judgement = judged(judges(), problem, source)
    assert verdicts(judgement) == "AC AC AC"
    assert judgement.freopen_neutralised == 0
    assert judged(judges(), problem, ADD).verdict is Verdict.WA, "nothing on stdin, nothing in the file"
    streams = judged(judges(), package(SUM, name="streams"), source)
    assert verdicts(streams) == "AC AC AC", "neutralised where the problem declares no files"
    assert streams.freopen_neutralised == 2


@pytest.mark.parametrize(("answer", "verdict"), [("a + b", Verdict.AC), ("a - b", Verdict.WA)])
def test_a_file_of_most_of_the_memory_is_an_output_like_any_other(
    judges: Judges, package: MakePackage, answer: str, verdict: Verdict
) -> None:
    """No program chooses IE by what it writes."""
    files = {"judge.yaml": "file_io: {input: sum.in, output: sum.out}\n"}
    problem = package(SUM, metadata="limits: {memory: 64}\n", files=files)
    body = """
    freopen("sum.in", "r", stdin);
    freopen("sum.out", "w", stdout);
    scanf("%%d%%d", &a, &b);
    printf("%%d\\n", %s);
    for (int i = 0; i < 45 << 20; i++)
        putchar('\\n');
    """
    source = b"#include <stdio.h>\nint main(void) { int a, b;%s return 0; }\n" % (body % answer).encode()
    judgement = judged(judges(), problem, source)
    assert judgement.verdict is verdict, judgement.error


def test_arguments_and_extra_files(judges: Judges, package: MakePackage) -> None:
    problem = package(
        {"secret/1": ("1 2\n", "3 hello data\n")},
        files={"data/secret/1.yaml": "args: [hello]\n", "data/secret/1.files/extra.txt": "data"},
    )
    body = 'char text[9] = ""; fread(text, 1, 8, fopen("extra.txt", "r")); printf("%d %s %s", a + b, argv[1], text);'
    assert judged(judges(), problem, program(body)).accepted


def test_grader(judges: Judges, package: MakePackage) -> None:
    main = (
        '#include <stdio.h>\nint add(int, int);\nint main(void) { int a, b; scanf("%d %d", &a, &b);'
        ' printf("%d\\n", add(a, b)); return 0; }\n'
    )
    files = {"include/c/main.c": main.replace("add(a, b)", "{{called}}(a, b)")}
    problem = package(SUM, files=files, metadata="constants: {called: add}\n")
    assert judged(judges(), problem, b"int add(int a, int b) { return a + b; }\n").accepted
    assert judged(judges(), problem, b"int sub(int a, int b) { return a + b; }\n").verdict is Verdict.CE
    with pytest.raises(LanguageError, match=r"no files for python3, only for c; .* add include/python3/"):
        judged(judges(), problem, PYTHON, "python3")


def test_a_grader_of_headers_is_for_those_who_include_them(judges: Judges, package: MakePackage) -> None:
    problem = package(SUM, files={"include/cpp/sum.h": "int add(int, int);\n"})
    assert judged(judges(), problem, PYTHON, "python3").accepted


@pytest.mark.parametrize("entry", ["__main__.py", "main.py", "grader.py"])
def test_a_grader_in_python_begins(judges: Judges, package: MakePackage, entry: str) -> None:
    begin = "from sum import add\nimport helper\nprint(add(*helper.read()))\n"
    files = {
        f"include/python3/{entry}": begin,
        "include/python3/helper.py": "def read(): return map(int, input().split())\n",
        "judge.yaml": "grader: {submission_name: {python: sum.py}}\n",
    }
    problem = package(SUM, files=files)
    for _ in range(3):  # held from the second on
        assert judged(judges(), problem, b"def add(a, b): return a + b\n", "python3").accepted
    assert judged(judges(), problem, b"def add(a, b): return a - b\n", "python3").verdict is Verdict.WA
    assert judged(judges(), problem, b"print(3)\n", "python3").verdict is Verdict.RE


#: What a grader of such a name is, that calls `add` of a submission called sum, and a submission.
_CALLERS = {
    "python3": ("python3/main.py", "from sum import add\nprint(add(*map(int, input().split())))\n", "sum.py",
                "def add(a, b): return a + b\n"),
    "java": ("java/Main.java",
             "public class Main { public static void main(String[] args) { var in = new java.util.Scanner(System.in);"
             " System.out.println(sum.add(in.nextInt(), in.nextInt())); } }\n",
             "sum.java", "public class sum { static int add(int a, int b) { return a + b; } }\n"),
    "rust": ("rust/main.rs",
             "mod sum;\nfn main() { let mut line = String::new(); std::io::stdin().read_line(&mut line).unwrap();"
             " let n: Vec<i32> = line.split_whitespace().map(|word| word.parse().unwrap()).collect();"
             " println!(\"{}\", sum::add(n[0], n[1])); }\n",
             "sum.rs", "pub fn add(a: i32, b: i32) -> i32 { a + b }\n"),
}  # fmt: skip


@pytest.mark.parametrize("language", _CALLERS)
def test_submissions_are_called_as_the_grader_calls_the_accepted_one(
    judges: Judges, package: MakePackage, language: str
) -> None:
    """Packages of Kattis say no name: their submissions have one."""
    grader, begin, name, text = _CALLERS[language]
    files = {f"include/{grader}": begin, f"submissions/accepted/{name}": text}
    problem = package(SUM, files=files)
    assert judged(judges(), problem, text.encode(), language).accepted
    assert judged(judges(), problem, text.replace("+", "-").encode(), language).verdict is Verdict.WA


def test_files_beside_a_python_program_do_not_begin(judges: Judges, package: MakePackage) -> None:
    problem = package(SUM, files={"include/python3/helper.py": "def read(): return map(int, input().split())\n"})
    text = b"import helper\nprint(sum(helper.read()))\n"
    assert judged(judges(), problem, text, "python3").accepted


def test_groups(judges: Judges, package: MakePackage) -> None:
    cases = {"secret/1/1": ("1 1\n", "2\n"), "secret/2/1": ("1 2\n", "3\n"), "secret/2/2": ("2 2\n", "4\n")}
    files = {"judge.yaml": "groups:\n  secret/1: {points: 30}\n  secret/2: {points: 70, aggregation: min}\n"}
    problem = package(cases, metadata="type: scoring\n", files=files)
    judgement = judged(judges(), problem, program('printf("%d\\n", a + b == 4 ? 0 : a + b);'))
    assert (judgement.verdict, judgement.score) == ("WA", 0.3)


def test_prose_is_dropped_flagged_or_kept(judges: Judges, package: MakePackage) -> None:
    problem = package({**SUM, "secret/3": ("见附件\n", "略\n")})
    dropped = judged(judges(), problem, cjk=Cjk.DROP)
    assert dropped.accepted
    assert [test.name for test in dropped.dropped] == ["secret/3"]
    assert dropped.dropped[0].reason
    flagged = judged(judges(), problem, cjk=Cjk.FLAG)
    assert flagged.verdict is Verdict.WA
    assert [test.cjk is not None for test in flagged.tests] == [False, False, False, True]
    kept = judged(judges(), problem, cjk=Cjk.KEEP)
    assert (verdicts(kept), kept.dropped) == ("AC AC AC WA", ())
    assert kept.tests[3].cjk is None


def test_a_problem_left_without_tests_is_reported(judges: Judges, package: MakePackage) -> None:
    problem = package({"sample/1": ("1 2\n", "3\n"), "secret/1": ("见附件\n", "略\n")})
    with pytest.raises(ProblemError, match=r"all counted tests hold prose.*secret/1.*--cjk keep"):
        judged(judges(), problem, cjk=Cjk.DROP)


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"language": "cobol"}, LanguageError, "cobol"),
        ({"problem": "P0000"}, ProblemError, "P0000"),
    ],
)
def test_what_cannot_be_judged(
    judges: Judges, package: MakePackage, change: dict[str, object], error: type[Exception], says: str
) -> None:
    row = {"source": ADD, "language": "c17", "problem": package(SUM), **change}
    with pytest.raises(error, match=says) as caught:
        judges().judge(Submission(**row))  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (b"", "main"),
        (b" \n", "main"),
        (b"\xef\xbb\xbf", "main"),
        (b"x" * 10_000_000, "limit of 262144"),
        (ADD + b"\0", "NUL byte"),
        (b"\xff\xfe\x00\xd8", "UTF-16"),
    ],
    ids=["nothing", "blank", "byte order mark", "too large", "NUL", "half a surrogate"],
)
def test_a_source_that_is_no_text_is_a_compile_error(
    judges: Judges, package: MakePackage, source: bytes, says: str
) -> None:
    """It must not be an error of the judge's, which is not scored: a program could choose that."""
    judgement = judged(judges(), package(SUM), source)
    assert (judgement.verdict, judgement.score, judgement.error) == ("CE", 0.0, None)
    assert judgement.compile is not None
    assert says in judgement.compile.output


def test_answers_are_not_within_reach(judges: Judges, package: MakePackage) -> None:
    """Neither descriptors, nor arguments, nor the environment of a program tell where the package lies."""
    problem = package({"secret/1": ("needle-in-the-path 0\n", "x\n")}, name="needle")
    search = textwrap.dedent("""
        import os
        seen = [open("/proc/self/cmdline").read(), str(dict(os.environ)), os.getcwd()]
        seen += [os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if fd in "012"]
        print("found" if "needle" in " ".join(seen) else "x")
    """)
    assert judged(judges(), problem, search.encode(), "python3").accepted


def open_files() -> int:
    return psutil.Process().num_fds()


def test_inputs_are_few_open_files(tmp_path: Path) -> None:
    """Small inputs are many: a data set to train on has more than a process may have files open."""
    inputs = Inputs(most=3)
    before = open_files()
    for number in (*range(20), 0):
        path = tmp_path / f"{number}.in"
        path.write_text(str(number))
        case = TestCase(name=f"secret/{number}", group="secret", input=path, answer=None)
        with inputs.open(case) as stdin:
            assert os.read(stdin, 9) == str(number).encode()
    assert open_files() == before + 3
    inputs.close()
    assert open_files() == before


def test_a_program_that_stands_still_is_waited_for_twice(judges: Judges, package: MakePackage) -> None:
    """On its other tests it has its CPU limit and time to start; and what it answers there, counts."""
    cases = {f"secret/{n}": (f"{n} 0\n", f"{n}\n") for n in range(1, 6)}
    problem = package(cases, metadata=QUICK)
    judgement = judged(judges(), problem, program('if (a != 4) sleep(9); printf("%d\\n", a + b);'))
    assert verdicts(judgement) == "TLE TLE TLE AC TLE"
    limits = [test.detail.partition(" (")[0].rpartition(" of ")[2] for test in judgement.tests]
    assert limits == ["1.600 s", "1.600 s", "0.550 s", "", "0.550 s"]
    computes = judged(judges(), problem, program("for (;;);"))
    assert all("CPU time" in test.detail for test in computes.tests)
