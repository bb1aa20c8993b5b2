"""Starts our own modules in another process of Python."""

from __future__ import annotations

import json
import sys

#: Takes the paths of modules from its first argument before it imports any of ours.
_START = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from {} import main; main()"


def own_command(module: str, *arguments: str) -> list[str]:
    """The command that calls `main` of one of our modules, found where this process finds it. `arguments` are its
    `sys.argv` from 2 on.

    By -P it looks for no module in the working directory, which may hold submissions: one may be called json.py."""
    return [sys.executable, "-P", "-c", _START.format(module), json.dumps(sys.path), *arguments]
