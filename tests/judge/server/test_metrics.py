"""What Prometheus reads."""

from __future__ import annotations

import json
import threading
import time

from prometheus_client.parser import text_string_to_metric_families

from tests.judge.server.conftest import Serve, Server
from tests.judge.server.test_batches import lines
from tests.judge.server.test_go_judge import command
from tests.judge.server.test_go_judge_sockets import socket_to
from tests.judge.server.test_v1 import ADD, WRONG, judged


def read(server: Server) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    text = server.client.get("/metrics").text
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return {(sample.name, tuple(sorted(sample.labels.items()))): sample.value for sample in samples}


def test_what_was_judged_is_counted(serve: Serve) -> None:
    server = serve("--slots", "2")
    judged(server, ADD)
    judged(server, WRONG, options={"stop": "first_failure"})
    run = {"source": "print(1)", "language": "python3"}
    server.client.post("/v1/executions?wait=60", json=run)
    for known in (False, True, True):
        how = {"stop": "first_failure", "verdict_cache": known}
        where = server.client.post("/v1/batches", params=how, content=lines(3)).headers["location"]
        server.client.get(f"{where}/results?follow=true")
    found = read(server)
    ended = {labels: value for (name, labels), value in found.items() if name == "judge_ended_total"}
    assert ended == {
        (("kind", "judgement"), ("verdict", "AC")): 7,
        (("kind", "judgement"), ("verdict", "WA")): 4,
        (("kind", "execution"), ("verdict", "none")): 1,
    }
    assert found["judge_slots", ()] == 2
    assert found["judge_waiting", ()] == found["judge_waiting_rows", ()] == found["judge_begun", ()] == 0
    compiles = [value for (name, labels), value in found.items() if name == "judge_compile_seconds_count"]
    known = found["judge_known_total", ()]
    assert known >= 3
    assert sum(compiles) + known == 12, "what is known is not compiled"
    assert found["judge_run_cpu_seconds_count", (("language", "python3"),)] == 1


def at_once(server: Server, count: int) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """What is read when so much runs or waits for clients that wait."""
    deadline = time.monotonic() + 60
    while (found := read(server))["judge_at_once", ()] != count:
        assert time.monotonic() < deadline, found
        time.sleep(0.05)
    return found


def run_code(server: Server, code: str) -> None:
    server.client.post("/compat/sandbox-fusion/run_code", json={"code": code, "language": "python"})


def test_what_runs_for_clients_that_wait_is_counted(serve: Serve) -> None:
    server = serve("--slots", "1", "--log-format", "json")
    codes = ["import time; time.sleep(2.5)", *[f"print({number})" for number in range(5)]]
    asking = [threading.Thread(target=run_code, args=(server, code)) for code in codes]
    for count, thread in enumerate(asking, 1):
        thread.start()
        if count in (1, len(codes)):  # the first has the slot
            found = at_once(server, count)
    assert found["judge_begun", ()] == found["judge_waiting", ()] == 6
    assert server.client.get("/readyz").json()["waiting"] == server.client.get("/v1/limits").json()["waiting"] == 6
    assert server.client.get("/compat/code-judge/status").json()["queue"] == 6
    for thread in asking:
        thread.join()
    row = {"id": 1, "content": "", "labels": {}, "test": [{"input": {"stdin": "3 4"}, "output": {"stdout": "7"}}]}
    config = {"dataset_type": "CommonOJDataset", "language": "cpp", "provided_data": row}
    sent = {"dataset": "x", "id": 1, "completion": f"```cpp\n{ADD}\n```", "config": config}
    assert server.client.post("/compat/sandbox-fusion/submit", json=sent).json()["accepted"] is True
    ran = server.client.post("/compat/go-judge/run", json={"cmd": [command("/bin/false"), command("/bin/true")]})
    assert [one["status"] for one in ran.json()] == ["Nonzero Exit Status", "Accepted"]
    found = at_once(server, 0)
    ended = {labels: value for (name, labels), value in found.items() if name == "judge_ended_total"}
    assert ended == {
        (("kind", "execution"), ("verdict", "none")): 7,
        (("kind", "execution"), ("verdict", "RE")): 1,
        (("kind", "judgement"), ("verdict", "AC")): 1,
    }
    assert found["judge_queue_seconds_count", (("kind", "execution"),)] == 8
    assert found["judge_queue_seconds_sum", (("kind", "execution"),)] > 1
    assert found["judge_run_cpu_seconds_count", (("language", "command"),)] == 2
    server.stop()
    told = [line for line in map(json.loads, server.said.splitlines()) if line["message"] == "ended"]
    kinds = [(line["kind"], line["language"]) for line in told]
    assert kinds == [*[("execution", "python3")] * 6, ("judgement", "cpp17"), *[("execution", "command")] * 2]


def test_what_a_client_that_left_asked_for_is_counted_no_longer(serve: Serve) -> None:
    """It would run for longer than is waited here, and what was stopped has no result that could be counted."""
    server = serve("--slots", "1")
    sleeper = command("/bin/sleep", "300", clockLimit=300 * 10**9)
    with socket_to(server, "/compat/go-judge/ws") as socket:
        for id_ in ("runs", "waits"):
            socket.send(json.dumps({"requestId": id_, "cmd": [sleeper]}))
        at_once(server, 2)
    found = at_once(server, 0)
    assert found["judge_begun", ()] == found["judge_waiting", ()] == 0
    assert not any(name == "judge_ended_total" for name, _ in found)
