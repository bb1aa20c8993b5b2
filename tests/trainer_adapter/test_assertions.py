"""Tests that are assertions: each is judged as Python itself would have it, and what cannot be is counted."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from judge import Judge, Options, Stop, Submission
from judge.checkers.assertions import NotHeld
from judge.checkers.assertions.reading import read_assertions
from trainer_adapter.data import schemas
from trainer_adapter.data.tests_column import Case, Inline, problem

#: Assertions about `f`, and bodies of it that may or may not satisfy them.
ROWS: dict[str, list[str]] = {
    "assert f(2) == 4": ["return x * x", "return 5", "return 4.0", "return '4'", "return None", "return [4]"],
    "assert 4 == f(2)": ["return x * x", "return 5"],
    "assert f((1, 2)) == (2, 1)": ["return (x[1], x[0])", "return [x[1], x[0]]", "return x"],
    "assert f([1, 2]) == [2, 1]": ["return x[::-1]", "return tuple(x[::-1])", "return (2, 1)"],
    "assert f({1, 2}) == {2, 3}": ["return {y + 1 for y in x}", "return [2, 3]", "return frozenset((3, 2))"],
    "assert f({1: 'a'}) == {'a': 1}": ["return {v: k for k, v in x.items()}", "return {'a': '1'}", "return x"],
    "assert f({1: [(2, {'b': 3})]}) == {1: [(2, {'b': 3})]}": ["return x", "return {'1': [(2, {'b': 3})]}"],
    "assert f(None) is None": ["return x", "return 0", "return ''"],
    "assert f(3) is True": ["return 'True'", "return x > 2", "return 1", "return [1]", "return False", "return None"],
    "assert f(3) is False": ["return x < 2", "return 0", "return None", "return ''"],
    "assert f(3) == True": ["return x > 2", "return 1", "return 2", "return [1]"],
    "assert f(3)": ["return x > 2", "return [0]", "return 'no'", "return ''", "return 0", "return None"],
    "assert not f(3)": ["return x > 3", "return []", "return None", "return 'no'", "return 0.0"],
    "assert set(f([1, 1, 2])) == {1, 2}": ["return x", "return [2, 1]", "return [1]", "return 5"],
    "assert sorted(f('ba')) == ['a', 'b']": ["return x", "return ['b', 'a']", "return 'abc'"],
    "assert len(f([1, 2])) == 2": ["return x", "return 'ab'", "return []", "return 2"],
    "assert round(f(1), 2) == 0.33": ["return 1 / 3", "return 0.33", "return 0.34", "return 0"],
    "assert f('a b') == 'a b'": ["return x", "return 'a  b'", "return 'a\\u0020b'", "return 'A b'"],
    "assert f('\\u00e9\\n') == '\\u00e9\\n'": ["return x", "return x.strip()"],
    "assert abs(f(1) - 0.5) < 1e-3": ["return 0.5", "return 0.5004", "return 0.51", "return float('nan')"],
    "assert f(1) == pytest.approx(0.5)": ["return 0.5", "return 0.5 + 1e-8", "return 0.5001"],
    "assert math.isclose(f(1), 1000.0, rel_tol=1e-3)": ["return 1000.5", "return 1002"],
    "assert f(-1) == -(1 / 2)": ["return x / 2", "return 0.5"],
    "assert abs(f(1) - 2) <= 1": ["return 3", "return 1", "return 3.0000001", "return 2"],
    "assert abs(f(1) - 2) < 1": ["return 3", "return 1", "return 2.999999"],
    "assert abs(f(1) - 0.5) < 0.25": ["return 0.75", "return 0.25", "return 0.7499999"],
    "assert abs(f(1) - 0.3) < 0.1": ["return 0.4", "return 0.21"],
    "assert math.isclose(f(1), 2, abs_tol=1)": ["return 3", "return 1", "return 4"],
    "assert f([]) == []\nassert f([1]) == [1]": ["return x", "return [1]", "return []"],
    "assert f(x=[1]) == [2]": ["return [one + 1 for one in x]", "return x"],
    "assert f(x={1: (2,)}) == {1: (2,)}": ["return x", "return {1: [2]}"],
    "assert is_same_list(f(list_node([1, 2])), list_node([2, 1]))": [
        "y = x.next; y.next, x.next = x, None; return y",
        "return x",
        "return None",
        "return [2, 1]",
    ],
    "assert is_same_list(f(list_node([1])), list_node([]))": ["return None", "return x", "return []"],
    "assert is_same_tree(f(x=tree_node([1, None, 2])), tree_node([1, 2]))": [
        "x.left, x.right = x.right, x.left; return x",
        "return x",
        "return [1, 2]",
    ],
    "assert f(1) == float('inf')": ["return float('inf')", "return 1e999", "return 'inf'", "return 10**400"],
    "assert f(float('inf')) == -math.inf": ["return -x", "return x"],
    "assert f(float('nan')) == 1": ["return int(x != x)", "return x"],
    "assert f(b'a\\xff') == b'a\\xff'": ["return x", "return 'a\\xff'", "return bytearray(x)", "return list(x)"],
    "assert f(1j) == 2 - 1j": ["return 2 - x", "return 2", "return '2-1j'", "return 2 + x"],
    "assert f(3) == 0.1": [
        "from fractions import Fraction as F; return F(1, 10)",
        "from fractions import Fraction as F; return F(0.1)",
        "from decimal import Decimal as D; return D('0.1')",
        "from decimal import Decimal as D; return D(0.1)",
        "return 0.1 + 0j",
    ],
    "assert f(1) == [1, 2]": [
        "from collections import UserList as U; return U([x, 2])",
        "from collections import deque; return deque([x, 2])",
        "from collections import namedtuple as n; return n('P', 'a b')(1, 2)",
        "from array import array; return array('i', [1, 2])",
        "return range(1, 3)",
        "return iter([1, 2])",
        "return {1: 1, 2: 2}.keys()",
    ],
    "assert f(1) == (1, 2)": ["from collections import namedtuple as n; return n('P', 'a b')(1, 2)", "return [1, 2]"],
    "assert f(1) == {15, 1e16, (2.0, 3)}": ["return {15.0, 10**16, (2, 3)}", "return {15.5, 10**16, (2, 3)}"],
    "assert f(1) == {10000000000000000: 1, 15.0: 2}": ["return {1e16: 1, 15: 2}", "return {1e16: 1, 16: 2}"],
    "assert f(1) == {'a': 1}": [
        "from collections import UserDict as U; return U(a=1)",
        "from collections import Counter; return Counter('a')",
        "from types import SimpleNamespace as S; return S(a=1)",
    ],
    "assert f(1) == 'a'": [
        "from enum import Enum; return Enum('E', {'A': 'a'}, type=str).A",
        "from enum import Enum; return Enum('E', {'A': 'a'}).A",
        "from collections import UserString as U; return U('a')",
    ],
}
#: The classes and functions that LeetCodeDataset puts before its assertions.
NODES = """
class ListNode:
    def __init__(self, val=0, next=None):
        self.val, self.next = val, next
