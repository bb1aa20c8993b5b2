"""Judge0's endpoints."""

from __future__ import annotations

import asyncio
import json
import math
import platform
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import psutil
from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from judge import languages
from judge.common.execution import MOST_RUNS
from judge.server.compat.judge0 import callbacks, stored
from judge.server.compat.judge0.answers import fields as fields_of
from judge.server.compat.judge0.answers import show_row, status
from judge.server.compat.judge0.names import (
    MULTI_FILE,
    MULTI_FILE_LANGUAGE,
    MULTI_FILE_TITLE,
    STATUSES,
    VERSION,
)
from judge.server.compat.judge0.requests import (
    KIB,
    MOST_FILES_BYTES,
    Judge0Submission,
    Wrong,
    callback_of,
    date,
    read,
    read_form,
)
from judge.server.guarding.access import TheCaller, TheService, TheSubmitter
from judge.server.guarding.keys import Caller
from judge.server.requests import (
    MOST_CPU_NS,
    MOST_MEMORY_BYTES,
    MOST_OUTPUT_BYTES,
    ExecutionRequest,
    json_body,
    json_object,
)
from judge.server.service import Service
from judge.server.storing.store import Row
from problems.files.languages import by_name
from problems.model import SECOND_NS

router = APIRouter(tags=["Judge0"])

_MOST_ROWS = 20
_GIB = 1 << 30
_MOST_LISTED = 100
_ONE = Judge0Submission.model_json_schema()
_SEVERAL: dict[str, Any] = {
    "type": "object",
    "properties": {"submissions": {"type": "array", "items": _ONE, "minItems": 1, "maxItems": _MOST_ROWS}},
    "required": ["submissions"],
}
_JSON, _FORM = "application/json", "application/x-www-form-urlencoded"
#: One submission, as /openapi.json says.
_BODY = {"requestBody": {"required": True, "content": {kind: {"schema": _ONE} for kind in (_JSON, _FORM)}}}
_Base64 = Annotated[bool, Query(alias="base64_encoded")]


def _names(fields: str | None = None) -> tuple[str, ...] | None:
    try:
        return fields_of(fields)
    except ValueError as error:
        raise HTTPException(400, str(error)) from error


#: The names of fields that are wanted; None: all.
_Fields = Annotated[tuple[str, ...] | None, Depends(_names)]
#: Callbacks that have not been sent yet.
_TASKS: set[asyncio.Task[None]] = set()


async def _body(request: Request) -> dict[str, Any]:
    """The fields of a body of JSON, or of a form."""
    kind = request.headers.get("content-type", _JSON).partition(";")[0].strip().lower()
    try:
        if kind not in (_JSON, _FORM):
            raise ValueError(f"send {_JSON} or {_FORM}")
        content = await request.body()
        return read_form(content) if kind == _FORM else json_object(content)
    except ValueError as error:
        raise RequestValidationError([{"type": "json_invalid", "loc": ("body",), "msg": str(error)}]) from error


@router.post("/submissions", openapi_extra=_BODY)
async def create(
    body: Annotated[dict[str, Any], Depends(_body)],
    caller: TheSubmitter,
    service: TheService,
    names: _Fields,
    wait: bool = False,
    base64_encoded: _Base64 = False,
) -> Response:
    """201 with a token; with `wait`, the submission when it has been judged, or as it is when this server ends. A form
    may hold what else stands in the address."""
    wait, base64_encoded = wait or body.get("wait") == "true", base64_encoded or body.get("base64_encoded") == "true"
    try:
        request, note = read(body, base64_encoded, service.settings.callback_hosts)
    except Wrong as error:
        return JSONResponse(error.fields, 422)
    except ValueError as error:
        return JSONResponse({"error": str(error)}, 400)
    seconds = math.inf if wait else 0
    if wait:
        service.check_wait(request)
    if callback_of(note) is None:
        row = await service.answer(request, caller, seconds, note=note)
    else:
        row = await service.wait((await _accept([(request, note)], caller, service))[0], seconds)
    if not wait:
        return JSONResponse({"token": row.id}, 201)
    return JSONResponse(show_row(row, names, base64_encoded, begun=service.rows.has_begun(row.id)), 201)


@router.post("/submissions/batch", openapi_extra=json_body(_SEVERAL))
async def create_all(
    body: dict[str, Any], caller: TheSubmitter, service: TheService, base64_encoded: _Base64 = False
) -> Response:
    """201 with a token, or what is wrong, for each."""
    asked = body.get("submissions")
    if not isinstance(asked, list) or not asked:
        return JSONResponse({"error": "there should be at least one submission in a batch"}, 400)
    if len(asked) > _MOST_ROWS:
        why = f"number of submissions in a batch should be less than or equal to {_MOST_ROWS}"
        return JSONResponse({"error": why}, 400)
    found: list[tuple[ExecutionRequest, str] | dict[str, Any]] = []
    for each in asked:
        try:
            found.append(read(each if isinstance(each, dict) else {}, base64_encoded, service.settings.callback_hosts))
        except Wrong as error:
            found.append(error.fields)
    good = [each for each in found if isinstance(each, tuple)]
    tokens = iter(await _accept(good, caller, service))
    return JSONResponse([{"token": next(tokens)} if isinstance(each, tuple) else each for each in found], 201)


