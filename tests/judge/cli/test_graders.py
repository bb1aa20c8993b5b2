"""`judge bench graders`: our judge and a plain one, on programs whose worth is known. Released ones need PyPI."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from collections import Counter
from pathlib import Path

import pytest

from judge.common.errors import ConfigError
from judge.selftest.graders import released, suite
from judge.selftest.graders.suite import Class, Outcome
from judge.selftest.graders.table import Row, draw_markdown, draw_page
from tests.judge.cli.conftest import Cli

FEW = {
    Class.RIGHT: ("prints_lines", "writes_by_os_write", "leaves_freopen_in", "plain_function"),
    Class.WRONG: ("upper_case", "ends_with_exit_code_1_after_the_answer", "function_off_by_one", "cpp_off_by_one"),
    Class.CHEATS: ("reads_frames", "kills_its_parent", "returns_a_list_that_equals_everything", "cpp_before_main"),
}


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """A suite of a few programs."""
    whole = suite.read_suite(suite.find_suite())
    root = tmp_path / "suite"
    root.mkdir()
    shutil.copy(suite.find_suite() / "tests.json", root)
    for class_, names in FEW.items():
        chosen = [one for one in whole.cases if one.name in names]
        assert len(chosen) == len(names)
        blocks = (f"=== {one.name} {one.kind} {one.language}\n{one.source}" for one in chosen)
        (root / f"{class_}.txt").write_text("".join(blocks))
    return root


def test_the_suite_is_whole() -> None:
    found = suite.read_suite(suite.find_suite())
    counts = Counter(one.class_ for one in found.cases)
    assert counts[Class.RIGHT] >= 40 and counts[Class.WRONG] >= 60 and counts[Class.CHEATS] >= 60
    assert {one.language for one in found.cases} == {"python3", "cpp17"}
    assert {one.kind for one in found.cases} == {"stdin", "function"}


def test_ours_pays_what_is_right_and_nothing_else(cli: Cli, few: Path, tmp_path: Path) -> None:
    ran = cli("bench", "graders", "judge", "--suite", few, "-j", "2", "--json", "-o", tmp_path / "table.md")
    assert ran.code == 0, ran.out + ran.err
    (row,) = json.loads(ran.out)
    assert row["right"] == {"paid": 4, "rejected": 0, "lost": 0}
    assert row["wrong"] == row["cheats"] == {"paid": 0, "rejected": 4, "lost": 0}
    assert row["killed"] == {"paid": 5, "rejected": 0, "lost": 0} and row["otherwise"] == {}
    assert "| 0 of 4 | 0 of 4 | 0 of 4 | 0 of 17 | 0 of 5 |" in (tmp_path / "table.md").read_text()


def test_a_plain_one_in_its_jail(cli: Cli, few: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It pays a program that ends with an error, as no exit code is looked at, and takes a killed worker for wrong."""
    monkeypatch.setenv("JUDGE_CACHE_DIR", str(tmp_path / "cache"))
    ran = cli("bench", "graders", "plain", "--suite", few, "--json")
    assert ran.code == 0, ran.out + ran.err
    (row,) = json.loads(ran.out)
    if subprocess.run(("unshare", "--user", "true"), stderr=subprocess.DEVNULL, check=False).returncode:
        # As in a chroot, where the kernel grants nobody a user namespace.
        assert "nsjail" not in os.environ.get("JUDGE_REQUIRE", "")
        assert "exit code 255: nsjail: clone(" in row["failure"] and "Operation not permitted" in row["failure"]
        return
    assert row["failure"] is None
    assert row["otherwise"].pop("ends_with_exit_code_1_after_the_answer") == "paid"
    assert row["right"] == {"paid": 2, "rejected": 0, "lost": 0} and row["killed"]["rejected"] == 5
    # It kills the grader itself: no result, which a trainer may take for a 0 or not.
    assert row["otherwise"].pop("kills_its_parent") == "lost"
    assert set(row["otherwise"]) == {f"killed_stdin_{number}" for number in range(5)}


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("kill -9 $$", "SIGKILL: nothing on standard error"),
        ("exit 3", "exit code 3: nothing on standard error"),
        ("echo first >&2; echo last >&2; exit 1", "exit code 1: last"),
        ("echo '[W][2026-01-01][1] logParams():313 as root' >&2; echo '[F][2026-01-01][1] f():1 no' >&2", "nsjail: no"),
        ("echo '[W][2026-01-01][1] logParams():313 as root' >&2", "exit code 0: nothing on standard error"),
    ],
)
def test_one_that_answers_nothing_says_how_it_ended(
    script: str, why: str, few: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JUDGE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(released, "_argv", lambda *_: ("sh", "-c", f"cat > /dev/null; {script}", "sh"))
    with pytest.raises(ConfigError, match=f"no program is graded: .*{why}$"):
        released.try_grader(released.RELEASED[-1], suite.read_suite(few), print, threading.Event())


def test_what_cannot_be_read_or_is_not_known_is_said(cli: Cli, few: Path, tmp_path: Path) -> None:
    nothing = cli("bench", "graders", "judge", "--suite", tmp_path / "none")
    assert nothing.code == 2 and "benchmarks/graders" in nothing.err
    unknown = cli("bench", "graders", "mine", "--suite", few)
    assert unknown.code == 2 and "lighteval" in unknown.err
    (few / "wrong.txt").write_text((few / "right.txt").read_text())
    twice = cli("bench", "graders", "judge", "--suite", few)
    assert twice.code == 2 and "the name of two programs" in twice.err


def test_a_grader_that_cannot_be_had_keeps_its_row(few: Path) -> None:
    cases = suite.read_suite(few)
    rows = [Row(name="<b>", failure="pip says no"), Row(name="good", outcomes={"upper_case": Outcome.PAID})]
    assert "| <b> | pip says no |" in draw_markdown(rows, cases) and "1 of 1" in draw_markdown(rows, cases)
    assert "&lt;b&gt;" in draw_page(rows, cases) and "<li>upper_case: paid</li>" in draw_page(rows, cases)


def test_what_the_driver_did_not_write_ends_its_answers() -> None:
    """A program in the jail may write to each descriptor that it finds."""
    good = '{"name": "a", "outcome": "paid"}\n'
    for junk in ("passed\n", '{"name": "a"}\n', '{"name": "a", "outcome": "won"}\n', "[]\n"):
        assert list(released._read_outcomes(good + junk + good)) == [("a", Outcome.PAID)]
