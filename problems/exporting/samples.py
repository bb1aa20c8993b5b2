"""Samples in a statement, for formats that show what the statement holds."""

from __future__ import annotations

from problems.exporting.target import Target
from problems.text.statement import samples


def with_samples(target: Target, statement: str) -> str:
    """The statement with the package's samples, unless it shows samples already. As Luogu and Hydro write them."""
    shown = [case for case in target.problem.cases if case.sample]
    if not shown or samples(statement):
        return statement
    parts = [statement.rstrip(), "\n\n## 样例\n"]
    for number, case in enumerate(shown, 1):
        for name, data in (("input", case.read_input()), ("output", case.read_answer())):
            text = data.decode("utf-8", "replace").rstrip("\n")
            fence = "`" * max(3, _longest_run(text) + 1)
            parts.append(f"\n{fence}{name}{number}\n{text}\n{fence}\n")
    return "".join(parts)


def _longest_run(text: str) -> int:
    longest = run = 0
    for sign in text:
        run = run + 1 if sign == "`" else 0
        longest = max(longest, run)
    return longest
