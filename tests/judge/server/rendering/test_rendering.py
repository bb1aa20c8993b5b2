"""Sources and statements as HTML, made by a process that may be killed."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from html.parser import HTMLParser
from pathlib import Path

import pytest

from judge import languages
from judge.server.page.details import lexer
from judge.server.rendering import process, worker
from judge.server.rendering.process import Renderer

_ALLOWED = {"span", "p", "h1", "h2", "code", "pre", "a", "div", "ul", "li", "em", "strong", "table", "blockquote", "hr"}
HOSTILE = "</span></math><script>hit()</script><img src=x onerror=hit()>\"'>&lt;script&gt;"


class Tags(HTMLParser):
    """The names of elements, and of attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        assert not any((value or "").strip().lower().startswith(("javascript:", "data:")) for _, value in attrs)


@pytest.fixture
def renderer() -> Iterator[Renderer]:
    one = Renderer()
    yield one
    one.close()


def test_beside_many_connections(renderer: Renderer) -> None:
    """Its pipes have descriptors above 1023, which `select.select` does not take."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2048), hard))
    with ExitStack() as stack:
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        for _ in range(1100):
            stack.callback(os.close, os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC))
        assert renderer.render("source", "int main", "cpp") is not None


def test_a_source_keeps_its_lines(renderer: Renderer) -> None:
    text = "\n\nint main() {\n/* a\nb */\n\n}\n\n"
    made = renderer.render("source", text, "cpp")
    assert made is not None
    assert made.count("\n") == text.count("\n")
    assert re.sub("<[^>]*>", "", made) == text
    assert '<span class="cm">/* a</span>\n<span class="cm">b */</span>' in made


def test_every_language_has_a_lexer() -> None:
    from pygments.lexers import get_lexer_by_name

    for name in languages.names():
        assert get_lexer_by_name(lexer(name)).name
        if languages.get(name).gnu:
            assert get_lexer_by_name(lexer(f"{name}-strict")).name


def test_a_statement(renderer: Renderer) -> None:
    made = renderer.render(
        "statement", "# A\n\n$1 \\le n^2$ and $$\\frac{1}{2}$$\n\n| a |\n|---|\n| 1 |\n\n<b>no</b>\n"
    )
    assert made is not None
    assert {"h1", "math", "msup", "mfrac", "table"} <= Tags(made).tags
    assert "&lt;b&gt;no&lt;/b&gt;" in made


@pytest.mark.parametrize(
    "text",
    [
        HOSTILE,
        f"$\\text{{{HOSTILE}}}$",
        f"$${HOSTILE}$$",
        f"`{HOSTILE}` ~~~{HOSTILE}\n{HOSTILE}\n~~~",
        "$\\href{javascript:hit()}{x}$ $\\style{background:red}{x}$ $\\class{x}{y}$",
        f"[a](javascript:hit()) [b]({HOSTILE}) ![c](x) <javascript:hit()> [d](data:text/html,x)",
        "$\\color{red'onclick='hit()}{x}$ $\\mathbf{\\text{&lt;script&gt;hit()&lt;/script&gt;}}$",
        "$\\operatorname{<script>} \\mathrm{<img>} \\begin{matrix}<b>\\end{matrix}$",
    ],
)
def test_nothing_in_a_statement_becomes_an_element(renderer: Renderer, text: str) -> None:
    made = renderer.render("statement", text)
    assert made is not None
    found = Tags(made)
    assert found.tags <= _ALLOWED | worker.TAGS
    assert found.attributes <= {"class", "href", "title"} | worker.ATTRIBUTES


@pytest.mark.parametrize("language", ["cpp", "python", "nosuch"])
def test_nothing_in_a_source_becomes_an_element(renderer: Renderer, language: str) -> None:
    made = renderer.render("source", f"{HOSTILE}\n// {HOSTILE}\n'{HOSTILE}'", language)
    if language == "nosuch":
        assert made is None
    else:
        assert made is not None
        found = Tags(made)
        assert (found.tags, found.attributes) == ({"span"}, {"class"})


def test_what_takes_too_long_is_given_up_and_the_next_is_rendered(monkeypatch: pytest.MonkeyPatch) -> None:
    renderer = Renderer(deadline_s=0.3)
    try:
        assert renderer.render("source", "int a;", "cpp")
        stopped = renderer._process
        assert stopped is not None
        stopped.send_signal(signal.SIGSTOP)
        assert renderer.render("source", "int b;", "cpp") is None
        assert stopped.poll() is not None, "it was killed"
        assert renderer.render("source", "int c;", "cpp")
        assert renderer._process is not None
        renderer._process.kill()
        renderer._process.wait()
        assert renderer.render("source", "int d;", "cpp") is None
        assert renderer.render("source", "int e;", "cpp")
    finally:
        renderer.close()


@pytest.mark.parametrize(
    "text",
    [
        "[" * 50_000,
        "(" * 100_000,
        "$" * 100_000,
        "*a_ " * 20_000,
        "> " * 30_000,
        "\\begin{" * 10_000,
        "${" + "{" * 50_000,
    ],
)
def test_hostile_text_ends(renderer: Renderer, text: str) -> None:
    """It is rendered, or given up; the next text is rendered."""
    renderer.render("statement", text)
    assert renderer.render("statement", "plain") == "<p>plain</p>\n"


def test_a_long_text_is_shown_as_it_is(renderer: Renderer) -> None:
    assert renderer.render("source", "x" * (process.MOST_CHARACTERS + 1), "cpp") is None
    assert renderer._process is None


def test_a_file_of_the_working_directory_is_no_module_of_it(
    renderer: Renderer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server may be started among files of others. The control: Python itself would import this one."""
    ran = tmp_path / "ran"
    (tmp_path / "json.py").write_text(f"open({str(ran)!r}, 'w'); from json.decoder import *\n")
    monkeypatch.chdir(tmp_path)
    subprocess.run([sys.executable, "-c", "import json"], capture_output=True, check=False)
    assert ran.exists()
    ran.unlink()
    assert renderer.render("source", "print(1)", "python3")
    assert not ran.exists()
