from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import psutil
import pytest

from judge.judging import fingerprint
from tests.conftest import MakePackage
from tests.judge.cli.conftest import ADD, SUBTRACT, Cli

#: Fields that say how it went, not what the result is.
_MEASURES = ("cpu_ns", "wall_ns", "memory_bytes", "cgroup_peak_bytes", "cached")


@pytest.fixture
def addition(package: MakePackage) -> str:
    return str(package({"secret/1": ("5 -7\n", "-2\n"), "secret/2": ("4 4\n", "8\n")}))


def write(path: Path, rows: list[dict[str, Any] | str]) -> Path:
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
    return path


def results(path: Path) -> dict[int, dict[str, Any]]:
    found = [json.loads(line) for line in path.read_text().splitlines()]
    by_line = {result["line"]: result for result in found}
    assert len(by_line) == len(found)
    return by_line


def timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: timeless(inner) for name, inner in value.items() if name not in _MEASURES}
    return [timeless(inner) for inner in value] if isinstance(value, list) else value


def test_what_an_earlier_batch_judged_is_known_unless_that_is_not_wanted(
    cli: Cli, tmp_path: Path, addition: str, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fingerprint, "_SETTLED_NS", 0)  # the package was written a moment ago
    new = f"# {os.urandom(8).hex()}\n"
    rows = [
        {"id": name, "problem": addition, "source": new + source, "language": "python3"}
        for name, source in (("a", "print(sum(map(int, input().split())))\n"), ("b", "print(8)\n"))
    ]
    batch = write(tmp_path / "rows", [*rows])
    said = []
    for number, flags in enumerate(([], [], ["--no-verdict-cache"])):
        out = tmp_path / f"out{number}"
        assert cli("batch", batch, "-o", out, "--backend", backend, *flags).code == 0
        said.append(results(out))
    assert [[result["cached"] for result in each.values()] for each in said] == [[False] * 2, [True] * 2, [False] * 2]
    assert timeless(said[0]) == timeless(said[1]) == timeless(said[2])
    assert [test["cpu_ns"] for test in said[0][1]["tests"]] == [test["cpu_ns"] for test in said[1][1]["tests"]]


def test_results_go_into_a_file_of_their_own(cli: Cli, tmp_path: Path, addition: str) -> None:
    rows = write(tmp_path / "rows", [{"problem": addition, "source": ADD}])
    ran = cli("batch", rows, "-o", rows, "--resume")
    assert (ran.code, ran.err) == (2, f"judge: -o {rows} is the input; name another file\n")
    assert json.loads(rows.read_text())["source"] == ADD
    ran = cli("batch", rows, "-o", "-", "--resume")
    assert (ran.code, "--resume needs the file" in ran.err) == (2, True)


def test_results_go_to_stdout_where_that_is_asked_for(
    tmp_path: Path, addition: str, backend: str, environment: dict[str, str]
) -> None:
    rows = write(tmp_path / "rows", [{"id": str(number), "problem": addition, "source": ADD} for number in range(3)])
    command = (sys.executable, "-m", "judge", "batch", rows, "-o", "-", "--backend", backend)
    ran = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, check=True)
    said = [json.loads(line) for line in ran.stdout.splitlines()]
    assert sorted((row["id"], row["verdict"]) for row in said) == [("0", "AC"), ("1", "AC"), ("2", "AC")]
    assert b"3/3 rows" in ran.stderr
    assert not (tmp_path / "-").exists()


