from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import MakePackage
from tests.judge.cli.conftest import ADD, Cli

WriteSource = Callable[[str, str], Path]


def test_it_shows_what_the_program_did(cli: Cli, source: WriteSource, tmp_path: Path, backend: str) -> None:
    (tmp_path / "in").write_text("3 4\n")
    ran = cli("exec", source(ADD, "a.cpp"), "--input", tmp_path / "in", "--backend", backend)
    assert (ran.code, ran.out) == (0, "7\n")
    assert ran.err.startswith("judge: ended well · CPU ")


def test_files_go_in_and_come_out(cli: Cli, source: WriteSource, tmp_path: Path, backend: str) -> None:
    (tmp_path / "given").write_bytes(b"\xff\n")
    (tmp_path / "empty").touch()
    program = source("import sys\nopen('made', 'wb').write(open('given', 'rb').read() * int(sys.argv[1]))\n", "a.py")
    asked = ("--file", tmp_path / "given", "--collect", "made", "--collect", "absent", "-o", tmp_path / "there")
    ran = cli("exec", "--backend", backend, "--quiet", "--input", tmp_path / "empty", *asked, program, "2")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == "judge: no regular file 'absent' was left (or it is too large)\n"
    assert (tmp_path / "there" / "made").read_bytes() == b"\xff\n\xff\n"


def test_directories_go_in_and_come_out(cli: Cli, source: WriteSource, tmp_path: Path, backend: str) -> None:
    given = tmp_path / "data/deep"
    given.mkdir(parents=True)
    (given / "in").write_text("given\n")
    (given / ".hidden").touch()
    text = (
        "import os\nos.makedirs('out/a')\nopen('out/a/x', 'w').write(open('data/deep/in').read())\n"
        "print(os.listdir('data/deep'))\n"
    )
    asked = ("--file", tmp_path / "data", "--collect", "out/a/x", "-i", os.devnull, "--backend", backend)
    ran = cli("exec", source(text, "a.py"), *asked, "-o", tmp_path / "there")
    assert (ran.code, ran.out) == (0, "['in']\n"), ran.err
    assert (tmp_path / "there/out/a/x").read_text() == "given\n"
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken/out").touch()
    ran = cli("exec", source(text, "a.py"), *asked, "-o", tmp_path / "taken")
    assert (ran.code, ran.out) == (2, "['in']\n"), "what it printed is not lost"
    assert "taken/out" in ran.err


def test_what_lies_beside_the_source_is_in_the_working_directory(cli: Cli, tmp_path: Path, backend: str) -> None:
    """As beside the tests of a problem."""
    (tmp_path / "p").mkdir()
    (tmp_path / "p/main.py").write_text("print(open('x.txt').read(), end='')\n")
    (tmp_path / "p/x.txt").write_text("its own\n")
    ran = cli("exec", tmp_path / "p", "-i", os.devnull, "--backend", backend)
    assert (ran.code, ran.out) == (0, "its own\n"), ran.err
    (tmp_path / "x.txt").write_text("given\n")
    ran = cli("exec", tmp_path / "p", "--file", tmp_path / "x.txt", "-i", os.devnull, "--backend", backend)
    assert (ran.code, ran.out) == (0, "given\n"), ran.err


def test_a_program_of_several_files(cli: Cli, tmp_path: Path, backend: str) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "main.cpp").write_text(
        '#include <cstdio>\n#include "x.h"\nint main() { return std::puts(X) < 0; }\n'
    )
    (tmp_path / "p" / "x.h").write_text('#define X "of x.h"\n')
    ran = cli("exec", tmp_path / "p", "-i", "/dev/null", "--backend", backend)
    assert (ran.code, ran.out) == (0, "of x.h\n")
    (tmp_path / "p" / "main.cpp").unlink()
    ran = cli("exec", tmp_path / "p")
    assert (ran.code, "has no source of a language that we know" in ran.err) == (2, True)


