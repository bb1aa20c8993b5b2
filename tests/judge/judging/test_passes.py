"""Multi-pass problems: how passes follow each other, and the verdict of each way in which they can end."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from judge import Judge, Judgement, Options, ProblemError, Submission, Verdict
from judge.compiling.compiler import Executable
from problems import load
from problems.model import MIB
from problems.writing.write import write

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import MakePackage

Judges = Callable[..., Judge]

METADATA = """type: [pass-fail, multi-pass]
limits:
  time_limit: 0.3
  memory: 64
  output: 1
  validation_passes: 3
  validation_time: 1
"""
#: Keeps what it heard in files of names of its own, and checks that it is given the input of this pass.
CHECKER = r"""
import os, sys
given, answer, feedback = sys.argv[1:4]
assert open(answer).read() == "the answer\n"
past = open(feedback + "past").read() if os.path.exists(feedback + "past") else ""
assert not os.path.exists(feedback + "nextpass.in")
assert open(given).read() == (past or "begin\n"), (past, open(given).read())
word, _, rest = sys.stdin.read().strip().partition(" ")
open(feedback + "judgemessage.txt", "a").write(word + ".")
if word in ("again", "refused-again"):
    for name in ("nextpass.in", "past"):
        open(feedback + name, "w").write(past + rest + "\n")
if word in ("wrong", "refused-again"):
    sys.exit(43)
if word == "crash":
    sys.exit(1)
if word == "score":
    open(feedback + "score_multiplier.txt", "w").write(rest)
sys.exit(42)
"""
#: Asks for passes until it is satisfied.
INTERACTOR = CHECKER.replace("sys.stdin.read()", "(print('say', flush=True), sys.stdin.readline())[1]")
#: "begin": the first of two passes.
ACCEPTED = "print('again 1' if input() == 'begin' else 'done')\n"
HEAD = (
    "import sys, time, os\ntext = input()\nfirst, third = text == 'begin', text == '1' and sys.stdin.read() == '1\\n'\n"
)


def packed(package: MakePackage, *, interactive: bool = False, accepted: str = ACCEPTED) -> Path:
    kind = "interactive, multi-pass" if interactive else "multi-pass"
    # An interactive program hears nothing but "say": its passes tell themselves apart by nothing.
    files = {
        "output_validator/judge.py": INTERACTOR if interactive else CHECKER,
        "submissions/accepted/std.py": accepted,
    }
    return package(
        {"secret/1": ("begin\n", "the answer\n")}, metadata=METADATA.replace("multi-pass", kind), files=files
    )


def judged(judges: Judges, problem: Path, text: str) -> Judgement:
    return judges().judge(Submission(source=text.encode(), problem=problem, language="python3"))


ROWS = [
    ("accepted in the first", "print('done')", "AC", "done."),
    ("accepted in the second", "print('again 1' if first else 'done')", "AC", "pass 2: again.done."),
    ("accepted in the last that may be", "print('done' if third else 'again 1')", "AC", "pass 3: again.again.done."),
    ("wrong in the first", "print('wrong' if first else 'done')", "WA", "wrong."),
    ("wrong in the second", "print('again 1' if first else 'wrong')", "WA", "pass 2: again.wrong."),
    ("fails in the second", "print('again 1')\nif not first: sys.exit(3)", "RE", "pass 2: exit code 3"),
    ("slow in the second", "print('again 1')\nwhile not first: pass", "TLE", "pass 2: "),
    ("each pass has the whole limit", "end = time.process_time() + 0.2\nwhile time.process_time() < end: pass\n"
     "print('done' if third else 'again 1')", "AC", "pass 3:"),
    ("large in the second", "print('again 1')\nif not first: x = bytearray(1 << 27)", "MLE", "pass 2:"),
    ("writes much in the second", "print('again 1')\nif not first: print('x' * (1 << 21))", "OLE", "pass 2:"),
    ("asks for more passes than there are", "print('again 1')", "WA", "pass 3: with this program: more than 3 passes"),
    ("refused, and asked for another", "print('refused-again 1')", "WA", "with this program: checker judge.py refused"),
    ("the checker fails in the second", "print('again 1' if first else 'crash')", "WA", "pass 2: with this program:"),
    ("a part of the points", "print('again 1' if first else 'score 0.25')", "PC", "pass 2: again.score."),
    ("no points", "print('again 1' if first else 'score 0')", "WA", "pass 2:"),
    ("what a program leaves is gone", "print('again 1' if first else 'done' if os.listdir('.') == [] else 'wrong')\n"
     "open('mine', 'w').write('x')", "AC", "pass 2:"),
]  # fmt: skip


@pytest.mark.usefixtures("pinned")
@pytest.mark.parametrize(("text", "verdict", "detail"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_the_passes_of_a_program(judges: Judges, package: MakePackage, text: str, verdict: str, detail: str) -> None:
    judgement = judged(judges, packed(package), HEAD + text)
    [test] = judgement.tests
    assert (test.verdict, judgement.verdict) == (verdict, verdict), test.detail
    assert test.detail.startswith(detail)
    assert judgement.score == {"AC": 1.0, "PC": 0.25}.get(verdict, 0.0)


@pytest.mark.parametrize("accepted", ["print('again 1')", "print('refused-again 1')", "print('crash')"])
def test_a_package_whose_own_submission_breaks_its_checker_is_broken(
    judges: Judges, package: MakePackage, accepted: str
) -> None:
    judgement = judged(judges, packed(package, accepted=accepted), "print('crash')")
    assert judgement.verdict == "IE"
    assert judgement.score is None


def test_times_are_those_of_the_slowest_pass_and_walls_are_summed(judges: Judges, package: MakePackage) -> None:
    text = "end = time.process_time() + (0.1 if first else 0)\nwhile time.process_time() < end: pass\n"
    text += "time.sleep(0.1)\nprint('again 1' if first else 'done')"
    [test] = judged(judges, packed(package), HEAD + text).tests
    assert test.verdict == "AC", test.detail
    assert 100_000_000 <= (test.cpu_ns or 0) < 300_000_000
    assert (test.wall_ns or 0) >= 300_000_000  # 0.1 s and twice 0.1 s


CONVERSATIONS = [
    ("accepted in the first", "print('done')", "AC", "<say\n>done"),
    ("wrong in the first", "print('wrong')", "WA", "<say\n>wrong"),
    ("too many", "print('again 1')", "WA", "<say\n>again 1\n---\n<say\n>again 1\n---\n<say\n>again 1"),
    ("fails after it asked", "print('again 1', flush=True)\nsys.exit(3)", "RE", "<say\n>again 1"),
]


@pytest.mark.usefixtures("pinned")
@pytest.mark.parametrize(("text", "verdict", "conversation"), [row[1:] for row in CONVERSATIONS],
                         ids=[row[0] for row in CONVERSATIONS])  # fmt: skip
def test_the_passes_of_an_interactive_program(
    judges: Judges, package: MakePackage, text: str, verdict: str, conversation: str
) -> None:
    problem = packed(package, interactive=True, accepted="input()\nprint('done')\n")
    [test] = judged(judges, problem, "import sys\ninput()\n" + text).tests
    assert test.verdict == verdict, test.detail
    assert test.conversation == conversation


#: Chooses by chance which pass it is, as an interactive program may not know.
PHASES = r"""
import os, sys
feedback = sys.argv[3]
passes = len(os.listdir(feedback))
open(feedback + f"pass{passes}", "w").close()
print(passes, flush=True)
if sys.stdin.readline().strip() != str(passes):
    sys.exit(43)
