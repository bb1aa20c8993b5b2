"""Statements in Markdown as TeX, for formats that take no Markdown. Formulas are the same in both."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from problems.errors import ProblemError

#: A formula in dollars. The alternatives begin differently, and nothing is searched twice.
_FORMULA = re.compile(r"\$\$[^$]++\$\$|\$(?!\$)[^$\n]++\$")
#: Stands for a formula while Markdown is read: private characters, which no statement holds.
_OPEN, _CLOSE = "\ue000", "\ue001"
_HELD = re.compile(f"{_OPEN}([0-9]++){_CLOSE}")
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "{}$&#%_"},
}
_AROUND = {
    "strong": (r"\textbf{", "}"),
    "em": (r"\emph{", "}"),
    "paragraph": ("", "\n\n"),
    "bullet_list": ("\\begin{itemize}\n", "\\end{itemize}\n\n"),
    "ordered_list": ("\\begin{enumerate}\n", "\\end{enumerate}\n\n"),
    "list_item": (r"\item ", ""),
    "blockquote": ("\\begin{quote}\n", "\\end{quote}\n\n"),
}
_HEADINGS = ("section*", "section*", "subsection*", "subsubsection*")


#: Of a statement. No honest one is larger, and a hostile one is read in a second.
MOST_CHARACTERS = 1 << 16


def tex(markdown: str) -> str:
    """The body of a TeX document that says the same.

    Raises:
        ProblemError: the statement is too large, or nested too deeply.
    """
    if len(markdown) > MOST_CHARACTERS:
        raise ProblemError(f"a statement of {len(markdown)} characters is too large for TeX; shorten it")
    formulas: list[str] = []

    def hold(found: re.Match[str]) -> str:
        formulas.append(found[0])
        return f"{_OPEN}{len(formulas) - 1}{_CLOSE}"

    held = _FORMULA.sub(hold, markdown.replace(_OPEN, "").replace(_CLOSE, ""))
    try:
        made = _all(SyntaxTreeNode(MarkdownIt("commonmark").enable("table").parse(held)))
    except RecursionError:
        raise ProblemError("a statement is nested too deeply for TeX; flatten its lists and emphasis") from None
    return _HELD.sub(lambda found: formulas[int(found[1])], made).strip() + "\n"


def escape(text: str) -> str:
    return "".join(_ESCAPES.get(sign, sign) for sign in text)


def _all(node: SyntaxTreeNode) -> str:
    return "".join(_one(child) for child in node.children)


def _one(node: SyntaxTreeNode) -> str:
    kind, attributes = node.type, dict(node.attrs)
    match kind:
        case "heading":
            return f"\\{_HEADINGS[min(int(node.tag[1:]), 4) - 1]}{{{_all(node)}}}\n\n"
        case "text" | "html_inline" | "html_block":
            return escape(node.content)
        case "code_inline":
            return f"\\texttt{{{escape(node.content)}}}"
        case "fence" | "code_block":
            return f"\\begin{{verbatim}}\n{node.content.rstrip()}\n\\end{{verbatim}}\n\n"
        case "softbreak":
            return "\n"
        case "hardbreak":
            return "\\\\\n"
        case "hr":
            return "\\hrulefill\n\n"
        case "image":
            return f"\\includegraphics{{{attributes.get('src', '')}}}"
        case "link":
            return f"\\href{{{escape(str(attributes.get('href', '')))}}}{{{_all(node)}}}"
        case "table":
            return _table(node)
        case _:
            before, after = _AROUND.get(kind, ("", ""))
            return before + _all(node) + after


def _table(node: SyntaxTreeNode) -> str:
    rows = [[_all(cell) for cell in row.children] for part in node.children for row in part.children]
    columns = "l" * max(map(len, rows))
    body = "".join(" & ".join(row) + " \\\\\n" for row in rows)
    return f"\\begin{{tabular}}{{{columns}}}\n{body}\\end{{tabular}}\n\n"
