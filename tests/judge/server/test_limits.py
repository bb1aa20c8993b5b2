"""What a key may use: requests a minute, rows that wait, CPU time; each is answered by 429 and when to come again."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import httpx
import pytest

from judge.common.errors import ConfigError
from judge.common.execution import Execution
from judge.common.models import CompileResult, Submission, TestResult, Verdict, make_internal_error
from judge.server.guarding.keys import Caller, Keys, Limits, new_key
from judge.server.guarding.limits import DAY_S, HOUR_S, Rates, Refused, check_cpu, spent_ns
from judge.server.observing.audit import Call
from judge.server.queueing import at_once
from judge.server.queueing.turns import Turns
from judge.server.storing.store import Row, Store
from problems.model import SECOND_NS
from tests.distinct import declaration
from tests.judge.server.conftest import Serve, Server
from tests.judge.server.test_batches import lines
from tests.judge.server.test_v1 import ADD, SLEEPER

if TYPE_CHECKING:
    from judge.many.pool import Judge

ROW = {"source": SLEEPER, "language": "python3", "problem": "P1001", "options": {"stop": "first_failure"}}
BUSY = "import time\nwhile time.process_time() < 0.3: pass\n"


class Asker:
    """A server with keys, and what each of them sends."""

    def __init__(self, directory: Path, **limits: str) -> None:
        """`limits`: lines of keys.toml by the name of the key."""
        self.file, self.keys = directory / "keys.toml", {}
        for name, more in limits.items():
            self.keys[name], text = new_key(name)
            with self.file.open("a") as file:
                file.write(text + more + "\n")

    def ask(self, server: Server, name: str, method: str, path: str, **how: object) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.keys[name]}"}
        return server.client.request(method, path, headers=headers, **how)  # type: ignore[arg-type]


def make_caller(**limits: float) -> Caller:
    return Caller(name="me", roles=frozenset({"submit"}), limits=Limits.model_validate(limits))


def test_requests_of_a_minute() -> None:
    now = [0.0]
    rates, caller = Rates(lambda: now[0]), make_caller(requests_per_minute=60)
    for _ in range(60):
        rates.count(caller)
    with pytest.raises(Refused, match="may send 60 requests a minute; try again in 1 s") as refused:
        rates.count(caller)
    assert refused.value.retry_s == 1
    now[0] = 2.0
    for _ in range(2):
        rates.count(caller)
    with pytest.raises(Refused):
        rates.count(caller)
    now[0] = 10_000.0  # a pause buys no more than a minute's
    for _ in range(60):
        rates.count(caller)
    with pytest.raises(Refused):
        rates.count(caller)
    for _ in range(100):
        rates.count(make_caller())


def test_cpu_time_of_an_hour_and_of_a_day(tmp_path: Path) -> None:
    store = Store(tmp_path / "x.sqlite")
    now = time.time()
    store.spend("me", 3 * SECOND_NS)
    store.spend("another", 100 * SECOND_NS)
    check_cpu(store, "me", make_caller(cpu_seconds_per_hour=3.5, cpu_seconds_per_day=4).limits, now)
    store.spend("me", SECOND_NS)
    with pytest.raises(Refused, match=r"has used its 3\.5 s of CPU time of this hour") as refused:
        check_cpu(store, "me", make_caller(cpu_seconds_per_hour=3.5, cpu_seconds_per_day=4).limits, now)
    assert refused.value.retry_s == pytest.approx(HOUR_S - now % HOUR_S, abs=1)
    check_cpu(store, "me", make_caller(cpu_seconds_per_hour=3.5).limits, now + HOUR_S)
    with pytest.raises(Refused, match="of this day"):
        check_cpu(store, "me", make_caller(cpu_seconds_per_day=4).limits, now)
    check_cpu(store, "me", make_caller(cpu_seconds_per_day=4).limits, now + DAY_S)
    store.close()
    again = Store(tmp_path / "x.sqlite")
    with pytest.raises(Refused):
        check_cpu(again, "me", make_caller(cpu_seconds_per_day=4).limits, now)
    again.close()


class Slow:
    """A Judge whose runs do not end when they are stopped."""

    slots = 1

    def __init__(self) -> None:
        self.stopped: set[Future[Execution]] = set()

    def stop(self, work: Future[Execution]) -> bool:
        self.stopped.add(work)
        return False


def test_who_leaves_is_charged_for_what_runs_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And holds a place until it has ended."""
    (tmp_path / "keys.toml").write_text(new_key("me")[1] + "cpu_seconds_per_hour = 10\nmost_waiting = 1\n")
    store = Store(tmp_path / "x.sqlite")

    async def left() -> None:
        told: list[Row] = []
        service = at_once.AtOnce(
            store, Keys(tmp_path / "keys.toml"), 10, lambda: None, lambda row, *_: told.append(row)
        )
        judge = Slow()
        turns = Turns(cast("Judge", judge))
        work = Future[Execution]()
        work.set_running_or_notify_cancel()
        asking = asyncio.create_task(service.run(lambda: work, turns, 1, None))
        while not service.count:
            await asyncio.sleep(0.01)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        with pytest.raises(Refused, match="may have 1 programs run at once"):
            await service.run(lambda: work, turns, 1, None)
        while not judge.stopped:  # what ends by itself before the thread that stops looks is not stopped
            await asyncio.sleep(0.01)
        work.set_result(Execution(language="c17", cpu_ns=SECOND_NS))
        while not store.spent_ns("me", 0):
            await asyncio.sleep(0.01)
        assert (service.count, [row.owner for row in told]) == (0, ["me"])
        assert judge.stopped == {work}
        turns.close()

    monkeypatch.setattr(at_once, "call", lambda: Call(key="me"))
    asyncio.run(left())
    assert store.spent_ns("me", 0) == SECOND_NS
    store.close()


