"""Tells whoever observes the server what has ended: metrics, the log, traces."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from judge.common.execution import Execution
from judge.common.models import Judgement
from judge.server.observing import logs
from judge.server.observing.live import Live
from judge.server.observing.metrics import Metrics
from judge.server.observing.traces import Traces
from judge.server.storing.store import Row
from problems.model import SECOND_NS

_log = logging.getLogger(__name__)
#: `observe_end` of a server. Without a `Live` it knows less of when each test was run.
Observe = Callable[[Row, Judgement | Execution, Live | None], None]


def observe_end(
    metrics: Metrics, traces: Traces, row: Row, result: Judgement | Execution, live: Live | None = None
) -> None:
    """It never raises: nothing of this may keep a result from its client."""
    try:
        ended_s = time.time()
        begun_s = max(row.accepted_s, ended_s - _lasted_ns(result) / SECOND_NS)
        metrics.count(row.kind, result, begun_s - row.accepted_s)
        logs.log_end(row, result, begun_s, ended_s)
        traces.export_end(row, result, live, begun_ns=int(begun_s * SECOND_NS), ended_ns=int(ended_s * SECOND_NS))
    except Exception:
        _log.exception("%s could not be counted or traced", row.id)


def _lasted_ns(result: Judgement | Execution) -> int:
    if isinstance(result, Judgement):
        return 0 if result.cached else result.wall_ns
    return (result.wall_ns or 0) + (0 if result.compile is None else result.compile.wall_ns)
