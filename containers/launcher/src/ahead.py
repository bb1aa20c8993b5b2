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
settings = vars(sys)
ModuleSpec: "Any" = type(sys.__spec__)
PathFinder = modules["_frozen_importlib_external"].PathFinder
bootstrap: "Any" = modules["_frozen_importlib"]
#: Who else looks for a module (`importlib.util.find_spec`, a finder of the program's) is to see its real one.
importing = bootstrap._find_and_load_unlocked.__code__
frame, built_in = sys._getframe, frozenset(sys.builtin_module_names)
FINDERS = {name: list(map(id, settings[name])) for name in ("meta_path", "path_hooks")}
real_import = builtins.__import__
BUILTINS = vars(builtins).copy()
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
        self.specs: dict[str, Any] = {
            name: module.__spec__ for name, module in self.modules.items() if type(module) is type(sys)
        }
        self.brought = {name: close_over(name, []) for name in self.specs}
        self.search = vars(PathFinder)["find_spec"].__func__
        for name in self.modules:
            package, _, own = name.rpartition(".")
            if package and own in vars(self.modules[package]) and name not in close_over(package, []):
                delattr(self.modules[package], own)

    def precede(self, finder: "Any") -> None:
        search = vars(finder)["find_spec"].__func__

        def find_spec(cls: "Any", name: str, path: "Any" = None, target: object = None) -> "Any":
            asking = getattr(getattr(frame().f_back, "f_back", None), "f_code", None)
            found_by = bootstrap.BuiltinImporter if name in built_in else PathFinder
            ours = cls is found_by and target is None and name in self.brought and asking is importing
            if not ours or not self.is_usual(name, path):
                return search(cls, name, path, target)
            spec = self.specs[name]
            return ModuleSpec(name, self, origin=spec.origin, is_package=spec.submodule_search_locations is not None)

        finder.find_spec = classmethod(find_spec)

    def is_usual(self, name: str, path: object) -> bool:
        """Whether it would be found where it was, with all that it imports."""
        package = name.rpartition(".")[0]
        if package and (
            modules.get(package) is not self.modules.get(package)
            or path != self.specs[package].submodule_search_locations
        ):
            return False
        directories = settings["path"]
        if type(directories) is not list or tuple(directories[1 : 1 + len(SEARCHED)]) != SEARCHED:
            return False
        if any(list(map(id, settings[one])) != finders for one, finders in FINDERS.items()):
            return False
        if any(BUILTINS.get(one) is not value for one, value in vars(builtins).items()):
            return False
        brought = self.brought[name]
        return all(modules.get(one, self.modules[one]) is self.modules[one] for one in brought) and all(
            self.search(PathFinder, one, directories[:1]) is None
            for one in brought
            if "." not in one and one not in built_in
        )

    def create_module(self, spec: "Any") -> "ModuleType":
        return self.modules[spec.name]

    def exec_module(self, module: "ModuleType") -> None:
        name = module.__name__
        module.__spec__ = self.specs[name]
        for one in self.brought.pop(name, ()):  # another thread may have been first
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
    ahead = Ahead({path: cache.pop(path) for path in cache.keys() - directories})
    ahead.precede(bootstrap.BuiltinImporter)
    ahead.precede(PathFinder)


if not sys.flags.no_site:  # else it only checks the syntax of programs
    import_ahead()
