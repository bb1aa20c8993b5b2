"""The doors of the judge: JSON, verification of packages, the pytest plugin."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import problems
from containers import Isolation
from judge import Judge, Judgement, Options, ProblemError, Submission, languages
from judge.common.models import CompileResult, DroppedTest, IsolationReport, TestResult
from judge.many.verify import verify

if TYPE_CHECKING:
    from tests.conftest import MakePackage

Judges = Callable[..., Judge]

ROOT = Path(__file__).resolve().parents[2]
CASES = {"sample/1": ("1 2\n", "3\n"), "secret/1": ("2 2\n", "4\n")}
RIGHT = "print(sum(map(int, input().split())))\n"
FIELDS = {
    "": "schema id problem language verdict accepted score complete compile tests isolation cpu_ns wall_ns "
    "memory_bytes freopen_neutralised error",
    "compile": "verdict output cpu_ns wall_ns cached",
    "isolation": "backend tier layers missing",
    "tests": "name group verdict score cpu_ns wall_ns memory_bytes memory_source cgroup_peak_bytes exit_code "
    "signal detail stdout stderr conversation suspicious confirmed",
}


def submission(problem: Path, source: str = RIGHT) -> Submission:
    return Submission(source=source.encode(), problem=problem, language="python3")


def test_json_has_all_stable_fields_and_reads_back(judges: Judges, package: MakePackage) -> None:
    judgement = judges().judge(submission(package(CASES)))
    text = judgement.to_json()
    found = json.loads(text)
    assert "\n" not in text
    assert found["schema"] == 1
    for place, names in FIELDS.items():
        part = found[place] if place else found
        assert set(names.split()) <= set(part[0] if place == "tests" else part), place
    assert found == judgement.as_dict()


@pytest.mark.parametrize("page", ["cli.md", "cli.zh-CN.md"])
def test_every_field_is_explained(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    parts = (Judgement, CompileResult, TestResult, IsolationReport, DroppedTest)
    names = {field.name for part in parts for field in fields(part)}
    assert not {name for name in names if f"`{name}`" not in text}


def test_a_source_that_is_text_is_refused_with_the_remedy() -> None:
    with pytest.raises(TypeError, match=r"source is of type str: give bytes, by .encode\(\)"):
        Submission(source="print(1)", problem="P1001")  # type: ignore[arg-type]


WRONG_TYPES: list[tuple[Any, dict[str, Any], str]] = [
    (Submission, {"problem": None}, "problem is of type NoneType"),
    (Submission, {"language": 5}, "language is of type int"),
    (Submission, {"files": {"a": b""}}, "files is of type dict: give a tuple of pairs"),
    (Submission, {"files": (("a", "b"),)}, "'a' in files is of type str"),
    (Options, {"stop": "first-failure"}, "stop is of type str: give a judge.Stop"),
    (Options, {"cpu_ns": "1s"}, "cpu_ns is of type str: give a whole number"),
    (Judge, {"slots": "2"}, "slots is of type str: give a whole number"),
    (Judge, {"slots": True}, "slots is of type bool"),
    (Judge, {"memory_bytes": 1e9}, "memory_bytes is of type float"),
    (Judge, {"cache_directory": "cache"}, "cache_directory is of type str: give a pathlib.Path"),
    (Judge, {"backend": None}, "backend is of type NoneType"),
]


@pytest.mark.parametrize(("what", "given", "said"), WRONG_TYPES, ids=[row[2] for row in WRONG_TYPES])
def test_what_is_of_a_wrong_type_is_told_with_the_remedy(what: Any, given: dict[str, Any], said: str) -> None:
    base = {"source": b"", "problem": "P1001"} if what is Submission else {}
    with pytest.raises(TypeError, match=said):
        what(**base | given)


def test_the_same_judgement_again_but_for_its_measures(judges: Judges, package: MakePackage) -> None:
    judge, problem = judges(), package(CASES)
    first, second = (judge.judge(submission(problem)) for _ in range(2))
    assert second.compile is not None
    assert second.compile.cached
    assert _unmeasured(first) == _unmeasured(second)


def _unmeasured(judgement: Judgement) -> Judgement:
    return replace(judgement, tests=(), compile=None, cpu_ns=0, wall_ns=0, memory_bytes=None)


@pytest.fixture
def labelled(package: MakePackage) -> Path:
    files = {
        "submissions/accepted/right.py": RIGHT,
        "submissions/wrong_answer/half.py": "print(3)\n",
        "submissions/run_time_error/zero.py": "print(1 // 0)\n",
        "submissions/wrong_answer/mislabelled.py": RIGHT,
    }
    return package(CASES, files=files, name="labelled")


def test_verify(judges: Judges, labelled: Path) -> None:
    complaints = {result.name: result.complaint for result in verify(judges(slots=2), labelled)}
    assert complaints == {
        "accepted/right.py": None,
        "wrong_answer/half.py": None,
        "run_time_error/zero.py": None,
        "wrong_answer/mislabelled.py": "expected WA, got AC",
    }


def test_verify_says_where_it_went_wrong(judges: Judges, package: MakePackage) -> None:
    problem = package(CASES, files={"submissions/accepted/half.py": "print(3)\n"})
    [result] = verify(judges(), problem)
    assert result.complaint is not None
    assert result.complaint.startswith("expected AC, got WA on secret/1 (")


def test_what_is_not_installed_is_not_judged(
    judges: Judges, package: MakePackage, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = languages.Tool(commands=("no-such-compiler",), version="(.*)", package="none")
    known = languages.get
    monkeypatch.setattr(
        languages, "get", lambda name: replace(known(name), toolchain=absent) if name == "pypy3" else known(name)
    )
    rules = "accepted/a.py:\n  language: pypy3\n"
    files = {
        "submissions/accepted/a.py": RIGHT,
        "submissions/accepted/b.py": RIGHT,
        "submissions/submissions.yaml": rules,
    }
    problem = package(CASES, files=files)
    results = {result.name: result for result in verify(judges(), problem)}
    assert results["accepted/a.py"].judgement is None
    assert "apt-get install none" in (results["accepted/a.py"].missing or "")
    assert results["accepted/a.py"].complaint is results["accepted/b.py"].complaint is None
    assert results["accepted/b.py"].judgement is not None


def test_what_is_in_no_known_language_is_not_judged(judges: Judges, package: MakePackage) -> None:
    files = {"submissions/accepted/a.a68": "print(1)", "submissions/accepted/b.py3": RIGHT}
    odd, right = verify(judges(), package(CASES, files=files))
    assert (odd.name, odd.judgement, odd.complaint) == ("accepted/a.a68", None, None)
    assert "cannot tell the language of 'a.a68'" in (odd.missing or "")
    assert right.judgement is not None and right.judgement.accepted


def test_what_the_walls_refuse_is_not_judged(
    judges: Judges, package: MakePackage, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = languages.get
    monkeypatch.setattr(languages, "get", lambda name: replace(known(name), threads=True))
    judge = judges()
    vars(judge._executor.here)["isolation"] = Isolation(backend="native", tier="restricted-root", layers=("vetted",))
    (result,) = verify(judge, package(CASES, files={"submissions/accepted/a.py": RIGHT}))
    assert (result.judgement, result.complaint) == (None, None)
    assert "it opens files from several threads" in (result.missing or "")


def test_nothing_to_verify(judges: Judges, package: MakePackage) -> None:
    with pytest.raises(ProblemError, match="no labelled submission"):
        list(verify(judges(), package(CASES)))


def collected(directory: Path, backend: str, cache: Path, *options: str) -> tuple[int, str]:
    """Run pytest with the plugin, as after an installation."""
    plugins = ("-p", "judge.many.pytest_plugin", "-p", "xdist", "-p", "no:cacheprovider")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-rA", *plugins, "--judge-backend", backend, *options, str(directory)],
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "JUDGE_CACHE_DIR": str(cache),
        },
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
    )
    return run.returncode, run.stdout + run.stderr


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_plugin(labelled: Path, backend: str, shared_cache: Path, workers: tuple[str, ...]) -> None:
    code, output = collected(labelled, backend, shared_cache, "--judge-problems", *workers)
    assert code == 1, output
    outcomes = {name: word for word, name in re.findall(r"^(PASSED|FAILED) (\S+::\S+)", output, re.MULTILINE)}
    assert outcomes == {
        "problem.yaml::package": "PASSED",
        "problem.yaml::data": "PASSED",
        "problem.yaml::accepted/right.py": "PASSED",
        "problem.yaml::run_time_error/zero.py": "PASSED",
        "problem.yaml::wrong_answer/half.py": "PASSED",
        "problem.yaml::wrong_answer/mislabelled.py": "FAILED",
    }, output
    assert "expected WA, got AC" in output
    assert "Traceback" not in output


def test_plugin_is_off_unless_asked_for(labelled: Path, backend: str, shared_cache: Path) -> None:
    code, output = collected(labelled, backend, shared_cache)
    assert (code, "no tests ran" in output) == (5, True), output


def test_plugin_by_ini(labelled: Path, backend: str, shared_cache: Path) -> None:
    code, output = collected(labelled, backend, shared_cache, "-o", "judge_problems=true", "-k", "right")
    assert code == 0, output
    assert "1 passed" in output


def test_plugin_takes_limits(labelled: Path, backend: str, shared_cache: Path) -> None:
    chosen = ("--judge-problems", "-k", "right")
    code, output = collected(labelled, backend, shared_cache, *chosen, "--judge-memory-budget", "3GiB")
    assert code == 0, output
    code, output = collected(labelled, backend, shared_cache, *chosen, "--judge-compile-memory", "900GiB")
    assert "compiling python3 with a memory limit of 921600 MiB may need" in output
    code, output = collected(labelled, backend, shared_cache, *chosen, "--judge-compile-time", "soon")
    assert "--judge-compile-time: 'soon' is not a positive time" in output


def test_plugin_reports_a_broken_package(labelled: Path, backend: str, shared_cache: Path) -> None:
    (labelled / "data/secret/1.ans").unlink()
    code, output = collected(labelled, backend, shared_cache, "--judge-problems")
    assert code != 0
    assert "has no answer file" in output


def test_plugin_shows_a_checkers_message_harmlessly(package: MakePackage, backend: str, shared_cache: Path) -> None:
    """It may quote the program, which could drive the terminal."""
    check = "import sys\nopen(sys.argv[3] + 'judgemessage.txt', 'w').write(sys.stdin.read())\nsys.exit(43)\n"
    escape = r"print('\x1b]0;owned\x07')" + "\n"
    files = {"output_validator/check.py": check, "submissions/accepted/escape.py": escape}
    code, output = collected(package(CASES, files=files), backend, shared_cache, "--judge-problems")
    assert code == 1
    assert r"\x1b]0;owned\x07" in output
    assert not set("\x1b\x07") & set(output)


def test_a_problem_itself(judges: Judges, package: MakePackage) -> None:
    """As one that is read from its package, and told apart from another of the same name."""
    problem = problems.load(package(CASES))
    wrong = replace(problem, cases=tuple(replace(case, answer=case.input) for case in problem.cases))
    judge = judges()
    given = [Submission(source=RIGHT.encode(), problem=each, language="python3") for each in (problem, wrong, problem)]
    assert [judge.judge(each).verdict for each in given] == ["AC", "WA", "AC"]
    assert {judgement.problem for judgement in judge.judge_many(given)} == {problem.name}
