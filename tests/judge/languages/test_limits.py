"""Memory and stack of each language: limits/* read a line "memory MIB", "depth CALLS" or "fail 1", and do that.

A program that uses 60 % of the limit is accepted, also where its runtime has a heap of its own; one that uses 150 % is
MLE, never RE; 100 000 calls deep is no error; and an error that nothing catches is RE.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from judge import Judge, Options, Stop, Submission, languages
from tests.conftest import MakePackage
from tests.judge.languages.test_languages import INSTALLED

PROGRAMS = {path.name.partition(".")[0]: path for path in sorted((Path(__file__).parent / "limits").iterdir())}
LIMIT_MIB = 256
#: Percent of the limit that a program's data may take. Racket's collector copies, and it uses 65 MiB itself.
SHARE = {"racket": 25}
#: LuaJIT has 65 500 slots of stack, Octave 256 calls, R stops at some 10 000 calls, by C stack. Bash takes minutes.
SHALLOW = frozenset({"bash", "luajit", "octave", "r"})


@pytest.fixture
def name(request: pytest.FixtureRequest) -> Iterator[str]:
    language: str = request.param
    if (problem := languages.get(language).status().problem) is not None:
        wanted = "languages" if language in INSTALLED else "every-language"
        if wanted in os.environ.get("JUDGE_REQUIRE", "").split(","):
            pytest.fail(problem)
        pytest.skip(problem)
    yield language


@pytest.mark.parametrize("name", PROGRAMS, indirect=True)
def test_memory_stack_and_errors(name: str, judges: Callable[..., Judge], package: MakePackage) -> None:
    share, over = LIMIT_MIB * SHARE.get(name, 60) // 100, LIMIT_MIB * 150 // 100
    tests = {"secret/1": f"memory {share}", "secret/2": f"memory {over}", "secret/3": "fail 1"}
    wanted = ["AC", "MLE", "RE"]
    if name not in SHALLOW:
        tests["secret/4"] = "depth 100000"
        wanted.append("AC")
    cases = {key: (f"{text}\n", text.replace(text.split()[0], "done") + "\n") for key, text in tests.items()}
    problem = package(cases, metadata=f"limits:\n  time_limit: 20\n  memory: {LIMIT_MIB}\n")
    submission = Submission(source=PROGRAMS[name].read_bytes(), problem=problem, language=name)
    judgement = judges().judge(submission, Options(stop=Stop.NEVER, confirm_tle=False))
    assert [test.verdict for test in judgement.tests] == wanted, judgement.to_json()
    failed = judgement.tests[2]
    assert (failed.exit_code or 0) != 0 or failed.signal == "SIGABRT", failed
