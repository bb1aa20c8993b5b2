"""Rewards by the real judge: what each kind pays, one judgement for all, and failures that are nobody's fault."""

from __future__ import annotations

import asyncio
import json
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judge import Judge, Judgement, Options, Stop, Submission, Verdict
from judge.common.errors import ConfigError
from judge.languages.extraction import extract
from problems.model import Problem
from tests.conftest import MakePackage
from tests.trainer_adapter.failing import Doom, doomed
from tests.trainer_adapter.programs import CASES, CONSTANT, HALF, METADATA, PROGRAMS, RIGHT, completion, message
from trainer_adapter import reward_funcs
from trainer_adapter.data.tests_column import Case, Inline
from trainer_adapter.reward_funcs import AsyncCodeReward, CodeReward, Kind, Settings, UnlessFailed
from trainer_adapter.rewards import shared_judge as shared

ROOT = Path(__file__).resolve().parents[2]
#: `EFFICIENT` wants options of its own: test_efficiency.
KINDS = [kind for kind in Kind if kind is not Kind.EFFICIENT]


@pytest.fixture
def settings(backend: str, shared_cache: Path) -> Iterator[Settings]:
    yield Settings(language="c17", slots=1, backend=backend, cache_directory=shared_cache, all_tests=True)
    reward_funcs.close()


@pytest.fixture
def problem(package: MakePackage) -> str:
    return str(package(CASES, metadata=METADATA, name="sum"))


class Log:
    """What trainers pass as `log_metric` and `log_extra`."""

    def __init__(self) -> None:
        self.metrics: dict[str, float] = {}
        self.columns: dict[str, list[str]] = {}

    def metric(self, name: str, value: float) -> None:
        assert name not in self.metrics, f"{name} is logged twice in one step"
        self.metrics[name] = value

    def extra(self, name: str, values: list[str]) -> None:
        assert name not in self.columns, f"{name} is logged twice in one step"
        self.columns[name] = values


def call(reward: Callable[..., Any], completions: list[Any], log: Log | None = None, **columns: Any) -> Any:
    """As TRL does: keywords alone, and many of them."""
    logging = {"log_metric": log.metric, "log_extra": log.extra} if log else {}
    return reward(
        prompts=["?"] * len(completions),
        completions=completions,
        completion_ids=[[1, 2]] * len(completions),
        difficulty=[3] * len(completions),
        trainer_state=object(),
        **logging,
        **columns,
    )


def rewards(settings: Settings, completions: list[Any], **columns: Any) -> dict[Kind, list[float | None]]:
    return {kind: call(CodeReward(kind, settings), completions, **columns) for kind in KINDS}


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[Submission]:
    """All that any Judge is given."""
    given: list[Submission] = []
    submit = Judge.submit

    def counted(self: Judge, submission: Submission, options: Options | None = None) -> Future[Judgement]:
        given.append(submission)
        return submit(self, submission, options)

    monkeypatch.setattr(Judge, "submit", counted)
    return given


def test_what_each_kind_pays(settings: Settings, problem: str) -> None:
    sources = [RIGHT, HALF, CONSTANT, PROGRAMS[Verdict.CE], PROGRAMS[Verdict.RE]]
    completions = [*map(completion, sources), "I cannot."]
    assert rewards(settings, completions, problem_id=[problem] * 6) == {
        Kind.ACCEPTED: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        Kind.PASS_RATE: [1.0, 0.5, 0.25, 0.0, 0.0, 0.0],
        Kind.WEIGHTED: [1.1, 0.05, 0.0, 0.0, 0.0, 0.0],
        Kind.SUBTASK: [1.0, 0.4, 0.4, 0.0, 0.0, 0.0],  # the score, to which the sample belongs
        Kind.RATIO: [1.0, 0.4, 0.4, 0.0, 0.0, 0.0],  # there is no raw score
        Kind.IMPROVEMENT: [1.0, 0.4, 0.4, 0.0, 0.0, 0.0],
        Kind.COMPILES: [0.1, 0.1, 0.1, 0.0, 0.1, 0.0],
        Kind.FORMAT: [0.1, 0.1, 0.1, 0.1, 0.1, 0.0],
    }


