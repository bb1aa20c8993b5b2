from __future__ import annotations

import json
import os
import pty
import re
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import MakePackage
from tests.judge.cli.conftest import ADD, SUBTRACT, Cli

WriteSource = Callable[[str, str], Path]

CASES = {"sample/1": ("1 2\n", "3\n"), "secret/1": ("5 -7\n", "-2\n"), "secret/2": ("4 4\n", "8\n")}


@pytest.fixture
def addition(package: MakePackage) -> Path:
    return package(CASES)


def _tests(out: str) -> dict[str, str]:
    words = [line.split() for line in out.splitlines() if line.startswith(("sample/", "secret/"))]
    return {line[0]: line[1] for line in words}


def test_accepted(cli: Cli, source: WriteSource, addition: Path, backend: str) -> None:
    ran = cli("run", source(ADD, "a.cpp"), "--problem", addition, "--backend", backend)
    assert (ran.code, ran.err) == (0, "")
    assert _tests(ran.out) == {"sample/1": "AC", "secret/1": "AC", "secret/2": "AC"}
    assert ran.out.splitlines()[-1].startswith("AC  package cpp17  score 1 · tests: 3 AC")


def test_a_terminal_is_told_how_many_tests_were_run(
    source: WriteSource, addition: Path, backend: str, environment: dict[str, str]
) -> None:
    reader, terminal = pty.openpty()
    try:
        asked = (sys.executable, "-m", "judge", "run", source(SUBTRACT, "a.cpp"), "-p", addition, "--backend", backend)
        run = subprocess.run(asked, stdout=subprocess.PIPE, stderr=terminal, env=environment, check=False)
        told = os.read(reader, 65536).decode()
    finally:
        os.close(reader)
        os.close(terminal)
    assert run.returncode == 1
    assert "0/3 tests" in told
    assert "3/3 tests: 3 WA" in told
    assert told.endswith("\x1b[K"), "it leaves nothing on the terminal"
    assert run.stdout.startswith(b"test  "), "stdout holds the report only"


def test_wrong_answer_shows_where_it_parts(cli: Cli, source: WriteSource, addition: Path, backend: str) -> None:
    ran = cli("run", source(SUBTRACT, "a.cpp"), "-p", addition, "--backend", backend)
    assert ran.code == 1
    assert _tests(ran.out) == {"sample/1": "WA", "secret/1": "WA", "secret/2": "WA"}
    block = ran.out[ran.out.index("first failing test") :].splitlines()
    assert block[0] == "first failing test: sample/1 WA"
    assert "line 1" in block[1]
    assert '"3"' in block[1]
    assert '"-1"' in block[1]


def test_first_failure_skips_the_rest(cli: Cli, source: WriteSource, addition: Path, backend: str) -> None:
    ran = cli("run", source(SUBTRACT, "a.cpp"), "-p", addition, "--first-failure", "--backend", backend)
    assert _tests(ran.out) == {"sample/1": "WA", "secret/1": "SK", "secret/2": "SK"}


def test_compile_error_is_shown(cli: Cli, source: WriteSource, addition: Path, backend: str) -> None:
    ran = cli("run", source("int main() {\n  nothing;\n}\n", "a.cpp"), "-p", addition, "--backend", backend)
    assert ran.code == 1
    assert ran.out.startswith("compiler output:\n")
    assert "2:3: error: 'nothing' was not declared" in ran.out.replace("‘", "'").replace("’", "'")
    assert ran.out.splitlines()[-1].startswith("CE  package cpp17")


def test_json_alone_on_stdout(cli: Cli, source: WriteSource, addition: Path, backend: str) -> None:
    ran = cli("run", source(SUBTRACT, "a.cpp"), "-p", addition, "--json", "--backend", backend)
    assert (ran.code, ran.out.count("\n")) == (1, 1)
    judgement = json.loads(ran.out)
    assert (judgement["schema"], judgement["verdict"], judgement["accepted"]) == (1, "WA", False)
    assert [test["name"] for test in judgement["tests"]] == ["sample/1", "secret/1", "secret/2"]
    assert judgement["tests"][1]["stdout"] == "12\n"


