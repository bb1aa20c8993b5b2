"""scripts/compare_peers.py: what it compares, and which differences are known."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

import problems
from judge import Judgement, Verdict
from judge.common.models import TestResult

SCRIPT = Path(__file__).parents[1] / "scripts/compare_peers.py"
SECOND = 1_000_000_000


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("compare_peers", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["compare_peers"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_lines_of_the_peers(script: ModuleType) -> None:
    bt = [
        "accepted/std.cpp:               AC 0.004s @ secret/05-one-each   ",
        "run_time_error/other_way.py:   RTE 0.049s @ secret/02-none       ",
        "Build submissions: accepted/std.go  No language detected for p1001/submissions/accepted/std.go.",
    ]
    assert script._found(bt, script._BAPC) == {"accepted/std.cpp": "AC", "run_time_error/other_way.py": "RTE"}
    kattis = [
        "   accepted/std.c (C) OK: AC [CPU: 0.00s @ testcase secret/07-beyond-float]",
        "ERROR accepted/std.js (JavaScript) got RTE [SIGTRAP, CPU: 0.06s @ testcase sample/1]:",
        "   run_time_error/one_per_line.py (Python 3 (w/PyPy3)) OK: RTE [Exit 1, CPU: 0.06s @ testcase sample/1]",
        'ERROR Compile error for accepted/std.go (Go) (Go: could not find compiler "gccgo")',
    ]
    assert script._found(kattis, script._KATTIS) == {
        "accepted/std.c": "AC",
        "accepted/std.js": "RTE",
        "run_time_error/one_per_line.py": "RTE",
    }


@pytest.mark.parametrize(
    ("name", "unknown"),
    [
        ("P1001", None),
        ("guess", None),
        ("sorted-mail", None),
        ("evaluate", "functions that the judge calls"),
        ("shuffled-letters", "submissions in several processes"),
        ("rising-fence", "input and output files"),
        ("max-stack", "files that are compiled with submissions"),
        ("guarded-queens", "submissions that are outputs"),
        ("range-sums", "scores"),
    ],
)
def test_what_the_peers_cannot_know(script: ModuleType, name: str, unknown: str | None) -> None:
    problem = problems.load(name)
    assert script.unknown_to_bt(problem) == (unknown and f"it does not know {unknown}")
    assert (script.unknown_to_problemtools(problem) is not None) == (name == "sorted-mail")


@pytest.mark.parametrize(
    ("language", "ours", "theirs", "cpu_ns", "freopen", "known"),
    [
        ("cpp17", "AC", "WA", 0, 0, None),
        ("cpp17", "AC", "WA", 0, 2, "the files that it opens"),
        ("cpp17", "WA", "AC", 0, 2, None),
        ("cpp17", "AC", "TLE", SECOND, 0, None),
        ("cpp17", "OLE", "TLE", 0, 0, "output has no limit"),
        ("javascript", "AC", "RTE", 0, 0, "Node"),
        ("javascript", "AC", "WA", 0, 0, None),
        ("java", "AC", "RTE", 0, 0, None),
        ("python3", "RE", "AC", 0, 0, "PyPy"),
        ("python3", "AC", "WA", 0, 0, None),
        ("python3", "AC", "TLE", SECOND, 0, "its language has more time"),
        ("python3", "AC", "TLE", SECOND // 4, 0, None),
        ("python3", "TLE", "AC", 2 * SECOND, 0, None),
    ],
)
def test_known_differences(
    script: ModuleType, language: str, ours: str, theirs: str, cpu_ns: int, freopen: int, known: str | None
) -> None:
    judgement = Judgement(
        problem="P1001",
        language=language,
        verdict=Verdict(ours),
        accepted=ours == "AC",
        score=None,
        tests=(TestResult(name="secret/1", group="secret", verdict=Verdict(ours), score=None, cpu_ns=cpu_ns),),
        freopen_neutralised=freopen,
    )
    row = script._row(judgement, "P1001", script.PEERS[1], "accepted/a", theirs, SECOND)
    assert not row.same
    assert (row.known or "").startswith(known or "") and (row.known is None) == (known is None)


@pytest.mark.parametrize(
    ("ours", "theirs"), [("MLE", "RTE"), ("OLE", "RTE"), ("PE", "WA"), ("PC", "WA"), ("RE", "RTE")]
)
def test_verdicts_that_the_peers_do_not_have(script: ModuleType, ours: str, theirs: str) -> None:
    judgement = Judgement(problem="P1001", language="c", verdict=Verdict(ours), accepted=False, score=None)
    assert script._row(judgement, "P1001", script.PEERS[0], "accepted/a", theirs, SECOND).same