def test_testing_stops_at_the_first_failure_until_a_function_needs_all(
    settings: Settings, problem: str, judged: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    stops: list[Stop] = []
    batch = Judge.batch

    def begun(self: Judge, options: Options | None = None) -> object:
        stops.append((options or Options()).stop)
        return batch(self, options)

    monkeypatch.setattr(Judge, "batch", begun)
    how = replace(settings, all_tests=False)
    first = [completion(RIGHT), completion(HALF)]
    assert call(CodeReward(Kind.ACCEPTED, how), first, problem_id=[problem] * 2) == [1.0, 0.0]
    assert call(CodeReward(Kind.FORMAT, how), first, problem_id=[problem] * 2) == [0.1, 0.1]
    assert (stops, len(judged)) == ([Stop.FIRST_FAILURE], 2)
    # Only what was refused is judged anew.
    assert call(CodeReward(Kind.PASS_RATE, how), first, problem_id=[problem] * 2) == [1.0, 0.5]
    assert (stops, len(judged)) == ([Stop.FIRST_FAILURE, Stop.NEVER], 3)
    # From now on each program is judged once, on all tests.
    later = [completion(CONSTANT), completion(PROGRAMS[Verdict.RE])]
    assert call(CodeReward(Kind.ACCEPTED, how), later, problem_id=[problem] * 2) == [0.0, 0.0]
    assert call(CodeReward(Kind.PASS_RATE, how), later, problem_id=[problem] * 2) == [0.25, 0.0]
    assert (len(stops), len(judged)) == (2, 5)


def test_every_verdict_is_counted(settings: Settings, problem: str) -> None:
    freopen = '#include <stdio.h>\nint main(void) { freopen("a.in", "r", stdin); return 0; }\n'
    completions = [*map(message, PROGRAMS.values()), message(RIGHT, "python"), message(freopen), "no program"]
    log = Log()
    paid = call(CodeReward(settings=settings), completions, log, problem_id=[problem] * 10, language=["c17"] * 10)
    assert paid == [1.0] + [0.0] * 9
    assert log.columns["verdict"] == [*PROGRAMS, "NO_CODE", "WA", "NO_CODE"]
    assert log.columns["failing_test"] == ["", "secret/1", "", *["secret/1"] * 4, "", "secret/1", ""]
    assert log.columns["detail"][-3:] == ["wrong-language", "", "no-fence"]
    counts = {name: round(10 * log.metrics[f"judge/{name}"]) for name in ("accepted", "ce", "re", "tle", "mle", "ole")}
    assert counts == dict.fromkeys(counts, 1)
    counts = {name: round(10 * log.metrics[f"judge/{name}"]) for name in ("wa", "no_code", "freopen", "infra")}
    assert counts == {"wa": 2, "no_code": 2, "freopen": 1, "infra": 0}
    assert log.metrics["judge/unique_programs"] == 8
    assert log.metrics["judge/wall_s"] > 0


def test_subtasks_pay_as_the_problem_says(settings: Settings, package: MakePackage) -> None:
    cases = {
        f"secret/{group}/{number}": CASES[f"secret/{number}"] for group, number in ((1, 1), (1, 2), (2, 3), (2, 4))
    }
    groups = {"judge.yaml": "groups:\n  secret/1: {points: 30}\n  secret/2: {points: 70, aggregation: min}\n"}
    problem = str(package(cases, metadata="type: scoring\n", files=groups, name="grouped"))
    paid = rewards(settings, [completion(HALF), completion(RIGHT)], problem_id=[problem] * 2)
    assert (paid[Kind.SUBTASK], paid[Kind.PASS_RATE]) == ([0.7, 1.0], [0.5, 1.0])


def test_one_judgement_for_all_functions_duplicates_and_steps(
    settings: Settings, problem: str, judged: list[Submission]
) -> None:
    completions = [message(RIGHT), message(HALF), message(RIGHT), message(RIGHT, "cpp"), "none"]
    columns = {"problem_id": [problem] * 5, "language": ["c17"] * 5}
    first, second = Log(), Log()
    for kind in KINDS:
        call(CodeReward(kind, settings), completions, first, **columns)
    assert sorted(given.source for given in judged) == sorted([RIGHT.encode(), HALF.encode()])
    assert first.metrics["judge/cache_hits"] == 0
    assert first.metrics["judge/unique_programs"] == 2
    call(CodeReward(settings=settings), list(completions), second, **columns)
    assert len(judged) == 2
    assert second.metrics["judge/cache_hits"] == pytest.approx(3 / 5)
    # Another language, or another problem, is another program.
    call(CodeReward(settings=settings), completions, problem_id=[problem] * 5, language=["c11"] * 5)
    call(CodeReward(settings=settings), completions, problem_id=["P1001"] * 5, language=["c17"] * 5)
    assert len(judged) == 6


def test_a_failure_is_none_in_every_function_and_tried_again_in_the_next_step(
    settings: Settings, problem: str, judged: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    doom = Doom(monkeypatch)
    lost = doomed(RIGHT)
    completions = [message(lost), message(RIGHT), message(lost), "none"]
    columns = {"problem_id": [problem] * 4}
    log = Log()
    paid = [call(CodeReward(Kind.FORMAT, settings), completions, log, **columns)]
    doom.lifted = True  # it would be judged now: the functions of one step must not differ
    paid += [call(CodeReward(kind, settings), completions, log, **columns) for kind in KINDS if kind != Kind.FORMAT]
    paid.append(call(UnlessFailed(length, settings), completions, log, **columns))
    assert [[reward is None for reward in row] for row in paid] == [[True, False, True, False]] * (len(KINDS) + 1)
    assert log.columns["verdict"] == ["IE", "AC", "IE", "NO_CODE"]
    assert (log.metrics["judge/infra"], log.metrics["judge/accepted"]) == (0.5, 0.25)
    assert len(judged) == 2
    log = Log()
    assert call(CodeReward(settings=settings), list(completions), log, **columns) == [1.0, 1.0, 1.0, 0.0]
    assert log.metrics["judge/infra"] == 0
    assert len(judged) == 3


def test_a_failure_stands_where_a_later_function_needs_all_tests(
    settings: Settings, problem: str, judged: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    doom = Doom(monkeypatch)
    how = replace(settings, all_tests=False)
    completions, columns = [message(doomed(RIGHT)), message(HALF)], {"problem_id": [problem] * 2}
    assert call(CodeReward(Kind.ACCEPTED, how), completions, **columns) == [None, 0.0]
    doom.lifted = True  # it would be judged now: None beside a number would be a punishment
    assert call(CodeReward(Kind.PASS_RATE, how), completions, **columns) == [None, 0.5]
    assert len(judged) == 3


def length(completions: list[Any], **_: object) -> list[float]:
    """A reward function of somebody else."""
    return [float(len(each)) for each in completions]


def test_others_functions_keep_their_values_and_names(settings: Settings, problem: str) -> None:
    reward = UnlessFailed(length, settings)
    assert reward.__name__ == "length"
    assert call(reward, ["ab", "c"], problem_id=[problem, None]) == [2.0, 1.0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"problem_id": ["P0000"]},
        {"problem_id": ["/nowhere/package"]},
        {"problem_id": [""]},
        {"problem_id": [7]},
        {"tests": ["judge1:no base64"]},
        {"tests": ["[]"]},
        {"tests": ['[{"input": "1"}]']},
        {"tests": ['[{"input": "\\ud800", "output": "1"}]']},
        {"tests": [[{"input": "1"}]]},
        {"tests": [object()]},
        {"problem_id": ["P1001"], "language": ["klingon"]},
    ],
)
def test_wrong_rows_are_not_scored(settings: Settings, wrong: dict[str, list[Any]]) -> None:
    for kind in KINDS:
        assert call(CodeReward(kind, settings), [message(RIGHT)], **wrong) == [None]


@pytest.mark.parametrize("how", [{"backend": "nothing"}, {"require": "more than there is"}])
def test_a_machine_that_cannot_judge_scores_nothing(settings: Settings, how: dict[str, str]) -> None:
    there = Settings(language="c17", slots=1, cache_directory=settings.cache_directory, **how)  # type: ignore[arg-type]
    log = Log()
    assert call(CodeReward(settings=there), [message(RIGHT), "none"], log, problem_id=["P1001"] * 2) == [None, 0.0]
    assert log.metrics["judge/infra"] == 0.5


def test_a_mistake_of_ours_ends_no_training(
    settings: Settings, problem: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(shared, "grade", lambda _: 1 / 0)
    assert call(CodeReward(settings=settings), [message(RIGHT)] * 2, problem_id=[problem] * 2) == [None, None]
    assert "ZeroDivisionError" in caplog.text
    monkeypatch.undo()
    assert call(CodeReward(settings=settings), [message(RIGHT)], problem_id=[problem]) == [1.0]


def test_rows_of_other_tasks_are_left_to_other_functions(settings: Settings, problem: str) -> None:
    log = Log()
    completions = [message(RIGHT), message("72")]
    assert call(CodeReward(settings=settings), completions, log, problem_id=[problem, None]) == [1.0, None]
    assert (log.metrics["judge/accepted"], log.metrics["judge/infra"]) == (1.0, 0.0)
    assert log.columns["verdict"] == ["AC", ""]
    log = Log()
    assert call(CodeReward(settings=settings), completions, log, problem_id=[None, None]) == [None, None]
    assert not log.metrics


def test_columns_that_are_missing_are_said(settings: Settings) -> None:
    with pytest.raises(ConfigError, match="problem_id or tests"):
        call(CodeReward(settings=settings), [message(RIGHT)])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"problem_id": ["P1001"], "language": ["c17"] * 2}, "2 in completions, 1 in problem_id, 2 in language"),
        ({"tests": []}, "2 in completions, 0 in tests"),
        ({"problem_id": "P1"}, "problem_id is of type str"),
        ({"problem_id": 7}, "problem_id is of type int"),
    ],
)
def test_columns_that_do_not_fit(settings: Settings, columns: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        call(CodeReward(settings=settings), [completion(RIGHT)] * 2, **columns)


def test_an_unknown_kind_is_told_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match="reward 'weightd' is unknown: choose one of accepted, pass_rate, weighted"):
        CodeReward("weightd")  # type: ignore[arg-type]