@pytest.mark.parametrize(
    "files",
    [
        {"output_validator/check.py": "import sys\nraise ValueError(sys.argv[1:])\n"},
        {
            "output_validator/check.cpp": '#include "w.h"\nint main(int n, char **) { assert(n != 4); }\n',
            "output_validator/w.h": "#include <cassert>\n",
        },
    ],
    ids=["py", "cpp"],
)
def test_a_checker_that_fails_is_run_by_hand(
    cli: Cli, source: WriteSource, package: MakePackage, backend: str, files: dict[str, str]
) -> None:
    """The command that the judgement names fails as the checker did."""
    where = ("--backend", backend)
    ran = cli("run", source(ADD, "a.cpp"), "-p", package({"secret/1": ("5 -7\n", "-2\n")}, files=files), *where)
    assert ran.code == 2
    assert "solution." not in ran.out, "programs of the package have their own names"
    (command,) = set(re.findall(r"By hand: judge (exec .*)", ran.out))
    again = cli(*shlex.split(command)[:1], *where, *shlex.split(command)[1:])
    assert again.code == 1
    assert ("ValueError: ['1.in', '1.ans', './']" in again.err) or ("Assertion `n != 4' failed" in again.err)


@pytest.mark.parametrize(
    ("text", "told"),
    [("int main() {", "CE"), ("int main() { return 9; }", "RE exit code 9"), ("int main() { for (;;); }", "TLE")],
)
def test_exit_code_1_if_it_failed(
    cli: Cli, source: WriteSource, tmp_path: Path, backend: str, text: str, told: str
) -> None:
    (tmp_path / "in").touch()
    ran = cli("exec", source(text, "a.cpp"), "-i", tmp_path / "in", "--time-limit", "300ms", "--backend", backend)
    assert ran.code == 1
    assert f"judge: {told}" in ran.err


def test_json(cli: Cli, source: WriteSource, tmp_path: Path, backend: str) -> None:
    (tmp_path / "in").write_text("1 2")
    ran = cli("exec", source(ADD, "a.cpp"), "-i", tmp_path / "in", "--json", "--backend", backend)
    assert (ran.code, ran.err) == (0, "")
    found = json.loads(ran.out)
    assert (found["stdout"], found["verdict"], found["compile"]["verdict"]) == ("3\n", None, "ok")


def test_its_input_is_stdin_and_its_bytes_are_not_changed(source: WriteSource, backend: str) -> None:
    program = source("import sys\nsys.stdout.buffer.write(sys.stdin.buffer.read()[::-1])\n", "a.py")
    command = (sys.executable, "-m", "judge", "exec", program, "--backend", backend, "--quiet")
    ran = subprocess.run(command, input=b"\0\xff\r\n", capture_output=True, check=True, env=dict(os.environ))
    assert ran.stdout == b"\n\r\xff\0"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("absent.cpp",), "absent.cpp: No such file"),
        (("a.cpp", "--collect", "../x"), "not a relative path without empty parts, '.' and '..': '../x'"),
        (("a.cpp", "--file", "a.cpp", "--file", "other/a.cpp"), "two files are named a.cpp"),
        (("a.cpp", "--file", "many"), "more than 60 files"),
        (("a.cpp", "--memory-limit", "900GiB"), "memory budget"),
    ],
)
def test_bad_input(
    cli: Cli, source: WriteSource, monkeypatch: pytest.MonkeyPatch, backend: str, asked: tuple[str, ...], said: str
) -> None:
    path = source(ADD, "a.cpp")
    monkeypatch.chdir(path.parent)
    Path("other").mkdir()
    Path("other/a.cpp").write_text(ADD)
    Path("many").mkdir()
    for number in range(61):
        Path("many", str(number)).touch()
    ran = cli("exec", *asked, "--input", os.devnull, "--backend", backend)
    assert ran.code == 2
    assert said in ran.err