def test_every_row_has_a_result(cli: Cli, tmp_path: Path, addition: str, backend: str) -> None:
    rows = write(
        tmp_path / "rows",
        [
            {"id": "right", "problem": addition, "source": ADD, "language": "cpp17"},
            {"id": "wrong", "problem": addition, "completion": f"I think:\n```cpp\n{SUBTRACT}```\n"},
            {"problem": addition, "completion": "```python\nprint(sum(map(int, input().split())))\n```"},
            "{ torn",
            {"id": "where", "problem": "P1010", "source": ADD},
            {"id": "what", "problem": addition, "source": ADD, "language": "c+++"},
            {"id": "empty", "problem": addition, "source": " "},
            "",
            {"id": "right", "problem": addition, "source": ADD},
            {"id": "cut off", "problem": addition, "completion": f"```cpp\n{ADD}"},
        ],
    )
    ran = cli("batch", rows, "-o", tmp_path / "out", "-j", "2", "--backend", backend)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.splitlines()[-1].startswith("9/9 rows, ")
    found = results(tmp_path / "out")
    assert {line: (result["id"], result["verdict"]) for line, result in found.items()} == {
        1: ("right", "AC"),
        2: ("wrong", "WA"),
        3: (None, "AC"),
        4: (None, None),
        5: ("where", None),
        6: ("what", None),
        7: ("empty", "CE"),
        9: (None, None),
        10: ("cut off", "CE"),
    }
    resumed = cli("batch", rows, "-o", tmp_path / "out", "--resume", "--backend", backend)
    assert resumed.code == 1  # as one run would say
    errors = {4: "no JSON", 5: "'P1010'", 6: "'c+++'", 9: "line 1"}
    for line, words in errors.items():
        assert words in found[line]["error"]
    assert found[3]["language"] == "python3"
    assert found[1]["score"] == 1
    assert found[4].get("score") is None


def test_all_judged_is_success_and_nothing_is_left_to_resume(
    cli: Cli, tmp_path: Path, addition: str, backend: str
) -> None:
    rows = write(tmp_path / "rows", [{"problem": addition, "source": SUBTRACT}])
    arguments = ("batch", rows, "-o", tmp_path / "out", "--backend", backend)
    assert cli(*arguments).code == 0
    before = (tmp_path / "out").read_bytes()
    ran = cli(*arguments)
    assert ran.code == 2
    assert "--resume" in ran.err
    assert cli(*arguments, "--resume").code == 0
    assert (tmp_path / "out").read_bytes() == before


def test_resume_takes_rows_that_were_added(cli: Cli, tmp_path: Path, addition: str, backend: str) -> None:
    first: list[dict[str, Any] | str] = [{"id": number, "problem": addition, "source": ADD} for number in range(2)]
    arguments = ("batch", tmp_path / "rows", "-o", tmp_path / "out", "--backend", backend)
    write(tmp_path / "rows", first)
    assert cli(*arguments).code == 0
    write(tmp_path / "rows", [{"id": 7, "problem": addition, "source": SUBTRACT}, *first])
    assert cli(*arguments, "--resume").code == 0
    found = [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]
    assert sorted((result["id"], result["verdict"]) for result in found) == [("0", "AC"), ("1", "AC"), ("7", "WA")]


def _rows(addition: str, count: int) -> list[dict[str, Any] | str]:
    """Different programs of several verdicts, in a language that costs no compiling; some rows are broken."""
    programs = (
        "print(sum(map(int, input().split())))  # {}",
        "print({})",
        "import sys; sys.exit({} % 3 + 1)",
        "print( # {}",
    )
    rows: list[dict[str, Any] | str] = []
    for number in range(count):
        source = programs[number % len(programs)].format(number)
        rows.append({"id": f"row {number}", "problem": addition, "source": source, "language": "python3"})
        if number % 10 == 5:
            rows.append(f"broken {number}")
    return rows


def _start(arguments: tuple[object, ...], environment: dict[str, str], **how: Any) -> subprocess.Popen[bytes]:
    command = (sys.executable, "-m", "judge", *map(str, arguments))
    return subprocess.Popen(command, env=environment, start_new_session=True, **how)


def _wait_for_lines(path: Path, count: int, process: subprocess.Popen[bytes]) -> None:
    while not path.exists() or path.read_bytes().count(b"\n") < count:
        assert process.poll() is None, "the batch ended before it could be stopped half way"
        time.sleep(0.002)


