"""Worker processes of one machine: what they judge is what one process judges, and what becomes of it when they die."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import problems
from judge import Cancelled, Judge, Judgement, Options, Program, Submission, Verdict
from judge.common.models import CompileResult, TestResult
from judge.judging.labelled import read_label
from judge.many import machine
from judge.many.cluster.processes import ProcessActor
from judge.many.cluster.served import Served
from tests.conftest import MakePackage
from tests.distinct import declaration
from tests.judge.many.c_rows import PATIENT, SLEEP, VERDICTS, facts, rows
from tests.processes import descendants

#: A fifth longer than its limit: beside other runs nobody knows whether that was the load.
SLOW = b"#include <time.h>\nint main(void) { while (clock() < 360000); }\n"
#: A hundred were tried by hand.
KILLS = int(os.environ.get("JUDGE_TEST_KILLS", "20"))


@pytest.fixture
def problem(package: MakePackage) -> Path:
    return package({"secret/1": ("1 2\n", "3\n"), "secret/2": ("5 7\n", "12\n")})


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch, backend: str, shared_cache: Path) -> Iterator[Judge]:
    """With two workers, each of two slots, and nothing that is judged in this process."""
    monkeypatch.setattr(machine, "FEW_SLOTS", 1)
    monkeypatch.setattr(machine, "_FIRST", 0)
    with Judge(slots=4, backend=backend, cache_directory=shared_cache) as judge:
        assert judge._executor.budget.workers == 2  # type: ignore[attr-defined]
        yield judge


def wait_for(what: Callable[[], object]) -> None:
    while not what():
        time.sleep(0.005)


def nodes(judge: Judge) -> list[Served]:
    return list(judge._executor._driver._dispatcher._nodes.values())  # type: ignore[attr-defined]


def kill(node: Served) -> None:
    assert isinstance(node.actor, ProcessActor)
    os.kill(node.actor.pid, signal.SIGKILL)


def test_workers_judge_as_one_process_does(judge: Judge, judges: Callable[..., Judge]) -> None:
    """Labelled submissions of the library: verdicts, scores, tests and compilers' words. Which tests a slow one passes
    depends on the load."""
    chosen = []
    for name in ("P1001", "P1029", "P1046"):
        package = problems.load(name)
        for submission in package.submissions:
            one = read_label(submission, package.constants)
            if one.language in ("c17", "cpp17", "python3") and Verdict.TLE.value not in submission.expected:
                row = Submission(source=one.source, problem=name, language=one.language, files=one.files)
                chosen.append(replace(row, id=f"{name} {submission.path.name}"))
    assert len(chosen) > 8
    alone = {facts(judgement) for judgement in judges(slots=2).judge_many(chosen)}
    assert {facts(judgement) for judgement in judge.judge_many(chosen)} == alone
    assert [one.actor for one in nodes(judge)], "workers judged them"


def test_a_file_of_the_working_directory_is_no_module_of_a_worker(
    judge: Judge, problem: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A directory of submissions may hold one that is called json.py. The control: Python itself would import it."""
    ran = tmp_path / "ran"
    (tmp_path / "json.py").write_text(f"open({str(ran)!r}, 'w'); from json.decoder import *\n")
    monkeypatch.chdir(tmp_path)
    subprocess.run([sys.executable, "-c", "import json"], capture_output=True, check=False)
    assert ran.exists()
    ran.unlink()
    assert [judgement.verdict for judgement in judge.judge_all(rows(problem, 4))] == list(VERDICTS)
    assert not ran.exists()


def test_a_worker_that_is_killed_again_and_again_loses_nothing(judge: Judge, problem: Path) -> None:
    """Each time one dies that has submissions which are not answered."""
    submissions, found, kills = rows(problem, 10 * KILLS), list[Judgement](), 0
    for judgement in judge.judge_many(submissions):
        found.append(judgement)
        if len(found) % 2:
            continue
        for node in nodes(judge):
            given = list(node.running.values())
            if given and kills < KILLS and not any(task.losses for task in given):  # lost four times, it is an error
                kill(node)
                wait_for(lambda given=given: all(task.losses or task.future.done() for task in given))
                kills += 1
                break
    assert kills == KILLS
    assert [
        (judgement.id, judgement.verdict.value) for judgement in sorted(found, key=lambda one: int(one.id or ""))
    ] == [(row.id, VERDICTS[number % 4]) for number, row in enumerate(submissions)]


def test_what_kills_its_worker_each_time_is_an_error_of_ours(judge: Judge, problem: Path) -> None:
    future = judge.submit(Submission(source=SLEEP, problem=problem, language="c17", id="x"), PATIENT)
    while not future.done():
        wait_for(lambda: future.done() or any(node.running for node in nodes(judge)))
        for node in [node for node in nodes(judge) if node.running]:
            kill(node)
            wait_for(lambda node=node: node.lost is not None)
    judgement = future.result()
    assert (judgement.id, judgement.verdict, judgement.score) == ("x", Verdict.IE, None)
    assert (judgement.error or "").startswith("lost 4 times: worker ")
    assert judge.judge(rows(problem, 1)[0]).accepted


