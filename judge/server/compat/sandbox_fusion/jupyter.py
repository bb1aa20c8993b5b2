"""Cells of a notebook, run one after another in one interpreter in the sandbox: no kernel, no Jupyter protocol."""

from __future__ import annotations

import base64
import json
from importlib.resources import files
from typing import Any

from judge.common.errors import JudgeError
from judge.common.execution import Program
from judge.common.models import Verdict
from judge.common.whole import encode_text
from judge.server.compat.sandbox_fusion.requests import RunJupyterRequest
from judge.server.compat.sandbox_fusion.running import decode_file, memory_bytes, ran, response, seconds
from judge.server.requests import json_value
from judge.server.service import Service

#: Where the results come to lie, beside the caller's files.
_RESULTS = ".judge-cells"
_FIELDS = ("stdout", "stderr", "display", "error")


async def run(body: RunJupyterRequest, service: Service) -> dict[str, Any]:
    try:
        execution = await service.execute(_program(body))
    except (JudgeError, ValueError) as error:
        return {**response("SandboxError", str(error)), "driver": None, "cells": []}
    if execution.verdict is Verdict.IE:
        return {**response("SandboxError", execution.detail), "driver": None, "cells": []}
    found = dict(execution.files)
    cells = _cells(found.pop(_RESULTS, b""))
    good = execution.verdict is None and len(cells) == len(body.cells)
    answer = response("Success" if good else "Failed", execution.detail)
    answer["files"] = {name: base64.b64encode(content).decode() for name, content in found.items()}
    del answer["compile_result"], answer["run_result"]
    return {**answer, "driver": ran(execution, compiles=False), "cells": cells}


def _program(body: RunJupyterRequest) -> Program:
    timeout_ns = seconds(body.total_timeout)
    if not 0 <= body.cell_timeout <= body.total_timeout:
        raise ValueError("cell_timeout is between 0 and total_timeout")
    given = {"cells": body.cells, "cell_timeout": body.cell_timeout, "to": _RESULTS}
    return Program(
        source=files("judge.server.compat.sandbox_fusion").joinpath("cells.py").read_bytes(),
        language="python3",
        stdin=encode_text(json.dumps(given)),
        files={name: decode_file(name, content) for name, content in body.files.items() if content is not None},
        collect=(*body.fetch_files, _RESULTS),
        cpu_ns=timeout_ns,
        wall_ns=timeout_ns,
        memory_bytes=memory_bytes(body.memory_limit_MB),
    )


def _cells(text: bytes) -> list[dict[str, Any]]:
    """The results of the cells that ended. The cells may have written anything there."""
    found = []
    for line in text.splitlines():
        try:
            one = json_value(line)
        except ValueError:
            break
        if not isinstance(one, dict) or set(one) != set(_FIELDS) or not _fits(one):
            break
        found.append(one)
    return found


def _fits(one: dict[str, Any]) -> bool:
    texts = all(isinstance(one[name], str) for name in ("stdout", "stderr"))
    return texts and all(
        isinstance(one[name], list) and all(isinstance(each, dict) for each in one[name])
        for name in ("display", "error")
    )