class TreeNode:
    def __init__(self, val=0, left=None, right=None):
        self.val, self.left, self.right = val, left, right
def list_node(values):
    return ListNode(values[0], list_node(values[1:])) if values else None
def tree_node(values):
    nodes = [None if one is None else TreeNode(one) for one in values]
    children = iter(nodes[1:])
    for node in filter(None, nodes):
        node.left, node.right = next(children, None), next(children, None)
    return nodes[0] if nodes else None
def is_same_list(one, other):
    return one is other or (one.val == other.val and is_same_list(one.next, other.next))
def is_same_tree(one, other):
    return one is other or (
        one.val == other.val and is_same_tree(one.left, other.left) and is_same_tree(one.right, other.right)
    )
"""


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge(slots=1) as judge:
        yield judge


@pytest.mark.parametrize("text", ROWS)
def test_as_python_has_it(text: str, judge: Judge, tmp_path: Path) -> None:
    held = read_assertions(text)
    assert held.left_out == 0
    made = problem(_inline(held), tmp_path, "asserted")
    for body in ROWS[text]:
        program = f"def f(x):\n    {body}\n"
        judgement = judge.judge(
            Submission(source=program.encode(), problem=made, language="python3"), Options(stop=Stop.NEVER)
        )
        assert judgement.accepted is _holds(program, text), (body, judgement.tests)


def _inline(held: object) -> Inline:
    assert isinstance(held, type(read_assertions("assert f(1) == 1")))
    return Inline(
        tests=tuple(Case(input=one.input, output=one.output) for one in held.tests),
        function=held.function.name,
        python_values=held.function.python_values,
        absolute_tolerance=held.absolute_tolerance,
        relative_tolerance=held.relative_tolerance,
    )


def _holds(program: str, text: str) -> bool:
    approximate = type("approx", (), {"__init__": lambda s, v: setattr(s, "v", v)})
    setattr(approximate, "__eq__", lambda s, other: abs(s.v - other) <= max(1e-12, 1e-6 * abs(s.v)))  # noqa: B010
    space = {"math": __import__("math"), "pytest": type("pytest", (), {"approx": approximate})}
    try:
        exec(NODES + program + text, space)
    except Exception:
        return False
    return True


LEFT_OUT = [
    "assert f(1) in (1, 2)",
    "assert f(1) != 2",
    "assert f(1) > 2",
    "assert f(1) == f(2)",
    "assert f(f(1)) == 2",
    "assert f(1) == g(2)",
    "assert f(1) == 1 and f(2) == 2",
    "assert f(**a) == 2",
    "assert f(x=unknown) == 2",
    "compare(f(1), 2)",
    "self.assertEqual(f(1), 2)",
    "assert f(*a) == 2",
    "assert f(1) == open('/etc/passwd').read()",
    "assert f(1) == [0] * 10**9",
    "assert f(1) == 10**10**10",
    "assert f(1) == 99999999999 * 99999999999 * 2",
    "assert f(1) == 2 * 'ab'",
    "assert f(1) == 1 / 0",
    "assert f(1) == {[]}",
    "assert f(1) == float('nan')",
    "assert f(unknown) == 1",
    "x = [2, 1]\nassert f(x) == x",
    "assert f(1) is 256",
    "assert isinstance(f(1), int)",
    "assert abs(f(1) - 1) < tolerance",
    "for i in range(3):\n    assert f(i) == i",
    "with pytest.raises(ValueError):\n    assert f(1) == 1",
    "assert f(1) ==",
    "assert f('\\x00') == '" + "\0" + "'",
    "assert f(1) == " + "(" * 500 + "1" + ")" * 500,
    "assert f(1) == " + "-" * 100_000 + "1",
    "assert f(1) == " + "9" * 10_000,
]


def test_what_says_nothing_is_not_missing() -> None:
    """As HumanEval has it in every third row."""
    text = "def check(candidate):\n    assert candidate(3 * 19 * 3) == [3, 3, 19], 'why'\n    assert True, 'not this'\n"
    held = read_assertions([text, "if unknown:\n    assert True"], "factors")
    assert ([test.input for test in held.tests], held.left_out) == (["171\n"], 0)


@pytest.mark.parametrize("text", LEFT_OUT, ids=lambda text: text[:40])
def test_what_is_left_out_is_counted(text: str) -> None:
    held = read_assertions(["assert f(0) == 0", text])
    assert (len(held.tests), held.left_out) == (1, 1)
    with pytest.raises(NotHeld):
        read_assertions(text, "f")


def test_a_value_never_reaches_the_program(judge: Judge, tmp_path: Path) -> None:
    """A program that looks at all it can see finds the arguments, and no value; nor can it say what is made of it."""
    held = read_assertions("assert sorted(f('given')) == ['secret']")
    program = b"""
