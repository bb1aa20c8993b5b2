"""The doctor before a run and the watch during it, on real runs that are well, or sick in one way."""

from __future__ import annotations

import json
import logging
import math
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
import yaml

from judge import ConfigError
from tests.trainer_adapter.endpoint import serve
from tests.trainer_adapter.runs import Configure, on_examples
from trainer_adapter.commands.main import main
from trainer_adapter.training import preflight, sampling_speed, train
from trainer_adapter.training.config import Config
from trainer_adapter.training.preflight import Precheck, examine
from trainer_adapter.training.sampling_speed import check_sampling
from trainer_adapter.training.tinylora import vectors


def checks(config: Config, *, with_model: bool = False) -> dict[str, Precheck]:
    return {check.name: check for check in examine(config, rollouts=2, with_model=with_model)}


def by_verdict(configure: Configure, require: str | None = None, **sections: dict[str, object]) -> Config:
    return configure(reward={"functions": ("accepted",), "slots": 1, "require": require}, **sections)


def test_a_run_that_is_well_but_writes_no_code(configure: Configure) -> None:
    """The tiny model has learnt nothing: what it writes is no program, and the doctor says so before the run does."""
    found = checks(by_verdict(configure, model={"quantization": "nf4"}), with_model=True)
    assert [name for name, check in found.items() if not check.ok] in (
        ["probe rollout: code"],
        ["probe rollout: code", "probe rollout: ends"],
    )
    assert found["adapter"].detail == ("16 trained numbers in 1 objects of float32, 14 of 14 modules wrapped")
    assert found["reward"].detail == "1 for a right answer, 0 for a wrong one (P1001)"
    assert "4 prompts, 2 a step" in found["data"].detail
    assert "0 of 2 completions hold a program" in found["probe rollout: code"].detail
    assert "0% of 2 rewarded by accepted" in found["probe rollout: reward"].detail


def test_the_probe_samples_prompts_of_unequal_lengths_as_the_trainer_does(configure: Configure) -> None:
    """Padded on the right, all prompts but the longest would end in padding, and their completions be nonsense."""
    trainer = train.build(configure(grpo={"temperature": 1e-4, "max_completion_length": 12}))
    prompts = [[{"role": "user", "content": "print a + b " * length}] for length in (1, 3, 9)]
    together, _ = preflight._complete(trainer, prompts)
    alone = [trainer._generate([prompt])[3][0][0]["content"] for prompt in prompts]
    assert together == alone


def test_as_many_rollouts_as_were_asked_for(configure: Configure) -> None:
    found = {check.name: check for check in examine(by_verdict(configure), rollouts=6)}
    assert "0 of 6 completions hold a program" in found["probe rollout: code"].detail


@pytest.mark.parametrize("name", ["constant", "backwards"])
def test_a_reward_that_does_not_tell_right_from_wrong(configure: Configure, name: str) -> None:
    found = checks(configure(reward={"functions": (f"tests.trainer_adapter.runs:{name}",)}))
    assert not found["reward"].ok
    assert "reward.functions" in found["reward"].remedy


@pytest.mark.parametrize(
    ("name", "finding", "detail"),
    [
        ("breaks", "raises", "ZeroDivisionError: division by zero"),
        ("undeclared", "async", "returns a coroutine"),
        ("one", "wrong length", "returns 1 rewards for 3 completions"),
        ("infinite", "not finite", "returns inf"),
        ("worded", "no number", "returns str"),
        ("graded", "missing columns", "needs rubric"),
        ("looked_up", "missing columns", "needs rubric"),
    ],
)
@pytest.mark.parametrize("beside", [(), ("accepted",)], ids=["alone", "wrapped"])
def test_what_is_wrong_with_a_function_has_a_name(
    configure: Configure, beside: tuple[str, ...], name: str, finding: str, detail: str
) -> None:
    function = f"tests.trainer_adapter.runs:{name}"
    found = checks(configure(reward={"functions": (function, *beside), "slots": 1}))
    check = found[f"reward: {finding}"]
    assert check.ok is False
    assert function in check.detail
    assert detail in check.detail
    assert check.remedy
    assert "reward" not in found, "no more is asked of it"


def test_an_async_function_is_awaited(configure: Configure) -> None:
    found = checks(configure(reward={"functions": ("tests.trainer_adapter.runs:slow",)}))
    assert found["reward"].detail == "0 for a right answer, 1 for a wrong one (P1001)"


