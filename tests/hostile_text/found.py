"""Where the packages apply what may take long for a text: found in their source, so that none is forgotten."""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PACKAGES = ("containers", "judge", "problems", "trainer_adapter")
#: Programs that run in a sandbox.
_APART = (
    *("judge/languages/smoke.py", "judge/languages/syntax.py", "judge/server/compat/sandbox_fusion/cells.py"),
    *("judge/selftest/", "problems/library/"),
)
#: Besides all of `re`, by the last part of their name.
_CALLS = frozenset(
    (
        *("ConfigParser", "Decimal", "Fraction", "Loader", "SafeLoader", "SequenceMatcher", "decompress", "fnmatch"),
        *("fnmatchcase", "genops", "get_close_matches", "literal_eval", "loads", "safe_load"),
    )
)
_WHOLE = ("fnmatch.translate", "shlex.split", "json.load", "tomllib.load", "ast.parse", "yaml.load")


@functools.cache
def places() -> Mapping[str, tuple[str, ...]]:
    """Calls by their place, "module:NAME" of what is assigned or "module:function"."""
    found: dict[str, list[str]] = defaultdict(list)
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            relative = path.relative_to(ROOT).as_posix()
            if not relative.startswith(_APART):
                module = relative.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
                for scope, call in _calls(ast.parse(path.read_bytes()), ""):
                    found[f"{module}:{scope}"].append(call)
    return {place: tuple(calls) for place, calls in found.items()}


def _calls(node: ast.AST, scope: str) -> Iterator[tuple[str, str]]:
    for child in ast.iter_child_nodes(node):
        inner = scope
        if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            inner = f"{scope}.{child.name}" if scope else child.name
        elif not scope and isinstance(child, (ast.Assign, ast.AnnAssign)):
            inner = ast.unparse(child.targets[0] if isinstance(child, ast.Assign) else child.target)
        if isinstance(child, ast.Call) and _telling(ast.unparse(child.func)):
            yield scope, ast.unparse(child)
        yield from _calls(child, inner)


def _telling(name: str) -> bool:
    module, _, function = name.rpartition(".")
    return (module == "re" and function != "escape") or name in _WHOLE or function in _CALLS


def values(place: str) -> Iterator[object]:
    """What stands at a place: what a name means, or the expressions that a function gives to `re`."""
    module_name, _, names = place.partition(":")
    module = importlib.import_module(module_name)
    try:
        value = getattr(module, names)
    except AttributeError:
        value = None
    if value is not None and not callable(value):
        yield value
        return
    for call in places()[place]:
        node = ast.parse(call, mode="eval").body
        assert isinstance(node, ast.Call)
        if ast.unparse(node.func).rpartition(".")[0] == "re":
            with contextlib.suppress(NameError):  # made of what the function knows
                yield re.compile(eval(ast.unparse(node.args[0]), vars(module)))
