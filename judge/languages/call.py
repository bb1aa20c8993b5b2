"""Calls one function of a submission with the arguments of a test, and writes what it returns.

The judge puts a line `CALL = {...}` before this text and runs it in place of the submission. Nothing here is secret or
trusted: the submission shares this process, and what it writes is its output, however it wrote it.

Each line of the input is an argument, as JSON. The result goes to the program's output as JSON in one form: a space
around each token, none inside a string, keys sorted, true and false as 1 and 0 (in Python they are equal).
What the submission prints goes to stderr.

A value is written as what it equals by Python's `==`: Fraction(1, 2) as 0.5, a UserList as a list, an IntEnum as its
number. `equality` says what a tuple is, and what else is a list. What equals no value of JSON is written as `<type>`,
which equals no answer, and a line on stderr says so.

    values    tuples, ranges, deques, arrays and views of maps are lists; keys of maps are texts, or integers alike
    python    the outermost tuple is a list (LiveCodeBench)
    apps      so are all items of the outermost list, if the first is a tuple (APPS, TACO)

With `python_values` arguments and result keep their types: {"__tuple__": [...]}, {"__set__": [...]},
{"__dict__": [[key, value], ...]}, {"__bytes__": "..."}, {"__complex__": [real, imaginary]}, {"__list_node__": [...]}
and {"__tree_node__": [...]} stand for what JSON lacks. Last lines may be {"__keywords__": [[name, value], ...]},
arguments by their names, and {"__as__": ["sorted", ["round", 2], ...]}, what to make of the result before it is
written, in that order.

As on the sites that such problems come from, the submission may use names of the standard library that it
does not import, and `ListNode` and `TreeNode`; it may recurse deeply.
"""

# Not by pathlib, which takes long to import.

import builtins
import contextlib
import json
import os
import sys

CALL = globals().get("CALL", {})
_TYPED = bool(CALL.get("python_values"))
_EQUALITY = "python" if _TYPED else CALL.get("equality", "values")

_SOURCE = "solution.py"
_RECURSION = 50_000
_AST_ONLY = 0x400  # ast.PyCF_ONLY_AST
#: Modules whose names a submission may use without importing them. The first that has a name gives it.
_MODULES = (
    *("collections", "math", "heapq", "bisect", "itertools", "functools", "typing", "operator", "string", "re"),
    *("copy", "datetime", "random", "statistics", "io", "sys", "json"),
)


#: What `__as__` may name. Looked up before the submission can change the builtins.
_TAKEN = {
    one.__name__: one
    for one in (abs, bool, dict, float, frozenset, int, len, list, max, min, repr, round, set, sorted, str, sum, tuple)
}


class ListNode:
    def __init__(self, val=0, next=None):
        self.val = val
        self.next = next


class TreeNode:
    def __init__(self, val=0, left=None, right=None):
        self.val = val
        self.left = left
        self.right = right


def _missing(tree, space):
    """Names that the program reads, and neither assigns, defines nor imports."""
    read, made = set(), set(dir(builtins)) | space.keys()
    pending = [tree]
    while pending:
        node = pending.pop()
        kind = type(node).__name__
        if kind == "Name":
            (read if type(node.ctx).__name__ == "Load" else made).add(node.id)
        elif kind == "arg":
            made.add(node.arg)
        elif kind == "alias":
            made.add(node.asname or node.name.partition(".")[0])
        elif isinstance(getattr(node, "name", None), str):  # a function, a class, an exception, a pattern
            made.add(node.name)
        for name in node._fields:
            below = getattr(node, name, None)
            pending += [one for one in (below if isinstance(below, list) else [below]) if hasattr(one, "_fields")]
    return read - made


def _supply(names, space):
    """Give the program the names of the standard library among `names`."""
    for name in names & set(_MODULES):
        space[name] = __import__(name)
    names -= set(_MODULES)
    for module in _MODULES:
        if not names:
            return
        found = __import__(module)
        public = getattr(found, "__all__", None) or [name for name in vars(found) if not name.startswith("_")]
        for name in names.intersection(public):
            space[name] = getattr(found, name)
        names = names.difference(public)


def _load(path):
    """The global names of the submission."""
    with open(path, "rb") as file:  # noqa: PTH123
        source = file.read()
    space = {"__name__": "solution", "__file__": path, "ListNode": ListNode, "TreeNode": TreeNode}
    tree = compile(source, _SOURCE, "exec", _AST_ONLY, dont_inherit=True)
    _supply(_missing(tree, space), space)
    exec(compile(tree, _SOURCE, "exec", dont_inherit=True), space)  # noqa: S102
    return space


