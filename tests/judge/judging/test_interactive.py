"""Who ends how, and who first: each order with real programs, in C++ and in Python, and the verdict that it earns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from judge import Judge, Judgement, Options, ProblemError, Stop, Submission

if TYPE_CHECKING:
    from tests.conftest import MakePackage

Judges = Callable[..., Judge]

METADATA = """type: interactive
limits:
  time_limit: 0.3
  memory: 64
  output: 1
  validation_time: 1
  validation_output: 1
"""
#: Does what the test's input says, a step a line.
INTERACTOR = r"""
import os
import signal
import sys
import time

for step in open(sys.argv[1]):
    what, _, rest = step.strip().partition(" ")
    if what == "say":
        print(rest, flush=True)
    elif what == "hear":
        line = sys.stdin.readline()
    elif what == "hear-all":
        while sys.stdin.buffer.read(65536):
            pass
    elif what == "unless":  # what it heard
        word, what, rest = rest.split(" ", 2)
        if line.strip() == word:
            continue
    elif what == "close-stdout":
        os.close(1)
    elif what == "score":
        open(sys.argv[3] + "score.txt", "w").write(rest)
    elif what == "remark":
        open(sys.argv[3] + "judgemessage.txt", "w").write(rest)
    if what == "exit":
        os._exit(int(rest))
    elif what == "signal":
        signal.raise_signal(int(rest))
    elif what == "sleep":
        time.sleep(float(rest))
    elif what == "spin":
        while True:
            pass
    elif what == "flood":
        while True:
            print("x" * 65536)
