"""The process that renders: JSON lines {kind, text, language} in, JSON lines {html} out; null: it cannot be
rendered."""

from __future__ import annotations

import html
import json
import resource
import sys
from collections.abc import Callable
from xml.etree.ElementTree import Element

_MEMORY_BYTES = 1 << 30
TAGS = frozenset(
    {
        *("math", "mrow", "mi", "mn", "mo", "ms", "mtext", "mspace", "msup", "msub", "msubsup", "munder", "mover"),
        *("munderover", "mfrac", "msqrt", "mroot", "mtable", "mtr", "mtd", "mstyle", "mpadded", "mphantom", "menclose"),
    }
)
ATTRIBUTES = frozenset(
    {
        *("display", "stretchy", "fence", "form", "separator", "largeop", "movablelimits", "lspace", "rspace", "width"),
        *("height", "depth", "minsize", "maxsize", "mathvariant", "linethickness", "columnalign", "columnspacing"),
        *("rowspacing", "columnlines", "rowlines", "displaystyle", "scriptlevel", "accent", "accentunder", "notation"),
    }
)


def source(text: str, language: str) -> str | None:
    """Spans with the classes of Pygments; as many lines as `text`."""
    from pygments import highlight  # noqa: PLC0415 - as the next, in this process only
    from pygments.formatters import HtmlFormatter  # noqa: PLC0415
    from pygments.lexers import get_lexer_by_name  # noqa: PLC0415
    from pygments.util import ClassNotFound  # noqa: PLC0415

    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    return str(highlight(text, lexer, HtmlFormatter(nowrap=True)))


def statement(text: str, language: str) -> str:
    """Markdown, without HTML in it, and with formulas between dollars."""
    from markdown_it import MarkdownIt  # noqa: PLC0415
    from mdit_py_plugins.dollarmath import dollarmath_plugin  # noqa: PLC0415

    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    parser.use(dollarmath_plugin, renderer=_math, allow_digits=True, double_inline=True)
    rendered: str = parser.render(text)
    return rendered


def _math(latex: str, options: dict[str, bool]) -> str:
    return formula(latex, display=options.get("display_mode", False))


def formula(latex: str, *, display: bool = False) -> str:
    """MathML, or the formula as it is written."""
    from latex2mathml import converter  # noqa: PLC0415

    try:
        made = converter.convert_to_element(latex, display="block" if display else "inline")
    except Exception:  # its errors have no common base
        return f"<code>{html.escape(latex)}</code>"
    return _serialise(made)


def _serialise(element: Element) -> str:
    """Only what is listed, and every text escaped: the converter writes the text of a formula as if it were XML."""
    inner = _text(element.text) + "".join(_serialise(child) + _text(child.tail) for child in element)
    if element.tag not in TAGS:
        return inner
    listed = [(name, value) for name, value in element.items() if name in ATTRIBUTES]
    attributes = "".join(f' {name}="{html.escape(html.unescape(value))}"' for name, value in listed)
    return f"<{element.tag}{attributes}>{inner}</{element.tag}>"


def _text(text: str | None) -> str:
    return html.escape(html.unescape(text or ""))


_KINDS: dict[str, Callable[[str, str], str | None]] = {"source": source, "statement": statement}


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            made = _KINDS[asked["kind"]](asked["text"], asked["language"])
        except (RecursionError, MemoryError, ValueError):
            made = None
        print(json.dumps({"html": made}), flush=True)
