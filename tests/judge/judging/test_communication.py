"""Several processes of a submission and their manager: each order of end with real programs, and the verdict."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

import problems
from judge import Judge, Judgement, Options, ProblemError, Stop, Submission
from judge.compiling.compiler import Executable
from problems.writing.write import write

if TYPE_CHECKING:
    from tests.conftest import MakePackage

Judges = Callable[..., Judge]

METADATA = "limits: {time_limit: 0.4, memory: 64, output: 1, validation_time: 0.3, validation_output: 1}\n"
TWO = "manager: {processes: 2}\n"
#: Does what the test's input says, a step a line. "hear-any" listens to both to their ends.
MANAGER = r"""
import os
import select
import signal
import sys
import time

hears, says = [open(p, "rb", 0) for p in sys.argv[4::2]], [open(p, "wb", 0) for p in sys.argv[5::2]]
heard = b""

def line(i):
    got = b""
    while not got.endswith(b"\n") and (one := hears[i].read(1)):
        got += one
    return got

for step in open(sys.argv[1]):
    what, _, rest = step.strip().partition(" ")
    if what == "say":
        which, _, text = rest.partition(" ")
        says[int(which)].write(text.encode() + b"\n")
    elif what == "hear":
        heard = line(int(rest))
    elif what == "pass-on":
        says[int(rest)].write(heard)
    elif what == "hear-any":
        left = list(hears)
        while left:
            for one in select.select(left, [], [])[0]:
                if not one.read(65536):
                    left.remove(one)
    elif what == "unless":
        word, what, rest = rest.split(" ", 2)
        if heard.decode().strip() == word:
            continue
    elif what == "score":
        open(sys.argv[3] + "score.txt", "w").write(rest)
    elif what == "remark":
        open(sys.argv[3] + "judgemessage.txt", "w").write(rest)
    if what == "exit":
        os._exit(int(rest))
    elif what == "signal":
        signal.raise_signal(int(rest))
    elif what == "spin":
        while True:
            pass
    elif what == "flood":
        while True:
            says[0].write(b"x" * 65536)
