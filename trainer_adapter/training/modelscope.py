"""Takes the model and the data of a run from ModelScope instead of Hugging Face's hub: HUB=modelscope."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeVar

from judge.common.errors import ConfigError
from trainer_adapter.training.config import AnyConfig

_AnyConfig = TypeVar("_AnyConfig", bound=AnyConfig)

#: What has another name there.
_NAMES = {"openai/gsm8k": "modelscope/gsm8k"}


def take_from_modelscope(config: _AnyConfig) -> _AnyConfig:
    """The configuration with directories for what HUB=modelscope has brought below `run.directory`; as it is, where HUB
    is not set. What is a path already stays.

    Raises:
        ConfigError: HUB is something else, or the client is not installed, or it brings nothing.
    """
    hub = os.environ.get("HUB", "")
    if hub in ("", "huggingface"):
        return config
    if hub != "modelscope":
        raise ConfigError(f"HUB={hub}: there is huggingface, and modelscope")
    try:
        import modelscope  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415 - only who wants it has it
    except ImportError as error:
        raise ConfigError(f"HUB=modelscope needs its client ({error}): pip install modelscope") from error
    place = str((config.run.directory.expanduser() / "cache" / "modelscope").absolute())
    model, source = config.model.path, str(config.data.source)
    try:
        if _is_name(model):
            model = modelscope.snapshot_download(model, cache_dir=place)
        if _is_name(source):
            source = modelscope.dataset_snapshot_download(_NAMES.get(source, source), cache_dir=place)
    except Exception as error:  # of its client, which raises many kinds
        raise ConfigError(f"HUB=modelscope: {error}; give a local path, or another name") from error
    return config.model_copy(
        update={
            "model": config.model.model_copy(update={"path": str(model)}),
            "data": config.data.model_copy(update={"source": str(source)}),
        }
    )


def _is_name(text: str) -> bool:
    """OWNER/NAME, which is no path here."""
    return text.count("/") == 1 and not text.startswith((".", "~", "/")) and not Path(text).exists()