import builtins, gc, sys
builtins.sorted = lambda value: ["secret"]
def f(x):
    frame, seen = sys._getframe(), []
    while frame:
        seen.append(repr(frame.f_locals) + repr(frame.f_globals))
        frame = frame.f_back
    text = " ".join(seen) + repr([one for one in gc.get_objects() if isinstance(one, (str, bytes))])
    return ["se" + "cret"] if "sec" + "ret" in text.replace('["secret"]', "").replace(SOURCE, "") else ["none"]
SOURCE = open(__file__).read()
"""
    made = problem(_inline(held), tmp_path, "asserted")
    [test] = judge.judge(Submission(source=program, problem=made, language="python3")).tests
    assert test.verdict == "WA", test


#: As EvalPlus writes its tests: `%s` is how values are compared.
PLUS = """
import numpy as np
from math import inf

def is_floats(x) -> bool:
    return isinstance(x, float)

def assertion(out, exp, atol):
%s

inputs = [[1], [3], [4.0]]
results = %s
for i, (inp, exp) in enumerate(zip(inputs, results)):
    assertion(half(*inp), exp, %s)
"""
CLOSE = """
    exact_match = out == exp
    if atol == 0 and is_floats(exp):
        atol = 1e-6
    if not exact_match and atol != 0:
        assert np.allclose(out, exp, rtol=1e-07, atol=atol)
    else:
        assert exact_match, f"out: {out}, exp: {exp}"
