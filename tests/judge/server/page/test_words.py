"""What the page says, in two languages."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

from judge.common.models import Verdict
from judge.server import page
from judge.server.page.words import LANGUAGES, match_language, say, table

PLACE = Path(page.__file__).parent
_KEY = re.compile(r"""\b(?:t|say|_say)\((?:request, )?["']([\w-]+)["']\s*[,)]""")
#: Those that are put together where they are used.
MADE = {
    *Verdict,
    "OK",
    *("raw_score_max", "raw_score_min"),
    *("since_hour", "since_day", "since_week"),
    *("kind_batch", "kind_interactive", "kind_submit-answer", "kind_multi-pass"),
    *("submit", "judgements", "batches", "problems", "machine"),
}


def used() -> set[str]:
    sources = [*PLACE.glob("*.py"), *(PLACE / "templates").glob("*.html")]
    return {key for path in sources for key in _KEY.findall(path.read_text())}


def test_each_is_there_in_both() -> None:
    for key, texts in table().items():
        assert set(texts) == set(LANGUAGES)
        assert all(text.strip() for text in texts.values()), key
        fields = [{name for _, name, _, _ in string.Formatter().parse(text) if name} for text in texts.values()]
        assert fields[0] == fields[1], key


def test_none_is_missing_and_none_is_idle() -> None:
    assert len(used()) > 100
    assert used() | MADE == set(table())


def test_templates_hold_no_text_of_their_own() -> None:
    for path in (PLACE / "templates").glob("*.html"):
        text = re.sub(r"\{[{%].*?[%}]\}", " ", path.read_text(), flags=re.DOTALL)
        text = re.sub(r"<[^>]*>|&\w+;", " ", text)
        assert not re.findall(r"[A-Za-z]{2,}|[\u4e00-\u9fff]", text), path.name


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("zh", "zh"),
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("en-GB,en;q=0.9,zh;q=0.8", "en"),
        ("fr,zh;q=0.5,en;q=0.4", "zh"),
        ("de, *;q=0.5", "en"),
        ("zh;q=x,en;q=0.1", "en"),
        ("," * 100_000 + "zh", "en"),
    ],
)
def test_the_language_that_a_browser_asks_for(header: str, language: str) -> None:
    assert match_language(header) == language


def test_values_are_filled_in() -> None:
    assert say("en", "state_testing", done=1, count=2) == "Testing: 1 of 2"
