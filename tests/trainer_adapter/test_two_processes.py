"""TinyLoRA where two processes train together, recomputing activations: one v, in every layer of both."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import torch  # noqa: F401 - what is run here needs it

ROOT = Path(__file__).resolve().parents[2]


def test_one_v_in_two_processes(model_directory: Path, tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("two_processes.py")), str(model_directory), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-4000:]
    ends = {path.relative_to(tmp_path): json.loads(path.read_text()) for path in tmp_path.glob("*/[01].json")}
    first, *others = ends.values()
    assert len(others) == 3
    assert (first["trainable"], first["vectors"], first["modules"], first["dtypes"]) == (16, 1, 14, ["torch.float32"])
    assert any(value != 0 for value in first["v"])
    assert all(other == first for other in others), "also from a checkpoint in the second epoch: the order is as it was"
