"""Imports what many programs import, before the fork. Part of cpython.c, which executes this text.

The modules are taken out of `sys.modules` again, with those that they import. A program that imports one gets it, with
all that importing it brings; one that does not cannot find it. Where the program brings a module of such a name, or
changes where modules are searched, the import goes its usual way.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

known = frozenset(sys.modules)
modules = sys.modules

import builtins  # noqa: E402

#: None of them starts a thread, opens a file for long, or knows its process by number.
NAMES = (
    "bisect",
    "collections",
    "copy",
    "functools",
    "heapq",
    "json",
    "math",
    "operator",
    "random",
    "re",
    "string",
    "typing",
)
SEARCHED = tuple(sys.path)
#: What each module imports, as the names of `sys.modules`.
imported: "dict[str, list[str]]" = {}
search = sys.path
ModuleSpec: "Any" = type(sys.__spec__)
PathFinder = modules["_frozen_importlib_external"].PathFinder
real_import = builtins.__import__
globals()["__builtins__"] = dict(vars(builtins))  # a program may change its own


def note_import(
    name: str, globals: "Any" = None, locals: "Any" = None, fromlist: "Any" = (), level: int = 0
) -> "ModuleType":
    """In place of `__import__` meanwhile."""
    before = frozenset(modules)
    module = real_import(name, globals, locals, fromlist, level)
    if level:
        name = ".".join((globals["__package__"].rsplit(".", level - 1)[0], *filter(None, (name,))))
    parts = name.split(".")
    names = [".".join(parts[: count + 1]) for count in range(len(parts))] + [f"{name}.{one}" for one in fromlist or ()]
    imported.setdefault((globals or {}).get("__name__", ""), []).extend(one for one in names if one in modules)
    imported.setdefault(name, []).extend(modules.keys() - before)
    return module


def close_over(name: str, into: "list[str]") -> "list[str]":
    """The module's name, and those that it imports."""
    if name not in into and name not in known:
        into.append(name)
        for one in imported.get(name, ()):
            close_over(one, into)
    return into


class Ahead:
    """Finds modules that are there already, before anybody looks for their files; and loads them."""

    def __init__(self, finders: "dict[str, Any]") -> None:
        #: Of directories of packages.
        self.finders = finders
        self.modules = {name: modules.pop(name) for name in tuple(modules) if name not in known}
        self.specs: dict[str, Any] = {name: self.modules[name].__spec__ for name in NAMES if name in self.modules}
        self.brought = {name: close_over(name, []) for name in self.specs}
        self.search = PathFinder.find_spec
        for name in self.modules:
            package, _, own = name.rpartition(".")
            if package and own in vars(self.modules[package]) and name not in close_over(package, []):
                delattr(self.modules[package], own)

    def find_spec(self, name: str, path: object = None, target: object = None) -> "Any":
        if name not in self.brought or target is not None or not self.is_usual(name):
            return self.search(name, path, target)
        spec = self.specs[name]
        return ModuleSpec(name, self, origin=spec.origin, is_package=spec.submodule_search_locations is not None)

    def is_usual(self, name: str) -> bool:
        """Whether it would be found where it was, with all that it imports."""
        if tuple(search[1 : 1 + len(SEARCHED)]) != SEARCHED:
            return False
        return all(self.search(one, search[:1]) is None for one in self.brought[name] if "." not in one)

    def create_module(self, spec: "Any") -> "ModuleType":
        return self.modules[spec.name]

    def exec_module(self, module: "ModuleType") -> None:
        name = module.__name__
        module.__spec__ = self.specs[name]
        for one in self.brought.pop(name):
            if one == name or one not in modules:
                self.enter(one)

    def enter(self, name: str) -> None:
        """Leave all as an import of the module would."""
        module = modules[name] = self.modules[name]
        package, _, own = name.rpartition(".")
        if package:
            setattr(self.modules[package], own, module)
            for path in vars(self.modules[package]).get("__path__", ()):  # where it was searched
                sys.path_importer_cache.setdefault(path, self.finders.get(path))
        if name == "random":
            module.seed()
        self.brought.pop(name, None)


def import_ahead() -> None:
    cache = sys.path_importer_cache
    directories = frozenset(cache)
    builtins.__import__ = note_import
    try:
        for name in NAMES:
            note_import(name)
    finally:
        builtins.__import__ = real_import
    PathFinder.find_spec = Ahead({path: cache.pop(path) for path in cache.keys() - directories}).find_spec


if not sys.flags.no_site:  # else it only checks the syntax of programs
    import_ahead()
