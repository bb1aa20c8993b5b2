"""Time limits of packages that state none follow from their accepted submissions, measured once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import problems
from judge import Judge, Options, Submission, languages
from judge.judging import time_limits
from problems.errors import ProblemError
from problems.model import MIB, SECOND_NS
from problems.reading.time_rule import TimeRule
from problems.writing.write import write
from tests.conftest import MakePackage
from tests.judge.put import put_language
from tests.packages import LEGACY, MINIMAL, write_files

Judges = Callable[..., Judge]

UNSTATED = "limits: {memory: 256, output: 64}\n"
ADD = "print(sum(map(int, input().split())))\n"
#: Takes more than half a second of CPU time, and so a limit of more than one second by 2025-09's rule.
SLOW = "import time\nwhile time.process_time() < 0.7:\n    pass\n" + ADD
VERY_SLOW = SLOW.replace("0.7", "1.2")
CASES = {"secret/1": ("1 2\n", "3\n"), "secret/2": ("3 4\n", "7\n")}


def slow_package(package: MakePackage, *, metadata: str = UNSTATED, accepted: str = SLOW, name: str = "slow") -> Path:
    return package(CASES, metadata=metadata, files={"submissions/accepted/slow.py": accepted}, name=name)


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if "states no time limit" in record.getMessage()]


def test_the_slowest_accepted_submission_decides(
    judges: Judges, package: MakePackage, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """0.7 s, times 2, in whole seconds: 2 s, where 1 s were too few."""
    problem = slow_package(package)
    judge = judges(cache_directory=tmp_path / "cache")
    options = Options(language_multiplier=False)
    assert judge.judge(Submission(source=VERY_SLOW.encode(), problem=problem, language="python3"), options).accepted
    assert any(
        "2 s, for accepted/slow.py takes 0." in line and "--time-limit overrides" in line for line in said(caplog)
    )
    slower = Submission(source=SLOW.replace("0.7", "2.6").encode(), problem=problem, language="python3")
    assert judge.judge(slower, options).verdict == "TLE"
    given = Options(language_multiplier=False, cpu_ns=SECOND_NS)
    late = judge.judge(Submission(source=VERY_SLOW.encode(), problem=problem, language="python3"), given)
    assert late.verdict == "TLE"


def test_it_is_measured_once_for_all(
    judges: Judges, package: MakePackage, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """By several threads at once, by a second Judge, and again only when the package has changed."""
    problem = slow_package(package)
    measured: list[str] = []
    measure = time_limits.measure
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time_limits, "measure", lambda one, *rest: measured.append(one.name) or measure(one, *rest))
        first = judges(cache_directory=tmp_path / "cache", slots=3)
        rows = [Submission(source=f"{ADD}# {n}\n".encode(), problem=problem, language="python3") for n in range(6)]
        assert all(judgement.accepted for judgement in first.judge_many(rows))
        assert measured == ["slow"]
        second = judges(cache_directory=tmp_path / "cache")
        assert second.judge(rows[0]).accepted
        assert measured == ["slow"]
        write_files(problem, {"submissions/accepted/other.py": ADD})
        third = judges(cache_directory=tmp_path / "cache")
        assert third.judge(rows[0]).accepted
        assert measured == ["slow", "slow"]
    assert sum("overrides" in line for line in said(caplog)) == 3  # once for each Judge


def test_a_limit_that_is_stated_is_not_measured(judges: Judges, package: MakePackage, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time_limits, "measure", lambda *_: pytest.fail("measured"))
        judge = judges(cache_directory=tmp_path / "cache")
        stated = slow_package(package, metadata="limits: {time_limit: 3}\n", name="stated")
        beside = slow_package(package, metadata=UNSTATED, name="beside")
        write_files(beside, {".timelimit": "3\n"})
        for problem in (stated, beside):
            assert judge.judge(Submission(source=ADD.encode(), problem=problem, language="python3")).accepted
        unstated = slow_package(package, name="given")
        row = Submission(source=ADD.encode(), problem=unstated, language="python3")
        assert judge.judge(row, Options(cpu_ns=SECOND_NS)).accepted


def test_without_a_submission_that_bounds_it_the_least_holds(
    judges: Judges, package: MakePackage, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    problem = package(CASES, metadata=UNSTATED, files={"submissions/time_limit_exceeded/slow.py": SLOW})
    judge = judges(cache_directory=tmp_path / "cache")
    assert judge.judge(Submission(source=ADD.encode(), problem=problem, language="python3")).accepted
    assert "1 s, the least of its format" in said(caplog)[-1]


def test_an_accepted_submission_that_a_newer_compiler_refuses_is_told(
    judges: Judges, package: MakePackage, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """`std::function` without <functional> in a real package: every row was an error of the problem."""
    files = {"submissions/accepted/a.cpp": "int main() { function<void()> f; }\n", "submissions/accepted/b.py": SLOW}
    judge = judges(cache_directory=tmp_path / "cache")
    row = Submission(source=ADD.encode(), problem=package(CASES, metadata=UNSTATED, files=files), language="python3")
    assert judge.judge(row).accepted
    assert "for accepted/b.py takes" in said(caplog)[-1]
    assert "; not measured: a.cpp: C++17 (g++) here does not compile it" in said(caplog)[-1]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"submissions/accepted/a.py": "def\n"},
            r"none of the submissions that decide it can be run here \(a.py: .* does not compile it: .*--time-limit",
        ),
        ({"submissions/accepted/a.py": "while 1: pass\n"}, r"takes more than 1 s on secret/1; give --time-limit"),
        ({"submissions/accepted/a.cs": "class P {}\n"}, r"none of the submissions that decide it can be run here"),
    ],
    ids=["does not compile", "does not end", "no such language here"],
)
def test_what_cannot_be_measured_is_refused(
    judges: Judges, package: MakePackage, tmp_path: Path, files: dict[str, str], message: str
) -> None:
    problem = package(CASES, metadata=UNSTATED, files=files)
    judge = judges(cache_directory=tmp_path / "cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time_limits, "MOST_NS", SECOND_NS)
        patch.setitem(time_limits._MEASURING, "cpu_ns", SECOND_NS)
        mono = replace(languages.get("csharp"), toolchain=replace(languages.get("csharp").toolchain, commands=("nix",)))
        put_language(patch, mono)
        with pytest.raises(ProblemError, match=message):
            judge.judge(Submission(source=ADD.encode(), problem=problem, language="python3"))
        row = Submission(source=ADD.encode(), problem=problem, language="python3")
        assert judge.judge(row, Options(cpu_ns=SECOND_NS)).accepted


def test_the_rule_rounds_up_to_its_resolution() -> None:
    assert TimeRule().limit_ns(0) == SECOND_NS
    assert TimeRule().limit_ns(SECOND_NS // 2) == SECOND_NS
    assert TimeRule().limit_ns(SECOND_NS // 2 + 1) == 2 * SECOND_NS
    fine = TimeRule(ac_to_time_limit=5, resolution_ns=SECOND_NS // 10)
    assert fine.limit_ns(SECOND_NS // 2) == 25 * SECOND_NS // 10


def test_what_is_not_stated_is_never_written_as_stated(tmp_path: Path) -> None:
    for number, files in enumerate((MINIMAL, LEGACY)):
        problem = problems.load(write_files(tmp_path / f"p{number}", files))
        again = problems.load(write(problem, tmp_path / f"q{number}"))
        assert again.unstated == problem.unstated == ("cpu_ns", "memory_bytes", "output_bytes", "code_bytes")
        assert again.limits == problem.limits
    stated = "limits: {time_limit: 2, output: 3, compilation_time: 7, compilation_memory: 99}\n"
    text = MINIMAL["problem.yaml"] + stated
    problem = problems.load(write_files(tmp_path / "r", {**MINIMAL, "problem.yaml": text}))
    again = problems.load(write(problem, tmp_path / "s"))
    assert again.unstated == ("memory_bytes", "code_bytes")
    assert (again.compile_cpu_ns, again.compile_memory_bytes) == (7 * SECOND_NS, 99 * MIB)
    text = (tmp_path / "s" / "problem.yaml").read_text()
    assert "\n  memory" not in text
    assert "output: 3" in text