def test_killed_and_resumed_equals_one_run(
    cli: Cli, tmp_path: Path, addition: str, backend: str, environment: dict[str, str]
) -> None:
    rows = write(tmp_path / "rows", _rows(addition, 40))
    assert cli("batch", rows, "-o", tmp_path / "whole", "-j", "2", "--backend", backend).code == 1
    arguments = ("batch", rows, "-o", tmp_path / "out", "-j", "2", "--backend", backend)
    for done in (5, 20):  # killed twice
        process = _start((*arguments, *(("--resume",) if done > 5 else ())), environment, stderr=subprocess.DEVNULL)
        try:
            _wait_for_lines(tmp_path / "out", done, process)
        finally:
            process.kill()
        assert process.wait() == -signal.SIGKILL
    torn = tmp_path / "out"
    torn.write_bytes(torn.read_bytes() + b'{"schema": 1, "id": "row 3')
    assert cli(*arguments, "--resume").code == 1
    assert timeless(results(torn)) == timeless(results(tmp_path / "whole"))


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupt_is_clean_and_says_how_to_go_on(
    cli: Cli, tmp_path: Path, addition: str, backend: str, environment: dict[str, str], number: int, code: int
) -> None:
    rows = write(tmp_path / "rows", _rows(addition, 40))
    arguments = ("batch", rows, "-o", tmp_path / "out", "-j", "2", "--backend", backend, "--no-verdict-cache")
    process = _start(arguments, environment, stderr=subprocess.PIPE)
    _wait_for_lines(tmp_path / "out", 7, process)  # more than those that nothing runs for
    below = {child.pid for child in psutil.Process(process.pid).children(recursive=True)}
    os.killpg(process.pid, number)  # as a terminal does
    _, err = process.communicate()
    assert process.returncode == code
    assert below
    assert not [pid for pid in below if psutil.pid_exists(pid)]
    assert not [path for path, _, _ in os.walk("/sys/fs/cgroup") if f"/judge-{process.pid}-" in path]
    assert b"Traceback" not in err
    assert b"--resume" in err
    assert (tmp_path / "out").read_bytes().endswith(b"\n")
    assert 7 <= len(results(tmp_path / "out")) < 44
    assert cli(*arguments, "--resume").code == 1
    assert len(results(tmp_path / "out")) == 44


@pytest.fixture
def pipe() -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as read_end, os.fdopen(writer, "wb", buffering=0) as write_end:
        yield read_end, write_end


def test_a_result_comes_before_the_next_row_is_there(
    tmp_path: Path, addition: str, backend: str, environment: dict[str, str], pipe: tuple[IO[bytes], IO[bytes]]
) -> None:
    read_end, write_end = pipe
    arguments = ("batch", "-", "-o", tmp_path / "out", "--backend", backend)
    process = _start(arguments, environment, stdin=read_end, stderr=subprocess.DEVNULL)
    try:
        for number in (1, 2):  # a writer that waits for each result
            row = {"problem": addition, "source": f"print({number})", "language": "python3"}
            write_end.write(json.dumps(row).encode() + b"\n")
            _wait_for_lines(tmp_path / "out", number, process)
        write_end.close()
        assert process.wait() == 0
    finally:
        process.kill()
        process.wait()


def test_a_second_batch_on_the_same_results_is_refused(
    cli: Cli, tmp_path: Path, backend: str, environment: dict[str, str], pipe: tuple[IO[bytes], IO[bytes]]
) -> None:
    read_end, write_end = pipe
    out = tmp_path / "out"
    process = _start(("batch", "-", "-o", out, "--backend", backend), environment, stdin=read_end)
    try:
        write_end.write(b"broken\n")
        _wait_for_lines(out, 1, process)
        ran = cli("batch", "-", "-o", out, "--resume", "--backend", backend)
        assert ran.code == 2
        assert "another batch" in ran.err
    finally:
        write_end.close()
        process.wait()


