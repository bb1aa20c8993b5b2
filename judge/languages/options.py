"""Options that the sender of a program may give to the compiler of C and C++.

Only those that this module names: they choose a dialect, warnings, optimisation or macros. None reads or writes another
file, starts another program, or loads code into the compiler (-B, -wrapper, -fplugin, @file, -o, -I, -include, -Wl,…).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from judge.common.errors import ConfigError
from judge.languages import Language

MOST_OPTIONS = 100
#: By family: the dialects.
_DIALECTS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {"c": re.compile(r"-std=(?:c|gnu)\d[0-9a-z]"), "c++": re.compile(r"-std=(?:c|gnu)\+\+\d[0-9a-z]")}
)
#: Their last letters; `-D` only with a value that is one word.
_OTHERS = re.compile(
    r"-O(?:[0-3s]|fast)?|-l(?:m|pthread)|-pthread|-w|-pedantic(?:-errors)?|"
    r"-W(?:all|extra|pedantic|error|fatal-errors|shadow|conversion)|"
    r"-D[A-Za-z_][A-Za-z0-9_]*(?:=[A-Za-z0-9_.+-]*)?"
)


def with_options(language: Language, options: Sequence[str]) -> Language:
    """The same, compiled with these options behind its own.

    Raises:
        ConfigError: the language takes none, or not one of these.
    """
    if not options:
        return language
    dialects = _DIALECTS.get(language.family)
    if dialects is None:
        raise ConfigError("setting compiler options is only allowed for C and C++")
    if len(options) > MOST_OPTIONS:
        raise ConfigError(f"there are {len(options)} compiler options, more than {MOST_OPTIONS}")
    plain = tuple(f"-{option.removeprefix('--')}" if option.startswith("--std=") else option for option in options)
    for option in plain:
        if not (dialects.fullmatch(option) or _OTHERS.fullmatch(option)):
            raise ConfigError(f"the compiler option {option[:100]!r} is not allowed")
    return replace(language, compile=replace(language.compile, options=plain))
