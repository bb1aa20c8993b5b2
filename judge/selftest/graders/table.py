"""The table of graders, as JSON has it, as Markdown and as a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from judge.common.text import one_line
from judge.selftest.graders.suite import Class, Outcome, Suite

#: What should become of each class.
_SHOULD: Mapping[Class, Outcome] = {
    Class.RIGHT: Outcome.PAID,
    Class.WRONG: Outcome.REJECTED,
    Class.CHEATS: Outcome.REJECTED,
    Class.KILLED: Outcome.PAID,
}
#: The columns: what is counted of which class.
_COLUMNS = (
    ("right, rejected", Class.RIGHT, (Outcome.REJECTED,)),
    ("wrong, paid", Class.WRONG, (Outcome.PAID,)),
    ("cheats, paid", Class.CHEATS, (Outcome.PAID,)),
    ("lost", None, (Outcome.LOST,)),
    ("worker killed: rejected", Class.KILLED, (Outcome.REJECTED,)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One grader."""

    #: With its version.
    name: str
    #: By the name of the program; of those whose workers are killed, by `killed_…`.
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    #: Why there are none.
    failure: str | None = None

    def counts(self, suite: Suite) -> dict[Class, Counter[Outcome]]:
        classes = {one.name: one.class_ for one in suite.cases}
        found = {class_: Counter[Outcome]() for class_ in Class}
        for name, outcome in self.outcomes.items():
            found[classes.get(name, Class.KILLED)][outcome] += 1
        return found

    def as_dict(self, suite: Suite) -> dict[str, Any]:
        counts = self.counts(suite)
        classes = {one.name: one.class_ for one in suite.cases}
        amiss = {n: o for n, o in self.outcomes.items() if o is not _SHOULD[classes.get(n, Class.KILLED)]}
        return {
            "grader": self.name,
            "failure": self.failure,
            **{class_: {outcome: counts[class_][outcome] for outcome in Outcome} for class_ in Class},
            "otherwise": amiss,
        }

    def cells(self, suite: Suite) -> list[str]:
        if self.failure is not None:
            return [self.name, one_line(self.failure, 300).replace("|", "/"), *[""] * (len(_COLUMNS) - 1)]
        counts = self.counts(suite)
        cells = []
        for _, class_, outcomes in _COLUMNS:
            among = [counts[class_]] if class_ else list(counts.values())
            cells.append(f"{sum(each[one] for each in among for one in outcomes)} of {sum(map(Counter.total, among))}")
        return [self.name, *cells]

    def perfect(self, suite: Suite) -> bool:
        return self.failure is None and not self.as_dict(suite)["otherwise"]


_HEAD = ("grader", *(title for title, _, _ in _COLUMNS))


def draw_markdown(rows: Sequence[Row], suite: Suite) -> str:
    lines = ["| " + " | ".join(_HEAD) + " |", "|" + "---|" * len(_HEAD)]
    return "\n".join([*lines, *("| " + " | ".join(row.cells(suite)) + " |" for row in rows)]) + "\n"


def draw_page(rows: Sequence[Row], suite: Suite) -> str:
    """HTML, without scripts."""
    body = [_HEAD, *(row.cells(suite) for row in rows)]
    lines = "\n".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>" for cells in body)
    parts = []
    for row in rows:
        named = "".join(
            f"<li>{escape(name)}: {outcome}</li>" for name, outcome in row.as_dict(suite)["otherwise"].items()
        )
        parts.append(f"<details><summary>{escape(row.name)}: what ended otherwise</summary><ul>{named}</ul></details>")
    style = (
        "body{font:15px/1.5 system-ui;max-width:70em;margin:2em auto}td{padding:.2em .8em;border-bottom:1px solid #ddd}"
    )
    return (
        f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Graders</title><style>{style}</style>'
        f"<h1>Graders</h1><table>{lines}</table>{''.join(parts)}</html>\n"
    )
