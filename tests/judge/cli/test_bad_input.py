"""Each bad input: one line that names the thing and the remedy, exit code 2, no traceback."""

from __future__ import annotations

import ctypes
import json
import platform
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.conftest import MakePackage
from tests.judge.cli.conftest import ADD, Cli, Ran

WriteSource = Callable[[str, str], Path]


def refused(ran: Ran, *words: str) -> None:
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("judge: ")
    assert ran.err.count("\n") == 1
    assert "Traceback" not in ran.err
    for word in words:
        assert word in ran.err


@pytest.fixture
def program(source: WriteSource) -> Path:
    return source(ADD, "a.cpp")


def test_unknown_problem(cli: Cli, program: Path) -> None:
    refused(cli("run", program, "-p", "P1010"), "unknown problem 'P1010'", "P1001")
    refused(cli("run", program, "-p", "zzzzzz"), "'zzzzzz'", "judge problems list")
    refused(cli("run", program, "-p", "./nowhere"), "nowhere", "judge problems list")
    refused(cli("run", program, "-p", ""), "unknown problem ''")


def test_missing_file(cli: Cli, tmp_path: Path) -> None:
    refused(cli("run", tmp_path / "absent.cpp", "-p", "P1001"), f"{tmp_path}/absent.cpp", "does not exist")
    refused(cli("run", tmp_path, "-p", "P1001", "-l", "c"), str(tmp_path), "no source")
    refused(cli("batch", tmp_path / "absent.jsonl", "-o", tmp_path / "out"), "absent.jsonl", "not exist")
    assert not (tmp_path / "out").exists()


def test_names_cannot_drive_the_terminal(cli: Cli, tmp_path: Path) -> None:
    ran = cli("run", tmp_path / "\x1b[2J\u202e.cpp", "-p", "P1001")
    refused(ran, r"\x1b[2J\u202e.cpp", "does not exist")
    assert "\x1b" not in ran.err


def test_unknown_language(cli: Cli, source: WriteSource, program: Path) -> None:
    refused(cli("run", program, "-p", "P1001", "-l", "cpp71"), "'cpp71'", "cpp17")
    refused(cli("run", source("x", "a.vhdl"), "-p", "P1001"), "a.vhdl", "--language")
    refused(cli("run", "-", "-p", "P1001", stdin=ADD), "--language")


def test_an_empty_program_is_what_its_language_says(
    cli: Cli, source: WriteSource, package: MakePackage, backend: str
) -> None:
    silent = package({"secret/1": ("1\n", "")})
    for text in ("", " \n\t\n", "\ufeff"):
        refused = cli("run", source(text, "a.cpp"), "-p", silent, "--backend", backend)
        assert (refused.code, "main" in refused.out) == (1, True)
        assert cli("run", source(text, "a.py"), "-p", silent, "--backend", backend).code == 0


def test_enormous_source(cli: Cli, source: WriteSource, backend: str) -> None:
    large = source("//" + "x" * 10_000_000, "a.cpp")
    ran = cli("run", large, "-p", "P1001", "--backend", backend)
    assert (ran.code, "10000002 bytes, over the limit of 131072" in ran.out) == (1, True)


def test_package_without_tests(cli: Cli, program: Path, package: MakePackage, backend: str) -> None:
    refused(cli("run", program, "-p", package({}), "--backend", backend), "package", "data/secret")


def test_input_without_answer(cli: Cli, program: Path, package: MakePackage, backend: str) -> None:
    path = package({"secret/1": ("1 2", "3"), "secret/2": ("1 2", "3")})
    (path / "data/secret/2.ans").unlink()
    refused(cli("run", program, "-p", path, "--backend", backend), "secret/2.in", "2.ans")


def test_broken_package(cli: Cli, program: Path, package: MakePackage, tmp_path: Path, backend: str) -> None:
    path = package({"secret/1": ("1 2", "3")})
    (path / "problem.yaml").write_text("name: [")
    refused(cli("run", program, "-p", path, "--backend", backend), "problem.yaml")
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"PK no zip")
    refused(cli("run", program, "-p", broken, "--backend", backend), "broken.zip")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("readme.txt", "nothing")
    refused(cli("run", program, "-p", tmp_path / "other.zip", "--backend", backend), "other.zip", "problem.yaml")


@pytest.mark.parametrize(
    "option", [("--time-limit", "-1s"), ("--memory-limit", "-256MiB"), ("--time-limit", "0"), ("--slots", "-1")]
)
def test_negative_limits(cli: Cli, program: Path, option: tuple[str, str]) -> None:
    refused(cli("run", program, "-p", "P1001", *option), *option)


def test_usage(cli: Cli, program: Path) -> None:
    refused(cli("run", program), "--problem", "judge run --help")
    refused(cli("rnu", program), "rnu")
    refused(cli("run", program, "-p", "P1001", "--cjk", "eat"), "'eat'", "drop")
    refused(cli("problems", "verify"), "--all")


