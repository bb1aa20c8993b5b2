"""Which programs count as one."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import problems
from trainer_adapter.rollouts.selection import normal_form
from trainer_adapter.rollouts.selection.normal_form import digest, tokens

CPP = """#include <bits/stdc++.h>
using namespace std;
int add(int a, int b) { return a + b; }
int main() {
    int n; cin >> n; // how many
    vector<int> v(n);
    for (auto &x : v) cin >> x;
    sort(v.begin(), v.end());
    cout << add(v[0], 'a') << "n // not a comment" << endl;
}
"""
PYTHON = '''import sys
from math import gcd
def solve(values):
    """Not code."""
    total = 0  # so far
    for value in values:
        if value > 1:
            total += gcd(value,
                         2)
    return total
print(solve(list(map(int, input().split()))), end="")
'''


def same(one: str, other: str, family: str) -> bool:
    return normal_form.normal_form(one, family) == normal_form.normal_form(other, family)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" // how many", ""),
        (" // how many", " /* how\n many */"),
        (" // how many", " // a comment that \\\n    goes on"),
        ("int n; cin", "int n;\n\n\tcin"),
        ("\n", "\r\n"),
        (r"\bn\b(?!\s//)", "count"),
        (r"\badd\b", "sum_of"),
        (r"\bv\b", "values"),
        ("#include <bits/stdc++.h>\n", "#include <iostream>\n#include <vector>\n"),
    ],
)
def test_cpp_equal(old: str, new: str) -> None:
    pattern = old if "\\b" in old else re.escape(old)
    code = CPP.replace('"n //', '"m //')  # the string stays as it is
    changed = re.sub(pattern, lambda _: new, code)
    assert changed != code
    assert same(code, changed, "c++")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a + b", "a - b"),
        ("a + b", "a + a"),
        ("sort(", "stable_sort("),
        ("v[0]", "v[1]"),
        ("'a'", "'b'"),
        ("not a comment", "not  a comment"),
        ("endl", "ends"),
        ("vector<int>", "deque<int>"),
        ("v.begin()", "v.rbegin()"),
        ("add(v[0]", "max(v[0]"),
        ("return a", "return -a"),
    ],
)
def test_cpp_different(old: str, new: str) -> None:
    assert old in CPP
    assert not same(CPP, CPP.replace(old, new), "c++")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  # so far", ""),
        ('    """Not code."""\n', ""),
        ("    ", "\t"),
        ("    ", "  "),
        (",\n                         2)", ", 2)"),
        ("total", "answer"),
        ("solve", "f"),
        ("value", "x"),
        ("    total = 0", "\n# a remark\n\n    total = 0"),
        (" > 1", " \\\n   > 1"),
    ],
)
def test_python_equal(old: str, new: str) -> None:
    assert old in PYTHON
    assert same(PYTHON, PYTHON.replace(old, new), "python")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    return total", "            return total"),
        ("        if value", "    if value"),
        ("gcd", "lcm"),
        ("end=", "sep="),
        ("import sys", "import os"),
        ("map(int", "map(float"),
        (".split", ".rsplit"),
        ('end=""', 'end=" "'),
        ("total += gcd", "total -= gcd"),
        ("return total", "return values"),
    ],
)
def test_python_different(old: str, new: str) -> None:
    assert old in PYTHON
    assert not same(PYTHON, PYTHON.replace(old, new), "python")


def test_names_in_f_strings_stay() -> None:
    one, other = "x = 1\ny = 2\nprint(f'{x}')\n", "y = 1\nx = 2\nprint(f'{x}')\n"
    assert not same(one, other, "python")


def test_names_are_renamed_one_to_one() -> None:
    assert not same("int f(int a, int b) { return a; }", "int f(int a, int a) { return a; }", "c++")
    assert not same("struct P { int x, y; }; P p; int a = p.x;", "struct P { int y, x; }; P p; int a = p.x;", "c++")


def test_macros_end_with_their_line() -> None:
    assert not same("#define A 1\n+ 2\nint x = A;", "#define A 1 + 2\nint x = A;", "c++")
    assert same("#define A 1 \\\n+ 2\nint x = A;", "#define A 1 + 2\nint x = A;", "c++")


def test_raw_strings_and_numbers() -> None:
    raw = 'auto s = R"x(// " )" )x"; int a = 1\'000;'
    assert normal_form.normal_form(raw, "c++")[3:] == ['R"x(// " )" )x"', ";", "int", "$1", "=", "1'000", ";"]


def test_other_languages_only_lose_white_space() -> None:
    assert same("fn  main() {}", "fn main()\n{}", "rust")
    assert not same("fn main() {} // a", "fn main() {}", "rust")


def test_completions() -> None:
    fenced, other = "So:\n```cpp\nint main() {}\n```\n", "Thus:\n```cpp\nint main(){ }\n```\nDone."
    assert digest(tokens(fenced, "cpp17")) == digest(tokens(other, "cpp20")) == digest(tokens(fenced, None))
    assert digest(tokens("```python\nx\n```", None)) != digest(tokens("```cpp\nx\n```", None))
    assert digest(tokens("#### 42", None)) == digest(tokens("####  42\n", None)) != digest(tokens("#### 43", None))
    assert tokens(fenced, "a language of old")[0] == "c++"


@pytest.mark.parametrize("name", problems.names())
def test_labelled_submissions_of_a_problem(name: str) -> None:
    """A right program and a wrong one are never one; a program whose names are all changed is."""
    found = {}
    for path in sorted((problems.load(name).directory / "submissions").rglob("*")):
        family = {".cpp": "c++", ".py": "python"}.get(path.suffix)
        if family is None:
            continue
        code = path.read_text()
        form = digest([family, *normal_form.normal_form(code, family)])
        assert found.setdefault(form, path.parent.name) == path.parent.name, path
    assert found


#: What makes tokenizers stumble.
PIECES = [
    '"',
    "'",
    '"""',
    "'''",
    "/*",
    "*/",
    "//",
    "#",
    "\\",
    "\n",
    "\\\n",
    'R"(',
    ')"',
    "(",
    ")",
    "{",
    "}",
    "f'{x}'",
    "x",
    "1e",
    "\t",
]


@given(
    st.lists(st.sampled_from([*PIECES, "é", "变量", "\ud800", "\0"]), max_size=60).map("".join),
    st.sampled_from(["c++", "python", ""]),
)
def test_any_text_has_a_form(code: str, family: str) -> None:
    form = normal_form.normal_form(code, family)
    assert form == normal_form.normal_form(code, family)
    digest(form)


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("family", ["c++", "python"])
def test_takes_time_in_proportion_to_the_length(piece: str, family: str) -> None:
    """A form of 2 MB is quick to make; where it took the square of the length, this would take hours."""
    normal_form.normal_form(piece * (500_000 // len(piece)), family)


def test_renaming_all_names_of_a_program_at_random() -> None:
    order, names = random.Random(1), ["n", "x", "a", "b", "add", "v"]
    code = CPP.replace('"n //', '"m //').replace("// how many", "").replace("'a'", "'c'").replace("a comment", "c")
    for _ in range(50):
        changed = code
        for name, new in zip(names, order.sample(range(99), len(names)), strict=True):
            changed = re.sub(rf"\b{name}\b", f"name{new}", changed)
        assert same(code, changed, "c++")
