"""Writes what the demo's model learns from: programs for bundled problems by authors who make mistakes.

A program is a list of lines. Where authors make mistakes, a line comes with its wrong versions; their skill is the
probability of the right one. A line is one token, so a program has about ten, and a mistake is one choice of the model.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

#: A line; or the right line, followed by wrong versions.
Line = str | tuple[str, ...]

_HEAD: tuple[Line, ...] = ("#include <bits/stdc++.h>", ("using namespace std;", "using namespace std"), "int main() {")
#: Without its opening fence a program counts as prose: no code is found.
_OPEN: Line = ("```cpp", "Here is the program:")
_CLOSE = "```"

PROGRAMS: Mapping[str, tuple[Line, ...]] = {
    "P1001": (
        ("    long long a, b;", "    short a, b;"),
        ("    cin >> a >> b;", "    cin >> a, b;"),
        ("    cout << a + b << endl;", "    cout << a - b << endl;", "    cout << a + b << endl"),
    ),
    "P1046": (
        "    int height[10], reach, got = 0;",
        "    for (int &h : height) cin >> h;",
        ("    cin >> reach;", "    cin << reach;"),
        ("    for (int h : height) got += h <= reach + 30;", "    for (int h : height) got += h < reach + 30;"),
        ("    cout << got << endl;", "    cout << reach << endl;"),
    ),
    "P1047": (
        "    int l, m, u, v;",
        "    cin >> l >> m;",
        ("    vector<int> tree(l + 1, 1);", "    vector<int> tree(l, 1);"),
        ("    while (m--) {", "    while (--m) {"),
        "        cin >> u >> v;",
        ("        fill(&tree[u], &tree[v] + 1, 0);", "        fill(&tree[u], &tree[v], 0);"),
        "    }",
        "    cout << count(tree.begin(), tree.end(), 1) << endl;",
    ),
    "P1048": (
        "    int t, m, c, v;",
        "    cin >> t >> m;",
        "    vector<int> best(t + 1);",
        ("    while (m--) {", "    while (--m) {"),
        ("        cin >> c >> v;", "        cin >> v >> c;"),
        ("        for (int j = t; j >= c; j--)", "        for (int j = c; j <= t; j++)"),
        "            best[j] = max(best[j], best[j - c] + v);",
        "    }",
        ("    cout << best[t] << endl;", "    cout << best[t - 1] << endl;"),
    ),
    "P1177": (
        "    int n;",
        "    cin >> n;",
        ("    vector<int> a(n);", "    vector<short> a(n);"),
        ("    for (auto &x : a) cin >> x;", "    for (auto x : a) cin >> x;"),
        ("    sort(a.begin(), a.end());", "    sort(a.rbegin(), a.rend());", "    sort(a);"),
        "    for (auto x : a) cout << x << ' ';",
    ),
    "P1226": (
        ("    long long a, b, p, s = 1;", "    int a, b, p, s = 1;"),
        "    cin >> a >> b >> p;",
        ("    cout << a << '^' << b << \" mod \" << p << '=';", "    cout << a << '^' << b << '=';"),
        ("    for (; b; b /= 2, a = a * a % p)", "    for (; b; b /= 2, a = a * a)"),
        ("        if (b % 2) s = s * a % p;", "        if (b % 2) s = s * a;"),
        "    cout << s << endl;",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Writes the right line with probability `skill`, else one of its wrong versions."""

    skill: float

    def write(self, problem: str, dice: random.Random) -> str:
        lines = (self._line(line, dice) for line in _answer(problem))
        return "".join(f"{line}\n" for line in lines)

    def _line(self, line: Line, dice: random.Random) -> str:
        if isinstance(line, str):
            return line
        return line[0] if dice.random() < self.skill else dice.choice(line[1:])

    @property
    def accepted(self) -> float:
        """The share of right programs, over all problems."""
        decisions = (sum(isinstance(line, tuple) for line in _answer(problem)) for problem in PROGRAMS)
        return math.fsum(self.skill**count for count in decisions) / len(PROGRAMS)


def right(problem: str) -> str:
    """The program without a mistake, fenced."""
    return Author(skill=1.0).write(problem, random.Random(0))  # noqa: S311


def lines() -> Iterator[str]:
    """Every line that an author may write, with its end."""
    for problem in PROGRAMS:
        for line in _answer(problem):
            yield from (f"{text}\n" for text in ((line,) if isinstance(line, str) else line))


def _answer(problem: str) -> tuple[Line, ...]:
    return (_OPEN, *_HEAD, *PROGRAMS[problem], "}", _CLOSE)
