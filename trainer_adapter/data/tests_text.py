"""Reads the `tests` column of a data set: what `Inline.pack` writes, or tests as a person writes them, as JSON or as
Python objects.

    {"tests": [{"input": …, "output": …}, …], "cpu_ns": …}     an object like `Inline`
    [{"input": …, "output": …}, …]
    what `trainer_adapter.data.calls` reads                    calls of a function, and assertions, too
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from trainer_adapter.data.arrays import as_list
from trainer_adapter.data.calls import SEVERAL, inline
from trainer_adapter.data.deciding import find_called, refuse_other_calls
from trainer_adapter.data.item import Unusable, loads
from trainer_adapter.data.tests_column import MAGIC, Case, DataError, Inline

#: The most bytes that a string of a data set may unpack to: somebody could make one that unpacks to any size.
_MOST_BYTES = 1 << 30
_NO_TESTS = 'no list like [{"input": "1", "output": "2"}], as JSON or not, nor what Inline.pack writes'


def as_text(tests: object) -> str:
    """A value of the column as text, for `unpack`. Where the column holds lists or objects, trainers hand over Python
    objects, in which Arrow has filled in None for what a row does not state.

    Raises:
        DataError: JSON cannot hold it.
    """
    if isinstance(tests, str):
        return tests
    try:
        return json.dumps(_read_stated(tests))
    except (TypeError, ValueError, RecursionError):
        raise DataError(f"tests: of type {type(tests).__name__}, which is {_NO_TESTS}") from None


def _read_stated(tests: object) -> object:
    tests = as_list(tests)
    if isinstance(tests, Mapping):
        return {
            name: _read_stated(value) if name == "tests" or hasattr(value, "tolist") else value
            for name, value in tests.items()
            if value is not None
        }
    return (
        list(map(_read_stated, tests)) if isinstance(tests, Sequence) and not isinstance(tests, str | bytes) else tests
    )


def unpack(text: str) -> Inline:
    """Read what `Inline.pack` or a person wrote.

    Raises:
        DataError: it is neither, or it has no tests. The message quotes no data.
    """
    try:
        if text.startswith(MAGIC):
            return Inline.model_validate(json.loads(unzip_text(text[len(MAGIC) :])))
        return _read_written(text)
    except Unusable as error:
        raise DataError(f"tests: {error}") from None
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise DataError(f"tests: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except (ValueError, zlib.error, binascii.Error, RecursionError):
        raise DataError(f"tests: {_NO_TESTS}") from None


def refuse_calls_beside(task: Mapping[str, Any], tests: str) -> None:
    """`tests`: those of the task, for `unpack`.

    Raises:
        Unusable: a key of the task names a function, and its tests call another, or none.
    """
    if any(find_called(task)):
        refuse_other_calls(task, unpack(tests).function)


def _read_written(text: str) -> Inline:
    """What a person wrote. Numbers of a call stay as they are written."""
    data, exact = json.loads(text), loads(text)
    if isinstance(data, list):
        if all(isinstance(one, dict) and one.keys() <= Case.model_fields.keys() for one in data):
            return Inline.model_validate({"tests": data})
        return inline(exact)
    if not isinstance(data, dict):
        raise DataError(f"tests: {_NO_TESTS}")
    if "tests" in data:
        return Inline.model_validate(data)
    found = inline({name: value for name, value in exact.items() if name not in Inline.model_fields})
    beside = {name: value for name, value in data.items() if name in Inline.model_fields}
    if found.function is not None and beside.get("function", found.function) != found.function:
        raise Unusable(SEVERAL)
    return Inline.model_validate(found.model_dump(exclude_defaults=True) | beside)


def unzip_text(text: str) -> bytes:
    """The content of base64 of zlib.

    Raises:
        DataError: it is cut off, or holds more than anybody's tests.
        ValueError, zlib.error: it is no such thing.
    """
    unzip = zlib.decompressobj()
    data = unzip.decompress(base64.b64decode(text, validate=True), _MOST_BYTES)
    if not unzip.eof:
        raise DataError(f"tests: cut off, or more than {_MOST_BYTES >> 30} GiB; make the data set again")
    return data
