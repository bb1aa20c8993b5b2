"""Reads times and sizes from options, and words them for people. Inside they are integers, in ns and bytes."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import click

_TIMES = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "": 10**9}
# KB and MB are powers of 1024, too, as judges use them.
_SIZES = {"b": 1} | {
    f"{prefix}{suffix}": 1024**power for power, prefix in enumerate("kmg", 1) for suffix in ("", "b", "ib")
}
_QUANTITY = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,9})?)\s*([a-z]*)")


class Quantity(click.ParamType):  # type: ignore[type-arg]  # no generic before click 8.3
    """A positive number with a unit, converted to an integer of the smallest one."""

    def __init__(self, name: str, units: dict[str, int], largest: int, most: str, examples: str) -> None:
        self.name = name
        self._units = units
        self._largest = largest
        self._most = most
        self._examples = examples

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        match = _QUANTITY.fullmatch(str(value).strip().lower())
        if match is None or match[2] not in self._units:
            self.fail(f"{value!r} is not a positive {self.name}; write {self._examples}", param, ctx)
        amount = int(Decimal(match[1]) * self._units[match[2]])
        if not 0 < amount <= self._largest:
            self.fail(
                f"{value!r} is out of range (more than 0, at most {self._most}); write {self._examples}", param, ctx
            )
        return amount


TIME = Quantity("time", _TIMES, 24 * 3600 * 10**9, "24 hours", "e.g. 1s or 500ms")
SIZE = Quantity("size", _SIZES, 1024**4, "1 TiB", "e.g. 256MiB or 1GiB")


def time_text(ns: int | None) -> str:
    if ns is None:
        return "-"
    return f"{ns / 1e9:.2f} s" if ns >= 10**9 else f"{ns / 1e6:.1f} ms"


def limit_text(cpu_ns: int | None) -> str:
    """A problem's time limit; None: its package states none."""
    return "measured" if cpu_ns is None else time_text(cpu_ns)


def size_text(size_bytes: int | None) -> str:
    if size_bytes is None:
        return "-"
    amount, unit = float(size_bytes), "B"
    for larger in ("KiB", "MiB", "GiB"):
        if amount < 1024:
            break
        amount, unit = amount / 1024, larger
    return f"{amount:.1f} {unit}" if unit != "B" else f"{size_bytes} B"
