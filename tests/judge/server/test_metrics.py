"""What Prometheus reads."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from tests.judge.server.conftest import Serve, Server
from tests.judge.server.test_batches import lines
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