def test_completions_that_are_none_or_text(settings: Settings) -> None:
    for wrong in (None, "text"):
        with pytest.raises(ConfigError, match=f"completions is of type {type(wrong).__name__}"):
            CodeReward(settings=settings)(completions=wrong, problem_id=["P1001"])  # type: ignore[arg-type]


def test_arrays_of_tests_in_the_row(settings: Settings) -> None:
    """As data frames hold them. An array of two has no truth value, and equals another one element by element."""
    array = pytest.importorskip("numpy").array
    tests = [array([{"input": given, "output": wanted} for given, wanted in CASES.values()], dtype=object)]
    pairs = [{"inputs": array(list(CASES)[:0]), "outputs": array([])}]
    for _ in range(2):
        assert call(CodeReward(settings=settings), [completion(RIGHT)], tests=tests) == [1.0]
        assert call(CodeReward(settings=settings), [completion(RIGHT)], tests=pairs) == [None]


@pytest.mark.parametrize("wrong", [7, 0.5, b"x", ["text"], [["role"]], {"content": "x"}])
def test_a_completion_that_is_neither_text_nor_messages(settings: Settings, wrong: Any) -> None:
    with pytest.raises(ConfigError, match=f"completion 1 is of type {type(wrong).__name__}; give text, or messages"):
        call(CodeReward(settings=settings), [completion(RIGHT), wrong], problem_id=["P1001"] * 2)
    with pytest.raises(TypeError, match="give text, or a list of messages"):
        extract(wrong)


