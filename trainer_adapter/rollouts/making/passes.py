"""Has a model look before each of its passes whether the command was asked to end: the steps of a generation and of
training are passes, and between two of them nothing else looks."""

from __future__ import annotations

from typing import Any

from judge.common.ending import look


def look_before_each_pass(model: Any) -> None:
    """`model`: torch's, perhaps wrapped by PEFT, which generates with what it wraps."""
    inner = model.get_base_model() if hasattr(model, "get_base_model") else model
    inner.register_forward_pre_hook(_look)


def _look(module: Any, inputs: Any) -> None:
    look()
