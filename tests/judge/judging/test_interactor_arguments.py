"""Arguments that groups and tests give the interactor."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from judge import Judge, Submission
from problems import load
from problems.writing.write import write

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import MakePackage

Judges = Callable[..., Judge]

#: Says its arguments, and wants to hear them; of several passes, in each.
SAYS_ARGUMENTS = r"""
import os, sys
print("|".join(sys.argv[4:]), flush=True)
open(sys.argv[3] + "judgemessage.txt", "w").write("|".join(sys.argv[4:]))
if sys.stdin.readline().strip().split("|") != (sys.argv[4:] or [""]):
    sys.exit(43)
if sys.stdin.readline() == "again\n" and not os.path.exists(sys.argv[3] + "seen"):
    open(sys.argv[3] + "seen", "w").close()
    open(sys.argv[3] + "nextpass.in", "w").close()
sys.exit(42)
"""


@pytest.mark.parametrize("version", ["2025-09", "legacy", "multi-pass"])
def test_groups_and_tests_give_the_interactor_arguments_of_their_own(
    judges: Judges, package: MakePackage, tmp_path: Path, version: str
) -> None:
    cases = dict.fromkeys(("sample/1", "secret/a/1", "secret/a/2", "secret/b/1"), ("", ""))
    files = {"output_validator/talk.py": SAYS_ARGUMENTS}
    if version == "legacy":
        files = {"output_validators/talk.py": SAYS_ARGUMENTS, "problem.yaml": "validation: custom interactive\n"}
        files |= {f"data/{at}testdata.yaml": f"output_validator_flags: {at} x\n" for at in ("", "secret/b/")}
        said = {"sample/1": "x", "secret/a/1": "x", "secret/a/2": "x", "secret/b/1": "secret/b/|x"}
    else:
        files["data/secret/a/test_group.yaml"] = "output_validator_args: [a, of all]\n"
        files["data/secret/a/2.yaml"] = "output_validator_args: [a2]\n"
        said = {"sample/1": "", "secret/a/1": "a|of all", "secret/a/2": "a2", "secret/b/1": ""}
    several = version == "multi-pass"
    metadata = "type: [interactive, multi-pass]\n" if several else "type: interactive\n"
    problem = load(package(cases, metadata=metadata, files=files))
    text = f"print(input())\nprint({'again' if several else ''!r})\n".encode()
    for one in (problem,) if version == "legacy" else (problem, load(write(problem, tmp_path / "again"))):
        judgement = judges().judge(Submission(source=text, problem=one, language="python3"))
        assert judgement.verdict == "AC", judgement.tests
        assert {test.name: test.detail.removeprefix("pass 2: ") for test in judgement.tests} == said
    assert len({case.interactor_arguments for case in problem.cases}) > 1
