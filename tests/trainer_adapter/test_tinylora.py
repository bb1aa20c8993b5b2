"""TinyLoRA on models of every precision."""

from __future__ import annotations

import copy
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from bitsandbytes.nn import Linear4bit
from peft import PeftModel, PeftType, get_peft_model
from peft.mapping import PEFT_TYPE_TO_TUNER_MAPPING
from peft.tuners.tinylora import TinyLoraModel
from peft.utils.integrations import dequantize_bnb_weight
from safetensors.torch import load_file
from torch import Tensor, nn

from tests.trainer_adapter.adapters import IDS, config, logits, move
from trainer_adapter.training.tinylora import (
    KeepFloat32,
    QuantizedLinear,
    export_lora,
    factors,
    layers,
    vectors,
    wrapping,
)

BASES = ("float32", "bfloat16", "nf4", "int8")
LAYERS = 2
#: What rounding to bfloat16 does to logits that lie below 2: two steps of 2⁻⁷.
ROUNDED = 2 / 128


@pytest.fixture(params=BASES)
def wrapped(request: pytest.FixtureRequest, load: Callable[[str], nn.Module]) -> PeftModel:
    return get_peft_model(load(request.param), config())


def test_sixteen_numbers_are_trained(wrapped: PeftModel) -> None:
    found = wrapping(wrapped)
    assert (found.trainable, found.vectors, found.modules) == (16, 1, 7 * LAYERS)
    assert found.dtypes == {"float32"}
    names = [name for name, _ in wrapped.named_parameters(remove_duplicate=False) if "tinylora_v" in name]
    assert len(names) == 7 * LAYERS + 1, "every layer, and the model, hold the same one"


