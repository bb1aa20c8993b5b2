"""Traces of judgements for OpenTelemetry, if the standard variables OTEL_* ask for them.

    POST /v1/judgements                 the request; its parent is what the header `traceparent` names
    └── judgement                       from its acceptance to its result, on whichever server judges it
        ├── queued
        ├── compile
        └── test NAME, …

The context goes through the database with the row. A judgement's spans are made when it has ended: so a server that is
killed leaves no half trace, and the one that judges in its place tells it whole.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from judge.common.errors import ConfigError
from judge.common.execution import Execution
from judge.common.models import Judgement, Verdict
from judge.server.observing.live import Live
from judge.server.storing.store import Row
from problems.model import SECOND_NS

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
#: A client chooses the trace's state: so much of it goes through the database.
_MOST_CHARACTERS = 1000


def asked_for(environment: Mapping[str, str]) -> bool:
    """As OpenTelemetry's own set-up decides, but without a word nothing is sent anywhere."""
    if environment.get("OTEL_SDK_DISABLED", "").casefold() == "true":
        return False
    exporter = environment.get("OTEL_TRACES_EXPORTER", "")
    return exporter != "none" and bool(exporter or any(environment.get(name) for name in _ENDPOINTS))


class Traces:
    """Those of one server. Thread-safe. Without a provider nothing is traced."""

    def __init__(self, provider: TracerProvider | None = None) -> None:
        self._provider = provider
        self._tracer = None if provider is None else provider.get_tracer("judge.server")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], version: str) -> Traces:
        """
        Raises:
            ConfigError: traces are asked for, and what makes or sends them is not installed, or unknown.
        """
        if not asked_for(environment):
            return cls()
        try:
            from opentelemetry.sdk.resources import SERVICE_VERSION, Resource  # noqa: PLC0415 - an extra
            from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
            from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
        except ImportError as error:
            raise _missing(error) from error
        named = {} if "OTEL_SERVICE_NAME" in environment else {"service.name": "judge"}
        provider = TracerProvider(resource=Resource.create({**named, SERVICE_VERSION: version}))
        provider.add_span_processor(BatchSpanProcessor(_exporter(environment)))
        return cls(provider)

    def request(self, method: str, path: str, headers: Mapping[str, str]) -> AbstractContextManager[object]:
        """The span of a request, while it is answered."""
        if self._tracer is None:
            return nullcontext()
        from opentelemetry.propagate import extract  # noqa: PLC0415
        from opentelemetry.trace import SpanKind  # noqa: PLC0415

        attributes = {"http.request.method": method, "url.path": path[:200]}
        return self._tracer.start_as_current_span(
            method, context=extract(headers), kind=SpanKind.SERVER, attributes=attributes
        )

    def carry_context(self) -> str | None:
        """The context of now, as a row carries it."""
        if self._tracer is None:
            return None
        from opentelemetry.propagate import inject  # noqa: PLC0415

        headers: dict[str, str] = {}
        inject(headers)
        if len(text := json.dumps(headers)) > _MOST_CHARACTERS:
            text = json.dumps({"traceparent": headers.get("traceparent", "")})
        return text if headers else None

    def export_end(
        self, row: Row, result: Judgement | Execution, live: Live | None, *, begun_ns: int, ended_ns: int
    ) -> None:
        """Times in ns since the epoch."""
        tracer = self._tracer
        if tracer is None:
            return
        from opentelemetry.propagate import extract  # noqa: PLC0415
        from opentelemetry.trace import Status, StatusCode, set_span_in_context  # noqa: PLC0415

        accepted_ns = int(row.accepted_s * SECOND_NS)
        parent = extract(json.loads(row.trace)) if row.trace else None
        whole = tracer.start_span(row.kind, context=parent, start_time=accepted_ns, attributes=_attributes(row, result))
        inside = set_span_in_context(whole, parent)

        def part(name: str, start_ns: int, end_ns: int, attributes: Mapping[str, Any]) -> None:
            span = tracer.start_span(name, context=inside, start_time=start_ns, attributes=attributes)
            span.end(end_ns)

        part("queued", accepted_ns, begun_ns, {})
        for step in _steps(result, live, begun_ns):
            part(*step)
        if result.verdict is Verdict.IE:
            whole.set_status(Status(StatusCode.ERROR))
        whole.end(ended_ns)

    def close(self) -> None:
        """Send what is left."""
        if self._provider is not None:
            self._provider.shutdown()


def _exporter(environment: Mapping[str, str]) -> Any:
    name = environment.get("OTEL_TRACES_EXPORTER") or "otlp"
    if name == "console":
        from opentelemetry.sdk.trace.export import ConsoleSpanExporter  # noqa: PLC0415

        return ConsoleSpanExporter()
    if name != "otlp":
        raise ConfigError(f"OTEL_TRACES_EXPORTER={name} is not known here; choose otlp (over HTTP), console or none")
    protocol = environment.get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or environment.get("OTEL_EXPORTER_OTLP_PROTOCOL")
    if protocol not in (None, "", "http/protobuf"):
        raise ConfigError(f"traces go by http/protobuf, not {protocol}; most collectors take it at port 4318")
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
    except ImportError as error:
        raise _missing(error) from error
    return OTLPSpanExporter()


def _attributes(row: Row, result: Judgement | Execution) -> dict[str, Any]:
    values = {
        "judge.id": row.id,
        "judge.key": row.owner,
        "judge.batch": row.batch,
        "judge.problem": result.problem if isinstance(result, Judgement) else None,
        "judge.language": result.language,
        "judge.verdict": None if result.verdict is None else result.verdict.value,
        "judge.cached": isinstance(result, Judgement) and result.cached,
    }
    return {name: value for name, value in values.items() if value is not None}


def _steps(
    result: Judgement | Execution, live: Live | None, begun_ns: int
) -> list[tuple[str, int, int, dict[str, Any]]]:
    """Name, begin, end and attributes of the compile and of each test. Where another machine judged, their lengths are
    known, but not the pauses between them: each begins where the one before it ended."""
    if isinstance(result, Judgement) and result.cached:
        return []
    steps: list[tuple[str, int, int, dict[str, Any]]] = []
    at_ns = begun_ns
    if result.compile is not None:
        end_ns = (live and live.compiled_ns) or at_ns + result.compile.wall_ns
        attributes = {"judge.cached": result.compile.cached, "judge.verdict": result.compile.verdict}
        steps.append(("compile", at_ns, end_ns, attributes))
        at_ns = end_ns
    for test in result.tests if isinstance(result, Judgement) else ():
        if test.verdict is Verdict.SK:
            continue
        end_ns = (live and live.tested_ns.get(test.name)) or at_ns + (test.wall_ns or 0)
        cpu = {} if test.cpu_ns is None else {"judge.cpu_ns": test.cpu_ns}
        steps.append((f"test {test.name}", at_ns, end_ns, {"judge.verdict": test.verdict.value, **cpu}))
        at_ns = end_ns
    return steps


def _missing(error: ImportError) -> ConfigError:
    what = f"OTEL_* ask for traces, which need {error.name}"
    return ConfigError(f"{what}: run pip install '.[traces]' in judge's checkout")