def _function(space, name):
    solution = space.get("Solution")
    if isinstance(solution, type) and hasattr(solution, name):
        return getattr(solution(), name)
    if callable(space.get(name)):
        return space[name]
    sys.exit(f"the program defines neither a function {name} nor a class Solution with such a method")


def _link_nodes(values, node):
    first = last = node()
    for value in values:
        last.next = node(value)
        last = last.next
    return first.next


def _tree(values, node):
    if not values or values[0] is None:
        return None
    root = node(values[0])
    level, rest = [root], iter(values[1:])
    while level:
        below = []
        for parent in level:
            for side in ("left", "right"):
                value = next(rest, None)
                if value is not None:
                    child = node(value)
                    setattr(parent, side, child)
                    below.append(child)
        level = below
    return root


def _argument(value, annotation, space):
    """The value as the function wants it, if its annotation says that it wants a list or a tree of nodes."""
    if not isinstance(value, list):
        return value
    for name, make in (("ListNode", _link_nodes), ("TreeNode", _tree)):
        if name in annotation:
            if annotation.replace("typing.", "").lower().startswith("list["):
                return [make(one, space[name]) if isinstance(one, list) else one for one in value]
            return make(value, space[name])
    return value


def _integer_keys(value):
    """JSON has only texts as keys. Raises ValueError where they are no integers."""
    return {int(key): one for key, one in value.items()}


def _arguments(function, space, text):
    values = [json.loads(line) for line in text.split("\n") if line.strip()]
    if CALL.get("integer_keys"):
        for index, value in enumerate(values):
            if isinstance(value, dict):
                with contextlib.suppress(ValueError):
                    values[index] = _integer_keys(value)
    stated = _annotations(function)
    stated += [""] * (len(values) - len(stated))
    return [_argument(value, one, space) for value, one in zip(values, stated, strict=False)]


def _python(value, space):
    """A value of JSON as the value of Python that it stands for."""
    if isinstance(value, list):
        return [_python(one, space) for one in value]
    if not isinstance(value, dict):
        return value
    ((kind, inner),) = value.items()
    if kind == "__tuple__":
        return tuple(_python(one, space) for one in inner)
    if kind == "__set__":
        return {_python(one, space) for one in inner}
    if kind == "__bytes__":
        return inner.encode("latin-1")
    if kind == "__complex__":
        return complex(*inner)
    if kind == "__list_node__":
        return _link_nodes([_python(one, space) for one in inner], space["ListNode"])
    if kind == "__tree_node__":
        return _tree([_python(one, space) for one in inner], space["TreeNode"])
    return {_python(key, space): _python(one, space) for key, one in inner}


def _call_function(function, space, text):
    """What the function returns for a test of Python's values, after what the test makes of it."""
    given = [json.loads(line) for line in text.split("\n") if line.strip()]
    beside = {}
    while given and isinstance(given[-1], dict) and given[-1].keys() <= {"__as__", "__keywords__"}:
        beside.update(given.pop())
    named = {name: _python(one, space) for name, one in beside.get("__keywords__", ())}
    return _make_object(function(*[_python(one, space) for one in given], **named), beside.get("__as__", ()))


def _make_object(result, steps):
    for step in steps:
        name, *more = step if isinstance(step, list) else [step]
        result = _TAKEN[name](result, *more)
    return result


def _annotations(function):
    """What is said of each parameter; "": nothing."""
    inner = getattr(function, "__wrapped__", function)
    code = getattr(inner, "__code__", None)
    names = () if code is None else code.co_varnames[: code.co_argcount]
    return [_text(inner.__annotations__.get(name, "")) for name in names if name != "self"]


def _text(annotation):
    """What an annotation says, whether it is a class, a type or a text."""
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


def _list_nodes(node):
    values, seen = [], set()
    while node is not None:
        if id(node) in seen:
            sys.exit("the function returned a linked list with a cycle")
        seen.add(id(node))
        values.append(node.val)
        node = node.next
    return values


def _levels(root):
    values, level = [], [root]
    while any(node is not None for node in level):
        below = []
        for node in level:
            values.append(None if node is None else node.val)
            below += () if node is None else (node.left, node.right)
        level = below
    while values and values[-1] is None:
        values.pop()
    return values


def _empty_nodes(result):
    """The result with an empty list for each node that is none."""
    if isinstance(result, list):
        return [[] if one is None else one for one in result]
    return [] if result is None else result


