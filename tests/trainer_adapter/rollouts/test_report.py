"""The page of an evaluation: its figures, two runs beside one another, and nothing in it that a model could forge."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.trainer_adapter.endpoint import serve
from tests.trainer_adapter.rollouts.judged import rollout
from trainer_adapter.commands.main import main
from trainer_adapter.rollouts.row import Rollout

_HOSTILE = (
    "</pre></details><script>alert('gotcha')</script><img src=x onerror=alert(1)>\x1b[31m\u202e\ud800",
    '"><svg onload="alert(2)">',
    "<!-- ]]> <style>body{display:none}</style>",
    "{title} {body} %s {{0}}",
)
#: What pages are made of.
_TAGS = {
    *("html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "b", "figure", "figcaption", "svg"),
    *("text", "rect", "path", "polyline", "div", "span", "table", "tr", "th", "td", "details", "summary", "pre", "br"),
}


class Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags, self.attributes, self.comments = set[str](), set[str](), 0
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.addresses += [str(value) for name, value in attrs if name in ("src", "href")]

    def handle_comment(self, data: str) -> None:
        self.comments += 1


def seen(page: str) -> Seen:
    found = Seen()
    found.feed(page)
    found.close()
    return found


def write(path: Path, rollouts: list[Rollout]) -> Path:
    path.write_text("".join(each.line() for each in rollouts), "utf-8", "backslashreplace")
    return path


def judgement(**shown: Any) -> dict[str, Any]:
    """A sample and a hidden test that both fail."""
    sample = {"name": "sample/1", "group": "sample", "verdict": "WA", "detail": "SAMPLE-DETAIL", "stdout": "SAMPLE-OUT"}
    secret = {"name": "secret/1", "group": "secret", "verdict": "WA", "detail": "SECRET-DETAIL", "stdout": "SECRET-OUT"}
    return {"tests": [sample | shown, secret]}


def page_of(tmp_path: Path, rollouts: list[Rollout], *more: str) -> str:
    report = tmp_path / "report.html"
    assert main(["eval", str(write(tmp_path / "r.jsonl", rollouts)), "--report", str(report), *more]) == 0
    return report.read_text("utf-8")


@pytest.mark.parametrize("hostile", _HOSTILE)
@pytest.mark.parametrize("hidden", [False, True])
def test_a_hostile_completion_is_text_everywhere(tmp_path: Path, hostile: str, hidden: bool) -> None:
    """In every field that a model, a program or a data set may write."""
    text = hostile.encode(errors="replace").decode()
    bad = rollout("P1", 0, "WA", completion=text, judgement=judgement(name=text, detail=text, stdout=text))
    broken = rollout("P2", 0, "CE", completion=text, judgement={"compile": {"output": text}})
    lost = rollout(text, 0, None, difficulty=text, tags=(text,), error=text)
    right = rollout(f"{text}P", 0, "AC", difficulty=text, tags=(text,))
    found = seen(page_of(tmp_path, [bad, broken, lost, right], *(["--hidden"] if hidden else [])))
    assert found.tags <= _TAGS
    assert not {name for name in found.attributes if name.startswith("on")}
    assert not found.addresses
    assert not found.comments


def test_hidden_tests_are_hidden(tmp_path: Path) -> None:
    rollouts = [rollout("P1", 0, "WA", judgement=judgement()), rollout("P2", 0, "AC")]
    page = page_of(tmp_path, rollouts)
    assert "SAMPLE-DETAIL" in page
    assert "SAMPLE-OUT" in page
    assert "SECRET" not in page
    only_secret = [rollout("P1", 0, "WA", judgement=judgement(verdict="AC"))]
    assert "SECRET" not in page_of(tmp_path, only_secret)
    assert "SECRET-DETAIL" in page_of(tmp_path, only_secret, "--hidden")


def test_the_page_says_what_the_figures_say(tmp_path: Path) -> None:
    before = [rollout(f"P{n}", s, "AC" if n < 3 else "WA", difficulty="easy") for n in range(10) for s in (0, 1)]
    after = [rollout(f"P{n}", s, "AC" if n < 7 else "TLE", difficulty="easy") for n in range(10) for s in (0, 1)]
    other = write(tmp_path / "before.jsonl", before)
    figures = tmp_path / "figures.json"
    page = page_of(tmp_path, after, "--against", str(other), "-k", "1", "-k", "2", "--json", str(figures))
    told = json.loads(figures.read_text())
    assert told["pass@1"]["mean"] == pytest.approx(0.7)
    assert "70.0%" in page
    assert "30.0%" in page, "the other run stands beside it"
    assert "+40.0%" in page
    assert f"p = {told['against']['p_value']:.3g}" in page
    assert "pass@1 by difficulty" in page
    assert "pass@2" in page
    assert all(f"<h3>{verdict}</h3>" in page for verdict in ("AC", "TLE"))
    assert seen(page).tags <= _TAGS


def test_a_model_is_evaluated_in_one_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is sampled stays, and the next evaluation takes it."""
    file, report = tmp_path / "kept.jsonl", tmp_path / "report.html"
    right = "```python\na, b = map(int, input().split())\nprint(a + b)\n```\n"
    wrong = right.replace("a + b", "a - b")
    with serve(lambda request: (200, right if request["seed"] % 2 else wrong)) as endpoint:
        argv = ["eval", str(file), "--endpoint", endpoint.url, "--model", "m", "--only", "P1001", "-n", "6"]
        argv += ["--language", "python3", "--json", "-", "--report", str(report)]
        assert main(argv) == 0
        first = json.loads(capsys.readouterr().out)
        assert main(argv) == 0
        assert len(endpoint.requests) == 6
    assert json.loads(capsys.readouterr().out) == first
    assert first["rollouts"] == 6
    assert set(first["verdicts"]) == {"AC", "WA"}
    assert first["groups"]["tag arithmetic"]["problems"] == 1
    page = report.read_text()
    assert "it printed" in page, "of a sample of the library"
    assert "print(a - b)" in page
