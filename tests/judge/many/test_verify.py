"""What a label asks of a submission, by the rules of the package formats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from judge import Judge, Judgement, Options, Stop, Submission, Verdict
from judge.common.models import CompileResult, TestResult
from judge.many.verify import compare_with_label, verify
from problems import load
from problems.model import SECOND_NS, LabelledSubmission

if TYPE_CHECKING:
    from tests.conftest import MakePackage

Judges = Callable[..., Judge]

#: Writes what the program printed to score_multiplier.txt, unless that is "no".
SHARES = """
import sys
share = sys.stdin.read().split()[0]
if share == "no":
    sys.exit(43)
open(sys.argv[3] + "/score_multiplier.txt", "w").write(share)
sys.exit(42)
"""
TESTS = {f"secret/{n}": (f"{n}\n", "1\n") for n in (1, 2, 3)}


def printing(*words: str) -> str:
    return f"print({words!r}[int(input()) - 1])\n"


def sharing(package: MakePackage, **labels: str) -> Path:
    files = {"output_validator/v.py": SHARES, "data/secret/test_group.yaml": "score_aggregation: sum\n"}
    files |= {f"submissions/{name}/a.py": text for name, text in labels.items()}
    return package(TESTS, metadata="type: scoring\n", files=files)


def complaints(judges: Judges, problem: Path) -> dict[str, str | None]:
    return {one.name.partition("/")[0]: one.complaint for one in verify(judges(), problem)}


def test_a_part_of_the_points_is_no_failure(judges: Judges, package: MakePackage) -> None:
    found = complaints(
        judges,
        sharing(
            package,
            accepted=printing("0.5", "1", "1"),
            wrong_answer=printing("0.5", "no", "1"),
            partially_accepted=printing("1", "1", "0.5"),
            run_time_error=printing("0.5"),
            partially_correct=printing("0.5", "1", "1"),
        ),
    )
    assert set(found.values()) == {None}, found


def test_labels_that_the_points_belie(judges: Judges, package: MakePackage) -> None:
    found = complaints(
        judges,
        sharing(
            package,
            accepted=printing("0.5", "no", "1"),
            wrong_answer=printing("0.5", "1", "1"),
            partially_accepted=printing("1", "1", "1"),
        ),
    )
    assert found == {
        "accepted": "expected AC, got PC on secret/1 ()",
        "wrong_answer": "expected WA, got PC on secret/1 ()",
        "partially_accepted": "expected a part of the points, got all",
    }


def test_a_program_is_called_by_its_path_below_submissions(judges: Judges, package: MakePackage) -> None:
    places = ("accepted/a.py", "accepted/one/a.py", "accepted/two/a.py", "accepted/two/helper.py")
    problem = package({"secret/1": ("", "7\n")}, files={f"submissions/{place}": "print(7)\n" for place in places})
    assert {one.name for one in verify(judges(), problem)} == {
        "accepted/a.py",
        "accepted/one/a.py",
        "accepted/two/a.py",
    }


def test_a_part_of_the_points_stops_nothing(judges: Judges, package: MakePackage) -> None:
    problem = sharing(package)

    def ran(stop: Stop, *words: str) -> list[str]:
        source = Submission(source=printing(*words).encode(), problem=problem, language="python3")
        judgement = judges().judge(source, Options(stop=stop))
        assert judgement.verdict == "PC", "the verdict of the first test that is not AC, however many were run"
        return [str(test.verdict) for test in judgement.tests]

    assert ran(Stop.FIRST_FAILURE, "0.5", "no", "1") == ["PC", "WA", "SK"]
    assert ran(Stop.FIRST_FAILURE, "0.5", "1", "1") == ["PC", "AC", "AC"]
    assert ran(Stop.ACCEPTED_ONLY, "0.5", "1", "1").count("SK") == 2
    assert ran(Stop.NEVER, "0.5", "no", "1") == ["PC", "WA", "AC"]


def one_test(verdict: str, cpu_s: float) -> TestResult:
    return TestResult(name="secret/1", group="secret", verdict=Verdict(verdict), score=None, cpu_ns=int(cpu_s * 1e9))


@pytest.mark.parametrize(
    ("label", "verdict", "cpu_s", "well"),
    [
        ("time_limit_exceeded", "AC", 1.4, True),  # over the limit of the package, within the language's
        ("time_limit_exceeded", "AC", 0.9, False),
        ("time_limit_exceeded", "WA", 1.4, True),
        ("time_limit_exceeded", "OLE", 0.1, True),  # sites let it write until its time is over
        ("wrong_answer", "OLE", 0.1, False),
        ("accepted", "AC", 1.4, True),
        ("wrong_answer", "AC", 1.4, False),
        ("slow_accepted", "AC", 0.1, True),
        ("slow_accepted", "TLE", 2.1, True),
        ("slow_accepted", "WA", 0.1, False),
    ],
)
def test_a_label_speaks_of_the_limit_of_the_package(
    package: MakePackage, label: str, verdict: str, cpu_s: float, well: bool
) -> None:
    files = {f"submissions/{label}/a.py": "\n"}
    problem = load(package({"secret/1": ("1\n", "1\n")}, metadata="limits: {time_limit: 1}\n", files=files))
    assert problem.limits.cpu_ns == SECOND_NS
    judgement = Judgement(
        id=None, problem="p", language="python3", verdict=Verdict(verdict), accepted=verdict == "AC", score=None,
        tests=(one_test(verdict, cpu_s),),
    )  # fmt: skip
    (submission,) = problem.submissions
    assert (compare_with_label(problem, submission, judgement).complaint is None) is well


def test_a_compile_error_shows_the_compilers_words(tmp_path: Path, package: MakePackage) -> None:
    problem = load(package({"secret/1": ("1\n", "1\n")}))
    compile_ = CompileResult(verdict="error", output="a.cpp:1:1: error: 'x' does not name a type\nx;\n")
    judgement = Judgement(
        id=None, problem="p", language="cpp17", verdict=Verdict.CE, accepted=False, score=0.0, compile=compile_
    )
    submission = LabelledSubmission(path=tmp_path / "accepted/a.cpp", expected=frozenset({"AC"}))
    complaint = compare_with_label(problem, submission, judgement).complaint
    assert complaint == "expected AC, got CE: a.cpp:1:1: error: 'x' does not name a type"
