"""What clients of Judge0 send -> an execution, and what is kept with it."""

from __future__ import annotations

import base64
import binascii
import io
import json
import shlex
import tarfile
import time
import urllib.parse
import zipfile
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from judge.common.execution import MOST_RUNS
from judge.common.whole import encode_text
from judge.server.compat.judge0 import callbacks
from judge.server.compat.judge0.names import MULTI_FILE, MULTI_FILE_LANGUAGE
from judge.server.requests import MOST_CPU_NS, MOST_MEMORY_BYTES, MOST_OUTPUT_BYTES, ExecutionRequest
from problems.files.archive import UNSOUND
from problems.files.languages import by_name
from problems.model import SECOND_NS

KIB = 1024
MOST_FILES_BYTES = 64 << 20
_MOST_FILES = 1000
_MOST_FIELDS = 100
#: The files of a program of several, in its directory, until its scripts run.
_TAR = "judge-files.tar"
#: What its script `compile` said, if that failed.
COMPILE_OUTPUT = "judge-compile-output"
#: On the tier restricted-user nobody may set modes, nor may what a script starts, such as a linker: by a second archive
#: what `compile` made can be executed there, too.
_SCRIPT = f"""tar -xf {_TAR} && rm {_TAR} || exit 1
if [ -f compile ]; then
    bash ./compile >{COMPILE_OUTPUT} 2>&1 </dev/null || exit 1
    rm -f {COMPILE_OUTPUT}
    tar --mode=u+rwx --exclude=./{_TAR} -cf {_TAR} . && tar -xf {_TAR} && rm {_TAR} || exit 1
fi
exec bash ./run "$@"
"""
#: What it has at most where nothing is asked for: its compiler runs under the same limits.
_MULTI_FILE_CPU_S, _MULTI_FILE_MEMORY_KIB = 15, 512 * KIB


