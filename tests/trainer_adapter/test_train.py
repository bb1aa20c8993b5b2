"""From a configuration to a trained adapter, by the real TRL, PEFT and bitsandbytes on a tiny model."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerFast, Qwen2Config, Qwen3Config
from trl import GRPOConfig, GRPOTrainer

from judge import ConfigError
from tests.trainer_adapter.runs import PROBLEMS, Configure
from trainer_adapter.commands.main import main
from trainer_adapter.demo import apprentice
from trainer_adapter.reward_funcs import CodeReward
from trainer_adapter.training import named_rewards, train
from trainer_adapter.training.config import Config, load, recipes
from trainer_adapter.training.gpu_memory import estimate
from trainer_adapter.training.tinylora import vectors, wrapping

ROOT = Path(__file__).resolve().parents[2]


def test_a_run_leaves_all_that_is_needed(configure: Configure) -> None:
    config = configure(model={"quantization": "nf4"})
    trainer = train.train(config)
    assert trainer.state.global_step == 4
    left = {str(path.relative_to(config.run.directory)) for path in config.run.directory.rglob("*") if path.is_file()}
    assert left >= {
        "adapter/adapter_model.safetensors",
        "adapter/tokenizer.json",
        "adapter-as-lora/adapter_model.safetensors",
        "checkpoints/checkpoint-2/optimizer.pt",
        "checkpoints/checkpoint-4/trainer_state.json",
        "report.html",
    }
    changes = [log["adapter/change"] for log in trainer.state.log_history if "reward" in log]
    assert len(changes) == 4
    assert all(change > 0 for change in changes)


def test_a_run_goes_on_bit_for_bit_from_its_last_whole_checkpoint(configure: Configure) -> None:
    config = configure()
    (whole,) = vectors(train.train(config).model)
    checkpoints = config.checkpoints
    (checkpoints / "checkpoint-4" / "optimizer.pt").write_bytes(b"cut")
    start = train.resume_point(config, "auto")
    assert start == checkpoints / "checkpoint-2"
    (resumed,) = vectors(train.train(config, start).model)
    assert resumed.dtype is torch.float32
    torch.testing.assert_close(resumed, whole, rtol=0, atol=0)


def test_where_a_run_goes_on(configure: Configure, tmp_path: Path) -> None:
    config = configure()
    assert train.resume_point(config, "auto") is None
    assert train.resume_point(config, "never") is None
    with pytest.raises(ConfigError, match="no weights"):
        train.resume_point(config, str(tmp_path))


def test_beginning_anew_over_checkpoints_is_refused(configure: Configure) -> None:
    config = configure(grpo={"max_steps": 1, "save_steps": 1})
    train.train(config)
    with pytest.raises(ConfigError, match="--resume auto"):
        train.resume_point(config, "never")


@pytest.mark.parametrize("quantization", ["none", "nf4", "int8"])
def test_sixteen_float32_numbers_in_one_object(configure: Configure, quantization: str) -> None:
    found = wrapping(train.build(configure(model={"quantization": quantization})).model)
    assert (found.trainable, found.vectors, found.dtypes, found.modules) == (16, 1, {"float32"}, 14)


def test_a_lora_and_the_whole_model_can_be_trained_too(configure: Configure) -> None:
    lora = train.build(configure(adapter={"kind": "lora", "r": 2}, model={"quantization": "none"}))
    assert lora.model.peft_config["default"].r == 2
    full = train.build(configure(adapter={"kind": "none"}, model={"quantization": "none"}))
    assert all(parameter.requires_grad for parameter in full.model.parameters())


@pytest.mark.parametrize(
    ("grpo", "complaint"),
    [
        ({"learning_rat": 1}, "did you mean learning_rate?"),
        ({"vllm_device": "cuda:1"}, "no setting vllm_device"),
        ({"do_sample": True}, "no setting do_sample"),
        ({"max_steps": "many"}, "grpo.max_steps: "),
        ({"output_dir": "x"}, "grpo.output_dir is set by run.directory"),
        ({"resume_from_checkpoint": "x"}, "--resume"),
        ({"num_generations": 3}, "grpo: "),
    ],
)
def test_arguments_that_trl_would_not_take(configure: Configure, grpo: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        train.arguments(configure(grpo=grpo, model={"quantization": "nf4"}))
    assert complaint in str(caught.value)


def test_arguments_have_the_types_of_trl(configure: Configure) -> None:
    """1e-3 is text to YAML; a learning rate that is text fails in the optimizer, after the model was loaded."""
    found = train.arguments(configure(grpo=yaml.safe_load("{learning_rate: 1e-3, max_steps: '7'}")))
    assert (found.learning_rate, found.max_steps) == (1e-3, 7)
    assert found.report_to == []


def test_rewards_by_name(configure: Configure) -> None:
    functions = named_rewards.rewards(
        configure(reward={"functions": ("accepted", "format", "tests.trainer_adapter.runs:length")})
    )
    assert [function.__name__ for function in functions] == ["accepted", "format", "length"]


@pytest.mark.parametrize("name", ["acepted", "no.such.module:function", "tests.trainer_adapter.runs:nothing"])
def test_rewards_that_do_not_exist(configure: Configure, name: str) -> None:
    with pytest.raises(ConfigError, match=r"reward\.functions"):
        named_rewards.rewards(configure(reward={"functions": (name,)}))


def test_rewards_that_a_call_makes(configure: Configure) -> None:
    made = {"make": "trl.rewards:get_soft_overlong_punishment"}
    arguments = {"max_completion_len": 100, "soft_punish_cache": 20}
    function, _other = named_rewards.rewards(
        configure(reward={"functions": ({**made, "arguments": arguments}, "tests.trainer_adapter.runs:length")})
    )
    assert function([[0] * 90, [0] * 10]) == [-0.5, 0.0]
    for given, words in (
        ({"max_completion_lenght": 100}, "did you mean max_completion_len"),
        ({"max_completion_len": 100}, "soft_punish_cache"),
    ):
        with pytest.raises(ConfigError, match=words):
            named_rewards.rewards(configure(reward={"functions": ({**made, "arguments": given},)}))
    with pytest.raises(ConfigError, match="makes list, and no function"):
        named_rewards.rewards(configure(reward={"functions": ({"make": "builtins:list"},)}))


def test_tests_after_the_first_failure_are_run_only_where_they_count(configure: Configure) -> None:
    (only,) = named_rewards.rewards(configure(reward={"functions": ("accepted",)}))
    both = named_rewards.rewards(configure(reward={"functions": ("accepted", "pass_rate")}))
    assert not only.settings.all_tests
    assert [function.settings.all_tests for function in both] == [True, True]


def test_limits_of_judging_reach_the_judge(configure: Configure) -> None:
    said = {"compile_seconds": 2.5, "compile_mib": 512, "memory_budget_mib": 4096}
    (reward,) = named_rewards.rewards(configure(reward={"functions": ("accepted",), **said}))
    assert isinstance(reward, CodeReward)
    options = reward.settings.options
    assert (options.compile_cpu_ns, options.compile_memory_bytes) == (2_500_000_000, 512 << 20)
    assert reward.settings.memory_bytes == 4096 << 20


def test_less_than_one_step_is_refused_where_trl_is_silent(
    configure: Configure,
    tokenizer: PreTrainedTokenizerFast,
    grpo_config: Callable[..., GRPOConfig],
    model_directory: Path,
) -> None:
    rows = Dataset.from_dict({"prompt": ["alone"]})
    silent = GRPOTrainer(
        model=str(model_directory),
        reward_funcs=[lambda completions, **_: [0.0] * len(completions)],
        args=grpo_config(),
        train_dataset=rows,
        processing_class=tokenizer,
    )
    silent.train()
    assert silent.state.global_step == 0, "if TRL trains now, the check can go"
    with pytest.raises(ConfigError, match="less than one step needs"):
        train.build(configure(data={"only": PROBLEMS[:1]}))


def test_a_tokenizer_is_what_its_file_says(model_directory: Path, configure: Configure, tmp_path: Path) -> None:
    """AutoTokenizer gives a Qwen2 Qwen2's way of splitting; a model that has learnt another reads nonsense."""
    probe = "a line\nand another\n"
    mine = apprentice.tokenizer({"P1001": [{"role": "user", "content": probe}]})
    mine.save_pretrained(tmp_path)
    shutil.copy(model_directory / "config.json", tmp_path)
    assert AutoTokenizer.from_pretrained(tmp_path).encode(probe) != mine.encode(probe)
    assert train.tokenizer(configure(model={"path": str(tmp_path)})).encode(probe) == mine.encode(probe)


