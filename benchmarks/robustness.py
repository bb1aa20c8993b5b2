"""Write what docs/robustness.md shows: the tables of figures that the scripts below measured.

    python benchmarks/robustness.py                               # tables again, from docs/robustness.json
    python benchmarks/robustness.py soak.json flips.json          # put these results in first
    python benchmarks/robustness.py faults=faults.json parsers=python.json launcher-parsers=c.json

A file holds {row: {column: figure}} and is given with the name of its table, or {table: {row: {column: figure}}}. A
table is written between `<!-- table NAME -->` and `<!-- end -->`. What made which is said on the page itself.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent.parent / "docs"
FIGURES = DOCS / "robustness.json"
_MARKED = re.compile(r"<!-- table (\S+) -->\n.*?<!-- end -->", re.DOTALL)

Table = Mapping[str, Mapping[str, Any]]


def markdown(table: Table) -> str:
    columns = list(dict.fromkeys(column for row in table.values() for column in row))
    head = f"| | {' | '.join(columns)} |".replace("|  |", "| |")
    body = [
        f"| {name} | {' | '.join(_cell(row.get(column, 0)) for column in columns)} |" for name, row in table.items()
    ]
    return "\n".join([head, f"|---|{'---:|' * len(columns)}", *body])


def _cell(value: object) -> str:
    return f"{value:,}".replace(",", " ") if isinstance(value, int) else str(value)


def rendered(page: str, figures: Mapping[str, Table]) -> str:
    """The page with the tables that the figures give."""

    def replaced(match: re.Match[str]) -> str:
        table = figures.get(match[1])
        return f"<!-- table {match[1]} -->\n{markdown(table) if table else '(not measured)'}\n<!-- end -->"

    return _MARKED.sub(replaced, page)


def tables(argument: str) -> dict[str, Table]:
    name, _, path = argument.rpartition("=")
    found: dict[str, Any] = json.loads(Path(path).read_bytes())
    return {name: found} if name else found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="*", metavar="[TABLE=]FILE")
    arguments = parser.parse_args()
    figures: dict[str, Table] = json.loads(FIGURES.read_bytes()) if FIGURES.exists() else {}
    for argument in arguments.results:
        figures |= tables(argument)
    FIGURES.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for page in sorted(DOCS.glob("robustness*.md")):
        page.write_text(rendered(page.read_text(encoding="utf-8"), figures), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