@pytest.mark.parametrize("with_model", [False, True])
def test_each_check_alone_without_gpu_and_model(configure: Configure, tmp_path: Path, with_model: bool) -> None:
    config = by_verdict(configure, model={"path": str(tmp_path / "nowhere")}, data={"most_prompt_tokens": 512})
    config.grpo.update(use_cpu=False, bf16=True)
    found = checks(config, with_model=with_model)
    expected = False if with_model else None
    assert {name: check.ok for name, check in found.items()} == {
        "disk": True, "GPU": expected, "judge": True, "chat template": expected, "data": True, "problems": True,
        "reward": True, "memory": None, **({"probe rollout": None} if with_model else {}),
    }  # fmt: skip
    assert "nowhere" in found["chat template"].detail
    assert "not looked at" in found["data"].detail


def test_a_store_of_problems_that_is_not_there(configure: Configure, tmp_path: Path) -> None:
    reward = {"functions": ("accepted",), "slots": 1}
    missing = checks(configure(reward={**reward, "problems": tmp_path / "missing"}))["problems"]
    assert (missing.ok, "is no directory" in missing.detail) == (False, True)
    unused = checks(configure(reward={**reward, "problems": tmp_path}))["problems"]
    assert (unused.ok, "0 of them in" in unused.detail) == (False, True)
    (tmp_path / "P1001").mkdir()
    assert checks(configure(reward={**reward, "problems": tmp_path}))["problems"].ok