def test_tests_in_the_row(settings: Settings, judged: list[Submission]) -> None:
    cases = tuple(Case(input=given, output=wanted) for given, wanted in CASES.values())
    packed = Inline(tests=cases, cpu_ns=200_000_000).pack()
    plain = json.dumps([{"input": given, "output": wanted} for given, wanted in CASES.values()])
    objects = json.loads(plain)
    pairs = {"inputs": [one["input"] for one in objects], "outputs": [one["output"] for one in objects]}
    completions = [completion(RIGHT), completion(HALF), completion(RIGHT), completion(HALF), completion(RIGHT)]
    tests = [packed, packed, plain, objects, pairs]
    paid = call(CodeReward(Kind.PASS_RATE, settings), completions, tests=tests, problem_id=list("abcde"))
    half = pytest.approx(2 / 5)
    assert paid == [1.0, half, 1.0, half, 1.0]
    assert len(judged) == 5
    homes = {given.problem.directory.parent for given in judged if isinstance(given.problem, Problem)}
    assert len(homes) == 1
    reward_funcs.close()
    assert not homes.pop().exists()


def test_a_key_of_the_problem_store(settings: Settings, package: MakePackage) -> None:
    store = package(CASES, metadata=METADATA, name="P1001").parent
    keyed = Settings(language="c17", slots=1, cache_directory=settings.cache_directory, problems=store)
    narrow = RIGHT.replace("int a, b", "signed char a, b").replace("%d%d", "%hhd%hhd")  # wrong for the library's P1001
    assert call(CodeReward(settings=keyed), [message(narrow)], problem_id=["P1001"]) == [1.0]
    assert call(CodeReward(settings=settings), [message(narrow)], problem_id=["P1001"]) == [0.0]
    assert call(CodeReward(settings=keyed), [message(RIGHT)], problem_id=["P1046"]) == [0.0]


