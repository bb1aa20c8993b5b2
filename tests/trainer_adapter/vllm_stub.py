"""Stands for vLLM, which needs a GPU: the part of its interface that TRL and we use, with the names, checks and answers
of vLLM 0.24 to 0.31. What it is asked for it samples by transformers and PEFT, from the files it was given."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Literal

import pytest
import torch
from peft import PeftModel
from safetensors.torch import load_file
from torch import nn
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
from trl.generation import vllm_client, vllm_generation

from trainer_adapter.training.config import BLOCK_MODULES
from trainer_adapter.training.model import keep_packed

MaxLoRARanks = Literal[1, 8, 16, 32, 64, 128, 256, 320, 512]


@dataclass(frozen=True)
class LoRARequest:
    lora_name: str
    lora_int_id: int
    lora_path: str = ""

    def __post_init__(self) -> None:
        assert self.lora_int_id >= 1
        assert self.lora_path


@dataclass
class SamplingParams:
    n: int = 1
    repetition_penalty: float = 1.0
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    max_tokens: int = 16
    logprobs: int | None = None


@dataclass
class Engine:
    """A model, and a place for one adapter."""

    path: str
    dtype: str
    quantized: bool
    max_lora_rank: int
    loaded: dict[int, PeftModel] = field(default_factory=dict)
    #: All that were loaded, each with its tensors.
    requests: list[LoRARequest] = field(default_factory=list)
    tensors: list[dict[str, torch.Tensor]] = field(default_factory=list)
    #: How far the base's log-probabilities are from the adapter's, of each completion.
    beside_base: list[float] = field(default_factory=list)

    def base(self) -> nn.Module:
        how: dict[str, Any] = {"dtype": self.dtype}
        if self.quantized:  # as vLLM quantises, and with its dtype for what is computed
            kind = {"bnb_4bit_quant_type": "nf4", "bnb_4bit_use_double_quant": True}
            compute = getattr(torch, self.dtype)
            how["quantization_config"] = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=compute, **kind)
        model = AutoModelForCausalLM.from_pretrained(self.path, **how).eval()
        keep_packed(model)
        return model

    def add_lora(self, request: LoRARequest) -> bool:
        if request.lora_int_id in self.loaded:
            return False  # vLLM does not read it again
        settings = json.loads((Path(request.lora_path) / "adapter_config.json").read_text())
        if settings["r"] > self.max_lora_rank:
            raise ValueError(f"LoRA rank {settings['r']} is greater than max_lora_rank {self.max_lora_rank}.")
        assert (settings["bias"], settings["use_dora"], settings["modules_to_save"]) == ("none", False, None)
        assert not settings["alpha_pattern"], "vLLM knows one scale, of all layers"
        base, found = self.base(), load_file(Path(request.lora_path) / "adapter_model.safetensors")
        assert {name: tuple(tensor.shape) for name, tensor in found.items()} == shapes(base, settings["r"])
        assert {tensor.dtype for tensor in found.values()} == {torch.float32}
        self.loaded = {request.lora_int_id: PeftModel.from_pretrained(base, request.lora_path).eval()}
        self.requests.append(request)
        self.tensors.append(found)
        return True

    def sample(self, prompt: list[int], request: LoRARequest, most: int) -> tuple[list[int], list[float]]:
        self.add_lora(request)
        model, ids = self.loaded[request.lora_int_id], list(prompt)
        with torch.no_grad():
            while len(ids) < len(prompt) + most and ids[-1] != model.config.eos_token_id:
                ids.append(int(model(torch.tensor([ids])).logits[0, -1].softmax(-1).multinomial(1)))
            found = log_probabilities(model, ids, len(prompt))
            with model.disable_adapter():
                self.beside_base.append(float((log_probabilities(model, ids, len(prompt)) - found).abs().max()))
        return ids[len(prompt) :], found.tolist()


def shapes(base: nn.Module, rank: int) -> dict[str, tuple[int, int]]:
    """Of all tensors of a LoRA on the linear layers of the blocks."""
    found = {}
    for name, layer in base.named_modules():
        if name.split(".")[-1] in BLOCK_MODULES:
            found[f"base_model.model.{name}.lora_A.weight"] = (rank, layer.in_features)
            found[f"base_model.model.{name}.lora_B.weight"] = (layer.out_features, rank)
    return found


def log_probabilities(model: nn.Module, ids: list[int], start: int) -> torch.Tensor:
    spread = model(torch.tensor([ids])).logits[0].log_softmax(-1)
    return spread[range(start - 1, len(ids) - 1), ids[start:]]


class LLM:
    made: LLM

    def __init__(
        self,
        model: str,
        *,
        tensor_parallel_size: int,
        gpu_memory_utilization: float,
        max_model_len: int | None,
        max_num_seqs: int,
        enable_sleep_mode: bool,
        model_impl: str,
        distributed_executor_backend: str,
        seed: int,
        max_num_batched_tokens: int,
        logprobs_mode: str,
        quantization: str | None,
        trust_remote_code: bool,
        dtype: str = "auto",
        revision: str | None = None,
        enable_lora: bool = False,
        max_loras: int = 1,
        max_lora_rank: MaxLoRARanks = 16,
    ) -> None:
        assert (enable_lora, max_loras) == (True, 1)
        assert quantization in (None, "bitsandbytes")
        self.llm_engine = Engine(model, dtype, quantization is not None, max_lora_rank)
        self.asleep: set[str] = set()
        self.levels: list[int] = []
        LLM.made = self

    def generate(
        self,
        prompts: list[dict[str, list[int]]],
        sampling_params: SamplingParams | None = None,
        *,
        use_tqdm: bool = True,
        lora_request: LoRARequest | None = None,
    ) -> list[Any]:
        assert not self.asleep
        assert lora_request
        assert sampling_params
        assert sampling_params.n == 1
        found = []
        for prompt in prompts:
            ids, values = self.llm_engine.sample(prompt["prompt_token_ids"], lora_request, sampling_params.max_tokens)
            logprobs = [{one: SimpleNamespace(logprob=value, rank=1)} for one, value in zip(ids, values, strict=True)]
            output = SimpleNamespace(token_ids=ids, logprobs=logprobs)
            found.append(SimpleNamespace(prompt_token_ids=prompt["prompt_token_ids"], outputs=[output]))
        return found

    def sleep(self, level: int = 1) -> None:
        assert level == 1, "vLLM drops the weights at level 2, and nobody sends them again"
        self.levels.append(level)
        self.asleep = {"weights", "kv_cache"}

    def wake_up(self, tags: list[str]) -> None:
        self.asleep -= set(tags)


def install(patch: pytest.MonkeyPatch) -> None:
    """TRL finds vLLM. What TRL sets for it in the environment goes with the test."""
    for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
        patch.setenv(name, "")
        patch.delenv(name)
    modules = {
        "vllm": {},
        "vllm.config": {},
        "vllm.config.lora": {"MaxLoRARanks": MaxLoRARanks},
        "vllm.lora": {},
        "vllm.lora.request": {"LoRARequest": LoRARequest},
    }
    for name, its in modules.items():
        module = ModuleType(name)
        vars(module).update(its)
        patch.setitem(sys.modules, name, module)
    for taken in (vllm_generation, vllm_client):
        patch.setattr(taken, "is_vllm_available", lambda *_, **__: True)
    patch.setattr(vllm_generation, "LLM", LLM, raising=False)
    patch.setattr(vllm_generation, "SamplingParams", SamplingParams, raising=False)


@dataclass
class Server:
    """`vllm serve`, with VLLM_SERVER_DEV_MODE and, as `updating` says, VLLM_ALLOW_RUNTIME_LORA_UPDATING."""

    engine: Engine
    updating: bool = True
    url: str = ""
    adapters: dict[str, LoRARequest] = field(default_factory=dict)
    #: The adapter of each request for completions.
    asked: list[str] = field(default_factory=list)

    def get(self, path: str) -> tuple[int, object]:
        served = [{"id": name} for name in (self.engine.path, *self.adapters)]
        return 200, {
            "/health": None,
            "/v1/models": {"data": served},
            "/server_info": {"vllm_config": {"model_config": {"logprobs_mode": "processed_logprobs"}}},
        }[path.partition("?")[0]]

    def post(self, path: str, body: dict[str, Any]) -> tuple[int, object]:
        if path == "/v1/completions":
            return self._complete(**body)
        known = {"/v1/load_lora_adapter": self._load, "/v1/unload_lora_adapter": self._unload}
        return known[path](**body) if self.updating else (404, {"detail": "Not Found"})

    def _load(self, lora_name: str, lora_path: str) -> tuple[int, object]:
        if lora_name in self.adapters:
            return error(400, f"The lora adapter '{lora_name}' has already been loaded.")
        request = LoRARequest(lora_name, len(self.engine.requests) + 1, lora_path)
        try:
            self.engine.add_lora(request)
        except FileNotFoundError:
            return error(404, f"Loading lora {lora_name} failed: No adapter found for {lora_path}")
        except ValueError as refused:
            return error(500, str(refused))
        self.adapters[lora_name] = request
        return 200, f"Success: LoRA adapter '{lora_name}' added successfully."

    def _unload(self, lora_name: str) -> tuple[int, object]:
        if self.adapters.pop(lora_name, None) is None:
            return error(404, f"The lora adapter '{lora_name}' cannot be found.")
        return 200, f"Success: LoRA adapter '{lora_name}' removed successfully."

    def _complete(self, *, model: str, prompt: list[list[int]], n: int, max_tokens: int, **_: Any) -> Any:
        self.asked.append(model)
        if model not in self.adapters:
            return error(404, f"The model `{model}` does not exist.")
        choices = []
        for each in (one for one in prompt for _ in range(n)):
            ids, values = self.engine.sample(each, self.adapters[model], max_tokens)
            logprobs = {"tokens": [f"token_id:{one}" for one in ids], "token_logprobs": values}
            logprobs["top_logprobs"] = [None] * len(ids)
            choices.append({"prompt_token_ids": each, "token_ids": ids, "logprobs": logprobs})
        return 200, {"choices": choices}


def error(status: int, message: str) -> tuple[int, object]:
    return status, {"error": {"message": message, "code": status}}


@contextmanager
def serve(engine: Engine) -> Iterator[Server]:
    served = Server(engine)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(*served.get(self.path))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            self._answer(*served.post(self.path, body))

        def _answer(self, status: int, said: object) -> None:
            body = said.encode() if isinstance(said, str) else json.dumps(said).encode()  # vLLM's successes are text
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        served.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()
