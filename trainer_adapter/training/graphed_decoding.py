"""Samples on a GPU by CUDA graphs: a token then costs what its kernels cost, not what it costs to start them one by one
from Python.

    GRPOConfig(cache_implementation="static") ─► generate ─► get_compiled_call ─► GraphedCall
        first tokens      the model itself
        one token         its kernels are recorded
        all others        the record is played, on the same memory

transformers would compile the model at this place. That takes minutes, and again for each shape of a batch; it does not
see through 4-bit layers and adapters either. A record takes as long as a token.

A record holds the weights' places in memory. So each call of `generate` makes its own: what is trained may have
changed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from peft import PeftModel
from torch import Tensor, nn
from transformers import StaticCache

_log = logging.getLogger(__name__)

#: The model itself makes `_UNRECORDED` tokens. What libraries make when they are first used is there then.
_UNRECORDED = 2


class GraphedCall:
    """A model's forward pass for one token more, in place of that model's own. All calls have tensors of one shape, and
    give the same object, whose tensors are overwritten by the next call."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call
        self._calls = 0
        self._graph: torch.cuda.CUDAGraph | None = None
        #: The tensors that the record reads, and what it writes.
        self._given: dict[str, Any] = {}
        self._outputs: Any = None

    def __call__(self, **given: Any) -> Any:
        self._calls += 1
        if self._calls == _UNRECORDED + 1:
            self._record(given)
        if self._graph is not None and not _fits(self._given, given):
            self._graph = None  # what else a call is given now may be something that no record follows
        if self._graph is None:
            return self._call(**given)
        _copy(self._given, given)
        self._graph.replay()
        return self._outputs

    def _record(self, given: Mapping[str, Any]) -> None:
        self._given, graph = _clone(given), torch.cuda.CUDAGraph()
        try:
            # Other threads may use the GPU meanwhile: they are not recorded.
            with torch.cuda.graph(graph, capture_error_mode="thread_local"):
                self._outputs = self._call(**self._given)
        except RuntimeError as error:
            why = str(error).partition("\n")[0]
            _log.warning("this model's kernels cannot be recorded, so that sampling is slower: %s", why)
        else:
            self._graph = graph


def _clone(given: Mapping[str, Any]) -> dict[str, Any]:
    """The same, with tensors of its own, also within mappings. Other objects (the cache) are shared."""

    def clone(value: Any) -> Any:
        if isinstance(value, Tensor):
            return value.clone()
        return _clone(value) if isinstance(value, dict) else value

    return {name: clone(value) for name, value in given.items()}


def _fits(kept: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
    """Whether the calls differ in nothing but the values of tensors."""

    def fits(old: Any, new: Any) -> bool:
        if isinstance(old, Tensor):
            return isinstance(new, Tensor) and old.shape == new.shape and old.dtype == new.dtype
        if isinstance(old, dict):
            return isinstance(new, dict) and _fits(old, new)
        return old is new or (isinstance(old, bool | int | float | str) and old == new)

    return kept.keys() == given.keys() and all(fits(kept[name], given[name]) for name in kept)


def _copy(kept: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    for name, value in given.items():
        if isinstance(value, Tensor):
            kept[name].copy_(value)
        elif isinstance(value, dict):
            _copy(kept[name], value)


def _stays(cache: object) -> bool:
    """Whether keys and values have places on the GPU that do not change."""
    return isinstance(cache, StaticCache) and not getattr(cache, "offloading", False)


@contextmanager
def use_graphs(model: nn.Module) -> Iterator[None]:
    """Within, `generate` with a static cache uses CUDA graphs. Without a GPU nothing changes."""
    inner = model.get_base_model() if isinstance(model, PeftModel) else model
    if not torch.cuda.is_available():
        yield
        return
    # transformers asks the first whether to call the second. By itself it leaves 4-bit models as they are.
    inner._valid_auto_compile_criteria = lambda given, _: _stays(given.get("cache"))
    inner.get_compiled_call = lambda _: GraphedCall(inner.__call__)
    try:
        yield
    finally:
        del inner._valid_auto_compile_criteria, inner.get_compiled_call
