"""Sampling by records of kernels. What a GPU records cannot be shown here; who is called, and with what, can."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from peft import get_peft_model
from torch import Tensor, nn

from tests.trainer_adapter.adapters import config, move
from trainer_adapter.training import graphed_decoding
from trainer_adapter.training.graphed_decoding import use_graphs


class Played:
    """A record of a CPU: it calls the model anew, on tensors that the first call brought, and gives one object."""

    made = 0

    def __init__(self, call: Callable[..., Any]) -> None:
        Played.made += 1
        self._call = call
        self._given: dict[str, Any] | None = None
        self.calls = 0

    def __call__(self, **given: Any) -> Any:
        self.calls += 1
        if self._given is None:
            self._given = graphed_decoding._clone(given)
        assert graphed_decoding._fits(self._given, given), "the record would be left"
        graphed_decoding._copy(self._given, given)
        return self._call(**self._given)


def tokens(model: nn.Module, cache: str | None) -> Tensor:
    ids = torch.tensor([[5, 6, 7, 8], [0, 0, 9, 10]])
    mask = torch.tensor([[1, 1, 1, 1], [0, 0, 1, 1]])
    made: Tensor = model.generate(  # type: ignore[operator]
        input_ids=ids,
        attention_mask=mask,
        max_new_tokens=12,
        min_new_tokens=12,
        do_sample=False,
        cache_implementation=cache,
        pad_token_id=0,
    )
    return made


@pytest.mark.parametrize("base", ["float32", "nf4"])
def test_a_static_cache_is_sampled_by_records(
    load: Callable[[str], nn.Module], monkeypatch: pytest.MonkeyPatch, base: str
) -> None:
    """Also of a 4-bit model, which transformers would not compile; and each generation makes its record anew."""
    model = get_peft_model(load(base), config()).eval()
    plain = tokens(model, "static")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(graphed_decoding, "GraphedCall", Played)
    Played.made = 0
    with use_graphs(model):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
        assert torch.equal(tokens(model, "static"), plain)
        assert Played.made == 1
        move(model)
        moved = tokens(model, "static")
        assert Played.made == 2
        tokens(model, None)
        assert Played.made == 2, "a growing cache has no record"
    assert torch.equal(tokens(model, "static"), moved)
    assert Played.made == 2


def test_a_record_is_left_where_a_call_differs() -> None:
    """But in the values of tensors: a mask that is no tensor, say, changes from token to token."""
    cache, mask = object(), torch.ones(2, 1, 1, 8)
    first = {"input_ids": torch.tensor([[1], [2]]), "attention_mask": {"full": mask}, "cache": cache, "n": 1}
    kept = graphed_decoding._clone(first)
    changed = {"input_ids": torch.tensor([[3], [4]]), "attention_mask": {"full": 0 * mask}, "cache": cache, "n": 1}
    assert graphed_decoding._fits(kept, changed)
    for name, value in (
        ("cache", object()),
        ("n", 2),
        ("attention_mask", None),
        ("attention_mask", {"full": mask[:1]}),
        ("input_ids", torch.tensor([[3], [4]], dtype=torch.int32)),
        ("more", 1),
    ):
        assert not graphed_decoding._fits(kept, {**changed, name: value}), name
