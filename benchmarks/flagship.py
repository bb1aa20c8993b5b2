"""What a step of the flagship recipe costs on this machine's GPU: a token by batch size, a forward and backward pass,
the parts of whole steps, and memory beside what `judge-train doctor` estimates.

    python benchmarks/flagship.py [--directory DIR] [--steps 2] [--tokens 768] [--tiny] [--json FILE]

The model has the shape of Qwen2.5-Coder-3B and random weights: nothing is downloaded. Each figure is printed when it is
known. `--tiny`: a model of two layers, to try the script on a CPU; its figures mean nothing.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from peft import get_peft_model
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import nn
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

from trainer_adapter.training import config as configuration
from trainer_adapter.training import model as loading
from trainer_adapter.training import train
from trainer_adapter.training.arguments import arguments
from trainer_adapter.training.early_judging import EarlyJudging
from trainer_adapter.training.gpu_memory import estimate
from trainer_adapter.training.graphed_decoding import use_graphs
from trainer_adapter.training.tinylora import QuantizedLinear

GPU = torch.cuda.is_available()
DEVICE = "cuda" if GPU else "cpu"
RECIPE = Path("luogu_qwen2.5_coder_3b_tinylora")
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
#: Tokens of the two calls whose difference is the cost of a token.
FEW, MANY = 8, 40
PARTS = ("equal", "tokens", "pass", "steps")


class Figures:
    """What was measured, by name. Printed at once: a part that fails loses no other."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}

    def add(self, name: str, value: object) -> None:
        self.found[name] = value
        print(f"{name:<56} {value:.4g}" if isinstance(value, float) else f"{name:<56} {value}", flush=True)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        except Exception as error:
            traceback.print_exc()
            self.add(f"{name}: failed", repr(error)[:200])
        print(f"-- {name}: {time.monotonic() - began:.0f} s", flush=True)


