"""What a submission finds beside it and in its working directory (2025-09, "Working directory", "Included files")."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from judge import Judge, Judgement, Submission

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import MakePackage

Judges = Callable[..., Judge]
Files = tuple[tuple[str, bytes], ...]

CASES = {"secret/1": ("1\n", "43\n")}
READERS = {
    "python3": "print(int(input()) + int(open('data.txt').read()))\n",
    "cpp17": "#include <fstream>\n#include <iostream>\nint main() { int a, b = 0; std::cin >> a; "
    'std::ifstream("data.txt") >> b; std::cout << a + b << "\\n"; }\n',
    "bash": "read a\nread b < data.txt\necho $((a + b))\n",
    "javascript": 'const fs = require("fs");\n'
    'console.log(Number(fs.readFileSync(0)) + Number(fs.readFileSync("data.txt")));\n',
}


def judged(judges: Judges, problem: Path, source: str, language: str = "python3", files: Files = ()) -> Judgement:
    return judges().judge(Submission(source=source.encode(), problem=problem, language=language, files=files))


@pytest.mark.parametrize("language", READERS)
def test_default_files_serve_every_language(judges: Judges, package: MakePackage, language: str) -> None:
    problem = package(CASES, files={"include/default/data.txt": "42\n", "include/python3/inc.py": "K = 42\n"})
    assert judged(judges, problem, READERS[language], language).verdict == "AC"


def test_a_languages_own_file_takes_the_place_of_the_default_one(judges: Judges, package: MakePackage) -> None:
    files = {"include/default/data.txt": "7\n", "include/python3/data.txt": "42\n"}
    assert judged(judges, package(CASES, files=files), READERS["python3"]).verdict == "AC"
    assert judged(judges, package(CASES, files=files), READERS["bash"], "bash").verdict == "WA"


@pytest.mark.parametrize("language", READERS)
def test_a_submissions_own_files_lie_there(judges: Judges, package: MakePackage, language: str) -> None:
    files = (("data.txt", b"42\n"), ("deep/er/other.txt", b"1\n"))
    assert judged(judges, package(CASES), READERS[language], language, files).verdict == "AC"


@pytest.mark.parametrize("name", ["data.txt", "data.txt/deeper"])
def test_a_submissions_file_takes_no_place_of_the_problems(judges: Judges, package: MakePackage, name: str) -> None:
    own = ((name, b"7\n"),)
    of_test = package(CASES, files={"data/secret/1.files/data.txt": "42\n"}, name="of-test")
    assert judged(judges, of_test, READERS["python3"], files=own).verdict == "AC"
    if name == "data.txt":
        included = package(CASES, files={"include/default/data.txt": "42\n"}, name="included")
        assert judged(judges, included, READERS["python3"], files=own).verdict == "AC"


def test_a_submissions_file_is_neither_input_nor_output(judges: Judges, package: MakePackage) -> None:
    problem = package(CASES, files={"judge.yaml": "file_io: {input: p.in, output: p.out}\n"})
    own = (("p.in", b"9\n"), ("p.out", b"43\n"))
    assert judged(judges, problem, "pass\n", files=own).verdict == "WA"
    right = "open('p.out', 'w').write(str(42 + int(open('p.in').read())))\n"
    assert judged(judges, problem, right, files=own).verdict == "AC"


def test_another_language_without_a_driver_of_its_own(judges: Judges, package: MakePackage) -> None:
    problem = package(CASES, files={"include/cpp/notes.cpp": "int unused;\n", "include/python3/lib/k.py": "K = 42\n"})
    assert judged(judges, problem, "from lib.k import K\nprint(K + 1)\n").verdict == "AC"
    assert judged(judges, problem, "echo 43\n", "bash").verdict == "AC"


MODULE = 'import { readFileSync } from "fs";\nconsole.log(42 + Number(readFileSync(0)));\n'
BODY = 'const { readFileSync } = require("fs");\nconsole.log(42 + Number(readFileSync(0)));\n'


@pytest.mark.parametrize(
    ("language", "stated", "source", "verdict"),
    [
        ("javascript", '{"type": "module"}', MODULE, "AC"),
        ("javascript", '{"type": "module"}', BODY, "RE"),
        ("javascript", '{"type": "commonjs"}', BODY, "AC"),
        ("javascript", '{"type": "commonjs"}', MODULE, "CE"),
        ("javascript", "{", BODY, "CE|RE"),
        ("javascript", None, BODY, "AC"),
        ("javascript", None, "const x = ;\n", "CE"),
        ("javascript-module", None, MODULE, "AC"),
        ("javascript-module", '{"type": "commonjs"}', MODULE, "AC"),
        ("javascript-module", None, "import {x from y\n", "CE"),
    ],
)
def test_modules_of_javascript(
    judges: Judges, package: MakePackage, language: str, stated: str | None, source: str, verdict: str
) -> None:
    files = () if stated is None else (("package.json", stated.encode()),)
    judgement = judged(judges, package(CASES), source, language, files)
    assert judgement.verdict in verdict.split("|")
    if judgement.compile is not None:
        assert "syntax" not in judgement.compile.output, "messages are about the program, not about our check"
