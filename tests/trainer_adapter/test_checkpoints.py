"""Checkpoints on a disk that fills up: nothing good is lost, nothing broken is resumed from, training goes on."""

from __future__ import annotations

import errno
import json
import logging
import resource
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pandas
import pytest
import torch
from datasets import Dataset
from peft import LoraConfig
from transformers import PreTrainedTokenizerFast
from trl import GRPOConfig

from tests.trainer_adapter.runs import Configure
from trainer_adapter.training import checkpoints, train
from trainer_adapter.training.checkpoints import NotSaved, SafeSaving, complaint_about, latest, no_room
from trainer_adapter.training.objectives import Objectives


def length(completions: list[str], **_: object) -> list[float]:
    return [float(len(completion)) for completion in completions]


@pytest.fixture
def trainer(
    model_directory: Path, tokenizer: PreTrainedTokenizerFast, grpo_config: Callable[..., GRPOConfig]
) -> Callable[..., SafeSaving]:
    def make(**how: object) -> SafeSaving:
        return Objectives(
            model=str(model_directory),
            reward_funcs=[length],
            args=grpo_config(save_strategy="steps", save_steps=1, max_completion_length=4, **how),
            train_dataset=Dataset.from_dict({"prompt": ["a", "b", "c", "d"]}),
            processing_class=tokenizer,
            peft_config=LoraConfig(r=2, target_modules=["q_proj"], task_type="CAUSAL_LM"),
        )

    return make


@contextmanager
def full_disk(limit_bytes: int) -> Iterator[None]:
    """Writes beyond so many bytes of a file fail, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def steps(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.glob("checkpoint-*"))


def test_a_full_disk_costs_one_checkpoint_and_not_the_run(
    trainer: Callable[..., SafeSaving],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    running = trainer(max_steps=3, save_total_limit=1)
    save = running.save_model

    def full_in_the_second_step(*where: object, **how: object) -> None:
        with full_disk(1000) if running.state.global_step == 2 else nullcontext():
            save(*where, **how)

    monkeypatch.setattr(running, "save_model", full_in_the_second_step)
    with caplog.at_level(logging.ERROR):
        running.train()
    assert running.state.global_step == 3
    assert [text.partition(":")[0] for text in running.unsaved] == ["checkpoint-2"]
    assert "checkpoint-2 is not written, the one before it is kept" in caplog.text
    assert steps(tmp_path / "out") == ["checkpoint-3"]
    assert latest(tmp_path / "out") == tmp_path / "out" / "checkpoint-3"


def test_the_last_good_checkpoint_outlives_those_that_fail(trainer: Callable[..., SafeSaving], tmp_path: Path) -> None:
    """With room for one only: transformers would have deleted it before anybody looked at the next."""
    running = trainer(max_steps=1, save_total_limit=1)
    running.train()
    running.state.global_step = 2
    with full_disk(1000):
        running._save_checkpoint(running.model, None)
    assert steps(tmp_path / "out") == ["checkpoint-1"]
    assert complaint_about(tmp_path / "out" / "checkpoint-1") is None


def test_a_checkpoint_is_reopened_before_the_last_one_goes(
    trainer: Callable[..., SafeSaving], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that was cut without any error: what a quota or a network disk can do."""
    running = trainer(max_steps=1, save_total_limit=1)
    running.train()
    running.state.global_step = 2
    save = running.state.save_to_json

    def cut(path: str) -> None:
        save(path)
        weights = Path(path).with_name("adapter_model.safetensors")
        weights.write_bytes(weights.read_bytes()[:-100])

    monkeypatch.setattr(running.state, "save_to_json", cut)
    running._save_checkpoint(running.model, None)
    assert steps(tmp_path / "out") == ["checkpoint-1"]
    assert "cannot be read" in running.unsaved[0]