def make_model(directory: Path, *, tiny: bool) -> None:
    """Random weights and a tokenizer of its own, as saved."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=2048,
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bpe.train_from_iterator((path.read_text("utf-8") for path in Path("problems/library").glob("*/*/*.md")), trainer)
    words = PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        pad_token="<|endoftext|>",  # noqa: S106 - no password
        eos_token="<|im_end|>",  # noqa: S106
        chat_template=TEMPLATE,
    )
    shape = Qwen2Config(
        vocab_size=4096 if tiny else 151936,
        hidden_size=64 if tiny else 2048,
        intermediate_size=128 if tiny else 11008,
        num_hidden_layers=2 if tiny else 36,
        num_attention_heads=4 if tiny else 16,
        num_key_value_heads=2,
        max_position_embeddings=32768,
        tie_word_embeddings=True,
        pad_token_id=words.pad_token_id,
        eos_token_id=words.eos_token_id,
        dtype="bfloat16",
    )
    torch.manual_seed(0)
    with torch.device(DEVICE):
        torch.set_default_dtype(torch.bfloat16)
        model = Qwen2ForCausalLM(shape)
        torch.set_default_dtype(torch.float32)
    model.save_pretrained(directory)
    words.save_pretrained(directory)


def synchronized_s() -> float:
    if GPU:
        torch.cuda.synchronize()
    return time.perf_counter()


def token_ms(model: nn.Module, rows: int, prompt: int, cache: str | None) -> float:
    """One token of so many rows, by `generate`."""
    ids = torch.randint(300, 2000, (rows, prompt), device=DEVICE)
    how = {"do_sample": True, "temperature": 1.0, "cache_implementation": cache, "pad_token_id": 0}

    def seconds(tokens: int) -> float:
        began = synchronized_s()
        with torch.no_grad(), use_graphs(model) if cache == "static" else nullcontext():
            model.generate(
                input_ids=ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=tokens,
                min_new_tokens=tokens,
                max_length=None,
                **how,
            )
        return synchronized_s() - began

    seconds(FEW)
    return 1000 * (seconds(MANY) - seconds(FEW)) / (MANY - FEW)


def product_at_each_token() -> AbstractContextManager[object]:
    """The adapter as where it is trained: R·A is made anew for each token."""

    def add(layer: QuantizedLinear, name: str, x: torch.Tensor, result: torch.Tensor) -> torch.Tensor:
        return result + layer._delta(name, x)

    return mock.patch.object(QuantizedLinear, "_add_product", add)


def measure_tokens(figures: Figures, model: Any, batches: list[int], prompt: int) -> None:
    for rows in batches:
        for cache in (None, "static"):
            name = "growing cache" if cache is None else "CUDA graph" if GPU else "static cache"
            with model.disable_adapter():
                base = token_ms(model, rows, prompt, cache)
            adapted = token_ms(model, rows, prompt, cache)
            figures.add(f"{rows} rows, {name}: base, ms a token", base)
            figures.add(f"{rows} rows, {name}: TinyLoRA, ms a token", adapted)
            figures.add(f"{rows} rows, {name}: TinyLoRA / base", adapted / base)
            figures.add(f"{rows} rows, {name}: tokens a second", 1000 * rows / adapted)
        if rows == batches[0]:
            with product_at_each_token():
                figures.add(f"{rows} rows, R·A at each token, ms a token", token_ms(model, rows, prompt, None))


def compare_tokens(figures: Figures, model: Any, rows: int, prompt: int) -> None:
    """Greedy tokens by a growing cache and by a graph; and logits with the product made once and made anew."""
    ids = torch.randint(300, 2000, (rows, prompt), device=DEVICE)

    def greedy(cache: str | None) -> torch.Tensor:
        with torch.no_grad(), use_graphs(model) if cache == "static" else nullcontext():
            return model.generate(
                input_ids=ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=24,
                max_length=None,
                do_sample=False,
                cache_implementation=cache,
                pad_token_id=0,
            )[:, prompt:]

    plain, static = greedy(None), greedy("static")
    again = greedy("static")
    width = min(plain.shape[1], static.shape[1])
    figures.add(
        "greedy tokens equal: growing cache, graph", (plain[:, :width] == static[:, :width]).float().mean().item()
    )
    figures.add("greedy tokens equal: graph, graph again", float(torch.equal(static, again)))
    with torch.no_grad():
        once = model(input_ids=ids[:4]).logits.float()
        with product_at_each_token():
            anew = model(input_ids=ids[:4]).logits.float()
    figures.add("logits, product once and anew: largest difference", (once - anew).abs().max().item())
    figures.add("largest logit", anew.abs().max().item())


def measure_pass(figures: Figures, model: Any, rows: int, tokens: int) -> None:
    """Forward and backward through the adapter, with activation checkpointing."""
    model.train()
    model.gradient_checkpointing_enable({"use_reentrant": False})
    model.enable_input_require_grads()
    ids = torch.randint(300, 2000, (rows, tokens), device=DEVICE)
    best = 0.0
    for attempt in range(2):
        began = synchronized_s()
        hidden = model.get_base_model().model(input_ids=ids, use_cache=False).last_hidden_state
        hidden.float().pow(2).mean().backward()
        best = synchronized_s() - began if not attempt else min(best, synchronized_s() - began)
    figures.add(f"forward and backward, {rows} x {tokens} tokens, s", best)
    model.gradient_checkpointing_disable()
    model.eval()


def timed(owner: type, name: str, spent: dict[str, float]) -> Callable[[], None]:
    """Add up how long a method takes; call what this returns to end that."""
    method = getattr(owner, name)

    def call(self: object, *given: Any, **named: Any) -> Any:
        began = synchronized_s()
        try:
            return method(self, *given, **named)
        finally:
            spent[name] = spent.get(name, 0.0) + synchronized_s() - began

    setattr(owner, name, call)
    return lambda: setattr(owner, name, method)


def measure_steps(figures: Figures, directory: Path, changes: list[str], steps: int) -> None:
    """Whole steps of the recipe: the trainer as `judge-train grpo` builds it."""
    config = configuration.load(
        RECIPE,
        [
            f"model.path={directory / 'model'}",
            f"run.directory={directory / 'run'}",
            f"grpo.max_steps={steps}",
            "grpo.save_strategy=no",
            "grpo.log_completions=false",
            "grpo.generation_kwargs={min_new_tokens: 1}",
            *changes,
        ],
    )
    figures.add("memory: estimate of doctor, GiB", estimate(config, arguments(config)).total_bytes / 2**30)
    if GPU:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        figures.add("memory: reserved before the trainer, GiB", torch.cuda.memory_reserved() / 2**30)
    trainer = train.build(config)
    spent: dict[str, float] = {}
    ends = [
        timed(EarlyJudging, "_generate", spent),
        timed(EarlyJudging, "_calculate_rewards", spent),
        timed(EarlyJudging, "_generate_and_score_completions", spent),
    ]
    try:
        began = synchronized_s()
        trainer.train()
        whole = synchronized_s() - began
    finally:
        for end in ends:
            end()
    sampling, rewards = spent.get("_generate", 0.0), spent.get("_calculate_rewards", 0.0)
    figures.add("a step, s", whole / steps)
    figures.add("  of it sampling, s", sampling / steps)
    figures.add("  of it waiting for rewards, s", rewards / steps)
    figures.add(
        "  of it the rest of preparing a batch, s",
        (spent.get("_generate_and_score_completions", 0.0) - sampling - rewards) / steps,
    )
    figures.add("  of it training, s", (whole - spent.get("_generate_and_score_completions", 0.0)) / steps)
    if GPU:
        figures.add("memory: peak reserved, GiB", torch.cuda.max_memory_reserved() / 2**30)
        figures.add("memory: peak allocated, GiB", torch.cuda.max_memory_allocated() / 2**30)
    last = {key: value for key, value in trainer.state.log_history[-2].items() if "length" in key or "judge" in key}
    figures.add("log", json.dumps(last))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--directory", type=Path, help="for the model's 6 GB (default: a temporary one)")
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=768)
    parser.add_argument("--batches", type=int, nargs="+", default=[96, 384])
    parser.add_argument("--prompt", type=int, default=256)
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE", help="of the recipe")
    parser.add_argument("--only", choices=PARTS, nargs="+", default=PARTS, help="what to measure (default: all)")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    figures = Figures()
    figures.add("torch", torch.__version__)
    figures.add("device", torch.cuda.get_device_name() if GPU else "CPU")
    with tempfile.TemporaryDirectory() as scratch:
        directory = given.directory or Path(scratch)
        with figures.part("making the model"):
            make_model(directory / "model", tiny=given.tiny)
        recipe = [f"model.path={directory / 'model'}", *given.set]
        with figures.part("loading it"):
            config = configuration.load(RECIPE, recipe)
            model: Any = get_peft_model(loading.base(config), loading.adapter(config)).eval()
            torch.manual_seed(1)
            for parameter in model.parameters():
                if parameter.requires_grad:
                    parameter.data.normal_(std=0.1)
        length = f"grpo.max_completion_length={given.tokens}"
        parts: dict[str, Callable[[], None]] = {
            "equal": lambda: compare_tokens(figures, model, given.batches[0], given.prompt),
            "tokens": lambda: measure_tokens(figures, model, given.batches, given.prompt),
            "pass": lambda: measure_pass(figures, model, 8, 48 if given.tiny else 1100),
            "steps": lambda: measure_steps(figures, directory, [length, *given.set], given.steps),
        }
        for name in given.only:
            if name == "steps":
                del model
            with figures.part(name):
                parts[name]()
        if given.json:
            given.json.write_text(json.dumps(figures.found, indent=1))


if __name__ == "__main__":
    main()
