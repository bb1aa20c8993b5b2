"""Saves the demo's curves as JSON and as a picture."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean

from trainer_adapter.demo.experiment import Curve

#: What the demo promises: at most this share is accepted at first, and at least this one in the end.
AT_FIRST, IN_THE_END = 0.35, 0.80
_TITLES = {
    "planted": "TinyLoRA, planted",
    "lora": "LoRA, careless model",
    "constant": "TinyLoRA, constant reward",
}
_COLORS = {"planted": "#2563eb", "lora": "#d97706", "constant": "#475569"}


def has_learnt(curves: Sequence[Curve]) -> bool:
    """Whether every planted run of 16 numbers found the way back; True if there was no such run."""
    planted = [curve for curve in curves if curve.experiment == "planted"]
    return all(curve.trained == 16 and curve.start <= AT_FIRST and curve.end >= IN_THE_END for curve in planted)


def save(curves: Sequence[Curve], directory: Path) -> list[Path]:
    """Write demo.json, and demo.png if matplotlib is installed."""
    data = directory / "demo.json"
    rows = [asdict(curve) | {"start": curve.start, "end": curve.end} for curve in curves]
    data.write_text(json.dumps(rows, indent=1), "utf-8")
    if find_spec("matplotlib") is None:
        return [data]
    return [data, _draw(curves, directory / "demo.png")]


def _draw(curves: Sequence[Curve], path: Path) -> Path:
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to import, and an extra

    figure = Figure(figsize=(8, 4.5), dpi=120, layout="constrained")
    axes = figure.subplots()
    for name, color in _COLORS.items():
        runs = [curve for curve in curves if curve.experiment == name]
        for curve in runs:
            axes.plot(curve.accepted, color=color, alpha=0.35, linewidth=0.9)
        if runs:
            mean = [fmean(step) for step in zip(*(curve.accepted for curve in runs), strict=True)]
            label = f"{_TITLES[name]}: {runs[0].trained} numbers, {len(runs)} seed(s)"
            axes.plot(mean, color=color, linewidth=2.2, label=label)
    for level in (AT_FIRST, IN_THE_END):
        axes.axhline(level, color="#94a3b8", linewidth=0.8, linestyle=":")
    axes.set(xlabel="GRPO step", ylabel="accepted by the judge", ylim=(0, 1))
    axes.legend(loc="lower right", frameon=False)
    figure.savefig(path)
    return path
