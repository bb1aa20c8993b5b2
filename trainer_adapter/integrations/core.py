"""What the functions for other trainers share: a completion and what names its problem go in, a score comes out.

    completion, task ──► JudgedStep ──► Graded ──► Score, or NoVerdict

A task is what the rows of a trainer hold, in any of these forms, also as JSON:

    "P1001"                                         name of a bundled problem, path of a package, or key of the store
    "judge1:…"                                      tests, as `trainer_adapter.data.tests_column` packs them
    {"inputs": […], "outputs": […]}                 tests, as APPS, TACO, Eurus-2 and verl write them;
                                                    with "fn_name" they call that function
    [{"input": …, "output": …}, …]                  tests
    {"problem_id" or "tests": …, "language": …}     one of the above, and the language to answer in
    {"ground_truth": …, …}                          one of the above

Where both are given, `tests` are judged and not `problem_id`, as in reward functions. Other keys are the trainer's own,
unless they may say how outputs are judged, or hold tests: a task with one of those has no verdict.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, NamedTuple

from judge.common.errors import JudgeError
from judge.languages.extraction import Completion
from trainer_adapter.reward_funcs import CodeReward, accepted
from trainer_adapter.rewards.grading import Graded
from trainer_adapter.rewards.judged_step import Asked, Columns, JudgedStep
from trainer_adapter.rewards.shared_judge import RolloutProgram, shared_judge

_log = logging.getLogger(__name__)
_PACKED = "judge1:"
_SOURCES = ("tests", "problem_id", "ground_truth")
#: Keys of tests themselves: beside what names the problem they are others.
_OF_TESTS = ("inputs", "outputs", "fn_name", "func_name", "entry_point")
#: For a trainer that never asks again for what could not be judged.
TRIES = 3
#: Between two tries.
PAUSE_S = 1.0


class NoVerdict(JudgeError):
    """A completion could not be judged, by a failure that is not the program's. It is worth nothing, not 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    reward: float
    accepted: bool
    #: AC, WA, …, or NO_CODE.
    verdict: str
    #: Name of the first test that failed.
    failing_test: str = ""
    #: Why, or the compiler's first error; nothing of what a test holds.
    detail: str = ""


class _Row(NamedTuple):
    problem_id: str | None
    tests: str | None
    language: str | None


def score(
    completion: Completion,
    task: object,
    reward: CodeReward = accepted,
    *,
    prompt: Completion | None = None,
    tries: int = 1,
) -> Score:
    """`prompt`: its end may begin the answer, with thinking or with a fence.

    Raises:
        NoVerdict: the judge, the machine or the task failed, `tries` times.
        ConfigError: the settings of `reward` have no meaning.
    """
    (found,) = scores([completion], [task], reward, prompts=[prompt], tries=tries)
    if isinstance(found, NoVerdict):
        raise found
    return found


async def score_async(
    completion: Completion,
    task: object,
    reward: CodeReward = accepted,
    *,
    prompt: Completion | None = None,
    tries: int = 1,
) -> Score:
    """`score` for coroutines: it does not block their event loop. Any number may wait at the same time."""
    rows = [_row(task)]
    (found,) = _scores(rows, await _step([completion], rows, reward, [prompt]).arrive(), reward)
    if isinstance(found, Score):
        return found
    if tries == 1:
        raise found
    await asyncio.sleep(PAUSE_S)
    return await score_async(completion, task, reward, prompt=prompt, tries=tries - 1)


def scores(
    completions: Sequence[Completion],
    tasks: Sequence[object],
    reward: CodeReward = accepted,
    *,
    prompts: Sequence[Completion | None] | None = None,
    tries: int = 1,
) -> list[Score | NoVerdict]:
    """The score of each completion, or why it has none. All are judged at the same time."""
    rows = [_row(task) for task in tasks]
    begun = [None] * len(rows) if prompts is None else prompts
    found = _scores(rows, _step(completions, rows, reward, begun).wait(), reward)
    for _ in range(1, tries):
        lost = [place for place, each in enumerate(found) if isinstance(each, NoVerdict)]
        if not lost:
            break
        time.sleep(PAUSE_S)
        again = scores(
            [completions[place] for place in lost],
            [tasks[place] for place in lost],
            reward,
            prompts=[begun[place] for place in lost],
        )
        for place, each in zip(lost, again, strict=True):
            found[place] = each
    return found


def fill_lost(found: Sequence[Score | NoVerdict], groups: Sequence[Hashable]) -> list[float]:
    """The rewards, for trainers that can leave none out: a lost one gets the mean of its group's others. Its advantage
    is 0 then, with and without itself in the baseline.

    Raises:
        NoVerdict: a group has no other.
    """
    known = defaultdict[Hashable, list[float]](list)
    for each, group in zip(found, groups, strict=True):
        if isinstance(each, Score):
            known[group].append(each.reward)
    paid = []
    for each, group in zip(found, groups, strict=True):
        if isinstance(each, Score):
            paid.append(each.reward)
        elif known[group]:
            _log.error("%s: it gets the mean of its prompt", each)
            paid.append(fmean(known[group]))
        else:
            raise each
    return paid


def feedback(
    completion: Completion, task: object, reward: CodeReward = accepted, *, prompt: Completion | None = None
) -> str | None:
    """What to say to the model, so that it repairs its program; None: nothing. It tells of samples only."""
    from trainer_adapter.rewards.repair import messages  # noqa: PLC0415 - slow to import

    row = _row(task)
    if isinstance(row, NoVerdict):
        return None
    return messages([completion], [row._asdict() | {"prompt": prompt}], reward.settings)[0]


