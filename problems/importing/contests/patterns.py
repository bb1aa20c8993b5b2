"""Matches names against the regular expressions of a stranger, in a process of its own: some take years."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence

_SECONDS = 5
_BAD, _OURS = 3, 0
_CHILD = f"""
import json, re, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, ({_SECONDS}, {_SECONDS}))
resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))
patterns, names, flags = json.load(sys.stdin)
try:
    made = [re.compile(pattern, flags) for pattern in patterns]
except (re.error, OverflowError, RecursionError):
    sys.exit({_BAD})
def named(match):
    return match and {{name: match[name] for name in ("batch", "case") if name in match.re.groupindex}}
json.dump([[named(one.match(name)) for name in names] for one in made], sys.stdout)
"""

#: The groups of a match that are called batch and case; None: no match.
Groups = dict[str, str | None] | None


def match_names(patterns: Sequence[str], names: Sequence[str], *, ignore_case: bool = False) -> list[list[Groups]]:
    """The match at the begin of each name, a row for each pattern.

    Raises:
        ValueError: a pattern is none, or takes too long; the text says which.
    """
    flags = int(re.IGNORECASE) if ignore_case else 0
    try:
        done = subprocess.run(
            (sys.executable, "-I", "-S", "-c", _CHILD),
            input=json.dumps([list(patterns), list(names), flags]).encode("utf-8", "surrogateescape"),
            capture_output=True,
            timeout=4 * _SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ValueError("takes too long") from None
    if done.returncode == _BAD:
        raise ValueError("is no regular expression")
    if done.returncode != _OURS:
        raise ValueError("takes too long")
    rows: list[list[Groups]] = json.loads(done.stdout)
    return rows