def test_who_sleeps_uses_up_the_slot() -> None:
    test = TestResult(name="1", group="", verdict=Verdict.AC, score=1.0, cpu_ns=1, wall_ns=7)
    busy = replace(test, cpu_ns=9)
    compiled = CompileResult(verdict="ok", cpu_ns=100)
    judgement = replace(
        make_internal_error(Submission(source=b"", problem="x"), ""), compile=compiled, tests=(test, busy), cpu_ns=10
    )
    assert spent_ns(judgement) == 100 + 7 + 9
    assert spent_ns(replace(judgement, compile=replace(compiled, cached=True))) == 7 + 9
    assert spent_ns(replace(judgement, cached=True)) == 0
    assert spent_ns(Execution(language="c17", cpu_ns=1, wall_ns=7)) == 7


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("requests_per_minute = 0", "greater than or equal to 1"),
        ('most_waiting = "many"', "valid integer"),
        ("cpu_seconds_per_hour = -1", "greater than 0"),
        ("cpu_seconds_per_hour = nan", "greater than 0"),
        ("cpu_seconds_per_week = 1", "did you mean 'cpu_seconds_per_day'"),
    ],
)
def test_a_wrong_limit_is_told(tmp_path: Path, line: str, said: str) -> None:
    asker = Asker(tmp_path, one=line)
    with pytest.raises(ConfigError, match=said):
        Keys(asker.file)


