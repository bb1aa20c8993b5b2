"""The typed configuration: what it takes, what it refuses, and in what words."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from judge import ConfigError
from tests.conftest import other_users
from trainer_adapter.commands import main
from trainer_adapter.training.config import Config, Full, Lora, Quantization, TinyLora, load
from trainer_adapter.training.environment import go_without_the_hub, settle

SMALL = """
model: {path: somewhere, quantization: nf4}
data: {source: library}
run: {directory: DIRECTORY}
"""


@pytest.fixture
def config_file(tmp_path: Path) -> Path:
    path = tmp_path / "run.yaml"
    path.write_text(SMALL.replace("DIRECTORY", str(tmp_path / "out")))
    return path


def test_what_is_not_said_has_defaults(config_file: Path, tmp_path: Path) -> None:
    config = load(config_file)
    assert config.model.quantization is Quantization.NF4
    assert isinstance(config.adapter, TinyLora)
    assert (config.adapter.r, config.adapter.u, config.adapter.weight_tying) == (2, 16, 1.0)
    assert config.reward.functions == ("accepted",)
    assert config.reward.memory_bytes is None
    assert config.model.attention == "sdpa"
    assert config.checkpoints == tmp_path / "out" / "checkpoints"


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ("model.quantisation=nf4", "model: no setting quantisation: did you mean quantization?"),
        ("rewards.functions=[accepted]", "no setting rewards: did you mean reward?"),
        ("adapter.rr=3", "adapter.tinylora: no setting rr"),
        ("data.sorce=library", "no setting data.sorce: did you mean source?"),
        ("run.trackers=[wandbb]", "run.trackers.0: Input should be 'tensorboard', 'wandb' or 'trackio'"),
        ("model.quantization=nf5", "model.quantization: Input should be 'none', 'nf4' or 'int8'"),
        ("adapter.kind=dora", "adapter: Input tag 'dora' found using _kind() does not match"),
        ("adapter.u=0", "adapter.tinylora.u: Input should be greater than or equal to 1"),
        ("reward.weights=[1, 2]", "reward: 1 functions and 2 weights: give one for each"),
        ("reward.functions=[]", "reward.functions: Tuple should have at least 1 item"),
    ],
)
def test_a_wrong_setting_is_refused_with_its_place(config_file: Path, setting: str, complaint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(config_file, [setting])
    assert complaint in str(caught.value)
    assert str(config_file) in str(caught.value)


def test_settings_are_changed_on_the_command_line(config_file: Path) -> None:
    config = load(
        config_file, ["adapter.kind=lora", "adapter.r=4", "grpo.max_steps=3", "reward.functions=[accepted, format]"]
    )
    assert isinstance(config.adapter, Lora)
    assert config.adapter.r == 4
    assert config.grpo == {"max_steps": 3}
    assert config.reward.functions == ("accepted", "format")
    assert isinstance(load(config_file, ["adapter.kind=none"]).adapter, Full)


@pytest.mark.parametrize("text", ["max_steps", "grpo=3=4", "model.path.x=1", "grpo.max_steps=[1"])
def test_a_change_that_is_none_is_refused(config_file: Path, text: str) -> None:
    with pytest.raises(ConfigError):
        load(config_file, [text])


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"model: [", "no YAML"),
        (b"\xff\xfe\xff", "no YAML"),
        (b"- 1", "expected the sections"),
        (b"run: {start: 2025-02-30}", "no YAML"),
        (b"[" * 1000, "no YAML"),
    ],
)
def test_a_file_that_is_no_configuration(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "broken.yaml"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=complaint):
        load(path)
    with pytest.raises(ConfigError, match="No such file"):
        load(tmp_path / "missing.yaml")


def test_all_that_a_run_writes_lies_below_its_directory(config_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "huggingface_hub", raising=False)
    monkeypatch.setattr(os, "environ", {})
    config = load(config_file)
    found = settle(config)
    assert found["WANDB_MODE"] == "offline"
    below = {name for name, value in found.items() if value.startswith(str(config.run.directory))}
    assert below >= {"HF_HOME", "WANDB_DIR", "TENSORBOARD_LOGGING_DIR", "TRACKIO_DIR", "TRITON_CACHE_DIR"}
    assert below | {"WANDB_MODE"} == found.keys()
    assert {name: os.environ[name] for name in found} == found


def test_what_the_environment_says_is_kept(config_file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "environ", dict(os.environ) | {"HF_HOME": str(tmp_path / "hub"), "WANDB_MODE": "online"})
    found = settle(load(config_file))
    assert (found["HF_HOME"], found["WANDB_MODE"]) == (str(tmp_path / "hub"), "online")


def test_the_judge_keeps_its_cache_out_of_a_closed_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below root's home, say: the users that compilers run as reach nothing there."""
    monkeypatch.setattr(os, "environ", {key: value for key, value in os.environ.items() if key != "JUDGE_CACHE_DIR"})
    closed, path = tmp_path / "closed", tmp_path / "run.yaml"
    closed.mkdir(mode=0o700)
    path.write_text(SMALL.replace("DIRECTORY", str(closed / "out")))
    settle(load(path))
    assert "JUDGE_CACHE_DIR" not in os.environ