@router.get("/submissions/batch")
async def show_all(
    caller: TheCaller,
    service: TheService,
    tokens: str,
    names: _Fields,
    base64_encoded: _Base64 = False,
) -> Response:
    asked = [token for token in tokens.split(",") if token]
    if len(asked) > _MOST_ROWS:
        return JSONResponse({"error": f"at most {_MOST_ROWS} tokens"}, 400)
    found = [await _own(token, caller, service) for token in asked]
    told = [None if row is None else show_row(row, names, base64_encoded, begun=begun) for row, begun in found]
    return JSONResponse({"submissions": told})


@router.get("/submissions")
async def list_submissions(
    caller: TheCaller,
    service: TheService,
    names: _Fields,
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
    per_page: Annotated[int, Query(ge=1, le=_MOST_LISTED)] = 20,
    base64_encoded: _Base64 = False,
) -> Response:
    """The caller's, the latest first; an admin's are all."""
    rows, count = await asyncio.to_thread(stored.page, caller, service.store, page, per_page)
    pages = -(-count // per_page)
    meta = {
        "current_page": page,
        "next_page": page + 1 if page < pages else None,
        "prev_page": page - 1 if page > 1 else None,
        "total_pages": pages,
        "total_count": count,
    }
    told = [show_row(row, names, base64_encoded, begun=service.rows.has_begun(row.id)) for row in rows]
    return JSONResponse({"submissions": told, "meta": meta})


@router.delete("/submissions/{token}")
async def delete(
    token: str, caller: TheSubmitter, service: TheService, names: _Fields, base64_encoded: _Base64 = False
) -> Response:
    """The submission as it was, which is gone then. One that has not ended is not deleted."""
    row, begun = await _own(token, caller, service)
    if row is None:
        return Response(status_code=404)
    if (number := status(row, begun=begun)) < 3:
        why = f"submission cannot be deleted because its status is {number} ({STATUSES[number]})"
        return JSONResponse({"error": why}, 400)
    await asyncio.to_thread(stored.delete, token, service.store)
    return JSONResponse(show_row(row, names, base64_encoded))


@router.get("/submissions/{token}")
async def show(
    token: str, caller: TheCaller, service: TheService, names: _Fields, base64_encoded: _Base64 = False
) -> Response:
    row, begun = await _own(token, caller, service)
    if row is None:
        return Response(status_code=404)
    return JSONResponse(show_row(row, names, base64_encoded, begun=begun))


@router.get("/languages")
async def list_languages() -> list[dict[str, Any]]:
    return [each for each in await asyncio.to_thread(_list_languages) if not each.pop("is_archived")]


@router.get("/languages/all")
async def list_all_languages() -> list[dict[str, Any]]:
    return await asyncio.to_thread(_list_languages)


@router.get("/languages/{number}")
async def show_language(number: int) -> Response:
    found = [each for each in await asyncio.to_thread(_list_languages) if each["id"] == number]
    return JSONResponse(found[0]) if found else Response(status_code=404)


@router.get("/statuses")
async def statuses() -> list[dict[str, Any]]:
    return [{"id": number, "description": text} for number, text in STATUSES.items()]


@router.get("/about")
async def about() -> dict[str, str]:
    """The version whose protocol this is."""
    return {"version": VERSION, "homepage": "https://judge0.com", "source_code": "", "maintainer": ""}


@router.get("/version", response_class=PlainTextResponse)
async def version() -> str:
    """As /about."""
    return VERSION


@router.get("/system_info")
async def system_info() -> dict[str, str]:
    """This machine, in the words of lscpu and free."""
    memory, swap = psutil.virtual_memory().total, psutil.swap_memory().total
    return {
        "Architecture": platform.machine(),
        "Byte Order": f"{sys.byteorder.title()} Endian",
        "CPU(s)": str(psutil.cpu_count() or 1),
        "Mem": f"{memory / _GIB:.1f}G",
        "Swap": f"{swap / _GIB:.1f}G",
    }


@router.post("/authenticate")
@router.post("/authorize")
async def authenticate() -> Response:
    """Whether the server knows the key, and lets it submit: who has come so far is known."""
    return Response()


@router.get("/isolate", response_class=PlainTextResponse)
async def isolate(service: TheService) -> str:
    """The walls around each run, where it has the version of its sandbox."""
    return str(await asyncio.to_thread(lambda: service.judge.isolation))


@router.get("/license", response_class=PlainTextResponse)
async def license_() -> str:
    return "Apache-2.0"


@router.get("/statistics")
async def statistics(caller: TheCaller, service: TheService) -> dict[str, Any]:
    found = await asyncio.to_thread(stored.statistics, service.store)
    titles = {each["id"]: each["name"] for each in await asyncio.to_thread(_list_languages)}
    return {
        "created_at": date(found["now"]),
        "cached_until": date(found["now"]),
        "submissions": {"total": found["total"], "today": found["today"], "last_30_days": found["days"]},
        "languages": [
            {"language": {"id": number, "name": titles.get(number, "")}, "count": count}
            for number, count in found["languages"]
        ],
    }


@router.get("/workers")
async def workers(service: TheService) -> list[dict[str, Any]]:
    waiting, slots = await asyncio.to_thread(lambda: service.waiting), service.judge.slots
    working = min(waiting, slots)
    state = {"available": slots, "idle": slots - working, "working": working, "paused": 0, "failed": 0}
    return [{"queue": "default", "size": waiting, **state}]


@router.get("/config_info")
async def config(service: TheService) -> dict[str, Any]:
    limits = {name: field.default for name, field in Judge0Submission.model_fields.items()}
    same = ("cpu_time_limit", "wall_time_limit", "memory_limit", "max_file_size", "redirect_stderr_to_stdout")
    return {
        **{name: limits[name] for name in same},
        "maintenance_mode": False,
        "enable_wait_result": True,
        "enable_compiler_options": True,
        "allowed_languages_for_compile_options": ["C", "C++"],
        "enable_command_line_arguments": True,
        "enable_submission_delete": True,
        "enable_callbacks": bool(service.settings.callback_hosts),
        "callbacks_max_tries": callbacks.TRIES,
        "callbacks_timeout": callbacks.TIMEOUT_S,
        "enable_additional_files": True,
        "max_queue_size": service.settings.most_waiting,
        "max_cpu_time_limit": MOST_CPU_NS / SECOND_NS,
        "cpu_extra_time": 0,
        "max_cpu_extra_time": 0,
        "max_wall_time_limit": MOST_CPU_NS / SECOND_NS,
        "max_memory_limit": MOST_MEMORY_BYTES // KIB,
        "stack_limit": limits["memory_limit"],
        "max_stack_limit": MOST_MEMORY_BYTES // KIB,
        "max_processes_and_or_threads": 0,
        "max_max_processes_and_or_threads": 0,
        "enable_per_process_and_thread_time_limit": False,
        "allow_enable_per_process_and_thread_time_limit": False,
        "enable_per_process_and_thread_memory_limit": False,
        "allow_enable_per_process_and_thread_memory_limit": False,
        "max_max_file_size": MOST_OUTPUT_BYTES // KIB,
        "enable_network": False,
        "allow_enable_network": False,
        "number_of_runs": 1,
        "max_number_of_runs": MOST_RUNS,
        "enable_batched_submissions": True,
        "max_submission_batch_size": _MOST_ROWS,
        "submission_cache_duration": 0,
        "use_docs_as_homepage": False,
        "max_extract_size": MOST_FILES_BYTES // KIB,
    }


async def _own(token: str, caller: Caller, service: Service) -> tuple[Row | None, bool]:
    """A submission, if the caller may see it, and whether it has begun: asked first, as it may end meanwhile."""
    begun = service.rows.has_begun(token)
    return await asyncio.to_thread(stored.own, token, caller, service.store), begun


async def _accept(asked: Sequence[tuple[ExecutionRequest, str]], caller: Caller, service: Service) -> list[str]:
    """Their tokens. What is to be sent when it has ended is judged, whether the client has left or not."""
    requests, notes = [each[0] for each in asked], [each[1] for each in asked]
    if all(callback_of(note) is None for note in notes):
        return await service.take(requests, caller, notes=notes)

    async def accept() -> list[str]:
        tokens = await asyncio.to_thread(service.accept, requests, caller, notes)
        _call_back(tokens, notes, service)
        return tokens

    return await asyncio.shield(asyncio.create_task(accept()))


def _call_back(tokens: Sequence[str], notes: Sequence[str], service: Service) -> None:
    """Have each that asks for it sent when it has ended; nobody waits for that."""
    for token, note in zip(tokens, notes, strict=True):
        if (url := callback_of(note)) is not None:
            task = asyncio.create_task(_send(token, url, service))
            _TASKS.add(task)
            task.add_done_callback(_TASKS.discard)


async def _send(token: str, url: str, service: Service) -> None:
    row = await service.wait(token)
    if row.result is None:  # this server ends
        return
    await asyncio.to_thread(callbacks.send, url, json.dumps(show_row(row, fields_of(None), True)).encode())


def _list_languages() -> list[dict[str, Any]]:
    found = []
    ours = {number: language.name for number, language in by_name("judge0").items()}
    for number, name in sorted({**ours, MULTI_FILE: MULTI_FILE_LANGUAGE}.items()):
        state = languages.get(name).status()
        title = f"{languages.get(name).title} ({state.version or state.problem})"
        title = MULTI_FILE_TITLE if number == MULTI_FILE else title
        found.append({"id": number, "name": title, "is_archived": state.problem is not None})
    return found