def test_the_estimate_of_weights_is_what_they_take(configure: Configure) -> None:
    for quantization in ("none", "nf4", "int8"):
        config = configure(model={"quantization": quantization})
        arguments = train.arguments(config)
        found = estimate(config, arguments).weights_bytes
        model = AutoModelForCausalLM.from_pretrained(
            config.model.path, quantization_config=train.quantization(config), **arguments.model_init_kwargs
        )
        assert found == pytest.approx(model.get_memory_footprint(), rel=0.12)


def test_the_estimate_counts_what_is_sampled_together(configure: Configure) -> None:
    small, large = configure(), configure(grpo={"gradient_accumulation_steps": 4})
    found = [estimate(config, train.arguments(config)) for config in (small, large)]
    assert found[1].sampling_bytes == 4 * found[0].sampling_bytes
    assert found[1].activations_bytes == found[0].activations_bytes
    assert "GiB" in str(found[0])


QWEN = {
    "Qwen/Qwen2.5-Coder-3B-Instruct": Qwen2Config(
        vocab_size=151936,
        hidden_size=2048,
        intermediate_size=11008,
        num_hidden_layers=36,
        num_attention_heads=16,
        num_key_value_heads=2,
        tie_word_embeddings=True,
    ),
    "Qwen/Qwen3-4B": Qwen3Config(
        vocab_size=151936,
        hidden_size=2560,
        intermediate_size=9728,
        num_hidden_layers=36,
        num_attention_heads=32,
        num_key_value_heads=8,
        head_dim=128,
        tie_word_embeddings=True,
    ),
    "Qwen/Qwen2.5-0.5B-Instruct": Qwen2Config(
        vocab_size=151936,
        hidden_size=896,
        intermediate_size=4864,
        num_hidden_layers=24,
        num_attention_heads=14,
        num_key_value_heads=2,
        tie_word_embeddings=True,
    ),
}


