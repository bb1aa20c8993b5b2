"""Findings in packages that can be read."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import problems
from problems.validate import Finding, Severity, validate
from tests.packages import LEGACY, MINIMAL, PROBLEM, Files, write_files

GOOD: Files = {
    **MINIMAL,
    "problem.yaml": PROBLEM + "limits: {time_limit: 1}\n",
    "statement/problem.en.md": "Sum.\n",
    "statement/problem.zh.md": "求和。\n",
    "submissions/accepted/std.cpp": "int main() {}\n",
    "input_validators/validate.py": "import sys; sys.exit(42)\n",
}
SUMS = "0" * 64 + "  secret/big.in\n" + "0" * 64 + "  secret/big.ans\n"
GENERATED: Files = {
    **GOOD,
    "generators/gen.py": "print(1)\n",
    "generators/generators.yaml": "solution: /submissions/accepted/std.cpp\ndata: {secret: {data: [big: gen.py 1]}}\n",
    "generators/sha256sums": SUMS,
}


def sum_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


#: what is wrong -> (files, finding)
DOUBTFUL: dict[str, tuple[Files, str]] = {
    "key of another version": (
        {**GOOD, "problem.yaml": PROBLEM + "limits: {time_limit: 1, time_multiplier: 3}\n"},
        "warning: sum/problem.yaml: key 'limits.time_multiplier' is of another version of the format, so it says "
        "nothing; remove it, or change problem_format_version",
    ),
    "no statement": (
        {**GOOD, "statement/problem.en.md": None, "statement/problem.zh.md": None},
        "warning: sum/statement: there is no statement; add problem.en.md or problem.zh.md",
    ),
    "statement missing": (
        {**GOOD, "statement/problem.zh.md": None},
        "warning: sum/statement: no statement in 'zh', which has a name; add problem.zh.md",
    ),
    "name missing": (
        {**GOOD, "statement/problem.de.md": "Summe.\n"},
        "warning: sum/statement/problem.de.md: problem.yaml has no name in 'de'; add name.de",
    ),
    "checker that lacks testlib.h": (
        {**GOOD, "output_validator/check.cpp": '#include "testlib.h"\nint main() {}\n'},
        "error: sum/output_validator/check.cpp: includes testlib.h, which is not there; put it beside it",
    ),
    "visualiser": (
        {**GOOD, "input_visualizer/draw.py": "print(1)\n"},
        "warning: sum/input_visualizer: is not run: no pictures are made here; it may stay for others",
    ),
    "zip of a submission": (
        {**GOOD, "submissions/accepted/more.zip": "PK"},
        "warning: sum/submissions/accepted/more.zip: is a zip: the format knows directories of several files, so it is "
        "not judged; unpack it into a directory of its own",
    ),
    "no accepted submission": (
        {**GOOD, "submissions/accepted/std.cpp": None},
        "warning: sum/submissions/accepted: there is no accepted submission; add a right solution",
    ),
    "submission of no language": (
        {**GOOD, "submissions/accepted/notes.txt": "x\n"},
        "warning: sum/submissions/accepted/notes.txt: is no source of a known language, so it is not judged; "
        "remove or rename it",
    ),
    "submission in several directories": (
        {**GOOD, "submissions/wrong_answer/two/a/a.cpp": "1\n", "submissions/wrong_answer/two/b/b.cpp": "1\n"},
        "warning: sum/submissions/wrong_answer/two: has files neither beside nor below its first, so it is not judged; "
        "put its files into this directory itself",
    ),
    "no samples": (
        {**GOOD, "data/sample/1.in": None, "data/sample/1.ans": None},
        "warning: sum/data/sample: there are no samples; add NAME.in and NAME.ans",
    ),
    "no time limit": (
        {**GOOD, "problem.yaml": PROBLEM},
        "warning: sum/problem.yaml: states no time limit: it follows from the accepted submissions, and each "
        "machine measures another; add limits.time_limit (judge problems calibrate --write)",
    ),
    "no uuid": (
        {**GOOD, "problem.yaml": "problem_format_version: 2025-09\nname: {en: x, zh: y}\nlimits: {time_limit: 1}\n"},
        "warning: sum/problem.yaml: has no uuid; add one (python3 -c 'import uuid; print(uuid.uuid4())')",
    ),
    "uuid that is none": (
        {**GOOD, "problem.yaml": PROBLEM.replace("7f9c24e8", "7") + "limits: {time_limit: 1}\n"},
        "warning: sum/problem.yaml: uuid '7-3b1d-4f0a-9c55-0d1e2f3a4b5c' is none; write 8-4-4-4-12 hexadecimal digits",
    ),
    "licence without owner": (
        {**GOOD, "problem.yaml": PROBLEM + "license: cc0\nlimits: {time_limit: 1}\n"},
        "warning: sum/problem.yaml: license 'cc0' without an owner; add credits or source",
    ),
    "no input validator": (
        {**GOOD, "input_validators/validate.py": None},
        "warning: sum/input_validators: there is no input validator; add one",
    ),
    "byte-order mark in data": (
        {**GOOD, "data/secret/01.in": b"\xef\xbb\xbf3 4\n"},
        "error: sum/data/secret/01.in: begins with a byte-order mark, which programs read as data; save it without",
    ),
    "UTF-16 data": (
        {**GOOD, "data/secret/01.in": "3 4\n".encode("utf-16")},
        "error: sum/data/secret/01.in: is UTF-16; save it as UTF-8",
    ),
    "CRLF in data": (
        {**GOOD, "data/secret/01.ans": "7\r\n"},
        r"warning: sum/data/secret/01.ans: has CRLF line ends; convert it (sed -i 's/\r$//')",
    ),
    "no newline at the end": (
        {**GOOD, "data/secret/01.ans": "7"},
        "warning: sum/data/secret/01.ans: does not end with a newline; add one",
    ),
    "same input twice": (
        {**GOOD, "data/secret/02.in": "3 4\n"},
        "warning: sum/data/secret/02.in: is the same input as secret/01; remove what says nothing more",
    ),
    "stray file": (
        {**GOOD, "data/secret/03.out": "1\n"},
        "warning: sum/data/secret/03.out: belongs to no test case; name it after its NAME.in, or remove it",
    ),
    "stray directory": (
        {**GOOD, "data/secret/03.files/x.txt": "1\n"},
        "warning: sum/data/secret/03.files: belongs to no test case; name it after its NAME.in, or remove it",
    ),
    "name that is ignored": (
        {**GOOD, "data/secret/测试.in": "1\n"},
        "error: sum/data/secret/测试.in: has a name that is not allowed, so it is ignored; "
        "use letters, digits, '_', '.' and '-' only",
    ),
    "byte-order mark in a text": (
        {**GOOD, "statement/problem.en.md": b"\xef\xbb\xbfSum.\n"},
        "warning: sum/statement/problem.en.md: begins with a byte-order mark; save it without",
    ),
    "CRLF in a text": (
        {**GOOD, "statement/problem.en.md": "Sum.\r\n"},
        r"warning: sum/statement/problem.en.md: has CRLF line ends; convert it (sed -i 's/\r$//')",
    ),
    "text in GBK": (
        {**GOOD, "statement/problem.zh.md": "求和\n".encode("gbk")},
        "warning: sum/statement/problem.zh.md: is not UTF-8; convert it (iconv -f GB18030 -t UTF-8, say)",
    ),
    "no solution for generated cases": (
        {**GENERATED, "generators/generators.yaml": "data: {secret: {data: [big: gen.py 1]}}\n"},
        "error: sum/generators/generators.yaml: names no solution to print the answers; add solution:",
    ),
    "sum missing": (
        {**GENERATED, "generators/sha256sums": "0" * 64 + "  secret/big.in\n"},
        "warning: sum/generators/sha256sums: does not pin secret/big.ans; run judge problems pin",
    ),
    "sum of nothing": (
        {**GENERATED, "generators/sha256sums": f"{SUMS}{'0' * 64}  secret/old.in\n"},
        "error: sum/generators/sha256sums: pins secret/old.in, which is not generated; "
        "remove the line, or correct the name",
    ),
    "sum that differs": (
        {**GENERATED, "generators/sha256sums": f"{SUMS}{'0' * 64}  secret/01.in\n"},
        "error: sum/generators/sha256sums: the sum of secret/01.in is not that of the file in data/; build it again",
    ),
}


def findings(tmp_path: Path, files: Files, name: str = "sum") -> list[Finding]:
    return validate(problems.load(write_files(tmp_path / name, files)))


def test_good_packages(tmp_path: Path) -> None:
    assert findings(tmp_path / "1", GOOD) == []
    assert findings(tmp_path / "2", GENERATED) == []
    pinned = f"{SUMS}{sum_of('3 4' + chr(10))}  secret/01.in\n"
    assert findings(tmp_path / "3", {**GENERATED, "generators/sha256sums": pinned}) == []


@pytest.mark.parametrize("name", DOUBTFUL)
def test_finding(name: str, tmp_path: Path) -> None:
    files, expected = DOUBTFUL[name]
    assert [str(finding) for finding in findings(tmp_path, files)] == [expected]


def test_directory_that_says_no_verdict(tmp_path: Path) -> None:
    (finding,) = findings(tmp_path, {**GOOD, "submissions/slow/x.cpp": "1\n"})
    assert finding.file == "sum/submissions/slow"
    assert finding.message == "its name says no verdict, so it is not judged"
    assert "accepted, rejected, wrong_answer" in finding.remedy


def test_name_of_the_package(tmp_path: Path) -> None:
    (finding,) = findings(tmp_path, GOOD, name="my sum")
    assert str(finding) == "warning: my sum: the package's name is not allowed; use letters and digits"


def test_errors_come_first(tmp_path: Path) -> None:
    files = {**GOOD, "data/secret/01.ans": "7", "data/secret/02.in": b"\xef\xbb\xbf5 6\n"}
    assert [finding.severity for finding in findings(tmp_path, files)] == [Severity.ERROR, Severity.WARNING]


def test_legacy_needs_no_uuid_and_names_one_language(tmp_path: Path) -> None:
    files = {
        **LEGACY,
        ".timelimit": "1\n",
        "problem_statement/problem.sv.tex": "x\n",
        "submissions/accepted/std.cpp": "1\n",
        "input_format_validators/v.py": "1\n",
    }
    assert findings(tmp_path, files) == []


def test_several_types_in_one_string_are_read_and_warned_of(tmp_path: Path) -> None:
    files = {**MINIMAL, "problem.yaml": PROBLEM + "type: scoring  interactive\n", "output_validator/v.py": "exit(42)\n"}
    problem = problems.load(write_files(tmp_path / "sum", files))
    assert (problem.kind, problem.points) == ("interactive", 100)
    [found] = [one for one in validate(problem) if "types" in one.message]
    assert (found.severity, found.message) == (Severity.WARNING, "names several types in one string")


def test_a_test_that_several_groups_share_is_no_finding(tmp_path: Path) -> None:
    shared = {name: text for name, text in GOOD.items() if "secret" not in name} | {
        "problem.yaml": PROBLEM + "type: scoring\nlimits: {time_limit: 1}\n"
    }
    for group in "abc":
        shared[f"data/secret/{group}/test_group.yaml"] = "max_score: 10\n"
        for test in ("1", "2"):
            shared |= {f"data/secret/{group}/{test}.in": f"{test}\n", f"data/secret/{group}/{test}.ans": "1\n"}
    write_files(tmp_path / "sum", shared)
    link = tmp_path / "sum/data/secret/c/3.in"
    link.symlink_to("1.in")
    link.with_suffix(".ans").symlink_to("1.ans")
    assert validate(problems.load(tmp_path / "sum")) == []


def test_tests_that_repeat_another_one_are_told_of_once(tmp_path: Path) -> None:
    again = {f"data/secret/{n}.{suffix}": "3 4\n" for n in range(20, 50) for suffix in ("in", "ans")}
    (finding,) = findings(tmp_path, {**GOOD, **again})
    assert (finding.severity, finding.file) == (Severity.WARNING, "sum/data/secret/20.in")
    assert finding.message == "is the same input as secret/01 (30 tests in all repeat one of their group)"


def test_validators_that_the_format_does_not_use_are_told(tmp_path: Path) -> None:
    files = {
        **LEGACY,
        ".timelimit": "1\n",
        "problem_statement/problem.en.tex": "x\n",
        "submissions/accepted/std.cpp": "1\n",
        "input_validators/v.py": "1\n",
        "output_validators/v.py": "1\n",
    }
    (finding,) = findings(tmp_path, files)
    assert str(finding) == (
        "warning: sum/output_validators: is not used: problem.yaml asks for the default comparison; "
        "write validation: custom, or remove it"
    )