def test_no_checkpoint_is_begun_without_room(
    trainer: Callable[..., SafeSaving], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = trainer(max_steps=2)
    running.spare_disk_bytes = 1000
    monkeypatch.setattr(checkpoints, "free_bytes", lambda directory: 900)
    running.train()
    assert steps(tmp_path / "out") == []
    assert len(running.unsaved) == 2
    assert "run.spare_disk_bytes" in running.unsaved[0]


def test_room_is_for_a_checkpoint_like_the_newest_and_what_is_spared(tmp_path: Path) -> None:
    (tmp_path / "checkpoint-3").mkdir()
    (tmp_path / "checkpoint-3" / "weights").write_bytes(bytes(5000))
    free = checkpoints.free_bytes(tmp_path / "not" / "there")
    assert free == pytest.approx(shutil.disk_usage(tmp_path).free, rel=0.2)
    assert no_room(tmp_path, 0) is None
    assert "needed" in str(no_room(tmp_path, free * 2))


@pytest.mark.parametrize("save_strategy", ["steps", "no"])
def test_a_final_save_on_a_full_disk_says_path_and_remedy(
    configure: Configure, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, save_strategy: str
) -> None:
    """And the same command writes it once there is space, without another step."""
    config = configure(grpo={"max_steps": 2, "save_steps": 2, "save_strategy": save_strategy})
    save, tell = train._save, train._tell

    def on_a_full_disk(doing: Callable[..., None]) -> Callable[..., None]:
        def do(*arguments: object) -> None:
            with full_disk(100):
                doing(*arguments)

        return do

    monkeypatch.setattr(train, "_save", on_a_full_disk(save))
    monkeypatch.setattr(train, "_tell", on_a_full_disk(tell))
    adapter = config.run.directory / "adapter"
    with pytest.raises(NotSaved) as caught:
        train.train(config)
    assert str(caught.value).startswith(f"{adapter} cannot be written (")
    assert "free space there; then" in str(caught.value)
    assert not adapter.exists(), "no half of it"
    assert f"the report of {config.run.directory} is not written" in caplog.text
    monkeypatch.setattr(train, "_save", save)
    monkeypatch.setattr(train, "_tell", tell)
    kept = train.resume_point(config, "auto")
    assert (f"the same command goes on from {kept}" in str(caught.value)) is (kept is not None)
    if kept is not None:
        assert train.train(config, kept).state.global_step == 2
        assert (adapter / "adapter_model.safetensors").exists()


def test_completions_that_cannot_be_kept_end_no_run(
    configure: Configure, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pandas.DataFrame, "to_parquet", full)
    run = train.train(configure(grpo={"max_steps": 2, "save_strategy": "no", "log_completions": True}))
    assert run.state.global_step == 2
    assert sum("reward" in log for log in run.state.log_history) == 2
    assert "step 2: completions are not kept (grpo.log_completions): [Errno 28]" in caplog.text


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """A whole one, as the trainer would write it."""
    from safetensors.torch import save_file

    path = tmp_path / "checkpoint-10"
    path.mkdir()
    save_file({"v": torch.ones(16)}, path / "adapter_model.safetensors")
    for name in ("optimizer.pt", "scheduler.pt", "rng_state.pth"):
        torch.save({"state": torch.ones(100)}, path / name)
    (path / "trainer_state.json").write_text(json.dumps({"global_step": 10}))
    return path


@pytest.mark.parametrize(
    "name", ["adapter_model.safetensors", "optimizer.pt", "scheduler.pt", "rng_state.pth", "trainer_state.json"]
)
def test_every_cut_file_is_found(checkpoint: Path, name: str) -> None:
    assert complaint_about(checkpoint) is None
    file = checkpoint / name
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    assert complaint_about(checkpoint) is not None


@pytest.mark.parametrize("name", ["adapter_model.safetensors", "optimizer.pt", "scheduler.pt", "trainer_state.json"])
def test_every_missing_file_is_found(checkpoint: Path, name: str) -> None:
    (checkpoint / name).unlink()
    assert complaint_about(checkpoint) is not None


def test_a_checkpoint_of_deepspeed_has_its_optimizer_elsewhere(checkpoint: Path) -> None:
    """As transformers leaves one: without `optimizer.pt`, and with a scheduler of DeepSpeed's own without that."""
    for name in ("optimizer.pt", "scheduler.pt"):
        (checkpoint / name).unlink()
    assert complaint_about(checkpoint) == "it has no optimizer.pt"
    (checkpoint / "global_step10").mkdir()
    torch.save({"state": torch.ones(9)}, checkpoint / "global_step10" / "zero_pp_rank_0_mp_rank_00_optim_states.pt")
    assert complaint_about(checkpoint) is None


def test_a_damaged_file_of_the_right_size_is_found(checkpoint: Path) -> None:
    content = bytearray((checkpoint / "optimizer.pt").read_bytes())
    at = content.index(torch.ones(8).numpy().tobytes())
    content[at] ^= 0xFF
    (checkpoint / "optimizer.pt").write_bytes(content)
    assert "damaged" in str(complaint_about(checkpoint))


def test_the_newest_whole_checkpoint_is_resumed_from(checkpoint: Path, caplog: pytest.LogCaptureFixture) -> None:
    for step in (9, 11, 100):
        shutil.copytree(checkpoint, checkpoint.with_name(f"checkpoint-{step}"))
    (checkpoint.with_name("checkpoint-100") / "optimizer.pt").unlink()
    (checkpoint.with_name("checkpoint-last")).mkdir()
    assert latest(checkpoint.parent) == checkpoint.with_name("checkpoint-11")
    assert "checkpoint-100 is passed over: it has no optimizer.pt" in caplog.text
    assert latest(checkpoint.parent / "nowhere") is None