def test_there_are_recipes() -> None:
    assert set(recipes()) >= {"luogu_qwen2.5_coder_3b_tinylora", "gsm8k_qwen2.5_0.5b", "qwen3_4b_sft", "qwen3_4b_dpo"}


@pytest.mark.parametrize("recipe", recipes())
def test_a_recipe_is_valid_and_fits(recipe: str, tmp_path: Path) -> None:
    kind = load(Path(recipe)).kind
    start = ["adapter.start=null"] if kind == "dpo" else []  # the adapter of SFT, which has not been trained here
    config = load(Path(recipe), [f"run.directory={tmp_path}", f"{kind}.use_cpu=true", *start])
    QWEN[config.model.path].save_pretrained(tmp_path / "model")
    config = config.model_copy(update={"model": config.model.model_copy(update={"path": str(tmp_path / "model")})})
    arguments = train.arguments(config)
    if isinstance(config, Config):
        assert named_rewards.rewards(config)
        assert arguments.num_generations >= 8, "fewer teach nothing where few are accepted"
    assert estimate(config, arguments).total_bytes < 12 * 2**30


def test_the_recipe_of_gsm8k_trains_and_evaluates_with_60_rows(model_directory: Path, tmp_path: Path) -> None:
    """Shares of the run, not steps, say when: 60 rows are 7 steps."""
    rows = (f'{{"question": "What is {n} + {n}?", "answer": "Count.\\n#### {2 * n}"}}\n' for n in range(60))
    (tmp_path / "rows.jsonl").write_text("".join(rows))
    changed = {
        "model.path": model_directory, "model.dtype": "float32", "data.source": tmp_path / "rows.jsonl",
        "run.directory": tmp_path / "run", "grpo.use_cpu": "true", "grpo.bf16": "false", "grpo.disable_tqdm": "true",
        "grpo.activation_checkpointing": "false", "grpo.max_completion_length": 2, "grpo.log_completions": "false",
        "grpo.per_device_train_batch_size": 64, "grpo.gradient_accumulation_steps": 1,
    }  # fmt: skip
    given = [part for name, value in changed.items() for part in ("--set", f"{name}={value}")]
    assert main(["grpo", "gsm8k_qwen2.5_0.5b", *given]) == 0
    state = max((tmp_path / "run/checkpoints").glob("*/trainer_state.json"), key=lambda path: path.stat().st_mtime)
    history = json.loads(state.read_bytes())["log_history"]
    rates = [log["learning_rate"] for log in history if "learning_rate" in log]
    assert len(rates) == 7
    assert max(rates) == pytest.approx(1e-5, rel=0.1), "the warm-up ends"
    assert sum("eval_reward" in log for log in history) == 7


def test_a_dry_run_loads_no_model(configure: Configure, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = configure(reward={"functions": ("accepted",)})
    bare = tmp_path / "bare"
    shutil.copytree(config.model.path, bare, ignore=shutil.ignore_patterns("*.safetensors"))
    values = config.model_dump(mode="json", by_alias=True)
    values["model"]["path"] = str(bare)
    path = tmp_path / "run.yaml"
    path.write_text(yaml.safe_dump(values))
    assert main(["grpo", str(path), "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "GPU memory: about" in said
    assert "4 prompts; a step: 8 completions, 4 of each prompt; rewards: accepted" in said
    assert "from the beginning" in said
    assert not config.checkpoints.exists()


def test_settings_are_read_without_the_libraries_that_train() -> None:
    code = (
        "import trainer_adapter.commands.main, trainer_adapter.commands.grpo, trainer_adapter.commands.doctor, "
        "trainer_adapter.commands.sft, trainer_adapter.commands.dpo, trainer_adapter.commands.merge, "
        "trainer_adapter.commands.demo, sys; "
        "print([name for name in ('torch', 'transformers', 'trl', 'peft', 'datasets') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
