"""A second try counts only if it begins as the first: whatever a program hides its guesses behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from containers import RunSpec
from judge import Judge, Submission
from judge.checkers.interactor import Interactor
from judge.judging import communication, interactive, passes, single, trial
from judge.ruling.classify import Ruling
from judge.ruling.interplay import Said, Word
from judge.slots.pair import Talk

if TYPE_CHECKING:
    from tests.conftest import MakePackage

Judges = Callable[..., Judge]

#: Hears a guess behind 80 000 blanks, more than is kept of any text. It says whether that is right, and goes on.
INTERACTOR = """
import sys
print("DEAL", flush=True)
for line in sys.stdin:
    right = line.strip() == "7"
    print("right" if right else "wrong", flush=True)
    if right:
        sys.exit(42)
sys.exit(43)
"""
MANAGER = """
import sys
hears, says = open(sys.argv[4], "rb", 0), open(sys.argv[5], "wb", 0)
print("DEAL", file=open(sys.argv[5], "w"), flush=True)
for line in hears:
    right = line.strip() == b"7"
    says.write(b"right\\n" if right else b"wrong\\n")
    if right:
        sys.exit(42)
sys.exit(43)
"""
#: Takes the guess of the first pass as the input of the second.
CHECKER = """
import os, sys
line = sys.stdin.read().strip()
if open(sys.argv[1]).read() == "begin\\n":
    open(sys.argv[3] + "nextpass.in", "w").write(line + "DEAL")
    sys.exit(42)
sys.exit(42 if line == "right" else 43)
"""
#: `me`: 0 in the first try, 1 in the second. A guess that is not right, or the first try, ends at the wall limit.
TALKS = """
import sys, time
me = int(sys.argv[-1])
input()
print(" " * 80000 + str(GUESS), flush=True)
if "right" not in input() or me == 0:
    time.sleep(100)
"""
PASSES = """
import sys, time
me = int(sys.argv[-1])
text = input()
if text == "begin":
    print(" " * 80000 + str(GUESS))
elif me == 0:
    time.sleep(100)
else:
    print("right" if text.startswith("7") else "wrong")
"""
KINDS = {
    "interactive": ("type: interactive\n", "output_validator/judge.py", INTERACTOR, TALKS),
    "communication": ("", "manager/manage.py", MANAGER, TALKS),
    "passes": ("type: multi-pass\n", "output_validator/judge.py", CHECKER, PASSES),
}


@pytest.fixture
def in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every time-out is in doubt, and programs are told which try it is."""
    second = False

    def doubtful(outcome: object, ruling: Ruling | None, *_: object, crowded: bool) -> bool:
        return ruling is not None and ruling.verdict == "TLE"

    for module in (interactive, communication, single):

        def told(*given: object, spec: Callable[..., RunSpec] = module.spec) -> RunSpec:
            made = spec(*given)
            return replace(made, argv=(*made.argv, str(int(second))), warm=0)

        monkeypatch.setattr(module, "spec", told)
    monkeypatch.setattr(trial, "doubtful", doubtful)
    for module in (interactive, communication, passes):

        def attempt(*given: object, made: Callable[..., object] = module.attempt, first: object = None) -> object:
            nonlocal second
            second = first is not None
            return made(*given, first=first)

        monkeypatch.setattr(module, "attempt", attempt)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("guess", "deal", "verdict"),
    [("7", "same", "AC"), ("3 + 4 * me", "same", "TLE"), ("7", "{time.time()}", "TLE")],
    ids=["the same", "another guess", "another question"],
)
@pytest.mark.usefixtures("in_doubt")
def test_only_what_begins_alike_counts(
    judges: Judges, package: MakePackage, kind: str, guess: str, deal: str, verdict: str
) -> None:
    metadata, name, theirs, program = KINDS[kind]
    dealt = theirs.replace('"DEAL"', f'f"{deal}"')
    files = {
        name: "import time\n" + dealt,
        "judge.yaml": "limits: {wall_ns: 1500000000}\n"
        + ("manager: {processes: 1}\n" if kind == "communication" else ""),
    }
    limits = "limits: {time_limit: 1, memory: 64, validation_passes: 2}\n"
    problem = package({"secret/1": ("begin\n", "")}, metadata=metadata + limits, files=files)
    source = program.replace("GUESS", guess).encode()
    judgement = judges().judge(Submission(source=source, problem=problem, language="python3"))
    assert (judgement.verdict, judgement.tests[0].confirmed) == (verdict, "TLE"), judgement


@pytest.mark.parametrize(("guess", "verdict"), [("7", "AC"), ("3 + 4 * me", "WA")], ids=["the same", "another guess"])
def test_so_it_is_where_the_interactor_ran_out_of_time(
    judges: Judges, package: MakePackage, monkeypatch: pytest.MonkeyPatch, guess: str, verdict: str
) -> None:
    second = False

    def talk(*given: object, made: Callable[..., object] = interactive._talk, alone: bool, **more: object) -> object:
        nonlocal second
        second = alone
        talk, company = made(*given, alone=alone, **more)  # type: ignore[misc]
        company.crowded = True
        return talk, company

    def told(*given: object, spec: Callable[..., RunSpec] = interactive.spec) -> RunSpec:
        made = spec(*given)
        return replace(made, argv=(*made.argv, str(int(second))), warm=0)

    def read_word(
        self: Interactor, talk: Talk, full_score: float, right: Callable[..., Said] = Interactor.read_word
    ) -> Said:
        return right(self, talk, full_score) if second else Said(word=Word.FAILED, detail="out of time")

    monkeypatch.setattr(interactive, "_talk", talk)
    monkeypatch.setattr(interactive, "spec", told)
    monkeypatch.setattr(interactive, "_timed_out", lambda *_: True)
    monkeypatch.setattr(Interactor, "read_word", read_word)
    files = {"output_validator/judge.py": INTERACTOR}
    problem = package({"secret/1": ("", "")}, metadata="type: interactive\n", files=files)
    source = TALKS.replace("GUESS", guess).replace("or me == 0", "and me").encode()
    judgement = judges().judge(Submission(source=source, problem=problem, language="python3"))
    assert judgement.verdict == verdict, judgement