def test_peft_alone_takes_packed_weights_for_numbers(
    load: Callable[[str], nn.Module], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Why there is an extension; when this fails, look whether it can go."""
    monkeypatch.setitem(PEFT_TYPE_TO_TUNER_MAPPING, PeftType.TINYLORA, TinyLoraModel)
    with pytest.raises(RuntimeError, match="Only Tensors of floating point"):
        get_peft_model(load("nf4"), config())


@pytest.mark.parametrize(("tying", "vectors_of_their_own"), [(0.0, 14), (0.5, 7), (0.9, 1)])
def test_fewer_layers_share(load: Callable[[str], nn.Module], tying: float, vectors_of_their_own: int) -> None:
    found = wrapping(get_peft_model(load("nf4"), config(weight_tying=tying)))
    assert (found.trainable, found.vectors) == (16 * vectors_of_their_own, vectors_of_their_own)


def test_uniform_start(load: Callable[[str], nn.Module]) -> None:
    (vector,) = vectors(get_peft_model(load("nf4"), config(init_weights="uniform", init_v_bound=0.5)))
    assert 0.25 < vector.abs().max() <= 0.5


@pytest.mark.parametrize("base", BASES)
def test_nothing_changes_before_training(load: Callable[[str], nn.Module], base: str) -> None:
    model = load(base)
    if base == "nf4":  # as the extension leaves it: bitsandbytes' other kernel rounds otherwise
        for layer in model.modules():
            if isinstance(layer, Linear4bit):
                layer.support_avx512bf16_for_cpu = False
    before = logits(model.eval())
    torch.testing.assert_close(logits(get_peft_model(model, config()).eval()), before, rtol=0, atol=0)


def test_factors_are_of_the_dequantised_weight(wrapped: PeftModel) -> None:
    """B·A is as near to it as rank 2 can be. (σ of random weights lie close: which two are taken says little.)"""
    for name, layer in layers(wrapped):
        weight = dequantised(layer.get_base_layer()).detach().float()
        sigma = torch.linalg.svdvals(weight)
        a, b = layer.tinylora_A["default"], layer.tinylora_B["default"]
        assert a.dtype == b.dtype == torch.float32, name
        assert not torch.equal(a, a.bfloat16().float()), "they were not rounded to the model's precision on their way"
        torch.testing.assert_close((weight - b @ a).norm(), sigma[2:].norm(), rtol=1e-4, atol=0)


def dequantised(layer: nn.Linear) -> Tensor:
    if layer.weight.is_floating_point():
        return layer.weight
    return dequantize_bnb_weight(layer.weight, getattr(layer, "state", None))


def test_factors_of_a_trained_looking_weight() -> None:
    torch.manual_seed(0)
    weight = torch.randn(96, 160) * 0.02 + sum(
        (size * torch.outer(torch.randn(96), torch.randn(160)) for size in (0.1, 0.05)), torch.zeros(96, 160)
    )
    a, b = factors(weight, 2)
    left, sigma, right = torch.linalg.svd(weight, full_matrices=False)
    torch.testing.assert_close(b @ a, (left[:, :2] * sigma[:2]) @ right[:2], rtol=0, atol=1e-5)
    torch.testing.assert_close(a.norm(dim=1), sigma[:2].sqrt())
    torch.testing.assert_close(b.norm(dim=0), sigma[:2].sqrt())
    again = torch.randn(3), factors(weight, 2)
    assert torch.equal(again[1][0], a)
    assert torch.equal(again[1][1], b)


def test_signs_are_those_of_the_weight() -> None:
    torch.manual_seed(0)
    weight = torch.randn(40, 30)
    a, b = factors(weight, 2)
    for column in b.T:
        assert column[column.abs().argmax()] > 0
    flipped = weight.clone()
    flipped[:, :] *= torch.ones(30).index_fill(0, torch.arange(0, 30, 2), -1)  # B is as before, A has the new signs
    a2, b2 = factors(flipped, 2)
    torch.testing.assert_close(b2, b, rtol=1e-3, atol=1e-4)
    torch.testing.assert_close(a2.abs(), a.abs(), rtol=1e-3, atol=1e-4)


def test_factors_of_a_thin_weight() -> None:
    a, b = factors(torch.ones(1, 5), 2)
    assert (a.shape, b.shape) == ((1, 5), (1, 1))


def test_one_layer_is_unpacked_at_a_time() -> None:
    """The peak of resident memory, above the model: 3 of its 4 layers in float32."""

    def packed() -> Linear4bit:
        layer = Linear4bit(2048, 4096, bias=False, compute_dtype=torch.bfloat16, quant_type="nf4")
        layer.weight = layer.weight.to("cpu")
        return layer

    model = nn.Sequential(*(packed() for _ in range(4)))
    before = resident_bytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    found = wrapping(get_peft_model(model, config(target_modules=[str(n) for n in range(4)], task_type=None)))
    assert found.modules == 4
    assert resident_bytes("VmHWM") - before < 3 * 4 * 2048 * 4096


def resident_bytes(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{field}:"))


def test_the_random_state_is_left_alone() -> None:
    torch.manual_seed(7)
    expected = torch.randn(2)
    torch.manual_seed(7)
    factors(torch.ones(8, 8), 2)
    assert torch.equal(torch.randn(2), expected)


#: Base, input and autocast; nn.Linear itself takes no other dtype than its own.
MIXTURES = [
    (base, x, autocast)
    for base in ("float32", "bfloat16", "nf4", "int8")
    for x in ("float32", "bfloat16")
    for autocast in (False, True)
    if autocast or base in (x, "nf4", "int8")
]


@pytest.mark.parametrize("v", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize(("base", "x", "autocast"), MIXTURES)
def test_no_mixture_of_dtypes_fails(
    load: Callable[[str], nn.Module], base: str, x: str, autocast: bool, v: torch.dtype
) -> None:
    """Also v in bfloat16, as a trainer leaves it: the layer gives what the same in float32 gives."""
    model = get_peft_model(load(base), config())
    move(model)
    for vector in vectors(model):
        vector.data = vector.data.to(v)
    layer = next(layer for name, layer in layers(model) if name.endswith("down_proj"))
    given = torch.randn(2, 3, layer.in_features, generator=torch.Generator().manual_seed(0)).to(getattr(torch, x))
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=autocast):
        out = layer(given)
        plain = layer.base_layer(given)
    assert out.dtype == given.dtype
    out.float().square().sum().backward()
    (vector,) = vectors(model)
    assert vector.grad is not None
    assert vector.grad.abs().min() > 0
    expected = given.float() @ layer.get_delta_weight("default").float().T
    torch.testing.assert_close((out.float() - plain.float()).detach(), expected.detach(), rtol=0.05, atol=0.05)


@pytest.mark.parametrize("autocast", [False, True])
@pytest.mark.parametrize("base", ["float32", "nf4"])
def test_gradient_is_that_of_the_definition(load: Callable[[str], nn.Module], base: str, autocast: bool) -> None:
    """Of a loss that is linear in the change: d/dvᵢ = ⟨G, B·Pᵢ·A⟩, summed over all layers that share v; in float32."""
    model = get_peft_model(load(base), config())
    loss = torch.zeros(())
    expected = torch.zeros(16)
    for _, layer in layers(model):
        x = torch.randn(4, layer.in_features, generator=torch.Generator().manual_seed(3))
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=autocast):
            loss = loss + layer(x).sum()
        a, b, p = (part["default"] for part in (layer.tinylora_A, layer.tinylora_B, layer.tinylora_P))
        expected += torch.einsum("or,irs,sk,nk->i", b, p, a, x)
    loss.backward()
    (vector,) = vectors(model)
    torch.testing.assert_close(vector.grad, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("base", BASES)
def test_saved_and_loaded(load: Callable[[str], nn.Module], base: str, tmp_path: Path) -> None:
    model = get_peft_model(load(base), config())
    move(model)
    model.save_pretrained(tmp_path)
    again = PeftModel.from_pretrained(load(base), tmp_path, is_trainable=True)
    assert wrapping(again) == wrapping(model)
    saved, loaded = model.state_dict(), again.state_dict()
    adapter = [name for name in saved if "tinylora" in name]
    assert len(adapter) == 3 * 7 * LAYERS + 7 * LAYERS + 1
    assert all(torch.equal(saved[name], loaded[name]) for name in adapter)
    torch.testing.assert_close(logits(again.eval()), logits(model.eval()), rtol=0, atol=0)
    stored = load_file(tmp_path / "adapter_model.safetensors")
    assert sum(tensor.numel() for name, tensor in stored.items() if "tinylora_v" in name) == 16


@pytest.mark.parametrize("base", BASES)
def test_exported_as_an_equal_lora(load: Callable[[str], nn.Module], base: str, tmp_path: Path) -> None:
    model = get_peft_model(load(base), config())
    before = logits(model.eval())
    move(model)
    export_lora(model, tmp_path)
    lora = PeftModel.from_pretrained(copy_of_base(load, base), tmp_path).eval()
    assert {len(parameter) for name, parameter in lora.named_parameters() if "lora_A" in name} == {2}
    effect = (logits(model) - before).abs().max()
    error = (logits(lora) - logits(model)).abs().max()
    assert effect > 0.1
    assert error <= (1e-5 * effect if base == "float32" else ROUNDED)


@pytest.mark.parametrize("base", BASES)
def test_read_by_peft_alone(load: Callable[[str], nn.Module], base: str, tmp_path: Path) -> None:
    """Without the extension a saved adapter is the same on plain weights, and refused on packed ones: never another."""
    model = get_peft_model(load(base), config())
    move(model)
    model.save_pretrained(tmp_path)
    with pytest.MonkeyPatch.context() as peft_alone:
        peft_alone.setitem(PEFT_TYPE_TO_TUNER_MAPPING, PeftType.TINYLORA, TinyLoraModel)
        if base in ("nf4", "int8"):
            with pytest.raises(RuntimeError, match="Only Tensors of floating point"):
                PeftModel.from_pretrained(load(base), tmp_path)
            return
        again = PeftModel.from_pretrained(load(base), tmp_path)
    torch.testing.assert_close(trained_logits(again.eval()), trained_logits(model.eval()), rtol=1e-5, atol=1e-6)


def test_the_page_shows_code_that_runs() -> None:
    """docs/training.md, but for the trainer, which gets what stands there in other tests."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "training.md").read_text()
    block = page.split("extends it for all code that uses PEFT:\n\n", 1)[1].split("\n\n", 1)[0]
    *lines, trainer = textwrap.dedent(block).splitlines()
    known: dict[str, object] = {"GRPOTrainer": lambda *_, **given: given}
    exec("\n".join((*lines, f"given = {trainer}")), known)
    given = known["given"]
    assert isinstance(given, dict)
    assert given["peft_config"].to_dict() == config(task_type=None).to_dict()
    assert isinstance(given["callbacks"][0], KeepFloat32)


def copy_of_base(load: Callable[[str], nn.Module], base: str) -> nn.Module:
    model = load(base)
    for layer in model.modules():
        if isinstance(layer, Linear4bit):
            layer.support_avx512bf16_for_cpu = False
    return model


def test_lora_is_merged_into_the_model_in_full_precision(load: Callable[[str], nn.Module], tmp_path: Path) -> None:
    """What was trained on four bits is served in full precision: the same change to each weight."""
    model = get_peft_model(load("nf4"), config())
    move(model)
    export_lora(model, tmp_path)
    base = load("float32")
    merged = PeftModel.from_pretrained(copy.deepcopy(base), tmp_path).merge_and_unload()
    for name, layer in layers(model):
        path = name.removeprefix("base_model.model.")
        change = merged.get_submodule(path).weight - base.get_submodule(path).weight
        torch.testing.assert_close(change, layer.get_delta_weight("default"), rtol=0, atol=1e-6)


@pytest.mark.parametrize("base", ["nf4", "int8"])
def test_merging_into_packed_weights_is_refused(load: Callable[[str], nn.Module], base: str) -> None:
    model = get_peft_model(load(base), config())
    packed = {name: layer.get_base_layer().weight.data.clone() for name, layer in layers(model)}
    with pytest.raises(ValueError, match="export_lora"):
        model.merge_adapter()  # as TRL does before each synchronisation with vLLM
    with pytest.raises(ValueError, match="full precision"):
        model.merge_and_unload()
    assert all(torch.equal(layer.get_base_layer().weight.data, packed[name]) for name, layer in layers(model))


def test_merging_into_full_precision(load: Callable[[str], nn.Module]) -> None:
    model = get_peft_model(load("float32"), config())
    move(model)
    expected = logits(model.eval())
    merged = model.merge_and_unload()
    assert not any(isinstance(module, QuantizedLinear) for module in merged.modules())
    torch.testing.assert_close(logits(merged), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.filterwarnings("ignore:Model has `tie_word_embeddings=True` and a tied layer is part of the adapter")
def test_other_layers_are_not_exported(load: Callable[[str], nn.Module], tmp_path: Path) -> None:
    model = get_peft_model(load("float32"), config(target_modules=["embed_tokens", "q_proj"]))
    with pytest.raises(TypeError, match=r"embed_tokens is a Embedding"):
        export_lora(model, tmp_path)


def test_gradient_survives_evaluation(load: Callable[[str], nn.Module]) -> None:
    """bitsandbytes repacks weights in eval mode on some CPUs; then training fails or learns from garbage."""
    model = get_peft_model(load("nf4"), config())
    move(model, 0.1)

    def gradient() -> Tensor:
        (vector,) = vectors(model)
        vector.grad = None
        model.train()
        model(input_ids=IDS, labels=IDS).loss.backward()
        assert vector.grad is not None
        return vector.grad.clone()

    before = gradient()
    logits(model.eval())
    assert torch.equal(gradient(), before)


def test_a_repacked_model_is_refused(load: Callable[[str], nn.Module]) -> None:
    model = load("nf4")
    next(
        layer for layer in model.modules() if isinstance(layer, Linear4bit)
    ).weight.quant_state.packing_format_for_cpu = True
    with pytest.raises(RuntimeError, match=r"q_proj was repacked.* right after the model is loaded"):
        get_peft_model(model, config())


def test_adapter_can_be_switched_off(wrapped: PeftModel) -> None:
    before = logits(wrapped.eval())
    move(wrapped)
    moved = logits(wrapped)
    with wrapped.disable_adapter():
        assert torch.equal(logits(wrapped), before)
    assert torch.equal(logits(wrapped), moved)
    assert (moved - before).abs().max() > 0.1


def moved(load: Callable[[str], nn.Module], base: str) -> PeftModel:
    """An adapted model whose numbers are far from 0."""
    model = get_peft_model(load(base), config()).eval()
    move(model)
    return model


def trained_logits(model: nn.Module) -> Tensor:
    """As a forward pass computes them that is trained through."""
    with torch.enable_grad():
        return model(input_ids=IDS).logits.detach().float()


@pytest.mark.parametrize("base", BASES)
def test_sampling_sees_the_model_that_is_trained(load: Callable[[str], nn.Module], base: str) -> None:
    model = moved(load, base)
    with model.disable_adapter():
        without = logits(model)
    trained, sampled = trained_logits(model), logits(model)
    assert (trained - without).abs().max() > 10 * ROUNDED, "the adapter matters"
    torch.testing.assert_close(sampled, trained, rtol=0, atol=1e-6 if base == "float32" else ROUNDED)


def test_a_product_is_made_once_for_many_tokens(load: Callable[[str], nn.Module]) -> None:
    model = moved(load, "float32")
    logits(model)
    products = [layer._products["default"] for _, layer in layers(model)]
    logits(model)
    assert all(
        layer._products["default"] is product for (_, layer), product in zip(layers(model), products, strict=True)
    )
    trained_logits(model)
    assert not any(layer._products for _, layer in layers(model))


def step(model: PeftModel) -> None:
    (vector,) = vectors(model)
    optimizer = torch.optim.AdamW([vector], lr=0.5)
    model(input_ids=IDS, labels=IDS).loss.backward()
    optimizer.step()


def foreign_step(model: PeftModel) -> None:
    """As optimizers of bitsandbytes and DeepSpeed do it: PyTorch does not see that v changes."""
    (vector,) = vectors(model)
    model(input_ids=IDS, labels=IDS).loss.backward()
    vector.data.add_(vector.grad.sign())


def checkpointed_step(model: PeftModel) -> None:
    """The forward pass is made without gradients here, and again with them in the backward pass."""
    model.train()
    model.gradient_checkpointing_enable({"use_reentrant": True})
    model.enable_input_require_grads()
    foreign_step(model)
    model.eval()


def replaced(model: PeftModel) -> None:
    (vector,) = vectors(model)
    vector.data = vector.data.clone() + 1


def loaded(model: PeftModel) -> None:
    state = {name: value.clone() for name, value in model.state_dict().items() if "tinylora" in name}
    model.load_state_dict({name: value * 1.5 for name, value in state.items()}, strict=False)


@pytest.mark.parametrize("change", [step, foreign_step, checkpointed_step, replaced, loaded])
def test_sampling_after_a_change_is_by_the_new_numbers(
    load: Callable[[str], nn.Module], change: Callable[[PeftModel], None]
) -> None:
    model = moved(load, "float32")
    before = logits(model)
    change(model)
    after = logits(model)
    assert (after - before).abs().max() > 1e-3
    torch.testing.assert_close(after, trained_logits(model), rtol=0, atol=1e-6)
