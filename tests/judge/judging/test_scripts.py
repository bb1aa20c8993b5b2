"""Validators that come with build and run scripts: built once and run, in the sandbox."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import problems
from judge import Judge, Judgement, Options, Submission
from problems.model import SCRIPTS, Program
from problems.writing.write import write
from tests.packages import write_package

CASES = {"sample/1": ("3\n", "3\n"), "secret/1": ("5\n", "5\n")}
CPP = """#include <fstream>
#include <iostream>
#include "part/exits.h"
int main(int, char **argv) {
    int right = -1, got = -2;
    std::ifstream(argv[1]) >> right;
    std::cin >> got;
    std::ofstream(std::string(argv[3]) + "judgemessage.txt") << "wanted " << right;
    return right == got ? ACCEPTED : REFUSED;
}
"""
BUILT = {
    "output_validator/v/build": "#!/bin/sh\nset -e\ng++ -o run check.cpp\n",
    "output_validator/v/check.cpp": CPP,
    "output_validator/v/part/exits.h": "enum { ACCEPTED = 42, REFUSED = 43 };\n",
}
LINKED = {**BUILT, "output_validator/v/build": "#!/bin/sh\nset -e\ng++ -o check check.cpp\nln -s check run\n"}
#: Its build executes what it has just compiled, to make a header.
GENERATED = {
    **BUILT,
    "output_validator/v/build": "#!/bin/sh\nset -e\ng++ -o make make.cpp\n./make >part/exits.h\ng++ -o run check.cpp\n",
    "output_validator/v/part/exits.h": "",
    "output_validator/v/make.cpp": (
        '#include <iostream>\nint main() { std::cout << "enum { ACCEPTED = 42, REFUSED = 43 };\\n"; }\n'
    ),
}
#: A script in two languages that needs a file beside itself.
INTERPRETED = {
    "output_validator/v/run": '#!/bin/sh\nexec python3 "$(dirname "$0")/lib/check.py" "$@"\n',
    "output_validator/v/lib/check.py": (
        "import sys\nfrom pathlib import Path\nwanted = Path(sys.argv[1]).read_text().strip()\n"
        "Path(sys.argv[3] + 'judgemessage.txt').write_text(f'wanted {wanted}')\n"
        "sys.exit(42 if sys.stdin.read().strip() == wanted else 43)\n"
    ),
}
SUBMISSIONS = {"submissions/accepted/echo.py": "print(input())\n", "submissions/wrong_answer/four.py": "print(4)\n"}


def judged(judge: Judge, package: Path, source: bytes) -> Judgement:
    return judge.judge(Submission(source=source, problem=package, language="python3"))


@pytest.mark.parametrize(
    "files", [BUILT, LINKED, GENERATED, INTERPRETED], ids=["built", "linked", "generated", "interpreted"]
)
def test_a_checker_with_scripts(tmp_path: Path, judges: Callable[..., Judge], files: Mapping[str, str]) -> None:
    package, judge = write_package(tmp_path / "echo", CASES, files={**files, **SUBMISSIONS}), judges()
    checker = problems.load(package).checker
    assert isinstance(checker, Program) and checker.language == SCRIPTS
    assert judged(judge, package, b"print(input())\n").accepted
    wrong = judged(judge, package, b"print(4)\n")
    assert wrong.verdict == "WA" and wrong.tests[0].detail == "wanted 3"
    again = write(problems.load(package), tmp_path / "written")
    assert judged(judge, again, b"print(input())\n").accepted
    assert judged(judge, again, b"print(4)\n").verdict == "WA"


def test_an_input_validator_with_scripts(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    build = "#!/bin/sh\necho '#!/bin/sh' > run\necho 'read n && [ $n -lt 5 ] && exit 42' >> run\n"
    files = {"input_validators/v/build": build}
    package = write_package(tmp_path / "echo", CASES, files={**files, **SUBMISSIONS})
    (finding,) = judges().validate(package)
    assert finding.file == "data/secret/1.in"
    assert "refused by input validator v" in finding.message


def test_an_interactor_with_scripts(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    talk = '#!/bin/sh\nread n < "$1"\necho $n\nread got\n[ "$got" = "$n" ] && exit 42\nexit 43\n'
    files = {"output_validator/v/run": talk, **SUBMISSIONS}
    package = write_package(tmp_path / "echo", CASES, metadata="type: interactive\n", files=files)
    judge = judges()
    assert judged(judge, package, b"print(input())\n").accepted
    assert judged(judge, package, b"print(4)\n").verdict == "WA"


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("#!/bin/sh\necho no luck >&2\nexit 3\n", "no luck"),
        ("#!/bin/sh\ntrue\n", "build made no file called run"),
        ("#!/bin/sh\nln -s /etc/passwd run\n", "run is a link out of its directory"),
        ("#!/bin/sh\nwhile :; do :; done\n", "does not compile"),
        ("#!/bin/sh\necho x > /usr/bin/owned || exit 9\n", "does not compile"),
    ],
)
def test_a_build_script_that_fails_is_the_packages_fault(
    tmp_path: Path, judges: Callable[..., Judge], script: str, says: str
) -> None:
    files = {"output_validator/v/build": script, **SUBMISSIONS}
    package = write_package(tmp_path / "echo", CASES, files=files)
    submission = Submission(source=b"print(input())\n", problem=package, language="python3")
    judgement = judges().judge(submission, Options(compile_cpu_ns=300_000_000))
    assert judgement.verdict == "IE"
    assert says in (judgement.error or "") + "".join(test.detail or "" for test in judgement.tests)
