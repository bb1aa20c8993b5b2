"""Sets the environment of a run: libraries write only below the run's directory, and send nothing over the network.

Call it before Hugging Face's libraries are imported: they read these variables once. Variables that are already set
stay as they are, so that several runs can share one download of a model (HF_HOME). Without HF_HOME a model and a token
that the user has already are used.
"""

from __future__ import annotations

import os
import ssl
import sys
import urllib.error
import urllib.request
from importlib.util import find_spec
from pathlib import Path

from judge.common.errors import ConfigError
from judge.store.directory import Directory
from trainer_adapter.training.config import AnyConfig, Tracker

#: How long the hub may take to answer.
_HUB_S = 5.0


def settle(config: AnyConfig) -> dict[str, str]:
    """Set the variables that are not set; returns all of them.

    Raises:
        ConfigError: the directory cannot be made, a tracker is not installed, or the environment contradicts it.
    """
    directory = config.run.directory.expanduser().absolute()
    try:
        (directory / "cache").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"run.directory {directory}: {error.strerror}") from error
    _check_trackers(config)
    wanted = _variables(directory)
    if "HF_HOME" not in os.environ:
        if "huggingface_hub" in sys.modules:
            del wanted["HF_HOME"]  # too late: it would only mislead child processes
        else:
            wanted |= _there_already(config.model.path)
    for name, value in wanted.items():
        os.environ.setdefault(name, value)
    return {name: os.environ[name] for name in wanted}


def go_without_the_hub(model: str) -> str | None:
    """Set HF_HUB_OFFLINE where the hub does not answer, so that only this machine is looked at: else Hugging Face's
    libraries try again for minutes. Returns what to tell the user. `model`: its directory, or its name on the hub."""
    if "HF_HUB_OFFLINE" in os.environ or Path(model).expanduser().is_dir():
        return None
    hub = os.environ.get("HF_ENDPOINT", "https://huggingface.co")
    try:
        if hub.startswith(("https://", "http://")):
            urllib.request.urlopen(urllib.request.Request(hub, method="HEAD"), timeout=_HUB_S).close()  # noqa: S310
    except urllib.error.HTTPError:
        return None  # it answers
    except OSError as error:
        why = getattr(error, "reason", error)
        if isinstance(why, ssl.SSLError):
            return None  # it answers; the libraries may know other certificates
        os.environ["HF_HUB_OFFLINE"] = "1"
        return f"{hub} does not answer ({why}): only models and data of this machine are looked at (HF_HUB_OFFLINE=1)"
    return None


def _variables(directory: Path) -> dict[str, str]:
    cache = directory / "cache"
    found = {
        "HF_HOME": cache / "huggingface",
        "TORCHINDUCTOR_CACHE_DIR": cache / "inductor",
        "TRITON_CACHE_DIR": cache / "triton",
        "TENSORBOARD_LOGGING_DIR": directory / "tensorboard",
        "TRACKIO_DIR": directory / "trackio",
        "WANDB_DIR": directory,
        "WANDB_CACHE_DIR": cache / "wandb",
        "WANDB_DATA_DIR": cache / "wandb",
        "WANDB_MODE": "offline",
    }
    if all(parent.stat().st_mode & 0o001 for parent in (cache, *cache.parents)) and _takes(cache / "judge"):
        # The judge compiles as leased users, who cannot enter closed directories such as root's home. And it refuses a
        # cache where everybody may write, as on some shared disks.
        found["JUDGE_CACHE_DIR"] = cache / "judge"
    return {name: str(value) for name, value in found.items()}


def _there_already(model: str) -> dict[str, str]:
    """Of the user's own HF_HOME: the token, and the models if the one that is wanted is among them."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "huggingface"
    found = {}
    if (home / "token").is_file():
        found["HF_TOKEN_PATH"] = str(home / "token")
    copy = home / "hub" / f"models--{model.replace('/', '--')}"
    # Where nothing can be written, as in some shared caches, locks fail: then it is downloaded again.
    if (copy / "snapshots").is_dir() and os.access(copy, os.W_OK):
        found["HF_HUB_CACHE"] = str(home / "hub")
    return found


def _takes(cache: Path) -> bool:
    try:
        Directory.at(cache, 0o711)
    except OSError:
        return False
    return True


def _check_trackers(config: AnyConfig) -> None:
    for tracker in config.run.trackers:
        if find_spec(tracker.value) is None and not (tracker is Tracker.TENSORBOARD and find_spec("tensorboardX")):
            raise ConfigError(f"run.trackers: {tracker} is not installed: pip install {tracker}")
    if Tracker.WANDB in config.run.trackers and os.environ.get("WANDB_DISABLED"):
        raise ConfigError("run.trackers has wandb, and WANDB_DISABLED is set: unset it (offline, it sends nothing)")