def test_a_rate_over_http(serve: Serve, tmp_path: Path) -> None:
    asker = Asker(tmp_path, slow="requests_per_minute = 3", fast="")
    server = serve("--keys", str(asker.file))
    answers = [asker.ask(server, "slow", "GET", "/v1/limits") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert 1 <= int(answers[3].headers["retry-after"]) <= 20
    assert "key 'slow' may send 3 requests a minute" in answers[3].json()["error"]
    compat = asker.ask(server, "slow", "POST", "/compat/piston/api/v2/execute", json={})
    assert compat.status_code == 429
    assert asker.ask(server, "fast", "GET", "/v1/limits").status_code == 200
    assert server.client.get("/healthz").status_code == 200


def test_rows_that_wait(serve: Serve, tmp_path: Path) -> None:
    asker = Asker(tmp_path, few="most_waiting = 3", free="")
    server = serve("--keys", str(asker.file), "--slots", "1")
    many = asker.ask(server, "few", "POST", "/v1/judgements/many", json=[ROW] * 2)
    assert many.status_code == 202
    again = {"Idempotency-Key": "once"}
    headers = {"Authorization": f"Bearer {asker.keys['few']}", **again}
    last = server.client.post("/v1/judgements", json=ROW, headers=headers)
    assert last.status_code == 202
    over = asker.ask(server, "few", "POST", "/v1/judgements", json=ROW)
    assert (over.status_code, over.headers["retry-after"]) == (429, "5")
    assert "key 'few' may have 3 rows waiting" in over.json()["error"]
    same = server.client.post("/v1/judgements", json=ROW, headers=headers)
    assert same.json()["id"] == last.json()["id"], "what was accepted is told of, not refused"
    batch = asker.ask(server, "few", "POST", "/v1/batches", content=lines(2))
    assert batch.status_code == 429
    never = asker.ask(server, "few", "POST", "/v1/batches", content=lines(4))
    assert never.status_code == 413
    assert "no more than that at once, not 4" in never.json()["error"]
    assert asker.ask(server, "free", "POST", "/v1/batches", content=lines(4)).status_code == 201
    for id_ in (*many.json()["ids"], last.json()["id"]):
        assert asker.ask(server, "few", "GET", f"/v1/judgements/{id_}", params={"wait": 60}).status_code == 200
    assert asker.ask(server, "few", "POST", "/v1/judgements?wait=60", json=ROW).status_code == 200


def test_cpu_time_that_is_used_up(serve: Serve, tmp_path: Path) -> None:
    asker = Asker(tmp_path, poor="cpu_seconds_per_day = 0.2", rich="cpu_seconds_per_day = 1000")
    database = ("--database", str(tmp_path / "kept.sqlite"))
    server = serve("--keys", str(asker.file), *database)
    body = {"source": BUSY, "language": "python3"}
    for name in asker.keys:
        assert asker.ask(server, name, "POST", "/v1/executions?wait=60", json=body).status_code == 200
    refused = asker.ask(server, "poor", "POST", "/v1/executions?wait=60", json=body)
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) <= DAY_S
    assert "CPU time of this day" in refused.json()["error"]
    assert asker.ask(server, "poor", "GET", "/v1/limits").status_code == 200
    server.stop()
    server = serve("--keys", str(asker.file), *database)
    assert asker.ask(server, "poor", "POST", "/v1/judgements", json=ROW).status_code == 429
    assert asker.ask(server, "rich", "POST", "/v1/executions?wait=60", json=body).status_code == 200


def test_two_servers_share_what_a_key_may_use(serve: Serve, tmp_path: Path, postgres: str) -> None:
    asker = Asker(tmp_path, few="most_waiting = 20", poor="cpu_seconds_per_day = 0.2")
    pair = [serve("--keys", str(asker.file), "--database", postgres, "--slots", "1") for _ in range(2)]
    assert asker.ask(pair[0], "poor", "POST", "/v1/executions?wait=60", json={"source": BUSY, "language": "python3"})
    assert asker.ask(pair[1], "poor", "POST", "/v1/judgements", json=ROW).status_code == 429
    answers: list[int] = []

    def send(server: Server) -> None:
        with httpx.Client(base_url=server.client.base_url, timeout=60) as client:
            for _ in range(3):
                headers = {"Authorization": f"Bearer {asker.keys['few']}"}
                sent = client.post("/v1/judgements/many", json=[ROW] * 9, headers=headers)
                answers.append(sent.status_code)

    threads = [threading.Thread(target=send, args=(server,)) for server in pair * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store = Store(postgres)
    waiting = store.waiting()
    store.close()
    assert set(answers) == {202, 429}
    assert waiting <= 20


def test_what_is_cached_costs_nothing(serve: Serve, tmp_path: Path) -> None:
    asker = Asker(tmp_path, poor="cpu_seconds_per_day = 0.01")
    server = serve("--keys", str(asker.file), "--database", str(tmp_path / "kept.sqlite"))
    # No other test, and no earlier run, has judged it.
    sent = {"source": ADD + declaration(), "problem": "P1001", "options": {"verdict_cache": True}}
    assert asker.ask(server, "poor", "POST", "/v1/judgements?wait=60", json=sent).status_code == 200
    server.stop()
    store = Store(tmp_path / "kept.sqlite")
    spent = store.spent_ns("poor", 0)
    store.close()
    server = serve("--keys", str(asker.file), "--database", str(tmp_path / "other.sqlite"))
    assert asker.ask(server, "poor", "POST", "/v1/judgements?wait=60", json=sent).json()["judgement"]["cached"]
    server.stop()
    store = Store(tmp_path / "other.sqlite")
    assert spent > store.spent_ns("poor", 0) == 0
    store.close()
