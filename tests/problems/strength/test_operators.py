"""Each operator of mutation: a program before and after."""

from __future__ import annotations

import pytest

from problems.strength.mutants import mutants, sample

CPP = [
    ("relational", "bool f() { return a < b; }", "bool f() { return a <= b; }"),
    ("relational", "bool f() { return a < b; }", "bool f() { return a >= b; }"),
    ("relational", "bool f() { return a == b; }", "bool f() { return a != b; }"),
    ("logical", "bool f() { return a && b; }", "bool f() { return a || b; }"),
    ("arithmetic", "int f() { return a + b; }", "int f() { return a - b; }"),
    ("arithmetic", "void f() { a += b; }", "void f() { a -= b; }"),
    ("arithmetic", "void f() { a++; }", "void f() { a--; }"),
    ("off-by-one", "int a[10];", "int a[11];"),
    ("off-by-one", "int a[10];", "int a[9];"),
    ("halved bound", "int a[100005];", "int a[50002];"),
    ("small infinity", "int f = 1000000000;", "int f = 1000000;"),
    ("min and max", "int f() { return std::min(a, b); }", "int f() { return std::max(a, b); }"),
    (
        "slower",
        "void f() { x = std::lower_bound(a, b, c); }",
        "void f() { x = std::find_if(a, b, [&](const auto &a_) { return !(a_ < (c)); }); }",
    ),
    (
        "slower",
        "void f() { sort(a, a + n, g); }",
        "void f() { for (auto at_ = a; at_ != a + n; ++at_) std::iter_swap(at_, std::min_element(at_, a + n, g)); }",
    ),
    ("slower", "int f(int x) { return p[x] = f(p[x]); }", "int f(int x) { return f(p[x]); }"),
    ("modulus", "x f = 1000000007LL;", "x f = 998244353LL;"),
    ("dropped long long", "x f = 1LL * a;", "x f = 1 * a;"),
    ("dropped long long", "x f = (long long)a * b;", "x f = a * b;"),
    ("narrower", "long long a;", "int a;"),
    ("narrower", "unsigned long long a;", "unsigned a;"),
    ("narrower", "int a;", "short a;"),
    ("narrower", "double a;", "float a;"),
    ("narrower", "std::int64_t a;", "int a;"),
    ("removed branch", "void f() { if (a) b(); }", "void f() { if (false) b(); }"),
    ("removed branch", "void f() { if (a) b(); }", "void f() { if (true) b(); }"),
    ("removed branch", "void f() { if (a) b(); else c(); }", "void f() { if (a) b();  }"),
    ("removed branch", "int f() { return a ? b : c; }", "int f() { return (c); }"),
    ("removed reset", "void f() { while (a) { s = 0; } }", "void f() { while (a) { ; } }"),
    ("removed reset", "void f() { v.clear(); }", "void f() { ; }"),
    ("removed statement", "void f() { s = a; }", "void f() { ; }"),
    ("removed exit", "void f() { while (a) break; }", "void f() { while (a) ; }"),
    ("early exit", "void f() { while (a) { continue; } }", "void f() { while (a) { break; } }"),
    ("early exit", "void f() { while (a) { b(); } }", "void f() { while (a) { b();  break; } }"),
    ("early exit", "void f() { while (a) b(); }", "void f() { while (a) { b(); break; } }"),
    (
        "swapped loops",
        "void f() { for (i = a; i; ) for (j = b; j; ) c(); }",
        "void f() { for (j = b; j; ) for (i = a; i; ) c(); }",
    ),
    (
        "swapped loops",
        "void f() { for (i = a; i; ) { for (j = b; j; ) { c(); } } }",
        "void f() { for (j = b; j; ) { for (i = a; i; ) { c(); } } }",
    ),
]
PYTHON = [
    ("relational", "a = b <= c\n", "a = b < c\n"),
    ("logical", "a = b and c\n", "a = b or c\n"),
    ("arithmetic", "a = b - c\n", "a = b + c\n"),
    ("arithmetic", "a += b\n", "a -= b\n"),
    ("true division", "a = b // c\n", "a = b / c\n"),
    ("off-by-one", "a = b[1]\n", "a = b[2]\n"),
    ("off-by-one", "a = b[1]\n", "a = b[0]\n"),
    ("min and max", "a = max(b, c)\n", "a = min(b, c)\n"),
    ("slower", "a = bisect_left(b, c)\n", "a = next((i_ for i_, a_ in enumerate(b) if not a_ < (c)), len(b))\n"),
    ("slower", "@cache\ndef f():\n    pass\n", "\ndef f():\n    pass\n"),
    ("small infinity", "a = 1000000000\n", "a = 1000000\n"),
    ("modulus", "M = 998244353\n", "M = 1000000007\n"),
    ("removed branch", "if a:\n    b()\n", "if False:\n    b()\n"),
    ("removed branch", "if a:\n    b()\nelif c:\n    d()\n", "if a:\n    b()\nelif True:\n    d()\n"),
    ("removed branch", "if a:\n    b()\nelse:\n    c()\n", "if a:\n    b()\n\n"),
    ("removed branch", "a = b if c else d\n", "a = (d)\n"),
    ("removed reset", "while a:\n    s = 0\n", "while a:\n    pass\n"),
    ("removed reset", "v.clear()\n", "pass\n"),
    ("removed statement", "a.append(b)\n", "pass\n"),
    ("removed exit", "while a:\n    break\n", "while a:\n    pass\n"),
    ("early exit", "while a:\n    continue\n", "while a:\n    break\n"),
    ("early exit", "while a:\n    b = c\n", "while a:\n    b = c\n    break\n"),
    ("early exit", "while a: b = c\n", "while a: b = c; break\n"),
    (
        "swapped loops",
        "for i in a:\n    for j in b:\n        c = d\n",
        "for j in b:\n    for i in a:\n        c = d\n",
    ),
]


