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

known = frozenset(sys.modules)

import _io  # noqa: E402
import _thread  # noqa: E402
import _weakref  # noqa: E402
import atexit  # noqa: E402, F401  (cpython.c asks for it)
import builtins  # noqa: E402
import gc  # noqa: E402

#: A program that made more is taken apart as ever, so that it takes its time whether its interpreter is held or not.
MOST_BLOCKS = sys.getallocatedblocks() + 64 * 1024

globals()["__builtins__"] = dict(vars(builtins))  # a program may change its own
bases_of = vars(type)["__mro__"].__get__
attributes_of = vars(type)["__dict__"].__get__
callback_of = vars(_weakref.ref)["__callback__"].__get__
buffer_of = vars(_io.TextIOWrapper)["buffer"].__get__
flush = _io.TextIOWrapper.flush
get_objects, disable, enable, blocks, audit = gc.get_objects, gc.disable, gc.enable, sys.getallocatedblocks, sys.audit
threads, settings, modules = _thread._count, vars(sys), sys.modules
Builtin = type(len)
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


def shows_nothing() -> bool:
    """The status is 0, there is no thread, and no object shows when it ends."""
    if "last_type" in settings or "gc" in modules or threads() or blocks() > MOST_BLOCKS:
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


#: Attributes of the classes that were there before the program, which the collector does not show later.
without_finalizer = [attributes_of(it) for it in get_objects() if isinstance(it, type) and not finalizes(it)]

for name in modules.keys() - known:  # a program has yet to ask for them
    del modules[name]
