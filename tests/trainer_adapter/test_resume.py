"""A run that goes on with something changed: what can be changed is, what cannot is refused, and all of it is said."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from transformers import AutoConfig, AutoModelForCausalLM

from judge import ConfigError
from tests.trainer_adapter.runs import PROBLEMS, Configure
from trainer_adapter.commands.main import main
from trainer_adapter.training import record, train
from trainer_adapter.training.config import Config, load

_CONSTANT = {"lr_scheduler_type": "constant", "save_steps": 2}


@pytest.fixture
def begun(configure: Configure) -> Config:
    """A run of two steps, and its checkpoint."""
    config = configure(grpo={**_CONSTANT, "max_steps": 2})
    train.train(config)
    return config


def checkpoint(config: Config) -> Path:
    return config.checkpoints / "checkpoint-2"


def test_a_run_leaves_its_record(begun: Config) -> None:
    left = begun.run.directory / "record"
    assert load(left / "config.yaml") == begun
    found = record.read(begun.run.directory)
    assert found is not None
    assert found["versions"]["torch"] == torch.__version__
    assert len(found["commits"]["judge"] or 40 * "0") == 40
    assert found == record.collect(begun, train.rows(begun, train.tokenizer(begun)))


def test_data_are_known_by_their_content(configure: Configure, tmp_path: Path) -> None:
    hashes = []
    for name, statement in (("a", "Add."), ("b", "Add."), ("c", "Subtract.")):
        source = tmp_path / f"{name}.jsonl"
        row = {"pid": "P1", "title": "x", "description": statement, "samples": [["1 2", "3"]], "tests": [["1 2", "3"]]}
        source.write_text(json.dumps(row))
        config = configure(data={"source": str(source), "only": ()})
        hashes.append(record.collect(config, train.rows(config, train.tokenizer(config)))["data"]["train"])
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.parametrize(("restart", "steps"), [(False, 4), (True, 2)])
def test_a_changed_rate_is_used(configure: Configure, begun: Config, restart: bool, steps: int) -> None:
    slower = configure(grpo={**_CONSTANT, "max_steps": 4, "learning_rate": 1e-4})
    trainer = train.train(slower, checkpoint(begun), restart_optimizer=restart)
    assert trainer.state.global_step == 4
    logs = [log for log in trainer.state.log_history if "reward" in log]
    assert [log["learning_rate"] for log in logs] == [1e-2, 1e-2, 1e-4, 1e-4]
    changes = [log["adapter/change"] for log in logs]
    assert max(changes[2:]) < 3e-4 < min(changes[:2]) / 3
    ((state),) = trainer.optimizer.state.values()
    assert state["step"] == steps


def test_a_changed_rate_follows_the_schedule(configure: Configure) -> None:
    config = configure(grpo={"lr_scheduler_type": "linear", "max_steps": 4, "save_steps": 2})
    train.train(config)
    slower = configure(grpo={"lr_scheduler_type": "linear", "max_steps": 4, "save_steps": 2, "learning_rate": 1e-4})
    trainer = train.train(slower, checkpoint(config))
    rates = [log["learning_rate"] for log in trainer.state.log_history if "reward" in log]
    assert rates == pytest.approx([1e-2, 7.5e-3, 5e-5, 2.5e-5])


@pytest.mark.parametrize(
    ("adapter", "complaint"),
    [
        ({"u": 8}, "has u 16, and the configuration 8"),
        ({"r": 1}, "has r 2, and the configuration 1"),
        ({"seed": 7}, "has projection_seed 42"),
        ({"target_modules": ("q_proj",)}, "other modules"),
        ({"kind": "lora"}, "has peft_type TINYLORA, and the configuration LORA"),
        ({"kind": "none"}, "holds an adapter, and adapter.kind is none"),
    ],
)
def test_another_adapter_is_refused_in_one_line(
    configure: Configure,
    begun: Config,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    adapter: dict[str, Any],
    complaint: str,
) -> None:
    config = configure(grpo={**_CONSTANT, "max_steps": 4}, adapter=adapter)
    path = tmp_path / "run.yaml"
    path.write_text(yaml.safe_dump(config.model_dump(mode="json", by_alias=True)))
    capsys.readouterr()
    assert main(["grpo", str(path)]) == 2
    (line,) = (line for line in capsys.readouterr().err.splitlines() if line.startswith("judge-train: "))
    assert complaint in line
    with pytest.raises(ConfigError, match="begin anew"):
        train.train(config, checkpoint(begun))


def test_an_adapter_of_another_model_is_refused(configure: Configure, tmp_path: Path) -> None:
    lora: dict[str, Any] = {"grpo": {**_CONSTANT, "max_steps": 2}, "adapter": {"kind": "lora", "r": 2}}
    config = configure(**lora)
    train.train(config)
    other = tmp_path / "other"
    shutil.copytree(config.model.path, other)
    wider = AutoConfig.from_pretrained(other)
    wider.intermediate_size *= 2
    AutoModelForCausalLM.from_config(wider).save_pretrained(other)
    with pytest.raises(ConfigError, match="it is of another model"):
        train.train(configure(**lora, model={"path": str(other)}), checkpoint(config))


def said(config: Config, begun: Config, *, restart: bool = False) -> list[str]:
    found = train.rows(config, train.tokenizer(config))
    return train.changes(config, found, checkpoint(begun), restart_optimizer=restart)


def test_what_differs_is_said_and_what_it_means(configure: Configure, begun: Config) -> None:
    same = {**_CONSTANT, "max_steps": 2}
    assert said(begun, begun) == []
    assert said(configure(grpo={**same, "learning_rate": "1e-2"}), begun) == [], "as --set says it"
    changed = configure(
        grpo={**same, "learning_rate": 1e-3, "weight_decay": 0.1, "save_steps": 1},
        data={"only": PROBLEMS[:3]},
        reward={"functions": ("accepted",)},
        model={"quantization": "nf4"},
    )
    lines = dict(line.split(": ", 1) for line in said(changed, begun))
    assert lines.keys() == {
        "grpo.learning_rate", "grpo.weight_decay", "data.only", "data train", "reward.functions", "model.quantization",
    }  # fmt: skip
    assert "0.01 -> 0.001: used from here on" in lines["grpo.learning_rate"]
    assert "--restart-optimizer" in lines["grpo.weight_decay"]
    assert "rounded in another way" in lines["model.quantization"]
    assert "another order" in lines["data train"]


def test_another_version_is_said(begun: Config) -> None:
    origin = begun.run.directory / "record" / "origin.json"
    origin.write_text(origin.read_text().replace(f'"torch": "{torch.__version__}"', '"torch": "1.0"'))
    (line,) = said(begun, begun)
    assert line.startswith(f"version of torch: 1.0 -> {torch.__version__}: numbers may differ")
    origin.unlink()
    (line,) = said(begun, begun)
    assert "left no record" in line


def test_another_optimizer_needs_a_new_state(configure: Configure, begun: Config) -> None:
    other = configure(grpo={**_CONSTANT, "max_steps": 4, "optim": "sgd"})
    with pytest.raises(ConfigError, match="--restart-optimizer"):
        said(other, begun)
    assert len(said(other, begun, restart=True)) == 2
    trainer = train.train(other, checkpoint(begun), restart_optimizer=True)
    assert trainer.state.global_step == 4


def test_the_command_says_what_has_changed(
    configure: Configure, begun: Config, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = begun.run.directory / "record" / "config.yaml"
    argv = ["grpo", str(path), "--set", "grpo.learning_rate=1.0e-3", "--set", "grpo.max_steps=3"]
    assert main([*argv, "--dry-run", "--set", "reward.functions=[accepted]"]) == 0
    said = capsys.readouterr().out
    assert "changed: grpo.learning_rate: 0.01 -> 0.001: used from here on" in said
    assert "changed: reward.functions" in said
    assert main([*argv, "--restart-optimizer"]) == 0
    assert "3 steps" in capsys.readouterr().out