def test_statements_without_parts() -> None:
    assert not changed("void f() { ; return; }", "c++")
    assert changed("def f():\n    return\n", "python") == set()


def changed(source: str, family: str) -> set[tuple[str, str]]:
    return {(mutant.operator, mutant.source.decode()) for mutant in mutants(source.encode(), family, "a")}


@pytest.mark.parametrize(("operator", "before", "after"), CPP)
def test_cpp(operator: str, before: str, after: str) -> None:
    assert (operator, after) in changed(before, "c++")


@pytest.mark.parametrize(("operator", "before", "after"), PYTHON)
def test_python(operator: str, before: str, after: str) -> None:
    assert (operator, after) in changed(before, "python")


@pytest.mark.parametrize(
    ("source", "family"),
    [
        ("void f() { std::cin >> a >> b; }", "c++"),
        ("void f() { std::ios::sync_with_stdio(false); }", "c++"),
        ("// a < b\n", "c++"),
        ("#include <cstdio>\n", "c++"),
        ("s = 'a < b'\n", "python"),
        ("import a\n", "python"),
    ],
)
def test_what_is_no_mistake_stays(source: str, family: str) -> None:
    assert changed(source, family) == set()


def test_a_mutant_says_where_and_what() -> None:
    (first, *_) = mutants(b"int a;\nint b = c + d;\n", "c++", "std.cpp")
    assert (first.line, first.operator) == (1, "narrower")
    assert first.diff == "--- std.cpp\n+++ narrower\n@@ -1 +1 @@\n-int a;\n+short a;"


def test_the_order_is_that_of_the_source_and_each_text_comes_once() -> None:
    made = mutants(b"int f() { return a < b && c < d; }", "c++", "a")
    sources = [mutant.source for mutant in made]
    assert len(set(sources)) == len(sources)
    assert made == mutants(b"int f() { return a < b && c < d; }", "c++", "a")


def test_a_sample_is_bounded_repeatable_and_takes_each_operator() -> None:
    source = b"int f() { if (a < 1 && b < 2 && c < 3 && d < 4) return 5 + 6 + 7 + 8; }"
    everything = mutants(source, "c++", "a")
    taken = sample(everything, 6, 1)
    assert len(taken) == 6 and taken == sample(everything, 6, 1) != sample(everything, 6, 2)
    assert {mutant.operator for mutant in taken} == {mutant.operator for mutant in everything}
    assert [everything.index(mutant) for mutant in taken] == sorted(everything.index(mutant) for mutant in taken)
    assert sample(everything, 1000, 1) == everything


def test_a_program_that_is_nested_deep_is_read() -> None:
    assert mutants(b"int a = " + b"(" * 3000 + b"1" + b")" * 3000 + b";", "c++", "a")
