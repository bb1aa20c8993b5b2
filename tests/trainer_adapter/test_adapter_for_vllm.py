"""vLLM samples from what is trained: an adapter goes there as LoRA files, by TRL's own trainer, to a stub of vLLM."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from trl.generation.vllm_generation import VLLMGeneration
from trl.trainer import grpo_trainer

from judge import ConfigError
from tests.trainer_adapter.adapters import logits
from tests.trainer_adapter.runs import Configure
from tests.trainer_adapter.vllm_stub import LLM, Engine, Server, install, serve
from trainer_adapter.training import adapter_for_vllm, train
from trainer_adapter.training.tinylora import list_trained

#: AdamW's first step is as long as its learning rate: v is far from 0 at once.
TWO_STEPS = {
    "use_vllm": True,
    "max_steps": 2,
    "learning_rate": 0.5,
    "save_strategy": "no",
    "per_device_train_batch_size": 4,
    "max_completion_length": 3,
}
NF4 = {"quantization": "nf4"}


@pytest.fixture
def vllm(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


@pytest.fixture
def server(vllm: None, model_directory: Path) -> Iterator[Server]:
    with serve(Engine(str(model_directory), "float32", quantized=False, max_lora_rank=8)) as found:
        yield found


def remote(server: Server) -> dict[str, Any]:
    return {"use_vllm": True, "vllm_mode": "server", "vllm_server_base_url": server.url}


def check_samples(engine: Engine, log: list[dict[str, float]]) -> None:
    """Each step's completions are of that step's adapter: the trainer finds the same probabilities."""
    differences = [each["sampling/sampling_logp_difference/max"] for each in log if "reward" in each]
    assert len(differences) == 2
    assert max(differences) < 1e-4
    assert engine.beside_base[0] == 0, "v is 0 before the first step"
    assert engine.beside_base[-1] > 1e-2, "the base would write the second step's completions otherwise"
    (first, second) = engine.tensors
    assert any(not torch.equal(first[name], second[name]) for name in first)


def test_the_engine_in_this_process_samples_from_each_steps_adapter(configure: Configure, vllm: None) -> None:
    config = configure(model=NF4, grpo=TWO_STEPS | {"vllm_enable_sleep_mode": True})
    trainer = train.train(config)
    check_samples(LLM.made.llm_engine, trainer.state.log_history)
    requests = LLM.made.llm_engine.requests
    assert [each.lora_int_id for each in requests] == [1, 2]
    assert len({each.lora_name for each in requests}) == len({each.lora_path for each in requests}) == 2
    assert len(LLM.made.levels) == 3, "it sleeps whenever it does not sample, and keeps its weights"
    assert not (config.run.directory / "adapter-for-vllm").exists()
    assert grpo_trainer.VLLMGeneration is VLLMGeneration, "other trainers get TRL's"


def test_a_server_samples_from_each_steps_adapter(configure: Configure, server: Server) -> None:
    trainer = train.train(configure(grpo=TWO_STEPS | remote(server)))
    check_samples(server.engine, trainer.state.log_history)
    assert server.asked == [each.lora_name for each in server.engine.requests]
    assert server.adapters == {}, "nothing stays loaded"


@pytest.mark.parametrize("adapter", [{"kind": "tinylora"}, {"kind": "lora", "r": 4, "alpha": 6}])
def test_the_export_is_the_model(configure: Configure, vllm: None, adapter: dict[str, Any]) -> None:
    """And of two exports the newer is kept, whole."""
    trainer = train.build(configure(adapter=adapter, grpo={"use_vllm": True}))
    torch.manual_seed(1)
    for each in list_trained(trainer.model):
        each.data = 0.2 * torch.randn_like(each)
    expected = logits(trainer.model.eval())
    generation = trainer.vllm_generation
    for _ in range(2):
        generation.sync_weights()
    (loaded,) = LLM.made.llm_engine.loaded.values()
    torch.testing.assert_close(logits(loaded), expected, rtol=0, atol=1e-5)
    with loaded.disable_adapter():
        assert (logits(loaded) - expected).abs().max() > 1e-3
    assert [str(path) for path in generation.directory.iterdir()] == [LLM.made.llm_engine.requests[-1].lora_path]
    generation.close()
    assert not generation.directory.parent.exists()


@pytest.mark.parametrize(
    ("r", "model", "expected"), [(2, NF4, (8, True)), (9, NF4 | {"vllm_quantized": False}, (16, False))]
)
def test_the_engine_has_room_for_the_rank_and_the_base_that_is_wanted(
    configure: Configure, vllm: None, r: int, model: dict[str, Any], expected: tuple[int, bool]
) -> None:
    config = configure(model=model, adapter={"r": r}, grpo={"use_vllm": True})
    train.build(config)
    engine = LLM.made.llm_engine
    assert (engine.max_lora_rank, engine.quantized) == expected
    assert engine.dtype == config.model.dtype


def test_what_a_server_refuses_is_told(configure: Configure, server: Server, tmp_path: Path) -> None:
    generation = train.build(configure(grpo=remote(server))).vllm_generation
    generation.sync_weights()
    (name,) = server.adapters
    client = generation.vllm_client
    with pytest.raises(ConfigError, match=r"400.*already been loaded"):
        client.load(name, 1, generation.directory / name)
    with pytest.raises(ConfigError, match=r"404.*No adapter found.*where it can read .*elsewhere"):
        client.load("another", 2, tmp_path / "elsewhere")
    server.engine.max_lora_rank = 1
    with pytest.raises(ConfigError, match=r"500.*rank 2 is greater"):
        generation.sync_weights()
    assert client.model == name, "the last that was loaded is still sampled from"
    server.updating = False
    with pytest.raises(ConfigError, match=r"404.*VLLM_ALLOW_RUNTIME_LORA_UPDATING=1"):
        generation.sync_weights()
    generation.close()
    assert not generation.directory.exists()


@pytest.mark.parametrize(
    ("quantization", "grpo", "complaint"),
    [
        ("nf4", {"vllm_importance_sampling_correction": False}, "vllm_importance_sampling_correction"),
        ("int8", {"vllm_mode": "colocate"}, "nf4 only"),
        ("int8", {"vllm_mode": "server"}, None),
        ("none", {"vllm_importance_sampling_correction": False}, None),
    ],
)
def test_another_base_without_correction_is_refused(
    configure: Configure, quantization: str, grpo: dict[str, Any], complaint: str | None
) -> None:
    config = configure(model={"quantization": quantization}, grpo={"use_vllm": True} | grpo)
    if complaint is None:
        assert train.arguments(config).use_vllm
        return
    with pytest.raises(ConfigError, match=complaint):
        train.arguments(config)


def test_a_missing_vllm_is_named(configure: Configure) -> None:
    config = configure(grpo={"use_vllm": True})
    with pytest.raises(ConfigError, match="pip install"):
        adapter_for_vllm.replace_generation(config, train.arguments(config))
