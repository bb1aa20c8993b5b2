"""Reads the `tests` column of a data set: what `Inline.pack` writes, or tests as a person writes them, as JSON or as
Python objects.

    {"tests": [{"input": …, "output": …}, …], "cpu_ns": …}     an object like `Inline`
    [{"input": …, "output": …}, …]
    {"inputs": […], "outputs": […]}                            with "fn_name" they call that function
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from trainer_adapter.data.arrays import as_list
from trainer_adapter.data.calls import inline
from trainer_adapter.data.item import Unusable
from trainer_adapter.data.tests_column import MAGIC, DataError, Inline

#: The most bytes that a string of a data set may unpack to: somebody could make one that unpacks to any size.
_MOST_BYTES = 1 << 30
_PAIRED = {"inputs", "outputs", "input", "output"}
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
        return json.dumps(_stated(tests))
    except (TypeError, ValueError, RecursionError):
        raise DataError(f"tests: of type {type(tests).__name__}, which is {_NO_TESTS}") from None


def _stated(tests: object) -> object:
    tests = as_list(tests)
    if isinstance(tests, Mapping):
        return {
            name: _stated(value) if name == "tests" or hasattr(value, "tolist") else value
            for name, value in tests.items()
            if value is not None
        }
    return list(map(_stated, tests)) if isinstance(tests, Sequence) and not isinstance(tests, str | bytes) else tests


def unpack(text: str) -> Inline:
    """Read what `Inline.pack` or a person wrote.

    Raises:
        DataError: it is neither, or it has no tests. The message quotes no data.
    """
    try:
        data = json.loads(unzipped(text[len(MAGIC) :]) if text.startswith(MAGIC) else text)
        if isinstance(data, dict) and "tests" not in data and _PAIRED & data.keys():
            beside = {name: value for name, value in data.items() if name in Inline.model_fields}
            return Inline.model_validate(inline(text).model_dump(exclude_defaults=True) | beside)
        if not isinstance(data, dict | list):
            raise DataError(f"tests: {_NO_TESTS}")
        return Inline.model_validate({"tests": data} if isinstance(data, list) else data)
    except Unusable as error:
        raise DataError(f"tests: {error}") from None
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise DataError(f"tests: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except (ValueError, zlib.error, binascii.Error, RecursionError):
        raise DataError(f"tests: {_NO_TESTS}") from None


def unzipped(text: str) -> bytes:
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