@pytest.mark.parametrize("flags", [("--json",), ()])
def test_public_hides_the_secret_tests(
    cli: Cli, source: WriteSource, package: MakePackage, backend: str, flags: tuple[str, ...]
) -> None:
    secrets = ("531799", "-741177", "-209378")
    path = package({"sample/1": ("1 2\n", "3\n"), "secret/1": ("531799 -741177\n", "-209378\n")})
    # What a program prints tells its input: right on the sample, and chatty.
    spy = ADD.replace("a + b);", 'a == 1 ? 3 : b); fprintf(stderr, "sees %lld %lld\\n", a, b);')
    arguments = ("run", source(spy, "a.cpp"), "-p", path, "--backend", backend, *flags)
    openly, publicly = cli(*arguments), cli(*arguments, "--public")
    assert (openly.code, publicly.code) == (1, 1)
    for secret in secrets:
        assert secret in openly.out
        assert secret not in publicly.out
    assert "secret/1" in publicly.out
    if flags:
        sample, hidden = json.loads(publicly.out)["tests"]
        assert (sample["verdict"], sample["stdout"], sample["stderr"]) == ("AC", "3\n", "sees 1 2\n")
        assert (hidden["verdict"], hidden["stdout"], hidden["exit_code"]) == ("WA", "", None)


def test_program_on_stdin(cli: Cli, addition: Path, backend: str) -> None:
    ran = cli("run", "-", "-p", addition, "-l", "cpp20", "--json", "--backend", backend, stdin=ADD)
    assert ran.code == 0
    assert json.loads(ran.out)["language"] == "cpp20"


def test_language_by_suffix(cli: Cli, source: WriteSource, addition: Path, backend: str) -> None:
    program = "a, b = map(int, input().split())\nprint(a + b)\n"
    ran = cli("run", source(program, "a.py"), "-p", addition, "--json", "--backend", backend)
    assert ran.code == 0
    assert json.loads(ran.out)["language"] == "python3"


def test_limits_on_the_command_line_hold(cli: Cli, source: WriteSource, addition: Path, backend: str) -> None:
    busy = "int main() { for (volatile long long i = 0; i < 1000000000000; ++i); }"
    ran = cli("run", source(busy, "a.cpp"), "-p", addition, "--time-limit", "50ms", "--first-failure",
              "--no-confirm-tle", "--json", "--backend", backend)  # fmt: skip
    judgement = json.loads(ran.out)
    assert (ran.code, judgement["verdict"]) == (1, "TLE")
    assert judgement["tests"][0]["cpu_ns"] < 900_000_000  # the problem's own limit is 1 s


def test_limits_of_the_compile_hold_and_the_report_says_how_it_gets_more(
    cli: Cli, source: WriteSource, addition: Path, backend: str
) -> None:
    # Includes itself twice, 60 deep.
    endless = '#if __INCLUDE_LEVEL__ < 60\n#include "solution.c"\n#include "solution.c"\n#endif\n'
    ran = cli("run", source(endless, "a.c"), "-p", addition, "--compile-time", "2", "--backend", backend)
    assert ran.code == 1
    assert "2 s of CPU time were not enough; --compile-time 6 gives it more" in ran.out


def test_a_limit_over_the_memory_budget_is_an_error_that_names_both(
    cli: Cli, source: WriteSource, addition: Path, backend: str
) -> None:
    limits = ("--memory-budget", "4GiB", "--backend", backend)
    ran = cli("run", source("int main() {}", "a.c"), "-p", addition, "--memory-limit", "8GiB", *limits)
    assert ran.code == 2
    assert re.search(r"a memory limit of 8192 MiB may need \d+ MiB, but the judge's memory budget leaves \d+", ran.err)
    assert cli("run", source("int main() {}", "a.c"), "-p", addition, "--slots", "64", *limits).code == 2


def test_output_cannot_drive_the_terminal(cli: Cli, source: WriteSource, addition: Path, backend: str) -> None:
    hostile = 'int puts(const char*);int main() { puts("\\033]0;owned\\007\\033[2J"); }'
    ran = cli("run", source(hostile, "a.c"), "-p", addition, "--backend", backend)
    assert "owned" in ran.out
    assert "\x1b" not in ran.out
    assert "\x07" not in ran.out


def test_prose_tests_are_flagged_dropped_or_kept(
    cli: Cli, source: WriteSource, package: MakePackage, backend: str
) -> None:
    path = package(CASES | {"secret/3": ("略,见附件\n", "见附件\n")})
    arguments = ("run", source(ADD, "a.cpp"), "-p", path, "--backend", backend, "--json")
    results = {choice: json.loads(cli(*arguments, "--cjk", choice).out) for choice in ("flag", "drop", "keep")}
    assert [len(result["tests"]) for result in results.values()] == [4, 3, 4]
    assert [bool(result["tests"][-1]["cjk"]) for result in results.values()] == [True, False, False]
    assert [test["name"] for test in results["drop"]["dropped"]] == ["secret/3"]
    assert cli(*arguments[:-1], "--cjk", "drop").out.count("secret/3") == 1


