"""Ends a program's interpreter at once where nobody could tell. Part of cpython.c, which executes this text.

When a program has ended (its threads, its atexit functions), CPython takes itself apart, object by object. For a short
program that costs more than all before: it writes to memory everywhere, which a fork has to copy. What can be told from
outside is finalizers. So where there are none, the program ends here, with what it printed.

These names are in no module, so a program finds none of them. To ask an object could run the program's code: so only
objects of the interpreter's own types are asked, and classes through the descriptors of `type`.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

modules = sys.modules
known = frozenset(modules)

import _io  # noqa: E402
import _thread  # noqa: E402
import _warnings  # noqa: E402
import _weakref  # noqa: E402
import atexit  # noqa: E402
import builtins  # noqa: E402
import gc  # noqa: E402
from _functools import partial  # type: ignore[import-not-found] # noqa: E402

#: What cpython.c is to do, if not exit with a status: take the interpreter apart.
AS_EVER = -1
#: A program that made more is taken apart as ever, so that it takes its time whether its interpreter is held or not.
MOST_BLOCKS = sys.getallocatedblocks() + 64 * 1024

globals()["__builtins__"] = dict(vars(builtins))  # a program may change its own
bases_of = vars(type)["__mro__"].__get__
attributes_of = vars(type)["__dict__"].__get__
names_of = vars(type(sys))["__dict__"].__get__
callback_of = vars(_weakref.ref)["__callback__"].__get__
buffer_of = vars(_io.TextIOWrapper)["buffer"].__get__
flush = _io.TextIOWrapper.flush
get_objects, disable, enable, blocks, audit = gc.get_objects, gc.disable, gc.enable, sys.getallocatedblocks, sys.audit
threads, settings = _thread._count, vars(sys)
#: A debugger or a profiler of the program's: asked, once, without a call that it would see.
watchers = [partial(sys.gettrace), partial(sys.getprofile)]
if sys.version_info >= (3, 12):
    watchers += [partial(sys.monitoring.get_tool, number) for number in range(6)]
is_watched = partial(any, map(partial.__call__, watchers))
Module, Spec, external = type(sys), type(sys.__spec__), modules["_frozen_importlib_external"]
Loader, ExtensionLoader = external.SourceFileLoader, external.ExtensionFileLoader
Builtin: "Any" = type(len)
#: A file that was not closed is worth a warning, which is shown where the program asks for it.
filters, callbacks = list(_warnings.filters), gc.callbacks
SILENT_FILES = {id(kind) for kind in (_io.BytesIO, _io.StringIO, _io.FileIO, _io.BufferedReader)}
REFERENCES = {id(kind) for kind in (_weakref.ReferenceType, _weakref.ProxyType, _weakref.CallableProxyType)}
#: By their numbers: to keep them would keep what they hold from being written in the end.
streams = {name: (id(settings[name]), len(vars(settings[name]))) for name in ("stdout", "stderr")}


def finalizes(kind: object) -> bool:
    return any("__del__" in attributes_of(base) for base in bases_of(kind))


def is_silent(kind: type, objects: "list[Any]") -> bool:
    """Whether the end of these objects, all of this type, shows nothing."""
    bases = {id(base) for base in bases_of(kind)}
    if id(kind) in SILENT_FILES:
        return True
    if kind is _io.TextIOWrapper:
        return all(type(buffer_of(it)) is _io.BufferedReader for it in objects if type(it) is kind)
    if kind is _weakref.ref:
        return all(has_silent_callback(it) for it in objects if type(it) is kind)
    if id(type) in bases:  # classes; this is also for their instances that the collector does not know
        return not any(map(finalizes, [kind, *(it for it in objects if type(it) is kind)]))
    return not bases & REFERENCES and not finalizes(kind)


def has_silent_callback(reference: object) -> bool:
    """None, or the one that takes a class out of the registry of an abstract class."""
    callback = callback_of(reference)
    return callback is None or (type(callback) is Builtin and callback.__name__ == "_destroy")


def flush_streams() -> bool:
    for name, (number, attributes) in streams.items():
        stream = settings.get(name)
        if stream is None or id(stream) != number or len(stream.__dict__) != attributes:
            return False
        flush(stream)
    return True


def is_foreign(module: object) -> bool:
    """Whether it may have brought a library with an end of its own."""
    spec: Any = names_of(module).get("__spec__") if type(module) is Module else None
    return type(spec) is Spec and type(spec.loader) is ExtensionLoader and not is_of_library(spec)


def is_of_library(spec: "Any") -> bool:
    return spec.name != "_ctypes" and type(spec.origin) is str and "/lib-dynload/" in spec.origin


def warns() -> bool:
    """Whether the program changed what is warned of."""
    shown = names_of(modules["warnings"])["filters"] if "warnings" in modules else _warnings.filters
    return [*map(id, shown)] != [*map(id, filters)]


def shows_nothing() -> bool:
    """There is no thread, and no object shows when it ends."""
    new = [modules[name] for name in modules.keys() - known]
    if "gc" in modules or callbacks or warns() or threads() or blocks() > MOST_BLOCKS or any(map(is_foreign, new)):
        return False
    disable()
    objects = get_objects()
    kinds = map(type, objects)
    silent = (
        not any("__del__" in attributes for attributes in without_finalizer)
        and all(is_silent(kind, objects) for kind in {id(kind): kind for kind in kinds}.values())
        and flush_streams()
    )
    if silent:
        audit("cpython.PyInterpreterState_Clear")
    else:
        enable()
    return silent


def begin_program(path: str) -> None:
    """Name the program to itself."""
    names_of(modules["__main__"]).update(__file__=path, __cached__=None, __loader__=Loader("__main__", path))


def status_of(code: object) -> int:
    """Of `sys.exit`."""
    code = code.code if type(code) is SystemExit else code
    if code is None:
        return 0
    return code if type(code) is int and 0 <= code < 256 else AS_EVER


def end_program(code: object = None) -> int:
    """After the program's last line, its traceback, or `sys.exit`."""
    try:
        if "last_type" in settings:
            return AS_EVER
        status = status_of(code)
        if status < 0:
            return AS_EVER
        run = names_of(modules.get("atexit", atexit))["_run_exitfuncs"]  # before 3.10 each module has its own
        if type(run) is not Builtin:
            return AS_EVER
        if "threading" in modules:
            names = names_of(modules["threading"])
            if names["_shutdown"].__globals__ is not names:  # the program's
                return AS_EVER
            names["_shutdown"]()
        run()
        return status if shows_nothing() else AS_EVER
    except BaseException:
        return AS_EVER


#: Attributes of the classes that were there before the program, which the collector does not show later.
without_finalizer = [attributes_of(it) for it in get_objects() if isinstance(it, type) and not finalizes(it)]

for name in modules.keys() - known:  # a program has yet to ask for them
    del modules[name]
