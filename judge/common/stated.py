"""Checks what a caller states: Python does not check annotations, and a wrong type would fail far from its cause."""

from __future__ import annotations

from collections.abc import Mapping

from judge.common.errors import ConfigError
from problems.model import MOST_BYTES, MOST_NS


def check_type(name: str, value: object, kind: type | tuple[type, ...], wanted: str) -> None:
    """
    Raises:
        TypeError: `value` is of another kind than `wanted`.
    """
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
        raise TypeError(f"{name} is of type {type(value).__name__}: give {wanted}")


def check_limits(limits: Mapping[str, int | None]) -> None:
    """
    Raises:
        ConfigError: one is not positive, or larger than any limit.
        TypeError: one is no whole number.
    """
    for name, value in limits.items():
        if value is None:
            continue
        check_type(name, value, int, "a whole number")
        if value <= 0:
            raise ConfigError(f"{name} must be positive, not {value}")
        most = MOST_NS if name.endswith("_ns") else MOST_BYTES
        if value > most:
            raise ConfigError(f"{name} must be at most {most}, not {value}")


def check_files(name: str, files: object) -> None:
    """
    Raises:
        TypeError: they are no pairs of a name and a content.
    """
    wanted = "a tuple of pairs: (name, content in bytes)"
    check_type(name, files, (tuple, list), wanted)
    for pair in files if isinstance(files, (tuple, list)) else ():
        if not (isinstance(pair, (tuple, list)) and len(pair) == 2):
            raise TypeError(f"{name} holds what is no pair: give {wanted}")
        check_type(f"a name in {name}", pair[0], str, "text")
        check_type(f"{pair[0][:100]!r} in {name}", pair[1], bytes, "bytes, by .encode()")