class _Written:
    """A value by its text: a number, or what equals no answer."""

    def __init__(self, text):
        self.text = text


#: What was returned that equals no answer, in words.
_REFUSED = []
_ACCEPTED = {
    "values": "None, bool, numbers, str, list, tuple and other sequences, and maps with texts as keys",
    "python": "None, bool, numbers, str, list, a tuple in place of the outermost list, and maps with texts as keys",
    "apps": "None, bool, numbers, str, list, tuples in place of the two outermost lists, and maps",
    "typed": "None, bool, numbers, str, bytes, list, tuple, set, dict, ListNode and TreeNode",
}


def _refuse(what, text):
    """The value as a text that equals no answer."""
    _REFUSED.append(what)
    return _Written(f"<{text}>")


def _refuse_type(value):
    kind = type(value)
    whole = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return _refuse(f"a value of type {whole}", json.dumps(kind.__name__)[1:-1].replace(" ", "_"))


def _report():
    """Say on stderr what was refused first."""
    if _REFUSED:
        accepted = _ACCEPTED["typed" if _TYPED else _EQUALITY]
        line = f"{CALL['name']} returned {_REFUSED[0]}, which equals no answer. Accepted: {accepted}.\n"
        with contextlib.suppress(OSError):
            os.write(2, line.encode("utf-8", "backslashreplace"))


def _class(module, name):
    """A class of a module, if somebody imported that; else a class without instances."""
    return getattr(sys.modules.get(module), name, _Written)


def _reduce(value):
    """The value of a built-in type that equals this one by `==`; itself: there is none."""
    for kind, make in ((int, int.__int__), (float, float.__float__), (str, str.__str__)):
        if isinstance(value, kind):
            return make(value)
    if isinstance(value, complex):
        return float(value.real) if value.imag == 0 else complex(value)
    if isinstance(value, (_class("decimal", "Decimal"), _class("fractions", "Fraction"))):
        return _rational(value)
    if isinstance(value, (_class("collections", "UserList"), _class("collections", "UserString"))):
        return value.data
    if isinstance(value, (_class("collections", "UserDict"), _class("collections", "ChainMap"), type(type.__dict__))):
        return dict(value)
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, (_class("numpy", "ndarray"), _class("numpy", "generic"))):
        return _numpy(value)
    if _EQUALITY == "values" and isinstance(value, _sequences()):
        return list(value)
    if not isinstance(value, (list, tuple, dict, set, frozenset, bytes)):
        return _read_number(value)
    return value


def _sequences():
    views = type({}.keys()), type({}.values()), type({}.items())
    return (range, _class("collections", "deque"), _class("array", "array"), *views)


def _numpy(value):
    """`==` gives an array of more or less than one element no truth value."""
    if isinstance(value, _class("numpy", "ndarray")):
        return value.tolist() if _EQUALITY == "values" or value.size == 1 else value
    if value.dtype.kind == "f" and value.dtype.itemsize < 8:
        return float(
            str(value)
        )  # it equals all doubles that it stands for: that with the fewest digits is the answer's
    return _reduce(value.item()) if value.dtype.kind in "biuc" else _read_number(value)


def _read_number(value):
    """A number of a library's own type, as what it equals."""
    for make in (getattr(type(value), "__index__", None), getattr(type(value), "__float__", None)):
        with contextlib.suppress(Exception):
            if make is not None and bool(make(value) == value):
                return make(value)
    return value


def _rational(value):
    """A Decimal or Fraction. One that is no double is written as far from it as it is, so that it equals none."""
    import decimal  # noqa: PLC0415 - only where somebody returned one

    precise = decimal.Context(prec=60, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[])
    if isinstance(value, decimal.Decimal) and (not value.is_finite() or value.adjusted() > 9999):
        return float("nan") if value.is_nan() else _Written(str(value))
    if value == int(value):
        return int(value)
    numerator, denominator = map(decimal.Decimal, value.as_integer_ratio())
    exact = precise.divide(numerator, denominator)
    if abs(exact) > sys.float_info.max:
        return _Written(str(exact))
    near = float(value)
    if near == value:
        return near
    near_numerator, near_denominator = map(decimal.Decimal, near.as_integer_ratio())
    gap = precise.subtract(exact, precise.divide(near_numerator, near_denominator))
    return _Written(str(precise.add(decimal.Decimal(repr(near)), gap)))