def test_what_cannot_be_read_in_a_store_is_not_another_problem_of_that_name(
    settings: Settings, tmp_path: Path, package: MakePackage
) -> None:
    """The library has a P1001."""
    outside = package(CASES, metadata=METADATA, name="outside")
    store = tmp_path / "store"
    store.mkdir()
    keyed = Settings(language="c17", slots=1, cache_directory=settings.cache_directory, problems=store)
    for target in ("P1001", str(outside), "nothing"):
        (store / "P1001").symlink_to(target)
        assert call(CodeReward(settings=keyed), [message(RIGHT)], problem_id=["P1001"]) == [None]
        (store / "P1001").unlink()
    assert call(CodeReward(settings=keyed), [message(RIGHT)], problem_id=["P1001"]) == [1.0]
    for name in ("x" * 5000, "a\0b"):
        assert shared.find_in_store(store, name) == name


def test_nothing_of_hidden_tests_is_logged(
    settings: Settings, package: MakePackage, caplog: pytest.LogCaptureFixture
) -> None:
    secret = "918273645"
    checker = "import sys\nsys.stderr.write(open(sys.argv[3]).read())\nsys.exit(3)\n"
    plain = str(package({"secret/1": (f"{secret}\n", f"{secret}\n"), "secret/2": ("2\n", "2\n")}, name="plain"))
    inline = Inline.model_validate(
        {"tests": [{"input": secret, "output": secret}], "checker": {"source": checker, "suffix": "py"}}
    ).pack()
    wrong = 'int puts(const char *); int main(void) { puts("0"); }\n'
    echo = "int getchar(void); int putchar(int); int main(void) { for (int c; (c = getchar()) > 0; ) putchar(c); "
    completions = [
        completion(wrong),
        completion(echo + "putchar('!'); }\n"),
        completion(echo + "return 7; }\n"),
        completion(wrong),
    ]
    log = Log()
    paid = call(
        CodeReward(settings=settings), completions, log,
        problem_id=[plain, plain, plain, None], tests=[None, None, None, inline],
    )  # fmt: skip
    assert paid == [0.0, 0.0, 0.0, None]
    assert log.columns["verdict"] == ["WA", "WA", "RE", "IE"]
    assert secret not in str(log.columns) + str(log.metrics) + caplog.text


def test_without_what_only_some_trainers_pass(settings: Settings, problem: str) -> None:
    assert CodeReward(settings=settings)([completion(RIGHT)], problem_id=[problem]) == [1.0]


