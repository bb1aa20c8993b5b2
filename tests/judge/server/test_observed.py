"""Logs of judgements, and their traces as a real collector gets them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from judge.common.errors import ConfigError
from judge.server.observing.traces import Traces, asked_for
from tests.judge.server.conftest import Serve
from tests.judge.server.test_batches import lines
from tests.judge.server.test_v1 import ADD, WRONG

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
SECRET = "// secret_of_the_source"


class Collector:
    """A collector of OTLP over HTTP."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.services: set[str] = set()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:  # its name
                asked = ExportTraceServiceRequest.FromString(self.rfile.read(int(self.headers["content-length"])))
                for resource in asked.resource_spans:
                    names = {each.key: each.value.string_value for each in resource.resource.attributes}
                    collector.services.add(f"{self.path} {names['service.name']}")
                    for scope in resource.scope_spans:
                        collector.spans += scope.spans
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def of(self, trace: str) -> dict[str, Span]:
        return {span.name: span for span in self.spans if span.trace_id.hex() == trace}


@contextmanager
def collecting() -> Iterator[Collector]:
    collector = Collector()
    thread = threading.Thread(target=collector.server.serve_forever)
    thread.start()
    try:
        yield collector
    finally:
        collector.server.shutdown()
        thread.join()
        collector.server.server_close()


def test_a_trace_of_a_judgement(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{collector.server.server_port}")
        server = serve()
        headers = {"traceparent": f"00-{TRACE}-{PARENT}-01", "Idempotency-Key": "x"}
        body = {"source": ADD + SECRET, "problem": "P1001"}
        judgement = server.client.post("/v1/judgements?wait=60", json=body, headers=headers).json()
        server.client.post("/v1/judgements?wait=60", json=body, headers={"traceparent": "00-zz-x"})
        server.client.post("/v1/judgements?wait=60", json=body, headers={**headers, "traceparent": f"00-{'f' * 32}"})
        assert server.stop() == 0, "what was made last is sent before the end"
    assert collector.services == {"/v1/traces judge"}
    spans = collector.of(TRACE)
    tests = [test["name"] for test in judgement["judgement"]["tests"]]
    assert set(spans) == {"POST", "judgement", "queued", "compile", *(f"test {name}" for name in tests)}
    assert spans["POST"].parent_span_id.hex() == PARENT
    assert spans["judgement"].parent_span_id == spans["POST"].span_id
    for name in ("queued", "compile", f"test {tests[-1]}"):
        assert spans[name].parent_span_id == spans["judgement"].span_id
    steps = [spans[name] for name in ("queued", "compile", *(f"test {name}" for name in tests))]
    for before, after in pairwise(steps):
        assert before.start_time_unix_nano <= before.end_time_unix_nano <= after.start_time_unix_nano + 1_000_000
    whole = spans["judgement"]
    assert whole.start_time_unix_nano == steps[0].start_time_unix_nano
    assert whole.end_time_unix_nano >= steps[-1].end_time_unix_nano
    said = {each.key: each.value.string_value for each in whole.attributes}
    assert (said["judge.id"], said["judge.verdict"], said["judge.problem"]) == (judgement["id"], "AC", "P1001")
    assert sum(span.name == "judgement" for span in collector.spans) == 2, "a wrong header begins a trace of its own"
    assert not any(SECRET.encode() in span.SerializeToString() for span in collector.spans)


def test_a_trace_goes_through_the_database(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server accepts and is killed; the next one judges, in the same trace."""
    database = ("--database", str(tmp_path / "kept.sqlite"), "--slots", "1")
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{collector.server.server_port}")
        monkeypatch.setenv("OTEL_SERVICE_NAME", "mine")
        server = serve(*database)
        body = {"source": "import time\ntime.sleep(2)", "language": "python3"}
        headers = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
        where = server.client.post("/v1/executions", json=body, headers=headers).headers["location"]
        server.kill()
        server = serve(*database)
        assert server.client.get(where, params={"wait": 60}).status_code == 200
        server.stop()
    assert collector.services == {"/v1/traces mine"}
    assert "execution" in collector.of(TRACE)


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [
        ({}, False),
        ({"OTEL_SERVICE_NAME": "x"}, False),
        ({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, False),
        ({"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, False),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://x"}, True),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, True),
    ],
)
def test_when_traces_are_made(environment: dict[str, str], wanted: bool) -> None:
    assert asked_for(environment) is wanted


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("OTEL_TRACES_EXPORTER", "zipkin", "zipkin is not known here; choose otlp"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "not grpc; most collectors take it at port 4318"),
    ],
)
def test_what_there_is_not_is_told(name: str, value: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Traces.from_environment({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", name: value}, "1")


def test_a_line_for_each_judgement(serve: Serve) -> None:
    server = serve("--log-format", "json")
    sent = {"source": WRONG + SECRET, "problem": "P1001", "id": "a\nb"}
    id_ = server.client.post("/v1/judgements?wait=60", json=sent).json()["id"]
    where = server.client.post("/v1/batches?stop=first_failure", content=lines(2)).headers["location"]
    server.client.get(f"{where}/results?follow=true")
    server.stop()
    told = [json.loads(line) for line in server.said.splitlines()]
    ended = [line for line in told if line["message"] == "ended"]
    assert len(ended) == 3
    first = ended[0]
    assert (first["id"], first["problem"], first["language"], first["verdict"]) == (id_, "P1001", "cpp17", "WA")
    assert first["judged_ms"] > 0
    assert first["queued_ms"] >= 0
    assert {line.get("batch") for line in ended[1:]} == {where.rsplit("/", 1)[-1]}
    assert SECRET not in server.said


def test_lines_for_people(serve: Serve) -> None:
    server = serve("--log-format", "text")
    server.client.post("/v1/judgements?wait=60", json={"source": ADD, "problem": "P1001"})
    server.stop()
    _, line = server.said.splitlines()
    assert " problem=P1001 language=cpp17 verdict=AC " in line