def test_unknown_backend_and_tier(cli: Cli, program: Path) -> None:
    refused(cli("run", program, "-p", "P1001", "--backend", "vm"), "'vm'", "native")
    refused(cli("run", program, "-p", "P1001", "--backend", "unsafe", "--require", "full"), "unsafe", "full")


def test_no_compiler(cli: Cli, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    monkeypatch.setattr("judge.languages._SEARCH", (tmp_path,))
    refused(cli("run", program, "-p", "P1001", "--backend", backend), "g++", "apt-get install")


#: What a locked-down container refuses: mount, umount2, unshare, setns, and clone of a namespace.
_REFUSED = {"x86_64": (165, 166, 272, 308), "aarch64": (40, 39, 97, 268)}
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_CLONE = {"x86_64": 56, "aarch64": 220}
_CLONE3 = 435
_NEW_NAMESPACES = 0x7E020000  # CLONE_NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWUSER | NEWPID | NEWNET


def forbid_namespaces(*others: int) -> None:
    machine = platform.machine()
    code: list[tuple[int, int, int, int]] = [(0x20, 0, 0, 0)]  # load the number
    refused = ((number, 1) for number in (*_REFUSED[machine], *others))
    for number, errno in (*refused, (_CLONE3, 38)):  # EPERM; ENOSYS: use clone
        code += [(0x15, 0, 1, number), (0x06, 0, 0, 0x00050000 | errno)]  # equal? return errno
    code += [(0x15, 0, 3, _CLONE[machine]), (0x20, 0, 0, 16), (0x45, 0, 1, _NEW_NAMESPACES), (0x06, 0, 0, 0x00050001)]
    code += [(0x06, 0, 0, 0x7FFF0000)]
    instructions = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in code))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code), ctypes.addressof(instructions)))
    libc = ctypes.CDLL(None, use_errno=True)
    for call in ((38, 1, 0, 0, 0), (22, 2, program, 0, 0)):  # PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP
        if libc.prctl(*call):
            raise OSError(ctypes.get_errno(), "prctl")


@pytest.mark.skipif(not Path("/").stat().st_mode & 0o001, reason="the root directory is closed to other users")
def test_a_container_that_refuses_namespaces(program: Path, environment: dict[str, str]) -> None:
    command = (sys.executable, "-m", "judge", "run", str(program), "-p", "P1001", "--json")
    done = subprocess.run(command, env=environment, capture_output=True, preexec_fn=forbid_namespaces, check=False)
    judgement = json.loads(done.stdout)
    assert (done.returncode, judgement["verdict"]) == (0, "AC")
    assert judgement["isolation"]["tier"].startswith("restricted-")
    assert "mount" in judgement["isolation"]["missing"]
    for tier, code in (("restricted-user", 0), ("full", 2)):
        done = subprocess.run(
            (*command, "--require", tier),
            env=environment,
            capture_output=True,
            preexec_fn=forbid_namespaces,
            check=False,
        )
        assert done.returncode == code, done.stderr


def test_no_permission_for_the_sandbox(program: Path, environment: dict[str, str], tmp_path: Path) -> None:
    commands = {
        "run": ("run", program, "-p", "P1001"),
        "batch": ("batch", "-", "-o", tmp_path / "out"),
    }
    row = '{"problem": "P1001", "source": "int main() {}"}\n'
    for command in commands.values():
        done = subprocess.run(
            (sys.executable, "-m", "judge", *map(str, command)),
            env=environment,
            input=row,
            capture_output=True,
            text=True,
            preexec_fn=partial(forbid_namespaces, _SECCOMP[platform.machine()]),
            check=False,
        )
        refused(Ran(done.returncode, done.stdout, done.stderr), "namespaces")


def test_unusable_cache(cli: Cli, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("JUDGE_CACHE_DIR", str(tmp_path / "file" / "cache"))
    refused(cli("run", program, "-p", "P1001"), "cache", "JUDGE_CACHE_DIR")


def test_results_that_cannot_be_written(cli: Cli, tmp_path: Path) -> None:
    rows, other = tmp_path / "rows.jsonl", tmp_path / "other.jsonl"
    for path in (rows, other):
        path.write_text("{}\n")
    refused(cli("batch", rows, "-o", tmp_path / "no" / "out"), "No such file", str(tmp_path / "no" / "out"))
    refused(cli("batch", rows, "-o", other), "--resume")
    refused(cli("batch", rows, "-o", other, "--resume"), "line 1 is no result")
    assert other.read_text() == "{}\n"


def test_a_bug_is_not_mistaken_for_a_verdict(cli: Cli, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("judge.cli.run.open_judge", broken)
    ran = cli("run", program, "-p", "P1001")
    assert ran.code == 2
    assert "Traceback" in ran.err
    assert ran.err.endswith("judge: a bug\n")


def test_traceback_on_demand(cli: Cli, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_DEBUG", "1")
    ran = cli("run", program, "-p", "P1010")
    assert ran.code == 2
    assert "Traceback" in ran.err
    assert "UnknownProblem" in ran.err