def _plain(value, nodes, outer=True):
    """The value in the types of JSON. `outer`: it lies in no other."""
    if type(value) not in (int, str, float, list):
        value = _reduce(value)
    if value is None or isinstance(value, (int, float, str, _Written)):
        return value
    if _TYPED and isinstance(value, (tuple, set, frozenset, dict, bytes, complex)):
        return _read_tagged(value, nodes)
    if isinstance(value, list) or (isinstance(value, tuple) and (outer or _EQUALITY == "values")):
        if outer and _EQUALITY == "apps" and value and isinstance(value[0], tuple):
            with contextlib.suppress(TypeError):
                value = [list(one) for one in value]
        return [_plain(one, nodes, False) for one in value]
    if isinstance(value, tuple):
        return _refuse("a tuple within another value, where the answer can have a list", "tuple")
    if isinstance(value, dict):
        return _map(value, nodes, outer)
    for node, kind, values in ((nodes[0], "__list_node__", _list_nodes), (nodes[1], "__tree_node__", _levels)):
        if isinstance(value, node):
            return {kind: _plain(values(value), nodes)} if _TYPED else _plain(values(value), nodes, False)
    return _refuse_type(value)


def _map(value, nodes, outer):
    """A map with its keys as texts, as the answer has them."""
    keys = [_reduce(key) for key in value]
    if not all(isinstance(key, (str, int)) or (isinstance(key, float) and key.is_integer()) for key in keys):
        return _refuse("a map with keys that are neither texts nor integers", "dict")
    if _EQUALITY != "values":
        # The answer's keys are integers if all of them can be read as such, else texts.
        integers = bool(CALL.get("integer_keys") and outer and all(map(_is_integer, keys)))
        if any(isinstance(key, str) == integers for key in keys):
            kinds = ("texts", "integers") if integers else ("integers", "texts")
            return _refuse("a map with {} as keys, where the answer can have {}".format(*kinds), "dict")
    texts = [key if isinstance(key, str) else str(int(key)) for key in keys]
    return {key: _plain(one, nodes, False) for key, one in zip(texts, value.values(), strict=False)}


def _is_integer(key):
    try:
        int(key)
    except ValueError:
        return False
    return True


def _read_tagged(value, nodes):
    """As `_python` reads it; sets and maps in the order of their texts."""
    if isinstance(value, tuple):
        return {"__tuple__": [_plain(one, nodes) for one in value]}
    if isinstance(value, bytes):
        return {"__bytes__": value.decode("latin-1")}
    if isinstance(value, complex):
        return {"__complex__": [value.real, value.imag]}
    if isinstance(value, dict):
        pairs = [[_whole(_plain(key, nodes)), _plain(one, nodes)] for key, one in value.items()]
        return {"__dict__": sorted(pairs, key=lambda pair: _write_value(pair[0]))}
    return {"__set__": sorted([_whole(_plain(one, nodes)) for one in value], key=_write_value)}


def _whole(value):
    """A key or an item of a set, with integers for floats that equal them: their texts decide the order."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_whole(one) for one in value]
    if isinstance(value, dict):
        return {kind: _whole(one) for kind, one in value.items()}
    return value


def _write_value(value):
    """The value as JSON in the form that the judge compares (`judge.checkers.values` writes the same)."""
    if value is None:
        return "null"
    if isinstance(value, _Written):
        return value.text
    if isinstance(value, str):
        return json.dumps(value).replace(" ", "\\u0020")
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, dict):
        pairs = sorted((_write_value(key), _write_value(one)) for key, one in value.items())
        return "{ " + " , ".join(f"{key} : {one}" for key, one in pairs) + " }"
    return "[ " + " , ".join([_write_value(one) for one in value]) + " ]"


def _run():
    output = os.dup(1)
    os.dup2(2, 1)
    sys.setrecursionlimit(_RECURSION)
    space = _load(f"{sys.path[0]}/{_SOURCE}")
    function = _function(space, CALL["name"])
    with open(0, "rb", closefd=False) as stream:
        text = stream.read().decode()
    if CALL.get("python_values"):
        result = _call_function(function, space, text)
    else:
        result = function(*_arguments(function, space, text))
        promised = _text(getattr(function, "__annotations__", {}).get("return", ""))
        if "ListNode" in promised or "TreeNode" in promised:
            result = _empty_nodes(result)
    written = _write_value(_plain(result, (space["ListNode"], space["TreeNode"])))
    with open(output, "w", encoding="ascii") as stream:  # noqa: PTH123
        stream.write(written + "\n")
    _report()
    sys.stdout.flush()


_run()