def test_full_disk_is_an_error_not_a_lost_result(cli: Cli, tmp_path: Path, addition: str, backend: str) -> None:
    rows = write(tmp_path / "rows", [{"problem": addition, "source": ADD}])
    ran = cli("batch", rows, "-o", "/dev/full", "--backend", backend)
    assert ran.code == 2
    assert ran.err == "judge: /dev/full: No space left on device; free space there, or name another place\n"


def test_a_full_disk_ends_a_long_batch_too(
    tmp_path: Path, addition: str, backend: str, environment: dict[str, str]
) -> None:
    """More rows than are read ahead: the batch once waited for ever for one that it had not begun."""
    rows = write(
        tmp_path / "rows", [{"problem": addition, "source": f"print({n})", "language": "py"} for n in range(30)]
    )
    process = _start(
        ("batch", rows, "-o", "/dev/full", "-j", "1", "--backend", backend), environment, stderr=subprocess.PIPE
    )
    try:
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 2
    assert b"/dev/full: No space left on device" in err


def test_a_cache_that_cannot_be_trusted_ends_the_batch_and_gives_up_no_row(
    cli: Cli, tmp_path: Path, addition: str, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = write(tmp_path / "rows", _rows(addition, 6))
    monkeypatch.setenv("JUDGE_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "cache" / "objects").mkdir(parents=True)
    (tmp_path / "cache" / "objects" / "lock").mkdir()
    ran = cli("batch", rows, "-o", tmp_path / "out", "--backend", backend)
    assert ran.code == 2
    assert ran.err == f"judge: {tmp_path}/cache/objects/lock: is no regular file: remove it\n"
    assert not any(result["verdict"] is None and result["id"] for result in results(tmp_path / "out").values())
    (tmp_path / "cache" / "objects" / "lock").rmdir()
    assert cli("batch", rows, "-o", tmp_path / "out", "--backend", backend, "--resume").code == 1
    assert len(results(tmp_path / "out")) == len(_rows(addition, 6))


def test_progress_bar_on_a_terminal(tmp_path: Path, addition: str, backend: str, environment: dict[str, str]) -> None:
    rows = write(tmp_path / "rows", _rows(addition, 8))
    ours, theirs = pty.openpty()
    process = _start(
        ("batch", rows, "-o", tmp_path / "out", "--backend", backend),
        environment | {"TERM": "xterm", "COLUMNS": "120"},
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 65536):
            shown += chunk
    except OSError:  # EIO: the other side has closed
        pass
    finally:
        os.close(ours)
        process.wait()
    assert process.returncode == 1
    assert b"9/9" in shown
    assert b"\x1b[" in shown
    last = shown.decode().splitlines()[-1]
    assert last.startswith("9/9 rows, ") or "9/9 rows, " in last
    assert "2 AC" in last
    assert "1 error" in last


def test_a_problem_that_cannot_be_judged_here_costs_its_own_row(
    cli: Cli, tmp_path: Path, package: MakePackage, addition: str, backend: str
) -> None:
    """More memory than the budget has, and pipes where the backend has none: both once ended the batch."""
    huge = package({"secret/1": ("1 2\n", "3\n")}, metadata="limits: {memory: 16777216}\n", name="huge")
    rows = [{"id": name, "problem": str(one), "source": ADD} for name, one in (("huge", huge), ("fits", addition))]
    batch, out = write(tmp_path / "rows", [*rows]), tmp_path / "out"
    assert cli("batch", batch, "-o", out, "--backend", backend, "-j", "1").code == 1
    found = results(out)
    assert (found[1]["verdict"], found[2]["verdict"]) == (None, "AC")
    assert "memory budget" in found[1]["error"]
    rows = [{"problem": one, "source": ADD} for one in ("shuffled-letters", addition)]
    assert cli("batch", write(tmp_path / "rows", rows), "-o", tmp_path / "other", "--backend", "unsafe").code == 1
    found = results(tmp_path / "other")
    assert (found[1]["error"], found[2]["verdict"]) == ("pipes: backend unsafe passes the standard streams alone", "AC")
