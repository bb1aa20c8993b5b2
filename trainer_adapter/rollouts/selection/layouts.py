"""The layouts in which rows for SFT and DPO are written: `--format` of `judge-train rft` and `judge-train pairs`.

                rft                                 pairs
trl             prompt, completion                  prompt, chosen, rejected
swift           messages                            messages (with what is chosen), rejected_response
llama-factory   messages                            messages (the prompt alone), chosen, rejected: a message each
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any


class Layout(StrEnum):
    TRL = "trl"
    SWIFT = "swift"
    LLAMA_FACTORY = "llama-factory"


def lay_out(row: Mapping[str, Any], layout: Layout) -> dict[str, Any]:
    """A row of `rft.examples` or of `Pairing.pairs` in another layout. Columns that are no text of the model stay."""
    if layout is Layout.TRL:
        return dict(row)
    laid = {name: row[name] for name in row if name not in ("prompt", "completion", "chosen", "rejected")}
    messages = _messages(row["prompt"], "user")
    if "completion" in row:
        return {"messages": [*messages, *_messages(row["completion"], "assistant")]} | laid
    (chosen,), (rejected,) = (_messages(row[name], "assistant") for name in ("chosen", "rejected"))
    if layout is Layout.SWIFT:
        return {"messages": [*messages, chosen], "rejected_response": rejected["content"]} | laid
    return {"messages": messages, "chosen": chosen, "rejected": rejected} | laid


def _messages(value: Any, role: str) -> list[dict[str, Any]]:
    return [{"role": role, "content": value}] if isinstance(value, str) else list(value)