def test_a_dry_run_asks_the_same(configure: Configure, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = configure(model={"path": str(tmp_path / "nowhere")}, reward={"functions": ("accepted",), "slots": 1})
    path = tmp_path / "run.yaml"
    path.write_text(yaml.safe_dump(config.model_dump(mode="json", by_alias=True)))
    assert main(["grpo", str(path), "--dry-run", "--set", "grpo.use_cpu=false", "--set", "grpo.bf16=true"]) == 0
    said = capsys.readouterr().out
    assert "?    GPU: there is none here" in said
    assert "GPU memory: not estimated" in said
    assert "from the beginning" in said
    for setting in ("reward.require=nothing", "reward.functions=[tests.trainer_adapter.runs:breaks]"):
        assert main(["grpo", str(path), "--dry-run", "--set", setting]) == 1
    assert "no   reward: raises" in capsys.readouterr().out


def test_a_judge_that_cannot_judge(configure: Configure) -> None:
    found = checks(by_verdict(configure, require="nothing"))
    assert not found["judge"].ok
    assert not found["reward"].ok
    assert "no reward from accepted" in found["reward"].detail


def test_a_disk_without_room(configure: Configure) -> None:
    assert not checks(by_verdict(configure, run={"spare_disk_bytes": 1 << 62}))["disk"].ok


def test_a_tokenizer_whose_turns_do_not_end(configure: Configure, tmp_path: Path) -> None:
    config = by_verdict(configure)
    words = train.tokenizer(config)
    words.chat_template = str(words.chat_template).replace("<|im_end|>", "")
    words.save_pretrained(tmp_path / "model")
    (tmp_path / "model" / "config.json").write_bytes((Path(config.model.path) / "config.json").read_bytes())
    found = checks(by_verdict(configure, model={"path": str(tmp_path / "model")}))
    assert not found["chat template"].ok
    assert "no turn ends with eos" in found["chat template"].detail


def test_modules_that_are_not_there(configure: Configure) -> None:
    config = by_verdict(configure, adapter={"target_modules": ("q_proj", "query")})
    found = checks(config, with_model=True)
    assert not found["adapter"].ok
    assert "2 of 4 modules wrapped" in found["adapter"].detail


def test_doctor_says_yes_or_no(configure: Configure, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(yaml.safe_dump(by_verdict(configure).model_dump(mode="json", by_alias=True)))
    assert main(["doctor", str(path), "--no-model"]) == 0
    assert "yes  reward: 1 for a right answer" in capsys.readouterr().out
    assert main(["doctor", str(path), "--no-model", "--set", "run.spare_disk_bytes=4611686018427387904"]) == 1
    assert "no   disk" in capsys.readouterr().out


def test_a_constant_reward_is_a_flat_curve_and_the_watch_says_why(
    configure: Configure,
    caplog: pytest.LogCaptureFixture,
) -> None:
    config = configure(
        grpo={"max_steps": 6, "save_strategy": "no"},
        reward={"functions": ("tests.trainer_adapter.runs:constant", "accepted"), "weights": (1.0, 0.0), "slots": 1},
    )
    with caplog.at_level(logging.WARNING):
        trainer = train.train(config)
    (vector,) = vectors(trainer.model)
    assert torch.equal(vector.detach(), torch.zeros(16)), "nothing was learnt"
    (found,) = (each for each in train.health(trainer).found if each.name == "no-variance")
    assert "a reward function is constant" in found.cause
    assert "100% no_code" in found.cause
    assert "step 5: no-variance" in caplog.text
    report = (config.run.directory / "report.html").read_text()
    assert "a reward function is constant" in report
    assert "<polyline" in report


def test_the_doctor_measures_sampling_at_two_batch_sizes(configure: Configure) -> None:
    """On the CPU it works, too, and says that it tells nothing of a GPU. Nothing of the trainer changes."""
    config = configure()
    trainer = train.build(config)
    before = trainer.generation_config.to_dict()
    check = check_sampling(config, trainer)
    assert check.ok
    assert re.match(
        r"8 completions together: \d+ tokens a second; 32 completions together: \d+ tokens a second; there is no GPU",
        check.detail,
    )
    assert trainer.generation_config.to_dict() == before
    assert trainer.generation_kwargs["max_new_tokens"] == 4


@pytest.mark.parametrize(
    ("speeds", "memory", "said"),
    [
        ((100.0, 300.0), 4 * 2**30, "both fit .* 32 give 3.0 times .* grpo.gradient_accumulation_steps=4"),
        ((100.0, 110.0), 4 * 2**30, "both fit .* 32 bring nothing"),
        ((100.0, None), 4 * 2**30, "8 fit, 32 do not"),
        ((100.0, 300.0), 2**20, "8 fit, 32 do not"),
    ],
)
def test_the_doctor_says_which_batch_fits(
    configure: Configure,
    monkeypatch: pytest.MonkeyPatch,
    speeds: tuple[float, float | None],
    memory: int,
    said: str,
) -> None:
    config = configure()
    trainer = train.build(config)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: SimpleNamespace(total_memory=memory))
    measured = tuple(
        sampling_speed.Speed(rows=rows, tokens_per_second=speed) for rows, speed in zip((8, 32), speeds, strict=True)
    )
    monkeypatch.setattr(sampling_speed, "_measure", lambda *_: measured)
    check = check_sampling(config, trainer)
    assert re.search(said, check.detail), check.detail


@pytest.mark.parametrize(("finish_reason", "well"), [("stop", True), ("length", False)])
def test_the_doctor_asks_a_language_model_for_a_rating(configure: Configure, finish_reason: str, well: bool) -> None:
    with serve(lambda request: (200, '<think>Clear.</think>{"score": 7}' if well else "<think>Clear")) as endpoint:
        endpoint.finish_reason = finish_reason
        made = {"endpoint": endpoint.url, "model": "m", "question": "q", "name": "readable", "retries": 0}
        judge = {"make": "trainer_adapter.rewards.llm_judge:LlmJudge", "arguments": made}
        config = configure(reward={"functions": ("accepted", judge), "weights": (1.0, 0.3)})
        found = {check.name: check for check in examine(config, with_model=False)}
    check = found["rating: readable"]
    assert check.ok is well
    assert ("0.7 for a right program; 7 of 4096 tokens" if well else "none: its thinking takes") in check.detail
    assert "most_tokens" in check.remedy
    assert found["reward"].ok is well


def test_a_run_that_is_never_rewarded_is_explained(configure: Configure) -> None:
    trainer = train.train(by_verdict(configure, grpo={"max_steps": 5, "save_strategy": "no"}))
    (found,) = (each for each in train.health(trainer).found if each.name == "no-reward")
    assert "no completion holds a complete fenced program" in found.cause


def test_a_vector_that_stands_still_is_noticed(configure: Configure) -> None:
    """As with a learning rate of 0, or steps that bfloat16 cannot show."""
    trainer = train.train(configure(grpo={"learning_rate": 0.0, "max_steps": 2, "save_strategy": "no"}))
    assert "unchanged" in {each.name for each in train.health(trainer).found}


#: Continuous batching on a CPU: by itself it would take half of the memory.
_BATCHED = {
    "use_transformers_continuous_batching": True,
    "transformers_continuous_batching_config": {"num_blocks": 16, "page_size": 64, "max_batch_tokens": 64},
}


def test_what_would_cast_the_model_is_refused(configure: Configure) -> None:
    assert train.arguments(configure(grpo=_BATCHED)).use_transformers_continuous_batching
    for precision in ("bf16", "fp16"):
        with pytest.raises(ConfigError, match="casts the whole model"):
            train.arguments(configure(grpo={**_BATCHED, precision: True}))


def test_a_vector_that_is_cast_while_it_trains_is_noticed_at_once(configure: Configure) -> None:
    """By TRL itself: it casts for continuous batching whatever has been said of it."""
    trainer = train.build(configure(grpo={**_BATCHED, "max_steps": 1, "save_strategy": "no"}))
    trainer.args.bf16 = True
    trainer.train()
    assert [vector.dtype for vector in vectors(trainer.model)] == [torch.bfloat16], "if TRL undoes it, allow it"
    assert "narrowed" in {each.name for each in train.health(trainer).found}


@pytest.mark.parametrize(
    ("adapter", "dtype", "quantization", "learning_rate", "swallowed"),
    [
        ("lora", "bfloat16", "nf4", 1e-6, False),  # TRL casts such a LoRA to bfloat16, and we undo that
        pytest.param("lora", "bfloat16", "none", 1e-6, False, marks=pytest.mark.long),
        ("none", "bfloat16", "none", 1e-6, True),
        pytest.param("none", "float32", "none", 1e-6, False, marks=pytest.mark.long),
        ("tinylora", "bfloat16", "nf4", 1e-6, False),
    ],
)
def test_steps_that_bfloat16_swallows(
    configure: Configure, adapter: str, dtype: str, quantization: str, learning_rate: float, swallowed: bool
) -> None:
    grpo = {"learning_rate": learning_rate, "max_steps": 6, "save_strategy": "no", "num_generations": 8}
    model = {"dtype": dtype, "quantization": quantization}
    trainer = train.train(configure(grpo=grpo, model=model, adapter={"kind": adapter}))
    moved = [log["adapter/moved"] for log in trainer.state.log_history if "adapter/moved" in log]
    assert ("swallowed" in {each.name for each in train.health(trainer).found}) is swallowed, moved
    assert len(moved) == 6
    assert all((share < 0.7) is swallowed for share in moved[1:]), moved
    assert {log["adapter/narrowed"] for log in trainer.state.log_history if "reward" in log} == {0.0}


def test_a_model_that_masks_tokens_has_no_entropy(configure: Configure) -> None:
    """It samples and learns: only its entropy is 0 times infinity."""
    trainer = train.build(configure(grpo={"max_steps": 1, "save_strategy": "no"}))
    head = trainer.model.get_output_embeddings()
    head.bias = torch.nn.Parameter(torch.zeros(head.out_features), requires_grad=False)
    head.bias[0] = -math.inf
    trainer.train()
    (log,) = (log for log in trainer.state.log_history if "reward" in log)
    assert log["entropy"] is None, "TRL's way to log that it is no number"
    assert math.isfinite(log["grad_norm"])
    (found,) = (each for each in train.health(trainer).found if each.name == "not-a-number")
    assert found.says == "entropy is not finite, though the loss is"


def test_a_loss_that_is_no_number_is_logged_as_it_is(model_directory: Path, tmp_path: Path) -> None:
    """Transformers would log the mean of the losses before."""
    source = tmp_path / "examples.jsonl"
    source.write_text("".join(json.dumps({"prompt": f"{n}?", "completion": f"{n}."}) + "\n" for n in range(8)))
    trainer = train.build(on_examples("sft", model_directory, source, tmp_path / "run", sft={"max_steps": 2}))
    trainer.model.get_base_model().model.norm.register_forward_hook(lambda layer, given, states: states * math.nan)
    trainer.train()
    assert [math.isnan(log["loss"]) for log in trainer.state.log_history if "loss" in log] == [True, True]
    assert [each.says for each in train.health(trainer).found] == ["loss is not finite"]


def test_a_run_that_breaks_leaves_its_report(configure: Configure) -> None:
    config = configure(reward={"functions": ("tests.trainer_adapter.runs:breaks",)})
    with pytest.raises(ZeroDivisionError):
        train.train(config)
    assert (config.run.directory / "report.html").exists()
