"""A conversation that a sandbox refuses to begin leaves nothing that the next one of that slot would be told with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import problems
from containers import Unsupported
from judge import Judge, Submission
from tests.judge.judging import test_communication, test_interactive

if TYPE_CHECKING:
    from tests.conftest import MakePackage

Judges = Callable[..., Judge]

ROWS = {
    "interactive": (
        test_interactive.METADATA,
        {"output_validator/talk.py": test_interactive.INTERACTOR},
        "say hi\nhear\nexit 42\n",
        "<hi\n>HI",
    ),
    "communication": (
        test_communication.METADATA,
        {"manager/manager.py": test_communication.MANAGER, "judge.yaml": test_communication.TWO},
        "say 0 hi\nhear 0\nsay 1 ho\nhear 1\nexit 42\n",
        "--- process 0\n<hi\n>HI\n--- process 1\n<ho\n>HO",
    ),
}


@pytest.mark.parametrize(("metadata", "files", "script", "told"), ROWS.values(), ids=list(ROWS))
def test_a_conversation_that_could_not_begin_is_not_told_as_the_next_one(
    judges: Judges, package: MakePackage, metadata: str, files: dict[str, str], script: str, told: str
) -> None:
    """What the relay had to say of the one that was refused was taken for the next one's, and so on, for ever."""
    whole = problems.load(package({"secret/1": (script, "")}, metadata=metadata, files=files))
    cannot = replace(whole, cases=(replace(whole.cases[0], arguments=("\0",)),))
    judge, source = judges(), b"print(input().upper(), flush=True)"
    before, refused, after = (
        Submission(source=source, problem=one, language="python3") for one in (whole, cannot, whole)
    )
    assert judge.judge(before).tests[0].conversation == told
    with pytest.raises(Unsupported, match="NUL"):
        judge.judge(refused)
    assert judge.judge(after).tests[0].conversation == told
