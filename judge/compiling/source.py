"""Cleans a submission's source before a compiler or interpreter sees it.

No change alters the program's meaning or its line numbers:

- A UTF-8 byte order mark is removed; UTF-16 and UTF-32 with a mark become UTF-8.
- CRLF and lone CR become LF *everywhere*, in string literals and raw strings, too. All of g++, clang++, CPython, Java,
  Node and Free Pascal read each of them as one end of line in every context anyway. (A CR inside a raw string becomes a
  newline in g++.) Two submissions that differ only in line ends share one compile. Go and Rust do not read a lone CR as
  an end of line: there it stays.
- `freopen` stays as it is. Here we only count it; the linker makes it harmless (judge/compiling/link/freopen.c).
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from judge.common.errors import SourceError
from judge.compiling.redirections import count_redirections
from problems.files.languages import keeps_cr

#: UTF-32 first: its little-endian mark begins with that of UTF-16.
_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
#: Macros with which every C and C++ submission is compiled.
_DEFINED = frozenset({b"ONLINE_JUDGE"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    text: bytes
    #: How many places redirect stdin, stdout or stderr by freopen (`judge.compiling.redirections`).
    freopen_neutralised: int


def clean(source: bytes, *, family: str, limit_bytes: int, gnu: bool = True) -> Cleaned:
    """The text to compile or run. `family` is the language family ("c", "c++", "python", …); `gnu`: in GNU's dialect.

    Raises SourceError, a message of one line, if the source is too large, not text, or badly encoded.
    """
    if (size := len(source)) > limit_bytes:
        raise SourceError(f"the source has {size} bytes, over the limit of {limit_bytes}: submit a shorter program")
    text = _utf8(source)
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n")
        text = text if keeps_cr(family) else text.replace(b"\r", b"\n")
    nul = text.find(b"\0")
    if nul >= 0:
        line = text.count(b"\n", 0, nul) + 1
        raise SourceError(f"the source has a NUL byte in line {line}: submit program text, saved as UTF-8")
    count = 0
    if family in {"c", "c++"}:
        count = count_redirections(text, cxx=family == "c++", gnu=gnu, defined=_DEFINED)
    return Cleaned(text=text, freopen_neutralised=count)


def _utf8(source: bytes) -> bytes:
    for mark, encoding in _WIDE:
        if source.startswith(mark):
            try:
                return source.decode(encoding).encode()
            except UnicodeDecodeError as error:
                what = f"begins as {encoding.upper()} but is none at byte {error.start}"
                raise SourceError(f"the source {what}: save it as UTF-8") from error
    return source.removeprefix(codecs.BOM_UTF8)
