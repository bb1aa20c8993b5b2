"""Functions that the judge calls: how they get arguments, what they may return, and what they cannot change."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from judge import Judge, Judgement, LanguageError, Options, Submission

if TYPE_CHECKING:
    from tests.conftest import MakePackage

Judges = Callable[..., Judge]


def judged(
    judges: Judges,
    package: MakePackage,
    source: str,
    *arguments: Any,
    returns: Any = None,
    answer: str | None = None,
    language: str = "python3",
    function: str = "{name: solve}",
    files: dict[str, str] | None = None,
) -> Judgement:
    given = "".join(f"{json.dumps(one)}\n" for one in arguments)
    answer = json.dumps(returns) if answer is None else answer
    problem = package({"secret/1": (given, answer)}, files={"judge.yaml": f"function: {function}\n", **(files or {})})
    submission = Submission(source=textwrap.dedent(source).encode(), problem=problem, language=language)
    return judges().judge(submission, Options())


ADD = "def solve(a, b):\n    return a + b\n"


@pytest.mark.parametrize("language", ["python3", "pypy3"])
@pytest.mark.parametrize(
    ("source", "arguments", "returns"),
    [
        (ADD, (1, 2), 3),
        (ADD, ("a b", "c\n"), "a bc\n"),
        (ADD, ([1], [[2.5, None]]), [1, [2.5, None]]),
        (ADD, ("求", '和é\t\\ "'), '求和é\t\\ "'),
        ("class Solution:\n    def solve(self, a, b):\n        return a + b\n", (1, 2), 3),
        ("class Solution:\n    @staticmethod\n    def solve(a, b):\n        return a + b\n", (1, 2), 3),
        (
            "class Solution:\n    @lru_cache\n    def solve(self, a):\n        return a and 1 + self.solve(a - 1)\n",
            (9,),
            9,
        ),
        ("solve = lambda a: (a, 1)\n", (2,), [2, 1]),
        ("def solve():\n    return {'b': True, 2: [False]}\n", (), {"2": [0], "b": 1}),
        ("def solve(a):\n    return a == 1\n", (1.0,), True),
        ("def solve(n):\n    return 10 ** n\n", (6000,), 10**4000),
        ("import numpy\ndef solve(a):\n    return numpy.array(a).sum()\n", ([1, 2],), 3),
        ("def solve(n):\n    return n and 1 + solve(n - 1)\n", (20_000,), 20_000),
    ],
)
def test_what_goes_in_and_out(
    judges: Judges, package: MakePackage, language: str, source: str, arguments: tuple[Any, ...], returns: Any
) -> None:
    if "10 **" in source:  # digits that Python's own reader refuses
        judgement = judged(judges, package, source, *arguments, answer="1" + "0" * 6000, language=language)
    elif "numpy" in source and language == "pypy3":
        return
    else:
        judgement = judged(judges, package, source, *arguments, returns=returns, language=language)
    assert judgement.accepted, judgement


@pytest.mark.parametrize(
    ("returned", "answer"),
    [
        ("3.0000000001", "3"),
        ("'3'", "3"),
        ("3", '"3"'),
        ("[3]", "3"),
        ("{3}", "[3]"),
        ("None", "0"),
        ("[]", "null"),
        ("['a', 'b']", '["a b"]'),
        ("object()", '"<object>"'),
        ("'[ 1 , 2 ]'", "[1, 2]"),
        ("float('nan')", "0"),
        ("{'a': 1}", '{"a": 1, "b": 2}'),
    ],
)
def test_other_values_are_wrong(judges: Judges, package: MakePackage, returned: str, answer: str) -> None:
    judgement = judged(judges, package, f"def solve():\n    return {returned}\n", answer=answer)
    assert judgement.verdict == "WA", judgement
    same = judged(judges, package, f"import json\ndef solve():\n    return json.loads({answer!r})\n", answer=answer)
    assert same.accepted


def test_numbers_within_a_tolerance(judges: Judges, package: MakePackage) -> None:
    stated = {"data/secret/test_group.yaml": "output_validator_args: float_tolerance 1e-6\n"}
    source = "def solve():\n    return [0.1 + 0.2, '0.30000001']\n"
    assert judged(judges, package, source, answer='[0.3, "0.30000001"]', files=stated).accepted
    assert judged(judges, package, source, answer='[0.3, "0.3"]', files=stated).verdict == "WA"
    assert judged(judges, package, source, answer='[0.301, "0.30000001"]', files=stated).verdict == "WA"


def test_each_line_of_the_answer_is_right(judges: Judges, package: MakePackage) -> None:
    for returned in ("[1]", "1"):
        assert judged(judges, package, f"def solve():\n    return {returned}\n", answer="[1]\n1\n").accepted
    assert judged(judges, package, "def solve():\n    return 2\n", answer="[1]\n1\n").verdict == "WA"


NODES = """\
class Solution:
    def solve(self, head: Optional[ListNode], root: 'TreeNode', lists: List[Optional[ListNode]]) -> Optional[ListNode]:
        total, pending = 0, [root]
        while pending:
            node = pending.pop()
            if node:
                total += node.val
                pending += [node.left, node.right]
        first = ListNode(total, ListNode(head.next.val))
        first.next.next = lists[1]
        return first
