"""Bodies that are no JSON, for schemathesis (its SCHEMATHESIS_HOOKS): rows of batches, and packages."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import schemathesis
from hypothesis import strategies as st

_PROGRAMS = st.sampled_from(["", "int main() {}", "print(1)", "\ud800", "```python\nprint(1)\n```", "no program"])
_ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=10), inside, max_size=3),
    max_leaves=5,
)
_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "id": st.text(max_size=10),
    "problem": st.sampled_from(["P1001", "nowhere", "../x", "package:" + "0" * 64, "a\0b"]),
    "source": _PROGRAMS,
    "completion": _PROGRAMS,
    "language": st.sampled_from(["cpp17", "python3", "klingon", ""]),
    "files": st.dictionaries(st.sampled_from(["a.py", "../a", "", "a\0"]), _PROGRAMS, max_size=2),
}
_ROW = st.fixed_dictionaries({}, optional={name: kind | _ANYTHING for name, kind in _FIELDS.items()})
_LINE = (_ROW | _ANYTHING).map(lambda value: json.dumps(value).encode()) | st.binary(max_size=50)


def _zipped(files: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return content.getvalue()


_NAMES = st.sampled_from(["problem.yaml", "data/secret/1.in", "data/secret/1.ans", "../x", "/etc/x", "a/b", "\ud7ff"])
_DATA = st.sampled_from([b"name: x\n", b"1 2\n", b"{", b"limits: {time_limit: 1e99}\n"]) | st.binary(max_size=50)
_ZIP = st.dictionaries(_NAMES, _DATA, max_size=5).map(_zipped)


@st.composite
def _damaged(draw: st.DrawFn) -> bytes:
    content = bytearray(draw(_ZIP))
    for _ in range(draw(st.integers(0, 4))):
        content[draw(st.integers(0, len(content) - 1))] = draw(st.integers(0, 255))
    return bytes(content)


schemathesis.openapi.media_type("application/x-ndjson", st.lists(_LINE, max_size=6).map(b"\n".join))
schemathesis.openapi.media_type("application/zip", _damaged() | st.binary(max_size=100))
