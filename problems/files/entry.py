"""Finds the file with which a program of several files begins, by the rules of the package formats.

A stated entry point names a file, with or without its suffix, or a class. Else it is `__main__.py`, a file called
`main`, the file that defines the function `main`, or the first one (the specification's languages table; problemtools).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

#: Suffixes of the specification's languages table (compilable ones that stand alone) and of a few more.
# fmt: off
SOURCES = frozenset({
    ".adb", ".a68", ".asm", ".awk", ".sh", ".bash", ".c", ".clj", ".cob", ".cc", ".cpp", ".cxx", ".c++", ".C", ".cr",
    ".cs", ".d", ".dart", ".ex", ".exs", ".erl", ".fth", ".f90", ".f95", ".fs", ".go", ".hs", ".java", ".js", ".jl",
    ".kt", ".lisp", ".cl", ".lua", ".mod", ".nim", ".m", ".ml", ".odin", ".pas", ".pm", ".pl", ".plg", ".php", ".py",
    ".py2", ".py3", ".R", ".r", ".rkt", ".rb", ".rs", ".scala", ".scm", ".st", ".swift", ".ts", ".zig",
})
# fmt: on

#: By suffix; languages that are not listed need no function of that name.
_C = re.compile(rb"\bmain\s*+\(")
_MAINS = {
    **dict.fromkeys((".c", ".cc", ".cpp", ".cxx", ".c++", ".C"), _C),
    ".java": re.compile(rb"\bvoid\s++main\s*+\("),
    ".cs": re.compile(rb"\bMain\s*+\("),
    ".kt": re.compile(rb"\bfun\s++main\s*+\("),
    ".scala": re.compile(rb"\bdef\s++main\s*+\(|\bextends\s++App\b|@main\b"),
    ".go": re.compile(rb"\bfunc\s++main\s*+\("),
    ".rs": re.compile(rb"\bfn\s++main\s*+\("),
    ".d": re.compile(rb"\bmain\s*+\("),
}


def entry(files: Sequence[tuple[Path, bytes]], stated: str | None = None) -> Path | None:
    """The path with which the program begins, of (path, content) of each source; None: none fits what is `stated`."""
    if stated is not None:
        return next((path for path, _ in files if stated in (path.name, path.stem, f"{path.stem}Kt")), None)
    for path, _ in files:
        if path.name == "__main__.py":
            return path
    for path, _ in files:
        if path.stem.lower() == "main":
            return path
    for path, content in files:
        if (mark := _MAINS.get(path.suffix)) is not None and mark.search(content):
            return path
    return files[0][0] if files else None