"""
#: Says "ok" and listens to the end: what the package's authors hold for right.
ACCEPTED = "import sys\nprint('ok', flush=True)\nsys.stdin.read()\n"

PYTHON_HEAD = "import os, sys, time\ndef say(text): print(text, flush=True)\ndef hear(): return sys.stdin.readline()\n"
CPP_HEAD = r"""
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <unistd.h>
static void say(const char *text) { std::cout << text << std::endl; }
static std::string hear() { std::string line; std::getline(std::cin, line); return line; }
"""


@dataclass(frozen=True, kw_only=True)
class Row:
    name: str
    steps: str
    python: str
    cpp: str
    verdict: str
    detail: str = ""
    accepted: str | None = ACCEPTED


OK = {"python": "say('ok'); sys.stdin.read()", "cpp": 'say("ok"); while (std::cin) hear();'}
BAD = {"python": "say('bad'); sys.stdin.read()", "cpp": 'say("bad"); while (std::cin) hear();'}

ROWS = [
    # 1. the interactor refused first
    Row(
        name="refused, then the program fails at the end of its input",
        steps="hear\nremark too many\nexit 43",
        python="say('1'); sys.exit(3 if not hear() else 0)",
        cpp='say("1"); return hear().empty() ? 3 : 0;',
        verdict="WA",
        detail="too many",
    ),
    Row(
        name="refused, then the program goes on for ever",
        steps="hear\nexit 43",
        python="say('1')\nwhile True: pass",
        cpp='say("1"); for (volatile int i = 0;; i = i + 1);',
        verdict="WA",
    ),
    Row(
        name="refused, then the program waits",
        steps="hear\nexit 43",
        python="say('1'); time.sleep(60)",
        cpp='say("1"); sleep(60);',
        verdict="WA",
    ),
    Row(
        name="refused after an end of file, and the program lives",
        steps="hear-all\nexit 43",
        python="os.close(1); hear(); sys.exit(3)",
        cpp="close(1); hear(); return 3;",
        verdict="WA",
    ),
    # 2. the interactor failed
    Row(
        name="the interactor is killed by what the program says",
        steps="hear\nunless ok signal 11\nexit 42",
        **BAD,
        verdict="WA",
        detail="with this program: interactor interact.py failed (SIGSEGV)",
    ),
    Row(
        name="the interactor ends with another code by what the program says",
        steps="hear\nunless ok exit 1\nexit 42",
        **BAD,
        verdict="WA",
        detail="(exit code 1)",
    ),
    Row(
        name="the interactor exceeds its time by what the program says",
        steps="hear\nunless ok spin -\nexit 42",
        **BAD,
        verdict="WA",
        detail="interactor interact.py",
    ),
    Row(
        name="the interactor floods by what the program says",
        steps="hear\nunless ok flood -\nexit 42",
        **BAD,
        verdict="WA",
        detail="wrote more than",
    ),
    Row(
        name="the program ends early, and the interactor cannot take it",
        steps="hear\nunless ok signal 6\nexit 42",
        python="",
        cpp="",
        verdict="WA",
        detail="with this program",
    ),
    Row(
        name="the interactor always fails",
        steps="hear\nexit 7",
        **OK,
        verdict="IE",
        detail="on the problem's own accepted submission, too",
    ),
    Row(
        name="the interactor fails, and there is nothing to compare with",
        steps="hear\nexit 7",
        **OK,
        verdict="WA",
        detail="(exit code 7)",
        accepted=None,
    ),
    # 3. the program was stopped
    Row(
        name="both wait",
        steps="hear\nexit 42",
        python="hear()",
        cpp="hear();",
        verdict="TLE",
        detail="both wait",
    ),
    Row(
        name="the program does not listen",
        steps="say 12\nhear\nexit 42",
        python="time.sleep(60)",
        cpp="sleep(60);",
        verdict="TLE",
        detail="left 3 bytes of the interactor unread",
    ),
    Row(
        name="the interactor does not listen",
        steps="sleep 2.5\nhear-all\nexit 43",
        python="while True: say('x' * 1000)",
        cpp="for (std::string s(1000, 120);;) say(s.c_str());",
        verdict="TLE",
        detail="the program waits: the interactor left",
    ),
    Row(
        name="accepted, then the program waits",
        steps="hear\nexit 42",
        python="say('ok'); time.sleep(60)",
        cpp='say("ok"); sleep(60);',
        verdict="TLE",
        detail="the interactor had ended",
    ),
    Row(
        name="accepted, then the program goes on for ever",
        steps="hear\nexit 42",
        python="say('ok')\nwhile True: pass",
        cpp='say("ok"); for (volatile int i = 0;; i = i + 1);',
        verdict="TLE",
        detail="CPU time",
    ),
    Row(
        name="the program is busy, and the interactor refuses its end of file",
        steps="hear-all\nexit 43",
        python="while True: pass",
        cpp="for (volatile int i = 0;; i = i + 1);",
        verdict="TLE",
        detail="CPU time",
    ),
    Row(
        name="a flood that is read",
        steps="hear-all\nexit 43",
        python="while True: say('x' * 1000)",
        cpp="for (std::string s(1000, 120);;) say(s.c_str());",
        verdict="OLE",
        detail="1 MiB",
    ),
    Row(
        name="a flood that nobody reads any more",
        steps="exit 42",
        python="while True: say('x' * 1000)",
        cpp="for (std::string s(1000, 120);;) say(s.c_str());",
        verdict="OLE",
        detail="1 MiB",
    ),
    Row(
        name="memory",
        steps="hear-all\nexit 43",
        python="held = b'x' * (100 << 20)",
        cpp="volatile char *p = (char *)malloc(100 << 20); memset((void *)p, 1, 100 << 20); p[5] = 2; _exit(p[9] - 1);",
        verdict="MLE",
    ),
    # 4. the program failed
    Row(
        name="the program fails first, and the interactor refuses its end of file",
        steps="hear-all\nexit 43",
        python="sys.exit(3)",
        cpp="return 3;",
        verdict="RE",
        detail="exit code 3",
    ),
    Row(
        name="a signal ends the program first, and the interactor refuses its end of file",
        steps="hear-all\nexit 43",
        python="os.abort()",
        cpp="abort();",
        verdict="RE",
        detail="SIGABRT",
    ),
    Row(
        name="accepted, then the program fails",
        steps="hear\nexit 42",
        python="say('ok'); sys.exit(3 if not hear() else 0)",
        cpp='say("ok"); return hear().empty() ? 3 : 0;',
        verdict="RE",
        detail="exit code 3",
    ),
    # 5. the interactor's word
    Row(name="accepted", steps="hear\nunless ok exit 43\nexit 42", **OK, verdict="AC"),
    Row(name="refused, and a clean exit", steps="hear\nunless ok exit 43\nexit 42", **BAD, verdict="WA"),
    Row(
        name="accepted, and the program writes on",
        steps="hear\nexit 42",
        python="say('ok'); hear(); say('x' * 100000)",
        cpp='say("ok"); hear(); say(std::string(100000, 120).c_str());',
        verdict="AC",
    ),
    Row(
        name="the program ends at once",
        steps="say 5\nhear\nunless ok exit 43\nexit 42",
        python="",
        cpp="",
        verdict="WA",
    ),
    Row(
        name="the program closes its output and listens on",
        steps="hear\nhear-all\nsay 5\nexit 42",
        python="say('ok'); os.close(1); sys.exit(0 if hear() == '5\\n' else 3)",
        cpp='say("ok"); close(1); return hear() == "5" ? 0 : 3;',
        verdict="AC",
    ),
    Row(
        name="the interactor closes its output and listens on",
        steps="close-stdout\nhear\nunless ok exit 43\nexit 42",
        python="hear(); say('ok')",
        cpp='hear(); say("ok");',
        verdict="AC",
    ),
    Row(name="a score", steps="score 0.25\nhear\nexit 42", **OK, verdict="PC"),
    Row(name="a score of nothing", steps="score 0\nhear\nexit 42", **OK, verdict="WA"),
]


@pytest.mark.parametrize("language", ["python3", "cpp17"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_orders_of_end(pinned: str, row: Row, language: str, judges: Judges, package: MakePackage) -> None:
    files = {"output_validator/interact.py": INTERACTOR}
    if row.accepted is not None:
        files["submissions/accepted/std.py"] = row.accepted
    problem = package({"secret/1": (row.steps + "\n", "")}, metadata=METADATA, files=files)
    judgement = judged(judges(), problem, row, language)
    [test] = judgement.tests
    assert judgement.isolation is not None
    assert judgement.isolation.tier.startswith(pinned)
    assert (test.verdict, row.detail in test.detail) == (row.verdict, True), test
    assert (test.score is None) is (row.verdict == "IE")


def judged(judge: Judge, problem: Path, row: Row, language: str) -> Judgement:
    text = PYTHON_HEAD + row.python if language == "python3" else f"{CPP_HEAD}int main() {{ {row.cpp} }}\n"
    submission = Submission(source=text.encode(), problem=problem, language=language)
    return judge.judge(submission, Options(stop=Stop.NEVER, confirm_tle=False, language_multiplier=False))


ECHO = """
import sys
print("first", flush=True)
heard = sys.stdin.readline()
print("second", heard.strip(), flush=True)
sys.exit(42 if sys.stdin.readline() == "end\\n" else 43)
"""


def test_the_conversation_is_kept(judges: Judges, package: MakePackage) -> None:
    problem = package(
        {"secret/1": ("", "")}, metadata="type: interactive\n", files={"output_validator/interact.py": ECHO}
    )
    text = b"print('got', input(), flush=True)\ninput()\nprint('odd', end='', flush=True)\n"
    [test] = judges().judge(Submission(source=text, problem=problem, language="python3")).tests
    assert test.verdict == "WA"
    assert test.conversation == "<first\n>got first\n<second got first\n>odd"
    assert test.stdout == ""


def test_of_a_long_conversation_begin_and_end_are_kept(judges: Judges, package: MakePackage) -> None:
    interactor = "import sys\nfor line in sys.stdin: print(line.strip(), flush=True)\nsys.exit(43)\n"
    problem = package(
        {"secret/1": ("", "")}, metadata="type: interactive\n", files={"output_validator/interact.py": interactor}
    )
    text = b"for i in range(5000):\n    print(i, flush=True)\n    input()\n"
    [test] = judges().judge(Submission(source=text, problem=problem, language="python3")).tests
    lines = (test.conversation or "").split("\n")
    assert lines[:4] == [">0", "<0", ">1", "<1"]
    assert lines[-2:] == [">4999", "<4999"]
    assert sum(line.startswith("… ") for line in lines) == 1
    written = 2 * sum(len(f"{i}\n") for i in range(5000))
    assert f"… {written - 2 * 4096} bytes left out" in lines


TESTLIB = """
import sys
given, output, answer = sys.argv[1:4]
print(open(given).read().strip(), flush=True)
heard = sys.stdin.readline().strip()
open(output, "w").write(heard + "\\n")
sys.exit({"7": 7, "wrong": 1, "form": 2, "fail": 3}.get(heard, 0) if heard != "7" else 7 * (
    print("points 0.5", file=sys.stderr) is None))
