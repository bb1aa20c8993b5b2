"""What Prometheus reads at /metrics, and the page: how much was judged in each minute of the last hour. The names begin
with `judge_`; times are in seconds, sizes in bytes."""

from __future__ import annotations

import collections
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from judge.common.execution import Execution
from judge.common.models import CompileResult, Judgement, Verdict
from judge.server.storing.store import Kind
from problems.model import SECOND_NS

#: From a cached compile to a slow one, and from the start of a process to a long test.
_SECONDS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
_MINUTES = 60
#: Stands for what ended well without a verdict: a program without a problem.
ENDED_WELL = "OK"


class Metrics:
    """Of one server. Thread-safe."""

    def __init__(self, gauges: Callable[[], dict[str, float]]) -> None:
        """`gauges`: what is asked for at each reading, by name (`_GAUGES`)."""
        self._registry = registry = CollectorRegistry()
        self._ended = Counter("judge_ended", "What was judged or run.", ("kind", "verdict"), registry=registry)
        self._lost = Counter("judge_lost", "IE, by its cause.", ("cause",), registry=registry)
        self._known = Counter("judge_known", "Judgements that the cache of verdicts knew.", registry=registry)
        self._queued = Histogram(
            "judge_queue_seconds",
            "From the acceptance of a row to its begin.",
            ("kind",),
            buckets=_SECONDS,
            registry=registry,
        )
        self._compiles = Histogram(
            "judge_compile_seconds",
            "Wall time of compiles.",
            ("language", "cached"),
            buckets=_SECONDS,
            registry=registry,
        )
        self._runs = Histogram(
            "judge_run_cpu_seconds", "CPU time of tests.", ("language",), buckets=_SECONDS, registry=registry
        )
        self._registry.register(_Gauges(gauges))
        self._lock = threading.Lock()
        #: By minutes since the epoch: how often each verdict came.
        self._minutes: dict[int, collections.Counter[str]] = {}

    def count(self, kind: Kind, result: Judgement | Execution, queued_s: float) -> None:
        """`queued_s`: from its acceptance to its begin."""
        self._queued.labels(kind).observe(queued_s)
        self._ended.labels(kind, "none" if result.verdict is None else result.verdict.value).inc()
        now = int(time.time() // 60)
        with self._lock:
            if now not in self._minutes:
                self._minutes = {then: one for then, one in self._minutes.items() if now - _MINUTES < then < now}
                self._minutes[now] = collections.Counter()
            self._minutes[now][ENDED_WELL if result.verdict is None else result.verdict.value] += 1
        if result.verdict is Verdict.IE:
            self._lost.labels(_cause(result)).inc()
        if isinstance(result, Judgement) and result.cached:  # nothing was compiled or run
            self._known.inc()
            return
        if isinstance(result.compile, CompileResult):
            cached = str(result.compile.cached).lower()
            self._compiles.labels(result.language, cached).observe(result.compile.wall_ns / SECOND_NS)
        times = [test.cpu_ns for test in result.tests] if isinstance(result, Judgement) else [result.cpu_ns]
        for cpu_ns in times:
            if cpu_ns is not None:
                self._runs.labels(result.language).observe(cpu_ns / SECOND_NS)

    def count_last_hour(self) -> Sequence[Mapping[str, int]]:
        """How often each verdict came, by minute, the current one last."""
        now = int(time.time() // 60)
        with self._lock:
            return [dict(self._minutes.get(then, {})) for then in range(now - _MINUTES + 1, now + 1)]

    def text(self) -> bytes:
        return generate_latest(self._registry)


#: Those of a server, with what they mean.
_GAUGES = {
    "judge_slots": "How much is judged at once.",
    "judge_begun": "What this server has claimed or runs at once, and has not ended.",
    "judge_waiting": "Accepted and not ended, of no batch, and what this server runs at once.",
    "judge_waiting_rows": "Rows of batches that have not ended.",
    "judge_at_once": "What runs, or waits for a slot, for clients that wait, and is stored nowhere.",
}


class _Gauges(Collector):
    def __init__(self, gauges: Callable[[], dict[str, float]]) -> None:
        self._gauges = gauges

    def describe(self) -> list[Metric]:
        return []  # nothing is asked for before the first reading

    def collect(self) -> Iterator[Metric]:
        for name, value in self._gauges().items():
            yield GaugeMetricFamily(name, _GAUGES[name], value=value)


#: How an error of ours begins, and its label; the first that fits. What a package can choose is no label: there would
#: be one for each test that somebody names.
_CAUSES = (
    ("cancelled by its client", "cancelled"),
    ("the sandbox failed", "sandbox"),
    ("lost ", "node"),
    ("node ", "node"),
    ("test ", "checker"),
    ("unknown problem", "problem"),
    ("problem ", "problem"),
    ("unexpected failure", "unexpected"),
)


def _cause(result: Judgement | Execution) -> str:
    said = (result.error if isinstance(result, Judgement) else result.detail) or ""
    return next((cause for start, cause in _CAUSES if said.startswith(start)), "other")
