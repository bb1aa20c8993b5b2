"""`judge problems calibrate`: what is measured, and what is made of it."""

from __future__ import annotations

import json
from pathlib import Path

import problems
from tests.judge.cli.conftest import Cli
from tests.packages import write_package

CASES = {"sample/1": ("1\n", "1\n"), "secret/1": ("2\n", "2\n"), "secret/2": ("3\n", "3\n")}
ECHO = "print(input())\n"
#: Burns half a second of CPU time on one test.
BUSY = "import time\nn = int(input())\nwhile n == 3 and time.process_time() < 0.5: pass\nprint(n)\n"
NEVER = "n = int(input())\nwhile n == 2: pass\nprint(n)\n"
FILES = {
    "submissions/accepted/echo.py": ECHO,
    "submissions/accepted/busy.py": BUSY,
    "submissions/wrong_answer/one.py": "print(1)\n",
    "submissions/time_limit_exceeded/never.py": NEVER,
    "submissions/rejected/crash.py": "input() / 0\n",
}
FINE = "limits: {time_resolution: 0.1, memory: 64}  # kept\n"


def package(root: Path, metadata: str = FINE, **more: str) -> Path:
    return write_package(root / "echo", CASES, metadata=metadata, files=FILES | more)


def test_the_slowest_submission_gives_the_limit(cli: Cli, tmp_path: Path) -> None:
    place = package(tmp_path)
    ran = cli("problems", "calibrate", place, "--repeat", 2, "--write", "--json")
    assert ran.code == 0, ran.err
    (found,) = json.loads(ran.out)
    slowest = found["lower"][0]
    assert (slowest["submission"], slowest["test"]) == ("accepted/busy.py", "secret/2")
    assert len(slowest["samples_ns"]) == 2 and min(slowest["samples_ns"]) == slowest["cpu_ns"] >= 450_000_000
    # Twice the time, in steps of 0.1 s: never less, and never a whole step more.
    assert 0 <= found["proposed_ns"] - 2 * slowest["cpu_ns"] < 100_000_000
    assert found["proposed_ns"] % 100_000_000 == 0
    (over,) = found["upper"]
    assert (over["submission"], over["stopped"], over["test"]) == ("time_limit_exceeded/never.py", True, "secret/1")
    assert over["cpu_ns"] >= 1.5 * found["proposed_ns"]
    assert found["aside"] == {"rejected/crash.py": "may time out or not"}
    assert problems.load(place).limits.cpu_ns == found["proposed_ns"]
    assert "memory: 64}  # kept" in (place / "problem.yaml").read_text()


def test_what_must_time_out_but_does_not_is_a_conflict(cli: Cli, tmp_path: Path) -> None:
    place = package(tmp_path, **{"submissions/time_limit_exceeded/never.py": ECHO})
    before = (place / "problem.yaml").read_bytes()
    ran = cli("problems", "calibrate", place, "--repeat", 1, "--write")
    assert ran.code == 1
    assert "no limit fits: time_limit_exceeded/never.py must time out, but takes only" in ran.out
    assert (place / "problem.yaml").read_bytes() == before


def test_submissions_choose_their_side(cli: Cli, tmp_path: Path) -> None:
    rules = "accepted/busy.py: {use_for_time_limit: false}\nrejected/crash.py: {use_for_time_limit: lower}\n"
    place = package(tmp_path, **{"submissions/submissions.yaml": rules})
    ran = cli("problems", "calibrate", place, "--repeat", 1, "--json")
    (found,) = json.loads(ran.out)
    assert found["aside"] == {"accepted/busy.py": "use_for_time_limit: false"}
    assert "rejected/crash.py" in {one["submission"] for one in found["lower"]}
    assert found["proposed_ns"] < 500_000_000


def test_nothing_to_measure_is_an_error_and_stops_no_other(cli: Cli, tmp_path: Path) -> None:
    bare = write_package(tmp_path / "bare", CASES)
    ran = cli("problems", "calibrate", bare, package(tmp_path), "--repeat", 1, "--json")
    assert ran.code == 1
    first, second = json.loads(ran.out)
    assert "no submission must be in time; add one" in first["error"]
    assert second["error"] is None


def test_what_is_imported_is_calibrated_when_asked(cli: Cli, tmp_path: Path) -> None:
    place = package(tmp_path)
    ran = cli("problems", "import", place, "-o", tmp_path / "to", "--calibrate", "--json")
    assert ran.code == 0, ran.err
    (one,) = json.loads(ran.out)
    measured = one["calibration"]
    assert (measured["lower"][0]["submission"], measured["conflict"]) == ("accepted/busy.py", None)
    assert measured["proposed_ns"] >= 2 * measured["lower"][0]["cpu_ns"]
    assert measured["stated_ns"] is None
    assert "cpu_ns" in problems.load(one["package"]).unstated, "proposed, not written"


def test_what_is_imported_without_solutions_has_no_limit_to_propose(cli: Cli, tmp_path: Path) -> None:
    for name, text in (("1.in", "1\n"), ("1.out", "1\n")):
        (tmp_path / "bare").mkdir(exist_ok=True)
        (tmp_path / "bare" / name).write_text(text)
    asked = ("problems", "import", tmp_path / "bare", "--lenient")
    assert cli(*asked, "-o", tmp_path / "one").code == 0
    ran = cli(*asked, "-o", tmp_path / "two", "--calibrate")
    assert ran.code == 1
    assert "not calibrated\n  error: " in ran.out and "no submission must be in time" in ran.out