if passes < 2:
    open(feedback + "nextpass.in", "w").close()
sys.exit(42)
"""


@pytest.mark.parametrize(("text", "verdict"), [("print(input())", "AC"), ("print(min(int(input()), 1))", "WA")])
def test_an_interactor_remembers_by_its_files(judges: Judges, package: MakePackage, text: str, verdict: str) -> None:
    metadata = METADATA.replace("multi-pass", "interactive, multi-pass")
    problem = package({"secret/1": ("", "")}, metadata=metadata, files={"output_validator/judge.py": PHASES})
    [test] = judged(judges, problem, text).tests
    assert test.verdict == verdict, test.detail
    assert (test.conversation or "").count("---") == 2


TESTLIB = r"""
import os, sys
given, output, answer = sys.argv[1:4]
again = not os.path.exists("state.txt")
open("state.txt", "w").write("seen")
if again:
    open("nextpass.in", "w").write("2\n")
sys.exit(0 if open(given).read() == open(output).read() else 1)
"""


@pytest.mark.parametrize(("text", "verdict"), [("print(input())", "AC"), ("print(1)", "WA")])
def test_checkers_of_testlib_may_ask_for_passes(judges: Judges, package: MakePackage, text: str, verdict: str) -> None:
    files = {"output_validator/judge.py": TESTLIB, "judge.yaml": "checker: {convention: testlib}\n"}
    problem = package({"secret/1": ("1\n", "")}, metadata=METADATA, files=files)
    [test] = judged(judges, problem, text).tests
    assert test.verdict == verdict, test.detail


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, "is multi-pass, but has no output_validator"),
        ({"output_validator/judge.py": CHECKER, "judge.yaml": "file_io: {input: a.in}\n"}, "cannot have a file_io"),
        ({"output_validator/judge.cpp": "int main() {"}, "does not compile"),
    ],
    ids=["no validator", "files", "broken"],
)
def test_what_cannot_be_judged_is_refused(
    judges: Judges, package: MakePackage, files: dict[str, str], says: str
) -> None:
    problem = package({"secret/1": ("begin\n", "")}, metadata=METADATA, files=files)
    with pytest.raises(ProblemError, match=says):
        judged(judges, problem, "pass")


@pytest.mark.parametrize("interactive", [False, True])
def test_a_package_that_is_written_again_is_the_same(package: MakePackage, tmp_path: Path, interactive: bool) -> None:
    problem = load(packed(package, interactive=interactive))
    again = load(write(problem, tmp_path / "again"))
    assert (again.kind, again.passes) == (problem.kind, problem.passes) == (problem.kind, 3)


@pytest.mark.parametrize(
    ("validation", "limits", "kind", "passes"),
    [
        ("custom multi-pass", "", "multi-pass", 2),
        ("custom interactive multi-pass", "limits: {validation_passes: 5}\n", "interactive", 5),
    ],
)
def test_legacy_packages_may_be_multi_pass(
    package: MakePackage, validation: str, limits: str, kind: str, passes: int
) -> None:
    files = {"problem.yaml": f"name: P\nvalidation: {validation}\n{limits}", "output_validators/judge.py": CHECKER}
    problem = load(package({"secret/1": ("begin\n", "")}, files=files))
    assert (problem.kind, problem.passes) == (kind, passes)


#: Makes pipes until the number that the machine gives to the next one is the message; the next pass reads that number.
#: (The kernel gives them out in blocks of 1024 a core.)
PIPES = r"""
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static unsigned long block(void)
{
    int ends[2];
    struct stat seen;
    if (pipe(ends) != 0)
        return 0;
    fstat(ends[0], &seen);
    close(ends[0]);
    close(ends[1]);
    return seen.st_ino >> 10;
}
static unsigned long fresh(void)
{
    unsigned long old = block(), new;
    while ((new = block()) == old && new != 0)
        ;
    return new;
}
int main(void)
{
    char line[64];
    fgets(line, sizeof line, stdin);
    if (strncmp(line, "begin", 5) == 0) {
        for (unsigned long at = fresh(); at != 0 && at % 16 != 8; at = fresh())
            ;
        puts("again 1");
    } else {
        unsigned long at = fresh();
        puts(at != 0 && at % 16 - 8 < 6 ? "done" : "wrong");
    }
}
"""


@pytest.mark.parametrize("walls", [True, False], ids=["apart", "control"])
def test_a_pass_leaves_no_message_in_the_numbers_of_pipes(
    judges: Judges, package: MakePackage, monkeypatch: pytest.MonkeyPatch, walls: bool
) -> None:
    problem, judge = packed(package), judges()
    submission = Submission(source=PIPES.encode(), problem=problem, language="c17")
    if walls:
        assert judge.judge(submission).verdict is Verdict.WA
        return
    spec = Executable.spec
    monkeypatch.setattr(Executable, "spec", lambda self, **how: spec(self, **{**how, "apart": False}))
    # Whatever else makes pipes or sockets on this machine meanwhile moves the number on.
    assert any(judge.judge(submission).verdict is Verdict.AC for _ in range(10))


#: The input of the next pass is as long as the program says.
LONG = """import sys
if count := int(sys.stdin.read()):
    open(sys.argv[3] + "nextpass.in", "w").write("1" * count)
sys.exit(42)
"""


def test_what_a_pass_is_given_cannot_be_more_than_the_memory_budget(judges: Judges, package: MakePackage) -> None:
    """Or a submission could choose not to be scored, by what it has the checker write for the next pass."""
    metadata = METADATA.replace("output: 1", "output: 160").replace("time_limit: 0.3", "time_limit: 3")
    metadata += "  validation_memory: 128\n"
    problem = package({"secret/1": ("begin\n", "")}, metadata=metadata, files={"output_validator/judge.py": LONG})
    judge, options = judges(memory_bytes=1580 * MIB), Options(compile_memory_bytes=512 * MIB)
    for count in (1, 40 * MIB):
        text = f"import sys; print({count} if sys.stdin.read(5) == 'begin' else 0)".encode()
        submission = Submission(source=text, problem=problem, language="python3")
        judgement = judge.judge(submission, options)
        assert judgement.verdict is Verdict.AC, judgement.tests[0].detail