@other_users
def test_the_judge_keeps_its_cache_out_of_a_directory_that_all_may_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As some shared disks are: it would take none there."""
    monkeypatch.setattr(os, "environ", {key: value for key, value in os.environ.items() if key != "JUDGE_CACHE_DIR"})
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o777)
        (tmp_path / "run.yaml").write_text(SMALL.replace("DIRECTORY", f"{name}/out"))
        settle(load(tmp_path / "run.yaml"))
        assert "JUDGE_CACHE_DIR" not in os.environ
        Path(name).chmod(0o755)
        settle(load(tmp_path / "run.yaml"))
        assert os.environ["JUDGE_CACHE_DIR"] == f"{name}/out/cache/judge"


def test_a_tracker_that_is_missing_is_named(config_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.setattr("trainer_adapter.training.environment.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match="pip install trackio"):
        settle(load(config_file, ["run.trackers=[trackio]"]))


def test_wandb_that_is_disabled_is_no_tracker(config_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", dict(os.environ) | {"WANDB_DISABLED": "true"})
    monkeypatch.setattr("trainer_adapter.training.environment.find_spec", lambda name: object())
    with pytest.raises(ConfigError, match="WANDB_DISABLED"):
        settle(load(config_file, ["run.trackers=[wandb]"]))


def test_a_package_that_is_missing_is_named_with_the_extra_that_brings_it(
    config_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.setitem(sys.modules, "datasets", None)
    monkeypatch.delitem(sys.modules, "trainer_adapter.training.preflight", raising=False)
    assert main.main(["doctor", str(config_file)]) == 2
    assert (
        capsys.readouterr().err
        == "judge-train: the package datasets is missing: in the checkout of judge, pip install '.[train]'\n"
    )


def test_a_hub_that_is_away_is_asked_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "")  # so that it is put back
    monkeypatch.delenv("HF_HUB_OFFLINE")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        hub = f"http://127.0.0.1:{listening.getsockname()[1]}"
    monkeypatch.setenv("HF_ENDPOINT", hub)
    assert go_without_the_hub(str(tmp_path)) is None, "a model of this machine needs no hub"
    said = go_without_the_hub("some/model")
    assert said is not None
    assert said.startswith(f"{hub} does not answer (")
    assert os.environ["HF_HUB_OFFLINE"] == "1"
    assert go_without_the_hub("some/model") is None


def test_a_hub_that_answers_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "")
    monkeypatch.delenv("HF_HUB_OFFLINE")
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as hub:  # it answers 501
        thread = threading.Thread(target=hub.serve_forever)
        thread.start()
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{hub.server_port}")
        try:
            assert go_without_the_hub("some/model") is None
        finally:
            hub.shutdown()
            thread.join()
    assert "HF_HUB_OFFLINE" not in os.environ


@pytest.mark.parametrize("word", ["no", "off", "yes", "on"])
def test_a_word_of_yaml_1_1_stays_a_word(word: str) -> None:
    """`--set sft.eval_strategy=no` is the strategy no, not false."""
    overrides = [f"grpo.save_strategy={word}", "grpo.bf16=false", f"grpo.fp16={word}"]
    found = load(Path("luogu_qwen2.5_coder_3b_tinylora"), overrides)
    assert isinstance(found, Config)
    assert (found.grpo["save_strategy"], found.grpo["bf16"], found.grpo["fp16"]) == (word, False, word)
