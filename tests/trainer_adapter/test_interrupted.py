"""A run that is asked to end while programs are judged: it ends at once, and goes on later from the step it was in."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch  # noqa: F401 - what is run here needs it
import yaml

from tests.containers.conformance.test_lifecycle import ended
from tests.processes import descendants
from tests.trainer_adapter.runs import JUDGING, Configure
from trainer_adapter.training import train
from trainer_adapter.training.checkpoints import complaint_about

ROOT = Path(__file__).resolve().parents[2]
#: Judging all that waits takes several times as long on any machine: 400 programs of a second, one after another.
_AT_MOST_S = 120


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), pytest.param(signal.SIGTERM, 143, marks=pytest.mark.long)]
)
def test_a_run_ends_while_programs_wait_to_be_judged(
    configure: Configure, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    config = configure(
        grpo={"save_steps": 100},
        reward={"functions": ("tests.trainer_adapter.runs:endless",)},
    )
    path = tmp_path / "run.yaml"
    path.write_text(yaml.safe_dump(config.model_dump(mode="json", by_alias=True)))
    argv = [sys.executable, "-m", "trainer_adapter", "grpo", str(path)]
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        try:
            assert run.stdout is not None
            assert any(JUDGING in line for line in run.stdout), run.communicate()[1][-4000:]
            while not (launched := descendants(run.pid)):
                time.sleep(0.01)
            run.send_signal(number)
            _, said = run.communicate(timeout=_AT_MOST_S)
            assert all(map(ended, launched))
        finally:
            run.kill()
    assert run.returncode == code, said[-4000:]
    assert "judge-train: interrupted" in said
    assert "Traceback" not in said
    (checkpoint,) = config.checkpoints.glob("checkpoint-*")
    assert complaint_about(checkpoint) is None
    assert train.resume_point(config, "auto") == checkpoint
    assert json.loads((checkpoint / "trainer_state.json").read_bytes())["global_step"] == 1
    assert (config.run.directory / "report.html").exists()


def test_what_was_kept_is_gone_on_from(configure: Configure) -> None:
    """Broken off in the third step: what is not saved every second step is saved then."""
    config = configure(
        grpo={"save_steps": 100, "max_steps": 4},
        reward={"functions": ("tests.trainer_adapter.runs:interrupted",)},
    )
    with pytest.raises(KeyboardInterrupt):
        train.train(config)
    start = train.resume_point(config, "auto")
    assert start == config.checkpoints / "checkpoint-2"
    well = config.model_copy(
        update={"reward": config.reward.model_copy(update={"functions": ("tests.trainer_adapter.runs:length",)})}
    )
    trainer = train.train(well, start)
    assert trainer.state.global_step == 4
    assert all(log["grad_norm"] > 0 for log in trainer.state.log_history if "grad_norm" in log)


def test_nothing_is_kept_of_half_an_optimizer_step(configure: Configure, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some numbers would have changed, and others not."""
    config = configure(grpo={"save_steps": 100})
    trainer = train.build(config)
    monkeypatch.setattr(train, "build", lambda _: trainer)
    step, steps = trainer.create_optimizer().step, []

    def interrupted(*arguments: object, **how: object) -> object:
        steps.append(step(*arguments, **how))
        if len(steps) == 2:
            raise KeyboardInterrupt
        return steps[-1]

    trainer.optimizer.step = interrupted
    with pytest.raises(KeyboardInterrupt):
        train.train(config)
    assert len(steps) == 2
    assert not list(config.checkpoints.glob("checkpoint-*"))