def test_what_takes_long_the_first_time_is_told(tmp_path: Path, addition: Path) -> None:
    """By the process, on stderr; the second time there is nothing to tell."""
    source = tmp_path / "a.cpp"
    source.write_text("#include <bits/stdc++.h>\nint main() { int a, b; std::cin >> a >> b; std::cout << a + b; }\n")
    environment = os.environ | {"JUDGE_CACHE_DIR": str(tmp_path / "cache")}
    command = (sys.executable, "-m", "judge", "run", str(source), "-p", str(addition), "--json")
    told = [subprocess.run(command, env=environment, capture_output=True, text=True, check=True) for _ in range(2)]
    assert "making a precompiled header of bits/stdc++.h for cpp17; it is kept\n" in told[0].stderr
    assert told[1].stderr == ""
    assert json.loads(told[0].stdout)["verdict"] == "AC"


PARTS = {
    "a.cpp": "int add(int a, int b) { return a + b; }\n",
    "z.cpp": '#include <cstdio>\nint add(int, int);\nint main() { int a, b; scanf("%d%d", &a, &b);\n'
    'printf("%d\\n", add(a, b)); }\n',
}


def _parts(root: Path, kind: str) -> Path:
    for name, text in PARTS.items():
        (root / "parts").mkdir(exist_ok=True)
        (root / "parts" / name).write_text(text)
    if kind == "directory":
        return root / "parts"
    path = root / "parts.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in PARTS.items():
            archive.writestr(f"{'parts/' if kind == 'zip of a directory' else ''}{name}", text)
    return path


@pytest.mark.parametrize("kind", ["directory", "zip", "zip of a directory"])
def test_a_program_of_several_files(cli: Cli, tmp_path: Path, addition: Path, backend: str, kind: str) -> None:
    ran = cli("run", _parts(tmp_path, kind), "-p", addition, "--backend", backend)
    assert ran.out.splitlines()[-1].startswith("AC  package cpp17"), ran.err
    assert cli("run", _parts(tmp_path, kind), "-p", addition, "--entry", "a", "--backend", backend).code == 0
    none = cli("run", _parts(tmp_path, kind), "-p", addition, "--entry", "b", "--backend", backend)
    assert (none.code, none.out) == (2, "")
    assert "no file of the entry point 'b'" in none.err


def test_a_program_that_is_none(cli: Cli, tmp_path: Path, addition: Path) -> None:
    (tmp_path / "broken.zip").write_bytes(b"PK\x05\x06" + b"\xff" * 18)
    (tmp_path / "empty").mkdir()
    (tmp_path / "nested/deep").mkdir(parents=True)
    with zipfile.ZipFile(tmp_path / "apart.zip", "w") as archive:
        archive.writestr("a/a.cpp", "")
        archive.writestr("b/b.cpp", "")
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.cpp", b" " * (17 << 20))
    for name, says in (
        ("empty", "has no source of a language that we know"),
        ("nested", "has no source of a language that we know, directories in it apart"),
        ("apart.zip", "directories in it apart"),
        ("bomb.zip", "larger than any program"),
        ("broken.zip", "broken.zip"),
    ):
        ran = cli("run", tmp_path / name, "-p", addition)
        assert ran.code == 2, name
        assert says in ran.err


@pytest.mark.parametrize("command", [("run", "-p", "P1001"), ("exec",)])
def test_a_link_in_a_program_s_directory_is_refused(cli: Cli, tmp_path: Path, command: tuple[str, ...]) -> None:
    """It would show the program an answer, or what only root can read."""
    (tmp_path / "answer").write_text("3\n")
    program = tmp_path / "p"
    program.mkdir()
    (program / "main.py").write_text("print(open('a.txt').read())\n")
    (program / "a.txt").symlink_to(tmp_path / "answer")
    ran = cli(*command, program)
    assert ran.code == 2
    assert f"{program}/a.txt: is a symbolic link; put the file itself there" in ran.err
    (program / "a.txt").unlink()
    with zipfile.ZipFile(tmp_path / "p.zip", "w") as archive:
        archive.write(program / "main.py", "main.py")
        link = zipfile.ZipInfo("a.txt")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, str(tmp_path / "answer"))
    ran = cli(*command, tmp_path / "p.zip")
    assert (ran.code, "a.txt is a symbolic link" in ran.err) == (2, True)
