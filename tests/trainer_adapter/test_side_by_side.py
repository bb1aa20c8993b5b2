"""examples/side_by_side.py, with lm-evaluation-harness itself: a task that lies on disk, and no network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.trainer_adapter.rollouts.judged import rollout

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.long
def test_models_are_compared_on_a_task_and_by_the_judge(model_directory: Path, tmp_path: Path) -> None:
    rows = tmp_path / "base.jsonl"
    verdicts = ("AC", "WA", "AC", "AC")
    rows.write_text("".join(rollout("p", n, verdict).model_dump_json() + "\n" for n, verdict in enumerate(verdicts)))
    (tmp_path / "task.yaml").write_text((ROOT / "examples/lm_eval/sums.yaml").read_text())
    # Whatever the model prefers, it prefers it in each row, and is right in half of them.
    rows_of_task = [{"question": "x", "choices": ["a", "a " * 40], "answer": n % 2} for n in range(6)]
    (tmp_path / "sums.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows_of_task))
    command = [sys.executable, "examples/side_by_side.py", f"base={model_directory}", f"other={model_directory}"]
    out = tmp_path / "out.json"
    command += ["--task", str(tmp_path / "task.yaml"), "--rollouts", f"base={rows}", "--json", str(out)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HOME": str(tmp_path / "hub"), "HF_DATASETS_OFFLINE": "1"}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-3000:]
    found = json.loads(out.read_text())
    assert found["base"]["sums acc"].startswith("0.500 ± ")
    assert found["base"]["sums acc"] == found["other"]["sums acc"]
    assert found["base"]["pass@1"].startswith("75")
    table = ran.stdout.splitlines()[-3:]
    assert table[0] == "model | pass@1 | sums acc"
    assert table[2].startswith("other | - | 0.500")
