"""Makes text for terminals and pipes: untrusted text made harmless, and tables that line up with wide characters."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import click
from rich.cells import cell_len, set_cell_size

_COLORS = {"AC": "green", "PC": "yellow", "IE": "magenta", "SK": "bright_black"}

# Characters by which a program's output could control the terminal (escape sequences, bidirectional marks), forge
# lines, or hide why it is wrong (invisible ones: soft hyphen, zero-width space, byte order mark, tags).
_HARMFUL = (
    *(*range(9), *range(11, 32), *range(127, 160), 0xAD, 0x61C, 0x180E, 0x200B, 0x200E, 0x200F),
    *(*range(0x2028, 0x202F), *range(0x2060, 0x2070), 0xFEFF, *range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080)),
)
_SHOWN = {code: chr(code).encode("unicode_escape").decode() if code > 255 else f"\\x{code:02x}" for code in _HARMFUL}


def harmless(text: str) -> str:
    """`text` with control characters spelled out, except tab and newline."""
    return text.replace("\r\n", "\n").translate(_SHOWN)


def one_line(text: str, width: int = 100) -> str:
    """`text` on one line, cut to `width` columns."""
    return cut(" ".join(harmless(text).split()), width)


def cut(line: str, width: int = 100) -> str:
    columns = 0
    for place, character in enumerate(line):
        columns += cell_len(character)
        if columns > width:
            return set_cell_size(line[:place], width - 1).rstrip() + "…"
    return line


def verdict_text(verdict: str) -> str:
    return click.style(verdict, fg=_COLORS.get(verdict, "red"), bold=verdict == "AC")


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, right: Collection[int] = ()) -> str:
    """Columns separated by two spaces; those whose index is in `right` are aligned to the right."""
    lines = [[click.style(name, bold=True) for name in header], *rows]
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(_pad(cell, widths[column], right=column in right) for column, cell in enumerate(line)).rstrip()
        for line in lines
    )


def _width(cell: str) -> int:
    return cell_len(click.unstyle(cell))


def _pad(cell: str, width: int, *, right: bool) -> str:
    padding = " " * (width - _width(cell))
    return padding + cell if right else cell + padding
