"""What a package's validators say of its data, and its data of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from judge import Judge, ProblemError

if TYPE_CHECKING:
    from tests.conftest import MakePackage

Judges = Callable[..., Judge]

SUM = {"sample/1": ("1 2\n", "3\n"), "secret/1": ("2 2\n", "4\n"), "secret/2": ("2 9\n", "11\n")}
#: Refuses numbers above its argument, or above 5.
VALIDATOR = """\
import sys
most = int(sys.argv[1]) if len(sys.argv) > 1 else 5
high = [word for word in sys.stdin.read().split() if int(word) > most]
print("too large:", *high)
sys.exit(43 if high else 42)
"""
TESTLIB = """\
#include "testlib.h"
int main() { int a, b; return scanf("%d %d", &a, &b) == 2 && b < 6 ? 0 : (fprintf(stderr, "FAIL b is %d", b), 3); }
"""
#: What this validator needs of the library.
HEADER = "#include <cstdio>\n"
EQUAL = "import sys\nsys.exit(42 if sys.stdin.read().split() == open(sys.argv[2]).read().split() else 43)\n"
SUMS = "import sys\nsys.exit(42 if int(input()) == sum(map(int, open(sys.argv[1]).read().split())) else 43)\n"
REFUSED = "error: data/secret/2.in: refused by input validator v: too large: 9; correct the input or the validator"


def found(judges: Judges, package: MakePackage, files: dict[str, str], metadata: str = "") -> list[str]:
    return [str(finding) for finding in judges().validate(package(SUM, files=files, metadata=metadata))]


def test_an_input_that_the_validator_refuses(judges: Judges, package: MakePackage) -> None:
    assert found(judges, package, {"input_validators/v.py": VALIDATOR}) == [REFUSED]


def test_a_validator_in_a_directory_has_its_name(judges: Judges, package: MakePackage) -> None:
    assert found(judges, package, {"input_validators/v/main.py": VALIDATOR}) == [REFUSED]


def test_the_places_and_conventions_of_validators(judges: Judges, package: MakePackage) -> None:
    files = {"input_format_validators/v.cpp": TESTLIB, "input_format_validators/testlib.h": HEADER}
    (finding,) = found(judges, package, files)
    assert "data/secret/2.in: refused by input validator v: FAIL b is 9" in finding


@pytest.mark.parametrize("arguments", ["'9'", "['9']", "{v: '9'}", "{other: '1', '': '9'}"])
def test_arguments_of_a_validator(judges: Judges, package: MakePackage, arguments: str) -> None:
    stated = {"data/secret/test_group.yaml": f"input_validator_args: {arguments}\n"}
    assert found(judges, package, {"input_validators/v.py": VALIDATOR, **stated}) == []
    less = {"data/secret/2.yaml": "input_validator_args: '8'\n", **stated}
    assert found(judges, package, {"input_validators/v.py": VALIDATOR, **less}) == [REFUSED]


def test_an_invalid_input_that_all_validators_accept(judges: Judges, package: MakePackage) -> None:
    files = {
        "input_validators/v.py": VALIDATOR.replace("else 5", "else 50"),
        "input_validators/w.py": "import sys\nsys.exit(43 if sys.stdin.read() == 'x' else 42)\n",
        "data/invalid_input/large.in": "99 1\n",
        "data/invalid_input/small.in": "1 1\n",
    }
    (finding,) = found(judges, package, files)
    assert finding.startswith("error: data/invalid_input/small.in: accepted by every input validator")


@pytest.mark.parametrize("checker", [None, EQUAL])
def test_outputs_that_the_checker_must_accept_or_refuse(
    judges: Judges, package: MakePackage, checker: str | None
) -> None:
    trials = {f"data/{kind}/{name}.{suffix}": {"in": "1 2\n", "ans": "3\n", "out": out}[suffix]
              for kind, name, out in (("valid_output", "spaces", "\n 3"), ("valid_output", "wrong", "4"),
                                      ("invalid_output", "wrong", "4"), ("invalid_output", "right", "3"))
              for suffix in ("in", "ans", "out")}  # fmt: skip
    files = trials if checker is None else {**trials, "output_validator/v.py": checker}
    findings = found(judges, package, files)
    assert [finding.split(":")[1].strip() for finding in findings] == [
        "data/invalid_output/right.out",
        "data/valid_output/wrong.out",
    ]
    assert "the checker accepts it" in findings[0]
    assert "the checker refuses it" in findings[1]


def test_data_that_tests_validators_has_arguments_of_its_own(judges: Judges, package: MakePackage) -> None:
    files = {
        "input_validators/v.py": VALIDATOR.replace("else 5", "else 50"),
        "data/invalid_input/a.in": "9\n",
        "data/invalid_input/a.yaml": "input_validator_args: ['8']\n",
        "data/valid_output/test_group.yaml": "output_validator_args: [float_tolerance, '1']\n",
        "data/valid_output/a.in": "9\n",
        "data/valid_output/a.ans": "3\n",
        "data/valid_output/a.out": "4\n",
        "data/invalid_output/a.yaml": "input_validator_args: ['8']\noutput_validator_args: [case_sensitive]\n",
        "data/invalid_output/a.in": "9\n",
        "data/invalid_output/a.ans": "a\n",
        "data/invalid_output/a.out": "A\n",
    }
    (finding,) = found(judges, package, files)
    assert finding.startswith("error: data/invalid_output/a.in: refused by input validator v: too large: 9")


def test_the_answers_of_samples_are_right_outputs(judges: Judges, package: MakePackage) -> None:
    sample, secret = found(judges, package, {"output_validator/v.py": "import sys\nsys.exit(43)\n"})
    assert sample.startswith("error: data/sample/1.ans: the checker refuses it")
    assert secret.startswith("warning: data/secret/1.ans: the checker refuses 2 of 2 secret answers")


def test_answers_may_earn_points(judges: Judges, package: MakePackage) -> None:
    files = {
        "problem.yaml": "type: scoring\nvalidation: custom score\n",
        "output_validators/v.py": "import sys\nopen(sys.argv[3] + 'score.txt', 'w').write('30')\nsys.exit(42)\n",
        "data/secret/testdata.yaml": "range: 0 60\n",
    }
    assert found(judges, package, files) == []


def test_secret_answers_that_the_checker_refuses(judges: Judges, package: MakePackage) -> None:
    files = {
        "output_validator/v.py": "import sys\nopen(sys.argv[3] + '/judgemessage.txt', 'w').write('odd')\n"
        "sys.exit(43 - ('7' not in input()))\n",
        "data/secret/4.in": "1\n",
        "data/secret/4.ans": "7\n",
    }
    (finding,) = found(judges, package, files)
    assert finding.startswith("warning: data/secret/4.ans: the checker refuses 1 of 3 secret answers as outputs;")
    assert "odd" in finding
    assert found(judges, package, files, "type: interactive\n") == [], "notes for the interactor"


def test_constants_in_validators(judges: Judges, package: MakePackage) -> None:
    files = {
        "input_validators/v.py": VALIDATOR.replace("else 5", "else {{most}}"),
        "output_validator/v.cpp": '#include "w.h"\nint main() { return ACCEPTED; }\n',
        "output_validator/w.h": "#define ACCEPTED {{accepted}}\n",
    }
    assert found(judges, package, files, "constants: {most: 9, accepted: 42}\n") == []
    (finding,) = found(judges, package, files, "constants: {most: 5, accepted: 42}\n")
    assert "too large: 9" in finding


@pytest.mark.parametrize(
    ("name", "source", "says"),
    [
        ("v.py", "assert False, 'no'\n", "AssertionError: no"),
        ("v.cpp", "#include <cassert>\nint main() { assert(false); }\n", "SIGABRT"),
        ("v.py", "pass\n", "no reason given"),
    ],
)
def test_whatever_is_no_yes_is_a_refusal(
    judges: Judges, package: MakePackage, name: str, source: str, says: str
) -> None:
    files = {f"input_validators/{name}": source, "data/invalid_input/a.in": "1\n"}
    findings = found(judges, package, files)
    assert len(findings) == len(SUM), "the invalid input is refused, as it should be"
    assert all("refused by input validator v: " in finding and says in finding for finding in findings)


def test_a_validator_that_exceeds_a_limit_is_broken(judges: Judges, package: MakePackage) -> None:
    files = {"input_validators/v.py": "while True: pass\n"}
    findings = found(judges, package, files, "limits: {validation_time: 1}\n")
    assert len(findings) == len(SUM)
    assert all("was stopped by its cpu-limit" in finding for finding in findings)


def test_a_validator_finds_arguments_and_files_of_the_test(judges: Judges, package: MakePackage) -> None:
    source = "import sys\nassert [*sys.argv[1:], open('x.txt').read()] == ['1', '2', '3']\nsys.exit(42)\n"
    files = {
        "input_validators/v.py": source,
        "data/secret/test_group.yaml": "input_validator_args: ['1']\nargs: ['2']\n",
        "data/sample/test_group.yaml": "input_validator_args: ['1']\nargs: ['2']\n",
        **{f"data/{name}.files/x.txt": "3" for name in SUM},
    }
    assert found(judges, package, files) == []


@pytest.mark.parametrize(("name", "source"), [("v.c", "int main(\n"), ("v.py", "x = [\n")])
def test_a_validator_that_does_not_compile(judges: Judges, package: MakePackage, name: str, source: str) -> None:
    (finding,) = found(judges, package, {f"input_validators/{name}": source})
    assert finding.startswith(f"error: input_validators/{name}: input validator")
    assert "does not compile" in finding


def test_an_output_without_its_answer(judges: Judges, package: MakePackage) -> None:
    with pytest.raises(ProblemError, match=r"invalid_output/a\.out: has no \.in file beside it; add a\.in"):
        found(judges, package, {"data/invalid_output/a.out": "1\n"})


def test_validators_run_in_the_sandbox(judges: Judges, package: MakePackage) -> None:
    spy = "import os, sys\nsys.stderr.write(str(os.path.exists('/proc/1/environ')))\nopen('/etc/x', 'w')\n"
    findings = found(judges, package, {"input_validators/v.py": spy})
    assert all("Error" in finding for finding in findings)


def test_what_is_shown_of_a_sample_must_be_accepted(judges: Judges, package: MakePackage) -> None:
    """NAME.out instead of NAME.ans; NAME.ans.statement is for people."""
    wrong = {"data/sample/1.ans": "4\n", "output_validator/v.py": SUMS}
    (refused,) = found(judges, package, wrong)
    assert "data/sample/1.ans: the checker refuses it" in refused
    assert found(judges, package, wrong | {"data/sample/1.out": "3\n"}) == []
    assert found(judges, package, wrong | {"data/sample/1.ans.statement": "3, say\n"}) == []
    (refused,) = found(judges, package, {"output_validator/v.py": SUMS, "data/sample/1.out": "5\n"})
    assert "data/sample/1.out: the checker refuses it" in refused