"""
SETS = """
    if atol == 0 and is_floats(exp):
        atol = 1e-6
    out = set(out)
    exp = set(exp)
    if out != exp and atol != 0:
        assert np.allclose(out, exp, rtol=1e-07, atol=atol)
    else:
        assert out == exp
"""


def test_tests_of_evalplus(judge: Judge, tmp_path: Path) -> None:
    held = read_assertions(PLUS % (CLOSE, "[0.5, 1.5, 2.0]", 0), "half")
    assert (len(held.tests), held.left_out, held.function.name) == (3, 0, "half")
    assert (held.absolute_tolerance, held.relative_tolerance) == (1e-6, 1e-7)
    made = problem(_inline(held), tmp_path, "plus")
    for body, right in (("x / 2", True), ("x * 0.5 + 1e-8", True), ("x / 2 + 1e-3", False), ("x // 2", False)):
        program = f"def half(x):\n    return {body}\n".encode()
        found = judge.judge(Submission(source=program, problem=made, language="python3"))
        assert found.accepted is right, body


def test_how_evalplus_compares() -> None:
    exact = read_assertions(PLUS % (CLOSE, "[1, [2, 3], 'x']", 0), "half")
    assert (exact.absolute_tolerance, [one.output for one in exact.tests]) == (None, ["1\n", "[ 2 , 3 ]\n", '"x"\n'])
    stated = read_assertions(PLUS % (CLOSE, "[1.0, (2.0,), 0.5]", 1e-4), "half")
    assert (stated.absolute_tolerance, stated.tests[1].output.count("\n")) == (1e-4, 2)
    sets = read_assertions(PLUS % (SETS, "[[1, 1], (2,), []]", 0), "half")
    assert '"set"' in sets.tests[0].input
    assert sets.tests[0].output == sets.tests[0].output.replace("1 , 1", "1")


TESTING = CLOSE.replace(
    "assert np.allclose(out, exp, rtol=1e-07, atol=atol)", "np.testing.assert_allclose(out, exp, atol=atol)"
)


def test_evalplus_with_the_assertion_of_numpy() -> None:
    assert read_assertions(PLUS % (TESTING, "[0.5, 1.5, [2.0]]", 0), "half") == read_assertions(
        PLUS % (CLOSE, "[0.5, 1.5, [2.0]]", 0), "half"
    )


@pytest.mark.parametrize(
    "how",
    [
        TESTING.replace("atol=atol)", "atol=atol, rtol=1e-3)"),
        "    assert abs(out - exp) < 1",
        "    if isinstance(out, bool):\n        exact_match = out == exp",
        CLOSE.replace("1e-07", "1e-01"),
        CLOSE.replace("assert exact_match", "assert exact_match or True"),
        CLOSE.replace("exact_match = out == exp", "exact_match = out != exp"),
        CLOSE + "    out = exp",
        SETS.replace("out = set(out)", "pass"),
    ],
)
def test_another_comparison_is_not_understood(how: str) -> None:
    with pytest.raises(NotHeld):
        read_assertions(PLUS % (how, "[0.5, 1.5, 2.0]", 0), "half")


def test_an_exact_integer_beside_a_tolerance_that_would_change_it() -> None:
    with pytest.raises(NotHeld, match="several tolerances"):
        read_assertions(PLUS % (CLOSE, "[0.5, 100000000, 2.0]", 0), "half")


@pytest.mark.parametrize(
    ("row", "schema", "name", "tests"),
    [
        (
            {
                "text": "Square.", "task_id": 2, "code": "",
                "test_list": ["assert sq(2) == 4", "assert sq(3) == 9", "assert sq(1) > 0"],
            },
            "mbpp", "sq", 2,
        ),
        (
            {
                "task_id": "HumanEval/0", "prompt": "def sq(x):\n", "entry_point": "sq",
                "test": "METADATA = {}\n\n\ndef check(candidate):\n    assert candidate(2) == 4\n    assert True\n",
            },
            "humaneval", "sq", 1,
        ),
        (
            {
                "question": "Square.", "question_id": "k1", "solution": "", "test_info": [{"function_name": "sq"}],
                "test": "import x\ndef test_a():\n  assert sq(2) == 4\ndef test_b():\n  assert sq(0) == 0\n",
            },
            "kodcode", "sq", 2,
        ),
        ({"question": "Square.", "id": "a1", "test_cases": ["assert sq(2) == 4"]}, "acecode", "sq", 1),
    ],
    ids=["mbpp", "humaneval", "kodcode", "acecode"],
)  # fmt: skip
def test_data_sets(row: dict[str, object], schema: str, name: str, tests: int) -> None:
    found = schemas.detect(row)
    item = schemas.read(found, row)
    assert item.function is not None
    assert (found.name, item.function.name, len(item.tests)) == (schema, name, tests)
    assert item.missing == (schema == "mbpp")  # `assert True` says nothing


@pytest.mark.parametrize(
    "changes",
    [
        "x += 1",
        "x[0] = 5",
        "x: int = g()",
        "x = g()",
        "x, y = g()",
        "x, *y = 1, 2",
        "del x",
        "if g():\n    x = 2",
        "with g() as x:\n    pass",
        "for x in g():\n    pass",
        "for i in range(3):\n    x.append(i)",
        "_ = x.append(2)",
        "x.append(2)",
        "mutate(x)",
        "while (x := g()):\n    pass",
        "try:\n    x = 2\nexcept ValueError:\n    pass",
        "y = x\ny.append(1)",
        "y = [x]\ny[0].append(1)",
        "def change():\n    global x\n    x = 3\nchange()",
        "import a as b\nx.y = 1",
        "return\nassert f(x) == 1",
        "def g():\n    y = x\n    y.append(2)\ng()",
        "def g(a=x):\n    a.append(1)\ng()",
        "@g(x)\ndef h(a):\n    a.append(1)",
        "assert x.pop() == 1",
        "assert g(x) == 1",
        "assert f(g(x)) == 3",
        "assert (x := 2) == 2",
        "from m import x",
        "from m import *",
        "import m as x",
        "import x.y",
        "if g():\n    import x",
        "class x:\n    pass",
        "async def x():\n    pass",
        "if g():\n    def x():\n        pass",
        "try:\n    g()\nexcept E as x:\n    pass",
        "match g():\n    case [x]:\n        pass",
        "match g():\n    case [*x]:\n        pass",
        "match g():\n    case {**x}:\n        pass",
        "exec('x = 2')",
        "globals()['x'] = 2",
        "x = y = [1]\ny.append(2)",
        "y = [0]\ny[0] = x\ny[0].append(5)",
        "o.y = x\no.y.append(5)",
        "y = x\ny += [1]",
        "y = {'a': x}\nz = y['a']\nz.append(2)",
        "if g():\n    return",
        "import sys\nsys.exit()",
        "exit()",
        "pytest.skip('so')",
        "sys.stdin = g()",
        "monkeypatch.setattr('builtins.input', g)",
        "pytestmark = pytest.mark.skip",
    ],
)
def test_a_name_that_may_have_changed_is_not_known(changes: str) -> None:
    text = f"x = [1]\nassert f(7) == 7\n{changes}\nassert f(x) == [1]\n"
    found = read_assertions(text, "f")
    assert [test.input for test in found.tests] == ["7\n"]
    assert found.left_out >= 1
    steady = read_assertions(f"x = [1]\nassert f(7) == 7\ny = 1\nassert f(x) == [1]\n{changes}\n", "f")
    assert len(steady.tests) == 2


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\ndef test(x):\n    assert f(x) == 2\nassert f(7) == 7",
        "x = 1\n@pytest.mark.parametrize('x', [2])\ndef test(x, *, y=1):\n    assert f(x) == 2\nassert f(7) == 7",
        "x = 1\ndef test():\n    assert f(x) == 2\nx = 2\nassert f(7) == 7",
        "x = [1]\ndef test():\n    assert f(x) == 2\nx.append(2)\nassert f(7) == 7",
        "x = 1\ndef test():\n    global x\n    x = g()\n    assert f(x) == 2\nassert f(7) == 7",
        "x = [1]\ndef test():\n    assert f(x) == 2\nassert f(7) == 7\nx[0] = 5",
        "x = [1]\ndef test():\n    assert f(x) == 2\nassert f(7) == 7\n_ = x.append(5)",
        "x = [1]\ndef test():\n    assert f(x) == 2\nassert f(7) == 7\nfor i in range(3):\n    x.append(i)",
        "x = [1]\ndef test():\n    assert f(x) == 2\nassert f(7) == 7\ny = x\ny.append(5)",
        "x = [1]\ndef test():\n    assert f(x) == 2\nassert f(7) == 7\nassert x.pop() == 1",
        "x = 1\ndef test():\n    assert f(x) == 2\nassert f(7) == 7\nfrom m import x",
        "x = 1\ndef test():\n    assert f(x) == 2\nassert f(7) == 7\nclass x:\n    pass",
        "x = [1]\ndef test():\n    g()\n    assert f(x) == 2\ndef g():\n    x.append(2)\nassert f(7) == 7",
        "@pytest.mark.skip(reason='so')\ndef test():\n    assert f(1) == 2\nassert f(7) == 7",
        "@pytest.mark.xfail\ndef test():\n    assert f(1) == 2\nassert f(7) == 7",
        "@patch('builtins.input', return_value='1')\ndef test(m):\n    assert f(1) == 2\nassert f(7) == 7",
        "def test():\n    pytest.skip('so')\n    assert f(1) == 2\nassert f(7) == 7",
    ],
)
def test_a_function_of_the_tests_sees_what_names_stand_for_when_it_runs(text: str) -> None:
    found = read_assertions(text, "f")
    assert [test.input for test in found.tests] == ["7\n"]
    assert found.left_out >= 1


@pytest.mark.parametrize(
    "beside",
    [
        "import math",
        "from solution import f",
        "import sys\nsys.path.append('.')",
        "print(x)",
        "assert len(x) == 1",
        "assert isinstance(f(x), list)",
        "assert f(x) != [2]",
        "assert x == sorted(x)",
        "assert all(f(one) for one in x)",
        "assert math.isclose(f(x)[0], 1.5, rel_tol=g)",
        "y = [x]",
        "def g(a):\n    a.append(1)",
        "def g():\n    y = [1]\n    y.append(2)",
        "if g():\n    y = 2",
        "if g():\n    raise AssertionError",
        "@pytest.mark.timeout(5)\ndef test():\n    pass",
        "@pytest.mark.skip\ndef test():\n    pass",
        "def test():\n    return",
        "'words'",
    ],
)
def test_a_name_that_cannot_have_changed_is_kept(beside: str) -> None:
    """Neither by what stands before it, nor for a function that runs later."""
    for text in (
        f"x = [1]\n{beside}\nassert f(x) == [1]",
        f"x = [1]\ndef test_so():\n    assert f(x) == [1]\n{beside}",
        f"x = [1]\n{beside}\ndef test_so():\n    assert f(x) == [1]",
    ):
        found = [test for test in read_assertions(text, "f").tests if test.output == "[ 1 ]\n"]
        assert [test.input for test in found] == ["[ 1 ]\n"], text


@pytest.mark.parametrize(
    ("gives", "given"),
    [
        ("x = y = 2", "2"),
        ("x: int = 2", "2"),
        ("x, y = 2, 3", "2"),
        ("[x, y] = [2, 3]", "2"),
        ("y = 2\nx = y", "2"),
        ("y = [2]\nx = [y, y]", "[[2],[2]]"),
        ("x = [2]\nprint(x)", "[2]"),
    ],
)
def test_what_a_name_is_given(gives: str, given: str) -> None:
    assert read_assertions(f"x = 1\n{gives}\nassert f(x) == 4", "f").tests[0].input.replace(" ", "") == f"{given}\n"


@pytest.mark.parametrize("exact", ["2.5", "2", "[1, 'a']", "{'a': 1.5}", "(0.5,)"])
def test_a_wide_tolerance_is_not_for_those_that_state_none(exact: str) -> None:
    with pytest.raises(NotHeld, match="several tolerances"):
        read_assertions(f"assert abs(f(1) - 0.5) < 0.1\nassert f(2) == {exact}", "f")


@pytest.mark.parametrize("exact", ["'a'", "None", "True", "[]"])
def test_what_holds_no_number_may_stand_beside_any_tolerance(exact: str) -> None:
    found = read_assertions(f"assert abs(f(1) - 0.5) < 0.1\nassert f(2) == {exact}", "f")
    assert found.absolute_tolerance == math.nextafter(0.1, 0)
    assert len(found.tests) == 2
