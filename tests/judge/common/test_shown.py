"""What results show of themselves in a notebook."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

from judge.common.models import CompileResult, Judgement, TestResult, Verdict
from judge.many.together import Judgements, progress

HOSTILE = "</pre></table><script>hit()</script><img src=x onerror=hit()>\"'>\x1b[2J\u202e"


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


def made(**how: object) -> Judgement:
    values: dict[str, object] = {"problem": "P1", "language": "cpp17", "verdict": Verdict.WA, "accepted": False}
    return Judgement(**{**values, "score": 0.5, **how})  # type: ignore[arg-type]


def test_every_text_is_escaped() -> None:
    test = TestResult(
        name=HOSTILE, group=HOSTILE, verdict=Verdict.WA, score=0.0, detail=HOSTILE, stdout=HOSTILE, stderr=HOSTILE
    )
    test = replace(test, conversation=HOSTILE, signal=HOSTILE)
    compiled = CompileResult(verdict="ok", output=HOSTILE)
    one = made(id=HOSTILE, problem=HOSTILE, language=HOSTILE, compile=compiled, tests=(test,), error=HOSTILE)
    for text in (one._repr_html_(), Judgements([one, one])._repr_html_()):
        found = Tags(text)
        assert not found.tags & {"script", "img"}
        assert found.attributes <= {"style"}
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "onerror=hit()" in unescape(re.sub("<[^>]*>", "", one._repr_html_())), "it is shown, as text"


def test_a_judgement_shows_its_verdict_and_its_first_failure() -> None:
    good = TestResult(name="sample/1", group="", verdict=Verdict.AC, score=1.0, cpu_ns=1_000_000, memory_bytes=1024)
    bad = replace(good, name="secret/2", verdict=Verdict.WA, detail='line 1: expected "1", got "2"', stdout="2\n")
    text = unescape(re.sub("<[^>]*>", " ", made(tests=(good, bad, replace(bad, name="secret/3")))._repr_html_()))
    assert re.search(r"WA\s+P1\s+cpp17", text)
    assert "first failing test:  secret/2" in text
    assert 'expected "1", got "2"' in text
    assert "3 tests" in text


def test_many_are_counted_and_cut() -> None:
    many = Judgements([made(id=str(n)) for n in range(60)] + [made(verdict=Verdict.IE, score=None, error="lost")])
    assert many.verdicts == {"WA": 60, "IE": 1}
    text = many._repr_html_()
    assert "… 11 more rows" in text
    assert text.count("<tr>") == 1 + 2 + 1 + 50
    assert Judgements()._repr_html_()


def test_no_bar_is_shown_where_nobody_looks(capfd: object) -> None:
    with progress(2) as count:
        count()
    assert capfd.readouterr() == ("", "")  # type: ignore[attr-defined]
