"""Has vLLM sample from an adapter as a LoRA, which TinyLoRA is, too: by TRL's `use_vllm`, colocated or as a server.

    optimizer step ──► LoRA in DIRECTORY/NAME ──► vLLM loads it as NAME ──► completions of NAME

TRL would merge the adapter and send all weights, which a quantised model does not survive and bfloat16 rounds. Here the
base stays as vLLM loaded it. Each adapter has a name of its own, because vLLM tells adapters, and what it has cached of
prompts, apart by their names. TRL has no setting for any of this: while it makes a trainer and its engine, our classes
take the places of `VLLMGeneration`, `LLM` and `VLLMClient`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, get_args
from uuid import uuid4

import requests
from trl import GRPOConfig
from trl.generation import vllm_generation
from trl.generation.vllm_client import VLLMClient
from trl.generation.vllm_generation import VLLMGeneration
from trl.trainer import grpo_trainer

from judge import ConfigError
from trainer_adapter.training.config import Config, Full
from trainer_adapter.training.tinylora import export_lora, list_trained, vectors

_LOADING_S = 120.0


def replace_generation(config: Config, settings: GRPOConfig) -> AbstractContextManager[None]:
    """While a trainer is made within, it gets `AdapterGeneration` if it samples from an adapter by vLLM.

    Raises:
        ConfigError: it does, and vLLM is not installed.
    """
    if not settings.use_vllm or isinstance(config.adapter, Full):
        return nullcontext()
    if not vllm_generation.is_vllm_available():
        raise ConfigError("grpo.use_vllm: vLLM is not installed: pip install 'trl[vllm]'")
    # The base as it is here: TRL, which sends the weights, leaves both to vLLM.
    engine = {"dtype": config.model.dtype, "revision": config.model.revision}
    if not config.model.vllm_quantized:
        engine["quantization"] = None
    directory = config.run.directory / "adapter-for-vllm"
    return _replace(grpo_trainer, VLLMGeneration=partial(AdapterGeneration, directory=directory, engine=engine))


@contextmanager
def _replace(module: ModuleType, **others: object) -> Iterator[None]:
    own = {name: getattr(module, name) for name in others}
    vars(module).update(others)
    try:
        yield
    finally:
        vars(module).update(own)


class AdapterGeneration(VLLMGeneration):  # type: ignore[misc]
    """TRL's way to vLLM, but that the adapter goes there, not the weights."""

    def __init__(self, *args: Any, directory: Path, engine: Mapping[str, Any], **named: Any) -> None:
        self._engine, self._run, self._number = engine, uuid4().hex[:8], 0
        process = str(named["accelerator"].process_index)
        self.directory = directory.absolute() / process
        shutil.rmtree(self.directory, ignore_errors=True)  # of a run that was killed
        super().__init__(*args, **named)

    def _init_vllm(self) -> None:
        engine = partial(AdapterLLM, vllm_generation.LLM, self.model.peft_config["default"].r, self._engine)
        with _replace(vllm_generation, LLM=engine, VLLMClient=AdapterClient):
            super()._init_vllm()

    def sync_weights(self) -> None:
        """Raises ConfigError if the server does not take the adapter."""
        if self.mode == "colocate" and self.enable_sleep_mode:
            vllm_generation.empty_cache()
            self.llm.wake_up(tags=["weights"])
            self._llm_weights_sleeping = False
        taker = self._taker()
        self._number += 1
        name = f"tinylora-{self._run}-{self._number}"
        with self._dist.gather_params(list_trained(self.model)):
            if taker is not None:
                self._write(name)
        if taker is not None:
            taker.load(name, self._number, self.directory / name)
            for path in self.directory.iterdir():
                if path.name != name:
                    shutil.rmtree(path)

    def _taker(self) -> AdapterLLM | AdapterClient | None:
        """None in processes that leave the server to the main one."""
        return self.llm if self.mode == "colocate" else getattr(self, "vllm_client", None)

    def _write(self, name: str) -> None:
        unready = self.directory / "unready"
        unready.mkdir(parents=True, exist_ok=True)
        if vectors(self.model):
            export_lora(self.model, unready)
        else:
            self.model.save_pretrained(str(unready), selected_adapters=["default"], save_embedding_layers=False)
        unready.rename(self.directory / name)

    def close(self) -> None:
        """Leave nothing: no file, and no adapter on the server."""
        if self.mode == "server" and (taker := self._taker()) is not None:
            with suppress(ConfigError, OSError):  # the server may have ended
                taker.unload()
        shutil.rmtree(self.directory, ignore_errors=True)
        with suppress(OSError):  # it is another process's, too
            self.directory.parent.rmdir()


class AdapterLLM:
    """vLLM's LLM, whose completions are all of the adapter that was loaded last."""

    def __init__(self, kind: Any, rank: int, engine: Mapping[str, Any], **arguments: Any) -> None:
        from vllm.config.lora import MaxLoRARanks  # noqa: PLC0415 - who samples by it has it

        most = min(each for each in get_args(MaxLoRARanks) if each >= rank)
        self._llm = kind(**{**arguments, **engine}, enable_lora=True, max_loras=1, max_lora_rank=most)
        self._request: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._llm, name)

    def load(self, name: str, number: int, path: Path) -> None:
        """In place of the one before, for which vLLM has no room: `max_loras` is 1."""
        from vllm.lora.request import LoRARequest  # noqa: PLC0415

        self._request = LoRARequest(name, number, str(path))
        self._llm.llm_engine.add_lora(self._request)

    def generate(self, *args: Any, **named: Any) -> Any:
        return self._llm.generate(*args, lora_request=self._request, **named)

    def sleep(self, level: int) -> None:
        """At level 1, whatever is asked for: level 2 drops the weights, and nobody sends them again."""
        self._llm.sleep(level=1)


class AdapterClient(VLLMClient):  # type: ignore[misc]
    """TRL's client, whose completions are all of the adapter that was loaded last."""

    _loaded = False

    def init_communicator(self, device: object = None) -> None:
        """Weights are not sent."""

    def load(self, name: str, _number: int, path: Path) -> None:
        """In place of the one before. The server gives it a number.

        Raises:
            ConfigError: the server refuses.
        """
        self._ask("load_lora_adapter", lora_name=name, lora_path=str(path))
        self.unload()
        self.model, self._loaded = name, True

    def unload(self) -> None:
        if self._loaded:
            self._ask("unload_lora_adapter", lora_name=self.model)
            self._loaded = False

    def _ask(self, what: str, **body: str) -> None:
        """Once: what was done although its answer was lost would be refused as a duplicate."""
        answer = requests.post(f"{self.base_url}/v1/{what}", json=body, timeout=_LOADING_S)
        if answer.status_code != 200:
            raise ConfigError(
                f"{answer.url} answers {answer.status_code} {' '.join(answer.text.split())}: start `vllm serve` with "
                f"VLLM_ALLOW_RUNTIME_LORA_UPDATING=1, --enable-lora and --max-lora-rank, where it can read {body}"
            )


def close(trainer: object) -> None:
    """Of a trainer that has ended."""
    if isinstance(found := getattr(trainer, "vllm_generation", None), AdapterGeneration):
        found.close()
