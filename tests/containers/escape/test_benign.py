"""Every program of benign/, on every backend and tier: accepted. What an honest solution may do is as much a promise as
what a hostile one may not. Their head:

    Shows: one sentence
    Problem: column         of `_GENERATED`; without it `sum`
    Language: pypy3         else by the suffix
    Except: vetted, <why>   not where the name of the variant ends so
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from judge import Judge, LanguageError, Options, Submission, languages
from judge.selftest.head import comments
from tests.containers.escape import record
from tests.containers.escape.judged import HERE, PROBLEMS
from tests.containers.variants import VETTED
from tests.packages import write_package

_ALL = sorted(path for path in (HERE / "benign").iterdir() if path.is_file())
#: What they are given: enough for 50 MB on a busy machine.
_OPTIONS = Options(cpu_ns=20_000_000_000)
#: What JUDGE_REQUIRE holds where a toolchain that is not installed is a failure.
_REQUIRED = "languages"


def _column(count: int) -> tuple[str, str]:
    """Numbers of ten digits, one a line, and their sum."""
    numbers = range(1_000_000_000, 1_000_000_000 + count)
    return "".join(f"{number}\n" for number in numbers), f"{sum(numbers)}\n"


def _flood(count: int) -> tuple[str, str]:
    return f"{count}\n", "".join(f"{3 * number}\n" for number in range(count))


#: Made when they are first needed: 50 MB, 100 000 lines of input; 20 MB of output.
_GENERATED = {"column": (_column, 4_600_000), "rows": (_column, 100_000), "flood": (_flood, 2_500_000)}


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("packages")


def _package(name: str, directory: Path) -> Path:
    if name not in _GENERATED:
        return PROBLEMS / name
    root = directory / name
    if not root.exists():
        make, count = _GENERATED[name]
        write_package(root, {"secret/1": make(count)})
    return root


def _language(path: Path, named: str | None) -> str:
    """Skips where its toolchain is missing."""
    try:
        language = languages.get(named) if named else languages.for_path(path)
        language.find()
    except LanguageError as error:
        _lacks(str(error))
    if "numpy" in path.name:
        done = subprocess.run((language.find(), "-c", "import numpy"), check=False, capture_output=True)
        if done.returncode:
            _lacks("no numpy for it here: apt-get install python3-numpy")
    return language.name


def _lacks(why: str) -> None:
    if _REQUIRED in os.environ.get("JUDGE_REQUIRE", "").split(","):
        pytest.fail(why)
    pytest.skip(why)


@pytest.mark.parametrize("path", _ALL, ids=[path.name for path in _ALL])
def test_benign(path: Path, tier: str, judge: Judge, generated: Path) -> None:
    head = {key: value for _, key, value in comments(path)}
    assert {"Shows"} <= head.keys() <= {"Shows", "Problem", "Language", "Except"}, sorted(head)
    variant, _, why = head.get("Except", "").partition(", ")
    if variant and tier.endswith(variant):
        pytest.skip(why)
    language = _language(path, head.get("Language"))
    problem = _package(head.get("Problem", "sum"), generated)
    submission = Submission(source=path.read_bytes(), problem=problem, language=language)
    if tier.endswith(VETTED) and languages.get(language).threads:
        with pytest.raises(LanguageError, match="opens files from several threads"):
            judge.judge(submission, _OPTIONS)
        return
    judgement = judge.judge(submission, _OPTIONS)
    isolation = judgement.isolation
    record.write(
        benign=path.name,
        shows=head["Shows"],
        variant=f"{isolation.backend if isolation else 'none'}/{tier}",
        verdict=judgement.verdict,
    )
    assert judgement.verdict == "AC", judgement.to_json()
    assert not any(test.suspicious for test in judgement.tests), judgement.to_json()
