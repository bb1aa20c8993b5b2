"""Held-out problems are sampled and judged while a model is trained, and nothing of the training changes by it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import yaml
from transformers import TrainerState

from judge import Verdict
from tests.trainer_adapter.runs import PROBLEMS, Configure
from trainer_adapter.commands.main import main
from trainer_adapter.data.config import DataConfig
from trainer_adapter.data.loading import load
from trainer_adapter.demo import apprentice, corpus
from trainer_adapter.health.symptoms import symptoms
from trainer_adapter.health.watch import Health
from trainer_adapter.rollouts.evaluation import evaluate
from trainer_adapter.rollouts.row import Rollout, read
from trainer_adapter.training import config as settings
from trainer_adapter.training import train
from trainer_adapter.training.config import Config, SftConfig
from trainer_adapter.training.held_out import figures
from trainer_adapter.training.preflight import examine
from trainer_adapter.training.tinylora import vectors

ASKED = {"source": "library", "only": PROBLEMS[:2], "statement_languages": ("en",), "system_prompt": ""}


def with_evaluation(config: Config, **evaluation: object) -> Config:
    values = config.model_dump(mode="json", by_alias=True)
    return Config.model_validate(values | {"evaluation": {"every": 2, "max_tokens": 4, "data": ASKED} | evaluation})


def test_evaluation_joins_the_log_the_files_and_the_page(configure: Configure) -> None:
    config = with_evaluation(configure(grpo={"max_steps": 5, "save_steps": 100}), samples=2, pass_k=(1, 2))
    trainer = train.train(config)
    logs = [log for log in trainer.state.log_history if "eval/pass@1" in log]
    assert [log["step"] for log in logs] == [0, 2, 4, 5]
    for log in logs:
        assert (log["eval/pass@1"], log["eval/pass@2"], log["eval/problems"]) == (0.0, 0.0, 2.0)
        assert (log["eval/not_judged"], log["eval/truncated"]) == (0.0, 1.0)
        assert "reward" not in log
    steps = [log for log in trainer.state.log_history if "reward" in log]
    assert [log["step"] for log in steps] == [1, 2, 3, 4, 5]
    assert all({"adapter/change", "completions/mean_length"} <= log.keys() for log in steps)
    files = sorted((config.run.directory / "evaluation").iterdir())
    assert [file.name for file in files] == [f"step-{step:06}.jsonl" for step in (0, 2, 4, 5)]
    rows = list(read(files[1]))
    assert [row.id for row in rows] == [f"{problem}#{sample}" for problem in PROBLEMS[:2] for sample in (0, 1)]
    assert {row.verdict for row in rows} == {Verdict.CE}
    assert main(["eval", str(files[1]), "--against", str(files[0])]) == 0
    assert "Held-out problems solved" in (config.run.directory / "report.html").read_text()
    assert yaml.safe_load((config.run.directory / "record/config.yaml").read_text())["evaluation"]["samples"] == 2


def test_training_goes_as_it_would_have_without(configure: Configure) -> None:
    config = configure(grpo={"max_steps": 2, "save_strategy": "no"})
    (plain,) = vectors(train.train(config).model)
    evaluated = train.train(with_evaluation(config, every=1, samples=3, temperature=0.7))
    (vector,) = vectors(evaluated.model)
    torch.testing.assert_close(vector, plain, rtol=0, atol=0)


def test_what_data_holds_out_is_evaluated(configure: Configure) -> None:
    """And is not trained on."""
    data = {"only": (), "held_out": 0.5}
    config = configure(grpo={"max_steps": 1, "save_strategy": "no"}, data=data)
    config = with_evaluation(config, data=None, most_problems=2)
    trainer = train.train(config)
    asked = {row.problem for row in read(config.run.directory / "evaluation/step-000001.jsonl")}
    assert len(asked) == 2
    assert asked.isdisjoint(trainer.train_dataset["problem_id"])


def test_without_a_second_problem_the_evaluation_is_turned_off(
    configure: Configure, caplog: pytest.LogCaptureFixture
) -> None:
    grpo = {"max_steps": 1, "save_strategy": "no", "num_generations": 8}
    config = configure(grpo=grpo, data={"only": PROBLEMS[:1], "held_out": 0.1})
    config = with_evaluation(config, data=None)
    (check,) = (each for each in examine(config, with_model=False) if each.name == "evaluation")
    assert check.ok is None
    assert "evaluation is turned off: the data have no second prompt to hold out" in check.detail
    assert train.train(config).state.global_step == 1
    assert "evaluation is turned off" in caplog.text


@pytest.mark.parametrize(
    ("evaluation", "words"),
    [
        ({"every": 5}, "nothing is held out"),
        ({"every": 5, "pass_k": [4]}, "set samples to 4"),
        ({"every": 5, "samples": 4, "temperature": 0}, "all 4 samples are equal"),
        ({"evry": 5}, "did you mean every?"),
    ],
)
def test_what_cannot_be_meant(configure: Configure, evaluation: dict[str, Any], words: str) -> None:
    values = configure().model_dump(mode="json", by_alias=True)
    with pytest.raises(ValueError, match=words.replace("?", r"\?")):
        Config.model_validate(values | {"evaluation": evaluation})


def test_examples_need_problems_of_their_own(configure: Configure) -> None:
    plain = configure().model_dump(mode="json", by_alias=True)
    values = {name: plain[name] for name in ("model", "adapter", "run")} | {"data": {"source": "x"}, "sft": {}}
    with pytest.raises(ValueError, match="the examples have no tests"):
        SftConfig.model_validate(values | {"evaluation": {"every": 5}})
    SftConfig.model_validate(values | {"evaluation": {"every": 5, "data": {"source": "library"}}})


def test_recipes_that_hold_programs_out_evaluate_on_them() -> None:
    found = {name: settings.load(Path(name)) for name in settings.recipes()}
    judged = {
        name for name, each in found.items()
        if isinstance(each, Config) and each.data.held_out and "accepted" in each.reward.names
    }  # fmt: skip
    assert judged
    assert all(found[name].evaluation.every for name in judged)


def evaluated(step: int, accepted: int, problems: int = 40) -> dict[str, float]:
    """What a run logs, of so many problems of which so many are solved."""
    rows = [
        Rollout(id=f"{n}", problem=f"P{n}", verdict=Verdict.AC if n < accepted else Verdict.WA, difficulty="easy")
        for n in range(problems)
    ]
    return figures(evaluate(rows), (1,)) | {"step": step}


def run(*accepted: int, problems: int = 40) -> list[dict[str, float]]:
    """The log of a run whose reward rises, evaluated every fifth step."""
    log = [evaluated(0, accepted[0], problems)]
    for number, solved in enumerate(accepted[1:], 1):
        log += [{"step": step, "reward": 0.2 + 0.02 * step} for step in range(5 * number - 4, 5 * number + 1)]
        log.append(evaluated(5 * number, solved, problems))
    return log


def overfits(log: list[dict[str, float]]) -> bool:
    return "overfitting" in {symptom.name for symptom in symptoms(log)}


def test_overfitting_is_found_in_what_evaluations_log() -> None:
    assert evaluated(5, 30)["eval/pass@1/easy"] == 0.75
    assert overfits(run(30, 28, 20))
    assert not overfits(run(30, 28, 31))
    assert not overfits(run(3, 3, 2, problems=4)), "one problem of four is chance"
    falling = [log | ({"reward": 0.5 - 0.01 * log["step"]} if "reward" in log else {}) for log in run(30, 28, 20)]
    assert not overfits(falling), "nothing was learnt by heart"


def test_the_watch_says_so_when_the_evaluation_is_logged(tmp_path: Path) -> None:
    watch, history = Health(tmp_path), run(30, 28, 20)
    state = TrainerState(log_history=history, global_step=10, is_world_process_zero=True)
    watch.on_log(SimpleNamespace(beta=0.0), state, None, logs=dict(history[-1]))
    assert [symptom.name for symptom in watch.found] == ["overfitting"]
    page = watch.write(history, 10).read_text()
    assert "overfitting" in page
    assert "eval/pass@1/easy" in page


def shortest(completions: list[list[dict[str, str]]], **_: object) -> list[float]:
    """What a completion of the training problems has learnt to say by heart: nothing."""
    return [-len(completion[-1]["content"]) / 100 for completion in completions]


@pytest.mark.long
def test_a_model_that_unlearns_to_program_is_seen_to_overfit(tmp_path: Path) -> None:
    """It solves the held-out problems at first. What it is rewarded for is to write nothing."""
    data = DataConfig(source="library", only=PROBLEMS[:2], statement_languages=("en",))
    prompts = {row["problem_id"]: row["prompt"] for row in load(data, tmp_path / "data").train}
    apprentice.teach(corpus.Author(skill=1.0), prompts, tmp_path / "model", steps=60, seed=0)
    values = {
        "model": {"path": str(tmp_path / "model"), "dtype": "float32"},
        "adapter": {"kind": "lora", "r": 8},
        "data": data,
        "reward": {"functions": [f"{__name__}:shortest"]},
        "evaluation": {"every": 6, "data": data, "max_tokens": 24},
        "grpo": {
            "use_cpu": True, "bf16": False, "activation_checkpointing": False, "disable_tqdm": True,
            "per_device_train_batch_size": 16, "num_generations": 8, "max_completion_length": 24,
            "learning_rate": 3e-2, "lr_scheduler_type": "constant", "temperature": 2.0, "max_steps": 24,
            "save_strategy": "no",
        },
        "run": {"directory": tmp_path / "run"},
    }  # fmt: skip
    trainer = train.train(Config.model_validate(values))
    solved = [log["eval/pass@1"] for log in trainer.state.log_history if "eval/pass@1" in log]
    assert solved[0] == 1.0
    assert solved[-1] == 0.0
    assert "overfitting" in {symptom.name for symptom in train.health(trainer).found}
    assert "overfitting" in (tmp_path / "run" / "report.html").read_text()


def test_the_doctor_says_what_is_evaluated(configure: Configure) -> None:
    found = {each.name: each for each in examine(with_evaluation(configure(), samples=3), with_model=False)}
    assert found["evaluation"].ok
    assert found["evaluation"].detail == "2 problems, 3 samples each, every 2 steps"
    without = with_evaluation(configure(), data={"source": "nowhere.jsonl"})
    found = {each.name: each for each in examine(without, with_model=False)}
    assert found["evaluation"].ok is False
    assert "nowhere.jsonl" in found["evaluation"].detail
