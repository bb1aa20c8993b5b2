"""Extends PEFT's TinyLoRA tuner to quantised models.

    import trainer_adapter.training.tinylora                 # PEFT's TinyLoraConfig now also adapts 4- and 8-bit layers
    GRPOTrainer(..., peft_config=TinyLoraConfig(r=2, u=16, weight_tying=1.0, ...), callbacks=[KeepFloat32()])

PEFT adds B·R·A to a weight W: A and B are its first r singular vectors, scaled by √σ, and R = Σ vᵢPᵢ with random Pᵢ.
Only the `u` numbers v are trained, the same ones in the whole model if `weight_tying` is 1. We change this:

- PEFT's QuantizationBackend dequantises W, one layer at a time. Its singular vectors are computed in float32 on the
  CPU: the first few only, with a fixed seed and fixed signs, so that they are the same in every run.
- A, B and v are float32 in every model, and so is what is trained through them, with and without autocast: AdamW's
  steps on v are too small for bfloat16. `KeepFloat32` undoes TRL's cast of v.
- Where nothing is trained (sampling, evaluation), R·A is made once for each v, not for each token, and the change is
  two thin products in the precision of the base's output.
- We never merge into a quantised W: rounding would lose the change. `export_lora` writes an equal LoRA of rank r, for
  vLLM and for merging into the model in full precision.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import peft
import torch
from bitsandbytes.nn import Linear4bit
from peft import LoraConfig, PeftModel, PeftType, TinyLoraConfig
from peft.mapping import PEFT_TYPE_TO_TUNER_MAPPING
from peft.tuners.tinylora import Linear, TinyLoraLayer, TinyLoraModel
from peft.tuners.tuners_utils import BaseTunerLayer
from peft.utils import SAFETENSORS_WEIGHTS_NAME, resolve_quantization_backend
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional
from transformers import TrainerCallback

# The versions of PEFT whose tuner has the methods that we replace: 0.21.0 names its vectors otherwise.
if not peft.__version__.startswith("0.21.") or peft.__version__ == "0.21.0":
    raise ImportError(f"PEFT {peft.__version__} is not one that {__name__} extends: install peft>=0.21.1,<0.22")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Product:
    """What a layer multiplies by while nothing trains."""

    #: The tensors that it was made of. Holding them keeps others from their places in memory.
    sources: tuple[torch.Tensor, ...]
    #: How often each had been changed in place.
    versions: tuple[int, ...]
    right: torch.Tensor  # (in, r)
    left: torch.Tensor  # (r, out)

    def is_of(self, sources: tuple[torch.Tensor, ...], dtype: torch.dtype) -> bool:
        """Whether it would be made of `sources` in `dtype` again."""
        places = (old.data_ptr() == new.data_ptr() for old, new in zip(self.sources, sources, strict=True))
        return self.right.dtype == dtype and self.versions == tuple(each._version for each in sources) and all(places)


class QuantizedLinear(Linear):  # type: ignore[misc]
    """PEFT's layer on an nn.Linear of any precision, also on bitsandbytes' 4- and 8-bit subclasses of it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._products: dict[str, _Product] = {}

    def _init_svd(self, adapter_name: str, r: int, fan_in_fan_out: bool) -> None:
        base = self.get_base_layer()
        self.quantization_backend = resolve_quantization_backend(base)
        weight = self.get_base_weight().detach().to("cpu", torch.float32)
        self.tinylora_A[adapter_name], self.tinylora_B[adapter_name] = factors(weight, r)
        self.r[adapter_name] = len(self.tinylora_A[adapter_name])

    def _move_adapter_to_device_of_base_layer(self, adapter_name: str, device: torch.device | None = None) -> None:
        """Move to the device only. PEFT would also give A, B and v the dtype of the base."""
        device = device or self.get_base_layer().weight.device
        for buffers in (self.tinylora_A, self.tinylora_B, self.tinylora_P):
            buffers[adapter_name] = buffers[adapter_name].to(device)
        self.tinylora_v[adapter_name].to(device)

    def forward(self, x: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        trains = torch.is_grad_enabled()
        if trains:
            self._products = {}
        if self.disable_adapters or self.merged:
            return super().forward(x, *args, **kwargs)
        result = self.base_layer(x, *args, **kwargs)
        with torch.autocast(x.device.type, enabled=False):
            for name in self.active_adapters:
                if name in self.tinylora_A:
                    result = result + self._delta(name, x) if trains else self._add_product(name, x, result)
        return result.to(x.dtype)

    def _delta(self, adapter_name: str, x: torch.Tensor) -> torch.Tensor:
        a, b = self.tinylora_A[adapter_name], self.tinylora_B[adapter_name]
        low = functional.linear(self.tinylora_dropout[adapter_name](x).to(a.dtype), a)
        return functional.linear(functional.linear(low, self._compute_R(adapter_name).to(a.dtype)), b)

    def _add_product(self, adapter_name: str, x: torch.Tensor, result: torch.Tensor) -> torch.Tensor:
        """`result` with the delta, by two thin products in its own precision, for where nothing is trained: the starts
        of kernels are what a token costs on a GPU."""
        right, left = self._product(adapter_name, result.dtype)
        low = self.tinylora_dropout[adapter_name](x).to(right.dtype) @ right
        flat = torch.addmm(result.flatten(0, -2), low.flatten(0, -2), left)
        return flat.view(result.shape)

    def _product(self, adapter_name: str, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
        """(R·A)ᵀ and Bᵀ, made once. They are kept until what they are made of changes in place or is replaced, or until
        a forward pass trains: some optimizers change v by kernels of their own, which PyTorch does not count."""
        v = self.tinylora_v[adapter_name][self._tinylora_v_key[adapter_name]]
        a, b = self.tinylora_A[adapter_name], self.tinylora_B[adapter_name]
        sources = v, a, b, self.tinylora_P[adapter_name]
        kept = self._products.get(adapter_name)
        if kept is None or not kept.is_of(sources, dtype):
            kept = self._products[adapter_name] = _Product(
                sources=tuple(each.detach() for each in sources),
                versions=tuple(each._version for each in sources),
                right=(self._compute_R(adapter_name).to(a.dtype) @ a).T.to(dtype).contiguous(),
                left=b.T.to(dtype).contiguous(),
            )
        return kept.right, kept.left

    def merge(self, safe_merge: bool = False, adapter_names: list[str] | None = None) -> None:
        """Raises ValueError if the base is quantised."""
        if self.quantization_backend is not None:
            raise ValueError(
                f"TinyLoRA is not merged into a {self.quantization_backend.backend_name} weight: rounding it again "
                "would lose the change and damage the base. Save it with `export_lora` of trainer_adapter, and "
                "merge that into the model in full precision, or let vLLM serve it. With TRL, set use_vllm=False, or "
                "train by judge-train."
            )
        super().merge(safe_merge, adapter_names)


def factors(weight: torch.Tensor, r: int) -> tuple[torch.Tensor, torch.Tensor]:
    """A (r, in) and B (out, r) such that B·A is the nearest to `weight` (out, in; float32) of rank r.

    r is less for a weight with fewer rows or columns.
    """
    r = min(r, *weight.shape)
    q = -(r + 8) // 16 * -16  # more than r, to converge; a multiple of 16, for which BLAS is ten times as fast
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)  # a random start: the same for the same weight
        left, sigma, right = torch.svd_lowrank(weight, q=min(q, *weight.shape), niter=8)
    left, root, right = left[:, :r], sigma[:r].sqrt(), right[:, :r]
    # The sign of a pair of vectors is arbitrary, each library chooses another, and B·R·A depends on it: we fix it.
    sign = left.gather(0, left.abs().argmax(0, keepdim=True)).sign()
    return (right * (root * sign)).T.contiguous(), (left * (root * sign)).contiguous()


class QuantizedTinyLoraModel(TinyLoraModel):  # type: ignore[misc]
    def _pre_injection_hook(self, model: nn.Module, config: TinyLoraConfig, adapter_name: str) -> None:
        super()._pre_injection_hook(model, config, adapter_name)
        for name, layer in model.named_modules():
            if isinstance(layer, Linear4bit):
                keep_packing(name, layer)

    def _create_and_replace(
        self, tinylora_config: TinyLoraConfig, adapter_name: str, *args: Any, **kwargs: Any
    ) -> None:
        if adapter_name not in self.tinylora_v:
            # PEFT would give each v the dtype of the weight, which is an integer for packed weights.
            targets = len(self._build_target_key_mapping(tinylora_config))
            groups = max(1, round(targets * (1.0 - tinylora_config.weight_tying)))
            vectors = {str(group): nn.Parameter(torch.zeros(tinylora_config.u)) for group in range(groups)}
            self.tinylora_v[adapter_name] = nn.ParameterDict(vectors)
            if tinylora_config.init_weights == "uniform":
                self._init_tinylora_v(tinylora_config, adapter_name)
        super()._create_and_replace(tinylora_config, adapter_name, *args, **kwargs)

    @staticmethod
    def _create_new_module(
        tinylora_config: TinyLoraConfig,
        tinylora_v: nn.ModuleDict,
        v_key: str,
        adapter_name: str,
        target: nn.Module,
        **kwargs: Any,
    ) -> nn.Module:
        base = target.get_base_layer() if isinstance(target, BaseTunerLayer) else target
        if isinstance(base, nn.Linear):
            tinylora_config.fan_in_fan_out = False  # as PEFT does: only Conv1D stores its weight as (in, out)
            return QuantizedLinear(target, tinylora_v, v_key, adapter_name, tinylora_config, **kwargs)
        return TinyLoraModel._create_new_module(tinylora_config, tinylora_v, v_key, adapter_name, target, **kwargs)


def keep_packing(name: str, layer: Linear4bit) -> None:
    """Forbids bitsandbytes to repack the weight, as it does in the first forward in eval mode on CPUs with AVX512-BF16.
    A repacked weight gives no gradient to its input, and is dequantised to other values.

    Raises RuntimeError if the weight was repacked: its former values are lost.
    """
    if getattr(layer.weight.quant_state, "packing_format_for_cpu", False):
        raise RuntimeError(
            f"{name} was repacked for this CPU by a forward pass: add the adapter right after the model is loaded"
        )
    layer.support_avx512bf16_for_cpu = False


class KeepFloat32(TrainerCallback):  # type: ignore[misc]
    """Restores an adapter to float32 when the trainer is made: TRL casts what is trained on a quantised model to
    bfloat16, where small steps are lost, and DPO's policy would differ from its reference.

    It must not be later: when training begins, a checkpoint and the optimizer's state may have been loaded into it.
    If you give the trainer a wrapped model that was trained before, use KeepFloat32(model).
    """

    def __init__(self, model: nn.Module | None = None) -> None:
        self.values = None if model is None else [each.detach().clone() for each in list_trained(model)]

    def on_init_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        found = list_trained(kwargs["model"])
        for each, value in zip(found, self.values or found, strict=True):
            each.data = value.data.float()


def list_trained(model: nn.Module) -> list[nn.Parameter]:
    """What is trained of an adapter; nothing of a model without one."""
    return [each for each in model.parameters() if each.requires_grad] if isinstance(model, PeftModel) else []


def layers(model: nn.Module) -> Iterator[tuple[str, TinyLoraLayer]]:
    """The wrapped layers with their names."""
    yield from ((name, module) for name, module in model.named_modules() if isinstance(module, TinyLoraLayer))


def vectors(model: nn.Module) -> list[nn.Parameter]:
    """The distinct v that are trained: only one, for all layers, if `weight_tying` is 1.

    We compare by identity: by its name a shared v seems to belong to the first layer.
    """
    shared = (v for _, layer in layers(model) for adapter in layer.tinylora_v.values() for v in adapter.values())
    return list({id(v): v for v in shared if v.requires_grad}.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapping:
    """What of a model is trained, and where."""

    #: How many numbers are trained, in TinyLoRA's vectors and elsewhere.
    trainable: int
    vectors: int
    dtypes: frozenset[str]
    modules: int


def wrapping(model: nn.Module) -> Wrapping:
    return Wrapping(
        trainable=sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad),
        vectors=len(vectors(model)),
        dtypes=frozenset(str(vector.dtype).removeprefix("torch.") for vector in vectors(model)),
        modules=sum(1 for _ in layers(model)),
    )


def export_lora(model: PeftModel, directory: Path, adapter_name: str = "default") -> None:
    """Write the adapter as an equal LoRA: its A is ours, its B is B·R, its scale is 1.

    Raises TypeError if an adapted layer is not linear.
    """
    config = model.peft_config[adapter_name]
    ranks, tensors = {}, {}
    for name, layer in layers(model):
        if not isinstance(layer, QuantizedLinear):
            raise TypeError(f"{name} is a {type(layer).__name__}: only linear layers are exported as LoRA")
        ranks[name.removeprefix("base_model.model.")] = layer.r[adapter_name]
        with torch.no_grad():
            b = layer.tinylora_B[adapter_name] @ layer._compute_R(adapter_name).float()
        tensors[f"{name}.lora_A.weight"] = layer.tinylora_A[adapter_name].cpu()
        tensors[f"{name}.lora_B.weight"] = b.contiguous().cpu()
    LoraConfig(
        r=config.r,
        lora_alpha=config.r,
        rank_pattern=(less := {name: rank for name, rank in ranks.items() if rank != config.r}),
        alpha_pattern=less,
        target_modules=sorted(ranks),
        task_type=config.task_type,
        base_model_name_or_path=config.base_model_name_or_path,
        inference_mode=True,
    ).save_pretrained(str(directory))
    save_file(tensors, directory / SAFETENSORS_WEIGHTS_NAME, metadata={"format": "pt"})


PEFT_TYPE_TO_TUNER_MAPPING[PeftType.TINYLORA] = QuantizedTinyLoraModel