def test_programs_that_sleep_hold_no_worker(judge: Judge, problem: Path) -> None:
    """As many as there are slots."""
    sleepers = [
        judge.submit(Submission(source=SLEEP + declaration().encode(), problem=problem, language="c17"), PATIENT)
        for _ in range(4)
    ]
    assert [judgement.verdict for judgement in judge.judge_all(rows(problem, 4))] == list(VERDICTS)
    assert not any(sleeper.done() for sleeper in sleepers)
    while not all([judge.stop(sleeper) for sleeper in sleepers]):
        time.sleep(0.01)


def test_a_problem_in_memory_is_sent_once(judge: Judge, problem: Path) -> None:
    loaded = problems.load(problem)
    found = {
        judgement.id: judgement
        for judgement in judge.judge_many([replace(row, problem=loaded) for row in rows(problem, 40)])
    }
    assert [found[str(number)].verdict.value for number in range(40)] == [VERDICTS[number % 4] for number in range(40)]


def test_errors_are_those_of_one_process(judge: Judge, judges: Callable[..., Judge], problem: Path) -> None:
    wrong = [replace(rows(problem, 1)[0], language="cobol"), replace(rows(problem, 1)[0], problem="P1OO1")]
    here = judges(slots=1)
    for row in wrong:
        errors: list[tuple[type[BaseException], str]] = []
        for one in (here, judge):
            with pytest.raises(Exception) as raised:
                one.judge(row)
            errors.append((raised.type, str(raised.value)))
        assert errors[0] == errors[1]


def test_who_watches_hears_of_each_test(judge: Judge, problem: Path) -> None:
    heard: list[Any] = []

    class Watching:
        def on_compiled(self, result: CompileResult, tests: int) -> None:
            heard.append((result.verdict, tests))

        def on_tested(self, result: TestResult, *, sample: bool) -> None:
            heard.append((result.name, sample))

    judge.submit(rows(problem, 1)[0], None, Watching()).result()
    assert heard == [("ok", 2), ("secret/1", False), ("secret/2", False)]


def test_a_program_without_a_problem(judge: Judge) -> None:
    done = judge.execute(Program(source=b"print(input()[::-1])", language="python3", stdin=b"abc\n"))
    assert done.stdout == b"cba\n"


def test_what_is_known_is_answered_here(judge: Judge, problem: Path) -> None:
    remember = Options(verdict_cache=True)
    first = {facts(judgement) for judgement in judge.judge_many(rows(problem, 8), remember)}
    time.sleep(2.1)  # files that changed a moment ago are not believed
    again = {facts(judgement) for judgement in judge.judge_many(rows(problem, 8), remember)}
    known = [judge.find_known(row, remember) for row in rows(problem, 8)]
    assert all(judgement is not None and judgement.cached for judgement in known)
    assert {facts(judgement) for judgement in known if judgement is not None} == again == first


def test_what_is_given_up_is_stopped_there(judge: Judge, problem: Path) -> None:
    future = judge.submit(Submission(source=SLEEP, problem=problem, language="c17"), PATIENT)
    wait_for(lambda: [node for node in nodes(judge) if node.running])
    while not judge.stop(future):
        time.sleep(0.02)
    with pytest.raises(Cancelled):
        future.result()
    assert judge.judge(rows(problem, 1)[0]).accepted


def test_a_time_out_is_repeated_alone_on_the_machine(judge: Judge, problem: Path) -> None:
    """Two in two workers at once: each waits for the other, and for this process."""
    short = Options(cpu_ns=300_000_000, confirm_tle=True)
    futures: list[Future[Judgement]] = [
        judge.submit(Submission(source=SLOW + b"//%d" % i, problem=problem, language="c17"), short) for i in range(6)
    ]
    for future in futures:
        judgement = future.result(60)
        assert judgement.verdict is Verdict.TLE
        assert "TLE" in {test.confirmed for test in judgement.tests}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_end_of_the_command_leaves_no_process(
    number: signal.Signals, tmp_path: Path, problem: Path, backend: str, shared_cache: Path
) -> None:
    given = tmp_path / "rows.jsonl"
    texts = [f"{SLEEP.decode()}//{number}" for number in range(16)]
    sleeping = [{"id": text, "problem": str(problem), "language": "c17", "source": text} for text in texts]
    given.write_text("".join(json.dumps(row) + "\n" for row in sleeping))
    code = "import judge.many.machine as m; m.FEW_SLOTS = 1; m._FIRST = 0; import judge.__main__"
    command = [sys.executable, "-c", code, "batch", given, "-o", tmp_path / "out", "-j", "4", "--time-limit", "50s"]
    where = {**os.environ, "JUDGE_CACHE_DIR": str(shared_cache), "PYTHONPATH": str(Path(__file__).parents[3])}
    with subprocess.Popen(command, env=where, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as judging:
        wait_for(
            lambda: judging.poll() is not None or len(descendants(judging.pid)) >= 2 + 4 + 4
        )  # launchers, programs
        started = descendants(judging.pid)
        judging.send_signal(number)
        judging.communicate()
    wait_for(lambda: not any(map(is_there, started)))
    assert judging.returncode == (-9 if number is signal.SIGKILL else 128 + number)


def is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
