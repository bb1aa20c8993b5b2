"""How results show themselves in a notebook: HTML with styles of its own, in which every text is escaped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from judge.common.text import harmless, one_line
from judge.common.units import size_text, time_text

#: Middle tones, which can be read on light and on dark ground.
_GOOD, _BAD, _SLOW, _ODD, _IDLE = "#2f9e5b", "#d1584e", "#c98a2b", "#9a66bb", "#8c959f"
_COLORS = {
    "AC": _GOOD,
    "TLE": _SLOW,
    "MLE": _SLOW,
    "OLE": _SLOW,
    "PC": _SLOW,
    "PE": _SLOW,
    "IE": _ODD,
    "SK": _IDLE,
}
_NO_FAILURE = ("AC", "SK")
#: Tests, rows of a batch, and characters of a text that are shown.
_TESTS, _ROWS, _CHARACTERS = 100, 50, 2000
_BOLD = "font-weight:600;color:#fff"
_CELL = "padding:2px 10px;text-align:{};white-space:nowrap"
_PRE = "margin:2px 0 6px;padding:6px 8px;border-left:3px solid {};max-height:16em;overflow:auto;white-space:pre-wrap"


#: A Judgement, or a TestResult, as its JSON has it.
_Result = Mapping[str, Any]


def verdict(code: str) -> str:
    style = f"display:inline-block;min-width:2.6em;padding:0 6px;border-radius:4px;text-align:center;{_BOLD}"
    return f'<span style="{style};background:{_color(code)}">{escape(code)}</span>'


def _color(code: str) -> str:
    return _COLORS.get(code, _BAD)


def bar(share: float, color: str = "#5b8fc7") -> str:
    """A bar of a length in [0, 1]."""
    inner = (
        f"display:block;height:6px;border-radius:3px;background:{color};width:{100 * min(max(share, 0.0), 1.0):.1f}%"
    )
    outer = "display:inline-block;width:80px;height:6px;border-radius:3px;background:#8c959f44;vertical-align:middle"
    return f'<span style="{outer}"><span style="{inner}"></span></span>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]], right: frozenset[int] = frozenset()) -> str:
    """`rows` are HTML; `right`: the columns of numbers."""

    def line(cells: Sequence[str], tag: str) -> str:
        aligned = [_CELL.format("right" if column in right else "left") for column in range(len(cells))]
        return "".join(f'<{tag} style="{how}">{cell}</{tag}>' for how, cell in zip(aligned, cells, strict=True))

    body = "".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
    return f"<table><thead><tr>{line([escape(name) for name in head], 'th')}</tr></thead><tbody>{body}</tbody></table>"


def counts(found: Counter[str]) -> str:
    """How often each verdict came."""
    total = found.total() or 1
    rows = [(verdict(code), str(count), bar(count / total, _color(code))) for code, count in found.most_common()]
    return table(("verdict", "rows", ""), rows, frozenset({1}))


def judgement(one: _Result) -> str:
    """Verdict, tests with bars, and where the first failing test parts."""
    parts = [f"<div>{_headline(one)}</div>"]
    if one["error"]:
        parts.append(_text("error", one["error"], _ODD))
    if one["compile"] is not None and one["compile"]["output"].strip():
        parts.append(_text("compiler output", one["compile"]["output"], _IDLE))
    failing = next((test for test in one["tests"] if test["verdict"] not in _NO_FAILURE), None)
    if failing is not None:
        parts.append(_failing(failing))
    if one["tests"]:
        parts.append(_tests(one["tests"]))
    return f"<div>{''.join(parts)}</div>"


def judgements(many: Sequence[_Result], found: Counter[str]) -> str:
    """The verdicts of a batch as bars, and its first rows."""
    rows = [
        (
            verdict(one["verdict"]),
            escape(one_line(one["id"] or "", 40)),
            escape(one_line(one["problem"], 40)),
            "–" if one["score"] is None else f"{one['score']:.4g}",
            time_text(one["cpu_ns"]),
            escape(_why(one)),
        )
        for one in many[:_ROWS]
    ]
    head = ("verdict", "id", "problem", "score", "CPU", "first failure")
    left = f"<div>… {len(many) - _ROWS} more rows</div>" if len(many) > _ROWS else ""
    return f"<div>{counts(found)}{table(head, rows, frozenset({3, 4}))}{left}</div>"


def _headline(one: _Result) -> str:
    said = [
        f"<b>{escape(one_line(one['problem'], 60))}</b> {escape(one_line(one['language'], 30))}",
        f"score {'–' if one['score'] is None else format(one['score'], '.4g')}",
        f"CPU {time_text(one['cpu_ns'])}",
        f"memory {size_text(one['memory_bytes'])}",
    ]
    return f"{verdict(one['verdict'])} {' · '.join(said)}"


def _why(one: _Result) -> str:
    failing = next((test for test in one["tests"] if test["verdict"] not in _NO_FAILURE), None)
    if one["error"]:
        return one_line(one["error"], 80)
    return "" if failing is None else one_line(f"{failing['name']}: {failing['detail'] or failing['verdict']}", 80)


def _failing(test: _Result) -> str:
    said = f"<div>first failing test: <code>{escape(one_line(test['name'], 60))}</code> {verdict(test['verdict'])} "
    said += f"<code>{escape(one_line(test['detail'], 300))}</code></div>"
    for name, text in (
        ("output", test["stdout"]),
        ("stderr", test["stderr"]),
        ("conversation", test["conversation"] or ""),
    ):
        if text.strip():
            said += _text(name, text, _BAD)
    return said


def _tests(tests: Sequence[_Result]) -> str:
    longest = max((test["cpu_ns"] or 0 for test in tests), default=0) or 1
    largest = max((test["memory_bytes"] or 0 for test in tests), default=0) or 1
    rows = [
        (
            f"<code>{escape(one_line(test['name'], 40))}</code>",
            verdict(test["verdict"]),
            f"{time_text(test['cpu_ns'])} {bar((test['cpu_ns'] or 0) / longest)}",
            f"{size_text(test['memory_bytes'])} {bar((test['memory_bytes'] or 0) / largest, '#8a79c4')}",
        )
        for test in tests[:_TESTS]
    ]
    made = table(("test", "verdict", "CPU", "memory"), rows, frozenset({2, 3}))
    left = f"<div>… {len(tests) - _TESTS} more tests</div>" if len(tests) > _TESTS else ""
    return f"<details><summary>{len(tests)} tests</summary>{made}{left}</details>"


def _text(name: str, text: str, color: str) -> str:
    shown = harmless(text[:_CHARACTERS]) + ("…" if len(text) > _CHARACTERS else "")
    return f'<div>{escape(name)}</div><pre style="{_PRE.format(color)}">{escape(shown)}</pre>'
