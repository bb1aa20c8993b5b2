"""Runs the cells of a notebook in one interpreter, inside the sandbox, without a kernel. Standard input is
{"cells": [text], "cell_timeout": seconds, "to": name}; the file of that name gets a line of JSON after each cell.

The cells share this process: what they do to it, they do to their own results only.
"""

import ast
import base64
import builtins
import contextlib
import io
import json
import linecache
import os
import signal
import sys
import traceback


def _data(value):
    """What a notebook shows of a value, by MIME type."""
    shown = {"text/plain": repr(value)}
    for name, kind in (
        ("_repr_html_", "text/html"),
        ("_repr_markdown_", "text/markdown"),
        ("_repr_svg_", "image/svg+xml"),
    ):
        make = getattr(value, name, None)
        if callable(make) and not isinstance(value, type):
            with contextlib.suppress(Exception):
                text = make()
                if isinstance(text, str):
                    shown[kind] = text
    return shown


def _figures():
    """What a cell has plotted, and nobody has closed."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    shown = []
    for number in pyplot.get_fignums() if pyplot else ():
        image = io.BytesIO()
        pyplot.figure(number).savefig(image, format="png")
        shown.append({"text/plain": repr(pyplot.gcf()), "image/png": base64.b64encode(image.getvalue()).decode()})
        pyplot.close(number)
    return shown


def _late(number, frame):
    raise TimeoutError("the cell took longer than cell_timeout")


def _run(number, text, space, timeout_s):
    name = f"<cell {number}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    out, err, shown, errors = io.StringIO(), io.StringIO(), [], []

    def display(*values):
        shown.extend(map(_data, values))

    space["display"] = builtins.display = display
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            signal.setitimer(signal.ITIMER_REAL, timeout_s)
            tree = ast.parse(text, name)
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, name, "exec"), space)  # noqa: S102 - inside the sandbox
            if last is not None:
                value = eval(compile(ast.Expression(last.value), name, "eval"), space)  # noqa: S307
                if value is not None:
                    space["_"] = value
                    display(value)
            shown.extend(_figures())
        except BaseException as error:
            lines = traceback.format_exception(type(error), error, error.__traceback__)
            errors.append({"ename": type(error).__name__, "evalue": str(error), "traceback": lines})
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    return {"stdout": out.getvalue(), "stderr": err.getvalue(), "display": shown, "error": errors}


def main():
    asked = json.load(sys.stdin)
    signal.signal(signal.SIGALRM, _late)
    os.environ |= {"MPLBACKEND": "agg", "MATPLOTLIBRC": "/dev/null"}
    space = {"__name__": "__main__", "__builtins__": builtins}
    with open(asked["to"], "w", encoding="utf-8") as told:  # noqa: PTH123 - pathlib takes long to import
        for number, text in enumerate(asked["cells"], 1):
            told.write(json.dumps(_run(number, text, space, asked["cell_timeout"])) + "\n")
            told.flush()


main()
