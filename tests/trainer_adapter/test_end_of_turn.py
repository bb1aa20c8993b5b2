"""A model may name several tokens at which it stops, and its tokenizer one that ends no turn."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import torch
from transformers import GenerationConfig, PreTrainedTokenizerFast

from tests.trainer_adapter.runs import Configure, on_examples
from trainer_adapter.rollouts.making.local import LocalSampler
from trainer_adapter.rollouts.making.requests import How, SampleRequest, Task
from trainer_adapter.training import preflight, train
from trainer_adapter.training.config import AnyConfig
from trainer_adapter.training.precheck import Precheck

TEXT, TURN = "<|endoftext|>", "<|im_end|>"
Ending = Callable[..., Path]


@pytest.fixture
def ending(model_directory: Path, tokenizer: PreTrainedTokenizerFast, tmp_path: Path) -> Ending:
    """A copy of the tiny model whose tokenizer has the end of a text for eos, as those of base models have."""

    def make(stops: Sequence[str]) -> Path:
        model = tmp_path / "model"
        shutil.copytree(model_directory, model)
        path = model / "tokenizer_config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"eos_token": TEXT}))
        GenerationConfig(eos_token_id=tokenizer.convert_tokens_to_ids(list(stops))).save_pretrained(model)
        return model

    return make


def checks(config: AnyConfig, *, with_model: bool = False) -> dict[str, Precheck]:
    return {check.name: check for check in preflight.examine(config, rollouts=2, with_model=with_model)}


def test_the_end_of_a_turn_is_one_of_several(configure: Configure, ending: Ending) -> None:
    config = configure(model={"path": str(ending([TEXT, TURN]))})
    found = checks(config)["chat template"]
    assert (found.ok, found.detail) == (True, f"a turn ends with '{TURN}'; generation stops at '{TEXT}', too")
    trainer = train.build(config)
    assert set(trainer.eos_token_ids) == set(train.tokenizer(config).convert_tokens_to_ids([TEXT, TURN]))


def test_a_turn_whose_end_nothing_stops_at(configure: Configure, ending: Ending) -> None:
    found = checks(configure(model={"path": str(ending([TEXT]))}))["chat template"]
    assert (found.ok, found.detail) == (False, f"no turn ends with eos, '{TEXT}'")
    assert "eos_token_id in the model's generation_config.json" in found.remedy


@pytest.mark.parametrize("end", [TEXT, TURN])
def test_sampling_stops_at_each(configure: Configure, ending: Ending, end: str) -> None:
    config = configure(model={"path": str(ending([TEXT, TURN]))})
    model, words = train.build(config).model, train.tokenizer(config)
    head = model.get_output_embeddings()
    head.bias = torch.nn.Parameter(torch.zeros(head.out_features), requires_grad=False)
    head.bias[words.convert_tokens_to_ids(end)] = 1e3
    task = Task(problem="P1001", prompt=[{"role": "user", "content": "Add a and b."}])
    sampler = LocalSampler(model, words, How(temperature=0, max_tokens=5))
    ((_, found),) = sampler.sample([SampleRequest(task=task, sample=0)])
    assert (found.text, found.tokens, found.truncated) == ("", 1, False)


def test_examples_are_learnt_with_the_end_of_a_turn(ending: Ending, tmp_path: Path) -> None:
    source = tmp_path / "examples.jsonl"
    source.write_text("".join(json.dumps({"prompt": f"{n}?", "completion": f"{n}."}) + "\n" for n in range(8)))
    config = on_examples("sft", ending([TEXT, TURN]), source, tmp_path / "run")
    found = checks(config, with_model=True)["end of turn"]
    assert (found.ok, "4 of 4 answers" in found.detail) == (True, True), found.detail
