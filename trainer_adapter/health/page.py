"""Writes report.html: a run's curves and symptoms on one page that needs no network and no script. What pages of others
are made of, too: `document`, `bars`, `table`. Whoever gives a text need not escape it; who gives a part has."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from trainer_adapter.health.symptoms import Symptom

#: Title of a chart, and the columns that it shows; `NAME*` stands for all that begin so. A chart without a column in
#: the log is left out.
CHARTS: Mapping[str, tuple[str, ...]] = {
    "Reward": ("reward", "eval_reward", "judge/accepted"),
    "Held-out problems solved": ("eval/pass@*",),
    "Accepted completions that are wrong": ("audit/paid_but_wrong*",),
    "Margin of the chosen answers": ("rewards/margins", "eval_rewards/margins"),
    "Tokens that are guessed right": ("mean_token_accuracy", "eval_mean_token_accuracy"),
    "Log-probability of the answers": ("logps/chosen", "logps/rejected"),
    "Loss on what is held out": ("eval_loss",),
    "Verdicts": tuple(
        f"judge/{name}" for name in ("accepted", "wa", "ce", "no_code", "re", "tle", "mle", "ole", "infra")
    ),
    "Groups whose rewards are all equal": ("frac_reward_zero_std",),
    "Entropy": ("entropy",),
    "Gradient norm": ("grad_norm",),
    "Trained numbers: norm": ("adapter/norm",),
    "Trained numbers: largest change in a step": ("adapter/change",),
    "Trained numbers: share that a step changes": ("adapter/moved",),
    "KL to the reference": ("kl",),
    "Completion length": ("completions/mean_length", "completions/max_length"),
    "Completions cut": ("completions/clipped_ratio",),
    "Seconds a step": ("step_time", "judge/wall_s", "judge/wait_s"),
    "Share of the time that waits for the judge": ("judge/wait_share",),
    "Distinct programs a problem": ("judge/unique_programs",),
}
_COLORS = ("#2563eb", "#dc2626", "#d97706", "#7c3aed", "#059669", "#db2777", "#0891b2", "#65a30d", "#475569")
_WIDTH, _HEIGHT, _MARGIN = 520, 200, 36

_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>
:root {{ color-scheme: light dark; --text: #1e293b; --page: #fff; --panel: #f8fafc; --bad: #fef2f2; --good: #f0fdf4 }}
@media (prefers-color-scheme: dark) {{
:root {{ --text: #e2e8f0; --page: #0f172a; --panel: #1e293b; --bad: #450a0a; --good: #052e16 }}
polyline {{ filter: brightness(1.5) }}
}}
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 1120px; margin: 2em auto; padding: 0 1em }}
body {{ color: var(--text); background: var(--page); overflow-wrap: anywhere }}
figure {{ display: inline-block; width: min({width}px, 100%); margin: 0 1em 1em 0; vertical-align: top }}
figcaption {{ font-weight: 600 }}
svg {{ width: 100%; height: auto; background: var(--panel); border-radius: 6px; fill: var(--text) }}
.found {{ border-left: 4px solid #dc2626; padding: .2em 1em; margin: 1em 0; background: var(--bad) }}
.well {{ border-left: 4px solid #059669; padding: .2em 1em; background: var(--good) }}
.key {{ font-size: 13px }}
table {{ border-collapse: collapse; margin: 1em 0; display: block; overflow-x: auto }}
td, th {{ padding: .2em .8em; text-align: left }}
tr:nth-child(even) {{ background: var(--panel) }} td + td, th + th {{ text-align: right }}
pre {{ background: var(--panel); padding: .8em; overflow: auto; max-height: 30em; white-space: pre-wrap }}
details {{ margin: .4em 0 }} summary {{ cursor: pointer }}
@media (max-width: 560px) {{ figure {{ margin-right: 0 }} }}
</style></head><body><h1>{title}</h1>
{body}
</body></html>
"""


def render(history: Sequence[Mapping[str, float]], found: Sequence[Symptom], title: str, *more: str) -> str:
    """The page; `history` is the trainer's log, one mapping a step, and `more` are parts that follow the charts."""
    findings = "\n".join(map(_finding, found)) or '<p class="well">No symptom was found.</p>'
    charts = (_chart(name, columns, history) for name, columns in CHARTS.items())
    return document(title, findings, *charts, *more)


