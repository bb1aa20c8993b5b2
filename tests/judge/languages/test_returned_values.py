"""What a function returned equals the answer if the program that the tests come with says so: Python's `==`, mostly."""

from __future__ import annotations

import array  # noqa: F401 - `RETURNED` names it
import collections
import contextlib
import dataclasses
import decimal  # noqa: F401
import enum
import fractions
import json
import math
import types  # noqa: F401
import warnings
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from judge import Judge, Options, Submission
from judge.checkers.assertions.reading import read_assertions
from judge.checkers.compare import compare
from judge.checkers.values import write_value
from judge.common.errors import CheckerError
from problems.model import Comparison, Equality, Mode
from trainer_adapter.data.calls import inline
from trainer_adapter.data.tests_column import problem

numpy = pytest.importorskip("numpy")


class Colour(enum.IntEnum):
    RED = 1


class Name(str, enum.Enum):  # noqa: UP042 - its text is not its value
    A = "a"


class Plain(enum.Enum):
    A = 1


class Text(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "other"


class Three:
    """A number of a library's own type."""

    def __index__(self) -> int:
        return 3

    def __eq__(self, other: object) -> bool:
        return other == 3

    def __hash__(self) -> int:
        return hash(3)


@dataclasses.dataclass
class Point:
    x: int = 1


Pair = collections.namedtuple("Pair", "a b")

#: By name, for the report. Each is made anew: an iterator can be read once.
RETURNED: dict[str, Callable[[], Any]] = {
    one: (lambda one=one: eval(one))
    for one in (
        *(
            "None",
            "True",
            "False",
            "0",
            "1",
            "3",
            "-1",
            "0.5",
            "3.0",
            "-0.0",
            "0.1",
            "0.1 + 0.2",
            "1e16",
            "1e22",
            "10**22",
        ),
        *(
            "2**53 + 1",
            "float(2**53)",
            "10**400",
            "math.inf",
            "-math.inf",
            "math.nan",
            "''",
            "'a'",
            "'1'",
            "'a b'",
            "'null'",
        ),
        *("[]", "()", "{}", "[1, 2]", "(1, 2)", "[(1, 2)]", "((1, 2),)", "[[1, 2]]", "[(1, 2), (3,)]", "([1, 2], [3])"),
        *(
            "[None]",
            "[[None]]",
            "[[], None]",
            "[True]",
            "[1.0, 2]",
            "[[(1, 2)]]",
            "['ab']",
            "[(1, 2), 'ab']",
            "['a', 'b']",
        ),
        *("{'a': 1}", "{1: 'a'}", "{'1': 'a'}", "{True: 'a'}", "{1.0: 'a'}", "{None: 1}", "{(1, 2): 3}", "[{1: 'a'}]"),
        *(
            "[{'1': 'a'}]",
            "{'a': {1: 2}}",
            "{'a': (1, 2)}",
            "{1: 'a', 'b': 2}",
            "{1.5: 1}",
            "{math.inf: 1}",
            "{math.nan: 1}",
        ),
        *(
            "fractions.Fraction(1, 2)",
            "fractions.Fraction(6, 2)",
            "fractions.Fraction(1, 3)",
            "fractions.Fraction(1, 10)",
        ),
        *("decimal.Decimal('0.5')", "decimal.Decimal('3.00')", "decimal.Decimal('0.1')", "decimal.Decimal('1e22')"),
        *("decimal.Decimal(0.1)", "decimal.Decimal('1e400')", "decimal.Decimal('nan')", "decimal.Decimal('inf')"),
        *("fractions.Fraction(10**400 + 1, 2)", "decimal.Decimal('1e-400')", "decimal.Decimal('1e99999')"),
        *(
            "3 + 0j",
            "1j",
            "numpy.float64(0.5)",
            "numpy.float64(3)",
            "numpy.int64(3)",
            "numpy.bool_(True)",
            "numpy.str_('a')",
        ),
        *("numpy.uint8(1)", "numpy.complex128(3)", "numpy.longdouble(3)", "numpy.array(3)", "numpy.array([1, 2])"),
        *("numpy.array([0.5])", "numpy.array([])", "[numpy.int64(1), numpy.int64(2)]", "[numpy.array([1, 2])]"),
        *(
            "numpy.datetime64('2020-01-01')",
            "numpy.bytes_(b'a')",
            "Colour.RED",
            "Name.A",
            "Plain.A",
            "Text('a')",
            "Three()",
        ),
        *(
            "Point()",
            "Pair(1, 2)",
            "[Pair(1, 2)]",
            "{1, 2}",
            "frozenset()",
            "b'a'",
            "bytearray(b'a')",
            "object()",
            "len",
        ),
        *("collections.UserList([1, 2])", "[collections.UserList([1, 2])]", "collections.UserList([(1, 2)])"),
        *("collections.UserDict(a=1)", "collections.UserString('a')", "collections.ChainMap({'a': 1})"),
        *("types.MappingProxyType({'a': 1})", "collections.OrderedDict(a=1)", "collections.Counter('a')"),
        *("collections.defaultdict(int, {1: 'a'})", "collections.deque([1, 2])", "range(1, 3)", "{'a': 1}.keys()"),
        *(
            "{1: 2}.values()",
            "{1: 2}.items()",
            "map(int, '12')",
            "iter([1, 2])",
            "(one for one in [1])",
            "zip([1], [2])",
        ),
        *("array.array('i', [1, 2])", "[[0.5]]", "[0.5]", "[3]", "[[1, 2], [3]]", "'\\ud800'", "'\\0'", "'\\u2028'"),
    )
}
#: What JSON can hold, as LiveCodeBench and APPS have their answers.
ANSWERS = [
    *("null", "true", "false", "0", "1", "3", "-1", "0.5", "3.0", "0.1", "0.30000000000000004", "0.3", "1e16", "1e22"),
    *("10000000000000000000000", "9007199254740993", "9007199254740992", "Infinity", "-Infinity", "1e400", '""', '"a"'),
    *(
        '"1"',
        '"a b"',
        '"null"',
        '"other"',
        "[]",
        "{}",
        "[1, 2]",
        "[[1, 2]]",
        "[[1, 2], [3]]",
        "[null]",
        "[[null]]",
        "[[]]",
    ),
    *("[true]", "[[], null]", "[[], []]", "[[[1, 2]]]", '["ab"]', '[[1, 2], ["a", "b"]]', '["a", "b"]', '{"a": 1}'),
    *('{"1": "a"}', '{"True": "a"}', '[{"1": "a"}]', '{"a": {"1": 2}}', '{"a": [1, 2]}', '{"1": "a", "b": 2}', "[0.5]"),
    *("[[0.5]]", "[3]", "0.1000000000000000055511151231257827", "0.10", "5e-1", '"\\ud800"', '"\\u0000"', '"\\u2028"'),
    *("1" + "0" * 400, "0.3333333333333333", '{"(1, 2)": 3}', '{"None": 1}', '"<set>"', '"2020-01-01"'),
]


@pytest.fixture(scope="module")
def written() -> Iterator[Callable[..., bytes]]:
    """A function that gives what our caller writes for a value."""
    source = files("judge.languages").joinpath("call.py").read_text().removesuffix("_run()\n")
    spaces: dict[str, dict[str, Any]] = {}

    def write(value: Any, **call: Any) -> bytes:
        space = spaces.setdefault(repr(call), {})
        if not space:
            space["CALL"] = {"name": "f", **call}
            exec(compile(source, "call.py", "exec"), space)
        plain = space["_plain"](value, (space["ListNode"], space["TreeNode"]))
        return space["_write_value"](plain).encode("ascii") + b"\n"

    yield write


def accepts(output: bytes, answer: str, tolerance: float | None = None) -> bool:
    comparison = Comparison(mode=Mode.JSON, absolute_tolerance=tolerance, relative_tolerance=tolerance)
    return compare(output, answer.encode(), comparison).score == 1


def equals(one: Any, other: Any) -> bool:
    """Whether the two are equal where an `if` asks. What has no truth value there ends the test with an error.

    Numpy repeats a value of another shape (0.5 == [[0.5]]): no answer that anybody means."""
    try:
        if isinstance(one, (numpy.ndarray, numpy.generic)) and numpy.shape(one) != numpy.shape(other):
            return False
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return bool(one == other)
    except (ValueError, OverflowError, DeprecationWarning):
        return False


def as_livecodebench(returned: Any, answer: Any) -> bool:
    """lcb_runner/evaluation/testing_util.py, grade_call_based."""
    return equals(list(returned) if isinstance(returned, tuple) else returned, answer)


def as_apps(returned: Any, answer: Any) -> bool:
    """eval/testing_util.py, run_test, with an answer in a list of its own."""
    with_keys = answer
    if isinstance(answer, dict):
        with contextlib.suppress(ValueError):
            with_keys = {int(key): value for key, value in answer.items()}
    result = list(returned) if isinstance(returned, tuple) else returned
    right = equals(result, with_keys)
    with contextlib.suppress(TypeError, IndexError, KeyError):
        if isinstance(result[0], tuple):
            right = right or [list(one) for one in result] == with_keys
    return right


@pytest.mark.parametrize("name", RETURNED)
@pytest.mark.parametrize("equality", ["python", "apps"])
def test_each_value_equals_what_its_source_says(written: Any, equality: str, name: str) -> None:
    oracle = as_livecodebench if equality == "python" else as_apps
    output = written(RETURNED[name](), equality=equality, integer_keys=equality == "apps")
    for answer in ANSWERS:
        assert accepts(output, answer) is oracle(RETURNED[name](), json.loads(answer)), (output, answer)


@pytest.mark.parametrize("name", RETURNED)
def test_each_value_equals_a_literal_as_python_says(written: Any, name: str) -> None:
    output = written(RETURNED[name](), python_values=True)
    literals = [*RETURNED, "{1.0, 20}", "{1, 20.0}", "{15, 1e16}", "{15, 10**16}", "{(1.0, 2): 3.0}", "2j", "b''"]
    for literal in literals:
        try:
            held = read_assertions(f"assert f() == {literal}", "f")
        except Exception:  # it is no literal
            continue
        assert accepts(output, held.tests[0].output) is equals(RETURNED[name](), eval(literal)), (output, literal)


def test_sets_and_keys_in_any_writing(written: Any) -> None:
    for one, literal in (
        ({15, 1e16}, "{10000000000000000, 15}"),
        ({15, 10**16}, "{15, 1e16}"),
        ({(10.0, 2), (9, 1)}, "{(10, 2.0), (9, 1)}"),
        ({fractions.Fraction(1, 2): 1, 10: 2}, "{10.0: 2, 0.5: 1}"),
        ({True, 0}, "{0.0, 1}"),
        (collections.UserDict({1: (2,)}), "{1: (2,)}"),
    ):
        held = read_assertions(f"assert f() == {literal}", "f")
        assert accepts(written(one, python_values=True), held.tests[0].output), literal


ALIKE = [
    ("[(1, 2), (3,)]", "[[1, 2], [3]]"),
    ("{'a': (1, 2)}", '{"a": [1, 2]}'),
    ("numpy.array([1, 2])", "[1, 2]"),
    ("[numpy.array([1, 2])]", "[[1, 2]]"),
    ("collections.deque([1, 2])", "[1, 2]"),
    ("range(1, 3)", "[1, 2]"),
    ("array.array('i', [1, 2])", "[1, 2]"),
    ("{1: 2}.values()", "[2]"),
    ("{1: 'a'}", '{"1": "a"}'),
]


@pytest.mark.parametrize(("name", "answer"), ALIKE)
def test_of_our_own_rule_all_sequences_are_lists(written: Any, name: str, answer: str) -> None:
    assert accepts(written(eval(name), equality="values"), answer)
    assert not accepts(written(eval(name), equality="python"), answer)


@pytest.mark.parametrize("value", ["fractions.Fraction(1, 3)", "decimal.Decimal(1) / 3", "numpy.float32(1) / 3"])
def test_numbers_that_are_no_double_are_within_a_tolerance(written: Any, value: str) -> None:
    output = written(eval(value), equality="python")
    assert accepts(output, "0.3333333333333333", 1e-6)
    assert not accepts(output, "0.3334", 1e-6)


def test_a_float_of_numpy_equals_what_it_stands_for(written: Any) -> None:
    assert accepts(written(numpy.float32(0.1), equality="python"), "0.1")


def test_an_answer_that_nothing_equals() -> None:
    with pytest.raises(CheckerError, match="holds NaN, which equals nothing"):
        compare(b"nan\n", b"[NaN]", Comparison(mode=Mode.JSON))


def test_floats_of_columns_are_written_as_json_has_them() -> None:
    assert [write_value(one) for one in (math.inf, -math.inf, math.nan)] == ["Infinity", "-Infinity", "NaN"]


SAYS = [
    (
        "set(a)",
        "a value of type set, which equals no answer. Accepted: None, bool, numbers, str, list, a tuple in place",
    ),
    ("(one for one in a)", "a value of type generator"),
    ("[(1, 2)]", "a tuple within another value, where the answer can have a list"),
    ("[{1: 2}]", "a map with integers as keys, where the answer can have texts"),
    ("{(1, 2): 2}", "keys that are neither texts nor integers"),
    ("type('Ö x', (), {})()", "a value of type solution.Ö x"),
    ("b'a'", "a value of type bytes"),
]


def test_what_equals_no_answer_is_told(tmp_path: Path) -> None:
    rows = inline({"fn_name": "f", "inputs": ["[1, 2]"], "outputs": ["[[1, 2]]"]})
    made = problem(rows, tmp_path, "told")
    with Judge(slots=1) as judge:
        for body, says in SAYS:
            source = f"def f(a):\n    return {body}\n".encode()
            judgement = judge.judge(Submission(source=source, problem=made, language="python3"), Options())
            assert judgement.verdict == "WA", (body, judgement)
            assert says in judgement.tests[0].stderr, (body, judgement.tests[0].stderr)


def test_an_empty_list_of_nodes_within_a_list(tmp_path: Path) -> None:
    rows = inline({"fn_name": "f", "inputs": ["[1, 2]"], "outputs": ["[[1, 2], []]"]})
    made = problem(rows, tmp_path, "nodes")
    source = b"def f(a: Optional[ListNode]) -> List[Optional[ListNode]]:\n    return [a, None]\n"
    with Judge(slots=1) as judge:
        assert judge.judge(Submission(source=source, problem=made, language="python3"), Options()).accepted


@pytest.mark.parametrize(
    ("row", "equality"),
    [
        ({"fn_name": "f", "inputs": ["1"], "outputs": ["2"]}, Equality.PYTHON),
        ({"fn_name": "f", "inputs": [[1]], "outputs": [2]}, Equality.PYTHON),
        ({"fn_name": "f", "inputs": [[1]], "outputs": [[2]]}, Equality.APPS),
        ([{"fn_name": "f", "input": [1], "output": [2], "type": "function_call"}], Equality.APPS),
    ],
)
def test_whose_rule_a_row_has(row: Any, equality: Equality) -> None:
    assert inline(row).equality is equality
