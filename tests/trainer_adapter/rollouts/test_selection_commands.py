"""`judge-train filter`, `rft` and `pairs` as commands: what they write, where, and what is left when they fail."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.trainer_adapter.rollouts.judged import PROGRAM, rollout
from trainer_adapter.commands.main import main
from trainer_adapter.rollouts.row import Rollout

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in a directory with rows.jsonl; gives its exit code and what it wrote."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, rows: Iterable[Rollout] = ()) -> tuple[int, str, str]:
        if lines := "".join(one.line() for one in rows):
            (tmp_path / "rows.jsonl").write_text(lines)
        capfd.readouterr()
        return main(arguments), *capfd.readouterr()

    return run


MIXED = [
    *(rollout("easy", n, "AC") for n in range(4)),
    *(rollout("hard", n, "WA") for n in range(4)),
    *(rollout("fine", n, "AC" if n else "WA") for n in range(4)),
    rollout("fine", 4, "IE"),
    *(rollout("lost", n, None, error="no sandbox") for n in range(2)),
]


def test_filter_says_why(run: Run) -> None:
    code, out, err = run("filter", "rows.jsonl", "-o", "-", "--why", rows=MIXED)
    assert (code, out) == (0, "fine\n")
    assert "easy: always passed (4 of 4)" in err
    assert "hard: never passed (0 of 4)" in err
    assert "lost: none of its rollouts was judged (0 of 0)" in err
    assert "4 problems read, 1 written" in err
    assert "not judged at all: lost" in err


def test_filter_by_a_band(run: Run, tmp_path: Path) -> None:
    assert run("filter", "rows.jsonl", "-o", "-", "--band", "0.75", "1", rows=MIXED)[:2] == (1, "")
    assert run("filter", "rows.jsonl", "-o", "-", "--band", "0.75", "1", "--inclusive")[:2] == (0, "easy\nfine\n")
    assert run("filter", "rows.jsonl", "-o", "-", "--least", "5")[:2] == (1, "")
    code, out, _ = run("filter", "rows.jsonl", "-o", "out.jsonl", "--json")
    assert code == 0
    assert json.loads(out) | {"dropped": 0} == {
        "source": "rows.jsonl",
        "what": "problems",
        "read": 4,
        "written": 1,
        "dropped": 0,
        "unjudged": ["lost"],
        "notes": ["not judged at all: lost"],
    }
    row = {"problem": "fine", "pass_rate": 0.75, "accepted": 3, "judged": 4, "unjudged": 1}
    assert json.loads((tmp_path / "out.jsonl").read_text()) == row
    assert "give the lower one first" in run("filter", "rows.jsonl", "-o", "-", "--band", "1", "0")[2]


def test_filter_copies_rows_of_data(run: Run, tmp_path: Path) -> None:
    lines = [
        b'{"pid":"hard"}\n',
        b'{ "pid" : "fine", "x": "\\u00e9\\ud800" }  \n',
        b"\n",
        b'{"pid": "fine", "n": 1e400}',
    ]
    (tmp_path / "data.jsonl").write_bytes(b"".join(lines))
    command = ("filter", "rows.jsonl", "-o", "out.jsonl", "--data", "data.jsonl")
    assert run(*command, rows=MIXED)[0] == 0
    assert (tmp_path / "out.jsonl").read_bytes() == lines[1] + lines[3] + b"\n"
    code, _, err = run(*command, "--key", "name")
    assert code == 1
    assert "data.jsonl has no row of 1 kept problems (fine)" in err
    (tmp_path / "data.jsonl").write_bytes(b'{"pid": "fine"}\n{"pid"')
    code, _, err = run(*command)
    assert code == 2
    assert "data.jsonl:2: no JSON" in err
    assert (tmp_path / "out.jsonl").read_bytes() == b"", "as the last good command left it"


def test_results_of_a_batch(run: Run) -> None:
    """They hold no completions, and ids only where the input did: enough for pass rates, and for nothing else."""
    rows = [Rollout(problem="P", verdict=verdict) for verdict in ("AC", "WA")] + [Rollout(error="no JSON")]
    code, out, err = run("filter", "rows.jsonl", "-o", "-", rows=rows)
    assert (code, out) == (0, "P\n")
    assert "1 problems read, 1 written" in err
    assert "1 rows name no problem" in err
    code, out, err = run("pairs", "rows.jsonl", "-o", "-")
    assert (code, out) == (1, "")
    assert "has no id" in err


def test_rft_writes_what_sft_takes(run: Run, tmp_path: Path) -> None:
    prompt = [{"role": "user", "content": "做题"}]
    rows = [rollout("P", n, "AC", prompt=prompt) for n in range(6)]
    code, _, err = run("rft", "rows.jsonl", "-o", "sft.jsonl", "--most", "2", rows=rows)
    assert code == 0
    assert "6 rollouts read, 2 written" in err
    assert "its problem has 2 already" in err
    found = [json.loads(line) for line in (tmp_path / "sft.jsonl").read_text().splitlines()]
    answer = [{"role": "assistant", "content": PROGRAM.format(0)}]
    assert found[0] == {"prompt": prompt, "completion": answer, "problem": "P", "id": "P#0"}
    (tmp_path / "held").write_text('{"problem_id": "P"}\n')
    assert run("rft", "rows.jsonl", "-o", "-", "--held-out", "held")[:2] == (1, "")
    assert run("rft", "rows.jsonl", "-o", "-", "--held-out-share", "1")[:2] == (1, "")


def test_a_data_set_has_prompts_of_one_kind(run: Run, tmp_path: Path) -> None:
    rows = [rollout("P1", 0, "AC"), rollout("P2", 0, "AC", prompt=[{"role": "user", "content": "x"}])]
    code, _, err = run("rft", "rows.jsonl", "-o", "sft.jsonl", rows=rows)
    assert code == 2
    assert "P1#0 and P2#0 are of two kinds" in err
    assert [path.name for path in tmp_path.iterdir()] == ["rows.jsonl"]


@pytest.mark.parametrize("command", ["filter", "rft", "pairs"])
def test_bad_lines_are_named(run: Run, tmp_path: Path, command: str) -> None:
    good = rollout("P", 0, "AC").line()
    for bad, why in (
        ("{", "rows.jsonl:3: no judged rollout"),
        (good.strip(), "rows.jsonl:3: id 'P#0' is on line 1"),
    ):
        (tmp_path / "rows.jsonl").write_text(good + "\n" + bad)
        code, out, err = run(command, "rows.jsonl", "-o", "out")
        assert (code, out) == (2, "")
        assert why in err
        assert not (tmp_path / "out").exists()
    assert run(command, "rows.jsonl", "-o", "-", "--json")[0] == 2


def command(place: Path, *arguments: str, **how: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "trainer_adapter", *arguments], cwd=place, capture_output=True, check=False, **how
    )


def test_through_pipes(tmp_path: Path) -> None:
    lines = "".join(rollout("P", n, "AC" if n else "WA").line() for n in range(3)).encode()
    done = command(tmp_path, "pairs", "-", "-o", "-", input=lines)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rejected_id"] == "P#0"
    assert b"stdin: 3 rollouts read, 1 written" in done.stderr
    (tmp_path / "to-nothing").symlink_to("/dev/null")
    assert command(tmp_path, "rft", "-", "-o", "to-nothing", input=lines).returncode == 0
    assert not Path("/dev/null").is_file(), "a device stays what it is"
    (tmp_path / "rows.jsonl").write_bytes(lines)
    with subprocess.Popen(["cat", "rows.jsonl"], cwd=tmp_path, stdout=subprocess.PIPE) as pipe:
        assert pipe.stdout is not None
        through = (f"/dev/fd/{pipe.stdout.fileno()}", "-o", "-")
        assert command(tmp_path, "pairs", *through, pass_fds=(pipe.stdout.fileno(),)).stdout == done.stdout


def test_a_link_stays(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(rollout("P", 0, "AC").line())
    (tmp_path / "link").symlink_to("real")
    assert command(tmp_path, "rft", "rows.jsonl", "-o", "link").returncode == 0
    assert (tmp_path / "link").is_symlink()
    assert json.loads((tmp_path / "real").read_text())["id"] == "P#0"


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))  # as on a disk that is full from there on
from trainer_adapter.commands.main import main
sys.exit(main(sys.argv[1:]))
"""
KILLED = """
import os, signal, sys
from pathlib import Path
from trainer_adapter.rollouts.selection.files import replacing
with replacing(Path(sys.argv[1])) as put:
    for _ in range(1000):
        put(b"half a result\\n" * 1000)
    os.kill(os.getpid(), getattr(signal, sys.argv[2]))
"""


