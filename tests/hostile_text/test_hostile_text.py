"""No text from outside takes more than linear time, and none ends in a traceback."""

from __future__ import annotations

import re

import pytest

from tests.hostile_text import cost, found
from tests.hostile_text.ours import OURS
from tests.hostile_text.places import MEETINGS
from tests.hostile_text.readers import Meeting

#: Half of what `cost` asks by itself, and a bound that the load of other tests does not reach: how the cost grows tells
#: what is not linear in both.
SIZE, LIMIT_S, MOST = cost.SIZE // 2, 5.0, 150


def test_every_place_is_listed() -> None:
    met = {place for meeting in MEETINGS.values() for place in meeting.places}
    ours = [place for places in OURS.values() for place in places]
    there = found.places().keys()
    assert there - met - set(ours) == set(), "which text do they meet, and what is its worst case?"
    assert not met & set(ours)
    assert len(ours) == len(set(ours))
    assert set(ours) <= there
    assert all(any(isinstance(value, re.Pattern) for value in found.values(place)) for place in met - there)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MEETINGS)
def test_what_a_text_costs_at_its_worst(name: str) -> None:
    found_ = cost.costs(MEETINGS[name], size=SIZE, limit_s=LIMIT_S, most=MOST)
    assert [f"{one.case}: {one.complaint}" for one in found_ if one.complaint] == []


#: What the square of takes seconds, not minutes: one search is never cut.
SLOW_SIZE = 60_000
SLOW = (
    r"//[^\n]*|/\*.*?\*/",  # of comments, with DOTALL
    r"_EXIT_CODE\s*=?\s*42\b",
    r"^\s*#\s*include",
    "[\uff01-\uff5e\u3000]\\s*[-+]?[0-9A-Za-z(]",
    r"(?P<option>.*?)\s*(?:(?:=|:)\s*(?P<value>.*))?$",  # of configparser
    r"\s*Now solve",
    r"(\w+\s?)*!",
)
FAST = (
    r"//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?+",
    r"_EXIT_CODE\s*+(?:=\s*+)?42\b",
    r"^[^\S\n]*+#",
    r"Now solve the problem\.?\s*\Z",
    r"\{\{(\w+)\}\}",
)


@pytest.mark.parametrize(("pattern", "slow"), [*((one, True) for one in SLOW), *((one, False) for one in FAST)])
def test_what_is_slow_is_found(monkeypatch: pytest.MonkeyPatch, pattern: str, slow: bool) -> None:
    compiled = re.compile(pattern, re.DOTALL | re.MULTILINE)
    monkeypatch.setattr(cost, "patterns", lambda _: [compiled])
    monkeypatch.setattr(cost, "_TRIES", 1)

    def meet(text: str) -> object:
        return list(compiled.finditer(text))

    costs = cost.costs(Meeting(text="", meet=meet), size=SLOW_SIZE, limit_s=0.5)
    assert any(one.complaint for one in costs) is slow


def test_an_error_that_is_not_the_place_s_own_is_one() -> None:
    def meet(text: str) -> None:
        raise RecursionError("too deep")

    (found_,) = cost.costs(Meeting(text="", meet=meet, cases={"one": lambda size: "x" * size}))
    assert found_.complaint == "RecursionError: too deep"


def test_what_grows_faster_than_the_text_is_found_before_it_takes_a_second() -> None:
    def meet(text: str) -> None:
        for _ in range((len(text) // 10_000) ** 2):
            sum(range(len(text) // 400))

    (found_,) = cost.costs(Meeting(text="", meet=meet, cases={"one": lambda size: "x" * size}))
    assert found_.complaint
