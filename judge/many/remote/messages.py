"""What goes to a server, and what comes back, as JSON."""

from __future__ import annotations

import base64
from dataclasses import fields
from typing import Any

from pydantic import TypeAdapter

from judge.common.execution import Execution, Program
from judge.common.models import Judgement, Options, Submission

#: The option that a server does not take.
HERE_ONLY = "at_once"
_JUDGEMENT = TypeAdapter(Judgement)
_EXECUTION = TypeAdapter(Execution)


def judgement_request(submission: Submission, problem: str, options: Options) -> dict[str, Any]:
    return {
        **_source(submission.source),
        "files": {name: _base64(content) for name, content in submission.files},
        "problem": problem,
        "language": submission.language,
        "default_language": submission.default_language,
        "id": submission.id,
        "options": {each.name: getattr(options, each.name) for each in fields(options) if each.name != HERE_ONLY},
    }


def execution_request(program: Program) -> dict[str, Any]:
    same = {each.name: getattr(program, each.name) for each in fields(program)}
    del same["stdin"]
    return {
        **same,
        **_source(program.source),
        "stdin_base64": _base64(program.stdin),
        "sources": {name: _base64(content) for name, content in program.sources},
        "files": {name: _base64(content) for name, content in program.files.items()},
    }


def judgement(answer: dict[str, Any]) -> Judgement:
    return _JUDGEMENT.validate_python(answer["judgement"])


def execution(answer: dict[str, Any]) -> Execution:
    values = dict(answer["execution"])
    values |= {name: values[name].encode() for name in ("stdout", "stderr")}
    values["files"] = {name: base64.b64decode(content) for name, content in values["files"].items()}
    return _EXECUTION.validate_python(values)


def _source(source: bytes) -> dict[str, str]:
    try:
        return {"source": source.decode()}
    except UnicodeDecodeError:
        return {"source": "", "source_base64": _base64(source)}


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()
