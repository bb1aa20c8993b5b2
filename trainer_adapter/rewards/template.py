"""What a chat template writes between a prompt and its answer: some open the thinking there."""

from __future__ import annotations

from typing import Any


def template_end(tokenizer: Any, **options: Any) -> str:
    """The end of a prompt of messages as the model meets it: `<|im_start|>assistant\\n<think>\\n` for
    `Settings.template_end`.

    Args:
        tokenizer: one of transformers', or a processor; without a chat template the end is empty.
        options: of its `apply_chat_template`, as the trainer gives them (`chat_template`, `enable_thinking`).
    """
    if not (options.get("chat_template") or getattr(tokenizer, "chat_template", None)):
        return ""
    whole, prompt = (
        tokenizer.apply_chat_template(
            [{"role": "user", "content": "?"}], add_generation_prompt=ask, tokenize=False, **options
        )
        for ask in (True, False)
    )
    return str(whole).removeprefix(str(prompt))
