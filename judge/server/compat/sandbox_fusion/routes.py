"""SandboxFusion's endpoints, and `/common_evaluate_batch` of its fork ScaleBox."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute

import problems
from judge.checkers.calls import Call, NotACall, decode_call
from judge.common.errors import LanguageError
from judge.server.compat import inline
from judge.server.compat.sandbox_fusion import datasets, evaluate, jupyter, running
from judge.server.compat.sandbox_fusion.datasets import Case, Wrong
from judge.server.compat.sandbox_fusion.requests import (
    EvaluateRequest,
    GetMetricsFunctionRequest,
    GetMetricsRequest,
    GetPromptByIdRequest,
    GetPromptsRequest,
    RunCodeRequest,
    RunJupyterRequest,
    SubmitRequest,
    our_language,
)
from judge.server.guarding.access import TheCaller, TheService
from judge.server.queueing.flights import share_equal
from judge.server.requests import plain

_RETRY_S = 1


class _Route(APIRoute):
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        following = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                return await following(request)
            except (Wrong, inline.Unusable) as error:
                return JSONResponse({"detail": str(error), "error": str(error)}, 400)
            except inline.Failed as error:
                return JSONResponse({"detail": str(error), "error": str(error)}, 503, {"Retry-After": str(_RETRY_S)})

        return share_equal(handle)


router = APIRouter(tags=["SandboxFusion"], route_class=_Route)


@router.get("/v1/ping")
async def ping() -> str:
    return "pong"


@router.post("/run_code")
async def run_code(body: RunCodeRequest, service: TheService) -> Response:
    return _answer(await running.run(body, service))


@router.post("/run_jupyter")
async def run_jupyter(body: RunJupyterRequest, service: TheService) -> Response:
    return _answer(await jupyter.run(body, service))


@router.get("/list_datasets")
async def list_datasets() -> list[str]:
    return [datasets.OURS]


@router.post("/list_ids")
async def list_ids(body: GetPromptsRequest) -> Response:
    return _answer([found["id"] for found in await _prompts(body)])


@router.post("/get_prompts")
async def get_prompts(body: GetPromptsRequest) -> Response:
    return _answer(await _prompts(body))


def _answer(value: Any) -> Response:
    """What it echoes may hold what no text can."""
    return JSONResponse(plain(value))


async def _prompts(body: GetPromptsRequest) -> list[dict[str, Any]]:
    end = body.offset + body.limit
    if datasets.ours(body.dataset, body.config):
        return await asyncio.to_thread(
            lambda: [datasets.problem_prompt(name, body.config) for name in problems.names()[body.offset : end]]
        )
    return [datasets.prompt(row, body.config) for row in datasets.rows(body.config)[body.offset : end]]


@router.post("/get_prompt_by_id")
async def get_prompt_by_id(body: GetPromptByIdRequest) -> Response:
    if datasets.ours(body.dataset, body.config):
        return _answer(await asyncio.to_thread(datasets.problem_prompt, str(body.id), body.config))
    return _answer(datasets.prompt(datasets.row(body.config, body.id), body.config))


@router.post("/submit")
async def submit(body: SubmitRequest, caller: TheCaller, service: TheService) -> Response:
    mine = datasets.ours(body.dataset, body.config)
    code = evaluate.code(body.completion, body.config)
    if mine:
        problem = await asyncio.to_thread(datasets.problem_of, body.id)
        return _answer(await evaluate.on_problem(body.id, code, problem, body.config, caller, service))
    cases = datasets.cases(datasets.row(body.config, body.id))
    return _answer(await evaluate.on_cases(body.id, code, cases, body.config, service))


@router.post("/get_metrics")
async def get_metrics(body: GetMetricsRequest) -> dict[str, Any]:
    """There as here, data sets of this type have none."""
    datasets.ours(body.dataset, body.config)
    return {}


@router.post("/get_metrics_function")
async def get_metrics_function(body: GetMetricsFunctionRequest) -> dict[str, None]:
    datasets.ours(body.dataset, body.config)
    return {"function": None}


@router.post("/common_evaluate_batch")
async def common_evaluate_batch(body: EvaluateRequest, service: TheService) -> Response:
    given = body.config.provided_data
    tests = given.get("test_cases") if isinstance(given, dict) else None
    if not isinstance(tests, dict):
        raise Wrong("config.provided_data.test_cases is {type, input: […], output: […], fn_name}")
    _check_language(body)
    code = evaluate.code(body.completion, body.config)
    inputs, outputs = tests.get("input"), tests.get("output")
    kind = tests.get("type") or ("function_call" if tests.get("fn_name") is not None else "stdin_stdout")
    if kind != "stdin_stdout" and evaluate.special(body.config):
        raise Wrong("special_judge_program is for test_cases of type stdin_stdout")
    if kind == "assert":
        return _answer(await evaluate.on_assertions(body.id, code, tests, body.config, service))
    if kind not in ("stdin_stdout", "function_call"):
        raise Wrong("test_cases.type is stdin_stdout, function_call or assert")
    if not isinstance(inputs, list) or not isinstance(outputs, list) or len(inputs) != len(outputs) or not inputs:
        raise Wrong("test_cases.input and output are lists of one length, at least 1")
    if kind == "function_call":
        calls = [_call(one, two, tests) for one, two in zip(inputs, outputs, strict=True)]
        return _answer(await evaluate.on_calls(body.id, code, str(tests.get("fn_name")), calls, body.config, service))
    if not all(isinstance(one, str) for one in (*inputs, *outputs)):
        raise Wrong("with type stdin_stdout, test_cases.input and output hold texts")
    cases = [Case(input={"stdin": one}, output={"stdout": two}) for one, two in zip(inputs, outputs, strict=True)]
    return _answer(await evaluate.on_cases(body.id, code, cases, body.config, service))


def _check_language(body: EvaluateRequest) -> None:
    """Raises HTTPException 422, as there: its clients try again for 17 s what is 400."""
    try:
        our_language(body.config.language or "")
    except LanguageError as error:
        raise HTTPException(422, str(error)) from None


def _call(given: Any, wanted: Any, tests: dict[str, Any]) -> tuple[Any, Any, Call]:
    """The input, the output, and the call. A list of one value stands for the value, as there."""
    if not (isinstance(given, list) or (isinstance(given, str) and tests.get("json_input") is True)):
        raise Wrong("with type function_call, test_cases.input holds lists of arguments, or text with json_input")
    try:
        call = decode_call(given, wanted)
    except NotACall as error:
        raise Wrong(f"test_cases: {error}") from None
    if isinstance(call.value, list) and len(call.value) == 1:
        return given, wanted if call.was_text else wanted[0], replace(call, value=call.value[0])
    return given, wanted, call
