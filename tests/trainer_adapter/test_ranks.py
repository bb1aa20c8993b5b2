"""Two ranks of `judge-train sft` and `grpo`, as `torchrun` starts them: a rank that dies ends the other, and what is
resumed ends with the weights of a run that nothing broke."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
import torch
import yaml
from safetensors.torch import load_file

from tests.processes import descendants
from tests.trainer_adapter.runs import configuration, on_examples
from trainer_adapter.training.config import AnyConfig

ROOT = Path(__file__).resolve().parents[2]
STEPS = {"max_steps": 6, "save_steps": 3, "per_device_train_batch_size": 2, "num_train_epochs": 1}
#: A rank that waits for a dead one ends long before; only a hang takes so long.
PATIENCE_S = 240

Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    def start(kind: str, config: AnyConfig, *more: str) -> subprocess.Popen[bytes]:
        path = tmp_path / f"{config.run.directory.name}.yaml"
        path.write_text(yaml.safe_dump(config.model_dump(mode="json", by_alias=True)))
        ranks = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "trainer_adapter", kind)
        return subprocess.Popen(
            (sys.executable, *ranks, str(path), *more),
            cwd=ROOT,
            env={**os.environ, "OMP_NUM_THREADS": "1", "ACCELERATE_USE_CPU": "true"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    return start


def ended(run: subprocess.Popen[bytes]) -> tuple[int, str]:
    _, said = run.communicate(timeout=PATIENCE_S)
    return run.returncode, said.decode(errors="replace")[-3000:]


def weights(config: AnyConfig) -> dict[str, torch.Tensor]:
    return dict(load_file(config.run.directory / "adapter" / "adapter_model.safetensors"))


@pytest.fixture
def make(model_directory: Path, tmp_path: Path) -> Callable[[str, str], AnyConfig]:
    """A run of a kind with a name."""
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(f'{{"prompt": "Add {n}.", "completion": "print(a + b + {n})"}}\n' for n in range(24)))

    def make(kind: str, name: str) -> AnyConfig:
        if kind == "sft":
            return on_examples("sft", model_directory, rows, tmp_path / name, sft=STEPS)
        return configuration(model_directory, tmp_path / name, {**STEPS, "num_generations": 2}, {})

    return make


@pytest.mark.long
@pytest.mark.parametrize("kind", ["sft", "grpo"])
def test_a_rank_that_dies_ends_the_other_and_the_run_resumes_to_the_same_weights(
    kind: str, make: Callable[[str, str], AnyConfig], start: Start
) -> None:
    whole, broken = make(kind, "whole"), make(kind, "broken")
    assert ended(start(kind, whole))[0] == 0
    run = start(kind, broken)
    deadline = time.monotonic() + PATIENCE_S
    while not (broken.checkpoints / "checkpoint-3" / "trainer_state.json").exists():
        assert run.poll() is None and time.monotonic() < deadline, ended(run)
        time.sleep(0.05)
    ranks = [one for one in descendants(run.pid) if "trainer_adapter" in " ".join(psutil.Process(one).cmdline())]
    os.kill(max(ranks), signal.SIGKILL)
    code, said = ended(run)
    assert code != 0, said
    assert not (broken.run.directory / "adapter").exists()
    assert not [one for one in ranks if psutil.pid_exists(one)]
    code, said = ended(start(kind, broken, "--resume", "auto"))
    assert code == 0, said
    one, other = weights(whole), weights(broken)
    assert one.keys() == other.keys()
    assert all(torch.allclose(one[name], other[name], atol=1e-6) for name in one)
