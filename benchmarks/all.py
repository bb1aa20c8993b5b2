"""Run the benchmarks and write what docs/performance.md shows: its tables, its pictures, and docs/performance.json.

    python benchmarks/all.py                      # everything, three quarters of an hour; let nothing else run
    python benchmarks/all.py --quick              # fewer rounds: to see whether it works
    python benchmarks/all.py --only compile where
    python benchmarks/all.py --draw               # run nothing: tables and pictures again, from the JSON

A benchmark that fails keeps its earlier figures. A table is written between `<!-- table NAME -->` and `<!-- end -->` in
docs/performance*.md. Pictures need matplotlib; without it they stay as they are.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
FIGURES = DOCS / "performance.json"
#: Scripts that take --json, with what they are called with for a quick look.
SCRIPTS: Mapping[str, tuple[str, ...]] = {
    "overhead": ("-n", "60"),
    "compile": ("-n", "3"),
    "where": ("-n", "7"),
    "python": ("-n", "1"),
    "throughput": ("-n", "16", "--rounds", "1"),
    "scale": ("--short",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Figures by name, or by name and column."""

    #: Where they are in the JSON.
    path: tuple[str, ...]
    unit: str
    #: The row, or the column, that others are shown as multiples of.
    base: str | None = None


TABLES: Mapping[str, Table] = {
    "run": Table(path=("overhead", "run_ms"), unit="ms", base="subprocess"),
    "opening": Table(path=("overhead", "open_ms"), unit="ms"),
    "compile": Table(path=("compile",), unit="ms", base="g++"),
    "where-run": Table(path=("where", "run"), unit="ms"),
    "where-compile": Table(path=("where", "compile"), unit="ms"),
    "where-submission": Table(path=("where", "submission"), unit="ms"),
    "throughput": Table(path=("throughput",), unit="submissions/s"),
    "scale": Table(path=("scale", "summary"), unit=""),
    "python": Table(path=("python", "programs_per_s"), unit="programs/s", base="subprocess.run"),
}
_MARKED = re.compile(r"<!-- table (\S+) -->\n.*?<!-- end -->", re.DOTALL)


def run(name: str, figures: dict[str, Any], *, quick: bool) -> list[str]:
    """Update the figures of a benchmark; its name if it failed."""
    with tempfile.TemporaryDirectory() as directory:
        made = Path(directory, "figures.json")
        print(f"== {name}", flush=True)
        arguments = SCRIPTS[name] if quick else ()
        command = (sys.executable, str(HERE / f"{name}.py"), *arguments, "--json", str(made))
        done = subprocess.run(command, cwd=HERE.parent, check=False)
        if done.returncode != 0 or not made.exists():
            return [name]
        figures[name] = json.loads(made.read_bytes())
    return []


def tools() -> dict[str, str]:
    """What the ratios were measured with."""
    version = subprocess.run(("g++", "--version"), capture_output=True, text=True, check=True).stdout
    return {
        "cores": str(len(os.sched_getaffinity(0))),
        "g++": version.splitlines()[0],
        "Python": sys.version.split()[0],
    }