def test_a_full_disk_leaves_no_half_file(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(rollout("P", n, "AC", completion=f"{n} " * 20_000).line() for n in range(9)))
    (tmp_path / "sft.jsonl").write_text("from before")
    arguments = [sys.executable, "-c", LIMITED, "rft", "rows.jsonl", "-o", "sft.jsonl", "--most", "9"]
    done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(b"judge-train: sft.jsonl: File too large")
    assert (tmp_path / "sft.jsonl").read_text() == "from before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.jsonl", "sft.jsonl"]


@pytest.mark.parametrize("how", ["SIGKILL", "SIGINT"])
def test_a_kill_leaves_no_half_file(tmp_path: Path, how: str) -> None:
    target = tmp_path / "out.jsonl"
    target.write_text("from before")
    done = subprocess.run([sys.executable, "-c", KILLED, target, how], capture_output=True, check=False)
    assert done.returncode == -getattr(signal, how)
    assert target.read_text() == "from before"
    assert len(list(tmp_path.iterdir())) == (2 if how == "SIGKILL" else 1)


@pytest.mark.parametrize("prompt", ["?", [{"role": "user", "content": "?"}]])
def test_rows_for_other_trainers(prompt: Any, run: Run) -> None:
    """Their own readers of data sets understand them: tests/trainer_adapter/rollouts/test_layouts.py."""
    rows = [rollout("P", 0, "AC", prompt=prompt), rollout("P", 1, "WA", prompt=prompt)]
    user, right, wrong = {"role": "user", "content": "?"}, PROGRAM.format(0), PROGRAM.format(1)
    said = {"role": "assistant", "content": right}
    pair = {"problem": "P", "chosen_id": "P#0", "rejected_id": "P#1"}
    for layout in ("swift", "llama-factory"):
        code, out, _ = run("rft", "rows.jsonl", "-o", "-", "--format", layout, rows=rows)
        assert (code, json.loads(out)) == (0, {"messages": [user, said], "problem": "P", "id": "P#0"})
    _, out, _ = run("pairs", "rows.jsonl", "-o", "-", "--format", "swift")
    assert json.loads(out) == {"messages": [user, said], "rejected_response": wrong} | pair
    _, out, _ = run("pairs", "rows.jsonl", "-o", "-", "--format", "llama-factory")
    refused = {"role": "assistant", "content": wrong}
    assert json.loads(out) == {"messages": [user], "chosen": said, "rejected": refused} | pair
