"""Makes the demo's model: a Qwen2 of 0.8 million weights, taught by TRL's SFTTrainer to write as its authors do."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    PreTrainedTokenizerFast,
    PrinterCallback,
    Qwen2Config,
    Qwen2ForCausalLM,
    TrainerCallback,
    set_seed,
)
from trl import SFTConfig, SFTTrainer

from trainer_adapter.demo import corpus
from trainer_adapter.rollouts.making.passes import look_before_each_pass

#: For each problem, the messages that ask for its solution.
Prompts = Mapping[str, list[dict[str, str]]]

_PAD, _START, _END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
#: Qwen's chat template, without the parts that a tiny model does not need.
_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def tokenizer(prompts: Prompts) -> PreTrainedTokenizerFast:
    """A tokenizer with one token for each line that occurs."""
    text = "".join(f"{message['role']}\n{message['content']}\n" for prompt in prompts.values() for message in prompt)
    asked = (part for line in text.splitlines(keepends=True) for part in (line, line.removesuffix("\n")) if part)
    lines = dict.fromkeys((_PAD, _START, _END, "\n", "assistant\n", *asked, *corpus.lines()))
    whole = Tokenizer(models.WordLevel({line: number for number, line in enumerate(lines)}, unk_token=_PAD))
    whole.pre_tokenizer = pre_tokenizers.Split("\n", "merged_with_previous")
    whole.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(
        tokenizer_object=whole,
        pad_token=_PAD,
        eos_token=_END,
        additional_special_tokens=[_START],
        chat_template=_TEMPLATE,
    )


def teach(
    author: corpus.Author,
    prompts: Prompts,
    directory: Path,
    *,
    steps: int,
    seed: int,
    heard: TrainerCallback | None = None,
) -> None:
    """Train a new model on `author`'s programs and save it in `directory`, with its tokenizer.

    `heard` is told of each step.
    """
    set_seed(seed)
    words = tokenizer(prompts)
    model = _untaught(words)
    batch = 64
    settings = SFTConfig(
        output_dir=str(directory / "sft"),
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        per_device_train_batch_size=batch,
        max_steps=steps,
        learning_rate=2e-3,
        lr_scheduler_type="cosine",
        warmup_steps=steps // 10,
        logging_steps=max(1, steps // 10),
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        seed=seed,
    )
    trainer = SFTTrainer(
        model=model, args=settings, train_dataset=_lessons(author, prompts, steps * batch, seed), processing_class=words
    )
    trainer.remove_callback(PrinterCallback)
    if heard is not None:
        trainer.add_callback(heard)
    look_before_each_pass(model)
    trainer.train()
    model.save_pretrained(directory)
    words.save_pretrained(directory)


def _untaught(words: PreTrainedTokenizerFast) -> Qwen2ForCausalLM:
    return Qwen2ForCausalLM(
        Qwen2Config(
            vocab_size=len(words),
            hidden_size=128,
            intermediate_size=384,
            num_hidden_layers=4,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=512,
            tie_word_embeddings=True,
            pad_token_id=words.pad_token_id,
            bos_token_id=None,
            eos_token_id=words.eos_token_id,
        )
    )


def _lessons(author: corpus.Author, prompts: Prompts, count: int, seed: int) -> Dataset:
    dice = random.Random(seed)  # noqa: S311 - reproducible, not secret
    problems = [dice.choice(list(prompts)) for _ in range(count)]
    return Dataset.from_dict(
        {
            "prompt": [prompts[problem] for problem in problems],
            "completion": [[{"role": "assistant", "content": author.write(problem, dice)}] for problem in problems],
        }
    )