def found(figures: Mapping[str, Any], table: Table) -> Any:
    """None: not measured."""
    value: Any = figures
    for key in table.path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def markdown(values: Mapping[str, Any], table: Table) -> str:
    if all(isinstance(value, dict) for value in values.values()):
        columns = list(dict.fromkeys(column for row in values.values() for column in row))
        head = ["", *columns]
        rows = [[name, *(_cell(row, column, table.base) for column in columns)] for name, row in values.items()]
    else:
        base = values.get(table.base or "")
        head = ["", table.unit, *([f"x {table.base}"] if base else [])]
        rows = [[name, _number(ms), *([f"{ms / base:.2f}"] if base else [])] for name, ms in values.items()]
    lines = [head, ["---", *("---:" for _ in head[1:])], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(row: Mapping[str, float], column: str, base: str | None) -> str:
    if column not in row:
        return ""
    ratio = f" ({row[column] / row[base]:.2g})" if base is not None and base in row and column != base else ""
    return f"{_number(row[column])}{ratio}"


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def rendered(page: str, figures: Mapping[str, Any]) -> str:
    """The page with the tables that the figures give."""

    def replaced(match: re.Match[str]) -> str:
        name = match[1]
        values = found(figures, TABLES[name])
        return f"<!-- table {name} -->\n{markdown(values, TABLES[name]) if values else '(not measured)'}\n<!-- end -->"

    return _MARKED.sub(replaced, page)


def draw(figures: Mapping[str, Any]) -> None:
    """The pictures, as far as their figures are there."""
    try:
        import matplotlib  # noqa: PLC0415 - optional

        matplotlib.use("Agg")
        from matplotlib import pyplot  # noqa: PLC0415
    except ImportError:
        print("no matplotlib: pictures stay as they are (pip install matplotlib)", file=sys.stderr)
        return
    if runs := found(figures, TABLES["run"]):
        base = runs["subprocess"]
        names = sorted((name for name in runs if not name.startswith("docker run")), key=lambda name: -runs[name])
        figure, axes = pyplot.subplots(figsize=(8, 0.4 * len(names) + 1.2))
        ours = ["tab:blue" if name.startswith(("native", "backend")) else "tab:gray" for name in names]
        axes.bar_label(axes.barh(names, [runs[name] / base for name in names], color=ours), fmt=" %.2f")
        axes.axvline(1, color="black", linewidth=0.8)
        axes.set_title("one run of A+B, times plain subprocess.run")
        _save(pyplot, figure, "run")
    if compiles := found(figures, TABLES["compile"]):
        ways = [way for way in next(iter(compiles.values())) if way not in ("g++", "cached")]
        figure, axes = pyplot.subplots(figsize=(9, 4))
        for number, way in enumerate(ways):
            places = [place + number / (len(ways) + 1) for place in range(len(compiles))]
            heights = [row[way] / row["g++"] for row in compiles.values()]
            axes.bar_label(axes.bar(places, heights, 1 / (len(ways) + 1), label=way), fmt="%.2f", fontsize=7)
        axes.set_xticks(
            [place + 0.3 for place in range(len(compiles))], [name.replace(", ", "\n") for name in compiles]
        )
        axes.tick_params(axis="x", labelsize=7)
        axes.set_title("one compile, times plain g++ -O2")
        axes.legend()
        _save(pyplot, figure, "compile")
    if figures.get("where"):
        figure, axes = pyplot.subplots(figsize=(9, 3))
        for name, parts in reversed(figures["where"].items()):
            left, whole = 0.0, sum(parts.values())
            for part, ms in parts.items():
                axes.barh(f"{name}\n{whole:.1f} ms", 100 * ms / whole, left=left, edgecolor="white")
                axes.text(left + 50 * ms / whole, f"{name}\n{whole:.1f} ms", part.replace(": ", "\n"), **_CENTRE)
                left += 100 * ms / whole
        axes.set_xlabel("% of the time")
        _save(pyplot, figure, "where")
    if curves := found(figures, TABLES["scale"]) and figures["scale"]["curves"]:
        figure, panes = pyplot.subplots(2, (len(curves) + 1) // 2, figsize=(10, 5.5))
        for pane, what, curve in zip(panes.flat, figures["scale"]["summary"], curves.values(), strict=False):
            xs = [point["x"] for point in curve["points"]]
            pane.plot(xs, [curve["start"] + curve["slope"] * x for x in xs], color="tab:gray", linewidth=0.8)
            pane.plot(xs, [point["cpu_s"] for point in curve["points"]], "o", color="tab:blue")
            pane.set_ylim(bottom=0)
            pane.set_xlabel(what, fontsize=8)
            pane.set_ylabel("CPU s", fontsize=8)
        _save(pyplot, figure, "scale")


_CENTRE: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 7}


def _save(pyplot: Any, figure: Any, name: str) -> None:
    figure.tight_layout()
    figure.savefig(DOCS / f"performance-{name}.png", dpi=120, metadata={"Software": None})
    pyplot.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    there = [name for name in SCRIPTS if (HERE / f"{name}.py").exists()]
    parser.add_argument("--only", nargs="+", choices=there, default=there, metavar="NAME", help=", ".join(there))
    parser.add_argument("--quick", action="store_true", help="fewer rounds: figures to look at, not to publish")
    parser.add_argument("--draw", action="store_true", help="run nothing")
    options = parser.parse_args()
    figures = json.loads(FIGURES.read_bytes()) if FIGURES.exists() else {}
    failed: list[str] = []
    for name in () if options.draw else options.only:
        failed += run(name, figures, quick=options.quick)
        figures["tools"] = tools()
        FIGURES.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    for page in sorted(DOCS.glob("performance*.md")):
        page.write_text(rendered(page.read_text(encoding="utf-8"), figures), encoding="utf-8")
    draw(figures)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
