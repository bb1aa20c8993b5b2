"""Finds the file with which a program of several files begins, by the rules of the package formats.

A stated entry point names a file, with or without its suffix, or a class. Else it is `__main__.py`, a file called
`main`, the file that defines the function `main`, or the first one that is no mere unit or module (the specification's
languages table; problemtools).
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
    ".mjs", ".cjs", ".kt", ".lisp", ".cl", ".lua", ".mod", ".nim", ".m", ".ml", ".odin", ".pas", ".pp", ".pm", ".pl",
    ".plg", ".php",
    ".py", ".py2", ".py3", ".R", ".r", ".rkt", ".rb", ".rs", ".scala", ".scm", ".st", ".swift", ".ts", ".zig",
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
    ".hs": re.compile(rb"^main\s*+(?:::|=)", re.MULTILINE),
    ".pas": re.compile(rb"^[^\S\n]*+program\b", re.MULTILINE | re.IGNORECASE),
    ".swift": re.compile(rb"^@main\b", re.MULTILINE),
}
#: Files that are a part of a program only, in languages whose programs need not say where they begin.
_UNIT = re.compile(rb"(?:\s|\{[^}]*+\}|\(\*.*?\*\)|//[^\n]*+\n)*+unit\b", re.IGNORECASE | re.DOTALL)
_PARTS = {".pas": _UNIT, ".pp": _UNIT, ".pm": re.compile(rb"")}


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
        if defines_main(path, content):
            return path
    whole = [path for path, content in files if not _is_part(path, content)]
    return next(iter([*whole, *(path for path, _ in files)]), None)


def defines_main(path: Path, content: bytes) -> bool:
    """Whether the source says that its program begins there, as a function `main` does."""
    mark = _MAINS.get(path.suffix)
    return mark is not None and mark.search(content) is not None


def _is_part(path: Path, content: bytes) -> bool:
    mark = _PARTS.get(path.suffix)
    return mark is not None and mark.match(content) is not None