"""


def test_lists_and_trees_of_nodes(judges: Judges, package: MakePackage) -> None:
    judgement = judged(judges, package, NODES, [1, 2], [1, None, 2, 3], [[7], [8, 9]], returns=[6, 2, 8, 9])
    assert judgement.accepted, judgement
    tree = "def solve(root: Optional[TreeNode]) -> Optional[TreeNode]:\n    return root and TreeNode(0, None, root)\n"
    assert judged(judges, package, tree, [1, None, 2], returns=[0, None, 1, None, 2]).accepted
    assert judged(judges, package, tree, [], returns=[]).accepted


def test_integer_keys(judges: Judges, package: MakePackage) -> None:
    source = "def solve(a):\n    return {key + 1: one for key, one in a.items()}\n"
    stated = "{name: solve, integer_keys: true}"
    assert judged(judges, package, source, {"1": 2}, returns={"2": 2}, function=stated).accepted
    assert judged(judges, package, source, {"1": 2}, returns={"2": 2}).verdict == "RE"


NAMES = """\
def solve(a: List[int]) -> Dict[str, int]:
    heappush(a, 4)
    dataclass = datetime.date
    count = Counter(a)
    return [heapq.heappop(a), len(count), floor(inf > 1), reduce(add, a), bisect_left(a, 3), callable(dataclass)]
"""


def test_names_that_are_not_imported(judges: Judges, package: MakePackage) -> None:
    assert judged(judges, package, NAMES, [3, 4], returns=[3, 2, 1, 8, 0, True]).accepted
    shadowed = "def floor(x):\n    return 'mine'\ndef solve(count):\n    return [floor(1), count]\n"
    assert judged(judges, package, shadowed, 5, returns=["mine", 5]).accepted


def test_what_it_prints_is_no_value(judges: Judges, package: MakePackage) -> None:
    source = "import sys\nprint('at first')\ndef solve():\n    print(2)\n    sys.stdout.flush()\n    return 1\n"
    judgement = judged(judges, package, source, returns=1)
    assert judgement.accepted
    assert (judgement.tests[0].stdout, judgement.tests[0].stderr) == ("1\n", "at first\n2\n")


@pytest.mark.parametrize(
    ("source", "verdict", "says"),
    [
        ("def other():\n    pass\n", "RE", "defines neither a function solve"),
        ("def solve(a):\n    return a\n", "RE", "TypeError"),
        ("def solve():\n    return 1 // 0\n", "RE", "ZeroDivisionError"),
        ("def solve():\n    raise SystemExit(0)\n", "WA", ""),
        ("def solve(:\n", "CE", ""),
        ("import os\nos.write(3, b'1\\n')\nos._exit(0)\n", "WA", ""),
        ("def solve():\n    while True: pass\n", "TLE", ""),
        ("def solve():\n    a = []\n    a.append(a)\n    return a\n", "RE", "in _plain"),
        ("def solve():\n    a = ListNode()\n    a.next = a\n    return a\n", "RE", "cycle"),
    ],
)
def test_what_ends_otherwise(judges: Judges, package: MakePackage, source: str, verdict: str, says: str) -> None:
    judgement = judged(judges, package, source, returns=2)
    assert judgement.verdict == verdict, judgement
    assert says in "".join(test.stderr for test in judgement.tests)


def test_the_answer_is_nowhere_in_the_process(judges: Judges, package: MakePackage) -> None:
    """The harness holds the arguments alone: no object, no frame and no file has the value that is right."""
    source = """
        import gc, os, sys
        def solve(a):
            frame, seen = sys._getframe(), []
            while frame:
                seen.append(repr(frame.f_locals) + repr(frame.f_globals))
                frame = frame.f_back
            seen += [repr(one) for one in gc.get_objects() if isinstance(one, (str, bytes, int, list, dict))]
            for place, _, names in os.walk('/proc/self/cwd/..'):
                seen += [open(os.path.join(place, name), errors='replace').read(9999) for name in names[:99]
                         if os.path.isfile(os.path.join(place, name)) and os.access(os.path.join(place, name), os.R_OK)]
            return 123456789 if any('98765' + '4321' in one for one in seen) else a
    """
    assert judged(judges, package, source, 5, returns=987654321).tests[0].stdout == "5\n"
    assert judged(judges, package, source, 987654321, returns=1).tests[0].stdout == "123456789\n"  # it does look


def test_a_language_that_cannot_be_called(judges: Judges, package: MakePackage) -> None:
    with pytest.raises(
        LanguageError, match="calls the function solve, which a program in c17 cannot offer; submit one in"
    ):
        judged(judges, package, "int solve(void) { return 1; }\n", returns=1, language="c17")


@pytest.mark.parametrize("answer", ["", "\n", "nothing", "[" * 100_000])
def test_an_answer_that_is_no_json(judges: Judges, package: MakePackage, answer: str) -> None:
    judgement = judged(judges, package, "def solve():\n    return 1\n", answer=answer)
    assert (judgement.verdict, judgement.score) == ("IE", None)
    assert "comparison json" in str(judgement.error)
