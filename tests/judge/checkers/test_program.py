"""Checkers that a problem brings, in both calling conventions."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from containers import File, Outcome, RunSpec, Sandbox, open_sandbox
from judge import Judge, Judgement, Submission, Verdict
from judge.checkers.compare import Checked
from judge.checkers.program import ProgramChecker
from judge.judging import prepared
from judge.many import local

if TYPE_CHECKING:
    from tests.conftest import MakePackage

Judges = Callable[..., Judge]

CASES = {"secret/1": ("10\n", "any\n")}

#: Accepts two numbers with the input as their sum; says why not; half a score for a sum that is one off.
ICPC = r"""
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
int main(int argc, char **argv) {
    std::ifstream input(argv[1]), answer(argv[2]);
    std::string feedback = argv[3], word;
    long total, a, b;
    input >> total;
    answer >> word;
    std::ofstream message(feedback + "/judgemessage.txt");
    if (argc != 4 || word != "any") return 1;
    if (!(std::cin >> a >> b)) { message << "no two numbers"; return 43; }
    if (a == 666) abort();
    if (a == 777) for (;;) {}
    if (a == 888) { std::ofstream(feedback + "/score.txt") << "nonsense"; return 42; }
    if (a + b == total + 1) { std::ofstream(feedback + "/score.txt") << 0.5; return 42; }
    if (a + b != total) { message << a << "+" << b << " is not " << total; return 43; }
    return 42;
}
"""

#: The same in testlib's convention, by hand: testlib itself is the user's to bring.
TESTLIB = r"""
#include <fstream>
#include <iostream>
int main(int argc, char **argv) {
    std::ifstream inf(argv[1]), ouf(argv[2]), ans(argv[3]);
    long total, a, b;
    inf >> total;
    std::string word;
    ans >> word;
    if (word != "any") return 3;
    if (!(ouf >> a >> b)) { std::cerr << "wrong output format Unexpected end of file"; return 2; }
    if (a == 666) { std::cerr << "FAIL the answer is broken"; return 3; }
    if (a + b == total + 1) { std::cerr << "points 0.5 one off"; return 7; }
    if (a + b == total + 2) { std::cerr << "points 50"; return 7; }
    if (a + b != total) { std::cerr << "wrong answer " << a + b; return 1; }
    std::cerr << "ok fine";
    return 0;
}
"""
ACCEPTED = "submissions/accepted/a.py"
PYTHON = """
import sys
total = int(open(sys.argv[1]).read())
a, b = map(int, sys.stdin.read().split())
open(sys.argv[3] + "judgemessage.txt", "w").write(f"{a} and {b}")
sys.exit(42 if a + b == total else 43)
"""


def test_points_are_a_share_of_the_full_score(judges: Judges, package: MakePackage) -> None:
    checker = "import sys\nopen(sys.argv[3] + '/score.txt', 'w').write(sys.stdin.read())\nsys.exit(42)\n"
    files = {"output_validator/check.py": checker, "judge.yaml": "cases: {secret/1: {full_score: 50}}\n"}
    problem = package({"secret/1": ("", "50")}, metadata="type: scoring\n", files=files)
    for output, verdict, score in (("50", "AC", 1.0), ("20", "PC", 0.4), ("0", "WA", 0.0), ("51", "WA", 0.0)):
        text = f"print({output})".encode()
        judgement = judges().judge(Submission(source=text, problem=problem, language="python3"))
        assert (judgement.verdict, judgement.score) == (verdict, score), output
    assert "it must be a number from 0 to 50" in judgement.tests[0].detail


def judged(judge: Judge, problem: Path, output: str) -> Judgement:
    return judge.judge(Submission(source=f"print({output!r})".encode(), problem=problem, language="python3"))


def icpc(package: MakePackage, source: str = ICPC, name: str = "check.cpp", **files: str) -> Path:
    return package(CASES, files={f"output_validator/{name}": source, **files})


def ported(package: MakePackage) -> Path:
    return package(
        CASES, files={"output_validator/check.cpp": TESTLIB, "judge.yaml": "checker: {convention: testlib}\n"}
    )


@pytest.mark.parametrize(
    ("output", "verdict", "score", "says"),
    [
        ("3 7", "AC", 1.0, ""),
        ("4 4", "WA", 0.0, "4+4 is not 10"),
        ("3 8", "PC", 0.5, ""),
        ("", "WA", 0.0, "no two numbers"),
        ("666 1", "WA", 0.0, "on this output the checker check.cpp failed (SIGABRT)"),
        ("888 1", "WA", 0.0, "wrote the score 'nonsense'"),
    ],
)
def test_icpc(
    judges: Judges, package: MakePackage, *, output: str, verdict: str, score: float | None, says: str
) -> None:
    judgement = judged(judges(), icpc(package), output)
    assert (judgement.verdict, judgement.score) == (verdict, score)
    assert says in judgement.tests[0].detail
    assert judgement.error is None


@pytest.mark.parametrize(
    ("output", "verdict", "score", "says"),
    [
        ("3 7", "AC", 1.0, "ok fine"),
        ("4 4", "WA", 0.0, "wrong answer 8"),
        ("3 8", "PC", 0.5, "one off"),
        ("", "WA", 0.0, "Unexpected end of file"),
        ("666 1", "WA", 0.0, "FAIL the answer is broken"),
        ("3 9", "WA", 0.0, "wrote the score '50'"),
    ],
)
def test_testlib(
    judges: Judges, package: MakePackage, *, output: str, verdict: str, score: float | None, says: str
) -> None:
    judgement = judged(judges(), ported(package), output)
    assert (judgement.verdict, judgement.score) == (verdict, score)
    assert says in judgement.tests[0].detail


def test_python_checker(judges: Judges, package: MakePackage) -> None:
    problem = icpc(package, PYTHON, "check.py", **{ACCEPTED: "print(3, 7)\n"})
    assert judged(judges(), problem, "3 7").verdict is Verdict.AC
    assert judged(judges(), problem, "3 8").tests[0].detail == "3 and 8"
    judgement = judged(judges(), problem, "words")
    assert judgement.verdict is Verdict.WA
    assert "ValueError" in judgement.tests[0].detail


@pytest.mark.parametrize(
    ("accepted", "verdict"),
    [({}, "IE"), ({ACCEPTED: "print(3, 7)\n"}, "WA"), ({ACCEPTED: "print('many', 'words')\n"}, "IE")],
    ids=["no accepted submission", "it lives on that", "it fails on that"],
)
def test_an_answer_may_be_notes(judges: Judges, package: MakePackage, accepted: dict[str, str], verdict: str) -> None:
    """The checker fails on them as on any words, so a program could choose IE by words."""
    problem = icpc(package, PYTHON, "check.py", **accepted)
    judge = judges()
    judgement = judged(judge, problem, "words")
    assert (judgement.verdict, judgement.score) == (verdict, None if verdict == "IE" else 0.0)
    assert judged(judge, problem, "3 7").verdict is Verdict.AC


@pytest.mark.parametrize(
    "unusable", [{"submissions/accepted/a.c": "int main(void) {}\n"}, {"submissions/accepted/a.py": "print(3, 7\n"}]
)
def test_an_accepted_submission_that_cannot_be_tried_is_passed_over(
    judges: Judges, package: MakePackage, unusable: dict[str, str]
) -> None:
    """One in a language for which the grader has no files raised an error that was no verdict: words chose it."""
    grader = {"include/cpp/grader.cpp": "int main() {}\n", "include/python3/helper.py": ""}
    files = {**unusable, **grader, "submissions/accepted/z.py": "print(3, 7)\n"}
    assert judged(judges(), icpc(package, PYTHON, "check.py", **files), "words").verdict is Verdict.WA
    broken = {**files, "submissions/accepted/z.py": "print('many', 'words')\n"}
    control = icpc(package, PYTHON, "check.py", **broken)
    assert judged(judges(), control, "words").verdict is Verdict.IE, "the control: the next one is asked"


def test_a_checker_behind_an_interactor_finds_no_answer(judges: Judges, package: MakePackage) -> None:
    """What the interactor of testlib wrote is judged; `.ans` is empty, as is allowed."""
    interactor = "import sys\nopen(sys.argv[2], 'w').write(sys.stdin.readline())\nsys.exit(0)\n"
    files = {
        "interactor/i.py": interactor,
        "output_validator/c.py": "import sys\nsys.exit(0 if int(open(sys.argv[2]).read()) == 7 else 1)\n",
        "judge.yaml": "interactor: {convention: testlib}\nchecker: {convention: testlib}\n",
        ACCEPTED: "print(7)\n",
    }
    problem = package({"secret/1": ("", "")}, metadata="type: interactive\n", files=files)
    judge = judges()
    assert [judged(judge, problem, text).verdict for text in ("junk", "8", "7")] == ["WA", "WA", "AC"]


def test_arguments_of_a_case(judges: Judges, package: MakePackage) -> None:
    source = "import sys\nsys.exit(42 if sys.argv[4:] == ['strict', '3'] else 43)\n"
    problem = icpc(package, source, "check.py", **{"data/secret/1.yaml": "output_validator_args: [strict, '3']\n"})
    assert judged(judges(), problem, "").accepted


def test_checker_that_does_not_compile(judges: Judges, package: MakePackage) -> None:
    judgement = judged(judges(), icpc(package, "int main() { return x; }"), "3 7")
    assert (judgement.verdict, judgement.score) == (Verdict.IE, None)
    assert "does not compile" in (judgement.error or "")


def test_checker_over_its_own_limits(judges: Judges, package: MakePackage) -> None:
    problem = package(
        CASES,
        files={
            "output_validator/check.cpp": ICPC,
            "judge.yaml": "checker: {limits: {cpu_ns: 300000000, wall_ns: 600000000}}\n",
        },
    )
    judgement = judged(judges(), problem, "777 0")
    assert (judgement.verdict, judgement.score) == (Verdict.WA, 0.0)
    assert "stopped by its" in judgement.tests[0].detail


@pytest.mark.parametrize("answer", ["666 1", "777 1", "888 1"])
def test_a_checker_that_fails_on_the_answer_too_is_broken(judges: Judges, package: MakePackage, answer: str) -> None:
    """No submission chose that: the problem did."""
    problem = package(
        {"secret/1": ("10\n", answer)},
        files={
            "output_validator/check.cpp": ICPC.replace('word != "any"', "false"),
            "judge.yaml": "checker: {limits: {cpu_ns: 300000000}}\n",
            ACCEPTED: f"print({answer!r})\n",
        },
    )
    judge = judges()
    judgement = judged(judge, problem, "666 2")
    assert (judgement.verdict, judgement.score) == (Verdict.IE, None)
    assert "checker check.cpp failed (SIGABRT)" in (judgement.error or "")
    assert judged(judge, problem, "3 7").verdict is Verdict.AC


def test_the_answer_is_tried_once_for_many_outputs_that_break_a_checker(
    judges: Judges, package: MakePackage, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[bytes] = []
    check = ProgramChecker._check

    def counted(
        self: ProgramChecker, sandbox: Sandbox, input: bytes, output: bytes, answer: bytes, full_score: float
    ) -> Checked:
        runs.append(output)
        return check(self, sandbox, input, output, answer, full_score)

    monkeypatch.setattr(ProgramChecker, "_check", counted)
    judge, problem = judges(), icpc(package)
    for number in range(4):
        assert judged(judge, problem, f"666 {number}").verdict is Verdict.WA
    assert [output.split()[0] for output in runs] == [b"666", b"any", b"666", b"666", b"666"]


def test_a_checker_never_runs_where_the_program_does(
    judges: Judges, package: MakePackage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sandbox that gets the answer is not the one that gets the submission, and has a life of its own."""
    runs: list[tuple[int, RunSpec]] = []

    class Watched:
        def __init__(self, inner: Sandbox) -> None:
            self._inner = inner
            self.isolation, self.stop, self.close = inner.isolation, inner.stop, inner.close

        def run(self, spec: RunSpec) -> Outcome:
            runs.append((id(self), spec))
            return self._inner.run(spec)

    monkeypatch.setattr(local, "open_sandbox", lambda *a, **how: Watched(open_sandbox(*a, **how)))
    assert judged(judges(), icpc(package), "3 7").accepted

    def holds(files: tuple[File, ...], data: bytes) -> bool:
        return any(data in file.content for file in files)

    with_answer = {sandbox for sandbox, spec in runs if holds(spec.files, b"any")}
    with_submission = {sandbox for sandbox, spec in runs if holds(spec.files, b"print('3 7')")}
    assert with_answer
    assert with_submission
    assert not with_answer & with_submission


def test_checkers_that_were_used_longest_ago_are_closed(
    judges: Judges, package: MakePackage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A data set may bring more checkers than a process may have files open."""
    monkeypatch.setattr(prepared, "_CHECKERS", 2)
    judge, quick = judges(), "int main(int argc, char **argv) { return 42; }\n"
    problems = [package(CASES, files={"output_validator/check.c": quick}, name=f"p{number}") for number in range(5)]
    open_after = []
    for problem in (*problems, problems[0]):
        assert judged(judge, problem, "any").accepted
        files = [os.path.realpath(path) for path in Path("/proc/self/fd").iterdir()]
        open_after.append(sum("memfd:" in name and "memfd:input" not in name for name in files))
    assert open_after[1] == open_after[0] + 1
    assert open_after[2:] == open_after[1:2] * 4
