"""The examples do what their documentation says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import takewhile
from pathlib import Path

import pytest

from containers import Unavailable, open_sandbox

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module", autouse=True)
def sandbox() -> None:
    """The examples use the default backend, as a user would."""
    try:
        open_sandbox().close()
    except Unavailable as error:
        if os.environ.get("JUDGE_REQUIRE"):
            raise
        pytest.skip(str(error))


def python(*argv: str, cache: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "JUDGE_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, *argv], cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def test_python_api(shared_cache: Path) -> None:
    ran = python("examples/python_api.py", cache=shared_cache)
    assert ran.returncode == 0, ran.stderr
    one, *many = ran.stdout.splitlines()
    assert one.startswith("AC score=1.0 tests=")
    said = dict(line.split(": ") for line in many)
    assert said.keys() == {"right", "narrow", "broken"}
    assert said["right"] == "AC score=1.00"
    assert said["narrow"].startswith("WA score=0.")
    assert said["broken"] == "CE score=0.00"


@pytest.mark.parametrize("page", ["README.md", "README.zh-CN.md"])
def test_what_the_readme_does_in_python(page: str, shared_cache: Path) -> None:
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    first = lines.index("    from judge import Judge, Submission")
    program = [line[4:] for line in takewhile(lambda line: not line or line.startswith("    "), lines[first:])]
    ran = python("-c", "\n".join(program), cache=shared_cache)
    assert ran.stdout.splitlines() == ["AC 1.0", "right AC 1.0", "wrong WA 0.0"], ran.stderr


def test_rollouts(shared_cache: Path, tmp_path: Path) -> None:
    output = tmp_path / "results.jsonl"
    ran = python("-m", "judge", "batch", "examples/rollouts.jsonl", "-o", str(output), cache=shared_cache)
    results = {row["id"]: row for row in map(json.loads, output.read_text().splitlines())}
    assert {name: row["verdict"] for name, row in results.items()} == {
        "source-cpp": "AC",
        "completion": "AC",
        "wrong-answer": "WA",
        "freopen": "AC",
        "compile-error": "CE",
        "runtime-error": "RE",
        "time-limit": "TLE",
        "unknown-problem": None,
    }
    assert results["freopen"]["freopen_neutralised"] == 2
    assert "P9999999" in results["unknown-problem"]["error"]
    assert ran.returncode == 1, "one row could not be judged"