def document(title: str, *parts: str) -> str:
    """A page of these parts; empty ones are left out."""
    return _PAGE.format(title=escape(title), width=_WIDTH, body="\n".join(filter(None, parts)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    name: str
    #: Shares, 0 to 1: of each run, in the order of the key.
    values: tuple[float, ...]
    #: Interval of each; None: it has none.
    intervals: tuple[tuple[float, float] | None, ...]


def bars(title: str, runs: Sequence[str], found: Sequence[Bar]) -> str:
    """A chart of horizontal bars, one of each run beside another, with whiskers for the intervals."""
    drawn, y = [], 8
    for bar in found:
        drawn.append(f'<text x="4" y="{y + 12}" font-size="14">{escape(bar.name)}</text>')
        for color, value, interval in zip(_COLORS, bar.values, bar.intervals, strict=False):
            drawn.append(_bar(y, color, value, interval))
            y += 18
        y += 6
    key = (
        f'<span style="color:{color}">■</span>&nbsp;{escape(run)}'
        for color, run in zip(_COLORS, runs, strict=False)
        if len(runs) > 1
    )
    return (
        f"<figure><figcaption>{escape(title)}</figcaption>"
        f'<svg viewBox="0 0 {_WIDTH} {y}" role="img">{"".join(drawn)}</svg>'
        f'<div class="key">{" &nbsp; ".join(key)}</div></figure>'
    )


def _bar(y: int, color: str, value: float, interval: tuple[float, float] | None) -> str:
    left, wide = 190, _WIDTH - 190 - 70
    drawn = [f'<rect x="{left}" y="{y}" width="{value * wide:.1f}" height="15" fill="{color}" fill-opacity=".75"/>']
    if interval is not None:
        low, high = (left + end * wide for end in interval)
        drawn.append(
            f'<path d="M{low:.1f} {y + 7}H{high:.1f}M{low:.1f} {y + 3}v9M{high:.1f} {y + 3}v9" stroke="currentColor"/>'
        )
    drawn.append(f'<text x="{_WIDTH - 64}" y="{y + 12}" font-size="14">{value:.1%}</text>')
    return "".join(drawn)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"

    return f"<table>{line(head, 'th')}{''.join(line(row, 'td') for row in rows)}</table>"


def _finding(symptom: Symptom) -> str:
    return (
        f'<div class="found"><p><b>{escape(symptom.name)}</b>: {escape(symptom.says)}.</p>'
        f"<p>Likely cause: {escape(symptom.cause)}.<br>Remedy: {escape(symptom.remedy)}.</p></div>"
    )


def _chart(title: str, columns: Sequence[str], history: Sequence[Mapping[str, float]]) -> str:
    lines = {name: points for name in _name_columns(columns, history) if (points := _points(name, history))}
    lines = {
        name: points
        for name, points in lines.items()
        if any(y for _, y in points) or name == columns[0] or columns[0].endswith("*")
    }
    if not lines:
        return ""
    every = [point for points in lines.values() for point in points]
    low, high = min(0.0, *(y for _, y in every)), max(y for _, y in every)
    high = high if high > low else low + 1
    last = max(x for x, _ in every) or 1

    def place(point: tuple[float, float]) -> str:
        x = _MARGIN + point[0] / last * (_WIDTH - 2 * _MARGIN)
        y = _HEIGHT - _MARGIN + 12 - (point[1] - low) / (high - low) * (_HEIGHT - 2 * _MARGIN + 12)
        return f"{x:.1f},{y:.1f}"

    drawn, key = [], []
    for color, (name, points) in zip(_COLORS, lines.items(), strict=False):
        path = " ".join(map(place, points))
        drawn.append(f'<polyline fill="none" stroke="{color}" stroke-width="1.6" points="{path}"/>')
        key.append(f'<span style="color:{color}">■</span>&nbsp;{escape(name)} {points[-1][1]:.4g}')
    axes = (
        f'<text x="4" y="20" font-size="14">{high:.3g}</text>'
        f'<text x="4" y="{_HEIGHT - _MARGIN + 14}" font-size="14">{low:.3g}</text>'
        f'<text x="{_WIDTH - _MARGIN - 50}" y="{_HEIGHT - 6}" font-size="14">step {last:g}</text>'
    )
    return (
        f"<figure><figcaption>{escape(title)}</figcaption>"
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">{axes}{"".join(drawn)}</svg>'
        f'<div class="key">{" &nbsp; ".join(key)}</div></figure>'
    )


def _name_columns(columns: Sequence[str], history: Sequence[Mapping[str, float]]) -> list[str]:
    every = dict.fromkeys(name for log in history for name in log)
    return [
        name for column in columns for name in (_beginning(every, column[:-1]) if column.endswith("*") else [column])
    ]


def _beginning(names: Iterable[str], start: str) -> list[str]:
    return [name for name in names if name.startswith(start)]


def _points(name: str, history: Sequence[Mapping[str, float]]) -> list[tuple[float, float]]:
    numbered = ((log.get("step", index), log.get(name)) for index, log in enumerate(history))
    return [(float(step), float(value)) for step, value in numbered if value is not None and math.isfinite(value)]
