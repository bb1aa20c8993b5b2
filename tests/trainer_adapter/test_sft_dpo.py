"""Training on examples, by the real TRL, PEFT and bitsandbytes on a tiny model: SFT, and DPO that begins with it."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from safetensors.torch import load_file
from transformers import TrainingArguments

from judge import ConfigError
from tests.trainer_adapter.runs import on_examples
from trainer_adapter.commands.main import main
from trainer_adapter.training import preflight, train
from trainer_adapter.training.arguments import arguments
from trainer_adapter.training.config import AnyConfig
from trainer_adapter.training.time_budget import OutOfTime

ROOT = Path(__file__).resolve().parents[2]
TINY = {"kind": "tinylora", "r": 2, "u": 16}


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    directory, rows = tmp_path_factory.mktemp("sources"), {"sft": "", "dpo": ""}
    for number in range(24):
        right, wrong = f"print(a + b + {number})", f"print(a - b - {number})"
        rows["sft"] += json.dumps({"prompt": f"Add {number}.", "completion": right}) + "\n"
        rows["dpo"] += json.dumps({"prompt": f"Add {number}.", "chosen": right, "rejected": wrong}) + "\n"
    for kind, text in rows.items():
        (directory / f"{kind}.jsonl").write_text(text)
    return {kind: directory / f"{kind}.jsonl" for kind in rows}


Make = Callable[..., AnyConfig]


@pytest.fixture
def make(model_directory: Path, sources: dict[str, Path], tmp_path: Path) -> Make:
    def make(kind: str, name: str = "", /, **sections: Any) -> AnyConfig:
        return on_examples(kind, model_directory, sources[kind], tmp_path / (name or kind), **sections)

    return make


def weights(directory: Path) -> dict[str, torch.Tensor]:
    return dict(load_file(directory / "adapter" / "adapter_model.safetensors"))


def written(config: AnyConfig, path: Path) -> Path:
    path.write_text(yaml.safe_dump(config.model_dump(mode="json", by_alias=True)))
    return path


@pytest.mark.parametrize("kind", ["sft", "dpo"])
def test_a_run_leaves_all_that_is_needed(make: Make, kind: str) -> None:
    config = make(kind, data={"held_out": 0.3}, **{kind: {"eval_strategy": "steps", "eval_steps": 2}})
    trainer = train.train(config)
    assert trainer.state.global_step == 4
    directory = config.run.directory
    left = {str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()}
    assert left >= {
        "adapter/adapter_model.safetensors", "adapter/tokenizer.json", "checkpoints/checkpoint-2/optimizer.pt",
        "checkpoints/checkpoint-4/trainer_state.json", "record/config.yaml", "record/origin.json", "report.html",
    }  # fmt: skip
    evaluated = json.loads((directory / "record" / "evaluations.json").read_bytes())
    assert [each["step"] for each in evaluated] == [2, 4]
    assert all(math.isfinite(each["eval_loss"]) for each in evaluated)
    if kind == "dpo":
        assert all({"eval_rewards/margins", "eval_rewards/accuracies"} <= each.keys() for each in evaluated)
        assert not (directory / "adapter" / "ref").exists()
    trained, held_out = ({str(row["prompt"]) for row in part} for part in (trainer.train_dataset, trainer.eval_dataset))
    assert held_out
    assert not trained & held_out


@pytest.mark.parametrize("quantization", ["none", "nf4"])
@pytest.mark.parametrize("adapter", [{"kind": "lora"}, TINY], ids=["lora", "tinylora"])
def test_dpo_begins_as_its_own_reference(make: Make, adapter: dict[str, Any], quantization: str) -> None:
    """The loss of the first step is ln 2: with a new adapter, and with one of SFT; and the reference stays."""
    model: dict[str, Any] = {"quantization": quantization}
    rate = {"learning_rate": 5e-2, "lr_scheduler_type": "constant"}
    first = make("sft", model=model, adapter=adapter, sft={**rate, "max_steps": 2})
    train.train(first)
    new, on_sft = (
        make("dpo", name, model=model, adapter={**adapter, **start}, dpo={**rate, "max_steps": 3})
        for name, start in (("new", {}), ("on sft", {"start": str(first.run.directory)}))
    )
    losses = []
    for config in (new, on_sft):
        trainer = train.build(config)
        before = {name: each.clone() for name, each in trainer.model.named_parameters() if not each.requires_grad}
        trainer.train()
        losses += [log["loss"] for log in trainer.state.log_history if "rewards/margins" in log][:1]
        frozen = dict(trainer.model.named_parameters())
        assert all(torch.equal(frozen[name], value) for name, value in before.items())
        assert any(".ref" in name for name in frozen) is (config is on_sft) or adapter is TINY
        assert {each.dtype for each in frozen.values() if each.requires_grad} == {torch.float32}
        log = [log["rewards/margins"] for log in trainer.state.log_history if "rewards/margins" in log]
        assert abs(log[0]) < 1e-3 < abs(log[-1]), "the policy moves away from its reference"
    assert losses == pytest.approx([math.log(2)] * 2, abs=1e-3)


def test_dpo_goes_on_from_the_adapter_of_sft(make: Make) -> None:
    first = make("sft", sft={"learning_rate": 5e-2})
    train.train(first)
    second = make("dpo", adapter={"start": str(first.run.directory)}, dpo={"learning_rate": 0.0, "max_steps": 1})
    train.train(second)
    before, after = weights(first.run.directory), weights(second.run.directory)
    assert before.keys() == after.keys()
    for name, value in before.items():
        torch.testing.assert_close(after[name], value, rtol=0, atol=0)


@pytest.mark.parametrize(
    ("adapter", "complaint"),
    [
        ({"start": "/no/such/run"}, "holds no adapter"),
        ({"r": 8}, "has r 4, and the configuration 8"),
        ({"alpha": 9}, "has alpha 8, and adapter.alpha is 9"),
        (TINY, "has peft_type LORA, and the configuration TINYLORA"),
    ],
)
def test_an_adapter_to_begin_with_that_does_not_fit(make: Make, adapter: dict[str, Any], complaint: str) -> None:
    first = make("sft", sft={"max_steps": 1})
    train.train(first)
    with pytest.raises(ConfigError, match=complaint):
        train.build(make("dpo", adapter={"start": str(first.run.directory)} | adapter))


@pytest.mark.parametrize("kind", ["sft", pytest.param("dpo", marks=pytest.mark.long)])
def test_killed_after_a_checkpoint_it_ends_with_the_same_weights(make: Make, tmp_path: Path, kind: str) -> None:
    """SIGKILL in the middle of a run in its second epoch; what runs on is a process of its own, too."""
    start: dict[str, Any] = {}
    if kind == "dpo":
        first = make("sft", sft={"learning_rate": 5e-2})
        train.train(first)
        start = {"start": str(first.run.directory)}
    steps = {"max_steps": 12, "save_steps": 2, "lr_scheduler_type": "cosine", "learning_rate": 5e-3}
    whole, killed = (make(kind, name, adapter=start, **{kind: steps}) for name in ("whole", "killed"))
    train.train(whole)
    argv = [sys.executable, "-m", "trainer_adapter", kind, str(written(killed, tmp_path / "run.yaml"))]
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as run:
        try:
            while run.poll() is None and not (killed.checkpoints / "checkpoint-8" / "trainer_state.json").exists():
                time.sleep(0.005)
        finally:
            run.send_signal(signal.SIGKILL)
    assert run.returncode == -signal.SIGKILL
    assert not (killed.run.directory / "adapter").exists()
    point = train.resume_point(killed, "auto")
    assert point is not None
    train.train(killed, point)
    one, other = weights(whole.run.directory), weights(killed.run.directory)
    for name, value in one.items():
        torch.testing.assert_close(other[name], value, rtol=0, atol=1e-6)


def test_a_run_ends_before_its_time_is_over(
    make: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    config = make("sft", sft={"max_steps": 4, "save_steps": 100}, run={"hours": 1e-9})
    with pytest.raises(OutOfTime):
        train.train(config)
    assert train.resume_point(config, "auto") == config.checkpoints / "checkpoint-1"
    path = written(config, tmp_path / "run.yaml")
    assert main(["sft", str(path)]) == 130
    assert f"step 2 of 4: the same command goes on from {config.checkpoints / 'checkpoint-2'}" in caplog.text
    assert main(["sft", str(path), "--set", "run.hours=9"]) == 0
    assert "4 steps" in capsys.readouterr().out


def test_a_small_share_holds_one_prompt_out_and_evaluates_it(make: Make) -> None:
    evaluated = {"max_steps": 1, "save_strategy": "no", "eval_strategy": "steps", "eval_steps": 1}
    trainer = train.train(make("sft", data={"held_out": 1e-9}, sft=evaluated))
    assert len(trainer.eval_dataset) == 1
    assert any("eval_loss" in log for log in trainer.state.log_history)


@pytest.mark.parametrize(("share", "why"), [(0.3, "no second prompt to hold out"), (0.0, "data.held_out is 0")])
def test_nothing_held_out_turns_the_evaluation_off_and_says_so(
    make: Make,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    share: float,
    why: str,
) -> None:
    """transformers would refuse the run, after the model was loaded."""
    source = tmp_path / "one.jsonl"
    source.write_text("".join(json.dumps({"prompt": "Add.", "completion": f"{n} + a"}) + "\n" for n in range(8)))
    evaluated = {"max_steps": 1, "save_strategy": "no", "eval_strategy": "steps", "eval_steps": 1}
    config = make("sft", data={"source": str(source), "held_out": share}, sft=evaluated)
    path = str(written(config, tmp_path / "run.yaml"))
    assert main(["sft", path, "--dry-run"]) == 0
    (said,) = (line for line in capsys.readouterr().out.splitlines() if "sft.eval_strategy is turned off" in line)
    assert why in said
    assert main(["sft", path]) == 0
    assert "sft.eval_strategy is turned off" in caplog.text


def test_a_dry_run_says_what_would_be_done(make: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = make("dpo", data={"held_out": 0.3}, dpo={"gradient_accumulation_steps": 3})
    assert main(["dpo", str(written(config, tmp_path / "run.yaml")), "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "a step: 12 of them (4 at once x 3 accumulated x 1 processes)" in said
    assert "what is held out is not looked at: set eval_strategy" in said
    assert not config.checkpoints.exists()


def test_recomputing_that_breaks_an_adapter_in_several_processes_is_refused(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    how = {"activation_checkpointing": True, "activation_checkpointing_kwargs": {"use_reentrant": True}}
    assert arguments(make("sft", sft=how)).activation_checkpointing
    monkeypatch.setattr(TrainingArguments, "world_size", 2)
    with pytest.raises(ConfigError, match=r"sft\.activation_checkpointing_kwargs: .* set use_reentrant to false"):
        arguments(make("sft", sft=how))


def test_deepspeed_that_is_not_installed_is_named(make: Make) -> None:
    if find_spec("deepspeed") is not None:
        pytest.skip("it is installed")
    with pytest.raises(ConfigError, match=r"sft\.deepspeed: DeepSpeed is not installed: pip install deepspeed"):
        arguments(make("sft", sft={"deepspeed": {"zero_optimization": {"stage": 2}}}))


def test_the_wrong_command_is_named(make: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sft", str(written(make("dpo"), tmp_path / "run.yaml"))]) == 2
    assert "is for judge-train dpo: it has the section dpo" in capsys.readouterr().err
    assert main(["dpo", "gsm8k_qwen2.5_0.5b"]) == 2
    assert "is for judge-train grpo: it has no section sft or dpo" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["sft", "dpo"])
def test_the_doctor_looks_at_examples(make: Make, kind: str) -> None:
    found = {check.name: check for check in preflight.examine(make(kind))}
    assert all(check.ok for check in found.values()), found
    assert "4 of 4 answers are learnt with their end" in found["end of turn"].detail or kind == "dpo"
    assert ("reference" if kind == "dpo" else "loss") in found


def test_the_doctor_sees_dropout_between_policy_and_reference(make: Make) -> None:
    first = make("sft", adapter={"r": 4}, sft={"learning_rate": 5e-2})
    train.train(first)
    start = {"start": str(first.run.directory)}
    (well,) = (check for check in preflight.examine(make("dpo", adapter=start)) if check.name == "reference")
    assert well.ok
    config = make("dpo", adapter={**start, "dropout": 0.5}, dpo={"disable_dropout": False})
    (check,) = (check for check in preflight.examine(config) if check.name == "reference")
    assert check.ok is False
    assert "dpo.disable_dropout" in check.remedy
