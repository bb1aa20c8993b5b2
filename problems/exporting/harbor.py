"""Tasks of Harbor: an agent writes a program, and a separate verifier asks a judge what it is worth.

task.toml                     the verifier has an environment of its own; JUDGE_URL comes from where Harbor runs
instruction.md                the statement with the samples, and where the program goes
environment/Dockerfile        the agent's: compilers, nothing of the problem
tests/Dockerfile, test.sh,    the verifier's: it holds no test either; the judge has them
tests/verify.py
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from problems.exporting.target import Format, Target, tell_no_place
from problems.files.languages import by_suffix
from problems.model import Problem
from problems.reading.samples import samples
from problems.text.statement import samples as samples_shown

#: Suffixes of the programs that the verifier sends, by the language that it names: `LANGUAGES` of verify_at_judge.py.
LANGUAGES = {".c": "c17", ".cpp": "cpp20", ".go": "go", ".java": "java", ".py": "python3", ".rs": "rust"}
_VERIFY = Path(__file__).with_name("verify_at_judge.py")
_AGENT = """FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends g++ python3 && rm -rf /var/lib/apt/lists/*
WORKDIR /app/answer
"""
_VERIFIER = """FROM python:3.12-slim
COPY . /tests
"""
_TASK = """schema_version = "1.4"
artifacts = ["/app/answer"]

[task]
name = {name}

[verifier]
environment_mode = "separate"
timeout_sec = 900.0

[verifier.env]
JUDGE_URL = "${{JUDGE_URL}}"
JUDGE_KEY = "${{JUDGE_KEY:-}}"

[verifier.environment]
build_timeout_sec = 600.0

[environment]
build_timeout_sec = 600.0
"""
_WHERE = """
## Your answer

Write one program that reads standard input and writes standard output. Put it into a file below `/app/answer`:
{files}.

Limits of a test: {time}, {mebibytes:g} MiB of memory.
"""


def _write(target: Target) -> None:
    problem = target.problem
    if problem.kind == "submit-answer":
        raise target.refusal("problems whose submissions are outputs", "export it to icpc")
    if problem.function is not None or problem.grader is not None:
        raise target.refusal("functions that a judge calls", "export it to icpc")
    if problem.manager is not None:
        raise target.refusal("problems whose submissions run in several processes", "export it to icpc")
    if problem.file_io is not None:
        raise target.refusal("input and output files", "let programs use standard input and output")
    target.put("task.toml", _TASK.format(name=json.dumps(f"judge/{problem.name}")))
    target.put("instruction.md", _instruction(target))
    target.put("environment/Dockerfile", _AGENT)
    target.put("tests/Dockerfile", _VERIFIER)
    target.put("tests/test.sh", f"#!/bin/sh\nexec python3 /tests/verify.py {shlex.quote(problem.name)}\n")
    target.put("tests/verify.py", _VERIFY.read_bytes())
    target.note(f"the judge that JUDGE_URL names (judge serve) must have the problem {problem.name}")
    tell_no_place(target, "submissions", "input_validators")


def _instruction(target: Target) -> str:
    problem = target.problem
    texts = {tag: path for tag, path in problem.statements.items() if path.suffix == ".md"}
    if not texts:
        raise target.refusal("a problem without a statement in Markdown", "write one")
    path = texts.get("en") or next(iter(texts.values()))
    statement = target.text(path).decode("utf-8", "replace").rstrip() + "\n"
    stated = problem.stated_cpu_ns
    where = _WHERE.format(
        files=", ".join(f"`solution{suffix}`" for suffix in _suffixes(target)),
        time="CPU time that the judge measures" if stated is None else f"{stated / 1e9:g} s of CPU time",
        mebibytes=problem.limits.memory_bytes / (1 << 20),
    )
    return statement + ("" if samples_shown(statement) else _samples(problem)) + where


def _suffixes(target: Target) -> list[str]:
    """Of the languages that the problem takes and the verifier knows."""
    allowed = target.problem.languages
    suffixes = [
        suffix
        for suffix in LANGUAGES
        if not allowed or ((language := by_suffix(suffix)) is not None and language.names.icpc in allowed)
    ]
    if not suffixes:
        raise target.refusal(f"problems for {', '.join(allowed)} alone", "export it to icpc")
    return suffixes


def _samples(problem: Problem) -> str:
    parts = list[str]()
    for sample in samples(problem):
        parts += [
            f"\n### {sample.name}: {what}\n\n```\n{text.rstrip()}\n```\n" for what, text in sample.texts().items()
        ]
    return "".join(["\n## Samples\n", *parts]) if parts else ""


FORMAT = Format(name="harbor", title="Harbor", write=_write)
