"""Builds frozen dataclasses from TOML and JSON, strictly: no unknown or missing key, no value of another type.

For our own small files. (pydantic, which reads what users write, takes longer to import than all of these to read.)
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from judge.common.errors import ConfigError

_T = TypeVar("_T")

#: How many small files `read_remembered` keeps.
_REMEMBERED = 512
#: A recorded failure may be the fault of the machine, which had no memory left. After this time it is tried again.
_PASSING_S = 3600


def read_remembered(kind: type[_T], path: Path, *, lasting: Callable[[_T], bool] = lambda _: True) -> _T | None:
    """The content of a JSON file as a `kind`. The file must only be replaced, never changed in place: it is read again
    only when it is another file. None: it is missing or invalid, or it is not `lasting` and older than an hour."""
    cls: Any = kind
    try:
        status = os.stat(path)  # noqa: PTH116 - at every compile: a Path takes three times as long
        read: _T = _read(cls, path, status.st_ino, status.st_mtime_ns, status.st_size)
    except (OSError, ValueError, ConfigError):
        return None
    return read if lasting(read) or time.time() < status.st_mtime + _PASSING_S else None


@lru_cache(_REMEMBERED)
def _read(kind: Any, path: Path, *_: int) -> Any:
    return build(kind, json.loads(path.read_bytes()), str(path))


def build(kind: type[_T], data: object, where: str) -> _T:
    """`data` as a `kind`, a dataclass whose fields are str, int, float, Literal, tuple or such a dataclass.

    Raises:
        ConfigError: `data` does not fit `kind`; names `where` and the key.
    """
    cls: Any = kind
    types, required = _fields(cls)
    if not isinstance(data, dict):
        raise ConfigError(f"{where}: must be a table, not {data!r}")
    if unknown := data.keys() - types:
        raise ConfigError(f"{where}: unknown key {min(unknown)!r}; known are {', '.join(types)}")
    if missing := required - data.keys():
        raise ConfigError(f"{where}: key {min(missing)!r} is missing")
    return kind(**{key: _value(types[key], value, f"{where}: {key}") for key, value in data.items()})


@cache
def _fields(kind: Any) -> tuple[Mapping[str, Any], frozenset[str]]:
    """The types of its fields, and the names of those without a default."""
    return get_type_hints(kind), frozenset(field.name for field in fields(kind) if field.default is MISSING)


def _value(kind: Any, value: object, where: str) -> object:
    origin, arguments, nested = get_origin(kind), get_args(kind), is_dataclass(kind)
    if nested:
        return build(kind, value, where)
    if origin is tuple and isinstance(value, list):
        items = (arguments[0],) * len(value) if arguments[-1] is ... else arguments
        if len(items) == len(value):
            return tuple(_value(item, part, where) for item, part in zip(items, value, strict=True))
    elif origin is Literal and value in arguments:
        return value
    elif kind is float and type(value) is int:
        return float(value)
    elif type(value) is kind:
        return value
    raise ConfigError(f"{where}: must be {kind if origin else kind.__name__}, not {value!r}")
