"""Graders that are HTTP services: each program is sent by the protocol of its clients, as these send it.

sandbox-fusion   POST /submit, data set CommonOJDataset: the service compares
scalebox         POST /common_evaluate_batch: the service compares, and calls functions
piston           POST /api/v2/execute for each test: the client compares lines, without the space at their ends
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from judge.common.errors import ConfigError
from judge.selftest.graders.suite import Case, Outcome, Suite

#: What a program may take for each test, and an answer for all of them.
_TEST_S, _ANSWER_S = 3, 120
#: A service that has no room is asked again.
_TRIES, _PAUSE_S = 5, 2.0
_FENCES = {"python3": "python", "cpp17": "cpp"}

#: Sends a body to a path, and gives the answer. Raises OSError, ValueError: there is none.
Send = Callable[[str, Mapping[str, Any]], Any]


def _submit(send: Send, case: Case, tests: Mapping[str, Any]) -> Outcome:
    pairs = zip(tests["inputs"], tests["outputs"], strict=True)
    rows = [{"input": {"stdin": given}, "output": {"stdout": answer}} for given, answer in pairs]
    config = {
        "dataset_type": "CommonOJDataset",
        "language": _FENCES[case.language],
        "provided_data": [{"id": 1, "test": rows}],
        "run_timeout": _TEST_S,
    }
    return _read_evaluation(send("/submit", {"dataset": "suite", "id": 1, **_complete(case), "config": config}))


def _evaluate(send: Send, case: Case, tests: Mapping[str, Any]) -> Outcome:
    rows: dict[str, Any] = {"type": "stdin_stdout", "input": tests["inputs"], "output": tests["outputs"]}
    if case.kind == "function":
        calls = [[given] for given in tests["calls"]]
        rows = {"type": "function_call", "fn_name": "solve", "input": calls, "output": tests["results"]}
    config = {
        "language": _FENCES[case.language],
        "provided_data": {"test_cases": rows},
        "run_timeout": _TEST_S,
    }
    return _read_evaluation(send("/common_evaluate_batch", {**_complete(case), "config": config}))


def _complete(case: Case) -> dict[str, str]:
    return {"completion": f"```{_FENCES[case.language]}\n{case.source}\n```"}


def _read_evaluation(answer: Any) -> Outcome:
    failed = any((test.get("exec_info") or {}).get("status") == "SandboxError" for test in answer["tests"])
    if failed:
        return Outcome.LOST
    return Outcome.PAID if answer["accepted"] is True else Outcome.REJECTED


def _execute(send: Send, case: Case, tests: Mapping[str, Any]) -> Outcome:
    body = {
        "language": {"python3": "python", "cpp17": "c++"}[case.language],
        "version": "*",
        "files": [{"name": "main.py" if case.language == "python3" else "main.cpp", "content": case.source}],
        "run_timeout": _TEST_S * 1000,
    }
    for given, answer in zip(tests["inputs"], tests["outputs"], strict=True):
        said = send("/api/v2/execute", body | {"stdin": given})
        ran = said.get("run") or said["compile"]
        if ran.get("status") == "XX":
            return Outcome.LOST
        if ran is not said.get("run") or ran["code"] != 0 or _lines(ran["stdout"]) != _lines(answer):
            return Outcome.REJECTED
    return Outcome.PAID


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().split("\n")]


#: How a program is asked about, and of which kind and language it may be.
_PROTOCOLS: Mapping[str, tuple[Callable[[Send, Case, Mapping[str, Any]], Outcome], Callable[[Case], bool]]] = {
    "sandbox-fusion": (_submit, lambda case: case.kind == "stdin"),
    "scalebox": (_evaluate, lambda case: case.kind == "stdin" or case.language == "python3"),
    "piston": (_execute, lambda case: case.kind == "stdin"),
}
PROTOCOLS = tuple(_PROTOCOLS)


def ask_service(protocol: str, address: str, suite: Suite, at_once: int) -> dict[str, Outcome]:
    """What the service makes of each program that its protocol can say, by name. Nobody kills its workers.

    Raises:
        ConfigError: it gives no answer at all.
    """
    if not address.startswith(("http://", "https://")):
        raise ConfigError(f"{protocol}={address}: write the address of a service, as http://127.0.0.1:8080")
    ask, takes = _PROTOCOLS[protocol]
    failures: list[str] = []

    def try_case(case: Case) -> Outcome:
        try:
            return ask(partial(_send, address.rstrip("/")), case, suite.tests)
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            failures.append(f"{type(error).__name__}: {error}")
            return Outcome.LOST

    cases = [one for one in suite.cases if takes(one)]
    with ThreadPoolExecutor(at_once, thread_name_prefix="service") as threads:
        outcomes = list(threads.map(try_case, cases))
    if cases and len(failures) == len(cases):
        raise ConfigError(f"{address} answers nothing: {failures[-1]}")
    return dict(zip((one.name for one in cases), outcomes, strict=True))


def _send(address: str, path: str, body: Mapping[str, Any]) -> Any:
    request = Request(address + path, json.dumps(body).encode(), {"Content-Type": "application/json"})  # noqa: S310
    for last in (False,) * (_TRIES - 1) + (True,):
        try:
            with urlopen(request, timeout=_ANSWER_S) as answer:  # noqa: S310 - http or https
                return json.loads(answer.read())
        except HTTPError as error:
            if error.code not in (429, 503) or last:
                raise URLError(f"{error.code} {error.read(300)!r}") from error
        time.sleep(_PAUSE_S)
    raise AssertionError