"""
ACCEPTED = "import sys\nprint('ok', flush=True)\nsys.stdin.read()\n"
HEAD = (
    "import os, sys, time\nme = int(sys.argv[1])\n"
    "def say(text): print(text, flush=True)\ndef hear(): return sys.stdin.readline()\n"
)


@dataclass(frozen=True, kw_only=True)
class Row:
    name: str
    steps: str
    program: str
    verdict: str
    detail: str = ""
    accepted: str | None = ACCEPTED


OK = "say('ok'); sys.stdin.read()"

ROWS = [
    Row(name="accepted", steps="hear 0\npass-on 1\nhear 1\nunless ok exit 43\nexit 42", program=OK, verdict="AC"),
    Row(
        name="one passes on what the other said",
        steps="hear 0\npass-on 1\nhear 1\nunless 7 exit 43\nexit 42",
        program="say(7) if me == 0 else say(hear().strip())",
        verdict="AC",
    ),
    Row(
        name="refused",
        steps="hear 1\nremark not so\nexit 43",
        program="say('x'); hear()",
        verdict="WA",
        detail="not so",
    ),
    Row(
        name="refused, then a process fails at the end of its input",
        steps="hear 1\nexit 43",
        program="say('x'); sys.exit(3 if not hear() else 0)",
        verdict="WA",
    ),
    Row(
        name="refused, then one goes on for ever and the other waits",
        steps="hear 0\nhear 1\nexit 43",
        program="say('x')\nwhile me: pass\ntime.sleep(60)",
        verdict="WA",
    ),
    Row(name="a score", steps="score 0.25\nhear 0\nexit 42", program=OK, verdict="PC"),
    Row(
        name="one fails, and the manager would accept",
        steps="hear-any\nexit 42",
        program="sys.exit(3 if me else 0)",
        verdict="RE",
        detail="process 1: exit code 3",
    ),
    Row(
        name="one fails, and the manager refuses the end of file",
        steps="hear 1\nunless ok exit 43\nexit 42",
        program="sys.exit(3) if me else hear()",
        verdict="RE",
        detail="process 1: exit code 3",
    ),
    Row(
        name="one fails, and the manager and the other would wait for ever",
        steps="hear 1\nhear 0\nexit 42",
        program="os.abort() if me else hear()",
        verdict="RE",
        detail="process 1: ",
    ),
    Row(
        name="accepted, then one fails",
        steps="hear 0\nhear 1\nexit 42",
        program="say('ok'); sys.exit(3 if not hear() and me else 0)",
        verdict="RE",
        detail="process 1",
    ),
    Row(
        name="one is too slow",
        steps="hear-any\nexit 42",
        program="while me: pass",
        verdict="TLE",
        detail="process 1: CPU time",
    ),
    Row(
        name="together too slow",
        steps="hear-any\nexit 42",
        program="while time.process_time() < 0.3: pass",
        verdict="TLE",
        detail="2 processes used",
    ),
    Row(name="all wait", steps="hear 0\nexit 42", program="hear()", verdict="TLE", detail="both wait"),
    Row(
        name="one does not listen",
        steps="say 0 12\nhear 0\nexit 42",
        program="time.sleep(60) if me == 0 else None",
        verdict="TLE",
        detail="process 0: wall time over",
    ),
    Row(
        name="one writes too much",
        steps="hear-any\nexit 43",
        program="while me: say('x' * 1000)",
        verdict="OLE",
        detail="process 1: wrote more than 1 MiB",
    ),
    Row(
        name="memory",
        steps="hear-any\nexit 43",
        program="held = b'x' * (me * 100 << 20)",
        verdict="MLE",
        detail="process 1",
    ),
    Row(name="all end at once", steps="hear 0\nunless ok exit 43\nexit 42", program="", verdict="WA"),
    Row(
        name="the manager is killed by what one says",
        steps="hear 1\nunless ok signal 11\nexit 42",
        program="say('bad'); sys.stdin.read()",
        verdict="WA",
        detail="with this program: manager manage.py failed (SIGSEGV)",
    ),
    Row(
        name="the manager exceeds its time by what one says",
        steps="hear 1\nunless ok spin -\nexit 42",
        program="say('bad'); sys.stdin.read()",
        verdict="WA",
        detail="manager manage.py",
    ),
    Row(
        name="the manager floods by what one says",
        steps="hear 1\nunless ok flood -\nexit 42",
        program="say('bad'); sys.stdin.read()",
        verdict="WA",
        detail="wrote more than",
    ),
    Row(
        name="the manager always fails",
        steps="hear 0\nexit 7",
        program=OK,
        verdict="IE",
        detail="on the problem's own accepted submission, too",
    ),
    Row(
        name="the manager fails, and there is nothing to compare with",
        steps="hear 0\nexit 7",
        program=OK,
        verdict="WA",
        detail="(exit code 7)",
        accepted=None,
    ),
    Row(
        name="one closes its output and listens on",
        steps="hear 0\nhear 0\nsay 0 5\nexit 42",
        program="say('ok')\nif me == 0:\n    os.close(1)\n    sys.exit(0 if hear() == '5\\n' else 3)",
        verdict="AC",
    ),
    Row(
        name="a process finds no way to the other",
        steps="hear 0\nunless [0,1,2] exit 43\nexit 42",
        program="say(str([n for n in range(1024) if os.path.exists(f'/proc/self/fd/{n}')]).replace(' ', ''))",
        verdict="AC",
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_orders_of_end(pinned: str, row: Row, judges: Judges, package: MakePackage) -> None:
    # Who waits for a manager that has no core must not run out of wall time, unless that is what the row is about.
    patience = "" if row.verdict == "TLE" else "limits: {wall_ns: 20000000000}\n"
    files = {"manager/manage.py": MANAGER, "judge.yaml": TWO + patience}
    if row.accepted is not None:
        files["submissions/accepted/std.py"] = row.accepted
    problem = package({"secret/1": (row.steps + "\n", "")}, metadata=METADATA, files=files)
    judgement = judged(judges(), problem, HEAD + row.program)
    [test] = judgement.tests
    assert judgement.isolation is not None
    assert judgement.isolation.tier.startswith(pinned)
    assert (test.verdict, row.detail in test.detail) == (row.verdict, True), test
    assert (test.score is None) is (row.verdict == "IE")


def judged(judge: Judge, problem: Path, text: str, language: str = "python3") -> Judgement:
    submission = Submission(source=text.encode(), problem=problem, language=language)
    return judge.judge(submission, Options(stop=Stop.NEVER, confirm_tle=False, language_multiplier=False))


def test_conversations_are_kept_apart(judges: Judges, package: MakePackage) -> None:
    files = {"manager/manage.py": MANAGER, "judge.yaml": TWO}
    problem = package({"secret/1": ("hear 0\npass-on 1\nhear 1\nexit 43\n", "")}, metadata=METADATA, files=files)
    [test] = judged(judges(), problem, HEAD + "say('a') if me == 0 else say('b' + hear().strip())").tests
    assert test.conversation == "--- process 0\n>a\n--- process 1\n<a\n>ba"
    assert test.stdout == ""


CMS = r"""
#include <cstdio>
int main(int argc, char **argv) {
    int n, got, sum = 0;
    std::scanf("%d", &n);
    FILE *in[3], *out[3];
    for (int i = 0; i < 3; i++) {
        in[i] = std::fopen(argv[1 + 2 * i], "r");
        out[i] = std::fopen(argv[2 + 2 * i], "w");
    }
    for (int i = 0; i < 3; i++) { std::fprintf(out[i], "%d\n", n + i); std::fflush(out[i]); }
    for (int i = 0; i < 3; i++) sum += std::fscanf(in[i], "%d", &got) == 1 ? got : 0;
    std::printf("%s\n", sum == 2 * (3 * n + 3) ? "1.0" : sum ? "0.5" : "0.0");
    std::fprintf(stderr, "sum %d\n", sum);
}
"""
STUB = r"""
#include <cstdio>
#include <cstdlib>
#include "twice.h"
int main(int argc, char **argv) {
    if (argc != 4) return 9;
    FILE *in = std::fopen(argv[1], "r"), *out = std::fopen(argv[2], "w");
    int n;
    if (!in || !out || std::fscanf(in, "%d", &n) != 1) return 8;
    std::fprintf(out, "%d\n", twice(n, std::atoi(argv[3])));
    std::fclose(out);
}
"""
STUBBED = {
    "manager/manager.cpp": CMS,
    "include/cpp/stub.cpp": STUB,
    "include/cpp/twice.h": "int twice(int n, int me);\n",
    "judge.yaml": "manager: {processes: 3, convention: cms, fifos: true}\n",
}


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("return 2 * n;", "AC"),
        ("return me == 1 ? 0 : 2 * n;", "PC"),
        ("return 0;", "WA"),
        ("if (me == 2) std::abort(); return 2 * n;", "RE"),
    ],
)
def test_managers_and_stubs_of_cms(judges: Judges, package: MakePackage, body: str, verdict: str) -> None:
    """The manager opens FIFOs by their paths and prints a score; so does a stub that is compiled along."""
    problem = package({"secret/1": ("5\n", "")}, files=STUBBED)
    text = f'#include <cstdlib>\n#include "twice.h"\nint twice(int n, int me) {{ {body} }}\n'
    [test] = judged(judges(), problem, text, "cpp17").tests
    assert test.verdict == verdict, test
    assert ("sum 36" in test.detail) is (verdict == "AC")


def test_a_package_with_a_manager_is_written_as_it_was_read(package: MakePackage, tmp_path: Path) -> None:
    problem = problems.load(package({"secret/1": ("5\n", "")}, files=STUBBED))
    again = problems.load(write(problem, tmp_path / "again"))
    assert problem.manager is not None
    assert again.manager is not None
    assert again.manager.program.sources[0].read_text() == CMS
    program = replace(again.manager.program, sources=problem.manager.program.sources)
    assert replace(again.manager, program=program) == problem.manager


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"judge.yaml": TWO}, "there is no program in manager/"),
        ({"judge.yaml": "manager: {processes: 0}\n", "manager/m.py": ""}, "processes"),
        ({"judge.yaml": "manager: {processes: 13}\n", "manager/m.py": ""}, "processes"),
        ({"judge.yaml": "manager: {}\n", "manager/m.py": ""}, "processes"),
        (
            {"judge.yaml": "manager: {processes: 2, convention: testlib}\n", "manager/m.py": ""},
            "use icpc, cms or hydro",
        ),
        ({"judge.yaml": TWO + "file_io: {input: a.in}\n", "manager/m.py": ""}, "no file_io"),
        ({"judge.yaml": TWO + "function: {name: f}\n", "manager/m.py": ""}, "no manager"),
        ({"judge.yaml": TWO, "manager/m.py": "", "output_validator/v.py": ""}, "no interactor or output_validator"),
        ({"judge.yaml": TWO, "manager/m.cpp": "int main() {"}, "manager .*does not compile"),
    ],
    ids=["none", "0", "13", "how many", "convention", "files", "function", "checker", "broken"],
)
def test_what_cannot_be_judged_is_refused(
    judges: Judges, package: MakePackage, files: dict[str, str], says: str
) -> None:
    problem = package({"secret/1": ("4\n", "")}, files=files)
    with pytest.raises(ProblemError, match=says):
        judged(judges(), problem, "pass")


def test_nothing_is_left_behind(judges: Judges, package: MakePackage) -> None:
    """Twelve processes, one of which fails while the others wait: no process, thread or descriptor is left."""
    files = {"manager/manage.py": MANAGER, "judge.yaml": "manager: {processes: 12}\n"}
    problem = package({f"secret/{i}": (f"hear {i}\nexit 42\n", "") for i in range(4)}, metadata=METADATA, files=files)
    judge = judges()
    us = psutil.Process()
    before, others = us.num_fds(), set(us.children(recursive=True))
    assert judged(judge, problem, HEAD + "sys.exit(3) if me == 11 else hear()").verdict == "RE"
    judge.close()
    for _ in range(100):
        if us.num_fds() <= before and others >= set(us.children(recursive=True)):
            break
        time.sleep(0.02)
    assert us.num_fds() <= before
    assert others >= set(us.children(recursive=True))


#: Process 0 is told 0 or 1 and sleeps on one of two futexes of a page of the C library; process 1 wakes the sleeper.
FUTEXES = r"""
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int, char **argv) {
    auto page = (unsigned *)((unsigned long)dlsym(RTLD_DEFAULT, "qsort") & ~4095ul);
    timespec second{1, 0};
    int told;
    if (argv[1][0] == '0') {
        std::scanf("%d", &told);
        syscall(SYS_futex, page + told, FUTEX_WAIT, page[told], &second, 0, 0);
        return 0;
    }
    for (int i = 0; i < 4000; i++, usleep(100))
        if (syscall(SYS_futex, page + i % 2, FUTEX_WAKE, 1, 0, 0, 0) == 1) {
            std::printf("%d\n", i % 2);
            return 0;
        }
    std::printf("silence\n");
}
"""
#: Waits of the C++ library on futexes that are not marked as private: a future, a guard of a static variable, a join.
WAITS = r"""
#include <cstdio>
#include <cstring>
#include <future>
#include <thread>
#include <unistd.h>
static int slow() { usleep(20000); return 7; }
static int once() { static int value = slow(); return value; }
int main(int, char **argv) {
    std::promise<int> promise;
    int sum = 0;
    std::thread thread([&] { usleep(20000); promise.set_value(once()); });
    sum += once();
    sum += promise.get_future().get();
    thread.join();
    if (argv[1][0] == '1') std::printf("%d\n", sum);
}
"""


@pytest.mark.parametrize("walls", [True, False], ids=["apart", "control"])
def test_processes_share_no_futex(
    pinned: str, judges: Judges, package: MakePackage, monkeypatch: pytest.MonkeyPatch, walls: bool
) -> None:
    if not walls:
        spec = Executable.spec
        monkeypatch.setattr(Executable, "spec", lambda self, **how: spec(self, **{**how, "apart": False}))
    tests = {f"secret/{x}": (f"say 0 {x}\nhear 1\nunless {x} exit 43\nexit 42\n", "") for x in (0, 1)}
    files = {"manager/manage.py": MANAGER, "judge.yaml": TWO + "limits: {wall_ns: 20000000000}\n"}
    problem = package(tests, metadata=METADATA, files=files)
    judgement = judged(judges(), problem, FUTEXES, "cpp17")
    assert [test.verdict for test in judgement.tests] == (["WA"] * 2 if walls else ["AC"] * 2), judgement


def test_threads_of_a_process_wait_for_each_other(judges: Judges, package: MakePackage) -> None:
    files = {"manager/manage.py": MANAGER, "judge.yaml": TWO}
    problem = package({"secret/1": ("hear 1\nunless 14 exit 43\nexit 42\n", "")}, metadata=METADATA, files=files)
    judgement = judged(judges(), problem, WAITS, "cpp17")
    assert judgement.verdict == "AC", judgement
