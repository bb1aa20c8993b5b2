"""Converts a built-in comparison to output validator arguments of the package format, and back.

The format ignores case unless an argument says otherwise, so `to_arguments` always states it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from problems.model import Comparison, Mode

#: The specification's own grammar of a floating-point number.
_FLOAT = re.compile(r"[+-]?(\d*\.\d+|\d+\.?)([eE][+-]?\d+)?")


def from_arguments(arguments: Sequence[str]) -> Comparison:
    """The comparison of these arguments. Raises ValueError, with words for a message, on unknown arguments."""
    case_sensitive = space_sensitive = False
    tolerances: dict[str, float] = {}
    rest = list(arguments)
    while rest:
        name = rest.pop(0)
        match name:
            case "case_sensitive":
                case_sensitive = True
            case "space_change_sensitive":
                space_sensitive = True
            case "float_tolerance" | "float_absolute_tolerance" | "float_relative_tolerance":
                if not rest:
                    raise ValueError(f"{name} needs a number")
                value = rest.pop(0)
                if not _FLOAT.fullmatch(value) or float(value) < 0 or math.isinf(float(value)):
                    raise ValueError(f"{name} {value!r} is no tolerance")
                kinds = ("absolute", "relative") if name == "float_tolerance" else (name.split("_")[1],)
                for kind in kinds:
                    if kind in tolerances:
                        raise ValueError(f"the {kind} tolerance is given twice")
                    tolerances[kind] = float(value)
            case _:
                raise ValueError(f"unknown argument {name!r} of the default output validator")
    mode = Mode.FLOAT if tolerances else Mode.TOKENS if case_sensitive else Mode.TOKENS_CI
    return Comparison(
        mode=mode,
        case_sensitive=case_sensitive,
        space_sensitive=space_sensitive,
        absolute_tolerance=tolerances.get("absolute"),
        relative_tolerance=tolerances.get("relative"),
    )


def to_arguments(comparison: Comparison) -> tuple[str, ...]:
    """The arguments of the same comparison. If the format has none, those of the nearest that other tools know."""
    arguments: list[str] = []
    if comparison.case_sensitive and comparison.mode not in (Mode.TOKENS_CI, Mode.YESNO):
        arguments.append("case_sensitive")
    if comparison.space_sensitive or comparison.mode is Mode.EXACT:
        arguments.append("space_change_sensitive")
    absolute, relative = comparison.absolute_tolerance, comparison.relative_tolerance
    if absolute is not None and absolute == relative:
        arguments += ["float_tolerance", repr(absolute)]
    else:
        for name, value in (("absolute", absolute), ("relative", relative)):
            if value is not None:
                arguments += [f"float_{name}_tolerance", repr(value)]
    return tuple(arguments)
