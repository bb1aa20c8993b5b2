"""What is said to a model about a program that it may repair: the compiler's complaint, or the first sample on which
the program fails. Hidden tests are not even run: the program is judged on a problem that has only the samples.

    completion, row ──► program ──► SharedJudge, on the samples alone ──► message, or None: nothing to repair
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import problems
from judge.common.errors import JudgeError
from judge.common.marks import break_marks
from judge.common.models import Judgement, Verdict
from judge.common.text import harmless
from judge.common.whole import encode_text
from judge.judging.public import keep_samples
from judge.languages.extraction import Completion
from problems.model import Problem
from problems.reading.samples import converses
from trainer_adapter.data.arrays import as_list
from trainer_adapter.data.tests_column import Inline
from trainer_adapter.data.tests_text import as_text, unpack
from trainer_adapter.rewards.grading import Graded, grade
from trainer_adapter.rewards.shared_judge import RolloutProgram, Settings, find_in_store, shared_judge

#: The most characters that are shown of a complaint, an input or an output.
_MOST = 800
_AGAIN = "Correct the program, and write the whole of it again."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Samples:
    task: str
    #: Packed, or in a problem. Without samples: an empty test, for the compiler's sake.
    tests: str | None = None
    problem: Problem | None = None
    #: Input and answer by the test's name; None: the conversation is shown instead.
    shown: Mapping[str, tuple[str, str] | None] = field(default_factory=dict)


def messages(completions: Sequence[Completion], rows: Sequence[Mapping[str, Any]], how: Settings) -> list[str | None]:
    """For each completion what to say about its program; None: it passes the samples, or it could not be judged.

    A row is one of the data set: `problem_id` or `tests`, and perhaps `language` and `prompt`.
    """
    judge = shared_judge(how)
    asked: list[Future[Graded] | str | None] = []
    for completion, row in zip(completions, rows, strict=True):
        try:
            asked.append(_ask_for_repair(completion, row, how))
        except (JudgeError, problems.ProblemError):  # the reward functions say it, too
            asked.append(None)
    judge.wait(each for each in asked if isinstance(each, Future))
    return [each.result().detail or None if isinstance(each, Future) else each for each in asked]


def _ask_for_repair(completion: Completion, row: Mapping[str, Any], how: Settings) -> Future[Graded] | str | None:
    """Raises JudgeError, ProblemError."""
    judge, problem_id, tests = shared_judge(how), row.get("problem_id"), as_list(row.get("tests"))
    if not tests and problem_id is None:
        return None
    found = how.extract(completion, row.get("language"), row.get("prompt"))
    if found.code is None:
        return f"There is no program in the answer. {_AGAIN}"
    samples = _in_row(as_text(tests)) if tests else _in_package(find_in_store(judge.settings.problems, str(problem_id)))
    program = RolloutProgram(
        source=encode_text(found.code),
        language=found.language or how.language,
        task=samples.task,
        tests=samples.tests,
        problem=samples.problem,
        default_language=how.language if found.chosen else None,
    )
    return judge.grade(program, partial(_reduce, samples.shown), all_tests=False)[0]


@lru_cache(64)  # tests may be megabytes
def _in_row(tests: str) -> _Samples:
    whole = unpack(tests)
    cases = [case.model_copy(update={"sample": False}) for case in whole.tests if case.sample]
    if not cases:
        return _nothing()
    packed = whole.model_copy(update={"tests": tuple(cases)}).pack()
    shown = {f"secret/{number:04}": (case.input, case.output) for number, case in enumerate(cases, 1)}
    return _Samples(task=hashlib.sha256(packed.encode()).hexdigest(), tests=packed, shown=shown)


@lru_cache(1024)
def _in_package(reference: str | Path) -> _Samples:
    whole = problems.load(reference)
    problem = keep_samples(whole)
    if problem is None:
        return _nothing()
    # Of a conversation it is what was said that shows what is wrong; input and answer are the interactor's alone.
    apart = converses(whole)
    shown = {
        case.name: None if apart else (_text(case.read_input()), _text(case.read_answer())) for case in problem.cases
    }
    return _Samples(task=str(reference), problem=problem, shown=shown)


def _nothing() -> _Samples:
    empty = Inline.model_validate({"tests": [{"input": "", "output": ""}]}).pack()
    return _Samples(task=hashlib.sha256(empty.encode()).hexdigest(), tests=empty)


def _text(content: bytes) -> str:
    return content.decode(errors="replace")


def _reduce(shown: Mapping[str, tuple[str, str] | None], judgement: Judgement) -> Graded:
    """With the message as its detail."""
    found = grade(judgement)
    return found if found.failure is not None else replace(found, detail=_message(shown, judgement))


def _message(shown: Mapping[str, tuple[str, str] | None], judgement: Judgement) -> str:
    if judgement.verdict is Verdict.CE:
        complaint = judgement.compile.output if judgement.compile else ""
        return f"The program does not compile:\n{_quote(complaint)}{_AGAIN}"
    failing = next((test for test in judgement.tests if test.verdict not in (Verdict.AC, Verdict.SK)), None)
    if failing is None or failing.name not in shown:
        return ""
    what = {Verdict.WA: "gives a wrong answer", Verdict.TLE: "takes too long", Verdict.RE: "crashes"}
    begin = f"On a sample the program {what.get(failing.verdict, f'is judged {failing.verdict}')}.\n"
    sample = shown[failing.name]
    if sample is None:
        said = failing.conversation or failing.stdout
        return f'{begin}The conversation ("<": what it read, ">": what it wrote):\n{_quote(said)}{_AGAIN}'
    given, wanted = sample
    return (
        f"{begin}Input:\n{_quote(given)}Right output:\n{_quote(wanted)}"
        f"The program's output:\n{_quote(failing.stdout)}{_AGAIN}"
    )


def _quote(text: str) -> str:
    """Cut, without control characters, and with nothing that a tokenizer takes for the end of a message."""
    shown = break_marks(harmless(text if len(text) <= _MOST else f"{text[:_MOST]}…"))
    return f"```\n{shown.strip()}\n```\n"