class Judge0Submission(BaseModel):
    """Times in seconds, sizes in KiB. What is not listed is not looked at."""

    source_code: str = Field("", json_schema_extra={"examples": ["print(1)"]})
    language_id: int = Field(json_schema_extra={"examples": [71]})
    stdin: str | None = None
    expected_output: str | None = None
    command_line_arguments: str | None = Field(None, max_length=512)
    cpu_time_limit: float = Field(5, gt=0, le=MOST_CPU_NS / SECOND_NS)
    wall_time_limit: float = Field(10, ge=1, le=MOST_CPU_NS / SECOND_NS)
    memory_limit: float = Field(128_000, ge=2048, le=MOST_MEMORY_BYTES / KIB)
    max_file_size: int = Field(1024, gt=0, le=MOST_OUTPUT_BYTES // KIB)
    redirect_stderr_to_stdout: bool = False
    additional_files: str | None = None
    compiler_options: str | None = Field(None, max_length=512)
    number_of_runs: int = Field(1, ge=1, le=MOST_RUNS)
    enable_network: bool = False
    callback_url: str | None = None


class Wrong(Exception):
    """As Rails words it: what is wrong with each field."""

    def __init__(self, **fields: str) -> None:
        super().__init__()
        self.fields = {name: [why] for name, why in fields.items()}


def read(body: dict[str, Any], in_base64: bool, hosts: Collection[str]) -> tuple[ExecutionRequest, str]:
    """The request, and what is kept with it. `hosts`: those that a callback may go to."""
    given = {name: value for name, value in body.items() if value is not None}
    if "source_code" not in given and str(given.get("language_id")) != str(MULTI_FILE):
        raise Wrong(source_code="can't be blank")
    try:
        asked = Judge0Submission.model_validate(given)
    except ValidationError as error:
        raise Wrong(**{str(each["loc"][0]): each["msg"] for each in error.errors()}) from error
    if asked.language_id not in by_name("judge0") and asked.language_id != MULTI_FILE:
        raise Wrong(language_id=f"language with id {asked.language_id} doesn't exist")
    if asked.enable_network:
        raise Wrong(enable_network="is not allowed")
    if asked.callback_url and not callbacks.is_allowed(asked.callback_url, hosts):
        raise Wrong(callback_url="is not allowed")
    expected = asked.expected_output and _bytes("expected_output", asked.expected_output, in_base64)
    kept = {
        "language_id": asked.language_id,
        "expected_output": expected and expected.decode("utf-8", "replace"),
        "redirect": asked.redirect_stderr_to_stdout,
        "callback": asked.callback_url or None,
        "created_at": date(time.time()),
    }
    return _request(asked, in_base64, given), json.dumps(kept)


def read_form(content: bytes) -> dict[str, Any]:
    """A body as forms send it. A field without a value is not given.

    Raises:
        ValueError: it has too many fields.
    """
    text = content.decode("utf-8", "replace")
    return dict(urllib.parse.parse_qsl(text, max_num_fields=_MOST_FIELDS))


def callback_of(note: str) -> str | None:
    """Where a submission is to be sent, by what was kept with it."""
    url: str | None = json.loads(note)["callback"]
    return url


def _request(asked: Judge0Submission, in_base64: bool, given: Collection[str]) -> ExecutionRequest:
    multi_file = asked.language_id == MULTI_FILE
    cpu_s, memory_kib = asked.cpu_time_limit, asked.memory_limit
    if multi_file:
        cpu_s = cpu_s if "cpu_time_limit" in given else _MULTI_FILE_CPU_S
        memory_kib = memory_kib if "memory_limit" in given else _MULTI_FILE_MEMORY_KIB
    source = _SCRIPT.encode() if multi_file else _bytes("source_code", asked.source_code, in_base64)
    try:
        return ExecutionRequest(
            source="",
            source_base64=base64.b64encode(source).decode(),
            language=MULTI_FILE_LANGUAGE if multi_file else by_name("judge0")[asked.language_id].name,
            stdin_base64=base64.b64encode(_bytes("stdin", asked.stdin or "", in_base64)).decode(),
            arguments=tuple(shlex.split(asked.command_line_arguments or "")),
            files=_repack(asked.additional_files) if multi_file else _plain(asked.additional_files),
            collect=(COMPILE_OUTPUT,) if multi_file else (),
            cpu_ns=max(1, round(cpu_s * SECOND_NS)),
            wall_ns=round(max(asked.wall_time_limit, cpu_s if multi_file else 0) * SECOND_NS),
            memory_bytes=round(memory_kib * KIB),
            output_bytes=asked.max_file_size * KIB,
            compiler_options=tuple((asked.compiler_options or "").split()),
            runs=asked.number_of_runs,
        )
    except ValidationError as error:
        raise Wrong(**{_field(str(each["loc"][0])): each["msg"] for each in error.errors()}) from error
    except ValueError as error:  # quotes that are not closed
        raise Wrong(command_line_arguments=str(error)) from error


def _field(name: str) -> str:
    """Its name of a field of ours."""
    ours = {"files": "additional_files", "arguments": "command_line_arguments", "runs": "number_of_runs"}
    return ours.get(name, name)


def _bytes(name: str, text: str, in_base64: bool) -> bytes:
    if not in_base64:
        return encode_text(text)
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise Wrong(**{name: "is not base64"}) from error


def _plain(packed: str | None) -> dict[str, str]:
    """The files of a zip archive, each in base64."""
    return {name: base64.b64encode(content).decode() for name, content in _files(packed).items()}


def _repack(packed: str | None) -> dict[str, str]:
    """The files of a program of several, with their directories: one file, which its script unpacks in the sandbox."""
    files = _files(packed)
    if "run" not in files:
        raise Wrong(additional_files="has no script `run`")
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, content in files.items():
            parts = PurePosixPath(name).parts
            if name.startswith("/") or ".." in parts or "\0" in name or not parts or len(name.encode()) > 4096:
                raise Wrong(additional_files=f"{name[:40]!r} is no path below its directory")
            entry = tarfile.TarInfo(str(PurePosixPath(name)))
            entry.size, entry.mode = len(content), 0o755
            archive.addfile(entry, io.BytesIO(content))
    return {_TAR: base64.b64encode(made.getvalue()).decode()}


def _files(packed: str | None) -> dict[str, bytes]:
    """The files of a zip archive in base64."""
    if packed is None:
        return {}
    found: dict[str, bytes] = {}
    left = MOST_FILES_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(_bytes("additional_files", packed, True))) as archive:
            for entry in archive.infolist():
                if entry.is_dir():
                    continue
                with archive.open(entry) as file:
                    content = file.read(left + 1)
                left -= len(content)
                if left < 0 or len(found) >= _MOST_FILES:
                    raise Wrong(additional_files="is too large")
                found[entry.filename.encode("utf-8", "replace").decode()] = content
    except (*UNSOUND, OSError) as error:
        raise Wrong(additional_files=f"is no zip archive: {error}") from error
    return found


def date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
