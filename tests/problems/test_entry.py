"""With which file a program of several files begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from problems import load
from problems.errors import ProblemError
from problems.files.entry import entry
from tests.packages import MINIMAL, write_files

ROWS = [
    ({"a.py": "", "__main__.py": "", "main.py": ""}, None, "__main__.py"),
    ({"a.py": "", "main.py": ""}, None, "main.py"),
    ({"a.py": "", "b.py": ""}, None, "a.py"),
    ({"A.java": "class A {}", "Main.java": "", "Z.java": "public static void main("}, None, "Main.java"),
    ({"A.java": "class A {}", "Z.java": "public static void main(String[] a)"}, None, "Z.java"),
    ({"A.java": "", "B.java": ""}, "B", "B.java"),
    ({"a.kt": "fun main() {}", "b.kt": ""}, "bKt", "b.kt"),
    ({"a.cpp": "int mainly();", "b.cpp": "int main () {}"}, None, "b.cpp"),
    ({"a.go": "func add()", "b.go": "func main() {}"}, None, "b.go"),
    ({"a.rs": "pub fn add()", "b.rs": "fn main() {}"}, None, "b.rs"),
    ({"a.cpp": "int main() {}", "b.cpp": "int main() {}"}, "b.cpp", "b.cpp"),
    ({"a.cpp": "int main() {}"}, "nobody", None),
    ({"a.pas": "{ mine }\nunit a;\n", "b.pas": "begin writeln(1) end.\n"}, None, "b.pas"),
    ({"a.pas": "UNIT a;\n", "b.pas": "unit b;\n", "c.pas": "Program c;\nbegin end.\n"}, None, "c.pas"),
    ({"a.pas": "unit a;\n"}, None, "a.pas"),
    ({"Lib.pm": "package Lib;\n", "solve.pl": "use Lib;\n"}, None, "solve.pl"),
    ({"Lib.hs": "module Lib where\n", "Solve.hs": "module Main where\nmain :: IO ()\n"}, None, "Solve.hs"),
    ({"lib.mjs": "", "main.mjs": ""}, None, "main.mjs"),
]


@pytest.mark.parametrize(("files", "stated", "expected"), ROWS)
def test_entry(files: dict[str, str], stated: str | None, expected: str | None) -> None:
    found = entry([(Path(name), text.encode()) for name, text in files.items()], stated)
    assert (found and found.name) == expected


def test_submissions_of_several_files(tmp_path: Path) -> None:
    files = {
        **MINIMAL,
        "submissions/accepted/parts/a.cpp": "int add();\n",
        "submissions/accepted/parts/a.h": "\n",
        "submissions/accepted/parts/z.cpp": "int main() {}\n",
        "submissions/wrong_answer/stated/a.py": "\n",
        "submissions/wrong_answer/stated/b.py": "\n",
        "submissions/wrong_answer/nested/deep/b.py": "\n",
        "submissions/wrong_answer/nested/first.py": "\n",
        "submissions/submissions.yaml": "wrong_answer/stated: {entrypoint: b}\n",
    }
    problem = load(write_files(tmp_path / "sum", files))
    found = {one.path.name: sorted(path.name for path in one.files) for one in problem.submissions}
    assert found == {"z.cpp": ["a.cpp", "a.h"], "b.py": ["a.py"], "first.py": ["b.py"]}


def test_an_entry_point_that_no_file_has(tmp_path: Path) -> None:
    files = {
        **MINIMAL,
        "submissions/accepted/two/a.py": "\n",
        "submissions/accepted/two/b.py": "\n",
        "submissions/submissions.yaml": "accepted: {entrypoint: c}\n",
    }
    with pytest.raises(ProblemError, match="accepted/two has no file of the entrypoint 'c'; name one of its files"):
        load(write_files(tmp_path / "sum", files))