def _step(
    completions: Sequence[Completion],
    rows: Sequence[_Row | NoVerdict],
    reward: CodeReward,
    prompts: Sequence[Completion | None],
) -> JudgedStep:
    asked = [
        (completion, row, prompt)
        for completion, row, prompt in zip(completions, rows, prompts, strict=True)
        if not isinstance(row, NoVerdict)
    ]
    columns = Columns(
        completions=[completion for completion, _, _ in asked],
        problem_id=[row.problem_id for _, row, _ in asked],
        tests=[row.tests for _, row, _ in asked],
        language=[row.language for _, row, _ in asked],
        prompts=[prompt for _, _, prompt in asked],
    )
    return JudgedStep(Asked(shared_judge(reward.settings), all_tests=reward.needs_all_tests), columns)


def _scores(
    rows: Sequence[_Row | NoVerdict], graded: Sequence[Graded | None], reward: CodeReward
) -> list[Score | NoVerdict]:
    left = iter(graded)
    return [row if isinstance(row, NoVerdict) else _score(next(left), reward) for row in rows]


def _score(graded: Graded | None, reward: CodeReward) -> Score | NoVerdict:
    paid = reward.pay(graded)
    if graded is None or paid is None:
        return NoVerdict(f"not judged: {graded.failure if graded else 'the row names no problem'}")
    return Score(
        reward=paid,
        accepted=graded.accepted,
        verdict=graded.label,
        failing_test=graded.failing,
        detail=graded.detail,
    )


def _row(task: object) -> _Row | NoVerdict:
    """What the columns of this task say."""
    from trainer_adapter.data.item import Unusable, loads  # noqa: PLC0415 - slow to import

    try:
        if not isinstance(task, str | None):
            return _mapping(task) if isinstance(task, Mapping) else _tests(task)
        if task and task.lstrip().startswith(("{", "[")):
            return _row(loads(task))
    except Unusable as error:
        return NoVerdict(str(error))
    if not task:
        return NoVerdict("the row names no problem")
    return _Row(None, task, None) if task.startswith(_PACKED) else _Row(task, None, None)


def _mapping(task: Mapping[str, Any]) -> _Row | NoVerdict:
    """Raises Unusable: it names several problems, or holds what is not read and may decide."""
    from trainer_adapter.data.deciding import holds  # noqa: PLC0415
    from trainer_adapter.data.item import Unusable  # noqa: PLC0415
    from trainer_adapter.data.tests_column import Inline  # noqa: PLC0415
    from trainer_adapter.data.tests_text import refuse_calls_beside  # noqa: PLC0415

    named = [name for name in _SOURCES if holds(task.get(name))]
    if "ground_truth" in named and len(named) > 1:
        raise Unusable(f"the task names its problem twice, by {named[0]!r} and by {named[-1]!r}; leave one out")
    row: _Row | NoVerdict
    if not named:
        row = _tests({key: task[key] for key in task if key != "language"})
    elif named[0] == "tests" and not isinstance(task["tests"], str):
        _refuse_unread(task, (*_SOURCES, "language", *Inline.model_fields))
        stated = {name: task[name] for name in Inline.model_fields if name in task}
        row = _Row(None, json.dumps(stated, default=list), None)
    else:
        _refuse_unread(task, (*_SOURCES, "language"))
        row = _row(task[named[0]])
    if isinstance(row, _Row) and row.tests is not None:
        refuse_calls_beside(task, row.tests)
    language = task.get("language")
    return row._replace(language=language) if isinstance(row, _Row) and language is not None else row


def _refuse_unread(task: Mapping[str, Any], known: Sequence[str]) -> None:
    """Raises Unusable: a key that is not known may decide how programs are judged."""
    from trainer_adapter.data.deciding import holds, refuse_deciding  # noqa: PLC0415
    from trainer_adapter.data.item import Unusable  # noqa: PLC0415
    from trainer_adapter.data.names import find_misspelt  # noqa: PLC0415

    more = {str(key): value for key, value in task.items() if key not in known}
    for key in _OF_TESTS:
        if holds(more.get(key)):
            raise Unusable(f"the task has tests by {key!r}, and others; leave one out")
    for key in more:
        if meant := find_misspelt(key, known):
            raise Unusable(f"the task has a key {key!r}, which is not read; is it {meant!r}?")
    refuse_deciding(more, "a key")


def _tests(value: object) -> _Row | NoVerdict:
    """Raises Unusable: they are of no known form."""
    from trainer_adapter.data.calls import inline  # noqa: PLC0415

    return _Row(None, inline(value).model_dump_json(exclude_defaults=True), None)


def grade_program(
    source: bytes, problem: str, reward: CodeReward, *, language: str, tries: int = TRIES
) -> tuple[float, Graded]:
    """What a program earns, and what it was judged to be. Its tests run at once. `problem`: a name, or the path of a
    package.

    Raises:
        NoVerdict: the judge, the machine or the problem failed, `tries` times.
    """
    judge = shared_judge(replace(reward.settings, options=replace(reward.settings.options, at_once=True)))
    program = RolloutProgram(source=source, language=language, task=problem)
    while True:
        verdict, _ = judge.grade(program, all_tests=reward.needs_all_tests)
        judge.wait([verdict])
        graded = verdict.result()
        paid = reward.pay(graded)
        if paid is not None:
            return paid, graded
        tries -= 1
        if tries <= 0:
            raise NoVerdict(f"problem {problem}: not judged: {graded.failure}")
        time.sleep(PAUSE_S)
