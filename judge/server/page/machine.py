"""The machine: slots, queue, sandbox, cache, and how much was judged in the last hour."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from containers import ContainerError, Isolation
from judge import languages
from judge.compiling.toolchain import HEADERS_BYTES
from judge.server.guarding.access import TheService
from judge.server.page import look
from judge.server.page.charts import bars
from judge.server.page.session import TheVisit
from judge.server.service import Service
from judge.store.cache import Cache

router = APIRouter(route_class=look.PageRoute)


@router.get("/machine")
async def show(request: Request, visit: TheVisit, service: TheService) -> Response:
    return look.page(request, visit, "machine.html", **await asyncio.to_thread(_facts, service))


def _facts(service: Service) -> dict[str, Any]:
    walls: Isolation | None = None
    why = ""
    try:
        walls = service.judge.isolation
    except ContainerError as error:
        why = str(error)
    minutes = service.metrics.count_last_hour()
    return {
        "gauges": service.gauges(),
        "most_waiting": service.settings.most_waiting,
        "walls": walls,
        "why": why,
        "cache": Cache().stats(),
        "headers_limit": HEADERS_BYTES,
        "last_minute": sum(minutes[-2].values()),
        "last_hour": sum(sum(minute.values()) for minute in minutes),
        "chart": bars(minutes),
    }


@router.get("/machine/languages")
async def show_languages(request: Request, visit: TheVisit) -> Response:
    found = await asyncio.to_thread(lambda: [(languages.get(n), languages.get(n).status()) for n in languages.names()])
    return look.page(request, visit, "languages.html", found=found)
