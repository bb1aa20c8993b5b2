"""Reads settings from the environment: where the cache lies, its size, and what a sandbox must never show."""

from __future__ import annotations

import os
import re
from pathlib import Path

from judge.common.errors import ConfigError

DEFAULT_CACHE_LIMIT = 2 * 1024**3
#: Where neither a row nor a problem names a language, a completion may choose one of these, or of their families.
#: Others start processes, or run code while they are compiled: no text that nobody trusts should ask for them.
CHOSEN_LANGUAGES = ("c17", "cpp17", "python3", "java", "rust", "go", "javascript")

_SIZE = re.compile(r"([0-9]{1,18})\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)
_SHIFT = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}


def cache_directory() -> Path:
    """``JUDGE_CACHE_DIR``, else ``$XDG_CACHE_HOME/judge``, else ``/var/cache/judge`` for root (compilers run as users
    who cannot enter root's home) and ``~/.cache/judge`` for others. Does not create it.

    Raises:
        ConfigError: the user has no home directory.
    """
    if named := os.environ.get("JUDGE_CACHE_DIR"):
        return Path(named).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    # The XDG specification says to ignore a relative path.
    if base and Path(base).is_absolute():
        return Path(base) / "judge"
    if os.geteuid() == 0:
        return Path("/var/cache/judge")
    try:
        return Path.home() / ".cache/judge"
    except RuntimeError as error:
        raise ConfigError(f"user {os.geteuid()} has no home directory for the cache; {another_cache()}") from error


def another_cache() -> str:
    """The remedy where `cache_directory` cannot be used, for messages."""
    if os.environ.get("JUDGE_CACHE_DIR") or not os.environ.get("XDG_CACHE_HOME"):
        return "set JUDGE_CACHE_DIR to a directory of your own"
    return "unset XDG_CACHE_HOME (sudo -H does, without -E), or set JUDGE_CACHE_DIR to a directory of your own"


def cache_limit_bytes() -> int:
    """``JUDGE_CACHE_LIMIT``: bytes, or a number with K, M, G, T (powers of 1024).

    Raises:
        ConfigError: not a size.
    """
    text = os.environ.get("JUDGE_CACHE_LIMIT")
    if not text:
        return DEFAULT_CACHE_LIMIT
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise ConfigError(f"JUDGE_CACHE_LIMIT={text!r} is not a size: write bytes, or a number with K, M, G or T")
    return int(match[1]) << _SHIFT[match[2].lower()]


def plain() -> bool:
    """``JUDGE_PLAIN=1``: compile without precompiled headers and with the default linker, to check the fast way by it.

    Raises:
        ConfigError: neither 0 nor 1.
    """
    text = os.environ.get("JUDGE_PLAIN", "0")
    if text not in ("", "0", "1"):
        raise ConfigError(f"JUDGE_PLAIN={text!r} is neither 0 nor 1")
    return text == "1"


def packages(*more: str) -> tuple[Path, ...]:
    """The directories of our packages: `containers`, `judge`, `problems` (with the bundled problems), and `more`."""
    home = Path(__file__).resolve().parents[2]
    return tuple(home / name for name in ("containers", "judge", "problems", *more))


def hidden_directories(cache: Path | None = None) -> tuple[Path, ...]:
    """Host directories that no program may see even if they lie inside the standard view. These are the cache (`cache`,
    or the default one) and our packages, with the bundled answers and the solutions of the trainer's demo."""
    return (*packages("trainer_adapter"), (cache or cache_directory()).resolve())
