"""What it costs to wrap a 4-bit model of 3 billion parameters with TinyLoRA: seconds, memory above the model's, and
time for each token.

    python benchmarks/tinylora.py [--layers 36] [--threads 2]

The model has the shapes of Qwen2.5-3B and random weights, quantised as they are made: it is never there in full
precision. Exit code 1 if wrapping takes 4 minutes or more, if memory grows by more than 3 times the largest layer in
float32, or if it is not 16 numbers in all layers that are to be trained.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import torch
from bitsandbytes.nn import Linear4bit, Params4bit
from peft import PeftModel, TinyLoraConfig, get_peft_model
from torch import nn
from transformers import Qwen2Config, Qwen2ForCausalLM

from trainer_adapter.training.config import BLOCK_MODULES
from trainer_adapter.training.tinylora import wrapping

MIB = 1 << 20
MOST_SECONDS = 240
MOST_LAYERS = 3.0
ROUNDS = 5


def shape(layers: int) -> Qwen2Config:
    return Qwen2Config(
        vocab_size=151936,
        hidden_size=2048,
        intermediate_size=11008,
        num_hidden_layers=layers,
        num_attention_heads=16,
        num_key_value_heads=2,
        tie_word_embeddings=True,
        dtype=torch.bfloat16,
    )


def random_nf4(linear: nn.Linear) -> Linear4bit:
    """Of the shape of a layer on the meta device."""
    bias = linear.bias is not None
    with torch.device("meta"):
        layer = Linear4bit(
            linear.in_features, linear.out_features, bias, compute_dtype=torch.bfloat16, quant_type="nf4"
        )
    weight = torch.empty(linear.out_features, linear.in_features, dtype=torch.bfloat16).normal_(std=0.02)
    layer.weight = Params4bit(weight, quant_type="nf4", module=layer).to("cpu")
    if bias:
        layer.bias = nn.Parameter(torch.zeros(linear.out_features, dtype=torch.bfloat16), requires_grad=False)
    return layer


def random_model(config: Qwen2Config) -> Qwen2ForCausalLM:
    with torch.device("meta"):
        model = Qwen2ForCausalLM(config).to(torch.bfloat16)
    for name, module in list(model.named_modules()):
        if isinstance(module, nn.Linear) and name.endswith(BLOCK_MODULES):
            model.set_submodule(name, random_nf4(module))
        elif isinstance(module, nn.Embedding) or name.endswith("norm"):
            module.to_empty(device="cpu")
            module.weight.data.normal_(std=0.02)
    model.model.rotary_emb = type(model.model.rotary_emb)(config)  # not a parameter: computed when it is made
    model.tie_weights()
    return model


def status(field: str) -> int:
    """Bytes, of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{field}:"))


def token_ratios(model: PeftModel, rows: int) -> dict[str, float]:
    """What the adapter makes of the cost of a token: computed as where it is trained, and as where it is sampled."""
    ids = torch.randint(0, 1000, (rows, 1))
    model.eval()

    def seconds(gradients: bool) -> float:
        begin = time.perf_counter()
        with torch.set_grad_enabled(gradients):
            model.base_model.model.model(input_ids=ids, use_cache=False)
        return time.perf_counter() - begin

    base, trained, sampled = [], [], []
    for _ in range(ROUNDS):
        with model.disable_adapter():
            base.append(seconds(gradients=False))
        trained.append(seconds(gradients=True))
        seconds(gradients=False)  # makes the products
        sampled.append(seconds(gradients=False))
    return {"trained through": min(trained) / min(base), "sampled": min(sampled) / min(base)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=36)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rows", type=int, default=96, help="completions that are sampled together")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)

    begin = time.monotonic()
    model = random_model(shape(arguments.layers))
    before = status("VmRSS")
    made = time.monotonic() - begin
    print(f"{arguments.layers} layers made in {made:.0f} s; the process has {before / MIB:.0f} MiB", flush=True)

    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    begin, cpu = time.monotonic(), time.process_time()
    config = TinyLoraConfig(r=2, u=16, weight_tying=1.0, target_modules=list(BLOCK_MODULES), task_type="CAUSAL_LM")
    wrapped = get_peft_model(model, config)
    seconds, cpu, grown = time.monotonic() - begin, time.process_time() - cpu, status("VmHWM") - before
    packed = [layer for layer in model.modules() if isinstance(layer, Linear4bit)]
    largest = max(layer.in_features * layer.out_features * 4 for layer in packed)
    found = wrapping(wrapped)
    print(f"{found.modules} modules wrapped in {seconds:.0f} s ({cpu:.0f} s of CPU), {found.trainable} numbers trained")
    print(
        f"{grown / MIB:.0f} MiB above that at most: {grown / largest:.2f} × the largest layer ({largest / MIB:.0f} MiB)"
    )
    print(f"{(status('VmRSS') - before) / MIB:.0f} MiB of it are kept")
    print(f"one token of {arguments.rows} rows, as a multiple of the base's, least of {ROUNDS} in turn:")
    for name, ratio in token_ratios(wrapped, arguments.rows).items():
        print(f"  {name:<20} {ratio:.2f}")
    held = (found.trainable, found.vectors, found.modules) == (16, 1, 7 * arguments.layers)
    return 0 if held and seconds < MOST_SECONDS and grown <= MOST_LAYERS * largest else 1


if __name__ == "__main__":
    raise SystemExit(main())
