"""Submissions of several files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from judge import Judge, Submission, languages
from judge.many.verify import verify

if TYPE_CHECKING:
    from tests.conftest import MakePackage

Judges = Callable[..., Judge]
Files = dict[str, str]

SUM = {"secret/1": ("1 2\n", "3\n"), "secret/2": ("5 6\n", "11\n")}


def test_no_source_has_the_digest_of_a_source_with_files() -> None:
    """Else who submits the first would get, or spoil, the verdict of the second."""
    source, name, content = b"int main() {}", b"add.h", b"int x;"
    longer = source + b"\0%d %b %d " % (len(name), name, len(content)) + hashlib.sha256(content).digest()
    files = ((name.decode(), content),)
    digests = {
        Submission(source=one, problem="P1001", files=more).digest()
        for one in (source, longer)
        for more in ((), files, ((name.decode() + "1", content),))
    }
    assert len(digests) == 6


@pytest.mark.parametrize("name", ["\udcff.h", "\ud800.h", "a" * 254 + "é"])
def test_a_name_that_no_file_can_have_is_ce(judges: Judges, package: MakePackage, name: str) -> None:
    submission = Submission(source=b"int main() {}", problem=package(SUM), language="c17", files=((name, b""),))
    judgement = judges().judge(submission)
    assert (judgement.verdict, judgement.score) == ("CE", 0.0)
    assert "submit files in one directory" in judgement.compile.output
    assert judgement.to_json()


def test_no_file_lies_below_one_of_the_problem(judges: Judges, package: MakePackage) -> None:
    """Where it did, the sandbox would fail, and that is no verdict."""
    problem = package(SUM, files={"include/c/grader.h": "#define SUM 1\n"})
    row = Submission(source=b"int main() {}", problem=problem, language="c17", files=(("grader.h/a.h", b""),))
    judgement = judges().judge(row)
    assert (judgement.verdict, judgement.score) == ("CE", 0.0)
    assert "'grader.h' is a file, and the directory of" in judgement.compile.output


#: language: (the file with which it begins, the others)
ROWS: dict[str, tuple[str, Files]] = {
    "cpp17": (
        '#include <cstdio>\n#include "add.h"\nint main() { long a, b; scanf("%ld%ld", &a, &b);\n'
        'freopen("none", "r", stdin); printf("%ld\\n", add(a, b)); }\n',
        {
            "add.h": "#include \"in/add.h\"\r\n",
            "in/add.h": "#pragma once\r\nlong add(long, long);\r\n",
            "empty.h": "",
            "add.cpp": '#include <cstdio>\n#include "add.h"\n'
            'long add(long a, long b) { freopen("none", "w", stdout); return a + b; }\n',
        },
    ),
    "c17": (
        '#include <stdio.h>\nlong add(long, long);\nint main(void) { long a, b; scanf("%ld%ld", &a, &b);\n'
        'printf("%ld\\n", add(a, b)); }\n',
        {"units/add.c": "long add(long a, long b) { return a + b; }\n"},
    ),
    "python3": (
        "from add import add\nprint(add(*map(int, input().split())))\n",
        {"add.py": "from lib.more import plus\nadd = plus\n", "lib/more.py": "def plus(a, b):\n    return a + b\n"},
    ),
    "java": (
        "public class Main { public static void main(String[] a) {"
        " java.util.Scanner s = new java.util.Scanner(System.in);"
        " System.out.println(sums.Add.add(s.nextLong(), s.nextLong())); } }\n",
        {
            "sums/Add.java": "package sums;\n"
            "public class Add { public static long add(long a, long b) { return a + b; } }\n"
        },
    ),
    "rust": (
        "mod add;\nfn main() { let mut s = String::new(); std::io::stdin().read_line(&mut s).unwrap();\n"
        "let v: Vec<i64> = s.split_whitespace().map(|w| w.parse().unwrap()).collect();\n"
        'println!("{}", add::add(v[0], v[1])); }\n',
        {"add.rs": "mod more;\npub use more::add;\n", "add/more.rs": "pub fn add(a: i64, b: i64) -> i64 { a + b }\n"},
    ),
}  # fmt: skip


def submission(problem: object, language: str, source: str, files: Files) -> Submission:
    named = tuple((name, text.encode()) for name, text in files.items())
    return Submission(source=source.encode(), problem=problem, language=language, files=named)  # type: ignore[arg-type]


@pytest.mark.parametrize("language", ROWS)
def test_files_are_compiled_or_imported_along(judges: Judges, package: MakePackage, language: str) -> None:
    source, files = ROWS[language]
    judgement = judges().judge(submission(package(SUM), language, source, files))
    assert judgement.verdict == "AC", judgement.compile
    if language == "cpp17":
        assert judgement.freopen_neutralised == 2


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"../add.cpp": ""}, "not a relative path"),
        ({"/add.cpp": ""}, "not a relative path"),
        ({"a//add.cpp": ""}, "not a relative path"),
        ({"add.h/x.h": "", "add.h": ""}, "'add.h' is a file, and the directory of 'add.h/x.h'"),
        ({"solution.cpp/x.h": ""}, "'solution.cpp' is a file, and the directory of"),
        ({"solution.cpp": ""}, "a second file is called solution.cpp"),
        ({f"{n}.h": "" for n in range(33)}, "34 files, more than 33"),
        ({"add.cpp": "x" * 300_000}, "over the limit of 262144"),
        ({"add.cpp": "int a;\0"}, "NUL byte in line 1"),
        ({"add.cpp": "int main() { return 0; }\n", "add.h": "long add(long, long);"}, "main"),
    ],
)
def test_what_cannot_be_compiled_is_ce(judges: Judges, package: MakePackage, files: Files, says: str) -> None:
    judgement = judges().judge(submission(package(SUM), "cpp17", ROWS["cpp17"][0], files))
    assert judgement.verdict == "CE"
    assert says in judgement.compile.output


@pytest.mark.parametrize(
    ("language", "name", "broken"),
    [
        ("python3", "add.py", "def add(:\n"),
        ("javascript", "add.js", "letter x = 1\n"),
        ("javascript", "a.mjs", "import {\n"),
    ],
)
def test_each_file_of_a_program_is_checked(
    judges: Judges, package: MakePackage, language: str, name: str, broken: str
) -> None:
    """As DOMjudge and Kattis do (`py_compile {files}`, `node --check`), whether the program uses it or not."""
    if (problem := languages.get(language).status().problem) is not None:
        pytest.skip(problem)
    problem = package({"secret/1": ("", "")})
    rows = [submission(problem, language, "\n", {name: text, "data.txt": "(("}) for text in (broken, "\n")]
    judgements = [judges().judge(row) for row in rows]
    assert [one.verdict for one in judgements] == ["CE", "AC"]
    assert "SyntaxError" in judgements[0].compile.output


def test_programs_that_differ_in_another_file_are_judged_apart(judges: Judges, package: MakePackage) -> None:
    source, right = ROWS["c17"]
    wrong = {"units/add.c": "long add(long a, long b) { return a - b; }\n"}
    problem = package(SUM)
    rows = [submission(problem, "c17", source, files) for files in (right, wrong, right, wrong)]
    judge = judges()
    assert sorted(one.verdict for one in judge.judge_many(rows)) == ["AC", "AC", "WA", "WA"]
    assert [judge.judge(row).verdict for row in rows] == ["AC", "WA", "AC", "WA"]


def test_labelled_submissions_of_several_files(judges: Judges, package: MakePackage) -> None:
    source, others = ROWS["cpp17"]
    files = {f"submissions/accepted/parts/{name}": text for name, text in {**others, "z.cpp": source}.items()}
    files["submissions/wrong_answer/one.cpp"] = "int main() {}\n"
    verified = {one.name: one.complaint for one in verify(judges(), package(SUM, files=files))}
    assert verified == {"accepted/parts/z.cpp": None, "wrong_answer/one.cpp": None}