def test_async_functions_share_it_all_and_leave_the_loop_free(
    settings: Settings, problem: str, judged: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    submit, free = Judge.submit, threading.Event()
    threads = ThreadPoolExecutor()

    def late(self: Judge, submission: Submission, options: Options | None = None) -> Future[Judgement]:
        def work() -> Judgement:
            assert free.wait(60), "the event loop was blocked"
            return submit(self, submission, options).result()

        return threads.submit(work)

    monkeypatch.setattr(Judge, "submit", late)

    async def step() -> list[Any]:
        completions, columns = [message(RIGHT), message(HALF)], {"problem_id": [problem] * 2}
        log = Log()
        calls = [
            asyncio.ensure_future(call(AsyncCodeReward(kind, settings), completions, log, **columns)) for kind in KINDS
        ]
        while len(shared.shared_judge(settings).batch()._flights) < 2:
            await asyncio.sleep(0.001)
        free.set()
        return await asyncio.gather(*calls)

    paid = dict(zip(KINDS, asyncio.run(step()), strict=True))
    threads.shutdown()
    assert paid[Kind.ACCEPTED] == [1.0, 0.0]
    assert paid[Kind.WEIGHTED] == [1.1, 0.05]
    assert len(judged) == 2


def test_rewards_are_pickled_for_other_processes(settings: Settings, problem: str) -> None:
    for reward in [*(CodeReward(kind, settings) for kind in KINDS), AsyncCodeReward(), UnlessFailed(length, settings)]:
        again = pickle.loads(pickle.dumps(reward))
        assert again == reward
        assert again.__name__ == reward.__name__
    call(CodeReward(settings=settings), [message(RIGHT)], problem_id=[problem])  # a Judge is open here, and stays here
    code = (
        "import pickle, sys\n"
        "reward, completions, problem = pickle.load(sys.stdin.buffer)\n"
        "print(reward(completions=completions, problem_id=[problem] * 2))"
    )
    pickled = pickle.dumps((CodeReward(settings=settings), [message(RIGHT), message(HALF)], problem))
    ran = subprocess.run((sys.executable, "-c", code), input=pickled, cwd=ROOT, capture_output=True, check=False)
    assert ran.stdout == b"[1.0, 0.0]\n", ran.stderr


def test_importing_them_costs_little() -> None:
    heavy = ("torch", "trl", "transformers", "datasets", "pydantic", "yaml", "rich")
    code = (
        "import sys; from trainer_adapter import reward_funcs; from trainer_adapter.rewards import gsm8k; "
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    ran = subprocess.run((sys.executable, "-c", code), cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.stdout == "[]\n", ran.stderr


def test_names() -> None:
    assert [getattr(reward_funcs, kind).__name__ for kind in KINDS] == list(KINDS)
    assert CodeReward("accepted", name="solved").__name__ == "solved"  # type: ignore[arg-type]


@pytest.mark.parametrize("shaping", [1.0, -0.1, float("nan"), float("inf")])
def test_shaping_stays_below_a_right_answer(shaping: float) -> None:
    with pytest.raises(ConfigError, match="shaping"):
        CodeReward(Kind.WEIGHTED, shaping=shaping)


def test_stopping_early_contradicts_kinds_that_need_all_tests(settings: Settings, problem: str) -> None:
    early = Settings(
        language="c17", slots=1, cache_directory=settings.cache_directory, options=Options(stop=Stop.FIRST_FAILURE)
    )
    assert call(CodeReward(settings=early), [message(RIGHT), message(HALF)], problem_id=[problem] * 2) == [1.0, 0.0]
    for kind in (Kind.PASS_RATE, Kind.WEIGHTED, Kind.SUBTASK):
        with pytest.raises(ConfigError, match="all tests"):
            CodeReward(kind, early)


def test_processes_of_one_machine_share_its_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judge.slots.capacity.os.sched_getaffinity", lambda _: range(12))
    monkeypatch.setattr("judge.slots.capacity._find_available", lambda _: 64 << 30)
    monkeypatch.setattr("judge.slots.capacity._own_cgroups", lambda *_: ())
    shares = {}
    for processes in ("", "1", "4", "64"):
        monkeypatch.setenv("LOCAL_WORLD_SIZE", processes)
        slots, memory_bytes = shared._share(Settings())
        shares[processes] = slots, None if memory_bytes is None else memory_bytes >> 20
    least = 192 + 256 + 80 + 1750
    assert shares == {"": (12, None), "1": (12, None), "4": (3, 14 << 10), "64": (1, least)}
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    assert shared._share(Settings(memory_bytes=2 << 30, slots=4)) == (2, 2 << 30), "slots are the machine's"
    assert shared._share(Settings(memory_bytes=2 << 30, slots=1)) == (1, 2 << 30)