"""


@pytest.mark.parametrize(
    ("says", "verdict"), [("right", "AC"), ("wrong", "WA"), ("form", "WA"), ("7", "PC"), ("fail", "WA")]
)
def test_interactors_of_testlib(judges: Judges, package: MakePackage, says: str, verdict: str) -> None:
    files = {"output_validator/interact.py": TESTLIB, "judge.yaml": "interactor:\n  convention: testlib\n"}
    problem = package({"secret/1": ("4\n", "")}, metadata="type: interactive\n", files=files)
    text = f"assert input() == '4'\nprint({says!r})\n"
    [test] = judges().judge(Submission(source=text.encode(), problem=problem, language="python3")).tests
    assert test.verdict == verdict, test.detail


@pytest.mark.parametrize(("says", "verdict"), [("yes", "AC"), ("no", "WA")])
def test_a_checker_judges_what_an_interactor_of_testlib_wrote(
    judges: Judges, package: MakePackage, says: str, verdict: str
) -> None:
    checker = "import sys\nsys.exit(0 if open(sys.argv[2]).read() == open(sys.argv[3]).read() else 1)\n"
    files = {
        "interactor/interact.py": TESTLIB,
        "output_validator/check.py": checker,
        "judge.yaml": "interactor:\n  convention: testlib\nchecker:\n  convention: testlib\n",
    }
    problem = package({"secret/1": ("4\n", "yes\n")}, metadata="type: interactive\n", files=files)
    text = f"input()\nprint({says!r})\n"
    [test] = judges().judge(Submission(source=text.encode(), problem=problem, language="python3")).tests
    assert test.verdict == verdict, test.detail


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"output_validator/interact.cpp": "int main() {"}, "interactor .*does not compile"),
        (
            {"output_validator/interact.py": "", "judge.yaml": "file_io: {input: a.in, output: a.out}\n"},
            "cannot have file_io",
        ),
        (
            {"output_validator/check.py": "", "interactor/interact.py": ""},
            "writes nothing that a checker could judge",
        ),
    ],
    ids=["broken", "files", "a checker for nothing"],
)
def test_what_cannot_be_judged_is_refused(
    judges: Judges, package: MakePackage, files: dict[str, str], says: str
) -> None:
    problem = package({"secret/1": ("4\n", "")}, metadata="type: interactive\n", files=files)
    with pytest.raises(ProblemError, match=says):
        judges().judge(Submission(source=b"pass", problem=problem, language="python3"))
